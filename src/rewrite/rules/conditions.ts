// Conditions that several families of rules ask of nodes and of constants. In: what a pattern has bound. Out: yes
// or no, with the words for explain.

import type { Attrs } from "../../core/block.ts";
import { type Shape, sameShape } from "../../core/chunks.ts";
import { type DType, infoOf, isComplex, isFloat, isInteger, kindOf } from "../../core/dtype.ts";
import { Complex, integerRange, isZero, roundedTo, type Scalar } from "../../core/numbers.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { full } from "../../lazy/lazyArray.ts";
import { expandDims, permute, squeeze } from "../../ops/moves/axisMoves.ts";
import {
  type Condition,
  type Constant,
  constant,
  type Pattern,
  type Variable,
  variable,
} from "../pattern.ts";
import { integer, type RightSide, rule, when } from "../patternRule.ts";
import type { Change, Rule } from "../rule.ts";

// Moves of axes as rules build them: nothing where there is nothing to do, one node otherwise. Attributes are
// written as the API writes them, so that equal moves are the same node.

export const axesOf = (node: Expr): readonly number[] => node.attrs["axes"] as readonly number[];

export const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

export const ascending = (axes: readonly number[]): number[] => [...axes].sort((a, b) => a - b);

export const isAscending = (axes: readonly number[]): boolean =>
  axes.every((axis, i) => i === 0 || axes[i - 1]! < axis);

export const permuted = (x: Expr, axes: readonly number[]): Expr =>
  isAscending(axes) ? x : makeExpr(permute, [x], { axes });

export const squeezed = (x: Expr, axes: readonly number[]): Expr =>
  axes.length === 0 ? x : makeExpr(squeeze, [x], { axes });

export const expanded = (x: Expr, axes: readonly number[]): Expr =>
  axes.length === 0 ? x : makeExpr(expandDims, [x], { axes });

/** For every axis that is left, the axis it was. */
export const keptAxes = (ndim: number, dropped: readonly number[]): number[] =>
  range(ndim).filter((axis) => !dropped.includes(axis));

/** The places at which some axes stand among the axes that are left when others go. */
export const placesAmong = (
  axes: readonly number[],
  ndim: number,
  dropped: readonly number[],
): readonly number[] => {
  const kept = keptAxes(ndim, dropped);
  return axes.map((axis) => kept.indexOf(axis));
};

/** Which axis of the input an axis of its expandDims is; −1 for a new one. */
export function axesBelow(node: Expr): readonly number[] {
  const added = axesOf(node);
  let next = 0;
  return node.shape.map((_, axis) => (added.includes(axis) ? -1 : next++));
}

/** A reduction over `axes` whose result lacks `dropped` of them; the others stay with length 1. */
export function reduced(
  op: Op,
  x: Expr,
  axes: readonly number[],
  dropped: readonly number[],
  attrs: Attrs = {},
): Expr {
  const keepdims = dropped.length < axes.length || axes.length === 0;
  const result = makeExpr(op, [x], { ...attrs, axes, keepdims });
  return keepdims ? squeezed(result, dropped) : result;
}

/** The lengths other than 1. */
const spread = (shape: Shape): Shape => shape.filter((length) => length !== 1);

/** Do two shapes differ in axes of length 1 only? */
export const isUnitChange = (from: Shape, to: Shape): boolean => sameShape(spread(from), spread(to));

/** The places of the axes of length 1 in each gap between the others. */
function unitGaps(shape: Shape): number[][] {
  const gaps: number[][] = [[]];
  shape.forEach((length, axis) => {
    if (length === 1) gaps.at(-1)!.push(axis);
    else gaps.push([]);
  });
  return gaps;
}

/** From one shape to another that differs in axes of length 1 only: what is too much goes, what lacks comes. */
export function withUnitAxes(x: Expr, to: Shape): Expr {
  const here = unitGaps(x.shape);
  const there = unitGaps(to);
  const dropped = here.flatMap((gap, i) => gap.slice(there[i]!.length));
  const added = there.flatMap((gap, i) => gap.slice(here[i]!.length));
  return expanded(squeezed(x, dropped), added);
}

type Bound<Name extends string> = { readonly [N in Name]: Expr };

const typed =
  (says: string, test: (node: Expr) => boolean) =>
  <Name extends string>(of: Variable<Name>): Condition<Bound<Name>> => {
    const { name } = of.form as unknown as { name: Name };
    return when(`${name} is ${says}`, (bound) => test(bound[name]));
  };
type TypeCondition = <Name extends string>(of: Variable<Name>) => Condition<Bound<Name>>;

