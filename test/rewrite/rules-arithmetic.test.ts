// Rules on sums, differences, products, quotients and signs, one by one.

import { Complex } from "../../src/core/numbers.ts";
import { scalar } from "../../src/rewrite/make.ts";
import { ARITHMETIC, RECIPROCALS } from "../../src/rewrite/rules/arithmetic.ts";
import { n } from "./nodes.ts";
import { type RuleCase, testRules } from "./ruleHarness.ts";

type Build = RuleCase["build"];
const FLOATS = ["float64", "float32"] as const;
const INTS = ["int32", "int64", "uint8"] as const;

const complex = (re: number, im: number) => scalar(new Complex(re, im), "complex128");

/** Both rules of a pair: exact for integers, and the fast one. */
const both = (rule: string, build: Build): readonly RuleCase[] => [
  { rule, build, dtypes: INTS },
  { rule: `${rule}Fast`, build, dtypes: [...FLOATS, "complex128"] },
];
const one = (rule: string, build: Build, dtypes?: RuleCase["dtypes"]): RuleCase =>
  dtypes === undefined ? { rule, build } : { rule, build, dtypes };

const NEUTRAL: readonly RuleCase[] = [
  one("positive", (o) => n("positive", o("x"))),
  one("stopGradient", (o) => n("stopGradient", o("x"))),
  one("mark", (o) => n("mark", o("x"))),
  one("addNegativeZero", (o) => n("add", o("x"), -0), FLOATS),
  one("addNegativeZeroComplex", (o) => n("add", complex(-0, -0), o("x")), ["complex128"]),
  ...both("addZero", (o) => n("add", o("x"), 0)),
  one("subtractZero", (o) => n("subtract", o("x"), 0), [...FLOATS, ...INTS]),
  one("subtractZeroComplex", (o) => n("subtract", o("x"), complex(0, 0)), ["complex128"]),
  one("subtractZeroFast", (o) => n("subtract", o("x"), -0)),
  one("negativeZeroMinus", (o) => n("subtract", scalar(-0, o("x").dtype), o("x")), FLOATS),
  ...both("zeroMinus", (o) => n("subtract", scalar(0, o("x").dtype), o("x"))),
  one("multiplyOne", (o) => n("multiply", o("x"), 1), [...FLOATS, ...INTS]),
  one("multiplyOneComplex", (o) => n("multiply", o("x"), 1), ["complex128"]),
  one("multiplyMinusOne", (o) => n("multiply", o("x"), -1), [...FLOATS, "int32", "int64"]),
  one("divideOne", (o) => n("divide", o("x"), 1), FLOATS),
  one("divideOneComplex", (o) => n("divide", o("x"), 1), ["complex128"]),
  one("divideMinusOne", (o) => n("divide", o("x"), -1), FLOATS),
  ...both("multiplyZero", (o) => n("multiply", o("x"), 0)),
  one("zeroDivide", (o) => n("divide", scalar(0, o("x").dtype), o("x"))),
  ...both("subtractSelf", (o) => n("subtract", o("x"), o("x"))),
  one("divideSelf", (o) => n("divide", o("x"), o("x"))),
];

const NEGATION: readonly RuleCase[] = [
  one("negativeTwice", (o) => n("negative", n("negative", o("x")))),
  one("addNegative", (o) => n("add", n("negative", o("x")), o("y"))),
  one("subtractNegative", (o) => n("subtract", o("x"), n("negative", o("y")))),
  ...both("negativeDifference", (o) => n("negative", n("subtract", o("x"), o("y")))),
  ...both("negativeAdd", (o) => n("negative", n("add", o("x"), 3))),
  ...both("negativeMinus", (o) => n("subtract", n("negative", o("x")), 3)),
  one("negativeProduct", (o) => n("negative", n("multiply", o("x"), 3)), [...FLOATS, ...INTS]),
  one("productOfNegative", (o) => n("multiply", n("negative", o("x")), 3), [...FLOATS, ...INTS]),
  one("negativeQuotient", (o) => n("negative", n("divide", o("x"), 3)), FLOATS),
  one("negativeOver", (o) => n("negative", n("divide", scalar(3, o("x").dtype), o("x"))), FLOATS),
  one("overNegative", (o) => n("divide", scalar(3, o("x").dtype), n("negative", o("x"))), FLOATS),
  one("quotientOfNegative", (o) => n("divide", n("negative", o("x")), 3), FLOATS),
  one("multiplyNegative", (o) => n("multiply", n("negative", o("x")), o("y")), [...FLOATS, ...INTS]),
  one("divideNegative", (o) => n("divide", n("negative", o("x")), o("y")), FLOATS),
  one("divideByNegative", (o) => n("divide", o("x"), n("negative", o("y"))), FLOATS),
];

