// How an elementwise op is written: name, kinds it takes, result, bodies. One line an op in the tables
// beside this file. In: that line. Out: the record that every later stage reads.
// Must hold: all inputs of a node have the dtype `computeIn` gives; the API inserts casts.

import { type DType, infoOf } from "../../core/dtype.ts";
import { DTypeError, InvariantError } from "../../core/errors.ts";
import { broadcastShapes, sameShape } from "../../core/shape.ts";
import type { ArrayType, ElementwiseOp } from "../../expr/op.ts";
import { type ComplexTerm, isComplexTerm, type Term, type Value } from "../../kernel/scalar.ts";
import { checkKind, type KindSet, toFloating } from "../kinds.ts";

export interface ElementwiseFunction extends ElementwiseOp {
  readonly arity: number;
  /** The dtype that operands of this promoted dtype are cast to; an error where the op does not take it. */
  computeIn(promoted: DType): DType;
}

type RealBody = (...x: Term[]) => Term;
type ComplexBody = (...z: ComplexTerm[]) => Value;

export interface ElementwiseLine {
  readonly accepts: KindSet;
  /** Integers are computed as the default float. */
  readonly floating?: boolean;
  /** The result's dtype from the operands': the same unless said. */
  readonly result?: (dtype: DType) => DType;
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

export const toBool = (): DType => "bool";
/** A complex number's parts; a real type is itself. */
export const toReal = (dtype: DType): DType => infoOf(dtype).part;

export function elementwise(name: string, arity: number, line: ElementwiseLine): ElementwiseFunction {
  const computeIn = (promoted: DType): DType => {
    const accepted = checkKind(line.accepts, promoted);
    return line.floating === true ? toFloating(accepted) : accepted;
  };
  return {
    name,
    class: "elementwise",
    arity,
    work: line.work,
    commutative: line.commutative === true,
    associative: line.associative === true,
    computeIn,
    infer: (inputs) => inferElementwise(name, inputs, computeIn, line.result ?? sameDType),
    body: (inputs) => runBody(name, line, inputs),
  };
}

const sameDType = (dtype: DType): DType => dtype;

function inferElementwise(
  name: string,
  inputs: readonly ArrayType[],
  computeIn: (dtype: DType) => DType,
  result: (dtype: DType) => DType,
): ArrayType {
  const first = inputs[0]!;
  if (computeIn(first.dtype) !== first.dtype || inputs.some((input) => input.dtype !== first.dtype)) {
    throw new DTypeError({
      what: `${name} cannot compute with ${inputs.map((input) => input.dtype).join(" and ")} as they are`,
      cure: "Cast the operands to one dtype",
    });
  }
  return typeOf(inputs, result(first.dtype));
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

export const unary = (name: string, line: ElementwiseLine): ElementwiseFunction => elementwise(name, 1, line);
export const binary = (name: string, line: ElementwiseLine): ElementwiseFunction =>
  elementwise(name, 2, line);
