// One way to write a loop's body for single lanes and for vectors of lanes: the loop says what to load, compute
// and store, and `Lanes` says how. Must hold: a bool in a vector local is a mask of 32-bit lanes.

import { infoOf, type RealDType } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import type { ScalarProgram } from "../program.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import { scalarBody, VectorConstants, vectorBody } from "./body.ts";
import { loadComplexPart } from "./complexLanes.ts";
import { loadLanes } from "./laneMemory.ts";
import { loadName, machineType, storeName } from "./scalarCode.ts";
import { type LaneCount, loadSplat, loadVector, pushMask, storeVector } from "./vectorCode.ts";

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
export type PushOperand = (operand: number, type: RealDType, part: 0 | 1) => void;

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
