// Programs that differ in their constants alone are a family: after the first few have kernels of their own, the rest
// share one, to which constants come as operands that stand still. To compile a kernel takes longer than to run it on few
// elements, and thousands of arrays may be asked for at once, each with its own constants.
// In: a program for few elements. Out: the family's program and the constants, or null where it gets its own kernel.

import type { Place } from "../../core/block.ts";
import type { RealDType } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import type { Instruction, ScalarProgram } from "../program.ts";
import type { Walk } from "./arrange.ts";
import { type Run, trap, type WasmKernel } from "./control.ts";
import type { KernelMemory } from "./memory.ts";
import { SCRATCH_BYTES, textOf } from "./module.ts";

// The kernels made so far. In: a key that says what a kernel does, and how to make its bytes. Out: the kernel,
// compiled once however often it is asked for.

const MAX_KERNELS = 2000;

export class Kernels {
  readonly #memory: KernelMemory;
  /** The calling thread's own. */
  readonly #scratch: number;
  readonly #known = new Map<string, WasmKernel>();
  #made = 0;

  constructor(memory: KernelMemory) {
    const scratch = memory.take(SCRATCH_BYTES, true);
    if (scratch === null) throw new InvariantError({ what: "there is no memory for a thread's scratch" });
    this.#memory = memory;
    this.#scratch = scratch.address;
  }

  get size(): number {
    return this.#known.size;
  }

  /** `bytesOf` is told whether the memory is shared, which a module has to say. */
  get(key: string, bytesOf: (isShared: boolean) => Uint8Array<ArrayBuffer>): WasmKernel {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_KERNELS) this.#forgetOldest();
    const kernel = this.#compiled(bytesOf(this.#memory.isShared));
    this.#known.set(key, kernel);
    return kernel;
  }

  #compiled(bytes: Uint8Array<ArrayBuffer>): WasmKernel {
    const code = this.#memory.take(bytes.length);
    if (code === null) throw new InvariantError({ what: "there is no memory for a kernel" });
    new Uint8Array(this.#memory.buffer, code.address, bytes.length).set(bytes);
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
      env: { memory: this.#memory.wasm, trap, scratch: this.#scratch },
    });
    return { number: ++this.#made, run: instance.exports["run"] as Run, code };
  }

  /** The first of a map is the one that was made first. */
  #forgetOldest(): void {
    for (const [key, { code }] of this.#known) {
      this.#known.delete(key);
      this.#memory.give(code);
      return;
    }
  }
}

interface Constant {
  readonly dtype: RealDType;
  readonly value: number | bigint;
}

export interface Family {
  /** Its last operands are the constants. */
  readonly program: ScalarProgram;
  readonly constants: readonly Constant[];
}

/** So many members of a family have kernels of their own, which are a little faster. */
const OWN_KERNELS = 2;
/** Families that are remembered; when there are more, all begin anew. */
const MOST_FAMILIES = 1000;
/** Each takes a few words of a kernel's parameters, beside what operands and results take. */
const MOST_CONSTANTS = 256;

const known = new WeakMap<ScalarProgram, Family>();

export class Families {
  /** By the text of a family, those of its members that have kernels. */
  readonly #members = new Map<string, Set<string>>();

  /** Null where the program has a kernel of its own, or is to get one. */
  of(program: ScalarProgram): Family | null {
    const family = known.get(program) ?? familyFor(program);
    known.set(program, family);
    if (family.constants.length === 0) return null;
    const text = textOf(family.program);
    const own = this.#members.get(text) ?? new Set();
    if (own.has(textOf(program))) return null;
    if (own.size >= OWN_KERNELS) return family;
    if (this.#members.size >= MOST_FAMILIES) this.#members.clear();
    this.#members.set(text, own.add(textOf(program)));
    return null;
  }
}

function familyFor(program: ScalarProgram): Family {
  const { operands, instructions, results } = program;
  const fixed = shiftCounts(instructions);
  const constants: Constant[] = [];
  const lifted = instructions.map((instruction, at): Instruction => {
    if (instruction.prim !== "const" || fixed.has(at) || constants.length >= MOST_CONSTANTS)
      return instruction;
    const { type, imm } = instruction;
    const operand = operands.length + constants.push({ dtype: type, value: imm }) - 1;
    return { ...instruction, prim: "load", imm: operand };
  });
  const dtypes = [...operands, ...constants.map(({ dtype }) => dtype)];
  return { program: { operands: dtypes, instructions: lifted, results }, constants };
}

/** A shift by a constant cannot fail, and is compiled so. */
function shiftCounts(instructions: readonly Instruction[]): Set<number> {
  const shifts = instructions.filter(({ prim }) => prim === "shl" || prim === "shr");
  return new Set(shifts.map(({ args }) => args[1]!));
}

/** Room for any constant. */
const CONSTANT_BYTES = 8;

/** Runs something while the constants lie in the kernels' memory; false where there is no room for them. */
export function withConstants(
  memory: KernelMemory,
  constants: Family["constants"],
  dims: number,
  run: (walks: readonly Walk[]) => void,
): boolean {
  const place = memory.take(constants.length * CONSTANT_BYTES);
  if (place === null) return false;
  try {
    const strides = new Array<number>(dims).fill(0);
    run(constants.map((constant, i) => walkOf(memory, constant, place, i * CONSTANT_BYTES, strides)));
    return true;
  } finally {
    memory.give(place);
  }
}

function walkOf(
  memory: KernelMemory,
  { dtype, value }: Constant,
  place: Place,
  behind: number,
  strides: readonly number[],
): Walk {
  const { data } = memory.blockAt(place, dtype, [], behind);
  (data as Float64Array)[0] = value as number;
  return { data, dtype, offset: 0, strides, place };
}
