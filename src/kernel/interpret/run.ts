// Runs a scalar program over many lanes: each instruction over all of them before the next.
// In: a program and a source of operand lanes. Out: one register (a typed array) per instruction.
// Must hold: a register has the typed array of its type, which rounds and wraps what is stored in it.

import { allocate, isWide, type RealDType, type TypedArray } from "../../core/dtype.ts";
import type { Instruction, ScalarProgram } from "../program.ts";
import { Trap } from "../routine.ts";
import type { Prim } from "../scalar.ts";
import { TABLES } from "../tables.ts";
import { conversion } from "./convert.ts";
import { numberFunction, WIDE_COMPARE, wideFunction } from "./lanes.ts";

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
  const registers: TypedArray[] = [];
  for (const instruction of program.instructions) {
    const out = allocate(instruction.type, count);
    try {
      runInstruction(instruction, registers, program, out, count, source);
    } catch (error) {
      if (error instanceof Trap) throw new LaneFailure(error, instruction.origin);
      throw error;
    }
    registers.push(out);
  }
  return registers;
}

function runInstruction(
  { prim, args, imm, part, type }: Instruction,
  registers: readonly TypedArray[],
  program: ScalarProgram,
  out: TypedArray,
  count: number,
  source: LaneSource,
): void {
  if (prim === "load") return source.load(Number(imm), part, out, count);
  if (prim === "index") return source.index(Number(imm), out, count);
  if (prim === "const") {
    (out as Float64Array).fill(imm as number);
    return;
  }
  const inputs = args.map((at) => registers[at]!);
  if (prim === "select" || prim === "rarely") return select(inputs, out, count);
  if (prim === "bitcast") return bitcast(inputs[0]!, out, count);
  if (prim === "lookup")
    return lookup(TABLES[Number(imm)]!, inputs[0] as BigInt64Array, out as Float64Array, count);
  const from = program.instructions[args[0]!]!.type;
  if (prim === "convert") return convert(from, type, inputs[0]!, out, count);
  compute(prim as Prim, from, inputs, out, count);
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
