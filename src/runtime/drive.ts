// Drives a run: asks the scheduler for its next action, has the pool or the store do it, and tells how it went.
// `driveSync` for what is all in memory, on one thread; `drive` for everything, with turns for other work of the
// process, cancellation, and timers.

import { describe } from "../core/chunks.ts";
import { InvariantError, ValueError } from "../core/errors.ts";
import type { RunChecks } from "./checks.ts";
import type { TaskStats } from "./events.ts";
import { LostWorker, type Pool } from "./pools/pool.ts";
import { now } from "./scheduler/policy.ts";
import type { Action, Scheduler } from "./scheduler/scheduler.ts";
import type { TaskRef } from "./scheduler/taskGraph.ts";
import type { AttemptOutputs } from "./task.ts";

// Ctrl-C, and being told to end: a run that has files cleans up before the process goes. Only while runs are under way.

interface Host {
  readonly pid: number;
  on(signal: string, listener: () => void): void;
  off(signal: string, listener: () => void): void;
  listenerCount(signal: string): number;
  getMaxListeners(): number;
  setMaxListeners(count: number): void;
  kill(pid: number, signal: string): void;
}
const { process: host } = globalThis as unknown as {
  process?: Partial<Host> & { versions?: { node?: string } };
};

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The run was interrupted by a signal. */
class InterruptError extends Error {
  override readonly name = "AbortError";
  readonly signal: string;

  constructor(signal: string) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
}

interface Watch {
  /** Aborted by the user's signal or by the system's. */
  readonly signal: AbortSignal;
  /** The run is over and has cleaned up: a signal that nobody else listens to has its usual effect now. */
  end(): void;
}

export function watchInterrupts(given: AbortSignal | undefined): Watch {
  const controller = new AbortController();
  const follow = (): void => controller.abort(given?.reason);
  if (given?.aborted) follow();
  else given?.addEventListener("abort", follow, { once: true });
  const isNode = host?.versions?.node !== undefined;
  const listeners = isNode ? SIGNALS.map((name) => [name, listenerFor(name, controller)] as const) : [];
  if (isNode) allowListeners(1);
  for (const [name, listener] of listeners) host!.on!(name, listener);
  return {
    signal: controller.signal,
    end() {
      given?.removeEventListener("abort", follow);
      for (const [name, listener] of listeners) host!.off!(name, listener);
      if (isNode) allowListeners(-1);
      const { reason } = controller.signal;
      if (reason instanceof InterruptError && host!.listenerCount!(reason.signal) === 0)
        host!.kill!(host!.pid!, reason.signal);
    },
  };
}

/** Node takes more than ten listeners for a leak, and there may be as many runs as the user likes. 0 is no limit. */
function allowListeners(more: 1 | -1): void {
  const most = host!.getMaxListeners!();
  if (most > 0) host!.setMaxListeners!(most + more);
}

/** The first time the run ends itself; a second time the process does. */
function listenerFor(name: string, controller: AbortController): () => void {
  const listener = (): void => {
    host!.off!(name, listener);
    controller.abort(new InterruptError(name));
  };
  return listener;
}

export interface Driven {
  readonly scheduler: Scheduler;
  readonly pool: Pool;
  outputs(): AttemptOutputs;
  /** Writes what a task made to the run's store. */
  save(ref: TaskRef): Promise<void>;
  /** Takes it out of memory. */
  drop(ref: TaskRef): void;
  /** The scheduler hears no more: attempts that end now only give back what they have. */
  isOver: boolean;
  /** Attempts whose outputs are theirs. */
  readonly underWay: Set<number>;
  readonly checks: RunChecks | null;
  /** Whose stored outputs a task missed when it failed with an error; null when that was not it. */
  lostBy(ref: TaskRef, error: unknown): Promise<readonly TaskRef[]> | null;
}

type Start = Action & { kind: "start" };

export function driveSync(driven: Driven): void {
  const { scheduler, pool } = driven;
  for (;;) {
    const action = scheduler.next(now());
    if (action.kind === "end") return;
    if (action.kind !== "start") throw new InvariantError({ what: `a run in memory cannot ${action.kind}` });
    const outputs = driven.outputs();
    begins(driven, action);
    try {
      const stats = pool.run({ ...action, outputs }) as TaskStats;
      finish(driven, action, outputs, stats);
    } catch (error) {
      fail(driven, action, outputs, error);
    }
  }
}

/** What an attempt needs and makes is looked after from here on. */
function begins({ underWay, checks }: Driven, { ref, attempt }: Start): void {
  underWay.add(attempt.id);
  checks?.began(attempt.id, ref);
}

function ends({ underWay, checks }: Driven, { ref, attempt }: Start): void {
  underWay.delete(attempt.id);
  checks?.ended(attempt.id, ref);
}

