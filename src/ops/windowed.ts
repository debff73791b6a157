// windowed: what is found of every window of an array: out[i] = f(x[i], …, x[i + length − 1]), along as many axes as windows have.
// attrs.kind says what: the sum of elements times weights, the sum, the sum of squared distances from the window's mean, the least, the
// largest, the element of a rank, the median. attrs.passes are windows that go over the array one after another, as those of a separable
// filter do: each is a length for every axis. Weights are inputs, one array for each pass, of that pass's shape.
// Must hold: only whole windows are there; what lies beyond the ends of an array is padded before, so that a task reads its windows.

import { type Shape, shapeText, wholeBox } from "../core/chunks.ts";
import { checkKind } from "../core/dtype.ts";
import { DTypeError, ShapeError } from "../core/errors.ts";
import { type DenseType, denseType, type RoutineOp } from "../expr/op.ts";
import { extentOfPasses, WINDOW_KINDS, type WindowKind } from "../kernel/routines/windowKinds.ts";
import { checkCounts, checkList, wrongAttr } from "./attrChecks.ts";

export interface WindowedAttrs {
  readonly kind: WindowKind;
  /** For each pass, how long a window is along each axis. */
  readonly passes: readonly Shape[];
  /** Of the kind "rank": which of the sorted elements. */
  readonly rank: number;
  /** NaN is left out, of the kinds "squares" and "median". */
  readonly skip: boolean;
}

const windowedAttrs = (attrs: object): WindowedAttrs => attrs as WindowedAttrs;

function checkAttrs({ kind, passes, rank, skip }: WindowedAttrs, ndim: number, weights: number): void {
  if (!WINDOW_KINDS.includes(kind)) throw wrongAttr("windowed", "kind", kind);
  if (typeof skip !== "boolean") throw wrongAttr("windowed", "skip", skip);
  checkCounts("windowed", "rank", [rank]);
  checkList("windowed", "passes", passes, kind === "weights" ? weights : passes.length);
  for (const lengths of passes) checkCounts("windowed", "passes", lengths, ndim, 1);
}

/** Sums are of floats; the least, the largest and ranks are of any real numbers. */
function checkInput({ dtype, shape }: DenseType, { kind, passes }: WindowedAttrs): void {
  const isSum = kind === "weights" || kind === "sum" || kind === "squares";
  if (isSum && dtype !== "float64" && dtype !== "float32")
    throw new DTypeError({ what: `windowed adds up ${dtype}`, cure: "Cast to float64" });
  checkKind("realOrBool", dtype);
  const extent = extentOfPasses(passes, shape.length);
  const axis = shape.findIndex((n, a) => n < extent[a]!);
  if (axis >= 0)
    throw new ShapeError({
      what: `windows of ${extent[axis]! + 1} do not fit along axis ${axis} of shape ${shapeText(shape)}`,
      cure: "Use shorter windows",
    });
}

export const windowed: RoutineOp = {
  name: "windowed",
  class: "routine",
  routine: "windowed",
  infer([x, ...weights], given) {
    const attrs = windowedAttrs(given);
    checkAttrs(attrs, x!.shape.length, weights.length);
    checkInput(x!, attrs);
    weights.forEach(({ dtype, shape }, pass) => {
      if (dtype === "float64" && shapeText(shape) === shapeText(attrs.passes[pass]!)) return;
      throw new ShapeError({
        what: `weights of ${dtype} ${shapeText(shape)} do not fit windows of ${shapeText(attrs.passes[pass]!)}`,
        cure: "Give float64 weights of the window's shape",
      });
    });
    const extent = extentOfPasses(attrs.passes, x!.shape.length);
    return denseType(
      x!.dtype,
      x!.shape.map((n, axis) => n - extent[axis]!),
    );
  },
  computes: (out) => out,
  demand({ start, shape }, [x, ...weights], attrs) {
    const extent = extentOfPasses(windowedAttrs(attrs).passes, x!.shape.length);
    const box = { start, shape: shape.map((n, axis) => (n === 0 ? 0 : n + extent[axis]!)) };
    return [box, ...weights.map((each) => wholeBox(each.shape))];
  },
  chunks: ([x], _, __, { shape }) => x!.map((n, axis) => Math.max(1, Math.min(n, shape[axis]!))),
};
