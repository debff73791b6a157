// binPlaces(x, edges): in which bin each element lies; attrs.mode says what a bin is. attrs.uniform: the edges are those of bins
// of one width, which are found without a search. binCounts(x, edges): of every attrs.block elements, how many lie in each bin.
// labelCounts(x): the same of whole numbers. binEdges(least, most): attrs.bins + 1 edges at one distance.

import type { Attrs } from "../core/block.ts";
import { singleChunk, wholeBox } from "../core/chunks.ts";
import { checkKind } from "../core/dtype.ts";
import { ShapeError } from "../core/errors.ts";
import { denseType, type RoutineOp } from "../expr/op.ts";
import { BIN_MODES } from "../kernel/routines/bins.ts";
import { checkCounts, wrongAttr } from "./attrChecks.ts";
import { blocksAlong, elementsOfBlocks, seamsOfBlocks } from "./order.ts";

function checkMode({ mode }: Attrs): void {
  if (!(BIN_MODES as readonly unknown[]).includes(mode)) throw wrongAttr("binPlaces", "mode", mode!);
}

export const binPlaces: RoutineOp = {
  name: "binPlaces",
  class: "routine",
  routine: "binPlaces",
  computes: (out) => out,
  infer([x, edges], attrs) {
    checkKind("realOrBool", x!.dtype);
    checkMode(attrs);
    if (edges!.shape.length !== 1)
      throw new ShapeError({
        what: `the edges of bins have ${edges!.shape.length} dimensions`,
        cure: "Give a list of edges",
      });
    return denseType("int32", x!.shape);
  },
  demand: (out, [, edges]) => [out, wholeBox(edges!.shape)],
  chunks: ([x]) => x!,
};

/** A row of counts for every block of x; its last axis is that of the bins, as in mode "bins". */
export const binCounts: RoutineOp = {
  name: "binCounts",
  class: "routine",
  routine: "binCounts",
  computes: ({ start, shape }, type) => ({
    start: [...start.slice(0, -1), 0],
    shape: [...shape.slice(0, -1), type.shape.at(-1)!],
  }),
  infer([x, edges], attrs) {
    const block = attrs["block"] as readonly number[];
    checkKind("realOrBool", x!.dtype);
    checkCounts("binCounts", "block", block, x!.shape.length, 1);
    const isFit = x!.shape.length > 0 && edges!.shape.length === 1 && edges!.shape[0]! > 1;
    if (!isFit) throw wrongAttr("binCounts", "edges", [...edges!.shape]);
    return denseType("int32", [...blocksAlong(x!.shape, block), edges!.shape[0]! - 1]);
  },
  demand: (out, [x, edges], attrs) => [
    elementsOfBlocks(out, x!.shape, attrs["block"] as readonly number[]),
    wholeBox(edges!.shape),
  ],
  seams: ([x], _, { shape }) => seamsOfBlocks(x!.shape.length, shape),
  chunks: (_, __, ___, { shape }) => shape.map((n, axis) => (axis < shape.length - 1 ? 1 : n)),
};

/** A row of counts for every block of whole numbers: how often attrs.first and the attrs.bins − 1 behind it are there. */
export const labelCounts: RoutineOp = {
  name: "labelCounts",
  class: "routine",
  routine: "labelCounts",
  computes: binCounts.computes,
  infer([x], { block, bins, first }) {
    checkKind("integerOrBool", x!.dtype);
    checkCounts("labelCounts", "block", block, x!.shape.length, 1);
    checkCounts("labelCounts", "bins", [bins], 1, 1);
    if (!Number.isSafeInteger(first) || x!.shape.length === 0)
      throw wrongAttr("labelCounts", "first", first!);
    return denseType("int32", [...blocksAlong(x!.shape, block as readonly number[]), bins as number]);
  },
  demand: (out, [x], attrs) => [elementsOfBlocks(out, x!.shape, attrs["block"] as readonly number[])],
  seams: ([x], _, { shape }) => seamsOfBlocks(x!.shape.length, shape),
  chunks: (_, __, ___, { shape }) => shape.map((n, axis) => (axis < shape.length - 1 ? 1 : n)),
};

export const binEdges: RoutineOp = {
  name: "binEdges",
  class: "routine",
  routine: "binEdges",
  computes: (_, type) => wholeBox(type.shape),
  infer([least], attrs) {
    checkCounts("binEdges", "bins", [attrs["bins"]], 1, 1);
    return denseType(least!.dtype, [(attrs["bins"] as number) + 1]);
  },
  demand: (_, inputs) => inputs.map(({ shape }) => wholeBox(shape)),
  chunks: (_, __, ___, type) => singleChunk(type.shape),
};
