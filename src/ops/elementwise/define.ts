// How an elementwise op is written: name, kinds it takes, result, bodies. One line an op in the tables
// beside this file. In: that line. Out: the record that every later stage reads.
// Must hold: all inputs of a node have the dtype `computeIn` gives; the API inserts casts.

import type { DType } from "../../core/dtype.ts";
import { DTypeError, InvariantError } from "../../core/errors.ts";
import { type ResultRule, resultOf } from "../../core/results.ts";
import { broadcastShapes, sameShape } from "../../core/shape.ts";
import type { ArrayType, ElementwiseOp } from "../../expr/op.ts";
import { type ComplexTerm, isComplexTerm, type Term, type Value } from "../../kernel/scalar.ts";
import { checkKind, type KindSet } from "../kinds.ts";

export interface ElementwiseFunction<R extends ResultRule = ResultRule, N extends number = number>
  extends ElementwiseOp {
  readonly arity: N;
  /** The result's dtype from the operands': functions and methods have their types from it. */
  readonly result: R;
  /** The dtype that operands of this promoted dtype are cast to; an error where the op does not take it. */
  computeIn(promoted: DType): DType;
}

type RealBody = (...x: Term[]) => Term;
type ComplexBody = (...z: ComplexTerm[]) => Value;

export interface ElementwiseLine {
  readonly accepts: KindSet;
  /** The result's dtype from the operands', a rule of core/results.ts. "floating" computes in it too. */
  readonly result: ResultRule;
  readonly real: RealBody;
  readonly complex?: ComplexBody;
  readonly commutative?: boolean;
  readonly associative?: boolean;
  readonly work?: number;
}

/** A polynomial, and what leads to and from it. */
export const FUNCTION_WORK = 16;

/** For the lines of ops that do not mind how their operands are ordered and grouped. */
export const REORDERS: Pick<ElementwiseLine, "commutative" | "associative"> = {
  commutative: true,
  associative: true,
};

/** A function of one operand. */
export type Unary<R extends ResultRule> = ElementwiseFunction<R, 1>;
/** A function of two. */
export type Binary<R extends ResultRule> = ElementwiseFunction<R, 2>;

export function elementwise<L extends ElementwiseLine, N extends number>(
  name: string,
  arity: N,
  line: L,
): ElementwiseFunction<L["result"], N> {
  const computeIn = (promoted: DType): DType => {
    const accepted = checkKind(line.accepts, promoted);
    return line.result === "floating" ? resultOf(accepted, "floating") : accepted;
  };
  return {
    name,
    class: "elementwise",
    arity,
    result: line.result,
    work: line.work,
    commutative: line.commutative === true,
    associative: line.associative === true,
    computeIn,
    infer: (inputs) => inferElementwise(name, inputs, computeIn, line.result),
    body: (inputs) => runBody(name, line, inputs),
  };
}

function inferElementwise(
  name: string,
  inputs: readonly ArrayType[],
  computeIn: (dtype: DType) => DType,
  result: ResultRule,
): ArrayType {
  const first = inputs[0]!;
  if (computeIn(first.dtype) !== first.dtype || inputs.some((input) => input.dtype !== first.dtype)) {
    throw new DTypeError({
      what: `${name} cannot compute with ${inputs.map((input) => input.dtype).join(" and ")} as they are`,
      cure: "Cast the operands to one dtype",
    });
  }
  return typeOf(inputs, resultOf(first.dtype, result));
}

/** The broadcast type; an input's own object where it is that already, which keeps long chains small. */
export function typeOf(inputs: readonly ArrayType[], dtype: DType): ArrayType {
  const first = inputs[0]!;
  const shape = inputs.length === 1 ? first.shape : broadcastShapes(inputs.map((input) => input.shape));
  for (const input of inputs) if (input.dtype === dtype && sameShape(input.shape, shape)) return input;
  return { dtype, shape };
}

function runBody(name: string, line: ElementwiseLine, inputs: readonly Value[]): Value {
  if (!isComplexTerm(inputs[0]!)) return line.real(...(inputs as Term[]));
  if (line.complex === undefined) throw new InvariantError({ what: `${name} has no complex body` });
  return line.complex(...(inputs as ComplexTerm[]));
}

export const unary = <const L extends ElementwiseLine>(name: string, line: L): Unary<L["result"]> =>
  elementwise(name, 1, line);
export const binary = <const L extends ElementwiseLine>(name: string, line: L): Binary<L["result"]> =>
  elementwise(name, 2, line);
