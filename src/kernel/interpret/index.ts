// The reference interpreter: slow, obviously right. Runs a block program on blocks, step by step.
// Every faster way of running a block program is tested against it.

import { type Block, newBlock } from "../../core/block.ts";
import { InvariantError } from "../../core/errors.ts";
import {
  type BlockProgram,
  bindBuffers,
  type KernelStep,
  type RoutineStep,
  type RoutineView,
} from "../blockProgram.ts";
import { type RoutineCall, type RoutineMeans, Trap } from "../routine.ts";
import { ROUTINES } from "../routines/index.ts";
import { LaneFailure } from "./lanes.ts";
import { runLoop, runReduce, runSegments } from "./reduce.ts";
import { runScan } from "./scan.ts";
import { bind } from "./tile.ts";

export { LaneFailure };

/** `bound` holds the blocks of inputs and outputs by buffer number; temporaries are made here. */
export function interpret(
  program: BlockProgram,
  bound: readonly (Block | undefined)[],
  means: RoutineMeans = {},
): void {
  const blocks = bindBuffers(program, bound, ({ dtype, shape }) => newBlock(dtype, shape));
  for (const step of program.steps) runStep(step, blocks, means);
}

export function runStep(step: KernelStep, blocks: readonly Block[], means: RoutineMeans): void {
  switch (step.kind) {
    case "loop":
      return runLoop(step, blocks);
    case "reduce":
      return runReduce(step, blocks);
    case "segments":
      return runSegments(step, blocks);
    case "scan":
      return runScan(step, blocks);
    case "routine":
      return runRoutine(step, blocks, means);
    default:
      step satisfies never;
  }
}

function runRoutine(step: RoutineStep, blocks: readonly Block[], means: RoutineMeans): void {
  const routine = ROUTINES.get(step.routine);
  if (routine === undefined) throw new InvariantError({ what: `there is no routine ${step.routine}` });
  try {
    routine(routineCall(step, blocks, means));
  } catch (error) {
    if (error instanceof Trap) throw new LaneFailure(error, step.origin);
    throw error;
  }
}

/** A routine's call with its views bound to blocks. */
export function routineCall(step: RoutineStep, blocks: readonly Block[], means: RoutineMeans): RoutineCall {
  const view = ({ access, shape }: RoutineView): Block => {
    const { offset, strides } = bind(access, blocks);
    return { ...blocks[access.buffer]!, shape, offset, strides };
  };
  return {
    ...means,
    inputs: step.inputs.map(view),
    outputs: step.outputs.map(view),
    attrs: step.attrs,
    starts: [...step.inputs, ...step.outputs].map(({ from }) => from),
  };
}
