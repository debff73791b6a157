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
import { isReleased } from "../kernel/wasm/memory.ts";
import { compileTask, type TaskProgram } from "../plan/compile/task.ts";
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

export interface RunOptions {
  readonly run?: RunProgram;
  /** The same plan with the lines of the user's code: asked for when something fails. */
  readonly withLines?: () => PlanData;
}

export function* runPlan(
  plan: PlanData,
  sources: Sources,
  { run = execute, withLines = () => plan }: RunOptions = {},
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
      try {
        yield* runOperation(operation, arrays, stored, run);
      } catch (error) {
        throw error instanceof TaskFailure ? located(error, withLines()) : error;
      }
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
  if (isReleased(block.data))
    throw new RunError({
      where: "data",
      what: `the memory of source ${name} was given back by dispose()`,
      cure: "Dispose of a result after the last computation that reads it",
    });
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
    const { program, reads, writes } = compiledTask(operation, arrays, task);
    const bound: Block[] = [];
    const borrowed = new Borrowed();
    for (const { array, box, buffer } of reads) bound[buffer] = stored.get(array)!.window(box, borrowed);
    for (const { array, box, buffer } of writes) bound[buffer] = stored.get(array)!.target(box);
    try {
      run(program, bound);
    } catch (error) {
      throw error instanceof LaneFailure ? new TaskFailure(operation.name, place, error) : error;
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

/** Programs of operations with few tasks: their plan may be run again. */
const compiled = new WeakMap<Operation, TaskProgram[]>();
const FEW_TASKS = 16;

function compiledTask(
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  task: number,
): TaskProgram {
  const compile = (): TaskProgram => compileTask(operation, arrays, placeOf(task, operation.grid));
  if (sizeOf(operation.grid) > FEW_TASKS) return compile();
  const known = compiled.get(operation) ?? [];
  compiled.set(operation, known);
  known[task] ??= compile();
  return known[task];
}

/** A failure that depends on the data, and the task that met it. */
class TaskFailure extends Error {
  readonly operation: string;
  readonly place: readonly number[];
  readonly failure: LaneFailure;

  constructor(operation: string, place: readonly number[], failure: LaneFailure) {
    super(failure.message, { cause: failure });
    this.operation = operation;
    this.place = place;
    this.failure = failure;
  }
}

/** The same with the op, the chunk and the user's line. */
function located({ operation: name, place, failure }: TaskFailure, plan: PlanData): RunError {
  const operation = plan.operations.find((candidate) => candidate.name === name)!;
  const step: PlanStep | undefined = operation.steps[failure.origin];
  const op = step !== undefined && "op" in step ? step.op : name;
  const call = step?.call === undefined || step.call === op ? op : `${op} in ${step.call}`;
  const line = step?.line;
  return new RunError(
    {
      what: failure.trap.message,
      where: `${call}${line === undefined ? "" : ` at ${line}`}, chunk [${place.join(", ")}] of ${name}`,
      cure: failure.trap.cure,
      operation: op,
      chunk: place,
      line,
    },
    { cause: failure },
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
