// Rules on casts, one by one, and which chains of casts are one.

import { expect, test } from "vitest";
import { newBlock } from "../../src/core/block.ts";
import { DTYPES, type DType, isComplex } from "../../src/core/dtype.ts";
import type { Expr } from "../../src/expr/expr.ts";
import { makeExpr } from "../../src/expr/expr.ts";
import { opNamed } from "../../src/ops/index.ts";
import { castTo, scalar } from "../../src/rewrite/make.ts";
import { CASTS, isSkipped } from "../../src/rewrite/rules/casts.ts";
import { slotsOf } from "../property/compare.ts";
import { evaluateReference } from "../reference.ts";
import { n } from "./nodes.ts";
import { listed, sourceOf } from "./operands.ts";
import { type MakeOperand, type RuleCase, testRules } from "./ruleHarness.ts";

const FLOATS = ["float64", "float32"] as const;
const INTS = ["int32", "int64", "uint8"] as const;

const one = (rule: string, build: RuleCase["build"], dtypes?: readonly DType[]): RuleCase =>
  dtypes === undefined ? { rule, build } : { rule, build, dtypes };
const cast = (x: Expr, dtype: DType): Expr => makeExpr(opNamed("cast"), [x], { dtype });
const mask = (o: MakeOperand, dtype: DType): Expr => castTo(o("c", { dtype: "bool" }), dtype);
/** A constant that may be the largest operand. */
const filled = (value: number): Expr =>
  makeExpr(opNamed("full"), [], { dtype: "int64", shape: [2, 3], chunks: [2, 3], value: BigInt(value) });
const wide = (o: MakeOperand, name: string): Expr => castTo(o(name), "int64");

testRules("casts", CASTS, [
  one("castToOwn", (o) => cast(o("x"), o("x").dtype)),
  one("castTwice", (o) => cast(cast(o("x"), "float64"), "float32"), [...FLOATS, "int32", "uint8", "bool"]),
  one("castTwice", (o) => cast(cast(o("x"), "int32"), "uint8"), [...INTS, "bool"]),
  one("castTwice", (o) => cast(cast(o("x"), "int64"), "uint64"), [...INTS, "bool"]),
  one("castTwice", (o) => cast(cast(o("x"), "float32"), "bool"), ["float32", ...INTS, "bool"]),
  one("castTwice", (o) => cast(cast(o("x"), "complex128"), "complex64")),
  one("castToBool", (o) => cast(o("x"), "bool"), [...FLOATS, ...INTS, "complex128"]),
  one("castWhole", (o) => cast(n("trunc", o("x")), "int32")),
  one("realOfCast", (o) => n("real", cast(o("x"), "complex64")), [...FLOATS, ...INTS, "bool"]),
  one("imagOfCast", (o) => n("imag", cast(o("x"), "complex64")), [...FLOATS, ...INTS, "bool"]),
  one("realOfComplexCast", (o) => n("real", cast(o("x"), "complex64")), ["complex128"]),
  one("imagOfComplexCast", (o) => n("imag", cast(o("x"), "complex64")), ["complex128"]),

  one("castBoolNotZero", (o) => n("notEqual", mask(o, "float32"), 0), ["bool"]),
  one("castBoolIsZero", (o) => n("equal", mask(o, "complex64"), 0), ["bool"]),
  one("castBoolIsOne", (o) => n("equal", mask(o, "int8"), 1), ["bool"]),
  one("castBoolNotOne", (o) => n("notEqual", mask(o, "complex64"), 1), ["bool"]),
  one("castBoolPositive", (o) => n("greater", mask(o, "uint64"), 0), ["bool"]),
  one("multiplyMask", (o) => n("multiply", mask(o, o("x").dtype), o("x")), INTS),

  one("compareInSource", (o) => n("less", castTo(o("x"), "float64"), castTo(o("y"), "float64")), [
    ...(["float32", "int32", "uint8", "bool"] as const),
  ]),
  one("compareInSource", (o) => n("equal", castTo(o("x"), "float64"), 3), ["float32", "int32", "uint8"]),
  one("compareInSource", (o) => n("greaterEqual", castTo(o("x"), "int64"), 100), ["int32", "uint8"]),
  one("limitInSource", (o) => n("maximum", castTo(o("x"), "float64"), castTo(o("y"), "float64")), [
    ...(["float32", "int32", "uint8", "bool"] as const),
  ]),
  one("compareInSource", (o) => n("less", castTo(o("x"), "int64"), filled(3)), ["int32", "uint8"]),
  one("limitInSource", (o) => n("minimum", castTo(o("x"), "int64"), filled(3)), ["int32", "uint8"]),
  one("narrow", (o) => castTo(n("add", wide(o, "x"), filled(3)), o("x").dtype), ["int32", "uint8"]),
  one("limitInSource", (o) => n("minimum", castTo(o("x"), "float64"), 100), ["float32", "int32", "uint8"]),
  one("narrow", (o) => castTo(n("add", wide(o, "x"), wide(o, "y")), o("x").dtype), ["int32", "uint8"]),
  one("narrow", (o) => castTo(n("multiply", wide(o, "x"), -3), o("x").dtype), ["int32", "uint8"]),
  one("narrow", (o) => castTo(n("bitwiseInvert", wide(o, "x")), o("x").dtype), ["int32", "uint8"]),
]);

const canCast = (from: DType, to: DType): boolean => !isComplex(from) || isComplex(to) || to === "bool";

test("every chain of two casts that is one gives the same for every special value", () => {
  for (const from of DTYPES) {
    const values = listed(from, "special");
    const block = newBlock(from, [values.length]);
    (block.data as Float64Array).set(values as never);
    const x = sourceOf(block);
    for (const via of DTYPES)
      for (const to of DTYPES) {
        if (!canCast(from, via) || !canCast(via, to) || !canCast(from, to) || !isSkipped(from, via, to))
          continue;
        const [long, short] = [cast(cast(x, via), to), cast(x, to)];
        const results = evaluateReference([long, short]);
        expect(slotsOf(results.get(short)!), `${from} → ${via} → ${to}`).toEqual(slotsOf(results.get(long)!));
      }
  }
});

test("a constant that the source has no equal of stays where it is", () => {
  const x = n("add", castTo(scalar(1, "int32"), "float64"), 0.5);
  for (const rule of CASTS) expect(rule.apply(n("less", x, 0.5), { clients: () => 1 })).toBeNull();
});
