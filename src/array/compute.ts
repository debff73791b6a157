// Computing: the one place where anything runs. In: lazy arrays. Out: NDArrays. Several arrays are one
// plan, so what they share is computed once.

import type { Block } from "../core/block.ts";
import { ValueError } from "../core/errors.ts";
import { describe } from "../core/shape.ts";
import { type Plan, type PlanOptions, planOf } from "../plan/index.ts";
import type { RunEvent } from "../runtime/events.ts";
import { runPlan } from "../runtime/run.ts";
import { LazyArray } from "./lazyArray.ts";
import { NDArray } from "./ndarray.ts";

export interface ComputeOptions extends PlanOptions {
  /** Sees every event of the run. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
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

async function run(plan: Plan, { signal, onEvent }: AsyncComputeOptions): Promise<Block[]> {
  const events = runPlan(plan.data, plan.sources);
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

function runSync(plan: Plan, { onEvent }: ComputeOptions): Block[] {
  const events = runPlan(plan.data, plan.sources);
  for (;;) {
    const step = events.next();
    if (step.done === true) return step.value;
    onEvent?.(step.value);
  }
}

/** Each expression once in the plan, each array's result in its place. */
function prepare(
  arrays: readonly LazyArray[],
  options: ComputeOptions,
): { plan: Plan; results: (blocks: readonly Block[]) => NDArray[] } {
  const roots = [...new Set(arrays.map(({ expr }) => expr))];
  const results = (blocks: readonly Block[]): NDArray[] => {
    const byExpr = new Map(roots.map((root, i) => [root, NDArray.fromBlock(blocks[i]!)]));
    return arrays.map(({ expr }) => byExpr.get(expr)!);
  };
  return { plan: planOf(roots, options), results };
}

export async function computeArrays(
  arrays: readonly LazyArray[],
  options: AsyncComputeOptions = {},
): Promise<NDArray[]> {
  const { plan, results } = prepare(arrays, options);
  return results(await run(plan, options));
}

export function computeArraysSync(arrays: readonly LazyArray[], options: ComputeOptions = {}): NDArray[] {
  const { plan, results } = prepare(arrays, options);
  return results(runSync(plan, options));
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

function readArguments(
  args: readonly unknown[],
  name: string,
): { arrays: LazyArray[]; options: AsyncComputeOptions } {
  const [first, second] = args;
  const arrays = Array.isArray(first) ? first : args;
  const wrong = arrays.find((array) => !(array instanceof LazyArray));
  if (wrong !== undefined) {
    throw new ValueError({
      what: `${describe(wrong)} is not a lazy array`,
      where: name,
      cure: `Write ${name}(x, y) or ${name}([x, y], options)`,
    });
  }
  return {
    arrays: arrays as LazyArray[],
    options: Array.isArray(first) ? ((second ?? {}) as AsyncComputeOptions) : {},
  };
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
export function plan(arrays: LazyArray | readonly LazyArray[], options?: PlanOptions): Plan {
  const list = arrays instanceof LazyArray ? [arrays] : arrays;
  return planOf([...new Set(list.map(({ expr }) => expr))], options);
}
