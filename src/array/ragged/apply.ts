// One call of an operation: at once where everything is in memory, as a node where something is lazy. In: a record of
// the ragged op table, arrays, attributes. Out: an array, or one value. Operations that look at several rows at once
// become what can be done partition by partition, where there is a way; else the rows are gathered first.

import type { Attrs } from "../../core/block.ts";
import { DTypeError, IndexError, ShapeError, ValueError } from "../../core/errors.ts";
import type { Form } from "../../core/form/form.ts";
import { logicalOf } from "../../core/form/logical.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import { raggedOf } from "../../expr/op.ts";
import {
  ALL,
  concatenate,
  get,
  localIndex,
  type RaggedOp,
  REDUCTIONS,
  reduceFinish,
  type SelectionItem,
  toList,
} from "../../ragged/index.ts";
import { depthOfForm } from "../../ragged/lazy/depth.ts";
import { areKnown, type Rows, rowsOfExpr } from "../../ragged/lazy/partitionRows.ts";
import { nodeOfRecord } from "../../ragged/lazy/placewise.ts";
import { allRows, append, combine, partial, repartition, rowNumbers } from "../../ragged/lazy/structure.ts";
import { dressed } from "./behaviors/dress.ts";
import {
  asLazyRagged,
  LazyRagged,
  lazyFrom,
  type Ragged,
  RaggedArray,
  type RaggedValue,
} from "./raggedArrays.ts";

// Arrays that meet row by row must be cut alike. In: lazy arrays. Out: their expressions, with those that are cut
// otherwise cut anew as the first is; an error where rows do not match or nobody knows how many there are.

const total = (rows: readonly number[]): number => rows.reduce((sum, n) => sum + n, 0);

/** Cut into partitions of these lengths, from a row on. */
export const recut = (expr: Expr, from: readonly number[], to: readonly number[], skip = 0): Expr =>
  makeExpr(repartition, [expr], { from, to, skip });

export function aligned(arrays: readonly LazyRagged[]): readonly Expr[] {
  const exprs = arrays.map(({ expr }) => expr);
  const main = exprs.find(({ type }) => raggedOf(type).partitions > 1) ?? exprs.find(isArray);
  if (main === undefined) return exprs;
  const rows = rowsOfExpr(main);
  return exprs.map((expr) => (expr === main || !isArray(expr) ? expr : cutAs(expr, rows)));
}

const isArray = ({ type }: Expr): boolean => !raggedOf(type).isItem;

function cutAs(expr: Expr, wanted: Rows): Expr {
  const own = rowsOfExpr(expr);
  if (areKnown(own) && areKnown(wanted)) {
    if (own.length === wanted.length && own.every((n, i) => n === wanted[i])) return expr;
    if (total(own) === total(wanted)) return recut(expr, own, wanted);
    // One row, or one for each element further in: broadcasting decides.
    if (own.length === 1 && wanted.length === 1) return expr;
    throw new ShapeError({
      what: `arrays of ${total(wanted)} and ${total(own)} rows meet`,
      cure: "Use arrays with as many rows",
    });
  }
  // Cut alike by what made them: lengths are compared when they are there.
  if (own.length === wanted.length) return expr;
  throw new ValueError({
    what: `arrays of ${wanted.length} and ${own.length} partitions meet, and nobody knows their rows before computing`,
    cure: "Make both from one array, or repartition before rows are dropped",
  });
}

// Operations on the axis of the rows, over several partitions, without gathering all of them: places and ranges of rows
// where rows are counted, arrays one after another, numbers of rows. In: an operation. Out: an expression, or null where
// there is no such way.

type Way = (inputs: readonly Expr[], attrs: Attrs) => Expr | null;

const WAYS: ReadonlyMap<object, Way> = new Map<object, Way>([
  [concatenate, (inputs, attrs) => ((attrs["axis"] ?? 0) === 0 ? makeExpr(append, inputs, attrs) : null)],
  [localIndex, ([input], attrs) => (isFlat(input!, attrs) ? numbered(input!) : null)],
  [get, (inputs, attrs) => rowsSelected(inputs, attrs)],
]);

