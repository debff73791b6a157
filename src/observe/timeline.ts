// A timeline as SVG: a row per worker, a bar per task in its operation's colour, reading and writing paler than
// computing. In: a history. Out: the text of the picture. Above a number of tasks each row is drawn in bins of a pixel,
// so that the text stays small whatever the number of tasks.

import { countText } from "../core/counts.ts";
import {
  type Attributes,
  colourOf,
  element,
  FAILURE_COLOUR,
  OTHER_COLOUR,
  rectPath,
  svgDocument,
  textElement,
  titleElement,
} from "../core/svg.ts";
import type { ComputationRecord, HistoryData } from "./history.ts";
import { aboutBytes, cutText, durationText } from "./shortTexts.ts";
import type { OperationSummary } from "./summary.ts";
import type { TaskRecord } from "./taskLog.ts";
import { timeTicks } from "./ticks.ts";

// The rows of a timeline. In: records of tasks. Out: one row per worker, or a few where a worker has several tasks at
// once; each row has its tasks by time. Must hold: every task of a worker that is shown is in one of its rows.

interface TimelineRow {
  /** A number, or the name of a process elsewhere. */
  readonly worker: number | string;
  /** Where it is among the rows of its worker: 0 for the first. */
  readonly lane: number;
  readonly tasks: readonly TaskRecord[];
}

/** Tasks that overlap lie in different lanes, up to this many; then the last has to hold them all. */
const MOST_LANES = 4;

export function timelineRows(tasks: readonly TaskRecord[]): TimelineRow[] {
  const byWorker = new Map<number | string, TaskRecord[]>();
  for (const task of tasks) {
    const worker = task.by ?? task.worker;
    const list = byWorker.get(worker);
    if (list === undefined) byWorker.set(worker, [task]);
    else list.push(task);
  }
  const workers = [...byWorker].sort(([a], [b]) => ordered(a, b));
  return workers.flatMap(([worker, list]) =>
    lanesOf(list).map((lane, index) => ({ worker, lane: index, tasks: lane })),
  );
}

/** Names first, then numbers: attempts that nobody has told of have no name. */
function ordered(a: number | string, b: number | string): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : 1;
  return typeof a === "string" ? -1 : 1;
}

/** First come, first lane that is free. */
function lanesOf(tasks: readonly TaskRecord[]): TaskRecord[][] {
  const lanes: { end: number; tasks: TaskRecord[] }[] = [];
  for (const task of [...tasks].sort((a, b) => a.startTime - b.startTime || a.endTime - b.endTime)) {
    let lane = lanes.find(({ end }) => end <= task.startTime);
    if (lane === undefined && lanes.length < MOST_LANES) {
      lane = { end: 0, tasks: [] };
      lanes.push(lane);
    }
    lane ??= lanes.at(-1)!;
    lane.tasks.push(task);
    lane.end = Math.max(lane.end, task.endTime);
  }
  return lanes.map((lane) => lane.tasks);
}

/** A row's share of one bin of time: which operation and phase had most of it, and how much all had. */
interface BinShare {
  readonly from: number;
  readonly to: number;
  readonly operation: number;
  readonly phase: Phase;
  /** From 0 to 1, in eighths, so that neighbours that are nearly alike become one. */
  readonly busy: number;
}

const PHASES = ["read", "compute", "write"] as const;
type Phase = (typeof PHASES)[number];

/** Start and end of a phase. */
function phaseTimes(task: TaskRecord, phase: Phase): readonly [number, number] {
  if (phase === "read") return [task.startTime, task.readTime];
  if (phase === "compute") return [task.readTime, task.computeTime];
  return [task.computeTime, task.endTime];
}

interface Bins {
  readonly start: number;
  /** The length of a bin, in milliseconds. */
  readonly length: number;
  readonly count: number;
}

/** The row in bins; equal neighbours joined, empty ones left out. */
function binned(
  tasks: readonly TaskRecord[],
  bins: Bins,
  operationOf: (task: TaskRecord) => number,
): BinShare[] {
  const shares = Array.from({ length: bins.count }, () => new Map<number, number>());
  for (const task of tasks) {
    PHASES.forEach((phase, index) =>
      spread(shares, bins, phaseTimes(task, phase), operationOf(task) * PHASES.length + index),
    );
  }
  return joined(shares.map((share, bin) => strongest(share, bin, bins.length)));
}

