// An expansion uses only what vector instructions have, and no more of it than is promised.

import { describe, expect, test } from "vitest";
import type { RealDType } from "../../src/core/dtype.ts";
import type { Instruction, ScalarProgram } from "../../src/kernel/program.ts";
import type { Prim } from "../../src/kernel/scalar.ts";
import { TABLES } from "../../src/kernel/tables.ts";
import { PROMISES } from "./bounds.ts";
import { NAMES, programOfExpansion, TYPES } from "./evaluate.ts";

type Word = Prim | "load";

const FLOATS: readonly Word[] = [
  "add", "sub", "mul", "div", "neg", "abs", "min", "max", "sqrt", "floor", "ceil", "trunc", "nearest", "copysign",
]; // biome-ignore format: a table
const COMPARE: readonly Word[] = ["eq", "ne", "lt", "le", "gt", "ge"];
const WIDE: readonly Word[] = ["add", "sub", "and", "or", "xor", "shl", "shr"];

/** What may be applied to a type of argument. */
const ALLOWED: { readonly [T in RealDType]?: readonly Word[] } = {
  float64: [...FLOATS, ...COMPARE, "bitcast", "convert"],
  float32: ["convert"],
  int64: [...WIDE, ...COMPARE, "bitcast", "lookup", "convert"],
  uint64: ["shr", "convert"],
  bool: ["and", "or", "not", "select", "rarely"],
};
const NO_ARGUMENTS: readonly Word[] = ["load", "const"];
const CONVERSIONS: readonly string[] = ["float32 float64", "float64 float32", "int64 uint64", "uint64 int64"];

/** Values that functions find in tables on their usual path. */
const LOOKUPS: { readonly [name: string]: number } = { exp: 2, cosh: 2, pow: 2 };

const at = (program: ScalarProgram, i: number): Instruction => program.instructions[i]!;
const isConstant = (program: ScalarProgram, i: number): boolean => at(program, i).prim === "const";

/** Why an instruction is not allowed, if so. */
function complaint(program: ScalarProgram, { prim, type, args }: Instruction): string | undefined {
  if (NO_ARGUMENTS.includes(prim)) return undefined;
  const from = at(program, args[0]!).type;
  if (!ALLOWED[from]?.includes(prim)) return `${prim} of ${from}`;
  if (prim === "convert" && !CONVERSIONS.includes(`${from} ${type}`)) return `convert ${from} to ${type}`;
  if ((prim === "shl" || prim === "shr") && !isConstant(program, args[1]!)) return `${prim} by a variable`;
  return args.every((arg) => isConstant(program, arg)) ? `${prim} of constants only` : undefined;
}

/** The instructions that a result needs; `through` says which arguments of an instruction to follow. */
function needed(
  program: ScalarProgram,
  roots: readonly number[],
  through: (instruction: Instruction) => readonly number[],
): Set<number> {
  const found = new Set<number>();
  const visit = (i: number): void => {
    if (found.has(i)) return;
    found.add(i);
    through(at(program, i)).forEach(visit);
  };
  roots.forEach(visit);
  return found;
}

const all = ({ args }: Instruction): readonly number[] => args;
const withoutSlow = ({ prim, args }: Instruction): readonly number[] =>
  prim === "rarely" ? [args[0]!, args[2]!] : args;

/** Nothing is done where the same bits get another type. */
const isFree = ({ prim, type }: Instruction): boolean =>
  NO_ARGUMENTS.includes(prim) || prim === "bitcast" || (prim === "convert" && type.endsWith("int64"));

describe.each(TYPES)("%s", (type) => {
  test.each(NAMES)("%s has only what vectors have", (name) => {
    const program = programOfExpansion(name, type);
    const complaints = program.instructions.map((instruction) => complaint(program, instruction));
    expect(complaints.filter((text) => text !== undefined)).toEqual([]);
  });

  test.each(NAMES)("%s: the usual path is as short as promised", (name) => {
    const program = programOfExpansion(name, type);
    const usual = [...needed(program, program.results[0]!, withoutSlow)].map((i) => at(program, i));
    // Two loads a lane each: a table may stand for a long polynomial, not for more.
    expect(usual.filter(({ prim }) => prim === "lookup").length).toBeLessThanOrEqual(LOOKUPS[name] ?? 0);
    expect(usual.filter((instruction) => !isFree(instruction)).length).toBe(
      PROMISES.get(name)!.operations[type],
    );
  });

  test.each(NAMES)("%s: a slow path has no slow path", (name) => {
    const program = programOfExpansion(name, type);
    const slow = program.instructions.filter(({ prim }) => prim === "rarely").map(({ args }) => args[1]!);
    const nested = [...needed(program, slow, all)].filter((i) => at(program, i).prim === "rarely");
    expect(nested).toEqual([]);
  });
});

test("the windows of 2/π add up to 2/π", () => {
  const windows = TABLES[0]!;
  expect(windows.every((window) => Number.isInteger(window) && Math.abs(window) <= 2 ** 24)).toBe(true);
  const sum = [79, 54, 29].reduce((rest, place) => rest * 2 ** -25 + windows[place]!, 0);
  expect(sum).toBeCloseTo(2 / Math.PI, 15);
  expect(windows.length).toBeGreaterThan(1024 + 6 * 25);
});
