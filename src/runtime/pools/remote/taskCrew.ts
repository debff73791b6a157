// Who does the tasks of a worker: task threads, or the thread that asks. In: runs that are opened, and tasks of them. Out: what each
// took; a LostWorker when a thread died of it. Must hold: a task that nobody wants any more is ended with its thread, and what
// others do on that thread begins again elsewhere; stores that threads cannot open are asked for on this one.

import type { StopSignal } from "../../../core/platform.ts";
import type { Backend } from "../../../kernel/backend.ts";
import { storeAt } from "../../../storage/location.ts";
import type { Store } from "../../../storage/store.ts";
import type { TaskStats } from "../../events.ts";
import { runTask } from "../../task.ts";
import type { TaskParts } from "../../taskParts.ts";
import { answerTo } from "../askedStores.ts";
import type { FromThread, Opening, StoreHandle } from "../messages.ts";
import { aloneOn, type OpenedRun, openRun } from "../openRun.ts";
import { unpackDone } from "../packing.ts";
import { LostWorker } from "../pool.ts";
import { receiveError } from "../sentError.ts";
import { type TaskThread, TaskThreads } from "../taskThread.ts";

/** Who does tasks. */
export interface TaskCrew {
  /** Tasks at once. */
  readonly size: number;
  /** From now on tasks of a run may be asked for, by its number. */
  open(opening: Opening): void;
  run(run: number, op: number, task: number, signal: StopSignal): Promise<TaskStats>;
  /** Tasks that were asked for with a signal are not wanted any more. */
  stop(signal: StopSignal): void;
  /** Nobody asks for tasks of a run any more. */
  shut(run: number): void;
  end(): Promise<void>;
}

/** Stores by their handles; those that have no location by a number. */
const storeFor = (handle: StoreHandle, proxies: readonly Store[]): Promise<Store> =>
  handle.kind === "proxy" ? Promise.resolve(proxies[handle.id]!) : storeAt(handle);

/** One task after another, where they are asked for: for tests, and for services that have no threads. */
export class InlineCrew implements TaskCrew {
  readonly size = 1;
  readonly #runs = new Map<number, Promise<OpenedRun>>();
  readonly #parts: TaskParts;
  readonly #backend: Backend;
  readonly #proxies: readonly Store[];

  constructor(parts: TaskParts, backend: Backend, proxies: readonly Store[]) {
    this.#parts = parts;
    this.#backend = backend;
    this.#proxies = proxies;
  }

  open(opening: Opening): void {
    const computing = aloneOn(this.#backend);
    const using = {
      parts: this.#parts,
      computing,
      storeFor: (handle: StoreHandle) => storeFor(handle, this.#proxies),
    };
    const opened = openRun(opening, using);
    this.#runs.set(opening.run, opened);
    // Who runs a task of it sees why it could not be opened.
    opened.catch(() => {});
  }

  async run(run: number, op: number, task: number, signal: StopSignal): Promise<TaskStats> {
    const { plan, bare } = await this.#runs.get(run)!;
    signal.throwIfAborted();
    return runTask(plan.operations[op]!, task, bare);
  }

  /** What runs goes on to its end. */
  stop(): void {}

  shut(run: number): void {
    this.#runs.delete(run);
  }

  async end(): Promise<void> {}
}

interface Begun {
  readonly member: Member;
  readonly signal: StopSignal;
  resolve(stats: TaskStats): void;
  reject(error: unknown): void;
}

/** A place in the crew, and the thread that has it now. */
interface Member {
  thread: TaskThread | null;
  readonly opened: Set<number>;
  tasks: number;
}

/** Task threads, each with so many tasks under way. */
export class ThreadCrew implements TaskCrew {
  readonly size: number;
  readonly #threads = new TaskThreads();
  readonly #members: Member[];
  readonly #openings = new Map<number, Opening>();
  readonly #begun = new Map<number, Begun>();
  readonly #shared: unknown;
  readonly #proxies: readonly Store[];
  #tasks = 0;

  /** `lanes`: tasks under way on one thread, where they wait for a network. */
  constructor(threads: number, lanes: number, backend: Backend, proxies: readonly Store[]) {
    this.#members = Array.from({ length: threads }, () => ({
      thread: null,
      opened: new Set<number>(),
      tasks: 0,
    }));
    this.size = threads * lanes;
    this.#shared = backend.share();
    this.#proxies = proxies;
  }

  open(opening: Opening): void {
    this.#openings.set(opening.run, opening);
  }

  shut(run: number): void {
    this.#openings.delete(run);
    for (const { thread, opened } of this.#members)
      if (opened.delete(run) && thread?.isAlive === true) thread.send({ type: "close", run });
  }

  run(run: number, op: number, task: number, signal: StopSignal): Promise<TaskStats> {
    const member = this.#members.reduce((least, other) => (other.tasks < least.tasks ? other : least));
    const thread = this.#threadOf(member);
    if (!member.opened.has(run)) {
      member.opened.add(run);
      thread.send(this.#openings.get(run)!);
    }
    const id = ++this.#tasks;
    member.tasks++;
    return new Promise<TaskStats>((resolve, reject) => {
      this.#begun.set(id, { member, signal, resolve, reject });
      thread.send({ type: "tasks", run, tasks: [{ id, lane: id, op, task }] });
    });
  }

  #threadOf(member: Member): TaskThread {
    if (member.thread?.isAlive === true) return member.thread;
    const thread = this.#threads.take("all", this.#shared);
    thread.onMessage = (message) => this.#hear(thread, message);
    thread.onLoss = (why) =>
      this.#lose(member, typeof why === "string" ? `a task thread died: ${why}` : why.message);
    thread.hold(true);
    member.thread = thread;
    member.opened.clear();
    return thread;
  }

  #hear(thread: TaskThread, message: FromThread): void {
    if (message.type === "request")
      void answerTo(this.#proxies[message.store]!, message).then((answer) => {
        if (thread.isAlive) thread.send(answer);
      });
    if (message.type !== "reports") return;
    unpackDone(message.done, (id, stats) => this.#take(id)?.resolve(stats));
    for (const { id, error } of message.failed) this.#take(id)?.reject(receiveError(error));
  }

  #take(id: number): Begun | undefined {
    const begun = this.#begun.get(id);
    if (begun === undefined) return undefined;
    this.#begun.delete(id);
    begun.member.tasks--;
    return begun;
  }

  /** All that was on the thread is lost. */
  #lose(member: Member, why: string): void {
    for (const [id, begun] of this.#begun)
      if (begun.member === member) this.#take(id)!.reject(new LostWorker(why, true));
  }

  stop(signal: StopSignal): void {
    const stopped = new Set<Member>();
    for (const [id, begun] of this.#begun) {
      if (begun.signal !== signal) continue;
      stopped.add(begun.member);
      this.#take(id)!.reject(signal.reason);
    }
    for (const member of stopped) {
      void member.thread?.end();
      this.#lose(member, "another task of its thread was ended");
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#members.map(({ thread }) => thread?.end()));
    for (const member of this.#members) this.#lose(member, "the worker ends");
  }
}
