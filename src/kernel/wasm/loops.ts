// Runs loop steps as kernels. In: a step and the blocks of its program. Out: its results written. Blocks in the
// kernels' memory are worked on where they are; others go through it tile by tile.

import type { Block, Place } from "../../core/block.ts";
import { placeOf as placeOfNumber, type Shape, sizeOf } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import { RunError } from "../../core/errors.ts";
import type { Access, LoopStep } from "../blockProgram.ts";
import { bind } from "../interpret/tile.ts";
import type { ScalarProgram } from "../program.ts";
import { copyElements } from "../routines/stridedWalk.ts";
import type { WasmKernel } from "./control.ts";
import {
  type Arranged,
  arrange,
  type Family,
  isTransposed,
  type Kernels,
  type Walk,
  walkOf,
  withConstants,
} from "./families.ts";
import { type InnerWalk, loopModule } from "./loopKernel.ts";
import { type LoopJob, loopWord, type WasmMachine } from "./machine.ts";
import type { KernelMemory } from "./memory.ts";
import { textOf } from "./module.ts";
import { runTilesOf, slotsFor, type TileJob, type Tiles } from "./stream.ts";

// A loop as a kernel and its parameters. In: a program over a domain, and where its accesses lie. Out: the kernel that does it,
// and the words that it reads.

/** A loop over axes in a good order; operands come first, then results. */
interface Loop extends Arranged {
  readonly program: ScalarProgram;
  /** The first coordinate along each axis. */
  readonly first: readonly number[];
  readonly threads: number;
}

/** Where an access begins and how far it moves along each axis, in bytes. */
interface AccessPlace {
  readonly address: number;
  readonly strides: readonly number[];
}

function placeOf(memory: KernelMemory, walk: Walk): AccessPlace {
  const { bytes } = infoOf(walk.dtype);
  return { address: memory.placedAddress(walk), strides: walk.strides.map((stride) => stride * bytes) };
}

/** The words of a loop kernel. */
function parametersOf(domain: Shape, first: readonly number[], places: readonly AccessPlace[]): number[] {
  const words = [...domain];
  for (const { address, strides } of places) words.push(address, ...strides);
  for (const start of first) words.push(start | 0, Math.floor(start / 2 ** 32));
  return words;
}

function loopKernelFor(
  kernels: Kernels,
  program: ScalarProgram,
  dims: number,
  walks: readonly InnerWalk[],
  split: number,
  isBlocked: boolean,
): WasmKernel {
  const key = `loop ${dims} ${split} ${isBlocked} ${walks.join()} ${textOf(program)}`;
  return kernels.get(key, (isShared) => loopModule(program, { dims, walks, split, isBlocked, isShared }));
}

// Loops over blocks that are not in the kernels' memory: tile by tile what is outside is copied in, worked on, and
// copied out. In: a loop. Out: its results written. Memory taken does not depend on the domain.

/** One tile: several of them fit a core's cache, beside what is worked on where it is. */
const TILE_BYTES = 1 << 20;

