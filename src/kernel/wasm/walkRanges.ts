// Ranges of a row-major walk as boxes. In: lengths of axes, and a range of the numbers of their places. Out: boxes
// that hold just these places, in order: whole axes where the range allows it, parts of one where it begins or ends.

import { type Box, stridesOf } from "../../core/chunks.ts";

export function boxesOf(lengths: readonly number[], from: number, to: number): Box[] {
  const strides = stridesOf(lengths);
  const boxes: Box[] = [];
  let at = from;
  while (at < to) {
    const axis = widestAxis(lengths, strides, at, to);
    const count = Math.min(
      Math.floor((to - at) / strides[axis]!),
      lengths[axis]! - (Math.floor(at / strides[axis]!) % lengths[axis]!),
    );
    boxes.push({
      start: lengths.map((length, k) => Math.floor(at / strides[k]!) % length),
      shape: lengths.map((length, k) => (k < axis ? 1 : k === axis ? count : length)),
    });
    at += count * strides[axis]!;
  }
  return lengths.length === 0 && to > from ? [{ start: [], shape: [] }] : boxes;
}

/** The outermost axis of which at least one whole place fits, beginning here. */
function widestAxis(lengths: readonly number[], strides: readonly number[], at: number, to: number): number {
  for (let axis = 0; axis < lengths.length; axis++)
    if (at % strides[axis]! === 0 && at + strides[axis]! <= to) return axis;
  return lengths.length - 1;
}
