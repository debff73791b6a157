// compile: a function of arrays that is rewritten, planned and made ready once, and then called with data again and again. In: a
// function, what its inputs are, what it updates. Out: a function of data.

import type { Block, Resource } from "../../core/block.ts";
import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import type { StopSignal } from "../../core/platform.ts";
import { type Expr, postOrder } from "../../expr/expr.ts";
import { exprText } from "../../expr/print.ts";
import { currentSite } from "../../expr/site.ts";
import { userCall } from "../../lazy/call.ts";
import { DataResource, LazyArray } from "../../lazy/lazyArray.ts";
import type { NDArray } from "../../lazy/ndarray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import { type Plan, planOf } from "../../plan/index.ts";
import { nextStage } from "../../plan/stages.ts";
import { type AsyncComputeOptions, type CheckedRun, checkRun } from "../../runtime/spec.ts";
import { StandingRun } from "../../runtime/standingRun.ts";
import { plan } from "../compute.ts";
import { engine } from "../defaultEngine.ts";
import { backendOf, type Prepared, planOptions, rewrittenBy, sitesOf } from "../prepare.ts";
import { type Compiled, callSoon, callSync } from "./calls.ts";
import { type CompilePhase, type FunctionProfile, FunctionProfiler } from "./functionProfile.ts";
import { InputSlot, type InputSpec, type InputValue, type SpecDType } from "./inputs.ts";
import type { SharedArray } from "./state.ts";
import { type Outputs, type Pairs, type Traced, trace } from "./traced.ts";

/** The function's parameters: a lazy array for each spec. */
type Placeholders<Specs extends readonly InputSpec[]> = {
  [K in keyof Specs]: LazyArray<SpecDType<Specs[K]>>;
};
/** What a call brings. */
type Values<Specs extends readonly InputSpec[]> = { [K in keyof Specs]: InputValue<SpecDType<Specs[K]>> };
/** What a call gives: the function's outputs, computed. */
export type Computed<Out extends Outputs> = Out extends LazyArray
  ? NDArray<ArrayDType<Out>>
  : { -readonly [K in keyof Out]: NDArray<ArrayDType<Out[K]>> };

/** Options of `cw.compile`: those of computations, and what is updated or given. */
export interface CompileOptions<Specs extends readonly InputSpec[] = readonly InputSpec[]>
  extends AsyncComputeOptions {
  /** States and their next values, which take their places when a call has computed everything: `[[w, w.subtract(step)]]`. */
  readonly updates?:
    | Pairs<SharedArray>
    | ((...inputs: Placeholders<Specs>) => Pairs<SharedArray>)
    | undefined;
  /** Arrays that take the places of others in the function and the updates: `[[x, x0]]`. */
  readonly givens?: Pairs<LazyArray> | ((...inputs: Placeholders<Specs>) => Pairs<LazyArray>) | undefined;
  /** Keeps account of where the time goes, for `f.profile()`. */
  readonly profile?: boolean | undefined;
}

/** Options of a call of a compiled function. */
export interface CompiledCallOptions<Result> {
  /** Arrays that the outputs are written to, in the function's structure; new ones unless given. */
  readonly out?: Result | undefined;
  /** Stops the call; the promise rejects with the signal's reason. */
  readonly signal?: StopSignal | undefined;
}

/** A function of data that `cw.compile` made: `await f(x, y)`, or at once `f.sync(x, y)`. */
export interface CompiledFunction<
  Specs extends readonly InputSpec[] = readonly InputSpec[],
  Result = unknown,
> {
  (...args: [...Values<Specs>] | [...Values<Specs>, CompiledCallOptions<Result>]): Promise<Result>;
  /** The same at once; for work in memory: `const loss = f.sync(x, y)`. */
  sync(...args: [...Values<Specs>] | [...Values<Specs>, CompiledCallOptions<Result>]): Result;
  /** How it is computed: `console.log(f.plan())`. Where lengths depend on data, the plan of the first stage. */
  plan(): Plan;
  /** Where its time went, if it was compiled with `profile: true`; null if not: `console.log(String(f.profile()))`. */
  profile(): FunctionProfile | null;
  /** Its inputs, and what stands behind it. */
  toString(): string;
}

type Compile = <const Specs extends readonly InputSpec[], const Out extends Outputs>(
  fn: (...inputs: Placeholders<Specs>) => Out,
  specs: Specs,
  options?: CompileOptions<Specs>,
) => CompiledFunction<Specs, Computed<Out>>;

/**
 * A function of arrays, rewritten and planned once, that is called with data again and again: `const f = cw.compile((x, y) =>
 * x.multiply(y).sum(), [{dtype: "float64", shape: [3]}, "float64"])`, then `await f([1, 2, 3], 2)` or `f.sync(…)`.
 */
