// Users' functions in plans. A function of a module goes everywhere: its module's address and its name say which it
// is, and whoever needs it imports it. A closure stays in the process where it was made.

import type { Block } from "../core/block.ts";
import { describe } from "../core/chunks.ts";
import { bytesText } from "../core/counts.ts";
import { RunError, ValueError } from "../core/errors.ts";
import { type BlockInfo, Callable, type Expected } from "../kernel/routines/userCall.ts";
import type { PlanData } from "../plan/plan.ts";
import type { Json, Referable } from "../plan/planJson.ts";
import { exportedFunction, isModuleAddress } from "../storage/builtin.ts";
import { residentBytes } from "./machineMemory.ts";

/** Users' functions take and give arrays; what those are is not known here. */
export type UserFunction = (...args: never[]) => unknown;
export type Adapt = (
  run: UserFunction,
  blocks: readonly Block[],
  info: BlockInfo,
  expected: readonly Expected[],
) => readonly Block[];

/** By what a function of a module is found. */
export interface FunctionReference {
  readonly module: string;
  readonly name: string;
}

/** Tells closures of this process from those of any other. */
const here: string = Math.random().toString(36).slice(2);

export class FunctionResource extends Callable implements Referable {
  #run: UserFunction | null;
  readonly #source: FunctionReference | null;
  readonly #adapt: Adapt | null;

  /** `adapt` calls it with arrays; null for those that are not called with blocks. */
  constructor(run: UserFunction | null, source: FunctionReference | null, adapt: Adapt | null) {
    super();
    this.#run = run;
    this.#source = source;
    this.#adapt = adapt;
  }

  get isPortable(): boolean {
    return this.#source !== null;
  }

  /** Where its module is; null for a closure. */
  get module(): string | null {
    return this.#source?.module ?? null;
  }

  /** For people: its name, and its module. */
  get title(): string {
    if (this.#source !== null) return `${this.#source.name} of ${this.#source.module}`;
    return this.#run === null || this.#run.name === "" ? "a function without a name" : this.#run.name;
  }

  /** What a closure captures cannot be seen, so no two are ever the same. */
  fingerprint(): string {
    if (this.#source === null) return `closure ${here}.${this.id}`;
    return `function ${this.#source.module}#${this.#source.name}`;
  }

  reference(): Json {
    if (this.#source !== null) return { ...this.#source };
    throw new ValueError({
      what: "a closure cannot be saved, or run by another thread or process",
      cure: 'Export the function from a module and pass moduleFunction(new URL("./blocks.js", import.meta.url), "name")',
    });
  }

  /** Imports its module. */
  async load(): Promise<void> {
    if (this.#run !== null || this.#source === null) return;
    this.#run = await exportedFunction(this.#source.module, this.#source.name);
  }

  /** The function itself. */
  get loaded(): UserFunction {
    if (this.#run !== null) return this.#run;
    throw new RunError({ what: "a user's function was not loaded before it was called" });
  }

  override call(blocks: readonly Block[], info: BlockInfo, expected: readonly Expected[]): readonly Block[] {
    if (this.#run === null || this.#adapt === null)
      throw new RunError({ what: "a user's function was not loaded before it was called" });
    return this.#adapt(this.#run, blocks, info, expected);
  }
}

/**
 * The resource for a reference in a plan. Only addresses that can be modules are taken; of plans from elsewhere, only
 * those that `admit` gives. Task threads get their plans from their own process, and take all.
 */
export function findFunction(
  reference: Json,
  adapt: Adapt | null,
  admit: (module: string) => string = (module) => module,
): FunctionResource {
  const { module, name } = (reference ?? {}) as { module?: unknown; name?: unknown };
  if (isModuleAddress(module) && typeof name === "string")
    return new FunctionResource(null, { module: admit(module), name }, adapt);
  throw new ValueError({
    where: "plan",
    what: `${describe(reference)} does not name a function of a module`,
  });
}

const called = new WeakMap<PlanData, readonly FunctionResource[]>();

/** Functions that a plan calls. Plans are run again: it is looked for once. */
export function functionsOf(plan: PlanData): readonly FunctionResource[] {
  let functions = called.get(plan);
  if (functions === undefined) {
    functions = findFunctions(plan);
    called.set(plan, functions);
  }
  return functions;
}

function findFunctions({ operations }: PlanData): FunctionResource[] {
  const functions = new Set<FunctionResource>();
  for (const { steps } of operations)
    for (const step of steps)
      if ("attrs" in step)
        for (const value of Object.values(step.attrs)) {
          if (value instanceof FunctionResource) functions.add(value);
          if (holdsPlans(value))
            for (const { plan } of value.plans) for (const called of functionsOf(plan)) functions.add(called);
        }
  return [...functions];
}

/** A loop, which calls what its body calls. */
const holdsPlans = (value: unknown): value is { readonly plans: readonly { readonly plan: PlanData }[] } =>
  value instanceof Callable && "plans" in value;

// A watch over the process while users' functions run: what they allocate is theirs, and nobody can refuse it to them.
// In: what is allowed, and the functions. Out: an error as soon as the process is larger than that; whoever runs the
// functions stops then. Threads are ended in the midst of a call; on the thread of the run itself a call is not
// interrupted, and the process is looked at when it returns.

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
