// Reductions of arithmetic: what is the same for all elements is done once, to the result; and reductions that are
// others in disguise.

import { sameShape } from "../../core/chunks.ts";
import { type DType, infoOf, isFloat, isInteger, kindOf } from "../../core/dtype.ts";
import type { Scalar } from "../../core/numbers.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { cast } from "../../lazy/cast.ts";
import { reducedCount } from "../../ops/define.ts";
import * as e from "../../ops/elementwise/arithmetic.ts";
import * as f from "../../ops/elementwise/exponential.ts";
import * as r from "../../ops/reductions.ts";
import { attrs, bind, condition, constant, on, p, single, x, y } from "../pattern.ts";
import { bool, decline, floating, integer, rule, when } from "../patternRule.ts";
import type { Rule } from "../rule.ts";
import { axesOf, squeezed } from "./conditions.ts";

const EXTREMES: readonly Op[] = [r.max, r.min];
const other = (op: Op): Op => (op === r.max ? r.min : r.max);

/** Never falling, as they are computed, for every number; NaN stays NaN. */
const MONOTONE: readonly Op[] = [e.floor, e.ceil, e.trunc, e.round, cast];
/** Rising functions on all numbers; computed, they may fall by a last bit. */
const RISING: readonly Op[] = [f.exp, f.expm1, f.sinh, f.tanh, f.atan, f.asinh];

function isMonotoneCast(from: DType, to: DType): boolean {
  if (isFloat(to)) return isFloat(from) || isInteger(from);
  if (!isInteger(from) || !isInteger(to)) return false;
  const [narrow, wide] = [infoOf(from).bytes, infoOf(to).bytes];
  if (kindOf(from) === kindOf(to)) return narrow <= wide;
  return kindOf(from) === "uint" && narrow < wide;
}

const isFiniteNumber = (value: Scalar): boolean => typeof value === "number" && Number.isFinite(value);
const isFactor = (value: Scalar): boolean => isFiniteNumber(value) && value !== 0;

const SHIFT = constant("c", isFiniteNumber, "c is finite");
const FACTOR = constant("c", isFactor, "c is finite and not 0");

/** The same op over the extreme of its first operand; a negative factor turns the order round. */
const overExtreme = (node: Expr, inner: Expr, x: Expr, c: Scalar): Expr | null => {
  if (!isFloat(node.dtype) || !sameShape(x.shape, inner.shape)) return null;
  const isScaled = inner.op === e.multiply || inner.op === e.divide;
  const extreme = makeExpr(isScaled && Number(c) < 0 ? other(node.op) : node.op, [x], node.attrs);
  const value = inner.inputs.find((input) => input !== x)!;
  return value.shape.length === 0 ? makeExpr(inner.op, [extreme, value], inner.attrs) : null;
};

const EXTREME_RULES: readonly Rule[] = [
  rule("maxOfBool", "max(b) = any(b)", p.max(x, attrs), p.any(x, attrs), { when: [bool(x)] }),
  rule("minOfBool", "min(b) = all(b)", p.min(x, attrs), p.all(x, attrs), { when: [bool(x)] }),
  rule(
    "extremeOfNegative",
    "max(-x) = -min(x)",
    on(EXTREMES)(single(p.negative(x))),
    ({ x }, node) => makeExpr(e.negative, [makeExpr(other(node.op), [x], node.attrs)]),
    { when: [floating(x)] },
  ),
  rule(
    "extremeOfMonotone",
    "max(floor(x)) = floor(max(x))",
    on(EXTREMES)(single(on(MONOTONE)(x)).as("inner")),
    ({ x, inner }, node) =>
      inner.op !== cast || isMonotoneCast(x.dtype, inner.dtype)
        ? makeExpr(inner.op, [makeExpr(node.op, [x], node.attrs)], inner.attrs)
        : decline("the cast does not keep the order"),
  ),
  rule(
    "extremeOfSum",
    "max(x + c) = max(x) + c",
    on(EXTREMES)(single(p.add(x, SHIFT)).as("inner")),
    ({ x, c, inner }, node) => overExtreme(node, inner, x, c),
  ),
  rule(
    "extremeOfDifference",
    "max(x - c) = max(x) - c",
    on(EXTREMES)(single(p.subtract(x, SHIFT)).as("inner")),
    ({ x, c, inner }, node) => overExtreme(node, inner, x, c),
  ),
  rule(
    "extremeOfProduct",
    "max(x · c) = max(x) · c",
    on(EXTREMES)(single(p.multiply(x, FACTOR)).as("inner")),
    ({ x, c, inner }, node) => overExtreme(node, inner, x, c),
  ),
  rule(
    "extremeOfQuotient",
    "max(x / c) = max(x) / c",
    on(EXTREMES)(single(p.divide(x, FACTOR)).as("inner")),
    ({ x, c, inner }, node) => overExtreme(node, inner, x, c),
  ),
  rule(
    "extremeOfRising",
    "max(exp(x)) = exp(max(x))",
    on(EXTREMES)(single(on(RISING)(x)).as("inner")),
    ({ x, inner }, node) => makeExpr(inner.op, [makeExpr(node.op, [x], node.attrs)]),
    { changes: ["rounding"] },
  ),
];

/** y without the reduced axes, if it is the same along all of them. */
function alongReduced(y: Expr, inner: Expr, node: Expr): Expr | null {
  const lead = inner.shape.length - y.shape.length;
  const own = axesOf(node).flatMap((axis) => (axis < lead ? [] : [axis - lead]));
  if (own.some((axis) => y.shape[axis] !== 1 || inner.shape[axis + lead] === 1)) return null;
  return node.attrs["keepdims"] === true ? y : squeezed(y, own);
}

