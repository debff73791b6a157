// One task: windows in, program, outputs out. In: an operation, the task's number, and the arrays. Out: at once when
// all it touches is in memory, else soon; how long each part took and how many bytes it moved.
// What is borrowed is given back whatever happens; outputs that others will read are left with the caller.

import { type Block, blockBytes } from "../core/block.ts";
import { placeOf } from "../core/chunks.ts";
import { sizeOf } from "../core/shape.ts";
import type { BlockProgram } from "../kernel/blockProgram.ts";
import { Borrowed, borrowedBytes } from "../kernel/blocks.ts";
import { compileTask, type TaskProgram, type Window } from "../plan/compile/task.ts";
import type { Operation, PlanArray } from "../plan/plan.ts";
import type { ArraySource, ArrayTarget } from "./arrays.ts";
import type { TaskStats } from "./events.ts";

/** Runs a task's block program: `execute`, or the reference `interpret`. */
export type RunProgram = (program: BlockProgram, bound: readonly (Block | undefined)[]) => void;

/** What a task works with. */
export interface TaskArrays {
  readonly arrays: ReadonlyMap<string, PlanArray>;
  source(array: string): ArraySource;
  target(array: string): ArrayTarget;
  readonly run: RunProgram;
}

const origin = performance.timeOrigin;
const now = (): number => origin + performance.now();

export function runTask(
  operation: Operation,
  task: number,
  using: TaskArrays,
): TaskStats | Promise<TaskStats> {
  const startTime = now();
  borrowedBytes.most = borrowedBytes.now;
  const before = borrowedBytes.now;
  const compiled = compiledTask(operation, using.arrays, task);
  const borrowed = new Borrowed();
  const end = (readTime: number, computeTime: number): TaskStats => {
    const measuredMem = borrowedBytes.most - before;
    borrowed.giveBack();
    const { reads, writes } = compiled;
    const bytes = { bytesRead: bytesOf(reads, using), bytesWritten: bytesOf(writes, using) };
    return { startTime, readTime, computeTime, endTime: now(), ...bytes, measuredMem };
  };
  try {
    const windows = compiled.reads.map(({ array, box }) => using.source(array).window(box, borrowed));
    if (windows.some((window) => window instanceof Promise))
      return later(compiled, windows, using, borrowed, end);
    const readTime = now();
    const stored = compute(compiled, windows as Block[], using, borrowed);
    const computeTime = now();
    if (stored.length === 0) return end(readTime, computeTime);
    return finishing(stored, borrowed, () => end(readTime, computeTime));
  } catch (error) {
    borrowed.giveBack();
    throw error;
  }
}

async function later(
  compiled: TaskProgram,
  windows: readonly (Block | Promise<Block>)[],
  using: TaskArrays,
  borrowed: Borrowed,
  end: (readTime: number, computeTime: number) => TaskStats,
): Promise<TaskStats> {
  try {
    // All of them: one that fails must not leave others writing into blocks that are given back.
    const read = await Promise.allSettled(windows);
    for (const window of read) if (window.status === "rejected") throw window.reason;
    const readTime = now();
    const blocks = read.map((window) => (window as PromiseFulfilledResult<Block>).value);
    const stored = compute(compiled, blocks, using, borrowed);
    const computeTime = now();
    return await finishing(stored, borrowed, () => end(readTime, computeTime));
  } catch (error) {
    borrowed.giveBack();
    throw error;
  }
}

async function finishing(
  stored: readonly Promise<void>[],
  borrowed: Borrowed,
  end: () => TaskStats,
): Promise<TaskStats> {
  const results = await Promise.allSettled(stored);
  for (const result of results) {
    if (result.status === "fulfilled") continue;
    borrowed.giveBack();
    throw result.reason;
  }
  return end();
}

/** Runs the program and begins to store what it made: the stores that take a while. */
function compute(
  { program, reads, writes }: TaskProgram,
  windows: readonly Block[],
  using: TaskArrays,
  borrowed: Borrowed,
): Promise<void>[] {
  const bound: Block[] = [];
  reads.forEach(({ buffer }, i) => {
    bound[buffer] = windows[i]!;
  });
  for (const { array, box, buffer } of writes) bound[buffer] = using.target(array).block(box, borrowed);
  using.run(program, bound);
  return writes.flatMap(({ array, box, buffer }) => {
    const stored = using.target(array).store(box, bound[buffer]!);
    return stored === undefined ? [] : [stored];
  });
}

const bytesOf = (windows: readonly Window[], { arrays }: TaskArrays): number =>
  windows.reduce((sum, { array, box }) => sum + blockBytes(arrays.get(array)!.dtype, box.shape), 0);

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
