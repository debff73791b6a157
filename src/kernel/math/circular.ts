// sin, cos, tan. |x| = n π/2 + r + t (math/angle.ts); sin and cos of r + t are exchanged and signed by n modulo 4:
//   sin(r + t) = r + (r³S(r²) + t cos r),  cos(r + t) = 1 − r²/2 + (r⁴C(r²) − t r).
// In: a float64. Out: sin and cos within 1 ulp, tan within 2, for every x; infinite x gives NaN. Oddness and
// evenness are exact, because everything but the sign is computed from |x|.

import { abs, add, and, div, eq, gt, mul, rarely, select, shl, sub, type Term, xor } from "../scalar.ts";
import { type Angle, angleOf, LARGEST } from "./angle.ts";
import { COS, SIN, TAN_D, TAN_N } from "./coefficients.ts";
import { hugeAngle } from "./huge.ts";
import { bitsOf, double, estrin, floatOf, half, SIGN_BIT, square, type Unary, wide } from "./words.ts";

/** f of |x|'s angle; `usual` may be a shorter way to it, where |x| is not huge. */
export function ofAngle(x: Term, f: (angle: Angle) => Term, usual: Unary = (a) => f(angleOf(a))): Term {
  const a = abs(x);
  return rarely(gt(a, double(LARGEST)), f(hugeAngle(a)), usual(a));
}

function sineAndCosine({ r, tail }: Angle): { sine: Term; cosine: Term } {
  const z = square(r);
  const halfSquare = half(z);
  const nearly = sub(double(1), halfSquare);
  const sine = add(r, add(mul(mul(r, z), estrin(z, SIN)), mul(tail, nearly)));
  const lost = sub(sub(double(1), nearly), halfSquare);
  const small = sub(mul(square(z), estrin(z, COS)), mul(r, tail));
  return { sine, cosine: add(nearly, add(lost, small)) };
}

const isEven: Unary = (n) => eq(and(n, wide(1n)), wide(0n));

/** x, negated where the sign bit of `bits` is set. */
export const flip = (x: Term, bits: Term): Term => floatOf(xor(bitsOf(x), and(bits, wide(SIGN_BIT))));

/** Bit 0 and bit 1 of n as a sign bit. */
export const bitZero: Unary = (n) => shl(n, wide(63n));
const bitOne: Unary = (n) => shl(n, wide(62n));

/** n = 0, 1, 2, 3: sin r, cos r, −sin r, −cos r; and x's sign. */
export function sinOf(x: Term, angle: Angle): Term {
  const { sine, cosine } = sineAndCosine(angle);
  return flip(select(isEven(angle.quadrant), sine, cosine), xor(bitOne(angle.quadrant), bitsOf(x)));
}

/** n = 0, 1, 2, 3: cos r, −sin r, −cos r, sin r. */
export function cosOf(angle: Angle): Term {
  const { sine, cosine } = sineAndCosine(angle);
  return flip(select(isEven(angle.quadrant), cosine, sine), bitOne(add(angle.quadrant, wide(1n))));
}

/** tan(r + t) = r + (r³N(r²)/D(r²) + t(1 + tan² r)), where tan² r ≈ r² + r⁴ is near enough. */
export function tanOf(x: Term, { quadrant, r, tail }: Angle): Term {
  const z = square(r);
  const ratio = div(mul(mul(r, z), estrin(z, TAN_N)), add(double(1), mul(z, estrin(z, TAN_D))));
  const correction = mul(tail, add(double(1), add(z, square(z))));
  return tanQuotient(x, quadrant, add(r, add(ratio, correction)), double(1));
}

/** above/below for even n and −below/above for odd n; and x's sign. */
export function tanQuotient(x: Term, n: Term, above: Term, below: Term): Term {
  const even = isEven(n);
  const ratio = div(select(even, above, below), select(even, below, above));
  return flip(ratio, xor(bitZero(n), bitsOf(x)));
}

export const sin64: Unary = (x) => ofAngle(x, (angle) => sinOf(x, angle));
export const cos64: Unary = (x) => ofAngle(x, cosOf);
export const tan64: Unary = (x) => ofAngle(x, (angle) => tanOf(x, angle));
