// Formulas as people write them out that are something shorter: sums of weighted exponentials, variances,
// choices by one condition, what is added to a part. In: what is written. Out: what it is.
// Must hold: what is `stabilize` is as accurate as what was written (docs/accuracy.md); what changes more says so.

import { sameShape } from "../../core/chunks.ts";
import { isInteger } from "../../core/dtype.ts";
import type { Scalar } from "../../core/numbers.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { reducedCount } from "../../ops/define.ts";
import {
  abs,
  add,
  maximum,
  minimum,
  multiply,
  negative,
  subtract,
} from "../../ops/elementwise/arithmetic.ts";
import { where } from "../../ops/elementwise/choice.ts";
import { exp, log, log1p } from "../../ops/elementwise/exponential.ts";
import { equal, lessEqual, logicalOr } from "../../ops/elementwise/logic.ts";
import { expShifted, expSumShifted } from "../../ops/exponentialSum.ts";
import { setSlice, slice } from "../../ops/moves/select.ts";
import { max, prod, sum, var as variance } from "../../ops/reductions.ts";
import { logSoftmaxOver } from "../../ops/softmax.ts";
import { scalar } from "../make.ts";
import { a, attrs, b, constant, nary, on, p, rest, single, variable, x, y, z } from "../pattern.ts";
import { decline, floating, integer, rule } from "../patternRule.ts";
import type { Rule } from "../rule.ts";
import { axesOf, numberOf, squeezed, wrapped } from "./conditions.ts";

const STABLE = { tags: ["stabilize"] };
const of = (op: Op, ...inputs: readonly Expr[]): Expr => makeExpr(op, inputs);

// Choices by one condition.

const CHEAP: readonly Op[] = [add, subtract, multiply, maximum, minimum];
const c = variable("c");

const CHOICES: readonly Rule[] = [
  rule(
    "whereOneCondition",
    "f(where(c, a, b), where(c, x, y)) = where(c, f(a, x), f(b, y))",
    on(CHEAP)(single(p.where(c, a, b)), single(p.where(c, x, y))),
    ({ c: by, a, b, x, y }, { op, shape }) =>
      [a, b, x, y].every((one) => sameShape(one.shape, shape) || one.shape.length === 0)
        ? of(where, by, of(op, a, x), of(op, b, y))
        : decline("a branch is stretched"),
  ),
];

// Constants that come out of functions.

const factor = constant(
  "k",
  (value) => Number.isFinite(numberOf(value)) && numberOf(value) !== 0,
  "k is not 0",
);
const atLeastOne = constant("k", (value) => numberOf(value) >= 1, "k >= 1");
const atMostMinusOne = constant("k", (value) => numberOf(value) <= -1, "k <= -1");
const positive = constant("k", (value) => numberOf(value) > 0 && Number.isFinite(numberOf(value)), "k > 0");

/** kⁿ, where it is a number. */
function powerOf(k: Scalar, count: number, node: Expr): Scalar | null {
  if (isInteger(node.dtype))
    return count < 64 ? wrapped(BigInt(k as bigint) ** BigInt(count), node.dtype) : null;
  const power = numberOf(k) ** count;
  return Number.isFinite(power) && power !== 0 ? power : null;
}

const FACTORS: readonly Rule[] = [
  rule("signOfMultiple", "sign(k · x) = sign(x), k >= 1", p.sign(p.multiply(x, atLeastOne)), p.sign(x), {
    when: [floating(x)],
  }),
  rule(
    "signOfNegativeMultiple",
    "sign(k · x) = sign(-x), k <= -1",
    p.sign(p.multiply(x, atMostMinusOne)),
    p.sign(p.negative(x)),
    { when: [floating(x)] },
  ),
  rule("signOfFraction", "sign(k · x) = sign(x), k > 0", p.sign(p.multiply(x, positive)), p.sign(x), {
    when: [floating(x)],
    changes: ["rounding", "domain"],
  }),
  rule(
    "prodOfNegative",
    "prod(-x) = (-1)ⁿ · prod(x)",
    p.prod(single(p.negative(x))),
    ({ x }, node) => {
      const product = makeExpr(prod, [x], node.attrs);
      return reducedCount(x.shape, axesOf(node)) % 2 === 0 ? product : of(negative, product);
    },
    { when: [floating(x)] },
  ),
  rule(
    "prodOfMultipleInteger",
    "prod(k · x) = kⁿ · prod(x)",
    p.prod(single(p.multiply(x, factor)).as("inner")),
    ({ x, k, inner }, node) => prodOfMultiple(x, k, inner, node),
    { when: [integer(x)] },
  ),
  rule(
    "prodOfMultiple",
    "prod(k · x) = kⁿ · prod(x)",
    p.prod(single(p.multiply(x, factor)).as("inner")),
    ({ x, k, inner }, node) => prodOfMultiple(x, k, inner, node),
    { when: [floating(x)], changes: ["rounding", "nan", "domain"] },
  ),
  rule(
    "logOfMultiple",
    "log(k · x) = log(k) + log(x), k > 0",
    p.log(p.multiply(x, positive)),
    ({ x, k }) => of(add, of(log, x), scalar(Math.log(numberOf(k)), x.dtype)),
    { when: [floating(x)], changes: ["rounding", "domain"] },
  ),
];

