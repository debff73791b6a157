// What an operation's tasks took, summed up as they end. In: its records, one at a time, whether they are kept or not.
// Out: counts, durations, bytes and memory that are exact; quantiles that are exact while all of its records are kept.

import { countText } from "../core/counts.ts";
import { plainText } from "../core/plainText.ts";
import type { OperationInfo } from "../runtime/events.ts";
import { aboutBytes, cutText, durationText, tableText } from "./shortTexts.ts";
import type { TaskRecord } from "./taskLog.ts";

// Quantiles of durations. In: numbers ≥ 0, one at a time. Out: quantiles that are within 1 % of an exact one,
// from counts in logarithmic classes, so that memory does not grow with the number of tasks.

/** Neighbouring classes differ by this factor: their middle is within 1 % of all that is in them. */
const FACTOR = 1.02;
const LOG_FACTOR = Math.log(FACTOR);
/** Below this (a nanosecond, in milliseconds) all is one class. */
const SMALLEST = 1e-6;

export class DurationCounts {
  readonly #classes = new Map<number, number>();
  #total = 0;

  add(value: number): void {
    const index = value <= SMALLEST ? 0 : Math.ceil(Math.log(value / SMALLEST) / LOG_FACTOR);
    this.#classes.set(index, (this.#classes.get(index) ?? 0) + 1);
    this.#total++;
  }

