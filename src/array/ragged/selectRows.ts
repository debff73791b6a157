// Operations on the axis of the rows, over several partitions, without gathering all of them: places and ranges of rows
// where rows are counted, arrays one after another, numbers of rows. In: an operation. Out: an expression, or null where
// there is no such way.

import type { Attrs } from "../../core/attrs.ts";
import { IndexError } from "../../core/errors.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import { raggedOf } from "../../expr/op.ts";
import { ALL, concatenate, get, localIndex, type RaggedOp, type SelectionItem } from "../../ragged/index.ts";
import { areKnown, rowsOfExpr } from "../../ragged/lazy/partitionRows.ts";
import { nodeOfRecord } from "../../ragged/lazy/placewise.ts";
import { allRows, append, rowNumbers } from "../../ragged/lazy/structure.ts";
import { recut } from "./align.ts";

type Way = (inputs: readonly Expr[], attrs: Attrs) => Expr | null;

const WAYS: ReadonlyMap<object, Way> = new Map<object, Way>([
  [concatenate, (inputs, attrs) => ((attrs["axis"] ?? 0) === 0 ? makeExpr(append, inputs, attrs) : null)],
  [localIndex, ([input], attrs) => (isFlat(input!, attrs) ? numbered(input!) : null)],
  [get, (inputs, attrs) => rowsSelected(inputs, attrs)],
]);

export const selectRows = (record: RaggedOp<object>, inputs: readonly Expr[], attrs: Attrs): Expr | null =>
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
