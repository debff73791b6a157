// Casts: those that change nothing go, chains become one, and work is done in the smaller type where that gives the
// same. Must hold (docs/semantics.md, "Casts"): float to integer truncates and saturates, NaN to 0; integer to
// integer wraps; to bool is "not zero".

import { type DType, infoOf, isComplex, isFloat, isInteger, isTime, kindOf } from "../../core/dtype.ts";
import { Complex, fitScalar, integerRange, type Scalar } from "../../core/numbers.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import { cast } from "../../lazy/cast.ts";
import * as arithmetic from "../../ops/elementwise/arithmetic.ts";
import * as logic from "../../ops/elementwise/logic.ts";
import { broadcastTo, castTo, constantOf, scalar } from "../make.ts";
import { p, single, x, y } from "../pattern.ts";
import { decline, integer, rule, when } from "../patternRule.ts";
import { functionRule, type Rule, type RuleContext } from "../rule.ts";
import { anyOne, anyZero, isVariable, notBool, notComplex, wrapped } from "./conditions.ts";

/** Bits of a whole number that a dtype holds exactly. */
const wholeBits = (dtype: DType): number => {
  const { bytes, digits } = infoOf(dtype);
  if (digits > 0) return digits;
  return kindOf(dtype) === "int" ? bytes * 8 - 1 : bytes * 8;
};

/** Does every value of a dtype have its own, equal one in another? */
function isLossless(from: DType, to: DType): boolean {
  if (from === to || from === "bool") return true;
  // The same bits, of which no other dtype's ops know what they mean.
  if (isTime(from) || isTime(to)) return false;
  if (to === "bool" || (isComplex(from) && !isComplex(to))) return false;
  const [a, b] = [infoOf(from).part, infoOf(to).part];
  if (isFloat(a)) return isFloat(b) && infoOf(a).bytes <= infoOf(b).bytes;
  if (kindOf(a) === "int" && kindOf(b) === "uint") return false;
  return wholeBits(a) <= wholeBits(b);
}

/** Is cast(cast(x, via), to) = cast(x, to) for every x? */
export function isSkipped(from: DType, via: DType, to: DType): boolean {
  // The low bits are the same, whatever is cut off first.
  if (isInteger(from) && isInteger(via) && isInteger(to))
    return infoOf(to).bytes <= infoOf(via).bytes || isLossless(from, via);
  // No integer is so small that it becomes zero.
  if (to === "bool" && isInteger(from) && !isInteger(via)) return via !== "bool";
  if (!isLossless(from, via)) return false;
  // An integer wraps and a float saturates.
  return !(isInteger(from) && isInteger(to) && !isInteger(via)) || isLossless(from, to);
}

const CHAINS: readonly Rule[] = [
  functionRule("castToOwn", "cast(x, its dtype) = x", {
    tracks: [cast],
    apply: ({ inputs: [input], dtype }) => (input!.dtype === dtype ? input! : null),
  }),
  rule(
    "castTwice",
    "cast(cast(x, b), c) = cast(x, c), b loses nothing",
    p.cast(p.cast(x).as("y")),
    ({ x: from, y: via }, { dtype }) =>
      isSkipped(from.dtype, via.dtype, dtype)
        ? castTo(from, dtype)
        : decline(`${via.dtype} on the way makes a difference`),
  ),
  rule("castToBool", "cast(x, bool) = (x != 0)", p.cast(x, { dtype: "bool" }), p.notEqual(x, 0), {
    when: [notBool(x)],
  }),
  rule(
    "castWhole",
    "cast(trunc(x), integer) = cast(x, integer)",
    p.cast(p.trunc(x)),
    ({ x: from }, { dtype }) => (isInteger(dtype) ? castTo(from, dtype) : decline("only integers truncate")),
  ),
  rule(
    "realOfCast",
    "real(cast(x)) = cast(x)",
    p.real(p.cast(x)),
    ({ x: from }, { dtype }) => castTo(from, dtype),
    {
      when: [notComplex(x)],
    },
  ),
  rule("imagOfCast", "imag(cast(x)) = 0, x real", p.imag(p.cast(x)), 0, { when: [notComplex(x)] }),
  rule("realOfComplexCast", "real(cast(z)) = cast(real(z))", p.real(p.cast(x)), ({ x: from }, { dtype }) => {
    return isComplex(from.dtype) ? castTo(makeExpr(arithmetic.real, [from]), dtype) : decline("x is real");
  }),
  rule("imagOfComplexCast", "imag(cast(z)) = cast(imag(z))", p.imag(p.cast(x)), ({ x: from }, { dtype }) => {
    return isComplex(from.dtype) ? castTo(makeExpr(arithmetic.imag, [from]), dtype) : decline("x is real");
  }),
];

const fromBool = when<{ readonly x: Expr }>("x is bool", ({ x: { dtype } }) => dtype === "bool");

