// get: part of an array. In: an array, index arrays, and the items of the selection. Out: what they select: an array,
// or one value where every axis was given a place.

import { IndexError } from "../../../core/errors.ts";
import type { Lesser } from "../../demand/roles.ts";
import { depthsOf, listOf, type Plain } from "../../layout/layout.ts";
import { type Item, type RaggedOp, raggedOp } from "../op.ts";
import { fieldNamed, fieldsNamed } from "../records.ts";
import type { Rowwise } from "../rowwise.ts";
import { unwrapRow } from "../unwrap.ts";
import { type AxisItem, type Selection, type SelectionItem, selectionOf } from "./items.ts";
import { selectJagged } from "./jagged.ts";
import { below, FULL } from "./selectAxes.ts";

export interface GetAttrs {
  readonly items: readonly SelectionItem[];
}

/** Not when rows are chosen by their places. A mask, and a jagged index, have a row for every row. */
const keepsRows: Rowwise<GetAttrs> = ([input, ...arrays], { items }) => {
  const { fields, jagged, axes } = selectionOf(items, arrays);
  const shared = axes.some((item) => item.kind === "places" && !item.isLiteral && item.covers === null);
  if (shared) return false;
  const masks = axes.filter((item) => item.kind === "places" && item.covers !== null).length;
  const [first] = axes;
  if (jagged !== null || first === undefined) return masks === 0;
  if (first.kind === "places") return first.covers !== null && isOnlyArray(axes) && "changed";
  return masks === 0 && keepsAll(first, axes.slice(1), depthsOf(named(input!, fields))[0]);
};

/** One field after another, or records of several. */
const named = (input: Plain, fields: Selection["fields"]): Plain =>
  fields.reduce<Plain>(
    (node, names) => (typeof names === "string" ? fieldNamed(node, names) : fieldsNamed(node, names)),
    input,
  );

const isOnlyArray = (axes: readonly AxisItem[]): boolean =>
  axes.filter(({ kind }) => kind === "places").length === 1;

/** An ellipsis stands for the rows when there are fewer items after it than axes. */
function keepsAll(first: AxisItem, rest: readonly AxisItem[], axes: number): boolean {
  if (first.kind === "ellipsis")
    return rest.filter(({ kind }) => kind !== "newAxis" && kind !== "ellipsis").length < axes;
  return first.kind === "range" && first.start === null && first.stop === null && first.step === 1;
}

/** Where the last fields chosen are several, fewer of them. */
function fewerFields({ items }: GetAttrs, kept: readonly number[]): Lesser<GetAttrs> | null {
  const at = items.findLastIndex((item) => Array.isArray(item) && String(item[0]).startsWith("field"));
  const item = items[at];
  if (!Array.isArray(item) || item[0] !== "fields") return null;
  const names: SelectionItem = ["fields", ...kept.map((i) => item[i + 1] as string)];
  return { attrs: { items: items.with(at, names) }, inputs: null };
}

export const get: RaggedOp<GetAttrs> = raggedOp(
  "get",
  keepsRows,
  { roles: ["moved", "data"], lesser: fewerFields },
  ([input, ...arrays], { items }, isProbe) => {
    const { fields, jagged, axes } = selectionOf(items, arrays);
    const chosen = named(input!, fields);
    if (jagged === null) return along(chosen, axes, isProbe);
    // What comes after a jagged index is for the axes below those that it went through.
    const rest =
      axes.length === 0 ? [] : [...Array.from({ length: depthsOf(jagged)[0] }, () => FULL), ...axes];
    return along(selectJagged(chosen, jagged), rest, isProbe);
  },
);

/** All rows are one list, so that the first axis is like every other. Without rows to look at there is no list. */
function along(node: Plain, axes: readonly AxisItem[], isProbe: boolean): Plain | Item {
  if (axes.length === 0) return node;
  if (!isProbe) checkRows(axes[0]!, node.length);
  const whole = listOf(isProbe ? Int32Array.of(0) : Int32Array.of(0, node.length), node);
  return unwrapRow(below(whole, axes));
}

/** Said of rows, where the walk would speak of lists. */
function checkRows(item: AxisItem, rows: number): void {
  const places = item.kind === "at" ? Int32Array.of(item.place) : item.kind === "places" ? item.values : null;
  const nulls = item.kind === "places" ? item.nulls : null;
  const wrong = places?.find((place, i) => nulls?.[i] !== 1 && (place >= rows || place < -rows));
  if (item.kind === "places" && item.covers !== null && item.covers !== rows)
    throw new IndexError({
      what: `a mask of ${item.covers} rows meets an array of ${rows}`,
      cure: "A mask is as long as the array",
    });
  if (wrong === undefined) return;
  throw new IndexError({
    what: `row ${wrong} is out of range: there are ${rows}`,
    cure: rows === 0 ? "The array is empty" : `Use ${-rows} to ${rows - 1}`,
  });
}
