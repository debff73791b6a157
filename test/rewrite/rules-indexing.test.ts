// The rules that move selections towards the sources, each on expressions on which it must fire; and what they
// leave of whole computations.

import { describe, expect, test } from "vitest";
import { sizeOf } from "../../src/core/chunks.ts";
import { type Expr, postOrder } from "../../src/expr/expr.ts";
import { periodicPlaces } from "../../src/ops/moves/take.ts";
import { INDEXING } from "../../src/rewrite/rules/indexing.ts";
import { run, source } from "./nodes.ts";
import { type RuleCase, testRules } from "./ruleHarness.ts";
import {
  broadcast,
  concat,
  expand,
  full,
  op,
  permute,
  reduce,
  reshape,
  setSlice,
  slice,
  squeeze,
} from "./ruleNodes.ts";

const MATRIX = { shape: [4, 5] } as const;
const CUBE = { shape: [2, 3, 4] } as const;
const pad = (x: Expr, mode: string): Expr =>
  op("pad", [x], { before: [2, 0], after: [1, 3], mode, value: 1 });
const matmul = (a: Expr, b: Expr): Expr =>
  op("contract", [a, b], { batchA: [], batchB: [], contractA: [1], contractB: [0] });
const batched = (a: Expr, b: Expr): Expr =>
  op("contract", [a, b], { batchA: [0], batchB: [2], contractA: [2], contractB: [0] });
const taken = (x: Expr, axis: number, list: readonly number[]): Expr =>
  op("take", [x], { axis, ...periodicPlaces(list), chunk: 2, reach: 2 });
const gather = (x: Expr, axis: number, index: Expr): Expr =>
  op("gather", [x, index], { axes: [axis], at: axis });
const places = (...shape: number[]): Expr =>
  op("full", [], { dtype: "int64", shape, chunks: shape, value: 1n });
const arange = (dtype: "int64" | "uint8" | "float64", start: number, step: number, length: number): Expr => {
  const wide = (x: number): number | bigint => (dtype === "int64" ? BigInt(x) : x);
  return op("arange", [], { dtype, shape: [length], chunks: [length], start: wide(start), step: wide(step) });
};
const coordinate = (axis: number): Expr =>
  op("coordinate", [], { dtype: "int64", shape: [4, 5], chunks: [4, 5], axis });
const NUMBERS = ["float64", "float32", "int32", "int64", "uint8", "complex128"] as const;
const REALS = ["float64", "float32", "int32", "int64", "uint8"] as const;

