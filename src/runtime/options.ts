// Options of a run: the settings (settings.ts) and what can only be given at a call. In: what the user wrote at a call.
// Out: the same, checked, under one spec: what a call says goes before what its spec says.

import { ValueError } from "../core/errors.ts";
import type { StopSignal } from "../core/platform.ts";
import { describe } from "../core/shape.ts";
import { closest } from "../core/suggest.ts";
import type { Backend } from "../kernel/backend.ts";
import type { PlanOptions } from "../plan/index.ts";
import type { PlanData } from "../plan/plan.ts";
import type { RunEvent } from "./events.ts";
import {
  type Call,
  type Effect,
  either,
  flag,
  functionOf,
  having,
  instanceOf,
  type OptionsOf,
  option,
  SETTINGS,
  type Settings,
} from "./settings.ts";

import { definedIn, Spec } from "./spec.ts";

type Listener = (event: RunEvent) => void;
type OptimizeFunction = (plan: PlanData) => PlanData;
type Print = (line: string) => void;

export const RUN_OPTIONS = {
  ...SETTINGS,
  /** Settings that computations share. */
  spec: option(instanceOf('a Spec, as new Spec({allowedMem: "2GB"})', Spec), "memory", ["plan", "run"]),
  /** WebAssembly kernels: what computes, and has the memory of blocks. A backend of your own has the interface Backend. */
  backend: option(having<Backend>("compile"), "run", ["sync", "run"]),
  /** Sees every event of the run. One that throws is told of, and sees no more. */
  onEvent: option(functionOf<Listener>("a function"), "run", ["sync", "run"]),
  /** Stops the computation; the promise rejects with the signal's reason. */
  signal: option(instanceOf<StopSignal>("an AbortSignal", AbortSignal), "run", ["run"]),
  /** Takes the place of fusion: from the plan with one operation for each node to the one that runs. */
  optimizeFunction: option(functionOf<OptimizeFunction>("a function from plan to plan"), "plan", [
    ...(["plan", "sync", "run"] as const),
  ]),
  /** Says for every operation why it was fused, or why not: to the console, or to this function. */
  debug: option(
    either("true, false or a function of a line", flag, functionOf<Print>("a function")),
    "plan",
    ["plan", "sync", "run"],
  ),
};

type Table = typeof RUN_OPTIONS;
/** The options that a kind of call takes. */
type OptionsAt<C extends Call> = OptionsOf<{
  readonly [K in keyof Table as Table[K]["calls"][number] & C extends never ? never : K]: Table[K];
}>;

/** What computations take. */
export interface AsyncComputeOptions extends OptionsAt<"run"> {}
/** The same once it is checked: under one spec. */
export interface CheckedRun extends AsyncComputeOptions {
  readonly spec: Spec;
}
/** What computations at once take. */
export interface ComputeOptions extends OptionsAt<"sync"> {}
/** What plans take. */
export interface PlanOnlyOptions extends OptionsAt<"plan"> {}

const namesWhere = (is: (entry: Table[keyof Table]) => boolean): string[] =>
  Object.entries(RUN_OPTIONS).flatMap(([name, entry]) => (is(entry as Table[keyof Table]) ? [name] : []));

const namesAt = (call: Call): readonly string[] =>
  namesWhere(({ calls }) => (calls as readonly Call[]).includes(call));

/** Names of options, for those who take others besides. */
export const OPTIONS_AT: { readonly [C in Call]: readonly string[] } = {
  plan: namesAt("plan"),
  sync: namesAt("sync"),
  run: namesAt("run"),
};

const settled = (effect: Effect): readonly (keyof Table)[] =>
  namesWhere((entry) => entry.effect === effect) as (keyof Table)[];
const PLANNING = settled("plan");

export function checkRun(
  options: unknown,
  where: string,
  call: "run",
  usual: Spec,
  others?: readonly string[],
): CheckedRun;
export function checkRun(
  options: unknown,
  where: string,
  call: Call,
  usual: Spec,
  others?: readonly string[],
): AsyncComputeOptions;
/** Options of a call, checked; `where` is what the user called. `others` are what it takes besides, and checks itself. */
export function checkRun(
  options: unknown,
  where: string,
  call: Call,
  usual: Spec,
  others: readonly string[] = [],
): AsyncComputeOptions {
  if (options === undefined) return usualOptions(call, usual);
  const known = [...OPTIONS_AT[call], ...others];
  if (!isPlain(options))
    throw new ValueError({
      where,
      what: `the options are ${describe(options)}`,
      cure: `Options are one object: {${known.slice(0, MOST_NAMED).join(", ")}, …}`,
    });
  for (const [name, value] of Object.entries(options)) checkOption(name, value, where, known);
  return underOneSpec(options, call, usual);
}

const unsaid = new WeakMap<Spec, { [C in Call]?: AsyncComputeOptions }>();

/** Of calls that say nothing, which most are: made once for each spec. */
function usualOptions(call: Call, usual: Spec): AsyncComputeOptions {
  const known = unsaid.get(usual) ?? {};
  unsaid.set(usual, known);
  known[call] ??= underOneSpec({}, call, usual);
  return known[call];
}

const MOST_NAMED = 6;

const isPlain = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value));

function checkOption(name: string, value: unknown, where: string, known: readonly string[]): void {
  if (!known.includes(name))
    throw new ValueError({ where, what: `there is no option ${describe(name)}`, cure: closest(name, known) });
  const entry = RUN_OPTIONS[name as keyof Table] as Table[keyof Table] | undefined;
  if (value === undefined || entry === undefined || entry.accepts(value)) return;
  throw new ValueError({ where, what: `${name} is ${describe(value)}`, cure: `It must be ${entry.wanted}` });
}

/**
 * What the spec says of rewriting and planning holds unless the call says otherwise, and what a call says of memory makes a
 * spec. Calls that only plan, or compute at once, have a budget only if they are given one.
 */
function underOneSpec(options: AsyncComputeOptions, call: Call, usual: Spec): AsyncComputeOptions {
  const own = ownSettings(options);
  const given = own === null ? options.spec : (options.spec ?? usual).with(own);
  const spec = given ?? (call === "run" ? usual : undefined);
  return { ...(given ?? usual).settings, ...definedIn(options), spec };
}

/** Settings that runs take of their spec alone; null where the call has none of them. */
function ownSettings({
  allowedMem,
  reservedMem,
  workDir,
  retries,
  twins,
}: AsyncComputeOptions): Settings | null {
  const own = definedIn({ allowedMem, reservedMem, workDir, retries, twins });
  return Object.keys(own).length === 0 ? null : own;
}

/** What of the options changes a plan. */
export function planningOf(options: PlanOnlyOptions): PlanOptions {
  const chosen = PLANNING.filter((name) => options[name as keyof PlanOnlyOptions] !== undefined);
  return Object.fromEntries(chosen.map((name) => [name, options[name as keyof PlanOnlyOptions]]));
}
