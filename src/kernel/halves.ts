// Half-precision floats in kernels: they lie in memory as 16 bits, and are computed as float32, rounded after every primitive.
// That is correctly rounded for +, −, ×, ÷ and √: float32 has more than twice the digits and two (Figueroa).
// In: primitives of halves, their arguments as float32. Out: the same in types that machines have.

import type { RealDType } from "../core/dtype.ts";
import { InvariantError } from "../core/errors.ts";
import * as s from "./scalar.ts";

const bits32 = (value: number): s.Term => s.constant("uint32", value);
const single = (value: number): s.Term => s.constant("float32", value);

/** The float32 of a half's bits: its exponent is 112 less, which a product makes good, of subnormals too. */
export function decoded(half: s.Term): s.Term {
  const bits = s.convert(half, "uint32");
  const size = s.and(bits, bits32(0x7fff));
  const shifted = s.shl(size, bits32(13));
  const usual = s.bitcast(s.mul(s.bitcast(shifted, "float32"), single(2 ** 112)), "uint32");
  const special = s.or(shifted, bits32(0x7f800000));
  const sign = s.shl(s.and(bits, bits32(0x8000)), bits32(16));
  return s.bitcast(s.or(s.select(s.ge(size, bits32(0x7c00)), special, usual), sign), "float32");
}

/** The bits of a float32 that is a half. */
export function encoded(value: s.Term): s.Term {
  const bits = s.bitcast(value, "uint32");
  const size = s.and(bits, bits32(0x7fffffff));
  const scaled = s.mul(s.bitcast(size, "float32"), single(2 ** -112));
  const usual = s.shr(s.bitcast(scaled, "uint32"), bits32(13));
  const sign = s.and(s.shr(bits, bits32(16)), bits32(0x8000));
  const half = s.or(s.select(s.eq(size, bits32(0x7f800000)), bits32(0x7c00), usual), sign);
  // One NaN: which one arithmetic gives, machines do not agree on.
  return s.convert(s.select(s.gt(size, bits32(0x7f800000)), bits32(0x7e00), half), "uint16");
}

/** How numbers of a type are rounded: integers as wide as it, and digits that a half does not have. */
const ROUNDED = { float32: ["uint32", 13], float64: ["uint64", 42] } as const;

/** The nearest half, ties to even, of a float32 or float64, as a number of the same type. */
function rounded(value: s.Term): s.Term {
  const type = value.type as keyof typeof ROUNDED;
  const [whole, digits] = ROUNDED[type];
  const number = (x: number | bigint): s.Term => s.constant(whole, x);
  const size = s.abs(value);
  const bits = s.bitcast(size, whole);
  const last = s.and(s.shr(bits, number(digits)), number(1));
  const most = 2n ** BigInt(digits);
  const carried = s.add(bits, s.add(number(most / 2n - 1n), last));
  const usual = s.bitcast(s.sub(carried, s.and(carried, number(most - 1n))), type);
  // Added to this number, what is below the last digit of a subnormal half has no place.
  const step = s.constant(type, type === "float32" ? 0.5 : 2 ** 28);
  const small = s.sub(s.add(size, step), step);
  const isSmall = s.lt(size, s.constant(type, 2 ** -14));
  const finite = s.select(isSmall, small, usual);
  const isLarge = s.ge(size, s.constant(type, 65520));
  const near = s.select(isLarge, s.constant(type, Infinity), finite);
  return s.select(s.isNaN_(value), value, s.copysign(near, value));
}

/** A number of any type as the nearest half. From integers and float64 by way of float64, so that it is rounded once. */
const narrowed = (x: s.Term): s.Term =>
  x.type === "float32" ? rounded(x) : s.convert(rounded(s.convert(x, "float64")), "float32");

/** The half next to x in the direction of y, of the halves' bits: they are in order, from zero on. */
function following(x: s.Term, y: s.Term): s.Term {
  const bits = s.convert(encoded(x), "uint32");
  const isUp = s.eq(s.lt(x, y), s.gt(x, single(0)));
  const moved = s.select(isUp, s.add(bits, bits32(1)), s.sub(bits, bits32(1)));
  const smallest = s.select(s.gt(y, single(0)), bits32(1), bits32(0x8001));
  const next = decoded(s.convert(s.select(s.eq(x, single(0)), smallest, moved), "uint16"));
  return s.select(s.or(s.isNaN_(x), s.isNaN_(y)), s.add(x, y), s.select(s.eq(x, y), y, next));
}

/** What gives a half for halves. */
const EXACT: ReadonlySet<string> = new Set([
  ...[
    "neg",
    "abs",
    "min",
    "max",
    "copysign",
    "floor",
    "ceil",
    "trunc",
    "nearest",
    "fmod",
    "select",
    "rarely",
  ],
]);

/** An instruction, but for where its arguments are. */
interface Primitive {
  readonly prim: s.Prim | "load";
  readonly type: RealDType;
  readonly imm: number | bigint;
}

/** A comparison, or a conversion of halves to something else. */
export function otherFromHalves({ prim, type, imm }: Primitive, args: readonly s.Term[]): s.Term {
  if (prim === "convert") return s.convert(args[0]!, type);
  if (prim === "load" || prim === "bitcast") throw new InvariantError({ what: `${prim} of a half` });
  return { prim, type, args, imm };
}

/** A half, as float32. */
export function halfFrom({ prim, imm }: Primitive, args: readonly s.Term[]): s.Term {
  if (prim === "convert") return narrowed(args[0]!);
  if (prim === "nextafter") return following(args[0]!, args[1]!);
  if (prim === "load" || prim === "bitcast") throw new InvariantError({ what: `${prim} to a half` });
  const value: s.Term = { prim, type: "float32", args, imm };
  return EXACT.has(prim) ? value : rounded(value);
}
