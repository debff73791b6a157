// A scalar program as it is run: elementary functions written out (math/index.ts), each value computed once, and
// what only a rare case needs set apart. Programs are kept and printed unexpanded, where a `sin` is one line.
// In: a scalar program. Out: the expanded one, made once. Must hold: whoever runs a program, the interpreter or
// compiled code, runs its expansion, so that the bits are the same.

import { EXPANSIONS } from "./math/index.ts";
import { type Instruction, InstructionList, type ScalarProgram, type Step, stepsOf } from "./program.ts";

import { register } from "./scalar.ts";

export interface Expanded {
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
