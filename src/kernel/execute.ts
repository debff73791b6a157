// Runs a block program as fast as we can: its steps as WebAssembly kernels on several threads, and where there is
// none for a step, by the reference interpreter. In and out as `interpret`, and the same bits.

import type { Block } from "../core/block.ts";
import type { BlockProgram, KernelStep } from "./blockProgram.ts";
import { Borrowed } from "./blocks.ts";
import { bindBuffers, routineCall, runStep } from "./interpret/index.ts";
import { runLoopKernel } from "./wasm/loops.ts";
import { runReduceKernel } from "./wasm/reductions.ts";
import { ROUTINE_KERNELS } from "./wasm/routines.ts";
import { runScanKernel } from "./wasm/scans.ts";
import { machineThreads } from "./wasm/threads.ts";

/** How many threads may work on it; as many as the machine has when not said. */
export function execute(
  program: BlockProgram,
  bound: readonly (Block | undefined)[],
  threads: number = machineThreads,
): void {
  const temporaries = new Borrowed();
  const blocks = bindBuffers(program, bound, ({ dtype, shape }) => temporaries.block(dtype, shape));
  try {
    for (const step of program.steps) executeStep(step, blocks, threads);
  } finally {
    temporaries.giveBack();
  }
}

function executeStep(step: KernelStep, blocks: readonly Block[], threads: number): void {
  if (!runKernel(step, blocks, threads)) runStep(step, blocks);
}

/** False where there is no kernel for a step. */
function runKernel(step: KernelStep, blocks: readonly Block[], threads: number): boolean {
  switch (step.kind) {
    case "loop":
      runLoopKernel(step, blocks, threads);
      return true;
    case "reduce":
      return runReduceKernel(step, blocks, threads);
    case "scan":
      return runScanKernel(step, blocks, threads);
    case "routine":
      return ROUTINE_KERNELS.get(step.routine)?.(routineCall(step, blocks), threads) ?? false;
    default:
      step satisfies never;
      return false;
  }
}
