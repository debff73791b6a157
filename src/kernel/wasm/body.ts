// What one turn of a kernel's loop computes: a scalar program as code, for one lane or for a vector of lanes.
// In: a program, and where its operands and coordinates come from. Out: locals that hold the values, by the
// program's instructions. What is rarely needed is behind a branch.

import { infoOf, type RealDType } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import { byInstruction, expanded, type Instruction, type ScalarProgram, type Step } from "../program.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import { loadComplexPart } from "./complexLanes.ts";
import { emitScalar, loadName, machineType, pushConstant, storeName } from "./scalarCode.ts";
import {
  type LaneCount,
  loadLanes,
  loadSplat,
  loadVector,
  pushMask,
  pushSplat,
  storeVector,
  type VectorValue,
} from "./vectorCode.ts";
import { emitVector, selectVector } from "./vectorPrims.ts";

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

/** As many lanes as the widest type leaves room for; null where it must go lane by lane. */
export function lanesOf(program: ScalarProgram): LaneCount | null {
  const { instructions } = expanded(program).program;
  if (instructions.some(({ prim }) => prim === "quot" || prim === "rem")) return null;
  return instructions.some(({ type }) => infoOf(type).bytes === 8) ? 2 : 4;
}

export function scalarBody(w: FunctionWriter, program: ScalarProgram, inputs: ScalarInputs): Local[] {
  const expansion = expanded(program);
  const body = new ScalarBody(w, expansion.program, inputs);
  body.write(expansion.steps);
  return byInstruction(expansion, body.locals);
}

class ScalarBody {
  readonly locals: Local[] = [];
  readonly #w: FunctionWriter;
  readonly #instructions: readonly Instruction[];
  readonly #inputs: ScalarInputs;

  constructor(w: FunctionWriter, { instructions }: ScalarProgram, inputs: ScalarInputs) {
    this.#w = w;
    this.#instructions = instructions;
    this.#inputs = inputs;
  }

  write(steps: readonly Step[]): void {
    for (const { at, rare } of steps) {
      const instruction = this.#instructions[at]!;
      const local = this.#w.local(machineType(instruction.type));
      if (rare === null) this.#push(instruction);
      else this.#pushRarely(instruction, rare, local);
      this.#w.set(local);
      this.locals[at] = local;
    }
  }

  #push(instruction: Instruction): void {
    const { prim, type, args, imm, part } = instruction;
    if (prim === "load") return this.#inputs.load(Number(imm), type, part);
    if (prim === "const") return pushConstant(this.#w, type, imm);
    if (prim === "index") return this.#inputs.index(Number(imm));
    const locals = args.map((k) => this.locals[k]!);
    emitScalar(this.#w, instruction, this.#instructions[args[0]!]!.type, locals);
  }

  #pushRarely({ args }: Instruction, rare: readonly Step[], result: Local): void {
    const [condition, slow, usual] = args as [number, number, number];
    this.#w.get(this.locals[usual]!).set(result);
    this.#w.get(this.locals[condition]!).when(() => {
      this.write(rare);
      this.#w.get(this.locals[slow]!).set(result);
    });
    this.#w.get(result);
  }
}

/** A program's constants in vector locals, filled once, before the loops: those that are not for rare cases only. */
export class VectorConstants {
  readonly #locals = new Map<number, Local>();

  constructor(w: FunctionWriter, program: ScalarProgram) {
    const { steps, program: whole } = expanded(program);
    for (const { at } of steps) {
      const { prim, type, imm } = whole.instructions[at]!;
      if (prim !== "const") continue;
      const local = w.local("v128");
      pushSplat(w, type, imm);
      w.set(local);
      this.#locals.set(at, local);
    }
  }

  at(instruction: number): Local | undefined {
    return this.#locals.get(instruction);
  }
}

export function vectorBody(
  w: FunctionWriter,
  program: ScalarProgram,
  lanes: LaneCount,
  constants: VectorConstants,
  inputs: VectorInputs,
): VectorValue[] {
  return vectorBodies(w, program, lanes, constants, [inputs])[0]!;
}

/**
 * Several copies of the body, for vectors that come one after another. Their instructions alternate, so that none
 * waits for the one before it, and they look at their rare cases together.
 */
export function vectorBodies(
  w: FunctionWriter,
  program: ScalarProgram,
  lanes: LaneCount,
  constants: VectorConstants,
  inputs: readonly VectorInputs[],
): VectorValue[][] {
  const expansion = expanded(program);
  const bodies = new VectorBodies(w, expansion.program, lanes, constants, inputs);
  bodies.write(expansion.steps);
  return bodies.copies.map(({ values }) => byInstruction(expansion, values));
}

