// Spec: settings that computations share. From code, the environment and a configuration file, in this order of
// precedence; the rest are defaults. In: settings (settings.ts), sizes as numbers or "2GB". Out: checked numbers of bytes.

import { describe } from "../core/chunks.ts";
import { bytesText, parseBytes } from "../core/counts.ts";
import { ValueError } from "../core/errors.ts";
import type { StopSignal } from "../core/platform.ts";
import { closest } from "../core/suggest.ts";
import { machineThreads } from "../core/threads.ts";
import type { Backend } from "../kernel/backend.ts";
import type { PlanOptions } from "../plan/index.ts";
import type { PlanData } from "../plan/plan.ts";
import type { CodecTable } from "../storage/codecs/table.ts";
import type { DenseTarget } from "../storage/formats/denseFormat.ts";
import type { CodecArgument } from "../storage/zarr/create.ts";
import type { RunEvent } from "./events.ts";
import { machineBytes } from "./machineMemory.ts";
import type { ExecutorTable } from "./pools/executors.ts";
import type { Executor } from "./pools/pool.ts";
import { reservedFor, THREAD_RESERVED } from "./reserved.ts";
import { foundTasks } from "./resume.ts";
import type { RunSetting } from "./run.ts";
import type { RunKey } from "./runKey.ts";
import { policyOf, type RetryOptions, type TwinOptions } from "./scheduler/policy.ts";
import {
  type Call,
  checkSettings,
  type Effect,
  type ExecutorName,
  either,
  flag,
  fromConfiguration,
  fromEnvironment,
  functionOf,
  having,
  instanceOf,
  type OptionsOf,
  option,
  type RuleDatabase,
  SETTINGS,
  type Settings,
} from "./settings.ts";
import { isStoreAddress, sharedStore } from "./sharedDir.ts";
import { type IntermediateStore, namedStore, temporaryStore } from "./workDir.ts";

/** Options of `new cw.Spec(…)`: each can also come from the environment or a configuration file. */
export type SpecOptions = Settings;

const DEFAULT_PART = 0.6;

/** Settings that computations share: `const spec = new cw.Spec({allowedMem: "2GB"})`, then `x.compute({spec})`. */
export class Spec {
  /** All that was said, here or elsewhere; what was not has its default. */
  readonly settings: Settings;
  /** The folder for intermediates; null: a temporary one. */
  readonly workDir: string | null;
  /** What the process may use, in bytes. */
  readonly allowedMem: number;
  /** What of it the process needs besides data. */
  readonly reservedMem: number;
  /**
   * Bytes of the budget that each thread but the first takes, where nobody said what is to be reserved. Plans do not
   * depend on it: a run has fewer threads instead.
   */
  readonly threadMem: number;
  /** What carries tasks: a name, or an executor. */
  readonly executor: ExecutorName | Executor;
  /** The executor that somebody asked for: it is used however little there is to do. Null where nobody did. */
  readonly chosenExecutor: ExecutorName | Executor | null;
  /** Threads for tasks and kernels; null: as many as the machine has, up to 8. */
  readonly threads: number | null;
  /** How often a task is tried. */
  readonly retries: RetryOptions;
  /** Whether tasks that take long get a second worker. */
  readonly twins: TwinOptions;
  /** Whether what counts as done is on the disk. */
  readonly durable: boolean;
  /** How intermediates are stored; null: as usual. */
  readonly codecs: readonly CodecArgument[] | null;

  constructor(options: SpecOptions = {}) {
    const said = checkSettings(options, "Spec");
    const given = checkValues({ ...fromConfiguration(), ...fromEnvironment(), ...definedIn(said) });
    this.settings = given;
    this.workDir = given.workDir ?? null;
    this.reservedMem = bytesOf(given.reservedMem) ?? reservedFor(1);
    this.threadMem = given.reservedMem === undefined ? THREAD_RESERVED : 0;
    const machine = machineBytes();
    const usual = Math.max(2 * this.reservedMem, DEFAULT_PART * machine);
    this.allowedMem = bytesOf(given.allowedMem) ?? usual;
    this.chosenExecutor = given.executor ?? null;
    this.executor = this.chosenExecutor ?? "threads";
    this.threads = given.threads ?? null;
    this.retries = given.retries ?? {};
    this.twins = given.twins ?? true;
    this.durable = given.durable ?? false;
    this.codecs = given.codecs ?? null;
    checkMemory(this, machine);
  }

  /** Bytes for tasks and intermediates. */
  get budget(): number {
    return this.allowedMem - this.reservedMem;
  }

  /** The same with other settings. */
  with(options: SpecOptions): Spec {
    return new Spec({ ...this.settings, ...definedIn(options) });
  }

