// How a reduction is written: what it takes, what goes into the state, how two states combine, what comes out. In: a line of
// the table. Out: the record that trees, chunks and kernels follow from, and that users call, for dense and nested arrays.
// attrs.axes are ascending and non-negative; attrs.keepdims leaves them as 1.

import type { Attr, Attrs } from "../core/attrs.ts";
import { checkKind, type DType, type KindSet, type ResultRule, resultOf } from "../core/dtype.ts";

import { ValueError } from "../core/errors.ts";

import { checkAxes, type Shape, shapeText, sizeOf } from "../core/shape.ts";
import type { ReduceOp } from "../expr/op.ts";
import { type DenseType, denseType } from "../expr/type.ts";
import { type Built, castTo, checkDType, node } from "../lazy/build.ts";
import { opCall } from "../lazy/call.ts";
import type { DTypeOption, ReduceFunction, ReduceOptions, SumFunction } from "../lazy/functionTypes.ts";
import { asLazy, type LazyArray, type Operand } from "../lazy/lazyArray.ts";

export interface ReduceAttrs {
  readonly axes: readonly number[];
  readonly keepdims: boolean;
}

export const reduceAttrs = (attrs: Attrs): ReduceAttrs => attrs as unknown as ReduceAttrs;

export function reducedShape(shape: Shape, { axes, keepdims }: ReduceAttrs): Shape {
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
    "state" | "lift" | "combine" | "identity" | "absorbing" | "finish" | "place" | "alone"
  > {
  readonly accepts: KindSet;
  /** What elements are cast to before they are reduced, a rule of core/dtype.ts; "total" may be named by the user. */
  readonly computesIn?: ComputesIn;
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
  readonly computesIn: ComputesIn;
  readonly needsElements: boolean;
  readonly parameters: Parameters;
  readonly nestedOptions: { readonly [option: string]: string };
  readonly result: R;
}

type ComputesIn = "same" | "total" | "floating";
type CallOf<Rule extends ResultRule> = Rule extends "total" ? SumFunction : ReduceFunction<Rule>;
/** A reduction that is called: `sum(x, {axis: 0})`. What its elements are cast to says the result's dtype, if anything does. */
export type Reduction<R extends ResultRule, C extends ComputesIn> = ReduceRecord<R> &
  CallOf<C extends "same" ? R : C>;

interface TypedLine<R extends ResultRule, C extends ComputesIn> extends ReduceLine {
  readonly result: R;
  readonly computesIn?: C;
}

/** A line of the table as a function. */
export function reduction<const R extends ResultRule, const C extends ComputesIn = "same">(
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
export function reduceNode(
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
  checkKind(accepts, own);
  return resultOf(own, computesIn);
}

function recordOf<R extends ResultRule>(name: string, line: TypedLine<R, ComputesIn>): ReduceRecord<R> {
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
