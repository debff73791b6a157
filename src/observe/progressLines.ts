// Progress as lines of text. In: a state, the terminal's width and the time. Out: a line for each operation that runs,
// one for those that do not fit, and one for all. Must hold: no line is wider than the width; nothing else is looked at.

import { countText } from "../core/counts.ts";
import { plainText } from "../core/plainText.ts";
import type { OperationProgress, ProgressState } from "./progressState.ts";
import { aboutBytes, cutText, displayWidth, durationText, fitText, perSecond } from "./shortTexts.ts";
import { itemsOf } from "./vector.ts";

// What a state of progress says about speed and about what is left. In: a state and the time. Out: rates, and how
// long it may still take: for each operation what its tasks took so far, at the concurrency that was seen so far.

interface Rates {
  readonly tasksPerSecond: number;
  readonly bytesPerSecond: number;
}

/** Of the last ten seconds or so while it runs, of all the time when it has ended; null before anything is known. */
export function ratesOf(state: ProgressState, now: number): Rates | null {
  const { all, endTime, startTime, samples } = state;
  const bytes = all.bytesRead + all.bytesWritten;
  const from = endTime === null ? samples[0] : { time: startTime, done: all.doneBefore, bytes: 0 };
  if (from === undefined) return null;
  const seconds = ((endTime ?? now) - from.time) / 1000;
  if (seconds <= 0) return null;
  return { tasksPerSecond: (all.done - from.done) / seconds, bytesPerSecond: (bytes - from.bytes) / seconds };
}

/** Milliseconds until the end, or null when nothing has been done yet. */
export function etaOf(state: ProgressState, now: number): number | null {
  const { all, startTime } = state;
  const elapsed = now - startTime;
  const done = all.done - all.doneBefore;
  if (done === 0 || elapsed <= 0) return null;
  const left = Math.max(0, all.tasks - all.done);
  if (left === 0) return 0;
  // Without durations (a clock too coarse) the count has to do.
  if (all.busyMs === 0) return (left * elapsed) / done;
  const concurrency = all.busyMs / elapsed;
  return workLeft(state, all.busyMs / done, left) / concurrency;
}

/** Milliseconds of work: operations that have not finished a task are taken to be like the others. */
function workLeft(state: ProgressState, usual: number, left: number): number {
  let work = 0;
  let counted = 0;
  for (const operation of itemsOf(state.operations)) {
    const tasks = operation.ended ? 0 : Math.max(0, operation.tasks - operation.done);
    counted += tasks;
    work += tasks * (operation.done === 0 ? usual : operation.busyMs / operation.done);
  }
  // Tasks of an earlier run are not told by operation: the rest is scaled down to what is left in all.
  return counted === 0 ? left * usual : (work * left) / counted;
}

function operationRates({ done, bytes, startTime }: OperationProgress, now: number): Rates | null {
  const seconds = startTime === null ? 0 : (now - startTime) / 1000;
  return seconds <= 0 ? null : { tasksPerSecond: done / seconds, bytesPerSecond: bytes / seconds };
}

function operationEta({ tasks, done, startTime }: OperationProgress, now: number): number | null {
  if (startTime === null || done === 0 || now <= startTime) return null;
  return ((tasks - done) * (now - startTime)) / done;
}

/** Options of `progressLines`. */
export interface LineOptions {
  /** At most so many lines for operations. */
  readonly operations?: number | undefined;
  /** Bars of # and - for terminals without block characters. */
  readonly ascii?: boolean | undefined;
}

/** The columns after name and bar, and in which order they go when the terminal is narrow. */
const COLUMNS = ["percent", "count", "rate", "bytes", "eta", "memory", "trouble"] as const;
type Column = (typeof COLUMNS)[number];
const FIRST_TO_GO: readonly Column[] = ["bytes", "memory", "percent", "rate", "trouble", "eta", "count"];
/** So that the bar does not jump with every digit. */
const LEAST_WIDTH: { readonly [C in Column]: number } = {
  percent: 4,
  count: 0,
  rate: 7,
  bytes: 9,
  eta: 10,
  memory: 0,
  trouble: 0,
};

interface Row {
  readonly name: string;
  /** From 0 to 1. */
  readonly part: number;
  readonly cells: { readonly [C in Column]: string };
}

const LEAST_BAR = 8;
const WIDEST_BAR = 40;
const WIDEST_NAME = 32;

