// Reductions along any axis. In: a layout and an axis (null: all of it). Out: the layout without that axis, or with an
// axis of one element where keepdims asks for it. Nulls are left out. Along axis 0 lists are laid over each other:
// element j of the result is made of the elements j of all lists that have one.

import type { Attrs, Block } from "../../core/block.ts";
import {
  allocate,
  checkKind,
  DEFAULT_INT,
  type DType,
  infoOf,
  resultOf,
  takesBool,
} from "../../core/dtype.ts";
import { DTypeError } from "../../core/errors.ts";
import { logicalOf } from "../../core/form/logical.ts";
import { fitScalar } from "../../core/numbers.ts";
import type { SegmentStep } from "../../kernel/blockProgram.ts";
import { programOf } from "../../kernel/program.ts";
import * as s from "../../kernel/scalar.ts";
import { sqrt, type Term } from "../../kernel/scalar.ts";
import { castValue } from "../../lazy/cast.ts";
import type { ReduceRecord } from "../../ops/define.ts";
import { REDUCE_OPS } from "../../ops/index.ts";
import * as nanReductions from "../../ops/nanReductions.ts";
import { sum, var as variance } from "../../ops/reductions.ts";
import { COMPUTED, STRUCTURE } from "../demand/outline.ts";
import { computedFlat, listLengths, placesOfLists } from "../layout/flat.ts";
import { drawnFrom } from "../layout/indices.ts";
import {
  depthsOf,
  type Leaf,
  listOf,
  type NumpyLayout,
  numpyOf,
  type Plain,
  type PlainList,
  regularOf,
} from "../layout/layout.ts";
import { blockOfData, newNumbers, runBlocks } from "../layout/leafKernels.ts";
import { take, takeOption, viewOf } from "../layout/rows.ts";
import { type Groups, groupsOfLists, innerGroups, oneGroup, withoutNulls } from "../segments/groups.ts";
import { atAxis, frontAxis } from "./axis.ts";
import { belowRows } from "./broadcast.ts";
import { limbsOf, meaning, takenExactly, wideOfLimbs } from "./exactReduce.ts";
import { flattenAll } from "./flatten.ts";
import { nanAsNull } from "./nulls.ts";
import { Item, type RaggedOp, raggedOp, unwrapRow } from "./op.ts";

// Reductions of groups, by the records and kernels of dense arrays. In: values whose groups lie one after another. Out: for
// every group its value, or its state: what is kept of a part of the data, as numbers that can be stored.
// Must hold: merging the states of parts, in order, is the state of the whole (up to rounding).

interface MergePart {
  readonly offsets: Int32Array;
  /** How many elements each state stands for. */
  readonly counts: NumpyLayout;
  /** How many rows come before the part that each state is of. */
  readonly starts: NumpyLayout;
}

/** Of a reduction's end: `correction`, and what else its record asks for. */
interface FinishAttrs {
  readonly attrs: Attrs;
  /** Of the result. */
  readonly dtype: DType;
}

type Programs = Pick<SegmentStep, "lift" | "combine" | "identity" | "finish">;

/** What a reduction computes in; bools count as integers where dense arrays of them are refused. */
function castBefore({ accepts, computesIn: rule }: ReduceRecord, dtype: DType): DType {
  const counted = dtype === "bool" && !takesBool(accepts) ? DEFAULT_INT : dtype;
  return resultOf(checkKind(accepts, counted), rule);
}
const computesIn = (op: ReduceRecord, dtype: DType): DType => infoOf(castBefore(op, dtype)).computesIn;

/** The dtype of a reduction's result. */
const reducedDType = (op: ReduceRecord, dtype: DType): DType => resultOf(castBefore(op, dtype), op.result);

/** One value for each group. */
export function reducedGroups(
  op: ReduceRecord,
  leaf: NumpyLayout,
  groups: Omit<Groups, "order">,
  attrs: Attrs,
): NumpyLayout {
  const dtype = reducedDType(op, leaf.dtype);
  const end = { attrs, dtype };
  const { inputs, programs } = lifting(op, leaf, groups, (state, count) => [finished(op, state, count, end)]);
  return run(programs, inputs, groups.offsets, [dtype])[0]!;
}

/** One state for each group: a number for each of its components. */
export function groupStates(
  op: ReduceRecord,
  leaf: NumpyLayout,
  groups: Omit<Groups, "order">,
): NumpyLayout[] {
  const { inputs, programs } = lifting(op, leaf, groups, (state) => state);
  return run(programs, inputs, groups.offsets, op.state(computesIn(op, leaf.dtype), {}));
}

type Finish = (state: readonly s.Value[], count: s.Term) => readonly s.Value[];

