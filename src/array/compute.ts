// Computing: the one place where anything runs. In: lazy arrays. Out: NDArrays. Several arrays are one
// plan, so what they share is computed once.

import { describe } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import { LazyArray } from "../lazy/lazyArray.ts";
import type { NDArray } from "../lazy/ndarray.ts";
import type { ArrayDType, OutputsOf } from "../lazy/operandTypes.ts";
import { Plan, planOf } from "../plan/index.ts";
import { nextStage } from "../plan/stages.ts";
import {
  type AsyncComputeOptions,
  type CheckedRun,
  type ComputeOptions,
  checkRun,
  type PlanOnlyOptions,
} from "../runtime/spec.ts";
import { engine } from "./defaultEngine.ts";
import { type PlanningOptions, planOptions, prepare, prepareCut, rewritingOf, sitesOf } from "./prepare.ts";
import { run, runSync, settleArrays, stageArrays, withStages, withStagesSync } from "./settling.ts";
import { type PlanTarget, plannedTo, storeSettled } from "./storing.ts";

/** What execute() returns: the array, or the marked outputs by name with the result. */
export type Executed<Array extends LazyArray> =
  unknown extends OutputsOf<Array>
    ? NDArray<ArrayDType<Array>>
    : OutputsOf<Array> & { readonly result: NDArray<ArrayDType<Array>> };

export const computeArrays = (arrays: readonly LazyArray[], options: CheckedRun): Promise<NDArray[]> =>
  withStages(arrays, options, storeSettled, async (settled, given) => {
    const prepared = prepare(settled, given);
    return prepared.results(await run(prepared, given));
  });

export const computeArraysSync = (arrays: readonly LazyArray[], options: ComputeOptions): NDArray[] =>
  withStagesSync(arrays, options, (settled) => {
    const prepared = prepare(settled, options);
    return prepared.results(runSync(prepared, options));
  });

type Results<Arrays extends readonly LazyArray[]> = { [K in keyof Arrays]: NDArray<ArrayDType<Arrays[K]>> };

/** `await cw.compute(a, b, c)`: all in one computation that shares their work. */
export function compute<const Arrays extends readonly LazyArray[]>(
  ...arrays: Arrays
): Promise<Results<Arrays>>;
export function compute<const Arrays extends readonly LazyArray[]>(
  arrays: Arrays,
  options?: AsyncComputeOptions,
): Promise<Results<Arrays>>;
export async function compute(...args: readonly unknown[]): Promise<NDArray[]> {
  const { arrays, options } = readArguments(args, "compute");
  return computeArrays(arrays, checkRun(options, "compute", "run", engine.spec));
}

/** The same at once; for work in memory: `const [a, b] = cw.computeSync(x, y)`. */
export function computeSync<const Arrays extends readonly LazyArray[]>(...arrays: Arrays): Results<Arrays>;
export function computeSync<const Arrays extends readonly LazyArray[]>(
  arrays: Arrays,
  options?: ComputeOptions,
): Results<Arrays>;
export function computeSync(...args: readonly unknown[]): NDArray[] {
  const { arrays, options } = readArguments(args, "computeSync");
  return computeArraysSync(arrays, checkRun(options, "computeSync", "sync", engine.spec));
}

/**
 * Finds out all lengths that depend on data, and what else stages do, by a run of its own: `const y = await
 * cw.settle(x.get(x.greater(0)))` has a shape. Several arrays at once share the work: `const [a, b] = await cw.settle([x, y])`.
 */
export const settle: SettleFunction = (async (
  arrays: LazyArray | readonly LazyArray[],
  options?: AsyncComputeOptions,
): Promise<LazyArray | LazyArray[]> => {
  const list = checkLazy(Array.isArray(arrays) ? arrays : [arrays], "settle");
  const settled = await settleArrays(list, checkRun(options, "settle", "run", engine.spec));
  return Array.isArray(arrays) ? settled : settled[0]!;
}) as SettleFunction;

interface SettleFunction {
  <A extends LazyArray>(array: A, options?: AsyncComputeOptions): Promise<A>;
  <const Arrays extends readonly LazyArray[]>(
    arrays: Arrays,
    options?: AsyncComputeOptions,
  ): Promise<{ [K in keyof Arrays]: Arrays[K] }>;
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

function readArguments(args: readonly unknown[], name: string): { arrays: LazyArray[]; options: unknown } {
  const [first, second] = args;
  const isList = Array.isArray(first);
  const arrays = checkLazy(isList ? (first as unknown[]) : args, name);
  return { arrays, options: isList ? second : undefined };
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
  options: CheckedRun,
): Promise<Executed<Array>> {
  return gather(array, await computeArrays(stages(array), options));
}

export function executeSync<Array extends LazyArray>(array: Array, options: ComputeOptions): Executed<Array> {
  return gather(array, computeArraysSync(stages(array), options));
}

/** Options of `cw.plan` and `x.plan`: those of planning, and how results will be stored. */
export interface PlanCallOptions extends PlanOnlyOptions {
  /** How results will be stored, one for all or one for each: the plan is then that of toZarr or store, encoding and all. */
  readonly target?: PlanTarget | readonly PlanTarget[] | undefined;
}

/** The plan of one or several arrays. Computes nothing: `console.log(cw.plan([a, b], {allowedMem: "500MB"}))`. */
export function plan(arrays: LazyArray | readonly LazyArray[], options?: PlanCallOptions): Plan {
  const list = checkLazy(Array.isArray(arrays) ? arrays : [arrays], "plan");
  const { target, ...checked }: PlanCallOptions = checkRun(options, "plan", "plan", engine.spec, ["target"]);
  const roots = [...new Set(list.map(({ expr }) => expr))];
  const stage = nextStage(roots);
  if (stage !== null) {
    const first = plan(stageArrays(stage), options);
    return new Plan(first.data, first.sources, first.before, { roots, options: checked });
  }
  if (target !== undefined) return planTo(list, checkTarget(target), checked);
  return planOf(rewritingOf(checked).apply(roots), {
    ...planOptions(checked),
    siteOf: sitesOf(list),
  });
}

function checkTarget(target: unknown): PlanTarget | readonly PlanTarget[] {
  if (typeof target === "object" && target !== null) return target;
  throw new ValueError({
    where: "plan",
    what: `target is ${describe(target)}`,
    cure: 'It must be how results are stored, as {codecs: ["zstd"]}, or one of these for each',
  });
}

/** With the chunks and the storage of targets. */
function planTo(
  arrays: readonly LazyArray[],
  target: PlanTarget | readonly PlanTarget[],
  options: PlanningOptions,
): Plan {
  const targets = Array.isArray(target)
    ? (target as readonly PlanTarget[])
    : arrays.map(() => target as PlanTarget);
  const cuts = arrays.map((array, i) => plannedTo(array, targets[i] ?? {}));
  return prepareCut(arrays, cuts, { ...options, spec: options.spec ?? engine.spec }).plan;
}
