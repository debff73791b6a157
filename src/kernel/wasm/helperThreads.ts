// Threads that help with jobs. In: how many are wanted. Out: whether there are any: they are started when they are worth it, and
// nobody waits for them.

import { threadOptions } from "../../core/threads.ts";
import { SLOT_WORDS, SPINS, WORDS } from "./control.ts";
import type { KernelMemory } from "./memory.ts";
import { CONTROL_AT } from "./memoryLayout.ts";
import { SCRATCH_BYTES } from "./module.ts";

interface Thread {
  unref?(): void;
  on?(event: "error", listener: (error: unknown) => void): void;
  addEventListener?(event: "error", listener: (event: unknown) => void): void;
  postMessage(message: unknown): void;
}
type ThreadClass = new (url: URL, options: object) => Thread;

function threadClass(): ThreadClass | null {
  const { process, Worker } = globalThis as unknown as {
    process?: { getBuiltinModule?(name: string): { Worker: ThreadClass } | undefined };
    Worker?: ThreadClass;
  };
  return process?.getBuiltinModule?.("node:worker_threads")?.Worker ?? Worker ?? null;
}

/** What a thread costs until it can help, in ms: time of a processor that may have other work, as reading files. */
const START_MS = 60;

export class Helpers {
  readonly #memory: KernelMemory;
  #count = 0;
  /** How long work took that others could have shared. */
  #waited = 0;

  constructor(memory: KernelMemory) {
    this.#memory = memory;
  }

  get count(): number {
    return this.#count;
  }

  /** Work that could be shared, done alone. */
  without(work: () => void): void {
    const begun = performance.now();
    work();
    this.#waited += performance.now() - begun;
  }

  /**
   * Whether there are others to share work with. They are called when work has gone without them, or is expected to, for as
   * long as they take to come: whoever computes little never pays for them, and nobody waits more than twice as long as
   * he had to.
   */
  areThere(wanted: number, expectedMs = 0): boolean {
    if (this.#waited + expectedMs >= START_MS) return this.start(wanted);
    return this.#count > 0;
  }

  /** Starts what is missing; true if there are any. */
  start(wanted: number): boolean {
    const Helper = this.#memory.isShared && this.#count < wanted ? threadClass() : null;
    while (Helper !== null && this.#count < wanted) {
      const room = this.#memory.take(SCRATCH_BYTES, true);
      if (room === null) break;
      this.#startOne(Helper, room.address);
      this.#count++;
    }
    return this.#count > 0;
  }

  #startOne(Helper: ThreadClass, room: number): void {
    const setting = {
      ...{ memory: this.#memory.wasm, scratch: room, control: CONTROL_AT },
      ...{ spins: SPINS, slotWords: SLOT_WORDS, words: WORDS },
    };
    const helper = new Helper(new URL("./worker.js", import.meta.url), {
      type: "module",
      name: "chunkwise",
      execArgv: threadOptions(),
      workerData: setting,
    });
    if (helper.on === undefined) helper.addEventListener?.("error", tellOfLoss);
    else helper.on("error", tellOfLoss);
    helper.unref?.();
    if (helper.on === undefined) helper.postMessage(setting);
  }
}

/** Nobody waits for a helper: without it the work is done all the same, only slower, and that should be known. */
function tellOfLoss(reason: unknown): void {
  const why = reason instanceof Error ? reason.message : "it could not be loaded";
  console.warn(`chunkwise: a helper thread is lost (${why}); computations go on with fewer threads`);
}
