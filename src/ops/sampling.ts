// Elements by about their ranks, in one pass. blockSample(x): of every attrs.block elements, in order, attrs.count at equal distances, and
// behind them how many numbers the block has: NaN is none. sampledElements(samples, ranks): elements near these ranks among all;
// attrs.length elements were sampled, attrs.poison: NaN where one of them is.
// Must hold: the rank of what is found is off by no more than half a distance in every block, and one: 1 / (2 count) of all elements,
// and one for each block.

import { wholeBox } from "../core/chunks.ts";
import { INDEX_DTYPE } from "../core/dtype.ts";
import { denseType, type RoutineOp } from "../expr/op.ts";
import { checkCounts, wrongAttr } from "./attrChecks.ts";
import { blocksAlong, elementsOfBlocks, seamsOfBlocks } from "./order.ts";

export const blockSample: RoutineOp = {
  name: "blockSample",
  class: "routine",
  routine: "blockSample",
  infer([x], attrs) {
    const block = attrs["block"] as readonly number[];
    checkCounts("blockSample", "block", block, x!.shape.length, 1);
    checkCounts("blockSample", "count", [attrs["count"]], 1, 1);
    if (x!.dtype !== "float64") throw wrongAttr("blockSample", "x", x!.dtype);
    return denseType("float64", [...blocksAlong(x!.shape, block), (attrs["count"] as number) + 1]);
  },
  computes: ({ start, shape }, type) => ({
    start: [...start.slice(0, -1), 0],
    shape: [...shape.slice(0, -1), type.shape.at(-1)!],
  }),
  demand: (out, [x], attrs) => [elementsOfBlocks(out, x!.shape, attrs["block"] as readonly number[])],
  seams: ([x], _, { shape }) => seamsOfBlocks(x!.shape.length, shape),
  chunks: (_, __, ___, { shape }) => shape.map((n, axis) => (axis < shape.length - 1 ? 1 : n)),
};

export const sampledElements: RoutineOp = {
  name: "sampledElements",
  class: "routine",
  routine: "sampledElements",
  infer([samples, ranks], { length, poison }) {
    checkCounts("sampledElements", "length", [length]);
    if (typeof poison !== "boolean") throw wrongAttr("sampledElements", "poison", poison!);
    const isFit = samples!.dtype === "float64" && ranks!.dtype === INDEX_DTYPE && ranks!.shape.length === 1;
    if (!isFit) throw wrongAttr("sampledElements", "ranks", ranks!.dtype);
    return denseType("float64", ranks!.shape);
  },
  computes: (_, { shape }) => wholeBox(shape),
  demand: (_, [samples, ranks]) => [wholeBox(samples!.shape), wholeBox(ranks!.shape)],
  chunks: (_, __, ___, { shape }) => shape,
};

export const RANK_SAMPLE_OPS: readonly RoutineOp[] = [blockSample, sampledElements];
