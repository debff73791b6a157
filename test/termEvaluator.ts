// The meaning of scalar terms over floats, in plain JavaScript numbers: what tests of bodies compare with.
// In: terms and the values of their registers (booleans are 0 and 1). Out: their values.
// Must hold: float32 terms are rounded after every operation; only float and bool registers occur.

import type { Prim, Term } from "../src/kernel/scalar.ts";

type Meaning = (...args: number[]) => number;

/** Values of terms, in order. Terms are shared, so each is computed once. */
export function evaluate(terms: readonly Term[], registers: readonly number[]): number[] {
  const known = new Map<Term, number>();
  const compute = (term: Term): number => {
    const found = known.get(term);
    if (found !== undefined) return found;
    const value = step(term, term.args.map(compute), registers);
    known.set(term, value);
    return value;
  };
  return terms.map(compute);
}

function step(term: Term, args: readonly number[], registers: readonly number[]): number {
  if (term.prim === "register") return registers[Number(term.imm)]!;
  const value = term.prim === "const" ? Number(term.imm) : meaningOf(term.prim)(...args);
  return term.type === "float32" ? Math.fround(value) : value;
}

function meaningOf(prim: Prim): Meaning {
  const meaning = MEANINGS[prim];
  if (meaning === undefined) throw new Error(`no meaning over floats for ${prim}`);
  return meaning;
}

const truth = (holds: boolean): number => (holds ? 1 : 0);
const isNegative = (x: number): boolean => x < 0 || Object.is(x, -0);

/** A step on the number line of doubles: their bit patterns, read as integers, are in order. */
function nextafter(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (x === y) return y;
  if (x === 0) return y > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const away = y > x === x > 0;
  view.setBigInt64(0, view.getBigInt64(0) + (away ? 1n : -1n));
  return view.getFloat64(0);
}

/** To the nearest whole number, ties to even, zeros keep their sign. */
function nearest(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
  const rounded = Number.isFinite(x) ? floor + (up ? 1 : 0) : x;
  return rounded === 0 ? (isNegative(x) ? -0 : 0) : rounded;
}

const MEANINGS: { readonly [P in Prim]?: Meaning } = {
  neg: (x) => -x!,
  abs: Math.abs,
  not: (x) => 1 - x!,
  sqrt: Math.sqrt,
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  nearest,
  exp: Math.exp,
  expm1: Math.expm1,
  log: Math.log,
  log1p: Math.log1p,
  log2: Math.log2,
  log10: Math.log10,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  add: (x, y) => x! + y!,
  sub: (x, y) => x! - y!,
  mul: (x, y) => x! * y!,
  div: (x, y) => x! / y!,
  min: Math.min,
  max: Math.max,
  copysign: (x, y) => (isNegative(y!) ? -Math.abs(x!) : Math.abs(x!)),
  fmod: (x, y) => x! % y!,
  nextafter,
  pow: (x, y) => (x === 1 ? 1 : x! ** y!),
  atan2: Math.atan2,
  hypot: Math.hypot,
  and: (x, y) => x! & y!,
  or: (x, y) => x! | y!,
  xor: (x, y) => x! ^ y!,
  eq: (x, y) => truth(x === y),
  ne: (x, y) => truth(x !== y),
  lt: (x, y) => truth(x! < y!),
  le: (x, y) => truth(x! <= y!),
  gt: (x, y) => truth(x! > y!),
  ge: (x, y) => truth(x! >= y!),
  signbit: (x) => truth(isNegative(x!)),
  select: (condition, yes, no) => (condition === 1 ? yes! : no!),
  convert: (x) => x!,
};
