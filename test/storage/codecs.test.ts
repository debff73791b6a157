// Codecs by themselves: known checksums, the compiled kernels, and the ways taken where Node is not.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import wabt from "wabt";
import { KERNELS } from "../../src/storage/codecs/kernels.ts";
import { bitShuffled, bitUnshuffle, shuffled, unshuffle } from "../../src/storage/codecs/shuffle.ts";
import { builtInCodecs } from "../../src/storage/codecs/table.ts";
import { checksumCodec } from "../../src/storage/codecs/wasm.ts";
import { CorruptDataError } from "../../src/storage/errors.ts";
import { hex, randomBytes } from "./support.ts";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const codec = (name: string, configuration = {}) => builtInCodecs.codec({ name, configuration }, "test");

test("kernels.ts is kernels.wat, compiled", async () => {
  const { parseWat } = await wabt();
  const source = readFileSync(`${import.meta.dirname}/../../src/storage/codecs/kernels.wat`, "utf8");
  const { buffer } = parseWat("kernels.wat", source, { simd: true, bulk_memory: true }).toBinary({});
  expect(Buffer.from(buffer).toString("base64")).toBe(KERNELS);
});

describe("checksums", () => {
  test.each([
    ["crc32c", "123456789", "839206e3", "end"],
    ["crc32", "123456789", "2639f4cb", "start"],
    ["adler32", "Wikipedia", "9803e611", "start"],
  ])("%s of %s", async (name, input, sum, location) => {
    const encoded = await codec(name).encode(text(input));
    expect(hex(location === "end" ? encoded.slice(-4) : encoded.slice(0, 4))).toBe(sum);
  });

  test("crc32c of any length is that of one byte at a time", () => {
    const slow = (bytes: Uint8Array): number => {
      let value = -1;
      for (const byte of bytes) {
        value ^= byte;
        for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
      }
      return ~value >>> 0;
    };
    const bytes = randomBytes(600_000);
    for (const [start, end] of [
      [0, 0],
      [1, 2],
      [3, 18],
      [0, 12287],
      [1, 12289],
      [5, 40_000],
      [0, 262_144],
      [7, 600_000],
    ]) {
      const part = bytes.subarray(start, end);
      const encoded = codec("crc32c").encode(part) as Uint8Array;
      expect(new DataView(encoded.buffer).getUint32(part.length, true)).toBe(slow(part));
    }
  });
});

test.each(["crc32c", "crc32"] as const)("the %s of pieces is that of all", (name) => {
  const bytes = randomBytes(500_000, 5);
  const { sum } = checksumCodec(name, "end");
  fc.assert(
    fc.property(
      fc.integer({ min: 8192, max: bytes.length }),
      fc.array(fc.integer({ min: 0, max: 9000 }), { maxLength: 20 }),
      (length, pieces) => {
        const running = sum!.running(length)!;
        let at = 0;
        for (const blocks of pieces) {
          const end = Math.min(length, at + 16 * blocks);
          running.add(bytes.subarray(at, end));
          at = end;
          if (at === length) break;
        }
        if (at < length) running.add(bytes.subarray(at, length));
        const whole = new Uint8Array(4);
        new DataView(whole.buffer).setUint32(0, running.end(), true);
        expect(hex(whole)).toBe(hex(sum!.of(bytes.subarray(0, length))));
      },
    ),
    { numRuns: 50 },
  );
});

describe("shuffles", () => {
  test.each([1, 2, 3, 4, 8, 12, 16])("of %i bytes are undone, and are what they say", (size) => {
    for (const length of [0, size, 8 * size, 8 * size + 1, 40 * size + 5, 1000 * size]) {
      const bytes = randomBytes(length, size);
      for (const [there, back] of [
        [shuffled, unshuffle],
        [bitShuffled, bitUnshuffle],
      ] as const) {
        const result = new Uint8Array(length);
        back(there(bytes, size), result, size);
        expect(hex(result)).toBe(hex(bytes));
      }
      const count = Math.floor(length / size);
      const rows = shuffled(bytes, size);
      for (let i = 0; i < count; i++) expect(rows[(size - 1) * count + i]).toBe(bytes[i * size + size - 1]);
    }
  });
});

const COMPRESSORS = [
  ["lz4", {}],
  ["blosc", { cname: "lz4", shuffle: "shuffle", typesize: 4, blocksize: 1024 }],
  ["blosc", { cname: "zstd", shuffle: "bitshuffle", typesize: 8 }],
  ["blosc", { cname: "zlib", shuffle: "shuffle", typesize: 3 }],
  ["blosc", { cname: "lz4", clevel: 0, typesize: 2 }],
  ["zstd", { level: 3 }],
  ["gzip", { level: 1 }],
  ["zlib", { level: 9 }],
  ["shuffle", { elementsize: 8 }],
] as const;

