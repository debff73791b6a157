// Scalar programs on single values, by the kernels that compute arrays: for constants, which are known before anything
// runs. In: values in numbered slots, and programs from slots to a slot. Out: the value of a slot.
// Must hold: values go from slot to slot as bits, so that what comes out is what a run would have stored, and a NaN's
// sign and payload are never lost on the way.

import { type DType, infoOf, type TypedArray } from "../core/dtype.ts";
import { elementAt, slotAt, storeElement } from "../core/elements.ts";
import { RunError } from "../core/errors.ts";
import type { Scalar } from "../core/numbers.ts";
import { LaneFailure } from "./interpret/run.ts";
import type { ScalarProgram } from "./program.ts";
import type { Kernel } from "./wasm/control.ts";
import { loopKernelFor } from "./wasm/loops.ts";
import { giveBytes, memory, takeBytes } from "./wasm/memory.ts";
import { runJob } from "./wasm/threads.ts";

/** Room for any value. */
const SLOT_BYTES = 16;

/** The one NaN that a constant can be: a number of JavaScript says no more than that it is one. */
const QUIET_NAN: { readonly [part: string]: bigint } = {
  float64: 0x7ff8000000000000n,
  float32: 0x7fc00000n,
};

const QUIET_HALF = 0x7e00;

/** Runs something with so many slots of the kernels' memory. */
export function calculating<Result>(slots: number, run: (calculation: Calculation) => Result): Result {
  const place = takeBytes(slots * SLOT_BYTES);
  if (place === null)
    throw new RunError({
      what: `there is no memory left for ${slots} constants`,
      cure: "Let go of results that are no longer needed",
    });
  try {
    return run(new Calculation(place.address, slots));
  } finally {
    giveBytes(place);
  }
}

export class Calculation {
  readonly #at: number;
  readonly #bytes: number;
  readonly #buffer = memory.buffer;
  /** The slots as numbers of each type. */
  readonly #views = new Map<DType, TypedArray>();

  constructor(at: number, slots: number) {
    this.#at = at;
    this.#bytes = slots * SLOT_BYTES;
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

  /** False where the program fails for these values, as a division by zero does. */
  run(program: ScalarProgram, inputs: readonly number[], output: number): boolean {
    // The length of the one axis, then each address with its stride, then the first coordinate (wasm/loops.ts).
    const parameters = [1];
    for (let i = 0; i < inputs.length; i++) parameters.push(this.#at + inputs[i]! * SLOT_BYTES, 0);
    parameters.push(this.#at + output * SLOT_BYTES, 0, 0, 0);
    try {
      runJob(kernelFor(program), parameters, 1, 1, 1);
      return true;
    } catch (error) {
      if (error instanceof LaneFailure) return false;
      throw error;
    }
  }

  #view(dtype: DType): TypedArray {
    let view = this.#views.get(dtype);
    if (view === undefined) {
      const { array: ArrayOf } = infoOf(dtype);
      const length = this.#bytes / ArrayOf.BYTES_PER_ELEMENT;
      view = new ArrayOf(this.#buffer as ArrayBuffer, this.#at, length) as TypedArray;
      this.#views.set(dtype, view);
    }
    return view;
  }
}

const kernels = new WeakMap<ScalarProgram, Kernel>();

/** One place along an axis on which nobody moves: as a loop over arrays of no dimension. */
function kernelFor(program: ScalarProgram): Kernel {
  let kernel = kernels.get(program);
  if (kernel === undefined) {
    const walks = [...program.operands, ...program.results].map(() => "fixed" as const);
    kernel = loopKernelFor(program, 1, walks, 0, false);
    kernels.set(program, kernel);
  }
  return kernel;
}
