// A task thread, seen from the thread that has it: started when it is first needed, kept for later runs, and replaced
// when it dies. Threads do not keep the process alive, except while they run something.

import { threadOptions } from "../../core/threads.ts";
import { builtinNow } from "../../storage/builtin.ts";
import { messageOf, NotSupportedError } from "../../storage/errors.ts";
import { runName } from "../../storage/strays.ts";
import type { FunctionMemoryError } from "../userFunctions.ts";
import type { FromThread, ThreadSetting, ToThread } from "./messages.ts";

interface Worker {
  /** Node's. */
  readonly threadId?: number;
  postMessage(message: unknown): void;
  terminate(): unknown;
  ref?(): void;
  unref?(): void;
  on?(event: string, listener: (value: unknown) => void): void;
  addEventListener?(event: string, listener: (event: { data?: unknown; message?: string }) => void): void;
}
type WorkerClass = new (url: URL, options: object) => Worker;

const workerClass = (): WorkerClass | null =>
  (builtinNow("node:worker_threads")?.Worker as unknown as WorkerClass | undefined) ??
  (globalThis as { Worker?: WorkerClass }).Worker ??
  null;

/**
 * What a thread can do. `plans`: all but users' functions and ragged arrays, from one file, which is there in a fraction
 * of the time. `all`: the modules of the package themselves, which users' modules may import too.
 */
export type ThreadKind = "plans" | "all";

/** From the sources, the built package is loaded: threads take no TypeScript. */
const doors: URL = import.meta.url.endsWith(".ts")
  ? new URL("../../../dist/", import.meta.url)
  : new URL("./", import.meta.url);
const CODE: { readonly [K in ThreadKind]: URL } = {
  plans: new URL("planThread.js", doors),
  all: new URL("thread.js", doors),
};

/**
 * What a thread leaves behind is collected soon: else buffers of codecs wait until a large nursery is full, and nothing
 * that a task states has room for them.
 */
const LIMITS = { maxYoungGenerationSizeMb: 6 };

/** Far longer than a browser takes to stop a worker that was told to end. */
const BROWSER_END_MS = 2000;

/** Why a thread is gone: what need not happen again, in words, or what another thread could not help. */
export type Loss = string | NotSupportedError | FunctionMemoryError;

/** Of the file itself, and of one that it imports. */
const MISSING: ReadonlySet<unknown> = new Set(["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"]);
const isMissingCode = (error: unknown): boolean => MISSING.has((error as { code?: unknown } | null)?.code);

const withoutCode = (kind: ThreadKind): NotSupportedError =>
  new NotSupportedError({
    what: `the code of task threads is not at ${CODE[kind].pathname}`,
    cure: 'Where a bundler made one file of everything, tell it to leave chunkwise out ("external"), or put planThread.js, thread.js, worker.js and shared-*.js of chunkwise/dist beside that file; executor: "inline" does without threads',
  });

export class TaskThread {
  readonly kind: ThreadKind;
  /** What it was handed of the backend whose blocks it sees. */
  readonly shared: unknown;
  readonly #worker: Worker;
  /** No other thread of the process has it. */
  readonly number: number;
  isAlive = true;
  /** Bytes of the largest task that it had: it may have kept as much. */
  largest = 0;
  /** Who hears what it says, */
  onMessage: (message: FromThread) => void = () => {};
  /** and that it is gone. */
  onLoss: (why: Loss) => void = () => {};