/** Progress as lines of text, none wider than `width`: `progressLines(state, 100, Date.now()).join("\n")`. */
export function progressLines(
  state: ProgressState,
  width: number,
  now: number,
  { operations = 8, ascii = false }: LineOptions = {},
): string[] {
  if (state.status === "waiting") return [];
  if (state.status !== "running") return [cutText(summaryLine(state), width)];
  const { shown, rest } = chosen(state, operations);
  const rows = shown.map((operation) => operationRow(operation, now));
  if (rest.length > 0) rows.push(restRow(rest, now));
  rows.push(totalRow(state, now));
  return layout(rows, width, ascii);
}

/** Those that have tasks running come first when not all fit; the order stays that of the plan. */
function chosen(
  { operations }: ProgressState,
  limit: number,
): { shown: readonly OperationProgress[]; rest: readonly OperationProgress[] } {
  const open = [...itemsOf(operations)].filter(({ startTime, ended }) => startTime !== null && !ended);
  if (open.length <= limit) return { shown: open, rest: [] };
  const busy = open.filter(({ running }) => running > 0);
  const idle = open.filter(({ running }) => running === 0);
  const first = new Set([...busy, ...idle].slice(0, limit));
  return {
    shown: open.filter((operation) => first.has(operation)),
    rest: open.filter((operation) => !first.has(operation)),
  };
}

function operationRow(operation: OperationProgress, now: number): Row {
  const { name, label, tasks, done, running, projectedMem } = operation;
  return {
    name: plainText(label === name || label === "" ? name : `${name} ${label}`),
    part: partOf(done, tasks),
    cells: {
      ...rateCells(operationRates(operation, now)),
      percent: percentText(done, tasks),
      count: `${done}/${tasks}`,
      eta: etaText(operationEta(operation, now)),
      memory: aboutBytes(running * projectedMem),
      trouble: troubleText(operation),
    },
  };
}

function restRow(rest: readonly OperationProgress[], now: number): Row {
  const sum = (figure: (operation: OperationProgress) => number): number =>
    rest.reduce((total, operation) => total + figure(operation), 0);
  const done = sum((operation) => operation.done);
  const tasks = sum((operation) => operation.tasks);
  const rates = rest.flatMap((operation) => operationRates(operation, now) ?? []);
  const added = (figure: keyof Rates): number => rates.reduce((total, rate) => total + rate[figure], 0);
  return {
    name: `+ ${countText(rest.length, "more operation")}`,
    part: partOf(done, tasks),
    cells: {
      ...rateCells({ tasksPerSecond: added("tasksPerSecond"), bytesPerSecond: added("bytesPerSecond") }),
      percent: percentText(done, tasks),
      count: `${done}/${tasks}`,
      eta: "",
      memory: aboutBytes(sum(({ running, projectedMem }) => running * projectedMem)),
      trouble: troubleText({ failed: sum(({ failed }) => failed), retries: sum(({ retries }) => retries) }),
    },
  };
}

function totalRow(state: ProgressState, now: number): Row {
  const { all } = state;
  return {
    name: "all",
    part: partOf(all.done, all.tasks),
    cells: {
      ...rateCells(ratesOf(state, now)),
      percent: percentText(all.done, all.tasks),
      count: `${all.done}/${all.tasks}`,
      eta: etaText(etaOf(state, now)),
      memory: memoryText(state, "/"),
      trouble: troubleText(all),
    },
  };
}

const partOf = (done: number, tasks: number): number => (tasks === 0 ? 1 : Math.min(1, done / tasks));
/** Rounded down: 100% is all of them. */
const percentText = (done: number, tasks: number): string => `${Math.floor(partOf(done, tasks) * 100)}%`;

/** In whole seconds: nobody needs an estimate to be finer. */
function etaText(eta: number | null): string {
  if (eta === null) return "";
  const seconds = Math.ceil(eta / 1000);
  return `ETA ${seconds < 60 ? `${seconds} s` : durationText(seconds * 1000)}`;
}

const rateCells = (rates: Rates | null): { rate: string; bytes: string } => ({
  rate: rates === null ? "" : perSecond(rates.tasksPerSecond),
  bytes: rates === null ? "" : `${aboutBytes(rates.bytesPerSecond)}/s`,
});

