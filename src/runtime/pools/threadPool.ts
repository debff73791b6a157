// The pool of task threads: each runs whole tasks, with its own memory and its own access to stores. What is held in
// memory is shared by address. In: tasks by number. Out: what the threads tell. A thread that dies is replaced, and
// its tasks are lost: the scheduler begins them again.

import type { Block } from "../../core/block.ts";
import { ValueError } from "../../core/errors.ts";
import { type Partition, raggedOf } from "../../expr/op.ts";
import type { Borrowed } from "../../kernel/blockProgram.ts";
import { copyElements } from "../../kernel/routines/stridedWalk.ts";
import { isRagged, type Operation, readsOf } from "../../plan/plan.ts";
import { type Json, planToJson } from "../../plan/planJson.ts";
import { NotSupportedError } from "../../storage/errors.ts";
import type { DenseTarget } from "../../storage/formats/denseFormat.ts";
import type { Store } from "../../storage/store.ts";
import type { ZarrArray } from "../../storage/zarr/array.ts";
import type { TaskStats } from "../events.ts";
import type { RunArrays } from "../runArrays.ts";
import type { Attempt } from "../scheduler/entry.ts";
import { storeOfTarget } from "../storedArrays.ts";
import { functionsOf } from "../userFunctions.ts";
import { answerTo, type StoreRequest } from "./askedStores.ts";
import type {
  BareTask,
  FormatPlace,
  FromThread,
  SentPart,
  SentTask,
  StoredPlace,
  StoreHandle,
  ToThread,
} from "./messages.ts";
import { packTasks, unpackDone } from "./packing.ts";
import { type CarriedRun, type Executor, LostWorker, type Pool, type TaskJob } from "./pool.ts";
import { receiveError } from "./sentError.ts";
import { shareTask } from "./sharing.ts";
import { type Loss, type TaskThread, TaskThreads, type ThreadKind } from "./taskThread.ts";

/** Whole tasks on threads, which are kept for later runs. */
export function threadExecutor(): Executor {
  const threads = new TaskThreads();
  return { name: "threads", pool: (run) => threadPool(run, threads) };
}

/** Who asks for threads gets them, or hears why there are none; who does not, gets them where they gain something. */
function threadPool(run: CarriedRun, threads: TaskThreads): Pool | undefined {
  const { arrays, isAskedFor } = run;
  if (!isAskedFor) return isWorthThreads(run, threads) ? new ThreadPool(run, threads) : undefined;
  // A closure cannot leave this thread: its reference says so.
  for (const called of functionsOf(arrays.request.plan)) called.reference();
  if (arrays.hereOnly !== null) throw new ValueError(arrays.hereOnly);
  return isShared(arrays) && arrays.isPortable ? new ThreadPool(run, threads) : noThreads(arrays);
}

const isShared = ({ backend }: RunArrays): boolean => backend.share() !== null;

function noThreads(arrays: RunArrays): undefined {
  if (isShared(arrays)) return undefined;
  throw new NotSupportedError({
    what: `the backend ${arrays.backend.name} has no memory that threads can share, as where a page is not cross-origin isolated`,
    cure: 'Serve the page with COOP and COEP headers, or leave executor: "threads" out',
  });
}

/**
 * Where everything is in memory, the threads share the loops of one task after another instead. Where little is read
 * and written, all is done before a thread has begun.
 */
function isWorthThreads({ arrays: execution, threads }: CarriedRun, started: TaskThreads): boolean {
  const functions = functionsOf(execution.request.plan);
  const isInMemory = execution.isInMemory && functions.length === 0;
  if (threads === 1 || isInMemory || !isShared(execution) || !execution.isPortable) return false;
  // Partitions in memory would have to be packed for threads.
  if ([...execution.partitioned.values()].some(({ resource }) => resource.isInMemory)) return false;
  const enough = execution.isPlain
    ? threads <= SYSTEM_THREADS
      ? Number.POSITIVE_INFINITY
      : PLAIN_BYTES
    : execution.partitioned.size > 0
      ? LITTLE_RAGGED_BYTES
      : LITTLE_BYTES;
  return execution.storedBytes >= enough || functions.length > 0 || hasMany(execution, started);
}

/** So many tasks are worth starting threads for, however small they are; fewer where threads are there already. */
const MANY_TASKS = 30_000;
const MANY_FOR_THREADS = 3_000;

function hasMany(arrays: RunArrays, threads: TaskThreads): boolean {
  const { graph, request, isPlain, backend } = arrays;
  const tasks = graph.operations.reduce((sum, operation) => sum + operation.tasks, 0);
  const isDense = request.plan.operations.every((operation) => !isRagged(operation));
  const areStarted = threads.areStarted(kindFor(arrays), backend.share());
  return isDense && !isPlain && tasks >= (areStarted ? MANY_FOR_THREADS : MANY_TASKS);
}

