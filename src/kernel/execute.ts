// Runs a block program as fast as we can: its steps as WebAssembly kernels on several threads, and where there is
// none for a step, by the reference interpreter. In and out as `interpret`, and the same bits.

import type { Block } from "../core/block.ts";
import type { BlockProgram, KernelStep } from "./blockProgram.ts";
import { Borrowed } from "./blocks.ts";
import { bindBuffers, routineCall, runStep } from "./interpret/index.ts";
import { type Lifetime, lifetimesOf } from "./lifetimes.ts";
import { withRoom } from "./routines/room.ts";
import { runLoopKernel } from "./wasm/loops.ts";
import { runReduceKernel } from "./wasm/reductions.ts";
import { ROUTINE_KERNELS } from "./wasm/routines.ts";
import { runScanKernel } from "./wasm/scans.ts";
import { runSegmentKernel } from "./wasm/segments.ts";
import { machineThreads } from "./wasm/threads.ts";

/** How many threads may work on it; as many as the machine has when not said. */
export function execute(
  program: BlockProgram,
  bound: readonly (Block | undefined)[],
  threads: number = machineThreads,
): void {
  const blocks = bindBuffers(program, bound, () => UNBORN);
  const temporaries = new Temporaries(program);
  try {
    program.steps.forEach((step, at) => {
      temporaries.before(at, blocks);
      executeStep(step, blocks, threads);
      temporaries.after(at);
    });
  } finally {
    temporaries.giveBack();
  }
}

/** Stands for a temporary while it has no memory. */
const UNBORN: Block = { dtype: "uint8", shape: [], strides: [], offset: 0, data: new Uint8Array(0) };

/** Temporaries have memory from the first step that touches them to the last. */
class Temporaries {
  readonly #program: BlockProgram;
  readonly #lifetimes: ReadonlyMap<number, Lifetime>;
  readonly #borrowed = new Map<number, Borrowed>();

  constructor(program: BlockProgram) {
    this.#program = program;
    this.#lifetimes = lifetimesOf(program);
  }

  before(at: number, blocks: Block[]): void {
    for (const [buffer, { first }] of this.#lifetimes) {
      if (first !== at) continue;
      const { dtype, shape } = this.#program.buffers[buffer]!;
      const borrowed = new Borrowed();
      this.#borrowed.set(buffer, borrowed);
      blocks[buffer] = borrowed.block(dtype, shape);
    }
  }

  after(at: number): void {
    for (const [buffer, { last }] of this.#lifetimes) if (last === at) this.#borrowed.get(buffer)!.giveBack();
  }

  giveBack(): void {
    for (const borrowed of this.#borrowed.values()) borrowed.giveBack();
  }
}

function executeStep(step: KernelStep, blocks: readonly Block[], threads: number): void {
  if (!runKernel(step, blocks, threads)) withRoom(() => runStep(step, blocks));
}

/** False where there is no kernel for a step. */
function runKernel(step: KernelStep, blocks: readonly Block[], threads: number): boolean {
  switch (step.kind) {
    case "loop":
      runLoopKernel(step, blocks, threads);
      return true;
    case "reduce":
      return runReduceKernel(step, blocks, threads);
    case "segments":
      return runSegmentKernel(step, blocks, threads);
    case "scan":
      return runScanKernel(step, blocks, threads);
    case "routine":
      return ROUTINE_KERNELS.get(step.routine)?.(routineCall(step, blocks), threads) ?? false;
    default:
      step satisfies never;
      return false;
  }
}