  toString(): string {
    const memory = `allowedMem ${bytesText(this.allowedMem)}, reservedMem ${bytesText(this.reservedMem)}`;
    const executor = typeof this.executor === "string" ? this.executor : this.executor.name;
    return `Spec ${memory}, executor ${executor}, workDir ${this.workDir ?? "temporary"}`;
  }
}

const bytesOf = (size: number | string | undefined): number | undefined =>
  size === undefined ? undefined : parseBytes(size)!;

function checkValues(settings: SpecOptions): SpecOptions {
  for (const [name, value] of Object.entries(settings)) {
    const { wanted, accepts } = SETTINGS[name as keyof Settings];
    if (accepts(value)) continue;
    throw new ValueError({
      where: "Spec",
      what: `${name} is ${describe(value)}`,
      cure: `It must be ${wanted}`,
    });
  }
  return settings;
}

/** Without what was left open. */
export const definedIn = <T extends object>(options: T): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;

function checkMemory({ allowedMem, reservedMem }: Spec, machine: number): void {
  const [allowed, reserved] = [bytesText(allowedMem), bytesText(reservedMem)];
  if (allowedMem > machine)
    throw new ValueError({
      where: "Spec",
      what: `allowedMem is ${allowed} and the machine has ${bytesText(machine)}`,
      cure: "Allow no more than there is",
    });
  if (reservedMem >= allowedMem)
    throw new ValueError({
      where: "Spec",
      what: `reservedMem (${reserved}) leaves nothing of allowedMem (${allowed})`,
      cure: "Allow more, or reserve less: measureReservedMemory() says what is needed",
    });
}

// Options of a run: the settings (settings.ts) and what can only be given at a call. In: what the user wrote at a call.
// Out: the same, checked, under one spec: what a call says goes before what its spec says.

type Listener = (event: RunEvent) => void;
type OptimizeFunction = (plan: PlanData) => PlanData;
type Print = (line: string) => void;

export const RUN_OPTIONS = {
  ...SETTINGS,
  /** The rules that rewrite expressions: the engine's pipeline, or a RuleSequence of your own. */
  database: option(having<RuleDatabase>("query"), "run", ["plan", "sync", "run"]),
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

// How a run is done: from what the user set to executor, budget, policy, and where intermediates go; and, where a folder for
// intermediates is named, what an earlier run of the same computation has left there and in its targets.

/** What runs need of the engine. */
interface RunParts {
  readonly executors: ExecutorTable;
  readonly codecs: CodecTable;
}

export function settingOf(options: CheckedRun, { executors, codecs: known }: RunParts): RunSetting {
  const { signal, spec } = options;
  const chosen = options.executor ?? spec.chosenExecutor;
  known.checkSent((spec.codecs ?? []).map((codec) => (typeof codec === "string" ? codec : codec.name)));
  return {
    policy: policyOf(spec.retries, spec.twins),
    budget: spec.budget,
    allowed: spec.allowedMem,
    threads: options.threads ?? spec.threads ?? machineThreads,
    threadMem: spec.threadMem,
    signal,
    executor: executors.find(chosen ?? spec.executor),
    isAskedFor: chosen !== null,
    store: temporaryStore({ codecs: spec.codecs, known }),
    found: [],
  };
}

/** A folder that a later run of the same computation finds again; null where none is named, or another process has it. */
export async function namedHome(
  key: () => Promise<RunKey>,
  options: CheckedRun,
  { executors, codecs: known }: RunParts,
): Promise<IntermediateStore | null> {
  const { workDir, codecs, durable, executor } = options.spec;
  const isDurable = options.durable ?? durable;
  const isElsewhere = executors.find(options.executor ?? executor).isElsewhere === true;
  if (isElsewhere || (workDir !== null && isStoreAddress(workDir)))
    return sharedStore(workDir, await key(), { codecs, known }, isDurable);
  return workDir === null ? null : namedStore(workDir, await key(), { codecs, known }, isDurable);
}

/** The same, with what is there already. `resumed`: targets that are gone on with; not given where results stay in memory. */
export async function settingFor(
  plan: PlanData,
  key: () => Promise<RunKey>,
  options: CheckedRun,
  parts: RunParts,
  resumed?: ReadonlyMap<string, DenseTarget> | undefined,
): Promise<RunSetting> {
  const setting = settingOf(options, parts);
  const isElsewhere = setting.executor.isElsewhere === true;
  const named = await namedHome(key, options, parts);
  if (named === null && (resumed?.size ?? 0) === 0) return setting;
  try {
    const found = await foundTasks(plan, resumed ?? new Map(), named, isElsewhere && resumed === undefined);
    await named?.settle();
    return { ...setting, store: named ?? setting.store, found };
  } catch (error) {
    // The folder is for others now.
    await named?.close(false);
    throw error;
  }
}
