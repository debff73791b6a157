// The memory that kernels work in, and running a loop in it. Blocks outside of it are streamed through by
// tiles that fit the cache: operands in, kernel, results out. In: a loop step and blocks. Out: true, with the
// results written; false where the interpreter has to do it.

import type { Block } from "../../core/block.ts";
import { type DType, infoOf } from "../../core/dtype.ts";
import { type Shape, sizeOf, stridesOf } from "../../core/shape.ts";
import type { LoopStep } from "../blockProgram.ts";
import { LaneFailure } from "../interpret/run.ts";
import { type Bound, bind } from "../interpret/tile.ts";
import { programText, type ScalarProgram } from "../program.ts";
import { Trap } from "../routine.ts";
import { copyElements } from "../routines/walk.ts";
import { type InnerWalk, loopModule, parameterWords } from "./loopKernel.ts";
import { TRAP_KINDS } from "./scalarCode.ts";

/** Parameters, then staging for tiles. */
const PARAMETER_BYTES = 4096;
const STAGING_BYTES = 384 * 1024;
const PAGE = 65536;
/** Below this a kernel costs more to make than it saves. */
const MIN_LANES = 256;

type Run = (parameters: number) => void;

const memory = new WebAssembly.Memory({ initial: Math.ceil((PARAMETER_BYTES + 2 * STAGING_BYTES) / PAGE) });
const kernels = new Map<string, Run | null>();
const MAX_KERNELS = 1000;

function trap(kind: number, origin: number): void {
  const reason =
    TRAP_KINDS[kind] === "shift"
      ? ["a negative shift count", "Shift the other way"]
      : ["integer division by zero", "Mask the zeros first: x // where(y == 0, 1, y)"];
  throw new LaneFailure(new Trap(reason[0]!, reason[1]), origin);
}

function kernelFor(program: ScalarProgram, dims: number, walks: readonly InnerWalk[]): Run | null {
  const key = `${dims} ${walks.join()} ${program.operands.join()}\n${programText(program)}`;
  const known = kernels.get(key);
  if (known !== undefined) return known;
  const bytes = loopModule(program, { dims, walks });
  const run = bytes === null ? null : instantiate(bytes);
  if (kernels.size >= MAX_KERNELS) kernels.clear();
  kernels.set(key, run);
  return run;
}

function instantiate(bytes: Uint8Array<ArrayBuffer>): Run {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory, trap } });
  return instance.exports["run"] as Run;
}

/** An access with the domain's unneeded axes gone. */
interface Walk extends Bound {
  readonly dtype: DType;
}

export function runLoopInArena(
  step: LoopStep,
  blocks: readonly Block[],
  minLanes: number = MIN_LANES,
): boolean {
  if (sizeOf(step.domain) < Math.max(1, minLanes)) return false;
  const accesses = [...step.operands, ...step.results];
  const walks = accesses.map(
    (access): Walk => ({ ...bind(access, blocks), dtype: blocks[access.buffer]!.dtype }),
  );
  const usesIndex = step.program.instructions.some(({ prim }) => prim === "index");
  const { domain, walks: joined } = usesIndex
    ? { domain: step.domain, walks }
    : joinDomain(step.domain, walks);
  if (domain.length === 0) return false;
  return new Tiler(step, domain, joined).run();
}

/** Axes of length 1 go, and neighbouring axes that every access walks as one become one. */
function joinDomain(domain: Shape, walks: readonly Walk[]): { domain: Shape; walks: Walk[] } {
  const kept: number[] = [];
  const lengths: number[] = [];
  domain.forEach((length, d) => {
    if (length === 1) return;
    const last = kept.at(-1);
    const joins = last !== undefined && walks.every(({ strides }) => strides[last] === strides[d]! * length);
    if (joins) {
      lengths[lengths.length - 1]! *= length;
      kept[kept.length - 1] = d;
    } else {
      lengths.push(length);
      kept.push(d);
    }
  });
  return {
    domain: lengths,
    walks: walks.map((walk) => ({ ...walk, strides: kept.map((d) => walk.strides[d]!) })),
  };
}

