// What a compiled function computes, as expressions of its inputs. In: the user's function, specs, updates and givens. Out: the
// inputs, one list of expressions, which of them are outputs and in what structure, and which are a state's next value.
// Must hold: the function is called once; each expression is there once, whoever needs it.

import { describe, sameShape } from "../../core/chunks.ts";
import { DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import { type Expr, postOrder } from "../../expr/expr.ts";
import { arrayTypeText, sameType } from "../../expr/op.ts";
import { substitute } from "../../expr/substitute.ts";
import { asLazy, LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { inputOp, type SharedResource, sharedOp } from "../../lazy/placeholders.ts";
import { placeholderOf } from "./inputs.ts";
import { checkType, SharedArray } from "./state.ts";

/** One array, several in a list, or by name. */
export type Outputs = LazyArray | readonly LazyArray[] | { readonly [name: string]: LazyArray };
/** What is to be replaced by what. */
export type Pairs<From> = readonly (readonly [From, Operand])[];

export interface Traced {
  readonly inputs: readonly LazyArray[];
  /** All that is computed, each once. */
  readonly roots: readonly Expr[];
  /** Numbers of roots: of the outputs, in the order of the structure. */
  readonly outputs: readonly number[];
  readonly structure: Structure;
  readonly updates: readonly { readonly state: SharedResource; readonly root: number }[];
  /** States that are read or replaced. */
  readonly states: readonly SharedResource[];
}

/** How outputs are handed out again. */
export type Structure =
  | { readonly kind: "one" }
  | { readonly kind: "list" }
  | { readonly kind: "names"; readonly names: readonly string[] };

export interface TraceRequest {
  readonly fn: (...inputs: never[]) => unknown;
  readonly specs: readonly unknown[];
  readonly updates: unknown;
  readonly givens: unknown;
}

export function trace({ fn, specs, updates, givens }: TraceRequest): Traced {
  const names = parameterNames(fn, specs.length);
  const inputs = specs.map((spec, i) => placeholderOf(spec, names[i]!));
  checkDifferent(inputs);
  const { structure, arrays } = readOutputs((fn as (...args: unknown[]) => unknown)(...inputs));
  const next = pairsOf(updates, inputs, "updates").map(([state, value]) => {
    const { resource } = sharedOf(state);
    const array = asLazy(value);
    checkType(array.expr, resource, "updates");
    return { resource, array };
  });
  const given = givenExprs(pairsOf(givens, inputs, "givens"));
  const all = substitute(
    [...arrays, ...next.map(({ array }) => array)].map(({ expr }) => expr),
    given,
  );
  const roots = [...new Set(all)];
  checkClosed(roots, inputs);
  checkOnce(next.map(({ resource }) => resource));
  const numbers = all.map((expr) => roots.indexOf(expr));
  return {
    ...{ inputs, roots, structure, outputs: numbers.slice(0, arrays.length) },
    updates: next.map(({ resource }, i) => ({ state: resource, root: numbers[arrays.length + i]! })),
    states: [...new Set([...statesIn(roots), ...next.map(({ resource }) => resource)])],
  };
}

/** Names of a function's parameters, where its text tells them. */
function parameterNames(fn: TraceRequest["fn"], count: number): string[] {
  const list =
    /^(?:async\s+)?(?:function\s*\w*\s*)?\(([^()=]*)\)/.exec(String(fn))?.[1] ??
    /^(\w+)\s*=>/.exec(String(fn))?.[1] ??
    "";
  const names = list.split(",").map((name) => name.trim());
  return Array.from({ length: count }, (_, i) =>
    /^[A-Za-z_$][\w$]*$/.test(names[i] ?? "") ? names[i]! : `input ${i}`,
  );
}

/** The arrays that a function gave, and in what they came. */
export function readOutputs(given: unknown): { structure: Structure; arrays: LazyArray[] } {
  if (given instanceof LazyArray) return { structure: { kind: "one" }, arrays: [given] };
  if (Array.isArray(given)) return { structure: { kind: "list" }, arrays: given.map(checkedOutput) };
  const isNamed =
    typeof given === "object" && given !== null && Object.getPrototypeOf(given) === Object.prototype;
  if (!isNamed) return { structure: { kind: "one" }, arrays: [checkedOutput(given)] };
  const names = Object.keys(given);
  return { structure: { kind: "names", names }, arrays: Object.values(given).map(checkedOutput) };
}

function checkedOutput(output: unknown): LazyArray {
  if (output instanceof LazyArray) return output;
  throw new ValueError({
    what: `the function gave ${output instanceof Promise ? "a promise" : describe(output)} where a lazy array belongs`,
    cure: "Give a lazy array, a list of them, or an object of them",
  });
}

/** What came as a list, in the structure that the function gave. */
export function structured<T>(structure: Structure, values: readonly T[]): unknown {
  if (structure.kind === "one") return values[0];
  if (structure.kind === "list") return values;
  return Object.fromEntries(structure.names.map((name, i) => [name, values[i]]));
}

/** The other way: values that somebody brings for outputs; undefined where the structure is another. */
export function flattened(structure: Structure, given: unknown): unknown[] | undefined {
  if (structure.kind === "one") return [given];
  if (structure.kind === "list") return Array.isArray(given) ? (given as unknown[]) : undefined;
  if (typeof given !== "object" || given === null) return undefined;
  return structure.names.map((name) => (given as { [name: string]: unknown })[name]);
}

function pairsOf(given: unknown, inputs: readonly LazyArray[], name: string): [LazyArray, Operand][] {
  const pairs: unknown =
    typeof given === "function" ? (given as (...args: unknown[]) => unknown)(...inputs) : given;
  if (pairs === undefined) return [];
  const isPair = (pair: unknown): boolean =>
    Array.isArray(pair) && pair.length === 2 && pair[0] instanceof LazyArray;
  if (Array.isArray(pairs) && pairs.every(isPair)) return pairs as [LazyArray, Operand][];
  throw new ValueError({
    what: `${name} is ${describe(pairs)}`,
    cure: `Give pairs of arrays, as {${name}: [[w, w.subtract(1)]]}, or a function of the inputs that gives them`,
  });
}

function sharedOf(state: LazyArray): SharedArray {
  if (state instanceof SharedArray) return state;
  throw new ValueError({
    what: "updates has an array that is no shared state",
    cure: "Only what cw.shared made can be replaced: const w = cw.shared(value)",
  });
}

function givenExprs(pairs: readonly [LazyArray, Operand][]): Map<Expr, Expr> {
  return new Map(
    pairs.map(([from, to]) => {
      const { expr } = asLazy(to);
      if (sameType(from.expr.type, expr.type)) return [from.expr, expr];
      const ErrorClass = sameShape(from.shape, expr.shape) ? DTypeError : ShapeError;
      throw new ErrorClass({
        what: `givens puts ${arrayTypeText(expr.type)} in the place of ${arrayTypeText(from.expr.type)}`,
        cure: "Both must have one dtype and one shape",
      });
    }),
  );
}

const statesIn = (roots: readonly Expr[]): SharedResource[] =>
  postOrder(roots).flatMap(({ op, attrs }) => (op === sharedOp ? [attrs["data"] as SharedResource] : []));

/** Every input that is used is one of the function's. */
function checkClosed(roots: readonly Expr[], inputs: readonly LazyArray[]): void {
  const own = new Set(inputs.map(({ expr }) => expr));
  const other = postOrder(roots).find((node) => node.op === inputOp && !own.has(node));
  if (other === undefined) return;
  throw new ValueError({
    what: `the input ${String(other.attrs["name"])} is used and is none of the function's`,
    cure: "Name all inputs that are used: cw.compile(fn, [x, y])",
  });
}

function checkDifferent(inputs: readonly LazyArray[]): void {
  const twice = inputs.find(({ expr }, i) => inputs.findIndex((other) => other.expr === expr) < i);
  if (twice === undefined) return;
  throw new ValueError({
    what: `the input ${String(twice.expr.attrs["name"])} is named twice`,
    cure: "Name each input once",
  });
}

function checkOnce(states: readonly SharedResource[]): void {
  const twice = states.find((state, i) => states.indexOf(state) < i);
  if (twice === undefined) return;
  throw new ValueError({
    what: `updates replaces ${twice.name} twice`,
    cure: "Give each state one next value",
  });
}
