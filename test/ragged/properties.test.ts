// Operations against what they mean on JavaScript lists (naive.ts), for random nested data. Every run also checks that
// the form was foretold and that the result is valid (check.ts).

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as rg from "../../src/ragged/index.ts";
import { check } from "../property/settings.ts";
import { anything, disguised, halfNumber, type Nested, nested, text, wholeNumber } from "./arbitrary.ts";
import { evaluate, run, unwrapped } from "./check.ts";
import * as naive from "./naive.ts";

const RUNS = 120;
const depths = fc.integer({ min: 1, max: 3 });
/** Nested numbers with nulls anywhere, and an axis of theirs. */
const withAxis = (
  leaf: fc.Arbitrary<Nested> = wholeNumber,
): fc.Arbitrary<readonly [Nested[], number, number]> =>
  depths.chain((depth) =>
    fc.tuple(
      nested({ depth, leaf, nullLeaves: true, nullLists: true }),
      fc.constant(depth),
      fc.integer({ min: 0, max: depth - 1 }),
    ),
  );
/** A list type is known only where there is a list. */
const hasDepth = (x: rg.Layout, depth: number): boolean => {
  const [least, most] = rg.depthsOf(rg.plain(x));
  return least === depth && most === depth;
};

describe("in and out", () => {
  test("toList(fromIter(x)) is x", () =>
    check(300, anything, (x) => {
      expect(rg.toList(rg.fromIter(x))).toEqual(withAllFields(x));
    }));

  test("the same values held in another way are the same values, to operations too", () =>
    check(300, fc.tuple(anything, fc.array(fc.nat(7), { minLength: 1, maxLength: 20 })), ([x, bits]) => {
      const layout = rg.fromIter(x);
      const other = disguised(layout, bits);
      rg.validate(other);
      expect(rg.toList(other)).toEqual(rg.toList(layout));
      expect(rg.toList(run(rg.toPacked, [other], {}))).toEqual(rg.toList(layout));
      expect(rg.toList(run(rg.dropNone, [other], { axis: 0 }))).toEqual(
        rg.toList(layout).filter((v) => v !== null),
      );
    }));

  test("buffers give the layout back", () =>
    check(200, fc.tuple(anything, fc.array(fc.nat(7), { minLength: 1, maxLength: 9 })), ([x, bits]) => {
      const layout = disguised(rg.fromIter(x), bits);
      const { form, length, container } = rg.toBuffers(layout);
      const json = JSON.parse(JSON.stringify(rg.jsonOfForm(form)));
      const back = rg.fromBuffers(rg.formOfJson(json), length, container);
      expect(rg.toList(back)).toEqual(rg.toList(layout));
      expect(rg.formText(rg.formOf(back))).toBe(rg.formText(rg.formOf(layout)));
    }));

  test("type texts are read back", () =>
    check(200, anything, (x) => {
      const form = rg.plainForm(rg.formOf(rg.fromIter(x)));
      expect(rg.formText(rg.parseElementType(rg.typeText(form)))).toBe(rg.formText(form));
      expect(rg.parseType(rg.typeText(form, x.length)).length).toBe(x.length);
    }));

  test("rows of a slice are the slice of the rows", () =>
    check(200, fc.tuple(anything, fc.nat(6), fc.nat(6)), ([x, a, b]) => {
      const [start, stop] = [Math.min(a, b, x.length), Math.min(Math.max(a, b), x.length)];
      const layout = rg.plain(rg.fromIter(x));
      const part = rg.sliceRows(layout, start, stop);
      expect(rg.toList(part)).toEqual(rg.toList(layout).slice(start, stop));
      expect(rg.toList(rg.packed(part))).toEqual(rg.toList(part));
      expect(rg.toList(rg.mergeRows([part, part]))).toEqual([...rg.toList(part), ...rg.toList(part)]);
    }));
});

