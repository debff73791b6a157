// Fragments: how most moves are described. A move that treats groups of axes independently says, for each
// group, which fragments fill its range; the pieces of a box are all combinations of one fragment per group.

import { type Box, isEmptyBox } from "../../core/chunks.ts";
import type { MoveOp } from "../../expr/op.ts";
import { type Piece, type PieceAxis, SEAMLESS } from "../../expr/pieces.ts";

/** What a move says that is the same wherever a box lies. */
export const seamless: MoveOp["seams"] = (_, __, { shape }) => shape.map(() => SEAMLESS);

/** A run of places in one group of axes. Starts are pairs of an axis and the coordinate there. */
export interface Fragment {
  readonly outStart: readonly (readonly [axis: number, at: number])[];
  readonly inStart: readonly (readonly [axis: number, at: number])[];
  readonly axes: readonly PieceAxis[];
}

export const axisOf = (
  length: number,
  outAxis: number,
  outStep: number,
  inAxis: number,
  inStep: number,
): PieceAxis => ({
  length,
  outAxis,
  outStep,
  inAxis,
  inStep,
});

/** One run: `length` places from `outAt` on, read from `inAt` on in steps of `inStep`. */
export function run(
  outAxis: number,
  outAt: number,
  length: number,
  inAxis: number,
  inAt: number,
  inStep: number,
): Fragment {
  return {
    outStart: [[outAxis, outAt]],
    inStart: inAxis < 0 ? [] : [[inAxis, inAt]],
    axes: [axisOf(length, outAxis, 1, inAxis, inStep)],
  };
}

/** The pieces of all combinations. `groups` holds the fragments of each group of axes. */
export function piecesOf(
  out: Box,
  input: number,
  inDims: number,
  groups: readonly (readonly Fragment[])[],
): Piece[] {
  if (isEmptyBox(out)) return [];
  let combined: Fragment[] = [{ outStart: [], inStart: [], axes: [] }];
  for (const fragments of groups) {
    combined = combined.flatMap((left) =>
      fragments.map((right) => ({
        outStart: [...left.outStart, ...right.outStart],
        inStart: [...left.inStart, ...right.inStart],
        axes: [...left.axes, ...right.axes],
      })),
    );
  }
  return combined.map(({ outStart, inStart, axes }) => ({
    from: { input, start: place(inDims, inStart) },
    start: place(out.start.length, outStart),
    axes,
  }));
}

function place(dims: number, at: readonly (readonly [number, number])[]): number[] {
  const coordinates = new Array<number>(dims).fill(0);
  for (const [axis, x] of at) coordinates[axis] = x;
  return coordinates;
}

/** Per output axis one group of fragments. */
export function separable(
  out: Box,
  input: number,
  inDims: number,
  fragments: (axis: number, at: number, length: number) => readonly Fragment[],
): Piece[] {
  const groups = out.start.map((at, axis) => fragments(axis, at, out.shape[axis]!));
  return piecesOf(out, input, inDims, groups);
}
