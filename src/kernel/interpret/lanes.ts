// What each primitive does to one lane, with JavaScript numbers (all types up to 32 bits and floats) or
// bigints (64-bit integers). The typed array that a result is stored in does the rounding to float32 and
// the wrapping of integers, so a function here may return the unwrapped value where that is exact.

import {
  allocate,
  isFloat,
  isInteger,
  isWide,
  kindOf,
  type RealDType,
  type TypedArray,
} from "../../core/dtype.ts";
import { integerRange } from "../../core/numbers.ts";
import { philoxLanes } from "../philox.ts";
import { byInstruction, expanded, type Instruction, type ScalarProgram, type Step } from "../program.ts";
import { Trap } from "../routine.ts";
import type { ElementaryPrim, Prim } from "../scalar.ts";
import { TABLES } from "../tables.ts";
import { type TrapKind, trapOf } from "../traps.ts";

// IEEE 754 functions that JavaScript lacks or defines otherwise.

const view = new DataView(new ArrayBuffer(8));

/** Ties go to the even neighbour; the sign of zero is kept. */
function roundToEven(x: number): number {
  const down = Math.floor(x);
  const rest = x - down;
  if (rest < 0.5 || x === down) return copysign(down, x);
  if (rest > 0.5) return copysign(down + 1, x);
  return copysign(down % 2 === 0 ? down : down + 1, x);
}

function copysign(x: number, y: number): number {
  view.setFloat64(0, y);
  const negative = view.getUint8(0) >= 128;
  return negative ? -Math.abs(x) : Math.abs(x);
}

export type Lane = number | bigint;
export type NumberFunction = (x: number, y: number) => number;
export type WideFunction = (x: bigint, y: bigint) => bigint;
type ComputedPrim = Exclude<
  Prim,
  | ElementaryPrim
  | "const"
  | "register"
  | "index"
  | "select"
  | "rarely"
  | "convert"
  | "bitcast"
  | "lookup"
  | "philox"
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

// Casts between register types (docs/semantics.md, "Casts"): float → integer truncates and saturates with
// NaN to 0, integer → integer wraps, → bool is "not zero". In and out: lanes as their typed arrays hold them.

function conversion(from: RealDType, to: RealDType): (x: Lane) => Lane {
  if (to === "bool") return isWide(from) ? (x) => (x === 0n ? 0 : 1) : (x) => (x === 0 ? 0 : 1);
  if (isFloat(from)) return isFloat(to) ? (x) => x : saturate(to);
  if (isWide(from)) return fromWide(to);
  return isWide(to) ? (x) => BigInt(x) : (x) => x;
}

function fromWide(to: RealDType): (x: Lane) => Lane {
  if (to === "float32") return (x) => singleOfBigInt(x as bigint);
  if (to === "float64") return (x) => Number(x);
  if (isWide(to)) return (x) => x;
  // The low 32 bits are all that a narrower typed array keeps.
  return (x) => Number(BigInt.asIntN(32, x as bigint));
}

function saturate(to: RealDType): (x: Lane) => Lane {
  const [low, high] = integerRange(to);
  if (isWide(to)) {
    return (x) =>
      Number.isNaN(x)
        ? 0n
        : x <= Number(low)
          ? low
          : x >= Number(high)
            ? high
            : BigInt(Math.trunc(x as number));
  }
  return (x) =>
    Number.isNaN(x) ? 0 : Math.min(Math.max(Math.trunc(x as number), Number(low)), Number(high));
}

/** A bigint to the nearest float32 with one rounding: beyond 2⁵³ the bits that a double drops are kept as a sticky one. */
function singleOfBigInt(x: bigint): number {
  const size = x < 0n ? -x : x;
  if (size < 1n << 53n) return Math.fround(Number(x));
  const sticky = (size & 0xfffn) === 0n ? 0n : 1n;
  const rounded = Math.fround(Number((size >> 12n) | sticky) * 4096);
  return x < 0n ? -rounded : rounded;
}

// Runs a scalar program over many lanes: each instruction over all of them before the next, and rare cases only
// where a lane has one. In: a program and a source of operand lanes. Out: a register (a typed array) per instruction.
// Must hold: a register has the typed array of its type, which rounds and wraps what is stored in it.

/** A data-dependent failure and the step that asked for the computation. */
export class LaneFailure extends Error {
  readonly trap: Trap;
  readonly origin: number;

  constructor(trap: Trap, origin: number) {
    super(trap.message);
    this.trap = trap;
    this.origin = origin;
  }
}

export interface LaneSource {
  /** Fills a register with one part of an operand. */
  load(operand: number, part: 0 | 1, into: TypedArray, count: number): void;
  /** Fills a register with the coordinates along an axis. */
  index(axis: number, into: TypedArray, count: number): void;
}