function runTiles(machine: WasmMachine, loop: Loop): void {
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

/** Elements that one thread takes at a time: long enough to be worth it, and short enough that new code is
 * exchanged for its optimised form (which happens between calls) soon after the start. */
const PART_LANES = 32_768;
/** Places of the shared axis that one thread takes at least when an operand is transposed: several cache lines. */
const BLOCKED_PLACES = 256;
/** Instructions × lanes from which on other threads are asked for help. */
const WORTH_SHARING = 1 << 20;

export function runLoopKernel(
  machine: WasmMachine,
  step: LoopStep,
  blocks: readonly Block[],
  threads: number,
): void {
  if (machine.prepared.run(step, blocks)) return;
  const all = [...step.operands, ...step.results];
  const walks = all.map((access) => walkThrough(access, blocks));
  const job = runWalks(machine, step.program, step.domain, walks, step.from, threads);
  if (job === null) return;
  const accesses = all.map((access, k) => ({ access, job: 0, word: loopWord(job.dims, k) }));
  machine.prepared.add(step, blocks, [job], accesses);
}

/** An access as a walk through the memory of its block. */
export function walkThrough(access: Access, blocks: readonly Block[]): Walk {
  const { data, offset, strides } = bind(access, blocks);
  const { dtype, place } = blocks[access.buffer]!;
  return { data, dtype, offset, strides, place };
}

/**
 * A program over a domain, from its operands' walks to its results'; coordinates are counted from `from`. What was run,
 * where one small job was all.
 */
export function runWalks(
  machine: WasmMachine,
  program: ScalarProgram,
  domain: Shape,
  walks: readonly Walk[],
  from: readonly number[],
  threads: number,
): LoopJob | null {
  const family = isSmall(program, domain) ? machine.families.of(program) : null;
  const hasRun = family !== null && runShared(machine, family, domain, walks, from);
  // Where a shared kernel's constants lay is somebody else's by now: it cannot be run again as it was.
  return hasRun ? null : runBound(machine, program, domain, walks, from, threads);
}

/** By the kernel of its family; false where there is no room for constants. */
function runShared(
  machine: WasmMachine,
  { program, constants }: Family,
  domain: Shape,
  walks: readonly Walk[],
  from: readonly number[],
): boolean {
  const operands = walks.slice(0, program.operands.length - constants.length);
  const results = walks.slice(operands.length);
  return withConstants(machine.memory, constants, domain.length, (fixed) =>
    runBound(machine, program, domain, [...operands, ...fixed, ...results], from, 1),
  );
}

function runBound(
  machine: WasmMachine,
  program: ScalarProgram,
  domain: Shape,
  walks: readonly Walk[],
  from: readonly number[],
  threads: number,
): LoopJob | null {
  const loop = loopOf(program, domain, walks, from, threads);
  if (sizeOf(loop.domain) === 0) return null;
  if (loop.walks.every((walk) => machine.memory.addressOf(walk) !== null)) {
    const job = runInPlace(machine, loop);
    return isSmall(program, domain) ? job : null;
  }
  runTiles(machine, loop);
  return null;
}

function loopOf(
  program: ScalarProgram,
  domain: Shape,
  walks: readonly Walk[],
  from: readonly number[],
  threads: number,
): Loop {
  // Coordinates are counted along the axes as they are.
  const usesIndex = domain.length > 0 && program.instructions.some(({ prim }) => prim === "index");
  const arranged = usesIndex ? { domain, walks } : arrange(domain, walks, program.operands.length);
  const first = arranged.domain.map((_, axis) => (usesIndex ? (from[axis] ?? 0) : 0));
  return { ...arranged, program, first, threads: isSmall(program, domain) ? 1 : threads };
}

const isSmall = ({ instructions }: ScalarProgram, domain: Shape): boolean =>
  sizeOf(domain) * instructions.length < WORTH_SHARING;

function runInPlace(machine: WasmMachine, loop: Loop): LoopJob {
  const { domain, walks } = loop;
  const split = domain.indexOf(Math.max(...domain));
  const inner = walks.map(({ strides }) => walkOf(strides.at(-1)!));
  const isBlocked = isTransposed(loop);
  const kernel = loopKernelFor(machine.kernels, loop.program, domain.length, inner, split, isBlocked);
  const places = walks.map((walk) => placeOf(machine.memory, walk));
  return runPlaces(machine, kernel, loop, split, places, isBlocked ? BLOCKED_PLACES : 1);
}

/** One job: all of a domain, its accesses at these places. */
function runPlaces(
  machine: WasmMachine,
  kernel: WasmKernel,
  { domain, first, threads }: Pick<Loop, "domain" | "first" | "threads">,
  split: number,
  places: readonly AccessPlace[],
  least: number,
): LoopJob {
  const units = domain[split]!;
  const part = Math.max(least, Math.ceil(PART_LANES / (sizeOf(domain) / units)));
  const aligned = split === domain.length - 1 ? Math.ceil(part / 64) * 64 : part;
  const parameters = parametersOf(domain, first, places);
  machine.jobs.run(kernel, parameters, units, aligned, threads);
  return { kernel, parameters, units, part: aligned, dims: domain.length };
}
