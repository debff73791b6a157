// WebAssembly kernels ≡ the interpreter, bit for bit, for the tasks of random programs. Kernels are used for every
// loop and reduction however small, so that small arrays reach them, and as the library itself chooses.

import * as cw from "chunkwise";
import { test } from "vitest";
import type { Block } from "../../src/core/block.ts";
import type { KernelStep } from "../../src/kernel/blockProgram.ts";
import { execute } from "../../src/kernel/execute.ts";
import { bindBuffers, interpret, runStep } from "../../src/kernel/interpret/index.ts";
import { runLoopInArena } from "../../src/kernel/wasm/arena.ts";
import { runReduceInArena } from "../../src/kernel/wasm/reduceArena.ts";
import { type RunProgram, runPlan } from "../../src/runtime/run.ts";
import { ALL_FAMILIES, programs } from "./arbitrary.ts";
import { expectSame } from "./compare.ts";
import { BINARY, CHOICE, UNARY } from "./makers/elementwise.ts";
import { REDUCTIONS, VARIANCES } from "./makers/reductions.ts";
import type { Program } from "./program.ts";
import { check } from "./settings.ts";

const runEagerly = (step: KernelStep, blocks: readonly Block[]): boolean =>
  (step.kind === "loop" && runLoopInArena(step, blocks, 1)) ||
  (step.kind === "reduce" && runReduceInArena(step, blocks, 1));

const kernelsOnly: RunProgram = (program, bound) => {
  const blocks = bindBuffers(program, bound);
  for (const step of program.steps) if (!runEagerly(step, blocks)) runStep(step, blocks);
};

function blocksOf({ data, sources }: cw.Plan, run: RunProgram): readonly Block[] {
  const events = runPlan(data, sources, run);
  for (;;) {
    const step = events.next();
    if (step.done === true) return step.value;
  }
}

const sameAsInterpreted =
  (run: RunProgram) =>
  (program: Program): void => {
    const plan = cw.plan(program.build("cut"));
    const expected = blocksOf(plan, interpret);
    blocksOf(plan, run).forEach((block, i) => expectSame(block, expected[i]!));
  };

const anyPrograms = programs({ exact: false, families: ALL_FAMILIES });
const loops = programs({
  exact: false,
  families: [UNARY, BINARY, CHOICE, BINARY, REDUCTIONS, VARIANCES],
  maxSteps: 8,
});

test("kernels for everything", () => check(200, anyPrograms, sameAsInterpreted(kernelsOnly)));

test("kernels for loops and reductions", () => check(250, loops, sameAsInterpreted(kernelsOnly)));

test("as the library chooses", () => check(120, anyPrograms, sameAsInterpreted(execute)));
