// What each primitive does to one lane, with JavaScript numbers (all types up to 32 bits and floats) or
// bigints (64-bit integers). The typed array that a result is stored in does the rounding to float32 and
// the wrapping of integers, so a function here may return the unwrapped value where that is exact.

import { isInteger, kindOf, type RealDType } from "../../core/dtype.ts";
import type { ElementaryPrim, Prim } from "../scalar.ts";
import { type TrapKind, trapOf } from "../traps.ts";
import { copysign, roundToEven } from "./ieee.ts";

export type Lane = number | bigint;
export type NumberFunction = (x: number, y: number) => number;
export type WideFunction = (x: bigint, y: bigint) => bigint;
type ComputedPrim = Exclude<
  Prim,
  ElementaryPrim | "const" | "register" | "index" | "select" | "rarely" | "convert" | "bitcast" | "lookup"
>;

const fail = (kind: TrapKind): never => {
  throw trapOf(kind);
};
const truth = (value: boolean): number => (value ? 1 : 0);

/** Integer results are exact before wrapping; only products of 32-bit integers are not, see `imul`. */
const NUMBER: { readonly [P in ComputedPrim]: NumberFunction } = {
  add: (x, y) => x + y,
  sub: (x, y) => x - y,
  mul: (x, y) => x * y,
  div: (x, y) => x / y,
  neg: (x) => -x,
  abs: (x) => Math.abs(x),
  min: (x, y) => Math.min(x, y),
  max: (x, y) => Math.max(x, y),
  sqrt: (x) => Math.sqrt(x),
  floor: (x) => Math.floor(x),
  ceil: (x) => Math.ceil(x),
  trunc: (x) => Math.trunc(x),
  nearest: roundToEven,
  copysign,
  fmod: (x, y) => x % y,
  quot: (x, y) => (y === 0 ? fail("division") : Math.trunc(x / y)),
  rem: (x, y) => (y === 0 ? fail("division") : x % y),
  ipow: (x, y) => (y < 0 ? fail("exponent") : wrappedPower(x, y)),
  and: (x, y) => x & y,
  or: (x, y) => x | y,
  xor: (x, y) => x ^ y,
  not: (x) => ~x,
  shl: (x, y) => (y < 0 ? fail("shift") : y > 31 ? 0 : x << y),
  shr: (x, y) => (y < 0 ? fail("shift") : x >> Math.min(y, 31)),
  eq: (x, y) => truth(x === y),
  ne: (x, y) => truth(x !== y),
  lt: (x, y) => truth(x < y),
  le: (x, y) => truth(x <= y),
  gt: (x, y) => truth(x > y),
  ge: (x, y) => truth(x >= y),
  signbit: (x) => truth(x < 0 || Object.is(x, -0) || (Number.isNaN(x) && nanSign(x))),
};

/** Comparisons of wide integers give a bool, so they are apart from the functions that give wide integers. */
export const WIDE_COMPARE: { readonly [P in Prim]?: (x: bigint, y: bigint) => number } = {
  eq: (x, y) => truth(x === y),
  ne: (x, y) => truth(x !== y),
  lt: (x, y) => truth(x < y),
  le: (x, y) => truth(x <= y),
  gt: (x, y) => truth(x > y),
  ge: (x, y) => truth(x >= y),
};

const WIDE: { readonly [P in Prim]?: WideFunction } = {
  add: (x, y) => x + y,
  sub: (x, y) => x - y,
  mul: (x, y) => x * y,
  neg: (x) => -x,
  abs: (x) => (x < 0n ? -x : x),
  min: (x, y) => (x < y ? x : y),
  max: (x, y) => (x > y ? x : y),
  quot: (x, y) => (y === 0n ? fail("division") : x / y),
  rem: (x, y) => (y === 0n ? fail("division") : x % y),
  ipow: (x, y) => (y < 0n ? fail("exponent") : wrappedWidePower(x, y)),
  and: (x, y) => x & y,
  or: (x, y) => x | y,
  xor: (x, y) => x ^ y,
  not: (x) => ~x,
  shl: (x, y) => (y < 0n ? fail("shift") : y > 63n ? 0n : x << y),
  shr: (x, y) => (y < 0n ? fail("shift") : x >> (y > 63n ? 63n : y)),
};

/** The function of a primitive on registers of a type. */
export function numberFunction(prim: Prim, type: RealDType): NumberFunction {
  if (prim === "mul" && isInteger(type)) return (x, y) => Math.imul(x, y);
  if (prim === "not" && type === "bool") return (x) => 1 - x;
  if (prim === "shl" && type === "uint32") return (x, y) => (y > 31 ? 0 : x << y);
  if (prim === "shr" && kindOf(type) === "uint") return (x, y) => (y > 31 ? 0 : x >>> y);
  return NUMBER[prim as ComputedPrim];
}

export function wideFunction(prim: Prim, type: RealDType): WideFunction {
  if (prim === "shr" && type === "uint64") return (x, y) => (y > 63n ? 0n : x >> y);
  return WIDE[prim]!;
}

const signWord = new DataView(new ArrayBuffer(8));
function nanSign(x: number): boolean {
  signWord.setFloat64(0, x);
  return signWord.getUint8(0) >= 128;
}

/** xʸ modulo 2³²: enough for every type up to 32 bits. */
function wrappedPower(x: number, y: number): number {
  let result = 1;
  let base = x;
  for (let rest = y; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = Math.imul(result, base);
    base = Math.imul(base, base);
  }
  return result;
}

function wrappedWidePower(x: bigint, y: bigint): bigint {
  let result = 1n;
  let base = x;
  for (let rest = y; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = BigInt.asIntN(64, result * base);
    base = BigInt.asIntN(64, base * base);
  }
  return result;
}
