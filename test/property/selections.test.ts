// x.get(…) and x.set(…) against NumPy's indexing of nested lists (naive/select.ts): every kind of item, in any
// chunks. Elements are all different, so that a wrong place shows.

import * as cw from "chunkwise";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { needThreads, Ways } from "../ways.ts";
import { shapes } from "./arrays.ts";
import type { Choices } from "./choices.ts";
import { at, type Nested, placesOf, product, rank, tabulate } from "./naive/lists.ts";
import { assign, type NaiveItem, type Selected, select } from "./naive/select.ts";
import { type Case, cases, type Item } from "./selectionCases.ts";
import { check } from "./settings.ts";

const numbered = (shape: readonly number[]): Nested => tabulate(shape, (place) => rank(place, shape));
const lazily = ({ shape, chunks }: Case): cw.LazyArray =>
  cw.asarray(
    new cw.NDArray(
      Float64Array.from({ length: product(shape) }, (_, i) => i),
      shape,
      "float64",
    ),
    { chunks },
  );

needThreads();
const ways = new Ways();
afterEach(() => ways.agree(), 60_000);

function expectList(array: cw.LazyArray, { shape, list }: Selected): void {
  const [result] = ways.compute([array]) as [cw.NDArray];
  expect(result.shape).toEqual(shape);
  expect(result.toList()).toEqual(list);
}

const naiveItems = (items: readonly Item[]): NaiveItem[] => items.flatMap(({ naive }) => naive);

test("get", () =>
  check(800, cases, (each) => {
    const { shape, items } = each;
    const selected = lazily(each).get(...items.map(({ given }) => given));
    expectList(selected, select(numbered(shape), shape, naiveItems(items)));
  }));

/** A value of the selection's shape, or one that broadcasts to it. */
function valueFor(selected: Selected, choices: Choices): Selected {
  const shape = selected.shape.slice(choices.pick([0, 0, 1])).map((n) => (choices.below(4) === 3 ? 1 : n));
  return { shape, list: tabulate(shape, (place) => -1 - rank(place, shape)) };
}

const asArray = ({ shape, list }: Selected): cw.LazyArray =>
  cw.asarray(
    new cw.NDArray(
      Float64Array.from(placesOf(shape), (place) => Number(at(list, place))),
      shape,
      "float64",
    ),
  );

test("set", () =>
  check(700, cases, (each) => {
    const { shape, items, choices } = each;
    const value = valueFor(select(numbered(shape), shape, naiveItems(items)), choices);
    const changed = lazily(each).set(
      items.map(({ given }) => given),
      asArray(value),
    );
    expectList(changed, { shape, list: assign(numbered(shape), shape, naiveItems(items), value) });
  }));

test("what was set is there", () =>
  check(700, cases, (each) => {
    const { shape, items } = each;
    const places = select(numbered(shape), shape, naiveItems(items));
    const numbers = placesOf(places.shape).map((place) => at(places.list, place));
    if (new Set(numbers).size < numbers.length) return;
    const given = items.map((item) => item.given);
    const value = {
      shape: places.shape,
      list: tabulate(places.shape, (place) => -1 - rank(place, places.shape)),
    };
    expectList(
      lazily(each)
        .set(given, asArray(value))
        .get(...given),
      value,
    );
  }));

const maskOf = (shape: readonly number[], value: (i: number) => boolean): cw.NDArray =>
  new cw.NDArray(
    Uint8Array.from({ length: product(shape) }, (_, i) => Number(value(i))),
    shape,
    "bool",
  );

test("a mask of another shape than the axes it stands for is refused", () =>
  check(300, fc.tuple(shapes, fc.integer({ min: -1, max: 1 }), fc.boolean()), ([shape, longer, value]) => {
    if (shape.length === 0) return;
    const length = Math.max(0, shape[0]! + longer);
    const select = (): cw.LazyArray => cw.zeros(shape).get(maskOf([length], () => value));
    if (length === shape[0]) expect(select().shape).toEqual([value ? length : 0, ...shape.slice(1)]);
    else expect(select).toThrow(cw.IndexError);
  }));

/** The standard's rule; a typed error is as good, a wrong shape is not. */
test("a 0-d mask adds an axis, of length 1 if true and 0 if false, or is refused", () =>
  check(100, fc.tuple(shapes, fc.boolean()), ([shape, value]) => {
    const select = (): cw.LazyArray => cw.zeros(shape).get(maskOf([], () => value));
    try {
      expect(select().shape).toEqual([value ? 1 : 0, ...shape]);
    } catch (error) {
      if (!(error instanceof cw.IndexError)) throw error;
    }
  }));
