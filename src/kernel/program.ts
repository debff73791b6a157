// A scalar program: terms laid out as a list of instructions, each value computed once.
// In: terms over operands. Out: instructions in order, where an argument is an earlier instruction.
// Must hold: no finished program has halves: they are written out in what machines have (halves.ts).

import { type DType, infoOf, type RealDType } from "../core/dtype.ts";
import { halfOf } from "../core/half.ts";
import { numberText } from "../core/numbers.ts";
import { decoded, encoded, halfFrom, otherFromHalves } from "./halves.ts";
import { EXPANSIONS } from "./math/index.ts";
import { type ComplexTerm, constant, type Prim, partsOf, register, type Term, type Value } from "./scalar.ts";

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

  /** Halves are written out in what machines have. */
  finish(): ScalarProgram {
    return withoutHalves({
      operands: this.#operands,
      instructions: this.#list.instructions,
      results: this.#results,
    });
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

/** A program with the bits of halves in uint16; itself where it has none. */
function withoutHalves(program: ScalarProgram): ScalarProgram {
  const hasHalves = program.instructions.some(({ type }) => type === "float16");
  return hasHalves ? new Halves(program).program() : program;
}

class Halves {
  readonly #source: ScalarProgram;
  readonly #list = new InstructionList();
  /** Where the value of each instruction is; of a half its bits. */
  readonly #places: number[] = [];
  /** Where the float32 of a half is, by its instruction. */
  readonly #singles = new Map<number, number>();

  constructor(source: ScalarProgram) {
    this.#source = source;
  }

  program(): ScalarProgram {
    this.#source.instructions.forEach((instruction, at) => {
      this.#places[at] = this.#placeOf(instruction, at);
    });
    const operands = this.#source.operands.map((dtype): DType => (dtype === "float16" ? "uint16" : dtype));
    const results = this.#source.results.map((parts) => parts.map((at) => this.#places[at]!));
    return { operands, instructions: this.#list.instructions, results };
  }

  #placeOf(instruction: Instruction, at: number): number {
    const { prim, type, args, imm, origin } = instruction;
    const isHalf = type === "float16";
    if (isHalf && prim === "load") return this.#list.push({ ...instruction, type: "uint16" });
    if (isHalf && prim === "const") {
      this.#singles.set(at, this.#list.emit(constant("float32", Number(imm)), origin));
      return this.#list.emit(constant("uint16", halfOf(Number(imm))), origin);
    }
    if (!isHalf && !args.some((arg) => this.#isHalf(arg)))
      return this.#list.push({ ...instruction, args: args.map((arg) => this.#places[arg]!) });
    const terms = args.map((arg) => this.#term(arg, origin));
    if (!isHalf) return this.#list.emit(otherFromHalves(instruction, terms), origin);
    const value = this.#list.emit(halfFrom(instruction, terms), origin);
    this.#singles.set(at, value);
    return this.#list.emit(encoded(register("float32", value)), origin);
  }

  #isHalf(at: number): boolean {
    return this.#source.instructions[at]!.type === "float16";
  }

  /** An argument, a half as float32. */
  #term(at: number, origin: number): Term {
    if (!this.#isHalf(at)) return register(this.#source.instructions[at]!.type, this.#places[at]!);
    const known = this.#singles.get(at);
    const place = known ?? this.#list.emit(decoded(register("uint16", this.#places[at]!)), origin);
    this.#singles.set(at, place);
    return register("float32", place);
  }
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

// Which instructions of a program are needed always, and which only where the condition of a `rarely` holds.
// In: an expanded program. Out: steps in order; a rare step holds what its rare value alone needs.
// Must hold: an instruction that can fail or that reads operands is always run, as if there were no `rarely`.

/** An instruction's number; with `rare` it is a `rarely`, and those steps are for its rare value. */
export interface Step {
  readonly at: number;
  readonly rare: readonly Step[] | null;
}

function stepsOf(program: ScalarProgram): Step[] {
  const pinned = program.instructions.flatMap((_, at) => (isPinned(program, at) ? [at] : []));
  return within(program, [...program.results.flat(), ...pinned], new Set());
}

/** Steps that give `wanted`, where the values in `outer` are there already. */
function within(program: ScalarProgram, wanted: readonly number[], outer: ReadonlySet<number>): Step[] {
  const needed = neededFor(program, wanted, outer);
  const known = new Set([...outer, ...needed]);
  return [...needed]
    .sort((a, b) => a - b)
    .map((at) => {
      const { prim, args } = program.instructions[at]!;
      return { at, rare: prim === "rarely" ? within(program, [args[1]!], known) : null };
    });
}

/** A value that two rare cases need is computed in each. */
function neededFor(
  { instructions }: ScalarProgram,
  wanted: readonly number[],
  outer: ReadonlySet<number>,
): Set<number> {
  const needed = new Set<number>();
  const open = [...wanted];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (needed.has(at) || outer.has(at)) continue;
    needed.add(at);
    open.push(...usualArguments(instructions[at]!));
  }
  return needed;
}

const usualArguments = ({ prim, args }: Instruction): readonly number[] =>
  prim === "rarely" ? [args[0]!, args[2]!] : args;

function isPinned({ instructions }: ScalarProgram, at: number): boolean {
  const { prim, args } = instructions[at]!;
  if (prim === "shl" || prim === "shr") return instructions[args[1]!]!.prim !== "const";
  return ["load", "index", "quot", "rem", "ipow"].includes(prim);
}

// A scalar program as it is run: elementary functions written out (math/index.ts), each value computed once, and
// what only a rare case needs set apart. Programs are kept and printed unexpanded, where a `sin` is one line.
// In: a scalar program. Out: the expanded one, made once. Must hold: whoever runs a program, the interpreter or
// compiled code, runs its expansion, so that the bits are the same.

interface Expanded {
  readonly program: ScalarProgram;
  /** Where the value of each instruction of the unexpanded program is. */
  readonly places: readonly number[];
  /** What to run, in order. */
  readonly steps: readonly Step[];
}

const known = new WeakMap<ScalarProgram, Expanded>();

export function expanded(program: ScalarProgram): Expanded {
  const found = known.get(program) ?? expand(program);
  known.set(program, found);
  return found;
}

function expand({ operands, instructions, results }: ScalarProgram): Expanded {
  const list = new InstructionList();
  const places: number[] = [];
  for (const instruction of instructions) {
    const args = instruction.args.map((at) => places[at]!);
    places.push(place(list, instruction, args));
  }
  const program: ScalarProgram = {
    operands,
    instructions: list.instructions,
    results: results.map((parts) => parts.map((at) => places[at]!)),
  };
  return { program, places, steps: stepsOf(program) };
}

function place(list: InstructionList, instruction: Instruction, args: readonly number[]): number {
  const expansion = EXPANSIONS.get(instruction.prim);
  if (expansion === undefined) return list.push({ ...instruction, args });
  const terms = args.map((at) => register(list.instructions[at]!.type, at));
  return list.emit(expansion(...terms), instruction.origin);
}

/** Values of the expanded program by the instructions of the unexpanded one; values that nobody needs are missing. */
export function byInstruction<V>({ places }: Expanded, values: readonly V[]): V[] {
  return places.map((at) => values[at]!);
}
