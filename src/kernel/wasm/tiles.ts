// Loops over blocks that are not in the kernels' memory: tile by tile what is outside is copied in, worked on, and
// copied out. In: a loop. Out: its results written. Memory taken does not depend on the domain.

import type { Block } from "../../core/block.ts";
import { infoOf } from "../../core/dtype.ts";
import { RunError } from "../../core/errors.ts";
import { type Shape, stridesOf } from "../../core/shape.ts";
import { copyElements } from "../routines/walk.ts";
import type { Walk } from "./arrange.ts";
import { type Loop, loopKernelFor, type Place, placeOf, runPlaces } from "./loops.ts";
import { addressOf, blockAt, giveBytes, memory, takeBytes } from "./memory.ts";
import type { Kernel } from "./threads.ts";

/** What a core's cache holds, with room for what is worked on where it is. */
const TILE_BYTES = 1 << 20;

export function runTiles(loop: Loop): void {
  const at = takeBytes(TILE_BYTES);
  if (at === null)
    throw new RunError({
      what: "there is no memory left for tiles of arrays from outside",
      cure: "Let go of results that are no longer needed",
    });
  try {
    new TiledLoop(loop, at).run();
  } finally {
    giveBytes(at);
  }
}

/** Axes behind `#axis` whole, `#axis` in parts, those before it one by one. */
class TiledLoop {
  readonly #loop: Loop;
  readonly #staging: number;
  readonly #kernel: Kernel;
  readonly #axis: number;
  readonly #part: number;
  readonly #operands: number;

  constructor(loop: Loop, staging: number) {
    this.#loop = loop;
    this.#staging = staging;
    this.#operands = loop.program.operands.length;
    const { axis, part } = tilingOf(loop);
    this.#axis = axis;
    this.#part = part;
    const inner = loop.walks.map((walk) => {
      const stride = walk.strides.at(-1)!;
      if (stride === 0) return "fixed";
      return stride === 1 || addressOf(walk) === null ? "unit" : "strided";
    });
    this.#kernel = loopKernelFor(loop.program, loop.domain.length, inner, axis, false);
  }

  run(): void {
    const { domain } = this.#loop;
    this.#visit(
      0,
      domain.map(() => 0),
    );
  }

  #visit(axis: number, start: number[]): void {
    const { domain } = this.#loop;
    const step = axis < this.#axis ? 1 : this.#part;
    for (let at = 0; at < domain[axis]!; at += step) {
      start[axis] = at;
      if (axis < this.#axis) this.#visit(axis + 1, start);
      else this.#tile(start, Math.min(step, domain[axis]! - at));
    }
    start[axis] = 0;
  }

  #tile(start: readonly number[], part: number): void {
    const { domain, walks, first, threads } = this.#loop;
    const shape = domain.map((length, axis) => (axis < this.#axis ? 1 : axis === this.#axis ? part : length));
    let free = this.#staging;
    const staged = walks.map((walk, k) => {
      const outside = tileOf(walk, start, shape);
      if (addressOf(outside) !== null) return { place: placeOf(outside), outside, inside: null };
      const inside = blockAt(memory.buffer, free, walk.dtype, outside.shape);
      free += Math.ceil(inside.data.byteLength / 16) * 16;
      if (k < this.#operands) copyElements(outside, inside);
      return { place: stagedPlace(inside), outside, inside };
    });
    const begin = first.map((x, axis) => x + start[axis]!);
    const places = staged.map(({ place }) => place);
    runPlaces(this.#kernel, { domain: shape, first: begin, threads }, this.#axis, places);
    for (const { outside, inside } of staged.slice(this.#operands)) {
      if (inside !== null) copyElements(inside, outside);
    }
  }
}

/** The outermost axis of which a part fits, with all axes behind it whole. */
function tilingOf({ domain, walks }: Loop): { axis: number; part: number } {
  const outside = walks.filter((walk) => addressOf(walk) === null);
  const laneBytes = outside.reduce((sum, { dtype }) => sum + infoOf(dtype).bytes, 0);
  const room = Math.max(1, Math.floor((TILE_BYTES - 16 * walks.length) / laneBytes));
  let behind = 1;
  for (let axis = domain.length - 1; axis >= 0; axis--) {
    const length = domain[axis]!;
    if (behind * length > room) return { axis, part: Math.max(1, Math.floor(room / behind)) };
    behind *= length;
  }
  return { axis: 0, part: domain[0]! };
}

/** The part of an access that a tile touches; axes it does not move along have length 1. */
function tileOf({ data, dtype, offset, strides }: Walk, start: readonly number[], shape: Shape): Block {
  return {
    data,
    dtype,
    offset: start.reduce((at, x, axis) => at + x * strides[axis]!, offset),
    shape: shape.map((length, axis) => (strides[axis] === 0 ? 1 : length)),
    strides,
  };
}

function stagedPlace({ data, dtype, shape }: Block): Place {
  const { bytes } = infoOf(dtype);
  const strides = stridesOf(shape).map((stride, axis) => (shape[axis] === 1 ? 0 : stride * bytes));
  return { address: data.byteOffset, strides };
}
