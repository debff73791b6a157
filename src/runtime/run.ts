// Runs a plan. In: a plan, what its sources are, where its results go, and the setting. Out: the blocks of results
// that stay in memory; the others are in their stores.

import type { Block } from "../core/block.ts";
import { checks as mode } from "../core/checked.ts";
import { sameShape, sizeOf } from "../core/chunks.ts";
import { type RunError, ValueError } from "../core/errors.ts";
import type { StopSignal } from "../core/platform.ts";
import { checkBudget } from "../plan/budget.ts";
import type { PlanData } from "../plan/plan.ts";
import { LostChunkError } from "../storage/errors.ts";
import type { StoreKey } from "../storage/store.ts";
import type { HeldArray } from "./arrays.ts";
import { RunChecks } from "./checks.ts";
import { type Driven, drive, driveSync, watchInterrupts } from "./drive.ts";
import { InlinePool, poolOf } from "./pools/executors.ts";
import type { Executor, Pool } from "./pools/pool.ts";
import { RunArrays, type RunRequest } from "./runArrays.ts";
import { DEFAULT_POLICY, now, type Policy } from "./scheduler/policy.ts";
import { type FoundTask, Scheduler, type TaskFailed } from "./scheduler/scheduler.ts";
import { type Shares, sharesOf } from "./scheduler/shares.ts";
import type { TaskRef } from "./scheduler/taskGraph.ts";
import { runSmall } from "./smallRun.ts";
import { AttemptOutputs, runTask } from "./task.ts";
import { taskError } from "./taskError.ts";
import { functionsOf, MemoryWatch } from "./userFunctions.ts";
import type { IntermediateStore } from "./workDir.ts";

// What a task misses when it could not read a stored intermediate. In: the task and its error. Out: the tasks whose outputs
// are not there any more, all of them at once; null for any other error.

function lostInputs(
  execution: RunArrays,
  store: IntermediateStore | null,
  ref: TaskRef,
  error: unknown,
): Promise<TaskRef[]> | null {
  return error instanceof LostChunkError && store !== null ? missingFor(execution, store, ref, error) : null;
}

async function missingFor(
  execution: RunArrays,
  store: IntermediateStore,
  { op, task }: TaskRef,
  error: LostChunkError,
): Promise<TaskRef[]> {
  const missing = new Map<string, TaskRef>();
  for (const need of execution.graph.needs(op, task)) {
    const key = `${need.op}.${need.task}`;
    if (missing.has(key)) continue;
    for (const held of execution.heldBy(need))
      if (await isMissing(held, need.task, error, store.isShared)) missing.set(key, need);
  }
  await store.mend();
  return [...missing.values()];
}

async function isMissing(
  held: HeldArray,
  chunk: number,
  { path, place }: LostChunkError,
  isShared: boolean,
): Promise<boolean> {
  const { store } = held;
  if (store === null || held.inMemory(chunk) !== undefined) return false;
  const at = held.placeOf(chunk);
  // What is damaged is there by its name.
  const isNamed = store.path === path && place !== null && sameShape(at, place);
  if (isNamed && isShared) return isSpoiled(held, at);
  return isNamed || !(await store.hasShard(at));
}

/** Workers elsewhere take what is there for done: what is damaged goes, unless it was made again since somebody saw it. */
async function isSpoiled({ store, kind }: HeldArray, at: readonly number[]): Promise<boolean> {
  try {
    if (kind === "dense") await store!.getShard(at);
    else if (!(await store!.hasShard(at))) return true;
    return false;
  } catch (error) {
    if (!(error instanceof LostChunkError)) throw error;
    await store!.deleteShard(at);
    return true;
  }
}

export interface RunSetting {
  readonly policy: Policy;
  /** Bytes for tasks and intermediates together. */
  readonly budget: number;
  /** Bytes of the process, and its threads: watched while users' functions run. */
  readonly allowed: number;
  readonly threads: number;
  /** Bytes of the budget that each thread with tasks takes but the first. */
  readonly threadMem: number;
  readonly signal: StopSignal | undefined;
  /** What makes the pool that carries the tasks. */
  readonly executor: Executor;
  /** Somebody named it: it carries everything, however little that is. */
  readonly isAskedFor: boolean;
  readonly store: IntermediateStore | null;
  /** Outputs of an earlier run of the same plan. */
  readonly found: readonly FoundTask[];
}

