// Functions whose value is a float: fmod and nextafter. In: any floats. Out: exactly that float, by operations
// that are exact (fmod) or on the bits (nextafter).

import {
  abs,
  add,
  bitcast,
  constant,
  copysign,
  div,
  eq,
  fmod,
  gt,
  lt,
  mul,
  ne,
  not,
  or,
  rarely,
  select,
  sqrt,
  sub,
  type Term,
  trunc,
  xor,
  zero,
} from "../scalar.ts";
import { type Binary, double, fastTwoSum, isOutside, square, upper } from "./words.ts";

// hypot(x, y) = √(x² + y²). The squares are taken in halves, x² = h² + (x − h)(x + h) with h² exact, so that the
// sum has hardly more than its own rounding. In: any floats. Out: within 1 ulp; ∞ if either is infinite.

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

/** Quotients below have at most 26 bits: their products with half a mantissa are exact. */
const SHORT = 2 ** 26;
/** The same for the whole mantissa of a float32. */
const SHORT_SINGLE = 2 ** 29;
/** Up to here no product with a quotient overflows. */
const LARGE = 2 ** 1020;

/** What is left of a ≥ 0 after `taken`, which is one b too much where a/b was rounded up to a whole number. */
function rest(x: Term, b: Term, left: Term): Term {
  return copysign(select(lt(left, double(0)), add(left, b), left), x);
}

/**
 * a − qb = (a − q·upper(b)) − q·lower(b), q = trunc(a/b): the products are exact; the first difference, because
 * its operands are within a factor of 2 (or q is 0 or 1); the second, because its value is a float.
 */
export const fmod64: Binary = (x, y) => {
  const [a, b] = [abs(x), abs(y)];
  const ratio = div(a, b);
  const q = trunc(ratio);
  const high = upper(b);
  const left = sub(sub(a, mul(q, high)), mul(q, sub(b, high)));
  const isLarge = or(gt(a, double(LARGE)), gt(b, double(LARGE)));
  return rarely(or(isLarge, not(lt(ratio, double(SHORT)))), fmod(x, y), rest(x, b, left));
};

export const fmod32: Binary = (x, y) => {
  const [a, b] = [abs(x), abs(y)];
  const ratio = div(a, b);
  const unusual = or(eq(b, double(Infinity)), not(lt(ratio, double(SHORT_SINGLE))));
  return rarely(unusual, fmod(x, y), rest(x, b, sub(a, mul(trunc(ratio), b))));
};

/** Floats of one sign are in the order of their bits. */
export const nextafter: Binary = (x, y) => {
  const { type } = x;
  const bitsType = type === "float64" ? "int64" : "int32";
  const isInward = xor(gt(y, x), gt(x, zero(type)));
  const step = select(isInward, constant(bitsType, -1), constant(bitsType, 1));
  const moved = bitcast(add(bitcast(x, bitsType), step), type);
  const least = copysign(constant(type, type === "float64" ? 2 ** -1074 : 2 ** -149), y);
  const next = select(eq(x, zero(type)), least, moved);
  const isUndefined = or(ne(x, x), ne(y, y));
  return select(isUndefined, add(x, y), select(eq(x, y), y, next));
};
