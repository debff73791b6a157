// Nodes that change how rows are cut into partitions: gathered, cut anew, put one after another, numbered through; and
// reductions over all rows: a state for each partition, states combined in groups, the result of the last state.

import type { Attrs } from "../../core/block.ts";
import type { Box } from "../../core/chunks.ts";
import { numpyForm } from "../../core/form/form.ts";
import {
  type ArrayType,
  assertRagged,
  type Partition,
  type RaggedInput,
  type RaggedOp as RaggedNode,
  type RaggedType,
  raggedOf,
  raggedType,
} from "../../expr/op.ts";
import { STRUCTURE } from "../demand/outline.ts";
import { areFewCells, histFill, histMerge } from "../hist/fill.ts";
import { int64Of } from "../layout/indices.ts";
import { type Layout, type NumpyLayout, numpyOf, type Plain } from "../layout/layout.ts";
import { mergeRows } from "../layout/mergedLayouts.ts";
import { plain } from "../layout/plainLayout.ts";
import { plainForm, plainProbe } from "../layout/probe.ts";
import { sliceRows } from "../layout/rows.ts";
import { concatenate } from "../ops/choose.ts";
import { localIndex } from "../ops/flatten.ts";
import { growthOf } from "../ops/growth.ts";
import { type RaggedOp, raggedOp } from "../ops/op.ts";
import { type PartialAttrs, reduceCombine, reducePartial } from "../ops/partial.ts";
import { toPacked } from "../ops/values.ts";
import { formsOf, rowsOf } from "./placewise.ts";

const partsOf = (input: RaggedInput): Plain[] =>
  (input as readonly Partition[]).map((part) => plain(part as Layout));

/** Rows of one form, one after another: bools of a union stay bools. Of no parts, the form is left. */
function joined(parts: readonly Plain[], type: ArrayType): Plain {
  if (parts.length === 0) return plainProbe(raggedOf(type).form);
  return parts.length === 1 ? parts[0]! : mergeRows(parts);
}

const interval = (first: number, last: number): Box => ({ start: [first], shape: [last - first] });

/** What these nodes are given is ragged, all of it. */
interface RowsNode extends Omit<RaggedNode, "class" | "chunks" | "infer" | "demand"> {
  infer(inputs: readonly RaggedType[], attrs: Attrs): RaggedType;
  demand(out: Box, inputs: readonly RaggedType[], attrs: Attrs): readonly Box[];
}

const node = (op: RowsNode): RaggedNode => ({
  ...op,
  class: "ragged",
  infer(types, attrs) {
    assertRagged(types);
    return op.infer(types, attrs);
  },
  demand(out, types, attrs) {
    assertRagged(types);
    return op.demand(out, types, attrs);
  },
  chunks: () => [1],
});

/** The rows of partitions attrs.first … attrs.last − 1, in one. */
export const allRows: RaggedNode = node({
  name: "rg.allRows",
  isPlacewise: false,
  infer: ([input]) => raggedType(plainForm(input!.form), 1),
  demand: (_, __, attrs) => [interval(attrs["first"] as number, attrs["last"] as number)],
  run: ([input], _, { type }) => joined(partsOf(input!), type),
});

/** Cut anew: attrs.from are the rows of the partitions there are, attrs.to of those there shall be, from row attrs.skip on. */
export const repartition: RaggedNode = node({
  name: "rg.repartition",
  isPlacewise: false,
  infer: ([input], attrs) => raggedType(plainForm(input!.form), (attrs["to"] as readonly number[]).length),
  demand: (out, _, attrs) => [touched(attrs, out)],
  run([input], attrs, { box, type }) {
    const { start, stop } = rowsAt(attrs, box.start[0]!);
    const first = touched(attrs, box).start[0]!;
    const before = sum(attrs["from"] as readonly number[], first);
    const rows = joined(partsOf(input!), type);
    return sliceRows(rows, Math.max(0, start - before), Math.max(0, stop - before));
  },
});

const sum = (counts: readonly number[], end: number): number =>
  counts.slice(0, end).reduce((total, n) => total + n, 0);

function rowsAt(attrs: Attrs, at: number): { start: number; stop: number } {
  const to = attrs["to"] as readonly number[];
  const start = (attrs["skip"] as number) + sum(to, at);
  return { start, stop: start + to[at]! };
}

/** The partitions that have rows of a partition of the result. */
function touched(attrs: Attrs, out: Box): Box {
  const from = attrs["from"] as readonly number[];
  const { start } = rowsAt(attrs, out.start[0]!);
  const { stop } = rowsAt(attrs, out.start[0]! + out.shape[0]! - 1);
  let [first, row] = [0, 0];
  while (first < from.length && row + from[first]! <= start) row += from[first++]!;
  let last = first;
  while (last < from.length && row < stop) row += from[last++]!;
  return interval(Math.min(first, from.length), Math.max(first, last));
}

