// Transfers: what storage has in memory while a task's windows are read and its chunks are written. In: boxes, and what
// their arrays state about their storage. Out: bytes. All windows of a task are read at once, and of each window some
// objects. What codecs take for themselves they keep, for one object after another.

import type { Box } from "../core/chunks.ts";
import { sizeOf } from "../core/shape.ts";
import type { Transfer } from "../core/transfer.ts";
import type { DensePlanArray, PlanArray } from "./plan.ts";
import { gcd } from "./windows/taskRuns.ts";

/** Partitions are read and written by who knows what they are made of. */
export const statedTransfer = (array: PlanArray): Transfer | undefined =>
  array.kind === "dense" ? array.transfer : undefined;

/** How a window moves along one axis of its array from task to task: so far, and so many times. */
export interface Moves {
  readonly slope: number;
  readonly count: number;
}

/**
 * Encoded bytes, and what is decoded aside, while a window is read: the most of any task, where the window is one that
 * moves, axis by axis; of just this one where nothing is said.
 */
export function readTransfer(
  { transfer }: DensePlanArray,
  box: Box,
  moves: readonly (readonly Moves[])[] = box.start.map(() => []),
): { encoded: number; aside: number } {
  if (transfer === undefined || box.shape.includes(0)) return NO_BYTES;
  const objects = transfer.unit.map((unit, axis) =>
    mostAlong(box.start[axis]!, box.shape[axis]!, unit, moves[axis]!),
  );
  const count = Math.min(transfer.atOnce, sizeOf(objects));
  const stays = moves.every((along, axis) => along.every(({ slope }) => slope % transfer.unit[axis]! === 0));
  const aside = stays && isOneObject(box, transfer) ? 0 : count * transfer.aside;
  return { encoded: count * transfer.encoded, aside };
}

/** How many objects a range touches at most: the later in an object it begins, the more. */
function mostAlong(start: number, length: number, unit: number, moves: readonly Moves[]): number {
  const latest = latestBegin(start % unit, unit, moves);
  return Math.floor((latest + length - 1) / unit) + 1;
}

/** The largest of (start + Σ slope · step) modulo the unit. Many steps come to all that their divisor lets them. */
function latestBegin(start: number, unit: number, moves: readonly Moves[]): number {
  const [move, ...others] = moves.filter(({ slope, count }) => count > 1 && slope % unit !== 0);
  if (move === undefined) return start;
  const divisor = gcd(Math.abs(move.slope), unit);
  if (others.length > 0 || move.count >= unit / divisor) {
    const common = others.reduce((known, { slope }) => gcd(Math.abs(slope), known), divisor);
    return unit - common + (start % common);
  }
  let latest = start;
  for (let step = 1, at = start; step < move.count; step++) {
    at = (((at + move.slope) % unit) + unit) % unit;
    latest = Math.max(latest, at);
  }
  return latest;
}

const NO_BYTES = { encoded: 0, aside: 0 };

/** A copy that is filled up, while a chunk is written that reaches beyond the array. */
export function writeTransfer({ transfer }: DensePlanArray, box: Box): number {
  if (transfer === undefined || box.shape.includes(0)) return 0;
  return transfer.unit.every((length, axis) => box.shape[axis] === length) ? 0 : transfer.padded;
}

const isOneObject = ({ start, shape }: Box, { unit }: Transfer): boolean =>
  unit.every((length, axis) => start[axis]! % length === 0 && shape[axis] === length);
