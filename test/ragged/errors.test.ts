// Bad input: every error is typed, names the operation, and says what to do.

import { describe, expect, test } from "vitest";
import { ChunkwiseError } from "../../src/core/errors.ts";
import * as rg from "../../src/ragged/index.ts";
import { evaluate } from "./check.ts";

const R = rg.REDUCTIONS;
const lists = [[1, 2], []];

describe("typed errors", () => {
  test("an axis that fields of a record have at different depths", () => {
    const rows = [
      [
        { a: 2, b: [4, 3] },
        { a: 1, b: [] },
      ],
    ];
    const message = "axis -1 is at different depths in the fields of a record. Take a field first";
    for (const name of ["sort", "argsort", "localIndex", "flatten", "num", "firsts", "runLengths"])
      expect(() => evaluate(rg.raggedOpNamed(name), [rows], { axis: -1 }), name).toThrow(message);
    expect(
      evaluate(
        rg.fillNone,
        [
          [
            [
              { a: null, b: [1, null] },
              { a: 1, b: [] },
            ],
          ],
        ],
        { value: 0 },
      ),
    ).toEqual([
      [
        { a: 0, b: [1, 0] },
        { a: 1, b: [] },
      ],
    ]);
    expect(
      evaluate(
        rg.sort,
        [
          [
            { a: 2, b: [4, 3] },
            { a: 1, b: [] },
          ],
        ],
        {},
      ),
    ).toEqual([
      { a: 1, b: [3, 4] },
      { a: 2, b: [] },
    ]);
  });

  test.each<[string, () => unknown, string]>([
    [
      "an axis too deep",
      () => evaluate(rg.num, [lists], { axis: 2 }),
      "num: axis 2 is deeper than the array, which has 2 axes here",
    ],
    [
      "an axis too far out",
      () => evaluate(R["sum"]!, [lists], { axis: -3 }),
      "sum: axis -3 is outside of an array of 2 axes",
    ],
    ["half an axis", () => evaluate(R["sum"]!, [lists], { axis: 0.5 }), "sum: 0.5 is not an axis"],
    ["sum of strings", () => evaluate(R["sum"]!, [["a"]], {}), "sum: there is no sum of strings"],
    [
      "sum of records",
      () => evaluate(R["sum"]!, [[{ a: 1 }]], { axis: 0 }),
      "sum: there is no sum of records. Take a field first",
    ],
    [
      "max of a union",
      () => evaluate(R["max"]!, [[1, "a"]], { axis: 0 }),
      "max: there is no max of values of several types",
    ],
    ["sort of records", () => evaluate(rg.sort, [[{ a: 1 }]], {}), "sort: records have no order"],
    [
      "flatten of records",
      () => evaluate(rg.flatten, [[{ a: 1 }]], {}),
      "flatten: there are records where lists were expected",
    ],
    [
      "counts that do not add up",
      () =>
        evaluate(
          rg.unflatten,
          [
            [1, 2, 3],
            [1, 1],
          ],
          {},
        ),
      "unflatten: the counts add up to 2 and there are 3 elements",
    ],
    ["a negative count", () => evaluate(rg.unflatten, [[1], [-1, 2]], {}), "unflatten: a count is -1"],
    [
      "a count that does not divide",
      () => evaluate(rg.unflatten, [[1, 2, 3]], { counts: 2 }),
      "3 elements are not a whole number of lists of 2",
    ],
    [
      "counts over a boundary",
      () => evaluate(rg.unflatten, [[[1, 2], [3]], [3]], { axis: 1 }),
      "a new list goes over the end of list 0",
    ],
    ["float counts", () => evaluate(rg.unflatten, [[1], [1.5]], {}), "unflatten: counts are Float64Array"],
    ["a negative target", () => evaluate(rg.padNone, [lists], { target: -1 }), "padNone: target is -1"],
    ["a mask of numbers", () => evaluate(rg.mask, [[1], [1]], {}), "mask: a mask is of type int64, not bool"],
    [
      "a condition of numbers",
      () => evaluate(rg.where, [[1], [1], [2]], {}),
      "where: the condition is of type int64, not bool",
    ],
    [
      "nothing to join",
      () => evaluate(rg.concatenate, [], {}),
      "concatenate: there is nothing to concatenate",
    ],
    [
      "joining rows of different number",
      () =>
        evaluate(
          rg.concatenate,
          [[[1]], [[1], [2]]].map((x) => x),
          { axis: 1 },
        ) && evaluate(rg.concatenate, [lists, [[1], [2], [3]]], { axis: 1 }),
      "arrays of 2 and 3 rows do not broadcast",
    ],
    [
      "a product without lists",
      () => evaluate(rg.cartesian, [lists, [1, 2]], {}),
      "cartesian: not all arrays have lists at axis 1",
    ],
    [
      "nested past the last",
      () => evaluate(rg.cartesian, [lists, lists], { nested: [1] }),
      "cartesian: nested names array 1",
    ],
    ["combinations of none", () => evaluate(rg.combinations, [lists], { n: 0 }), "combinations: n is 0"],
    [
      "names that are too few",
      () => evaluate(rg.zip, [lists, lists], { fields: ["a"] }),
      "zip: 1 names (1 different) for 2 arrays",
    ],
    [
      "a dtype that is none",
      () => evaluate(rg.valuesAstype, [lists], { dtype: "floot64" as never }),
      'valuesAstype: "floot64" is not a dtype. Did you mean float64?',
    ],
    [
      "runs of lists with nulls",
      () => evaluate(rg.runLengths, [[[1, null]]], {}),
      "runLengths: runs are of numbers or strings",
    ],
    [
      "a field that is not there",
      () => evaluate(rg.withoutField, [[{ pt: 1 }]], { path: ["pt2"] }),
      'there is no field "pt2". Did you mean pt?',
    ],
    [
      "an array that is not there",
      () => evaluate(rg.broadcastArrays, [lists], { which: 3 }),
      "broadcastArrays: there is no array 3",
    ],
    [
      "an op that is not there",
      () => rg.raggedOpNamed("flaten"),
      'there is no ragged op "flaten". Did you mean flatten?',
    ],
  ])("%s", (_, act, message) => {
    expect(act).toThrow(message);
    expect(act).toThrow(ChunkwiseError);
  });

  test("a product that is too large is refused before it is made", () => {
    const { listOf, numpyOf } = rg.layouts;
    const long = listOf(Int32Array.of(0, 100_000), numpyOf(new Uint8Array(100_000)));
    expect(() => rg.cartesian.run([long, long], {})).toThrow("the product would have 10000000000 elements");
    expect(() => rg.combinations.run([long], { n: 2 })).toThrow(
      "the combinations would have 4999950000 elements",
    );
  });

  test("every operation is known by its name", () => {
    for (const [name, op] of rg.RAGGED_OPS) expect(rg.raggedOpNamed(name)).toBe(op);
    expect(rg.RAGGED_OPS.size).toBeGreaterThan(110);
  });
});
