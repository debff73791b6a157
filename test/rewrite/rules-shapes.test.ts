// The rules for shapes, joins and selections of selections, each on expressions on which it must fire.

import { describe, expect, test } from "vitest";
import type { Expr } from "../../src/expr/expr.ts";
import { JOINS } from "../../src/rewrite/rules/joins.ts";
import { SHAPES } from "../../src/rewrite/rules/shapes.ts";
import { run, source } from "./nodes.ts";
import { type RuleCase, testRules } from "./ruleHarness.ts";
import {
  broadcast,
  concat,
  expand,
  full,
  op,
  permute,
  reshape,
  setSlice,
  slice,
  squeeze,
} from "./ruleNodes.ts";

const rechunk = (x: Expr, ...chunks: number[]): Expr => op("rechunk", [x], { chunks });
const repeat = (x: Expr, axis: number, repeats: number): Expr => op("repeat", [x], { axis, repeats });
const tile = (x: Expr, ...repetitions: number[]): Expr => op("tile", [x], { repetitions });
const pad = (x: Expr, before: readonly number[], after: readonly number[], value = 1): Expr =>
  op("pad", [x], { before, after, mode: "constant", value });
const sort = (x: Expr): Expr => op("sort", [x], { axis: 0, descending: true });
const SHAPE = { shape: [2, 3, 4] } as const;

const CASES: readonly RuleCase[] = [
  { rule: "permuteNothing", build: (x) => permute(x("x", SHAPE), 0, 1, 2) },
  { rule: "permuteTwice", build: (x) => permute(permute(x("x", SHAPE), 1, 2, 0), 2, 1, 0) },
  { rule: "permuteTwice", build: (x) => permute(permute(x("x", SHAPE), 1, 2, 0), 2, 0, 1) },
  { rule: "permuteUnitAxes", build: (x) => permute(x("x", { shape: [5, 1] }), 1, 0) },
  { rule: "permuteUnitAxes", build: (x) => permute(x("x", { shape: [2, 1, 3, 1] }), 3, 0, 2, 1) },
  { rule: "broadcastUnitAxes", build: (x) => broadcast(x("x", { shape: [5] }), 1, 1, 5) },
  { rule: "reshapeNothing", build: (x) => reshape(x("x", SHAPE), 2, 3, 4) },
  { rule: "unitAxesNothing", build: (x) => squeeze(x("x", SHAPE)) },
  { rule: "unitAxesNothing", build: (x) => expand(x("x", SHAPE)) },
  { rule: "reshapeUnitAxes", build: (x) => reshape(x("x", SHAPE), 1, 2, 3, 1, 1, 4) },
  { rule: "reshapeUnitAxes", build: (x) => reshape(x("x", { shape: [1, 3, 1, 2] }), 3, 1, 2, 1) },
  { rule: "reshapeUnitAxes", build: (x) => reshape(x("x", { shape: [1, 1] }), 1) },
  { rule: "unitAxesTwice", build: (x) => squeeze(expand(x("x", SHAPE), 0, 2), 2) },
  { rule: "unitAxesTwice", build: (x) => expand(squeeze(x("x", { shape: [1, 3, 1] }), 0, 2), 0, 2) },
  { rule: "unitAxesTwice", build: (x) => expand(expand(x("x", SHAPE), 1), 0) },
  { rule: "unitAxesTwice", build: (x) => squeeze(squeeze(x("x", { shape: [1, 3, 1] }), 0), 1) },
  { rule: "reshapeTwice", build: (x) => reshape(reshape(x("x", SHAPE), 6, 4), 24) },
  { rule: "reshapeTwice", build: (x) => reshape(expand(x("x", SHAPE), 1), 6, 4) },
  { rule: "unitAxesOfReshape", build: (x) => expand(reshape(x("x", SHAPE), 6, 4), 1) },
  { rule: "broadcastNothing", build: (x) => broadcast(x("x", SHAPE), 2, 3, 4) },
  { rule: "broadcastTwice", build: (x) => broadcast(broadcast(x("x", { shape: [3, 1] }), 3, 4), 2, 3, 4) },
  { rule: "broadcastOfUnitAxes", build: (x) => broadcast(expand(x("x", { shape: [3] }), 0, 1), 2, 4, 3) },
  { rule: "repeatUnitAxis", build: (x) => repeat(x("x", { shape: [2, 1] }), 1, 3) },
  { rule: "tileUnitAxes", build: (x) => tile(x("x", { shape: [2, 1] }), 1, 3) },
  {
    rule: "broadcastOperands",
    build: (x) => op("equal", [broadcast(x("x", { shape: [3] }), 2, 3), x("y", { shape: [2, 3] })]),
  },
  {
    rule: "broadcastOperands",
    build: (x) =>
      op("equal", [broadcast(x("x", { shape: [3] }), 2, 3), broadcast(x("y", { shape: [] }), 2, 3)]),
  },
  {
    rule: "broadcastOperands",
    build: (x) => op("logicalNot", [broadcast(x("x", { shape: [3, 1] }), 2, 3, 2)]),
  },
  {
    rule: "broadcastOperands",
    build: (x) => op("add", [broadcast(x("x", { shape: [3, 1] }), 3, 2), broadcast(x("x"), 3, 2)]),
  },
  {
    rule: "fullOperands",
    build: (x) => op("add", [full(2, "float64", [2, 3]), x("x", { shape: [3] })]),
    dtypes: ["float64"],
  },
  {
    rule: "fullOperands",
    build: (x) => op("where", [x("x", { shape: [3] }), full(2, "float64", [2, 3]), full(1, "float64", [3])]),
    dtypes: ["bool"],
  },
  {
    rule: "movesOut",
    build: (x) => op("add", [permute(x("x", SHAPE), 2, 0, 1), permute(x("y", SHAPE), 2, 0, 1)]),
  },
  { rule: "movesOut", build: (x) => op("add", [permute(x("x", SHAPE), 2, 0, 1), x("y", { shape: [] })]) },
  { rule: "movesOut", build: (x) => op("logicalNot", [reshape(x("x", SHAPE), 24)]) },
  { rule: "movesOut", build: (x) => op("logicalNot", [expand(x("x", SHAPE), 1)]) },
  { rule: "rechunkNothing", build: (x) => rechunk(x("x", SHAPE), 2, 3, 4) },
  { rule: "rechunkTwice", build: (x) => rechunk(rechunk(x("x", SHAPE), 1, 3, 4), 2, 1, 1) },
];

