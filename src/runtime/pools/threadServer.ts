// A thread that runs tasks. In: plans, and tasks of them by number, with the addresses of what is in memory. Out: how
// each task went. It reads and writes stores itself; what only the main thread can reach, it asks that for.

import { InvariantError } from "../../core/errors.ts";
import { denseOf, raggedOf } from "../../expr/op.ts";
import type { Backend } from "../../kernel/backend.ts";
import { storeAt } from "../../storage/location.ts";
import type { Store } from "../../storage/store.ts";
import type { StoredArray, TaskArrays } from "../arrays.ts";
import type { TaskStats } from "../events.ts";
import { runTask } from "../task.ts";
import type { TaskParts } from "../taskParts.ts";
import { AskedStores } from "./askedStores.ts";
import type {
  BareTask,
  DoneTask,
  FailedTask,
  FromThread,
  SentPart,
  SentTask,
  StoreHandle,
  ThreadSetting,
  ToThread,
} from "./messages.ts";
import { aloneOn, type OpenedRun, type OpeningParts, openRun, openStored, targetOf } from "./openRun.ts";
import { packDone, unpackTasks } from "./packing.ts";
import { parentPort } from "./parentPort.ts";
import { sendError } from "./sentError.ts";
import { chunksShown, type See, SharedSource, SharedTarget } from "./sharedArrays.ts";
import { SentPartitions, ThreadPartitions } from "./threadPartitions.ts";

interface OpenRun {
  readonly opening: Promise<OpenedRun>;
  /** What it is once it is open. */
  run: OpenedRun | null;
  /** Of the plan's arrays. */
  readonly names: readonly string[];
}

interface Lane {
  readonly queue: { readonly run: number; readonly task: BareTask | SentTask }[];
  isBusy: boolean;
}

/** `parts`: what its tasks need of other rooms. `backend`: this thread's own, which sees what the main thread's shows. */
export async function serveTasks(parts: TaskParts, backend: Backend): Promise<void> {
  const line = await parentPort<ThreadSetting, FromThread, ToThread>();
  const server = new ThreadServer(parts, backend, backend.join(line.setting.shared), line.send);
  line.listen((message) => server.receive(message));
  line.send({ type: "ready" });
}

/** How long a report may wait for others: telling wakes the other thread, which costs as much as a small task. */
const REPORT_MS = 8;

/** All that a thread has. */
class ThreadServer {
  readonly #parts: TaskParts;
  /** A thread among others computes alone. */
  readonly #using: OpeningParts;
  /** Blocks of the main thread's. */
  readonly #see: See;
  readonly #send: (message: FromThread) => void;
  readonly #runs = new Map<number, OpenRun>();
  readonly #stores = new Map<string, Promise<Store>>();
  readonly #asked: AskedStores;
  readonly #lanes = new Map<number, Lane>();
  #running = 0;
  /** Tasks that were sent here and not told of yet. */
  #waiting = 0;
  #done: DoneTask[] = [];
  #failed: FailedTask[] = [];
  #made: SentPart[] = [];
  #reported = 0;

  constructor(parts: TaskParts, backend: Backend, see: See, send: (message: FromThread) => void) {
    this.#parts = parts;
    this.#using = { parts, computing: aloneOn(backend), storeFor: (handle) => this.#storeFor(handle) };
    this.#see = see;
    this.#send = send;
    this.#asked = new AskedStores(send);
  }

  receive(message: ToThread): void {
    switch (message.type) {
      case "open":
        return this.#open(message);
      case "close":
        this.#runs.delete(message.run);
        return;
      case "packedTasks":
        return unpackTasks(message.tasks, this.#runs.get(message.run)!.names, (task) =>
          this.#enqueue(message.run, task),
        );
      case "tasks":
        for (const task of message.tasks) this.#enqueue(message.run, task);
        return;
      case "answer":
        return this.#asked.answered(message);
      default:
        message satisfies never;
    }
  }

