// Loops in WebAssembly. Blocks outside of the kernels' memory are streamed through it by tiles that fit the
// cache: operands in, kernel, results out. In: a loop step and blocks. Out: true, with the results written;
// false where the interpreter has to do it.

import type { Block } from "../../core/block.ts";
import { type DType, infoOf } from "../../core/dtype.ts";
import { type Shape, sizeOf } from "../../core/shape.ts";
import type { LoopStep } from "../blockProgram.ts";
import { type Bound, bind } from "../interpret/tile.ts";
import { copyElements } from "../routines/walk.ts";
import type { InnerWalk } from "./loopKernel.ts";
import { type Kernel, kernelFor, STAGING_BYTES, Staging } from "./memory.ts";

/** Below this a kernel costs more to make than it saves. */
const MIN_LANES = 256;

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
  const inner = joined.map(({ strides }): InnerWalk => (strides.at(-1) === 0 ? "fixed" : "unit"));
  const kernel = kernelFor(step.program, domain.length, inner);
  if (kernel === null) return false;
  new Tiler(step, domain, joined, kernel).run();
  return true;
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

/** Runs a loop tile by tile: all axes behind `split` whole, `split` in parts, those before it one by one. */
class Tiler {
  readonly #step: LoopStep;
  readonly #domain: Shape;
  readonly #walks: readonly Walk[];
  readonly #kernel: Kernel;

  constructor(step: LoopStep, domain: Shape, walks: readonly Walk[], kernel: Kernel) {
    this.#step = step;
    this.#domain = domain;
    this.#walks = walks;
    this.#kernel = kernel;
  }

  run(): void {
    const { split, part } = this.#tiling();
    this.#visit(
      0,
      this.#domain.map(() => 0),
      split,
      part,
    );
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
    const staging = new Staging();
    const { length: operands } = this.#step.operands;
    const staged = this.#walks.map((walk, k) => {
      const outside = tileBlock(walk, start, shape);
      const inside = staging.block(walk.dtype, outside.shape);
      if (k < operands) copyElements(outside, inside);
      return { outside, inside };
    });
    const first = shape.map((_, axis) => (this.#step.from[axis] ?? 0) + start[axis]!);
    this.#kernel(
      shape,
      first,
      staged.map(({ inside }) => inside),
    );
    for (const { outside, inside } of staged.slice(operands)) copyElements(inside, outside);
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
