// WebAssembly kernels ≡ the interpreter, bit for bit, for the tasks of random programs.

import * as cw from "chunkwise";
import { test } from "vitest";
import type { Block } from "../../src/core/block.ts";
import { execute } from "../../src/kernel/execute.ts";
import { interpret } from "../../src/kernel/interpret/index.ts";
import type { RunProgram } from "../../src/runtime/arrays.ts";
import { runPlanSync } from "../../src/runtime/run.ts";
import { ALL_FAMILIES, programs } from "./arbitrary.ts";
import { expectSame } from "./compare.ts";
import { BINARY, CHOICE, UNARY } from "./makers/elementwise.ts";
import { EXPONENTIAL_SUMS } from "./makers/exponentialSums.ts";
import { REDUCTIONS, VARIANCES } from "./makers/reductions.ts";
import type { Program } from "./program.ts";
import { check } from "./settings.ts";

function blocksOf({ data, sources }: cw.Plan, run: RunProgram): readonly Block[] {
  return runPlanSync({ plan: data, sources, run });
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
  families: [UNARY, BINARY, CHOICE, BINARY, REDUCTIONS, VARIANCES, EXPONENTIAL_SUMS],
  maxSteps: 8,
});

test("any programs", () => check(300, anyPrograms, sameAsInterpreted(execute)));

test("loops and reductions", () => check(300, loops, sameAsInterpreted(execute)));
