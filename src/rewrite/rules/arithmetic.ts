// Sums, differences, products, quotients, signs: what has no effect goes, constants meet and stand on the right,
// negations move to where they cost nothing.
// Must hold: integers wrap, so what is exact for them often is not for floats: x + 0 loses −0, x − x loses NaN.
// A literal 0 is not −0 and a literal is never complex.

import { isComplex, isFloat, isInteger } from "../../core/dtype.ts";
import { Complex } from "../../core/numbers.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { full } from "../../lazy/lazyArray.ts";
import { add, divide, multiply, negative, reciprocal, subtract } from "../../ops/elementwise/arithmetic.ts";
import { OPS } from "../../ops/index.ts";
import { broadcastTo, scalar } from "../make.ts";
import { type Pattern, p, single, x, y, z } from "../pattern.ts";
import { type Compute, decline, floating, real, rule } from "../patternRule.ts";
import { type Change, functionRule, type Rule, type RuleContext } from "../rule.ts";
import {
  anyOne,
  anyZero,
  c,
  complex,
  isAsLarge,
  isPowerOfTwo,
  isVariable,
  numberOf,
  nx,
  ny,
  wrapsExactly,
} from "./conditions.ts";
import { MERGE } from "./merge.ts";

// What was added is subtracted again, what was multiplied is divided again. In: a sum or product, looked at as a flat
// list of what goes in and of what goes out. Out: the same without the pairs. Exact for integers, which wrap.
// Must hold: a list has at most MOST entries and goes through nodes that nothing else uses, so that a long chain
// costs each of its nodes a bounded amount.

const MOST = 16;
const REORDERED: readonly Change[] = ["rounding", "nan", "domain"];

/** The ops of a group: what joins, what takes away, what turns one around, and what is left of nothing. */
interface Group {
  readonly join: Op;
  readonly without: Op;
  readonly invert: Op;
  readonly nothing: 0 | 1;
}

const SUMS: Group = { join: add, without: subtract, invert: negative, nothing: 0 };
const PRODUCTS: Group = { join: multiply, without: divide, invert: reciprocal, nothing: 1 };

interface Entry {
  readonly node: Expr;
  readonly isOut: boolean;
}

/** The node as a list of entries, from left to right. */
function entriesOf(node: Expr, group: Group, context: RuleContext): Entry[] {
  const entries: Entry[] = parts({ node, isOut: false }, group)!;
  for (let at = 0; at < entries.length && entries.length < MOST; ) {
    const below = context.clients(entries[at]!.node) <= 1 ? parts(entries[at]!, group) : null;
    if (below === null) at++;
    else entries.splice(at, 1, ...below);
  }
  return entries;
}

function parts({ node, isOut }: Entry, { join, without, invert }: Group): Entry[] | null {
  const [left, right] = node.inputs;
  if (node.op === invert) return [{ node: left!, isOut: !isOut }];
  if (node.op !== join && node.op !== without) return null;
  const isRightOut = node.op === without ? !isOut : isOut;
  return [
    { node: left!, isOut },
    { node: right!, isOut: isRightOut },
  ];
}

/** Without the pairs; null where there is none. */
function cancelled(entries: readonly Entry[]): readonly Entry[] | null {
  const left = [...entries];
  for (let at = 0; at < left.length; at++) {
    const { node, isOut } = left[at]!;
    const other = left.findIndex((entry, i) => i > at && entry.node === node && entry.isOut !== isOut);
    if (other < 0) continue;
    left.splice(other, 1);
    left.splice(at--, 1);
  }
  return left.length === entries.length ? null : left;
}

function rebuilt(entries: readonly Entry[], { join, without, invert, nothing }: Group, like: Expr): Expr {
  const joined = (isOut: boolean): Expr | undefined =>
    entries
      .filter((entry) => entry.isOut === isOut)
      .map(({ node }) => node)
      .reduce<Expr | undefined>(
        (all, one) => (all === undefined ? one : makeExpr(join, [all, one])),
        undefined,
      );
  const [taken, out] = [joined(false), joined(true)];
  if (out === undefined) return taken ?? scalar(nothing, like.dtype);
  return taken === undefined ? makeExpr(invert, [out]) : makeExpr(without, [taken, out]);
}

const cancelRule = (
  name: string,
  equation: string,
  group: Group,
  changes: readonly Change[],
  takes: (node: Expr) => boolean,
): Rule =>
  functionRule(name, equation, {
    changes,
    tracks: [group.join, group.without],
    apply(node, context) {
      if (!takes(node)) return null;
      const left = cancelled(entriesOf(node, group, context));
      return left === null ? null : broadcastTo(rebuilt(left, group, node), node.shape);
    },
  });

