// Constants of a chain meet, where constant folding makes one of them, and equal factors are written once. In: sums
// and products with constants or with a common factor. Out: fewer operations. Exact for integers, which wrap.

import { isInteger } from "../../core/dtype.ts";
import { type Constant, constant, p, single, x, y, z } from "../pattern.ts";
import { decline, floating, integer, rule } from "../patternRule.ts";
import type { Change, Rule } from "../rule.ts";
import { c, d, isConstantPower, isPowerOfTwo, numberOf, nx, ny, wrapsExactly } from "./conditions.ts";

const ROUNDED: readonly Change[] = ["rounding", "nan"];
const REORDERED: readonly Change[] = ["rounding", "nan", "domain"];
const FAST = { changes: REORDERED };

/** Constants of a chain meet, where constant folding makes one of them. */
const CHAINS: readonly Rule[] = [
  ...wrapsExactly(
    "mergeAdd",
    "(x + c) + d = x + (c + d)",
    p.add(p.add(nx, c), d),
    p.add(x, p.add(c, d)),
    ROUNDED,
  ),
  ...wrapsExactly(
    "mergeAddSubtract",
    "(x + c) - d = x + (c - d)",
    p.subtract(p.add(nx, c), d),
    p.add(x, p.subtract(c, d)),
    ROUNDED,
  ),
  ...wrapsExactly(
    "mergeSubtractAdd",
    "(x - c) + d = x + (d - c)",
    p.add(p.subtract(nx, c), d),
    p.add(x, p.subtract(d, c)),
    ROUNDED,
  ),
  ...wrapsExactly(
    "mergeSubtract",
    "(x - c) - d = x - (c + d)",
    p.subtract(p.subtract(nx, c), d),
    p.subtract(x, p.add(c, d)),
    ROUNDED,
  ),
  ...wrapsExactly(
    "mergeFromAdd",
    "(c - x) + d = (c + d) - x",
    p.add(p.subtract(c, nx), d),
    p.subtract(p.add(c, d), x),
    ROUNDED,
  ),
  ...wrapsExactly(
    "mergeFromSubtract",
    "(c - x) - d = (c - d) - x",
    p.subtract(p.subtract(c, nx), d),
    p.subtract(p.subtract(c, d), x),
    ROUNDED,
  ),
  ...wrapsExactly(
    "mergeMinusSum",
    "c - (x + d) = (c - d) - x",
    p.subtract(c, p.add(nx, d)),
    p.subtract(p.subtract(c, d), x),
    ROUNDED,
  ),
  ...wrapsExactly(
    "mergeMinusFrom",
    "c - (d - x) = x + (c - d)",
    p.subtract(c, p.subtract(d, nx)),
    p.add(x, p.subtract(c, d)),
    ROUNDED,
  ),
  ...wrapsExactly(
    "mergeMinusDifference",
    "c - (x - d) = (c + d) - x",
    p.subtract(c, p.subtract(nx, d)),
    p.subtract(p.add(c, d), x),
    ROUNDED,
  ),
  rule(
    "mergeScales",
    "(x * c) * d = x * (c * d)",
    p.multiply(p.multiply(nx, scaleUp("c")), scaleUp("d")),
    ({ x: operand, c: first, d: second }) => {
      const both = numberOf(first) * numberOf(second);
      return isPowerOfTwo(both, operand.dtype) ? p.multiply(x, both) : decline("c * d overflows");
    },
    { when: [floating(x)] },
  ),
  ...wrapsExactly(
    "mergeMultiply",
    "(x * c) * d = x * (c * d)",
    p.multiply(p.multiply(nx, c), d),
    p.multiply(x, p.multiply(c, d)),
    REORDERED,
  ),
  rule(
    "mergeMultiplyDivide",
    "(x * c) / d = x * (c / d)",
    p.divide(p.multiply(nx, c), d),
    p.multiply(x, p.divide(c, d)),
    FAST,
  ),
  rule(
    "mergeDivideMultiply",
    "(x / c) * d = x * (d / c)",
    p.multiply(p.divide(nx, c), d),
    p.multiply(x, p.divide(d, c)),
    FAST,
  ),
  rule(
    "mergeDivide",
    "(x / c) / d = x / (c * d)",
    p.divide(p.divide(nx, c), d),
    p.divide(x, p.multiply(c, d)),
    FAST,
  ),
  rule(
    "mergeOverMultiply",
    "(c / x) * d = (c * d) / x",
    p.multiply(p.divide(c, nx), d),
    p.divide(p.multiply(c, d), x),
    FAST,
  ),
  rule(
    "mergeOverDivide",
    "(c / x) / d = (c / d) / x",
    p.divide(p.divide(c, nx), d),
    p.divide(p.divide(c, d), x),
    FAST,
  ),
  rule(
    "mergeOverProduct",
    "c / (x * d) = (c / d) / x",
    p.divide(c, p.multiply(nx, d)),
    p.divide(p.divide(c, d), x),
    FAST,
  ),
  rule(
    "mergeOverQuotient",
    "c / (x / d) = (c * d) / x",
    p.divide(c, p.divide(nx, d)),
    p.divide(p.multiply(c, d), x),
    FAST,
  ),
  rule(
    "mergeOverOver",
    "c / (d / x) = x * (c / d)",
    p.divide(c, p.divide(d, nx)),
    p.multiply(x, p.divide(c, d)),
    FAST,
  ),
  rule(
    "addConstantLast",
    "(x + c) + y = (x + y) + c",
    p.add(single(p.add(nx, c)), ny),
    p.add(p.add(x, y), c),
    { dtypes: isInteger, when: [integer(x)] },
  ),
  rule(
    "multiplyConstantLast",
    "(x * c) * y = (x * y) * c",
    p.multiply(single(p.multiply(nx, c)), ny),
    p.multiply(p.multiply(x, y), c),
    { dtypes: isInteger, when: [integer(x)] },
  ),
];

/** ±2ᵏ with k ≥ 0: such a product is exact, or infinite whatever comes after. */
function scaleUp<Name extends string>(name: Name): Constant<Name> {
  return constant(
    name,
    (value) => isConstantPower(value) && Math.abs(numberOf(value)) >= 1,
    `${name} is ±2^k, k >= 0`,
  );
}

const FACTORS: readonly Rule[] = [
  ...wrapsExactly(
    "factorSum",
    "x * y + x * z = x * (y + z)",
    p.add(single(p.multiply(x, y)), single(p.multiply(x, z))),
    p.multiply(x, p.add(y, z)),
    REORDERED,
  ),
  ...wrapsExactly(
    "factorDifference",
    "x * y - x * z = x * (y - z)",
    p.subtract(single(p.multiply(x, y)), single(p.multiply(x, z))),
    p.multiply(x, p.subtract(y, z)),
    REORDERED,
  ),
  ...wrapsExactly(
    "factorOne",
    "x * c + x = x * (c + 1)",
    p.add(single(p.multiply(x, c)), x),
    p.multiply(x, p.add(c, 1)),
    REORDERED,
  ),
];

export const MERGE: readonly Rule[] = [...CHAINS, ...FACTORS];
