// hypot(x, y) = √(x² + y²). The squares are taken in halves, x² = h² + (x − h)(x + h) with h² exact, so that the
// sum has hardly more than its own rounding. In: any floats. Out: within 1 ulp; ∞ if either is infinite.

import { abs, add, eq, gt, mul, ne, or, rarely, select, sqrt, sub, type Term } from "../scalar.ts";
import { double, fastTwoSum, isOutside, square, upper } from "./words.ts";

/** Bits of 2^−480 and 2^510: between, neither the larger square nor its lower half leaves the normal numbers. */
const LOW = BigInt(1023 - 480) << 52n;
const HIGH = BigInt(1023 + 510) << 52n;

/** x² − h², h the upper half of x. */
const lowerSquare = (x: Term, h: Term): Term => mul(sub(x, h), add(x, h));

/** √(a² + b²), a ≥ b ≥ 0. */
function root(a: Term, b: Term): Term {
  const [aUpper, bUpper] = [upper(a), upper(b)];
  const { sum, rest } = fastTwoSum(square(aUpper), square(bUpper));
  return sqrt(add(sum, add(rest, add(lowerSquare(a, aUpper), lowerSquare(b, bUpper)))));
}

const eitherInfinite = (a: Term, b: Term): Term => or(eq(a, double(Infinity)), eq(b, double(Infinity)));

/** The same for numbers whose squares would leave the normal ones. */
function scaledRoot(a: Term, b: Term): Term {
  const isLarge = gt(a, double(1));
  const scale = select(isLarge, double(2 ** -600), double(2 ** 600));
  const back = select(isLarge, double(2 ** 600), double(2 ** -600));
  const result = mul(root(mul(a, scale), mul(b, scale)), back);
  return select(eitherInfinite(a, b), double(Infinity), result);
}

export function hypot64(x: Term, y: Term): Term {
  const [p, q] = [abs(x), abs(y)];
  const isFirst = gt(p, q);
  const a = select(isFirst, p, q);
  const b = select(isFirst, q, p);
  return rarely(isOutside(a, LOW, HIGH), scaledRoot(a, b), root(a, b));
}

/** Squares of floats are exact in float64. */
export function hypot32(x: Term, y: Term): Term {
  const sum = add(square(x), square(y));
  const special = select(eitherInfinite(abs(x), abs(y)), double(Infinity), sum);
  return sqrt(rarely(ne(sum, sum), special, sum));
}
