// Filling histograms. histFill: one partition to what it counts, as a state of one row. histMerge: states, one after another, to one.
// In: one column for an axis and perhaps a weight, or records of them, of any structure: every value counts, and what has a null
// in any column does not. Out: a state (histState.ts).
// Must hold: histMerge(histFill(a) ++ histFill(b)) = histFill(a ++ b), but for the rounding of sums of weights.

import { DTypeError, ShapeError } from "../../core/errors.ts";
import { DATA } from "../demand/outline.ts";
import { castFlat } from "../layout/flat.ts";
import { validOf } from "../layout/indices.ts";
import { isLeaf, isList, type Leaf, type Plain, type PlainRecord } from "../layout/layout.ts";
import { take, viewOf } from "../layout/rows.ts";
import { asFloats } from "../ops/exactOps.ts";
import { flattenAll } from "../ops/flatten.ts";
import { type RaggedOp, raggedOp } from "../ops/op.ts";
import { type AxisSpec, axesOfText, extentOf } from "./axes.ts";
import { type Column, edgedPlacing, isColumn, Labels, labelPlaces, type Placing } from "./binPlacing.ts";
import {
  grownAxes,
  type HistState,
  labelsOfAxes,
  mergedStates,
  rowOfState,
  statesOfRows,
} from "./histState.ts";

export interface HistAttrs {
  /** As text. */
  readonly axes: string;
}
export interface FillAttrs extends HistAttrs {
  /** For each axis and, behind them, the weight: a value for all, or null for a column of the input. JSON. */
  readonly constants: string;
  readonly weighted: boolean;
}

/** So many cells a histogram has at most: a state of 1 GiB. */
const MOST_CELLS = 2 ** 27;

/** Elements at a time: their places stay in the processor's caches. */
const AT_ONCE = 8192;

const never = (): boolean => false;

/** Does a state take little memory, whatever it is made of? Labels that are still to come are not many. */
export const areFewCells = ({ axes }: HistAttrs): boolean =>
  axesOfText(axes).reduce((product, axis) => product * extentOf(axis), 1) <= FEW_CELLS;
const FEW_CELLS = 50_000;

export const histFill: RaggedOp<FillAttrs> = raggedOp(
  "histFill",
  never,
  DATA,
  ([input], { axes: text, constants: given, weighted }, isProbe) => {
    const axes = axesOfText(text);
    const constants = JSON.parse(given) as readonly (number | string | boolean | null)[];
    const { columns, length } = columnsOf(input!, constants.filter((value) => value === null).length);
    const rest = [...columns];
    const all = constants.map((value): Column => value ?? rest.shift()!);
    const state = filled(axes, all.slice(0, axes.length), weighted ? all.at(-1)! : null, length);
    return rowOfState(isProbe ? { ...state, values: new Float64Array(0), variances: null } : state);
  },
);

export const histMerge: RaggedOp<HistAttrs> = raggedOp(
  "histMerge",
  never,
  DATA,
  ([input], { axes }, isProbe) => {
    const known = axesOfText(axes);
    if (isProbe)
      return rowOfState({ labels: labelsOfAxes(known), values: new Float64Array(0), variances: null });
    return rowOfState(mergedStates(known, statesOfRows(input!)));
  },
);

interface Columns {
  readonly columns: readonly Leaf[];
  readonly length: number;
}

/** Values without structure and without nulls: of one array, or of the fields of records. */
function columnsOf(input: Plain, count: number): Columns {
  if (count > 1) return recordColumns(recordsIn(input));
  const values = hasRecords(input) ? null : flattenAll(input, { keepsNulls: false });
  if (values !== null && isLeaf(values)) return { columns: [values], length: values.length };
  throw new DTypeError({
    what: values === null ? "there are records among the values" : "the values are of different types",
    cure: values === null ? 'Take fields of them: x.field("pt")' : "Use valuesAstype first",
  });
}

const hasRecords = (node: Plain): boolean =>
  node.kind === "record" ||
  ("content" in node ? hasRecords(node.content) : "contents" in node && node.contents.some(hasRecords));

function recordsIn(node: Plain): PlainRecord {
  if (node.kind === "record") return node;
  if (isList(node)) return recordsIn(viewOf(node).content);
  if (node.kind === "indexedOption") return recordsIn(take(node.content, validOf(node.index)));
  throw new DTypeError({ what: "the values are of different types", cure: "Use valuesAstype first" });
}

