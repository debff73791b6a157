// binPlaces(x, edges): in which bin each element lies; attrs.mode says what a bin is. attrs.uniform: the edges are those of bins
// of one width, which are found without a search. binEdges(least, most): attrs.bins + 1 edges at one distance.

import type { Attrs } from "../core/block.ts";
import { singleChunk, wholeBox } from "../core/chunks.ts";
import { checkKind } from "../core/dtype.ts";
import { ShapeError } from "../core/errors.ts";
import { denseType, type RoutineOp } from "../expr/op.ts";
import { BIN_MODES } from "../kernel/routines/bins.ts";
import { checkCounts, wrongAttr } from "./attrChecks.ts";

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