export const compile: Compile = userCall(
  "compile",
  (fn: (...inputs: never[]) => unknown, specs: readonly unknown[] = [], options?: unknown) => {
    if (typeof fn !== "function" || !Array.isArray(specs))
      throw new ValueError({
        what: `${describe(fn)} and ${describe(specs)} are no function and its inputs`,
        cure: 'Write compile((x) => x.add(1), [{dtype: "float64", shape: [3]}])',
      });
    const all = checkRun(options, "compile", "run", engine.spec, OWN) as CheckedRun & CompileOptions;
    const { updates, givens, profile, ...checked } = all;
    const profiler = isProfiled(profile) ? new FunctionProfiler(currentSite()) : null;
    const made = (): Compiled => {
      const traced = phase(profiler, "tracing", () => trace({ fn, specs, updates, givens }));
      return compiledOf(traced, checked, profiler);
    };
    return functionOf(profiler === null ? made() : profiler.compiled(made), profiler) as never;
  },
);

const OWN: readonly string[] = ["updates", "givens", "profile"];

function isProfiled(profile: unknown): boolean {
  if (profile === undefined || typeof profile === "boolean") return profile === true;
  throw new ValueError({ what: `profile is ${describe(profile)}`, cure: "It must be true or false" });
}

const phase = <T>(profiler: FunctionProfiler | null, name: CompilePhase, work: () => T): T =>
  profiler === null ? work() : profiler.phase(name, work);

function functionOf(compiled: Compiled, profiler: FunctionProfiler | null): CompiledFunction {
  const { traced, prepared, options, slots } = compiled;
  const soon = (...args: unknown[]): Promise<unknown> => callSoon(compiled, args);
  const sync = (...args: unknown[]): unknown => callSync(compiled, args);
  const call =
    profiler === null ? soon : (...args: unknown[]): Promise<unknown> => profiler.soon(() => soon(...args));
  return Object.assign(call, {
    sync: profiler === null ? sync : (...args: unknown[]): unknown => profiler.sync(() => sync(...args)),
    profile: (): FunctionProfile | null => profiler?.profile() ?? null,
    plan: (): Plan => prepared?.plan ?? plan(arraysOf(traced.roots), options),
    toString: (): string =>
      `compiled (${slots.map(({ text }) => text).join(", ")})\n${exprText(traced.roots, { indent: "  " })}`,
  }) as unknown as CompiledFunction;
}

const arraysOf = (roots: readonly Expr[]): LazyArray[] => roots.map((expr) => new LazyArray(expr));

function compiledOf(traced: Traced, options: CheckedRun, profiler: FunctionProfiler | null): Compiled {
  const backend = backendOf(options);
  const slots = traced.inputs.map((input) => new InputSlot(input, backend));
  const { executor = options.spec.chosenExecutor, onEvent, workDir = options.spec.workDir } = options;
  const isPlain = (executor === null || executor === "inline") && onEvent === undefined && workDir === null;
  const common = { traced, slots, options, backend, isPlain };
  if (nextStage(traced.roots) !== null)
    return { ...common, prepared: null, places: [], standing: null, constants: [] };
  const { roots: rewritten, profile } = phase(profiler, "rewriting", () =>
    rewrittenBy(traced.roots, options, profiler !== null),
  );
  const unique = [...new Set(rewritten)];
  const prepared = phase(profiler, "planning", () => preparedOf(unique, traced.roots, options));
  const places = rewritten.map((root) => unique.indexOf(root));
  const constants = constantsOf(prepared.plan, traced);
  const standing = phase(profiler, "preparing", () => standingOf(common, prepared));
  profiler?.made({
    nodes: { before: postOrder(traced.roots).length, after: postOrder(rewritten).length },
    ...{ operations: prepared.plan.data.operations.length, rewriting: profile },
  });
  return { ...common, prepared, places, standing, constants };
}

/** What results must not be computed to: it is read in every call. */
function constantsOf({ sources }: Plan, { states }: Traced): Block[] {
  const others = new Set<Resource>(states);
  return [...sources.values()].flatMap((resource) =>
    resource instanceof DataResource && !others.has(resource) ? [resource.block] : [],
  );
}

function preparedOf(unique: readonly Expr[], roots: readonly Expr[], options: CheckedRun): Prepared {
  const made = planOf(unique, { ...planOptions(options), siteOf: sitesOf(arraysOf(roots)) });
  return { plan: made, withLines: () => made.data, results: () => [] };
}

function standingOf(
  { traced, slots, backend, options }: Pick<Compiled, "traced" | "slots" | "backend" | "options">,
  { plan: { data, sources } }: Prepared,
): StandingRun | null {
  const inputs = [...slots.map(({ resource }) => resource), ...traced.states];
  return StandingRun.of({ plan: data, sources, inputs, backend, limit: options.spec.budget / 4 });
}
