// Runs a scalar program over many lanes: each instruction over all of them before the next, and rare cases only
// where a lane has one. In: a program and a source of operand lanes. Out: a register (a typed array) per instruction.
// Must hold: a register has the typed array of its type, which rounds and wraps what is stored in it.

import { allocate, isWide, type RealDType, type TypedArray } from "../../core/dtype.ts";
import { byInstruction, expanded } from "../expand.ts";
import type { Instruction, ScalarProgram } from "../program.ts";
import type { Step } from "../rare.ts";
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
  else if (prim === "convert") convert(from, type, inputs[0]!, out, count);
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
