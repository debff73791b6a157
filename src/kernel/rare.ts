// Which instructions of a program are needed always, and which only where the condition of a `rarely` holds.
// In: an expanded program. Out: steps in order; a rare step holds what its rare value alone needs.
// Must hold: an instruction that can fail or that reads operands is always run, as if there were no `rarely`.

import type { Instruction, ScalarProgram } from "./program.ts";

/** An instruction's number; with `rare` it is a `rarely`, and those steps are for its rare value. */
export interface Step {
  readonly at: number;
  readonly rare: readonly Step[] | null;
}

export function stepsOf(program: ScalarProgram): Step[] {
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
