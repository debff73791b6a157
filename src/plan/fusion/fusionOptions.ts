// What a user may say about fusion, and what holds when nothing is said.

import { ValueError } from "../../core/errors.ts";
import { describe } from "../../core/shape.ts";

export interface FusionOptions {
  /**
   * "all" (the default): several inputs, diamonds, other task counts, operations that read the same.
   * "map": only an operation whose one input is made by one operation with as many tasks.
   */
  readonly fusion?: "all" | "map" | undefined;
  /**
   * 4: no operation is fused with so much that it reads more arrays than this. Constants do not count. Where nothing is
   * said, one that reads more already may take in what leaves it at that.
   */
  readonly maxTotalSourceArrays?: number | undefined;
  /**
   * 10: operations with different numbers of tasks are fused when a task then reads at most so many chunks; where nothing
   * is said, or no more than before. null: only operations with the same number of tasks are.
   */
  readonly maxTotalNumInputBlocks?: number | null | undefined;
  /** Operations, by the names that the plan prints, that take in what they read whatever it costs, up to 500 kinds of tasks. */
  readonly alwaysFuse?: readonly string[] | undefined;
  /** Operations that take in nothing. */
  readonly neverFuse?: readonly string[] | undefined;
  /** Bytes that one task may use. Nothing is fused that would need more. */
  readonly allowedMem?: number | undefined;
  /** Says for every operation why it was fused, or why not: to the console, or to this function. */
  readonly debug?: boolean | ((line: string) => void) | undefined;
}

/** The same with nothing left open. */
export interface FusionRules {
  readonly isMap: boolean;
  readonly maxSources: number;
  readonly maxBlocks: number | null;
  /** What a user says holds for every fused operation; what nobody said, for those that read more than before. */
  readonly isStrict: { readonly sources: boolean; readonly blocks: boolean };
  readonly always: ReadonlySet<string>;
  readonly never: ReadonlySet<string>;
  readonly allowedMem: number;
  readonly print: ((line: string) => void) | null;
}

export function fusionRules(options: FusionOptions): FusionRules {
  const { fusion = "all", maxTotalSourceArrays = 4, maxTotalNumInputBlocks = 10 } = options;
  return {
    isMap: fusion === "map",
    maxSources: maxTotalSourceArrays,
    maxBlocks: maxTotalNumInputBlocks,
    isStrict: {
      sources: options.maxTotalSourceArrays !== undefined,
      blocks: options.maxTotalNumInputBlocks !== undefined,
    },
    always: new Set(options.alwaysFuse),
    never: new Set(options.neverFuse),
    allowedMem: options.allowedMem ?? Number.POSITIVE_INFINITY,
    print: printer(options.debug),
  };
}

/** A name that the plan does not have is a mistake. */
export function checkFusionNames(
  options: FusionOptions,
  operations: readonly { readonly name: string }[],
): void {
  if (options.alwaysFuse === undefined && options.neverFuse === undefined) return;
  const names = new Set(operations.map(({ name }) => name));
  for (const option of ["alwaysFuse", "neverFuse"] as const) {
    const unknown = options[option]?.find((name) => !names.has(name));
    if (unknown === undefined) continue;
    throw new ValueError({
      what: `${option} names ${describe(unknown)}, and the plan has no such operation`,
      cure: `It has ${operations[0]?.name} to ${operations.at(-1)?.name}: x.plan({optimizeFunction: (plan) => plan}) prints them`,
    });
  }
}

const TOPIC = "chunkwise:fusion";

function printer(debug: FusionOptions["debug"]): ((line: string) => void) | null {
  if (typeof debug === "function") return debug;
  return (debug ?? isTopicAsked()) ? (line) => console.error(`${TOPIC} ${line}`) : null;
}

/** DEBUG=chunkwise:fusion in the environment, where there is one. */
function isTopicAsked(): boolean {
  const { process } = globalThis as { process?: { env?: { [name: string]: string | undefined } } };
  const topics = process?.env?.["DEBUG"]?.split(/[\s,]+/) ?? [];
  return topics.some((topic) => topic === TOPIC || topic === "chunkwise:*" || topic === "*");
}
