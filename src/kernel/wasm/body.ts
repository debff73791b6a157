// What one turn of a kernel's loop computes: a scalar program as code, for one lane or for a vector of lanes.
// In: a program, and where its operands and coordinates come from. Out: locals that hold every instruction's value.

import { infoOf, type RealDType } from "../../core/dtype.ts";
import type { Instruction, ScalarProgram } from "../program.ts";
import type { Prim } from "../scalar.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import { emitScalar, machineType, pushConstant, SCALAR_PRIMS } from "./scalarCode.ts";
import { emitVector, type LaneCount, type VectorValue } from "./vectorCode.ts";

/** Each leaves a value on the stack. */
export interface ScalarInputs {
  load(operand: number, type: RealDType, part: 0 | 1): void;
  /** The coordinate as i64. */
  index(axis: number): void;
}

/** The same for a vector; what they give is how wide a bool's mask is. */
export interface VectorInputs {
  load(operand: number, type: RealDType, part: 0 | 1): 32 | 64;
  index(axis: number): 32 | 64;
}

/** False where a program has something that only the interpreter does. */
export function canCompile(program: ScalarProgram): boolean {
  const isKnown = ({ prim }: Instruction): boolean => prim === "load" || SCALAR_PRIMS.has(prim as Prim);
  return program.instructions.every(isKnown);
}

/** As many lanes as the widest type leaves room for; null where it must go lane by lane. */
export function lanesOf({ instructions }: ScalarProgram): LaneCount | null {
  if (instructions.some(({ prim }) => prim === "quot" || prim === "rem")) return null;
  return instructions.some(({ type }) => infoOf(type).bytes === 8) ? 2 : 4;
}

export function scalarBody(
  w: FunctionWriter,
  { instructions }: ScalarProgram,
  inputs: ScalarInputs,
): Local[] {
  const locals: Local[] = [];
  for (const instruction of instructions) {
    const { prim, type, args, imm, part } = instruction;
    if (prim === "load") inputs.load(Number(imm), type, part);
    else if (prim === "const") pushConstant(w, type, imm);
    else if (prim === "index") inputs.index(Number(imm));
    else
      emitScalar(
        w,
        instruction,
        instructions[args[0]!]!.type,
        args.map((k) => locals[k]!),
      );
    const local = w.local(machineType(type));
    w.set(local);
    locals.push(local);
  }
  return locals;
}

/** A program's constants in vector locals: filled once, before the loops. */
export class VectorConstants {
  readonly #locals = new Map<number, Local>();

  constructor(w: FunctionWriter, { instructions }: ScalarProgram) {
    instructions.forEach(({ prim, type, imm }, at) => {
      if (prim !== "const") return;
      const local = w.local("v128");
      if (type === "bool") w.i32(imm === 0 ? 0 : -1).op("i32x4.splat");
      else {
        pushConstant(w, type, imm);
        w.op(`${machineType(type)}x${machineType(type).endsWith("64") ? 2 : 4}.splat`);
      }
      w.set(local);
      this.#locals.set(at, local);
    });
  }

  at(instruction: number): Local {
    return this.#locals.get(instruction)!;
  }
}

export function vectorBody(
  w: FunctionWriter,
  { instructions }: ScalarProgram,
  lanes: LaneCount,
  constants: VectorConstants,
  inputs: VectorInputs,
): VectorValue[] {
  const values: VectorValue[] = [];
  instructions.forEach((instruction, at) => {
    const { prim, type, args, imm, part } = instruction;
    if (prim === "const") {
      values.push({ local: constants.at(at), type, maskBits: 32, constant: imm });
      return;
    }
    const maskBits =
      prim === "load"
        ? inputs.load(Number(imm), type, part)
        : prim === "index"
          ? inputs.index(Number(imm))
          : emitVector(
              w,
              instruction,
              args.map((k) => values[k]!),
              lanes,
            );
    const local = w.local("v128");
    w.set(local);
    values.push({ local, type, maskBits });
  });
  return values;
}
