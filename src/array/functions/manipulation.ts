// Manipulation: the same elements in another order, shape or company.

import type { ChunksArgument } from "../../core/chunks.ts";
import { AxisError, ShapeError, ValueError } from "../../core/errors.ts";
import { fitScalar, type Scalar } from "../../core/numbers.ts";
import { promote } from "../../core/promotion.ts";
import {
  broadcastShapes,
  checkAxes,
  checkAxis,
  checkAxisList,
  checkInteger,
  checkShape,
  describe,
  isLength,
  type Shape,
  shapeText,
  sizeOf,
} from "../../core/shape.ts";
import * as layout from "../../ops/moves/layout.ts";
import { PAD_MODES, type PadMode, pad as padOp } from "../../ops/moves/pad.ts";
import { reshape as reshapeOp, reshapeSteps } from "../../ops/moves/reshape.ts";
import * as moves from "../../ops/moves/select.ts";
import { type Built, broadcastLazy, castTo, chunksFor, node, partAlong } from "../build.ts";
import { userCall } from "../call.ts";
import { asLazy, type LazyArray, type Operand } from "../lazyArray.ts";
import { NDArray } from "../ndarray.ts";

/** Outputs marked on any of several operands. */
export type Joined<Operands extends readonly Operand[]> = Operands extends readonly [
  Operand<infer First>,
  ...infer Rest extends readonly Operand[],
]
  ? First & Joined<Rest>
  : unknown;

const lazies = (arrays: readonly Operand[]): LazyArray[] => {
  if (!Array.isArray(arrays))
    throw new ValueError({ what: `takes a list of arrays, not ${describe(arrays)}`, cure: "Write [x, y]" });
  return arrays.map(asLazy);
};

export const broadcastTo: <O = unknown>(x: Operand<O>, shape: Shape) => LazyArray<O> = userCall(
  "broadcastTo",
  (x: Operand, shape: Shape): Built => broadcastLazy(asLazy(x), checkShape(shape)) as Built,
);

/** All of them stretched to their common shape. */
export const broadcastArrays: (...arrays: readonly Operand[]) => LazyArray[] = userCall(
  "broadcastArrays",
  (...arrays: readonly Operand[]) => {
    const list = arrays.map(asLazy);
    const shape = broadcastShapes(list.map((x) => x.shape));
    return list.map((x) => broadcastLazy(x, shape));
  },
);

export interface AxisOption {
  readonly axis?: number | null | undefined;
}

/** One after another along an axis; null flattens them first. */
export const concat: (arrays: readonly Operand[], options?: AxisOption) => LazyArray = userCall(
  "concat",
  (arrays: readonly Operand[], { axis = 0 }: AxisOption = {}): Built => {
    const list = lazies(arrays);
    if (list.length === 0)
      throw new ValueError({ what: "there are no arrays to concatenate", cure: "Pass at least one" });
    const dtype = list.map((x) => x.dtype).reduce(promote);
    const parts = list.map((x) => castTo(axis === null ? reshape(x, [-1]) : x, dtype));
    const scalar = parts.find((x) => x.ndim === 0);
    if (scalar !== undefined)
      throw new ShapeError({
        what: "a 0-d array cannot be concatenated",
        cure: "Use stack, or expandDims first",
      });
    return node(moves.concat, parts, { axis: checkAxis(axis ?? 0, parts[0]!.ndim) });
  },
);

/** Side by side along a new axis. */
export const stack: (
  arrays: readonly Operand[],
  options?: { readonly axis?: number | undefined },
) => LazyArray = userCall(
  "stack",
  (arrays: readonly Operand[], { axis = 0 }: { readonly axis?: number | undefined } = {}): Built => {
    const list = lazies(arrays);
    if (list.length === 0)
      throw new ValueError({ what: "there are no arrays to stack", cure: "Pass at least one" });
    const odd = list.find((x) => shapeText(x.shape) !== shapeText(list[0]!.shape));
    if (odd !== undefined) {
      throw new ShapeError({
        what: `shapes ${shapeText(list[0]!.shape)} and ${shapeText(odd.shape)} differ`,
        cure: "Stacked arrays have one shape",
      });
    }
    const at = checkAxis(axis, list[0]!.ndim + 1);
    return concat(
      list.map((x) => expandDims(x, { axis: at })),
      { axis: at },
    ) as Built;
  },
);