function prodOfMultiple(x: Expr, k: Scalar, inner: Expr, node: Expr): Expr | ReturnType<typeof decline> {
  const power = sameShape(x.shape, inner.shape)
    ? powerOf(k, reducedCount(x.shape, axesOf(node)), node)
    : null;
  if (power === null) return decline("x is stretched, or kⁿ is no number");
  return of(multiply, makeExpr(prod, [x], node.attrs), scalar(power, node.dtype));
}

// What is added to a part of an array.

const zeros = p.full().where(({ attrs: { value } }) => Object.is(Number(value), 0), "it is 0");

function addToPart(x: Expr, part: Expr, inner: Expr): Expr | ReturnType<typeof decline> {
  if (!sameShape(x.shape, inner.shape)) return decline("x is stretched");
  const taken = makeExpr(slice, [x], inner.attrs);
  return makeExpr(setSlice, [x, of(add, taken, part)], inner.attrs);
}

const PARTS: readonly Rule[] = [
  rule(
    "addSetZerosInteger",
    "x + zeros.set(a, y) = x.set(a, x[a] + y)",
    p.add(x, single(p.setSlice(zeros, y)).as("inner")),
    ({ x, y, inner }) => addToPart(x, y, inner),
    { when: [integer(x)] },
  ),
  rule(
    "addSetZeros",
    "x + zeros.set(a, y) = x.set(a, x[a] + y)",
    p.add(x, single(p.setSlice(zeros, y)).as("inner")),
    ({ x, y, inner }) => addToPart(x, y, inner),
    { when: [floating(x)], changes: ["zeroSign"] },
  ),
];

/** For the first stage. */
export const WRITTEN: readonly Rule[] = [...CHOICES, ...FACTORS, ...PARTS];

// Logarithms and exponentials.

/** Beyond, sums of exponentials may overflow. */
const LIMITS = { float64: 600, float32: 60 };

/** 0 where exponentials of numbers up to the largest fit; else the largest. */
function shiftOf(largest: Expr): Expr {
  const dtype = largest.dtype as "float64";
  const size = of(abs, largest);
  const isUsual = of(
    logicalOr,
    of(lessEqual, size, scalar(LIMITS[dtype], dtype)),
    of(equal, size, scalar(Infinity, dtype)),
  );
  return of(where, isUsual, scalar(0, dtype), largest);
}

const isShifted = ({ op, inputs }: Expr): boolean => op === subtract && inputs[1]!.op === where;
const total = (terms: readonly Expr[]): Expr => terms.reduce((one, other) => of(add, one, other));

/** log(e^a + e^b + …), shifted by the largest where that is far from 0; the logarithm of 1 is among them, if asked. */
function logOfExps(all: readonly Expr[]): Expr {
  const shift = shiftOf(all.reduce((one, other) => of(maximum, one, other)));
  return of(add, shift, of(log, total(all.map((one) => of(exp, of(subtract, one, shift))))));
}

const exponentsOf = (terms: readonly Expr[]): readonly Expr[] | null =>
  terms.every(({ op }) => op === exp) ? terms.map(({ inputs }) => inputs[0]!) : null;
const capped = (node: Expr): Expr => of(minimum, node, scalar(LIMITS[node.dtype as "float64"], node.dtype));
const isCapped = ({ op }: Expr): boolean => op === minimum;

function log1pOfExps(all: readonly Expr[]): Expr {
  const largest = all.reduce((one, other) => of(maximum, one, other));
  const limit = scalar(LIMITS[largest.dtype as "float64"], largest.dtype);
  const written = of(log1p, total(all.map((one) => of(exp, capped(one)))));
  return of(where, of(lessEqual, largest, limit), written, logOfExps(all));
}

const logarithmsOfWeighted = p.log(p.sum(single(p.multiply(z, p.exp(x))), attrs).as("total"));

