// Scalar programs on single values, by the backend that computes arrays: for constants, which are known before anything
// runs. In: values in numbered slots, and programs from slots to a slot. Out: the value of a slot.
// Must hold: values go from slot to slot as bits, so that what comes out is what a run would have stored, and a NaN's
// sign and payload are never lost on the way.

import { type Block, elementAt, slotAt, storeElement } from "../core/block.ts";
import { type DType, infoOf, type TypedArray } from "../core/dtype.ts";
import type { Scalar } from "../core/numbers.ts";
import type { Backend, Kernel } from "./backend.ts";
import { type BlockProgram, Borrowed } from "./blockProgram.ts";
import { LaneFailure } from "./interpret/lanes.ts";
import type { ScalarProgram } from "./program.ts";

/** Room for any value. */
const SLOT_BYTES = 16;

/** The one NaN that a constant can be: a number of JavaScript says no more than that it is one. */
const QUIET_NAN: { readonly [part: string]: bigint } = {
  float64: 0x7ff8000000000000n,
  float32: 0x7fc00000n,
};

const QUIET_HALF = 0x7e00;

/** Runs something with so many slots of a backend's memory. */
export type Calculating = <Result>(slots: number, run: (calculation: Calculation) => Result) => Result;

/** Must hold: the backend computes at once. */
export function calculatingOn(backend: Backend): Calculating {
  const kernels = new ScalarKernels(backend);
  return (slots, run) => {
    const borrowed = new Borrowed(backend);
    try {
      return run(new Calculation(kernels, borrowed, slots));
    } finally {
      borrowed.giveBack();
    }
  };
}

/** Programs on one value each, compiled once. */
class ScalarKernels {
  readonly #backend: Backend;
  readonly #known = new WeakMap<ScalarProgram, Kernel>();

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  get(program: ScalarProgram, result: DType): Kernel {
    let kernel = this.#known.get(program);
    if (kernel === undefined) {
      kernel = this.#backend.compile(onOneValue(program, result));
      this.#known.set(program, kernel);
    }
    return kernel;
  }
}

/** A loop over arrays of no dimension. */
function onOneValue(program: ScalarProgram, result: DType): BlockProgram {
  const inputs = program.operands.map((dtype) => ({ role: "input", dtype, shape: [] }) as const);
  const accesses = [...inputs, result].map((_, buffer) => ({ buffer, start: [], axes: [], steps: [] }));
  const [operands, results] = [accesses.slice(0, -1), accesses.slice(-1)];
  return {
    buffers: [...inputs, { role: "output", dtype: result, shape: [] }],
    steps: [{ kind: "loop", domain: [], from: [], operands, program, results }],
  };
}

export class Calculation {
  readonly #kernels: ScalarKernels;
  readonly #borrowed: Borrowed;
  /** The slots as bytes, */
  readonly #slots: Block;
  /** and as numbers of each type. */
  readonly #views = new Map<DType, TypedArray>();

  constructor(kernels: ScalarKernels, borrowed: Borrowed, slots: number) {
    this.#kernels = kernels;
    this.#borrowed = borrowed;
    this.#slots = borrowed.block("uint8", [slots * SLOT_BYTES]);
  }

  set(slot: number, value: Scalar, dtype: DType): void {
    storeElement(this.#view(dtype), dtype, (slot * SLOT_BYTES) / infoOf(dtype).bytes, value);
  }

  /** False for a NaN of which a constant would lose bits. */
  canSay(slot: number, dtype: DType): boolean {
    const view = this.#view(dtype);
    const first = (slot * SLOT_BYTES) / view.BYTES_PER_ELEMENT;
    for (let i = 0; i < infoOf(dtype).slots; i++) if (this.#isOddNaN(view, first + i, dtype)) return false;
    return true;
  }

  /** The value of a slot; null where no constant can say it. */
  get(slot: number, dtype: DType): Scalar | null {
    if (!this.canSay(slot, dtype)) return null;
    return elementAt(this.#view(dtype), dtype, (slot * SLOT_BYTES) / infoOf(dtype).bytes);
  }

  #isOddNaN(view: TypedArray, at: number, dtype: DType): boolean {
    const { part } = infoOf(dtype);
    if (!Number.isNaN(slotAt(view, part, at))) return false;
    const bits = new DataView(view.buffer, view.byteOffset + at * view.BYTES_PER_ELEMENT);
    if (part === "float16") return bits.getUint16(0, true) !== QUIET_HALF;
    const found = part === "float64" ? bits.getBigUint64(0, true) : BigInt(bits.getUint32(0, true));
    return found !== QUIET_NAN[part];
  }

  /** False where the program fails for these values, as a division by zero does. `dtype`: of the output. */
  run(program: ScalarProgram, inputs: readonly number[], output: number, dtype: DType): boolean {
    const blocks: Block[] = [];
    for (let i = 0; i < inputs.length; i++) blocks.push(this.#block(inputs[i]!, program.operands[i]!));
    blocks.push(this.#block(output, dtype));
    try {
      // At once: calculatingOn is given no other backends.
      void this.#kernels.get(program, dtype).run(blocks, this.#borrowed, 1);
      return true;
    } catch (error) {
      if (error instanceof LaneFailure) return false;
      throw error;
    }
  }

  #block(slot: number, dtype: DType): Block {
    const offset = (slot * SLOT_BYTES) / infoOf(dtype).bytes;
    return { dtype, shape: [], strides: [], offset, data: this.#view(dtype), place: this.#slots.place };
  }

  #view(dtype: DType): TypedArray {
    let view = this.#views.get(dtype);
    if (view === undefined) {
      const { array: ArrayOf } = infoOf(dtype);
      const { buffer, byteOffset, byteLength } = this.#slots.data;
      view = new ArrayOf(
        buffer as ArrayBuffer,
        byteOffset,
        byteLength / ArrayOf.BYTES_PER_ELEMENT,
      ) as TypedArray;
      this.#views.set(dtype, view);
    }
    return view;
  }
}
