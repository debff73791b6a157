// The pool of task threads: each runs whole tasks, with its own memory and its own access to stores. What is held in
// memory is shared by address. In: tasks by number. Out: what the threads tell. A thread that dies is replaced, and
// its tasks are lost: the scheduler begins them again.

import { type Block, subBlock } from "../../core/block.ts";
import type { Box } from "../../core/box.ts";
import { chunkBox, placeOf } from "../../core/chunks.ts";
import type { Partition } from "../../expr/op.ts";
import { Borrowed } from "../../kernel/blocks.ts";
import { copyElements } from "../../kernel/routines/walk.ts";
import { addressOf, isShared } from "../../kernel/wasm/memory.ts";
import { partitionFormat } from "../../ops/partitions.ts";
import { type Json, planToJson } from "../../plan/json.ts";
import { isRagged, type Operation, type PlanData, readsOf } from "../../plan/plan.ts";
import { taskWindows } from "../../plan/windows.ts";
import { locationOf } from "../../storage/location.ts";
import type { Store } from "../../storage/store.ts";
import type { ZarrArray } from "../../storage/zarr/array.ts";
import type { HeldArray, StoredArray } from "../arrays.ts";
import type { TaskStats } from "../events.ts";
import type { Execution } from "../execution.ts";
import { chunksIn } from "../planGraph.ts";
import type { Attempt } from "../scheduler/entry.ts";
import { functionsOf } from "../userFunctions.ts";
import {
  type BareTask,
  type FromThread,
  type SentPart,
  type SentTask,
  type SharedPart,
  type StoredPlace,
  type StoreHandle,
  sharedBlock,
  type ToThread,
} from "./messages.ts";
import { packTasks, unpackDone } from "./packing.ts";
import { LostWorker, type Pool, type TaskJob } from "./pool.ts";
import { receiveError, sendError } from "./sentError.ts";
import {
  areStarted,
  giveThread,
  type Loss,
  type TaskThread,
  type ThreadKind,
  takeThread,
} from "./taskThread.ts";

/**
 * Where everything is in memory, the threads share the loops of one task after another instead. Where little is read
 * and written, all is done before a thread has begun.
 */
export async function threadPool(
  execution: Execution,
  threads: number,
  isAskedFor: boolean,
): Promise<Pool | undefined> {
  const functions = functionsOf(execution.request.plan);
  // A closure cannot leave this thread: its reference says so, to whoever asked for other threads.
  if (isAskedFor) for (const called of functions) called.reference();
  const isInMemory = execution.isInMemory && functions.length === 0;
  if (isInMemory || !isShared || !execution.isPortable) return undefined;
  const enough = execution.isPlain
    ? threads <= SYSTEM_THREADS
      ? Number.POSITIVE_INFINITY
      : PLAIN_BYTES
    : execution.partitioned.size > 0
      ? LITTLE_RAGGED_BYTES
      : LITTLE_BYTES;
  const isLittle = execution.storedBytes < enough && functions.length === 0 && !hasMany(execution);
  return isLittle && !isAskedFor ? undefined : new ThreadPool(execution, threads);
}

/** So many tasks are worth starting threads for, however small they are; fewer where threads are there already. */
const MANY_TASKS = 30_000;
const MANY_FOR_THREADS = 3_000;

function hasMany({ graph, request, isPlain }: Execution): boolean {
  const tasks = graph.operations.reduce((sum, operation) => sum + operation.tasks, 0);
  const isDense = request.plan.operations.every((operation) => !isRagged(operation));
  return isDense && !isPlain && tasks >= (areStarted(kindFor(request.plan)) ? MANY_FOR_THREADS : MANY_TASKS);
}

/** About what one thread reads, computes and writes in the time that it takes to start others. */
const LITTLE_BYTES = 32e6;
/** Threads for partitions load more, and what they make is packed to travel. */
const LITTLE_RAGGED_BYTES = 256e6;
/** The same where the system does the reading and writing, with so many threads. */
const PLAIN_BYTES = 1e9;
const SYSTEM_THREADS = 4;

let runs = 0;

