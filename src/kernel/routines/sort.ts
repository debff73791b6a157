// sort and argsort along one axis, or of segments. In: x, whole along the axis. Out: its elements in order, or int64 positions of
// them. Always stable: equal elements (−0 and 0 too) keep their order, descending as well. NaN comes last either way.

import { type Attrs, type Block, subBlock } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import { type DType, isComplex, type TypedArray } from "../../core/dtype.ts";
import type { Routine } from "../routine.ts";
import { blockAt, booleanAttr, integerAttr } from "./attributes.ts";
import {
  HIGH_WORD,
  LOW_WORD,
  moveElements,
  Odometer,
  otherAxes,
  passage,
  selectAxes,
  stepsOf,
  toContiguous,
  wordsOf,
} from "./stridedWalk.ts";

/** The order of a row, the position of its first element among x's, and the offset where its output starts. */
type RowVisit = (order: Int32Array, start: number, target: number) => void;

export const sort: Routine = ({ inputs, outputs, attrs, room }) => {
  const x = axisLast(blockAt(inputs, 0), attrs);
  const output = axisLast(blockAt(outputs, 0), attrs);
  const data = toContiguous(x, room);
  const way = passage(x.dtype, data, output.data);
  const steps = stepsOf(selectAxes(output, [output.shape.length - 1]), room);
  visitRows(
    { ...x, data, place: undefined },
    output,
    booleanAttr(attrs, "descending"),
    (order, start, target) => {
      const from = { base: start, steps: order, first: 0 };
      moveElements(way, from, { base: target, steps, first: 0 }, order.length);
    },
  );
};

export const argsort: Routine = ({ inputs, outputs, attrs, room }) => {
  const x = axisLast(blockAt(inputs, 0), attrs);
  const output = axisLast(blockAt(outputs, 0), attrs);
  const words = wordsOf(output.data);
  const stride = output.strides.at(-1)!;
  visitRows(
    { ...x, data: toContiguous(x, room), place: undefined },
    output,
    booleanAttr(attrs, "descending"),
    (order, _, target) => {
      for (let i = 0; i < order.length; i++) {
        const at = 2 * (target + i * stride);
        words[at + LOW_WORD] = order[i]!;
        words[at + HIGH_WORD] = 0;
      }
    },
  );
};

/** Each segment of the first input by itself: from the second's g-th number on and before the next. */
const ofSegments =
  (sortRow: Routine): Routine =>
  ({ inputs, outputs, attrs, starts, room }) => {
    const { data, offset, shape } = blockAt(inputs, 1);
    for (let g = 0; g + 1 < shape[0]!; g++) {
      const [start, stop] = [Number(data[offset + g]), Number(data[offset + g + 1])];
      const part = (blocks: readonly Block[]): Block[] => [
        subBlock(blockAt(blocks, 0), [start], [stop - start]),
      ];
      const row = { inputs: part(inputs), outputs: part(outputs) };
      if (start < stop) sortRow({ ...row, attrs: { ...attrs, axis: 0 }, starts, room });
    }
  };

export const segmentSort: Routine = ofSegments(sort);
export const segmentArgsort: Routine = ofSegments(argsort);

/** The block with the axis to sort along moved to the end. */
function axisLast(block: Block, attrs: Attrs): Block {
  const axis = integerAttr(attrs, "axis");
  return selectAxes(block, [...otherAxes(block.shape.length, [axis]), axis]);
}

/** Orders the rows of `x.data`, which lie one after another. */
function visitRows({ dtype, shape, data }: Block, output: Block, descending: boolean, visit: RowVisit): void {
  const length = shape.at(-1)!;
  const compare = comparison(dtype, data, descending ? -1 : 1);
  const rows = new Odometer(shape.slice(0, -1), [output]);
  for (let start = 0; start < sizeOf(shape); start += length) {
    const order = Int32Array.from({ length }, (_, i) => i);
    visit(
      order.sort((a, b) => compare(start + a, start + b)),
      start,
      rows.offsets[0]!,
    );
    rows.step();
  }
}

/** Negative where an element goes before another, by their positions. */
export function comparison(dtype: DType, data: TypedArray, sign: number): (a: number, b: number) => number {
  if (!isComplex(dtype)) return (a, b) => compareNumbers(data[a]!, data[b]!, sign);
  const parts = data as Float64Array;
  // NumPy's order: by real part, then by imaginary part, and those with a NaN behind the others.
  return (a, b) =>
    nanRank(parts, a) - nanRank(parts, b) ||
    compareNumbers(parts[2 * a]!, parts[2 * b]!, sign) ||
    compareNumbers(parts[2 * a + 1]!, parts[2 * b + 1]!, sign);
}

/** NaN comes last, downward too. */
function compareNumbers<N extends number | bigint>(x: N, y: N, sign: number): number {
  if (x < y) return -sign;
  return x > y ? sign : Number(Number.isNaN(x)) - Number(Number.isNaN(y));
}

/** Numbers, then a NaN in the imaginary part only, in the real part only, in both. */
const nanRank = (parts: Float64Array, at: number): number =>
  (Number.isNaN(parts[2 * at]) ? 2 : 0) + (Number.isNaN(parts[2 * at + 1]) ? 1 : 0);
