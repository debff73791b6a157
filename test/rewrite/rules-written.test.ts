// Rules for formulas as people write them out (ruleHarness.ts), and where they must not fire.

import { expect, test } from "vitest";
import type { DType } from "../../src/core/dtype.ts";
import type { Expr } from "../../src/expr/expr.ts";
import { softmaxOver } from "../../src/ops/softmax.ts";
import { scalar } from "../../src/rewrite/make.ts";
import { MATRICES } from "../../src/rewrite/rules/matrixProducts.ts";
import { LOGARITHMS_WRITTEN, SHORTER_WRITTEN, WRITTEN } from "../../src/rewrite/rules/written.ts";
import { n, run, source } from "./nodes.ts";
import { type MakeOperand, type RuleCase, testRules } from "./ruleHarness.ts";
import { cast, expand, full, op, reduce, setSlice } from "./ruleNodes.ts";

const FLOATS = ["float64"] as const;
const INTS = ["int32"] as const;
const one = (rule: string, build: RuleCase["build"], dtypes: readonly DType[] = FLOATS): RuleCase => ({
  rule,
  build,
  dtypes,
});
const k = (value: number, like: Expr): Expr => scalar(value, like.dtype);
const all = (x: Expr): readonly number[] => [...x.shape.keys()];
const exp = (x: Expr): Expr => n("exp", x);
const log = (x: Expr): Expr => n("log", x);
const times = (x: Expr, value: number): Expr => n("multiply", x, k(value, x));
const test6 = { dtype: "bool" } as const;
const PART = { shape: [2] } as const;
const LINE = { shape: [6] } as const;

const chosen = (o: MakeOperand, name: string): Expr => {
  const condition = o("c", { ...test6, ...LINE });
  const choice = (x: string, y: string): Expr => n("where", condition, o(x, LINE), o(y, LINE));
  return n(name, choice("a", "b"), choice("x", "y"));
};

testRules("written", WRITTEN, [
  one("whereOneCondition", (o) => chosen(o, "add"), [...FLOATS, ...INTS]),
  one("whereOneCondition", (o) => chosen(o, "maximum")),
  one("signOfMultiple", (o) => n("sign", times(o("x"), 3))),
  one("signOfNegativeMultiple", (o) => n("sign", times(o("x"), -2))),
  one("signOfFraction", (o) => n("sign", times(o("x"), 0.5))),
  one("prodOfNegative", (o) => reduce("prod", n("negative", o("x")), all(o("x")))),
  one("prodOfNegative", (o) => reduce("prod", n("negative", o("x", { shape: [3, 2] })), [0], true)),
  one("prodOfMultipleInteger", (o) => reduce("prod", times(o("x", { shape: [2, 3] }), 3), [0]), INTS),
  one("prodOfMultiple", (o) => reduce("prod", times(o("x", { shape: [2, 3] }), 2), [0])),
  one("logOfMultiple", (o) => log(times(o("x"), 2))),
  one(
    "addSetZerosInteger",
    (o) => n("add", o("x", LINE), setSlice(full(0, o("x").dtype, [6]), o("y", PART), [1, 2])),
    INTS,
  ),
  one("addSetZeros", (o) =>
    n("add", o("x", LINE), setSlice(full(0, o("x").dtype, [6]), o("y", PART), [1, 2, 2])),
  ),
]);

const W = { shape: [2, 3] } as const;
const weighted = (o: MakeOperand, keepdims: boolean): Expr =>
  log(reduce("sum", n("multiply", o("w", W), exp(o("x", W))), [1], keepdims));

testRules("logarithmsWritten", LOGARITHMS_WRITTEN, [
  one("expSoftplus", (o) => exp(n("softplus", o("x")))),
  one("softplusLog", (o) => n("softplus", log(o("x")))),
  one("log1pOfExps", (o) => n("log1p", n("add", exp(o("x")), exp(o("y"))))),
  one("log1pOfExps", (o) => n("log1p", n("add", n("add", exp(o("x")), exp(o("y"))), exp(o("z"))))),
  one("logOfOneAndExps", (o) => log(n("add", n("add", exp(o("x")), k(1, o("x"))), exp(o("y"))))),
  one("logOfWeightedExps", (o) => weighted(o, true)),
  one("logOfWeightedExps", (o) => weighted(o, false)),
  one("logOfTakenSoftmax", (o) =>
    log(op("takeAlongAxis", [softmaxOver(o("x", W), [1]), full(1, "int64", [2, 1])], { axis: 1 })),
  ),
]);

