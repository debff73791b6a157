// Arrays that we write are read by zarr-python 2 (v2), tensorstore (v3) and zarrita (both); arrays that
// zarrita writes are read by us. Python's part runs where Python has the packages, and says why when not.
// CHUNKWISE_PYTHON names further Python interpreters, separated by ":".

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as zarrita from "zarrita";
import type { Block } from "../../src/core/block.ts";
import { DTYPES, type DType } from "../../src/core/dtype.ts";
import {
  type CreateArrayOptions,
  createArray,
  FileStore,
  MemoryStore,
  openArray,
  type StoredName,
} from "../../src/storage/index.ts";
import { blockOf, bytesOf, type Expected, FIXTURES, hex, sampleBlock, seen, writeAll } from "./support.ts";

interface Case {
  readonly name: string;
  readonly options: Omit<CreateArrayOptions, "shape">;
  readonly shape?: number[];
}

const CODECS: { readonly [name: string]: CreateArrayOptions["codecs"] } = {
  none: [],
  gzip: ["gzip"],
  zlib: ["zlib"],
  zstd: ["zstd"],
  lz4: ["lz4"],
  blosc_lz4: ["blosc"],
  blosc_zstd: [{ name: "blosc", configuration: { cname: "zstd", shuffle: "bitshuffle" } }],
  blosc_zlib: [{ name: "blosc", configuration: { cname: "zlib", shuffle: "noshuffle", clevel: 9 } }],
  crc32c: ["crc32c"],
  zstd_crc32c: undefined,
};

function casesOf(zarrFormat: 2 | 3): Case[] {
  const base = { chunks: [3, 4], zarrFormat } as const;
  const cases: Case[] = [];
  for (const dtype of DTYPES) {
    for (const [codec, codecs] of Object.entries(CODECS)) {
      if (zarrFormat === 2 && codec.includes("crc32c")) continue;
      for (const order of ["C", "F"] as const) {
        const options = { ...base, dtype, order, ...(codecs && { codecs }) };
        cases.push({ name: `v${zarrFormat}/${dtype}_${codec}_${order}`, options });
        if (zarrFormat === 2) continue;
        // Every codec in shards, with the index at one end and the other.
        const indexLocation = (order === "C") === (codec.length % 2 === 0) ? "start" : "end";
        cases.push({
          name: `v3/${dtype}_shard_${indexLocation}_${codec}_${order}`,
          options: { ...options, shards: [6, 8], indexLocation },
        });
      }
    }
    cases.push({
      name: `v${zarrFormat}/${dtype}_big`,
      options: { ...base, dtype, endian: "big", codecs: [] },
    });
  }
  cases.push({
    name: `v${zarrFormat}/scalar`,
    options: { ...base, chunks: [], dtype: "float64", codecs: [] },
    shape: [],
  });
  cases.push({
    name: `v${zarrFormat}/slash`,
    options: { ...base, dtype: "int32", codecs: ["zstd"], keyEncoding: { name: "v2", separator: "/" } },
  });
  return cases;
}

const CASES = [...casesOf(2), ...casesOf(3)];
/** Small, because there are many; chunks reach over both edges. */
const SHAPE = [4, 5];
const folder = mkdtempSync(join(tmpdir(), "chunkwise-interop-"));
const written = new Map<string, { block: Block; stored: StoredName }>();

