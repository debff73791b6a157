// Reductions of groups, by the records and kernels of dense arrays. In: values whose groups lie one after another. Out: for
// every group its value, or its state: what is kept of a part of the data, as numbers that can be stored.
// Must hold: merging the states of parts, in order, is the state of the whole (up to rounding).

import type { Attrs } from "../../core/attrs.ts";
import type { Block } from "../../core/block.ts";
import {
  allocate,
  checkKind,
  DEFAULT_INT,
  type DType,
  infoOf,
  resultOf,
  takesBool,
} from "../../core/dtype.ts";

import { fitScalar } from "../../core/numbers.ts";

import type { SegmentStep } from "../../kernel/blockProgram.ts";
import { programOf } from "../../kernel/program.ts";
import * as s from "../../kernel/scalar.ts";
import { castValue } from "../../lazy/cast.ts";
import type { ReduceRecord } from "../../ops/define.ts";
import { computedFlat } from "../layout/flat.ts";
import { type NumpyLayout, numpyOf } from "../layout/layout.ts";
import { blockOfData, newNumbers, runBlocks } from "../layout/leafKernels.ts";
import type { Groups } from "./groups.ts";

export interface MergePart {
  readonly offsets: Int32Array;
  /** How many elements each state stands for. */
  readonly counts: NumpyLayout;
  /** How many rows come before the part that each state is of. */
  readonly starts: NumpyLayout;
}

/** Of a reduction's end: `correction`, and what else its record asks for. */
export interface FinishAttrs {
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
export const reducedDType = (op: ReduceRecord, dtype: DType): DType =>
  resultOf(castBefore(op, dtype), op.result);

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
