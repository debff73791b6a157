// pow(x, y) = e^(y ln|x|), with the logarithm and its product as pairs of float64 (math/pairLog.ts): the relative
// error of the logarithm is multiplied by y ln|x|, up to 745. In: any floats, or such as were float32 (short).
// Out: within 1 ulp, and the whole table of C's special values.

import {
  abs,
  add,
  and,
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
import { farPower, powerOf, powerShort, powerValue, USUAL, USUAL_SINGLE } from "./exponential.ts";
import { lnPower, partsOf } from "./naturalLog.ts";
import { pairLog } from "./pairLog.ts";
import { bitsOf, double, half, INFINITE, isOutside, NORMAL, upper, wide } from "./words.ts";

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
