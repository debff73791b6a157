// The reductions of nested data: those of the dense op table, each with its habits about nulls and nothing; and count.
// In: a leaf whose groups lie one after another. Out: one value for each group.

import type { Attrs } from "../../core/attrs.ts";
import { DTypeError } from "../../core/errors.ts";
import { sqrt, type Term } from "../../kernel/scalar.ts";
import type { ReduceRecord } from "../../ops/define.ts";
import { REDUCE_OPS } from "../../ops/index.ts";
import { var as variance } from "../../ops/reductions.ts";
import { listLengths } from "../layout/flat.ts";
import { type Leaf, type NumpyLayout, numpyOf } from "../layout/layout.ts";
import type { Groups } from "../segments/groups.ts";
import { reducedGroups } from "../segments/reduce.ts";

export interface ReduceAttrs {
  /** Null for all axes. */
  readonly axis?: number | null;
  readonly keepdims?: boolean;
  /** Null for groups without elements; each reducer has its own habit. */
  readonly maskIdentity?: boolean;
}

export interface Reducer {
  readonly name: string;
  /** Null where only the number of elements counts, and not which: strings can be counted, too. */
  readonly op: ReduceRecord | null;
  /** Groups without elements give null unless said otherwise. */
  readonly masksEmpty: boolean;
  /** Places are counted with nulls in between. */
  readonly countsPlaces: boolean;
}

const twinOf = (op: ReduceRecord): Reducer => ({
  ...{ name: op.name, op },
  masksEmpty: op.needsElements,
  countsPlaces: op.place !== undefined,
});

/** √ of the variance, as rounded to the result's dtype. Dense arrays have it as two operations. */
const deviation: ReduceRecord = {
  ...variance,
  name: "std",
  finish: (state, end) => sqrt(variance.finish(state, end) as Term),
};

const count: Reducer = { name: "count", op: null, masksEmpty: false, countsPlaces: false };

export const REDUCERS: readonly Reducer[] = [...REDUCE_OPS, deviation].map(twinOf).concat(count);

export function reducerNamed(name: string): Reducer {
  const found = REDUCERS.find((reducer) => reducer.name === name);
  if (found !== undefined) return found;
  throw new DTypeError({
    what: `there is no reduction ${JSON.stringify(name)}`,
    cure: REDUCERS.map((reducer) => reducer.name).join(", "),
  });
}

/** The options that a reduction of nested arrays has of its own. */
export const ownOptions = ({ op }: Reducer): readonly string[] => Object.keys(op?.nestedOptions ?? {});

/** The attributes that the dense reduction has: parameters, by what nested arrays call them. */
export function endAttrs({ nestedOptions, parameters }: ReduceRecord, attrs: object): Attrs {
  const given = attrs as { readonly [option: string]: unknown };
  const entries = Object.entries(nestedOptions);
  return Object.fromEntries(entries.map(([option, name]) => [name, parameters[name]!(given[option])]));
}

export function reducedLeaf(
  { op, name }: Reducer,
  leaf: Leaf,
  groups: Omit<Groups, "order">,
  attrs: ReduceAttrs,
): NumpyLayout {
  if (op === null) return listLengths(groups.offsets);
  return reducedGroups(op, numbersOf(leaf, name), groups, endAttrs(op, attrs));
}

function numbersOf(leaf: Leaf, name: string): NumpyLayout {
  if (leaf.kind === "numpy") return leaf;
  if (leaf.kind === "empty") return numpyOf(new Float64Array(0));
  throw new DTypeError({
    what: `there is no ${name} of strings`,
    cure: "Use count, or a field that holds numbers",
  });
}
