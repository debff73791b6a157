// The rules for constants, each on expressions on which it must fire; folding by the reference interpreter.

import { describe, expect, test } from "vitest";
import type { Expr } from "../../src/expr/expr.ts";
import { CONSTANTS, foldConstants } from "../../src/rewrite/rules/constants.ts";
import { evaluateReference } from "../../src/runtime/reference.ts";
import { run } from "./nodes.ts";
import { type RuleCase, testRules } from "./ruleHarness.ts";
import { broadcast, concat, full, op, permute, reduce, setSlice, slice } from "./ruleNodes.ts";

const pad = (x: Expr, value: number): Expr =>
  op("pad", [x], { before: [1, 0], after: [0, 2], mode: "constant", value });
const matrix = full(2, "float64", [3, 4]);
const VALUES = [0, -0, 1, -3, NaN, Infinity, -Infinity];

const CASES: readonly RuleCase[] = [
  { rule: "moveOfFull", build: () => permute(matrix, 1, 0) },
  { rule: "moveOfFull", build: () => broadcast(full(2, "float64", []), 3, 4) },
  { rule: "moveOfFull", build: () => concat(0, matrix, full(2, "float64", [1, 4])) },
  { rule: "moveOfFull", build: () => pad(matrix, 2) },
  { rule: "moveOfFull", build: () => setSlice(matrix, full(2, "float64", [1, 4]), [1, 1], [0, 4]) },
  { rule: "moveOfFull", build: () => slice(full(NaN, "float64", [3, 4]), [1, 0], [0, 4]) },
  ...["max", "min", "any", "all", "countNonzero", "argmax", "sum", "mean"].flatMap((name): RuleCase[] =>
    VALUES.map((value) => ({
      rule: "reduceOfFull",
      build: () => reduce(name, full(value, "float64", [2, 40]), [1]),
    })),
  ),
  ...["any", "all", "countNonzero", "sum", "prod"].map(
    (name): RuleCase => ({
      rule: "reduceOfFull",
      build: () => reduce(name, full(3, "float64", [2, 0]), [1], true),
    }),
  ),
  { rule: "reduceOfFull", build: () => reduce("sum", full(100, "uint8", [7, 2]), [0]) },
  { rule: "reduceOfFull", build: () => reduce("sum", full(-(2n ** 62n), "int64", [7, 2]), [0, 1]) },
  { rule: "reduceOfFull", build: () => reduce("prod", full(1, "int32", [7, 2]), [0, 1]) },
];

testRules("constants", CONSTANTS, CASES);

const FOLDING = foldConstants((expr) => evaluateReference([expr]).get(expr)!);
const arange = (length: number, start = 0): Expr =>
  op("arange", [], { dtype: "float64", shape: [length], chunks: [length], start, step: 1 });

const FOLD_CASES: readonly RuleCase[] = [
  ...VALUES.map(
    (value): RuleCase => ({
      rule: "foldElementwise",
      build: () => op("exp", [op("add", [full(value, "float64", [9, 9]), full(0.1, "float64", [])])]),
    }),
  ),
  { rule: "foldElementwise", build: () => op("add", [full(200, "uint8", []), full(100, "uint8", [])]) },
  { rule: "foldElementwise", build: () => op("less", [full(2n, "int64", []), full(3n, "int64", [4])]) },
  { rule: "foldElementwise", build: () => op("cast", [full(2, "float64", [])], { dtype: "complex64" }) },
  { rule: "foldSmall", build: () => op("add", [arange(5), full(0.1, "float64", [])]) },
  { rule: "foldSmall", build: () => reduce("sum", op("exp", [arange(5)]), [0]) },
  { rule: "foldSmall", build: () => op("divide", [arange(5), arange(5)]) },
  { rule: "foldSmall", build: () => reduce("sum", full(0.1, "float64", [3, 40]), [1]) },
];

testRules("folding", FOLDING, FOLD_CASES);

describe("folding", () => {
  test("gives the same node again", () => {
    const sum = op("add", [arange(5), full(0.1, "float64", [])]);
    expect(run(sum, ...FOLDING)).toBe(run(sum, ...FOLDING));
  });

  test("large results are left alone", () => {
    const large = op("add", [arange(65), full(0.1, "float64", [])]);
    expect(run(large, ...FOLDING)).toBe(large);
  });

  test("what cannot be computed is left for the run", () => {
    const wrong = op("floorDivide", [full(1, "int32", []), full(0, "int32", [])]);
    expect(run(wrong, ...FOLDING)).toBe(wrong);
  });

  test("sums that round are not guessed", () => {
    const sum = reduce("sum", full(0.1, "float64", [3, 40]), [1]);
    expect(run(sum, ...CONSTANTS)).toBe(sum);
  });
});
