// Runs expansions as the library does: a scalar program, interpreted over many lanes.
// In: the name of a primitive, a float type, arrays of arguments. Out: an array of values.

import { runProgram } from "../../src/kernel/interpret/lanes.ts";
import { EXPANSIONS } from "../../src/kernel/math/index.ts";
import { programOf, type ScalarProgram } from "../../src/kernel/program.ts";
import type { Prim, Term } from "../../src/kernel/scalar.ts";
import type { Written } from "./bounds.ts";
import { PROMISES } from "./bounds.ts";

export type Floats = Float64Array | Float32Array;

export const TYPES: readonly Written[] = ["float64", "float32"];
const TWO_ARGUMENTS: ReadonlySet<Prim> = new Set<Prim>(["atan2", "hypot", "pow"]);
export const NAMES: readonly Prim[] = [...PROMISES.keys()];

export const arityOf = (name: Prim): 1 | 2 => (TWO_ARGUMENTS.has(name) ? 2 : 1);

export function floatsOf(type: Written, values: ArrayLike<number>): Floats {
  return type === "float64" ? Float64Array.from(values) : Float32Array.from(values);
}

export function programOfExpansion(name: Prim, type: Written): ScalarProgram {
  const expand = EXPANSIONS.get(name)!;
  return programOf(Array(arityOf(name)).fill(type), (...x) => [expand(...(x as Term[]))]);
}

export function evaluate(name: Prim, type: Written, ...args: readonly ArrayLike<number>[]): Floats {
  const program = programOfExpansion(name, type);
  const operands = args.map((values) => floatsOf(type, values));
  const registers = runProgram(program, operands[0]!.length, {
    load: (operand, _part, into) => (into as Float64Array).set(operands[operand]!),
    index: () => {
      throw new Error("an expansion has no axes");
    },
  });
  return registers[program.results[0]![0]!] as Floats;
}

/** The value at one point. */
export const valueAt = (name: Prim, type: Written, ...x: readonly number[]): number =>
  evaluate(name, type, ...x.map((value) => [value]))[0]!;
