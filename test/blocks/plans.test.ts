// Functions of blocks in plans: on threads, saved and loaded, and plans that somebody spoiled.

import * as cw from "chunkwise";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../built.ts";

const functionNamed = (name: string): cw.ModuleFunction =>
  cw.moduleFunction(new URL("./block-functions.js", import.meta.url), name);

const line = (): cw.LazyArray => cw.arange(0, 12, 1, { dtype: "float64", chunks: 5 });

/** One of each, with what comes out. */
function outputs(): readonly (readonly [cw.LazyArray, unknown])[] {
  const x = line();
  const windows = cw.mapOverlap(functionNamed("neighbours"), x, { depth: 1, boundary: "wrap", trim: false });
  const [least, most] = cw.applyGufunc(functionNamed("range"), "(i)->(),()", x.reshape([3, 4]), {
    vectorize: true,
  });
  const [minus, twice] = cw.mapBlocks(functionNamed("both"), x, { outputs: ["float64", "float64"] });
  const groups = cw.groupbyReduce(x, x.astype("int32").remainder(3), { reduce: "sum", numLabels: 3 });
  return [
    [windows, [12, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 21]],
    [least!, [0, 4, 8]],
    [most!, [3, 7, 11]],
    [minus!, x.negative().computeSync().toList()],
    [twice!, x.multiply(2).computeSync().toList()],
    [groups, [18, 22, 26]],
  ];
}

/** What plans may run. */
const HERE = new URL("./", import.meta.url);

const arrays = (): cw.LazyArray[] => outputs().map(([array]) => array);
const expected = (): unknown[] => outputs().map(([, values]) => values);
const listsOf = (results: readonly cw.NDArray[]): unknown[] => results.map((result) => result.toList());

describe("anywhere", () => {
  // Threads load the built package.
  beforeAll(ensureBuilt, 120_000);

  test.each(["inline", "threads"] as const)("%s", async (executor) => {
    expect(listsOf(await cw.compute(arrays(), { executor }))).toEqual(expected());
  });

  test("saved and loaded", async () => {
    const text = cw.savePlan(cw.plan(arrays()));
    const loaded = await cw.loadPlan(text, { modules: [HERE] });
    expect(JSON.parse(cw.savePlan(loaded))).toEqual(JSON.parse(text));
    expect(listsOf(await cw.computePlan(loaded))).toEqual(expected());
  });
});

describe("spoiled", () => {
  const junk = [null, -1, 0, 1.5, 3, 1e9, "abc", [], [-1], [0], [0.5], true];

  function* spoiled(value: unknown): Iterable<unknown> {
    if (typeof value !== "object" || value === null) return;
    for (const name of Object.keys(value)) {
      const replaced = (wrong: unknown): unknown =>
        Array.isArray(value) ? value.with(Number(name), wrong) : { ...value, [name]: wrong };
      for (const wrong of junk) yield replaced(wrong);
      for (const deeper of spoiled((value as { [name: string]: unknown })[name])) yield replaced(deeper);
    }
  }

  type Saved = { plan: { operations: { steps: { op?: string; attrs?: object }[] }[] } };

  /** The plan with other attributes in one of its steps. */
  function* plansWithOtherAttrs(text: string): Iterable<string> {
    const saved = JSON.parse(text) as Saved;
    const ops = ["overlap", "mapBlocks", "mapBlocksAll", "blockOutput", "groupby"];
    for (const { steps } of saved.plan.operations)
      for (const step of steps) {
        const { attrs } = step;
        if (attrs === undefined || !ops.includes(step.op!)) continue;
        for (const wrong of spoiled(attrs)) {
          step.attrs = wrong as object;
          yield JSON.stringify(saved);
        }
        step.attrs = attrs;
      }
  }

  test("attributes give a typed error, or a plan that runs or fails with one", async () => {
    let [refused, taken] = [0, 0];
    for (const text of plansWithOtherAttrs(cw.savePlan(cw.plan(arrays())))) {
      const loaded = await cw.loadPlan(text, { modules: [HERE] }).catch((error: unknown) => {
        expect(error).toBeInstanceOf(cw.ChunkwiseError);
        return null;
      });
      if (loaded === null) refused++;
      else taken++;
      if (loaded !== null && loaded.maxProjectedMem < 1e8)
        await cw
          .computePlan(loaded)
          .catch((error: unknown) => expect(error).toBeInstanceOf(cw.ChunkwiseError));
    }
    console.log(`${refused} of ${refused + taken} spoiled plans are refused`);
    expect(refused).toBeGreaterThan(500);
  });
});
