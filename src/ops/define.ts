// How a reduction is written: what it takes, what goes into the state, how two states combine, what comes out. In: a line of
// the table. Out: the record that trees, chunks and kernels follow from, and that users call, for dense and nested arrays.
// attrs.axes are ascending and non-negative; attrs.keepdims leaves them as 1.

import type { Attr, Attrs } from "../core/block.ts";
import { checkAxes, type Shape, shapeText, sizeOf } from "../core/chunks.ts";
import { checkKind, type DType, type KindSet, type ResultRule, resultOf } from "../core/dtype.ts";
import { DTypeError, InvariantError, ValueError } from "../core/errors.ts";
import { broadcastType, type DenseType, denseType, type ReduceOp } from "../expr/op.ts";
import type { Pull, Pullback } from "../expr/pullback.ts";
import { type ComplexTerm, isComplexTerm, type Term, type Value } from "../kernel/scalar.ts";
import {
  type Built,
  type ComputesIn,
  castTo,
  checkDType,
  elementwiseCall,
  node,
  withOut,
} from "../lazy/build.ts";
import { opCall } from "../lazy/call.ts";
import type {
  BinaryFunction,
  DTypeOption,
  OutOption,
  ReduceFunction,
  ReduceOptions,
  SumFunction,
  UnaryFunction,
} from "../lazy/functionTypes.ts";
import { asLazy, type LazyArray, type Operand } from "../lazy/lazyArray.ts";

// How an elementwise op is written: name, kinds it takes, result, bodies. One line an op in the tables
// beside this file. In: that line. Out: the record that every later stage reads, and that users call: the function of the
// namespace, the method, the name in `expr` and the function of nested arrays are this one.
// Must hold: all inputs of a node have the dtype `computeIn` gives; the API inserts casts.

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
  /** What comes back of a cotangent g, for each operand: `({ g, x }) => [s.mul(g, s.cos(x))]`; null where nothing does. */
  readonly pull?: Pull;
  /** The same as arrays: for complex operands, where `pull` is said and the function is not holomorphic. */
  readonly pullback?: Pullback;
  /** Takes the call where operands are dates or times; null where none is. */
  readonly ofTimes?: (operands: readonly Operand[]) => Built | null;
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