/** Adds a stretch of time to the bins that it touches. */
function spread(
  shares: readonly Map<number, number>[],
  { start, length, count }: Bins,
  [from, to]: readonly [number, number],
  key: number,
): void {
  if (!(to > from)) return;
  const first = Math.max(0, Math.floor((from - start) / length));
  const last = Math.min(count - 1, Math.floor((to - start) / length));
  for (let bin = first; bin <= last; bin++) {
    const begin = start + bin * length;
    const part = Math.min(to, begin + length) - Math.max(from, begin);
    shares[bin]!.set(key, (shares[bin]!.get(key) ?? 0) + Math.max(0, part));
  }
}

function strongest(share: ReadonlyMap<number, number>, bin: number, length: number): BinShare | null {
  let best = -1;
  let most = 0;
  let sum = 0;
  for (const [key, part] of share) {
    sum += part;
    if (part <= most) continue;
    most = part;
    best = key;
  }
  if (best < 0) return null;
  const busy = Math.min(8, Math.max(1, Math.round((8 * sum) / length))) / 8;
  const operation = Math.floor(best / PHASES.length);
  return { from: bin, to: bin + 1, operation, phase: PHASES[best % PHASES.length]!, busy };
}

function joined(shares: readonly (BinShare | null)[]): BinShare[] {
  const list: BinShare[] = [];
  for (const share of shares) {
    if (share === null) continue;
    const last = list.at(-1);
    const isSame =
      last !== undefined &&
      last.to === share.from &&
      last.operation === share.operation &&
      last.phase === share.phase &&
      last.busy === share.busy;
    if (isSame) list[list.length - 1] = { ...last, to: share.to };
    else list.push(share);
  }
  return list;
}

/** Options of `timelineSvg`. */
export interface TimelineOptions {
  /** In pixels: 1000. */
  readonly width?: number | undefined;
  /** Above the picture. */
  readonly title?: string | undefined;
  /** Above so many tasks, 1000, they are drawn in bins. */
  readonly detailLimit?: number | undefined;
}

const LEFT = 84;
const RIGHT = 16;
const TOP = 36;
const MOST_ROWS = 200;
const MOST_COLOURS = 24;
const LEGEND_LINE = 18;
const OPACITY: { readonly [P in Phase]: number } = { read: 0.4, compute: 1, write: 0.7 };

/** What all parts of the picture need to know. */
interface Frame {
  readonly width: number;
  readonly start: number;
  readonly span: number;
  readonly rowHeight: number;
  readonly bottom: number;
  /** Where an operation is among those with a colour of their own; MOST_COLOURS for the others. */
  readonly placeOf: (task: TaskRecord) => number;
}

/**
 * A picture of which worker did what when: `await save("timeline.svg", timelineSvg(past))`. `history` is one, or its
 * data as JSON has them.
 */
export function timelineSvg(
  history: HistoryData,
  { width = 1000, title = "Timeline", detailLimit = 1000 }: TimelineOptions = {},
): string {
  const { tasks, computations, operations, tasksDropped } = history;
  const rows = timelineRows(tasks);
  const shown = rows.slice(0, MOST_ROWS);
  const coloured = byBusyTime(operations);
  const frame = frameOf(Math.max(300, width), tasks, computations, shown.length, coloured);
  const isDetailed = tasks.length <= detailLimit;
  const legend = legendOf(frame, coloured, operations.length > coloured.length);
  const notes = notesOf(rows.length - shown.length, tasksDropped, isDetailed);
  return svgDocument(frame.width, legend.bottom + 10 + notes.length * 16, title, [
    textElement(cutText(title, 100), { x: LEFT, y: 20, "font-size": 15, "font-weight": "bold" }),
    ...axisOf(frame),
    ...shown.flatMap((row, at) => rowLabel(row, at, frame)),
    ...(isDetailed ? shown.flatMap((row, at) => detailed(row, at, frame)) : inBins(shown, frame)),
    ...legend.elements,
    ...notes.map((note, i) =>
      textElement(note, { x: LEFT, y: legend.bottom + 14 + i * 16, fill: "#555555" }),
    ),
  ]);
}

