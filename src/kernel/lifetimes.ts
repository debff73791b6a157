// Lifetimes of a block program's temporaries: from the step that first touches one to the step that last does. In
// between it has memory, before and after its bytes are somebody else's. Running a program and stating its memory
// both go by this.

import { blockBytes } from "../core/block.ts";
import type { Access, BlockProgram, KernelStep } from "./blockProgram.ts";

/** Numbers of steps, both included. */
export interface Lifetime {
  readonly first: number;
  readonly last: number;
}

/** Buffers that a step reads or writes. */
export function buffersOf(step: KernelStep): readonly number[] {
  const of = (accesses: readonly Access[]): number[] => accesses.map(({ buffer }) => buffer);
  switch (step.kind) {
    case "loop":
    case "reduce":
      return of([...step.operands, ...step.results]);
    case "segments":
      return [step.offsets, ...step.operands, ...step.results];
    case "scan":
      return of([step.operand, step.result, ...(step.before === null ? [] : [step.before])]);
    case "routine":
      return of([...step.inputs, ...step.outputs].map(({ access }) => access));
    default:
      step satisfies never;
      throw step;
  }
}

/** By buffer number; temporaries that no step touches are left out, as are inputs and outputs. */
export function lifetimesOf({ buffers, steps }: BlockProgram): Map<number, Lifetime> {
  const lifetimes = new Map<number, Lifetime>();
  if (buffers.every(({ role }) => role !== "temporary")) return lifetimes;
  steps.forEach((step, at) => {
    for (const buffer of buffersOf(step)) {
      if (buffers[buffer]!.role !== "temporary") continue;
      lifetimes.set(buffer, { first: lifetimes.get(buffer)?.first ?? at, last: at });
    }
  });
  return lifetimes;
}

/** Bytes of the temporaries that are alive during each step. */
export function liveBytes(program: BlockProgram): number[] {
  const live = program.steps.map(() => 0);
  for (const [buffer, { first, last }] of lifetimesOf(program)) {
    const { dtype, shape } = program.buffers[buffer]!;
    const bytes = blockBytes(dtype, shape);
    for (let at = first; at <= last; at++) live[at]! += bytes;
  }
  return live;
}
