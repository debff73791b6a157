// What the tasks of a group read: for every window where it lies in all tasks, as laws on the cells of the group's grid.
// In: windows. Out: which of them are the same, and how much they are: bytes of a task, chunks that one task touches,
// bytes of the chunks that all tasks touch. None of it is a guess: null stands where there is too much to look at.

import { blockBytes } from "../../core/block.ts";
import { isEmptyBox, sameShape, sizeOf } from "../../core/chunks.ts";
import { extentOf } from "../../expr/op.ts";
import { readTransfer } from "../compile/rounds.ts";
import type { DensePlanArray, PlanArray } from "../plan.ts";
import {
  type Finer,
  type Law,
  type Laws,
  type Partition,
  type Runs,
  refined,
  sameLaw,
  sameLaws,
  tasksIn,
} from "../windows/taskRuns.ts";
import { elementsTouched, mostTouched } from "../windows/touched.ts";
import { Recent } from "./fusionOptions.ts";

/** One element is read with whatever else is read. */
export const isConstant = (array: PlanArray): boolean => sizeOf(extentOf(array)) <= 1;

/** What a step of a group reads, and whether its elements go straight into a loop. */
export interface Read {
  readonly array: DensePlanArray;
  /** What is asked of the array, cell by cell. */
  readonly asked: Laws;
  /** What is read of that, cell by cell, where it is not all: pieces may lie far apart. */
  readonly pieces: readonly Laws[] | null;
  readonly isStreamed: boolean;
  /** Several steps read it. */
  readonly isShared: boolean;
}

/** Each window once. They are few: a list is looked through faster than a table is made. */
export type Reads = readonly Read[];

const NOTHING: Laws = [];

/** The windows that are read in a cell. */
export function windowsAt({ asked, pieces }: Pick<Read, "asked" | "pieces">, cell: number): Laws {
  if (pieces !== null) return pieces[cell]!;
  const law = asked[cell]!;
  return isEmptyBox(law) ? NOTHING : [law];
}

/** True when two steps read the same in every task. */
export function sameWindows(a: Pick<Read, "asked" | "pieces">, b: Pick<Read, "asked" | "pieces">): boolean {
  if (a.pieces === null && b.pieces === null) return sameLaws(a.asked, b.asked);
  return a.asked.every((_, cell) => {
    const [one, other] = [windowsAt(a, cell), windowsAt(b, cell)];
    return one.length === other.length && one.every((law, i) => sameLaw(law, other[i]!));
  });
}

/** Equal windows are read once; one that is streamed anywhere only is so when all uses of it are. */
export function addRead(reads: Read[], read: Read): void {
  for (let i = 0; i < reads.length; i++) {
    const known = reads[i]!;
    if (known.array !== read.array || !sameWindows(known, read)) continue;
    reads[i] = { ...known, isStreamed: known.isStreamed && read.isStreamed, isShared: true };
    return;
  }
  reads.push(read);
}

/** The same reads on the cells of a finer partition. */
export function refinedReads(reads: Reads, coarse: Partition, finer: Finer): Reads {
  if (finer.cells === coarse) return reads;
  return reads.map((read) => ({ ...read, ...refinedWindows(read, coarse, finer) }));
}

function refinedWindows(
  { asked, pieces }: Read,
  coarse: Partition,
  finer: Finer,
): Pick<Read, "asked" | "pieces"> {
  const within = (laws: Laws, cell: number): Laws =>
    laws.flatMap((law) =>
      refined([law], [coarse[finer.from[cell]!]!], { cells: [finer.cells[cell]!], from: [0] }),
    );
  return {
    asked: refined(asked, coarse, finer),
    pieces: pieces === null ? null : finer.from.map((from, cell) => within(pieces[from]!, cell)),
  };
}

/** Bytes of the windows that one task of a cell reads. */
export function readBytes(reads: Reads, cell: number): number {
  let bytes = 0;
  for (const read of reads) bytes += windowBytes(read, cell);
  return bytes;
}

function windowBytes(read: Read, cell: number): number {
  if (read.pieces === null) return blockBytes(read.array.dtype, read.asked[cell]!.shape);
  return read.pieces[cell]!.reduce((sum, { shape }) => sum + blockBytes(read.array.dtype, shape), 0);
}

/** Bytes of the windows of all tasks. */
export function bytesInAll(reads: Reads, cells: Partition): number {
  let bytes = 0;
  for (let cell = 0; cell < cells.length; cell++)
    bytes += readBytes(reads, cell) * tasksIn({ runs: cells[cell]! });
  return bytes;
}

/** The most chunks that one task reads. Those of constants do not count. */
export function blockCount(reads: Reads, cells: Partition): number | null {
  let most = 0;
  const counted = reads.filter(({ array }) => !isConstant(array));
  for (const [cell, runs] of cells.entries()) {
    const windows = counted.flatMap((read) =>
      windowsAt(read, cell).map((law) => ({ array: read.array, law })),
    );
    const count = mostTouched(windows, runs);
    if (count === null) return null;
    most = Math.max(most, count);
  }
  return most;
}

/** How many chunks have as many elements as the windows of one task, each window by itself and rounded up. */
export function blocksWorth(reads: Reads, cells: Partition): number {
  let most = 0;
  for (const cell of cells.keys()) {
    let worth = 0;
    for (const read of reads)
      if (!isConstant(read.array))
        for (const { shape } of windowsAt(read, cell))
          worth += Math.ceil(sizeOf(shape) / Math.max(1, sizeOf(read.array.chunks)));
    most = Math.max(most, worth);
  }
  return most;
}

interface KnownElements {
  readonly law: Law;
  readonly array: DensePlanArray;
  readonly elements: number | null;
}

/** Most windows of a plan are one of a few. */
const recentElements = new Recent<Runs, KnownElements>();

const knownElements = (array: DensePlanArray, law: Law, runs: Runs): number | null =>
  recentElements.get(
    runs,
    (known) => known.law === law && isCutAlike(known.array, array),
    () => ({ law, array, elements: elementsTouched(array, law, runs) }),
  ).elements;

const isCutAlike = (a: DensePlanArray, b: DensePlanArray): boolean =>
  a === b ||
  (sameShape(a.shape, b.shape) &&
    sameShape(a.chunks, b.chunks) &&
    sameShape(a.inner ?? a.chunks, b.inner ?? b.chunks));

/** Bytes of the chunks that the windows of all tasks touch: storage gives whole chunks. */
export function readCost(reads: Reads, cells: Partition): number | null {
  let bytes = 0;
  for (const read of reads)
    for (const [cell, runs] of cells.entries())
      for (const law of windowsAt(read, cell)) {
        const elements = knownElements(read.array, law, runs);
        if (elements === null) return null;
        bytes += blockBytes(read.array.dtype, [elements]);
      }
  return bytes;
}

/** What storage needs to read the windows: of each where a task needs most. */
export function readTransfers(reads: Reads, cells: Partition): number {
  let bytes = 0;
  for (const read of reads) {
    const { transfer } = read.array;
    if (transfer === undefined) continue;
    const most = cells.map((runs, cell) =>
      windowsAt(read, cell).reduce((sum, law) => sum + transferOf(read.array, law, runs), 0),
    );
    bytes += transfer.decoding + Math.max(0, ...most);
  }
  return bytes;
}

function transferOf(array: DensePlanArray, law: Law, runs: Runs): number {
  const moves = law.start.map((_, axis) =>
    runs.map(({ count }, g) => ({ slope: law.slopes[g]![axis]!, count })),
  );
  const { encoded, aside } = readTransfer(array, law, moves);
  return encoded + aside;
}
