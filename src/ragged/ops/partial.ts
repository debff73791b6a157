// Reductions over rows that are in several partitions. In: partitions, one by one. Out: for each its state (one row),
// of several states in order the state of all (one row again), and of the last state the result: what the reduction of
// all rows at once would give. Only for axis 0 and for all axes: along other axes reductions work row by row.
// A state is {length, state}: how many rows it stands for, and lists of {n, s0, s1, …} where the result has values.

import type { DType } from "../../core/dtype.ts";
import { AxisError, DTypeError } from "../../core/errors.ts";
import type { Logical } from "../../core/form/logical.ts";
import { sum } from "../../ops/reductions.ts";
import { DATA } from "../demand/outline.ts";
import { castFlat } from "../layout/flat.ts";
import { countsOf } from "../layout/indices.ts";
import {
  isLeaf,
  isList,
  type NumpyLayout,
  numpyOf,
  type Plain,
  recordOf,
  regularOf,
} from "../layout/layout.ts";
import { overContent, take, takeOption, viewOf } from "../layout/rows.ts";
import { type Groups, oneGroup, withoutNulls } from "../segments/groups.ts";
import { frontAxis } from "./axis.ts";
import { isWideSum, limbsOf, meaning, recordOfStates, takenExactly, wideOfLimbs } from "./exactReduce.ts";
import { flattenAll } from "./flatten.ts";
import { Item, type RaggedOp, raggedOp, unwrapRow } from "./op.ts";
import {
  endAttrs,
  finishedStates,
  groupStates,
  mergedStates,
  type ReduceAttrs,
  type Reducer,
  reducedGroups,
  reducerNamed,
  takenBy,
  throughLists,
} from "./reduce.ts";

export interface PartialAttrs {
  /** Which reduction: "sum", "argmax", … */
  readonly name: string;
  readonly axis?: number | null;
}

const never = (): boolean => false;

/** The state of a partition. */
export const reducePartial: RaggedOp<PartialAttrs> = raggedOp(
  "reducePartial",
  never,
  DATA,
  ([input], { name, axis = null }) => {
    if (axis !== null && frontAxis(input!, axis, 0) !== 0)
      throw new AxisError({
        what: `axis ${axis} lies within rows`,
        cure: "Reduce every partition by itself",
      });
    const reducer = reducerNamed(name);
    const taken = takenBy(reducer, input!);
    const rows = axis === null ? flattenAll(taken, { keepsNulls: reducer.countsPlaces }) : taken;
    return stateRow(rows.length, lifted(rows, oneGroup(rows.length), reducer));
  },
);

const stateRow = (length: number, state: Plain): Plain =>
  recordOf<Plain>(["length", "state"], [numpyOf(Float64Array.of(length)), state], 1);

/** Follows lists as a reduction does, down to a state for each group of leaves. */
function lifted(node: Plain, groups: Groups, reducer: Reducer): Plain {
  if (isList(node)) return throughLists(node, groups, (content, inner) => lifted(content, inner, reducer));
  if (node.kind === "indexedOption") return lifted(node.content, withoutNulls(groups, node.index), reducer);
  const limbs = isLeaf(node) && reducer.op !== null ? limbsOf(reducer.op, node) : null;
  if (limbs !== null) return limbStates(limbs, groups);
  const taken = isLeaf(node) && reducer.op !== null ? takenExactly(reducer.op, node) : null;
  if (taken !== null) return lifted(taken.leaf, groups, { ...reducer, op: taken.op });
  if (!isLeaf(node) || node.kind === "string")
    throw new DTypeError({
      what: `${node.kind}s cannot be reduced in parts`,
      cure: "Take a field that holds numbers",
    });
  const ordered = groups.order === null ? node : take(node, groups.order);
  const numbers = ordered.kind === "numpy" ? ordered : numpyOf(new Float64Array(0));
  const counts = numpyOf(new Float64Array(countsOf(groups.offsets)));
  return statesOf(counts, reducer.op === null ? [] : groupStates(reducer.op, numbers, groups));
}

/** A sum of each limb. */
function limbStates(limbs: readonly NumpyLayout[], groups: Groups): Plain {
  const { order, offsets } = groups;
  const ordered = limbs.map((limb) => (order === null ? limb : (take(limb, order) as NumpyLayout)));
  const counts = numpyOf(new Float64Array(countsOf(offsets)));
  return statesOf(
    counts,
    ordered.map((limb) => reducedGroups(sum, limb, groups, {})),
  );
}

const statesOf = (counts: NumpyLayout, states: readonly NumpyLayout[]): Plain =>
  recordOf<Plain>(["n", ...states.map((_, i) => `s${i}`)], [counts, ...states], counts.length);

