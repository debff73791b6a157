// get: part of an array. In: items as users write them. Out: items as plain data, and index arrays as inputs.

import { newBlock } from "../../core/block.ts";
import { describe, sizeOf } from "../../core/chunks.ts";
import { IndexError, ValueError } from "../../core/errors.ts";
import { copyElements } from "../../kernel/routines/stridedWalk.ts";
import { userCall } from "../../lazy/call.ts";
import { NDArray } from "../../lazy/ndarray.ts";
import { flatten, get as getOp, type SelectionItem, toRegular, unflatten } from "../../ragged/index.ts";
import { Slice } from "../selection.ts";
import { type Applied, apply } from "./apply.ts";
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

function selected(x: Ragged, items: readonly RaggedItem[]): Applied {
  const arrays: Ragged[] = [];
  const selection = items.map((item) => itemOf(item, arrays));
  return apply(getOp as never, [x, ...arrays], { items: selection });
}

// Dense arrays of several axes as indexes, as NumPy has them: places give rows in the shape of the index, and bools the
// elements, one after another, of an array whose first axes have the mask's shape. (Nested arrays are jagged indexes.)
// Equations: x[p] = reshape(x[flat(p)], shape of p), x[m] = flat(x)[flat(m)].

interface Grid {
  readonly at: number;
  readonly array: NDArray;
}

function gridAmong(items: readonly RaggedItem[]): Grid | null {
  const at = items.findIndex((item) => item instanceof NDArray && item.shape.length > 1);
  return at < 0 ? null : { at, array: items[at] as unknown as NDArray };
}

function byGrid(x: Ragged, items: readonly RaggedItem[], { at, array }: Grid): Applied {
  const before = items.slice(0, at).every((item) => typeof item === "string" && RANGE.exec(item) === null);
  const isAlone = items.filter((item) => typeof item === "object" && item !== null).length === 1;
  if (!before || !isAlone)
    throw new IndexError({
      what: `an index of ${array.shape.length} axes is item ${at} of the selection`,
      cure: "Put it first, after fields, and use no other index array beside it",
    });
  const block = newBlock(array.dtype, array.shape);
  copyElements(array, block);
  const flat = new NDArray(block.data as never, [sizeOf(array.shape)], array.dtype) as never;
  const { shape } = array;
  if (array.dtype !== "bool") {
    const rows = selected(x, [...items.slice(0, at), flat, ...items.slice(at + 1)]) as Ragged;
    return shape
      .slice(1)
      .reverse()
      .reduce<Ragged>(
        (made, size) => apply(unflatten as never, [made], { counts: size, axis: 0 }) as Ragged,
        rows,
      );
  }
  let lists = at === 0 ? x : (selected(x, items.slice(0, at)) as Ragged);
  for (const size of shape.slice(1)) {
    lists = apply(toRegular as never, [lists], { axis: 1, size }) as Ragged;
    lists = apply(flatten as never, [lists], { axis: 1 }) as Ragged;
  }
  return selected(lists, [flat, ...items.slice(at + 1)]);
}

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
    const grid = gridAmong(items);
    if (grid !== null) return byGrid(asRagged(x), items, grid) as never;
    return selected(asRagged(x), items) as never;
  },
);
