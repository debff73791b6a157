// Reductions of what a kernel cannot read where it lies: arrays from outside, several axes with strides of their
// own, coordinates. A patch of rows and columns at a time is brought into memory, side by side: the operands
// themselves, or the states made of them, where coordinates are asked for or that is less to write. Then it is reduced.
// Memory taken does not depend on the domain.

import { type Block, once, type Place } from "../../core/block.ts";
import { type Shape, stridesOf } from "../../core/chunks.ts";
import { DTYPES, type DType, infoOf } from "../../core/dtype.ts";
import { RunError } from "../../core/errors.ts";
import type { ReduceStep } from "../blockProgram.ts";
import { programOf, type ScalarProgram } from "../program.ts";
import { copyElements } from "../routines/stridedWalk.ts";
import type { WasmKernel } from "./control.ts";
import type { Kernels, Walk } from "./families.ts";
import { runWalks } from "./loops.ts";
import type { Job, WasmMachine } from "./machine.ts";
import type { KernelMemory } from "./memory.ts";
import { textOf } from "./module.ts";
import { reduceModule } from "./reduceKernel.ts";
import {
  type PlaneOperand,
  type ReduceCut,
  type ReducePlane,
  type ReduceWalk,
  reduceParameters,
  reduceUnits,
  reduceWalk,
} from "./reduceLayout.ts";
import { runTilesOf, slotsFor, type TileJob, type Tiles } from "./stream.ts";
import { boxesOf } from "./walkRanges.ts";

// Planes of rows and columns that kernels reduce where they lie. In: a plane in the kernels' memory, and programs. Out: the kernel
// that reduces it, and states for its segments.

/** Elements that one unit of work should have at least. */
export const UNIT_ELEMENTS = 65_536;

/** A reduction bound to memory. */
export interface Reduction {
  readonly machine: WasmMachine;
  readonly step: ReduceStep;
  readonly operands: readonly Walk[];
  /** Dtypes of the state's components. */
  readonly states: readonly DType[];
  readonly kept: readonly number[];
  readonly rows: number;
  readonly columns: number;
  readonly threads: number;
}

export const addressesOf = (places: readonly Place[]): number[] => places.map(({ address }) => address);

/** Places for so many states, one array for each component. */
export function takeStates(memory: KernelMemory, states: readonly DType[], count: number): Place[] | null {
  const taken: Place[] = [];
  for (const dtype of states) {
    const place = memory.take(count * infoOf(dtype).bytes);
    if (place === null) {
      for (const other of taken) memory.give(other);
      return null;
    }
    taken.push(place);
  }
  return taken;
}

/** How a plane is walked, and the kernel that does it. */
export interface PlaneKernel {
  readonly kernel: WasmKernel;
  readonly walk: ReduceWalk;
}

export function planeKernel(
  kernels: Kernels,
  plane: ReducePlane,
  lift: ScalarProgram,
  { combine, absorbing }: Pick<ReduceStep, "combine" | "absorbing">,
  states: readonly DType[],
): PlaneKernel {
  const walk = reduceWalk(plane, states);
  const key = `reduce ${walk.mode} ${walk.walks.join()} ${absorbing} ${textOf(lift)}\n${textOf(combine)}`;
  const stop = absorbing === null ? {} : { absorbing: Number(absorbing) };
  const kernel = kernels.get(key, (isShared) =>
    reduceModule(lift, combine, { isShared, mode: walk.mode, walks: walk.walks, ...stop }),
  );
  return { kernel, walk };
}

/** One job: all units of a plane. */
export function runPlane(
  { jobs }: WasmMachine,
  plane: ReducePlane,
  { kernel, walk }: PlaneKernel,
  cut: ReduceCut,
  totals: readonly number[],
  threads: number,
): Job {
  const units = reduceUnits(plane, walk, cut);
  const perUnit = (plane.rows * plane.columns) / units;
  const part = Math.max(1, Math.floor(UNIT_ELEMENTS / 2 / perUnit));
  const parameters = reduceParameters(plane, walk, cut, totals);
  jobs.run(kernel, parameters, units, part, threads);
  return { kernel, parameters, units, part };
}

/** A program that takes states as they are. */
export const asTheyAre = (states: readonly DType[]): ScalarProgram => programOf(states, (...state) => state);

/** One patch: several of them fit a core's cache. */
const PATCH_BYTES = 1 << 20;

/** Rows and columns that are in memory at one time. */
interface Patch {
  readonly row: number;
  readonly rows: number;
  readonly column: number;
  readonly columns: number;
}

