// A target that goes away while it is written, or that may not be written, is an error that says so; nothing is put together
// again behind the back of whoever removed it.

import fs, { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import * as cw from "../../src/index.ts";
import { createArray, FileStore, NotFoundError, StoreRequestError } from "../../src/storage/index.ts";
import { sampleBlock } from "./support.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-gone-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
afterEach(() => void vi.restoreAllMocks());
let count = 0;
const newPlace = (): string => join(root, `array${count++}`);

const x = cw
  .arange(0, 64 * 8, 1, { dtype: "float64" })
  .rechunk([8])
  .sqrt();

const WAYS: { readonly [name: string]: cw.ToZarrOptions } = {
  "as they are": { codecs: [] },
  compressed: {},
  "in one folder": { keyEncoding: { name: "default", separator: "." } },
  "as v2": { zarrFormat: 2 },
};
const EXECUTORS: readonly cw.ToZarrOptions[] = [{ executor: "inline" }, { executor: "threads", threads: 2 }];

describe.each(Object.keys(WAYS))("chunks %s", (name) => {
  test.each(EXECUTORS)("the folder is removed after 20 of 64 (%o)", async (executor) => {
    const place = newPlace();
    let done = 0;
    const onEvent = ({ type }: cw.RunEvent): void => {
      if (type === "taskEnd" && ++done === 20) renameSync(place, `${place}-moved`);
    };
    const error: unknown = await x.toZarr(place, { ...WAYS[name], ...executor, onEvent }).catch((e) => e);
    expect(error).toBeInstanceOf(Error);
    // The second is what a thread says that had not opened it yet.
    expect((error as Error).message).toMatch(/not there any more|there is no Zarr array/);
    const { cause = error } = error as Error;
    expect(cause).toMatchObject({ name: "NotFoundError" });
    expect(existsSync(place)).toBe(false);
  });

  test("it is removed when the last chunk is there", async () => {
    const place = newPlace();
    const onEvent = ({ type }: cw.RunEvent): void => {
      if (type === "computeEnd") renameSync(place, `${place}-moved`);
    };
    const run = x.toZarr(place, { ...WAYS[name], executor: "inline", onEvent });
    await expect(run).rejects.toThrow(/the array is not there any more/);
    expect(existsSync(place)).toBe(false);
  });
});

test("chunks are removed while others are written: so many are missing, and the same call makes them", async () => {
  const place = newPlace();
  const onEvent = ({ type }: cw.RunEvent): void => {
    if (type === "computeEnd") for (const i of [3, 5, 8]) rmSync(join(place, `c/${i}`));
  };
  await expect(x.toZarr(place, { executor: "inline", onEvent })).rejects.toThrow(
    /3 of 64 chunks are not there any more/,
  );
  const stored = await x.toZarr(place, { executor: "inline" });
  expect((await stored.compute()).toList()).toEqual((await x.compute()).toList());
});

test("a chunk of an array that is gone is refused, of one that is there it makes its folders", async () => {
  const store = new FileStore(newPlace());
  const array = await createArray(store, "a", { shape: [4, 4], chunks: [2, 2], dtype: "int32" });
  const block = sampleBlock("int32", [2, 2]);
  await array.setChunk([0, 0], block);
  rmSync(join(store.root, "a", "c"), { recursive: true });
  await array.setChunk([0, 1], block);
  expect(existsSync(join(store.root, "a/c/0/1"))).toBe(true);
  rmSync(join(store.root, "a"), { recursive: true });
  for (const place of [
    [0, 1],
    [1, 0],
  ])
    await expect(array.setChunk(place, block)).rejects.toThrow(NotFoundError);
  expect(existsSync(join(store.root, "a"))).toBe(false);
});

describe("a place that may not be written", () => {
  const fails = (method: "mkdirSync" | "openSync", code: string): void => {
    const original = fs[method] as (...args: unknown[]) => unknown;
    vi.spyOn(fs, method as "mkdirSync").mockImplementation(((path: string, ...rest: unknown[]) => {
      const isNew = method === "mkdirSync" || String(path).includes(".partial");
      if (!isNew || !path.startsWith(root)) return original(path, ...rest);
      throw Object.assign(new Error(`${code}: not allowed, ${method} '${path}'`), { code });
    }) as typeof fs.mkdirSync);
  };

  test.each([
    ["mkdirSync", "EROFS", /EROFS.*read-only; use another place/],
    ["mkdirSync", "EACCES", /EACCES.*Give this process the permission/],
    ["openSync", "EACCES", /EACCES.*Give this process the permission/],
    ["openSync", "EPERM", /EPERM.*Give this process the permission/],
    ["openSync", "ENOSPC", /ENOSPC.*full; make room/],
  ] as const)("%s says %s", async (method, code, message) => {
    const place = newPlace();
    if (method === "openSync") fs.mkdirSync(place);
    fails(method, code);
    const error: unknown = await x.toZarr(place, { executor: "inline" }).catch((e) => e);
    expect(error).toBeInstanceOf(StoreRequestError);
    expect(error).toMatchObject({ retryable: false, message: expect.stringMatching(message) });
  });

  test("/proc, where no folder can be made, does not keep it busy", async () => {
    if (process.platform !== "linux") return;
    await expect(x.toZarr("/proc/chunkwise/a", { executor: "inline" })).rejects.toThrow(StoreRequestError);
  });
});
