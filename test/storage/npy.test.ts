// npy: files that NumPy wrote (fixtures/generate_npy.py) are read to the bit, whatever their dtype, byte order and order of axes,
// and in every box; hostile ones are refused early; what is written NumPy's own reader, where it is there, reads.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type Block, newBlock } from "../../src/core/block.ts";
import { npyFormat } from "../../src/storage/npy/npyFormat.ts";
import { bytesOf, FIXTURES, hex } from "./support.ts";

interface Entry {
  readonly file: string;
  readonly dtype?: string;
  readonly shape?: number[];
  readonly data?: string;
}

const entries = JSON.parse(readFileSync(`${FIXTURES}/npy.json`, "utf8")) as { [name: string]: Entry };
const folder = mkdtempSync(join(tmpdir(), "chunkwise-npy-"));
afterAll(() => rmSync(folder, { recursive: true }));
const place = (name: string): string => join(folder, name);
for (const [name, { file }] of Object.entries(entries))
  writeFileSync(place(`${name}.npy`), Buffer.from(file, "base64"));

const arrays = Object.entries(entries).filter(([, { data }]) => data !== undefined);
const others = Object.keys(entries).filter((name) => entries[name]!.data === undefined);

/** The elements as NumPy has them. */
const seen = (block: Block): string => hex(bytesOf(block));
const wanted = ({ data }: Entry): string => Buffer.from(data!, "base64").toString("hex");

const blockOf = ({ data, dtype, shape, strides }: cw.NDArray): Block => ({
  ...{ data, dtype, shape, strides },
  offset: 0,
});

const memory = new cw.MemoryStore();
await Promise.all(
  arrays.map(([name, { file }]) => memory.set(`/in/${name}.npy`, Buffer.from(file, "base64"))),
);
/** A store that has nothing but `get`. */
const bare: cw.Store = { get: (key) => memory.get(key) };

describe.each(arrays)("%s", (name, entry) => {
  test.each([
    ["a file", () => cw.fromNpy(place(`${name}.npy`))],
    ["a store with ranges", () => cw.fromNpy(memory, { path: `in/${name}.npy` })],
    ["a store without", () => cw.fromNpy(bare, { path: `in/${name}.npy` })],
  ])("from %s", async (_, open) => {
    const x = await open();
    expect([x.dtype, x.shape]).toEqual([entry.dtype!, entry.shape]);
    expect(seen(blockOf(await x.compute({ executor: "inline" })))).toBe(wanted(entry));
  });
});

test("any box of any order is what NumPy has there", async () => {
  const all = new Map<string, { array: Awaited<ReturnType<typeof npyFormat.open>>; whole: cw.NDArray }>();
  for (const name of ["int32-c-little", "int32-f-little", "float64-f-big", "uint8-c-big", "many-axes"]) {
    const store = { store: new cw.FileStore(folder), path: `/${name}.npy` };
    const array = await npyFormat.open(store, {}, { codecs: cw.engine.codecs });
    all.set(name, { array, whole: await (await cw.fromNpy(place(`${name}.npy`))).compute() });
  }
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...all.keys()), fc.infiniteStream(fc.nat()), async (name, numbers) => {
      const { array, whole } = all.get(name)!;
      const next = (below: number): number => (numbers.next().value as number) % below;
      const start = array.shape.map((length) => next(length));
      const shape = array.shape.map((length, axis) => 1 + next(length - start[axis]!));
      const block = newBlock(array.dtype, shape);
      await array.readInto!({ start, shape }, block, {});
      const part = cw.asarray(whole).get(...start.map((x, axis) => cw.slice(x, x + shape[axis]!)));
      expect(seen(block)).toBe(seen(blockOf(part.computeSync())));
    }),
    { numRuns: 200 },
  );
});

