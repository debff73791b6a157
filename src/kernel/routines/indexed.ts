// The two sides of gather and scatter. In: a block that is indexed along some axes, and a block that has the
// indices' shape S in place of them, inserted at `at`. Out: elements moved from one side to the other, for
// equal places in the order of the indices. Must hold: both sides have the same remaining axes ("rest").

import type { Block } from "../../core/block.ts";
import { type Shape, sizeOf } from "../../core/chunks.ts";
import { addSteps, noSteps, type Steps } from "./positions.ts";
import type { Room } from "./room.ts";
import {
  joinAxes,
  moveElements,
  moveRows,
  Odometer,
  otherAxes,
  passage,
  type Row,
  selectAxes,
  stepsOf,
  type Walkable,
} from "./stridedWalk.ts";

/** With steps: for each index, row-major, where its elements lie from the begin of `rest`. */
export interface Side extends Steps {
  /** The block along the axes that both sides have. */
  readonly rest: Block;
}

/** The part of an array that a block covers along the indexed axes. */
export interface Extent {
  readonly whole: readonly number[];
  readonly start: readonly number[];
}

/** With fewer indices than this it pays to let a rest axis be the inner loop, even if it strides widely. */
const FEW = 16;

export function indexedSide(
  block: Block,
  axes: readonly number[],
  indices: readonly Block[],
  { whole, start }: Extent,
  room?: Room,
): Side {
  let steps = noSteps(sizeOf(indices[0]!.shape), room);
  axes.forEach((axis, i) => {
    const part = { start: start[axis]!, count: block.shape[axis]!, stride: block.strides[axis]! };
    steps = addSteps(steps, indices[i]!, { axis, length: whole[axis]!, ...part }, room);
  });
  return { rest: selectAxes(block, otherAxes(block.shape.length, axes)), ...steps };
}

export function plainSide(block: Block, at: number, indexNdim: number, room?: Room): Side {
  const inserted = Array.from({ length: indexNdim }, (_, i) => at + i);
  const rest = selectAxes(block, otherAxes(block.shape.length, inserted));
  return { rest, steps: stepsOf(selectAxes(block, inserted), room), absent: null };
}

/** Moves all elements; rest axes from number `at` on lie inside of the index axes on the plain side. */
export function moveSides(from: Side, to: Side, at: number): void {
  const way = passage(from.rest.dtype, from.rest.data, to.rest.data);
  const { shape, operands } = joinAxes(from.rest.shape, [from.rest, to.rest]);
  const count = from.steps.length;
  const row = from.rest.shape.length > at || count < FEW ? lastAxis(shape, operands) : undefined;
  const outer = row === undefined ? shape : shape.slice(0, -1);
  const odometer = new Odometer(outer, operands);
  for (let left = sizeOf(outer); left > 0; left--) {
    const [read, write] = odometer.offsets as [number, number];
    const source = { base: read, steps: from.steps, first: 0 };
    const target = { base: write, steps: to.steps, first: 0 };
    if (row === undefined) moveElements(way, source, target, count);
    else moveRows(way, source, target, count, row);
    odometer.step();
  }
}

function lastAxis(shape: Shape, operands: readonly Walkable[]): Row | undefined {
  if (shape.length === 0) return undefined;
  const [fromStride, toStride] = operands.map(({ strides }) => strides.at(-1)!) as [number, number];
  return { length: shape.at(-1)!, fromStride, toStride };
}

/** Both sides without the indices whose elements are not in the `indexed` block. */
export function dropAbsent(indexed: Side, plain: Side): [Side, Side] {
  const { absent } = indexed;
  if (absent === null) return [indexed, plain];
  const present = (_: number, i: number): boolean => absent[i] === 0;
  return [
    { ...indexed, steps: indexed.steps.filter(present) },
    { ...plain, steps: plain.steps.filter(present) },
  ];
}