const LOGARITHMS: readonly Rule[] = [
  rule("expSoftplus", "exp(softplus(x)) = 1 + exp(x)", p.exp(p.softplus(x)), p.add(p.exp(x), 1), STABLE),
  rule(
    "softplusLog",
    "softplus(log(x)) = log1p(x) where x >= 0, else nan",
    p.softplus(p.log(x)),
    p.where(p.greaterEqual(x, 0), p.log1p(p.abs(x)), Number.NaN),
    STABLE,
  ),
  rule(
    "log1pOfExps",
    "log1p(exp(x) + exp(y)) = log(1 + exp(x) + exp(y)), shifted by the largest where that is large",
    p.log1p(nary(add, [p.exp(x), p.exp(y)], rest("others"))),
    ({ x, y, others }) => {
      const exponents = exponentsOf(others);
      if (exponents === null) return decline("a term of the sum is no exponential");
      const all = [x, y, ...exponents];
      return all.every(isCapped) ? decline("no exponential can overflow") : log1pOfExps(all);
    },
    { ...STABLE, when: [floating(x)] },
  ),
  rule(
    "logOfOneAndExps",
    "log(1 + exp(x) + exp(y)) = log1p(exp(x) + exp(y))",
    p.log(nary(add, [1, p.exp(x), p.exp(y)], rest("others"))),
    ({ x, y, others }) => of(log1p, total([of(exp, x), of(exp, y), ...others])),
    STABLE,
  ),
  rule(
    "logOfWeightedExps",
    "log(sum(z · exp(x))) = m + log(sum(z · exp(x - m))), m = max(x) where that is far from 0, else 0",
    logarithmsOfWeighted,
    ({ x, z, total: whole }) => {
      if (isShifted(x) || x.shape.includes(0)) return decline("x is shifted, or has no elements");
      if (!sameShape(x.shape, whole.inputs[0]!.shape)) return decline("x is stretched");
      const axes = axesOf(whole);
      const shift = shiftOf(makeExpr(max, [x], { axes, keepdims: true }));
      const terms = of(multiply, z, of(exp, of(subtract, x, shift)));
      const outside = whole.attrs["keepdims"] === true ? shift : squeezed(shift, axes);
      return of(add, outside, of(log, makeExpr(sum, [terms], whole.attrs)));
    },
    { ...STABLE, changes: ["domain"], when: [floating(x)] },
  ),
  rule(
    "logOfTakenSoftmax",
    "log(takeAlongAxis(softmax(x), i)) = takeAlongAxis(logSoftmax(x), i)",
    p.log(p.takeAlongAxis(p.divide(on(expShifted)(x, y), on(expSumShifted)(x).as("total")), z).as("taken")),
    ({ x, z, total: whole, taken }) => makeExpr(taken.op, [logSoftmaxOver(x, axesOf(whole)), z], taken.attrs),
    { ...STABLE, changes: ["rounding"] },
  ),
];

/** For the stage that stabilizes. */
export const LOGARITHMS_WRITTEN: readonly Rule[] = LOGARITHMS;

// What is shorter and rounds otherwise.

/** Is a mean over some axes of x, as it stands, the same along these axes, and nothing else? */
function isMeanOver(mean: Expr, x: Expr, axes: readonly number[]): boolean {
  const wide = makeExpr(mean.op, [x], { axes, keepdims: true });
  return mean === wide || sameShape(broadcastShapeOf(mean, x), wide.shape) || axes.length === x.shape.length;
}

const broadcastShapeOf = (mean: Expr, x: Expr): readonly number[] => [
  ...new Array<number>(x.shape.length - mean.shape.length).fill(1),
  ...mean.shape,
];

const varianceOf = (x: Expr, node: Expr): Expr => makeExpr(variance, [x], { ...node.attrs, correction: 0 });

const SHORTER: readonly Rule[] = [
  rule("logOfReciprocal", "log(1 / x) = -log(x)", p.log(p.reciprocal(x)), p.negative(p.log(x)), {
    changes: ["rounding", "nan", "domain"],
    when: [floating(x)],
  }),
  rule(
    "meanOfOtherDeviations",
    "mean((x - mean(x))²) = var(x), the mean in any shape that fits",
    p.mean(p.square(p.subtract(x, p.mean(x).as("middle")))).as("whole"),
    ({ x, middle, whole }) => {
      const axes = axesOf(whole);
      const isOver = axesOf(middle).join() === axes.join() && isMeanOver(middle, x, axes);
      return isOver ? varianceOf(x, whole) : decline("the mean is over other axes");
    },
    { when: [floating(x)], changes: ["rounding", "domain"] },
  ),
  rule(
    "meanOfSquares",
    "mean(x²) - mean(x)² = var(x)",
    p.subtract(p.mean(p.square(x)).as("whole"), p.square(p.mean(x).as("middle"))),
    ({ x, middle, whole }) =>
      middle.attrs["keepdims"] === whole.attrs["keepdims"] && axesOf(middle).join() === axesOf(whole).join()
        ? varianceOf(x, whole)
        : decline("the means are over other axes"),
    { when: [floating(x)], changes: ["rounding", "nan", "domain"] },
  ),
  rule(
    "sigmoidOfDifference",
    "exp(x) / (exp(x) + exp(y)) = sigmoid(x - y)",
    p.divide(p.exp(x), p.add(p.exp(x), p.exp(y))),
    p.sigmoid(p.subtract(x, y)),
    { when: [floating(x)], changes: ["rounding", "domain"] },
  ),
];

/** Off by default. */
export const SHORTER_WRITTEN: readonly Rule[] = SHORTER;