  constructor(kind: ThreadKind, shared: unknown, worker: WorkerClass) {
    this.kind = kind;
    this.shared = shared;
    const setting: ThreadSetting = { shared };
    // It writes files under the name of this run.
    runName();
    const options = {
      type: "module",
      name: "chunkwise-task",
      execArgv: threadOptions(),
      resourceLimits: LIMITS,
    };
    // One environment for all: credentials may be set after a thread has begun.
    const env = builtinNow("node:worker_threads")?.SHARE_ENV;
    this.#worker = new worker(CODE[kind], { ...options, env, workerData: setting });
    this.number = this.#worker.threadId ?? 0;
    this.#listen();
    this.#worker.unref?.();
    if (this.#worker.on === undefined) this.#worker.postMessage(setting);
  }

  #listen(): void {
    const heard = (message: unknown): void => this.onMessage(message as FromThread);
    const { on } = this.#worker;
    if (on === undefined) {
      this.#worker.addEventListener?.("message", ({ data }) => heard(data));
      this.#worker.addEventListener?.("error", ({ message }) => {
        void this.#terminate().then(() => this.#die(message ?? "its code could not be loaded"));
      });
      return;
    }
    on.call(this.#worker, "message", heard);
    // An error comes first, when the thread may still be reading and writing; its end comes last.
    let why: Loss | null = null;
    on.call(this.#worker, "error", (error) => {
      why = isMissingCode(error) ? withoutCode(this.kind) : messageOf(error);
    });
    on.call(this.#worker, "exit", (code) => this.#die(why ?? `it ended with code ${String(code)}`));
  }

  #die(why: Loss): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.onLoss(why);
  }

  send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  hold(isHeld: boolean): void {
    if (isHeld) this.#worker.ref?.();
    else this.#worker.unref?.();
  }

  /** Resolves when the thread reads and writes nothing any more. */
  async end(): Promise<void> {
    this.isAlive = false;
    await this.#terminate();
  }

  /** Node says when a thread has ended; browsers do not, and stop its code in the middle within moments. */
  async #terminate(): Promise<void> {
    await this.#worker.terminate();
    if (this.#worker.on === undefined) await new Promise((resolve) => setTimeout(resolve, BROWSER_END_MS));
  }
}

/** Of tasks no larger than this a thread keeps nothing that what is reserved for threads has no room for (reserved.ts). */
const LITTLE_BYTES = 1e6;

/** The threads of an engine: those that nobody uses now wait for the next run. */
export class TaskThreads {
  readonly #idle: { readonly [K in ThreadKind]: TaskThread[] } = { plans: [], all: [] };
  #runs = 0;

  /** A number for a run, by which its threads know it. */
  nextRun(): number {
    return ++this.#runs;
  }

  /** True when threads from earlier, which see what a backend shares, wait for work. */
  areStarted(kind: ThreadKind, shared: unknown): boolean {
    return this.#idle[kind].some((thread) => thread.isAlive && thread.shared === shared);
  }

  /** A thread from earlier, or a new one. */
  take(kind: ThreadKind, shared: unknown): TaskThread {
    const idle = this.#idle[kind].filter(({ isAlive }) => isAlive);
    const known = idle.findLastIndex((thread) => thread.shared === shared);
    const [found] = known < 0 ? [] : idle.splice(known, 1);
    this.#idle[kind].splice(0, Number.POSITIVE_INFINITY, ...idle);
    if (found !== undefined) return found;
    const Worker = workerClass();
    if (Worker === null) throw new NotSupportedError({ what: "there are no threads here" });
    return new TaskThread(kind, shared, Worker);
  }

  /** So many of a kind go on waiting. Others that may have kept something end, and what they kept is the system's again. */
  async keep(count: number, kind: ThreadKind): Promise<void> {
    const surplus: TaskThread[] = [];
    for (const [name, idle] of Object.entries(this.#idle)) {
      const from = name === kind ? idle.length - count : idle.length;
      const stays = (thread: TaskThread, at: number): boolean => at >= from || thread.largest <= LITTLE_BYTES;
      surplus.push(...idle.filter((thread, at) => !stays(thread, at)));
      idle.splice(0, idle.length, ...idle.filter(stays));
    }
    await Promise.all(surplus.map((thread) => thread.end()));
  }

  give(thread: TaskThread): void {
    thread.hold(false);
    thread.onMessage = () => {};
    thread.onLoss = () => {};
    if (thread.isAlive) this.#idle[thread.kind].push(thread);
  }
}
