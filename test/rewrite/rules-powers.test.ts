// Rules on powers, roots, absolute values, signs and whole numbers, one by one.

import type { DType } from "../../src/core/dtype.ts";
import { Complex } from "../../src/core/numbers.ts";
import type { Expr } from "../../src/expr/expr.ts";
import { castTo, scalar } from "../../src/rewrite/make.ts";
import { POWERS, POWERS_LATE } from "../../src/rewrite/rules/powers.ts";
import { n } from "./nodes.ts";
import { type RuleCase, testRules } from "./ruleHarness.ts";

const FLOATS = ["float64", "float32"] as const;
const INTS = ["int32", "int64", "uint8"] as const;
const COMPLEX = ["complex128"] as const;

const one = (rule: string, build: RuleCase["build"], dtypes?: readonly DType[]): RuleCase =>
  dtypes === undefined ? { rule, build } : { rule, build, dtypes };
const pow = (c: number, x: Expr): Expr => n("pow", scalar(c, x.dtype), x);
const over = (c: number, x: Expr): Expr => n("divide", scalar(c, x.dtype), x);

testRules("powers", POWERS, [
  one("powZero", (o) => n("pow", o("x"), 0), [...FLOATS, ...INTS]),
  one("powOne", (o) => n("pow", o("x"), 1), [...FLOATS, ...INTS]),
  one("onePow", (o) => n("pow", scalar(1, o("x").dtype), o("x")), [...FLOATS, "uint8"]),
  one("powTwo", (o) => n("pow", o("x"), 2), INTS),
  one("powTwoFloat", (o) => n("pow", o("x"), 2), FLOATS),
  one("powMinusOne", (o) => n("pow", o("x"), -1), FLOATS),
  one("multiplySelf", (o) => n("multiply", o("x"), o("x")), [...FLOATS, ...INTS, ...COMPLEX]),
  one("oneOver", (o) => over(1, o("x")), FLOATS),
  one("oneOverComplex", (o) => n("divide", scalar(new Complex(1, 0), "complex128"), o("x")), COMPLEX),
  one("squareNegative", (o) => n("square", n("negative", o("x")))),
  one("squareAbs", (o) => n("square", n("abs", o("x"))), [...FLOATS, ...INTS]),
  one("sqrtSquare", (o) => n("sqrt", n("square", o("x"))), FLOATS),
  one("squareSqrt", (o) => n("square", n("sqrt", o("x"))), FLOATS),

  one("reciprocalTwice", (o) => n("reciprocal", n("reciprocal", o("x"))), FLOATS),
  one("divideByReciprocal", (o) => n("divide", o("x"), n("reciprocal", o("y"))), FLOATS),
  one("multiplyReciprocal", (o) => n("multiply", n("reciprocal", o("x")), o("y")), FLOATS),
  one("reciprocalQuotient", (o) => n("reciprocal", n("divide", o("x"), o("y"))), FLOATS),
  one("divideQuotient", (o) => n("divide", n("divide", o("x"), o("y")), o("z"))),
  one("divideByQuotientOf", (o) => n("divide", o("x"), n("divide", o("y"), o("z")))),

  one("expProduct", (o) => n("multiply", n("exp", o("x")), n("exp", o("y")))),
  one("expQuotient", (o) => n("divide", o("x"), n("exp", o("y")))),
  one("powProduct", (o) => n("multiply", pow(3, o("x")), pow(3, o("y"))), FLOATS),

  one("absTwice", (o) => n("abs", n("abs", o("x")))),
  one("absNegative", (o) => n("abs", n("negative", o("x")))),
  one("absConj", (o) => n("abs", n("conj", o("x")))),
  one("absUnsigned", (o) => n("abs", o("x")), ["uint8"]),
  one("absSquare", (o) => n("abs", n("square", o("x"))), FLOATS),
  one("absExp", (o) => n("abs", n("exp", o("x"))), FLOATS),
  one("absProduct", (o) => n("multiply", n("abs", o("x")), n("abs", o("y"))), FLOATS),
  one("absQuotient", (o) => n("divide", n("abs", o("x")), n("abs", o("y"))), FLOATS),
  one("maxOfBothSigns", (o) => n("maximum", n("negative", o("x")), o("x")), [...FLOATS, "int32", "int64"]),
  one("minOfBothSigns", (o) => n("minimum", o("x"), n("negative", o("x"))), [...FLOATS, "int32", "int64"]),
  one("signTwice", (o) => n("sign", n("sign", o("x"))), [...FLOATS, ...INTS]),
  one("signTimesAbs", (o) => n("multiply", n("abs", o("x")), n("sign", o("x"))), INTS),
  one("signTimesAbsFast", (o) => n("multiply", n("abs", o("x")), n("sign", o("x"))), FLOATS),
  one("signTimesSelf", (o) => n("multiply", n("sign", o("x")), o("x")), INTS),
  one("signTimesSelfFast", (o) => n("multiply", n("sign", o("x")), o("x")), FLOATS),
  one("divideByAbs", (o) => n("divide", o("x"), n("abs", o("x"))), FLOATS),
  one("wholeTwice", (o) => n("floor", n("round", o("x"))), [...FLOATS, ...INTS]),
  one("wholeTwice", (o) => n("round", n("trunc", o("x")))),
  one("wholeInteger", (o) => n("ceil", o("x")), INTS),
  one("wholeCast", (o) => n("round", castTo(o("x"), "float32")), INTS),
  one("negativeFloor", (o) => n("negative", n("floor", n("negative", o("x")))), FLOATS),
  one("negativeCeil", (o) => n("negative", n("ceil", n("negative", o("x")))), FLOATS),

  one("conjReal", (o) => n("conj", o("x")), [...FLOATS, ...INTS]),
  one("conjTwice", (o) => n("conj", n("conj", o("x"))), COMPLEX),
  one("realOfReal", (o) => n("real", o("x")), [...FLOATS, ...INTS]),
  one("imagOfReal", (o) => n("imag", o("x")), [...FLOATS, ...INTS]),
  one("realConj", (o) => n("real", n("conj", o("x"))), COMPLEX),
  one("imagConj", (o) => n("imag", n("conj", o("x"))), COMPLEX),
  one("realNegative", (o) => n("real", n("negative", o("x"))), COMPLEX),
  one("imagNegative", (o) => n("imag", n("negative", o("x"))), COMPLEX),
  one("realSum", (o) => n("real", n("add", o("x"), o("y"))), COMPLEX),
  one("imagSum", (o) => n("imag", n("add", o("x"), o("y"))), COMPLEX),
  one("realDifference", (o) => n("real", n("subtract", o("x"), o("y"))), COMPLEX),
  one("imagDifference", (o) => n("imag", n("subtract", o("x"), o("y"))), COMPLEX),
]);

testRules("powers-late", POWERS_LATE, [
  one("powHalf", (o) => n("pow", o("x"), 0.5), FLOATS),
  one("powMinusHalf", (o) => n("pow", o("x"), -0.5), FLOATS),
  one("powMinusTwo", (o) => n("pow", o("x"), -2), FLOATS),
  one("powInteger", (o) => n("pow", o("x"), 13), INTS),
  one("powIntegerFast", (o) => n("pow", o("x"), 5), FLOATS),
]);
