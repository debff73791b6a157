// A watch over the process while users' functions run: what they allocate is theirs, and nobody can refuse it to them.
// In: what is allowed, and the functions. Out: an error as soon as the process is larger than that; whoever runs the
// functions stops then. Threads are ended in the midst of a call; on the thread of the run itself a call is not
// interrupted, and the process is looked at when it returns.

import { bytesText } from "../core/counts.ts";
import { RunError } from "../core/errors.ts";
import { residentBytes } from "./machineMemory.ts";
import type { FunctionResource } from "./userFunctions.ts";

/** A user's function made the process larger than is allowed. */
export class FunctionMemoryError extends RunError {
  /** Bytes of the process, and what there may be. */
  readonly resident: number;
  readonly allowed: number;

  constructor(functions: readonly FunctionResource[], resident: number, allowed: number) {
    const names = functions.map(({ title }) => title).join(", ");
    super({
      what: `the process has ${bytesText(resident)} in memory and ${bytesText(allowed)} are allowed: it was stopped in ${names}`,
      cure: 'Let the function allocate less, say what a call of it takes ({memory: "200MB"}) so that fewer run at once, or allow more (allowedMem)',
    });
    this.resident = resident;
    this.allowed = allowed;
  }
}

/** What a thread of the pool needs before it has any data. */
const THREAD_BYTES = 40e6;
/** Asking the system takes microseconds; calls may take less. */
const EVERY_MS = 20;

export class MemoryWatch {
  readonly #functions: readonly FunctionResource[];
  readonly #allowed: number;
  #looked = 0;

  /** A process that was larger than is allowed before the run may have what the run was given besides. */
  constructor(
    functions: readonly FunctionResource[],
    {
      allowed,
      budget,
      threads,
    }: { readonly allowed: number; readonly budget: number; readonly threads: number },
  ) {
    this.#functions = functions;
    this.#allowed = Math.max(allowed, (residentBytes() ?? 0) + budget + threads * THREAD_BYTES);
  }

  /** The reason to stop; null where there is none. */
  excess(): FunctionMemoryError | null {
    const resident = residentBytes();
    if (resident === null || resident <= this.#allowed) return null;
    return new FunctionMemoryError(this.#functions, resident, this.#allowed);
  }

  /** Between calls on this thread. */
  check(): void {
    const now = performance.now();
    if (now - this.#looked < EVERY_MS) return;
    this.#looked = now;
    const excess = this.excess();
    if (excess !== null) throw excess;
  }

  /** Looks again and again while threads run the functions. Ended by what it gives. */
  during(stop: (why: FunctionMemoryError) => void): () => void {
    const timer = setInterval(() => {
      const excess = this.excess();
      if (excess === null) return;
      clearInterval(timer);
      stop(excess);
    }, EVERY_MS);
    (timer as { unref?(): void }).unref?.();
    return () => clearInterval(timer);
  }
}