/** The parts along an axis, without that axis. */
export const unstack: <O = unknown>(
  x: Operand<O>,
  options?: { readonly axis?: number | undefined },
) => LazyArray<O>[] = userCall(
  "unstack",
  (x: Operand, { axis = 0 }: { readonly axis?: number | undefined } = {}): Built[] => {
    const array = asLazy(x);
    const at = checkAxis(axis, array.ndim);
    return Array.from({ length: array.shape[at]! }, (_, i) =>
      node(layout.squeeze, [partAlong(array, at, i, 1)], { axes: [at] }),
    );
  },
);

/** New axes of length 1 at these places of the result. */
export const expandDims: <O = unknown>(
  x: Operand<O>,
  options?: { readonly axis?: number | readonly number[] | undefined },
) => LazyArray<O> = userCall(
  "expandDims",
  (x: Operand, { axis = 0 }: { readonly axis?: number | readonly number[] | undefined } = {}): Built => {
    const array = asLazy(x);
    const count = typeof axis === "number" ? 1 : axis.length;
    return node(layout.expandDims, [array], { axes: checkAxes(axis, array.ndim + count) });
  },
);

/** Drops axes of length 1. */
export const squeeze: <O = unknown>(x: Operand<O>, axis: number | readonly number[]) => LazyArray<O> =
  userCall("squeeze", (x: Operand, axis: number | readonly number[]): Built => {
    const array = asLazy(x);
    if (axis === undefined)
      throw new AxisError({ what: "no axis is named", cure: "Say which axes of length 1 to drop" });
    return node(layout.squeeze, [array], { axes: checkAxes(axis, array.ndim) });
  });

/** The other way round along an axis, several, or all. */
export const flip: <O = unknown>(
  x: Operand<O>,
  options?: { readonly axis?: number | readonly number[] | null | undefined },
) => LazyArray<O> = userCall(
  "flip",
  (x: Operand, { axis }: { readonly axis?: number | readonly number[] | null | undefined } = {}): Built => {
    const array = asLazy(x);
    const axes = checkAxes(axis, array.ndim);
    const turned = (a: number): boolean => axes.includes(a) && array.shape[a]! > 0;
    return node(moves.slice, [array], {
      start: array.shape.map((n, a) => (turned(a) ? n - 1 : 0)),
      step: array.shape.map((_, a) => (turned(a) ? -1 : 1)),
      shape: array.shape,
    });
  },
);

/** Output axis j is input axis axes[j]. */
export const permuteDims: <O = unknown>(x: Operand<O>, axes: readonly number[]) => LazyArray<O> = userCall(
  "permuteDims",
  (x: Operand, axes: readonly number[]): Built => {
    const array = asLazy(x);
    const list = checkAxisList(axes, array.ndim);
    if (list.length !== array.ndim) {
      throw new AxisError({
        what: `${list.length} axes are named and the array has ${array.ndim}`,
        cure: "Name every axis once",
      });
    }
    return node(layout.permute, [array], { axes: list });
  },
);

