// Programs that differ in their constants alone are a family: after the first few have kernels of their own, the rest
// share one, to which constants come as operands that stand still. To compile a kernel takes longer than to run it on few
// elements, and thousands of arrays may be asked for at once, each with its own constants.
// In: a program for few elements. Out: the family's program and the constants, or null where it gets its own kernel.

import type { Place } from "../../core/block.ts";
import type { Shape } from "../../core/chunks.ts";
import type { DType, RealDType, TypedArray } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import type { Instruction, ScalarProgram } from "../program.ts";
import { type Run, trap, type WasmKernel } from "./control.ts";
import type { InnerWalk } from "./loopKernel.ts";
import type { KernelMemory } from "./memory.ts";
import { SCRATCH_BYTES, textOf } from "./module.ts";

// The best order of a loop's axes. In: a domain and how its accesses walk it. Out: the same places in another
// order: fewer axes, the first result's smallest steps innermost, and before that the axis along which the others
// that jump have their smallest steps. Elementwise work does not care which place comes first.

/** An access bound to memory. Offset and strides count elements; one stride for each axis of the domain. */
export interface Walk {
  readonly data: TypedArray;
  readonly dtype: DType;
  readonly offset: number;
  readonly strides: readonly number[];
  /** Of the block: none where it lies outside. */
  readonly place?: Place | undefined;
}

export interface Arranged {
  readonly domain: Shape;
  readonly walks: readonly Walk[];
}

/** `main` is the number of the access whose steps decide. */
export function arrange(domain: Shape, walks: readonly Walk[], main: number): Arranged {
  const long = domain.map((_, axis) => axis).filter((axis) => domain[axis] !== 1);
  const step = (axis: number): number => Math.abs(walks[main]!.strides[axis]!);
  // One element: an axis along which nobody moves.
  if (long.length === 0) return { domain: [1], walks: walks.map((walk) => ({ ...walk, strides: [0] })) };
  const order = long.sort((a, b) => step(b) - step(a));
  return join(inOrder({ domain, walks }, bringNear(order, walks)));
}

/** Puts the axis that the jumping accesses walk most closely just before the innermost. */
function bringNear(order: readonly number[], walks: readonly Walk[]): readonly number[] {
  if (order.length < 3) return order;
  const inner = order.at(-1)!;
  const jumping = walks.find(({ strides }) => walkOf(strides[inner]!) === "strided");
  if (jumping === undefined) return order;
  const step = (axis: number): number => Math.abs(jumping.strides[axis]!) || Number.POSITIVE_INFINITY;
  const near = order.slice(0, -1).reduce((best, axis) => (step(axis) < step(best) ? axis : best));
  return [...order.filter((axis) => axis !== near && axis !== inner), near, inner];
}

function inOrder({ domain, walks }: Arranged, order: readonly number[]): Arranged {
  return {
    domain: order.map((axis) => domain[axis]!),
    walks: walks.map((walk) => ({ ...walk, strides: order.map((axis) => walk.strides[axis]!) })),
  };
}

/** Neighbouring axes that every access walks as one become one. */
function join({ domain, walks }: Arranged): Arranged {
  const kept: number[] = [];
  const lengths: number[] = [];
  domain.forEach((length, axis) => {
    const last = kept.at(-1);
    const joins =
      last !== undefined && walks.every(({ strides }) => strides[last] === strides[axis]! * length);
    if (joins) {
      lengths[lengths.length - 1]! *= length;
      kept[kept.length - 1] = axis;
    } else {
      lengths.push(length);
      kept.push(axis);
    }
  });
  return {
    domain: lengths,
    walks: walks.map((walk) => ({ ...walk, strides: kept.map((axis) => walk.strides[axis]!) })),
  };
}

export function walkOf(stride: number): InnerWalk {
  return stride === 0 ? "fixed" : stride === 1 ? "unit" : "strided";
}

/** Some access jumps along the innermost axis and walks the one before it more closely. */
export function isTransposed({ domain, walks }: Arranged): boolean {
  if (domain.length < 2) return false;
  return walks.some(({ strides }) => {
    const [before, inner] = [Math.abs(strides.at(-2)!), Math.abs(strides.at(-1)!)];
    return before > 0 && inner > 1 && before < inner;
  });
}

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
    run(constants.map((constant, i) => constantWalk(memory, constant, place, i * CONSTANT_BYTES, strides)));
    return true;
  } finally {
    memory.give(place);
  }
}

function constantWalk(
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
