// Golden text: expressions, plans and kernels of the examples in the documents the system realises. A diff
// here is a change of design and is reviewed as one.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { blockProgramText } from "../../src/kernel/blockProgram.ts";
import { compileTask } from "../../src/plan/compile/compileTask.ts";
import { planOf } from "../../src/plan/index.ts";

/** Expression, plan before and after optimisation, and the kernel of each optimised operation's first task. */
function story(...arrays: readonly cw.LazyArray[]): string {
  const optimized = cw.plan(arrays);
  const known = new Map(optimized.data.arrays.map((array) => [array.name, array]));
  const kernels = optimized.data.operations.map((operation) => {
    const task = compileTask(
      operation,
      known,
      operation.grid.map(() => 0),
    );
    return `${operation.name}\n${blockProgramText(task.program)}`;
  });
  return [
    ...["# expression", ...arrays.map(String)],
    ...["", "# plan before optimisation", String(cw.plan(arrays, { optimize: false }))],
    ...["", "# plan after optimisation", String(optimized)],
    ...["", "# kernels", ...kernels, ""],
  ].join("\n");
}

const golden = (name: string, ...arrays: readonly cw.LazyArray[]): Promise<void> =>
  expect(story(...arrays)).toMatchFileSnapshot(`__snapshots__/${name}.txt`);

test("seed 000: map fusion", async () => {
  const a = cw.asarray(
    [
      [1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
    ],
    { chunks: [2, 2] },
  );
  const b = cw.negative(a);
  const c = cw.astype(b, "float32");
  await golden("seed000-map-fusion", c);
  // "The array b is no longer written as an intermediate output."
  expect(c.plan({ optimize: false }).numTasks).toBe(8);
  expect(c.plan().numTasks).toBe(4);
  expect(c.plan().data.arrays.filter(({ role }) => role === "intermediate")).toEqual([]);
});

test("seed 000: several inputs", async () => {
  const [a, b, c] = [1, 1, 1].map(() => cw.ones([3, 3], { chunks: [2, 2] }));
  const d = cw.add(b!, c!);
  const e = cw.add(a!, d);
  await golden("seed000-several-inputs", e);
  expect(e.plan({ optimize: false }).numOperations).toBe(2);
  expect(e.plan().numOperations).toBe(1);
});

test("seed 004: foo", async () => {
  const deferred = new cw.LazyArray(Float64Array.of(0, 90, 180, 270));
  const scaled = deferred.multiply(cw.pi).divide(180);
  await golden("seed004-foo", scaled.square().sum());
});

test("seed 004: bar", async () => {
  const plus1 = new cw.LazyArray(Float64Array.of(1, 2, 3)).add(1);
  const plus2 = plus1.output().add(1);
  await golden("seed004-bar", ...plus2.outputs.values(), plus2);
});

test("quadratic means: one pass over the data", async () => {
  const [u, v] = [1, 2].map(() => cw.asarray(new Float64Array(40), { chunks: 10 }));
  await golden("quadratic-means", u!.mean(), v!.mean(), u!.multiply(v!).mean());
});

test("a fused expression of two arrays, and a product with an epilogue", async () => {
  const [x, y] = [1, 2].map(() => cw.asarray(new Float64Array(40), { chunks: 10 }));
  await golden("rational", x!.multiply(2).add(y!.multiply(3)).divide(x!.multiply(x!).add(1)));
  const [a, b, c] = [1, 2, 3].map(() =>
    cw.asarray(new Float64Array(36), { chunks: 12 }).reshape([6, 6]).rechunk([3, 3]),
  );
  await golden("epilogue", c!.multiply(0.5).add(a!.matmul(b!).multiply(2)));
});

test("a rechunk in stages", async () => {
  const x = cw.asarray(new Float32Array(64 * 64), { chunks: 64 }).reshape([64, 64]);
  const plan = planOf([x.exp().rechunk([64, 1]).expr], { allowedMem: 8 * 64 * 4, workers: 4 });
  await expect(`${plan}\n`).toMatchFileSnapshot("__snapshots__/rechunk.txt");
});

test("what fusion says", async () => {
  const [x, y, z] = [1, 2, 3].map(() => cw.asarray(new Float64Array(40), { chunks: 10 }));
  const [v, w] = [1, 2].map(() => cw.asarray(new Float64Array(40), { chunks: 10 }));
  const sum = [y!, z!, v!, w!].reduce((total, next) => total.add(next), x!.exp());
  const roots = [sum, cw.sort(sum).flip(), sum.rechunk(20).mean()];
  const lines: string[] = [];
  planOf(
    roots.map(({ expr }) => expr),
    { debug: (line) => lines.push(line), neverFuse: ["op-002"] },
  );
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("__snapshots__/fusion-lines.txt");
});

test("reductions over chunks, a scan, moves and a product", async () => {
  const x = cw.asarray(new Float32Array(24), { chunks: 4 }).reshape([4, 6]);
  await golden("tree", x.add(1).mean({ axis: 0 }), x.cumulativeSum({ axis: 1 }));
  await golden("moves", x.T.get("::-1", "1:3").add(cw.arange(2)));
  await golden("product", x.matmul(x.T).max());
});
