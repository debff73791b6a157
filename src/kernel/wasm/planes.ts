// Planes of rows and columns that kernels reduce where they lie. In: a plane in the kernels' memory, and programs. Out: the kernel
// that reduces it, and states for its segments.

import type { Place } from "../../core/block.ts";
import { type DType, infoOf } from "../../core/dtype.ts";
import type { ReduceStep } from "../blockProgram.ts";
import { programOf, type ScalarProgram } from "../program.ts";
import type { Walk } from "./arrange.ts";
import type { WasmKernel } from "./control.ts";
import { textOf } from "./kernelText.ts";
import type { WasmMachine } from "./machine.ts";
import type { Kernels } from "./madeKernels.ts";
import type { KernelMemory } from "./memory.ts";
import { reduceModule } from "./reduceKernel.ts";
import {
  type ReduceCut,
  type ReducePlane,
  type ReduceWalk,
  reduceParameters,
  reduceUnits,
  reduceWalk,
} from "./reduceLayout.ts";

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
): void {
  const units = reduceUnits(plane, walk, cut);
  const perUnit = (plane.rows * plane.columns) / units;
  const part = Math.max(1, Math.floor(UNIT_ELEMENTS / 2 / perUnit));
  jobs.run(kernel, reduceParameters(plane, walk, cut, totals), units, part, threads);
}

/** A program that takes states as they are. */
export const asTheyAre = (states: readonly DType[]): ScalarProgram => programOf(states, (...state) => state);