const CASES: readonly RuleCase[] = [
  { rule: "sliceAll", build: (x) => slice(x("x", MATRIX), [0, 4], [0, 5]) },
  {
    rule: "sliceTwice",
    build: (x) => slice(slice(x("x", MATRIX), [3, 3, -1], [1, 2, 2]), [0, 2, 2], [1, 1]),
  },
  { rule: "sliceFull", build: () => slice(full(2, "float64", [4, 5]), [3, 2, -2], [1, 1]) },
  { rule: "sliceFull", build: () => slice(full(2, "float64", [4, 5]), [3, 0, -2], [1, 1]) },
  { rule: "sliceArange", build: () => slice(arange("int64", -3, 2, 10), [8, 3, -3]) },
  { rule: "sliceArange", build: () => slice(arange("uint8", 250, 3, 10), [1, 3, 4]) },
  { rule: "sliceArange", build: () => slice(arange("float64", -9, 3, 10), [9, 5, -2]) },
  { rule: "sliceArange", build: () => slice(arange("float64", 9, -3, 10), [1, 5, 2]) },
  { rule: "sliceCoordinate", build: () => slice(coordinate(0), [1, 2, 2], [1, 3]) },
  { rule: "sliceCoordinate", build: () => slice(coordinate(0), [0, 2], [1, 3]) },
  { rule: "sliceCoordinate", build: () => slice(coordinate(1), [1, 2, 2], [4, 3, -1]) },

  { rule: "slicePermute", build: (x) => slice(permute(x("x", CUBE), 2, 0, 1), [3, 2, -2], [0, 2], [1, 1]) },
  {
    rule: "sliceBroadcast",
    build: (x) => slice(broadcast(x("x", { shape: [3, 1] }), 2, 3, 4), [1, 1], [2, 2, -1], [1, 2]),
  },
  { rule: "sliceBroadcast", build: (x) => slice(broadcast(x("x", { shape: [1] }), 1, 4), [0, 1], [1, 2]) },
  {
    rule: "sliceExpandDims",
    build: (x) => slice(expand(x("x", MATRIX), 0, 2), [0, 1], [1, 2, 2], [0, 1], [4, 2, -1]),
  },
  {
    rule: "sliceSqueeze",
    build: (x) => slice(squeeze(x("x", { shape: [1, 4, 1, 5] }), 0, 2), [1, 2, 2], [0, 5]),
  },
  {
    rule: "sliceRechunk",
    build: (x) => slice(op("rechunk", [x("x", MATRIX)], { chunks: [2, 2] }), [1, 2], [1, 3]),
  },
  { rule: "sliceReshape", build: (x) => slice(reshape(x("x", CUBE), 6, 4), [0, 3], [1, 2]) },
  { rule: "sliceReshape", build: (x) => slice(reshape(x("x", CUBE), 6, 4), [4, 1], [3, 2, -1]) },
  { rule: "sliceReshape", build: (x) => slice(reshape(x("x", CUBE), 24), [17, 1]) },
  { rule: "sliceReshape", build: (x) => slice(reshape(x("x", CUBE), 24), [12, 12]) },
  {
    rule: "sliceReshape",
    build: (x) => slice(reshape(x("x", { shape: [24] }), 2, 3, 4), [1, 1], [1, 2], [0, 4]),
  },
  {
    rule: "sliceReshape",
    build: (x) => slice(reshape(x("x", { shape: [24] }), 2, 3, 4), [1, 1], [2, 1], [1, 2]),
  },
  {
    rule: "sliceReshape",
    build: (x) => slice(reshape(x("x", { shape: [4, 6] }), 4, 2, 3), [0, 4], [1, 1], [2, 1]),
  },
  {
    rule: "sliceConcat",
    build: (x) => slice(concat(0, x("x", MATRIX), x("y", { shape: [2, 5] }), x("z", MATRIX)), [2, 4], [1, 2]),
  },
  {
    rule: "sliceConcat",
    build: (x) =>
      slice(concat(0, x("x", MATRIX), x("y", { shape: [2, 5] }), x("z", MATRIX)), [8, 3, -3], [0, 5]),
  },
  {
    rule: "sliceConcat",
    build: (x) => slice(concat(0, x("x", MATRIX), x("y", { shape: [0, 5] }), x("z", MATRIX)), [4, 2], [0, 5]),
  },
  { rule: "sliceConcat", build: (x) => slice(concat(1, x("x", MATRIX), x("y", MATRIX)), [1, 1], [0, 10]) },
  ...["constant", "edge", "reflect", "wrap"].map(
    (mode): RuleCase => ({
      rule: "slicePad",
      build: (x) => slice(pad(x("x", MATRIX), mode), [2, 2, 3], [4, 3, -2]),
      dtypes: ["float64"],
    }),
  ),
  {
    rule: "slicePad",
    build: (x) => slice(pad(x("x", MATRIX), "constant"), [1, 3], [0, 8]),
    dtypes: ["float64"],
  },
  {
    rule: "slicePad",
    build: (x) => slice(pad(x("x", MATRIX), "constant"), [1, 6], [3, 4]),
    dtypes: ["float64"],
  },
  {
    rule: "slicePad",
    build: (x) => slice(pad(x("x", MATRIX), "constant"), [0, 7], [7, 2, -1]),
    dtypes: ["float64"],
  },
  {
    rule: "sliceRepeat",
    build: (x) => slice(op("repeat", [x("x", MATRIX)], { axis: 1, repeats: 3 }), [3, 2, -1], [3, 6]),
  },
  {
    rule: "sliceRepeat",
    build: (x) => slice(op("repeat", [x("x", MATRIX)], { axis: 1, repeats: 3 }), [0, 4], [7, 1]),
  },
  {
    rule: "sliceTile",
    build: (x) => slice(op("tile", [x("x", MATRIX)], { repetitions: [2, 3] }), [5, 3], [9, 3, -2]),
  },
  {
    rule: "sliceTile",
    build: (x) => slice(op("tile", [x("x", MATRIX)], { repetitions: [2, 3] }), [5, 1], [0, 15]),
  },
  {
    rule: "sliceSet",
    build: (x) =>
      slice(setSlice(x("x", MATRIX), x("y", { shape: [2, 2] }), [3, 2, -2], [1, 2]), [3, 2, -2], [1, 2]),
  },
  {
    rule: "sliceSet",
    build: (x) =>
      slice(setSlice(x("x", MATRIX), x("y", { shape: [2, 2] }), [0, 2], [1, 2]), [3, 2, -1], [1, 2]),
  },
  {
    rule: "sliceSet",
    build: (x) =>
      slice(setSlice(x("x", MATRIX), x("y", { shape: [3, 5] }), [1, 3], [0, 5]), [3, 2, -1], [1, 2]),
  },
  {
    rule: "sliceSetPart",
    build: (x) => slice(setSlice(x("x", MATRIX), x("y", { shape: [2, 5] }), [1, 2], [0, 5]), [2, 2], [1, 3]),
  },
  {
    rule: "sliceSetPart",
    build: (x) =>
      slice(setSlice(x("x", MATRIX), x("y", { shape: [2, 3] }), [0, 2], [1, 3]), [3, 4, -1], [0, 3, 2]),
  },

  {
    rule: "sliceElementwise",
    build: (x) => slice(op("equal", [x("x", MATRIX), x("y", { shape: [5] })]), [3, 2, -2], [1, 2]),
  },
  {
    rule: "sliceElementwise",
    build: (x) => slice(op("equal", [x("x", { shape: [4, 1] }), x("y", { shape: [5] })]), [3, 2, -2], [1, 1]),
  },
  {
    rule: "sliceElementwise",
    build: (x) =>
      slice(op("where", [op("isnan", [x("x", { shape: [4, 1] })]), x("x"), x("y", MATRIX)]), [2, 1], [0, 5]),
  },
  ...["sum", "max", "argmax", "any"].flatMap((name): RuleCase[] => [
    {
      rule: "sliceReduce",
      build: (x) => slice(reduce(name, x("x", { shape: [4, 40, 3] }), [1]), [3, 2, -2], [1, 1]),
    },
    {
      rule: "sliceReduce",
      build: (x) => slice(reduce(name, x("x", { shape: [4, 40, 3] }), [1], true), [3, 2, -2], [0, 1], [1, 1]),
    },
  ]),
  {
    rule: "sliceScan",
    build: (x) => slice(op("cumulativeSum", [x("x", { shape: [4, 40] })], { axis: 1 }), [1, 2], [20, 5, 2]),
  },
  {
    rule: "sliceSort",
    build: (x) => slice(op("sort", [x("x", MATRIX)], { axis: 1, descending: false }), [1, 2], [3, 2]),
    dtypes: REALS,
  },
  {
    rule: "sliceSort",
    build: (x) => slice(op("argsort", [x("x", MATRIX)], { axis: 0, descending: true }), [0, 4], [3, 2]),
    dtypes: REALS,
  },
  {
    rule: "sliceProduct",
    build: (x) => slice(matmul(x("x", { shape: [4, 6] }), x("y", { shape: [6, 5] })), [3, 2, -2], [1, 2]),
    dtypes: NUMBERS,
  },
  {
    rule: "sliceProduct",
    build: (x) => slice(matmul(x("x", { shape: [4, 6] }), x("y", { shape: [6, 5] })), [0, 4], [1, 2]),
    dtypes: NUMBERS,
  },
  {
    rule: "sliceProduct",
    build: (x) => slice(batched(x("x", CUBE), x("y", { shape: [4, 5, 2] })), [1, 1], [2, 1], [1, 2]),
    dtypes: NUMBERS,
  },
  {
    rule: "sliceGather",
    build: (x) => slice(gather(x("x", CUBE), 1, places(2, 2)), [1, 1], [0, 2], [1, 1], [3, 2, -1]),
  },
  {
    rule: "sliceTakeAlongAxis",
    build: (x) => slice(op("takeAlongAxis", [x("x", MATRIX), places(4, 3)], { axis: 1 }), [1, 2], [2, 1]),
  },
  {
    rule: "sliceSearch",
    build: (x) =>
      slice(op("searchsorted", [x("x", { shape: [3] }), x("y", MATRIX)], { side: "left" }), [1, 2], [1, 3]),
    dtypes: REALS,
  },

  {
    rule: "sliceTake",
    build: (x) => slice(taken(x("x", CUBE), 1, [2, 0, 0, 1]), [1, 1], [2, 2, -1], [1, 1]),
  },
  { rule: "sliceTake", build: (x) => slice(taken(x("x", MATRIX), 1, [3, 1, 3, 1, 3]), [0, 4], [1, 3]) },
  { rule: "takeRun", build: (x) => taken(x("x", MATRIX), 1, [3, 2, 1]) },
  { rule: "takeKnownTwice", build: (x) => taken(taken(x("x", MATRIX), 1, [3, 1, 0, 4]), 1, [1, 1, 3, 0]) },
  { rule: "takeTwice", build: (x) => gather(gather(x("x", MATRIX), 1, places(3)), 1, places(2)) },
  { rule: "takeTwice", build: (x) => gather(gather(x("x", MATRIX), 0, places(3)), 0, places(2, 2)) },
  { rule: "takeOne", build: (x) => gather(x("x", MATRIX), 1, full(-2n, "int64", [])) },
  { rule: "takeRange", build: (x) => gather(x("x", MATRIX), 1, arange("int64", 4, -2, 3)) },
];

