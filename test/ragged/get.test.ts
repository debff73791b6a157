// Selections of every kind, against JavaScript lists where they can be written down, as tables where they cannot.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as rg from "../../src/ragged/index.ts";
import { check } from "../property/settings.ts";
import { type Nested, nested } from "./arbitrary.ts";
import { evaluate, typeOf } from "./check.ts";
import * as naive from "./naive.ts";

type Items = readonly rg.SelectionItem[];
const get = (x: readonly unknown[], items: Items, ...arrays: (readonly unknown[])[]): unknown =>
  evaluate(rg.get, [x, ...arrays], { items });
const typed = (x: readonly unknown[], items: Items, ...arrays: (readonly unknown[])[]): string =>
  typeOf(rg.get, [x, ...arrays], { items });

const bound = fc.option(fc.integer({ min: -6, max: 6 }), { nil: null });
const ranges = fc.tuple(bound, bound, fc.constantFrom(1, 2, 3, -1, -2, -3));

describe("against lists", () => {
  test("ranges along every axis", () =>
    check(200, fc.tuple(nested({ depth: 2, nullLists: true }), ranges, ranges), ([x, rows, columns]) => {
      const expected = naive.range(x, ...rows);
      expect(get(x, [rg.range(...rows)])).toEqual(expected);
      if (!x.some((row) => Array.isArray(row))) return;
      const inner = expected.map((row) => (row === null ? null : naive.range(row as Nested[], ...columns)));
      expect(get(x, [rg.range(...rows), rg.range(...columns)])).toEqual(inner);
      expect(get(x, [rg.range(...rows), "...", rg.range(...columns)])).toEqual(inner);
    }));

  test("places, masks and nulls in them, along the rows", () =>
    check(
      200,
      nested({ depth: 2 }).chain((x) =>
        fc.tuple(
          fc.constant(x),
          fc.array(fc.option(fc.integer({ min: -x.length, max: Math.max(0, x.length - 1) }), { nil: null }), {
            maxLength: x.length === 0 ? 0 : 6,
          }),
          fc.array(fc.option(fc.boolean(), { nil: null }), { minLength: x.length, maxLength: x.length }),
        ),
      ),
      ([x, places, mask]) => {
        const at = (i: number | null): Nested => (i === null ? null : x.at(i)!);
        expect(get(x, [["places", ...places]])).toEqual(places.map(at));
        if (places.length > 0) expect(get(x, [["array", 0]], places)).toEqual(places.map(at));
        const chosen = x.flatMap((row, i) => (mask[i] === null ? [null] : mask[i] === true ? [row] : []));
        if (mask.some((value) => value !== null)) expect(get(x, [["array", 0]], mask)).toEqual(chosen);
      },
    ));

  const jaggedCase = nested({ depth: 3, nullLists: true }).chain((x) =>
    fc.tuple(fc.constant(x), fc.infiniteStream(fc.nat(5))),
  );
  test("jagged places and masks at every depth", () =>
    check(200, jaggedCase, ([x, stream]) => {
      if (!x.some((row) => (row as Nested[] | null)?.some((list) => Array.isArray(list) && list.length > 0)))
        return;
      const draw = (): number => stream.next().value as number;
      const masks = x.map((row) => (row as Nested[] | null)?.map(() => draw() % 2 === 0) ?? []);
      const kept = x.map((row, i) => (row as Nested[] | null)?.filter((_, j) => masks[i]![j]) ?? null);
      if (masks.some((row) => row.length > 0)) expect(get(x, [["array", 0]], masks)).toEqual(kept);
      const deep = x.map(
        (row) => (row as Nested[] | null)?.map((list) => placesIn(list as Nested[] | null, draw)) ?? null,
      );
      const taken = x.map((row, i) =>
        row === null
          ? null
          : (row as (Nested[] | null)[]).map((list, j) =>
              list === null ? null : deep[i]![j]!.map((at) => (at === null ? null : list.at(at)!)),
            ),
      );
      if (deep.some((row) => row?.some((list) => list.length > 0)))
        expect(get(x, [["array", 0]], deep)).toEqual(taken);
    }));
});

function placesIn(list: Nested[] | null, draw: () => number): (number | null)[] {
  if (list === null || list.length === 0) return [];
  return Array.from({ length: draw() % 3 }, () =>
    draw() === 5 ? null : (draw() % (2 * list.length)) - list.length,
  );
}