/** As runPlane, for operands that are not a plane: totals[component][segment][column]. */
export function reducePatches(reduction: Reduction, cut: ReduceCut, totals: readonly Place[]): void {
  const patches = new Patches(reduction, cut, totals);
  try {
    patches.run();
  } finally {
    patches.giveBack();
  }
}

class Patches implements Tiles {
  readonly count: number;
  readonly #reduction: Reduction;
  readonly #cut: ReduceCut;
  readonly #totals: readonly Place[];
  /** A patch holds states. */
  readonly #isLifted: boolean;
  readonly #lift: ScalarProgram;
  /** Rows lie side by side, column after column: as they do where the innermost axis is reduced. */
  readonly #isInner: boolean;
  /** What a patch holds for each place. */
  readonly #dtypes: readonly DType[];
  readonly #high: number;
  readonly #wide: number;
  /** Where, for every slot. */
  readonly #at: (readonly Place[])[] = [];
  readonly #kernels = new Map<number, PlaneKernel>();

  constructor(reduction: Reduction, cut: ReduceCut, totals: readonly Place[]) {
    const { machine, rows, columns, states, step, threads } = reduction;
    this.#reduction = reduction;
    this.#cut = cut;
    this.#totals = totals;
    this.#isInner = step.axes.includes(step.domain.length - 1);
    this.#isLifted = isBetterLifted(reduction);
    this.#lift = this.#isLifted ? asTheyAre(states) : step.lift;
    this.#dtypes = this.#isLifted ? states : step.lift.operands;
    const bytes = bytesOf(this.#dtypes);
    const segment = Math.min(rows, cut.segmentRows);
    this.#wide = Math.min(columns, Math.max(1, Math.floor(PATCH_BYTES / (segment * bytes))));
    const segments = Math.max(1, Math.floor(PATCH_BYTES / (segment * this.#wide * bytes)));
    this.#high = this.#wide < columns ? segment : Math.min(rows, segments * segment);
    this.count = Math.ceil(rows / this.#high) * Math.ceil(columns / this.#wide);
    for (let slot = 0; slot < slotsFor(threads); slot++)
      this.#at.push(takePatch(machine.memory, this.#dtypes, this.#high, this.#wide));
  }

  giveBack(): void {
    for (const place of this.#at.flat()) this.#reduction.machine.memory.give(place);
  }

  /** While others reduce patches that are ready; one by one where the last columns' patches need another kernel. */
  run(): void {
    const { machine, columns, threads } = this.#reduction;
    if (this.#wide === columns)
      return runTilesOf(machine, this.#kernelFor(this.#patch(0)).kernel, this, threads);
    for (let tile = 0; tile < this.count; tile++) {
      const patch = this.#patch(tile);
      this.#fill(patch, 0);
      const plane = this.#plane(patch, 0);
      runPlane(machine, plane, this.#kernelFor(patch), this.#cutOf(patch), this.#totalsOf(patch), threads);
    }
  }

  prepare(tile: number, slot: number): TileJob {
    const patch = this.#patch(tile);
    this.#fill(patch, slot);
    const plane = this.#plane(patch, slot);
    const { walk } = this.#kernelFor(patch);
    const cut = this.#cutOf(patch);
    return {
      parameters: reduceParameters(plane, walk, cut, this.#totalsOf(patch)),
      units: reduceUnits(plane, walk, cut),
    };
  }

  complete(): void {}

  #patch(tile: number): Patch {
    const { rows, columns } = this.#reduction;
    const across = Math.ceil(columns / this.#wide);
    const row = Math.floor(tile / across) * this.#high;
    const column = (tile % across) * this.#wide;
    return {
      ...{ row, rows: Math.min(this.#high, rows - row) },
      ...{ column, columns: Math.min(this.#wide, columns - column) },
    };
  }

  #plane({ rows, columns }: Patch, slot: number): ReducePlane {
    const operands = this.#dtypes.map((dtype, i): PlaneOperand => {
      const { bytes } = infoOf(dtype);
      const [rowStride, columnStride] = this.#isInner ? [bytes, rows * bytes] : [columns * bytes, bytes];
      return { dtype, address: this.#at[slot]![i]!.address, rowStride, columnStride };
    });
    return { rows, columns, operands };
  }

  /** Patches of equally many columns have one kernel. */
  #kernelFor(patch: Patch): PlaneKernel {
    let known = this.#kernels.get(patch.columns);
    if (known === undefined) {
      const { machine, step, states } = this.#reduction;
      known = planeKernel(machine.kernels, this.#plane(patch, 0), this.#lift, step, states);
      this.#kernels.set(patch.columns, known);
    }
    return known;
  }

  #cutOf({ rows }: Patch): ReduceCut {
    return { ...this.#cut, segmentRows: Math.min(rows, this.#cut.segmentRows) };
  }

  #totalsOf({ row, column }: Patch): number[] {
    const { states, columns } = this.#reduction;
    const first = Math.floor(row / this.#cut.segmentRows) * columns + column;
    return this.#totals.map(({ address }, i) => address + first * infoOf(states[i]!).bytes);
  }

  /** The patch's places, box by box of the domain. */
  #fill(patch: Patch, slot: number): void {
    const { step, kept } = this.#reduction;
    const lengths = (axes: readonly number[]): number[] => axes.map((axis) => step.domain[axis]!);
    const into = this.#walksInto(patch, slot);
    for (const rows of boxesOf(lengths(step.axes), patch.row, patch.row + patch.rows)) {
      for (const columns of boxesOf(lengths(kept), patch.column, patch.column + patch.columns)) {
        const start = [...step.domain];
        const shape = [...step.domain];
        const place = (axes: readonly number[], box: typeof rows): void =>
          axes.forEach((axis, k) => ([start[axis], shape[axis]] = [box.start[k]!, box.shape[k]!]));
        place(step.axes, rows);
        place(kept, columns);
        this.#fillBox(start, shape, into);
      }
    }
  }

  #fillBox(start: readonly number[], shape: Shape, into: readonly Walk[]): void {
    const { machine, step, operands } = this.#reduction;
    const from = operands.map((walk) => movedTo(walk, start));
    const to = into.map((walk) => movedTo(walk, start));
    const first = start.map((x, axis) => x + (step.from[axis] ?? 0));
    // On this thread alone: the others may be at work on patches that are ready.
    if (this.#isLifted) runWalks(machine, step.lift, shape, [...from, ...to], first, 1);
    else from.forEach((walk, k) => copyWalk(machine, walk, to[k]!, shape));
  }

  /** Where the domain's place 0 would be in the patch, and how far each axis moves it. */
  #walksInto({ row, rows, column, columns }: Patch, slot: number): Walk[] {
    const { machine, step, kept } = this.#reduction;
    const strides: number[] = [];
    const along = (axes: readonly number[], width: number): void =>
      stridesOf(axes.map((axis) => step.domain[axis]!)).forEach(
        (stride, k) => (strides[axes[k]!] = stride * width),
      );
    along(step.axes, this.#isInner ? 1 : columns);
    along(kept, this.#isInner ? rows : 1);
    const before = this.#isInner ? column * rows + row : row * columns + column;
    return this.#dtypes.map((dtype, i) => {
      const { data, place } = machine.memory.blockAt(this.#at[slot]![i]!, dtype, [rows * columns]);
      return { data, dtype, offset: -before, strides, place };
    });
  }
}

const bytesOf = (dtypes: readonly DType[]): number =>
  dtypes.reduce((sum, dtype) => sum + infoOf(dtype).bytes, 0);

/** Coordinates are there only now. Else one loop over what lies in memory is better than a copy of each operand. */
function isBetterLifted({ machine, step, operands, states }: Reduction): boolean {
  if (step.lift.instructions.some(({ prim }) => prim === "index")) return true;
  const isThere = operands.every((walk) => machine.memory.addressOf(walk) !== null);
  return isThere && bytesOf(states) <= bytesOf(step.lift.operands);
}

function takePatch(memory: KernelMemory, dtypes: readonly DType[], rows: number, columns: number): Place[] {
  const at = takeStates(memory, dtypes, rows * columns);
  if (at !== null) return at;
  throw new RunError({
    what: `there is no memory left for ${rows} × ${columns} elements of a reduction`,
    cure: "Let go of results that are no longer needed, or use smaller chunks",
  });
}

const movedTo = (walk: Walk, start: readonly number[]): Walk => ({
  ...walk,
  offset: start.reduce((offset, x, axis) => offset + x * walk.strides[axis]!, walk.offset),
});

/** One program for each dtype: its kernel is then found by it. */
const copies = once(
  (): ReadonlyMap<DType, ScalarProgram> => new Map(DTYPES.map((dtype) => [dtype, asTheyAre([dtype])])),
);

/** The elements of a walk to where another goes. */
function copyWalk(machine: WasmMachine, from: Walk, to: Walk, shape: Shape): void {
  if (machine.memory.addressOf(from) === null) return copyElements(blockOf(from, shape), blockOf(to, shape));
  runWalks(machine, copies().get(from.dtype)!, shape, [from, to], [], 1);
}

const blockOf = (walk: Walk, shape: Shape): Block => ({ ...walk, shape });