const CANCEL: readonly RuleCase[] = [
  ...both("addThenSubtract", (o) => n("subtract", n("add", o("x"), o("y")), o("y"))),
  ...both("subtractThenAdd", (o) => n("add", o("y"), n("subtract", o("x"), o("y")))),
  ...both("subtractDifference", (o) => n("subtract", o("x"), n("subtract", o("x"), o("y")))),
  ...both("subtractSum", (o) => n("subtract", o("x"), n("add", o("y"), o("x")))),
  one("multiplyThenDivide", (o) => n("divide", n("multiply", o("x"), o("y")), o("y"))),
  one("divideThenMultiply", (o) => n("multiply", n("divide", o("x"), o("y")), o("y"))),
  one("divideByQuotient", (o) => n("divide", o("x"), n("divide", o("x"), o("y")))),
  one("divideByProduct", (o) => n("divide", o("x"), n("multiply", o("x"), o("y")))),
  one("divideProducts", (o) => n("divide", n("multiply", o("x"), o("y")), n("multiply", o("y"), o("z")))),
  ...both("cancelTerms", (o) =>
    n("subtract", n("add", n("subtract", o("x"), o("y")), o("z")), n("subtract", o("x"), o("y"))),
  ),
  one("cancelTerms", (o) => n("add", n("subtract", o("x"), o("y")), n("subtract", o("y"), o("x"))), INTS),
  one("cancelTerms", (o) => n("subtract", o("x"), n("add", n("add", o("x"), o("y")), o("z"))), INTS),
  one("cancelFactors", (o) => n("divide", n("multiply", n("multiply", o("x"), o("y")), o("z")), o("y"))),
  one("cancelFactors", (o) => n("multiply", n("multiply", n("reciprocal", o("x")), o("y")), o("x"))),
];

const from = (c: number, x: ReturnType<typeof n>) => n("subtract", scalar(c, x.dtype), x);
const over = (c: number, x: ReturnType<typeof n>) => n("divide", scalar(c, x.dtype), x);

const MERGE: readonly RuleCase[] = [
  ...both("mergeAdd", (o) => n("add", n("add", o("x"), 100), 200)),
  ...both("mergeAddSubtract", (o) => n("subtract", n("add", o("x"), 100), 200)),
  ...both("mergeSubtractAdd", (o) => n("add", n("subtract", o("x"), 200), 100)),
  ...both("mergeSubtract", (o) => n("subtract", n("subtract", o("x"), 100), 200)),
  ...both("mergeFromAdd", (o) => n("add", from(100, o("x")), 200)),
  ...both("mergeFromSubtract", (o) => n("subtract", from(100, o("x")), 200)),
  ...both("mergeMinusSum", (o) => from(100, n("add", o("x"), 200))),
  ...both("mergeMinusFrom", (o) => from(100, from(200, o("x")))),
  ...both("mergeMinusDifference", (o) => from(100, n("subtract", o("x"), 200))),
  one("mergeScales", (o) => n("multiply", n("multiply", o("x"), 4), -2), FLOATS),
  ...both("mergeMultiply", (o) => n("multiply", n("multiply", o("x"), 100), 3)),
  one("mergeMultiplyDivide", (o) => n("divide", n("multiply", o("x"), 3), 7)),
  one("mergeDivideMultiply", (o) => n("multiply", n("divide", o("x"), 3), 7)),
  one("mergeDivide", (o) => n("divide", n("divide", o("x"), 3), 7)),
  one("mergeOverMultiply", (o) => n("multiply", over(3, o("x")), 7)),
  one("mergeOverDivide", (o) => n("divide", over(3, o("x")), 7)),
  one("mergeOverProduct", (o) => over(3, n("multiply", o("x"), 7))),
  one("mergeOverQuotient", (o) => over(3, n("divide", o("x"), 7))),
  one("mergeOverOver", (o) => over(3, over(7, o("x")))),
  one("addConstantLast", (o) => n("add", n("add", o("x"), 3), o("y")), INTS),
  one("multiplyConstantLast", (o) => n("multiply", o("y"), n("multiply", o("x"), 3)), INTS),
  ...both("factorSum", (o) => n("add", n("multiply", o("x"), o("y")), n("multiply", o("z"), o("x")))),
  ...both("factorDifference", (o) =>
    n("subtract", n("multiply", o("x"), o("y")), n("multiply", o("z"), o("x"))),
  ),
  ...both("factorOne", (o) => n("add", n("multiply", o("x"), 3), o("x"))),
  one("constantRight", (o) => n("add", scalar(3, o("x").dtype), o("x"))),
  one("constantRight", (o) => n("maximum", scalar(1, o("x").dtype), o("x"))),
];

testRules("arithmetic", ARITHMETIC, [...NEUTRAL, ...NEGATION, ...CANCEL, ...MERGE]);

testRules("reciprocals", RECIPROCALS, [
  one("divideByPowerOfTwo", (o) => n("divide", o("x"), -8), FLOATS),
  one("divideByPowerOfTwo", (o) => n("divide", o("x"), 2 ** 1023), ["float64"]),
  one("divideByPowerOfTwo", (o) => n("divide", o("x"), 2 ** -126), FLOATS),
  one("divideByConstant", (o) => n("divide", o("x"), 3), FLOATS),
]);