beforeAll(async () => {
  const store = new FileStore(folder);
  for (const [i, { name, options, shape = SHAPE }] of CASES.entries()) {
    const array = await createArray(store, name, { shape, ...options });
    const block = sampleBlock(array.dtype, shape, i + 1);
    await writeAll(array, block);
    written.set(name, { block, stored: array.storedDType });
  }
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

function pythonWith(module: string): string | null {
  const candidates = [...(process.env["CHUNKWISE_PYTHON"]?.split(":") ?? []), "/usr/bin/python3", "python3"];
  const works = (python: string): boolean => {
    try {
      execFileSync(python, ["-c", `import ${module}, numpy`], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  return candidates.find(works) ?? null;
}

describe.each([
  ["zarr", "v2", "python3-zarr"],
  ["tensorstore", "v3", "tensorstore"],
] as const)("Python's %s reads our %s", (module, version, install) => {
  const python = pythonWith(module);
  test.skipIf(python === null)(
    `every dtype, codec and order${python ? "" : ` (skipped: install ${install})`}`,
    () => {
      const names = CASES.map((item) => item.name).filter(
        // numcodecs' own codecs are not in the v3 specification.
        (name) =>
          name.startsWith(version) &&
          !(version === "v3" && /_(zlib|lz4)_[CF]$/.test(name) && !name.includes("blosc")),
      );
      const script = join(FIXTURES, "read_back.py");
      const output = execFileSync(python!, [script, folder, JSON.stringify(names)], {
        encoding: "utf8",
        env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
      });
      const found = JSON.parse(output) as { [name: string]: Expected };
      for (const name of names) {
        const { block, stored } = written.get(name)!;
        expect(found[name], name).toEqual(seen(block, stored, found[name]!));
      }
    },
  );
});

/** zarrita 0.7.5: no complex numbers and no float16 on Node 20; a shard's index is looked for at the end only. */
const zarritaCannot = (name: string): boolean => /complex|float16|shard_start/.test(name);

describe("zarrita reads ours", () => {
  test.each(CASES.map((item) => item.name).filter((name) => !zarritaCannot(name)))("%s", async (name) => {
    // Our own store serves: the interfaces are the same.
    const location = zarrita.root(new FileStore(folder) as unknown as zarrita.Readable).resolve(name);
    const open = name.startsWith("v2") ? zarrita.open.v2 : zarrita.open.v3;
    const array = (await open(location, { kind: "array" })) as zarrita.Array<
      zarrita.DataType,
      zarrita.Readable
    >;
    const { data, shape, stride } = (await zarrita.get(array)) as unknown as {
      data: ArrayLike<unknown> & { buffer: ArrayBuffer; byteOffset: number; byteLength: number };
      shape: number[];
      stride: number[];
    };
    const { block } = written.get(name)!;
    if (shape === undefined) {
      // A 0-d array is read as its value.
      expect(block.shape).toEqual([]);
      expect(await zarrita.get(array)).toBe(block.data[0]);
      return;
    }
    expect(shape).toEqual([...block.shape]);
    const bytes = isBoolArray(data)
      ? Uint8Array.from({ length: data.length }, (_, i) => (data.get(i) ? 1 : 0))
      : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    // zarrita keeps the order of the chunks in its result.
    const theirs = { ...blockOf(block.dtype, shape, bytes), strides: stride };
    expect(hex(bytesOf(theirs))).toBe(hex(bytesOf(block)));
  });
});

const isBoolArray = (data: object): data is { get(i: number): boolean; length: number } =>
  data instanceof zarrita.BoolArray;

describe("we read zarrita's", () => {
  // It cannot write 64-bit integers (their fill value is a BigInt, which JSON.stringify refuses) nor bool arrays
  // from bytes.
  // zarrita has no float16 on Node 20.
  const dtypes = DTYPES.filter((dtype) => !/complex|64|bool|float16/.test(dtype) || dtype === "float64");
  const blosc = (cname: string): object => ({
    name: "blosc",
    configuration: { cname, clevel: 5, shuffle: "shuffle", blocksize: 0, typesize: 4 },
  });
  const little = { name: "bytes", configuration: { endian: "little" } };
  const plain = [
    [little],
    [{ name: "bytes", configuration: { endian: "big" } }],
    [little, { name: "zstd", configuration: { level: 3 } }],
    [little, { name: "lz4", configuration: {} }],
    [little, blosc("lz4")],
    [little, blosc("zstd")],
    [little, blosc("blosclz")],
  ];
  const codecs: object[][] = plain.flatMap((list) => [
    list,
    [{ name: "transpose", configuration: { order: [1, 0] } }, ...list],
  ]);
  test.each(dtypes.flatMap((dtype) => codecs.map((list, i) => [dtype, i, list] as const)))(
    "%s, codecs %i",
    async (dtype: DType, _i, list) => {
      const store = new MemoryStore();
      const array = await zarrita.create(zarrita.root(store as unknown as zarrita.AsyncMutable), {
        shape: [7, 10],
        chunkShape: [3, 4],
        dtype: dtype as "int32",
        codecs: list as unknown as [],
      });
      const block = sampleBlock(dtype, [7, 10]);
      await zarrita.set(array, null, {
        data: block.data as Int32Array<ArrayBuffer>,
        shape: [7, 10],
        stride: [10, 1],
      });
      const ours = await openArray(store);
      expect(hex(bytesOf(await ours.read()))).toBe(hex(bytesOf(block)));
    },
  );

  // Its default: no codec that makes bytes is named, and bytes in little-endian order are meant.
  const unnamed: object[][] = [
    [],
    [{ name: "transpose", configuration: { order: [1, 0] } }],
    [{ name: "zstd", configuration: { level: 3 } }],
    [
      { name: "transpose", configuration: { order: [1, 0] } },
      { name: "lz4", configuration: {} },
    ],
  ];
  test.each(dtypes.flatMap((dtype) => unnamed.map((list, i) => [dtype, i, list] as const)))(
    "%s, codecs %i without one that makes bytes",
    async (dtype: DType, _i, list) => {
      const store = new MemoryStore();
      const array = await zarrita.create(zarrita.root(store as unknown as zarrita.AsyncMutable), {
        shape: [7, 10],
        chunkShape: [3, 4],
        dtype: dtype as "int32",
        codecs: list as unknown as [],
      });
      expect(JSON.parse(new TextDecoder().decode(await store.get("/zarr.json"))).codecs).toEqual(list);
      const block = sampleBlock(dtype, [7, 10]);
      const data = block.data as Int32Array<ArrayBuffer>;
      await zarrita.set(array, null, { data, shape: [7, 10], stride: [10, 1] });
      const ours = await openArray(store);
      expect(hex(bytesOf(await ours.read()))).toBe(hex(bytesOf(block)));
      // What we write into it, zarrita reads.
      const other = sampleBlock(dtype, [7, 10], 5);
      await writeAll(ours, other);
      const again = (await zarrita.get(array)) as { data: { buffer: ArrayBuffer }; stride: number[] };
      const theirs = blockOf(dtype, [7, 10], new Uint8Array(again.data.buffer));
      expect(hex(bytesOf({ ...theirs, strides: again.stride }))).toBe(hex(bytesOf(other)));
    },
  );
});
