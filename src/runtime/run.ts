// Runs a plan. In: a plan, what its sources are, where its results go, and the setting. Out: the blocks of results
// that stay in memory; the others are in their stores.

import type { Block } from "../core/block.ts";
import { checks as mode } from "../core/checked.ts";
import type { RunError } from "../core/errors.ts";
import { sizeOf } from "../core/shape.ts";
import { checkBudget } from "../plan/budget.ts";
import type { PlanData } from "../plan/plan.ts";
import { FileStore } from "../storage/fileStore.ts";
import { RunChecks } from "./checks.ts";
import { type Driven, drive, driveSync } from "./drive.ts";
import { Execution, type RunRequest } from "./execution.ts";
import { MemoryWatch } from "./functionMemory.ts";
import { watchInterrupts } from "./interrupts.ts";
import { located } from "./located.ts";
import { lostInputs } from "./lostInputs.ts";
import { AttemptOutputs } from "./outputs.ts";
import { InlinePool } from "./pools/inline.ts";
import type { Pool } from "./pools/pool.ts";
import type { TaskRef } from "./scheduler/graph.ts";
import { DEFAULT_POLICY, type Policy } from "./scheduler/policy.ts";
import { type FoundTask, Scheduler, type TaskFailed } from "./scheduler/scheduler.ts";
import { sharesOf } from "./scheduler/shares.ts";
import { runTask } from "./task.ts";
import { functionsOf } from "./userFunctions.ts";
import type { IntermediateStore } from "./workDir.ts";

export interface RunSetting {
  readonly policy: Policy;
  /** Bytes for tasks and intermediates together. */
  readonly budget: number;
  /** Bytes of the process, and its threads: watched while users' functions run. */
  readonly allowed: number;
  readonly threads: number;
  /** Bytes of the budget that each thread with tasks takes but the first. */
  readonly threadMem: number;
  readonly signal: AbortSignal | undefined;
  /** The pool that carries the tasks; inline when there is none. */
  readonly pool: ((execution: Execution) => Promise<Pool | undefined>) | null;
  /** It carries everything, however little that is. */
  readonly isPoolAskedFor?: boolean | undefined;
  readonly store: IntermediateStore | null;
  /** Outputs of an earlier run of the same plan. */
  readonly found: readonly FoundTask[];
}

const origin = performance.timeOrigin;
const now = (): number => origin + performance.now();