export const moveaxis: <O = unknown>(
  x: Operand<O>,
  source: number | readonly number[],
  destination: number | readonly number[],
) => LazyArray<O> = userCall(
  "moveaxis",
  (x: Operand, source: number | readonly number[], destination: number | readonly number[]): Built => {
    const array = asLazy(x);
    const from = checkAxisList(source, array.ndim);
    const to = checkAxisList(destination, array.ndim);
    if (from.length !== to.length) {
      throw new AxisError({
        what: `${from.length} axes move to ${to.length} places`,
        cure: "Name as many places as axes",
      });
    }
    const axes = array.shape.map((_, axis) => axis).filter((axis) => !from.includes(axis));
    const moved = to.map((place, i) => [place, from[i]!] as const).sort((a, b) => a[0] - b[0]);
    for (const [place, axis] of moved) axes.splice(place, 0, axis);
    return node(layout.permute, [array], { axes });
  },
);

/** The last two axes swapped. */
export const matrixTranspose: <O = unknown>(x: Operand<O>) => LazyArray<O> = userCall(
  "matrixTranspose",
  (x: Operand): Built => {
    const array = asLazy(x);
    if (array.ndim < 2)
      throw new ShapeError({
        what: `needs at least 2 dimensions, not ${array.ndim}`,
        cure: "Use expandDims or reshape first",
      });
    const axes = array.shape.map((_, axis) => axis);
    return node(layout.permute, [array], { axes: [...axes.slice(0, -2), array.ndim - 1, array.ndim - 2] });
  },
);

/** The same elements in row-major order under another shape; one length may be −1. */
export const reshape: <O = unknown>(
  x: Operand<O>,
  shape: number | Shape,
  options?: { readonly copy?: boolean | null | undefined },
) => LazyArray<O> = userCall("reshape", (x: Operand, shape: number | Shape): Built => {
  const array = asLazy(x);
  const target = inferLength(array, typeof shape === "number" ? [shape] : shape);
  if (shapeText(target) === shapeText(array.shape)) return array as Built;
  return reshapeSteps(array.shape, target).reduce(
    (from, to) => node(reshapeOp, [from], { shape: to }),
    array,
  ) as Built;
});

function inferLength(x: LazyArray, shape: Shape): Shape {
  const unknown = shape.filter((length) => length === -1).length;
  if (unknown > 1)
    throw new ShapeError({
      what: `shape ${shapeText(shape)} has ${unknown} unknown lengths`,
      cure: "Only one may be -1",
    });
  const rest = sizeOf(shape.filter((length) => length !== -1));
  const target = checkShape(
    shape
      .map((length) => (length === -1 ? (rest === 0 ? 0 : x.size / rest) : length))
      .map((n) => (Number.isInteger(n) ? n : Math.floor(n))),
  );
  if (sizeOf(target) === x.size && !(unknown === 1 && rest === 0 && x.size > 0)) return target;
  throw new ShapeError({
    what: `${x.size} elements of shape ${shapeText(x.shape)} do not fit shape ${shapeText(shape)}`,
    cure: "The product of the lengths must stay the same",
  });
}

export interface RollOptions {
  readonly axis?: number | readonly number[] | null | undefined;
}

/** Shifted along axes, coming in again at the other end; without axis over the flattened array. */
export const roll: <O = unknown>(
  x: Operand<O>,
  shift: number | readonly number[],
  options?: RollOptions,
) => LazyArray<O> = userCall(
  "roll",
  (x: Operand, shift: number | readonly number[], { axis }: RollOptions = {}): Built => {
    const array = asLazy(x);
    const shifts = (typeof shift === "number" ? [shift] : shift).map((n) => checkInteger(n, "shift"));
    if (axis === undefined || axis === null) return rollFlat(array, shifts);
    const axes = (typeof axis === "number" ? [axis] : axis).map((a) => checkAxis(a, array.ndim));
    if (typeof shift !== "number" && shifts.length !== axes.length) {
      throw new ValueError({
        what: `${shifts.length} shifts for ${axes.length} axes`,
        cure: "Give one shift per axis, or one for all",
      });
    }
    const total = array.shape.map(() => 0);
    axes.forEach((a, i) => (total[a]! += typeof shift === "number" ? shift : shifts[i]!));
    return total.reduce((rolled, by, a) => rollAxis(rolled, a, by), array) as Built;
  },
);

