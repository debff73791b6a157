// Where the time of a compiled function goes: in making it, phase by phase, and in its calls. In: work, as it is done. Out: a profile,
// as data and as text, with that of the rewriting in it.
// Must hold: the phases add up to the time that compiling took, but for what lies between them; calls are timed from the call
// to its results.

import { countText } from "../../core/counts.ts";
import { lineOf, type Site } from "../../expr/site.ts";
import type { Profile } from "../../rewrite/profileFigures.ts";

/** What is done to compile: the function is called, rewritten, planned, and its kernels and blocks are made ready. */
export type CompilePhase = "tracing" | "rewriting" | "planning" | "preparing";

/** Where the time of a compiled function went, in milliseconds: `console.log(String(f.profile()))`. */
export interface FunctionProfile {
  /** The line that compiled it; null where nobody knows. */
  readonly line: string | null;
  /** What compiling took. */
  readonly total: number;
  /** Of that, by what was done. */
  readonly phases: { readonly [P in CompilePhase]: number };
  /** Nodes of what the function gave, and after rewriting. */
  readonly nodes: { readonly before: number; readonly after: number };
  /** Operations of the plan; 0 where it is planned in every call. */
  readonly operations: number;
  /** Of the rewriting; null with `optimize: false`. */
  readonly rewriting: Profile | null;
  /** How often it was called, what all calls took, and the first, in which kernels are compiled. */
  readonly calls: { readonly count: number; readonly total: number; readonly first: number };
  /** All of it as text. */
  toString(): string;
}

/** What is told of what was made. */
type Made = Pick<FunctionProfile, "nodes" | "operations" | "rewriting">;

const now = (): number => performance.now();

export class FunctionProfiler {
  readonly #site: Site | null;
  readonly #phases = { tracing: 0, rewriting: 0, planning: 0, preparing: 0 };
  #made: Made = { nodes: { before: 0, after: 0 }, operations: 0, rewriting: null };
  #total = 0;
  #calls = { count: 0, total: 0, first: 0 };

  constructor(site: Site | null) {
    this.#site = site;
  }

  phase<T>(name: CompilePhase, work: () => T): T {
    const start = now();
    try {
      return work();
    } finally {
      this.#phases[name] += now() - start;
    }
  }

  /** All of the compilation. */
  compiled<T>(work: () => T): T {
    const start = now();
    const result = work();
    this.#total = now() - start;
    return result;
  }

  made(made: Made): void {
    this.#made = made;
  }

  /** A call that has ended. */
  called(start: number): void {
    const took = now() - start;
    const { count, total, first } = this.#calls;
    this.#calls = { count: count + 1, total: total + took, first: count === 0 ? took : first };
  }

  sync<T>(call: () => T): T {
    const start = now();
    const result = call();
    this.called(start);
    return result;
  }

  async soon<T>(call: () => Promise<T>): Promise<T> {
    const start = now();
    const result = await call();
    this.called(start);
    return result;
  }

  profile(): FunctionProfile {
    const profile = {
      ...{ line: lineOf(this.#site) ?? null, total: this.#total, phases: { ...this.#phases } },
      ...{ ...this.#made, calls: this.#calls },
    };
    return Object.defineProperty(profile, "toString", {
      value: () => profileText(profile),
    }) as FunctionProfile;
  }
}

function profileText(profile: Omit<FunctionProfile, "toString">): string {
  const { line, total, phases, nodes, operations, calls, rewriting } = profile;
  const ms = (time: number): string => `${time.toFixed(3)} ms`;
  const parts = Object.entries(phases).map(([name, time]) => `${ms(time)} ${name}`);
  return [
    `compiled function${line === null ? "" : ` (${line})`}`,
    `  ${ms(calls.total)} in ${countText(calls.count, "call")}${calls.count === 0 ? "" : `, ${ms(calls.first)} of it in the first, which compiles kernels`}`,
    `  ${ms(total)} to compile: ${parts.join(", ")}`,
    `  ${nodes.before} nodes before, ${nodes.after} after, ${countText(operations, "operation")}`,
    ...(rewriting === null ? [] : [String(rewriting)]),
  ].join("\n");
}