/** About what one thread reads, computes and writes in the time that it takes to start others. */
const LITTLE_BYTES = 32e6;
/** Threads for partitions load more, and what they make is packed to travel. */
const LITTLE_RAGGED_BYTES = 256e6;
/** The same where the system does the reading and writing, with so many threads. */
const PLAIN_BYTES = 1e9;
const SYSTEM_THREADS = 4;

/** A task that a thread has. */
interface Sent {
  readonly thread: TaskThread;
  readonly lane: number;
  resolve(stats: TaskStats): void;
  reject(error: Error): void;
  /** Blocks that were borrowed for it, if any were, and what is copied out of them at its end. */
  readonly borrowed: Borrowed | null;
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
  readonly hasOwnMemory = true;
  readonly endedThreads: Set<number> = new Set();
  readonly #run: number;
  readonly #execution: RunArrays;
  readonly #started: TaskThreads;
  readonly #threads: (TaskThread | null)[];
  readonly #sent = new Map<number, Sent>();
  readonly #stores: Store[] = [];
  readonly #outgoing = new Map<TaskThread, (BareTask | SentTask)[]>();
  /** By operation: all its arrays are in stores. */
  readonly #isBare: readonly boolean[];
  readonly #opening: ToThread;
  readonly #kind: ThreadKind;
  readonly #unwatch: () => void;
  /** Does what threads cannot. */
  readonly #here: Pool;
  /** Of the plan's arrays. */
  readonly #numbers: ReadonlyMap<string, number>;