function rollFlat(x: LazyArray, shifts: readonly number[]): Built {
  const total = shifts.reduce((a, b) => a + b, 0);
  return reshape(rollAxis(reshape(x, [-1]), 0, total), x.shape) as Built;
}

/** The end, then the begin: two windows, so that a chunk reads only what it needs. */
function rollAxis(x: LazyArray, axis: number, shift: number): LazyArray {
  const length = x.shape[axis]!;
  const by = length === 0 ? 0 : ((shift % length) + length) % length;
  if (by === 0) return x;
  return node(moves.concat, [partAlong(x, axis, length - by, by), partAlong(x, axis, 0, length - by)], {
    axis,
  });
}

export interface RepeatOptions {
  readonly axis?: number | null | undefined;
}

/** Each element several times; without axis over the flattened array. Counts are a number or plain data. */
export const repeat: <O = unknown>(
  x: Operand<O>,
  repeats: number | readonly number[] | NDArray,
  options?: RepeatOptions,
) => LazyArray<O> = userCall(
  "repeat",
  (x: Operand, repeats: number | readonly number[] | NDArray, { axis }: RepeatOptions = {}): Built => {
    const flat = axis === undefined || axis === null;
    const array = flat ? reshape(asLazy(x), [-1]) : asLazy(x);
    const at = flat ? 0 : checkAxis(axis, array.ndim);
    const counts =
      typeof repeats === "number"
        ? [repeats]
        : (repeats instanceof NDArray ? [...repeats] : [...repeats]).map(Number);
    if (!counts.every(isLength))
      throw new ValueError({
        what: `repeats are ${describe(repeats)}`,
        cure: "Use whole numbers, 0 or more",
      });
    if (counts.length === 1) return node(moves.repeat, [array], { axis: at, repeats: counts[0]! });
    if (counts.length !== array.shape[at]) {
      throw new ShapeError({
        what: `${counts.length} counts for ${array.shape[at]} elements along axis ${at}`,
        cure: "Give one count per element, or one for all",
      });
    }
    const parts = counts.flatMap((count, i) =>
      count === 0 ? [] : [node(moves.repeat, [partAlong(array, at, i, 1)], { axis: at, repeats: count })],
    );
    return parts.length === 0 ? partAlong(array, at, 0, 0) : node(moves.concat, parts, { axis: at });
  },
);

/** The whole array several times along each axis. */
export const tile: <O = unknown>(x: Operand<O>, repetitions: number | readonly number[]) => LazyArray<O> =
  userCall("tile", (x: Operand, repetitions: number | readonly number[]): Built => {
    const array = asLazy(x);
    const counts = typeof repetitions === "number" ? [repetitions] : repetitions;
    if (!counts.every(isLength))
      throw new ValueError({
        what: `repetitions are ${describe(repetitions)}`,
        cure: "Use whole numbers, 0 or more",
      });
    const ndim = Math.max(array.ndim, counts.length);
    const grown = reshape(array, [...new Array<number>(ndim - array.ndim).fill(1), ...array.shape]);
    return node(moves.tile, [grown], {
      repetitions: [...new Array<number>(ndim - counts.length).fill(1), ...counts],
    });
  });

export interface PadOptions {
  readonly mode?: PadMode | undefined;
  readonly constantValues?: Scalar | undefined;
}