  #open(message: ToThread & { type: "open" }): void {
    const opened: OpenRun = { opening: openRun(message, this.#using), run: null, names: message.names };
    this.#runs.set(message.run, opened);
    opened.opening.then(
      (run) => {
        opened.run = run;
      },
      // Who runs a task of it sees why it could not be opened.
      () => {},
    );
  }

  /** Opened once: what a store knows serves later runs too. */
  #storeFor(handle: StoreHandle): Promise<Store> {
    if (handle.kind === "proxy") return Promise.resolve(this.#asked.store(handle.id));
    const key = JSON.stringify(handle);
    const known = this.#stores.get(key) ?? storeAt(handle, { blocking: true });
    this.#stores.set(key, known);
    // One that cannot be opened now may be later.
    known.catch(() => this.#stores.delete(key));
    return known;
  }

  #enqueue(run: number, task: BareTask | SentTask): void {
    this.#waiting++;
    let lane = this.#lanes.get(task.lane);
    if (lane === undefined) {
      lane = { queue: [], isBusy: false };
      this.#lanes.set(task.lane, lane);
    }
    lane.queue.push({ run, task });
    if (lane.isBusy) return;
    lane.isBusy = true;
    // Those that came together are counted before the first is done.
    void Promise.resolve(lane).then((busy) => this.#work(busy));
  }

  async #work(lane: Lane): Promise<void> {
    for (let next = lane.queue.shift(); next !== undefined; next = lane.queue.shift()) {
      const waiting = this.#perform(next.run, next.task);
      if (waiting !== undefined) await waiting;
    }
    lane.isBusy = false;
  }

  /** At once, where nothing is waited for. */
  #perform(number: number, task: BareTask | SentTask): Promise<void> | undefined {
    const { id } = task;
    this.#running++;
    const isAlone = this.#running === 1;
    try {
      const stats = this.#statsOf(number, task);
      if (stats instanceof Promise) return this.#performed(id, stats, isAlone);
      this.#succeed(id, stats, isAlone);
    } catch (error) {
      this.#fail(id, error);
    }
    return undefined;
  }

  async #performed(id: number, stats: Promise<TaskStats>, isAlone: boolean): Promise<void> {
    try {
      this.#succeed(id, await stats, isAlone);
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #statsOf(number: number, task: BareTask | SentTask): TaskStats | Promise<TaskStats> {
    const run = this.#runs.get(number)?.run;
    if (run === undefined || run === null || "held" in task) return this.#statsLater(number, task);
    return runTask(run.plan.operations[task.op]!, task.task, run.bare);
  }

  async #statsLater(number: number, task: BareTask | SentTask): Promise<TaskStats> {
    const open = this.#runs.get(number);
    if (open === undefined) throw new InvariantError({ what: `run ${number} is not open` });
    const run = open.run ?? (await open.opening);
    if ("held" in task) await this.#openHeld(run, task);
    const arrays = "held" in task ? this.#arraysOf(run, task) : run.bare;
    return runTask(run.plan.operations[task.op]!, task.task, arrays);
  }

  #succeed(id: number, stats: TaskStats, isAlone: boolean): void {
    this.#done.push({ id, stats: isAlone ? stats : { ...stats, measuredMem: null } });
    this.#report();
  }

  #fail(id: number, error: unknown): void {
    this.#failed.push({ id, error: sendError(error) });
    this.#report();
  }

  #report(): void {
    this.#running--;
    this.#waiting--;
    const time = performance.now();
    if (this.#waiting > 0 && time - this.#reported < REPORT_MS) return;
    this.#reported = time;
    this.#send({ type: "reports", done: packDone(this.#done), failed: this.#failed, parts: this.#made });
    this.#done = [];
    this.#failed = [];
    this.#made = [];
  }

  /** Intermediates go to a store when memory is short: threads hear of it with the tasks that read them. */
  async #openHeld({ stored, codecs }: OpenedRun, { held }: SentTask): Promise<void> {
    for (const place of held)
      if (!stored.has(place.array)) stored.set(place.array, await openStored(place, codecs, this.#using));
  }

  #arraysOf(run: OpenedRun, { id, reads, writes, storesAll }: SentTask): TaskArrays {
    const { arrays, sources, targets, stored, partitioned, limitOf, taskMem } = run;
    const { partitions } = this.#parts;
    const storeOf = (name: string): StoredArray | null => stored.get(name) ?? null;
    const keptIn = (name: string): StoredArray | null => (storesAll ? storeOf(name) : null);
    return {
      ...{ arrays, limitOf, taskMem, partitions, ...this.#using.computing },
      source: (name) =>
        sources.get(name) ??
        targets.get(name) ??
        new SharedSource(denseOf(arrays.get(name)!), this.#see, reads, storeOf(name)),
      partitionSource: (name) => {
        const chunks = chunksShown(name, this.#see, reads);
        const read = partitioned.get(name) ?? null;
        return new ThreadPartitions(raggedOf(arrays.get(name)!), chunks, storeOf(name), read, partitions!);
      },
      partitionTarget: (name) =>
        new SentPartitions(id, name, keptIn(name), partitions!, (part) => this.#made.push(part)),
      target: (name) => {
        const part = writes.find(({ array }) => array === name);
        return part === undefined
          ? targetOf(name, targets)
          : new SharedTarget(this.#see(part.block), keptIn(name));
      },
    };
  }
}