export function elementwiseRecord<const L extends ElementwiseLine, N extends number>(
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
    pull: line.pull,
    pullback: line.pullback,
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

function ofTimes(line: ElementwiseLine, operands: readonly Operand[], options?: OutOption): Built | null {
  const result = line.ofTimes?.(operands) ?? null;
  return result === null ? null : withOut(result, options);
}

/**
 * A line of the table as a function of one operand: `unary("cube", {accepts: "real", result: "same", real: (x) =>
 * s.mul(x, s.mul(x, x))})`. Nodes hold the function: it is the op.
 */
export function unary<const L extends ElementwiseLine>(name: string, line: L): Unary<L["result"]> {
  const op: Unary<L["result"]> = opCall(
    elementwiseRecord(name, 1, line),
    (x: Operand, options?: OutOption): Built =>
      ofTimes(line, [x], options) ?? elementwiseCall(op, [x], options),
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
    elementwiseRecord(name, 2, line),
    (x: Operand, y: Operand, options?: OutOption): Built =>
      ofTimes(line, [x, y], options) ?? elementwiseCall(op, [x, y], options),
    [2, "out"],
  );
  return op;
}

export interface ReduceAttrs {
  readonly axes: readonly number[];
  readonly keepdims: boolean;
}

export const reduceAttrs = (attrs: Attrs): ReduceAttrs => attrs as unknown as ReduceAttrs;

function reducedShape(shape: Shape, { axes, keepdims }: ReduceAttrs): Shape {
  if (keepdims) return shape.map((length, axis) => (axes.includes(axis) ? 1 : length));
  return shape.filter((_, axis) => !axes.includes(axis));
}

/** How many elements go into one result. */
export const reducedCount = (shape: Shape, axes: readonly number[]): number =>
  sizeOf(axes.map((axis) => shape[axis]!));

type Parameters = { readonly [name: string]: (given: unknown) => Attr };

export interface ReduceLine
  extends Pick<
    ReduceOp,
    "state" | "lift" | "combine" | "identity" | "absorbing" | "finish" | "place" | "alone" | "pullback"
  > {
  readonly accepts: KindSet;
  /** What elements are cast to before they are reduced, a rule of core/dtype.ts; "total" may be named by the user. */
  readonly computesIn?: ReducesIn;
  /** The result's dtype from what was reduced, a rule of core/dtype.ts. */
  readonly result: ResultRule;
  /** Options that become attributes, each with its check. */
  readonly parameters?: Parameters;
  /** What nested arrays call these: by the name of the option, the parameter that it is. */
  readonly nestedOptions?: { readonly [option: string]: string };
  /** Nothing at all has no minimum. */
  readonly needsElements?: boolean;
}

/** A reduction as a line says it; `R` is the result's dtype from what was reduced. */
export interface ReduceRecord<R extends ResultRule = ResultRule> extends ReduceOp {
  readonly accepts: KindSet;
  readonly computesIn: ReducesIn;
  readonly needsElements: boolean;
  readonly parameters: Parameters;
  readonly nestedOptions: { readonly [option: string]: string };
  readonly result: R;
}

type ReducesIn = "same" | "total" | "floating";
type CallOf<Rule extends ResultRule> = Rule extends "total" ? SumFunction : ReduceFunction<Rule>;
/** A reduction that is called: `sum(x, {axis: 0})`. What its elements are cast to says the result's dtype, if anything does. */
export type Reduction<R extends ResultRule, C extends ReducesIn> = ReduceRecord<R> &
  CallOf<C extends "same" ? R : C>;

interface TypedLine<R extends ResultRule, C extends ReducesIn> extends ReduceLine {
  readonly result: R;
  readonly computesIn?: C;
}

/** A line of the table as a function. */
export function reduction<const R extends ResultRule, const C extends ReducesIn = "same">(
  name: string,
  line: TypedLine<R, C>,
): Reduction<R, C> {
  const { parameters = {}, computesIn } = line;
  const op: Reduction<R, C> = opCall(
    recordOf(name, line),
    (x: Operand, options: ReduceOptions & DTypeOption = {}): Built => {
      const given = options as { readonly [name: string]: unknown };
      const extra = Object.entries(parameters).map(([name, check]) => [name, check(given[name])]);
      return reduceNode(op, asLazy(x), options, Object.fromEntries(extra));
    },
    [1, "axis", "keepdims", ...(computesIn === "total" ? ["dtype"] : []), ...Object.keys(parameters)],
  );
  return op;
}

/** Elements are cast as the op says, or as the user does. */
function reduceNode(
  op: ReduceRecord,
  x: LazyArray,
  { axis, keepdims = false, dtype }: ReduceOptions & DTypeOption,
  extra: Attrs = {},
): Built {
  const axes = checkAxes(axis, x.ndim);
  return node(op, [castTo(x, dtypeFor(op, x.dtype, dtype))], { axes, keepdims, ...extra });
}

function dtypeFor({ accepts, computesIn }: ReduceRecord, own: DType, asked: DType | null | undefined): DType {
  if (asked !== undefined && asked !== null) return checkDType(asked);
  return checkKind(accepts, resultOf(own, computesIn));
}

function recordOf<R extends ResultRule>(name: string, line: TypedLine<R, ReducesIn>): ReduceRecord<R> {
  return {
    name,
    class: "reduce",
    accepts: line.accepts,
    computesIn: line.computesIn ?? "same",
    result: line.result,
    infer: ([input], attrs) => inferReduction(name, line, input!, reduceAttrs(attrs)),
    state: line.state,
    lift: line.lift,
    combine: line.combine,
    identity: line.identity,
    absorbing: line.absorbing,
    finish: line.finish,
    place: line.place,
    alone: line.alone,
    pullback: line.pullback,
    needsElements: line.needsElements === true,
    parameters: line.parameters ?? {},
    nestedOptions: line.nestedOptions ?? {},
  };
}

function inferReduction(name: string, line: ReduceLine, input: DenseType, attrs: ReduceAttrs): DenseType {
  checkKind(line.accepts, input.dtype);
  const shape = reducedShape(input.shape, attrs);
  if (line.needsElements === true && sizeOf(shape) > 0 && reducedCount(input.shape, attrs.axes) === 0) {
    throw new ValueError({
      what: `the ${name} of no elements is not defined (shape ${shapeText(input.shape)}, axes ${shapeText(attrs.axes)})`,
      cure: "Reduce over axes that have elements",
    });
  }
  return denseType(resultOf(input.dtype, line.result), shape);
}

/** Small integers add up in 64 bits; every other type in itself. */
export const accumulatorOf = (dtype: DType): DType => resultOf(dtype, "total");