/** Records of one list have each other's fields. */
function withAllFields(x: readonly Nested[]): unknown {
  const lists = x.filter((value): value is readonly Nested[] => Array.isArray(value));
  const records = x.filter(isRecord);
  const merged = withAllFields_(lists);
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const columns = names.map(
    (name) => withAllFields(records.map((record) => record[name] ?? null)) as unknown[],
  );
  let list = 0;
  let record = 0;
  return x.map((value) => {
    if (Array.isArray(value)) return merged[list++];
    if (!isRecord(value)) return value;
    const row = record++;
    return Object.fromEntries(names.map((name, i) => [name, columns[i]![row]]));
  });
}
/** All elements of all lists are one column. */
function withAllFields_(lists: readonly (readonly Nested[])[]): unknown[][] {
  const flat = lists.length === 0 ? [] : (withAllFields(lists.flat()) as unknown[]);
  let at = 0;
  return lists.map((list) => list.map(() => flat[at++]));
}
const isRecord = (value: Nested): value is { readonly [name: string]: Nested } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

describe("reductions", () => {
  for (const name of Object.keys(naive.REDUCERS)) {
    test(`${name} along any axis`, () =>
      check(RUNS, withAxis(), ([x, depth, axis]) => {
        const layout = rg.fromIter(x);
        if (!hasDepth(layout, depth)) return;
        const op = rg.REDUCTIONS[name]!;
        const expected = naive.reduce(x, depth, axis, naive.REDUCERS[name]!);
        expect(unwrapped(op, [layout], { axis })).toEqual(close(expected));
        expect(unwrapped(op, [layout], { axis: axis - depth })).toEqual(close(expected));
        const kept = unwrapped(op, [layout], { axis, keepdims: true });
        expect(kept).toEqual(close(naive.reduceKept(x, depth, axis, naive.REDUCERS[name]!)));
      }));

    test(`${name} of everything`, () =>
      check(RUNS, nested({ depth: 3, leaf: halfNumber, nullLeaves: true }), (x) => {
        // Places are counted with the nulls in between.
        const flat = naive.leaves(x, name.startsWith("arg"));
        expect(evaluate(rg.REDUCTIONS[name]!, [x], {})).toEqual(
          close(naive.reduce(flat, 1, 0, naive.REDUCERS[name]!)),
        );
      }));
  }
});

/** Numbers up to rounding. */
function close(value: Nested): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== "number" || Number.isNaN(value)) return value;
  return Number.isInteger(value) ? value + 0 : expect.closeTo(value, 9);
}

