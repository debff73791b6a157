// Batches and reports that came from outside, checked before anything is made of them. In: anything. Out: a batch or a report
// that is one, or a typed error. Must hold: nothing is allocated in proportion to a number that was not looked at.

import { describe } from "../../../core/chunks.ts";
import { ChunkwiseError } from "../../../core/errors.ts";
import type { TaskStats } from "../../events.ts";
import type { SentError } from "../messages.ts";
import { BATCH_VERSION, type Batch, type BatchReport, type TaskRange } from "./carrier.ts";

/** A batch, or the plan that it names, that a worker does not do. Another worker would not, either. */
export class BatchRefusedError extends ChunkwiseError {}

/** More tasks than anybody puts into one batch, */
export const MOST_TASKS = 4096;
/** and more ranges: a batch is under 1 KB. */
export const MOST_RANGES = 24;
/** Operations of one plan. */
const MOST_OPERATIONS = 1_000_000;
const MOST_ATTEMPTS = 1_000_000;

const refused = (what: string, cure?: string): BatchRefusedError =>
  new BatchRefusedError({ where: "batch", what, cure });

const isCount = (value: unknown, below: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < below;

type Fields = { readonly [name: string]: unknown };

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const FIELDS: readonly string[] = ["v", "run", "plan", "op", "tasks", "attempt"];

/** A batch as a worker may take it. Whether its tasks are there, its plan says. */
export function checkBatch(value: unknown): Batch {
  const given = fieldsOf(value);
  const { v, run, plan, op, tasks, attempt } = given;
  if (v !== BATCH_VERSION)
    throw refused(
      `a batch of version ${describe(v)}, and this worker takes ${BATCH_VERSION}`,
      "Use the same version of chunkwise for the run and its workers",
    );
  const strange = Object.keys(given).find((name) => !FIELDS.includes(name));
  if (strange !== undefined) throw refused(`it has a field ${describe(strange)}`);
  if (typeof run !== "string" || !/^[A-Za-z0-9-]{1,80}$/.test(run))
    throw refused(`its run is ${describe(run)}`, "A run is letters, digits and dashes");
  if (typeof plan !== "string" || !/^[0-9a-f]{64}$/.test(plan))
    throw refused(`its plan is ${describe(plan)}`, "A plan is a SHA-256 in hex");
  if (!isCount(op, MOST_OPERATIONS)) throw refused(`its operation is ${describe(op)}`);
  if (!isCount(attempt, MOST_ATTEMPTS)) throw refused(`its attempt is ${describe(attempt)}`);
  return { v: BATCH_VERSION, run, plan, op, tasks: checkRanges(tasks), attempt };
}

function checkRanges(value: unknown): TaskRange[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_RANGES)
    throw refused(`its tasks are ${describe(value)}`, `Give 1 to ${MOST_RANGES} ranges [lo, hi]`);
  let [last, count] = [0, 0];
  return value.map((range: unknown) => {
    const [lo, hi] = Array.isArray(range) && range.length === 2 ? (range as unknown[]) : [];
    const isRange = isCount(lo, Number.MAX_SAFE_INTEGER) && isCount(hi, Number.MAX_SAFE_INTEGER);
    if (!isRange || lo < last || hi <= lo)
      throw refused(`${describe(range)} is not a range of tasks after task ${last}`);
    last = hi;
    count += hi - lo;
    if (count > MOST_TASKS) throw refused(`it has ${count} tasks, and ${MOST_TASKS} are the most`);
    return [lo, hi] as const;
  });
}

/** The tasks of a batch, one by one. */
export function* tasksOf({ tasks }: Pick<Batch, "tasks">): Iterable<number> {
  for (const [lo, hi] of tasks) for (let task = lo; task < hi; task++) yield task;
}

/** What came back for a batch: only what it asked for, and each task once. Null for what is no report. */
export function checkReport(value: unknown, batch: Batch): BatchReport | null {
  const { v, worker, atOnce, done, failed } = fieldsOf(value);
  if (v !== BATCH_VERSION || typeof worker !== "string" || !Array.isArray(done) || !Array.isArray(failed))
    return null;
  const left = new Set(tasksOf(batch));
  const take = (task: unknown): task is number => left.delete(task as number);
  const isDone = (entry: unknown): boolean =>
    isStats(fieldsOf(entry)["stats"]) && take(fieldsOf(entry)["task"]);
  return {
    v: BATCH_VERSION,
    worker: worker.slice(0, MOST_NAME),
    atOnce: isCount(atOnce, MOST_AT_ONCE) ? Math.max(1, atOnce) : 1,
    done: (done as { task: number; stats: TaskStats }[]).filter(isDone),
    failed: (failed as unknown[]).flatMap((entry) => {
      const { task, error } = fieldsOf(entry);
      return take(task) ? [{ task, error: checkError(error) }] : [];
    }),
  };
}

const MOST_NAME = 200;
const MOST_AT_ONCE = 1024;
const TIMES = ["startTime", "readTime", "computeTime", "endTime", "bytesRead", "bytesWritten"] as const;

function isStats(value: unknown): value is TaskStats {
  const stats = fieldsOf(value);
  const { measuredMem } = stats;
  return (
    TIMES.every((name) => Number.isFinite(stats[name])) &&
    (measuredMem === null || Number.isFinite(measuredMem))
  );
}

const MOST_TEXT = 10_000;
const textIn = (value: unknown): string | undefined =>
  typeof value === "string" ? value.slice(0, MOST_TEXT) : undefined;

/** An error as another process sent it. */
export function checkError(value: unknown): SentError {
  const { name, message, stack, what, where, cure, retryable, code, lost, origin } = fieldsOf(value);
  return {
    name: textIn(name) ?? "Error",
    message: textIn(message) ?? "a worker said nothing of why",
    ...{ stack: textIn(stack), what: textIn(what), where: textIn(where), cure: textIn(cure) },
    retryable: retryable === true,
    code: textIn(code),
    lost: checkLost(lost),
    origin: isCount(origin, MOST_OPERATIONS) ? origin : undefined,
  };
}

function checkLost(value: unknown): SentError["lost"] {
  const { path, place } = fieldsOf(value);
  if (typeof path !== "string") return undefined;
  const isPlace = Array.isArray(place) && place.every((at) => isCount(at, Number.MAX_SAFE_INTEGER));
  return { path, place: isPlace ? (place as number[]) : null };
}

// Times of a report, which are those of the worker's clock. In: what it says, when the batch was sent and its report heard. Out: the
// same in this process's time.

/** How far a worker's clock is from this one's, as far as that can be seen: what it did was between sending and hearing. */
export function shiftOf(done: BatchReport["done"], sentAt: number, heardAt: number): number {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { stats } of done) {
    first = Math.min(first, stats.startTime);
    last = Math.max(last, stats.endTime);
  }
  if (last > heardAt) return heardAt - last;
  return first < sentAt ? Math.min(sentAt - first, heardAt - last) : 0;
}

/** By which worker, in this process's time. In one piece: a run has as many of them as tasks. */
export const shifted = (stats: TaskStats, by: number, worker: string): TaskStats => {
  const ms = Number.isFinite(by) ? by : 0;
  return {
    startTime: stats.startTime + ms,
    readTime: stats.readTime + ms,
    computeTime: stats.computeTime + ms,
    endTime: stats.endTime + ms,
    bytesRead: stats.bytesRead,
    bytesWritten: stats.bytesWritten,
    measuredMem: stats.measuredMem,
    by: worker,
  };
};
