// A plan as the scheduler sees it. In: a plan. Out: operations by number, and for each task what it needs and who
// reads it, from windows (src/plan/windows): arithmetic on boxes, nothing kept per task.

import { type Box, type ChunkShape, numberOf, placeOf, type Shape, sizeOf } from "../core/chunks.ts";
import { taskWindows } from "../plan/demand.ts";
import {
  chunkOfArray,
  gridOfArray,
  type Operation,
  type PlanArray,
  type PlanData,
  readsOf,
} from "../plan/plan.ts";
import { statedBytes } from "../plan/statedBytes.ts";
import { chunkBytes } from "../plan/taskMemory.ts";
import { type Cell, cellsOf, type WindowLaw } from "../plan/windows/taskKinds.ts";
import type { Run } from "../plan/windows/taskRuns.ts";
import type { OperationNode, ReaderRange, TaskGraph, TaskRef } from "./scheduler/taskGraph.ts";

// Readers: which tasks read a chunk. In: an operation and a box of an array. Out: the places of its grid whose tasks
// have a window that touches the box, as products of runs. The exact inverse of windows.
// Must hold: every such place is in a product, and no other; one that has several such windows may be in several.

/** By axis of the grid. */
type Places = readonly Run[];

export function readersOf(
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  array: string,
  box: Box,
): Places[] {
  const places: Places[] = [];
  for (const cell of cellsOf(operation, arrays))
    for (const law of cell.windows) if (law.array === array) addReaders(places, cell, law, box);
  return places;
}

function addReaders(places: Places[], { runs }: Cell, law: WindowLaw, box: Box): void {
  const ranges = runs.map(({ count }) => ({ first: 0, last: count - 1 }));
  for (const found of solve(boundsOf(law, box), ranges))
    places.push(
      found.map(({ first, last }, axis) => {
        const { first: start, step } = runs[axis]!;
        return { first: start + first * step, step, count: last - first + 1 };
      }),
    );
}

/** Numbers first … last: steps along one axis of a cell. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/** low ≤ Σ slope · step ≤ high */
interface Bound {
  readonly slopes: readonly number[];
  readonly low: number;
  readonly high: number;
}

/** The window touches the box when it does along every axis: it ends behind its begin and begins before its end. */
const boundsOf = ({ start, shape, slopes }: WindowLaw, box: Box): Bound[] =>
  start.map((x, axis) => ({
    slopes: slopes.map((along) => along[axis]!),
    low: box.start[axis]! - shape[axis]! + 1 - x,
    high: box.start[axis]! + box.shape[axis]! - 1 - x,
  }));

/** All steps that keep the bounds, as products of ranges that have none in common. */
function solve(bounds: readonly Bound[], ranges: readonly Range[]): (readonly Range[])[] {
  const narrowed = narrowAll(bounds, ranges);
  if (narrowed === null) return [];
  const open = bounds.find((bound) => !isKept(bound, narrowed));
  if (open === undefined) return [narrowed];
  // It has several axes in it: one of them is looked at step by step.
  const axis = steepest(open, narrowed);
  const { first, last } = narrowed[axis]!;
  const found: (readonly Range[])[] = [];
  for (let step = first; step <= last; step++)
    found.push(...solve(bounds, withRange(narrowed, axis, { first: step, last: step })));
  return found;
}

/** Until no bound takes anything away; null when nothing is left. */
function narrowAll(bounds: readonly Bound[], ranges: readonly Range[]): readonly Range[] | null {
  let narrowed = ranges;
  for (let before: readonly Range[] | null = null; before !== narrowed; ) {
    before = narrowed;
    for (const bound of bounds) {
      const next = narrow(bound, narrowed);
      if (next === null) return null;
      narrowed = next;
    }
  }
  return narrowed;
}

const withRange = (ranges: readonly Range[], axis: number, range: Range): Range[] =>
  ranges.map((known, other) => (other === axis ? range : known));

/** The least and the most of slope · step. */
const reach = (slope: number, { first, last }: Range): readonly [number, number] =>
  slope < 0 ? [slope * last, slope * first] : [slope * first, slope * last];

function sumOf({ slopes }: Bound, ranges: readonly Range[]): readonly [number, number] {
  let [low, high] = [0, 0];
  slopes.forEach((slope, axis) => {
    const [least, most] = reach(slope, ranges[axis]!);
    low += least;
    high += most;
  });
  return [low, high];
}

/** True when every step keeps the bound. */
function isKept(bound: Bound, ranges: readonly Range[]): boolean {
  const [low, high] = sumOf(bound, ranges);
  return low >= bound.low && high <= bound.high;
}

/** Without the steps that keep the bound with none of the others; null when nothing is left. */
function narrow(bound: Bound, ranges: readonly Range[]): readonly Range[] | null {
  const [low, high] = sumOf(bound, ranges);
  if (low > bound.high || high < bound.low) return null;
  if (low >= bound.low && high <= bound.high) return ranges;
  let narrowed = ranges;
  for (const [axis, slope] of bound.slopes.entries()) {
    if (slope === 0) continue;
    const range = ranges[axis]!;
    const [least, most] = reach(slope, range);
    const ends = [(bound.low - (high - most)) / slope, (bound.high - (low - least)) / slope];
    const first = Math.max(range.first, Math.ceil(Math.min(...ends)));
    const last = Math.min(range.last, Math.floor(Math.max(...ends)));
    if (first > last) return null;
    if (first > range.first || last < range.last) narrowed = withRange(narrowed, axis, { first, last });
  }
  return narrowed;
}

