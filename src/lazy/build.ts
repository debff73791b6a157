// Building: from operands to expressions. Promotion, weak scalars and casts happen here, once for all
// functions. A result remembers its array operands. Bodies of public functions return `Built`, which
// fits every LazyArray: what its dtype is and what outputs were marked is for the public signature to say.

import type { Attrs } from "../core/block.ts";
import { describe, SCALAR_SHAPE, sameShape, shapeText } from "../core/chunks.ts";
import { DTYPES, type DType, infoOf, isDType, isTime, notNumbers } from "../core/dtype.ts";
import { DTypeError, OutTargetError, ShapeError } from "../core/errors.ts";
import { fitScalar, isScalar, promote, resultDType, type Scalar } from "../core/numbers.ts";
import { closest } from "../core/suggest.ts";
import { type Expr, makeExpr } from "../expr/expr.ts";
import { denseOf, type ElementwiseOp, inferType, type Op } from "../expr/op.ts";
import { cast, castAttrs } from "./cast.ts";
import type { OutOption } from "./functionTypes.ts";
import { asLazy, full, LazyArray, type Operand } from "./lazyArray.ts";

export type Built = LazyArray<never, never>;

export function built(expr: Expr, parents: readonly LazyArray[]): Built {
  return new LazyArray(expr, parents) as Built;
}

/** A node of one op over arrays. */
export function node(op: Op, inputs: readonly LazyArray[], attrs?: Attrs): Built {
  const exprs = inputs.map(({ expr }) => expr);
  if (WIDER.has(op.class)) refuseTimes(op, exprs);
  return built(isWider(op, exprs) ? widerNode(op, exprs, attrs) : makeExpr(op, exprs, attrs), inputs);
}

/** What runs through many elements: halves would lose digits on the way, and nothing sorts or multiplies them. */
const WIDER: ReadonlySet<Op["class"]> = new Set(["reduce", "scan", "contract", "routine"]);
const isWider = (op: Op, exprs: readonly Expr[]): boolean =>
  WIDER.has(op.class) && exprs.some(({ dtype }) => infoOf(dtype).computesIn !== dtype);

/** Dates and times are moved, and not computed with; what users' own functions make of them is theirs to say. */
function refuseTimes(op: Op, exprs: readonly Expr[]): void {
  const isTaken =
    "keepsMeaning" in op ? op.keepsMeaning === true : op.class === "routine" && op.isOpaque === true;
  const time = isTaken ? undefined : exprs.find(({ type }) => type.kind === "dense" && isTime(type.dtype));
  if (time !== undefined) throw notNumbers(time.dtype);
}

/** In the dtype that its inputs are computed in, and back: sum(x) = cast(sum(cast(x, float32)), float16). */
function widerNode(op: Op, exprs: readonly Expr[], attrs?: Attrs): Expr {
  const result = makeExpr(
    op,
    exprs.map((expr) => castExpr(expr, infoOf(expr.dtype).computesIn)),
    attrs,
  );
  const types = exprs.map(({ type }) => type);
  return castExpr(result, denseOf(inferType(op, types, attrs ?? {})).dtype);
}

export function scalarExpr(value: Scalar, dtype: DType): Expr {
  const fitted = fitScalar(value, dtype);
  return makeExpr(full, [], { dtype, shape: SCALAR_SHAPE, chunks: SCALAR_SHAPE, value: fitted });
}

/** Constants are few and used often: the last ones of each dtype are at hand, beside the nodes that they meet. */
const RECENT = 256;

function scalarBeside(array: LazyArray | undefined, value: Scalar, dtype: DType): Expr {
  // A map takes 0 and −0 for the same.
  if (array === undefined || Object.is(value, -0) || typeof value === "object")
    return scalarExpr(value, dtype);
  const recent = recentOf(array.expr, dtype);
  let known = recent.get(value);
  if (known === undefined) {
    known = scalarExpr(value, dtype);
    if (recent.size >= RECENT) recent.clear();
    recent.set(value, known);
  }
  return known;
}

function recentOf({ interning: { constants } }: Expr, dtype: DType): Map<unknown, Expr> {
  let recent = constants.get(dtype);
  if (recent === undefined) {
    recent = new Map();
    constants.set(dtype, recent);
  }
  return recent;
}

export const castExpr = (expr: Expr, dtype: DType): Expr =>
  expr.dtype === dtype ? expr : makeExpr(cast, [expr], castAttrs(dtype));

export function castTo(x: LazyArray, dtype: DType): LazyArray {
  return x.dtype === dtype ? x : built(castExpr(x.expr, dtype), [x]);
}

/** Operands in their common dtype (as `computeIn` says), scalars weakly typed. Every operation comes through here: plain loops. */
export function promoteOperands(
  operands: readonly Operand[],
  computeIn: (promoted: DType) => DType,
): { exprs: Expr[]; parents: LazyArray[]; dtype: DType } {
  const taken: LazyArray[] = [];
  const scalars: Scalar[] = [];
  let arrays: DType | undefined;
  for (const operand of operands) {
    if (isScalar(operand)) {
      scalars.push(operand);
      continue;
    }
    const array = asLazy(operand);
    taken.push(array);
    arrays = arrays === undefined ? array.dtype : promote(arrays, array.dtype);
  }
  const isPlain = scalars.length === 0 && arrays !== undefined;
  const dtype = computeIn(isPlain ? arrays! : resultDType(arrays === undefined ? [] : [arrays], scalars));
  // These two lists live as long as the node does: exactly as long as they need to be.
  const parents = taken.slice();
  const exprs = new Array<Expr>(operands.length);
  let array = 0;
  for (let i = 0; i < operands.length; i++) {
    const operand = operands[i]!;
    exprs[i] = isScalar(operand)
      ? scalarBeside(parents[0], operand, dtype)
      : castExpr(parents[array++]!.expr, dtype);
  }
  return { exprs, parents, dtype };
}

/** An elementwise op, and the dtype that operands of a promoted dtype are cast to. */
export interface ComputesIn extends ElementwiseOp {
  computeIn(promoted: DType): DType;
}

export function elementwiseCall(op: ComputesIn, operands: readonly Operand[], options?: OutOption): Built {
  const { exprs, parents } = promoteOperands(operands, op.computeIn);
  return withOut(built(makeExpr(op, exprs), parents), options);
}

/** What would be in `out` after the result was written there; `out` itself never changes. */
export function withOut(result: Built, options: OutOption | undefined): Built {
  const out: unknown = options?.out;
  if (out === undefined || out === null) return result;
  if (!(out instanceof LazyArray)) {
    throw new OutTargetError({
      what: `out is ${describe(out)}: a lazy operation cannot write into a plain array`,
      cure: "Leave out away and use the array that is returned",
    });
  }
  if (!sameShape(out.shape, result.shape)) {
    throw new ShapeError({
      what: `out has shape ${shapeText(out.shape)} and the result ${shapeText(result.shape)}`,
      cure: "Use an out of the result's shape, or none",
    });
  }
  return castTo(result, out.dtype) as Built;
}

/** A dtype from outside. */
export function checkDType(dtype: unknown): DType {
  if (isDType(dtype)) return dtype;
  const cure = typeof dtype === "string" ? closest(dtype, DTYPES) : `Dtypes are strings such as "float64"`;
  throw new DTypeError({ what: `${describe(dtype)} is not a dtype`, cure });
}