describe("kinds of items", () => {
  const x = [[[1, 2], [3]], [], [[4, 5, 6]]];
  const flat = [[1, 2, 3], [], [4, 5]];

  test.each<[string, unknown, unknown]>([
    ["a row", get(flat, [0]), [1, 2, 3]],
    ["a row from the end", get(flat, [-1]), [4, 5]],
    ["an element", get(flat, [0, 1]), 2],
    ["an element within a range of rows", get(flat, [rg.range(null, null, 2), -1]), [3, 5]],
    ["an ellipsis that stands for nothing", get(flat, [0, "...", 1]), 2],
    ["an ellipsis that stands for two axes", get(x, ["...", rg.range(null, 1)]), [[[1], [3]], [], [[4]]]],
    ["a new axis in front", get(flat, [null]), [flat]],
    ["a new axis after the rows", get([1, 2], [rg.ALL, null]), [[1], [2]]],
    ["a new axis at the end", get(flat, ["...", null]), [[[1], [2], [3]], [], [[4], [5]]]],
    [
      "places within every list",
      get(
        [
          [1, 2],
          [3, 4],
        ],
        [rg.ALL, ["places", 1, 0, 0]],
      ),
      [
        [2, 1, 1],
        [4, 3, 3],
      ],
    ],
    [
      "two index arrays go together",
      get(
        [
          [1, 2],
          [3, 4],
        ],
        [
          ["places", 0, 1, 1],
          ["places", 1, 0, 1],
        ],
      ),
      [2, 3, 4],
    ],
    [
      "one element stands for all",
      get(
        [
          [1, 2],
          [3, 4],
        ],
        [
          ["places", 0, 1],
          ["places", 1],
        ],
      ),
      [2, 4],
    ],
    ["a mask and a place", get(flat, [["array", 0], 0], [true, false, true]), [1, 4]],
    ["a mask and a range", get(flat, [["array", 0], rg.range(1)], [true, false, true]), [[2, 3], [5]]],
    [
      "argmax with its axis kept",
      get(flat, [["array", 0]], [[2], [null], [1]]),
      [[3], null, [5]].map((v) => v ?? [null]),
    ],
    ["a null row of a jagged index", get(flat, [["array", 0]], [[0, null], null, []]), [[1, null], null, []]],
    [
      "a null in a jagged mask",
      get(flat, [["array", 0]], [[true, null, false], [], null]),
      [[1, null], [], null],
    ],
    [
      "a range after a jagged index",
      get(x, [["array", 0], rg.range(0, 1)], [[1], [], [0, 0]]),
      [[[3]], [], [[4], [4]]],
    ],
    ["a place through nulls", get([[1, 2], null, [3]], [rg.ALL, 0]), [1, null, 3]],
  ])("%s", (_, found, expected) => expect(found).toEqual(expected));

  test("fields come first, wherever they are written", () => {
    const rows = [
      { a: [1, 2], b: { c: 3 } },
      { a: [4], b: { c: 5 } },
    ];
    expect(get(rows, [["field", "a"], 0])).toEqual([1, 2]);
    expect(get(rows, [0, ["field", "a"]])).toEqual([1, 2]);
    expect(
      get(rows, [
        ["field", "b"],
        ["field", "c"],
      ]),
    ).toEqual([3, 5]);
    expect(get(rows, [["fields", "b"]])).toEqual([{ b: { c: 3 } }, { b: { c: 5 } }]);
    expect(get(rows, [1])).toEqual({ a: [4], b: { c: 5 } });
    expect(get([{ a: [1] }, null, { a: [] }], [["field", "a"]])).toEqual([[1], null, []]);
    expect(get([[{ a: 1 }], [{ a: "x" }, { a: 2 }]], [["field", "a"]])).toEqual([[1], ["x", 2]]);
  });

  test("types", () => {
    expect(typed(flat, [rg.ALL, null])).toBe("1 * var * int64");
    expect(typed([[1, 2]], [rg.ALL, ["places", 0, 1, 0]])).toBe("3 * int64");
    expect(typed(flat, [["places", 0, null]])).toBe("option[var * int64]");
    expect(typed(flat, [["array", 0]], [[0], [], [1]])).toBe("var * int64");
    expect(typed(flat, [["array", 0]], [[0, null], null, []])).toBe("option[var * ?int64]");
  });

  test("several types", () =>
    expect(get([[1, 2], "ab", [["x"]]], [["places", 2, 1, 0]])).toEqual([[["x"]], "ab", [1, 2]]));
});

describe("what cannot be selected", () => {
  const x = [[1, 2, 3], [], [4, 5]];
  test.each<[string, () => unknown, string]>([
    ["row out of range", () => get(x, [3]), "row 3 is out of range: there are 3. Use -3 to 2."],
    [
      "element out of range",
      () => get(x, [rg.ALL, 0]),
      "index 0 is out of range for list 1, which has 0 elements",
    ],
    ["too many items", () => get(x, [0, 0, 0]), "the selection has 1 more items than the array has axes"],
    ["two ellipses", () => get(x, ["...", "..."]), "there are several ellipses"],
    ["a step of 0", () => get(x, [rg.range(0, 1, 0)]), "the step of a range is 0"],
    ["half a place", () => get(x, [0.5]), "an index is 0.5"],
    ["a mask too short", () => get(x, [["array", 0]], [true]), "a mask of 1 rows meets an array of 3"],
    [
      "a jagged mask too short",
      () => get(x, [["array", 0]], [[true], [], [true, true]]),
      "list 0 has 3 elements and its index 1",
    ],
    [
      "a jagged index of other rows",
      () => get(x, [["array", 0]], [[0]]),
      "a jagged index of 1 rows meets an array of 3",
    ],
    [
      "a jagged index too deep",
      () => get(x, [["array", 0]], [[[0], [0], [0]], [], [[0], [0]]]),
      "a jagged index meets no lists",
    ],
    [
      "jagged places out of range",
      () => get(x, [["array", 0]], [[3], [], []]),
      "index 3 is out of range for list 0",
    ],
    ["floats as places", () => get(x, [["array", 0]], [0.5]), "an index array is of type float64"],
    ["strings as places", () => get(x, [["array", 0]], ["a"]), "an index array is of type string"],
    ["a field of numbers", () => get(x, [["field", "a"]]), "there are no records here, and so no fields"],
    [
      "a mistyped field",
      () => get([{ eta: 1 }], [["field", "etaa"]]),
      'there is no field "etaa". Did you mean eta?',
    ],
    [
      "index arrays of different length",
      () =>
        get(x, [
          ["places", 0, 1],
          ["places", 0, 1, 2],
        ]),
      "index arrays of 2 and 3",
    ],
    ["no such input", () => get(x, [["array", 4]]), "there is no index array 4"],
  ])("%s", (_, select, message) => {
    expect(select).toThrow(message);
    expect(select).toThrow(/^get: /);
  });
});
