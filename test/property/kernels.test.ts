// WebAssembly kernels ≡ the interpreter, bit for bit, for the tasks of random programs.

import * as cw from "chunkwise";
import { test } from "vitest";
import type { Block } from "../../src/core/block.ts";
import type { Backend } from "../../src/kernel/backend.ts";
import { referenceBackend } from "../../src/kernel/interpret/backend.ts";
import { wasmBackend } from "../../src/kernel/wasm/backend.ts";
import { runPlanSync } from "../../src/runtime/run.ts";
import { hasFloatProducts } from "../ways.ts";
import { ALL_FAMILIES, programs } from "./arbitrary.ts";
import { expectSame } from "./compare.ts";
import { BINARY, CHOICE, UNARY } from "./makers/elementwise.ts";
import { EXPONENTIAL_SUMS } from "./makers/exponentialSums.ts";
import { REDUCTIONS, VARIANCES } from "./makers/reductions.ts";
import type { Program } from "./program.ts";
import { check } from "./settings.ts";

function blocksOf({ data, sources }: cw.Plan, backend: Backend): readonly Block[] {
  return runPlanSync({ plan: data, sources, backend });
}

const sameAsInterpreted =
  (backend: Backend) =>
  (program: Program): void => {
    // The order in which float products are added up is the kernels' own (docs/native.md).
    const plan = cw.plan(program.build("cut").filter((root) => !hasFloatProducts(root)));
    const expected = blocksOf(plan, referenceBackend);
    blocksOf(plan, backend).forEach((block, i) => expectSame(block, expected[i]!));
  };

const wasm = wasmBackend();

const anyPrograms = programs({ exact: false, families: ALL_FAMILIES });
const loops = programs({
  exact: false,
  families: [UNARY, BINARY, CHOICE, BINARY, REDUCTIONS, VARIANCES, EXPONENTIAL_SUMS],
  maxSteps: 8,
});

test("any programs", () => check(300, anyPrograms, sameAsInterpreted(wasm)));

test("loops and reductions", () => check(300, loops, sameAsInterpreted(wasm)));
