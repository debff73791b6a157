// The rules for products, each on expressions on which it must fire.

import { describe, expect, test } from "vitest";
import type { Expr } from "../../src/expr/expr.ts";
import { AROUND_PRODUCTS, CONTRACTION } from "../../src/rewrite/rules/contraction.ts";
import { run, source } from "./nodes.ts";
import { type RuleCase, testRules } from "./ruleHarness.ts";
import { broadcast, expand, op, permute, reduce, reshape, squeeze } from "./ruleNodes.ts";

const contract = (
  a: Expr,
  b: Expr,
  contractA: readonly number[],
  contractB: readonly number[],
  batchA: readonly number[] = [],
  batchB: readonly number[] = [],
): Expr => op("contract", [a, b], { batchA, batchB, contractA, contractB });
const matmul = (a: Expr, b: Expr): Expr => contract(a, b, [1], [0]);

const NUMBERS = ["float64", "float32", "int32", "int64", "uint8", "complex128"] as const;
const INTEGERS = ["int32", "int64", "uint8"] as const;
const FLOATS = ["float64", "float32"] as const;
const A = { shape: [3, 4] } as const;
const B = { shape: [4, 5] } as const;
const BATCHES = { shape: [2, 3, 4] } as const;

const CASES: readonly RuleCase[] = [
  {
    rule: "productPermuteLeft",
    build: (x) => matmul(permute(x("x", { shape: [4, 3] }), 1, 0), x("y", B)),
    dtypes: NUMBERS,
  },
  {
    rule: "productPermuteLeft",
    build: (x) =>
      contract(permute(x("x", BATCHES), 1, 0, 2), x("y", { shape: [2, 4, 5] }), [2], [1], [1], [0]),
    dtypes: NUMBERS,
  },
  {
    rule: "productPermuteLeft",
    build: (x) => contract(permute(x("x", BATCHES), 2, 0, 1), x("y", { shape: [3, 4] }), [0, 2], [1, 0]),
    dtypes: NUMBERS,
  },
  {
    rule: "productPermuteRight",
    build: (x) => matmul(x("x", A), permute(x("y", { shape: [5, 4] }), 1, 0)),
    dtypes: NUMBERS,
  },
  {
    rule: "productExpandLeft",
    build: (x) => matmul(expand(x("x", { shape: [4] }), 0), x("y", B)),
    dtypes: NUMBERS,
  },
  {
    rule: "productExpandLeft",
    build: (x) => contract(expand(x("x", BATCHES), 1, 4), x("y", { shape: [4, 2] }), [3], [0], [0], [1]),
    dtypes: NUMBERS,
  },
  {
    rule: "productExpandRight",
    build: (x) => matmul(x("x", A), expand(x("y", { shape: [4] }), 1)),
    dtypes: NUMBERS,
  },
  {
    rule: "productOfBatch",
    build: (x) => contract(x("x", BATCHES), broadcast(x("y", B), 2, 4, 5), [2], [1], [0], [0]),
    dtypes: NUMBERS,
  },
  {
    rule: "productOfBatch",
    build: (x) =>
      contract(
        x("x", { shape: [2, 2, 3, 4] }),
        broadcast(x("y", { shape: [1, 4, 5] }), 2, 2, 4, 5),
        [3],
        [2],
        [0, 1],
        [0, 1],
      ),
    dtypes: NUMBERS,
  },
  { rule: "permuteProduct", build: (x) => permute(matmul(x("x", A), x("y", B)), 1, 0), dtypes: NUMBERS },
  {
    rule: "permuteProduct",
    build: (x) =>
      permute(
        contract(x("x", { shape: [2, 3, 3, 4] }), x("y", { shape: [4, 3, 2] }), [3], [0], [0, 1], [2, 1]),
        1,
        0,
        2,
      ),
    dtypes: NUMBERS,
  },
  {
    rule: "permuteProduct",
    build: (x) =>
      permute(contract(x("x", BATCHES), x("y", { shape: [2, 4, 5] }), [2], [1], [0], [0]), 0, 2, 1),
    dtypes: NUMBERS,
  },
  {
    rule: "outerProductInteger",
    build: (x) => matmul(x("x", { shape: [3, 1] }), x("y", { shape: [1, 5] })),
    dtypes: INTEGERS,
  },
  {
    rule: "outerProductInteger",
    build: (x) => contract(x("x", { shape: [3, 1, 2] }), x("y", { shape: [2, 1, 5] }), [1], [1], [2], [0]),
    dtypes: INTEGERS,
  },
  {
    rule: "outerProduct",
    build: (x) => contract(x("x", { shape: [3] }), x("y", { shape: [5] }), [], []),
    dtypes: FLOATS,
  },
  {
    rule: "outerProduct",
    build: (x) => contract(x("x", { shape: [3, 1, 2] }), x("y", { shape: [2, 1, 5] }), [1], [1], [2], [0]),
    dtypes: FLOATS,
  },
  {
    rule: "sumOfProductsInteger",
    build: (x) => reduce("sum", op("multiply", [x("x", { shape: [3, 4, 1] }), x("y", B)]), [1]),
    dtypes: INTEGERS,
  },
  {
    rule: "sumOfProductsInteger",
    build: (x) =>
      reduce(
        "sum",
        op("multiply", [x("x", { shape: [2, 1, 4, 5] }), x("y", { shape: [2, 3, 4, 1] })]),
        [2],
        true,
      ),
    dtypes: INTEGERS,
  },
  {
    rule: "sumOfProducts",
    build: (x) => reduce("sum", op("multiply", [x("x", { shape: [40] }), x("y", { shape: [40] })]), [0]),
    dtypes: FLOATS,
  },
  {
    rule: "sumOfProducts",
    build: (x) =>
      reduce("sum", op("multiply", [x("x", { shape: [3, 1, 4] }), x("y", { shape: [5, 4] })]), [2], true),
    dtypes: FLOATS,
  },
  ...(["Integer", ""] as const).flatMap((kind): RuleCase[] => [
    {
      rule: `productScaledLeft${kind}`,
      build: (x) => matmul(op("multiply", [x("c", { shape: [] }), x("x", A)]), x("y", { shape: [4, 2] })),
      dtypes: kind === "Integer" ? INTEGERS : FLOATS,
    },
    {
      rule: `productScaledRight${kind}`,
      build: (x) => matmul(x("x", A), op("multiply", [x("y", B), x("c", { shape: [] })])),
      dtypes: kind === "Integer" ? INTEGERS : FLOATS,
    },
  ]),
];

testRules("contraction", CONTRACTION, CASES);

describe("products together", () => {
  const x = reshape(source(1, "float64", [12]), 3, 4);
  const v = source(2, "float64", [4]);
  const exact = CONTRACTION.filter(({ changes }) => changes.length === 0);

  test("a matrix times a vector needs no new axes", () => {
    const product = squeeze(matmul(x, expand(v, 1)), 1);
    expect(run(product, ...exact, ...AROUND_PRODUCTS)).toBe(contract(x, v, [1], [0]));
  });

  test("(xᵀ yᵀ)ᵀ = y x", () => {
    const y = reshape(source(3, "float64", [15]), 5, 3);
    const product = permute(matmul(permute(x, 1, 0), permute(y, 1, 0)), 1, 0);
    expect(run(product, ...exact)).toBe(contract(y, x, [1], [0]));
  });
});
