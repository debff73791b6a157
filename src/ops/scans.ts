// Scans: running totals along attrs.axis, as records that users call.

import { type AxisName, checkAxis, type Shape, singleChunk } from "../core/chunks.ts";
import { checkKind, resultOf } from "../core/dtype.ts";
import { ShapeError } from "../core/errors.ts";
import { fitScalar } from "../core/numbers.ts";
import { makeExpr } from "../expr/expr.ts";
import type { ScanOp } from "../expr/op.ts";
import type { Calculus, Handle, Pullback } from "../expr/pullback.ts";
import { addValues, multiplyValues } from "../kernel/valueArithmetic.ts";
import { type Built, built, castTo, checkDType, node } from "../lazy/build.ts";
import { opCall } from "../lazy/call.ts";
import type { DTypeOption, TotalFunction } from "../lazy/functionTypes.ts";
import { asLazy, full, type LazyArray, type Operand, sourceAttrs } from "../lazy/lazyArray.ts";
import { concat } from "./moves/select.ts";

/** Options of scans along an axis. */
export interface ScanOptions {
  /** May be left out for 1-d arrays. */
  readonly axis?: AxisName | null | undefined;
  /** Begins with the total of nothing. */
  readonly includeInitial?: boolean | undefined;
}
/** `dtype` is the one to add up in. */
export interface CumulativeOptions extends ScanOptions, DTypeOption {}

type Scan = ScanOp & TotalFunction<ScanOptions>;

/** What comes to a place from all behind it. */
const fromBehind = (x: Handle, axis: number, use: Calculus): Handle =>
  use.flip(use.running("cumulativeSum", use.flip(x, axis), axis), axis);

const sumPullback: Pullback = ({ attrs, cotangent }, use) => [
  fromBehind(cotangent, attrs["axis"] as number, use),
];

/**
 * Before the first zero of a line Σ g·y / x from there on; at it the same of products without it; behind it nothing, for all
 * products have that zero.
 */
const prodPullback: Pullback = ({ inputs: [x], result, attrs, cotangent }, use) => {
  const axis = attrs["axis"] as number;
  const zeros = use.running("cumulativeSum", use.cast(use.two("equal", x!, 0), "int64"), axis);
  const isFirst = use.two("logicalAnd", use.two("equal", x!, 0), use.two("equal", zeros, 1));
  const without = use.where(isFirst, 1, x!);
  const weighted = (products: Handle): Handle =>
    fromBehind(use.two("multiply", cotangent, products), axis, use);
  const others = weighted(use.running("cumulativeProd", without, axis));
  const safe = use.where(use.two("equal", x!, 0), 1, x!);
  const before = use.where(use.two("equal", zeros, 0), use.two("divide", weighted(result), safe), 0);
  return [use.where(isFirst, others, before)];
};

function scan(name: string, identity: number, combine: ScanOp["combine"], pullback: Pullback): Scan {
  const record: ScanOp = {
    name,
    class: "scan",
    identity,
    combine,
    pullback,
    infer([input]) {
      checkKind("numeric", input!.dtype);
      return input!;
    },
  };
  const op: Scan = opCall(
    record,
    (x: Operand, options: CumulativeOptions = {}): Built => totals(op, asLazy(x), options),
    [1, "axis", "dtype", "includeInitial"],
  );
  return op;
}

function totals(op: ScanOp, x: LazyArray, { axis, dtype, includeInitial }: CumulativeOptions): Built {
  const along = soleAxis(x, axis);
  const type =
    dtype === undefined || dtype === null
      ? checkKind("numeric", resultOf(x.dtype, "total"))
      : checkDType(dtype);
  const running = node(op, [castTo(x, type)], { axis: along });
  if (includeInitial !== true) return running;
  const shape = x.shape.map((n, a) => (a === along ? 1 : n));
  return node(concat, [initial(op, shape, running), running], { axis: along });
}

/** The total of nothing, once for every running total. */
function initial({ identity }: ScanOp, shape: Shape, { dtype }: LazyArray): Built {
  return built(
    makeExpr(full, [], {
      ...sourceAttrs({ dtype, shape }, singleChunk(shape)),
      value: fitScalar(identity, dtype),
    }),
    [],
  );
}

function soleAxis(x: LazyArray, axis: AxisName | null | undefined): number {
  if (axis !== undefined && axis !== null) return checkAxis(axis, x.ndim);
  if (x.ndim === 1) return 0;
  throw new ShapeError({
    what: `the array has ${x.ndim} dimensions and no axis is named`,
    cure: "Say which axis: {axis: 0}",
  });
}

/** The sum up to each place along an axis: `cw.cumulativeSum(x, {axis: 0})`. */
export const cumulativeSum = scan("cumulativeSum", 0, addValues, sumPullback);
/** The product up to each place along an axis: `cw.cumulativeProd(x, {axis: 0})`. */
export const cumulativeProd = scan("cumulativeProd", 1, multiplyValues, prodPullback);