const BOOLS: readonly Rule[] = [
  rule("castBoolNotZero", "cast(x) != 0 = x, x bool", p.notEqual(p.cast(x), anyZero), x, {
    when: [fromBool],
  }),
  rule("castBoolIsZero", "cast(x) == 0 = not x, x bool", p.equal(p.cast(x), anyZero), p.logicalNot(x), {
    when: [fromBool],
  }),
  rule("castBoolIsOne", "cast(x) == 1 = x, x bool", p.equal(p.cast(x), anyOne), x, { when: [fromBool] }),
  rule("castBoolNotOne", "cast(x) != 1 = not x, x bool", p.notEqual(p.cast(x), anyOne), p.logicalNot(x), {
    when: [fromBool],
  }),
  rule("castBoolPositive", "cast(x) > 0 = x, x bool", p.greater(p.cast(x), anyZero), x, { when: [fromBool] }),
  rule(
    "multiplyMask",
    "x * cast(y) = where(y, x, 0), y bool, x an integer",
    p.multiply(x, single(p.cast(y))),
    p.where(y, x, 0),
    {
      when: [integer(x), when("y is bool", ({ y: mask }) => mask.dtype === "bool")],
    },
  ),
];

const { equal, notEqual, less, lessEqual, greater, greaterEqual } = logic;
const COMPARISONS = [equal, notEqual, less, lessEqual, greater, greaterEqual];

/** A constant as another dtype holds it, if it holds the same number. */
function sameValue(value: Scalar, dtype: DType): Scalar | null {
  if (value instanceof Complex || dtype === "bool" || isComplex(dtype)) return null;
  if (isFloat(dtype)) return fitScalar(value, dtype) === value ? value : null;
  if (typeof value === "number" && !Number.isInteger(value)) return null;
  const [low, high] = integerRange(dtype);
  const whole = BigInt(value);
  return whole >= low && whole <= high ? fitScalar(whole, dtype) : null;
}

/** f(cast(x), cast(y)) where both come from one dtype that the cast loses nothing of. */
function commonSource(node: Expr): DType | null {
  const casts = node.inputs.filter(isVariable);
  const from = casts[0]?.op === cast ? casts[0].inputs[0]!.dtype : null;
  if (from === null || isComplex(from) || isComplex(node.inputs[0]!.dtype)) return null;
  const isCommon = casts.every((one) => one.op === cast && one.inputs[0]!.dtype === from);
  return isCommon && isLossless(from, node.inputs[0]!.dtype) ? from : null;
}

/** The operands in the dtype they came from; null where a constant has no equal there. */
function inSource(node: Expr, from: DType): Expr[] | null {
  const inputs = node.inputs.map((one) => {
    if (isVariable(one)) return one.inputs[0]!;
    const value = sameValue(constantOf(one)!, from);
    return value === null ? null : scalar(value, from);
  });
  return inputs.every((one) => one !== null) ? inputs : null;
}

function compareInSource(node: Expr): Expr | null {
  const from = commonSource(node);
  const inputs = from === null ? null : inSource(node, from);
  return inputs === null ? null : broadcastTo(makeExpr(node.op, inputs), node.shape);
}

function limitInSource(node: Expr, context: RuleContext): Expr | null {
  const from = commonSource(node);
  if (from === null || node.inputs.some((one) => isVariable(one) && context.clients(one) > 1)) return null;
  // A constant on the other side of zero: −0 has no equal among integers that it could be told apart from.
  const inputs = node.inputs.some((one) => Object.is(constantOf(one), -0)) ? null : inSource(node, from);
  return inputs === null ? null : broadcastTo(castTo(makeExpr(node.op, inputs), node.dtype), node.shape);
}

/** Ops whose low bits depend on nothing but the low bits of their operands. */
const LOW_BITS = [
  ...[arithmetic.add, arithmetic.subtract, arithmetic.multiply, arithmetic.negative],
  ...[logic.bitwiseAnd, logic.bitwiseOr, logic.bitwiseXor, logic.bitwiseInvert],
];

/** cast(cast(a) + cast(b), narrow) = a + b in the narrow dtype, if that is what they came from. */
function narrowed({ inputs: [wide], dtype, shape }: Expr, context: RuleContext): Expr | null {
  if (!(LOW_BITS as readonly unknown[]).includes(wide!.op) || context.clients(wide!) > 1) return null;
  if (!isInteger(dtype) || !isInteger(wide!.dtype) || infoOf(dtype).bytes > infoOf(wide!.dtype).bytes)
    return null;
  const inputs = wide!.inputs.map((one) => {
    const value = constantOf(one);
    if (value !== undefined) return scalar(wrapped(BigInt(value as bigint), dtype), dtype);
    return one.op === cast && one.inputs[0]!.dtype === dtype ? one.inputs[0]! : null;
  });
  if (inputs.some((one) => one === null) || !inputs.some((one) => isVariable(one!))) return null;
  return broadcastTo(makeExpr(wide!.op, inputs as Expr[]), shape);
}

const NARROW: readonly Rule[] = [
  functionRule("compareInSource", "cast(x) < cast(y) = x < y, the cast loses nothing", {
    tracks: COMPARISONS,
    apply: compareInSource,
  }),
  functionRule("limitInSource", "max(cast(x), cast(y)) = cast(max(x, y)), the cast loses nothing", {
    tracks: [arithmetic.maximum, arithmetic.minimum],
    apply: limitInSource,
  }),
  functionRule("narrow", "cast(cast(x) + cast(y), narrow) = x + y, integers wrap", {
    tracks: [cast],
    apply: narrowed,
  }),
];

export const CASTS: readonly Rule[] = [...CHAINS, ...BOOLS, ...NARROW];
