// The memory that kernels work in, and the kernels made so far. In: a scalar program and how its accesses
// walk. Out: a function that runs it over blocks in this memory. One kernel serves all shapes of its kind.

import type { Block } from "../../core/block.ts";
import { type DType, infoOf } from "../../core/dtype.ts";
import { type Shape, sizeOf, stridesOf } from "../../core/shape.ts";
import { LaneFailure } from "../interpret/run.ts";
import { programText, type ScalarProgram } from "../program.ts";
import { Trap } from "../routine.ts";
import { type InnerWalk, loopModule, parameterWords } from "./loopKernel.ts";
import { TRAP_KINDS } from "./scalarCode.ts";

const PAGE = 65536;
/** Parameters come first, then staging for tiles. */
const PARAMETER_BYTES = 4096;
/** Tiles that fit the cache of a core. */
export const STAGING_BYTES: number = 384 * 1024;
/** Room for the states of reductions, and for rounding up. */
export const SPARE_BYTES: number = 512 * 1024;
const MAX_KERNELS = 1000;

const memory = new WebAssembly.Memory({
  initial: Math.ceil((PARAMETER_BYTES + STAGING_BYTES + SPARE_BYTES) / PAGE),
});

/** An access of a kernel: a block in this memory; axes of length 1 stand still. */
export type Kernel = (shape: Shape, first: readonly number[], blocks: readonly Block[]) => void;

const kernels = new Map<string, Kernel | null>();

/** Null where the program has something that kernels cannot do. */
export function kernelFor(program: ScalarProgram, dims: number, walks: readonly InnerWalk[]): Kernel | null {
  const key = `${dims} ${walks.join()} ${program.operands.join()}\n${programText(program)}`;
  const known = kernels.get(key);
  if (known !== undefined) return known;
  const bytes = loopModule(program, { dims, walks });
  const kernel = bytes === null ? null : instantiate(bytes);
  if (kernels.size >= MAX_KERNELS) kernels.clear();
  kernels.set(key, kernel);
  return kernel;
}

function instantiate(bytes: Uint8Array<ArrayBuffer>): Kernel {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
    env: { memory, trap, scratch: 0 },
  });
  const run = instance.exports["run"] as (parameters: number, from: number, to: number) => void;
  return (shape, first, blocks) => {
    writeParameters(shape, first, blocks);
    run(0, 0, 0);
  };
}

const REASONS: { readonly [K in (typeof TRAP_KINDS)[number]]: readonly [what: string, cure: string] } = {
  division: ["integer division by zero", "Mask the zeros first: x // where(y == 0, 1, y)"],
  shift: ["a negative shift count", "Shift the other way"],
};

function trap(kind: number, origin: number): void {
  throw new LaneFailure(new Trap(...REASONS[TRAP_KINDS[kind]!]), origin);
}

function writeParameters(shape: Shape, first: readonly number[], blocks: readonly Block[]): void {
  const words = new Int32Array(memory.buffer, 0, parameterWords(shape.length, blocks.length));
  let at = 0;
  for (const length of shape) words[at++] = length;
  for (const { dtype, data, shape: own, strides } of blocks) {
    words[at++] = data.byteOffset;
    own.forEach((length, axis) => (words[at++] = length === 1 ? 0 : strides[axis]! * infoOf(dtype).bytes));
  }
  shape.forEach((_, axis) => {
    const start = BigInt(first[axis] ?? 0);
    words[at++] = Number(BigInt.asIntN(32, start));
    words[at++] = Number(BigInt.asIntN(32, start >> 32n));
  });
}

/** Hands out places in the staging area, one after another. */
export class Staging {
  #free = PARAMETER_BYTES;

  block(dtype: DType, shape: Shape): Block {
    const { array: ArrayOf, slots, bytes } = infoOf(dtype);
    const count = sizeOf(shape);
    const data = new ArrayOf(memory.buffer, this.#free, count * slots);
    this.#free += Math.ceil((count * bytes) / 16) * 16;
    return { dtype, shape, strides: stridesOf(shape), offset: 0, data };
  }
}
