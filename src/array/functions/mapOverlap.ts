// mapOverlap: users' own functions over blocks that see beyond their edges. In: a function of arrays in memory, lazy
// arrays, and how deep a block reaches into its neighbours. Out: the lazy array (or arrays) whose blocks it makes.
// A block with its overlap is a window of its array: a task reads that and no more.

import { checkScalar } from "../../core/check.ts";
import { type ChunkShape, checkAxis, describe, isLength } from "../../core/chunks.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { Complex, fitScalar, isScalar, type Scalar } from "../../core/numbers.ts";
import { checkDType, node } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { LazyArray, Operand } from "../../lazy/lazyArray.ts";
import { overlap } from "../../ops/moves/overlap.ts";
import { PAD_MODES, type PadMode } from "../../ops/moves/pad.ts";
import { alignedWith, arraysOf, memoryOf, outputDTypes } from "./blockCall.ts";
import {
  type CommonGrid,
  calledBlocks,
  commonGrid,
  type MapBlocksOptions,
  type Mapped,
  resultGrid,
} from "./mapBlocks.ts";
import type { AnyFunction, BlockFunction, ModuleFunction } from "./userFunction.ts";

/** How many places a block reaches beyond its edges: on both sides, or [before, after]. */
export type Depth = number | readonly [before: number, after: number];

/** What lies beyond the edges of the array: as in pad, and a number is what "constant" holds. */
export type Boundary = PadMode | Scalar;

/** For all axes, for each axis in a list, or for some by their numbers. */
export type PerAxis<T> = T | readonly T[] | { readonly [axis: number]: T };

/** Options of `cw.mapOverlap`. */
export interface MapOverlapOptions extends MapBlocksOptions {
  /** Of all axes where it is one; [1, 2] is 1 along the first axis and 2 along the second. */
  readonly depth: PerAxis<Depth>;
  /** "constant" (zeros) unless given. */
  readonly boundary?: PerAxis<Boundary> | undefined;
  /** true: what the function gives has the overlap still on, and it is cut off. false: it gives the block without. */
  readonly trim?: boolean | undefined;
}

interface MapOverlap {
  <const Arrays extends readonly LazyArray[], const O extends MapOverlapOptions>(
    fn: BlockFunction<Arrays> | ModuleFunction,
    arrays: Arrays,
    options: O,
  ): Mapped<O, Arrays[0]>;
  <const A extends Operand, const O extends MapOverlapOptions>(
    fn: BlockFunction<[A]> | ModuleFunction,
    array: A,
    options: O,
  ): Mapped<O, A>;
}

/** Applies a function to each block of the arrays together with what lies around it: `cw.mapOverlap(blur, x, {depth: 1})`. */
export const mapOverlap: MapOverlap = userCall(
  "mapOverlap",
  (fn: AnyFunction, arrays: Operand | readonly LazyArray[], options?: MapOverlapOptions) =>
    overlapped(fn, arrays, options ?? ({} as MapOverlapOptions)) as never,
  [
    2,
    "depth",
    "boundary",
    "trim",
    "dtype",
    "dropAxis",
    "newAxis",
    "chunks",
    "shape",
    "outputs",
    "memory",
    "pullback",
  ],
);

function overlapped(
  fn: AnyFunction,
  arrays: Operand | readonly LazyArray[],
  options: MapOverlapOptions,
): LazyArray | LazyArray[] {
  const inputs = arraysOf(arrays);
  const { depth, boundary = "constant", trim = true, outputs, dtype } = options;
  if (typeof trim !== "boolean")
    throw new ValueError({ what: `trim is ${describe(trim)}`, cure: "It must be true or false" });
  const dtypes = outputDTypes(outputs, "outputs");
  const common = commonGrid(inputs);
  const type = resultGrid(common, options);
  const around = aroundOf(depth, boundary, common, type.axes);
  const windows = inputs.map((input) => withOverlap(input, common, around));
  const cut = common.cut.map((n, axis) => n + around.before[axis]! + around.after[axis]!);
  const from = windows.map((_, k) =>
    alignedWith(inputs[k]!.shape, common.whole).map((to) => (type.axes.includes(to) ? to : -1)),
  );
  const trimmed = trim ? { before: around.before, after: around.after } : {};
  const single = dtypes ?? [checkDType(dtype ?? inputs[0]!.dtype)];
  const results = calledBlocks(
    fn,
    windows,
    { cut, from, ...trimmed, memory: memoryOf(options) },
    single.map((one) => ({ ...type, dtype: one })),
    options,
    around,
  );
  return dtypes === null ? results[0]! : results;
}

