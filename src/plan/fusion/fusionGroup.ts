// A group: an operation and what has been fused into it so far, as far as costs are concerned. Windows are kept as laws
// on cells of the group's grid, so that taking in another operation looks at that operation alone, however large the
// group is, and what is said holds for all tasks.

import { blockBytes } from "../../core/block.ts";
import { type Shape, sameShape } from "../../core/shape.ts";
import { denseOf, extentOf } from "../../expr/type.ts";
import type { DensePlanArray, Operation, PlanArray } from "../plan.ts";
import { writeTransfer } from "../transfer.ts";
import { chunkLaw, type Law, type Laws } from "../windows/laws.ts";
import { chunkPartition, type Partition } from "../windows/partition.ts";
import { type Arrays, type Costs, costsOf, MOST_CELLS } from "./costs.ts";
import { type Reads, readBytes, readTransfers } from "./reads.ts";
import { Recent } from "./recent.ts";
import { isLoop } from "./stepKinds.ts";

export interface Group {
  /** Numbers of operations, ascending. */
  readonly members: number[];
  readonly grid: Shape;
  /** Null where there are too many to look at: such a group is left as it is. */
  cells: Partition | null;
  reads: Reads;
  /** Bytes that a task of each cell has in memory beside its windows: temporaries, and what it writes. */
  held: readonly number[];
  steps: number;
  /** Nothing but loops: what is expected of its memory is a bound. */
  isLoop: boolean;
  /** What the largest of its members needs alone. */
  largest: number;
  /** Elements that other groups compute as well, in all tasks. */
  copiedWork: number;
}

export type Alone = Omit<Group, "members">;

export const TOO_MANY_CELLS: string = `its tasks would be of more than ${MOST_CELLS} kinds`;

/** A group of one operation, whatever its number is. */
export function alone(operation: Operation, arrays: Arrays): Alone {
  const costs = costsAlone(operation, arrays);
  const reads = costs?.reads ?? [];
  const held = costs === null ? [] : heldBy(operation, costs, arrays);
  return {
    grid: operation.grid,
    cells: costs?.cells ?? null,
    reads,
    held,
    steps: operation.steps.length,
    isLoop: isLoop(operation),
    largest: groupBytes({ reads, held }),
    copiedWork: 0,
  };
}

/** What it costs where its outputs are stored. */
export function costsAlone(operation: Operation, arrays: Arrays): Costs | null {
  const written = operation.outputs.map(({ array }) => arrays.get(array)!);
  const cells = cellsFor(operation.grid, written, arrays);
  const wanted = operation.outputs.map(({ value }, i) => ({
    array: written[i]!,
    value,
    laws: chunkLaws(written[i]!, cells),
    use: null,
  }));
  return costsOf(operation, cells, wanted, arrays);
}

/** Temporaries, and the chunks that are written. */
export function heldBy(
  { outputs }: Operation,
  { cells, temporaries }: Costs,
  arrays: Arrays,
): readonly number[] {
  const held = [...temporaries];
  for (const output of outputs) {
    const array = denseOf(arrays.get(output.array)!);
    const laws = chunkLaws(array, cells);
    for (let cell = 0; cell < held.length; cell++) held[cell]! += writtenBytes(array, laws[cell]!);
  }
  return held;
}

/** A chunk, and what storage needs to write it. */
const writtenBytes = (array: DensePlanArray, chunk: Law): number =>
  blockBytes(array.dtype, chunk.shape) + (array.transfer?.encoding ?? 0) + writeTransfer(array, chunk);

interface KnownCells {
  readonly grid: Shape;
  readonly isCut: readonly boolean[];
  readonly cells: Partition;
}

/** Most operations of a plan are cut as one of a few others. */
const recentCells = new Recent<Arrays, KnownCells>();

/** The coarsest partition in which chunks of these arrays have one shape: one object for all of a plan that are cut alike. */
export function cellsFor(grid: Shape, arrays: readonly PlanArray[], all: Arrays): Partition {
  const isCut = grid.map((_, axis) =>
    arrays.some((array) => extentOf(array)[axis]! % array.chunks[axis]! !== 0),
  );
  return recentCells.get(
    all,
    (known) => sameShape(known.grid, grid) && known.isCut.every((cut, axis) => cut === isCut[axis]),
    () => ({ grid, isCut, cells: chunkPartition(grid, arrays) }),
  ).cells;
}

interface KnownChunks {
  readonly shape: Shape;
  readonly chunks: Shape;
  readonly laws: Laws;
}

const recentChunks = new Recent<Partition, KnownChunks>();

/** The chunks with the numbers of the tasks. */
export function chunkLaws(array: PlanArray, cells: Partition): Laws {
  const { chunks } = array;
  const shape = extentOf(array);
  return recentChunks.get(
    cells,
    (known) => sameShape(known.shape, shape) && sameShape(known.chunks, chunks),
    () => ({ shape, chunks, laws: cells.map((runs) => chunkLaw(array, runs)) }),
  ).laws;
}

/** True when a group is sure to fit; where not, `exact` has to say. */
export const fits = (group: Alone, allowed: number, exact: () => number): boolean =>
  allowed === Number.POSITIVE_INFINITY || isSmallLoop(group, allowed) || exact() <= allowed;

/** True where no closer look is needed. */
export const surelyFits = (operation: Operation, allowed: number, arrays: Arrays): boolean =>
  isLoop(operation) && isSmallLoop(alone(operation, arrays), allowed);

const isSmallLoop = (group: Alone, allowed: number): boolean =>
  group.isLoop &&
  group.cells !== null &&
  groupBytes(group) + readTransfers(group.reads, group.cells) <= allowed;

/** What a task of a group is expected to need at most, without looking at when temporaries die. */
export function groupBytes({ reads, held }: Pick<Group, "reads" | "held">): number {
  let most = 0;
  for (let cell = 0; cell < held.length; cell++) most = Math.max(most, readBytes(reads, cell) + held[cell]!);
  return most;
}
