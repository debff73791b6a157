// What workers tell a run, as text in its stream. In: the report of a batch, why a worker did none of it, or that a worker
// was lost with it. Out: the text, short; and of a text what it says, or null where it says nothing. What a report says of
// tasks is looked at by the pool, which knows what it asked for (remote/batchChecks.ts).

import type { TaskStats } from "../../events.ts";
import type { SentError } from "../messages.ts";
import { checkError } from "../remote/batchChecks.ts";
import type { BatchReport } from "../remote/carrier.ts";
import { isJobName } from "./queueNames.ts";

export type Told =
  | { readonly kind: "report"; readonly report: BatchReport }
  /** The worker does not do the batch as a whole: a plan that it may not run, a version that it does not know. */
  | { readonly kind: "refused"; readonly error: SentError }
  /** The worker that had it before died or was cut off. */
  | { readonly kind: "lost" };

/** What a run reads; workers write less: 4,096 tasks at some 60 bytes each, and texts of errors. */
const REPORT_BYTES = 2 ** 21;
const LONGEST_TEXT = 4_000;
/** Tasks of a batch that fail fail of one thing: the first say what in full. */
const FULL_ERRORS = 10;
const SHORT_TEXT = 100;
/** A report has thousands of them: times are whole microseconds, each after the one before, the first after `since`. */
function numbersOf(stats: TaskStats, since: number): (number | null)[] {
  const { startTime, readTime, computeTime, endTime, bytesRead, bytesWritten, measuredMem } = stats;
  return [
    ...[startTime - since, readTime - startTime, computeTime - readTime, endTime - computeTime].map(micro),
    ...[bytesRead, bytesWritten, measuredMem],
  ];
}

const micro = (ms: number): number => Math.round(1000 * ms);

export function toldText(told: Told): string {
  if (told.kind === "lost") return JSON.stringify(told);
  if (told.kind === "refused") return JSON.stringify({ ...told, error: shortened(told.error, LONGEST_TEXT) });
  const { v, worker, atOnce, done, failed } = told.report;
  const since = done[0]?.stats.startTime ?? 0;
  return JSON.stringify({
    ...{ kind: told.kind, v, worker, atOnce, since },
    done: done.map(({ task, stats }) => [task, ...numbersOf(stats, since)]),
    failed: failed.map(({ task, error }, i) => [
      task,
      shortened(error, i < FULL_ERRORS ? LONGEST_TEXT : SHORT_TEXT),
    ]),
  });
}

function shortened(error: SentError, most: number): SentError {
  const cut = (text: string | undefined): string | undefined => text?.slice(0, most);
  return {
    ...error,
    ...{ name: error.name.slice(0, SHORT_TEXT), message: error.message.slice(0, most) },
    ...{ stack: most < LONGEST_TEXT ? undefined : cut(error.stack), what: cut(error.what) },
    ...{ where: cut(error.where), cure: cut(error.cure), code: cut(error.code) },
  };
}

/** Of which job, and what. */
export function readTold(job: unknown, text: unknown): { readonly job: string; readonly told: Told } | null {
  if (!isJobName(job) || typeof text !== "string" || text.length > REPORT_BYTES) return null;
  try {
    const told = toldOf(JSON.parse(text) as { readonly [name: string]: unknown });
    return told === null ? null : { job, told };
  } catch {
    return null;
  }
}

function toldOf(data: { readonly [name: string]: unknown }): Told | null {
  const { kind, v, worker, atOnce, since, done, failed } = data;
  if (kind === "lost") return { kind };
  if (kind === "refused") return { kind, error: checkError(data["error"]) };
  if (kind !== "report" || !Array.isArray(done) || !Array.isArray(failed)) return null;
  const report = {
    ...{ v, worker, atOnce },
    done: (done as readonly unknown[][]).map(([task, ...numbers]) => ({
      ...{ task, stats: statsOf(numbers, Number(since)) },
    })),
    failed: (failed as readonly unknown[][]).map(([task, error]) => ({ task, error })),
  };
  return { kind, report: report as BatchReport };
}

function statsOf(numbers: readonly unknown[], since: number): object {
  const [started, read, computed, ended, bytesRead, bytesWritten, measuredMem] = numbers;
  const startTime = since + Number(started) / 1000;
  const readTime = startTime + Number(read) / 1000;
  const computeTime = readTime + Number(computed) / 1000;
  const endTime = computeTime + Number(ended) / 1000;
  return { startTime, readTime, computeTime, endTime, bytesRead, bytesWritten, measuredMem };
}