export const signedInteger: TypeCondition = typed("a signed integer", ({ dtype }) => kindOf(dtype) === "int");
export const unsigned: TypeCondition = typed("unsigned", ({ dtype }) => kindOf(dtype) === "uint");
export const notUnsigned: TypeCondition = typed("not unsigned", ({ dtype }) => kindOf(dtype) !== "uint");
/** Negation has no number that it cannot turn, or turns it as the dtype wraps. */
export const signed: TypeCondition = typed(
  "a signed integer or floating",
  ({ dtype }) => kindOf(dtype) === "int" || isFloat(dtype),
);
export const notInteger: TypeCondition = typed("no integer", ({ dtype }) => !isInteger(dtype));
export const integerOrBool: TypeCondition = typed(
  "an integer or bool",
  ({ dtype }) => isInteger(dtype) || dtype === "bool",
);
export const notBool: TypeCondition = typed("not bool", ({ dtype }) => dtype !== "bool");
export const complex: TypeCondition = typed("complex", ({ dtype }) => isComplex(dtype));
export const notComplex: TypeCondition = typed("not complex", ({ dtype }) => !isComplex(dtype));

/** Not a constant: two constants are for constant folding. */
export const isVariable = (node: Expr): boolean => node.op !== full;
const plain = <Name extends string>(name: Name): Pattern<Bound<Name>> =>
  variable(name).where(isVariable, `${name} is no constant`);
/** Variables that are no constants. */
export const nx: Pattern<Bound<"x">> = plain("x");
export const ny: Pattern<Bound<"y">> = plain("y");

/** Constants by their usual names. */
export const c: Constant<"c"> = constant("c");
export const d: Constant<"d"> = constant("d");
/** Zero of any dtype and sign. */
export const anyZero: Constant<"zero"> = constant("zero", isZero, "a zero");
/** 0 and not −0. */
export const plusZero: Constant<"zero"> = constant(
  "zero",
  (value) =>
    value instanceof Complex ? Object.is(value.re, 0) && Object.is(value.im, 0) : Object.is(Number(value), 0),
  "a positive zero",
);
/** True, or any number but zero (NaN too). */
export const nonZero: Constant<"c"> = constant("c", (value) => !isZero(value), "c is not zero");
/** One of any dtype. */
export const anyOne: Constant<"one"> = constant(
  "one",
  (value) => (value instanceof Complex ? value.re === 1 && Object.is(value.im, 0) : Number(value) === 1),
  "a one",
);

const isNaNValue = (value: Scalar): boolean =>
  value instanceof Complex ? Number.isNaN(value.re) || Number.isNaN(value.im) : Number.isNaN(value);
export const nan: Constant<"c"> = constant("c", isNaNValue, "c is NaN");
/** The value of a real constant. */
export const numberOf = (value: Scalar): number => (value instanceof Complex ? Number.NaN : Number(value));

/** ±2ᵏ, of which the reciprocal is in the dtype too: then both products and quotients are exact. */
export function isPowerOfTwo(value: Scalar, dtype: DType): boolean {
  if (value instanceof Complex) return false;
  const size = Math.abs(Number(value));
  if (size === 0 || !Number.isFinite(size)) return false;
  const inverse = isFloat(dtype) ? roundedTo(1 / size, dtype) : 1 / size;
  return Number.isInteger(Math.log2(size)) && 2 ** Math.log2(size) === size && inverse * size === 1;
}

export const isConstantPower = (value: Scalar): boolean => isPowerOfTwo(value, "float64");

/** A whole number modulo 2ⁿ, as an integer dtype holds it. */
export function wrapped(value: bigint, dtype: DType): bigint {
  const bits = infoOf(dtype).bytes * 8;
  return kindOf(dtype) === "uint" ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
}

/** Every bit set. */
export const allOnes = (dtype: DType): bigint => (kindOf(dtype) === "uint" ? integerRange(dtype)[1] : -1n);

/** Every element of the node has one of its own in the other: work on either is the same. */
export const isAsLarge = (node: Expr, other: Expr): boolean => sameShape(node.shape, other.shape);

/**
 * A rule that is exact for integers, which wrap, and changes something for floats and complex numbers: two rules,
 * `name` and `nameFast`. The left side has to bind x, of the dtype of the whole.
 */
export function wrapsExactly<Binds extends Bound<"x">>(
  name: string,
  equation: string,
  left: Pattern<Binds>,
  right: RightSide<NoInfer<Binds>>,
  changes: readonly Change[],
): readonly [Rule, Rule] {
  const x = variable("x");
  return [
    rule(name, equation, left, right, { dtypes: isInteger, when: [integer(x)] as never }),
    rule(`${name}Fast`, equation, left, right, { changes, when: [notInteger(x)] as never }),
  ];
}
