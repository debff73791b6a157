// Scans: running totals along attrs.axis, as records that users call.

import { checkAxis, type Shape, singleChunk } from "../core/chunks.ts";
import { checkKind, resultOf } from "../core/dtype.ts";
import { ShapeError } from "../core/errors.ts";
import { fitScalar } from "../core/numbers.ts";
import { makeExpr } from "../expr/expr.ts";
import type { ScanOp } from "../expr/op.ts";
import { addValues, multiplyValues } from "../kernel/valueArithmetic.ts";
import { type Built, built, castTo, checkDType, node } from "../lazy/build.ts";
import { opCall } from "../lazy/call.ts";
import type { DTypeOption, TotalFunction } from "../lazy/functionTypes.ts";
import { asLazy, full, type LazyArray, type Operand, sourceAttrs } from "../lazy/lazyArray.ts";
import { concat } from "./moves/select.ts";

/** Options of scans along an axis. */
export interface ScanOptions {
  /** May be left out for 1-d arrays. */
  readonly axis?: number | null | undefined;
  /** Begins with the total of nothing. */
  readonly includeInitial?: boolean | undefined;
}
/** `dtype` is the one to add up in. */
export interface CumulativeOptions extends ScanOptions, DTypeOption {}

type Scan = ScanOp & TotalFunction<ScanOptions>;

function scan(name: string, identity: number, combine: ScanOp["combine"]): Scan {
  const record: ScanOp = {
    name,
    class: "scan",
    identity,
    combine,
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

function soleAxis(x: LazyArray, axis: number | null | undefined): number {
  if (axis !== undefined && axis !== null) return checkAxis(axis, x.ndim);
  if (x.ndim === 1) return 0;
  throw new ShapeError({
    what: `the array has ${x.ndim} dimensions and no axis is named`,
    cure: "Say which axis: {axis: 0}",
  });
}

/** The sum up to each place along an axis: `cw.cumulativeSum(x, {axis: 0})`. */
export const cumulativeSum = scan("cumulativeSum", 0, addValues);
/** The product up to each place along an axis: `cw.cumulativeProd(x, {axis: 0})`. */
export const cumulativeProd = scan("cumulativeProd", 1, multiplyValues);