/** For plans whose arrays are all in memory, on a backend that computes at once. */
export function runPlanSync(request: RunRequest): Block[] {
  checkAtOnce(request);
  const small = runSmall(request);
  if (small !== null) return small;
  const execution = new RunArrays(request);
  if (isOneTask(execution)) return runOne(execution);
  const pool = new InlinePool(request.plan.operations, execution);
  const options = { budget: Number.POSITIVE_INFINITY, policy: NO_RETRIES, threads: 1, threadMem: 0 };
  const runChecks = checksOf(execution);
  const given = { workers: pool.workers, budget: options.budget, shares: null };
  const scheduler = schedulerOf(execution, pool, options, null, runChecks, given);
  const driven = drivenBy(execution, scheduler, pool, false, runChecks);
  scheduler.begin(now());
  try {
    driveSync(driven);
    const results = ended(execution, scheduler);
    execution.freeAll();
    runChecks?.isOver(driven.underWay.size);
    return results;
  } finally {
    execution.freeAll();
  }
}

function checkAtOnce({ backend }: RunRequest): void {
  if (backend.isAsync !== true) return;
  throw new ValueError({
    where: "computeSync",
    what: `the backend ${backend.name} does not compute at once`,
    cure: "Use compute(), or another backend",
  });
}

/** One task on arrays in memory, and nobody who looks on: there is nothing to schedule. */
function isOneTask({ request, isInMemory, backend }: RunArrays): boolean {
  const { operations } = request.plan;
  const isAlone = operations.length === 1 && sizeOf(operations[0]!.grid) === 1;
  const isAtOnce = isAlone && isInMemory && backend.isAsync !== true;
  return isAtOnce && !request.emit && functionsOf(request.plan).length === 0;
}

function runOne(execution: RunArrays): Block[] {
  try {
    void runTask(execution.request.plan.operations[0]!, 0, execution);
  } catch (error) {
    throw failedWith(execution, { ref: { op: 0, task: 0 }, failures: [{ error, isLost: false }] });
  }
  return execution.results();
}

const failedWith = ({ request }: RunArrays, failed: TaskFailed): RunError =>
  taskError(failed, (request.withLines ?? (() => request.plan))());

/** What fails in memory fails again. */
const NO_RETRIES: Policy = { ...DEFAULT_POLICY, retry: { ...DEFAULT_POLICY.retry, attempts: 1 } };

export async function runPlan(request: RunRequest, setting: RunSetting): Promise<Block[]> {
  setting.signal?.throwIfAborted();
  const functions = setting.executor.isElsewhere === true ? [] : functionsOf(request.plan);
  for (const called of functions) await called.load();
  checkOnce(request.plan, setting.budget);
  // A named folder is to be given up at the end.
  const { executor, isAskedFor, threads } = setting;
  const isPlain = setting.store?.isNamed !== true && (executor.isHere === true || !isAskedFor);
  const small = isPlain ? runSmall(request) : null;
  if (small !== null) return small;
  const watch = functions.length === 0 ? null : new MemoryWatch(functions, setting);
  const execution = new RunArrays(request, setting.budget, watch);
  if (isPlain && isOneTask(execution)) return runOne(execution);
  const here = (workers?: number): Pool => inlinePool(execution, workers);
  const shared = executor.isElsewhere === true ? setting.store : null;
  const pool = await poolOf(executor, { arrays: execution, threads, isAskedFor, shared, here }).catch(
    async (error: unknown) => {
      // A named folder is for others now.
      await setting.store?.close(false);
      throw error;
    },
  );
  // Without files there is nothing to clean up.
  if (execution.isInMemory && setting.store?.isNamed !== true) return runOn(pool, execution, setting);
  const interrupts = watchInterrupts(anyOf(setting.signal, setting.store?.lost));
  try {
    return await runOn(pool, execution, { ...setting, signal: interrupts.signal });
  } finally {
    interrupts.end();
  }
}

/** The user's signal, and that of a folder that another process has taken over. */
const anyOf = (given: AbortSignal | undefined, lost: AbortSignal | undefined): AbortSignal | undefined =>
  given === undefined || lost === undefined ? (given ?? lost) : AbortSignal.any([given, lost]);

/** One task computes while the other's files are read and written. */
const PLAIN_LANES = 2;

function inlinePool(execution: RunArrays, workers?: number): InlinePool {
  const { isPlain, isInMemory, lanes } = execution;
  const usual = isPlain && !isInMemory ? PLAIN_LANES : lanes;
  return new InlinePool(execution.request.plan.operations, execution, workers ?? usual);
}

/** Budgets that plans were found to keep to. */
const kept = new WeakMap<PlanData, number>();

export function checkOnce(plan: PlanData, budget: number): void {
  if ((kept.get(plan) ?? Number.POSITIVE_INFINITY) <= budget) return;
  checkBudget(plan, budget);
  kept.set(plan, budget);
}

const checksOf = (execution: RunArrays): RunChecks | null => (mode.isOn ? new RunChecks(execution) : null);

