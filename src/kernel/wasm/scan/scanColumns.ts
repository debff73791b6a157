// Some columns of a scan across, down the rows of a block. In: a frame, and locals with the addresses of the columns in
// the carry's row, the next row and the row to write. Out: code, for vectors of columns or for one column. It keeps
// two values of each column: the carry, and what the rows of the block come to so far.

import type { Local } from "../assembler.ts";
import { VectorConstants, vectorBodies } from "../body.ts";
import { machineType } from "../scalarCode.ts";
import { type LaneCount, loadVector, pushSplat, storeVector, type VectorValue } from "../vectorCode.ts";
import { combined, fromLocals, pushPart, pushStart, type ScanFrame, setLocals, storePart } from "./frame.ts";

export interface Walkers {
  readonly carry: Local;
  readonly next: Local;
  readonly target: Local;
}

/** Each writes the code of one step. */
export interface Columns {
  readonly count: number;
  /** local = what a scan starts with */
  takeStart(): void;
  /** carry = the carry's row */
  takeCarry(): void;
  /** local = the next row */
  takeRow(): void;
  /** local = local ⊕ the next row */
  addRow(): void;
  /** Writes local. */
  store(): void;
  /** Writes carry ⊕ local. */
  storeWithCarry(): void;
}

export class VectorColumns implements Columns {
  readonly count: number;
  readonly #frame: ScanFrame;
  readonly #walkers: Walkers;
  readonly #lanes: LaneCount;
  readonly #constants: VectorConstants;
  /** Of each vector, in bytes. */
  readonly #offsets: readonly number[];
  readonly #carries: readonly Local[];
  readonly #locals: readonly Local[];

  constructor(frame: ScanFrame, walkers: Walkers, lanes: LaneCount, vectors: number) {
    this.count = vectors * lanes;
    this.#frame = frame;
    this.#walkers = walkers;
    this.#lanes = lanes;
    this.#constants = new VectorConstants(frame.w, frame.combine);
    this.#offsets = Array.from({ length: vectors }, (_, number) => number * lanes * frame.bytes);
    this.#carries = this.#offsets.map(() => frame.w.local("v128"));
    this.#locals = this.#offsets.map(() => frame.w.local("v128"));
  }

  takeStart(): void {
    const { shape, w, type, identity } = this.#frame;
    const push = shape.hasBefore ? this.#row(this.#walkers.carry) : () => pushSplat(w, type, identity[0]!);
    this.#set(this.#locals, push);
  }
  takeCarry(): void {
    this.#set(this.#carries, this.#row(this.#walkers.carry));
  }
  takeRow(): void {
    this.#set(this.#locals, this.#row(this.#walkers.next));
  }
  addRow(): void {
    const sums = this.#combined(this.#locals, this.#row(this.#walkers.next));
    this.#set(this.#locals, (number) => this.#frame.w.get(sums[number]!.local));
  }
  store(): void {
    const { type } = this.#frame;
    this.#store(this.#locals.map((local) => ({ local, type, maskBits: 32 })));
  }
  storeWithCarry(): void {
    this.#store(this.#combined(this.#carries, (number) => this.#frame.w.get(this.#locals[number]!)));
  }

  #row(address: Local): (number: number) => void {
    const { w, type } = this.#frame;
    return (number) => loadVector(w.get(address), type, this.#lanes, this.#offsets[number]!);
  }

  #set(locals: readonly Local[], push: (number: number) => void): void {
    locals.forEach((local, number) => {
      push(number);
      this.#frame.w.set(local);
    });
  }

  #combined(x: readonly Local[], y: (number: number) => void): VectorValue[] {
    const { w, combine } = this.#frame;
    const inputs = x.map((local, number) => ({
      load: (operand: number): 32 => {
        if (operand === 0) w.get(local);
        else y(number);
        return 32;
      },
      index: (): 32 => 32,
    }));
    const bodies = vectorBodies(w, combine, this.#lanes, this.#constants, inputs);
    return bodies.map((values) => values[combine.results[0]![0]!]!);
  }

  #store(values: readonly VectorValue[]): void {
    const { w } = this.#frame;
    values.forEach((value, number) =>
      storeVector(w, this.#walkers.target, value, this.#lanes, this.#offsets[number]!),
    );
  }
}

export class ScalarColumn implements Columns {
  readonly count = 1;
  readonly #frame: ScanFrame;
  readonly #walkers: Walkers;
  readonly #carry: readonly Local[];
  readonly #local: readonly Local[];

  constructor(frame: ScanFrame, walkers: Walkers) {
    this.#frame = frame;
    this.#walkers = walkers;
    const local = (): Local => frame.w.local(machineType(frame.type));
    this.#carry = frame.parts.map(local);
    this.#local = frame.parts.map(local);
  }

  takeStart(): void {
    setLocals(this.#frame, this.#local, (part) => pushStart(this.#frame, this.#walkers.carry, part));
  }
  takeCarry(): void {
    setLocals(this.#frame, this.#carry, (part) => pushPart(this.#frame, this.#walkers.carry, part));
  }
  takeRow(): void {
    setLocals(this.#frame, this.#local, (part) => pushPart(this.#frame, this.#walkers.next, part));
  }
  addRow(): void {
    const next = (part: 0 | 1): void => pushPart(this.#frame, this.#walkers.next, part);
    const sum = combined(this.#frame, fromLocals(this.#frame, this.#local), next);
    setLocals(this.#frame, this.#local, fromLocals(this.#frame, sum));
  }
  store(): void {
    this.#store(this.#local);
  }
  storeWithCarry(): void {
    const [carry, local] = [this.#carry, this.#local].map((locals) => fromLocals(this.#frame, locals));
    this.#store(combined(this.#frame, carry!, local!));
  }

  #store(value: readonly Local[]): void {
    for (const part of this.#frame.parts)
      storePart(this.#frame, this.#walkers.target, part, fromLocals(this.#frame, value));
  }
}