function memoryText({ all, allowedMem }: ProgressState, of: string): string {
  const limit = allowedMem === null ? "" : `${of}${aboutBytes(allowedMem)}`;
  const spilled = all.bytesSpilled === 0 ? "" : ` +${aboutBytes(all.bytesSpilled)} spilled`;
  return `${aboutBytes(all.runningMem)}${limit}${spilled}`;
}

/** Every retry follows a failure: failures are named only when there are more of them. */
function troubleText({ failed, retries }: { readonly failed: number; readonly retries: number }): string {
  const texts = [failed > retries ? `${failed} failed` : "", retries > 0 ? `${retries} retried` : ""];
  return texts.filter((text) => text !== "").join(", ");
}

/** Columns are dropped until name and bar have room; then the bar; then the name is cut. */
function layout(rows: readonly Row[], width: number, ascii: boolean): string[] {
  const widest = Math.max(...rows.map(({ name }) => displayWidth(name)));
  const name = Math.min(widest, WIDEST_NAME, Math.max(8, Math.floor(width * 0.3)));
  const widths = columnWidths(rows);
  const kept = new Set<Column>(COLUMNS.filter((column) => widths[column] > 0));
  const used = (): number => [...kept].reduce((sum, column) => sum + 2 + widths[column], name);
  for (const column of FIRST_TO_GO) {
    if (used() + 2 + LEAST_BAR <= width) break;
    kept.delete(column);
  }
  const bar = Math.min(WIDEST_BAR, width - used() - 2);
  const columns = COLUMNS.filter((column) => kept.has(column));
  return rows.map((row) => {
    const cells = columns.map((column) => row.cells[column].padStart(widths[column]));
    const drawn = bar < 1 ? [] : [barText(row.part, bar, ascii)];
    return cutText([fitText(row.name, name), ...drawn, ...cells].join("  ").trimEnd(), width);
  });
}

function columnWidths(rows: readonly Row[]): { [C in Column]: number } {
  const widthOf = (column: Column): number => {
    const most = Math.max(...rows.map(({ cells }) => cells[column].length));
    return most === 0 ? 0 : Math.max(most, LEAST_WIDTH[column]);
  };
  return Object.fromEntries(COLUMNS.map((column) => [column, widthOf(column)])) as { [C in Column]: number };
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

function barText(part: number, width: number, ascii: boolean): string {
  if (ascii) {
    const full = Math.floor(part * width);
    return "#".repeat(full) + "-".repeat(width - full);
  }
  const eighths = Math.floor(part * width * 8);
  const bar = "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
  return bar + "░".repeat(width - bar.length);
}

/** One line for a log. */
export function plainLine(state: ProgressState, now: number): string {
  const { all } = state;
  const { rate, bytes } = rateCells(ratesOf(state, now));
  const parts = [
    `${all.done}/${all.tasks} tasks (${percentText(all.done, all.tasks)})`,
    rate,
    bytes,
    etaText(etaOf(state, now)),
    `memory ${memoryText(state, " of ")}`,
    troubleText(all),
  ];
  return parts.filter((part) => part !== "").join(", ");
}

const HEADS = { done: "done", failed: "failed", cancelled: "cancelled", running: "", waiting: "" } as const;

/** The last line: how it ended. */
export function summaryLine(state: ProgressState): string {
  const { all, status, startTime, endTime, error } = state;
  const rates = ratesOf(state, endTime ?? startTime);
  const tasks =
    all.done === all.tasks ? countText(all.tasks, "task") : `${all.done} of ${countText(all.tasks, "task")}`;
  const rate = rates === null || all.done === all.doneBefore ? "" : ` (${perSecond(rates.tasksPerSecond)})`;
  const parts = [
    `${HEADS[status]}: ${tasks} in ${durationText((endTime ?? startTime) - startTime)}${rate}`,
    all.doneBefore > 0 ? `${all.doneBefore} by an earlier run` : "",
    `read ${aboutBytes(all.bytesRead)}`,
    `wrote ${aboutBytes(all.bytesWritten)}`,
    all.bytesSpilled > 0 ? `spilled ${aboutBytes(all.bytesSpilled)}` : "",
    troubleText(all),
    all.twins > 0 ? countText(all.twins, "twin") : "",
  ];
  const line = parts.filter((part) => part !== "").join(", ");
  return error === undefined ? line : `${line}: ${plainText(error)}`;
}
