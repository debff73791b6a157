// Every setting of a computation, once: what may be given at a call, in a Spec, in a configuration file and in the
// environment. From an entry follow its type, its check, what messages say, what it changes, the variable that it is read
// from (`workDir`: CHUNKWISE_WORK_DIR), and its line in docs/running.md: the comment above it.
// Must hold: what changes a plan says so ("rewrite", "plan", "memory"): no plan is taken for another.

import { describe } from "../core/chunks.ts";
import { parseBytes } from "../core/counts.ts";
import { ValueError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";
import { builtinNow } from "../storage/builtin.ts";
import type { CodecArgument } from "../storage/zarr/create.ts";
import type { Executor } from "./pools/pool.ts";
import { type RetryOptions, retryPolicy, type TwinOptions, twinPolicy } from "./scheduler/policy.ts";

// What options must be: checks with the words that messages use, and how each is read from the environment's text.
// In: a value from anywhere. Out: whether it will do.

interface Check<T> {
  /** For messages: "It must be …". */
  readonly wanted: string;
  readonly accepts: (value: unknown) => boolean;
  /** From the environment's text; undefined for what cannot be written there, as functions. */
  readonly parse: ((text: string) => unknown) | undefined;
  /** For types only: what it is then. */
  readonly "~type"?: T;
}

function check<T>(
  wanted: string,
  accepts: (value: unknown) => boolean,
  parse?: (text: string) => unknown,
): Check<T> {
  return { wanted, accepts, parse };
}

const asItIs = (text: string): string => text;
const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

export const flag: Check<boolean> = check("true or false", (value) => typeof value === "boolean", asJson);

const text = <T extends string = string>(wanted: string): Check<T> =>
  check(wanted, (value) => typeof value === "string" && value !== "", asItIs);

const choice = <const T extends string>(...known: readonly T[]): Check<T> =>
  check(
    known.map((name) => JSON.stringify(name)).join(" or "),
    (value) => known.includes(value as T),
    asItIs,
  );

const names = (wanted: string): Check<readonly string[]> =>
  check(wanted, isNames, (list) => list.split(",").filter((name) => name !== ""));

const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

/** A whole number between two. */
const count = (least: number, most: number = Number.MAX_SAFE_INTEGER): Check<number> =>
  check(
    most === Number.MAX_SAFE_INTEGER
      ? `a whole number of ${least} or more`
      : `a whole number from ${least} to ${most}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
    asJson,
  );

const orNull = <T>({ wanted, accepts, parse }: Check<T>): Check<T | null> =>
  check(`${wanted}, or null`, (value) => value === null || accepts(value), parse && asJson);

/** Bytes: a number, or a text such as "500MB". */
const size: Check<number | string> = check(
  'a number of bytes, or a size such as "500MB" or "2GiB"',
  (value) => parseBytes(value as number | string) !== null,
  asItIs,
);

/** What other code checks: `fits` throws an error of its own that says more. */
const data = <T>(wanted: string, fits: (value: T) => void): Check<T> =>
  check(
    wanted,
    (value) => {
      fits(value as T);
      return true;
    },
    asJson,
  );

export const instanceOf = <T>(wanted: string, made: abstract new (...args: never[]) => T): Check<T> =>
  check(wanted, (value) => value instanceof made);

export const functionOf = <T>(wanted: string): Check<T> =>
  check(wanted, (value) => typeof value === "function");

export const either = <A, B>(wanted: string, a: Check<A>, b: Check<B>): Check<A | B> =>
  check(wanted, (value) => a.accepts(value) || b.accepts(value), a.parse ?? b.parse);

/** An object with a method of this name. */
export const having = <T>(method: keyof T & string): Check<T> =>
  check(`an object with ${method}()`, (value) => typeof (value as T | null)?.[method] === "function");

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

/** What rules are taken from: a RuleSequence, of which more is known where expressions are rewritten. */
export interface RuleDatabase {
  readonly name: string;
  readonly number: number;
  readonly version: number;
  query(wanted: never): unknown;
}

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
  /** A folder for intermediates, or the address of a store. Named, it keeps them when a run is killed, and the same computation resumes. */
  workDir: option(text("a folder, or the address of a store"), "run", ["run"]),
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

/** One object of settings that there are. */
export function checkSettings(options: unknown, where: string): Settings {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new ValueError({ where, what: `the options are ${describe(options)}`, cure: "Give one object" });
  const known = Object.keys(SETTINGS);
  for (const name of Object.keys(options)) {
    if (name in SETTINGS) continue;
    throw new ValueError({ where, what: `there is no option ${describe(name)}`, cure: closest(name, known) });
  }
  return options as Settings;
}

const { process: host } = globalThis as { process?: { env?: { [name: string]: string | undefined } } };

/** `workDir`: CHUNKWISE_WORK_DIR. */
export const variableOf = (name: string): string =>
  `CHUNKWISE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** What variables of the environment say. */
export function fromEnvironment(): Settings {
  const found: { [name: string]: unknown } = {};
  for (const [name, { parse }] of Object.entries(SETTINGS)) {
    const text = host?.env?.[variableOf(name)];
    if (text) found[name] = parse!(text);
  }
  return found;
}

/** A JSON file that CHUNKWISE_CONFIG names, with the options of Spec. */
export function fromConfiguration(): Settings {
  const path = host?.env?.["CHUNKWISE_CONFIG"];
  const fs = builtinNow("node:fs");
  if (!path || fs === undefined) return {};
  const where = `the configuration ${path}`;
  try {
    return checkSettings(JSON.parse(fs.readFileSync(path, "utf8")), where);
  } catch (error) {
    if (error instanceof ValueError) throw error;
    const cure = "CHUNKWISE_CONFIG must name a JSON file";
    throw new ValueError(
      { where, what: `cannot be read: ${(error as Error).message}`, cure },
      { cause: error },
    );
  }
}
