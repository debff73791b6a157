// Computing: the one place where anything runs. In: lazy arrays. Out: NDArrays. Several arrays are one
// plan, so what they share is computed once.

import type { Block } from "../core/block.ts";
import { ValueError } from "../core/errors.ts";
import { describe } from "../core/shape.ts";
import { closest } from "../core/suggest.ts";
import type { Expr } from "../expr/expr.ts";
import type { Site } from "../expr/site.ts";
import { execute as executeProgram } from "../kernel/execute.ts";
import { pressure } from "../kernel/wasm/memory.ts";
import { planFor } from "../plan/cache.ts";
import { type Plan, type PlanOptions, planOf } from "../plan/index.ts";
import type { PlanData } from "../plan/plan.ts";
import type { RunEvent } from "../runtime/events.ts";
import { runPlan } from "../runtime/run.ts";
import { LazyArray } from "./lazyArray.ts";
import { NDArray } from "./ndarray.ts";
import { type RewriteOptions, rewritingOf } from "./rewriting.ts";

export interface ComputeOptions extends PlanOptions, RewriteOptions {
  /** Sees every event of the run. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** How many threads kernels may use: as many as the machine has, up to 8, when not said. */
  readonly threads?: number | undefined;
}
export interface AsyncComputeOptions extends ComputeOptions {
  /** Stops the computation between two tasks; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

type OutputsOf<Array extends LazyArray> = Array extends LazyArray<infer O> ? O : never;
/** What execute() returns: the array, or the marked outputs by name with the result. */
export type Executed<Array extends LazyArray> =
  unknown extends OutputsOf<Array> ? NDArray : OutputsOf<Array> & { readonly result: NDArray };

/** How long tasks may run before other work of the process gets its turn. */
const TURN_MS = 12;

async function run(prepared: Prepared, { signal, onEvent, threads }: AsyncComputeOptions): Promise<Block[]> {
  const events = eventsOf(prepared, threads);
  if (pressure.isDue) await collected();
  let turnEnds = performance.now() + TURN_MS;
  for (;;) {
    signal?.throwIfAborted();
    const step = events.next();
    if (step.done === true) return step.value;
    onEvent?.(step.value);
    if (performance.now() < turnEnds) continue;
    await otherWork();
    turnEnds = performance.now() + TURN_MS;
  }
}

const otherWork = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve);
  });

const eventsOf = ({ plan, withLines }: Prepared, threads: number | undefined): ReturnType<typeof runPlan> =>
  runPlan(plan.data, plan.sources, {
    run: (program, bound) => executeProgram(program, bound, threads),
    withLines,
  });

/** A turn in which results that were let go give their memory back. */
async function collected(): Promise<void> {
  pressure.isDue = false;
  await otherWork();
}

function runSync(prepared: Prepared, { onEvent, threads }: ComputeOptions): Block[] {
  const events = eventsOf(prepared, threads);
  for (;;) {
    const step = events.next();
    if (step.done === true) return step.value;
    onEvent?.(step.value);
  }
}

/**
 * The line that made each node *here*: the expression may be shared with one that was written elsewhere before.
 */
function sitesOf(arrays: readonly LazyArray[]): (node: Expr) => Site | null {
  const sites = new Map<Expr, Site | null>();
  const seen = new Set<LazyArray>(arrays);
  for (const array of seen) {
    if (array.site !== null) sites.set(array.expr, array.site);
    for (const parent of array.parents) seen.add(parent);
  }
  return (node) => sites.get(node) ?? node.site;
}

interface Prepared {
  readonly plan: Plan;
  /** The plan's data with the lines of the user's code. */
  readonly withLines: () => PlanData;
  readonly results: (blocks: readonly Block[]) => NDArray[];
}

/** Each expression once in the plan, each array's result in its place. */
function prepare(arrays: readonly LazyArray[], options: ComputeOptions): Prepared {
  const { optimize = true } = options;
  const roots = [...new Set(arrays.map(({ expr }) => expr))];
  const rewriting = rewritingOf(options);
  return {
    plan: planFor(roots, optimize, rewriting),
    withLines: () => planOf(rewriting.apply(roots), { optimize, siteOf: sitesOf(arrays) }).data,
    results: (blocks) => {
      const byExpr = new Map(roots.map((root, i) => [root, NDArray.fromBlock(blocks[i]!)]));
      return arrays.map(({ expr }) => byExpr.get(expr)!);
    },
  };
}

