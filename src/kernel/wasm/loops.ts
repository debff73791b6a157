// Runs loop steps as kernels. In: a step and the blocks of its program. Out: its results written. Blocks in the
// kernels' memory are worked on where they are; others go through it tile by tile (tiles.ts).

import type { Block } from "../../core/block.ts";
import { infoOf } from "../../core/dtype.ts";
import { type Shape, sizeOf } from "../../core/shape.ts";
import type { Access, LoopStep } from "../blockProgram.ts";
import { bind } from "../interpret/tile.ts";
import type { ScalarProgram } from "../program.ts";
import { type Arranged, arrange, isTransposed, type Walk, walkOf } from "./arrange.ts";
import type { Kernel } from "./control.ts";
import { type Family, familyOf, withConstants } from "./families.ts";
import { kernelOf } from "./kernels.ts";
import { textOf } from "./kernelText.ts";
import { type InnerWalk, loopModule } from "./loopKernel.ts";
import { addressOf, isShared, placedAddress } from "./memory.ts";
import { type LoopJob, prepareLoop, runPrepared } from "./prepared.ts";
import { runJob } from "./threads.ts";
import { runTiles } from "./tiles.ts";

/** Elements that one thread takes at a time: long enough to be worth it, and short enough that new code is
 * exchanged for its optimised form (which happens between calls) soon after the start. */
const PART_LANES = 32_768;
/** Places of the shared axis that one thread takes at least when an operand is transposed: several cache lines. */
const BLOCKED_PLACES = 256;
/** Instructions × lanes from which on other threads are asked for help. */
const WORTH_SHARING = 1 << 20;

/** A loop over axes in a good order; operands come first, then results. */
export interface Loop extends Arranged {
  readonly program: ScalarProgram;
  /** The first coordinate along each axis. */
  readonly first: readonly number[];
  readonly threads: number;
}

export function runLoopKernel(step: LoopStep, blocks: readonly Block[], threads: number): void {
  if (runPrepared(step, blocks)) return;
  const walks = [...step.operands, ...step.results].map((access) => walkThrough(access, blocks));
  const job = runWalks(step.program, step.domain, walks, step.from, threads);
  if (job !== null) prepareLoop(step, blocks, job);
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
  program: ScalarProgram,
  domain: Shape,
  walks: readonly Walk[],
  from: readonly number[],
  threads: number,
): LoopJob | null {
  const family = isSmall(program, domain) ? familyOf(program) : null;
  const hasRun = family !== null && runShared(family, domain, walks, from);
  // Where a shared kernel's constants lay is somebody else's by now: it cannot be run again as it was.
  return hasRun ? null : runBound(program, domain, walks, from, threads);
}

/** By the kernel of its family; false where there is no room for constants. */
function runShared(
  { program, constants }: Family,
  domain: Shape,
  walks: readonly Walk[],
  from: readonly number[],
): boolean {
  const operands = walks.slice(0, program.operands.length - constants.length);
  const results = walks.slice(operands.length);
  return withConstants(constants, domain.length, (fixed) =>
    runBound(program, domain, [...operands, ...fixed, ...results], from, 1),
  );
}

function runBound(
  program: ScalarProgram,
  domain: Shape,
  walks: readonly Walk[],
  from: readonly number[],
  threads: number,
): LoopJob | null {
  const loop = loopOf(program, domain, walks, from, threads);
  if (sizeOf(loop.domain) === 0) return null;
  if (loop.walks.every((walk) => addressOf(walk) !== null)) {
    const job = runInPlace(loop);
    return isSmall(program, domain) ? job : null;
  }
  runTiles(loop);
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

function runInPlace(loop: Loop): LoopJob {
  const { domain, walks } = loop;
  const split = domain.indexOf(Math.max(...domain));
  const inner = walks.map(({ strides }) => walkOf(strides.at(-1)!));
  const isBlocked = isTransposed(loop);
  const kernel = loopKernelFor(loop.program, domain.length, inner, split, isBlocked);
  return runPlaces(kernel, loop, split, walks.map(placeOf), isBlocked ? BLOCKED_PLACES : 1);
}

/** Where an access begins and how far it moves along each axis, in bytes. */
export interface AccessPlace {
  readonly address: number;
  readonly strides: readonly number[];
}

export function placeOf(walk: Walk): AccessPlace {
  const { bytes } = infoOf(walk.dtype);
  return { address: placedAddress(walk), strides: walk.strides.map((stride) => stride * bytes) };
}

/** One job: all of a domain, its accesses at these places. */
function runPlaces(
  kernel: Kernel,
  { domain, first, threads }: Pick<Loop, "domain" | "first" | "threads">,
  split: number,
  places: readonly AccessPlace[],
  least: number,
): LoopJob {
  const units = domain[split]!;
  const part = Math.max(least, Math.ceil(PART_LANES / (sizeOf(domain) / units)));
  const aligned = split === domain.length - 1 ? Math.ceil(part / 64) * 64 : part;
  const parameters = parametersOf(domain, first, places);
  runJob(kernel, parameters, units, aligned, threads);
  return { kernel, parameters, units, part: aligned, dims: domain.length };
}

/** The words of a loop kernel. */
export function parametersOf(
  domain: Shape,
  first: readonly number[],
  places: readonly AccessPlace[],
): number[] {
  const words = [...domain];
  for (const { address, strides } of places) words.push(address, ...strides);
  for (const start of first) words.push(start | 0, Math.floor(start / 2 ** 32));
  return words;
}

export function loopKernelFor(
  program: ScalarProgram,
  dims: number,
  walks: readonly InnerWalk[],
  split: number,
  isBlocked: boolean,
): Kernel {
  const key = `loop ${dims} ${split} ${isBlocked} ${walks.join()} ${textOf(program)}`;
  return kernelOf(key, () => loopModule(program, { dims, walks, split, isBlocked, isShared }));
}