/** The operations with a colour of their own: those that took longest, in the order of the plan. */
function byBusyTime(operations: readonly OperationSummary[]): OperationSummary[] {
  const first = [...operations].sort((a, b) => b.totalMs - a.totalMs).slice(0, MOST_COLOURS);
  const chosen = new Set(first);
  return operations.filter((operation) => chosen.has(operation));
}

function frameOf(
  width: number,
  tasks: readonly TaskRecord[],
  computations: readonly ComputationRecord[],
  rows: number,
  coloured: readonly OperationSummary[],
): Frame {
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  for (const { startTime, endTime } of [...tasks, ...computations]) {
    start = Math.min(start, startTime);
    end = Math.max(end, endTime ?? startTime);
  }
  const places = new Map(
    coloured.map(({ computation, operation }, at) => [`${computation} ${operation}`, at]),
  );
  const rowHeight = Math.max(3, Math.min(20, Math.floor(600 / Math.max(1, rows))));
  return {
    width,
    start: Number.isFinite(start) ? start : 0,
    span: end > start ? end - start : 1,
    rowHeight,
    bottom: TOP + Math.max(1, rows) * rowHeight,
    placeOf: ({ computation, operation }) => places.get(`${computation} ${operation}`) ?? MOST_COLOURS,
  };
}

const xOf = ({ start, span, width }: Frame, time: number): number =>
  LEFT + ((time - start) / span) * (width - LEFT - RIGHT);

const colourAt = (place: number): string => (place >= MOST_COLOURS ? OTHER_COLOUR : colourOf(place));

function axisOf(frame: Frame): string[] {
  const wanted = Math.max(2, Math.floor((frame.width - LEFT - RIGHT) / 100));
  return timeTicks(frame.span, wanted).flatMap(({ value, text }) => {
    const x = xOf(frame, frame.start + value);
    return [
      element("path", { d: `M${x.toFixed(1)} ${TOP - 4}V${frame.bottom + 4}`, stroke: "#dddddd" }),
      textElement(text, { x, y: frame.bottom + 18, "text-anchor": "middle", fill: "#555555" }),
    ];
  });
}

/** Once per worker, and not where rows are too low for all of them. */
function rowLabel({ worker, lane }: TimelineRow, at: number, { rowHeight }: Frame): string[] {
  const every = Math.ceil(12 / rowHeight);
  if (lane > 0 || at % every !== 0) return [];
  const y = TOP + at * rowHeight + Math.min(14, rowHeight / 2 + 4);
  return [
    textElement(typeof worker === "string" ? cutText(worker, 14) : `worker ${worker}`, {
      x: LEFT - 8,
      y,
      "text-anchor": "end",
      fill: "#555555",
    }),
  ];
}

function detailed({ tasks }: TimelineRow, at: number, frame: Frame): string[] {
  const y = TOP + at * frame.rowHeight + 0.5;
  const height = Math.max(2, frame.rowHeight - 2);
  return tasks.map((task) => {
    const bars = PHASES.flatMap((phase) => {
      const [from, to] = phaseTimes(task, phase);
      if (!(to > from)) return [];
      const x = xOf(frame, from);
      const box = { x, y, width: Math.max(0.2, xOf(frame, to) - x), height };
      return [element("rect", { ...box, "fill-opacity": OPACITY[phase] })];
    });
    const look = { fill: colourAt(frame.placeOf(task)), ...outcomeLook(task) };
    return element("g", look, titleElement(taskTitle(task, frame)) + bars.join(""));
  });
}

function outcomeLook({ outcome }: TaskRecord): Attributes {
  if (outcome === "failed") return { stroke: FAILURE_COLOUR, "stroke-width": 1.5 };
  return outcome === "done" ? {} : { opacity: 0.45 };
}

