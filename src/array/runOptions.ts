// Options of runs, checked: what compute, execute, plan and toZarr take. In: what the user wrote. Out: the same, typed.

import { parseBytes } from "../core/bytes.ts";
import { ValueError } from "../core/errors.ts";
import { describe } from "../core/shape.ts";
import { closest } from "../core/suggest.ts";
import type { PlanOptions } from "../plan/index.ts";
import type { RunEvent } from "../runtime/events.ts";
import { EXECUTORS, type ExecutorName, Spec } from "../runtime/spec.ts";
import type { RewriteOptions } from "./rewriting.ts";

export interface ComputeOptions extends PlanOptions, RewriteOptions {
  /** Sees every event of the run. One that throws is told of, and sees no more. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** How many threads may be used: as many as the machine has, up to 8, when not said. */
  readonly threads?: number | undefined;
}
export interface AsyncComputeOptions extends ComputeOptions {
  /** Stops the computation; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** With what it may be done. */
  readonly spec?: Spec | undefined;
  /** What counts as done is on the disk, chunk by chunk; the spec's unless given. */
  readonly durable?: boolean | undefined;
  /** Where tasks run; the spec's unless given. */
  readonly executor?: ExecutorName | undefined;
}

export const PLAN_OPTIONS: readonly string[] = [
  ...[
    "optimize",
    "mode",
    "include",
    "exclude",
    "spec",
    "fusion",
    "maxTotalSourceArrays",
    "maxTotalNumInputBlocks",
  ],
  ...["alwaysFuse", "neverFuse", "optimizeFunction", "splitEvery", "debug"],
];

export const COMPUTE_OPTIONS: readonly string[] = [
  ...PLAN_OPTIONS,
  "onEvent",
  "signal",
  "threads",
  "executor",
  "durable",
];

/** Options of a run, checked; `where` is what the user called. */
export function checkRun(
  options: unknown,
  where: string,
  known: readonly string[] = COMPUTE_OPTIONS,
): AsyncComputeOptions {
  if (options === undefined) return {};
  const isPlain =
    typeof options === "object" &&
    options !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(options));
  if (!isPlain) {
    throw new ValueError({
      where,
      what: `the options are ${describe(options)}`,
      cure: `Options are one object: {${known.join(", ")}}`,
    });
  }
  for (const [name, value] of Object.entries(options as object)) {
    if (!known.includes(name)) {
      throw new ValueError({
        where,
        what: `there is no option ${describe(name)}`,
        cure: closest(name, known),
      });
    }
    if (value !== undefined) checkRunOption(name, value, where);
  }
  return options as AsyncComputeOptions;
}

interface RunOptionCheck {
  readonly wanted: string;
  readonly accepts: (value: unknown) => boolean;
}

const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1;

const RUN_OPTIONS: { readonly [name: string]: RunOptionCheck } = {
  optimize: { wanted: "true or false", accepts: (value) => typeof value === "boolean" },
  onEvent: { wanted: "a function", accepts: (value) => typeof value === "function" },
  signal: { wanted: "an AbortSignal", accepts: (value) => value instanceof AbortSignal },
  mode: { wanted: 'a mode, as "fastRun+fastMath"', accepts: (value) => typeof value === "string" },
  fusion: { wanted: '"all" or "map"', accepts: (value) => value === "all" || value === "map" },
  maxTotalSourceArrays: { wanted: "a whole number of 1 or more", accepts: isCount },
  maxTotalNumInputBlocks: {
    wanted: "a whole number of 1 or more, or null",
    accepts: (value) => value === null || isCount(value),
  },
  alwaysFuse: { wanted: "a list of names of operations", accepts: isNames },
  neverFuse: { wanted: "a list of names of operations", accepts: isNames },
  optimizeFunction: {
    wanted: "a function from plan to plan",
    accepts: (value) => typeof value === "function",
  },
  splitEvery: {
    wanted: "a whole number of 2 or more",
    accepts: (value) => isCount(value) && (value as number) > 1,
  },
  debug: {
    wanted: "true, false or a function of a line",
    accepts: (value) => ["boolean", "function"].includes(typeof value),
  },
  include: { wanted: "a list of names of rules or tags", accepts: isNames },
  exclude: { wanted: "a list of names of rules or tags", accepts: isNames },
  spec: { wanted: 'a Spec, as new Spec({allowedMem: "2GB"})', accepts: (value) => value instanceof Spec },
  executor: {
    wanted: EXECUTORS.map((name) => JSON.stringify(name)).join(" or "),
    accepts: (value) => EXECUTORS.includes(value as ExecutorName),
  },
  durable: { wanted: "true or false", accepts: (value) => typeof value === "boolean" },
  target: {
    wanted: 'how results are stored, as {codecs: ["zstd"]}, or one of these for each',
    accepts: (value) => typeof value === "object" && value !== null,
  },
  allowedMem: {
    wanted: 'what one task may use, in bytes or as "500MB"',
    accepts: (value) => parseBytes(value) !== null,
  },
  workers: { wanted: "a whole number of 1 or more", accepts: isCount },
  threads: {
    wanted: "a whole number from 1 to 1024",
    accepts: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1024,
  },
};

function checkRunOption(name: string, value: unknown, where: string): void {
  const { wanted, accepts } = RUN_OPTIONS[name]!;
  if (!accepts(value))
    throw new ValueError({ where, what: `${name} is ${describe(value)}`, cure: `It must be ${wanted}` });
}