/** More elements around the array: a number, [before, after], or a pair per axis. */
export const pad: <O = unknown>(
  x: Operand<O>,
  padWidth: number | readonly number[] | readonly (readonly number[])[],
  options?: PadOptions,
) => LazyArray<O> = userCall(
  "pad",
  (
    x: Operand,
    padWidth: number | readonly number[] | readonly (readonly number[])[],
    { mode = "constant", constantValues = 0 }: PadOptions = {},
  ): Built => {
    const array = asLazy(x);
    const pairs = padPairs(padWidth, array);
    if (!PAD_MODES.includes(mode))
      throw new ValueError({ what: `mode is ${describe(mode)}`, cure: `Use one of ${PAD_MODES.join(", ")}` });
    const emptyAxis = array.shape.findIndex((n, axis) => n === 0 && pairs[axis]!.some((width) => width > 0));
    if (mode !== "constant" && emptyAxis >= 0) {
      throw new ShapeError({
        what: `axis ${emptyAxis} has no elements to pad with`,
        cure: 'Use mode "constant"',
      });
    }
    const value = fitScalar(constantValues, array.dtype);
    return node(padOp, [array], {
      before: pairs.map(([before]) => before!),
      after: pairs.map(([, after]) => after!),
      mode,
      value,
    });
  },
);

function padPairs(
  width: number | readonly number[] | readonly (readonly number[])[],
  x: LazyArray,
): (readonly number[])[] {
  const isFlat = typeof width !== "number" && width.every((w) => typeof w === "number");
  const one = typeof width === "number" ? [width, width] : isFlat ? (width as readonly number[]) : null;
  const pairs = one === null ? [...(width as readonly (readonly number[])[])] : x.shape.map(() => one);
  const filled = pairs.length === 1 ? x.shape.map(() => pairs[0]!) : pairs;
  if (filled.length === x.ndim && filled.every((pair) => pair.length === 2 && pair.every(isLength)))
    return filled;
  throw new ValueError({
    what: `the widths do not fit ${x.ndim} axes`,
    cure: "Give [before, after] per axis, whole numbers of 0 or more",
  });
}

/** Cut into other chunks. */
export const rechunk: <O = unknown>(x: Operand<O>, chunks: ChunksArgument) => LazyArray<O> = userCall(
  "rechunk",
  (x: Operand, chunks: ChunksArgument): Built => {
    const array = asLazy(x);
    return node(layout.rechunk, [array], { chunks: chunksFor(chunks, array.shape, array.dtype) });
  },
);

export interface MeshgridOptions {
  readonly indexing?: "xy" | "ij" | undefined;
}

type MeshgridFunction = (...args: readonly (Operand | MeshgridOptions)[]) => LazyArray[];

/** meshgrid(x, y, …, {indexing}): coordinate arrays from 1-d arrays. "xy" (the default) swaps the first two axes, as NumPy does. */
export const meshgrid: MeshgridFunction = userCall(
  "meshgrid",
  (...args: readonly (Operand | MeshgridOptions)[]): Built[] => {
    const last = args.at(-1);
    const { indexing = "xy" } = isOptions(last) ? last : {};
    const list = (isOptions(last) ? args.slice(0, -1) : args).map((x) => vectorOf(x as Operand));
    if (indexing !== "xy" && indexing !== "ij") {
      throw new ValueError({ what: `indexing is ${describe(indexing)}`, cure: 'Use "xy" or "ij"' });
    }
    const dtype = list.length === 0 ? undefined : list.map((x) => x.dtype).reduce(promote);
    const axisOf = (i: number): number => (indexing === "xy" && list.length > 1 && i < 2 ? 1 - i : i);
    const shape = list.map((_, axis) => list[axisOf(axis)]!.size);
    return list.map((x, i) => {
      const line = reshape(
        castTo(x, dtype!),
        shape.map((_, axis) => (axis === axisOf(i) ? x.size : 1)),
      );
      return broadcastLazy(line, shape) as Built;
    });
  },
);

const isOptions = (value: unknown): value is MeshgridOptions =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function vectorOf(x: Operand): LazyArray {
  const array = asLazy(x);
  if (array.ndim === 1) return array;
  if (array.ndim === 0) return reshape(array, [1]);
  throw new ShapeError({ what: `an array has ${array.ndim} dimensions`, cure: "meshgrid takes 1-d arrays" });
}
