// Junk for the functions that store, open and load: typed errors that name the function, before anything is written.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { wrong } from "./check.ts";

const x = cw.ones([4, 4], { chunks: [2, 2] });
const store = (): cw.MemoryStore => new cw.MemoryStore();
const JUNK: readonly unknown[] = [null, undefined, 5, "", {}, Symbol("s"), [], "s3://bucket/x", () => 1];

/** The error of a promise; null when there is none. */
const errorOf = (run: () => Promise<unknown>): Promise<unknown> =>
  run().then(
    () => null,
    (error: unknown) => error,
  );

describe("stores that are none", () => {
  test.each(JUNK.map((junk) => [String(junk), junk]))("%s", async (_, junk) => {
    for (const run of [
      () => cw.fromZarr(wrong(junk)),
      () => cw.open(wrong(junk)),
      () => cw.fromNpy(wrong(junk)),
      () => x.toNpy(wrong(junk)),
      () => cw.openGroup(wrong(junk)),
      () => x.toZarr(wrong(junk)),
      () => cw.store([x], [wrong(junk)]),
    ])
      expect(await errorOf(run)).toBeInstanceOf(cw.ChunkwiseError);
  });
});

describe("arguments that are none", () => {
  test.each<[string, () => Promise<unknown>, RegExp]>([
    [
      "an option that is not there",
      () => x.toZarr(store(), wrong({ chunk: 2 })),
      /toZarr: there is no option "chunk"\. Did you mean chunks/,
    ],
    [
      "an option of another format",
      () => x.toNpy(store(), wrong({ codecs: [] })),
      /toNpy: there is no option/,
    ],
    ["a path that is none", () => cw.fromNpy(store(), { path: wrong(5) }), /path is 5/],
    ["a path of nothing", () => cw.open(store(), { path: wrong({}) }), /path is an object/],
    ["a format that is none", () => cw.open(store(), { format: wrong(5) }), /there is no format 5/],
    [
      "a target's format that is none",
      () => cw.store([x], [{ store: store(), format: "zar" }]),
      /Did you mean zarr/,
    ],
    ["no array for a file", () => cw.toNpy(wrong([1]), store()), /is not a lazy array/],
    ["options that are none", () => cw.fromZarr(store(), wrong(3)), /fromZarr: the options are 3/],
    ["nothing there", () => cw.fromZarr(store()), /no Zarr array or group/],
    ["a path that leads out", () => cw.fromZarr(store(), { path: "../x" }), /has the part \.\./],
    ["chunks that are none", () => x.toZarr(store(), { chunks: [0, 2] }), /toZarr|chunks/],
    ["a codec that is none", () => x.toZarr(store(), { codecs: ["zst"] }), /zst/],
    ["a dtype that is none", () => x.toZarr(store(), { dtype: wrong("int9") }), /"int9" is not a dtype/],
    ["no lazy array", () => cw.toZarr(wrong(new Float64Array(3)), store()), /is not a lazy array/],
    ["not as many targets", () => cw.store([x, x], [store()]), /not as many arrays as targets/],
    ["a region of nothing", () => x.toZarr(store(), { region: ["0:4", "0:4"] }), /no Zarr array/],
    ["no plan", () => cw.computePlan(wrong({})), /is not a plan/],
    ["no text", () => cw.loadPlan(wrong(5)), /is not a saved plan/],
    ["no spec", () => x.compute({ spec: wrong({ allowedMem: "1GB" }) }), /spec is .*It must be a Spec/],
    [
      "no executor",
      () => x.compute({ executor: wrong("process") }),
      /there is no executor "process".*threads, inline/,
    ],
  ])("%s", async (_, run, message) => {
    const error = await errorOf(run);
    expect(error).toBeInstanceOf(cw.ChunkwiseError);
    expect((error as Error).message).toMatch(message);
  });

  test("one array in two places is stored twice", async () => {
    const [a, b] = await cw.store([x, x], [store(), store()]);
    expect([(await a!.sum().compute()).item(), (await b!.sum().compute()).item()]).toEqual([16, 16]);
  });
});

describe("mapBlocks", () => {
  test.each<[string, () => unknown, RegExp]>([
    ["no function", () => cw.mapBlocks(wrong(5), x), /mapBlocks: 5 is not a function/],
    ["no array", () => cw.mapBlocks((block) => block, wrong({})), /mapBlocks/],
    ["an axis that is not there", () => cw.mapBlocks((block) => block, x, { dropAxis: 2 }), /axis 2/],
    ["a dtype that is none", () => cw.mapBlocks((block) => block, x, { dtype: wrong("float") }), /float/],
    [
      "chunks of another number",
      () => cw.mapBlocks((block) => block, x, { chunks: [2] }),
      /the result has 2 axes/,
    ],
    [
      "a shape that does not fit",
      () => cw.mapBlocks((block) => block, x, { shape: [100, 4] }),
      /50 blocks and the arrays have 2/,
    ],
    ["shapes that do not broadcast", () => cw.mapBlocks((a) => a, [x, cw.ones(3)]), /broadcast/],
    ["no module", () => cw.moduleFunction("./blocks.js", "f"), /do not name a function of a module/],
    [
      "code as a module",
      () => cw.moduleFunction("data:text/javascript,export const f=1", "f"),
      /do not name/,
    ],
  ])("%s", (_, run, message) => {
    expect(run).toThrow(message);
    expect(run).toThrow(cw.ChunkwiseError);
  });

  test.each<[string, cw.BlockFunction, RegExp]>([
    [
      "other shapes",
      () => new cw.NDArray(new Float64Array(3), [3]),
      /gave a block of shape \[3\] where \[2, 2\] belongs/,
    ],
    ["other dtypes", () => new Float32Array(4), /gave float32 where float64 was announced/],
    ["too few elements", () => new Float64Array(3), /gave 3 elements for a block of 4/],
    ["a promise", () => wrong(Promise.resolve(new Float64Array(4))), /gave a promise.*synchronous/],
    ["nothing", () => wrong(undefined), /gave undefined/],
  ])("a function that gives %s", async (_, fn, message) => {
    const error = await errorOf(() => cw.mapBlocks(fn, x).compute());
    expect(error).toBeInstanceOf(cw.RunError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).toMatch(/mapBlocks at .*storing\.test\.ts/);
  });
});
