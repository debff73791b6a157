// get: part of an array. In: items as users write them. Out: items as plain data, and index arrays as inputs.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { userCall } from "../../lazy/call.ts";
import { get as getOp, type SelectionItem } from "../../ragged/index.ts";
import { Slice } from "../selection.ts";
import { apply } from "./apply.ts";
import { withoutHoles } from "./argumentChecks.ts";
import {
  asRagged,
  type LazyRagged,
  type Ragged,
  type RaggedArray,
  type RaggedInput,
  type RaggedValue,
} from "./raggedArrays.ts";
import type { Joint } from "./types.ts";

/**
 * A place, a range (`slice(0, 10)` or "0:10"), null for a new axis, "..." for all axes in between, a field (any other
 * text), a list of fields, a list of places (null in it gives null), or an array of integers or bools, jagged or not.
 */
export type RaggedItem =
  | number
  | string
  | null
  | Slice
  | readonly (number | string | boolean | null)[]
  | RaggedInput;

const RANGE = /^(-?\d+)?:(-?\d+)?(?::(-?\d+)?)?$/;

function itemOf(item: RaggedItem, arrays: Ragged[]): SelectionItem {
  if (typeof item === "number" || item === null || item === "...") return item;
  if (typeof item === "string") return textItem(item);
  if (item instanceof Slice) return ["slice", item.start, item.stop, item.step];
  if (Array.isArray(item)) return listItem(withoutHoles(item), arrays);
  return arrayItem(asRagged(item), arrays);
}

function textItem(text: string): SelectionItem {
  const range = RANGE.exec(text);
  if (range === null) return ["field", text];
  const bound = (value: string | undefined): number | null => (value === undefined ? null : Number(value));
  return ["slice", bound(range[1]), bound(range[2]), bound(range[3])];
}

function listItem(list: readonly unknown[], arrays: Ragged[]): SelectionItem {
  if (list.length > 0 && list.every((value) => typeof value === "string"))
    return ["fields", ...(list as readonly string[])];
  const isPlaces = list.every((value) => value === null || typeof value === "number");
  return isPlaces ? ["places", ...(list as readonly (number | null)[])] : arrayItem(asRagged(list), arrays);
}

const arrayItem = (array: Ragged, arrays: Ragged[]): SelectionItem => ["array", arrays.push(array) - 1];

/** In memory a place in every axis gives the value there. */
type Got<X> = Joint<X> extends LazyRagged ? LazyRagged : RaggedArray | RaggedValue;

/**
 * A part: `rg.get(x, 0)` is the first row, `rg.get(x, ":", 0)` the first element of each, `rg.get(x, "jets", "pt")` a
 * field, and `rg.get(x, x.greater(1))` what is above 1.
 */
export const get: <const X extends RaggedInput>(x: X, ...items: readonly RaggedItem[]) => Got<X> = userCall(
  "get",
  (x: RaggedInput, ...items: readonly RaggedItem[]) => {
    if (items.some((item) => item === undefined))
      throw new ValueError({
        what: `${describe(undefined)} selects nothing`,
        cure: "Use null for a new axis",
      });
    const arrays: Ragged[] = [];
    const selection = items.map((item) => itemOf(item, arrays));
    return apply(getOp as never, [asRagged(x), ...arrays], { items: selection }) as never;
  },
);