function lifting(
  op: ReduceRecord,
  leaf: NumpyLayout,
  { positions }: Omit<Groups, "order">,
  finish: Finish,
): { inputs: readonly NumpyLayout[]; programs: Programs } {
  const dtype = computesIn(op, leaf.dtype);
  const isPlaced = op.place !== undefined && positions !== null;
  const inputs = isPlaced ? [leaf, numpyOf(positions)] : [leaf];
  const lift = programOf(
    inputs.map((input) => input.dtype),
    (x, place) =>
      op.lift(castValue(x!, dtype), () => (isPlaced ? s.convert(place as s.Term, "int64") : s.index(0)), {}),
  );
  return { inputs, programs: { lift, ...combining(op, dtype, op.state(dtype, {}), finish) } };
}

function combining(
  op: ReduceRecord,
  dtype: DType,
  states: readonly DType[],
  finish: Finish,
): Omit<Programs, "lift"> {
  return {
    combine: programOf([...states, ...states], (...both) =>
      op.combine(both.slice(0, states.length), both.slice(states.length)),
    ),
    identity: op.identity(dtype, {}).map((value, i) => fitScalar(value, states[i]!)),
    finish: programOf([...states, "int64"], (...state) => finish(state.slice(0, -1), state.at(-1) as s.Term)),
  };
}

/** Nothing has no place: −1. */
function finished(
  op: ReduceRecord,
  state: readonly s.Value[],
  count: s.Term,
  { attrs, dtype }: FinishAttrs,
): s.Value {
  const value = castValue(op.finish(state, { count: (type) => s.convert(count, type), attrs, dtype }), dtype);
  return op.place === undefined ? value : s.select(s.isZero(count), s.constant("int64", -1), value as s.Term);
}

/** One state for each group of states. Places count on from where their part begins. */
export function mergedStates(
  op: ReduceRecord,
  states: readonly NumpyLayout[],
  { offsets, counts, starts }: MergePart,
): NumpyLayout[] {
  const dtypes = states.map(({ dtype }) => dtype);
  const isPlaced = op.place !== undefined;
  const inputs = isPlaced ? [...states, counts, starts] : states;
  const lift = programOf(
    inputs.map(({ dtype }) => dtype),
    (...values) =>
      values.slice(0, states.length).map((value, i) => (i === op.place ? movedOn(values, i) : value)),
  );
  return run({ lift, ...combining(op, dtypes[0]!, dtypes, (state) => state) }, inputs, offsets, dtypes);
}

/** The last two values are how many elements a state is of, and how many rows come before; of none, the place stays. */
function movedOn(values: readonly s.Value[], place: number): s.Term {
  const [count, start] = values.slice(-2) as [s.Term, s.Term];
  const at = values[place] as s.Term;
  return s.select(s.isZero(count), at, s.add(at, s.convert(start, at.type)));
}

/** The values of states. */
export const finishedStates = (
  op: ReduceRecord,
  states: readonly NumpyLayout[],
  counts: NumpyLayout,
  end: FinishAttrs,
): NumpyLayout =>
  computedFlat([...states, counts], end.dtype, (...values) =>
    finished(op, values.slice(0, -1), values.at(-1) as s.Term, end),
  );

function run(
  programs: Programs,
  inputs: readonly NumpyLayout[],
  offsets: Int32Array,
  results: readonly DType[],
): NumpyLayout[] {
  const count = offsets.length - 1;
  if (count === 0) return results.map((dtype) => numpyOf(allocate(dtype, 0), dtype));
  const given = [blockOfData(offsets, "int32"), ...inputs.map(({ data, dtype }) => blockOfData(data, dtype))];
  const outs = results.map((dtype): Block => newNumbers(dtype, count));
  const step: SegmentStep = {
    ...{ kind: "segments", offsets: 0, ...programs },
    operands: inputs.map((_, i) => i + 1),
    results: outs.map((_, i) => given.length + i),
  };
  runBlocks(step, given, outs, count + offsets[count]!);
  return outs.map(({ data, dtype }) => numpyOf(data, dtype));
}

// The reductions of nested data: those of the dense op table, each with its habits about nulls and nothing; and count.
// In: a leaf whose groups lie one after another. Out: one value for each group.

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
  /** NaN are nulls. */
  readonly skipsNaN: boolean;
}

const twinOf = (op: ReduceRecord): Reducer => ({
  ...{ name: op.name, op },
  masksEmpty: op.needsElements,
  countsPlaces: op.place !== undefined,
  skipsNaN: false,
});

/** √ of the variance, as rounded to the result's dtype. Dense arrays have it as two operations. */
const deviation: ReduceRecord = {
  ...variance,
  name: "std",
  finish: (state, end) => sqrt(variance.finish(state, end) as Term),
};

const count: Reducer = { name: "count", op: null, masksEmpty: false, countsPlaces: false, skipsNaN: false };

const PLAIN: readonly Reducer[] = [...REDUCE_OPS, deviation].map(twinOf).concat(count);