interface Copy {
  readonly inputs: VectorInputs;
  readonly values: VectorValue[];
}

class VectorBodies {
  readonly copies: readonly Copy[];
  readonly #w: FunctionWriter;
  readonly #instructions: readonly Instruction[];
  readonly #lanes: LaneCount;
  readonly #constants: VectorConstants;

  constructor(
    w: FunctionWriter,
    { instructions }: ScalarProgram,
    lanes: LaneCount,
    constants: VectorConstants,
    inputs: readonly VectorInputs[],
  ) {
    this.#w = w;
    this.#instructions = instructions;
    this.#lanes = lanes;
    this.#constants = constants;
    this.copies = inputs.map((own) => ({ inputs: own, values: [] }));
  }

  write(steps: readonly Step[]): void {
    for (const { at, rare } of steps) {
      const instruction = this.#instructions[at]!;
      if (rare !== null) this.#rarely(instruction, at, rare);
      else if (instruction.prim === "const") this.#constant(instruction, at);
      else for (const copy of this.copies) copy.values[at] = this.#computed(instruction, copy);
    }
  }

  #constant({ type, imm }: Instruction, at: number): void {
    const local = this.#constants.at(at) ?? this.#splat(type, imm);
    for (const { values } of this.copies) values[at] = { local, type, maskBits: 32, constant: imm };
  }

  #splat(type: RealDType, imm: number | bigint): Local {
    const local = this.#w.local("v128");
    pushSplat(this.#w, type, imm);
    this.#w.set(local);
    return local;
  }

  #computed(instruction: Instruction, copy: Copy): VectorValue {
    const maskBits = this.#push(instruction, copy);
    const local = this.#w.local("v128");
    this.#w.set(local);
    return { local, type: instruction.type, maskBits };
  }

  #push(instruction: Instruction, { inputs, values }: Copy): 32 | 64 {
    const { prim, type, args, imm, part } = instruction;
    if (prim === "load") return inputs.load(Number(imm), type, part);
    if (prim === "index") return inputs.index(Number(imm));
    return emitVector(
      this.#w,
      instruction,
      args.map((k) => values[k]!),
      this.#lanes,
    );
  }

  /** The usual values; if any lane's condition holds, the rare values for those lanes. */
  #rarely({ type, args }: Instruction, at: number, rare: readonly Step[]): void {
    const [condition, slow, usual] = args as [number, number, number];
    const w = this.#w;
    const results = this.copies.map(({ values }): VectorValue => {
      const local = w.local("v128");
      w.get(values[usual]!.local).set(local);
      return { local, type, maskBits: values[usual]!.maskBits };
    });
    this.#pushAny(condition);
    w.when(() => {
      this.write(rare);
      this.copies.forEach(({ values }, i) => {
        const parts = [condition, slow, usual].map((k) => values[k]!);
        selectVector(w, type, parts, results[i]!.maskBits);
        w.set(results[i]!.local);
      });
    });
    this.copies.forEach(({ values }, i) => {
      values[at] = results[i]!;
    });
  }

  /** Is a bool true in any lane of any copy? */
  #pushAny(condition: number): void {
    this.copies.forEach(({ values }, i) => {
      this.#w.get(values[condition]!.local);
      if (i > 0) this.#w.op("v128.or");
    });
    this.#w.op("v128.any_true");
  }
}

// One way to write a loop's body for single lanes and for vectors of lanes: the loop says what to load, compute
// and store, and `Lanes` says how. Must hold: a bool in a vector local is a mask of 32-bit lanes.

/** How an operand moves along the lanes: by one element, not at all, or somehow. */
export type LaneWalk = "unit" | "fixed" | "strided";

/** Where an operand's lanes are in memory. */
export interface LanePlace {
  readonly address: Local;
  readonly walk: LaneWalk;
  /** 2 where elements are pairs, as complex numbers are. */
  readonly slots: 1 | 2;
  /** Lanes from the address on. */
  readonly ahead: number;
  /** Bytes from lane to lane of a strided walk. */
  readonly stride?: Local;
}

/** Leaves the value of an operand's part on the stack. */
type PushOperand = (operand: number, type: RealDType, part: 0 | 1) => void;