/** The short ones need no flat list, and hold through nodes that others use too: nothing is computed twice. */
const CANCEL: readonly Rule[] = [
  ...wrapsExactly("addThenSubtract", "(x + y) - y = x", p.subtract(p.add(x, y), y), x, REORDERED),
  ...wrapsExactly("subtractThenAdd", "(x - y) + y = x", p.add(p.subtract(x, y), y), x, REORDERED),
  ...wrapsExactly("subtractDifference", "x - (x - y) = y", p.subtract(x, p.subtract(x, y)), y, REORDERED),
  ...wrapsExactly("subtractSum", "x - (x + y) = -y", p.subtract(x, p.add(x, y)), p.negative(y), REORDERED),
  rule("multiplyThenDivide", "(x * y) / y = x", p.divide(p.multiply(x, y), y), x, { changes: REORDERED }),
  rule("divideThenMultiply", "(x / y) * y = x", p.multiply(p.divide(x, y), y), x, { changes: REORDERED }),
  rule("divideByQuotient", "x / (x / y) = y", p.divide(x, p.divide(x, y)), y, { changes: REORDERED }),
  rule("divideByProduct", "x / (x * y) = 1 / y", p.divide(x, p.multiply(x, y)), p.reciprocal(y), {
    changes: REORDERED,
  }),
  rule(
    "divideProducts",
    "(x * y) / (z * y) = x / z",
    p.divide(p.multiply(x, y), p.multiply(z, y)),
    p.divide(x, z),
    { changes: REORDERED },
  ),
  cancelRule("cancelTerms", "x + … - x = …", SUMS, [], ({ dtype }) => isInteger(dtype)),
  cancelRule("cancelTermsFast", "x + … - x = …", SUMS, REORDERED, ({ dtype }) => !isInteger(dtype)),
  cancelRule("cancelFactors", "x * … / x = …", PRODUCTS, REORDERED, ({ dtype }) => !isComplex(dtype)),
];

/** Elements that change nothing, or leave nothing of the other operand. */
const NEUTRAL: readonly Rule[] = [
  rule("positive", "+x = x", p.positive(x), x),
  rule("stopGradient", "stopGradient(x) = x", p.stopGradient(x), x),
  rule("mark", "mark(x) = x", p.mark(x), x),
  rule("addNegativeZero", "x + -0 = x", p.add(x, -0), x),
  rule("addNegativeZeroComplex", "z + (-0-0j) = z", p.add(x, new Complex(-0, -0)), x),
  ...wrapsExactly("addZero", "x + 0 = x", p.add(x, anyZero), x, ["zeroSign"]),
  rule("subtractZero", "x - 0 = x", p.subtract(x, 0), x),
  rule("subtractZeroComplex", "z - (0+0j) = z", p.subtract(x, new Complex(0, 0)), x),
  rule("subtractZeroFast", "x - 0 = x", p.subtract(x, anyZero), x, { changes: ["zeroSign"] }),
  rule("negativeZeroMinus", "-0 - x = -x", p.subtract(-0, x), p.negative(x)),
  ...wrapsExactly("zeroMinus", "0 - x = -x", p.subtract(anyZero, x), p.negative(x), ["zeroSign"]),
  rule("multiplyOne", "x * 1 = x", p.multiply(x, 1), x),
  rule("multiplyOneComplex", "z * 1 = z", p.multiply(x, anyOne), x, {
    changes: ["zeroSign", "nan"],
    when: [complex(x)],
  }),
  rule("multiplyMinusOne", "x * -1 = -x", p.multiply(x, -1), p.negative(x)),
  rule("divideOne", "x / 1 = x", p.divide(x, 1), x),
  rule("divideOneComplex", "z / 1 = z", p.divide(x, anyOne), x, {
    changes: ["zeroSign", "nan"],
    when: [complex(x)],
  }),
  rule("divideMinusOne", "x / -1 = -x", p.divide(x, -1), p.negative(x)),
  ...wrapsExactly("multiplyZero", "x * 0 = 0", p.multiply(x, anyZero), 0, ["nan", "zeroSign"]),
  rule("zeroDivide", "0 / x = 0", p.divide(anyZero, x), 0, { changes: ["nan", "zeroSign"] }),
  ...wrapsExactly("subtractSelf", "x - x = 0", p.subtract(x, x), 0, ["nan"]),
  rule("divideSelf", "x / x = 1", p.divide(x, x), 1, { changes: ["nan", "rounding"] }),
];

