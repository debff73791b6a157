// jacobian and hessian: all derivatives, as arrays. In: a function of lazy arrays. Out: for each array of an argument one with the axes
// of the result, and then those of the argument. A row is a pullback of one element, a column the push of one: whichever are
// fewer are made, and stacked.

import { type Shape, shapeText, sizeOf } from "../../core/chunks.ts";
import { isComplex } from "../../core/dtype.ts";
import { DTypeError, ValueError } from "../../core/errors.ts";
import type { Expr } from "../../expr/expr.ts";
import { castExpr } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { LazyArray } from "../../lazy/lazyArray.ts";
import { equal } from "../../ops/elementwise/index.ts";
import { zeros } from "../functions/creation.ts";
import { stack } from "../functions/joining.ts";
import { moveaxis, reshape } from "../functions/manipulation.ts";
import { arange } from "../functions/ranges.ts";
import {
  type Argnums,
  asChosen,
  type Chosen,
  filledLike,
  type GradOptions,
  grad,
  gradientsOf,
  pushedOf,
  type Traced,
  traced,
} from "./gradient.ts";

type AnyFunction = (...args: never[]) => unknown;

type JacobianFunction = <Args extends readonly unknown[], const N extends Argnums = 0>(
  fn: (...args: Args) => LazyArray,
  options?: GradOptions<N>,
) => (...args: Args) => Chosen<Args, N>;

/** More rows and columns than these are too many expressions to plan. */
const MOST_ROWS = 4096;

/**
 * All first derivatives: an array with the axes of the result and then those of the argument. `cw.jacobian((x) => x.square())(x)`
 * is diagonal, with 2·x.
 */
export const jacobian: JacobianFunction = userCall(
  "jacobian",
  (fn: AnyFunction, options: GradOptions = {}) =>
    userCall("jacobian", (...args: readonly unknown[]) => jacobianOf(fn, args, options)) as never,
  [1, "argnums", "holomorphic"],
) as never;

/** All second derivatives of a function that gives a number: `cw.hessian((x) => x.square().sum())(x)` is 2·I. */
export const hessian: JacobianFunction = userCall(
  "hessian",
  (fn: (...args: readonly unknown[]) => LazyArray, options: GradOptions = {}) => {
    const { argnums = 0 } = options;
    if (typeof argnums !== "number")
      throw new ValueError({
        what: "the second derivatives by several arguments are those of one that holds them",
        cure: "Let the function take a list or a record of arrays",
      });
    return userCall("hessian", (...args: readonly unknown[]) => {
      const first = grad(fn, options as GradOptions<number>) as (...args: readonly unknown[]) => LazyArray;
      return jacobianOf(first, args, options);
    }) as never;
  },
  [1, "argnums", "holomorphic"],
) as never;

function jacobianOf(
  fn: unknown,
  args: readonly unknown[],
  { argnums = 0, holomorphic = false }: GradOptions,
): unknown {
  const trace = traced(fn, args, argnums);
  const [result, ...others] = trace.results;
  if (others.length > 0 || !(trace.given instanceof LazyArray))
    throw new ValueError({
      what: "the function gives several arrays",
      cure: "Take the Jacobian of one at a time, or join them",
    });
  checkReal(trace, holomorphic);
  const columns = trace.leaves.reduce((sum, leaf) => sum + leaf.size, 0);
  checkSize(Math.min(result!.size, columns), result!.shape, columns);
  const arrays = columns < result!.size ? byColumns(trace, result!) : byRows(trace, result!);
  return asChosen(trace, arrays, argnums);
}

function checkReal({ results, leaves }: Traced, holomorphic: boolean): void {
  if (holomorphic || ![...results, ...leaves].some(({ dtype }) => isComplex(dtype))) return;
  throw new DTypeError({
    what: "derivatives between complex arrays are numbers for holomorphic functions alone",
    cure: "Say {holomorphic: true} if the function is, or take real and imaginary parts",
  });
}

function checkSize(rows: number, shape: Shape, columns: number): void {
  if (rows <= MOST_ROWS) return;
  throw new ValueError({
    what: `a result of shape ${shapeText(shape)} and ${columns} arguments make ${rows} rows, of at most ${MOST_ROWS}`,
    cure: "Take products with it, which need no rows: cw.vjp and cw.jvp",
  });
}

/** Zeros with a one at a place in row-major order. */
function unit({ shape, dtype }: LazyArray, at: number): Expr {
  const places = arange(sizeOf(shape), { dtype: "int32" });
  return castExpr(reshape(equal(places, at), shape).expr, dtype);
}

function byRows(trace: Traced, result: LazyArray): LazyArray[] {
  const { variables, leaves } = trace;
  if (result.size === 0)
    return leaves.map((leaf) => zeros([...result.shape, ...leaf.shape], { dtype: leaf.dtype }));
  const rows = Array.from({ length: result.size }, (_, at) =>
    gradientsOf({ variables, leaves }, [result.expr], [unit(result, at)]),
  );
  return leaves.map(({ shape }, k) =>
    reshape(stack(rows.map((row) => row[k]!)), [...result.shape, ...shape]),
  );
}

function byColumns(trace: Traced, result: LazyArray): LazyArray[] {
  const { leaves } = trace;
  return leaves.map((leaf, k) => {
    const columns = Array.from({ length: leaf.size }, (_, at) => {
      const tangents = leaves.map((other, i) => (i === k ? unit(other, at) : filledLike(other.expr, 0)));
      return pushedOf(trace, tangents)[0]!;
    });
    const shape = [...result.shape, ...leaf.shape];
    if (columns.length > 0) return reshape(moveaxis(stack(columns), 0, -1), shape);
    return zeros(shape, { dtype: leaf.dtype });
  });
}