function finish(driven: Driven, start: Start, outputs: AttemptOutputs, stats: TaskStats): void {
  const { scheduler, isOver } = driven;
  const { ref, attempt } = start;
  if (typeof stats?.endTime !== "number") return fail(driven, start, outputs, badStats(driven.pool, stats));
  ends(driven, start);
  if (isOver) return outputs.giveBack();
  const measured = stats.measuredMem === null ? null : stats.measuredMem + outputs.bytes;
  const counts = scheduler.done(attempt.id, { ...stats, measuredMem: measured }, now());
  if (counts) outputs.keep(ref.task);
  else outputs.giveBack();
}

const badStats = ({ name }: Pool, stats: unknown): ValueError =>
  new ValueError({
    what: `the pool ${name} says ${describe(stats)} of a task`,
    cure: "Its run(job) must give what run.here().run(job) gives",
  });

function fail(driven: Driven, start: Start, outputs: AttemptOutputs, error: unknown, wake?: Wake): void {
  const { ref, attempt } = start;
  outputs.giveBack();
  ends(driven, start);
  if (driven.isOver) return;
  const isLost = error instanceof LostWorker;
  const failure = { error, isLost, wasBegun: !isLost || error.wasBegun };
  const tell = (lost?: readonly TaskRef[]): void => {
    if (!driven.isOver) driven.scheduler.failed(attempt.id, { ...failure, lost }, now());
  };
  const looking = driven.lostBy(ref, error);
  if (looking === null) return tell();
  looking.then(tell, () => tell()).finally(() => wake?.up());
}

/** How long tasks may run before other work of the process gets its turn. */
const TURN_MS = 12;

export async function drive(driven: Driven, signal: AbortSignal | undefined): Promise<void> {
  const { scheduler } = driven;
  const wake = new Wake();
  const cancel = (): void => {
    scheduler.cancel();
    wake.up();
  };
  signal?.addEventListener("abort", cancel);
  if (signal?.aborted) cancel();
  try {
    await turns(driven, wake);
  } finally {
    signal?.removeEventListener("abort", cancel);
    driven.isOver = true;
    wake.up();
  }
}

/** How long running tasks may take to finish when the run is over without them. */
const GRACE_MS = 500;

async function turns(driven: Driven, wake: Wake): Promise<void> {
  let turnEnds = now() + TURN_MS;
  let graceEnds = Number.POSITIVE_INFINITY;
  for (;;) {
    const time = now();
    const action = driven.scheduler.next(time);
    if (action.kind === "end" || time > graceEnds) return;
    if (driven.scheduler.isEnding && driven.pool.canEnd) graceEnds = Math.min(graceEnds, time + GRACE_MS);
    if (action.kind === "wait") await wake.until(Math.min(action.until, graceEnds + 1), time);
    else if (action.kind === "spill") spill(driven, action.ref, wake);
    else start(driven, action, wake);
    if (time < turnEnds) continue;
    await otherWork();
    turnEnds = now() + TURN_MS;
  }
}

function start(driven: Driven, action: Start, wake: Wake): void {
  const outputs = driven.outputs();
  begins(driven, action);
  try {
    const stats = driven.pool.run({ ...action, outputs });
    if (!(stats instanceof Promise)) return finish(driven, action, outputs, stats);
    const then = (tell: () => void): void => {
      try {
        tell();
      } finally {
        wake.up();
      }
    };
    stats.then(
      (value) => then(() => finish(driven, action, outputs, value)),
      (error: unknown) => then(() => fail(driven, action, outputs, error, wake)),
    );
  } catch (error) {
    fail(driven, action, outputs, error, wake);
  }
}

function spill(driven: Driven, ref: TaskRef, wake: Wake): void {
  driven
    .save(ref)
    .then(
      () => {
        if (driven.scheduler.spilled(ref, now())) driven.drop(ref);
      },
      (error: unknown) => driven.scheduler.spillFailed(ref, { error, isLost: false }),
    )
    .finally(() => wake.up());
}

const otherWork = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve);
  });

/** Timers count no further than this. */
const LONGEST_MS = 2 ** 31 - 1;

/** Waiting for something to happen. What happens while nobody waits is not missed. */
class Wake {
  #isDue = false;
  #resolve: (() => void) | null = null;

  up(): void {
    this.#isDue = true;
    this.#resolve?.();
  }

  async until(time: number, from: number): Promise<void> {
    if (!this.#isDue) await this.#sleep(Math.min(LONGEST_MS, Math.max(0, time - from)));
    this.#isDue = false;
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = Number.isFinite(ms) && ms < LONGEST_MS ? setTimeout(() => this.up(), ms) : undefined;
      this.#resolve = () => {
        clearTimeout(timer);
        this.#resolve = null;
        resolve();
      };
    });
  }
}
