// One task: windows in, program, outputs out. In: an operation, the task's number, and the arrays. Out: at once when
// all it touches is in memory, else soon; how long each part took and how many bytes it moved.
// What is borrowed is given back whatever happens; outputs that others will read are left with the caller.

import { type Block, blockBytes } from "../core/block.ts";
import { placeOf } from "../core/chunks.ts";
import { sizeOf } from "../core/shape.ts";
import type { BlockProgram } from "../kernel/blockProgram.ts";
import { Borrowed } from "../kernel/blocks.ts";
import { TaskKinds } from "../plan/compile/kinds.ts";
import { type RoundedTask, roundsOf } from "../plan/compile/rounds.ts";
import { isStraightCopy } from "../plan/compile/straight.ts";
import type { TaskProgram, Window } from "../plan/compile/task.ts";
import { isRagged, type Operation, type PlanArray } from "../plan/plan.ts";
import type { ArraySource, ArrayTarget } from "./arrays.ts";
import type { TaskStats } from "./events.ts";
import { runRaggedTask } from "./partitions.ts";
import { runRounds } from "./rounds.ts";

/** Runs a task's block program: `execute`, or the reference `interpret`. As many threads as there are when not said. */
export type RunProgram = (
  program: BlockProgram,
  bound: readonly (Block | undefined)[],
  threads?: number | undefined,
) => void;

/** What a task works with. */
export interface TaskArrays {
  readonly arrays: ReadonlyMap<string, PlanArray>;
  source(array: string): ArraySource;
  target(array: string): ArrayTarget;
  readonly run: RunProgram;
  /** The memory that was stated for a task of an operation: it gets no more. None where nothing was stated. */
  limitOf?(operation: Operation): number;
}

const origin = performance.timeOrigin;
const now = (): number => origin + performance.now();

export function runTask(
  operation: Operation,
  task: number,
  using: TaskArrays,
): TaskStats | Promise<TaskStats> {
  if (isRagged(operation)) return runRaggedTask(operation, task, using);
  const startTime = now();
  const compiled = compiledTask(operation, using.arrays, task);
  const borrowed = new Borrowed(using.limitOf?.(operation));
  const end = (readTime: number, computeTime: number): TaskStats => {
    const measuredMem = borrowed.most;
    borrowed.giveBack();
    const { reads, writes } = compiled;
    const bytes = { bytesRead: bytesOf(reads, using), bytesWritten: bytesOf(writes, using) };
    return { startTime, readTime, computeTime, endTime: now(), ...bytes, measuredMem };
  };
  try {
    const begun = begin(compiled, using, borrowed);
    const { windows } = begun;
    const run = (blocks: readonly Block[]): Promise<void>[] => compute(begun, blocks, using, borrowed);
    if (windows.some((window) => window instanceof Promise)) return later(windows, run, borrowed, end);
    const readTime = now();
    const stored = run(windows as Block[]);
    const computeTime = now();
    if (stored.length === 0) return end(readTime, computeTime);
    return finishing(stored, borrowed, () => end(readTime, computeTime));
  } catch (error) {
    borrowed.giveBack();
    throw error;
  }
}

async function later(
  windows: readonly (Block | Promise<Block>)[],
  run: (blocks: readonly Block[]) => Promise<void>[],
  borrowed: Borrowed,
  end: (readTime: number, computeTime: number) => TaskStats,
): Promise<TaskStats> {
  try {
    const blocks = windows.length === 1 ? [await windows[0]!] : await allOf(windows);
    const readTime = now();
    const stored = run(blocks);
    const computeTime = now();
    if (stored.length === 1) await stored[0];
    else await allOf(stored);
    return end(readTime, computeTime);
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
  try {
    await allOf(stored);
  } catch (error) {
    borrowed.giveBack();
    throw error;
  }
  return end();
}

/** One that fails must not leave others working on blocks that are given back: all are waited for. */
async function allOf<T>(soon: readonly (T | Promise<T>)[]): Promise<T[]> {
  const results = await Promise.allSettled(soon);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value as T;
  });
}

