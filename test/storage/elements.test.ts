// Filters of elements: what zarr-python wrote is read, and what we write is what it wrote, byte for byte (fixtures/generate_filters.py).
// In v3, under numcodecs' names before the bytes, and the specification's own.

import { readFileSync } from "node:fs";
import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { type CodecArgument, createArray, openArray } from "../../src/storage/index.ts";
import { blockOf, bytesOf, type Expected, FIXTURES, hex } from "./support.ts";

interface Filtered extends Expected {
  /** What was written, before it lost digits. */
  readonly given: string;
  readonly chunk: string;
}

const zip = new cw.ZipStore(readFileSync(`${FIXTURES}/filters.zip`));
const expected: { readonly [name: string]: Filtered } = JSON.parse(
  readFileSync(`${FIXTURES}/filters.json`, "utf8"),
);
const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, "base64"));

test.each(Object.keys(expected))("%s", async (name) => {
  const { data, given, chunk, shape } = expected[name]!;
  const array = await openArray(zip, name);
  expect(hex(bytesOf(await array.read()))).toBe(hex(bytes(data!)));
  // The same array, written by us: compressors differ, filters do not.
  const store = new cw.MemoryStore();
  const serial = array.metadata.codecs.findIndex((codec) => codec.name === "bytes");
  const rest = array.metadata.codecs.slice(serial + 1);
  const isCompressed = /zlib|gzip|zstd/.test(rest.at(-1)!.name);
  for (const zarrFormat of [2, 3] as const) {
    const made = await createArray(store, `v${zarrFormat}`, {
      shape,
      chunks: [3, 4],
      dtype: array.storedDType,
      zarrFormat,
      order: name === "astype" ? "F" : "C",
      endian: name.endsWith("_big") ? "big" : "little",
      codecs: rest as CodecArgument[],
      keyEncoding: { name: "v2", separator: "." },
    });
    const whole = blockOf(array.dtype, shape, bytes(given));
    await cw.asarray(new cw.NDArray(whole.data, shape, array.dtype)).toZarr(store, {
      path: `v${zarrFormat}`,
      region: [":", ":"],
      executor: "inline",
    });
    const again = await openArray(store, `v${zarrFormat}`);
    expect(hex(bytesOf(await again.read()))).toBe(hex(bytes(data!)));
    if (!isCompressed) expect(hex((await made.getRaw([1, 1]))!)).toBe(hex(bytes(chunk)));
  }
});

describe("the specification's own", () => {
  const values = [1.5, 20.25, -3, 100, Number.NaN];
  test("scale_offset and cast_value", async () => {
    const store = new cw.MemoryStore();
    const codecs: CodecArgument[] = [
      { name: "scale_offset", configuration: { offset: -10, scale: 4 } },
      {
        name: "cast_value",
        configuration: {
          data_type: "uint16",
          rounding: "nearest-even",
          scalar_map: { encode: [["NaN", 65535]], decode: [[65535, "NaN"]] },
        },
      },
    ];
    await cw.asarray(values).toZarr(store, { codecs, zarrFormat: 3 });
    const array = await openArray(store);
    expect(Array.from(new Uint16Array((await array.getRaw([0]))!.slice().buffer))).toEqual([
      46, 121, 28, 440, 65535,
    ]);
    expect((await (await cw.fromZarr(store)).compute()).toList()).toEqual(values);
  });

  test("what does not fit is an error, or is cut", async () => {
    const store = new cw.MemoryStore();
    const to = (more: object): CodecArgument[] => [
      { name: "cast_value", configuration: { data_type: "int8", ...more } },
    ];
    await expect(cw.asarray([1, 300.5]).toZarr(store, { codecs: to({}), path: "a" })).rejects.toThrow(
      "300 does not fit i1",
    );
    await cw.asarray([1, 300.5]).toZarr(store, { codecs: to({ out_of_range: "clamp" }), path: "b" });
    await cw.asarray([1, 300.5]).toZarr(store, { codecs: to({ out_of_range: "wrap" }), path: "c" });
    expect((await (await cw.fromZarr(store, { path: "b" })).compute()).toList()).toEqual([1, 127]);
    expect((await (await cw.fromZarr(store, { path: "c" })).compute()).toList()).toEqual([1, 44]);
  });
});

test("other compressors say their names, and what to do", async () => {
  for (const id of ["bz2", "lzma"])
    await expect(
      createArray(new cw.MemoryStore(), "", { shape: [1], dtype: "int8", codecs: [id] }),
    ).rejects.toThrow(`the codec "${id}" is not supported`);
});

test("data that were cut short are refused", async () => {
  const store = new cw.MemoryStore();
  const array = await createArray(store, "", {
    shape: [8],
    chunks: [8],
    dtype: "int32",
    codecs: [{ name: "delta", configuration: { dtype: "<i4" } }],
  });
  for (const length of [0, 3, 28, 36]) {
    await array.setRaw([0], new Uint8Array(length));
    await expect(array.getChunk([0])).rejects.toBeInstanceOf(cw.CorruptDataError);
  }
});