/** Negations go outward through products, and into sums, differences and constants. */
const NEGATION: readonly Rule[] = [
  rule("negativeTwice", "-(-x) = x", p.negative(p.negative(x)), x),
  rule("addNegative", "x + -y = x - y", p.add(x, p.negative(y)), p.subtract(x, y)),
  rule("subtractNegative", "x - -y = x + y", p.subtract(x, p.negative(y)), p.add(x, y)),
  ...wrapsExactly(
    "negativeDifference",
    "-(x - y) = y - x",
    p.negative(single(p.subtract(x, y))),
    p.subtract(y, x),
    ["zeroSign"],
  ),
  ...wrapsExactly(
    "negativeAdd",
    "-(x + c) = -c - x",
    p.negative(single(p.add(nx, c))),
    p.subtract(p.negative(c), x),
    ["zeroSign"],
  ),
  ...wrapsExactly(
    "negativeMinus",
    "-x - c = -c - x",
    p.subtract(p.negative(nx), c),
    p.subtract(p.negative(c), x),
    ["zeroSign"],
  ),
  rule(
    "negativeProduct",
    "-(x * c) = x * -c",
    p.negative(single(p.multiply(nx, c))),
    p.multiply(x, p.negative(c)),
    {
      when: [real(x)],
    },
  ),
  rule("productOfNegative", "-x * c = x * -c", p.multiply(p.negative(nx), c), p.multiply(x, p.negative(c)), {
    when: [real(x)],
  }),
  rule(
    "negativeQuotient",
    "-(x / c) = x / -c",
    p.negative(single(p.divide(nx, c))),
    p.divide(x, p.negative(c)),
    {
      when: [real(x)],
    },
  ),
  rule("negativeOver", "-(c / x) = -c / x", p.negative(single(p.divide(c, nx))), p.divide(p.negative(c), x), {
    when: [real(x)],
  }),
  rule("overNegative", "c / -x = -c / x", p.divide(c, p.negative(nx)), p.divide(p.negative(c), x), {
    when: [real(x)],
  }),
  rule("quotientOfNegative", "-x / c = x / -c", p.divide(p.negative(nx), c), p.divide(x, p.negative(c)), {
    when: [real(x)],
  }),
  rule("multiplyNegative", "-x * y = -(x * y)", p.multiply(p.negative(nx), ny), outward(p.multiply(x, y)), {
    when: [real(x)],
  }),
  rule("divideNegative", "-x / y = -(x / y)", p.divide(p.negative(nx), ny), outward(p.divide(x, y)), {
    when: [real(x)],
  }),
  rule("divideByNegative", "y / -x = -(y / x)", p.divide(ny, p.negative(nx)), outward(p.divide(y, x)), {
    when: [real(x)],
  }),
];

/** A negation of fewer elements stays where it is. */
function outward(product: Pattern): Compute<{ readonly x: Expr }> {
  return ({ x: operand }, node) =>
    isAsLarge(operand, node) ? p.negative(product) : decline("the negation is of a smaller array");
}

const commutative = [...OPS.values()].filter(
  (op): op is Op => op.class === "elementwise" && op.commutative === true,
);

const ORDER: readonly Rule[] = [
  functionRule("constantRight", "c + x = x + c, and so for every commutative op", {
    tracks: commutative,
    someInput: new Set([full]),
    apply({ op, inputs: [left, right], attrs }) {
      return isVariable(left!) || !isVariable(right!) ? null : makeExpr(op, [right!, left!], attrs);
    },
  }),
];

export const ARITHMETIC: readonly Rule[] = [...NEUTRAL, ...NEGATION, ...CANCEL, ...MERGE, ...ORDER];

/** Quotients as products: late, so that rules on quotients see them as they were written. */
export const RECIPROCALS: readonly Rule[] = [
  rule("divideByPowerOfTwo", "x / c = x * (1 / c), c = ±2^k", p.divide(nx, c), ({ c: divisor }, { dtype }) =>
    isFloat(dtype) && isPowerOfTwo(divisor, dtype)
      ? p.multiply(x, 1 / numberOf(divisor))
      : decline("c is not ±2^k with a reciprocal in the dtype"),
  ),
  rule("divideByConstant", "x / c = x * (1 / c)", p.divide(nx, c), p.multiply(x, p.reciprocal(c)), {
    changes: ["rounding", "domain"],
    when: [floating(x)],
  }),
];
