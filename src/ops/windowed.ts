// windowed: what is found of every window of an array: out[i] = f(x[i], …, x[i + length − 1]), along as many axes as windows have.
// attrs.kind says what: the sum of elements times weights, the sum, the sum of squared distances from the window's mean, the least, the
// largest, the element of a rank, the median. attrs.passes are windows that go over the array one after another, as those of a separable
// filter do: each is a length for every axis. Weights are inputs, one array for each pass, of that pass's shape.
// Must hold: only whole windows are there; what lies beyond the ends of an array is padded before, so that a task reads its windows.

import { type Shape, shapeText, wholeBox } from "../core/chunks.ts";
import { checkKind } from "../core/dtype.ts";
import { DTypeError, ShapeError } from "../core/errors.ts";
import { type DenseType, denseType, type RoutineOp } from "../expr/op.ts";
import type { Calculus, Handle, Pullback, Pulled } from "../expr/pullback.ts";
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

/** Zeros around the cotangent, so that every element of the input has all of its windows. */
const widened = (g: Handle, extent: readonly number[], use: Calculus): Handle =>
  extent.reduce((wide, reach, axis) => use.padded(wide, axis, reach, reach), g);

const flipped = (weights: Handle, use: Calculus): Handle =>
  weights.shape.reduce((turned, _, axis) => use.flip(turned, axis), weights);

/** x[i] is in the windows from i − length + 1 to i: weights turned round. A weight meets what the other passes leave of x. */
function pulledWeights(
  { inputs: [x, ...weights], attrs, cotangent }: Pulled,
  extent: readonly number[],
  use: Calculus,
): Handle[] {
  const { passes } = windowedAttrs(attrs);
  const turned = weights.map((each) => flipped(each, use));
  const back = use.node("windowed", [widened(cotangent, extent, use), ...turned], attrs);
  const parts = weights.map((_, own) => {
    const others = passes.filter((__, pass) => pass !== own);
    const rest = weights.filter((__, pass) => pass !== own);
    const met = others.length === 0 ? x! : use.node("windowed", [x!, ...rest], { ...attrs, passes: others });
    const inputs = [met, use.cast(cotangent, "float64")];
    return use.cast(use.node("windowed", inputs, { ...attrs, passes: [cotangent.shape] }), "float64");
  });
  return [back, ...parts];
}

/** Σ (x − m)² over a window: 2·(x − m) for each of its elements. */
function pulledSquares(
  { inputs: [x], attrs, cotangent }: Pulled,
  extent: readonly number[],
  use: Calculus,
): Handle {
  const count = windowedAttrs(attrs)
    .passes.flat()
    .reduce((product, n) => product * n, 1);
  const sums = (of: Handle): Handle => use.node("windowed", [of], { ...attrs, kind: "sum" });
  const means = use.two("divide", sums(x!), count);
  const back = (g: Handle): Handle => sums(widened(g, extent, use));
  const own = use.two("multiply", x!, back(cotangent));
  // Nothing comes back from windows that nobody asks for, whatever is in them.
  const weighed = use.where(use.two("equal", cotangent, 0), 0, use.two("multiply", cotangent, means));
  return use.two("multiply", use.two("subtract", own, back(weighed)), 2);
}

const pullback: Pullback = (at, use) => {
  const { kind, passes, skip } = windowedAttrs(at.attrs);
  const extent = extentOfPasses(passes, at.result.shape.length);
  if (kind === "weights") return pulledWeights(at, extent, use);
  if (kind === "sum") return [use.node("windowed", [widened(at.cotangent, extent, use)], at.attrs)];
  if (kind === "squares" && !skip) return [pulledSquares(at, extent, use)];
  return use.refuse(
    skip
      ? "windows that leave NaN out have no derivative here"
      : `the ${kind} of windows has no derivative here`,
    "Use slidingWindowView, and min, max or median along its last axes",
  );
};

export const windowed: RoutineOp = {
  name: "windowed",
  class: "routine",
  routine: "windowed",
  pullback,
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
