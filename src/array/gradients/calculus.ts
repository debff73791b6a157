// The words of pullbacks (expr/pullback.ts) as functions of expressions. In: expressions, as handles. Out: expressions of ops that
// have pullbacks themselves; where lines are long, as users' functions make them.
// Must hold: lengths that depend on data are not computed with; what is stretched along such takes its length from an array.

import type { Attrs } from "../../core/block.ts";
import { type Shape, sameShape, sizeOf } from "../../core/chunks.ts";
import { type DType, INDEX_DTYPE, infoOf } from "../../core/dtype.ts";
import { DerivativeError } from "../../core/errors.ts";
import { fitScalar } from "../../core/numbers.ts";
import { hasUnknown } from "../../core/unknown.ts";
import { chunksOf, type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import type {
  BinaryWord,
  Calculus,
  Handle,
  HandleOrNumber,
  RowPart,
  Selection,
} from "../../expr/pullback.ts";
import { lineOf } from "../../expr/site.ts";
import { built, castTo, node, scalarExpr } from "../../lazy/build.ts";
import { coordinate, full, type LazyArray, type Operand, sourceAttrs } from "../../lazy/lazyArray.ts";
import { compactExpr, place } from "../../ops/compaction.ts";
import { contract } from "../../ops/contraction.ts";
import * as e from "../../ops/elementwise/index.ts";
import { opNamed } from "../../ops/index.ts";
import * as axisMoves from "../../ops/moves/axisMoves.ts";
import { pad } from "../../ops/moves/pad.ts";
import { setSlice, slice } from "../../ops/moves/select.ts";
import { LINE_BYTES } from "../../ops/order.ts";
import { sum } from "../../ops/reductions.ts";
import { addAlongAxis, scatter, takeAlongAxis } from "../../ops/routines.ts";
import { asarray } from "../functions/creation.ts";
import { flip, permuteDims, reshape } from "../functions/manipulation.ts";
import { argsort, sort } from "../functions/searching.ts";
import { gathered, take } from "../functions/taking.ts";
import { foldedGroups } from "../grouping.ts";

const lazy = (x: Handle): LazyArray => built(x as Expr, []);
const operand = (x: HandleOrNumber): Operand => (typeof x === "number" ? x : lazy(x));
const made = (op: Op, inputs: readonly Handle[], attrs?: Attrs): Expr =>
  node(op, inputs.map(lazy), attrs).expr;

type Pulling = (
  results: readonly Expr[],
  cotangents: readonly Expr[],
  sources: readonly Expr[],
) => (Expr | null)[];

/** The words for the pullback of a node. `pulled` is the whole of reverse mode, for pullbacks of other expressions. */
export function calculusAt(at: Expr, pulled: Pulling): Calculus {
  return {
    ...WORDS,
    through: (expression, inputs, cotangent) =>
      pulled([expression as Expr], [cotangent as Expr], inputs as readonly Expr[]),
    refuse(why, cure) {
      const line = lineOf(at.site);
      throw new DerivativeError({ what: line === undefined ? why : `${why} (${line})`, cure });
    },
  };
}

const BINARY: { readonly [Name in BinaryWord]: unknown } = {
  ...{ add: e.add, subtract: e.subtract, multiply: e.multiply, divide: e.divide },
  ...{ floorDivide: e.floorDivide, remainder: e.remainder, maximum: e.maximum },
  ...{ equal: e.equal, notEqual: e.notEqual, less: e.less, lessEqual: e.lessEqual },
  ...{ greaterEqual: e.greaterEqual, logicalAnd: e.logicalAnd },
};

const one = (op: (x: Operand) => unknown) => (x: Handle) => (op(lazy(x)) as LazyArray).expr;

const ELEMENTWISE: Pick<
  Calculus,
  "negative" | "exp" | "conj" | "real" | "isnan" | "logicalNot" | "two" | "where" | "cast"
> = {
  ...{ negative: one(e.negative), exp: one(e.exp), conj: one(e.conj), real: one(e.real) },
  ...{ isnan: one(e.isnan), logicalNot: one(e.logicalNot) },
  two: (name, x, y) => (BINARY[name] as (x: Operand, y: Operand) => LazyArray)(operand(x), operand(y)).expr,
  where: (condition, x, y) => (e.where(lazy(condition), operand(x), operand(y)) as LazyArray).expr,
  cast: (x, dtype) => castTo(lazy(x), dtype).expr,
};

/** What is always true, where lengths depend on an array's data. */
const everywhere = (like: Handle): Handle => ELEMENTWISE.two("logicalAnd", likeTrue(like), likeTrue(like));
const likeTrue = (like: Handle): Handle =>
  e.logicalOr(e.isnan(lazy(like)), e.equal(lazy(like), lazy(like))).expr;

function filled(like: Handle, value = 0): Expr {
  const { dtype, shape } = like;
  if (hasUnknown(shape)) return stretched(scalarExpr(value, dtype), like);
  const attrs = sourceAttrs({ dtype, shape }, chunksOf(like as Expr));
  return makeExpr(full, [], { ...attrs, value: fitScalar(value, dtype) });
}

/** To the shape of an array. */
function stretched(x: Handle, like: Handle): Expr {
  if (sameShape(x.shape, like.shape)) return x as Expr;
  if (!hasUnknown(like.shape)) return made(axisMoves.broadcast, [x], { shape: like.shape });
  return ELEMENTWISE.where(everywhere(like), x, x) as Expr;
}

function summed(x: Handle, axes: readonly number[], keepdims = false): Expr {
  return axes.length === 0 ? (x as Expr) : made(sum, [x], { axes, keepdims });
}

const axesOf = (attrs: Attrs): readonly number[] => attrs["axes"] as readonly number[];

function count(x: Handle, attrs: Attrs): HandleOrNumber {
  const lengths = axesOf(attrs).map((axis) => x.shape[axis]!);
  if (!hasUnknown(lengths)) return sizeOf(lengths);
  return summed(stretched(scalarExpr(1, x.dtype), x), axesOf(attrs), attrs["keepdims"] === true);
}

const REDUCING: Pick<Calculus, "sum" | "running" | "sumTo" | "spread" | "count" | "left"> = {
  sum: summed,
  count,
  running: (name, x, axis) => made(opNamed(name), [x], { axis }),
  sumTo(x, shape) {
    if (sameShape(x.shape, shape)) return x;
    const lead = x.shape.length - shape.length;
    const ones = shape.flatMap((n, axis) => (n === 1 && x.shape[axis + lead] !== 1 ? [axis] : []));
    const axes = [...Array.from({ length: lead }, (_, axis) => axis), ...ones.map((axis) => axis + lead)];
    return MOVING.expandDims(summed(x, axes), ones);
  },
  spread(reduced, over, attrs) {
    const kept = attrs["keepdims"] === true ? reduced : MOVING.expandDims(reduced, axesOf(attrs));
    return stretched(kept, over);
  },
  left(x, attrs) {
    const all = count(x, attrs);
    const less = attrs["correction"] as number;
    if (typeof all === "number") return { count: all, left: all > less ? all - less : Number.NaN };
    return { count: all, left: ELEMENTWISE.two("subtract", all, less) };
  },
};

const whole = (x: Handle, axis: number, from: number, length: number): Selection => ({
  start: x.shape.map((_, a) => (a === axis ? from : 0)),
  step: x.shape.map(() => 1),
  shape: x.shape.map((n, a) => (a === axis ? length : n)),
});

/** A list with an entry replaced by others. */
const split = (shape: Shape, axis: number, by: readonly number[]): number[] => [
  ...shape.slice(0, axis),
  ...by,
  ...shape.slice(axis + 1),
];

function padded(x: Handle, axis: number, before: number, after: number): Expr {
  const along = (count: number): number[] => x.shape.map((_, a) => (a === axis ? count : 0));
  const value = fitScalar(0, x.dtype);
  return made(pad, [x], { before: along(before), after: along(after), mode: "constant", value });
}

/** Rows and what is left of each are axes for this, which become one again. */
function rowParts(x: Handle, axis: number, part: RowPart): Handle {
  const { row, first, rows, start, count: places, lead, width } = part;
  const apart = MOVING.reshape(x, split(x.shape, axis, [x.shape[axis]! / row, row]));
  const some = MOVING.slice(apart, whole(apart, axis, first, rows));
  const own = MOVING.slice(some, whole(some, axis + 1, start, places));
  return MOVING.reshape(
    padded(own, axis + 1, lead, width - lead - places),
    split(x.shape, axis, [rows * width]),
  );
}

type MovingWord =
  | ("reshape" | "permute" | "expandDims" | "squeeze" | "flip" | "slice" | "within" | "cleared")
  | ("padded" | "rowParts");
const MOVING: Pick<Calculus, MovingWord> = {
  reshape: (x, shape) => (sameShape(x.shape, shape) ? x : reshape(lazy(x), shape).expr),
  permute: (x, axes) => (axes.every((axis, i) => axis === i) ? x : permuteDims(lazy(x), axes).expr),
  expandDims: (x, axes) => (axes.length === 0 ? x : made(axisMoves.expandDims, [x], { axes })),
  squeeze: (x, axes) => (axes.length === 0 ? x : made(axisMoves.squeeze, [x], { axes })),
  flip: (x, axis) => flip(lazy(x), { axis }).expr,
  slice: (x, { start, step, shape }) => made(slice, [x], { start, step, shape }),
  within: (like, values, { start, step, shape }) =>
    made(setSlice, [filled(like), values], { start, step, shape }),
  cleared: (x, { start, step, shape }) =>
    made(setSlice, [x, made(axisMoves.broadcast, [scalarExpr(0, x.dtype)], { shape })], {
      start,
      step,
      shape,
    }),
  ...{ padded, rowParts },
};

/** Sums by label: one label for each place along the axes from `axis` on. Halves are added up as what they are computed in. */
function labelled(
  x: Handle,
  axis: number,
  labels: LazyArray,
  known: Int32Array | null,
  numLabels: number,
): Expr {
  const { computesIn } = infoOf(x.dtype);
  const groups = { x: castTo(lazy(x), computesIn), labels, known, axis, numLabels, skipsNaN: false };
  return castTo(foldedGroups(groups, "sum", computesIn), x.dtype).expr;
}

const isLong = (x: Handle): boolean =>
  x.shape.length === 1 && sizeOf(x.shape) * infoOf(x.dtype).bytes > LINE_BYTES;

type PlacesWord =
  | ("addAlong" | "addAt" | "gather" | "scatter" | "takeAlong" | "addLines" | "sort" | "argsort")
  | ("compact" | "place");
const AT_PLACES: Pick<Calculus, PlacesWord> = {
  addAlong(x, axis, places, length) {
    const known = Int32Array.from(places);
    return labelled(
      x,
      axis,
      asarray(known, { chunks: [Math.max(1, chunksOf(x as Expr)[axis]!)] }),
      known,
      length,
    );
  },
  addAt: (x, axis, places, length) => labelled(x, axis, lazy(places), null, length),
  gather: (x, axes, at, indices) => gathered(lazy(x), { axes: [...axes], at }, indices.map(lazy)).expr,
  scatter: (x, values, axes, at, indices) =>
    made(scatter, [x, values, ...indices], { axes: [...axes], at, shape: x.shape }),
  takeAlong: (x, places, axis) =>
    isLong(x) ? take(lazy(x), lazy(places)).expr : made(takeAlongAxis, [x, places], { axis }),
  addLines: (x, places, axis, length) =>
    isLong(x)
      ? labelled(x, 0, lazy(places), null, length)
      : made(addAlongAxis, [x, places], { axis, length }),
  sort: (x, axis, descending) => sort(lazy(x), { axis, descending }).expr,
  argsort: (x, axis, descending) => argsort(lazy(x), { axis, descending }).expr,
  compact: (x, mask) => compactExpr(x as Expr, mask as Expr),
  place: (x, mask, values) => made(place, [x, mask, values]),
};

const WORDS: Omit<Calculus, "through" | "refuse"> = {
  ...ELEMENTWISE,
  ...REDUCING,
  ...MOVING,
  ...AT_PLACES,
  filled,
  constant: (value, dtype: DType) => scalarExpr(value, dtype),
  places: (like, axis) =>
    makeExpr(coordinate, [], {
      ...sourceAttrs({ dtype: INDEX_DTYPE, shape: like.shape }, chunksOf(like as Expr)),
      axis,
    }),
  node: (name, inputs, attrs) => made(opNamed(name), inputs, attrs),
  contract: (a, b, axes) => made(contract, [a, b], axes),
};
