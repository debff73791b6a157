// One task: windows in, program, outputs out. In: an operation, the task's number, and the arrays. Out: at once when
// all it touches is in memory, else soon; how long each part took and how many bytes it moved.
// Must hold: what is borrowed is given back whatever happens, and not before every read and write that works on it has
// ended; outputs that others will read are left with the caller.

import { type Block, blockBytes } from "../core/block.ts";
import { type Box, placeOf, sizeOf } from "../core/chunks.ts";
import { denseOf } from "../expr/op.ts";
import { type BlockMemory, Borrowed, takenBlock } from "../kernel/blockProgram.ts";
import { TaskKinds } from "../plan/compile/compileTask.ts";
import type { TaskProgram, Window } from "../plan/compile/programWriter.ts";
import { type RoundedTask, roundsOf } from "../plan/compile/rounds.ts";
import { isStraightCopy } from "../plan/compile/straightCopy.ts";
import { isRagged, type Operation, type PlanArray } from "../plan/plan.ts";
import {
  allOf,
  type BlockTarget,
  chunkNumber,
  type HeldArray,
  type HeldBlocks,
  type HeldPartitions,
  type PartitionTarget,
  type Soon,
  type TaskArrays,
} from "./arrays.ts";
import type { TaskStats } from "./events.ts";
import { runRaggedTask } from "./partitionTasks.ts";
import { runRounds } from "./rounds.ts";
import { now } from "./scheduler/policy.ts";

// The outputs of one attempt at a task that other tasks will read. They belong to the attempt until it counts; then
// to the intermediates. In: chunks' boxes. Out: blocks in the backend's memory, where other threads can see them.

export class AttemptOutputs {
  readonly #memory: BlockMemory;
  readonly #held: ReadonlyMap<string, HeldArray>;
  /** They are stored as soon as they are there. */
  readonly storesAll: boolean;
  readonly #blocks = new Map<string, Block>();
  bytes = 0;

  constructor(memory: BlockMemory, held: ReadonlyMap<string, HeldArray>, storesAll: boolean) {
    this.#memory = memory;
    this.#held = held;
    this.storesAll = storesAll;
  }

  /** Where the chunk of a dense intermediate goes; undefined for other arrays. */
  target(array: string): BlockTarget | undefined {
    const held = this.#held.get(array);
    if (held?.kind !== "dense") return undefined;
    return {
      block: (box) => this.block(held, box),
      store: (box, block) =>
        this.storesAll ? held.store!.setShard(held.placeOf(chunkNumber(box, held.plan)), block) : undefined,
    };
  }

