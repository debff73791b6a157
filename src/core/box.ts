// A box: a rectangular region of an array, where it starts and how long it is on each axis.

import { type Shape, sameShape, sizeOf } from "./shape.ts";

/** A rectangular region of an array. */
export interface Box {
  /** Its first element. */
  readonly start: readonly number[];
  /** How long it is along each axis. */
  readonly shape: Shape;
}

export const wholeBox = (shape: Shape): Box => ({ start: shape.map(() => 0), shape });

export const isEmptyBox = (box: Box): boolean => sizeOf(box.shape) === 0;

export const sameBox = (a: Box, b: Box): boolean =>
  sameShape(a.shape, b.shape) && sameShape(a.start, b.start);

/** The smallest box around both. Empty boxes count for nothing. */
export function hull(a: Box, b: Box): Box {
  if (isEmptyBox(a)) return b;
  if (isEmptyBox(b)) return a;
  const start = a.start.map((x, axis) => Math.min(x, b.start[axis]!));
  const shape = start.map(
    (x, axis) => Math.max(a.start[axis]! + a.shape[axis]!, b.start[axis]! + b.shape[axis]!) - x,
  );
  return { start, shape };
}

/** What two boxes share; possibly empty. */
export function intersect(a: Box, b: Box): Box {
  const start = a.start.map((x, axis) => Math.max(x, b.start[axis]!));
  const shape = start.map((x, axis) =>
    Math.max(0, Math.min(a.start[axis]! + a.shape[axis]!, b.start[axis]! + b.shape[axis]!) - x),
  );
  return { start, shape };
}

export const boxText = (box: Box): string =>
  `[${box.start.map((start, axis) => `${start}:${start + box.shape[axis]!}`).join(", ")}]`;