function taskTitle(task: TaskRecord, frame: Frame): string {
  const { operation, attempt, outcome, isTwin, startTime, endTime, measuredMem } = task;
  const phases = PHASES.map((phase) => {
    const [from, to] = phaseTimes(task, phase);
    return `${phase} ${durationText(to - from)}`;
  });
  return [
    `${operation} task ${task.task}${attempt > 1 ? `, attempt ${attempt}` : ""}${isTwin ? ", twin" : ""}: ${outcome}`,
    `at ${durationText(startTime - frame.start)} for ${durationText(endTime - startTime)} (${phases.join(", ")})`,
    `read ${aboutBytes(task.bytesRead)}, wrote ${aboutBytes(task.bytesWritten)}`,
    `memory ${measuredMem === null ? "not measured" : aboutBytes(measuredMem)} of ${aboutBytes(task.projectedMem)}`,
  ].join("; ");
}

/** One path per colour and phase, whatever the number of tasks; failures as ticks at the top. */
function inBins(rows: readonly TimelineRow[], frame: Frame): string[] {
  const count = Math.floor(frame.width - LEFT - RIGHT);
  const bins: Bins = { start: frame.start, length: frame.span / count, count };
  const paths = new Map<string, string[]>();
  const failures = new Set<string>();
  const height = Math.max(2, frame.rowHeight - 2);
  rows.forEach(({ tasks }, at) => {
    const bottom = TOP + at * frame.rowHeight + 0.5 + height;
    for (const { from, to, operation, phase, busy } of binned(tasks, bins, frame.placeOf)) {
      const key = `${operation} ${phase}`;
      const part = rectPath(LEFT + from, bottom - height * busy, to - from, height * busy);
      const list = paths.get(key);
      if (list === undefined) paths.set(key, [part]);
      else list.push(part);
    }
    for (const { outcome, endTime } of tasks) {
      if (outcome === "failed")
        failures.add(rectPath(Math.floor(xOf(frame, endTime)), bottom - height, 1, height * 0.4));
    }
  });
  const bars = [...paths].map(([key, parts]) => {
    const [place, phase] = key.split(" ") as [string, Phase];
    return element("path", {
      d: parts.join(""),
      fill: colourAt(Number(place)),
      "fill-opacity": OPACITY[phase],
    });
  });
  return failures.size === 0
    ? bars
    : [...bars, element("path", { d: [...failures].join(""), fill: FAILURE_COLOUR })];
}

/** Swatches in columns, then the phases. */
function legendOf(
  frame: Frame,
  coloured: readonly OperationSummary[],
  hasOthers: boolean,
): { elements: string[]; bottom: number } {
  const columns = Math.max(1, Math.floor((frame.width - LEFT) / 290));
  const severalRuns = coloured.some(({ computation }) => computation !== coloured[0]!.computation);
  const names = coloured.map(({ computation, operation, label }) => {
    const name = label === operation || label === "" ? operation : `${operation} ${label}`;
    return severalRuns ? `${computation}: ${name}` : name;
  });
  const entries = names.map((text, place) => ({ text, fill: colourOf(place) }));
  if (hasOthers) entries.push({ text: "other operations", fill: OTHER_COLOUR });
  const top = frame.bottom + 34;
  const swatches = entries.flatMap(({ text, fill }, i) =>
    swatch(LEFT + (i % columns) * 290, top + Math.floor(i / columns) * LEGEND_LINE, fill, 1, text),
  );
  const phaseTop = top + Math.ceil(entries.length / columns) * LEGEND_LINE;
  const phases = PHASES.flatMap((phase, i) =>
    swatch(LEFT + i * 90, phaseTop, "#444444", OPACITY[phase], phase),
  );
  const failed = swatch(LEFT + 270, phaseTop, FAILURE_COLOUR, 1, "failed");
  return { elements: [...swatches, ...phases, ...failed], bottom: phaseTop + LEGEND_LINE };
}

const swatch = (x: number, y: number, fill: string, opacity: number, text: string): string[] => [
  element("rect", { x, y, width: 12, height: 12, fill, "fill-opacity": opacity }),
  textElement(cutText(text, 38), { x: x + 18, y: y + 10 }),
];

function notesOf(hiddenRows: number, dropped: number, isDetailed: boolean): string[] {
  const notes: string[] = [];
  if (!isDetailed)
    notes.push("In bins of a pixel: the height says which part of the time the worker was busy.");
  if (hiddenRows > 0) notes.push(`${countText(hiddenRows, "more row")} of workers not shown.`);
  if (dropped > 0) notes.push(`${countText(dropped, "earlier task")} not kept by the history.`);
  return notes;
}