  constructor({ arrays: execution, threads, here }: CarriedRun, started: TaskThreads) {
    this.#execution = execution;
    this.#started = started;
    this.#run = started.nextRun();
    this.workers = threads * execution.lanes;
    this.#threads = new Array<TaskThread | null>(threads).fill(null);
    this.#kind = kindFor(execution);
    this.#unwatch = execution.watch?.during((why) => void this.#endAll(why)) ?? (() => {});
    this.#here = here(1);
    const { codecs, formats } = execution.request;
    const plan: Json = planToJson(execution.request.plan);
    const { sources, targets } = this.#formatPlaces();
    const partitioned = [...execution.partitioned].flatMap(([array, { resource }]) => {
      const location = resource.location();
      return location === null ? [] : [{ array, location }];
    });
    const names = execution.request.plan.arrays.map(({ name }) => name);
    const limits = execution.request.plan.operations.map((operation) => execution.limitOf(operation));
    const taskMem = execution.taskMemAmong(this.workers);
    const own = { codecs: codecs?.sent() ?? [], formats: formats?.sent() ?? [] };
    const places = { sources, targets, partitioned, stored: [] };
    this.#opening = { type: "open", run: this.#run, plan, names, ...places, ...own, limits, taskMem };
    this.#numbers = new Map(names.map((name, i) => [name, i]));
    this.#isBare = execution.request.plan.operations.map((operation) =>
      [...readsOf(operation), ...operation.outputs.map(({ array }) => array)].every(
        (name) => execution.sources.has(name) || execution.written.has(name),
      ),
    );
  }

  #formatPlaces(): { sources: FormatPlace[]; targets: FormatPlace[] } {
    const { sources, written } = this.#execution;
    return {
      sources: [...sources].map(([name, source]) => {
        const { format, place, array, sentOptions: sent } = source;
        return { array: name, format, store: this.#handleOf(place.store, array), path: place.path, sent };
      }),
      targets: [...written].map(([name, result]) => {
        const { format, place, target } = result;
        const store = this.#handleOf(storeOfTarget(result), target);
        return { array: name, format, store, path: place.path, sent: target.sent };
      }),
    };
  }

  #zarrPlace(name: string, array: ZarrArray): StoredPlace {
    const { path, store, shards, writesEmptyChunks: writeEmptyChunks, expectsAll } = array;
    const handle = this.#handleOf(store, { readsParts: shards !== null });
    return { array: name, store: handle, path, writeEmptyChunks, expectsAll };
  }

  /** A store that threads cannot open themselves is reached through this thread; so are parts that are kept for all. */
  #handleOf(store: Store, { readsParts }: Pick<DenseTarget, "readsParts">): StoreHandle {
    const isKept = readsParts === true && store.keepsObjects === true;
    const location = isKept ? null : (store.location?.() ?? null);
    if (location !== null) return location;
    const known = this.#stores.indexOf(store);
    return { kind: "proxy", id: known < 0 ? this.#stores.push(store) - 1 : known };
  }

  #threadFor(worker: number, op: number): TaskThread {
    const thread = this.#threadAt(worker % this.#threads.length);
    thread.largest = Math.max(thread.largest, this.#execution.graph.operations[op]!.projectedMem);
    return thread;
  }

  #threadAt(at: number): TaskThread {
    const known = this.#threads[at];
    if (known?.isAlive) return known;
    const thread = this.#started.take(this.#kind, this.#execution.backend.share());
    thread.onMessage = (message) => this.#hear(thread, message);
    thread.onLoss = (why) => this.#lose(thread, why);
    thread.hold(true);
    thread.send(this.#opening);
    this.#threads[at] = thread;
    return thread;
  }

  only(workers: number): Promise<void> {
    return this.#started.keep(Math.min(workers, this.#threads.length), this.#kind);
  }

  run(job: TaskJob): TaskStats | Promise<TaskStats> {
    const { ref, attempt } = job;
    if (!this.#isBare[ref.op]) return this.#runShared(job);
    const { id, worker: lane } = attempt;
    const thread = this.#threadFor(lane, ref.op);
    return new Promise((resolve, reject) => {
      this.#sent.set(id, { thread, lane, resolve, reject, borrowed: null, copies: [] });
      this.#post(thread, { id, lane, op: ref.op, task: ref.task });
    });
  }

  /** Some of it is in memory: the thread is told where. Where threads cannot see it, this one does the task. */
  #runShared(job: TaskJob): TaskStats | Promise<TaskStats> {
    const { ref, attempt, outputs } = job;
    const { worker, id } = attempt;
    const shared = shareTask(this.#execution, job);
    if (shared === null) return this.#here.run(job);
    const { reads, writes, borrowed, copies } = shared;
    const thread = this.#threadFor(worker, ref.op);
    const operation = this.#execution.graph.plan.operations[ref.op]!;
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
    sent.borrowed?.giveBack();
    if (stats === null) sent.reject(error!);
    else if (sent.parts === undefined || sent.parts.length === 0) sent.resolve(stats);
    else sent.take!().then(() => sent.resolve(stats), sent.reject);
  }

  /** Partitions of intermediates are the attempt's; those of results go to whoever takes them. */
  async #take(parts: readonly SentPart[], task: number, outputs: TaskJob["outputs"]): Promise<void> {
    for (const { array, bytes } of parts) {
      const held = this.#execution.held.get(array);
      if (held?.kind === "ragged") outputs.hold(held, bytes);
      else await this.#execution.taken.get(array)!.put(task, unpackedFor(this.#execution, array, bytes));
    }
  }

  async #answer(thread: TaskThread, { request, store, method, args }: StoreRequest): Promise<void> {
    thread.send(await answerTo(this.#stores[store]!, { request, method, args }));
  }

  /** The thread is gone. Of each lane the first task was running, and the others waited behind it. */
  #lose(thread: TaskThread, why: Loss): void {
    this.endedThreads.add(thread.number);
    const lanes = new Set<number>();
    for (const [id, sent] of this.#sent) {
      if (sent.thread !== thread) continue;
      const wasBegun = !lanes.has(sent.lane);
      lanes.add(sent.lane);
      const error = typeof why === "string" ? new LostWorker(this.#lossText(thread, why), wasBegun) : why;
      this.#end(id, null, error);
    }
  }

  /** In the midst of what they do. */
  async #endAll(why: Loss): Promise<void> {
    const alive = this.#threads.filter((thread) => thread?.isAlive === true) as TaskThread[];
    await Promise.all(alive.map((thread) => thread.end()));
    for (const thread of alive) this.#lose(thread, why);
  }

  #lossText(thread: TaskThread, why: string): string {
    return `task thread ${thread.number} died: ${why}`;
  }

  /**
   * Threads that still run something are ended: what they do does not count any more, and must not go on. Nothing that
   * they read or write is given back before they have ended.
   */
  async close(running: readonly Attempt[]): Promise<void> {
    this.#unwatch();
    const busy = new Set(running.map(({ worker }) => worker % this.#threads.length));
    await Promise.all(
      this.#threads.map(async (thread, at) => {
        if (thread === null) return;
        if (busy.has(at)) {
          this.endedThreads.add(thread.number);
          await thread.end();
        } else thread.send({ type: "close", run: this.#run });
        this.#started.give(thread);
      }),
    );
    for (const id of [...this.#sent.keys()]) this.#end(id, null, new LostWorker("the run is over", true));
    await this.#here.close([]);
  }
}

/** Users' code may import this package, which must be the one that runs it. */
function kindFor({ request: { plan, codecs, formats }, stores }: RunArrays): ThreadKind {
  const hasOwnCode =
    functionsOf(plan).length > 0 ||
    (codecs?.sent().length ?? 0) > 0 ||
    (formats?.sent().length ?? 0) > 0 ||
    stores.some((store) => store.location?.()?.kind === "module");
  return hasOwnCode || plan.operations.some(isRagged) ? "all" : "plans";
}

const unpackedFor = ({ arrays, partitions }: RunArrays, array: string, bytes: Uint8Array): Partition =>
  partitions!.unpack(bytes, raggedOf(arrays.get(array)!).form);
