// How an elementwise op is written: name, kinds it takes, result, bodies. One line an op in the tables
// beside this file. In: that line. Out: the record that every later stage reads, and that users call: the function of the
// namespace, the method, the name in `expr` and the function of nested arrays are this one.
// Must hold: all inputs of a node have the dtype `computeIn` gives; the API inserts casts.

import { checkKind, type DType, type KindSet, type ResultRule, resultOf } from "../../core/dtype.ts";
import { DTypeError, InvariantError } from "../../core/errors.ts";
import { broadcastType, type DenseType } from "../../expr/type.ts";

import { type ComplexTerm, isComplexTerm, type Term, type Value } from "../../kernel/scalar.ts";
import { type Built, type ComputesIn, elementwiseCall } from "../../lazy/build.ts";
import { opCall } from "../../lazy/call.ts";
import type { BinaryFunction, OutOption, UnaryFunction } from "../../lazy/functionTypes.ts";
import type { Operand } from "../../lazy/lazyArray.ts";

/** The record of an elementwise op, which is also the function that users call. */
export interface ElementwiseFunction<R extends ResultRule = ResultRule, N extends number = number>
  extends ComputesIn {
  /** How many operands it has. */
  readonly arity: N;
  /** The result's dtype from the operands': functions and methods have their types from it. */
  readonly result: R;
}

type RealBody = (...x: Term[]) => Term;
type ComplexBody = (...z: ComplexTerm[]) => Value;

/** What `unary` and `binary` have to be told of an op. */
export interface ElementwiseLine {
  /** The kinds of dtypes that it takes: "numeric", "real", "bool" and others. */
  readonly accepts: KindSet;
  /** The result's dtype from the operands', a rule of core/dtype.ts. "floating" computes in it too. */
  readonly result: ResultRule;
  /** What is computed of real numbers: `(x) => s.mul(x, x)`. */
  readonly real: RealBody;
  /** What is computed of complex ones, where it takes them. */
  readonly complex?: ComplexBody;
  /** Two operands may be swapped: the same bits. */
  readonly commutative?: boolean;
  /** f(f(x, y), z) = f(x, f(y, z)), for floats up to rounding. */
  readonly associative?: boolean;
  /** How many additions it is worth, about; 1 unless given. */
  readonly work?: number;
}

/** A polynomial, and what leads to and from it. */
export const FUNCTION_WORK = 16;

/** For the lines of ops that do not mind how their operands are ordered and grouped. */
export const REORDERS: Pick<ElementwiseLine, "commutative" | "associative"> = {
  commutative: true,
  associative: true,
};

/** A function of one operand, which is its op's record. */
export type Unary<R extends ResultRule> = ElementwiseFunction<R, 1> & UnaryFunction<R>;
/** A function of two. */
export type Binary<R extends ResultRule> = ElementwiseFunction<R, 2> & BinaryFunction<R>;

function recordOf<L extends ElementwiseLine, N extends number>(
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
  inputs: readonly DenseType[],
  computeIn: (dtype: DType) => DType,
  result: ResultRule,
): DenseType {
  const first = inputs[0]!;
  if (computeIn(first.dtype) !== first.dtype || inputs.some((input) => input.dtype !== first.dtype)) {
    throw new DTypeError({
      what: `${name} cannot compute with ${inputs.map((input) => input.dtype).join(" and ")} as they are`,
      cure: "Cast the operands to one dtype",
    });
  }
  return broadcastType(inputs, resultOf(first.dtype, result));
}

function runBody(name: string, line: ElementwiseLine, inputs: readonly Value[]): Value {
  if (!isComplexTerm(inputs[0]!)) return line.real(...(inputs as Term[]));
  if (line.complex === undefined) throw new InvariantError({ what: `${name} has no complex body` });
  return line.complex(...(inputs as ComplexTerm[]));
}

/**
 * A line of the table as a function of one operand: `unary("cube", {accepts: "real", result: "same", real: (x) =>
 * s.mul(x, s.mul(x, x))})`. Nodes hold the function: it is the op.
 */
export function unary<const L extends ElementwiseLine>(name: string, line: L): Unary<L["result"]> {
  const op: Unary<L["result"]> = opCall(
    recordOf(name, 1, line),
    (x: Operand, options?: OutOption): Built => elementwiseCall(op, [x], options),
    [1, "out"],
  );
  return op;
}

/**
 * The same of two: `binary("mid", {accepts: "real", result: "floating", real: (x, y) => s.div(s.add(x, y),
 * s.constant(x.type, 2))})`.
 */
export function binary<const L extends ElementwiseLine>(name: string, line: L): Binary<L["result"]> {
  const op: Binary<L["result"]> = opCall(
    recordOf(name, 2, line),
    (x: Operand, y: Operand, options?: OutOption): Built => elementwiseCall(op, [x, y], options),
    [2, "out"],
  );
  return op;
}
