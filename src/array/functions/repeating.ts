// The same elements again: shifted, repeated, tiled, padded.

import { checkIntegers, checkLengths, checkScalar } from "../../core/check.ts";
import { type AxisName, checkAxis, checkAxisList, describe, isLength } from "../../core/chunks.ts";
import { INDEX_DTYPE, isInteger, isTypedArray, type TypedArray } from "../../core/dtype.ts";
import { DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import { fitScalar, type Scalar } from "../../core/numbers.ts";
import { type Built, built, castTo, node } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { ArrayFunction } from "../../lazy/functionTypes.ts";
import { asLazy, LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { NDArray } from "../../lazy/ndarray.ts";
import { repeatExpr } from "../../ops/compaction.ts";
import { PAD_MODES, type PadMode, pad as padOp } from "../../ops/moves/pad.ts";
import * as moves from "../../ops/moves/select.ts";
import { broadcastLazy, partAlong } from "../chunked.ts";
import { expandDims, moveaxis, reshape } from "./manipulation.ts";

/** Options of `cw.roll`. */
export interface RollOptions {
  /** Along which axes; null, or nothing: over the flattened array. */
  readonly axis?: AxisName | readonly AxisName[] | null | undefined;
}

/** Shifted along axes, coming in again at the other end; without axis over the flattened array: `cw.roll(x, 1, {axis: 0})`. */
export const roll: ArrayFunction<"same", [shift: number | readonly number[], options?: RollOptions]> =
  userCall(
    "roll",
    (x: Operand, shift: number | readonly number[], { axis }: RollOptions = {}): Built => {
      const array = asLazy(x);
      const shifts = checkIntegers(shift, "shift");
      if (axis === undefined || axis === null) return rollFlat(array, shifts);
      const axes = repeatableAxes(axis, array.ndim);
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
    [2, "axis"],
  );

/** An axis may be named twice: its shifts add up. */
function repeatableAxes(axis: AxisName | readonly AxisName[], ndim: number): number[] {
  return (Array.isArray(axis) ? Array.from(axis) : [axis]).flatMap((a: AxisName) => checkAxisList(a, ndim));
}

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

/** Options of `cw.repeat`. */
export interface RepeatOptions {
  /** Along which axis; null, or nothing: over the flattened array. */
  readonly axis?: AxisName | null | undefined;
}

/** Whole numbers: one, plain data, or an array that is computed later. */
type Counts = number | bigint | readonly (number | bigint)[] | TypedArray | NDArray | LazyArray;

const asNumber = (value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value);

function plainCounts(repeats: Exclude<Counts, LazyArray>): unknown {
  const isData = repeats instanceof NDArray || isTypedArray(repeats) || Array.isArray(repeats);
  return isData ? Array.from<unknown, unknown>(repeats, asNumber) : asNumber(repeats);
}

/** What an axis is repeated by is counted when the computation runs. */
function repeatLater(x: LazyArray, counts: LazyArray, at: number): Built {
  if (!isInteger(counts.dtype))
    throw new DTypeError({
      what: `counts are ${counts.dtype}, not integers`,
      cure: "Use astype to an integer dtype first",
    });
  const own = counts.ndim === 0 ? expandDims(counts, { axis: 0 }) : counts;
  const [length] = own.expr.shape;
  const each = castTo(length === 1 ? broadcastLazy(own, [x.expr.shape[at]!]) : own, INDEX_DTYPE);
  const front = moveaxis(x, at, 0) as LazyArray;
  return moveaxis(built(repeatExpr(front.expr, each.expr), [front, each]), 0, at) as Built;
}

/**
 * Each element several times; without axis over the flattened array: `cw.repeat(x, 2, {axis: 0})`. Counts may be an array that
 * is computed later: then the result's length is, too.
 */
export const repeat: ArrayFunction<"same", [repeats: Counts, options?: RepeatOptions]> = userCall(
  "repeat",
  (x: Operand, repeats: Counts, { axis }: RepeatOptions = {}): Built => {
    const flat = axis === undefined || axis === null;
    const array = flat ? reshape(asLazy(x), [-1]) : asLazy(x);
    const at = flat ? 0 : checkAxis(axis, array.ndim);
    if (repeats instanceof LazyArray) return repeatLater(array, repeats, at);
    const counts = checkLengths(plainCounts(repeats), "repeats");
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
  [2, "axis"],
);

/** The whole array several times along each axis: `cw.tile(x, [2, 1])`. */
export const tile: ArrayFunction<"same", [repetitions: number | readonly number[]]> = userCall(
  "tile",
  (x: Operand, repetitions: number | readonly number[]): Built => {
    const array = asLazy(x);
    const counts = checkLengths(repetitions, "repetitions");
    const ndim = Math.max(array.ndim, counts.length);
    const grown = reshape(array, [...new Array<number>(ndim - array.ndim).fill(1), ...array.shape]);
    return node(moves.tile, [grown], {
      repetitions: [...new Array<number>(ndim - counts.length).fill(1), ...counts],
    });
  },
);

/** Options of `cw.pad`. */
export interface PadOptions {
  /** What stands in the new places: "constant" unless given, "edge", "reflect", "symmetric" or "wrap". */
  readonly mode?: PadMode | undefined;
  /** Of the mode "constant": the value; 0 unless given. */
  readonly constantValues?: Scalar | undefined;
}

/** More elements around the array: a number, [before, after], or a pair per axis: `cw.pad(x, 1, {mode: "edge"})`. */
export const pad: ArrayFunction<
  "same",
  [padWidth: number | readonly number[] | readonly (readonly number[])[], options?: PadOptions]
> = userCall(
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
    const value = fitScalar(checkScalar(constantValues, "constantValues"), array.dtype);
    return node(padOp, [array], {
      before: pairs.map(([before]) => before!),
      after: pairs.map(([, after]) => after!),
      mode,
      value,
    });
  },
  [2, "mode", "constantValues"],
);

function padPairs(
  width: number | readonly number[] | readonly (readonly number[])[],
  x: LazyArray,
): (readonly number[])[] {
  const list: readonly unknown[] = Array.isArray(width) ? Array.from(width) : [];
  const isFlat = list.length === 2 && list.every((item) => typeof item === "number");
  const one = typeof width === "number" ? [width, width] : isFlat ? list : list.length === 1 ? list[0] : null;
  const pairs = one === null || one === undefined ? list : x.shape.map(() => one);
  const isPair = (pair: unknown): boolean => Array.isArray(pair) && pair.length === 2 && pair.every(isLength);
  if (
    pairs.length === x.ndim &&
    pairs.every(isPair) &&
    (list.length > 0 || typeof width === "number" || x.ndim === 0)
  ) {
    return pairs as number[][];
  }
  throw new ValueError({
    what: `the ${list.length} widths ${widthText(width)} do not fit ${x.ndim} axes`,
    cure: "Give [before, after] per axis, whole numbers of 0 or more",
  });
}

const widthText = (width: unknown): string =>
  Array.isArray(width) ? `[${width.map(widthText).join(", ").slice(0, 100)}]` : describe(width);
