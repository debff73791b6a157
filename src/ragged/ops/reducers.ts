// What reducers do with groups of plain values. In: a leaf whose groups lie one after another. Out: one value for each
// group. Dtypes are the dense reductions', and bools count as integers where dense sums would refuse them.

import { DTypeError } from "../../core/errors.ts";
import { countsOf, int64Of } from "../layout/indices.ts";
import { type Leaf, type NumpyLayout, numpyOf } from "../layout/layout.ts";
import { extremePlaces } from "../segments/extremes.ts";
import { averageDType, statefulNamed } from "../segments/states.ts";

export interface Segments {
  readonly offsets: Int32Array;
  readonly positions: Int32Array | null;
}

export interface ReduceAttrs {
  /** Null for all axes. */
  readonly axis?: number | null;
  readonly keepdims?: boolean;
  /** Null for groups without elements; each reducer has its own habit. */
  readonly maskIdentity?: boolean;
  /** What var and std take off the count. */
  readonly ddof?: number;
}

export interface Reducer {
  readonly name: string;
  /** Groups without elements give null unless said otherwise. */
  readonly masksEmpty: boolean;
  /** Places are counted with nulls in between. */
  readonly countsPlaces?: boolean;
  /** It asks how many there are, and not which. */
  readonly ignoresValues?: boolean;
  reduce(leaf: Leaf, segments: Segments, attrs: ReduceAttrs): NumpyLayout;
}

function numbersOf(leaf: Leaf, name: string): NumpyLayout {
  if (leaf.kind === "numpy") return leaf;
  if (leaf.kind === "empty") return numpyOf(new Float64Array(0));
  throw new DTypeError({
    what: `there is no ${name} of strings`,
    cure: "Use count, or a field that holds numbers",
  });
}

/** By the state of all elements at once. */
const byState = (name: string, masksEmpty: boolean): Reducer => ({
  name,
  masksEmpty,
  reduce: (leaf, segments, { ddof = 0 }) => {
    const numbers = numbersOf(leaf, name);
    const { lift, finish } = statefulNamed(name);
    const isAverage = name === "mean" || name === "var" || name === "std";
    const counts = isAverage ? new Float64Array(countsOf(segments.offsets)) : new Float64Array(0);
    return finish(
      lift(numbers, segments),
      counts,
      isAverage ? { ddof, dtype: averageDType(numbers.dtype) } : {},
    );
  },
});

/** Without the extreme values themselves, which a state would have. */
const place = (name: string, wantsMax: boolean): Reducer => ({
  name,
  masksEmpty: true,
  countsPlaces: true,
  reduce: (leaf, { offsets, positions }) =>
    numpyOf(int64Of(extremePlaces(numbersOf(leaf, name), offsets, positions, wantsMax))),
});

/** Strings can be counted, too. */
const count: Reducer = {
  name: "count",
  masksEmpty: false,
  ignoresValues: true,
  reduce: (_, { offsets }) => numpyOf(int64Of(countsOf(offsets))),
};

export const REDUCERS: readonly Reducer[] = [
  ...["sum", "prod", "any", "all", "countNonzero", "mean", "var", "std"].map((name) => byState(name, false)),
  ...["min", "max"].map((name) => byState(name, true)),
  place("argmin", false),
  place("argmax", true),
  count,
];
