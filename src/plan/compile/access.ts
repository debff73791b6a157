// Accesses: how the places of a value's box lie in a buffer, and how that changes when a consumer sees a
// part of it, stretched, moved or turned. All of it is arithmetic on coordinates; nothing is copied.

import type { Box } from "../../core/box.ts";
import type { Shape } from "../../core/shape.ts";
import type { Piece } from "../../expr/op.ts";
import type { Access } from "../../kernel/blockProgram.ts";

/** A computed box of a value and where it is. The access's domain axes are the value's axes. */
export interface Placed {
  readonly box: Box;
  readonly access: Access;
}

/** A buffer that holds exactly the box. */
export const identityAccess = (buffer: number, dims: number): Access => ({
  buffer,
  start: new Array<number>(dims).fill(0),
  axes: Array.from({ length: dims }, (_, axis) => axis),
  steps: new Array<number>(dims).fill(1),
});

/** The access that begins at a coordinate of the value's array. */
export function accessFrom({ box, access }: Placed, at: readonly number[]): Access {
  const start = [...access.start];
  access.axes.forEach((axis, d) => {
    if (axis >= 0) start[axis]! += (at[d]! - box.start[d]!) * access.steps[d]!;
  });
  return { ...access, start };
}

/** As an operand of a domain with `dims` axes: aligned at the ends, axes of length 1 stay where they are. */
export function broadcastAccess(access: Access, shape: Shape, dims: number): Access {
  const lead = dims - shape.length;
  const value = (axis: number): number => axis - lead;
  const axes = Array.from({ length: dims }, (_, d) =>
    d < lead || shape[value(d)] === 1 ? -1 : access.axes[value(d)]!,
  );
  const steps = axes.map((axis, d) => (axis < 0 ? 0 : access.steps[value(d)]!));
  return { ...access, axes, steps };
}

/** The same access without moving along some of its axes. */
export function fixAxes(access: Access, fixed: readonly number[]): Access {
  return {
    ...access,
    axes: access.axes.map((axis, d) => (fixed.includes(d) ? -1 : axis)),
    steps: access.steps.map((step, d) => (fixed.includes(d) ? 0 : step)),
  };
}

/** Walks a piece's own axes through the input it copies from. */
export function sourceOfPiece(piece: Piece, placed: Placed): Access {
  const start = "fill" in piece.from ? placed.box.start : piece.from.start;
  const access = accessFrom(placed, start);
  return {
    ...access,
    axes: piece.axes.map(({ inAxis }) => (inAxis < 0 ? -1 : access.axes[inAxis]!)),
    steps: piece.axes.map(({ inAxis, inStep }) => (inAxis < 0 ? 0 : inStep * access.steps[inAxis]!)),
  };
}

/** Walks a piece's own axes through the output it fills. */
export function targetOfPiece(piece: Piece, placed: Placed): Access {
  const access = accessFrom(placed, piece.start);
  return {
    ...access,
    axes: piece.axes.map(({ outAxis }) => (outAxis < 0 ? -1 : access.axes[outAxis]!)),
    steps: piece.axes.map(({ outAxis, outStep }) => (outAxis < 0 ? 0 : outStep * access.steps[outAxis]!)),
  };
}

/** A whole box that is one regular walk through one input can be read where it lies. Null: it must be copied. */
export function viewOfPieces(pieces: readonly Piece[], source: Placed | null, box: Box): Access | null {
  const [piece] = pieces;
  if (pieces.length !== 1 || piece === undefined || source === null) return null;
  const byAxis = box.shape.map((_, axis) => piece.axes.filter(({ outAxis }) => outAxis === axis));
  const regular = byAxis.every(([first, ...others], axis) =>
    first === undefined ? box.shape[axis] === 1 : others.length === 0 && first.outStep === 1,
  );
  const oneEach = piece.axes.every(({ outAxis, length }) => outAxis >= 0 || length === 1);
  if (!regular || !oneEach) return null;
  const walk = sourceOfPiece(piece, source);
  const at = byAxis.map(([first]) => (first === undefined ? -1 : piece.axes.indexOf(first)));
  return {
    ...walk,
    axes: at.map((k) => (k < 0 ? -1 : walk.axes[k]!)),
    steps: at.map((k) => (k < 0 ? 0 : walk.steps[k]!)),
  };
}
