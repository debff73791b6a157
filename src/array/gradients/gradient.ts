// grad, valueAndGrad, vjp, jvp: functions of functions, as in JAX. In: a function of lazy arrays, and arrays. Out: lazy arrays, whose
// expressions are rewritten and planned like any other.
// What the function is given stands for its arguments and is no other array: what it uses beside them is constant. Forward
// mode is the transpose of reverse mode, which is linear in its cotangent (docs/adr/0024).

import { describe, sameShape, shapeText } from "../../core/chunks.ts";
import { isComplex } from "../../core/dtype.ts";
import { DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import { built, castExpr, scalarExpr } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { LazyArray } from "../../lazy/lazyArray.ts";
import { broadcast } from "../../ops/moves/axisMoves.ts";
import { isInexact, pulledBack } from "./reverse.ts";
import { variable, withoutVariables } from "./signs.ts";
import { type ArrayTree, checkArgnums, leavesOf, withLeaves } from "./trees.ts";

/** Options of `cw.grad`, `cw.valueAndGrad`, `cw.jacobian` and `cw.hessian`. */
export interface GradOptions<N extends Argnums = Argnums> {
  /** Which argument to differentiate by: its number, from the end below 0; or several, which gives a list. The first unless given. */
  readonly argnums?: N;
  /** true: the function is holomorphic, of complex arrays, and gives a complex number; its derivative is meant. */
  readonly holomorphic?: boolean | undefined;
}
/** The number of an argument, or several. */
export type Argnums = number | readonly number[];

/** What belongs to the arguments that are named: one of the argument's own kind, or a list of such. */
export type Chosen<Args extends readonly unknown[], N extends Argnums> = N extends number
  ? `${N}` extends keyof Args
    ? Args[`${N}`]
    : N extends -1
      ? LastOf<Args>
      : Args[number]
  : { -readonly [K in keyof N]: N[K] extends number ? Chosen<Args, N[K]> : never };

type LastOf<Args extends readonly unknown[]> = Args extends readonly [...unknown[], infer Last]
  ? Last
  : Args[number];

/** A number and its gradient. */
export interface ValueAndGrad<G> {
  /** What the function gives. */
  readonly value: LazyArray;
  /** How it changes with the arguments. */
  readonly grad: G;
}

/** A function, called on variables that stand for some of its arguments. */
export interface Traced {
  readonly results: LazyArray[];
  /** What the function gave, with these arrays in it. */
  readonly given: unknown;
  readonly variables: Expr[];
  readonly leaves: LazyArray[];
  /** Of each chosen argument: itself, and which of the leaves are its own. */
  readonly chosen: readonly { readonly tree: unknown; readonly from: number; readonly count: number }[];
}

type AnyFunction = (...args: never[]) => unknown;

export function traced(fn: unknown, args: readonly unknown[], argnums: Argnums): Traced {
  if (typeof fn !== "function")
    throw new ValueError({
      what: `${describe(fn)} is not a function`,
      cure: "Pass a function of lazy arrays",
    });
  const numbers = checkArgnums(argnums, args.length);
  const leaves: LazyArray[] = [];
  const chosen = numbers.map((number) => {
    const own = leavesOf(args[number], `argument ${number}`);
    for (const leaf of own) checkInexact(leaf, number);
    leaves.push(...own);
    return { tree: args[number], from: leaves.length - own.length, count: own.length };
  });
  const variables = leaves.map(({ expr }) => variable(expr));
  const stand = variables.map((expr, i) => built(expr, [leaves[i]!]) as LazyArray);
  const called = args.map((arg, at) => {
    const { tree, from, count } = chosen[numbers.indexOf(at)] ?? { tree: arg, from: 0, count: 0 };
    return numbers.includes(at) ? withLeaves(tree, stand.slice(from, from + count)) : arg;
  });
  const given = (fn as (...args: unknown[]) => unknown)(...called);
  return { results: leavesOf(given, "what the function gives"), given, variables, leaves, chosen };
}

function checkInexact({ dtype }: LazyArray, number: number): void {
  if (isInexact(dtype)) return;
  throw new DTypeError({
    what: `argument ${number} is ${dtype}: whole numbers and truth values have no gradients`,
    cure: 'Cast it first: x.astype("float64")',
  });
}

/** The arrays of arguments, of which each has its place; what nothing depends on is zero. */
export function gradientsOf(
  { variables, leaves }: Pick<Traced, "variables" | "leaves">,
  results: readonly Expr[],
  cotangents: readonly Expr[],
): LazyArray[] {
  const parts = pulledBack(results, cotangents, variables);
  const found = parts.map((part, i) => part ?? filledLike(variables[i]!, 0));
  return withoutVariables(found, variables).map((expr, i) => built(expr, [leaves[i]!]));
}

export const filledLike = (like: Expr, value: number): Expr => {
  const number = scalarExpr(value, like.dtype);
  return like.shape.length === 0 ? number : makeExpr(broadcast, [number], { shape: like.shape });
};

/** By the arguments' own kinds. */
export function asChosen({ chosen }: Traced, arrays: readonly LazyArray[], argnums: Argnums): unknown {
  const each = chosen.map(({ tree, from, count }) => withLeaves(tree, arrays.slice(from, from + count)));
  return Array.isArray(argnums) ? each : each[0];
}

/** What the function gives, as if it had been called on the arguments themselves. */
const valuesOf = ({ results, variables, leaves }: Traced): LazyArray[] =>
  withoutVariables(
    results.map(({ expr }) => expr),
    variables,
  ).map((expr) => built(expr, leaves));

function checkNumber({ results, given, leaves }: Traced, holomorphic: boolean): Expr {
  const [result] = results;
  if (!(given instanceof LazyArray) || result!.ndim > 0)
    throw new ShapeError({
      what: `the function gives ${given instanceof LazyArray ? `an array of shape ${shapeText(given.shape)}` : describe(given)}, and a gradient is that of one number`,
      cure: "Take its sum or its mean; for arrays there are cw.vjp and cw.jacobian",
    });
  const { dtype } = result!;
  if (holomorphic && !(isComplex(dtype) && leaves.every((leaf) => isComplex(leaf.dtype))))
    throw new DTypeError({
      what: `the function is to be holomorphic and gives ${dtype} of ${leaves.map((leaf) => leaf.dtype).join(", ")}`,
      cure: "Such functions take and give complex numbers; leave the option out for others",
    });
  if (holomorphic || !isComplex(dtype)) {
    if (isInexact(dtype)) return result!.expr;
    throw new DTypeError({
      what: `the function gives ${dtype}, which has no gradient`,
      cure: "Give a floating number",
    });
  }
  throw new DTypeError({
    what: `the function gives ${dtype}, and a gradient is that of a real number`,
    cure: "Take its real part or its absolute value; of a holomorphic function say {holomorphic: true}",
  });
}

function valueAndGradOf(
  fn: unknown,
  args: readonly unknown[],
  { argnums = 0, holomorphic = false }: GradOptions,
): { readonly value: LazyArray; readonly grad: unknown } {
  const trace = traced(fn, args, argnums);
  const result = checkNumber(trace, holomorphic);
  const arrays = gradientsOf(trace, [result], [scalarExpr(1, result.dtype)]);
  return { value: valuesOf(trace)[0]!, grad: asChosen(trace, arrays, argnums) };
}

type GradFunction = <Args extends readonly unknown[], const N extends Argnums = 0>(
  fn: (...args: Args) => LazyArray,
  options?: GradOptions<N>,
) => (...args: Args) => Chosen<Args, N>;

/**
 * The gradient of a function that gives a number, as a function of the same arguments: `cw.grad((x) => x.square().sum())(x)`
 * is 2·x.
 */
export const grad: GradFunction = userCall(
  "grad",
  (fn: AnyFunction, options: GradOptions = {}) =>
    userCall("grad", (...args: readonly unknown[]) => valueAndGradOf(fn, args, options).grad) as never,
  [1, "argnums", "holomorphic"],
) as never;

type ValueAndGradFunction = <Args extends readonly unknown[], const N extends Argnums = 0>(
  fn: (...args: Args) => LazyArray,
  options?: GradOptions<N>,
) => (...args: Args) => ValueAndGrad<Chosen<Args, N>>;

/**
 * The number and its gradient together, whose work is shared where both are computed: `const { value, grad } =
 * cw.valueAndGrad(loss)(weights)`.
 */
export const valueAndGrad: ValueAndGradFunction = userCall(
  "valueAndGrad",
  (fn: AnyFunction, options: GradOptions = {}) =>
    userCall("valueAndGrad", (...args: readonly unknown[]) => valueAndGradOf(fn, args, options)) as never,
  [1, "argnums", "holomorphic"],
) as never;

/** A function's value, and what takes a cotangent of it to those of its arguments. */
export interface Vjp<Args extends readonly unknown[], Value> {
  /** What the function gives. */
  readonly value: Value;
  /** From a cotangent of the value (of its kind and shapes) to one for each argument. */
  readonly pullback: (cotangent: Value) => { -readonly [K in keyof Args]: Args[K] };
}

type VjpFunction = <Args extends readonly ArrayTree[], Value extends ArrayTree>(
  fn: (...args: Args) => Value,
  ...args: Args
) => Vjp<Args, Value>;

/**
 * A function's value, and the products of cotangents with its Jacobian: `const { value, pullback } = cw.vjp(f, x)`, and
 * `pullback(v)` is [vᵀ·J].
 */
export const vjp: VjpFunction = userCall("vjp", (fn: AnyFunction, ...args: readonly unknown[]) => {
  const numbers = args.map((_, at) => at);
  const trace = traced(fn, args, numbers);
  const pullback = userCall("vjp", (cotangent: unknown) => {
    const cotangents = fittedTo(leavesOf(cotangent, "the cotangent"), trace.results, "the cotangent");
    const exprs = trace.results.map(({ expr }) => expr);
    return asChosen(trace, gradientsOf(trace, exprs, cotangents), numbers);
  });
  return { value: withLeaves(trace.given, valuesOf(trace)), pullback };
}) as never;

/** Of the dtypes of what they belong to; of other shapes they do not belong to it. */
function fittedTo(given: readonly LazyArray[], arrays: readonly LazyArray[], what: string): Expr[] {
  if (given.length !== arrays.length)
    throw new ValueError({
      what: `${what} has ${given.length} arrays and there are ${arrays.length}`,
      cure: "Give one for each",
    });
  return given.map(({ expr }, i) => {
    const { dtype, shape } = arrays[i]!.expr;
    if (!sameShape(expr.shape, shape))
      throw new ShapeError({
        what: `${what} has shape ${shapeText(expr.shape)} where ${shapeText(shape)} belongs`,
        cure: "It has the shape of what it is a change of",
      });
    return castExpr(expr, dtype);
  });
}

/** A function's value and how it changes. */
export interface Jvp<Value> {
  /** What the function gives. */
  readonly value: Value;
  /** How it changes when the arguments change by the tangents. */
  readonly tangent: Value;
}

type JvpFunction = <Args extends readonly ArrayTree[], Value extends ArrayTree>(
  fn: (...args: Args) => Value,
  args: Args,
  tangents: Args,
) => Jvp<Value>;

/**
 * A function's value, and the product of its Jacobian with tangents: `const { value, tangent } = cw.jvp(f, [x], [v])` has
 * J·v.
 */
export const jvp: JvpFunction = userCall(
  "jvp",
  (fn: AnyFunction, args: readonly unknown[], tangents: readonly unknown[]) => {
    checkLists(args, tangents);
    const trace = traced(
      fn,
      args,
      args.map((_, at) => at),
    );
    const pushed = pushedOf(trace, fittedTo(leavesOf(tangents, "the tangents"), trace.leaves, "a tangent"));
    return { value: withLeaves(trace.given, valuesOf(trace)), tangent: withLeaves(trace.given, pushed) };
  },
) as never;

function checkLists(args: unknown, tangents: unknown): void {
  if (Array.isArray(args) && Array.isArray(tangents)) return;
  throw new ValueError({
    what: `the arguments are ${describe(args)} and the tangents ${describe(tangents)}`,
    cure: "Give two lists: cw.jvp(f, [x], [v])",
  });
}

/** Cotangents of the results go back to the arguments, linearly: the transpose of that takes tangents of these forth. */
export function pushedOf({ results, variables, leaves }: Traced, tangents: readonly Expr[]): LazyArray[] {
  const probes = results.map(({ expr }) => variable(filledLike(expr, 0)));
  const exprs = results.map(({ expr }) => expr);
  const back = pulledBack(exprs, probes, variables);
  const used = back.flatMap((part, i) => (part === null ? [] : [[part, tangents[i]!] as const]));
  const pushed = pulledBack(
    used.map(([part]) => part),
    used.map(([, tangent]) => tangent),
    probes,
  ).map((part, i) => part ?? filledLike(exprs[i]!, 0));
  const plain = withoutVariables(withoutVariables(pushed, probes), variables);
  return plain.map((expr) => built(expr, leaves));
}
