// Rules on integers, one by one: division, bits, shifts and ranges.

import { expect, test } from "vitest";
import type { DType } from "../../src/core/dtype.ts";
import type { Expr } from "../../src/expr/expr.ts";
import { castTo, scalar } from "../../src/rewrite/make.ts";
import { INTEGERS, SHIFTS } from "../../src/rewrite/rules/integers.ts";
import { rangeOf } from "../../src/rewrite/rules/range.ts";
import { n, source } from "./nodes.ts";
import { type MakeOperand, type RuleCase, testRules } from "./ruleHarness.ts";

const INTS = ["int32", "int64", "uint8"] as const;
const SIGNED = ["int32", "int64"] as const;

const one = (rule: string, build: RuleCase["build"], dtypes: readonly DType[] = INTS): RuleCase => ({
  rule,
  build,
  dtypes,
});
const div = (x: Expr, y: Expr | number): Expr => n("floorDivide", x, y);
const rem = (x: Expr, y: Expr | number): Expr => n("remainder", x, y);
const mul = (x: Expr, y: Expr | number): Expr => n("multiply", x, y);
const add = (x: Expr, y: Expr | number): Expr => n("add", x, y);
/** −128 to 127, in a dtype that has room for more. */
const byte = (o: MakeOperand, name = "x"): Expr => castTo(o(name, { dtype: "int8" }), "int32");
const WIDE = ["int32"] as const;
const left = (x: Expr, c: number): Expr => n("bitwiseLeftShift", x, c);
const right = (x: Expr, c: number): Expr => n("bitwiseRightShift", x, c);
const invert = (x: Expr): Expr => n("bitwiseInvert", x);

const DIVISION: readonly RuleCase[] = [
  one("floorDivideOne", (o) => div(o("x"), 1)),
  one("floorDivideMinusOne", (o) => div(o("x"), -1), SIGNED),
  one("remainderOne", (o) => rem(o("x"), 1)),
  one("remainderMinusOne", (o) => rem(o("x"), -1), SIGNED),
  one("quotientAndRest", (o) => add(rem(o("x"), 7), mul(div(o("x"), 7), 7))),
  one("quotientAndRest", (o) => add(rem(o("x"), -3), mul(div(o("x"), -3), -3)), SIGNED),
  one("minusQuotient", (o) => n("subtract", o("x"), mul(div(o("x"), 7), 7))),
  one("minusQuotient", (o) => n("subtract", o("x"), mul(div(o("x"), -7), -7)), SIGNED),
  one("remainderTwice", (o) => rem(rem(o("x"), 12), 4)),
  one("floorDivideTwice", (o) => div(div(o("x"), 7), 3)),
  one("divideMultiple", (o) => div(mul(byte(o), 12), 4), WIDE),
  one("restOfMultiple", (o) => rem(mul(byte(o), 12), 4), WIDE),
  one("divideMultiplePlus", (o) => div(add(mul(byte(o), 12), byte(o, "y")), 4), WIDE),
  one("restOfMultiplePlus", (o) => rem(add(byte(o, "y"), mul(byte(o), 12)), 4), WIDE),
];

const COMPARISONS: readonly RuleCase[] = ["less", "lessEqual", "greater", "greaterEqual"].flatMap((op) => [
  one("compareQuotient", (o) => n(op, div(o("x"), 3), 2)),
  one("compareQuotient", (o) => n(op, div(o("x"), 3), -2), SIGNED),
  one("compareProduct", (o) => n(op, mul(byte(o), 3), 7), WIDE),
  one("compareProduct", (o) => n(op, mul(byte(o), 3), -9), WIDE),
  one("compareSum", (o) => n(op, add(byte(o), 3), 7), WIDE),
]);

