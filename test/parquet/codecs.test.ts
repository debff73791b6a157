// Codecs of pages by themselves: the compiled kernels, snappy both ways and with damaged input, the three meanings of lz4.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import wabt from "wabt";
import { lz4Bound, lz4Compress } from "../../src/storage/codecs/lz4.ts";
import {
  compressed,
  decompressed,
  KERNELS,
  snappyCompressed,
  snappyDecompressed,
  type WrittenCodec,
} from "../../src/storage/parquet/compression.ts";
import { Damage } from "../../src/storage/parquet/errors.ts";

test("KERNELS is kernels.wat, compiled", async () => {
  const { parseWat } = await wabt();
  const source = readFileSync(`${import.meta.dirname}/../../src/storage/parquet/kernels.wat`, "utf8");
  const { buffer } = parseWat("kernels.wat", source, { simd: true, bulk_memory: true }).toBinary({});
  expect(Buffer.from(buffer).toString("base64")).toBe(KERNELS);
});

/** Bytes that repeat at several distances, so that copies of every kind occur. */
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc
    .tuple(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(5), { maxLength: 60 }),
    )
    .map(([words, order]) => new Uint8Array(Buffer.concat(order.map((i) => words[i % words.length]!)))),
);

describe("codecs", () => {
  test.each<WrittenCodec>(["none", "snappy", "gzip", "zstd", "brotli", "lz4raw"])(
    "%s: there and back",
    async (codec) => {
      await fc.assert(
        fc.asyncProperty(anyBytes, async (bytes) => {
          const packed = await compressed(codec, bytes);
          expect(Buffer.compare(await decompressed(codec, packed, bytes.length, "x"), bytes)).toBe(0);
        }),
        { numRuns: 60 },
      );
    },
  );

  test("sizes that are wrong", async () => {
    const bytes = new Uint8Array(1000).fill(7);
    for (const codec of ["none", "snappy", "gzip", "zstd", "brotli", "lz4raw"] as const) {
      const packed = await compressed(codec, bytes);
      await expect((async () => decompressed(codec, packed, 999, "x"))(), codec).rejects.toThrow();
      await expect((async () => decompressed(codec, packed, 1001, "x"))(), codec).rejects.toThrow();
    }
  });
});

describe("snappy", () => {
  test("long literals and long copies", () => {
    const noise = Uint8Array.from({ length: 200_000 }, (_, i) => (Math.imul(i, 2654435761) >>> 13) & 255);
    const bytes = new Uint8Array(600_000);
    bytes.set(noise);
    bytes.set(noise.subarray(0, 100_000), 200_000);
    expect(Buffer.compare(snappyDecompressed(snappyCompressed(bytes), bytes.length), bytes)).toBe(0);
  });

  test("copies with distances of one, two and four bytes, and literals with lengths of one to four bytes", () => {
    // "abcd", four more from distance 4 (one byte), then eight from distance 8 (two bytes), then two from 3 (four bytes).
    const source = [18, 0b1100, 97, 98, 99, 100, 0b00000001, 4, 0b011110, 8, 0, 0b000111, 3, 0, 0, 0];
    expect(Buffer.from(snappyDecompressed(Uint8Array.from(source), 18)).toString()).toBe(
      "abcdabcdabcdabcdbc",
    );
    for (const [tag, ...length] of [
      [60, 2],
      [61, 2, 0],
      [62, 2, 0, 0],
      [63, 2, 0, 0, 0],
    ] as const)
      expect(
        Buffer.from(
          snappyDecompressed(Uint8Array.from([3, tag! << 2, ...length, 120, 121, 122]), 3),
        ).toString(),
      ).toBe("xyz");
  });

  test("damaged input gives damage or bytes, never more", () => {
    fc.assert(
      fc.property(anyBytes, fc.nat(), fc.nat(255), (bytes, at, value) => {
        const packed = snappyCompressed(bytes);
        packed[at % packed.length] = value;
        try {
          expect(snappyDecompressed(packed, bytes.length).length).toBe(bytes.length);
        } catch (cause) {
          expect(cause).toBeInstanceOf(Damage);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("lz4", () => {
  const bytes = Uint8Array.from({ length: 5000 }, (_, i) => (i >>> 3) & 255);
  const block = (part: Uint8Array): Uint8Array => {
    const target = new Uint8Array(lz4Bound(part.length));
    return target.slice(0, lz4Compress(part, target));
  };
  const word = (value: number, littleEndian: boolean): Uint8Array => {
    const result = new Uint8Array(4);
    new DataView(result.buffer).setUint32(0, value, littleEndian);
    return result;
  };

  test("a plain block, Hadoop's framing, LZ4's own frame", async () => {
    const halves = [bytes.subarray(0, 3000), bytes.subarray(3000)];
    const hadoop = halves.flatMap((half) => [
      word(half.length, false),
      word(block(half).length, false),
      block(half),
    ]);
    const frame = [
      word(0x184d2204, true),
      Uint8Array.of(0x60, 0x40, 0),
      word(block(bytes).length, true),
      block(bytes),
      word(0, true),
    ];
    for (const parts of [[block(bytes)], hadoop, frame]) {
      const source = new Uint8Array(Buffer.concat(parts));
      expect(Buffer.compare(await decompressed("lz4", source, 5000, "x"), bytes)).toBe(0);
    }
  });
});
