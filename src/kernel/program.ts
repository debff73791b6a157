// A scalar program: terms laid out as a list of instructions, each value computed once.
// In: terms over operands. Out: instructions in order, where an argument is an earlier instruction.

import { type DType, infoOf, type RealDType } from "../core/dtype.ts";
import { numberText } from "../core/numbers.ts";
import { type ComplexTerm, type Prim, partsOf, register, type Term, type Value } from "./scalar.ts";

export interface Instruction {
  readonly prim: Prim | "load";
  readonly type: RealDType;
  /** Numbers of earlier instructions. */
  readonly args: readonly number[];
  /** const: the value; index: the axis; load: the operand. */
  readonly imm: number | bigint;
  /** load: 0 for the real, 1 for the imaginary part. */
  readonly part: 0 | 1;
  /** Which step of the operation asked for it: names the user's line when it fails. */
  readonly origin: number;
}

export interface ScalarProgram {
  /** Dtypes of the operands that `load` names. */
  readonly operands: readonly DType[];
  readonly instructions: readonly Instruction[];
  /** For every result the instructions that hold its parts. */
  readonly results: readonly (readonly number[])[];
}

/** Instructions in order; equal ones (same primitive, type and arguments) are one. */
export class InstructionList {
  readonly instructions: Instruction[] = [];
  readonly #known = new Map<string, number>();

  push(instruction: Instruction): number {
    const { prim, type, args, imm, part } = instruction;
    const immText = typeof imm === "number" ? numberText(imm) : `${imm}n`;
    // The argument's type matters to compare and convert, and follows from the argument itself.
    const key = `${prim} ${type} ${args.join(",")} ${immText} ${part}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const at = this.instructions.push(instruction) - 1;
    this.#known.set(key, at);
    return at;
  }

  /** Lays a term out. Recursion is as deep as one op's body, never as the expression. */
  emit(term: Term, origin: number, memo: Map<Term, number> = new Map()): number {
    if (term.prim === "register") return Number(term.imm);
    const done = memo.get(term);
    if (done !== undefined) return done;
    const args = term.args.map((argument) => this.emit(argument, origin, memo));
    const at = this.push({ prim: term.prim, type: term.type, args, imm: term.imm, part: 0, origin });
    memo.set(term, at);
    return at;
  }
}

/** Writes a program: operands, bodies over them, results. */
export class ProgramWriter {
  readonly #operands: DType[] = [];
  readonly #list = new InstructionList();
  readonly #results: number[][] = [];

  /** A value that is read from memory. */
  operand(dtype: DType, origin: number): Value {
    const number = this.#operands.push(dtype) - 1;
    return this.#load(dtype, number, origin);
  }

  #load(dtype: DType, number: number, origin: number): Value {
    const { part, slots } = infoOf(dtype);
    const load = (which: 0 | 1): Term =>
      register(
        part,
        this.#list.push({ prim: "load", type: part, args: [], imm: number, part: which, origin }),
      );
    return slots === 1 ? load(0) : { re: load(0), im: load(1) };
  }

  /** Lays a body's result out and gives it back as registers. */
  emit(value: Value, origin: number): Value {
    const memo = new Map<Term, number>();
    const emitted = partsOf(value).map((term) => register(term.type, this.#list.emit(term, origin, memo)));
    return emitted.length === 1 ? emitted[0]! : ({ re: emitted[0]!, im: emitted[1]! } satisfies ComplexTerm);
  }

  /** Marks a value, already emitted, as a result. */
  result(value: Value): number {
    return this.#results.push(partsOf(value).map((part) => Number(part.imm))) - 1;
  }

  finish(): ScalarProgram {
    return { operands: this.#operands, instructions: this.#list.instructions, results: this.#results };
  }
}

/** A program for one function of values, without operands of its own to share. */
export function programOf(
  dtypes: readonly DType[],
  body: (...values: Value[]) => readonly Value[],
): ScalarProgram {
  const writer = new ProgramWriter();
  const values = dtypes.map((dtype) => writer.operand(dtype, 0));
  for (const result of body(...values)) writer.result(writer.emit(result, 0));
  return writer.finish();
}

/** One instruction a line: `%2 = mul.float64 %0 %1`. */
export function programText(program: ScalarProgram, indent = ""): string {
  const lines = program.instructions.map(
    (instruction, at) => `${indent}%${at} = ${instructionText(instruction)}`,
  );
  const results = program.results.map((parts) => parts.map((at) => `%${at}`).join("+i·")).join(", ");
  return [...lines, `${indent}→ ${results}`].join("\n");
}

function instructionText({ prim, type, args, imm, part }: Instruction): string {
  const value = typeof imm === "number" ? numberText(imm) : `${imm}`;
  if (prim === "load") return `load.${type} ${value}${part === 1 ? ".im" : ""}`;
  if (prim === "const" || prim === "index") return `${prim}.${type} ${value}`;
  return `${prim}.${type} ${args.map((at) => `%${at}`).join(" ")}`;
}