  /** And the partition of a ragged one. */
  partitionTarget(array: string): PartitionTarget | undefined {
    const held = this.#held.get(array);
    if (held?.kind !== "ragged") return undefined;
    return { put: (at, partition) => this.#putBytes(held, at, held.format.pack(partition)) };
  }

  block({ plan }: HeldBlocks, box: Box): Block {
    const block = takenBlock(this.#memory, plan.dtype, box.shape);
    this.#blocks.set(plan.name, block);
    this.bytes += blockBytes(plan.dtype, box.shape);
    return block;
  }

  /** A partition, packed. */
  #putBytes(held: HeldPartitions, at: number, bytes: Uint8Array): Promise<void> | undefined {
    const block = this.hold(held, bytes);
    return this.storesAll ? held.saveBlock(at, block) : undefined;
  }

  /** The same where it is stored already, or need not be. */
  hold({ plan }: HeldPartitions, bytes: Uint8Array): Block {
    const block = takenBlock(this.#memory, "uint8", [bytes.length]);
    (block.data as Uint8Array).set(bytes);
    this.#blocks.set(plan.name, block);
    this.bytes += bytes.length;
    return block;
  }

  /** The attempt counts: its outputs are the intermediates' chunks. */
  keep(chunk: number): void {
    for (const [array, block] of this.#blocks) this.#held.get(array)!.put(chunk, block);
    this.#blocks.clear();
  }

  giveBack(): void {
    for (const block of this.#blocks.values()) this.#memory.free(block);
    this.#blocks.clear();
  }
}

export function runTask(operation: Operation, task: number, using: TaskArrays): Soon<TaskStats> {
  if (isRagged(operation)) return runRaggedTask(operation, task, using);
  const compiled = compiledTask(operation, using.arrays, task);
  const running = new RunningTask(compiled, using, using.limitOf?.(operation));
  try {
    return running.run();
  } catch (error) {
    return running.fail(error);
  }
}

/** A task whose windows are there, or on their way. */
interface Begun {
  readonly task: TaskProgram;
  readonly windows: readonly Soon<Block>[];
  /** Blocks that are filled on the way, by buffer. */
  readonly given: readonly Block[];
}

class RunningTask {
  readonly #startTime = now();
  readonly #compiled: TaskProgram;
  readonly #using: TaskArrays;
  readonly #borrowed: Borrowed;
  /** Reads, kernels and writes that work on its blocks: none of these is given back before they have ended. */
  readonly #underWay: Promise<unknown>[] = [];

  constructor(compiled: TaskProgram, using: TaskArrays, limit: number | undefined) {
    this.#compiled = compiled;
    this.#using = using;
    this.#borrowed = new Borrowed(using.backend, limit);
  }

  run(): Soon<TaskStats> {
    const begun = this.#begin();
    const { windows } = begun;
    if (windows.some((window) => window instanceof Promise)) return this.#runLater(begun);
    const readTime = now();
    const bound = this.#bound(begun, windows as Block[]);
    const computing = this.#compute(begun, bound);
    if (computing instanceof Promise) return this.#storeLater(begun, bound, computing, readTime);
    const stored = this.#store(begun, bound);
    const computeTime = now();
    return stored.length === 0
      ? this.#end(readTime, computeTime)
      : this.#endLater(stored, readTime, computeTime);
  }

  async #runLater(begun: Begun): Promise<TaskStats> {
    try {
      const { windows } = begun;
      const blocks = windows.length === 1 ? [await windows[0]!] : await allOf(windows);
      const readTime = now();
      const bound = this.#bound(begun, blocks);
      const computing = this.#compute(begun, bound);
      if (computing instanceof Promise) await computing;
      const stored = this.#store(begun, bound);
      const computeTime = now();
      return await this.#endLater(stored, readTime, computeTime);
    } catch (error) {
      return this.fail(error);
    }
  }

  /** What is read is there, and a backend computes that takes its time. */
  async #storeLater(
    begun: Begun,
    bound: readonly Block[],
    computing: Promise<void>,
    readTime: number,
  ): Promise<TaskStats> {
    try {
      await computing;
      const stored = this.#store(begun, bound);
      const computeTime = now();
      return await this.#endLater(stored, readTime, computeTime);
    } catch (error) {
      return this.fail(error);
    }
  }

  async #endLater(
    stored: readonly Promise<void>[],
    readTime: number,
    computeTime: number,
  ): Promise<TaskStats> {
    try {
      if (stored.length === 1) await stored[0];
      else await allOf(stored);
      return this.#end(readTime, computeTime);
    } catch (error) {
      return this.fail(error);
    }
  }

  #end(readTime: number, computeTime: number): TaskStats {
    const measuredMem = this.#borrowed.most;
    this.#borrowed.giveBack();
    const { reads, writes } = this.#compiled;
    const bytes = { bytesRead: bytesOf(reads, this.#using), bytesWritten: bytesOf(writes, this.#using) };
    const startTime = this.#startTime;
    return { startTime, readTime, computeTime, endTime: now(), ...bytes, measuredMem };
  }

  /** At once where nothing is under way. */
  fail(error: unknown): Promise<never> {
    if (this.#underWay.length > 0) return this.#failLater(error);
    this.#borrowed.giveBack();
    throw error;
  }

  async #failLater(error: unknown): Promise<never> {
    await Promise.allSettled(this.#underWay);
    this.#borrowed.giveBack();
    throw error;
  }

  #begin(): Begun {
    const [using, borrowed] = [this.#using, this.#borrowed];
    const rounded = roundsOf(this.#compiled);
    const task = rounded?.rest ?? this.#compiled;
    const into = isStraightCopy(task) ? outputOf(task, using, borrowed) : undefined;
    const given: Block[] = [];
    if (into !== undefined) given[task.writes[0]!.buffer] = into;
    const windows = task.reads.map(({ array, box }) =>
      this.#watched(using.source(array).window(box, borrowed, into)),
    );
    if (rounded !== null) {
      given[rounded.sum] = sumOf(rounded, using, borrowed);
      windows.push(this.#watched(runRounds(rounded, given[rounded.sum]!, using, borrowed)));
    }
    return { task, windows, given };
  }

  #watched<T>(soon: Soon<T>): Soon<T> {
    if (soon instanceof Promise) this.#underWay.push(soon);
    return soon;
  }

  /** The task's blocks, by buffer. */
  #bound({ task: { reads, writes }, given }: Begun, windows: readonly Block[]): Block[] {
    const bound: Block[] = [...given];
    for (const { array, box, buffer } of writes)
      bound[buffer] = given[buffer] ?? this.#using.target(array).block(box, this.#borrowed);
    reads.forEach(({ buffer }, i) => {
      bound[buffer] = windows[i]!;
    });
    return bound;
  }

  #compute({ task: { program, reads }, given }: Begun, bound: readonly Block[]): Soon<void> {
    // What was read straight into its place is there.
    const isThere =
      program.steps.length === 0 || (reads.length === 1 && given.includes(bound[reads[0]!.buffer]!));
    if (!isThere) return this.#watched(this.#using.run(program, bound, this.#borrowed));
  }

  /** Begins to store what the program made: the stores that take a while. */
  #store({ task: { writes } }: Begun, bound: readonly Block[]): Promise<void>[] {
    return writes.flatMap(({ array, box, buffer }) => {
      const stored = this.#watched(this.#using.target(array).store(box, bound[buffer]!, this.#borrowed));
      return stored instanceof Promise ? [stored] : [];
    });
  }
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

const bytesOf = (windows: readonly Window[], { arrays }: TaskArrays): number =>
  windows.reduce((sum, { array, box }) => sum + blockBytes(denseOf(arrays.get(array)!).dtype, box.shape), 0);

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