export function runProgram(program: ScalarProgram, count: number, source: LaneSource): TypedArray[] {
  const expansion = expanded(program);
  const run = new Run(expansion.program, count, source);
  run.steps(expansion.steps);
  return byInstruction(expansion, run.registers);
}

class Run {
  readonly registers: TypedArray[] = [];
  readonly #instructions: readonly Instruction[];
  readonly #count: number;
  readonly #source: LaneSource;

  constructor({ instructions }: ScalarProgram, count: number, source: LaneSource) {
    this.#instructions = instructions;
    this.#count = count;
    this.#source = source;
  }

  steps(steps: readonly Step[]): void {
    for (const { at, rare } of steps) {
      const instruction = this.#instructions[at]!;
      try {
        this.registers[at] = rare === null ? this.#computed(instruction) : this.#rarely(instruction, rare);
      } catch (error) {
        if (error instanceof Trap) throw new LaneFailure(error, instruction.origin);
        throw error;
      }
    }
  }

  #rarely({ type, args }: Instruction, rare: readonly Step[]): TypedArray {
    const [condition, , usual] = args.map((at) => this.registers[at]!);
    if (!(condition as Uint8Array).includes(1)) return usual!;
    this.steps(rare);
    const out = allocate(type, this.#count);
    select([condition!, this.registers[args[1]!]!, usual!], out, this.#count);
    return out;
  }

  #computed(instruction: Instruction): TypedArray {
    const { prim, args, imm, part, type } = instruction;
    const count = this.#count;
    const out = allocate(type, count);
    if (prim === "load") this.#source.load(Number(imm), part, out, count);
    else if (prim === "index") this.#source.index(Number(imm), out, count);
    else if (prim === "const") (out as Float64Array).fill(imm as number);
    else {
      const inputs = args.map((at) => this.registers[at]!);
      apply(instruction, this.#instructions[args[0]!]!.type, inputs, out, count);
    }
    return out;
  }
}

/** `from` is the type of the first argument. */
function apply(
  { prim, type, imm }: Instruction,
  from: RealDType,
  inputs: readonly TypedArray[],
  out: TypedArray,
  count: number,
): void {
  if (prim === "select") select(inputs, out, count);
  else if (prim === "bitcast") bitcast(inputs[0]!, out, count);
  else if (prim === "lookup")
    lookup(TABLES[Number(imm)]!, inputs[0] as BigInt64Array, out as Float64Array, count);
  else if (prim === "philox") {
    const [places, streams, keys] = inputs as BigUint64Array[];
    philoxLanes(places!, streams!, keys!, out as BigUint64Array, count);
  } else if (prim === "convert") convert(from, type, inputs[0]!, out, count);
  else compute(prim as Prim, from, inputs, out, count);
}

function compute(
  prim: Prim,
  type: RealDType,
  inputs: readonly TypedArray[],
  out: TypedArray,
  count: number,
): void {
  if (!isWide(type))
    return mapLanes(numberFunction(prim, type), inputs as Float64Array[], out as Float64Array, count);
  const compare = WIDE_COMPARE[prim];
  const wide = inputs as BigInt64Array[];
  if (compare !== undefined) mapLanes(compare, wide, out as Float64Array, count);
  else mapLanes(wideFunction(prim, type), wide, out as BigInt64Array, count);
}

function mapLanes<In, Out>(
  f: (x: In, y: In) => Out,
  inputs: readonly { readonly [i: number]: In }[],
  out: { [i: number]: Out },
  count: number,
): void {
  const x = inputs[0]!;
  const y = inputs[1] ?? x;
  for (let i = 0; i < count; i++) out[i] = f(x[i]!, y[i]!);
}

function select([condition, yes, no]: readonly TypedArray[], out: TypedArray, count: number): void {
  for (let i = 0; i < count; i++) out[i] = condition![i] ? yes![i]! : no![i]!;
}

function convert(from: RealDType, to: RealDType, input: TypedArray, out: TypedArray, count: number): void {
  const f = conversion(from, to);
  for (let i = 0; i < count; i++) out[i] = f(input[i]!);
}

function bitcast(input: TypedArray, out: TypedArray, count: number): void {
  const bytes = count * out.BYTES_PER_ELEMENT;
  new Uint8Array(out.buffer, out.byteOffset, bytes).set(
    new Uint8Array(input.buffer, input.byteOffset, bytes),
  );
}

function lookup(table: Float64Array, places: BigInt64Array, out: Float64Array, count: number): void {
  for (let i = 0; i < count; i++) out[i] = table[Number(places[i])]!;
}
