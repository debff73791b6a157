// Cartesian products. In: several arrays and an axis. Out: at that axis, for lists of every row, records of one element
// from each, the last array going round fastest. With `nested`, elements that agree in the first arrays are lists of
// their own.

import { AxisError, ValueError } from "../../core/errors.ts";
import { MOVED, STRUCTURE } from "../demand/outline.ts";
import { bytesOfRows } from "../layout/bytes.ts";
import { checkLength, drawnFrom, int64Of, localPlaces, newIndex } from "../layout/indices.ts";
import { isList, listOf, numpyOf, type Plain, type PlainList, recordOf } from "../layout/layout.ts";
import { take, viewOf } from "../layout/rows.ts";
import { belowAllRows, broadcast } from "./broadcast.ts";
import { frontOf } from "./choose.ts";
import { type Item, type RaggedOp, raggedOp, unwrapRow } from "./op.ts";

export interface CartesianAttrs {
  /** Null for tuples. */
  readonly fields?: readonly string[] | null;
  readonly axis?: number;
  /** After which arrays a new level of lists begins; true for all but the last. */
  readonly nested?: boolean | readonly number[];
}

const product = (name: string, wantsPlaces: boolean): RaggedOp<CartesianAttrs> =>
  raggedOp(
    name,
    belowAllRows(1),
    wantsPlaces ? STRUCTURE : MOVED,
    (inputs, attrs) => {
      const { fields = null } = attrs;
      const breaks = breaksOf(attrs.nested ?? false, inputs.length);
      if (fields !== null && (fields.length !== inputs.length || new Set(fields).size !== fields.length))
        throw new ValueError({
          what: `${fields.length} names for ${inputs.length} arrays`,
          cure: "Name every array once",
        });
      return overLists(inputs, attrs, (lists) => productOf(lists, breaks, fields, wantsPlaces));
    },
    (inputs, attrs) => grown(inputs, attrs, wantsPlaces),
  );

type Join = (lists: readonly PlainList[]) => Plain;

/** What is made of the lists along the axis, of every array one, for every row. */
function overLists(inputs: readonly Plain[], { axis = 1 }: CartesianAttrs, join: Join): Plain | Item {
  const front = frontOf(inputs, axis);
  if (front === 0) return overRows(inputs, join);
  const stop = (nodes: readonly Plain[], depth: number): Plain | null => {
    if (depth < front - 1 || nodes.some((node) => node.kind === "indexedOption" || node.kind === "union"))
      return null;
    if (nodes.every(isList)) return join(nodes);
    throw new AxisError({ what: `not all arrays have lists at axis ${axis}`, cure: "Use another axis" });
  };
  return broadcast(inputs, stop, { right: false });
}

/** For each array of each pair a place, and the element there. */
function grown(inputs: readonly Plain[], attrs: CartesianAttrs, wantsPlaces: boolean): number {
  let bytes = 0;
  overLists(inputs, attrs, (lists) => {
    const views = lists.map(viewOf);
    const total = countOf(
      views.map(({ offsets }) => offsets),
      lists[0]!.length,
    );
    for (const { content } of views)
      bytes += total * (4 + (wantsPlaces ? 8 : bytesOfRows(content) / Math.max(1, content.length)));
    bytes += 8 * lists[0]!.length;
    return lists[0]!;
  });
  return bytes;
}

export const cartesian: RaggedOp<CartesianAttrs> = product("cartesian", false);
/** The same of places: what to index each array with. */
export const argcartesian: RaggedOp<CartesianAttrs> = product("argcartesian", true);

/** All rows of every array are one list. */
function overRows(inputs: readonly Plain[], join: Join): Plain | Item {
  return unwrapRow(join(inputs.map((input) => listOf(Int32Array.of(0, input.length), input))));
}

function breaksOf(nested: boolean | readonly number[], count: number): readonly number[] {
  if (count === 0) throw new ValueError({ what: "there are no arrays", cure: "Pass at least one" });
  if (typeof nested === "boolean") return nested ? Array.from({ length: count - 1 }, (_, i) => i) : [];
  const wrong = nested.find((i) => !Number.isSafeInteger(i) || i < 0 || i >= count - 1);
  if (wrong === undefined) return [...new Set(nested)].sort((a, b) => a - b);
  throw new ValueError({
    what: `nested names array ${wrong}`,
    cure: `Use 0 to ${count - 2}, all but the last`,
  });
}

function productOf(
  lists: readonly PlainList[],
  breaks: readonly number[],
  fields: readonly string[] | null,
  wantsPlaces: boolean,
): Plain {
  const views = lists.map(viewOf);
  const rows = lists[0]!.length;
  const offsets = views.map((view) => view.offsets);
  const total = totalOf(offsets, rows);
  const contents = views.map((view, a) => {
    const content = wantsPlaces
      ? drawnFrom(numpyOf(int64Of(localPlaces(view.offsets))), lists[a]!)
      : view.content;
    return take(content, placesOfArray(offsets, a, rows, total));
  });
  let result: Plain = recordOf(fields, contents, total);
  for (const level of levelOffsets(offsets, breaks, rows).reverse()) result = listOf(level, result);
  return result;
}

const countAt = (offsets: Int32Array, row: number): number => offsets[row + 1]! - offsets[row]!;

function countOf(offsets: readonly Int32Array[], rows: number): number {
  let total = 0;
  for (let row = 0; row < rows; row++) {
    let count = 1;
    for (const list of offsets) count *= countAt(list, row);
    total += count;
  }
  return total;
}

const totalOf = (offsets: readonly Int32Array[], rows: number): number =>
  checkLength(countOf(offsets, rows), "the product");

/** Which element of array `a` is in each record. */
function placesOfArray(offsets: readonly Int32Array[], a: number, rows: number, total: number): Int32Array {
  const places = newIndex(total);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    let outer = 1;
    let inner = 1;
    for (let other = 0; other < offsets.length; other++) {
      if (other < a) outer *= countAt(offsets[other]!, row);
      if (other > a) inner *= countAt(offsets[other]!, row);
    }
    const start = offsets[a]![row]!;
    const stop = offsets[a]![row + 1]!;
    for (let o = 0; o < outer; o++)
      for (let element = start; element < stop; element++)
        for (let k = 0; k < inner; k++) places[at++] = element;
  }
  return places;
}

/** Offsets of every level of lists, outermost first. */
function levelOffsets(offsets: readonly Int32Array[], breaks: readonly number[], rows: number): Int32Array[] {
  const bounds = [0, ...breaks.map((a) => a + 1), offsets.length];
  const size = (row: number, from: number, to: number): number =>
    offsets.slice(from, to).reduce((n, list) => n * countAt(list, row), 1);
  return bounds.slice(1).map((to, level) => {
    const from = bounds[level]!;
    let lists = 0;
    for (let row = 0; row < rows; row++) lists += size(row, 0, from);
    const out = new Int32Array(lists + 1);
    let at = 0;
    for (let row = 0; row < rows; row++) {
      const each = size(row, from, to);
      for (let list = size(row, 0, from); list > 0; list--, at++) out[at + 1] = out[at]! + each;
    }
    return out;
  });
}
