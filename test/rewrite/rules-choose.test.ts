// Rules on where, one by one.

import { expect, test } from "vitest";
import type { DType } from "../../src/core/dtype.ts";
import type { Expr } from "../../src/expr/expr.ts";
import { castTo, scalar } from "../../src/rewrite/make.ts";
import { CHOOSE } from "../../src/rewrite/rules/choose.ts";
import { n, run, source } from "./nodes.ts";
import { type MakeOperand, type RuleCase, testRules } from "./ruleHarness.ts";

const FLOATS = ["float64", "float32"] as const;
const INTS = ["int32", "int64", "uint8"] as const;
const BOOL = ["bool"] as const;

const one = (rule: string, build: RuleCase["build"], dtypes?: readonly DType[]): RuleCase =>
  dtypes === undefined ? { rule, build } : { rule, build, dtypes };
const both = (
  rule: string,
  build: RuleCase["build"],
  fast: readonly DType[] = FLOATS,
): readonly RuleCase[] => [one(rule, build, INTS), one(`${rule}Fast`, build, fast)];

const c = (o: MakeOperand): Expr => o("c", { dtype: "bool" });
const yes = scalar(true, "bool");
const no = scalar(false, "bool");
const k = (value: number, like: Expr): Expr => scalar(value, like.dtype);
const choose = (condition: Expr, x: Expr, y: Expr): Expr => n("where", condition, x, y);
/** A choice between two constants of the dtype under test. */
const either = (o: MakeOperand, x: number, y: number): Expr => choose(c(o), k(x, o("x")), k(y, o("x")));

const BRANCHES: readonly RuleCase[] = [
  one("whereTrue", (o) => choose(yes, o("x"), o("y"))),
  one("whereFalse", (o) => choose(no, o("x"), o("y"))),
  one("whereSame", (o) => choose(c(o), o("x"), o("x"))),
  one("whereNot", (o) => choose(n("logicalNot", c(o)), o("x"), o("y"))),
  one("whereTrueFalse", (o) => choose(c(o), yes, no)),
  one("whereFalseTrue", (o) => choose(c(o), no, yes)),
  one("whereElseFalse", (o) => choose(c(o), o("x"), no), BOOL),
  one("whereTrueElse", (o) => choose(c(o), yes, o("x")), BOOL),
  one("whereFalseElse", (o) => choose(c(o), no, o("x")), BOOL),
  one("whereElseTrue", (o) => choose(c(o), o("x"), yes), BOOL),
  one("whereOneZero", (o) => either(o, 1, 0)),
  one("whereZeroOne", (o) => either(o, 0, 1)),
  one("whereYesYes", (o) => choose(c(o), choose(c(o), o("x"), o("y")), o("z"))),
  one("whereNoNo", (o) => choose(c(o), o("x"), choose(c(o), o("y"), o("z")))),
  one("whereAnd", (o) => choose(c(o), choose(o("d", { dtype: "bool" }), o("x"), o("y")), o("y"))),
  one("whereOr", (o) => choose(c(o), o("x"), choose(o("d", { dtype: "bool" }), o("x"), o("y")))),
];

const by = (op: string) => (o: MakeOperand) => choose(n(op, o("x"), o("y")), o("x"), o("y"));
const turned = (op: string) => (o: MakeOperand) => choose(n(op, o("x"), o("y")), o("y"), o("x"));
const zeroOr = (o: MakeOperand): Expr => choose(c(o), k(0, o("x")), o("y"));
const orZero = (o: MakeOperand): Expr => choose(c(o), o("y"), k(0, o("x")));

const CHOICES: readonly RuleCase[] = [
  ...both("whereEqual", by("equal"), [...FLOATS, "complex128"]),
  ...both("whereNotEqual", by("notEqual"), [...FLOATS, "complex128"]),
  ...both("whereLess", by("less")),
  ...both("whereLessElse", turned("lessEqual")),
  ...both("whereGreater", by("greaterEqual")),
  ...both("whereGreaterElse", turned("greater")),
  ...both("wherePositive", (o) => choose(n("greater", o("x"), 0), o("x"), n("negative", o("x")))),
  ...both("wherePositive", (o) => choose(n("greaterEqual", o("x"), 0), o("x"), n("negative", o("x")))),
  ...both("whereNegative", (o) => choose(n("less", o("x"), 0), n("negative", o("x")), o("x"))),
  one("multiplyWhere", (o) => n("multiply", zeroOr(o), o("x")), FLOATS),
  one("multiplyWhereElse", (o) => n("multiply", o("x"), orZero(o)), FLOATS),
  one("divideWhere", (o) => n("divide", zeroOr(o), o("x")), FLOATS),
  one("divideWhereElse", (o) => n("divide", orZero(o), o("x")), FLOATS),
];

const MOVES: readonly RuleCase[] = [
  one("intoBranches", (o) => n("add", either(o, 2, 3), 5)),
  one("intoBranches", (o) => n("less", either(o, 0, 1), 1)),
  one("intoBranches", (o) => n("multiply", either(o, 2, 3), choose(c(o), k(2, o("x")), o("y")))),
  one("intoBranches", (o) => castTo(either(o, 0, 1), "complex64"), [...FLOATS, ...INTS, "bool"]),
  one("outOfBranches", (o) => choose(c(o), n("exp", o("x")), n("exp", o("y")))),
  one("outOfBranches", (o) => choose(c(o), n("subtract", o("x"), o("z")), n("subtract", o("y"), o("z")))),
  one("outOfBranches", (o) => choose(c(o), castTo(o("x"), "bool"), castTo(o("y"), "bool"))),
  one("knownInside", (o) => choose(c(o), n("negative", choose(c(o), o("x"), o("y"))), o("z"))),
  one("knownInside", (o) => choose(c(o), o("z"), n("add", o("x"), choose(c(o), o("x"), o("y"))))),
  one("knownInside", (o) =>
    choose(
      o("c", { dtype: "bool", shape: [] }),
      n("negative", choose(o("c"), o("x", { shape: [] }), o("y"))),
      o("z", { shape: [] }),
    ),
  ),
  one("knownInside", (o) => choose(c(o), n("equal", c(o), o("x")), o("y")), BOOL),
];

testRules("choose", CHOOSE, [...BRANCHES, ...CHOICES, ...MOVES]);

test("a division that is guarded by where keeps its guard", () => {
  const [x, y] = [source(0, "int64"), source(1, "int64")];
  const isSafe = n("notEqual", y, 0);
  const guarded = choose(isSafe, n("floorDivide", x, choose(isSafe, y, k(1, y))), k(0, y));
  expect(run(guarded, ...CHOOSE)).toBe(guarded);
  const constants = n("floorDivide", k(6, y), choose(isSafe, k(0, y), k(2, y)));
  expect(run(constants, ...CHOOSE)).toBe(constants);
});