/** For plans whose arrays are all in memory. */
export function runPlanSync(request: RunRequest): Block[] {
  const execution = new Execution(request);
  if (isOneTask(execution)) return runOne(execution);
  const pool = new InlinePool(request.plan.operations, execution);
  const options = { budget: Number.POSITIVE_INFINITY, policy: NO_RETRIES, threads: 1, threadMem: 0 };
  const runChecks = checksOf(execution);
  const scheduler = schedulerOf(execution, pool, options, null, runChecks);
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

/** One task on arrays in memory, and nobody who looks on: there is nothing to schedule. */
function isOneTask({ request, isInMemory }: Execution): boolean {
  const { operations } = request.plan;
  const isAlone = operations.length === 1 && sizeOf(operations[0]!.grid) === 1;
  return isAlone && isInMemory && !request.emit && functionsOf(request.plan).length === 0;
}

function runOne(execution: Execution): Block[] {
  try {
    void runTask(execution.request.plan.operations[0]!, 0, execution);
  } catch (error) {
    throw failedWith(execution, { ref: { op: 0, task: 0 }, failures: [{ error, isLost: false }] });
  }
  return execution.results();
}

const failedWith = ({ request }: Execution, failed: TaskFailed): RunError =>
  located(failed, (request.withLines ?? (() => request.plan))());

/** What fails in memory fails again. */
const NO_RETRIES: Policy = { ...DEFAULT_POLICY, retry: { ...DEFAULT_POLICY.retry, attempts: 1 } };

export async function runPlan(request: RunRequest, setting: RunSetting): Promise<Block[]> {
  setting.signal?.throwIfAborted();
  const functions = functionsOf(request.plan);
  for (const called of functions) await called.load();
  checkOnce(request.plan, setting.budget);
  const watch = functions.length === 0 ? null : new MemoryWatch(functions, setting);
  const execution = new Execution(request, setting.budget, watch);
  // A named folder is to be given up at the end.
  const isPlain = setting.store?.isNamed !== true && setting.isPoolAskedFor !== true;
  if (isPlain && isOneTask(execution)) return runOne(execution);
  const pool = (await setting.pool?.(execution)) ?? inlinePool(execution);
  // Without files there is nothing to clean up.
  if (execution.isInMemory && setting.store?.isNamed !== true) return runOn(pool, execution, setting);
  const interrupts = watchInterrupts(setting.signal);
  try {
    return await runOn(pool, execution, { ...setting, signal: interrupts.signal });
  } finally {
    interrupts.end();
  }
}

/** One task computes while the other's files are read and written. */
const PLAIN_LANES = 2;

function inlinePool(execution: Execution): InlinePool {
  const { isPlain, isInMemory, lanes } = execution;
  return new InlinePool(
    execution.request.plan.operations,
    execution,
    isPlain && !isInMemory ? PLAIN_LANES : lanes,
  );
}

/** Budgets that plans were found to keep to. */
const kept = new WeakMap<PlanData, number>();

export function checkOnce(plan: PlanData, budget: number): void {
  if ((kept.get(plan) ?? Number.POSITIVE_INFINITY) <= budget) return;
  checkBudget(plan, budget);
  kept.set(plan, budget);
}

const checksOf = (execution: Execution): RunChecks | null => (mode.isOn ? new RunChecks(execution) : null);

async function runOn(pool: Pool, execution: Execution, setting: RunSetting): Promise<Block[]> {
  const { store, signal } = setting;
  const storesAll = store?.isNamed ?? false;
  const runChecks = checksOf(execution);
  const scheduler = schedulerOf(execution, pool, setting, store, runChecks);
  const driven = drivenBy(execution, scheduler, pool, storesAll, runChecks, store);
  for (const task of setting.found) scheduler.found(task);
  let isDone = false;
  try {
    if (storesAll) await openStores(execution, store!);
    scheduler.begin(now());
    await drive(driven, signal);
    const results = ended(execution, scheduler, signal);
    isDone = true;
    return results;
  } finally {
    const left = scheduler.attempts();
    await pool.close(left);
    if (left.length > 0) await sweepTargets(execution);
    execution.freeAll();
    if (isDone) runChecks?.isOver(driven.underWay.size);
    await store?.close(isDone);
  }
}

/** Threads that were ended may have left files that they were writing. */
async function sweepTargets({ stored }: Execution): Promise<void> {
  for (const { array } of stored.values())
    if (array.store instanceof FileStore) await array.store.sweepStrays();
}

async function openStores(execution: Execution, store: IntermediateStore): Promise<void> {
  for (const held of execution.held.values()) held.store = await store.arrayFor(held.plan);
}

type SchedulerSetting = Pick<RunSetting, "budget" | "policy" | "threads" | "threadMem">;

function schedulerOf(
  execution: Execution,
  { name, workers, ahead, hasOwnMemory }: Pool,
  { budget, policy, threads, threadMem }: SchedulerSetting,
  store: IntermediateStore | null,
  runChecks: RunChecks | null,
): Scheduler {
  const free = (ref: TaskRef): void => {
    runChecks?.leaves(ref);
    for (const held of execution.heldBy(ref)) {
      held.drop(ref.task);
      if (held.store !== null) store?.later(held.delete(ref.task));
    }
  };
  const drop = (ref: TaskRef): void => {
    runChecks?.leaves(ref);
    for (const held of execution.heldBy(ref)) held.drop(ref.task);
  };
  const emit = execution.request.emit ?? null;
  const storesAll = store?.isNamed ?? false;
  const { operations } = execution.graph;
  // Without a store nothing can be put out of the way.
  const given =
    hasOwnMemory && store !== null
      ? sharesOf(budget, operations, workers, (busy) => (Math.min(busy, threads) - 1) * threadMem)
      : { workers, budget, shares: null };
  return new Scheduler(execution.graph, {
    ...{ policy, pool: name, ahead, storesAll, emit, free, drop, ...given },
    maySpill: store !== null,
  });
}

function drivenBy(
  execution: Execution,
  scheduler: Scheduler,
  pool: Pool,
  storesAll: boolean,
  checks: RunChecks | null,
  store: IntermediateStore | null = null,
): Driven {
  return {
    scheduler,
    pool,
    outputs: () => new AttemptOutputs(execution.held, storesAll),
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
function ended(execution: Execution, scheduler: Scheduler, signal?: AbortSignal): Block[] {
  if (scheduler.failure !== null) {
    const error = failedWith(execution, scheduler.failure);
    scheduler.end(now(), error);
    throw error;
  }
  scheduler.end(now(), signal?.aborted ? signal.reason : undefined);
  signal?.throwIfAborted();
  return execution.results();
}
