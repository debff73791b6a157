// ln x as a pair of float64: a short high part, whose products with short numbers are exact, and a low part.
// x = 2ᵏ(1 + f), s = f/(2 + f), z = s², ln x = k ln 2 + (2/3) s (3 + z + z²P(z)); s, z and the sum are pairs.
// In: x > 0, normal or not. Out: a relative error below 2⁻⁶⁵.

import { add, div, lt, mul, select, sub, type Term } from "../scalar.ts";
import { LN2_HI, LN2_LO, POWER, TWO_THIRDS_LOWER, TWO_THIRDS_UPPER } from "./coefficients.ts";
import { partsOf } from "./naturalLog.ts";
import { double, estrin, square, upper } from "./words.ts";

export interface Pair {
  readonly high: Term;
  readonly low: Term;
}

const LIFT = 54;

export function pairLog(x: Term): Pair {
  const isSubnormal = lt(x, double(2 ** -1022));
  const { k, f } = partsOf(select(isSubnormal, mul(x, double(2 ** LIFT)), x));
  const exponent = sub(k, select(isSubnormal, double(LIFT), double(0)));
  return withExponent(exponent, thirds(quotient(f)));
}

/** f/(2 + f) = high + low: what the division lost, exactly, over the denominator again. */
function quotient(f: Term): Pair {
  const denominator = add(f, double(2));
  const inverse = div(double(1), denominator);
  const high = upper(mul(f, inverse));
  const upperDenominator = upper(denominator);
  const lowerDenominator = add(sub(double(2), upperDenominator), f);
  const lost = sub(sub(f, mul(high, upperDenominator)), mul(high, lowerDenominator));
  return { high, low: mul(lost, inverse) };
}

/** (2/3) s (3 + z + z²P(z)) for s = high + low. */
function thirds(s: Pair): Pair {
  const sum = add(s.high, s.low);
  const zHigh = square(s.high);
  const zLow = mul(s.low, add(s.high, sum));
  const z = add(zHigh, zLow);
  const small = add(zLow, mul(square(z), estrin(z, POWER)));
  const high = upper(add(double(3), add(zHigh, small)));
  const low = sub(small, sub(sub(high, double(3)), zHigh));
  const product = mul(s.high, high);
  const rest = add(mul(s.low, high), mul(low, sum));
  return twoThirds(product, rest);
}

/** (2/3)(a + b), a exact. */
function twoThirds(a: Term, b: Term): Pair {
  const high = upper(add(a, b));
  const low = sub(b, sub(high, a));
  const rest = add(mul(high, double(TWO_THIRDS_LOWER)), mul(low, double(2 / 3)));
  return { high: mul(high, double(TWO_THIRDS_UPPER)), low: rest };
}

/** k ln 2 + m, the high part short. */
function withExponent(k: Term, m: Pair): Pair {
  const large = mul(k, double(LN2_HI));
  const small = add(m.low, mul(k, double(LN2_LO)));
  const high = upper(add(large, add(m.high, small)));
  return { high, low: sub(small, sub(sub(high, large), m.high)) };
}
