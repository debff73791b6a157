// Gather and scatter: elements of x at computed positions, read or replaced. In: x, (for scatter the new values)
// and one int64 block for each axis in `axes`, all of one shape S. Gather's output and scatter's values have x's
// other axes in order, with S inserted at position `at`. Out: the output block, filled.
// Must hold: gather's x covers the axes in `axes` wholly; on the others all blocks start at the same place.

import { type Block, fillElements, newBlock, subBlock } from "../../core/block.ts";
import { type Shape, sizeOf } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import type { Scalar } from "../../core/numbers.ts";
import type { Routine } from "../routine.ts";
import { blockAt, integerAttr, integersAttr } from "./attributes.ts";
import { addSteps, noSteps, type Steps } from "./positions.ts";
import type { Room } from "./room.ts";
import {
  type Bits,
  bitsOf,
  copyElements,
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

// The two sides of gather and scatter. In: a block that is indexed along some axes, and a block that has the
// indices' shape S in place of them, inserted at `at`. Out: elements moved from one side to the other, for
// equal places in the order of the indices. Must hold: both sides have the same remaining axes ("rest").

/** With steps: for each index, row-major, where its elements lie from the begin of `rest`. */
interface Side extends Steps {
  /** The block along the axes that both sides have. */
  readonly rest: Block;
}

/** The part of an array that a block covers along the indexed axes. */
interface Extent {
  readonly whole: readonly number[];
  readonly start: readonly number[];
}

/** With fewer indices than this it pays to let a rest axis be the inner loop, even if it strides widely. */
const FEW = 16;

function indexedSide(
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

function plainSide(block: Block, at: number, indexNdim: number, room?: Room): Side {
  const inserted = Array.from({ length: indexNdim }, (_, i) => at + i);
  const rest = selectAxes(block, otherAxes(block.shape.length, inserted));
  return { rest, steps: stepsOf(selectAxes(block, inserted), room), absent: null };
}

/** Moves all elements; rest axes from number `at` on lie inside of the index axes on the plain side. */
function moveSides(from: Side, to: Side, at: number): void {
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
function dropAbsent(indexed: Side, plain: Side): [Side, Side] {
  const { absent } = indexed;
  if (absent === null) return [indexed, plain];
  const present = (_: number, i: number): boolean => absent[i] === 0;
  return [
    { ...indexed, steps: indexed.steps.filter(present) },
    { ...plain, steps: plain.steps.filter(present) },
  ];
}

// Elements of lists, moved. pick: in x, int32 indexes and one more element; out x at each index, the one more where an index
// is negative. spread: in one element for each segment, and int32 offsets; out each element as often as its segment is long.
// Must hold: blocks have one axis, and their elements lie one after another.

/** The bits from the block's first element on. */
const bitsFrom = ({ data, dtype, offset }: Block): Bits =>
  bitsOf(data.subarray(offset * infoOf(dtype).slots));

const indexesOf = ({ data, offset, shape }: Block): Int32Array =>
  data.subarray(offset, offset + shape[0]!) as Int32Array;

export const pick: Routine = ({ inputs, outputs }) => {
  const index = indexesOf(blockAt(inputs, 1));
  const [x, other, out] = [blockAt(inputs, 0), blockAt(inputs, 2), blockAt(outputs, 0)].map(bitsFrom);
  const words = infoOf(blockAt(inputs, 0).dtype).bytes / x!.BYTES_PER_ELEMENT;
  for (let i = 0; i < index.length; i++) {
    const at = index[i]!;
    for (let word = 0; word < words; word++)
      out![i * words + word] = at < 0 ? other![word]! : x![at * words + word]!;
  }
};

export const spread: Routine = ({ inputs, outputs }) => {
  const offsets = indexesOf(blockAt(inputs, 1));
  const [x, out] = [blockAt(inputs, 0), blockAt(outputs, 0)].map(bitsFrom);
  const words = infoOf(blockAt(inputs, 0).dtype).bytes / x!.BYTES_PER_ELEMENT;
  for (let g = 0; g + 1 < offsets.length; g++)
    for (let at = offsets[g]!; at < offsets[g + 1]!; at++)
      for (let word = 0; word < words; word++) out![at * words + word] = x![g * words + word]!;
};

export const gather: Routine = ({ inputs, outputs, attrs, room }) => {
  const at = integerAttr(attrs, "at");
  const x = blockAt(inputs, 0);
  const whole = { whole: x.shape, start: x.shape.map(() => 0) };
  const from = indexedSide(x, integersAttr(attrs, "axes"), inputs.slice(1), whole, room);
  moveSides(from, plainSide(blockAt(outputs, 0), at, blockAt(inputs, 1).shape.length, room), at);
};

/** A row of the output for each block of x along the axis; where an index leads to another block, attrs.fill. */
export const gatherIn: Routine = ({ inputs, outputs, attrs, starts, room }) => {
  const [x, index, output] = [blockAt(inputs, 0), blockAt(inputs, 1), blockAt(outputs, 0)];
  const at = integerAttr(attrs, "at");
  const [axis] = integersAttr(attrs, "axes") as [number];
  const block = integerAttr(attrs, "block");
  const whole = x.shape.with(axis, integerAttr(attrs, "length"));
  const fill = newBlock(output.dtype, [1]);
  fillElements(fill.data, fill.dtype, attrs["fill"] as Scalar);
  copyElements({ ...fill, shape: output.shape, strides: output.shape.map(() => 0) }, output);
  for (let row = 0; row < output.shape[0]!; row++) {
    const start = x.shape.map((_, a) => (a === axis ? row * block : 0));
    const part = subBlock(x, start, x.shape.with(axis, Math.min(block, x.shape[axis]! - start[axis]!)));
    const extent = { whole, start: start.with(axis, starts[0]![axis]! + start[axis]!) };
    const line = selectAxes(
      subBlock(output, [row, ...output.shape.slice(1).fill(0)], [1, ...output.shape.slice(1)]),
      output.shape.slice(1).map((_, a) => a + 1),
    );
    const to = plainSide(line, at, index.shape.length, room);
    moveSides(...dropAbsent(indexedSide(part, [axis], [index], extent, room), to), at);
  }
};

/** Along one axis, elements from the places `from` of the input to the places `to` of the output; the rest of it stays. */
export const movePlaces: Routine = ({ inputs, outputs, attrs }) => {
  const axis = integerAttr(attrs, "axis");
  const sideOf = (block: Block, places: readonly number[]): Side => ({
    rest: selectAxes(block, otherAxes(block.shape.length, [axis])),
    steps: Int32Array.from(places, (place) => place * block.strides[axis]!),
    absent: null,
  });
  const from = sideOf(blockAt(inputs, 0), integersAttr(attrs, "from"));
  moveSides(from, sideOf(blockAt(outputs, 0), integersAttr(attrs, "to")), axis);
};

/** Indices outside of the output block are another block's; where several name one place, the last wins. */
export const scatter: Routine = ({ inputs, outputs, attrs, starts, room }) => {
  const at = integerAttr(attrs, "at");
  const output = blockAt(outputs, 0);
  copyElements(blockAt(inputs, 0), output);
  const extent = { whole: integersAttr(attrs, "shape"), start: starts[inputs.length]! };
  const indexed = indexedSide(output, integersAttr(attrs, "axes"), inputs.slice(2), extent, room);
  const values = plainSide(blockAt(inputs, 1), at, blockAt(inputs, 2).shape.length, room);
  const [to, from] = dropAbsent(indexed, values);
  moveSides(from, to, at);
};