function recordColumns({ contents, length }: PlainRecord): Columns {
  const options = contents.flatMap((node) => (node.kind === "indexedOption" ? [node.index] : []));
  const valid = options.length === 0 ? null : commonRows(options, length);
  const columns = contents.map((node): Leaf => {
    const isOption = node.kind === "indexedOption";
    const inner = isOption ? node.content : node;
    const index = isOption && valid !== null ? valid.map((row) => node.index[row]!) : valid;
    const column = index === null ? inner : take(inner, index);
    if (isLeaf(column)) return column;
    throw new DTypeError({
      what: `there are ${column.kind} values`,
      cure: "Use arrays of numbers or texts, of one type each",
    });
  });
  return { columns, length: valid?.length ?? length };
}

/** Rows that are null in none. */
function commonRows(options: readonly Int32Array[], length: number): Int32Array {
  const rows = new Int32Array(length);
  let count = 0;
  for (let i = 0; i < length; i++) if (options.every((index) => index[i]! >= 0)) rows[count++] = i;
  return rows.subarray(0, count);
}

function filled(
  axes: readonly AxisSpec[],
  columns: readonly Column[],
  weight: Column | null,
  length: number,
): HistState {
  const labels: (readonly string[])[] = [...labelsOfAxes(axes)];
  const placings = axes.map((axis, k): Placing => {
    if (axis.kind !== "category") return edgedPlacing(axis, columns[k]!);
    const table = new Labels(axis);
    const places = labelPlaces(axis, columns[k]!, table, length);
    if (axis.growth) labels[k] = table.texts;
    return (from, out) => out.set(places.subarray(from, from + out.length));
  });
  const shape = grownAxes(axes, labels).map(extentOf);
  const values = new Float64Array(checkCells(shape));
  const variances = weight === null ? null : new Float64Array(values.length);
  const weights = weight === null ? null : weightsOf(weight, length);
  for (let from = 0; from < length; from += AT_ONCE) {
    const cells = cellsOf(placings, shape, from, Math.min(AT_ONCE, length - from));
    if (weights === null) count(values, cells);
    else weigh(values, variances!, cells, weights.subarray(from, from + cells.length));
  }
  return { labels, values, variances };
}

export function checkCells(shape: readonly number[]): number {
  const cells = shape.reduce((product, n) => product * n, 1);
  if (cells <= MOST_CELLS) return cells;
  throw new ShapeError({
    what: `a histogram of ${shape.join(" × ")} bins has ${cells} cells, and ${MOST_CELLS} is the most`,
    cure: "Use fewer axes or fewer bins",
  });
}

/** Row by row: the place of the last axis counts fastest. −1 where any axis has no place. */
function cellsOf(
  placings: readonly Placing[],
  shape: readonly number[],
  from: number,
  length: number,
): Int32Array {
  const cells = new Int32Array(length);
  const places = new Int32Array(length);
  placings.forEach((placing, k) => {
    placing(from, k === 0 ? cells : places);
    if (k === 0) return;
    const extent = shape[k]!;
    for (let i = 0; i < length; i++)
      cells[i] = cells[i]! < 0 || places[i]! < 0 ? -1 : cells[i]! * extent + places[i]!;
  });
  return cells;
}

function count(values: Float64Array, cells: Int32Array): void {
  for (let i = 0; i < cells.length; i++) if (cells[i]! >= 0) values[cells[i]!]! += 1;
}

/** Σw and Σw². */
function weigh(
  values: Float64Array,
  variances: Float64Array,
  cells: Int32Array,
  weights: Float64Array,
): void {
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i]!;
    if (cell < 0) continue;
    values[cell]! += weights[i]!;
    variances[cell]! += weights[i]! * weights[i]!;
  }
}

function weightsOf(weight: Column, length: number): Float64Array {
  if (!isColumn(weight)) return new Float64Array(length).fill(Number(weight));
  if (weight.kind === "empty") return new Float64Array(0);
  const numbers = asFloats(weight);
  if (typeof numbers === "object" && "kind" in numbers && !numbers.dtype.startsWith("complex"))
    return castFlat(numbers, "float64").data as Float64Array;
  throw new DTypeError({ what: "weights are complex", cure: "Use real ones" });
}
