// What a histogram has counted, as rows of nested data: so it is computed, shared, stored and combined as any other array. In:
// counts and labels of growing axes. Out: rows {labels, values, variances}. Cells are row by row, with the flow.
// Must hold: all states have one form, whatever their axes are; without weights there are no variances (they are the values).

import { stridesOf } from "../../core/chunks.ts";
import { offsetsOfCounts } from "../layout/indices.ts";
import {
  listOf,
  type NumpyLayout,
  numpyOf,
  type Plain,
  recordOf,
  type StringLayout,
} from "../layout/layout.ts";
import { viewOf } from "../layout/rows.ts";
import { stringsOf } from "../ops/strings.ts";
import { type AxisSpec, extentOf } from "./axes.ts";

export interface HistState {
  /** For every axis the labels that it has now; none for those that do not grow. */
  readonly labels: readonly (readonly string[])[];
  /** Sums of weights. */
  readonly values: Float64Array;
  /** Sums of squares of weights; null without weights. */
  readonly variances: Float64Array | null;
}

const FIELDS = ["labels", "values", "variances"] as const;

const oneList = (content: Plain): Plain => listOf<Plain>(Int32Array.of(0, content.length), content);

export function rowOfState({ labels, values, variances }: HistState): Plain {
  const counts = offsetsOfCounts(Int32Array.from(labels, (texts) => texts.length));
  const texts = listOf<Plain>(counts, stringsOf(labels.flat()));
  const contents = [texts, numpyOf(values), numpyOf(variances ?? new Float64Array(0))].map(oneList);
  return recordOf<Plain>(FIELDS, contents, 1);
}

/** Row by row. */
export function statesOfRows(rows: Plain): HistState[] {
  const record = rows as Extract<Plain, { kind: "record" }>;
  const [labels, values, variances] = record.contents.map((list) => viewOf(list as never));
  const numbers = (at: number, view: typeof values): Float64Array =>
    ((view!.content as NumpyLayout).data as Float64Array).subarray(
      view!.offsets[at]!,
      view!.offsets[at + 1]!,
    );
  return Array.from({ length: rows.length }, (_, i) => {
    const own = numbers(i, variances);
    return {
      labels: textsAt(labels!.content, labels!.offsets[i]!, labels!.offsets[i + 1]!),
      values: numbers(i, values),
      variances: own.length === 0 ? null : own,
    };
  });
}

const decoder = new TextDecoder();

/** The lists of texts from one to before another. */
function textsAt(lists: Plain, from: number, to: number): string[][] {
  const { offsets, content } = viewOf(lists as never);
  const { bytes, offsets: ends } = content as StringLayout;
  return Array.from({ length: to - from }, (_, i) =>
    Array.from({ length: offsets[from + i + 1]! - offsets[from + i]! }, (_, k) => {
      const at = offsets[from + i]! + k;
      return decoder.decode(bytes.subarray(ends[at]!, ends[at + 1]!));
    }),
  );
}

/** The axes with the labels that they have grown to. */
export const grownAxes = (axes: readonly AxisSpec[], labels: HistState["labels"]): readonly AxisSpec[] =>
  axes.map((axis, k) => (axis.kind === "category" && axis.growth ? { ...axis, labels: labels[k]! } : axis));

/** Labels of the axes that grow. */
export const labelsOfAxes = (axes: readonly AxisSpec[]): readonly (readonly string[])[] =>
  axes.map((axis) => (axis.kind === "category" && axis.growth ? axis.labels : []));

export const shapeOfAxes = (axes: readonly AxisSpec[]): number[] => axes.map(extentOf);

/** states added up, first to last: labels in the order in which they came, variances where any state has weights. */
export function mergedStates(axes: readonly AxisSpec[], states: readonly HistState[]): HistState {
  const labels = axes.map((_, k) => [...new Set(states.flatMap(({ labels: own }) => own[k]!))]);
  const shape = shapeOfAxes(grownAxes(axes, labels));
  const size = shape.reduce((product, n) => product * n, 1);
  const isWeighted = states.some(({ variances }) => variances !== null);
  const values = new Float64Array(size);
  const variances = isWeighted ? new Float64Array(size) : null;
  for (const state of states) {
    const cells = cellsIn(axes, state, labels, shape);
    addAt(values, state.values, cells);
    if (variances !== null) addAt(variances, state.variances ?? state.values, cells);
  }
  return { labels, values, variances };
}

function addAt(into: Float64Array, from: Float64Array, cells: Int32Array | null): void {
  for (let i = 0; i < from.length; i++) into[cells === null ? i : cells[i]!]! += from[i]!;
}

/** Where the cells of a state lie among those of all labels; null where nothing moved. */
function cellsIn(
  axes: readonly AxisSpec[],
  { labels: own }: HistState,
  labels: readonly (readonly string[])[],
  shape: readonly number[],
): Int32Array | null {
  if (
    own.every((texts, k) => texts.length === labels[k]!.length && texts.every((t, i) => t === labels[k]![i]))
  )
    return null;
  const before = shapeOfAxes(grownAxes(axes, own));
  const places = before.map((extent, k) =>
    Int32Array.from({ length: extent }, (_, i) => {
      const text = own[k]![i];
      return text === undefined ? i : labels[k]!.indexOf(text);
    }),
  );
  return movedCells(before, places, stridesOf(shape));
}

/** For each cell of a grid, row by row, its number in another: place i of axis k is places[k][i] there, or −1. */
export function movedCells(
  before: readonly number[],
  places: readonly Int32Array[],
  strides: readonly number[],
): Int32Array {
  let cells = Int32Array.of(0);
  before.forEach((extent, k) => {
    const next = new Int32Array(cells.length * extent);
    for (let c = 0, at = 0; c < cells.length; c++)
      for (let i = 0; i < extent; i++) {
        const place = places[k]![i]!;
        next[at++] = cells[c]! < 0 || place < 0 ? -1 : cells[c]! + place * strides[k]!;
      }
    cells = next;
  });
  return cells;
}