async function runOn(pool: Pool, execution: RunArrays, setting: RunSetting): Promise<Block[]> {
  const { store, signal } = setting;
  const storesAll = store?.isNamed ?? false;
  const runChecks = checksOf(execution);
  const given = givenTo(execution, pool, setting, store);
  const scheduler = schedulerOf(execution, pool, setting, store, runChecks, given);
  const driven = drivenBy(execution, scheduler, pool, storesAll, runChecks, store);
  let isDone = false;
  try {
    if (given.workers < pool.workers) await pool.only?.(given.workers);
    for (const task of (await pool.found?.(setting.found)) ?? setting.found) scheduler.found(task);
    if (storesAll) await openStores(execution, store!);
    scheduler.begin(now());
    await drive(driven, signal);
    const results = ended(execution, scheduler, signal);
    isDone = true;
    return results;
  } finally {
    const left = scheduler.attempts();
    await pool.close(left);
    await sweepTargets(execution, pool);
    execution.freeAll();
    if (isDone) runChecks?.isOver(driven.underWay.size);
    await store?.close(isDone);
  }
}

/** Threads that have ended may have left files that they were writing. */
async function sweepTargets({ request }: RunArrays, { endedThreads }: Pool): Promise<void> {
  if (endedThreads === undefined || endedThreads.size === 0) return;
  for (const { place } of request.targets?.values() ?? [])
    await place.store.sweepStrays?.({ endedThreads, below: (place.path || "/") as StoreKey });
}

async function openStores(execution: RunArrays, store: IntermediateStore): Promise<void> {
  for (const held of execution.held.values()) held.store = await store.arrayFor(held.plan);
}

type SchedulerSetting = Pick<RunSetting, "budget" | "policy" | "threads" | "threadMem">;

/** How many workers may have tasks, and of how much memory. */
interface Given {
  readonly workers: number;
  readonly budget: number;
  readonly shares: Shares | null;
}

function givenTo(
  { graph }: RunArrays,
  { workers, hasOwnMemory, isElsewhere }: Pool,
  { budget, threads, threadMem }: SchedulerSetting,
  store: IntermediateStore | null,
): Given {
  // Workers elsewhere look after their memory themselves. Without a store nothing can be put out of the way.
  if (isElsewhere === true) return { workers, shares: null, budget: Number.POSITIVE_INFINITY };
  if (!hasOwnMemory || store === null) return { workers, budget, shares: null };
  return sharesOf(budget, graph.operations, workers, (busy) => (Math.min(busy, threads) - 1) * threadMem);
}

function schedulerOf(
  execution: RunArrays,
  pool: Pool,
  { policy }: SchedulerSetting,
  store: IntermediateStore | null,
  runChecks: RunChecks | null,
  given: Given,
): Scheduler {
  const free = (ref: TaskRef): void => {
    runChecks?.leaves(ref);
    for (const held of execution.heldBy(ref)) {
      held.drop(ref.task);
      if (held.store !== null) store?.remove(held, ref.task);
    }
  };
  const drop = (ref: TaskRef): void => {
    runChecks?.leaves(ref);
    for (const held of execution.heldBy(ref)) held.drop(ref.task);
  };
  const { name, ahead, queueMs, isElsewhere } = pool;
  const emit = execution.request.emit ?? null;
  const storesAll = store?.isNamed ?? false;
  const elsewhere = isElsewhere === true && { holdsNothing: true, workersNow: () => pool.workers };
  return new Scheduler(execution.graph, {
    ...{ policy, pool: name, ahead, queueMs, storesAll, emit, free, drop, ...elsewhere, ...given },
    maySpill: store !== null,
  });
}

function drivenBy(
  execution: RunArrays,
  scheduler: Scheduler,
  pool: Pool,
  storesAll: boolean,
  checks: RunChecks | null,
  store: IntermediateStore | null = null,
): Driven {
  return {
    scheduler,
    pool,
    outputs: () => new AttemptOutputs(execution.backend, execution.held, storesAll),
    save: async (ref) => {
      for (const held of execution.heldBy(ref)) {
        held.store ??= await store!.arrayFor(held.plan);
        await held.save(ref.task);
      }
    },
    drop: (ref) => {
      checks?.leaves(ref);
      for (const held of execution.heldBy(ref)) held.drop(ref.task);
    },
    isOver: false,
    underWay: new Set(),
    checks,
    lostBy: (ref, error) => lostInputs(execution, store, ref, error),
  };
}

/** The results, or the reason why there are none. */
function ended(execution: RunArrays, scheduler: Scheduler, signal?: AbortSignal): Block[] {
  if (scheduler.failure !== null) {
    const error = failedWith(execution, scheduler.failure);
    scheduler.end(now(), error);
    throw error;
  }
  scheduler.end(now(), signal?.aborted ? signal.reason : undefined);
  signal?.throwIfAborted();
  return execution.results();
}
