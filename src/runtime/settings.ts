// Every setting of a computation, once: what may be given at a call, in a Spec, in a configuration file and in the
// environment. From an entry follow its type, its check, what messages say, what it changes, the variable that it is read
// from (`workDir`: CHUNKWISE_WORK_DIR), and its line in docs/running.md: the comment above it.
// Must hold: what changes a plan says so ("rewrite", "plan", "memory"): no plan is taken for another.

import type { CodecArgument } from "../storage/zarr/create.ts";
import {
  type Check,
  choice,
  count,
  data,
  either,
  flag,
  having,
  names,
  orNull,
  size,
  text,
} from "./optionChecks.ts";
import type { Executor } from "./pools/pool.ts";
import { type RetryOptions, retryPolicy, type TwinOptions, twinPolicy } from "./scheduler/policy.ts";

/** Calls that take options: those that only plan, those that compute at once, and all others. */
export type Call = "plan" | "sync" | "run";

/** What an option changes: the expressions, the plan, what tasks may use (so the plan, too), or only how it is run. */
export type Effect = "rewrite" | "plan" | "memory" | "run";

export interface RunOption<T, C extends Call> extends Check<T> {
  readonly effect: Effect;
  /** The calls it may be given to; whatever they are, a Spec takes it if it can be written as text. */
  readonly calls: readonly C[];
}

export const option = <T, const C extends Call>(
  check: Check<T>,
  effect: Effect,
  calls: readonly C[],
): RunOption<T, C> => ({ ...check, effect, calls });

const EVERYWHERE = ["plan", "sync", "run"] as const;
const NOT_AT_ONCE = ["plan", "run"] as const;

/** Names of executors: built-in ones, and others that were added to the engine. */
export type ExecutorName = "threads" | "inline" | (string & {});

/** When nobody can say what an operation needs: read all of its arguments silently, with a warning, or fail. */
export type OnFail = "pass" | "warn" | "raise";

const operations = names("a list of names of operations");
const rules = names("a list of names of rules or tags");

const executor = either(
  "the name of an executor, or an executor: {name, pool(run)}",
  text<ExecutorName>("a name"),
  having<Executor>("pool"),
);

export const SETTINGS = {
  /** true: rules rewrite the expressions and operations are fused. false: one operation for each node. */
  optimize: option(flag, "plan", EVERYWHERE),
  /** "fastRun": which rules rewrite expressions; "fastCompile", "none"; "fastRun+fastMath" lets results change. */
  mode: option(text('a mode, as "fastRun+fastMath"'), "rewrite", EVERYWHERE),
  /** Names or tags of rules that are wanted besides. */
  include: option(rules, "rewrite", EVERYWHERE),
  /** Names or tags of rules that are not wanted. */
  exclude: option(rules, "rewrite", EVERYWHERE),
  /** "warn": what happens when nobody can say which columns an operation needs; "pass", "raise". */
  onFail: option(choice<OnFail>("pass", "warn", "raise"), "rewrite", EVERYWHERE),
  /** "all": several inputs, diamonds, other task counts are fused, too. "map": only chains with as many tasks. */
  fusion: option(choice("all", "map"), "plan", EVERYWHERE),
  /** 4: no operation is fused with so much that it reads more arrays than this. */
  maxTotalSourceArrays: option(count(1), "plan", EVERYWHERE),
  /** 10: operations of other task counts are fused when a task reads at most so many chunks then; null: never. */
  maxTotalNumInputBlocks: option(orNull(count(1)), "plan", EVERYWHERE),
  /** Operations, by the names that the plan prints, that take in what they read whatever it costs. */
  alwaysFuse: option(operations, "plan", EVERYWHERE),
  /** Operations that take in nothing. */
  neverFuse: option(operations, "plan", EVERYWHERE),
  /** How many states of a reduction one task combines; chosen where it is not said. */
  splitEvery: option(count(2), "plan", EVERYWHERE),
  /** What the process may use: 60 % of the machine's memory. */
  allowedMem: option(size, "memory", NOT_AT_ONCE),
  /** What of it the process needs besides data: measureReservedMemory() measures it. 138 MB, and 28 MB for each further thread. */
  reservedMem: option(size, "memory", NOT_AT_ONCE),
  /** "threads" where there is enough to do: what carries tasks; "inline", or an executor of your own. Who names one gets it, however little there is to do. */
  executor: option(executor, "run", ["run"]),
  /** Threads for tasks and kernels: as many as the machine has, up to 8. */
  threads: option(count(1, 1024), "run", ["sync", "run"]),
  /** A folder for intermediates. Named, it keeps them when a run is killed, and the same computation resumes. */
  workDir: option(text("a folder"), "run", ["run"]),
  /** false. true: what counts as done is on the disk, so that it outlives a power cut; slower. */
  durable: option(flag, "run", ["run"]),
  /** How often a task is tried, and how long it waits between: {attempts: 3, delayMs: 200, maxDelayMs: 10000}. */
  retries: option(data<RetryOptions>("an object of numbers", retryPolicy), "run", ["run"]),
  /** true: a task that takes much longer than others gets a second worker. */
  twins: option(data<TwinOptions>("true, false or an object of numbers", twinPolicy), "run", ["run"]),
  /** How intermediates are stored. */
  codecs: option(
    data<readonly CodecArgument[]>("a list of codecs", () => {}),
    "memory",
    [],
  ),
};

/** What may be said in a Spec, a configuration file, the environment. */
export interface Settings extends OptionsOf<typeof SETTINGS> {}

/** What a table of options takes. */
export type OptionsOf<Table> = {
  readonly [K in keyof Table]?: Table[K] extends Check<infer T> ? T | undefined : never;
};
