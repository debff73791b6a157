// Some of the memory battery, and that all of it has every op. `npm run battery` runs all of it.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as cw from "chunkwise";
import { expect, test } from "vitest";
import type { Block } from "../../src/core/block.ts";
import { type Expr, postOrder } from "../../src/expr/expr.ts";
import { OPS } from "../../src/ops/index.ts";
import { planOf } from "../../src/plan/index.ts";
import { afterStage, nextStage } from "../../src/plan/stages.ts";
import { ensureBuilt } from "../built.ts";
import { arraysOf, OPERATIONS } from "./cases.mjs";

/** Ops that no function of the API makes by itself: rewriting does, or other ops have them as their parts. */
const MADE_BY_OTHERS = new Set(["data", "stored", "expSumRest", "coordinate", "mapBlocksAll"]);

/** Ops of nodes that wait for a stage, which no plan has. */
const waiting = (roots: readonly Expr[]): string[] =>
  [...postOrder(roots)].filter(({ op }) => op.class === "staged").map(({ op }) => op.name);

test("every op of the table is in the battery", async () => {
  // Lines that no task can hold have ops of their own.
  const n = 2048;
  const square = (data: Float64Array | Int32Array): cw.LazyArray =>
    cw.asarray(new cw.NDArray(data, [n, n]), { chunks: [n / 4, n / 4] });
  const x = Float64Array.from({ length: n * n }, (_, at) => ((at * 7919) % 10007) / 10007);
  const given = { cw, n, x: square(x), y: square(new Float64Array(n * n)), i: square(new Int32Array(n * n)) };
  const found = new Set<string>(MADE_BY_OTHERS);
  const look = (roots: readonly Expr[]): void => {
    for (const { steps } of planOf(roots).data.operations)
      for (const step of steps) if ("op" in step) found.add(step.op.name);
  };
  for (const name of OPERATIONS.keys()) {
    let roots: readonly Expr[] = arraysOf(name, given).map(({ expr }) => expr);
    for (let stage = nextStage(roots); stage !== null; stage = nextStage(roots)) {
      for (const op of waiting(roots)) found.add(op);
      const { asks, keeps } = stage;
      if (asks.length + keeps.length > 0) look([...asks, ...keeps]);
      const answers = await cw.compute(...asks.map((ask) => new cw.LazyArray(ask)));
      const blocks = new Map(asks.map((ask, at) => [ask, answers[at] as Block]));
      roots = afterStage(roots, stage, {
        answers: blocks,
        kept: new Map(keeps.map((keep) => [keep, keep])),
      });
    }
    look(roots);
  }
  // Functions of one line are all one kernel, of which the battery has enough.
  const isOneLine = (op: object): boolean => "arity" in op || "needsElements" in op;
  const dense = [...OPS.values()].filter(
    (op) => op.class !== "ragged" && op.class !== "source" && !isOneLine(op),
  );
  expect(dense.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});

/** Every 13th measurement, of those with default codecs. */
const PART = ["13", " default"];
/** As users have it: checked mode takes memory of its own. */
const USUAL = { ...process.env, CHUNKWISE_CHECKED: "" };
const hasPeaks = process.platform === "linux";

test.runIf(hasPeaks)("processes keep to what is allowed", { timeout: 300_000 }, async () => {
  await ensureBuilt();
  const battery = new URL("battery.mjs", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [battery, ...PART], { env: USUAL }).catch(
    (error: { stdout?: string }) => expect.fail(error.stdout ?? String(error)),
  );
  console.log(stdout);
});