export interface Lanes {
  /** How many lanes one value has. */
  readonly count: number;
  local(type: RealDType): Local;
  load(place: LanePlace, type: RealDType, part: 0 | 1): void;
  store(place: LanePlace, type: RealDType, value: Local): void;
  /** Locals of all parts of all results, one after another. */
  compute(program: ScalarProgram, push: PushOperand): Local[];
}

const noIndex = (): never => {
  throw new InvariantError({ what: "lanes without coordinates are asked for one" });
};

export class SingleLane implements Lanes {
  readonly count = 1;
  readonly #w: FunctionWriter;

  constructor(w: FunctionWriter) {
    this.#w = w;
  }

  local(type: RealDType): Local {
    return this.#w.local(machineType(type));
  }

  load({ address, slots, ahead }: LanePlace, type: RealDType, part: 0 | 1): void {
    this.#w.get(address).memory(loadName(type), (ahead * slots + part) * infoOf(type).bytes);
  }

  store({ address, ahead }: LanePlace, type: RealDType, value: Local): void {
    this.#w
      .get(address)
      .get(value)
      .memory(storeName(type), ahead * infoOf(type).bytes);
  }

  compute(program: ScalarProgram, push: PushOperand): Local[] {
    const values = scalarBody(this.#w, program, { load: push, index: noIndex });
    return program.results.flat().map((at) => values[at]!);
  }
}

export class VectorLanes implements Lanes {
  readonly count: LaneCount;
  readonly #w: FunctionWriter;
  readonly #constants: ReadonlyMap<ScalarProgram, VectorConstants>;

  /** Fills the programs' constants, so it is made before the loops. */
  constructor(w: FunctionWriter, count: LaneCount, programs: readonly ScalarProgram[]) {
    this.#w = w;
    this.count = count;
    this.#constants = new Map(programs.map((program) => [program, new VectorConstants(w, program)]));
  }

  local(_type: RealDType): Local {
    return this.#w.local("v128");
  }

  load(place: LanePlace, type: RealDType, part: 0 | 1): void {
    const { bytes } = infoOf(type);
    const { address, walk, slots, ahead } = place;
    if (walk === "strided") this.#gather(place, type, part);
    else if (walk === "fixed") {
      this.#w.get(address);
      loadSplat(this.#w, type, part * bytes);
    } else if (slots === 2) loadComplexPart(this.#w, address, type, part, this.count, 2 * ahead * bytes);
    else {
      this.#w.get(address);
      loadVector(this.#w, type, this.count, ahead * bytes);
    }
  }

  #gather({ address, ahead, stride }: LanePlace, type: RealDType, part: 0 | 1): void {
    loadLanes(this.#w, type, this.count, (lane) => {
      this.#w
        .get(address)
        .get(stride!)
        .i32(ahead + lane)
        .op("i32.mul")
        .op("i32.add");
      return part * infoOf(type).bytes;
    });
  }

  /** Leaves the value of the first lane on the stack, as a single lane holds it. Not for integers of less than 32 bits. */
  pushFirst(type: RealDType, value: Local): void {
    const machine = machineType(type);
    const shape = { f64: "f64x2", f32: "f32x4", i64: "i64x2", i32: "i32x4", v128: "" }[machine];
    this.#w.get(value).op(`${shape}.extract_lane`, 0);
    if (type === "bool") this.#w.i32(1).op("i32.and");
  }

  /** The lanes from a place on become the first. */
  shifted(type: RealDType, value: Local, by: number): Local {
    const first = by * (infoOf(type).bytes === 8 ? 8 : 4);
    const shifted = this.local(type);
    this.#w.get(value).get(value);
    this.#w.shuffle(Array.from({ length: 16 }, (_, k) => (first + k) % 16)).set(shifted);
    return shifted;
  }

  store({ address, ahead }: LanePlace, type: RealDType, local: Local): void {
    storeVector(this.#w, address, { local, type, maskBits: 32 }, this.count, ahead * infoOf(type).bytes);
  }

  compute(program: ScalarProgram, push: PushOperand): Local[] {
    const values = vectorBody(this.#w, program, this.count, this.#constants.get(program)!, {
      load: (operand, type, part) => {
        push(operand, type, part);
        return 32;
      },
      index: noIndex,
    });
    return program.results.flat().map((at) => {
      const value = values[at]!;
      if (value.type !== "bool" || value.maskBits === 32) return value.local;
      const narrow = this.local(value.type);
      pushMask(this.#w, value, 32);
      this.#w.set(narrow);
      return narrow;
    });
  }
}
