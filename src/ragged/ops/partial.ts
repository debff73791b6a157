// Reductions over rows that are in several partitions. In: partitions, one by one. Out: for each its state (one row),
// of several states in order the state of all (one row again), and of the last state the result: what the reduction of
// all rows at once would give. Only for axis 0 and for all axes: along other axes reductions work row by row.
// A state is {length, state}: how many rows it stands for, and lists of {n, s0, s1, …} where the result has values.

import { AxisError, DTypeError } from "../../core/errors.ts";
import { DATA } from "../demand/roles.ts";
import { countsOf } from "../layout/indices.ts";
import {
  isLeaf,
  isList,
  listOf,
  type NumpyLayout,
  numpyOf,
  type Plain,
  type PlainList,
  recordOf,
  regularOf,
} from "../layout/layout.ts";
import { overContent, viewOf } from "../layout/lists.ts";
import { take, takeOption } from "../layout/rows.ts";
import { type Groups, innerGroups, oneGroup, withoutNulls } from "../segments/groups.ts";
import { type FinishAttrs, type Stateful, statefulNamed } from "../segments/states.ts";
import { floatSums } from "../segments/sums.ts";
import { frontAxis } from "./axis.ts";
import { flattenAll } from "./flattenAll.ts";
import { Item, type RaggedOp, raggedOp } from "./op.ts";
import { REDUCERS, type ReduceAttrs } from "./reducers.ts";
import { unwrapRow } from "./unwrap.ts";

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
    const keepsNulls = REDUCERS.find((reducer) => reducer.name === name)?.countsPlaces === true;
    const rows = axis === null ? flattenAll(input!, { keepsNulls }) : input!;
    return stateRow(rows.length, lifted(rows, oneGroup(rows.length), statefulNamed(name)));
  },
);

const stateRow = (length: number, state: Plain): Plain =>
  recordOf<Plain>(["length", "state"], [numpyOf(Float64Array.of(length)), state], 1);

/** Follows lists as a reduction does, down to a state for each group of leaves. */
function lifted(node: Plain, groups: Groups, reducer: Stateful): Plain {
  if (isList(node)) return throughLists(node, groups, (content, inner) => lifted(content, inner, reducer));
  if (node.kind === "indexedOption") return lifted(node.content, withoutNulls(groups, node.index), reducer);
  if (!isLeaf(node) || node.kind === "string")
    throw new DTypeError({
      what: `${node.kind}s cannot be reduced in parts`,
      cure: "Take a field that holds numbers",
    });
  const ordered = groups.order === null ? node : take(node, groups.order);
  const numbers = ordered.kind === "numpy" ? ordered : numpyOf(new Float64Array(0));
  const counts = new Float64Array(countsOf(groups.offsets));
  return statesOf(counts, reducer.lift(numbers, groups));
}

const statesOf = (counts: Float64Array, states: readonly NumpyLayout[]): Plain =>
  recordOf<Plain>(["n", ...states.map((_, i) => `s${i}`)], [numpyOf(counts), ...states], counts.length);

function throughLists(
  list: PlainList,
  groups: Groups,
  below: (content: Plain, inner: Groups) => Plain,
): Plain {
  const view = viewOf(list);
  const size = list.kind === "regular" ? list.size : null;
  const inner = innerGroups(groups, view.offsets, size);
  const content = below(view.content, inner.groups);
  return size === null ? listOf(inner.columns, content) : regularOf(content, size, groups.offsets.length - 1);
}

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
    return stateRow(total, merged(state, oneGroup(lengths.length), starts, statefulNamed(name)));
  },
);

function stateParts(input: Plain): { lengths: Float64Array; state: Plain } {
  if (input.kind === "record" && input.contents[0]?.kind === "numpy" && input.contents.length === 2)
    return { lengths: input.contents[0].data as Float64Array, state: input.contents[1]! };
  throw new DTypeError({ what: "this is no state of a reduction", cure: "Use what reducePartial gives" });
}

function merged(node: Plain, groups: Groups, starts: Float64Array, reducer: Stateful): Plain {
  if (isList(node))
    return throughLists(node, groups, (content, inner) => merged(content, inner, starts, reducer));
  const { offsets, order, positions } = groups;
  const [n, ...states] = numbersOf(order === null ? node : take(node, order));
  const counts = n!.data as Float64Array;
  const totals = new Float64Array(offsets.length - 1);
  floatSums(counts, offsets, totals);
  const elementStarts = new Float64Array(counts.length);
  for (let g = 0; g < totals.length; g++)
    for (let q = offsets[g]!; q < offsets[g + 1]!; q++)
      elementStarts[q] = starts[positions === null ? q - offsets[g]! : positions[q]!]!;
  return statesOf(totals, reducer.merge(states, { offsets, counts, starts: elementStarts }));
}

const numbersOf = (node: Plain): readonly NumpyLayout[] =>
  (node as Extract<Plain, { kind: "record" }>).contents as readonly NumpyLayout[];

export interface ReduceFinishAttrs extends PartialAttrs, Omit<ReduceAttrs, "axis">, FinishAttrs {
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
    const isMasked =
      attrs.maskIdentity ?? REDUCERS.find((reducer) => reducer.name === name)?.masksEmpty === true;
    let row = finished(stateParts(input!).state, statefulNamed(name), attrs, isMasked);
    if (!keepdims) return axis === null ? new Item(row) : unwrapRow(row);
    for (let level = axis === null ? depth : 1; level > 1; level--) row = regularOf(row, 1, row.length);
    return row;
  },
);

function finished(node: Plain, reducer: Stateful, attrs: FinishAttrs, isMasked: boolean): Plain {
  if (isList(node)) {
    const view = viewOf(node);
    return overContent(node, view, finished(view.content, reducer, attrs, isMasked));
  }
  const [n, ...states] = numbersOf(node);
  const counts = n!.data as Float64Array;
  const values = reducer.finish(states, counts, attrs);
  if (!isMasked) return values;
  return takeOption(
    values,
    Int32Array.from(counts, (count, g) => (count === 0 ? -1 : g)),
  );
}