/** Those of the table that leave NaN out are the others without it: nansum is the sum of what nanToNone leaves. */
const withoutNaN = (reducer: Reducer): Reducer => ({
  ...reducer,
  name: `nan${reducer.name}`,
  skipsNaN: true,
});
const NAN_NAMES: ReadonlySet<string> = new Set(Object.keys(nanReductions));
const REDUCERS: readonly Reducer[] = [
  ...PLAIN.filter(({ name }) => !NAN_NAMES.has(name)),
  ...PLAIN.map(withoutNaN).filter(({ name }) => NAN_NAMES.has(name)),
];

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

function reducedLeaf(
  { op, name }: Reducer,
  leaf: Leaf,
  groups: Omit<Groups, "order">,
  attrs: ReduceAttrs,
): Plain {
  if (op === null) return listLengths(groups.offsets);
  const limbs = limbsOf(op, leaf);
  if (limbs !== null)
    return wideOfLimbs(
      limbs.map((limb) => reducedGroups(sum, limb, groups, {})),
      logicalOf(leaf)!,
    );
  const taken = takenExactly(op, leaf);
  if (taken === null) return reducedGroups(op, numbersOf(leaf, name), groups, endAttrs(op, attrs));
  const values = reducedGroups(taken.op, taken.leaf, groups, endAttrs(op, attrs));
  return meaning(values, taken.op, taken.logical);
}

function numbersOf(leaf: Leaf, name: string): NumpyLayout {
  if (leaf.kind === "numpy") return leaf;
  if (leaf.kind === "empty") return numpyOf(new Float64Array(0));
  throw new DTypeError({
    what: `there is no ${name} of strings`,
    cure: "Use count, or a field that holds numbers",
  });
}

function reduction(reducer: Reducer): RaggedOp<ReduceAttrs> {
  return raggedOp(
    reducer.name,
    belowRows(null),
    reducer.op === null ? STRUCTURE : COMPUTED,
    ([input], attrs) => {
      const { axis = null, keepdims = false } = attrs;
      const taken = takenBy(reducer, input!);
      if (axis === null) return overAll(taken, reducer, attrs);
      if (frontAxis(taken, axis, 0) === 0) {
        const row = reduced(taken, oneGroup(taken.length), reducer, attrs);
        return keepdims ? row : unwrapRow(row);
      }
      return atAxis(taken, axis, {
        list: (list) => {
          const view = viewOf(list);
          const values = reduced(view.content, groupsOfLists(view.offsets), reducer, attrs, list);
          return keepdims ? regularOf(values, 1, list.length) : values;
        },
      });
    },
  );
}

/** What a reduction takes of its input. */
export const takenBy = ({ skipsNaN }: Reducer, input: Plain): Plain => (skipsNaN ? nanAsNull(input) : input);

function overAll(input: Plain, reducer: Reducer, attrs: ReduceAttrs): Plain | Item {
  const flat = flattenAll(input, { keepsNulls: reducer.countsPlaces });
  const row = reduced(flat, oneGroup(flat.length), reducer, attrs);
  if (attrs.keepdims !== true) return new Item(row);
  let result = row;
  for (let depth = depthsOf(input)[1]; depth > 1; depth--) result = regularOf(result, 1, 1);
  return result;
}

/** One row for each group. `above` is what the groups were made of, where it is a node. */
function reduced(
  node: Plain,
  groups: Groups,
  reducer: Reducer,
  attrs: ReduceAttrs,
  above: Plain | null = null,
): Plain {
  switch (node.kind) {
    case "numpy":
    case "string":
    case "empty": {
      const ordered = groups.order === null ? node : (take(node, groups.order) as typeof node);
      const values = reducedLeaf(reducer, ordered, groups, attrs);
      return (attrs.maskIdentity ?? reducer.masksEmpty) ? masked(values, groups.offsets, above) : values;
    }
    case "indexedOption":
      return reduced(node.content, withoutNulls(groups, node.index), reducer, attrs, node);
    case "regular":
    case "listOffset":
      return drawnFrom(
        throughLists(node, groups, (content, inner) => reduced(content, inner, reducer, attrs, node)),
        node,
      );
    case "record":
    case "union":
      throw new DTypeError({
        what: `there is no ${reducer.name} of ${node.kind === "record" ? "records" : "values of several types"}`,
        cure: node.kind === "record" ? "Take a field first" : "Choose one type first",
      });
    default:
      node satisfies never;
      throw node;
  }
}

/** Lists of each group laid over each other: one list for each group, of what `below` makes of their elements. */
export function throughLists(
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

/** Null where a group has no elements, which follows from what is above the values alone. */
function masked(values: Plain, offsets: Int32Array, above: Plain | null): Plain {
  const option = takeOption(values, placesOfLists(offsets));
  return above === null ? option : drawnFrom(option, above);
}

export const REDUCTIONS: { readonly [name: string]: RaggedOp<ReduceAttrs> } = Object.fromEntries(
  REDUCERS.map((reducer) => [reducer.name, reduction(reducer)]),
);