/** Bytes that repeat at any distance, with stretches that do not. */
const compressible = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 60 })), {
    maxLength: 30,
  })
  .map((parts) =>
    Uint8Array.from(parts.flatMap(([bytes, times]) => new Array(times).fill([...bytes]).flat())),
  );

describe("compressors", () => {
  test.each(COMPRESSORS)("%s %j gives back what it was given", async (name, configuration) => {
    const made = codec(name, configuration);
    await fc.assert(
      fc.asyncProperty(compressible, async (bytes) => {
        const encoded = await made.encode(bytes);
        expect(encoded.length).toBeLessThanOrEqual(made.encodedBound({ max: bytes.length, exact: true }).max);
        const decoded = await made.decode(encoded, { max: bytes.length, exact: true }, "test");
        expect(Buffer.compare(decoded, bytes)).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  test("a zstd frame that does not say its size is read when that is known", async () => {
    // What a stream of unknown length makes: "hello" as one raw block.
    const frame = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x29, 0x00, 0x00, ...text("hello")]);
    const decoded = await codec("zstd").decode(frame, { max: 5, exact: true }, "test");
    expect(new TextDecoder().decode(decoded)).toBe("hello");
    await expect(
      (async () => codec("zstd").decode(frame, { max: 4, exact: true }, "test"))(),
    ).rejects.toThrow(/zstd/);
  });
});

test("what zstd is said to work with is no less than was measured with 2²⁵ bytes that cannot be compressed", () => {
  const said = (level: number): number => codec("zstd", { level }).working!(2 ** 25);
  expect(said(9)).toBeGreaterThan(5e6);
  expect(said(19)).toBeGreaterThan(76e6);
  expect(said(22)).toBeGreaterThan(376e6);
  for (let level = 1; level < 9; level++) expect(said(level)).toBe(2 ** 23);
});

test("damaged zstd frames are errors or bytes, and the next frame is not worse for it", async () => {
  const zstd = codec("zstd");
  const bytes = randomBytes(20_000, 3).map((byte, i) => (i % 7 === 0 ? byte : i >> 9));
  const exact = { max: bytes.length, exact: true };
  const frame = await zstd.encode(bytes);
  for (let i = 0; i < 1500; i++) {
    const damaged = frame.slice();
    for (let k = 0; k <= i % 3; k++) damaged[(i * 7919 + k * 104_729) % frame.length]! ^= 1 << ((i + k) % 8);
    const result = await Promise.resolve(zstd.decode(damaged, exact, "test")).catch(
      (cause: unknown) => cause,
    );
    if (result instanceof Error) expect(result).toBeInstanceOf(CorruptDataError);
    if (i % 50 === 0) expect(Buffer.compare(await zstd.decode(frame, exact, "test"), bytes)).toBe(0);
  }
});

test.skipIf(process.env["CHUNKWISE_REBUILD"] === undefined)(
  "the zstd decoder is what build.sh makes (CHUNKWISE_REBUILD=1; needs clang-14 and the npm registry)",
  () => {
    const folder = `${import.meta.dirname}/../../src/storage/codecs/zstd`;
    const target = join(mkdtempSync(join(tmpdir(), "chunkwise-zstd-")), "binary.ts");
    execFileSync(`${folder}/build.sh`, [target]);
    expect(readFileSync(target, "utf8")).toBe(readFileSync(`${folder}/binary.ts`, "utf8"));
  },
  60_000,
);

test("without Node's modules the web's streams do the same", async () => {
  vi.resetModules();
  vi.doMock("../../src/storage/builtin.ts", () => ({
    builtin: async () => undefined,
    builtinNow: () => undefined,
    requireBuiltin: async () => {
      throw new Error("not Node");
    },
  }));
  const web = await import("../../src/storage/codecs/table.ts");
  const bytes = randomBytes(300_000).map((byte) => byte & 3);
  for (const name of ["gzip", "zlib", "zstd"]) {
    const here = codec(name);
    const there = web.builtInCodecs.codec({ name, configuration: {} }, "test");
    const exact = { max: bytes.length, exact: true };
    expect(Buffer.compare(await there.decode(await here.encode(bytes), exact, "test"), bytes)).toBe(0);
    expect(Buffer.compare(await here.decode(await there.encode(bytes), exact, "test"), bytes)).toBe(0);
    const encoded = await here.encode(bytes);
    await expect((async () => there.decode(encoded, { max: 1000, exact: true }, "test"))()).rejects.toThrow(
      /1000/,
    );
    await expect((async () => there.decode(encoded.slice(0, 500), exact, "test"))()).rejects.toThrow(
      /test: /,
    );
  }
  vi.doUnmock("../../src/storage/builtin.ts");
  // Other files share the modules of this process: those of here know no Node.
  vi.resetModules();
});
