// A task thread, seen from the thread that has it: started when it is first needed, kept for later runs, and replaced
// when it dies. Threads do not keep the process alive, except while they run something.

import { memory } from "../../kernel/wasm/memory.ts";
import { threadOptions } from "../../kernel/wasm/threads.ts";
import { messageOf, NotSupportedError } from "../../storage/errors.ts";
import { runName, threadEnded } from "../../storage/strays.ts";
import type { FunctionMemoryError } from "../functionMemory.ts";
import type { FromThread, ThreadSetting, ToThread } from "./messages.ts";

interface Worker {
  postMessage(message: unknown): void;
  terminate(): unknown;
  ref?(): void;
  unref?(): void;
  on?(event: string, listener: (value: unknown) => void): void;
  addEventListener?(event: string, listener: (event: { data?: unknown; message?: string }) => void): void;
}
type WorkerClass = new (url: URL, options: object) => Worker;

function workerClass(): WorkerClass | null {
  const { process, Worker } = globalThis as unknown as {
    process?: { getBuiltinModule?(name: string): { Worker: WorkerClass } | undefined };
    Worker?: WorkerClass;
  };
  return process?.getBuiltinModule?.("node:worker_threads")?.Worker ?? Worker ?? null;
}

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

let threads = 0;

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
  readonly #worker: Worker;
  readonly number: number = ++threads;
  readonly #lost: (why: Loss) => void;
  isAlive = true;
  /** Who hears what it says. */
  onMessage: (message: FromThread) => void = () => {};

  constructor(kind: ThreadKind, worker: WorkerClass, lost: (why: Loss) => void) {
    this.kind = kind;
    this.#lost = lost;
    const setting: ThreadSetting = { memory, runName: runName(), thread: this.number };
    const options = {
      type: "module",
      name: "chunkwise-task",
      execArgv: threadOptions(),
      resourceLimits: LIMITS,
    };
    this.#worker = new worker(CODE[kind], { ...options, workerData: setting });
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
    threadEnded(this.number);
    this.#lost(why);
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
    threadEnded(this.number);
  }

  /** Node says when a thread has ended; browsers do not, and stop its code in the middle within moments. */
  async #terminate(): Promise<void> {
    await this.#worker.terminate();
    if (this.#worker.on === undefined) await new Promise((resolve) => setTimeout(resolve, BROWSER_END_MS));
  }
}

/** Threads that nobody uses now. */
const idle: { readonly [K in ThreadKind]: TaskThread[] } = { plans: [], all: [] };

/** True when threads from earlier wait for work. */
export const areStarted = (kind: ThreadKind): boolean => idle[kind].some(({ isAlive }) => isAlive);

/** A thread from earlier, or a new one; null where there are none. */
export function takeThread(
  kind: ThreadKind,
  onMessage: (message: FromThread) => void,
  lost: (why: Loss) => void,
): TaskThread | null {
  const Worker = workerClass();
  if (Worker === null) return null;
  for (;;) {
    const known = idle[kind].pop();
    if (known === undefined) break;
    if (!known.isAlive) continue;
    known.onMessage = onMessage;
    owners.set(known, lost);
    return known;
  }
  const thread: TaskThread = new TaskThread(kind, Worker, (why) => owners.get(thread)?.(why));
  thread.onMessage = onMessage;
  owners.set(thread, lost);
  return thread;
}

const owners = new WeakMap<TaskThread, (why: Loss) => void>();

export function giveThread(thread: TaskThread): void {
  thread.hold(false);
  thread.onMessage = () => {};
  owners.delete(thread);
  if (thread.isAlive) idle[thread.kind].push(thread);
}
