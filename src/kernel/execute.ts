// Runs a block program as fast as we can: loops and reductions as WebAssembly kernels, the rest (and what kernels cannot
// do) by the reference interpreter. In and out as `interpret`, and the same bits.

import type { Block } from "../core/block.ts";
import type { BlockProgram, KernelStep } from "./blockProgram.ts";
import { bindBuffers, runStep } from "./interpret/index.ts";
import { runLoopInArena } from "./wasm/arena.ts";
import { runReduceInArena } from "./wasm/reduceArena.ts";

export function execute(program: BlockProgram, bound: readonly (Block | undefined)[]): void {
  const blocks = bindBuffers(program, bound);
  for (const step of program.steps) executeStep(step, blocks);
}

function executeStep(step: KernelStep, blocks: readonly Block[]): void {
  if (step.kind === "loop" && runLoopInArena(step, blocks)) return;
  if (step.kind === "reduce" && runReduceInArena(step, blocks)) return;
  runStep(step, blocks);
}