const NOT_CONSTANT = decline("no factor is the same along the reduced axes");

function factorOut(node: Expr, inner: Expr, x: Expr, y: Expr): Expr | null {
  if (axesOf(node).length === 0 || !sameShape(x.shape, inner.shape)) return null;
  const factor = alongReduced(y, inner, node);
  return factor === null ? null : makeExpr(inner.op, [makeExpr(node.op, [x], node.attrs), factor]);
}

const SUM_RULES: readonly Rule[] = [
  rule(
    "sumNegativeInteger",
    "sum(-x) = -sum(x)",
    p.sum(single(p.negative(x)), attrs),
    p.negative(p.sum(x, attrs)),
    { when: [integer(x)] },
  ),
  rule(
    "sumNegative",
    "sum(-x) = -sum(x)",
    on([r.sum, r.mean])(single(p.negative(x))),
    ({ x }, node) => makeExpr(e.negative, [makeExpr(node.op, [x], node.attrs)]),
    { when: [floating(x)], changes: ["zeroSign"] },
  ),
  rule(
    "sumScaledInteger",
    "sum(x · c) = sum(x) · c",
    p.sum(single(p.multiply(x, y)).as("inner")),
    ({ x, y, inner }, node) => factorOut(node, inner, x, y) ?? NOT_CONSTANT,
    { when: [integer(x)] },
  ),
  rule(
    "sumScaled",
    "sum(x · c) = sum(x) · c",
    on([r.sum, r.mean])(single(p.multiply(x, y)).as("inner")),
    ({ x, y, inner }, node) => factorOut(node, inner, x, y) ?? NOT_CONSTANT,
    { when: [floating(x)], changes: ["rounding", "nan"] },
  ),
  rule(
    "sumDivided",
    "sum(x / c) = sum(x) / c",
    on([r.sum, r.mean])(single(p.divide(x, y)).as("inner")),
    ({ x, y, inner }, node) => factorOut(node, inner, x, y) ?? NOT_CONSTANT,
    { when: [floating(x)], changes: ["rounding", "nan"] },
  ),
  rule(
    "sumOverCount",
    "sum(x) / n = mean(x) for the sum of n elements",
    p.divide(single(p.sum(x)).as("total"), constant("n")),
    ({ x, n, total }) => {
      const count = reducedCount(x.shape, axesOf(total));
      return count === n ? makeExpr(r.mean, [x], total.attrs) : decline(`it is a sum of ${count} elements`);
    },
    { when: [floating(x)] },
  ),
  rule(
    "meanOfDeviations",
    "mean((x - mean(x))²) = var(x)",
    p.mean(p.square(p.subtract(x, p.mean(x, { axes: bind("axes"), keepdims: true }))), {
      axes: bind("axes"),
      keepdims: bind("keepdims"),
    }),
    p.var(x, { axes: bind("axes"), keepdims: bind("keepdims"), correction: 0 }),
    // The formula is as accurate as var, though it takes another pass over x.
    { when: [floating(x)], changes: ["rounding", "domain"] },
  ),
];

const TRUTHS: readonly Op[] = [r.any, r.all, r.countNonzero];

const COUNT_RULES: readonly Rule[] = [
  rule(
    "countOfTruth",
    "sum(cast(b)) = countNonzero(b)",
    p.sum(p.cast(x, { dtype: r.countNonzero.state("bool", {})[0]! }), attrs),
    p.countNonzero(x, attrs),
    { when: [bool(x)] },
  ),
  rule(
    "countOfChoice",
    "sum(where(b, 1, 0)) = countNonzero(b)",
    p.sum(p.where(condition, 1, 0).as("inner"), attrs),
    p.countNonzero(condition, attrs),
    {
      when: [
        when<{ readonly condition: Expr; readonly inner: Expr }>(
          "the condition has the result's shape, and the result is int64",
          ({ condition, inner }) => sameShape(condition.shape, inner.shape) && inner.dtype === "int64",
        ),
      ],
    },
  ),
  rule(
    "truthOfTest",
    "any(x != 0) = any(x)",
    on(TRUTHS)(p.notEqual(x, 0).as("inner")),
    ({ x, inner }, node) =>
      sameShape(x.shape, inner.shape) ? makeExpr(node.op, [x], node.attrs) : decline("x is repeated"),
  ),
  rule(
    "truthOfCast",
    "any(cast(x, bool)) = any(x)",
    on(TRUTHS)(p.cast(x, { dtype: "bool" })),
    ({ x }, node) => makeExpr(node.op, [x], node.attrs),
  ),
  rule("anyOfNot", "any(!x) = !all(x)", p.any(single(p.logicalNot(x)), attrs), p.logicalNot(p.all(x, attrs))),
  rule("allOfNot", "all(!x) = !any(x)", p.all(single(p.logicalNot(x)), attrs), p.logicalNot(p.any(x, attrs))),
  rule(
    "countAboveZero",
    "countNonzero(x) > 0 = any(x)",
    p.greater(single(p.countNonzero(x, attrs)), 0),
    p.any(x, attrs),
  ),
  rule(
    "countNotZero",
    "countNonzero(x) != 0 = any(x)",
    p.notEqual(single(p.countNonzero(x, attrs)), 0),
    p.any(x, attrs),
  ),
  rule(
    "countIsZero",
    "(countNonzero(x) == 0) = !any(x)",
    p.equal(single(p.countNonzero(x, attrs)), 0),
    p.logicalNot(p.any(x, attrs)),
  ),
];

export const REDUCED_VALUES: readonly Rule[] = [...EXTREME_RULES, ...SUM_RULES, ...COUNT_RULES];