export async function computeArrays(
  arrays: readonly LazyArray[],
  options: AsyncComputeOptions = {},
): Promise<NDArray[]> {
  const prepared = prepare(arrays, options);
  return prepared.results(await run(prepared, options));
}

export function computeArraysSync(arrays: readonly LazyArray[], options: ComputeOptions = {}): NDArray[] {
  const prepared = prepare(arrays, options);
  return prepared.results(runSync(prepared, options));
}

type Results<Arrays extends readonly LazyArray[]> = { [K in keyof Arrays]: NDArray };

/** compute(a, b, c): all in one computation that shares their work. */
export function compute<const Arrays extends readonly LazyArray[]>(
  ...arrays: Arrays
): Promise<Results<Arrays>>;
export function compute<const Arrays extends readonly LazyArray[]>(
  arrays: Arrays,
  options?: AsyncComputeOptions,
): Promise<Results<Arrays>>;
export async function compute(...args: readonly unknown[]): Promise<NDArray[]> {
  const { arrays, options } = readArguments(args, "compute");
  return computeArrays(arrays, options);
}

/** The same at once; for work in memory. */
export function computeSync<const Arrays extends readonly LazyArray[]>(...arrays: Arrays): Results<Arrays>;
export function computeSync<const Arrays extends readonly LazyArray[]>(
  arrays: Arrays,
  options?: ComputeOptions,
): Results<Arrays>;
export function computeSync(...args: readonly unknown[]): NDArray[] {
  const { arrays, options } = readArguments(args, "computeSync");
  return computeArraysSync(arrays, options);
}

export const COMPUTE_OPTIONS: readonly string[] = [
  "optimize",
  "mode",
  "include",
  "exclude",
  "onEvent",
  "signal",
  "threads",
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

const RUN_OPTIONS: { readonly [name: string]: RunOptionCheck } = {
  optimize: { wanted: "true or false", accepts: (value) => typeof value === "boolean" },
  onEvent: { wanted: "a function", accepts: (value) => typeof value === "function" },
  signal: { wanted: "an AbortSignal", accepts: (value) => value instanceof AbortSignal },
  mode: { wanted: 'a mode, as "fastRun+fastMath"', accepts: (value) => typeof value === "string" },
  include: { wanted: "a list of names of rules or tags", accepts: isNames },
  exclude: { wanted: "a list of names of rules or tags", accepts: isNames },
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

function checkLazy(arrays: readonly unknown[], where: string): LazyArray[] {
  const list = Array.from(arrays);
  const at = list.findIndex((array) => !(array instanceof LazyArray));
  if (at < 0) return list as LazyArray[];
  throw new ValueError({
    where,
    what: `${describe(list[at])} is not a lazy array`,
    cure: `Write ${where}(x, y) or ${where}([x, y], options)`,
  });
}

function readArguments(
  args: readonly unknown[],
  name: string,
): { arrays: LazyArray[]; options: AsyncComputeOptions } {
  const [first, second] = args;
  const isList = Array.isArray(first);
  const arrays = checkLazy(isList ? (first as unknown[]) : args, name);
  return { arrays, options: isList ? checkRun(second, name) : {} };
}

/** The marked outputs and the result, or the result alone where nothing was marked. */
function gather<Array extends LazyArray>(array: Array, computed: readonly NDArray[]): Executed<Array> {
  const names = [...array.outputs.keys()];
  const result = computed.at(-1)!;
  if (names.length === 0) return result as Executed<Array>;
  return Object.fromEntries([
    ...names.map((name, i) => [name, computed[i]!]),
    ["result", result],
  ]) as Executed<Array>;
}

const stages = (array: LazyArray): LazyArray[] => [...array.outputs.values(), array];

export async function execute<Array extends LazyArray>(
  array: Array,
  options: AsyncComputeOptions = {},
): Promise<Executed<Array>> {
  return gather(array, await computeArrays(stages(array), options));
}

export function executeSync<Array extends LazyArray>(
  array: Array,
  options: ComputeOptions = {},
): Executed<Array> {
  return gather(array, computeArraysSync(stages(array), options));
}

/** The plan of one or several arrays. Computes nothing. */
export function plan(arrays: LazyArray | readonly LazyArray[], options?: PlanOptions & RewriteOptions): Plan {
  const list = checkLazy(Array.isArray(arrays) ? arrays : [arrays], "plan");
  const checked = checkRun(options, "plan", ["optimize", "mode", "include", "exclude"]);
  const roots = [...new Set(list.map(({ expr }) => expr))];
  return planOf(rewritingOf(checked).apply(roots), { ...checked, siteOf: sitesOf(list) });
}