testRules("shapes", SHAPES, CASES);

const MATRIX = { shape: [4, 5] } as const;

const JOIN_CASES: readonly RuleCase[] = [
  { rule: "sliceAll", build: (x) => slice(x("x", MATRIX), [0, 4], [0, 5]) },
  { rule: "sliceAll", build: (x) => slice(x("x", { shape: [1, 5] }), [0, 1, -2], [0, 5]) },
  {
    rule: "sliceTwice",
    build: (x) => slice(slice(x("x", MATRIX), [3, 3, -1], [1, 2, 2]), [0, 2, 2], [1, 1]),
  },
  { rule: "sliceTwice", build: (x) => slice(slice(x("x", MATRIX), [3, 4, -1], [0, 5]), [3, 4, -1], [0, 5]) },
  { rule: "sliceTwice", build: (x) => slice(slice(x("x", MATRIX), [3, 3, -1], [1, 2, 2]), [0, 0], [1, 1]) },
  { rule: "setAll", build: (x) => setSlice(x("x", MATRIX), x("y", MATRIX), [0, 4], [0, 5]) },
  { rule: "setNothing", build: (x) => setSlice(x("x", MATRIX), x("y", { shape: [0, 2] }), [1, 0], [0, 2]) },
  {
    rule: "setTwice",
    build: (x) =>
      setSlice(
        setSlice(x("x", MATRIX), x("y", { shape: [2, 5] }), [0, 2, 2], [0, 5]),
        x("z", { shape: [2, 5] }),
        [0, 2, 2],
        [0, 5],
      ),
  },
  {
    rule: "setItself",
    build: (x) => setSlice(x("x", MATRIX), slice(x("x"), [3, 2, -1], [1, 2]), [3, 2, -1], [1, 2]),
  },
  { rule: "repeatOnce", build: (x) => repeat(x("x", MATRIX), 1, 1) },
  { rule: "repeatTwice", build: (x) => repeat(repeat(x("x", MATRIX), 1, 2), 1, 3) },
  { rule: "tileOnce", build: (x) => tile(x("x", MATRIX), 1, 1) },
  { rule: "tileTwice", build: (x) => tile(tile(x("x", MATRIX), 2, 1), 3, 2) },
  { rule: "padNothing", build: (x) => pad(x("x", MATRIX), [0, 0], [0, 0]), dtypes: ["float64", "int32"] },
  {
    rule: "padTwice",
    build: (x) => pad(pad(x("x", MATRIX), [1, 0], [0, 2]), [1, 1], [3, 0]),
    dtypes: ["float64", "int32"],
  },
  { rule: "sortTwice", build: (x) => sort(sort(x("x", MATRIX))), dtypes: ["float64", "int32", "uint8"] },
  { rule: "sortOne", build: (x) => sort(x("x", { shape: [1, 5] })), dtypes: ["float64", "int32", "uint8"] },
  { rule: "concatOne", build: (x) => concat(0, x("x", MATRIX)) },
  { rule: "concatEmpty", build: (x) => concat(1, x("x", MATRIX), x("y", { shape: [4, 0] }), x("z", MATRIX)) },
  { rule: "concatEmpty", build: (x) => concat(1, x("x", { shape: [4, 0] }), x("y", { shape: [4, 0] })) },
  {
    rule: "concatConcat",
    build: (x) => concat(1, x("x", MATRIX), concat(1, x("y", { shape: [4, 1] }), x("z", MATRIX))),
  },
  {
    rule: "concatNeighbours",
    build: (x) => concat(0, slice(x("x", MATRIX), [0, 1], [0, 5]), slice(x("x"), [1, 3], [0, 5])),
  },
  {
    rule: "concatNeighbours",
    build: (x) => concat(0, slice(x("x", MATRIX), [3, 1], [1, 2, 2]), slice(x("x"), [2, 2, -1], [1, 2, 2])),
  },
  {
    rule: "concatNeighbours",
    build: (x) =>
      concat(0, x("y", MATRIX), slice(x("x", MATRIX), [0, 1], [0, 5]), slice(x("x"), [2, 1], [0, 5])),
  },
  { rule: "concatSame", build: (x) => concat(1, x("x", MATRIX), x("x"), x("x")) },
];

testRules("joins", JOINS, JOIN_CASES);

describe("shapes together", () => {
  const x = source(1, "float64", [6, 4]);

  test("turned round twice is as it was", () => {
    const turned = slice(slice(x, [5, 6, -1], [0, 4]), [5, 6, -1], [0, 4]);
    expect(run(turned, ...SHAPES, ...JOINS)).toBe(x);
  });

  test("flat and back again, with arithmetic in between", () => {
    const there = op("exp", [reshape(x, 24)]);
    expect(run(reshape(there, 6, 4), ...SHAPES, ...JOINS)).toBe(op("exp", [x]));
  });

  test("transposed, computed, transposed back", () => {
    const there = op("add", [permute(x, 1, 0), full(1, "float64", [])]);
    expect(run(permute(there, 1, 0), ...SHAPES, ...JOINS)).toBe(op("add", [x, full(1, "float64", [])]));
  });

  test("reshapes that need their flat shape stay", () => {
    const there = reshape(reshape(x, 24), 8, 3);
    expect(run(there, ...SHAPES, ...JOINS)).toBe(there);
  });
});
