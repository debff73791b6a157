// Plans that are saved, loaded by another process and computed there; and plans that cannot be.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../built.ts";
import { ALL_FAMILIES, programs } from "../property/arbitrary.ts";
import { expectSame } from "../property/compare.ts";
import { checkAsync } from "../property/settings.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-plans-"));
beforeAll(ensureBuilt, 120_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("saved and loaded", () => {
  test("any plan computes the same", () =>
    checkAsync(150, programs({ exact: false, families: ALL_FAMILIES }), async (program) => {
      const plan = cw.plan(program.build("cut"));
      const text = cw.savePlan(plan);
      const loaded = await cw.loadPlan(text);
      expect(JSON.parse(cw.savePlan(loaded))).toEqual(JSON.parse(text));
      const results = await cw.computePlan(loaded);
      const expected = await cw.computePlan(plan);
      for (const [i, result] of results.entries()) expectSame(result, expected[i]!);
    }));

  test("in another process, from a store, with a function of a module", async () => {
    const x = await cw.arange(0, 100, 1, { dtype: "float64", chunks: 9 }).toZarr(join(root, "x.zarr"));
    const double = cw.moduleFunction(new URL("./blocks.js", import.meta.url), "double");
    const y = cw.mapBlocks(double, x.add(new Float64Array(100).fill(0.5))).cumulativeSum();
    writeFileSync(join(root, "plan.json"), cw.savePlan(y.plan()));
    const script = `
      import { readFileSync } from "node:fs";
      const cw = await import(process.argv[1]);
      const [text, stores, modules] = [readFileSync(process.argv[2], "utf8"), [process.argv[3]], [process.argv[4]]];
      const [result] = await cw.computePlan(await cw.loadPlan(text, { stores, modules }));
      console.log(JSON.stringify(result.toList()));`;
    const library = new URL("../../dist/index.js", import.meta.url).href;
    const here = new URL("./", import.meta.url).href;
    const args = ["--input-type=module", "-e", script, library, join(root, "plan.json"), root, here];
    const output = execFileSync(process.execPath, args, { encoding: "utf8" });
    expect(JSON.parse(output)).toEqual((await y.compute()).toList());
  });
});

describe("what cannot be saved", () => {
  test("closures, large data, stores of this process", async () => {
    const x = cw.ones(4);
    expect(() => cw.savePlan(cw.mapBlocks((block) => block, x).plan())).toThrow(/a closure cannot be saved/);
    expect(() => cw.savePlan(cw.asarray(new Float64Array(3e6)).sin().plan())).toThrow(
      /has 24 MB in memory, and 16 MB can be saved in a plan\. Write it to a store/,
    );
    const stored = await x.toZarr(new cw.MemoryStore());
    expect(() => cw.savePlan(stored.add(1).plan())).toThrow(/other processes cannot open/);
    expect(() => cw.savePlan(x as unknown as cw.Plan)).toThrow(cw.ValueError);
  });
});

describe("what cannot be loaded", () => {
  const x = cw.asarray(new Float64Array([1, 2, 3, 4]), { chunks: 2 });
  const good = (): { plan: never; sources: never } => JSON.parse(cw.savePlan(x.add(1).sum().plan())) as never;

  /** Every value of the JSON, one after another, replaced by each of these. */
  const junk: readonly unknown[] = [
    null,
    -1,
    1e308,
    "x",
    [],
    {},
    true,
    { $number: "code()" },
    { __proto__: { a: 1 } },
  ];

  function* spoiled(value: unknown): Iterable<unknown> {
    if (typeof value !== "object" || value === null) return;
    for (const name of Object.keys(value)) {
      const inner = (value as { [name: string]: unknown })[name];
      for (const wrong of junk)
        yield Array.isArray(value) ? value.with(Number(name), wrong) : { ...value, [name]: wrong };
      for (const deeper of spoiled(inner))
        yield Array.isArray(value) ? value.with(Number(name), deeper) : { ...value, [name]: deeper };
    }
  }

  test("a spoiled plan gives a typed error, or a plan that runs", async () => {
    let [refused, taken] = [0, 0];
    for (const wrong of spoiled(good())) {
      const loaded = await cw.loadPlan(JSON.stringify(wrong)).catch((error: unknown) => {
        expect(error).toBeInstanceOf(cw.ChunkwiseError);
        return null;
      });
      if (loaded === null) refused++;
      else taken++;
      await (loaded === null
        ? null
        : cw.computePlan(loaded).catch((error: unknown) => expect(error).toBeInstanceOf(cw.ChunkwiseError)));
    }
    console.log(`${refused} of ${refused + taken} spoiled plans are refused`);
    expect(refused).toBeGreaterThan(500);
  });

  test.each<[string, string, RegExp]>([
    ["no JSON", "{", /is not a saved plan/],
    ["something else", "[1]", /is not "chunkwise plan"/],
    ["another version", '{"format":"chunkwise plan","version":1}', /of version 1 is not/],
    [
      "no arrays",
      '{"format":"chunkwise plan","version":2,"plan":{}}',
      /plan\.arrays: undefined is not a list/,
    ],
  ])("%s", async (_, text, message) => {
    await expect(cw.loadPlan(text)).rejects.toThrow(message);
    await expect(cw.loadPlan(text)).rejects.toBeInstanceOf(cw.PlanError);
  });

  test("code is never evaluated: a function can only be an export of a module", async () => {
    const saved = JSON.parse(
      cw.savePlan(cw.mapBlocks(cw.moduleFunction("file:///nowhere/blocks.js", "f"), x).plan()),
    ) as { plan: { operations: { steps: { attrs?: { function?: unknown } }[] }[] } };
    const step = saved.plan.operations[0]!.steps.find(({ attrs }) => attrs?.function !== undefined)!;
    step.attrs!.function = { $reference: { module: "data:text/javascript,export const f=1", name: "f" } };
    await expect(cw.loadPlan(JSON.stringify(saved))).rejects.toThrow(/does not name a function of a module/);
  });
});
