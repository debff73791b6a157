// The scalar language: what one lane of a loop computes. An op's body is a function from terms to
// terms, so it is data for every later stage: the interpreter runs it, the code generator compiles it.
// A term is immutable and knows its register type; a complex number is a pair of terms.
// Must hold: arguments of an arithmetic term have one type (checked here, where a body is written).

import { isFloat, isWide, type RealDType } from "../core/dtype.ts";
import { InvariantError } from "../core/errors.ts";
import { unit } from "../core/numbers.ts";

/** What no machine has: math/index.ts writes them out in the other primitives. Floats only. */
export type ElementaryPrim =
  | "exp" | "expm1" | "log" | "log1p" | "log2" | "log10"
  | "sin" | "cos" | "tan" | "asin" | "acos" | "atan"
  | "sinh" | "cosh" | "tanh" | "asinh" | "acosh" | "atanh"
  | "pow" | "atan2" | "hypot" | "nextafter"; // biome-ignore format: a table
/** f(x): the type of x. Floats only, except neg, abs (numbers) and not (bool, integers). */
export type UnaryPrim = "neg" | "abs" | "not" | "sqrt" | "floor" | "ceil" | "trunc" | "nearest";
/** f(x, y): the type of both. */
export type BinaryPrim =
  | "add" | "sub" | "mul" | "min" | "max"
  | "div" | "copysign" | "fmod"
  | "quot" | "rem" | "ipow" | "shl" | "shr"
  | "and" | "or" | "xor"; // biome-ignore format: a table
/** f(x, y): bool. */
export type ComparePrim = "eq" | "ne" | "lt" | "le" | "gt" | "ge";
export type Prim =
  | ElementaryPrim
  | UnaryPrim
  | BinaryPrim
  | ComparePrim
  | "signbit"
  | "const"
  | "register"
  | "index"
  | "select"
  | "rarely"
  | "convert"
  | "bitcast"
  | "lookup"
  | "philox";

export interface Term {
  readonly prim: Prim;
  readonly type: RealDType;
  readonly args: readonly Term[];
  /** The value of a const, the number of a register, the axis of an index, the number of a table. */
  readonly imm: number | bigint;
}

export interface ComplexTerm {
  readonly re: Term;
  readonly im: Term;
}

/** What an op's body takes and gives: one register, or two for a complex number. */
export type Value = Term | ComplexTerm;

export const isComplexTerm = (value: Value): value is ComplexTerm => "re" in value;

/** The registers of a value, in memory order. */
export const partsOf = (value: Value): Term[] => (isComplexTerm(value) ? [value.re, value.im] : [value]);

const term = (prim: Prim, type: RealDType, args: readonly Term[], imm: number | bigint = 0): Term => ({
  prim,
  type,
  args,
  imm,
});

/** A constant; whole numbers are written as numbers for every type. */
export function constant(type: RealDType, value: number | bigint): Term {
  return term("const", type, [], isWide(type) ? BigInt(value) : Number(value));
}
export const zero = (type: RealDType): Term => term("const", type, [], unit(type, 0));
export const one = (type: RealDType): Term => term("const", type, [], unit(type, 1));
/** A register that the surrounding program has filled. */
export const register = (type: RealDType, number: number): Term => term("register", type, [], number);
/** The lane's coordinate along an axis of the loop, in the whole array: an int64. */
export const index = (axis: number): Term => term("index", "int64", [], axis);

function unary(prim: UnaryPrim | ElementaryPrim): (x: Term) => Term {
  return (x) => term(prim, x.type, [x]);
}
function binary(prim: BinaryPrim | ElementaryPrim): (x: Term, y: Term) => Term {
  return (x, y) => term(prim, sameType(prim, x, y), [x, y]);
}
function compare(prim: ComparePrim): (x: Term, y: Term) => Term {
  return (x, y) => {
    sameType(prim, x, y);
    return term(prim, "bool", [x, y]);
  };
}

function sameType(prim: Prim, x: Term, y: Term): RealDType {
  if (x.type === y.type) return x.type;
  throw new InvariantError({ what: `${prim} of ${x.type} and ${y.type}`, cure: "Convert one of them first" });
}

type Unary = (x: Term) => Term;
type Binary = (x: Term, y: Term) => Term;

