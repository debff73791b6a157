// Transfers: what storage has in memory while a task's windows are read and its chunks are written. In: boxes, and what
// their arrays state about their storage. Out: bytes. All windows of a task are read at once, and of each window some
// objects. What codecs take for themselves they keep, for one object after another.

import type { Box } from "../core/box.ts";
import type { Transfer } from "../core/transfer.ts";
import type { PlanArray } from "./plan.ts";

/** Encoded bytes, and what is decoded aside, while a window is read. */
export function readTransfer({ transfer }: PlanArray, box: Box): { encoded: number; aside: number } {
  if (transfer === undefined || box.shape.includes(0)) return NO_BYTES;
  const count = Math.min(transfer.atOnce, objectsIn(box, transfer));
  const aside = isOneObject(box, transfer) ? 0 : count * transfer.aside;
  return { encoded: count * transfer.encoded, aside };
}

const NO_BYTES = { encoded: 0, aside: 0 };

/** A copy that is filled up, while a chunk is written that reaches beyond the array. */
export function writeTransfer({ transfer }: PlanArray, box: Box): number {
  if (transfer === undefined || box.shape.includes(0)) return 0;
  return transfer.unit.every((length, axis) => box.shape[axis] === length) ? 0 : transfer.padded;
}

/** The most that reading windows like some of an array's takes: one that is cut at the end of an axis needs no less. */
export function mostToRead({ transfer }: PlanArray, boxes: readonly Box[]): number {
  if (transfer === undefined) return 0;
  const { atOnce, encoded, aside, decoding } = transfer;
  const isWhole = boxes.every((box) => isOneObject(box, transfer));
  const objects = Math.max(...boxes.map((box) => objectsIn(box, transfer)));
  return decoding + Math.min(atOnce, objects) * (encoded + (isWhole ? 0 : aside));
}

/** The most that writing any of an array's chunks takes. */
export function mostToWrite({ shape, transfer }: PlanArray): number {
  if (transfer === undefined) return 0;
  const isCut = transfer.unit.some((length, axis) => shape[axis]! % length !== 0);
  return transfer.encoding + (isCut ? transfer.padded : 0);
}

/** How many stored objects a window like this may touch, wherever else a task has it. */
const objectsIn = ({ start, shape }: Box, { unit }: Transfer): number =>
  unit.reduce((count, length, axis) => count * objectsAlong(start[axis]!, shape[axis]!, length), 1);

function objectsAlong(start: number, length: number, unit: number): number {
  const isPart = unit % length === 0 && start % length === 0;
  const isWhole = length % unit === 0 && start % unit === 0;
  return isPart ? 1 : isWhole ? length / unit : Math.ceil((length - 1) / unit) + 1;
}

const isOneObject = ({ start, shape }: Box, { unit }: Transfer): boolean =>
  unit.every((length, axis) => start[axis]! % length === 0 && shape[axis] === length);