test("over HTTP only what is needed is asked for", async () => {
  const bytes = readFileSync(place("float64-f-big.npy"));
  const asked: string[] = [];
  const server = createServer(({ headers, url }, response) => {
    asked.push(`${url} ${headers.range}`);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
    const part = bytes.subarray(Number(from), Number(to) + 1);
    response.writeHead(206, {
      "Content-Range": `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`,
    });
    response.end(part);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const x = (await cw.open(`http://127.0.0.1:${port}/data/x.npy?key=1`)) as cw.LazyArray;
  const wantedPart = (
    await (await cw.fromNpy(place("float64-f-big.npy"))).get(":", ":", 4).compute()
  ).toList();
  expect((await x.get(":", ":", 4).compute({ executor: "inline" })).toList()).toEqual(wantedPart);
  server.close();
  expect(asked).toEqual([
    ...["bytes=0-11", "bytes=0-127", "bytes=607-607", "bytes=512-607"].map(
      (part) => `/data/x.npy?key=1 ${part}`,
    ),
  ]);
});

describe("what is no array of numbers is refused when it is opened", () => {
  test.each(others)("%s", async (name) => {
    await expect(cw.fromNpy(place(`${name}.npy`))).rejects.toThrow(cw.NotSupportedError);
  });
  test("objects are never looked into", async () => {
    await expect(cw.fromNpy(place("object.npy"))).rejects.toThrow(
      "the file holds objects of Python, which only Python can make anything of",
    );
  });
});

/** A file of a header of one's own. */
function npyOf(
  header: string,
  { version = 1, data = new Uint8Array(), length = header.length } = {},
): Uint8Array {
  const size =
    version === 1 ? [length & 255, (length >> 8) & 255] : [0, 8, 16, 24].map((by) => (length >>> by) & 255);
  return Uint8Array.from([
    0x93,
    ...Buffer.from("NUMPY"),
    version,
    0,
    ...size,
    ...Buffer.from(header),
    ...data,
  ]);
}

const header = (shape: string, descr = "'<f8'", order = "False"): string =>
  `{'descr': ${descr}, 'fortran_order': ${order}, 'shape': ${shape}, }\n`;

describe("hostile files are typed errors, early", () => {
  const hostile: [string, Uint8Array][] = [
    ["nothing", new Uint8Array()],
    ["another file", Buffer.from("PAR1 and so on and so on")],
    ["the magic alone", Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59)],
    ["version 4", npyOf(header("(2,)"), { version: 4 })],
    ["version 0", npyOf(header("(2,)"), { version: 0 })],
    ["a header that is longer than the file", npyOf(header("(2,)"), { length: 60_000 })],
    ["a header of 4 GB", npyOf(header("(2,)"), { version: 2, length: 0xfffffff0 })],
    ["no elements where there should be some", npyOf(header("(2,)"))],
    ["one byte too few", npyOf(header("(2,)"), { data: new Uint8Array(15) })],
    ["more elements than numbers reach", npyOf(header("(9007199254740991, 9007199254740991)"))],
    ["more bytes than numbers reach", npyOf(header("(4503599627370496,)"))],
    ["a length that is no safe number", npyOf(header("(99999999999999999999,)"))],
    ["a negative length", npyOf(header("(-1, -2)"))],
    ["petabytes that are not there", npyOf(header("(1000000, 1000000, 100)"))],
    ["a shape that is a number", npyOf(header("(3)"))],
    ["a shape of texts", npyOf(header("('3',)"))],
    ["65 axes", npyOf(header(`(${"1, ".repeat(65)})`))],
    ["no shape", npyOf("{'descr': '<f8', 'fortran_order': False}")],
    ["no order", npyOf("{'descr': '<f8', 'shape': (1,)}")],
    ["an order that is a number", npyOf(header("(1,)", "'<f8'", "0"))],
    ["no dtype", npyOf("{'fortran_order': False, 'shape': (1,)}")],
    ["a dtype without byte order", npyOf(header("(1,)", "'|f8'"))],
    ["code", npyOf(header("(1,)", "__import__('os').system('true')"))],
    ["a call", npyOf("dict(descr='<f8')")],
    ["a key twice", npyOf("{'descr': '<f8', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}")],
    ["brackets without an end", npyOf("(".repeat(60_000))],
    ["two values", npyOf(`${header("(1,)")}{}`)],
    ["an escape", npyOf(header("(1,)", "'\\x3cf8'"))],
  ];
  test.each(hostile)("%s", async (_, bytes) => {
    const store = new cw.MemoryStore();
    await store.set("/x.npy", bytes);
    writeFileSync(place("hostile.npy"), bytes);
    for (const open of [() => cw.fromNpy(store, { path: "x.npy" }), () => cw.fromNpy(place("hostile.npy"))])
      await expect(open()).rejects.toThrow(cw.StorageError);
  });

  test("any bytes after the magic", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), fc.constantFrom(1, 2, 3), async (bytes, version) => {
        const store: cw.Store = { get: () => npyOf("", { version, data: bytes, length: bytes.length }) };
        const outcome = await cw.fromNpy(store, { path: "x" }).catch((error: unknown) => error);
        expect(outcome).toSatisfy((x) => x instanceof cw.LazyArray || x instanceof cw.ChunkwiseError);
      }),
    );
  });

  test("a file that is cut short after it was opened", async () => {
    writeFileSync(place("cut.npy"), npyOf(header("(4,)"), { data: new Uint8Array(32) }));
    const x = await cw.fromNpy(place("cut.npy"));
    writeFileSync(place("cut.npy"), npyOf(header("(4,)"), { data: new Uint8Array(20) }));
    const failed = x.add(1).compute({ executor: "inline" });
    await expect(failed).rejects.toThrow("The file was cut short; write it again");
  });

  test("what is not there, and which object is not said", async () => {
    await expect(cw.fromNpy(place("nowhere.npy"))).rejects.toThrow(cw.NotFoundError);
    await expect(cw.fromNpy(memory)).rejects.toThrow('Say it: {path: "x.npy"}');
  });
});