/** Partitions of all inputs, one input after another, in the one form they have together. */
export const append: RaggedNode = node({
  name: "rg.append",
  isPlacewise: false,
  infer: (types, attrs) =>
    raggedType(
      concatenate.form(formsOf(types), attrs),
      types.reduce((count, { partitions }) => count + partitions, 0),
    ),
  demand(out, types) {
    let before = 0;
    return types.map(({ partitions }) => {
      const first = Math.min(partitions, Math.max(0, out.start[0]! - before));
      const last = Math.min(partitions, Math.max(0, out.start[0]! + out.shape[0]! - before));
      before += partitions;
      return interval(first, Math.max(first, last));
    });
  },
  run: (inputs, attrs, { inputs: types }) =>
    concatenate.run(
      inputs.map((input, k) => partsOf(input)[0] ?? plainProbe(raggedOf(types[k]!).form)),
      attrs,
    ),
});

/** Numbers of the rows (attrs.axis is 0); attrs.starts has the number of each partition's first. */
export const rowNumbers: RaggedNode = node({
  name: "rg.rowNumbers",
  isPlacewise: true,
  infer: ([input]) => raggedType(numpyForm("int64"), input!.partitions),
  demand: (out) => [out],
  run([input], attrs, { box }) {
    const start = (attrs["starts"] as readonly number[])[box.start[0]!]!;
    const numbers = int64Of(new Int32Array(rowsOf(input!).length));
    for (let i = 0; i < numbers.length; i++) numbers[i] = BigInt(start + i);
    return numpyOf(numbers);
  },
});

/** How many rows each partition has. */
export const rowCounts: RaggedNode = node({
  name: "rg.rowCounts",
  isPlacewise: true,
  isSmall: () => true,
  piecewise: () => "states",
  join: (states) => numpyOf(BigInt64Array.of(states.reduce((sum, state) => sum + rowsCounted(state), 0n))),
  infer: ([input]) => raggedType(numpyForm("int64"), input!.partitions),
  demand: (out) => [out],
  run: ([input]) => numpyOf(BigInt64Array.of(BigInt(rowsOf(input!).length))),
});

const rowsCounted = (state: Partition): bigint => ((state as NumpyLayout).data as BigInt64Array)[0]!;

// States: what is added up over partitions, one row for each; some of them become one, in a tree. In: the record that makes
// a state of rows, or one of several states. Out: nodes.

const stateNode = <A>(
  name: string,
  [record, together]: readonly [RaggedOp<A & object>, RaggedOp<A & object>],
  isSmall: (attrs: A) => boolean,
): RaggedNode =>
  node({
    name,
    isPlacewise: true,
    piecewise: () => "states",
    join: (states, attrs) =>
      together.run([mergeRows(states.map((state) => plain(state as Layout)))], attrs as A & object),
    // Rows may have to be brought together first.
    growth: ([input], attrs) =>
      growthOf(record as unknown as RaggedOp<object>, [rowsOf(input!)], [false], attrs),
    isSmall: (attrs) => isSmall(attrs as A),
    infer: ([input], attrs) => raggedType(record.form([input!.form], attrs as A & object), input!.partitions),
    demand: (out) => [out],
    run: ([input], attrs) => record.run([rowsOf(input!)], attrs as A & object),
  });

/** attrs.every states become one. */
const combineNode = <A>(
  name: string,
  record: RaggedOp<A & object>,
  isSmall: (attrs: A) => boolean,
): RaggedNode =>
  node({
    name,
    isPlacewise: false,
    isSmall: (attrs) => isSmall(attrs as A),
    infer: ([input], attrs) =>
      raggedType(input!.form, Math.ceil(input!.partitions / (attrs["every"] as number))),
    demand(out, [input], attrs) {
      const every = attrs["every"] as number;
      const last = Math.min(input!.partitions, (out.start[0]! + out.shape[0]!) * every);
      return [interval(out.start[0]! * every, last)];
    },
    run: ([input], attrs, { type }) => record.run([joined(partsOf(input!), type)], attrs as A & object),
  });

const isOneValue = ({ axis }: PartialAttrs): boolean => axis === null;

/** attrs.name and attrs.axis say which reduction. */
export const partial: RaggedNode = stateNode("rg.partial", [reducePartial, reduceCombine], isOneValue);
export const combine: RaggedNode = combineNode("rg.combine", reduceCombine, isOneValue);

/** Histograms: attrs.axes says which. */
export const histPartial: RaggedNode = stateNode("rg.histPartial", [histFill, histMerge], areFewCells);
export const histCombine: RaggedNode = combineNode("rg.histCombine", histMerge, areFewCells);

/** Rows are counted by what says how many there are: no value is looked at. */
const numberOfRows: RaggedOp<object> = raggedOp(
  "rowCounts",
  () => false,
  STRUCTURE,
  ([input]) => numpyOf(BigInt64Array.of(BigInt(input!.length)).subarray(0, input!.length === 0 ? 0 : 1)),
);

/** How demand goes through a node: as through the record that does the same with rows in one piece. */
export const RECORD_LIKE: ReadonlyMap<object, RaggedOp<object>> = new Map<object, RaggedOp<object>>([
  [allRows, toPacked],
  [repartition, toPacked],
  [append, concatenate as RaggedOp<object>],
  [rowNumbers, localIndex as RaggedOp<object>],
  [rowCounts, numberOfRows],
  [partial, reducePartial as unknown as RaggedOp<object>],
  [combine, reduceCombine as unknown as RaggedOp<object>],
  [histPartial, histFill as unknown as RaggedOp<object>],
  [histCombine, histMerge as unknown as RaggedOp<object>],
]);