export const neg: Unary = unary("neg");
export const abs: Unary = unary("abs");
export const not: Unary = unary("not");
export const sqrt: Unary = unary("sqrt");
export const floor: Unary = unary("floor");
export const ceil: Unary = unary("ceil");
export const trunc: Unary = unary("trunc");
/** To the nearest whole number, ties to even. */
export const nearest: Unary = unary("nearest");
export const exp: Unary = unary("exp");
export const expm1: Unary = unary("expm1");
export const log: Unary = unary("log");
export const log1p: Unary = unary("log1p");
export const log2: Unary = unary("log2");
export const log10: Unary = unary("log10");
export const sin: Unary = unary("sin");
export const cos: Unary = unary("cos");
export const tan: Unary = unary("tan");
export const asin: Unary = unary("asin");
export const acos: Unary = unary("acos");
export const atan: Unary = unary("atan");
export const sinh: Unary = unary("sinh");
export const cosh: Unary = unary("cosh");
export const tanh: Unary = unary("tanh");
export const asinh: Unary = unary("asinh");
export const acosh: Unary = unary("acosh");
export const atanh: Unary = unary("atanh");
export const add: Binary = binary("add");
export const sub: Binary = binary("sub");
export const mul: Binary = binary("mul");
/** IEEE division; floats only. */
export const div: Binary = binary("div");
/** NaN if either is NaN; −0 < +0. */
export const min: Binary = binary("min");
export const max: Binary = binary("max");
export const copysign: Binary = binary("copysign");
/** C's fmod: exact, sign of x. */
export const fmod: Binary = binary("fmod");
export const nextafter: Binary = binary("nextafter");
/** C's pow: pow(x, 0) = pow(1, y) = 1, NaN or not. */
export const pow: Binary = binary("pow");
export const atan2: Binary = binary("atan2");
export const hypot: Binary = binary("hypot");
/** Integer division towards zero; a zero divisor is a run-time error. */
export const quot: Binary = binary("quot");
/** Integer remainder with the sign of x; a zero divisor is a run-time error. */
export const rem: Binary = binary("rem");
/** Integer power, wrapping; a negative exponent is a run-time error. */
export const ipow: Binary = binary("ipow");
/** Shifts: at or past the width everything is shifted out; a negative count is a run-time error. */
export const shl: Binary = binary("shl");
export const shr: Binary = binary("shr");
export const and: Binary = binary("and");
export const or: Binary = binary("or");
export const xor: Binary = binary("xor");
export const eq: Binary = compare("eq");
export const ne: Binary = compare("ne");
export const lt: Binary = compare("lt");
export const le: Binary = compare("le");
export const gt: Binary = compare("gt");
export const ge: Binary = compare("ge");

/** The sign bit of a float, also of zeros and NaNs. */
export const signbit = (x: Term): Term => term("signbit", "bool", [x]);

export function select(condition: Term, yes: Term, no: Term): Term {
  if (condition.type !== "bool") throw new InvariantError({ what: `select on ${condition.type}` });
  return term("select", sameType("select", yes, no), [condition, yes, no]);
}

/**
 * select(condition, slow, usual) for a condition that hardly ever holds: compiled code may look at a whole
 * vector first and leave `slow` out. The value is select's.
 */
export function rarely(condition: Term, slow: Term, usual: Term): Term {
  return { ...select(condition, slow, usual), prim: "rarely" };
}

/** The same bits as a number of another type of the same width. */
export const bitcast = (x: Term, type: RealDType): Term => term("bitcast", type, [x]);

/** The float64 at a place (an int64 from 0 on) of a table of tables.ts. */
export const lookup = (table: number, place: Term): Term => term("lookup", "float64", [place], table);

/**
 * 64 random bits of a place, in a stream, by a key (philox.ts); all of them uint64. The stream and the key are the same
 * for all lanes.
 */
export const philox = (place: Term, stream: Term, key: Term): Term =>
  term("philox", "uint64", [place, stream, key]);

/** docs/semantics.md, "Casts". */
export const convert = (x: Term, type: RealDType): Term => (x.type === type ? x : term("convert", type, [x]));

/** Selection of whole values. */
export function selectValue(condition: Term, yes: Value, no: Value): Value {
  if (isComplexTerm(yes) && isComplexTerm(no)) {
    return { re: select(condition, yes.re, no.re), im: select(condition, yes.im, no.im) };
  }
  return select(condition, yes as Term, no as Term);
}

// Derived tests, used by many bodies.
export const isNaN_ = (x: Term): Term => (isFloat(x.type) ? ne(x, x) : constant("bool", 0));
export const isInf: Unary = (x) =>
  isFloat(x.type) ? eq(abs(x), constant(x.type, Infinity)) : constant("bool", 0);
export const isFinite_: Unary = (x) =>
  isFloat(x.type) ? lt(abs(x), constant(x.type, Infinity)) : constant("bool", 1);
export const isZero: Unary = (x) => eq(x, zero(x.type));
export const nonZero: Unary = (x) => (x.type === "bool" ? x : ne(x, zero(x.type)));
