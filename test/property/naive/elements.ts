// What elementwise functions do to elements, written out from the standard and docs/semantics.md. Only functions
// with one right answer: no transcendental ones, whose last digit is a matter of the implementation.
// In: elements of one dtype (float64: numbers, integers: bigints, bool: booleans). Out: an element, not yet wrapped.

import type { NaiveDType } from "./lists.ts";

export type Value = number | bigint | boolean;
type Rule<V> = (x: V, y: V) => Value;

/** One rule per kind of dtype; a missing one means that the function does not take it. */
export interface Rules {
  readonly float?: Rule<number>;
  readonly integer?: Rule<bigint>;
  readonly bool?: Rule<boolean>;
  /** Integers are computed as floats. */
  readonly floating?: true;
  readonly gives?: "bool";
}

export const kindOf = (dtype: NaiveDType): "float" | "integer" | "bool" =>
  dtype === "float64" ? "float" : dtype === "bool" ? "bool" : "integer";

const isNegative = (x: number): boolean => x < 0 || Object.is(x, -0);
const withSign = (x: number, y: number): number => (isNegative(x) === isNegative(y) ? x : -x);

function pythonRemainder(x: number, y: number): number {
  const rest = x % y;
  if (rest === 0) return withSign(0, y);
  return isNegative(rest) === isNegative(y) ? rest : rest + y;
}

/** NumPy's float floor division: CPython's, and by zero x / y. */
function pythonQuotient(x: number, y: number): number {
  if (y === 0) return x / y;
  const rest = x % y;
  const whole = (x - rest) / y - (rest !== 0 && rest < 0 !== y < 0 ? 1 : 0);
  if (whole === 0) return withSign(0, x / y);
  const low = Math.floor(whole);
  return whole - low > 0.5 ? low + 1 : low;
}

const floored = (x: bigint, y: bigint): bigint => (x - modulo(x, y)) / y;
const modulo = (x: bigint, y: bigint): bigint => ((x % y) + y) % y;

/** Ties to even. */
function nearest(x: number): number {
  const low = Math.floor(x);
  const distance = x - low;
  if (!Number.isFinite(x) || distance === 0) return x;
  const up = distance > 0.5 || (distance === 0.5 && low % 2 !== 0);
  return withSign(up ? low + 1 : low, x);
}

const larger = (x: number, y: number): number => (Number.isNaN(x) || Number.isNaN(y) ? NaN : Math.max(x, y));
const smaller = (x: number, y: number): number => (Number.isNaN(x) || Number.isNaN(y) ? NaN : Math.min(x, y));
const same = <V>(x: V): V => x;

const compared = (test: (x: Value, y: Value) => boolean): Rules => ({
  float: test,
  integer: test,
  bool: test,
  gives: "bool",
});
const logical = (test: (x: boolean, y: boolean) => boolean): Rules => {
  const rule = (x: Value, y: Value): boolean => test(isTrue(x), isTrue(y));
  return { float: rule, integer: rule, bool: rule, gives: "bool" };
};
const isTrue = (x: Value): boolean => Number.isNaN(x) || Boolean(x);
const tested = (test: (x: number) => boolean, otherwise: boolean): Rules => ({
  float: test,
  integer: () => otherwise,
  bool: () => otherwise,
  gives: "bool",
});

export const RULES: { readonly [name: string]: Rules } = {
  add: { float: (x, y) => x + y, integer: (x, y) => x + y },
  subtract: { float: (x, y) => x - y, integer: (x, y) => x - y },
  multiply: { float: (x, y) => x * y, integer: (x, y) => x * y },
  divide: { float: (x, y) => x / y, floating: true },
  floorDivide: { float: pythonQuotient, integer: floored },
  remainder: { float: pythonRemainder, integer: modulo },
  negative: { float: (x) => -x, integer: (x) => -x },
  positive: { float: same, integer: same },
  abs: { float: (x) => (isNegative(x) ? -x : x), integer: (x) => (x < 0n ? -x : x) },
  square: { float: (x) => x * x, integer: (x) => x * x },
  sign: {
    float: (x) => (x === 0 ? 0 : Number.isNaN(x) ? x : x < 0 ? -1 : 1),
    integer: (x) => (x < 0n ? -1n : x > 0n ? 1n : 0n),
  },
  reciprocal: { float: (x) => 1 / x, floating: true },
  sqrt: { float: (x) => Math.sqrt(x), floating: true },
  floor: { float: Math.floor, integer: same },
  ceil: { float: Math.ceil, integer: same },
  trunc: { float: Math.trunc, integer: same },
  round: { float: nearest, integer: same },
  maximum: { float: larger, integer: (x, y) => (x > y ? x : y), bool: (x, y) => x || y },
  minimum: { float: smaller, integer: (x, y) => (x < y ? x : y), bool: (x, y) => x && y },
  copysign: { float: withSign, floating: true },
  equal: compared((x, y) => x === y),
  notEqual: compared((x, y) => x !== y),
  less: compared((x, y) => x < y),
  lessEqual: compared((x, y) => x <= y),
  greater: compared((x, y) => x > y),
  greaterEqual: compared((x, y) => x >= y),
  logicalAnd: logical((x, y) => x && y),
  logicalOr: logical((x, y) => x || y),
  logicalXor: logical((x, y) => x !== y),
  logicalNot: logical((x) => !x),
  isnan: tested(Number.isNaN, false),
  isinf: tested((x) => Math.abs(x) === Infinity, false),
  isfinite: tested(Number.isFinite, true),
  signbit: { float: isNegative, integer: (x) => x < 0n, gives: "bool" },
  pow: { integer: (x, y) => x ** y },
  bitwiseAnd: { integer: (x, y) => x & y, bool: (x, y) => x && y },
  bitwiseOr: { integer: (x, y) => x | y, bool: (x, y) => x || y },
  bitwiseXor: { integer: (x, y) => x ^ y, bool: (x, y) => x !== y },
  bitwiseInvert: { integer: (x) => ~x, bool: (x) => !x },
  bitwiseLeftShift: { integer: (x, y) => x << y },
  bitwiseRightShift: { integer: (x, y) => x >> y },
};