/** Runs a loop tile by tile: all axes from `split` on whole, `split` in parts, those before it one by one. */
class Tiler {
  readonly #step: LoopStep;
  readonly #domain: Shape;
  readonly #walks: readonly Walk[];
  readonly #kernel: Run | null;

  constructor(step: LoopStep, domain: Shape, walks: readonly Walk[]) {
    this.#step = step;
    this.#domain = domain;
    this.#walks = walks;
    const inner = walks.map(({ strides }): InnerWalk => (strides.at(-1) === 0 ? "fixed" : "unit"));
    this.#kernel = kernelFor(step.program, domain.length, inner);
  }

  run(): boolean {
    if (this.#kernel === null) return false;
    const { split, part } = this.#tiling();
    this.#visit(
      0,
      this.#domain.map(() => 0),
      split,
      part,
    );
    return true;
  }

  /** The outermost axis of which a part fits the staging area with all axes behind it whole. */
  #tiling(): { split: number; part: number } {
    const laneBytes = this.#walks.reduce((sum, { dtype }) => sum + infoOf(dtype).bytes, 0);
    const room = Math.max(1, Math.floor(STAGING_BYTES / laneBytes));
    let behind = 1;
    for (let axis = this.#domain.length - 1; axis >= 0; axis--) {
      const length = this.#domain[axis]!;
      if (behind * length > room) return { split: axis, part: Math.max(1, Math.floor(room / behind)) };
      behind *= length;
    }
    return { split: 0, part: this.#domain[0]! };
  }

  #visit(axis: number, start: number[], split: number, part: number): void {
    const step = axis < split ? 1 : part;
    for (let at = 0; at < this.#domain[axis]!; at += step) {
      start[axis] = at;
      if (axis < split) this.#visit(axis + 1, start, split, part);
      else this.#tile(start, split, Math.min(part, this.#domain[axis]! - at));
    }
    start[axis] = 0;
  }

  #tile(start: readonly number[], split: number, part: number): void {
    const shape = this.#domain.map((length, axis) => (axis < split ? 1 : axis === split ? part : length));
    let free = PARAMETER_BYTES;
    const staged = this.#walks.map((walk, k) => {
      const outside = tileBlock(walk, start, shape);
      const inside = stagedBlock(outside, free);
      free += Math.ceil((sizeOf(outside.shape) * infoOf(walk.dtype).bytes) / 16) * 16;
      if (k < this.#step.operands.length) copyElements(outside, inside);
      return { outside, inside };
    });
    this.#writeParameters(
      shape,
      start,
      staged.map(({ inside }) => inside),
    );
    this.#kernel!(0);
    for (const { outside, inside } of staged.slice(this.#step.operands.length)) copyElements(inside, outside);
  }

  #writeParameters(shape: Shape, start: readonly number[], blocks: readonly Block[]): void {
    const words = new Int32Array(memory.buffer, 0, parameterWords(shape.length, blocks.length));
    let at = 0;
    for (const length of shape) words[at++] = length;
    for (const { dtype, data, shape: own, strides } of blocks) {
      words[at++] = data.byteOffset;
      own.forEach((length, axis) => (words[at++] = length === 1 ? 0 : strides[axis]! * infoOf(dtype).bytes));
    }
    shape.forEach((_, axis) => {
      const first = BigInt((this.#step.from[axis] ?? 0) + start[axis]!);
      words[at++] = Number(BigInt.asIntN(32, first));
      words[at++] = Number(BigInt.asIntN(32, first >> 32n));
    });
  }
}

/** The part of an access that a tile touches; axes it does not move along have length 1. */
function tileBlock({ data, dtype, offset, strides }: Walk, start: readonly number[], shape: Shape): Block {
  return {
    data,
    dtype,
    offset: start.reduce((at, x, axis) => at + x * strides[axis]!, offset),
    shape: shape.map((length, axis) => (strides[axis] === 0 ? 1 : length)),
    strides,
  };
}

function stagedBlock({ dtype, shape }: Block, address: number): Block {
  const { array: ArrayOf, slots } = infoOf(dtype);
  const data = new ArrayOf(memory.buffer, address, sizeOf(shape) * slots);
  return { dtype, shape, strides: stridesOf(shape), offset: 0, data };
}