type Soon<T> = T | Promise<T>;

/** A task whose windows are there, or on their way. */
interface Begun {
  readonly task: TaskProgram;
  readonly windows: readonly Soon<Block>[];
  /** Blocks that are filled on the way, by buffer. */
  readonly given: readonly Block[];
}

function begin(compiled: TaskProgram, using: TaskArrays, borrowed: Borrowed): Begun {
  const rounded = roundsOf(compiled);
  const task = rounded?.rest ?? compiled;
  const into = isStraightCopy(task) ? outputOf(task, using, borrowed) : undefined;
  const given: Block[] = [];
  if (into !== undefined) given[task.writes[0]!.buffer] = into;
  const windows: Soon<Block>[] = task.reads.map(({ array, box }) =>
    using.source(array).window(box, borrowed, into),
  );
  if (rounded !== null) {
    given[rounded.sum] = sumOf(rounded, using, borrowed);
    windows.push(runRounds(rounded, given[rounded.sum]!, using, borrowed));
  }
  return { task, windows, given };
}

/** Where the first output goes. */
const outputOf = ({ writes }: TaskProgram, using: TaskArrays, borrowed: Borrowed): Block =>
  using.target(writes[0]!.array).block(writes[0]!.box, borrowed);

/** Where the sum of rounds goes: to an output, if it is one. */
function sumOf({ sum, rest }: RoundedTask, using: TaskArrays, borrowed: Borrowed): Block {
  const write = rest.writes.find(({ buffer }) => buffer === sum);
  if (write !== undefined) return using.target(write.array).block(write.box, borrowed);
  const { dtype, shape } = rest.program.buffers[sum]!;
  return borrowed.block(dtype, shape);
}

/** Runs the program and begins to store what it made: the stores that take a while. */
function compute(
  { task: { program, reads, writes }, given }: Begun,
  windows: readonly Block[],
  using: TaskArrays,
  borrowed: Borrowed,
): Promise<void>[] {
  const bound: Block[] = [...given];
  for (const { array, box, buffer } of writes)
    bound[buffer] = given[buffer] ?? using.target(array).block(box, borrowed);
  reads.forEach(({ buffer }, i) => {
    bound[buffer] = windows[i]!;
  });
  // What was read straight into its place is there.
  const isThere = program.steps.length === 0 || (given.includes(windows[0]!) && reads.length === 1);
  if (!isThere) borrowed.during(() => using.run(program, bound));
  return writes.flatMap(({ array, box, buffer }) => {
    const stored = using.target(array).store(box, bound[buffer]!);
    return stored === undefined ? [] : [stored];
  });
}

const bytesOf = (windows: readonly Window[], { arrays }: TaskArrays): number =>
  windows.reduce((sum, { array, box }) => sum + blockBytes(arrays.get(array)!.dtype, box.shape), 0);

interface Compiled {
  readonly kinds: TaskKinds;
  readonly arrays: ReadonlyMap<string, PlanArray>;
  /** Programs of operations with few tasks, by task: their plan may be run again. */
  readonly tasks: TaskProgram[] | null;
}

const compiled = new WeakMap<Operation, Compiled>();
const FEW_TASKS = 16;

function compiledTask(
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  task: number,
): TaskProgram {
  const { kinds, tasks } = compiledOf(operation, arrays);
  if (tasks === null) return kinds.compile(placeOf(task, operation.grid));
  tasks[task] ??= kinds.compile(placeOf(task, operation.grid));
  return tasks[task];
}

function compiledOf(operation: Operation, arrays: ReadonlyMap<string, PlanArray>): Compiled {
  const known = compiled.get(operation);
  if (known?.arrays === arrays) return known;
  const hasFew = sizeOf(operation.grid) <= FEW_TASKS;
  const fresh = { kinds: new TaskKinds(operation, arrays), arrays, tasks: hasFew ? [] : null };
  compiled.set(operation, fresh);
  return fresh;
}
