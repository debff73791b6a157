// Runs loop steps as kernels. In: a step and the blocks of its program. Out: its results written. Blocks in the
// kernels' memory are worked on where they are; others go through it tile by tile (tiles.ts).

import type { Block } from "../../core/block.ts";
import { type Shape, sizeOf } from "../../core/shape.ts";
import type { Access, LoopStep } from "../blockProgram.ts";
import { bind } from "../interpret/tile.ts";
import type { ScalarProgram } from "../program.ts";
import { arrange, isTransposed, type Walk, walkOf } from "./arrange.ts";
import type { WasmKernel } from "./control.ts";
import { type Family, withConstants } from "./families.ts";
import { type AccessPlace, type Loop, loopKernelFor, parametersOf, placeOf } from "./loopJobs.ts";
import type { WasmMachine } from "./machine.ts";
import type { LoopJob } from "./prepared.ts";
import { runTiles } from "./tiles.ts";

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
  if (machine.loops.run(step, blocks)) return;
  const walks = [...step.operands, ...step.results].map((access) => walkThrough(access, blocks));
  const job = runWalks(machine, step.program, step.domain, walks, step.from, threads);
  if (job !== null) machine.loops.add(step, blocks, job);
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
