// The rows of a timeline. In: records of tasks. Out: one row per worker, or a few where a worker has several tasks at
// once; each row has its tasks by time. Must hold: every task of a worker that is shown is in one of its rows.

import type { TaskRecord } from "./taskLog.ts";

export interface TimelineRow {
  readonly worker: number;
  /** Where it is among the rows of its worker: 0 for the first. */
  readonly lane: number;
  readonly tasks: readonly TaskRecord[];
}

/** Tasks that overlap lie in different lanes, up to this many; then the last has to hold them all. */
const MOST_LANES = 4;

export function timelineRows(tasks: readonly TaskRecord[]): TimelineRow[] {
  const byWorker = new Map<number, TaskRecord[]>();
  for (const task of tasks) {
    const list = byWorker.get(task.worker);
    if (list === undefined) byWorker.set(task.worker, [task]);
    else list.push(task);
  }
  const workers = [...byWorker].sort((a, b) => a[0] - b[0]);
  return workers.flatMap(([worker, list]) =>
    lanesOf(list).map((lane, index) => ({ worker, lane: index, tasks: lane })),
  );
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
export interface BinShare {
  readonly from: number;
  readonly to: number;
  readonly operation: number;
  readonly phase: Phase;
  /** From 0 to 1, in eighths, so that neighbours that are nearly alike become one. */
  readonly busy: number;
}

export const PHASES = ["read", "compute", "write"] as const;
export type Phase = (typeof PHASES)[number];

/** Start and end of a phase. */
export function phaseTimes(task: TaskRecord, phase: Phase): readonly [number, number] {
  if (phase === "read") return [task.startTime, task.readTime];
  if (phase === "compute") return [task.readTime, task.computeTime];
  return [task.computeTime, task.endTime];
}

export interface Bins {
  readonly start: number;
  /** The length of a bin, in milliseconds. */
  readonly length: number;
  readonly count: number;
}

/** The row in bins; equal neighbours joined, empty ones left out. */
export function binned(
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