const BITS: readonly RuleCase[] = [
  one("bitAndSelf", (o) => n("bitwiseAnd", o("x"), o("x"))),
  one("bitOrSelf", (o) => n("bitwiseOr", o("x"), o("x"))),
  one("bitXorSelf", (o) => n("bitwiseXor", o("x"), o("x"))),
  one("bitAndZero", (o) => n("bitwiseAnd", o("x"), 0)),
  one("bitOrZero", (o) => n("bitwiseOr", o("x"), 0)),
  one("bitXorZero", (o) => n("bitwiseXor", o("x"), 0)),
  ...["And", "Or", "Xor"].flatMap((op) => [
    one(`bit${op}Ones`, (o) => n(`bitwise${op}`, o("x"), -1), SIGNED),
    one(`bit${op}Ones`, (o) => n(`bitwise${op}`, o("x"), 255), ["uint8"]),
    one(`bit${op}Constants`, (o) => n(`bitwise${op}`, n(`bitwise${op}`, o("x"), 12), 10)),
    one(`bit${op}ConstantLast`, (o) => n(`bitwise${op}`, n(`bitwise${op}`, o("x"), 12), o("y"))),
  ]),
  one("invertTwice", (o) => invert(invert(o("x")))),
  one("bitAndInvert", (o) => n("bitwiseAnd", o("x"), invert(o("x")))),
  one("bitOrInvert", (o) => n("bitwiseOr", invert(o("x")), o("x"))),
  one("bitXorTwice", (o) => n("bitwiseXor", n("bitwiseXor", o("x"), o("y")), o("y"))),
  one("bitAndOr", (o) => n("bitwiseAnd", o("x"), n("bitwiseOr", o("y"), o("x")))),
  one("bitOrAnd", (o) => n("bitwiseOr", o("x"), n("bitwiseAnd", o("y"), o("x")))),
  one("andOfInverts", (o) => n("bitwiseAnd", invert(o("x")), invert(o("y")))),
  one("orOfInverts", (o) => n("bitwiseOr", invert(o("x")), invert(o("y")))),
  one("negativeInvert", (o) => n("negative", invert(o("x")))),
  one("leftShiftZero", (o) => left(o("x"), 0)),
  one("rightShiftZero", (o) => right(o("x"), 0)),
  one("leftShiftTwice", (o) => left(left(o("x"), 2), 3)),
  one("leftShiftTwice", (o) => left(left(o("x"), 60), 100)),
  one("rightShiftTwice", (o) => right(right(o("x"), 2), 3)),
  one("rightShiftTwice", (o) => right(right(o("x"), 60), 100)),
  one("shiftRightAndLeft", (o) => left(right(o("x"), 3), 3)),
  one("shiftLeftAndRight", (o) => right(left(o("x"), 3), 3), ["uint8"]),
];

const RANGES: readonly RuleCase[] = [
  one("compareByRange", (o) => n("greaterEqual", o("x"), 0), ["uint8", "bool"]),
  one("compareByRange", (o) => n("less", rem(o("x"), 7), 7)),
  one("compareByRange", (o) => n("equal", n("bitwiseAnd", o("x"), 7), 9)),
  one("compareByRange", (o) => n("notEqual", byte(o), 128), WIDE),
  one("compareByRange", (o) => n("lessEqual", n("minimum", o("x"), 3), 3)),
  one("limitByRange", (o) => n("maximum", o("x"), 0), ["uint8", "bool"]),
  one("limitByRange", (o) => n("minimum", rem(o("x"), 7), n("maximum", o("y"), 6))),
  one("quotientByRange", (o) => rem(n("bitwiseAnd", o("x"), 7), 8)),
  one("quotientByRange", (o) => div(rem(o("x"), 7), 9)),
  one("absByRange", (o) => n("abs", n("maximum", o("x"), 0)), SIGNED),
  one("castByRange", (o) => castTo(castTo(rem(o("x"), 100), "int8"), "float64")),
];

testRules("integers", INTEGERS, [...DIVISION, ...COMPARISONS, ...BITS, ...RANGES]);

testRules("shifts", SHIFTS, [
  one("floorDivideByPower", (o) => div(o("x"), 8)),
  one("remainderByPower", (o) => rem(o("x"), 8)),
]);

test("ranges", () => {
  const x = source(3, "int64", [10]);
  expect(rangeOf(x)).toEqual([3n, 12n]);
  expect(rangeOf(n("subtract", mul(x, 2), 5))).toEqual([1n, 19n]);
  expect(rangeOf(div(n("negative", x), 5))).toEqual([-3n, -1n]);
  expect(rangeOf(rem(x, 5))).toEqual([0n, 4n]);
  expect(rangeOf(rem(x, 20))).toEqual([3n, 12n]);
  expect(rangeOf(n("where", n("less", x, 5), x, scalar(-1, "int64")))).toEqual([-1n, 12n]);
  expect(rangeOf(castTo(source(0, "int8", [4]), "uint8"))).toEqual([0n, 3n]);
  expect(rangeOf(add(castTo(x, "int8"), 120))).toEqual([-128n, 127n]);
});
