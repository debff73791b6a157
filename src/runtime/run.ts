// Runs a plan in this process, one task after another. In: a plan and the blocks of its sources.
// Out: the result blocks; events on the way. As a generator, so that the caller decides what happens
// between tasks: nothing (computeSync), or a look at the abort signal and the event loop (compute).

import { type Block, blockBytes } from "../core/block.ts";
import { bytesText } from "../core/bytes.ts";
import { placeOf } from "../core/chunks.ts";
import { RunError } from "../core/errors.ts";
import { shapeText, sizeOf } from "../core/shape.ts";
import type { BlockProgram } from "../kernel/blockProgram.ts";
import { Borrowed, resultBlock } from "../kernel/blocks.ts";
import { execute } from "../kernel/execute.ts";
import { LaneFailure } from "../kernel/interpret/index.ts";
import { compileTask } from "../plan/compile/task.ts";
import { type Operation, type PlanArray, type PlanData, type PlanStep, readsOf } from "../plan/plan.ts";
import { ChunkedArray, type StoredArray, WholeArray, windowBytes } from "./chunkStore.ts";
import type { RunEvent } from "./events.ts";

interface Source {
  readonly block: Block;
  readonly length: number;
}
export type Sources = ReadonlyMap<string, Source>;

/** Runs a task's block program: `execute`, or the reference `interpret`. */
export type RunProgram = (program: BlockProgram, bound: readonly (Block | undefined)[]) => void;

export function* runPlan(
  plan: PlanData,
  sources: Sources,
  run: RunProgram = execute,
): Generator<RunEvent, Block[]> {
  const arrays = new Map(plan.arrays.map((array) => [array.name, array]));
  const stored = new Map<string, StoredArray>();
  const readers = countReaders(plan);
  const tasks = plan.operations.reduce((sum, { grid }) => sum + sizeOf(grid), 0);
  yield { type: "computeStart", operations: plan.operations.length, tasks };
  for (const [name, source] of sources) stored.set(name, new WholeArray(presentBlock(name, source)));
  try {
    for (const operation of plan.operations) {
      yield { type: "operationStart", operation: operation.name, tasks: sizeOf(operation.grid) };
      for (const { array } of operation.outputs) stored.set(array, storageFor(arrays.get(array)!));
      yield* runOperation(operation, arrays, stored, run);
      release(operation, arrays, stored, readers);
      yield { type: "operationEnd", operation: operation.name };
    }
  } finally {
    for (const array of stored.values()) array.free();
  }
  yield { type: "computeEnd" };
  return plan.results.map((name) => (stored.get(name) as WholeArray).block);
}

/** A transferred or shrunk buffer would silently read as NaN. */
function presentBlock(name: string, { block, length }: Source): Block {
  if (block.data.length >= length) return block;
  throw new RunError({
    where: "data",
    what: `source ${name} had ${length} elements when it was wrapped and has ${block.data.length} now`,
    cure: "Do not transfer or shrink a buffer before computing, or wrap a copy: asarray(data, {copy: true})",
  });
}

function storageFor(array: PlanArray): StoredArray {
  if (array.role !== "result") return new ChunkedArray(array);
  try {
    return new WholeArray(resultBlock(array.dtype, array.shape));
  } catch (error) {
    // Only the engine knows how much it can give.
    if (!(error instanceof RangeError)) throw error;
    const bytes = bytesText(blockBytes(array.dtype, array.shape));
    throw new RunError(
      {
        where: "compute",
        what: `a result of shape ${shapeText(array.shape)} needs ${bytes}, more than can be had in one piece`,
        cure: "Reduce it, or select a part of it first",
      },
      { cause: error },
    );
  }
}

function* runOperation(
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  stored: ReadonlyMap<string, StoredArray>,
  run: RunProgram,
): Generator<RunEvent, void> {
  const tasks = sizeOf(operation.grid);
  for (let task = 0; task < tasks; task++) {
    const place = placeOf(task, operation.grid);
    const { program, reads, writes } = compileTask(operation, arrays, place);
    const bound: Block[] = [];
    const borrowed = new Borrowed();
    for (const { array, box, buffer } of reads) bound[buffer] = stored.get(array)!.window(box, borrowed);
    for (const { array, box, buffer } of writes) bound[buffer] = stored.get(array)!.target(box);
    try {
      run(program, bound);
    } catch (error) {
      throw located(error, operation, place);
    } finally {
      borrowed.giveBack();
    }
    const bytes = (windows: typeof reads): number =>
      windows.reduce((sum, { array, box }) => sum + windowBytes(arrays.get(array)!, box), 0);
    yield {
      type: "taskEnd",
      operation: operation.name,
      task,
      bytesRead: bytes(reads),
      bytesWritten: bytes(writes),
    };
  }
}

/** A failure that depends on the data, with the op, the chunk and the user's line. */
function located(error: unknown, operation: Operation, place: readonly number[]): unknown {
  if (!(error instanceof LaneFailure)) return error;
  const step: PlanStep | undefined = operation.steps[error.origin];
  const op = step !== undefined && "op" in step ? step.op : operation.name;
  const call = step?.call === undefined || step.call === op ? op : `${op} in ${step.call}`;
  const line = step?.line;
  return new RunError(
    {
      what: error.trap.message,
      where: `${call}${line === undefined ? "" : ` at ${line}`}, chunk [${place.join(", ")}] of ${operation.name}`,
      cure: error.trap.cure,
      operation: op,
      chunk: place,
      line,
    },
    { cause: error },
  );
}

function countReaders(plan: PlanData): Map<string, number> {
  const readers = new Map<string, number>();
  for (const operation of plan.operations) {
    for (const name of readsOf(operation)) readers.set(name, (readers.get(name) ?? 0) + 1);
  }
  return readers;
}

/** Intermediates go when their last reader has run. */
function release(
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  stored: Map<string, StoredArray>,
  readers: Map<string, number>,
): void {
  for (const name of readsOf(operation)) {
    const left = readers.get(name)! - 1;
    readers.set(name, left);
    if (left > 0 || arrays.get(name)!.role !== "intermediate") continue;
    stored.get(name)!.free();
    stored.delete(name);
  }
}
