// Rules on logic, one by one.

import type { DType } from "../../src/core/dtype.ts";
import type { Expr } from "../../src/expr/expr.ts";
import { scalar } from "../../src/rewrite/make.ts";
import { BOOLEANS } from "../../src/rewrite/rules/booleans.ts";
import { n } from "./nodes.ts";
import { type MakeOperand, type RuleCase, testRules } from "./ruleHarness.ts";

const FLOATS = ["float64", "float32"] as const;
const INTS = ["int32", "int64", "uint8"] as const;
const BOOL = ["bool"] as const;

const one = (rule: string, build: RuleCase["build"], dtypes?: readonly DType[]): RuleCase =>
  dtypes === undefined ? { rule, build } : { rule, build, dtypes };
const yes = scalar(true, "bool");
const no = scalar(false, "bool");
const two = (op: string) => (o: MakeOperand) => n(op, o("x"), o("y"));
const not = (x: Expr): Expr => n("logicalNot", x);
const and = (x: Expr, y: Expr | number): Expr => n("logicalAnd", x, y);
const or = (x: Expr, y: Expr | number): Expr => n("logicalOr", x, y);
const NUMBERS = [...FLOATS, ...INTS, "complex128"] as const;

testRules("booleans", BOOLEANS, [
  one("bitwiseAndOfBools", two("bitwiseAnd"), BOOL),
  one("bitwiseOrOfBools", two("bitwiseOr"), BOOL),
  one("bitwiseXorOfBools", two("bitwiseXor"), BOOL),
  one("logicalXorOfBools", two("logicalXor"), BOOL),
  one("bitwiseInvertOfBool", (o) => n("bitwiseInvert", o("x")), BOOL),
  one("maximumOfBools", two("maximum"), BOOL),
  one("minimumOfBools", two("minimum"), BOOL),
  one("logicalNotOfNumber", (o) => not(o("x")), NUMBERS),
  one("andTrueOfNumbers", (o) => and(o("x"), 3), NUMBERS),
  one("orFalseOfNumbers", (o) => or(o("x"), 0), NUMBERS),
  one("andSelfOfNumbers", (o) => or(o("x"), o("x")), NUMBERS),
  one("andFalse", (o) => and(o("x"), 0)),
  one("orTrue", (o) => or(o("x"), 1)),
  one("notNot", (o) => not(not(o("x"))), BOOL),
  one("andTrue", (o) => and(o("x"), yes), BOOL),
  one("orFalse", (o) => or(o("x"), no), BOOL),
  one("equalTrue", (o) => n("equal", o("x"), yes), BOOL),
  one("equalFalse", (o) => n("equal", o("x"), no), BOOL),
  one("notEqualTrue", (o) => n("notEqual", o("x"), yes), BOOL),
  one("notEqualFalse", (o) => n("notEqual", o("x"), no), BOOL),
  one("notEqualTwice", (o) => n("notEqual", n("notEqual", o("x"), o("y")), o("y")), BOOL),
  one("andSelf", (o) => and(o("x"), o("x")), BOOL),
  one("orSelf", (o) => or(o("x"), o("x")), BOOL),
  one("andAgain", (o) => and(and(o("x"), o("y")), o("x")), BOOL),
  one("orAgain", (o) => or(or(o("x"), o("y")), o("y")), BOOL),
  one("andNot", (o) => and(o("x"), not(o("x"))), BOOL),
  one("orNot", (o) => or(not(o("x")), o("x")), BOOL),
  one("andOr", (o) => and(or(o("x"), o("y")), o("x")), BOOL),
  one("orAnd", (o) => or(o("x"), and(o("x"), o("y"))), BOOL),
  one("andOrNot", (o) => and(o("x"), or(not(o("x")), o("y"))), BOOL),
  one("orAndNot", (o) => or(o("x"), and(o("y"), not(o("x")))), BOOL),
  one("andOfNots", (o) => and(not(o("x")), not(o("y")))),
  one("orOfNots", (o) => or(not(o("x")), not(o("y")))),
  one("notNaNOrInf", (o) => not(or(n("isinf", o("x")), n("isnan", o("x"))))),
  ...["less", "lessEqual", "greater", "greaterEqual"].flatMap((op) => [
    one(`${op}Both`, (o) => and(n(op, o("x"), 1), n(op, o("x"), 0)), [...FLOATS, ...INTS, "bool"]),
    one(`${op}Either`, (o) => or(n(op, o("x"), 1), n(op, o("x"), 0)), [...FLOATS, ...INTS, "bool"]),
  ]),
  one("lessOrEqual", (o) => or(n("less", o("x"), o("y")), n("equal", o("x"), o("y")))),
  one("greaterOrEqual", (o) => or(n("equal", o("x"), o("y")), n("greater", o("x"), o("y")))),
  one("lessAndGreater", (o) => and(n("lessEqual", o("x"), o("y")), n("greaterEqual", o("x"), o("y")))),
  one("lessButNot", (o) => and(n("lessEqual", o("x"), o("y")), n("notEqual", o("x"), o("y")))),
  one("greaterButNot", (o) => and(n("greaterEqual", o("x"), o("y")), n("notEqual", o("x"), o("y")))),
  one("lessOrGreater", (o) => or(n("less", o("x"), o("y")), n("greater", o("x"), o("y"))), INTS),
]);
