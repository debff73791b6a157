// topk and topkPlaces: of every attrs.block places along an axis the attrs.k that a stable sort would put first, in that order. In: x; for
// places also where its elements stood, unless x is the whole. Out: these elements, or where they stood.
// Must hold: what is as good as the worst of k that came before is not better; NaN is last either way.

import { type Block, subBlock } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import { type DType, infoOf, isComplex, type TypedArray } from "../../core/dtype.ts";
import type { Routine } from "../routine.ts";
import { blockAt, booleanAttr, integerAttr } from "./attributes.ts";
import { comparison } from "./sort.ts";
import { fromContiguous, otherAxes, selectAxes, toContiguous } from "./stridedWalk.ts";

export const topk: Routine = (call) => {
  const x = blockAt(call.inputs, 0);
  const { slots } = infoOf(x.dtype);
  eachBlock(call, (data, order, output) => {
    const chosen = data.slice(0, order.length * slots);
    for (let i = 0; i < order.length; i++)
      for (let slot = 0; slot < slots; slot++) chosen[slots * i + slot] = data[slots * order[i]! + slot]!;
    fromContiguous(chosen, output);
  });
};

export const topkPlaces: Routine = (call) => {
  const places = call.inputs[1];
  eachBlock(call, (_, order, output, first, line) => {
    const known = places === undefined ? null : (toContiguous(line(places)) as BigInt64Array);
    const chosen = BigInt64Array.from(order, (at) => known?.[at] ?? BigInt(first + at));
    fromContiguous(chosen, output);
  });
};

/** A line's part of a block: its elements, the order of those that are chosen, where they go, and where the part begins. */
type Visit = (
  data: TypedArray,
  order: Int32Array,
  output: Block,
  first: number,
  line: (block: Block) => Block,
) => void;

function eachBlock({ inputs, outputs, attrs, starts }: Parameters<Routine>[0], visit: Visit): void {
  const axis = integerAttr(attrs, "axis");
  const [block, k] = [integerAttr(attrs, "block"), integerAttr(attrs, "k")];
  const sign = booleanAttr(attrs, "largest") ? -1 : 1;
  const last = (x: Block): Block => selectAxes(x, [...otherAxes(x.shape.length, [axis]), axis]);
  const [x, output] = [last(blockAt(inputs, 0)), last(blockAt(outputs, 0))];
  const [length, width] = [x.shape.at(-1)!, Math.min(k, block)];
  const lines = x.shape.slice(0, -1);
  for (let number = 0; number < sizeOf(lines); number++)
    for (let from = 0, to = 0; from < length; from += block, to += width) {
      const count = Math.min(block, length - from);
      const lineOf = (of: Block, at: number, n: number): Block => linePart(of, lines, number, at, n);
      const data = toContiguous(lineOf(x, from, count));
      const order = bestOf(x.dtype, data, count, Math.min(k, count), sign);
      visit(data, order, lineOf(output, to, order.length), starts[0]![axis]! + from, (other) =>
        lineOf(last(other), from, count),
      );
    }
}

/** Part of a line of which the axis is the last, by the line's number. */
function linePart(x: Block, lines: readonly number[], number: number, from: number, count: number): Block {
  const start = new Array<number>(lines.length).fill(0);
  for (let axis = lines.length - 1, rest = number; axis >= 0; axis--) {
    start[axis] = rest % lines[axis]!;
    rest = Math.floor(rest / lines[axis]!);
  }
  const part = subBlock(x, [...start, from], [...lines.map(() => 1), count]);
  return { ...part, shape: [count], strides: part.strides.slice(-1) };
}

/**
 * Those that may be among the first k are collected; when there are twice as many, they are put in order, and what comes behind the
 * k-th is forgotten.
 */
function bestOf(dtype: DType, data: TypedArray, count: number, k: number, sign: number): Int32Array {
  const compare = comparison(dtype, data, sign);
  if (k === 0) return new Int32Array(0);
  const kept = new Int32Array(Math.min(count, 2 * k));
  const isPlain = !isComplex(dtype);
  let [size, worst] = [0, -1];
  for (let i = 0; i < count; i++) {
    if (worst >= 0) {
      // Most are worse, which is seen at once.
      if (isPlain && (sign < 0 ? data[i]! <= data[worst]! : data[i]! >= data[worst]!)) continue;
      if (compare(i, worst) >= 0) continue;
    }
    kept[size++] = i;
    if (size < kept.length) continue;
    kept.sort((a, b) => compare(a, b) || a - b);
    size = k;
    worst = kept[k - 1]!;
  }
  return kept
    .subarray(0, size)
    .sort((a, b) => compare(a, b) || a - b)
    .slice(0, k);
}