const selectRows = (record: RaggedOp<object>, inputs: readonly Expr[], attrs: Attrs): Expr | null =>
  WAYS.get(record)?.(inputs, attrs) ?? null;

/** One number for each row, and not one inside of each field? */
const isFlat = (input: Expr, attrs: Attrs): boolean =>
  localIndex.form([raggedOf(input.type).form], attrs).kind === "numpy";

function numbered(input: Expr): Expr | null {
  const rows = rowsOfExpr(input);
  if (!areKnown(rows)) return null;
  let start = 0;
  const starts = rows.map((n) => {
    start += n;
    return start - n;
  });
  return makeExpr(rowNumbers, [input], { axis: 0, starts });
}

/** Fields first; then the first item is for the rows. */
function rowsSelected([input, ...arrays]: readonly Expr[], attrs: Attrs): Expr | null {
  const items = attrs["items"] as unknown as readonly SelectionItem[];
  const rows = rowsOfExpr(input!);
  const at = items.findIndex((item) => !isField(item));
  const item = items[at];
  if (!areKnown(rows) || at < 0) return null;
  const rest = (first: SelectionItem): Attrs =>
    ({ items: items.map((own, i) => (i === at ? first : own)) }) as unknown as Attrs;
  const node = nodeOfRecord(get);
  if (typeof item === "number") {
    const { partition, row } = found(item, rows);
    const part = makeExpr(allRows, [input!], { first: partition, last: partition + 1 });
    return arrays.length > 0 ? null : makeExpr(node, [part], rest(row));
  }
  const range = arrays.length > 0 ? null : plainRange(item, rows);
  if (range === null) return null;
  const cut = recut(input!, rows, cutsOf(rows, range.start, range.stop), range.start);
  return items.length === 1 ? cut : makeExpr(node, [cut], rest(ALL));
}

const isField = (item: SelectionItem): boolean =>
  Array.isArray(item) && (item[0] === "field" || item[0] === "fields");

function found(place: number, rows: readonly number[]): { partition: number; row: number } {
  const count = rows.reduce((sum, n) => sum + n, 0);
  let row = place < 0 ? place + count : place;
  if (row < 0 || row >= count)
    throw new IndexError({
      what: `row ${place} is out of range: there are ${count}`,
      cure: count === 0 ? "The array is empty" : `Use ${-count} to ${count - 1}`,
    });
  let partition = 0;
  while (row >= rows[partition]!) row -= rows[partition++]!;
  return { partition, row };
}

/** start:stop without a step. */
function plainRange(
  item: SelectionItem | undefined,
  rows: readonly number[],
): { start: number; stop: number } | null {
  if (!Array.isArray(item) || item[0] !== "slice") return null;
  const [, from, to, step] = item as readonly ["slice", number | null, number | null, number | null];
  if ((step ?? 1) !== 1) return null;
  const count = rows.reduce((sum, n) => sum + n, 0);
  const bound = (value: number | null, otherwise: number): number =>
    value === null ? otherwise : Math.min(count, Math.max(0, value < 0 ? value + count : value));
  const start = bound(from, 0);
  return { start, stop: Math.max(start, bound(to, count)) };
}

/** The partitions there are, as far as they lie in a range; one of no rows where none does. */
function cutsOf(rows: readonly number[], start: number, stop: number): number[] {
  let before = 0;
  const cuts = rows.flatMap((n) => {
    const own = Math.min(stop, before + n) - Math.max(start, before);
    before += n;
    return own > 0 ? [own] : [];
  });
  return cuts.length === 0 ? [0] : cuts;
}

/** What functions give: an array of the kind that they were given, or a value. */
export type Applied = Ragged | RaggedValue;

export function apply(record: RaggedOp<never>, inputs: readonly Ragged[], attrs: object = {}): Applied {
  const op = record as unknown as RaggedOp<object>;
  const given = withoutUndefined(attrs);
  return inputs.some((input) => input instanceof LazyRagged)
    ? dressed(lazyFrom(lazily(op, inputs.map(asLazyRagged), given)))
    : eagerly(op, inputs as readonly RaggedArray[], given);
}

