// pow(x, y) = e^(y ln|x|), with the logarithm and its product as pairs of float64 (math/pairLog.ts): the relative
// error of the logarithm is multiplied by y ln|x|, up to 745. In: any floats, or such as were float32 (short).
// Out: within 1 ulp, and the whole table of C's special values.

import {
  abs,
  add,
  and,
  div,
  eq,
  gt,
  le,
  lt,
  mul,
  ne,
  neg,
  not,
  or,
  rarely,
  select,
  sub,
  type Term,
  trunc,
} from "../scalar.ts";
import { LN2_HI, LN2_LO, POWER, TWO_THIRDS_LOWER, TWO_THIRDS_UPPER } from "./coefficients.ts";
import { farPower, powerOf, powerShort, powerValue, USUAL, USUAL_SINGLE } from "./exponential.ts";
import { lnPower, partsOf } from "./naturalLog.ts";
import { bitsOf, double, estrin, half, INFINITE, isOutside, NORMAL, square, upper, wide } from "./words.ts";

// ln x as a pair of float64: a short high part, whose products with short numbers are exact, and a low part.
// x = 2ᵏ(1 + f), s = f/(2 + f), z = s², ln x = k ln 2 + (2/3) s (3 + z + z²P(z)); s, z and the sum are pairs.
// In: x > 0, normal or not. Out: a relative error below 2⁻⁶⁵.

interface Pair {
  readonly high: Term;
  readonly low: Term;
}

const LIFT = 54;

function pairLog(x: Term): Pair {
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

export function pow64(x: Term, y: Term): Term {
  const size = abs(x);
  const log = pairLog(size);
  const upperY = upper(y);
  const product = mul(upperY, log.high);
  const rest = add(mul(sub(y, upperY), log.high), mul(y, log.low));
  const power = powerOf(product, rest);
  const far = farPower(product, power);
  const unusual = or(isOutside(x, NORMAL, INFINITE), not(le(abs(product), double(USUAL))));
  return rarely(unusual, withSpecials(x, y, far), powerValue(power));
}

export function pow32(x: Term, y: Term): Term {
  const { k, f } = partsOf(abs(x));
  const product = mul(y, lnPower(k, f));
  const power = powerValue(powerShort(product));
  const isFar = gt(abs(product), double(USUAL_SINGLE));
  const far = select(isFar, select(gt(product, double(0)), double(Infinity), double(0)), power);
  const unusual = or(isOutside(x, NORMAL, INFINITE), not(le(abs(product), double(USUAL_SINGLE))));
  return rarely(unusual, withSpecials(x, y, far), power);
}

/** The signed power, given |x|ʸ for finite y and |x| neither 0 nor ∞. */
function withSpecials(x: Term, y: Term, finite: Term): Term {
  const isInteger = eq(trunc(y), y);
  const isOdd = and(isInteger, ne(trunc(half(y)), half(y)));
  const size = select(isExtreme(x, y), extreme(abs(x), y), finite);
  const signed = select(and(lt(bitsOf(x), wide(0n)), isOdd), neg(size), size);
  // A finite negative number has no power that is not whole.
  const isInvalid = and(and(lt(x, double(0)), gt(x, double(-Infinity))), not(isInteger));
  const isUndefined = or(isInvalid, or(ne(x, x), ne(y, y)));
  return select(isOne(x, y), double(1), select(isUndefined, double(Number.NaN), signed));
}

const isInfinite = (x: Term): Term => eq(abs(x), double(Infinity));

/** x⁰ = 1ʸ = (−1)^±∞ = 1, whatever the other is, NaN too. */
const isOne = (x: Term, y: Term): Term =>
  or(or(eq(y, double(0)), eq(x, double(1))), and(eq(x, double(-1)), isInfinite(y)));

const isExtreme = (x: Term, y: Term): Term => or(or(eq(x, double(0)), isInfinite(x)), isInfinite(y));

/** Where |x| is 0 or ∞, or y infinite: ∞ if both are large or both are small, else 0. */
function extreme(size: Term, y: Term): Term {
  const bothLarge = and(gt(size, double(1)), gt(y, double(0)));
  const bothSmall = and(lt(size, double(1)), lt(y, double(0)));
  return select(or(bothLarge, bothSmall), double(Infinity), double(0));
}