/** Per axis of the arrays together: the depths, what is beyond the ends, and the length of blocks. */
interface Around {
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly modes: readonly PadMode[];
  readonly values: readonly Scalar[];
  readonly blocks: ChunkShape;
}

function aroundOf(
  depth: unknown,
  boundary: unknown,
  { whole, cut }: CommonGrid,
  axes: readonly number[],
): Around {
  const depths = perAxis(depth, whole.length, "depth", depthOf, [0, 0]);
  const ends = perAxis(boundary, whole.length, "boundary", boundaryOf, { mode: "constant", value: 0 });
  whole.forEach((n, axis) => {
    if (n > 0 || ends[axis]!.mode === "constant" || depths[axis]!.every((d) => d === 0)) return;
    throw new ShapeError({
      what: `axis ${axis} has no elements to put beyond its ends`,
      cure: 'Use the boundary "constant"',
    });
  });
  return {
    before: depths.map(([before]) => before),
    after: depths.map(([, after]) => after),
    modes: ends.map(({ mode }) => mode),
    values: ends.map(({ value }) => value),
    // An axis that the result does not have is one block.
    blocks: cut.map((n, axis) => (axes.includes(axis) ? n : Math.max(1, whole[axis]!))),
  };
}

/** A setting for every axis, from what a user wrote. */
function perAxis<T>(
  given: unknown,
  ndim: number,
  name: string,
  check: (value: unknown, name: string) => T,
  none: T,
): T[] {
  if (Array.isArray(given)) {
    if (given.length === ndim) return Array.from(given, (value) => check(value, name));
    throw new ValueError({
      what: `${name} has ${given.length} entries and the arrays have ${ndim} axes`,
      cure: "Give one for each axis, or one for all",
    });
  }
  const all = new Array<T>(ndim).fill(none);
  const isByAxis = typeof given === "object" && given !== null && !(given instanceof Complex);
  if (!isByAxis) return all.fill(check(given, name));
  for (const [axis, value] of Object.entries(given)) {
    if (value !== undefined)
      all[checkAxis(axis.trim() === "" ? Number.NaN : Number(axis), ndim)] = check(value, name);
  }
  return all;
}

function depthOf(value: unknown, name: string): readonly [number, number] {
  if (isLength(value)) return [value, value];
  if (Array.isArray(value) && value.length === 2 && value.every(isLength)) return [value[0]!, value[1]!];
  throw new ValueError({
    what: `${name} is ${describe(value)}`,
    cure: "Give a whole number of 0 or more, or [before, after], for all axes or for each",
  });
}

function boundaryOf(value: unknown, name: string): { readonly mode: PadMode; readonly value: Scalar } {
  const mode = PAD_MODES.find((known) => known === value);
  if (mode !== undefined) return { mode, value: 0 };
  if (isScalar(value)) return { mode: "constant", value: checkScalar(value, name) };
  throw new ValueError({
    what: `${name} is ${describe(value)}`,
    cure: `Use one of ${PAD_MODES.join(", ")}, or a number`,
  });
}

/** The array as its blocks with their overlap. Along an axis where it is stretched there is nothing around it. */
function withOverlap(x: LazyArray, { whole }: CommonGrid, around: Around): LazyArray {
  const aligned = alignedWith(x.shape, whole);
  const pick = <T>(list: readonly T[], none: T): T[] => aligned.map((to) => (to < 0 ? none : list[to]!));
  const [before, after] = [pick(around.before, 0), pick(around.after, 0)];
  if ([...before, ...after].every((depth) => depth === 0)) return x;
  return node(overlap, [x], {
    before,
    after,
    chunks: pick(around.blocks, 1),
    modes: pick(around.modes, "edge"),
    values: pick(around.values, 0).map((value) => fitScalar(value, x.dtype)),
  });
}
