// Block programs as WebAssembly kernels on several threads, and where there is none for a step, by the reference interpreter.
// In: a program, then blocks. Out: the outputs written, the same bits as `interpret`.
// Must hold: a temporary has memory from the first step that touches it to the last.

import type { Block } from "../../core/block.ts";
import { machineThreads } from "../../core/threads.ts";
import type { Kernel } from "../backend.ts";
import type { BlockProgram, KernelStep } from "../blockProgram.ts";
import type { Borrowed } from "../blocks.ts";
import { bindBuffers, routineCall, runStep } from "../interpret/index.ts";
import { type Lifetime, lifetimesOf } from "../lifetimes.ts";
import type { MatrixProduct } from "../routines/outsideProduct.ts";
import { roomIn } from "../routines/room.ts";
import { runLoopKernel } from "./loops.ts";
import type { WasmMachine } from "./machine.ts";
import { runReduceKernel } from "./reductions.ts";
import { ROUTINE_KERNELS } from "./routines.ts";
import { runScanKernel } from "./scans.ts";
import { runSegmentKernel } from "./segments.ts";

/** What programs run on, and the matrix product from outside, if one is in use. */
export interface Running {
  readonly machine: WasmMachine;
  product: MatrixProduct | null;
}

/** Stands for a temporary while it has no memory. */
const UNBORN: Block = { dtype: "uint8", shape: [], strides: [], offset: 0, data: new Uint8Array(0) };
const unborn = (): Block => UNBORN;

/** A program and when its temporaries live. Modules are compiled when it is run, for how its blocks lie then. */
export class WasmProgram implements Kernel {
  readonly #running: Running;
  readonly #program: BlockProgram;
  readonly #lifetimes: ReadonlyMap<number, Lifetime>;

  constructor(running: Running, program: BlockProgram) {
    this.#running = running;
    this.#program = program;
    this.#lifetimes = lifetimesOf(program);
  }

  run(bound: readonly (Block | undefined)[], room: Borrowed, threads: number = machineThreads): void {
    const { steps } = this.#program;
    const blocks = bindBuffers(this.#program, bound, unborn);
    if (this.#lifetimes.size > 0) return this.#runWithTemporaries(blocks, room, threads);
    for (const step of steps) this.#runStep(step, blocks, room, threads);
  }

  #runWithTemporaries(blocks: Block[], room: Borrowed, threads: number): void {
    const borrowed = new Map<number, Borrowed>();
    try {
      this.#program.steps.forEach((step, at) => {
        for (const [buffer, { first }] of this.#lifetimes)
          if (first === at) blocks[buffer] = this.#born(buffer, room, borrowed);
        this.#runStep(step, blocks, room, threads);
        for (const [buffer, { last }] of this.#lifetimes) if (last === at) borrowed.get(buffer)!.giveBack();
      });
    } finally {
      for (const each of borrowed.values()) each.giveBack();
    }
  }

  #born(buffer: number, room: Borrowed, borrowed: Map<number, Borrowed>): Block {
    const { dtype, shape } = this.#program.buffers[buffer]!;
    const own = room.within();
    borrowed.set(buffer, own);
    return own.block(dtype, shape);
  }

  #runStep(step: KernelStep, blocks: readonly Block[], room: Borrowed, threads: number): void {
    if (runKernel(this.#running, step, blocks, room, threads)) return;
    const borrowed = room.within();
    try {
      runStep(step, blocks, { room: roomIn(borrowed), product: this.#running.product });
    } finally {
      borrowed.giveBack();
    }
  }
}

/** False where there is no kernel for a step. */
function runKernel(
  { machine, product }: Running,
  step: KernelStep,
  blocks: readonly Block[],
  room: Borrowed,
  threads: number,
): boolean {
  switch (step.kind) {
    case "loop":
      runLoopKernel(machine, step, blocks, threads);
      return true;
    case "reduce":
      return runReduceKernel(machine, step, blocks, threads);
    case "segments":
      return runSegmentKernel(machine, step, blocks, room, threads);
    case "scan":
      return runScanKernel(machine, step, blocks, threads);
    case "routine": {
      const kernel = ROUTINE_KERNELS.get(step.routine);
      return kernel?.(machine, routineCall(step, blocks, { product }), threads) ?? false;
    }
    default:
      step satisfies never;
      return false;
  }
}
