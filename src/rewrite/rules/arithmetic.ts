// Sums, differences, products, quotients, signs: what has no effect goes, constants meet and stand on the right,
// negations move to where they cost nothing.
// Must hold: integers wrap, so what is exact for them often is not for floats: x + 0 loses −0, x − x loses NaN.
// A literal 0 is not −0 and a literal is never complex.

import { isFloat } from "../../core/dtype.ts";
import { Complex } from "../../core/numbers.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { full } from "../../lazy/sources.ts";
import { OPS } from "../../ops/index.ts";
import { type Pattern, p, single, x, y } from "../pattern.ts";
import { type Compute, decline, floating, real, rule } from "../patternRule.ts";
import { functionRule, type Rule } from "../rule.ts";
import { CANCEL } from "./cancel.ts";
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

/** Elements that change nothing, or leave nothing of the other operand. */
const NEUTRAL: readonly Rule[] = [
  rule("positive", "+x = x", p.positive(x), x),
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