testRules("indexing", INDEXING, CASES);

describe("selections go to the sources", () => {
  const a = source(1, "float64", [40]);
  const matrix = (start: number): Expr => reshape(source(start, "float64", [600]), 20, 30);
  /** The most elements that any node but a source has. */
  const largest = (root: Expr): number =>
    Math.max(
      ...postOrder([root])
        .filter(({ inputs }) => inputs.length > 0)
        .map(({ shape }) => sizeOf(shape)),
    );

  test("one row of a long chain computes one row", () => {
    const sum = op("add", [op("exp", [matrix(1)]), reduce("sum", op("sin", [matrix(2)]), [1], true)]);
    const row = slice(permute(sum, 1, 0), [0, 30], [3, 1]);
    expect(largest(run(row, ...INDEXING))).toBe(30);
  });

  test("shared work is not done twice", () => {
    const shared = op("exp", [a]);
    const difference = op("subtract", [slice(shared, [1, 39]), slice(shared, [0, 39])]);
    expect(run(difference, ...INDEXING)).toBe(difference);
  });

  test("an element of a product reads a row and a column", () => {
    const product = matmul(matrix(1), permute(matrix(2), 1, 0));
    expect(largest(run(slice(product, [3, 1], [4, 1]), ...INDEXING))).toBe(30);
  });
});