describe("structure", () => {
  const cases = withAxis();
  const onAxis = (holds: (x: Nested[], axis: number, depth: number, layout: rg.Layout) => void): void =>
    check(RUNS, cases, ([x, depth, axis]) => {
      const layout = rg.fromIter(x);
      if (hasDepth(layout, depth)) holds(x, axis, depth, layout);
    });

  test("num", () =>
    onAxis((x, axis, _, layout) => {
      expect(unwrapped(rg.num, [layout], { axis })).toEqual(naive.num(x, axis));
    }));
  test("flatten", () =>
    onAxis((x, axis, depth, layout) => {
      expect(unwrapped(rg.flatten, [layout], { axis })).toEqual(naive.flatten(x, axis));
      expect(unwrapped(rg.flatten, [layout], { axis: axis - depth })).toEqual(naive.flatten(x, axis));
      expect(unwrapped(rg.flatten, [layout], { axis: null })).toEqual(naive.leaves(x, false));
    }));
  test("ravel keeps nulls among values", () =>
    check(RUNS, nested({ depth: 3, nullLeaves: true }), (x) => {
      expect(evaluate(rg.ravel, [x], {})).toEqual(naive.leaves(x, true));
    }));
  test("unflatten undoes flatten", () =>
    check(RUNS, nested({ depth: 3 }), (x) => {
      const layout = rg.fromIter(x);
      if (!hasDepth(layout, 3)) return;
      const counts = run(rg.num, [layout], {});
      expect(unwrapped(rg.unflatten, [run(rg.flatten, [layout], {}), counts], {})).toEqual(x);
      const inner = run(rg.flatten, [run(rg.num, [layout], { axis: 2 })], {});
      const cut = run(rg.unflatten, [run(rg.flatten, [layout], { axis: 2 }), inner], { axis: 1 });
      expect(rg.toList(run(rg.flatten, [cut], { axis: 2 }))).toEqual(naive.flatten(x, 2));
    }));
  test("localIndex", () =>
    onAxis((x, axis, depth, layout) => {
      expect(unwrapped(rg.localIndex, [layout], { axis })).toEqual(naive.localIndex(x, axis));
      expect(unwrapped(rg.localIndex, [layout], { axis: axis - depth })).toEqual(naive.localIndex(x, axis));
    }));
  test("isNone, dropNone, padNone, fillNone", () =>
    onAxis((x, axis, _, layout) => {
      expect(unwrapped(rg.isNone, [layout], { axis })).toEqual(naive.isNone(x, axis));
      expect(unwrapped(rg.dropNone, [layout], { axis })).toEqual(naive.dropNone(x, axis));
      for (const clip of [true, false])
        expect(unwrapped(rg.padNone, [layout], { axis, target: 2, clip })).toEqual(
          naive.padNone(x, axis, 2, clip),
        );
      for (const value of [7, 0.5, "none"])
        expect(unwrapped(rg.fillNone, [layout], { axis, value })).toEqual(naive.fillNone(x, axis, value));
    }));
  test("firsts and singletons undo each other", () =>
    check(RUNS, nested({ depth: 2, nullLists: true }), (x) => {
      const layout = rg.fromIter(x);
      if (!hasDepth(layout, 2)) return;
      const first = run(rg.firsts, [layout], {});
      expect(rg.toList(first)).toEqual(naive.firsts(x));
      const single = run(rg.singletons, [first], {});
      expect(rg.toList(single)).toEqual(naive.singletons(naive.firsts(x) as Nested[]));
      expect(rg.toList(run(rg.firsts, [single], {}))).toEqual(naive.firsts(x));
    }));
  test("runLengths", () =>
    check(
      RUNS,
      fc.tuple(nested({ depth: 2, leaf: fc.constantFrom(1, 2) }), nested({ depth: 1, leaf: text })),
      ([x, y]) => {
        const layout = rg.fromIter(x);
        if (hasDepth(layout, 2))
          expect(unwrapped(rg.runLengths, [layout], {})).toEqual(naive.alongLast(x, 2, naive.runLengths));
        expect(evaluate(rg.runLengths, [y], {})).toEqual(naive.runLengths(y));
      },
    ));
});