const deviations = (x: Expr, mean: Expr): Expr => n("square", n("subtract", x, mean));
testRules("shorterWritten", SHORTER_WRITTEN, [
  one("logOfReciprocal", (o) => log(n("reciprocal", o("x")))),
  one("meanOfOtherDeviations", (o) =>
    reduce("mean", deviations(o("x", W), reduce("mean", o("x"), [0, 1])), [0, 1]),
  ),
  one("meanOfOtherDeviations", (o) =>
    reduce("mean", deviations(o("x", W), reduce("mean", o("x"), [0])), [0], true),
  ),
  one("meanOfSquares", (o) =>
    n("subtract", reduce("mean", n("square", o("x", W)), [1]), n("square", reduce("mean", o("x"), [1]))),
  ),
  one("sigmoidOfDifference", (o) => n("divide", exp(o("x")), n("add", exp(o("x")), exp(o("y"))))),
]);

const S = { shape: [3, 3] } as const;
const matmul = (a: Expr, b: Expr): Expr =>
  op("contract", [a, b], { batchA: [], batchB: [], contractA: [1], contractB: [0] });
const coordinate = (axis: number): Expr =>
  op("coordinate", [], { dtype: "int64", shape: [3, 3], chunks: [3, 3], axis });
const eye = (dtype: DType): Expr => cast(n("equal", coordinate(1), coordinate(0)), dtype);
const eyeOf = (o: MakeOperand): Expr => eye(o("x", S).dtype);
const both = (rule: string, build: RuleCase["build"]): readonly RuleCase[] => [
  one(`${rule}Integer`, build, INTS),
  one(rule, build),
];

testRules("matrices", MATRICES, [
  ...both("identityProduct", (o) => matmul(eyeOf(o), o("x", S))),
  ...both("productIdentity", (o) => matmul(o("x", S), eyeOf(o))),
  ...both("diagonalProduct", (o) =>
    matmul(n("multiply", eyeOf(o), expand(o("v", { shape: [3] }), 0)), o("x", S)),
  ),
  ...both("diagonalProduct", (o) =>
    matmul(n("multiply", eyeOf(o), expand(o("v", { shape: [3] }), 1)), o("x", S)),
  ),
  ...both("traceOfProduct", (o) =>
    reduce("sum", n("multiply", matmul(o("x", S), o("y", S)), eyeOf(o)), [0, 1]),
  ),
  ...both("commonLeftFactor", (o) => n("add", matmul(o("x", S), o("y", S)), matmul(o("x", S), o("z", S)))),
  ...both("commonRightFactor", (o) => n("add", matmul(o("y", S), o("x", S)), matmul(o("z", S), o("x", S)))),
]);

test("are not what only looks like them", () => {
  const [x, y] = [source(1, "float64", [3, 3]), source(2, "float64", [3, 3])];
  const every = [...WRITTEN, ...LOGARITHMS_WRITTEN, ...SHORTER_WRITTEN, ...MATRICES];
  const offDiagonal = cast(
    n("equal", coordinate(1), n("add", coordinate(0), scalar(1n, "int64"))),
    "float64",
  );
  const stays = [
    // Rows' means across columns of a square matrix.
    reduce("mean", deviations(x, reduce("mean", x, [1])), [1]),
    reduce("mean", deviations(x, reduce("mean", x, [0])), [1]),
    n("subtract", reduce("mean", n("square", x), [0]), n("square", reduce("mean", x, [1]))),
    n("divide", exp(x), n("add", exp(y), exp(y))),
    matmul(offDiagonal, x),
    n("add", matmul(x, y), matmul(y, x)),
    n("sign", n("multiply", x, y)),
    log(n("multiply", x, scalar(-2, "float64"))),
    n("log1p", n("add", exp(x), y)),
  ];
  for (const root of stays) expect(run(root, ...every)).toBe(root);
});
