// Random selections: an array's shape and chunks, and items as the library takes them and as the naive indexer does.
// Items of every kind: whole numbers, slices, new axes, an ellipsis, index arrays that broadcast, masks.

import * as cw from "chunkwise";
import fc from "fast-check";
import { cutOf, shapes } from "./arrays.ts";
import { Choices } from "./choices.ts";
import { at, commonShape, placesOf, tabulate } from "./naive/lists.ts";
import { maskIndices, type NaiveItem, type NaiveSlice, type Selected } from "./naive/select.ts";

/** A selection as the library takes it, and as the naive indexer does (a mask is several items there). */
export interface Item {
  readonly given: cw.SelectionItem;
  readonly naive: readonly NaiveItem[];
  /** Axes of the array that it stands for. */
  readonly axes: number;
}

export interface Case {
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  readonly items: readonly Item[];
  readonly choices: Choices;
}

const one = (given: cw.SelectionItem, naive: NaiveItem, axes = 1): Item => ({ given, naive: [naive], axes });

function sliceItem(length: number, choices: Choices): Item {
  const bound = (): number | null => (choices.flip() ? choices.between(-length - 2, length + 2) : null);
  const slice: NaiveSlice = {
    start: bound(),
    stop: bound(),
    step: choices.pick([null, 1, -1, 2, -2, 3, -3]),
  };
  const text = [slice.start, slice.stop, slice.step].map((x) => x ?? "").join(":");
  return one(choices.flip() ? text : cw.slice(slice.start, slice.stop, slice.step), slice);
}

/** Whole numbers in a list, a typed array or an array of any integer dtype, from the front and from the end. */
function arrayItem(length: number, shape: readonly number[], choices: Choices): Item {
  const list = tabulate(shape, () => choices.between(-length, length - 1));
  const flat = placesOf(shape).map((place) => Number(at(list, place)));
  const given = choices.pick([
    () => (flat.length === 0 ? BigInt64Array.from([]) : (list as cw.SelectionItem)),
    () => cw.asarray(Int8Array.from(flat), { chunks: 2 }),
    () => cw.add(Int32Array.from(flat), 0),
  ])();
  const shaped = given instanceof cw.LazyArray ? cw.reshape(given, shape) : given;
  return one(shaped, { shape: flat.length === 0 && !(given instanceof cw.LazyArray) ? [0] : shape, list });
}

function maskItem(lengths: readonly number[], choices: Choices): Item {
  const mask = tabulate(lengths, () => choices.flip());
  const data = Uint8Array.from(placesOf(lengths), (place) => Number(at(mask, place)));
  return {
    given: new cw.NDArray(data, lengths, "bool"),
    naive: maskIndices(mask, lengths),
    axes: lengths.length,
  };
}

/** An item for the axes from number `axis` on. */
function itemFor(
  shape: readonly number[],
  axis: number,
  indexShape: readonly number[],
  choices: Choices,
): Item {
  const length = shape[axis]!;
  const way = choices.below(6);
  if (way === 5 && indexShape.length === 1)
    return maskItem(shape.slice(axis, axis + choices.between(1, 2)), choices);
  if (way === 4 && length > 0) return arrayItem(length, choices.flip() ? indexShape : [1], choices);
  if (way === 3 && length > 0) {
    const place = choices.between(-length, length - 1);
    return one(place, place);
  }
  return sliceItem(length, choices);
}

function itemsFor(shape: readonly number[], choices: Choices): Item[] {
  const items: Item[] = [];
  const indexShape = choices.pick([[3], [2, 2], [1, 3], [0], []]);
  const end = choices.flip() ? choices.below(shape.length + 1) : shape.length;
  for (let axis = 0; axis < end; ) {
    if (choices.below(6) === 5) items.push(one(null, null, 0));
    const item = itemFor(shape, axis, indexShape, choices);
    items.push(item);
    axis += item.axes;
  }
  if (choices.flip()) items.push(one("...", "...", 0));
  return hasOneShape(items) ? items : withOneList(items);
}

/** All index arrays and masks but the first become whole slices. */
function withOneList(items: readonly Item[]): Item[] {
  const first = items.find(({ naive }) => naive.some(isList));
  const whole = one(":", { start: null, stop: null, step: null });
  return items.flatMap((item) =>
    item === first || !item.naive.some(isList) ? [item] : Array.from({ length: item.axes }, () => whole),
  );
}

const isList = (item: NaiveItem | undefined): boolean =>
  typeof item === "object" && item !== null && "list" in item;

/** Do index arrays, and the places of masks, broadcast? */
function hasOneShape(items: readonly Item[]): boolean {
  const lists = items.flatMap(({ naive }) => naive.filter(isList)) as Selected[];
  if (lists.length === 0) return true;
  const common = commonShape(lists.map(({ shape }) => shape));
  return lists.every(({ shape }) =>
    shape.every((n, i) => n === 1 || n === common[common.length - shape.length + i]),
  );
}

export const cases: fc.Arbitrary<Case> = fc
  .tuple(shapes, fc.array(fc.nat({ max: 999 }), { minLength: 40, maxLength: 40 }))
  .map(([shape, numbers]) => {
    const choices = new Choices(numbers);
    const { chunks } = cutOf(shape, numbers.toReversed());
    return { shape, chunks, items: itemsFor(shape, choices), choices };
  });