/** A task that a thread has. */
interface Sent {
  readonly thread: TaskThread;
  readonly lane: number;
  resolve(stats: TaskStats): void;
  reject(error: Error): void;
  /** Blocks that were borrowed for it, and what is copied out of them at its end. */
  readonly borrowed: Borrowed;
  readonly copies: readonly { readonly from: Block; readonly to: Block }[];
  /** Partitions that it has made so far, and what becomes of them when it is done. */
  readonly parts?: SentPart[];
  readonly take?: () => Promise<void>;
}

class ThreadPool implements Pool {
  readonly name = "threads";
  readonly workers: number;
  readonly ahead = 255;
  readonly canEnd = true;
  readonly #run = ++runs;
  readonly #execution: Execution;
  readonly #threads: (TaskThread | null)[];
  readonly #sent = new Map<number, Sent>();
  readonly #stores: Store[] = [];
  readonly #outgoing = new Map<TaskThread, (BareTask | SentTask)[]>();
  /** By operation: all its arrays are in stores. */
  readonly #isBare: readonly boolean[];
  readonly #opening: ToThread;
  readonly #kind: ThreadKind;
  readonly #unwatch: () => void;
  /** Of the plan's arrays. */
  readonly #numbers: ReadonlyMap<string, number>;

  constructor(execution: Execution, threads: number) {
    this.#execution = execution;
    this.workers = threads * execution.lanes;
    this.#threads = new Array<TaskThread | null>(threads).fill(null);
    this.#kind = kindFor(execution.request.plan);
    this.#unwatch = execution.watch?.during((why) => this.#endAll(why)) ?? (() => {});
    const plan: Json = planToJson(execution.request.plan);
    const stored = [...execution.stored].map(([name, array]) => this.#placeOf(name, array));
    const partitioned = [...execution.partitioned].map(([array, { resource }]) => ({
      array,
      location: resource.location()!,
    }));
    const names = execution.request.plan.arrays.map(({ name }) => name);
    const limits = execution.request.plan.operations.map((operation) => execution.limitOf(operation));
    this.#opening = { type: "open", run: this.#run, plan, names, stored, partitioned, limits };
    this.#numbers = new Map(names.map((name, i) => [name, i]));
    this.#isBare = execution.request.plan.operations.map((operation) =>
      [...readsOf(operation), ...operation.outputs.map(({ array }) => array)].every((name) =>
        execution.stored.has(name),
      ),
    );
  }

  #placeOf(name: string, { array, offset }: StoredArray): StoredPlace {
    return { ...this.#zarrPlace(name, array), offset };
  }

  #zarrPlace(name: string, array: ZarrArray): StoredPlace {
    const { store, path, shape, writesEmptyChunks } = array;
    const offset = shape.map(() => 0);
    return { array: name, store: this.#handleOf(store), path, offset, writeEmptyChunks: writesEmptyChunks };
  }

  /** A store that threads cannot open themselves is reached through this thread. */
  #handleOf(store: Store): StoreHandle {
    const location = locationOf(store);
    if (location !== null) return location;
    const known = this.#stores.indexOf(store);
    return { kind: "proxy", id: known < 0 ? this.#stores.push(store) - 1 : known };
  }

  #threadFor(worker: number): TaskThread {
    const at = worker % this.#threads.length;
    const known = this.#threads[at];
    if (known?.isAlive) return known;
    const thread = takeThread(
      this.#kind,
      (message) => this.#hear(thread, message),
      (why) => this.#lose(thread, why),
    )!;
    thread.hold(true);
    thread.send(this.#opening);
    this.#threads[at] = thread;
    return thread;
  }