describe("order and choice", () => {
  const leaves = fc.constantFrom(
    wholeNumber as fc.Arbitrary<Nested>,
    text as fc.Arbitrary<Nested>,
    halfNumber,
  );

  test("sort and argsort along the last axis", () =>
    check(
      RUNS,
      fc
        .tuple(leaves, depths, fc.boolean())
        .chain(([leaf, depth, ascending]) =>
          fc.tuple(nested({ depth, leaf, nullLeaves: true }), fc.constant(depth), fc.constant(ascending)),
        ),
      ([x, depth, ascending]) => {
        const layout = rg.fromIter(x);
        if (!hasDepth(layout, depth)) return;
        const values = naive.alongLast(x, depth, (list) => naive.sorted(list, ascending));
        expect(unwrapped(rg.sort, [layout], { ascending })).toEqual(values);
        const places = naive.alongLast(x, depth, (list) => naive.sortedPlaces(list, ascending));
        expect(unwrapped(rg.argsort, [layout], { ascending })).toEqual(places);
      },
    ));

  test("sort along axis 0 puts every column in order", () =>
    check(RUNS, nested({ depth: 2 }), (x) => {
      const layout = rg.fromIter(x);
      if (!hasDepth(layout, 2)) return;
      const sorted = unwrapped(rg.sort, [layout], { axis: 0 }) as number[][];
      const columnsOf = (rows: readonly Nested[]): Nested =>
        naive.reduce(rows, 2, 0, (values) => [...values].sort((a, b) => Number(a) - Number(b)));
      expect(sorted.map((row) => row.length)).toEqual((x as number[][]).map((row) => row.length));
      expect(naive.reduce(sorted, 2, 0, (values) => values)).toEqual(columnsOf(x));
      const places = unwrapped(rg.argsort, [layout], { axis: 0 }) as number[][];
      expect(places.map((row) => row.map((at, j) => (x as number[][])[at]![j]))).toEqual(
        sorted.map((row) => row.map((value) => value)),
      );
      expect(places.length).toBe(sorted.length);
    }));

  test("combinations and argcombinations", () =>
    check(
      RUNS,
      fc.tuple(nested({ depth: 2, maxLength: 5 }), fc.integer({ min: 1, max: 4 }), fc.boolean()),
      ([x, n, replacement]) => {
        const layout = rg.fromIter(x);
        if (!hasDepth(layout, 2)) return;
        const expected = naive.alongLast(x, 2, (list) => naive.combinations(list, n, replacement));
        expect(unwrapped(rg.combinations, [layout], { n, replacement })).toEqual(expected);
        const places = naive.alongLast(naive.localIndex(x, 1) as Nested[], 2, (l) =>
          naive.combinations(l, n, replacement),
        );
        expect(unwrapped(rg.argcombinations, [layout], { n, replacement })).toEqual(places);
        const rows = run(rg.flatten, [layout], {});
        const all = naive.combinations(naive.leaves(x, false), n, replacement);
        expect(unwrapped(rg.combinations, [rows], { n, replacement, axis: 0 })).toEqual(all);
      },
    ));

  const triple = fc.integer({ min: 0, max: 4 }).chain((rows) =>
    fc.array(fc.array(fc.array(wholeNumber, { maxLength: 3 }), { minLength: rows, maxLength: rows }), {
      minLength: 3,
      maxLength: 3,
    }),
  );

  test("cartesian, flat and nested", () =>
    check(RUNS, triple, (arrays) => {
      const layouts = arrays.map((array) => rg.fromIter(array));
      if (!layouts.every((layout) => hasDepth(layout, 2))) return;
      const expected = arrays[0]!.map((_, i) => naive.product(arrays.map((array) => array[i]!)));
      expect(unwrapped(rg.cartesian, layouts, {})).toEqual(expected);
      for (const nestedAt of [true, [0], [1]] as const) {
        const levels = nestedAt === true ? 2 : 1;
        let result = run(rg.cartesian, layouts, { nested: nestedAt });
        for (let level = 0; level < levels; level++) result = run(rg.flatten, [result], { axis: 2 });
        expect(rg.toList(result)).toEqual(expected);
      }
      const grouped = unwrapped(rg.cartesian, layouts, { nested: [0] }) as unknown[][];
      expect(grouped.map((row) => row.length)).toEqual(arrays[0]!.map((list) => list.length));
    }));

  test("where picks, concatenate joins, mask makes nulls", () =>
    check(
      RUNS,
      fc.tuple(fc.array(fc.tuple(fc.boolean(), wholeNumber, fc.oneof(wholeNumber, text)))),
      ([rows]) => {
        const [test_, x, y] = [0, 1, 2].map((i) => rows.map((row) => row[i]!));
        const picked = rows.map(([t, a, b]) => (t ? a : b));
        expect(evaluate(rg.where, [test_!, x!, y!], {})).toEqual(picked);
        expect(evaluate(rg.concatenate, [x!, y!], {})).toEqual([...x!, ...y!]);
        expect(evaluate(rg.mask, [y!, test_!], {})).toEqual(rows.map(([t, , b]) => (t ? b : null)));
        if (rows.length === 0) return;
        const lists = [x!, y!].map((column) => column.map((value) => [value, value]));
        expect(evaluate(rg.concatenate, [...lists, y!], { axis: 1 })).toEqual(
          rows.map(([, a, b]) => [a, a, b, b, b]),
        );
      },
    ));
});