/** Of the axes that are still open the one that counts most. */
function steepest({ slopes }: Bound, ranges: readonly Range[]): number {
  let [most, axis] = [0, -1];
  slopes.forEach((slope, at) => {
    const { first, last } = ranges[at]!;
    if (last > first && Math.abs(slope) > most) [most, axis] = [Math.abs(slope), at];
  });
  return axis;
}

export class PlanGraph implements TaskGraph {
  readonly plan: PlanData;
  readonly arrays: ReadonlyMap<string, PlanArray>;
  readonly operations: readonly OperationNode[];
  /** Which operation makes an array; sources are made by none. */
  readonly #makers = new Map<string, number>();
  /** Which operations read an array. */
  readonly #readers = new Map<string, number[]>();
  /** Operations that read what others make: the rest need nothing. */
  readonly #reads: readonly boolean[];
  readonly #stated: ReadonlyMap<Operation, number>;

  constructor(plan: PlanData) {
    this.plan = plan;
    this.arrays = new Map(plan.arrays.map((array) => [array.name, array]));
    plan.operations.forEach(({ outputs }, at) => {
      for (const { array } of outputs) this.#makers.set(array, at);
    });
    this.#reads = plan.operations.map((operation) =>
      readsOf(operation).some((name) => this.#makers.has(name)),
    );
    plan.operations.forEach((operation, at) => {
      for (const name of readsOf(operation)) this.#addReader(name, at);
    });
    this.operations = plan.operations.map((operation) => this.#nodeOf(operation));
    this.#stated = new Map(
      plan.operations.map((operation, i) => [operation, this.operations[i]!.projectedMem]),
    );
  }

  #addReader(array: string, at: number): void {
    const known = this.#readers.get(array);
    if (known === undefined) this.#readers.set(array, [at]);
    else known.push(at);
  }

  #nodeOf(operation: Operation): OperationNode {
    const { name, grid, outputs } = operation;
    const made = outputs.map(({ array }) => this.arrays.get(array)!);
    const held = made.filter(({ role }) => role === "intermediate");
    return {
      name,
      label: labelOf(operation),
      tasks: sizeOf(grid),
      projectedMem: statedMemory(operation, this.arrays),
      isWanted: made.some(({ role }) => role === "result"),
      heldBytes: held.reduce((sum, array) => sum + chunkBytes(array), 0),
    };
  }

  /** The memory that was stated for each task of an operation. */
  statedOf(operation: Operation): number {
    return this.#stated.get(operation)!;
  }

  *needs(op: number, task: number): Iterable<TaskRef> {
    if (!this.#reads[op]) return;
    const operation = this.plan.operations[op]!;
    for (const { array, box } of taskWindows(operation, this.arrays, placeOf(task, operation.grid))) {
      const maker = this.#makers.get(array);
      if (maker === undefined) continue;
      for (const chunk of chunksOfBox(box, this.arrays.get(array)!)) yield { op: maker, task: chunk };
    }
  }

  readers(op: number, task: number): readonly ReaderRange[] {
    const { outputs, grid } = this.plan.operations[op]!;
    const place = placeOf(task, grid);
    return outputs.flatMap(({ array }) => {
      const box = chunkOfArray(this.arrays.get(array)!, place);
      return (this.#readers.get(array) ?? []).flatMap((reader) => {
        const operation = this.plan.operations[reader]!;
        return readersOf(operation, this.arrays, array, box).map((places) =>
          rangeOf(reader, operation.grid, places),
        );
      });
    });
  }
}

/** Tasks at places of a grid, row-major. */
function rangeOf(op: number, grid: Shape, places: Places): ReaderRange {
  const counts = places.map(({ count }) => count);
  const count = sizeOf(counts);
  const task = (i: number): number =>
    numberOf(
      placeOf(i, counts).map((x, axis) => places[axis]!.first + x * places[axis]!.step),
      grid,
    );
  const tasks = function* (): Iterable<number> {
    for (let i = 0; i < count; i++) yield task(i);
  };
  return { op, count, last: task(count - 1), tasks };
}

/** Numbers of the chunks of an array that a box touches, row-major. */
export const chunksOfBox = (box: Box, array: PlanArray): Iterable<number> =>
  chunksIn(box, gridOfArray(array), array.chunks);

/** The same for any chunks, of which so many are along each axis. */
export function* chunksIn(box: Box, grid: Shape, chunks: ChunkShape): Iterable<number> {
  const first = box.start.map((x, axis) => Math.floor(x / chunks[axis]!));
  const counts = box.start.map(
    (x, axis) => Math.floor((x + box.shape[axis]! - 1) / chunks[axis]!) - first[axis]! + 1,
  );
  const count = sizeOf(counts);
  for (let i = 0; i < count; i++)
    yield numberOf(
      placeOf(i, counts).map((x, axis) => x + first[axis]!),
      grid,
    );
}

const stated = new WeakMap<Operation, number>();

function statedMemory(operation: Operation, arrays: ReadonlyMap<string, PlanArray>): number {
  let bytes = stated.get(operation);
  if (bytes === undefined) {
    bytes = statedBytes(operation, arrays);
    stated.set(operation, bytes);
  }
  return bytes;
}

const MOST_NAMED = 6;

/** The ops of its steps, in order. */
function labelOf({ steps }: Operation): string {
  const names = steps.flatMap((step) => ("op" in step ? [step.op.name] : []));
  const more = names.length > MOST_NAMED ? [`… ${names.length - MOST_NAMED} more`] : [];
  return names.length === 0 ? "copy" : [...names.slice(0, MOST_NAMED), ...more].join(", ");
}