  run(job: TaskJob): Promise<TaskStats> {
    const { ref, attempt } = job;
    if (!this.#isBare[ref.op]) return this.#runShared(job);
    const { id, worker: lane } = attempt;
    const thread = this.#threadFor(lane);
    return new Promise((resolve, reject) => {
      this.#sent.set(id, { thread, lane, resolve, reject, borrowed: NOTHING, copies: [] });
      this.#post(thread, { id, lane, op: ref.op, task: ref.task });
    });
  }

  /** Some of it is in memory: the thread is told where. */
  #runShared({ ref, attempt, outputs }: TaskJob): Promise<TaskStats> {
    const { worker, id } = attempt;
    const thread = this.#threadFor(worker);
    const operation = this.#execution.graph.plan.operations[ref.op]!;
    const place = placeOf(ref.task, operation.grid);
    const borrowed = new Borrowed();
    const copies: { from: Block; to: Block }[] = [];
    const reads = this.#reads(operation, place, borrowed);
    const writes = operation.outputs.flatMap(({ array }): SharedPart[] => {
      const { shape, chunks, ragged } = this.#execution.arrays.get(array)!;
      // A partition comes back when it is known how long it is.
      if (ragged !== undefined) return [];
      const box = chunkBox(shape, chunks, place);
      const held = this.#execution.held.get(array);
      if (held !== undefined)
        return [partOf(array, box, shared(outputs.block(held, box), box, borrowed, copies))];
      const whole = this.#execution.memory.get(array)?.whole;
      if (whole === undefined) return [];
      return [partOf(array, box, shared(subBlock(whole, box.start, box.shape), box, borrowed, copies))];
    });
    return new Promise((resolve, reject) => {
      const parts: SentPart[] = [];
      const take = (): Promise<void> => this.#take(parts, ref.task, outputs);
      this.#sent.set(id, { thread, lane: worker, resolve, reject, borrowed, copies, parts, take });
      const task = { id, lane: worker, op: ref.op, task: ref.task, reads, writes };
      this.#post(thread, { ...task, held: this.#heldPlaces(operation), storesAll: outputs.storesAll });
    });
  }

  /** Tasks that are given out at once are sent at once. */
  #post(thread: TaskThread, task: BareTask | SentTask): void {
    if (this.#outgoing.size === 0) queueMicrotask(() => this.#flush());
    const tasks = this.#outgoing.get(thread);
    if (tasks === undefined) this.#outgoing.set(thread, [task]);
    else tasks.push(task);
  }

  #flush(): void {
    for (const [thread, tasks] of this.#outgoing) thread.send(this.#messageOf(tasks));
    this.#outgoing.clear();
  }

  /** In the order in which they were given out: of a thread that dies, the first was running. */
  #messageOf(tasks: readonly (BareTask | SentTask)[]): ToThread {
    const isPlain = (task: BareTask | SentTask): boolean => !("held" in task) || task.held.length === 0;
    if (!tasks.every(isPlain)) return { type: "tasks", run: this.#run, tasks };
    return { type: "packedTasks", run: this.#run, tasks: packTasks(tasks, this.#numbers) };
  }

  /** Intermediates of the operation that are in a store. */
  #heldPlaces(operation: Operation): StoredPlace[] {
    const { held } = this.#execution;
    if (held.size === 0) return [];
    const names = new Set(operation.outputs.map(({ array }) => array));
    for (const step of operation.steps) if (step.kind === "read") names.add(step.array);
    return [...names].flatMap((name) => {
      const store = held.get(name)?.store ?? null;
      return store === null ? [] : [this.#zarrPlace(name, store)];
    });
  }

  /** What a task reads out of memory. */
  #reads(operation: Operation, place: readonly number[], borrowed: Borrowed): SharedPart[] {
    const { memory, held, arrays } = this.#execution;
    if (memory.size === 0 && held.size === 0) return [];
    return taskWindows(operation, arrays, place).flatMap(({ array, box }) => {
      const whole = memory.get(array)?.whole;
      if (whole !== undefined) return [readPart(array, box, subBlock(whole, box.start, box.shape), borrowed)];
      const chunked = held.get(array);
      return chunked === undefined ? [] : heldParts(chunked, box, borrowed);
    });
  }

  #hear(thread: TaskThread, message: FromThread): void {
    if (message.type === "request") void this.#answer(thread, message);
    if (message.type !== "reports") return;
    for (const part of message.parts) this.#sent.get(part.id)?.parts?.push(part);
    unpackDone(message.done, (id, stats) => this.#end(id, stats, null));
    for (const { id, error } of message.failed) this.#end(id, null, receiveError(error));
  }

