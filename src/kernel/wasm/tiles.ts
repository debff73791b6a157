// Loops over blocks that are not in the kernels' memory: tile by tile what is outside is copied in, worked on, and
// copied out. In: a loop. Out: its results written. Memory taken does not depend on the domain.

import type { Block, Place } from "../../core/block.ts";
import { placeOf as placeOfNumber } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import { RunError } from "../../core/errors.ts";
import { type Shape, sizeOf } from "../../core/shape.ts";
import { copyElements } from "../routines/stridedWalk.ts";
import { type Walk, walkOf } from "./arrange.ts";
import type { WasmKernel } from "./control.ts";
import { type AccessPlace, type Loop, loopKernelFor, parametersOf, placeOf } from "./loopJobs.ts";
import type { InnerWalk } from "./loopKernel.ts";
import type { WasmMachine } from "./machine.ts";
import type { KernelMemory } from "./memory.ts";
import { runTilesOf, slotsFor, type TileJob, type Tiles } from "./stream.ts";

/** One tile: several of them fit a core's cache, beside what is worked on where it is. */
const TILE_BYTES = 1 << 20;

export function runTiles(machine: WasmMachine, loop: Loop): void {
  const slots = slotsFor(loop.threads);
  const staging = machine.memory.take(slots * TILE_BYTES);
  if (staging === null)
    throw new RunError({
      what: "there is no memory left for tiles of arrays from outside",
      cure: "Let go of results that are no longer needed",
    });
  try {
    const tiles = new LoopTiles(machine, loop, staging);
    runTilesOf(machine, tiles.kernel, tiles, loop.threads);
  } finally {
    machine.memory.give(staging);
  }
}

interface Staged {
  readonly place: AccessPlace;
  readonly outside: Block;
  /** Null where the access is worked on where it lies. */
  readonly inside: Block | null;
}

/** Tiles of a loop: axes behind `#axis` whole, `#axis` in parts, those before it one by one. */
class LoopTiles implements Tiles {
  readonly count: number;
  readonly kernel: WasmKernel;
  readonly #memory: KernelMemory;
  readonly #loop: Loop;
  readonly #staging: Place;
  readonly #axis: number;
  readonly #part: number;
  /** How many parts `#axis` has. */
  readonly #parts: number;
  readonly #operands: number;
  readonly #staged: (readonly Staged[])[] = [];

  constructor({ memory, kernels }: WasmMachine, loop: Loop, staging: Place) {
    const { domain, walks, program } = loop;
    this.#memory = memory;
    this.#loop = loop;
    this.#staging = staging;
    this.#operands = program.operands.length;
    const { axis, part } = tilingOf(memory, loop);
    this.#axis = axis;
    this.#part = part;
    this.#parts = Math.ceil(domain[axis]! / part);
    this.count = sizeOf(domain.slice(0, axis)) * this.#parts;
    const inner = walks.map((walk) => stagedWalk(memory, walk));
    this.kernel = loopKernelFor(kernels, program, domain.length, inner, axis, false);
  }

  prepare(tile: number, slot: number): TileJob {
    const memory = this.#memory;
    const { domain, walks, first } = this.#loop;
    const start = this.#startOf(tile);
    const part = Math.min(this.#part, domain[this.#axis]! - start[this.#axis]!);
    const shape = domain.map((length, axis) => (axis < this.#axis ? 1 : axis === this.#axis ? part : length));
    let free = slot * TILE_BYTES;
    const staged = walks.map((walk, k) => {
      const outside = tileOf(walk, start, shape);
      if (memory.addressOf(outside) !== null)
        return { place: placeOf(memory, outside), outside, inside: null };
      const inside = stagedBlock(memory, outside, this.#staging, free);
      free += Math.ceil(inside.data.byteLength / 16) * 16;
      if (k < this.#operands) copyElements(outside, inside);
      return { place: stagedPlace(memory, inside), outside, inside };
    });
    this.#staged[slot] = staged;
    const begin = first.map((x, axis) => x + start[axis]!);
    const places = staged.map(({ place }) => place);
    return { parameters: parametersOf(shape, begin, places), units: part };
  }

  #startOf(tile: number): number[] {
    const { domain } = this.#loop;
    const outer = placeOfNumber(Math.floor(tile / this.#parts), domain.slice(0, this.#axis));
    const start = [...outer, (tile % this.#parts) * this.#part];
    return domain.map((_, axis) => start[axis] ?? 0);
  }

  complete(_: number, slot: number): void {
    for (const { outside, inside } of this.#staged[slot]!.slice(this.#operands)) {
      if (inside !== null) copyElements(inside, outside);
    }
  }
}

/** What is copied in keeps the order of its axes, closed up. */
function stagedWalk(memory: KernelMemory, walk: Walk): InnerWalk {
  if (memory.addressOf(walk) !== null) return walkOf(walk.strides.at(-1)!);
  const steps = walk.strides.map(Math.abs);
  const inner = steps.at(-1)!;
  if (inner === 0) return "fixed";
  return steps.every((step) => step === 0 || step >= inner) ? "unit" : "strided";
}

/** A block of a tile's shape in the staging place, its axes in the order in which they lie outside. */
function stagedBlock(
  memory: KernelMemory,
  { dtype, shape, strides: outside }: Block,
  staging: Place,
  behind: number,
): Block {
  const block = memory.blockAt(staging, dtype, shape, behind);
  const strides = shape.map(() => 0);
  const order = [...shape.keys()].sort((a, b) => Math.abs(outside[a]!) - Math.abs(outside[b]!) || b - a);
  let step = 1;
  for (const axis of order) {
    strides[axis] = step;
    step *= shape[axis]!;
  }
  return { ...block, strides };
}

/** The outermost axis of which a part fits, with all axes behind it whole. */
function tilingOf(memory: KernelMemory, { domain, walks }: Loop): { axis: number; part: number } {
  const outside = walks.filter((walk) => memory.addressOf(walk) === null);
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
function tileOf(
  { data, dtype, offset, strides, place }: Walk,
  start: readonly number[],
  shape: Shape,
): Block {
  return {
    data,
    dtype,
    place,
    offset: start.reduce((at, x, axis) => at + x * strides[axis]!, offset),
    shape: shape.map((length, axis) => (strides[axis] === 0 ? 1 : length)),
    strides,
  };
}

function stagedPlace(memory: KernelMemory, block: Block): AccessPlace {
  const { dtype, shape, strides } = block;
  const { bytes } = infoOf(dtype);
  const steps = strides.map((stride, axis) => (shape[axis] === 1 ? 0 : stride * bytes));
  return { address: memory.placedAddress(block), strides: steps };
}
