// What becomes of the elements of a label within a block. In: a fold's name and dtypes. Out: what it begins with, and how an
// element goes in: as a term, which kernels are made of, and as a loop over slots, for where there is no kernel.
// Must hold: both give the same bits; what a fold begins with changes nothing, so that blocks can be folded in any order.

import { type DType, infoOf, isComplex, isFloat, isWide } from "../../core/dtype.ts";
import { integerRange } from "../../core/numbers.ts";
import * as complex from "../complex/arithmetic.ts";
import * as s from "../scalar.ts";
import { addValues, multiplyValues } from "../valueArithmetic.ts";

/** Folds that take one element after another into one value. */
export const PLAIN_FOLDS = ["sum", "prod", "min", "max", "any", "all", "count"] as const;
export type PlainFold = (typeof PLAIN_FOLDS)[number];
/** Folds that ask where an element stands. */
export const PLACE_FOLDS = ["first", "last", "argmin", "argmax", "firstPlace", "lastPlace"] as const;
export type PlaceFold = (typeof PLACE_FOLDS)[number];
/** mean: Σx / n. moment: Σ(x − mean)² with the block's own mean. */
export const FOLDS = [...PLAIN_FOLDS, ...PLACE_FOLDS, "mean", "moment"] as const;
export type FoldName = (typeof FOLDS)[number];

/** Behind every place there is: where nothing was found. */
export const NOWHERE: bigint = integerRange("int64")[1];

/** What no element exceeds, or falls below. */
export function extremeOf(fold: "min" | "max", dtype: DType): number | bigint {
  if (dtype === "bool") return fold === "min" ? 1 : 0;
  if (isFloat(dtype)) return fold === "min" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  return integerRange(dtype)[fold === "min" ? 1 : 0];
}

/** What changes nothing; of complex numbers the real part, beside which 0 stands. */
export function startOf(fold: PlainFold, dtype: DType): number | bigint {
  if (fold === "min" || fold === "max") return extremeOf(fold, dtype);
  return fold === "prod" || fold === "all" ? 1 : 0;
}

// As terms: state and element → state. Elements that are wider than their array are widened first.

const isNaN_ = (x: s.Value): s.Term => (s.isComplexTerm(x) ? complex.isnan(x) : s.isNaN_(x));

const widened = (x: s.Value, dtype: DType): s.Value => {
  const { part } = infoOf(dtype);
  return s.isComplexTerm(x) ? { re: s.convert(x.re, part), im: s.convert(x.im, part) } : s.convert(x, part);
};

type Taking = (state: s.Value, x: s.Value) => s.Value;
const TAKING: { readonly [F in Exclude<PlainFold, "count">]: Taking } = {
  sum: addValues,
  prod: multiplyValues,
  min: (state, x) => s.min(state as s.Term, x as s.Term),
  max: (state, x) => s.max(state as s.Term, x as s.Term),
  any: (state, x) => s.or(state as s.Term, x as s.Term),
  all: (state, x) => s.and(state as s.Term, x as s.Term),
};

export function takenTerm(
  fold: PlainFold,
  dtype: DType,
  skipsNaN: boolean,
  state: s.Value,
  x: s.Value,
): s.Value {
  const taken =
    fold === "count"
      ? s.add(state as s.Term, s.one((state as s.Term).type))
      : TAKING[fold](state, widened(x, dtype));
  return skipsNaN ? s.selectValue(isNaN_(x), state, taken) : taken;
}

// As loops. Numbers are float64 and, where they have 64 bits, BigInts, which are never mixed.

export type Values = Float64Array;

/** Takes `count` slots of x from `from` on into the groups' slots from `at` on. */
export type Fold = (groups: Values, at: number, x: Values, from: number, count: number) => void;

/** NaN stays and −0 is smaller than 0, as Math.min and Math.max have it. */
const PLAIN: { readonly [F in PlainFold]: Fold } = {
  sum(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) groups[at + j]! += x[from + j]!;
  },
  prod(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) groups[at + j]! *= x[from + j]!;
  },
  min(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) groups[at + j] = Math.min(groups[at + j]!, x[from + j]!);
  },
  max(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) groups[at + j] = Math.max(groups[at + j]!, x[from + j]!);
  },
  any(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) groups[at + j]! |= x[from + j]!;
  },
  all(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) groups[at + j]! &= x[from + j]!;
  },
  /** What x holds does not matter. */
  count(groups, at, _, __, count) {
    for (let j = 0; j < count; j++) groups[at + j]! += 1;
  },
};

/** BigInts have no Math.min. */
const WIDE: { readonly [F in "min" | "max"]: Fold } = {
  min(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) if (x[from + j]! < groups[at + j]!) groups[at + j] = x[from + j]!;
  },
  max(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) if (x[from + j]! > groups[at + j]!) groups[at + j] = x[from + j]!;
  },
};

const complexProduct: Fold = (groups, at, x, from, count) => {
  for (let j = 0; j < count; j += 2) {
    const [re, im] = [groups[at + j]!, groups[at + j + 1]!];
    const [xRe, xIm] = [x[from + j]!, x[from + j + 1]!];
    groups[at + j] = re * xRe - im * xIm;
    groups[at + j + 1] = re * xIm + im * xRe;
  }
};

/** Element by element, so that one that is NaN, or has a part that is, can be left out. */
const skipping =
  (fold: Fold, slots: number): Fold =>
  (groups, at, x, from, count) => {
    for (let j = 0; j < count; j += slots) {
      const isLeftOut = Number.isNaN(x[from + j]!) || (slots === 2 && Number.isNaN(x[from + j + 1]!));
      if (!isLeftOut) fold(groups, at + j, x, from + j, slots);
    }
  };

export function foldOf(fold: PlainFold, dtype: DType, skipsNaN: boolean): Fold {
  const { slots } = infoOf(dtype);
  const plain =
    fold === "prod" && isComplex(dtype)
      ? complexProduct
      : isWide(dtype) && (fold === "min" || fold === "max")
        ? WIDE[fold]
        : PLAIN[fold];
  return skipsNaN ? skipping(plain, slots) : plain;
}