/** The state of all: the input has the states of parts as its rows, in the order of the parts. */
export const reduceCombine: RaggedOp<PartialAttrs> = raggedOp(
  "reduceCombine",
  never,
  DATA,
  ([input], { name }) => {
    const { lengths, state } = stateParts(input!);
    const starts = new Float64Array(lengths.length);
    for (let i = 1; i < starts.length; i++) starts[i] = starts[i - 1]! + lengths[i - 1]!;
    const total = lengths.reduce((sum, length) => sum + length, 0);
    return stateRow(total, merged(state, oneGroup(lengths.length), starts, reducerNamed(name)));
  },
);

function stateParts(input: Plain): { lengths: Float64Array; state: Plain } {
  if (input.kind === "record" && input.contents[0]?.kind === "numpy" && input.contents.length === 2)
    return { lengths: input.contents[0].data as Float64Array, state: input.contents[1]! };
  throw new DTypeError({ what: "this is no state of a reduction", cure: "Use what reducePartial gives" });
}

function merged(node: Plain, groups: Groups, starts: Float64Array, reducer: Reducer): Plain {
  if (isList(node))
    return throughLists(node, groups, (content, inner) => merged(content, inner, starts, reducer));
  const { offsets, order } = groups;
  const [counts, ...states] = numbersOf(order === null ? node : take(node, order));
  const totals = reducedGroups(sum, counts!, groups, {});
  if (reducer.op === null) return statesOf(totals, []);
  const part = { offsets, counts: counts!, starts: startsOf(groups, starts, counts!.length) };
  return statesOf(totals, mergedStates(recordOfStates(reducer.op, states.length), states, part));
}

/** For every state how many rows come before the part that it is of. */
function startsOf({ offsets, positions }: Groups, starts: Float64Array, count: number): NumpyLayout {
  const out = new Float64Array(count);
  for (let g = 0; g + 1 < offsets.length; g++)
    for (let q = offsets[g]!; q < offsets[g + 1]!; q++)
      out[q] = starts[positions === null ? q - offsets[g]! : positions[q]!]!;
  return numpyOf(out);
}

const numbersOf = (node: Plain): readonly NumpyLayout[] =>
  (node as Extract<Plain, { kind: "record" }>).contents as readonly NumpyLayout[];

export interface ReduceFinishAttrs extends PartialAttrs, Omit<ReduceAttrs, "axis"> {
  /** Of the result. */
  readonly dtype?: DType;
  /** What the result means, as JSON. */
  readonly logical?: string;
  /** How many axes the array had: for keepdims over all of them. */
  readonly depth?: number;
}

/** The result of a state. */
export const reduceFinish: RaggedOp<ReduceFinishAttrs> = raggedOp(
  "reduceFinish",
  never,
  DATA,
  ([input], attrs) => {
    const { name, axis = null, keepdims = false, depth = 1 } = attrs;
    const reducer = reducerNamed(name);
    const isMasked = attrs.maskIdentity ?? reducer.masksEmpty;
    let row = finished(stateParts(input!).state, reducer, attrs, isMasked);
    if (!keepdims) return axis === null ? new Item(row) : unwrapRow(row);
    for (let level = axis === null ? depth : 1; level > 1; level--) row = regularOf(row, 1, row.length);
    return row;
  },
);

function finished(node: Plain, reducer: Reducer, attrs: ReduceFinishAttrs, isMasked: boolean): Plain {
  if (isList(node)) {
    const view = viewOf(node);
    return overContent(node, view, finished(view.content, reducer, attrs, isMasked));
  }
  const [counts, ...states] = numbersOf(node);
  const values = finishedValues(reducer, states, counts!, attrs);
  if (!isMasked) return values;
  return takeOption(
    values,
    Int32Array.from(counts!.data as Float64Array, (count, g) => (count === 0 ? -1 : g)),
  );
}

function finishedValues(
  { op }: Reducer,
  states: readonly NumpyLayout[],
  counts: NumpyLayout,
  attrs: ReduceFinishAttrs,
): Plain {
  if (op === null) return castFlat(counts, "int64");
  if (isWideSum(op, states.length)) return wideOfLimbs(states, JSON.parse(attrs.logical!) as Logical);
  const record = recordOfStates(op, states.length);
  const end = { attrs: endAttrs(op, attrs), dtype: attrs.dtype ?? "float64" };
  const logical = attrs.logical === undefined ? null : (JSON.parse(attrs.logical) as Logical);
  return meaning(finishedStates(record, states, counts, end), record, logical);
}