  /** The value that the part `q` of all does not exceed. */
  quantile(q: number): number {
    let left = rankOf(q, this.#total);
    for (const [index, count] of [...this.#classes].sort((a, b) => a[0] - b[0])) {
      left -= count;
      if (left < 0) return index === 0 ? 0 : SMALLEST * FACTOR ** (index - 0.5);
    }
    return Number.NaN;
  }
}

/** By nearest rank: always one of the values. */
const rankOf = (q: number, count: number): number => Math.max(0, Math.ceil(q * count) - 1);

/** Of a sorted list. */
export const exactQuantile = (sorted: readonly number[], q: number): number =>
  sorted[rankOf(q, sorted.length)] ?? Number.NaN;

// Records as comma-separated values, quoted as RFC 4180 says: a field with a comma, a quote or a line break stands in
// quotes, and quotes in it are doubled. Lines end with "\n"; what is not known is empty.

type CsvValue = string | number | boolean | null;

export function csvText(header: readonly string[], rows: Iterable<readonly CsvValue[]>): string {
  const lines = [header.map(field).join(",")];
  for (const row of rows) lines.push(row.map(field).join(","));
  return `${lines.join("\n")}\n`;
}

function field(value: CsvValue): string {
  const text = value === null ? "" : String(value);
  // Spaces at the ends are quoted too: some readers drop them otherwise.
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Durations are of attempts that were done, in milliseconds; null when there are none. */
export interface OperationSummary {
  /** Which computation of the history: 1 for the first. */
  readonly computation: number;
  /** As the plan prints it: "op-001". */
  readonly operation: string;
  /** What it does, for people. */
  readonly label: string;
  /** How many tasks it has, and how many were done. */
  readonly tasks: number;
  /** How many tasks were done. */
  readonly done: number;
  /** Attempts that failed. */
  readonly failed: number;
  /** Attempts that followed a failure. */
  readonly retries: number;
  /** Tasks that got a second worker. */
  readonly twins: number;
  /** Blocks that went to storage because memory was short, */
  readonly spills: number;
  /** and their bytes. */
  readonly bytesSpilled: number;
  /** The shortest. */
  readonly minMs: number | null;
  /** Half of them took less. */
  readonly medianMs: number | null;
  /** 95 of 100 took less. */
  readonly p95Ms: number | null;
  /** The longest. */
  readonly maxMs: number | null;
  /** All of them together. */
  readonly totalMs: number;
  /** False: median and p95 are within 1 %, because records were dropped. */
  readonly quantilesAreExact: boolean;
  /** Bytes that were read. */
  readonly bytesRead: number;
  /** Bytes that were written. */
  readonly bytesWritten: number;
  /** The most of any attempt; null when none was measured. */
  readonly measuredMem: number | null;
  /** The most that a task is stated to need, in bytes. */
  readonly projectedMem: number;
}

export const durationOf = ({ startTime, endTime }: TaskRecord): number => endTime - startTime;

export class OperationTally {
  readonly computation: number;
  readonly info: OperationInfo;
  done = 0;
  failed = 0;
  retries = 0;
  twins = 0;
  spills = 0;
  bytesSpilled = 0;
  /** Records of done attempts that are still kept. */
  kept = 0;
  #min: number | null = null;
  #max: number | null = null;
  #totalMs = 0;
  #bytesRead = 0;
  #bytesWritten = 0;
  #measuredMem: number | null = null;
  #projectedMem: number;
  readonly #durations = new DurationCounts();

  constructor(computation: number, info: OperationInfo) {
    this.computation = computation;
    this.info = info;
    this.#projectedMem = info.projectedMem;
  }

  add(record: TaskRecord): void {
    this.#bytesRead += record.bytesRead;
    this.#bytesWritten += record.bytesWritten;
    this.#projectedMem = Math.max(this.#projectedMem, record.projectedMem);
    if (record.measuredMem !== null) this.#measuredMem = Math.max(this.#measuredMem ?? 0, record.measuredMem);
    if (record.outcome === "failed") this.failed++;
    if (record.outcome === "done") this.#addDone(durationOf(record));
  }

  #addDone(duration: number): void {
    this.done++;
    this.kept++;
    this.#totalMs += duration;
    this.#min = Math.min(this.#min ?? duration, duration);
    this.#max = Math.max(this.#max ?? duration, duration);
    this.#durations.add(duration);
  }

  /** `kept`: durations of its records that are kept, asked for only when they are all. */
  summary(kept: () => readonly number[]): OperationSummary {
    const isExact = this.kept === this.done;
    const sorted = isExact ? [...kept()].sort((a, b) => a - b) : [];
    const quantile = (q: number): number | null => {
      if (this.done === 0) return null;
      // An estimate may lie a little beyond the extremes, which are known.
      if (isExact) return exactQuantile(sorted, q);
      return Math.min(this.#max!, Math.max(this.#min!, this.#durations.quantile(q)));
    };
    return {
      computation: this.computation,
      operation: this.info.name,
      label: this.info.label,
      tasks: this.info.tasks,
      done: this.done,
      failed: this.failed,
      retries: this.retries,
      twins: this.twins,
      spills: this.spills,
      bytesSpilled: this.bytesSpilled,
      minMs: this.#min,
      medianMs: quantile(0.5),
      p95Ms: quantile(0.95),
      maxMs: this.#max,
      totalMs: this.#totalMs,
      quantilesAreExact: isExact,
      bytesRead: this.#bytesRead,
      bytesWritten: this.#bytesWritten,
      measuredMem: this.#measuredMem,
      projectedMem: this.#projectedMem,
    };
  }
}

const HEADINGS = ["operation", "done", "min", "median", "p95", "max", "read", "written", "measured", "stated", "retries", "twins", "spills"]; // biome-ignore format: a list of names
const WIDEST_NAME = 40;
const MOST_ROWS = 100;

/** A line per operation, the first hundred of them. */
export function summaryTable(summaries: readonly OperationSummary[]): string {
  const severalRuns = summaries.some(({ computation }) => computation !== summaries[0]!.computation);
  const rows = summaries.slice(0, MOST_ROWS).map((summary) => rowOf(summary, severalRuns));
  const rest = summaries.length - rows.length;
  const table = tableText([HEADINGS, ...rows]);
  return rest > 0 ? `${table}\n… ${countText(rest, "more operation")}` : table;
}

function rowOf(summary: OperationSummary, withRun: boolean): string[] {
  const { computation, operation, label, done, tasks, quantilesAreExact } = summary;
  const name = label === operation || label === "" ? operation : `${operation} ${label}`;
  const about = quantilesAreExact ? "" : "~";
  const time = (ms: number | null, mark = ""): string => (ms === null ? "" : `${mark}${durationText(ms)}`);
  return [
    cutText(plainText(withRun ? `${computation}: ${name}` : name), WIDEST_NAME),
    done === tasks ? String(done) : `${done}/${tasks}`,
    time(summary.minMs),
    time(summary.medianMs, about),
    time(summary.p95Ms, about),
    time(summary.maxMs),
    aboutBytes(summary.bytesRead),
    aboutBytes(summary.bytesWritten),
    summary.measuredMem === null ? "" : aboutBytes(summary.measuredMem),
    aboutBytes(summary.projectedMem),
    String(summary.retries),
    String(summary.twins),
    String(summary.spills),
  ];
}