  #end(id: number, stats: TaskStats | null, error: Error | null): void {
    const sent = this.#sent.get(id);
    if (sent === undefined) return;
    this.#sent.delete(id);
    if (stats !== null) for (const { from, to } of sent.copies) copyElements(from, to);
    sent.borrowed.giveBack();
    if (stats === null) sent.reject(error!);
    else if (sent.parts === undefined || sent.parts.length === 0) sent.resolve(stats);
    else sent.take!().then(() => sent.resolve(stats), sent.reject);
  }

  /** Partitions of intermediates are the attempt's; those of results go to whoever takes them. */
  async #take(parts: readonly SentPart[], task: number, outputs: TaskJob["outputs"]): Promise<void> {
    for (const { array, bytes } of parts) {
      const held = this.#execution.held.get(array);
      if (held !== undefined) outputs.hold(held, bytes);
      else await this.#execution.taken.get(array)!.put(task, unpackedFor(this.#execution, array, bytes));
    }
  }

  async #answer(
    thread: TaskThread,
    { request, store, method, args }: FromThread & { type: "request" },
  ): Promise<void> {
    try {
      const value = await storeCall(this.#stores[store]!, method, args);
      thread.send({ type: "answer", request, value });
    } catch (error) {
      thread.send({ type: "answer", request, value: undefined, error: sendError(error) });
    }
  }

  /** Of each lane the first task was running, and the others waited behind it. */
  #lose(thread: TaskThread, why: Loss): void {
    const lanes = new Set<number>();
    for (const [id, sent] of this.#sent) {
      if (sent.thread !== thread) continue;
      this.#sent.delete(id);
      sent.borrowed.giveBack();
      sent.reject(
        typeof why === "string"
          ? new LostWorker(`task thread ${thread.number} died: ${why}`, !lanes.has(sent.lane))
          : why,
      );
      lanes.add(sent.lane);
    }
  }

  /** In the midst of what they do. */
  #endAll(why: Loss): void {
    for (const thread of this.#threads) {
      if (thread === null || !thread.isAlive) continue;
      thread.end();
      this.#lose(thread, why);
    }
  }

  /** Threads that still run something are ended: what they do does not count any more, and must not go on. */
  async close(running: readonly Attempt[]): Promise<void> {
    this.#unwatch();
    const busy = new Set(running.map(({ worker }) => worker % this.#threads.length));
    for (const [at, thread] of this.#threads.entries()) {
      if (thread === null) continue;
      if (busy.has(at)) thread.end();
      else thread.send({ type: "close", run: this.#run });
      giveThread(thread);
    }
    for (const { borrowed } of this.#sent.values()) borrowed.giveBack();
    this.#sent.clear();
  }
}

const kindFor = (plan: PlanData): ThreadKind =>
  functionsOf(plan).length === 0 && !plan.operations.some(isRagged) ? "plans" : "all";

const unpackedFor = ({ arrays }: Execution, array: string, bytes: Uint8Array): Partition =>
  partitionFormat().unpack(bytes, arrays.get(array)!.ragged!.form);

/** Nothing was borrowed, and nothing is given back. */
const NOTHING = new Borrowed();

const partOf = (array: string, box: Box, block: Block): SharedPart => ({
  array,
  box,
  block: sharedBlock(block),
});

/** The block itself where threads can see it; else one that is copied into it at the end. */
function shared(block: Block, box: Box, borrowed: Borrowed, copies: { from: Block; to: Block }[]): Block {
  if (addressOf(block) !== null) return block;
  const visible = borrowed.block(block.dtype, box.shape);
  copies.push({ from: visible, to: block });
  return visible;
}

function readPart(array: string, box: Box, block: Block, borrowed: Borrowed): SharedPart {
  if (addressOf(block) !== null) return partOf(array, box, block);
  // A partition has as many bytes as it has.
  const visible = borrowed.block(block.dtype, block.shape);
  copyElements(block, visible);
  return partOf(array, box, visible);
}

function heldParts(held: HeldArray, box: Box, borrowed: Borrowed): SharedPart[] {
  return [...chunksIn(box, held.plan)].flatMap((chunk) => {
    const block = held.inMemory(chunk);
    return block === undefined ? [] : [readPart(held.plan.name, held.boxOf(chunk), block, borrowed)];
  });
}

async function storeCall(store: Store, method: string, args: readonly unknown[]): Promise<unknown> {
  const call = (store as unknown as { [name: string]: unknown })[method];
  if (typeof call === "function") return Reflect.apply(call, store, args as unknown[]);
  // Stores need not have more than `get`.
  const [key] = args as [`/${string}`];
  if (method === "has") return (await store.get(key)) !== undefined;
  throw new TypeError(`the store has no ${method}`);
}
