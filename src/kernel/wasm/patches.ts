// Reductions of what a kernel cannot read where it lies: arrays from outside, several axes with strides of their
// own, coordinates. A patch of rows and columns at a time is brought into memory, side by side: the operands
// themselves, or, where coordinates are asked for, the states made of them. Then it is reduced.
// Memory taken does not depend on the domain.

import type { Block } from "../../core/block.ts";
import { type DType, infoOf } from "../../core/dtype.ts";
import { RunError } from "../../core/errors.ts";
import { type Shape, stridesOf } from "../../core/shape.ts";
import type { ScalarProgram } from "../program.ts";
import { copyElements } from "../routines/walk.ts";
import type { Walk } from "./arrange.ts";
import { runWalks } from "./loops.ts";
import { addressOf, blockAt, giveBytes, memory } from "./memory.ts";
import { boxesOf } from "./ranges.ts";
import type { ReduceCut } from "./reduceLayout.ts";
import { asTheyAre, type Reduction, runPlane, statePlane, takeStates } from "./reductions.ts";

/** What a core's cache holds. */
const PATCH_BYTES = 1 << 20;

/** Rows and columns that are in memory at one time. */
interface Patch {
  readonly row: number;
  readonly rows: number;
  readonly column: number;
  readonly columns: number;
}

/** As runPlane, for operands that are not a plane: totals[component][segment][column]. */
export function reducePatches(reduction: Reduction, cut: ReduceCut, totals: readonly number[]): void {
  const patches = new Patches(reduction, cut);
  try {
    patches.run(totals);
  } finally {
    patches.giveBack();
  }
}

class Patches {
  readonly #reduction: Reduction;
  readonly #cut: ReduceCut;
  readonly #usesIndex: boolean;
  /** What a patch holds for each place, and where. */
  readonly #dtypes: readonly DType[];
  readonly #at: readonly number[];
  readonly #high: number;
  readonly #wide: number;

  constructor(reduction: Reduction, cut: ReduceCut) {
    const { rows, columns, states, step } = reduction;
    this.#reduction = reduction;
    this.#cut = cut;
    this.#usesIndex = step.lift.instructions.some(({ prim }) => prim === "index");
    this.#dtypes = this.#usesIndex ? states : step.lift.operands;
    const bytes = this.#dtypes.reduce((sum, dtype) => sum + infoOf(dtype).bytes, 0);
    const segment = Math.min(rows, cut.segmentRows);
    this.#wide = Math.min(columns, Math.max(1, Math.floor(PATCH_BYTES / (segment * bytes))));
    const segments = Math.max(1, Math.floor(PATCH_BYTES / (segment * this.#wide * bytes)));
    this.#high = this.#wide < columns ? segment : Math.min(rows, segments * segment);
    this.#at = takePatch(this.#dtypes, this.#high, this.#wide);
  }

  giveBack(): void {
    for (const at of this.#at) giveBytes(at);
  }

  run(totals: readonly number[]): void {
    const { rows, columns, states } = this.#reduction;
    for (let row = 0; row < rows; row += this.#high) {
      for (let column = 0; column < columns; column += this.#wide) {
        const patch = {
          ...{ row, rows: Math.min(this.#high, rows - row) },
          ...{ column, columns: Math.min(this.#wide, columns - column) },
        };
        const first = Math.floor(row / this.#cut.segmentRows) * columns + column;
        this.#fill(patch);
        this.#reduce(
          patch,
          totals.map((total, i) => total + first * infoOf(states[i]!).bytes),
        );
      }
    }
  }

  #reduce({ rows, columns }: Patch, totals: readonly number[]): void {
    const { step, states, threads } = this.#reduction;
    const plane = statePlane(this.#dtypes, this.#at, rows, columns);
    const lift = this.#usesIndex ? asTheyAre(states) : step.lift;
    const cut = { ...this.#cut, segmentRows: Math.min(rows, this.#cut.segmentRows) };
    runPlane(plane, lift, step, states, cut, totals, threads);
  }

  /** The patch's places, box by box of the domain. */
  #fill(patch: Patch): void {
    const { step, kept } = this.#reduction;
    const lengths = (axes: readonly number[]): number[] => axes.map((axis) => step.domain[axis]!);
    const into = this.#walksInto(patch);
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
    const { step, operands, threads } = this.#reduction;
    const from = operands.map((walk) => movedTo(walk, start));
    const to = into.map((walk) => movedTo(walk, start));
    const first = start.map((x, axis) => x + (step.from[axis] ?? 0));
    if (this.#usesIndex) runWalks(step.lift, shape, [...from, ...to], first, threads);
    else from.forEach((walk, k) => copyWalk(walk, to[k]!, shape, threads));
  }

  /** Where the domain's place 0 would be in the patch, and how far each axis moves it. */
  #walksInto({ row, rows, column, columns }: Patch): Walk[] {
    const { step, kept } = this.#reduction;
    const strides: number[] = [];
    const along = (axes: readonly number[], width: number): void =>
      stridesOf(axes.map((axis) => step.domain[axis]!)).forEach(
        (stride, k) => (strides[axes[k]!] = stride * width),
      );
    along(step.axes, columns);
    along(kept, 1);
    return this.#dtypes.map((dtype, i) => {
      const { data } = blockAt(memory.buffer, this.#at[i]!, dtype, [rows * columns]);
      return { data, dtype, offset: -(row * columns + column), strides };
    });
  }
}

function takePatch(dtypes: readonly DType[], rows: number, columns: number): number[] {
  const at = takeStates(dtypes, rows * columns);
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

const copies = new Map<DType, ScalarProgram>();

/** The elements of a walk to where another goes. */
function copyWalk(from: Walk, to: Walk, shape: Shape, threads: number): void {
  if (addressOf(from) === null) return copyElements(blockOf(from, shape), blockOf(to, shape));
  let copy = copies.get(from.dtype);
  if (copy === undefined) {
    copy = asTheyAre([from.dtype]);
    copies.set(from.dtype, copy);
  }
  runWalks(copy, shape, [from, to], [], threads);
}

const blockOf = (walk: Walk, shape: Shape): Block => ({ ...walk, shape });
