// sort and argsort along one axis. In: x, whole along the axis. Out: its elements in order, or int64 positions of
// them. Always stable: equal elements (−0 and 0 too) keep their order, descending as well. NaN comes last either way.

import type { Attrs } from "../../core/attrs.ts";
import type { Block } from "../../core/block.ts";
import { sizeOf } from "../../core/shape.ts";
import type { Routine } from "../routine.ts";
import { blockAt, booleanAttr, integerAttr } from "./attributes.ts";
import { HIGH_WORD, LOW_WORD, moveElements, passage, wordsOf } from "./bits.ts";
import { type KeyPart, rowKeys } from "./keys.ts";
import { StableOrder } from "./order.ts";
import { Odometer, otherAxes, selectAxes, stepsOf, toContiguous } from "./walk.ts";

/** The order of a row, the position of its first element among x's, and the offset where its output starts. */
type RowVisit = (order: Int32Array, start: number, target: number) => void;

export const sort: Routine = ({ inputs, outputs, attrs }) => {
  const x = axisLast(blockAt(inputs, 0), attrs);
  const output = axisLast(blockAt(outputs, 0), attrs);
  const data = toContiguous(x);
  const way = passage(x.dtype, data, output.data);
  const steps = stepsOf(selectAxes(output, [output.shape.length - 1]));
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

export const argsort: Routine = ({ inputs, outputs, attrs }) => {
  const x = axisLast(blockAt(inputs, 0), attrs);
  const output = axisLast(blockAt(outputs, 0), attrs);
  const words = wordsOf(output.data);
  const stride = output.strides.at(-1)!;
  visitRows(
    { ...x, data: toContiguous(x), place: undefined },
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

/** The block with the axis to sort along moved to the end. */
function axisLast(block: Block, attrs: Attrs): Block {
  const axis = integerAttr(attrs, "axis");
  return selectAxes(block, [...otherAxes(block.shape.length, [axis]), axis]);
}

/** Orders the rows of `x.data`, which lie one after another. */
function visitRows({ dtype, shape, data }: Block, output: Block, descending: boolean, visit: RowVisit): void {
  const length = shape.at(-1)!;
  const keysOf = rowKeys(dtype, data, length, descending ? -1 : 1);
  const sorter = new StableOrder(length);
  const rows = new Odometer(shape.slice(0, -1), [output]);
  for (let start = 0; start < sizeOf(shape); start += length) {
    sorter.restart();
    for (const part of keysOf(start)) orderBy(sorter, part);
    visit(sorter.order, start, rows.offsets[0]!);
    rows.step();
  }
}

function orderBy(sorter: StableOrder, { values, first, stride, sign }: KeyPart): void {
  const { keys, order } = sorter;
  for (let i = 0; i < keys.length; i++) keys[i] = sign * values[first + stride * order[i]!]!;
  sorter.sortByKeys();
}
