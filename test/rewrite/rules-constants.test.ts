// The rules for constants, each on expressions on which it must fire; folding by the reference interpreter.

import { describe, expect, test } from "vitest";
import type { Expr } from "../../src/expr/expr.ts";
import { calculatingOn } from "../../src/kernel/calculate.ts";
import { wasmBackend } from "../../src/kernel/wasm/backend.ts";
import { rewrite } from "../../src/rewrite/driver.ts";
import { Dispatcher } from "../../src/rewrite/rule.ts";
import { CONSTANTS, foldConstants } from "../../src/rewrite/rules/folding.ts";
import { evaluateReference } from "../reference.ts";
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

const FOLDING = foldConstants({
  evaluate: (expr) => evaluateReference([expr]).get(expr)!,
  calculating: calculatingOn(wasmBackend()),
});
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

describe("moves of one value", () => {
  test("are not folded where they bring another", () => {
    const attrs = { before: [1], after: [0], chunks: [300], modes: ["constant"], values: [0] };
    const around = op("overlap", [full(2, "float64", [600])], attrs);
    expect(run(around, ...CONSTANTS)).toBe(around);
    expect(run(op("exp", [around]), ...CONSTANTS, ...FOLDING)).toBe(op("exp", [around]));
    const same = op("overlap", [full(2, "float64", [600])], { ...attrs, values: [2] });
    expect(run(same, ...CONSTANTS).op.name).toBe("full");
  });
});

/** So many additions of constants. */
function chainOf(length: number): Expr {
  let sum = full(1, "float64", [1000, 1000]);
  for (let i = 0; i < length; i++) sum = op("add", [sum, full(i + 0.5, "float64", [])]);
  return sum;
}

describe("parts that are made of constants alone", () => {
  const dispatcher = new Dispatcher(FOLDING);

  test.each([10, 100, 1000])("a chain of %i is one step, whatever its length", (length) => {
    const { roots, applied, visited } = rewrite([chainOf(length)], dispatcher);
    let value = 1;
    for (let i = 0; i < length; i++) value += i + 0.5;
    expect(roots[0]).toBe(full(value, "float64", [1000, 1000]));
    expect([...applied.values()]).toEqual([1]);
    // The constants and sums of the graph, and what they became.
    expect(visited).toBe(2 * length + 2);
  });

  test("what others use of them becomes a constant too, and only that", () => {
    const low = chainOf(5);
    const high = op("exp", [op("sin", [low])]);
    const { roots, applied } = rewrite(
      [op("add", [op("sum", [low], { axes: [0, 1], keepdims: false }), high])],
      dispatcher,
    );
    expect([...applied.values()]).toEqual([2]);
    expect(roots[0]!.inputs[0]!.inputs[0]!.op.name).toBe("full");
    expect(roots[0]!.inputs[1]!.op.name).toBe("full");
  });

  test("through moves", () => {
    const stretched = broadcast(op("add", [full(1, "float64", [4]), full(2, "float64", [])]), 3, 4);
    const { roots, applied } = rewrite([op("multiply", [stretched, stretched])], dispatcher);
    expect(roots[0]).toBe(full(9, "float64", [3, 4]));
    expect([...applied.values()]).toEqual([1]);
  });

  test("what fails is left, and what is below it is folded", () => {
    const seven = op("add", [full(3, "int32", []), full(4, "int32", [])]);
    const wrong = op("floorDivide", [seven, full(0, "int32", [])]);
    const root = op("negative", [wrong]);
    const after = run(root, ...FOLDING);
    expect(after).toBe(op("negative", [op("floorDivide", [full(7, "int32", []), full(0, "int32", [])])]));
  });
});

describe("folding keeps NaNs as they are", () => {
  const nan = full(NaN, "float64", [3]);

  test("a NaN with a sign is left for the run", () => {
    const negated = op("negative", [nan]);
    expect(run(negated, ...FOLDING)).toBe(negated);
  });

  test("and what is made of it: the same at once as node by node", () => {
    const isNegative = op("signbit", [op("negative", [nan])]);
    expect(run(isNegative, ...FOLDING)).toBe(isNegative);
    expect(run(op("signbit", [nan]), ...FOLDING)).toBe(full(false, "bool", [3]));
  });

  test.each(["float32", "complex64", "complex128"] as const)("of %s too", (dtype) => {
    const negated = op("negative", [full(NaN, dtype, [])]);
    expect(run(negated, ...FOLDING)).toBe(negated);
  });
});

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
