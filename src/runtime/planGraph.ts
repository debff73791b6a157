// A plan as the scheduler sees it. In: a plan. Out: operations by number, and for each task what it needs and who
// reads it, from windows (src/plan/windows): arithmetic on boxes, nothing kept per task.

import { type Box, type ChunkShape, numberOf, placeOf } from "../core/chunks.ts";
import { type Shape, sizeOf } from "../core/shape.ts";
import { taskWindows } from "../plan/demand.ts";
import {
  chunkOfArray,
  gridOfArray,
  type Operation,
  type PlanArray,
  type PlanData,
  readsOf,
} from "../plan/plan.ts";
import { chunkBytes, statedBytes } from "../plan/taskMemory.ts";

import { type Places, readersOf } from "../plan/windows/readers.ts";

import type { OperationNode, ReaderRange, TaskGraph, TaskRef } from "./scheduler/taskGraph.ts";

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
