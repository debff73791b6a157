// Rules on comparisons, tests of floats, minima and maxima, one by one.

import type { DType } from "../../src/core/dtype.ts";
import type { Expr } from "../../src/expr/expr.ts";
import { castTo, scalar } from "../../src/rewrite/make.ts";
import { COMPARE } from "../../src/rewrite/rules/compare.ts";
import { n } from "./nodes.ts";
import { type MakeOperand, type RuleCase, testRules } from "./ruleHarness.ts";

const FLOATS = ["float64", "float32"] as const;
const INTS = ["int32", "int64", "uint8"] as const;
const EXACT = ["int32", "int64", "uint8", "bool"] as const;

const one = (rule: string, build: RuleCase["build"], dtypes?: readonly DType[]): RuleCase =>
  dtypes === undefined ? { rule, build } : { rule, build, dtypes };
const both = (
  rule: string,
  build: RuleCase["build"],
  dtypes: readonly DType[] = INTS,
): readonly RuleCase[] => [one(rule, build, dtypes), one(`${rule}Fast`, build, FLOATS)];
const self = (op: string) => (o: MakeOperand) => n(op, o("x"), o("x"));
/** Numbers, but no NaN. */
const whole = (x: Expr): Expr => castTo(x, "float64");
const int = (o: MakeOperand, name: string): Expr => whole(o(name, { dtype: "int32" }));

testRules("compare", COMPARE, [
  one("lessSelf", self("less")),
  one("equalSelf", self("equal"), EXACT),
  one("equalSelf", self("greaterEqual"), EXACT),
  one("equalSelfFloat", self("equal"), [...FLOATS, "complex128"]),
  one("equalSelfFloat", self("lessEqual"), FLOATS),
  one("notEqualSelf", self("notEqual"), EXACT),
  one("notEqualSelfFloat", self("notEqual"), [...FLOATS, "complex128"]),
  one("compareNaN", (o) => n("lessEqual", o("x"), Number.NaN), FLOATS),
  one("notEqualNaN", (o) => n("notEqual", o("x"), Number.NaN), [...FLOATS, "complex128"]),
  one("aboveInfinity", (o) => n("greater", o("x"), Number.POSITIVE_INFINITY), FLOATS),
  one("belowInfinity", (o) => n("less", o("x"), Number.NEGATIVE_INFINITY), FLOATS),
  one("absBelowZero", (o) => n("less", n("abs", o("x")), 0), [...FLOATS, "complex128"]),
  one("isnanExact", (o) => n("isnan", o("x")), EXACT),
  one("isfiniteExact", (o) => n("isfinite", o("x")), EXACT),
  one("isnanCast", (o) => n("isinf", castTo(o("x"), "float32")), EXACT),
  one("isfiniteCast", (o) => n("isfinite", castTo(o("x"), "complex64")), EXACT),
  one("isnanSign", (o) => n("isnan", n("negative", o("x"))), [...FLOATS, ...INTS]),
  one("isinfSign", (o) => n("isinf", n("abs", o("x"))), [...FLOATS, ...INTS]),
  one("isfiniteSign", (o) => n("isfinite", n("abs", o("x"))), [...FLOATS, ...INTS]),
  one("signbitInteger", (o) => n("signbit", o("x")), INTS),

  one("compareConstantRight", (o) => n("less", scalar(1, o("x").dtype), o("x"))),
  one("compareConstantRight", (o) => n("greaterEqual", scalar(1, o("x").dtype), o("x"))),
  one("notEqualTo", (o) => n("logicalNot", n("equal", o("x"), o("y")))),
  one("notNotEqual", (o) => n("logicalNot", n("notEqual", o("x"), o("y")))),
  one("notLess", (o) => n("logicalNot", n("less", o("x"), o("y"))), EXACT),
  one("notLess", (o) => n("logicalNot", n("greaterEqual", o("x"), o("y"))), EXACT),
  one("notLessFast", (o) => n("logicalNot", n("lessEqual", int(o, "x"), int(o, "y"))), ["float64"]),
  one("compareNegatives", (o) => n("less", n("negative", o("x")), n("negative", o("y"))), FLOATS),
  one("equalNegatives", (o) => n("equal", n("negative", o("x")), n("negative", o("y")))),
  one("compareNegative", (o) => n("lessEqual", n("negative", o("x")), 1), FLOATS),
  one("compareNegative", (o) => n("equal", n("negative", o("x")), 0), FLOATS),
  one("equalNegative", (o) => n("equal", n("negative", o("x")), 2), INTS),
  one("equalSum", (o) => n("equal", n("add", o("x"), 9), 8), INTS),
  one("equalDifference", (o) => n("notEqual", n("subtract", o("x"), 2), 127), INTS),
  one("equalXor", (o) => n("equal", n("bitwiseXor", o("x"), 9), 8), INTS),
  one("differenceIsZero", (o) => n("equal", n("subtract", o("x"), o("y")), 0), INTS),
  one("differenceIsZero", (o) => n("notEqual", n("bitwiseXor", o("x"), o("y")), 0), INTS),

  one("maxSelf", self("maximum")),
  one("maxSelf", self("minimum")),
  one("maxNaN", (o) => n("minimum", o("x"), Number.NaN), FLOATS),
  one("minInfinity", (o) => n("minimum", o("x"), Number.POSITIVE_INFINITY), FLOATS),
  one("maxMinusInfinity", (o) => n("maximum", o("x"), Number.NEGATIVE_INFINITY), FLOATS),
  one("maxInfinity", (o) => n("maximum", o("x"), Number.POSITIVE_INFINITY), FLOATS),
  one("minMinusInfinity", (o) => n("minimum", o("x"), Number.NEGATIVE_INFINITY), FLOATS),
  ...["maximum", "minimum"].flatMap((op) => [
    one(`${op}Constants`, (o) => n(op, n(op, o("x"), 0), 2), [...FLOATS, ...EXACT]),
    one(`${op}Constants`, (o) => n(op, n(op, o("x"), 0), -0), FLOATS),
    one(`${op}ConstantLast`, (o) => n(op, n(op, o("x"), 2), o("y")), [...FLOATS, ...EXACT]),
    one(`${op}Again`, (o) => n(op, n(op, o("x"), o("y")), o("x"))),
  ]),
  ...both("maxOfMin", (o) => n("maximum", o("x"), n("minimum", o("y"), o("x"))), EXACT),
  ...both("minOfMax", (o) => n("minimum", o("x"), n("maximum", o("y"), o("x"))), EXACT),
  one("maxNegatives", (o) => n("maximum", n("negative", o("x")), n("negative", o("y"))), FLOATS),
  one("minNegatives", (o) => n("minimum", n("negative", o("x")), n("negative", o("y"))), FLOATS),
  one("limitsInOrder", (o) => n("maximum", n("minimum", o("x"), 7), 2), [...FLOATS, ...INTS]),
  one("limitsInOrder", (o) => n("maximum", n("minimum", o("x"), 0), 0), FLOATS),
  ...both("limitsCrossed", (o) => n("maximum", n("minimum", o("x"), 2), 7)),
  ...both("limitsMet", (o) => n("minimum", n("maximum", o("x"), 7), 2)),
]);
