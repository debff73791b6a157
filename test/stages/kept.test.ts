// What stages keep: computed once, read by what is left, in memory while there is room, in the run's folder otherwise; what a
// named folder has of an earlier run is not computed again. In: an op that keeps. Out: the same bits wherever it is kept.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import { afterAll, expect, test } from "vitest";
import type { Block } from "../../src/core/block.ts";
import { type Expr, makeExpr } from "../../src/expr/expr.ts";
import type { StagedOp } from "../../src/expr/op.ts";
import { opNamed } from "../../src/ops/index.ts";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** exp(x) + max(exp(x)), where exp(x) is kept and its maximum is asked for. */
const shifted: StagedOp = {
  name: "shifted",
  class: "staged",
  infer: ([x]) => x!,
  chunks: ([x]) => x!,
  questions([x]) {
    const large = makeExpr(opNamed("exp"), [x as Expr]);
    return { asks: [makeExpr(opNamed("max"), [large], { axes: [0], keepdims: false })], keeps: [large] };
  },
  settle(_, __, [max], [large]) {
    const value = cw.asarray((max as Block).data[0] as number, { dtype: "float64" });
    return makeExpr(opNamed("add"), [large as Expr, value.expr]);
  },
};

const x = cw.arange(40_000, { dtype: "float64", chunks: [1000] }).multiply(1e-4);
const y = new cw.LazyArray(makeExpr(shifted, [x.expr]));
const expected = cw.computeSync(x.exp().add(x.exp().max()))[0].data;

test("kept in memory, or in files where there is no room", async () => {
  const ways: string[] = [];
  const onEvent = (event: cw.RunEvent): void => {
    if (event.type === "computeStart") ways.push(event.pool);
  };
  expect((await y.compute({ onEvent })).data).toEqual(expected);
  const spec = new cw.Spec({ reservedMem: 1, allowedMem: 200_000, executor: "inline" });
  expect((await y.compute({ spec, onEvent })).data).toEqual(expected);
  expect(ways).toHaveLength(4);
  expect(y.computeSync().data).toEqual(expected);
});

test("a named folder has what an earlier run found; nothing is left of one that is done", async () => {
  const workDir = join(folder, "work");
  const tasks: number[] = [];
  const counting = (): ((event: cw.RunEvent) => void) => {
    tasks.push(0);
    return (event) => {
      if (event.type === "taskStart") tasks[tasks.length - 1]!++;
    };
  };
  const failing = y.add(cw.asarray(1)).get([39_999]);
  const abort = new AbortController();
  let runs = 0;
  const stopped = failing.compute({
    workDir,
    signal: abort.signal,
    onEvent: (event) => {
      if (event.type === "computeStart" && ++runs === 2) abort.abort(new Error("stopped"));
    },
  });
  await expect(stopped).rejects.toThrow("stopped");
  expect(readdirSync(workDir).length).toBeGreaterThan(0);
  await failing.compute({ workDir, onEvent: counting() });
  await failing.compute({ workDir, onEvent: counting() });
  // Forty chunks and their maximum are not made again.
  expect(tasks[1]! - tasks[0]!).toBeGreaterThanOrEqual(40);
  expect(readdirSync(workDir)).toEqual([]);
});