/** Only what was said, so that equal calls are equal nodes. */
function withoutUndefined(attrs: object): Attrs {
  if (!Object.values(attrs).includes(undefined)) return attrs as Attrs;
  return Object.fromEntries(Object.entries(attrs).filter(([, value]) => value !== undefined)) as Attrs;
}

function eagerly(record: RaggedOp<object>, inputs: readonly RaggedArray[], attrs: Attrs): Applied {
  const layouts = inputs.map(({ layout }) => layout);
  const result = record.run(layouts, attrs);
  const isItem = record.isItem(
    inputs.map(({ form }) => form),
    attrs,
  );
  return isItem ? (toList(result)[0] as RaggedValue) : dressed(new RaggedArray(result));
}

function lazily(record: RaggedOp<object>, arrays: readonly LazyRagged[], attrs: Attrs): Expr {
  const inputs = arrays.map(({ expr }) => expr);
  const types = inputs.map(({ type }) => raggedOf(type));
  const forms = types.map(({ form }) => form);
  const isRowwise = record.isRowwise(forms, attrs);
  // A reduction over rows leaves states, also of a single partition: rows may be worked on a few at a time.
  const reduced =
    !isRowwise && REDUCTIONS[record.name] === record && !types[0]!.isItem
      ? reduceAll(record, inputs[0]!, attrs)
      : null;
  if (reduced !== null) return reduced;
  if (types.every(({ partitions }) => partitions === 1)) return makeExpr(nodeOfRecord(record), inputs, attrs);
  if (isRowwise)
    return isStretched(inputs)
      ? gathered(record, inputs, attrs)
      : makeExpr(nodeOfRecord(record), aligned(arrays), attrs);
  return selectRows(record, inputs, attrs) ?? gathered(record, inputs, attrs);
}

/** Is there one row that goes with all rows of the others? */
function isStretched(inputs: readonly Expr[]): boolean {
  if (inputs.length === 1) return false;
  const counts = inputs
    .filter(({ type }) => !raggedOf(type).isItem)
    .map(rowsOfExpr)
    .map((rows) => (areKnown(rows) ? rows.reduce((sum, n) => sum + n, 0) : null));
  return counts.includes(1) && counts.some((count) => count !== 1);
}

/** All rows in one partition. */
export function gather(input: Expr): Expr {
  const { partitions } = raggedOf(input.type);
  return partitions === 1 ? input : makeExpr(allRows, [input], { first: 0, last: partitions });
}

const gathered = (record: RaggedOp<object>, inputs: readonly Expr[], attrs: Attrs): Expr =>
  makeExpr(nodeOfRecord(record), inputs.map(gather), attrs);

/** How many states become one: few enough to be held, many enough for few levels. */
export const SPLIT_EVERY = 8;

/** A state for each partition, combined in a tree; null for what has no such states: strings, records. */
function reduceAll(record: RaggedOp<object>, input: Expr, attrs: Attrs): Expr | null {
  const { name } = record;
  const { axis = null } = attrs as { axis?: number | null };
  const { form } = raggedOf(input.type);
  const depth = depthOfForm(form);
  const over = axis === null ? null : 0;
  let state = partialOf(input, { name, axis: over });
  if (state === null) return null;
  while (raggedOf(state.type).partitions > 1)
    state = makeExpr(combine, [state], { name, axis: over, every: SPLIT_EVERY });
  const leaf = leafForm(record.form([form], attrs));
  const dtype = leaf.kind === "numpy" ? leaf.dtype : "float64";
  const logical = logicalOf(leaf);
  return makeExpr(nodeOfRecord(reduceFinish), [state], {
    ...attrs,
    name,
    axis: over,
    depth,
    dtype,
    ...(logical === null ? {} : { logical: JSON.stringify(logical) }),
  });
}

function partialOf(input: Expr, attrs: Attrs): Expr | null {
  try {
    return makeExpr(partial, [input], attrs);
  } catch (error) {
    if (error instanceof DTypeError) return null;
    throw error;
  }
}

function leafForm(form: Form): Form {
  let node = form;
  while ("content" in node) node = node.content;
  return node;
}