const hasNumpy = (() => {
  try {
    execFileSync("python3", ["-c", "import numpy"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

const SUM =
  "import numpy, sys; x = numpy.load(sys.argv[1]); print(x.dtype.str, x.shape, x.flags.c_contiguous, x.sum())";

describe.each(["inline", "threads"] as const)("written, %s", (executor) => {
  const x = cw.arange(0, 60_000, 1, { dtype: "int32" }).reshape([300, 200]).rechunk([70, 90]);

  test("to a file: whole, and nothing beside it", async () => {
    const path = place(`out-${executor}.npy`);
    const stored = await x.add(1).toNpy(path, { executor });
    expect((await stored.subtract(x).sum().compute({ executor })).item()).toBe(60_000);
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
    const text = readFileSync(path).subarray(10, 128).toString();
    expect(text).toMatch(/^\{'descr': '<i4', 'fortran_order': False, 'shape': \(300, 200\), \} +\n$/);
    if (!hasNumpy) return;
    const told = execFileSync("python3", ["-c", SUM, path]).toString().trim();
    expect(told).toBe(`<i4 (300, 200) True ${(60_000 * 60_001) / 2}`);
  });

  test("to a store that takes whole objects alone", async () => {
    const store = new cw.MemoryStore();
    await cw.store([x], [{ store, path: "a/x.npy" }], { executor });
    const again = await cw.open(store, { path: "a/x.npy" });
    expect((await (again as cw.LazyArray).equal(x).all().compute({ executor })).item()).toBe(true);
  });

  test("results that others are computed from", async () => {
    const y = x.multiply(2);
    const [, sum] = await cw.store(
      [y, y.sum({ axis: 0 })],
      [place(`both-${executor}.npy`), place(`sum-${executor}.npy`)],
      { executor },
    );
    expect((await sum!.sum().compute()).item()).toBe(60_000 * 59_999);
  });
});

describe("writing", () => {
  test("every dtype, 0-d and empty arrays come back", async () => {
    for (const dtype of ["bool", "int8", "uint64", "float32", "complex128"] as const)
      for (const shape of [[], [0], [2, 0, 3], [5], [3, 4]]) {
        const x = cw.ones(shape, { dtype });
        const stored = await x.toNpy(place("back.npy"), { overwrite: true, executor: "inline" });
        expect([stored.dtype, stored.shape]).toEqual([dtype, shape]);
        expect((await stored.compute()).toList()).toEqual(x.computeSync().toList());
      }
  });

  test("what is there stays, unless it may go", async () => {
    const path = place("taken.npy");
    await cw.ones([3]).toNpy(path);
    await expect(cw.zeros([3]).toNpy(path)).rejects.toThrow("Use another path, or overwrite: true");
    const x = await cw.fromNpy(path);
    await expect(x.add(1).toNpy(path, { overwrite: true })).rejects.toThrow("computed from the array");
    expect((await x.sum().compute()).item()).toBe(3);
  });

  test("a run that fails leaves nothing", async () => {
    const bad = cw.mapBlocks(
      () => {
        throw new Error("no");
      },
      cw.ones([4]),
      { dtype: "float64" },
    );
    await expect(bad.toNpy(place("failed/x.npy"), { executor: "inline" })).rejects.toThrow("no");
    expect(readdirSync(place("failed"))).toEqual([]);
  });

  test("options of other formats are refused", async () => {
    const target = { store: place("odd.npy"), codecs: ["gzip" as const] };
    await expect(cw.store([cw.ones([2])], [target])).rejects.toThrow('npy has no option "codecs"');
  });

  test("rows in chunks of bounded size, whatever the lazy array's", async () => {
    const x = cw.zeros([4, 3_000_000], { dtype: "float64", chunks: [4, 100_000] }).add(1);
    const stored = await x.toNpy(place("wide.npy"));
    expect(stored.chunks).toEqual([2, 3_000_000]);
    expect((await stored.sum().compute()).item()).toBe(12_000_000);
  });
});
