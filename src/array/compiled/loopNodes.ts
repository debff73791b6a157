// Loops and conditions as nodes, and how gradients go back through them. In: what their functions gave for placeholders. Out: lazy
// arrays. The gradient of a scan is a scan the other way, of the step's own gradient: what is carried is computed once more, and
// kept for every step where the gradient needs it. That of a condition is a condition of the two functions' gradients.
// Must hold: what may depend on what a gradient is taken of, or on the placeholders of a loop outside, is an argument of the
// loop: a body is rewritten by itself, and nobody looks for variables in it.

import { type Shape, singleChunk } from "../../core/chunks.ts";
import { type Expr, makeExpr, postOrder } from "../../expr/expr.ts";
import { dependents, substitute } from "../../expr/substitute.ts";
import { rowOffsets } from "../../kernel/routines/packed.ts";
import { type Built, built } from "../../lazy/build.ts";
import { LazyArray } from "../../lazy/lazyArray.ts";
import { inputOp } from "../../lazy/placeholders.ts";
import { add } from "../../ops/elementwise/index.ts";
import { LOOPS } from "../../ops/loopOps.ts";
import { mark, markOf } from "../../ops/marks.ts";
import type { Control } from "../../runtime/loopBody.ts";
import { callNodes } from "../functions/blockCall.ts";
import { flip } from "../functions/manipulation.ts";
import { filledLike } from "../gradients/gradient.ts";
import { isInexact, pulledBack } from "../gradients/reverse.ts";
import { type Called, CallMark, VariableMark } from "../gradients/signs.ts";
import { sitesOf } from "../prepare.ts";
import { closedBody, type Hoisting, placeholder, settledExpr, type ValueType } from "./loopBodies.ts";

/** Functions of placeholders, as what each gave for them. */
export interface LoopFunctions {
  readonly inputs: readonly Expr[];
  readonly functions: readonly (readonly Expr[])[];
  /** The user's arrays, which know their lines. */
  readonly arrays?: readonly LazyArray[] | undefined;
}

interface LoopCall extends LoopFunctions {
  readonly control: Control;
  readonly hoisting: Hoisting;
  /** Of what comes out. */
  readonly types: readonly ValueType[];
}

/** The cotangents of the operands, from those of the results. */
type LoopPullback = (
  opened: LoopFunctions,
  operands: readonly Expr[],
  cotangents: readonly (Expr | null)[],
) => readonly (Expr | null)[];

const lazy = (expr: Expr): LazyArray => new LazyArray(expr);
const exprs = (arrays: readonly LazyArray[]): Expr[] => arrays.map(({ expr }) => expr);
const typeOf = ({ dtype, shape }: Expr): ValueType => ({ dtype, shape });
const standIn = (expr: Expr, name: string): Expr => placeholder(typeOf(expr), name).expr;

/** Goes on while a condition holds. */
export function whileNodes(
  most: number | null,
  loop: LoopFunctions,
  operands: readonly LazyArray[],
): LazyArray[] {
  const control: Control = { kind: "whileLoop", carried: operands.length, most };
  const types = exprs(operands).map(typeOf);
  return callOf({ ...loop, control, hoisting: "values", types }, operands, null);
}

/** Along sequences: what is carried comes first, in the placeholders, in what the step gave and in the operands. */
export interface ScanStep {
  readonly carried: number;
  readonly length: number;
  readonly inputs: readonly Expr[];
  readonly gave: readonly Expr[];
  readonly arrays?: readonly LazyArray[] | undefined;
}

export function scanNodes(step: ScanStep, operands: readonly LazyArray[]): LazyArray[] {
  const { carried, length, inputs, gave, arrays } = step;
  const control: Control = { kind: "scan", carried, sequences: inputs.length - carried, length };
  const types = gave.map(({ dtype, shape }, k) => ({
    dtype,
    shape: k < carried ? shape : [length, ...shape],
  }));
  const pullback: LoopPullback = (opened, given, cotangents) =>
    scanPullback(
      {
        ...{ carried, length, places: inputs.length - carried },
        ...{ inputs: opened.inputs, gave: opened.functions[0]! },
      },
      given,
      cotangents,
    );
  const call: LoopCall = { inputs, functions: [gave], arrays, control, hoisting: "values", types };
  return callOf(call, operands, pullback);
}

/** One of two functions, as the first operand says. */
export function condNodes(loop: LoopFunctions, test: LazyArray, operands: readonly LazyArray[]): LazyArray[] {
  const types = loop.functions[0]!.map(typeOf);
  const call: LoopCall = { ...loop, control: { kind: "cond" }, hoisting: "sources", types };
  return callOf(call, [test, ...operands], condPullback);
}

function callOf(loop: LoopCall, operands: readonly LazyArray[], pullback: LoopPullback | null): LazyArray[] {
  const { outer, ...opened } = openedAt(loop);
  const { control, hoisting, types, arrays = [] } = loop;
  const { body, captured, memory } = closedBody({ ...opened, control, hoisting, siteOf: sitesOf(arrays) });
  const outputs = types.map(({ dtype, shape }) => ({
    dtype,
    shape,
    chunks: singleChunk(shape),
    axes: whole(shape),
  }));
  const given = [...operands, ...outer.map(lazy)];
  const call = pullback === null ? null : callMark(given.length, pullback, opened, outputs);
  const marked =
    call === null ? given : given.map((x, k) => built(call.argument(x.expr, k), [x]) as LazyArray);
  const all = [...marked, ...captured.map(lazy)];
  const grid = { cut: [], from: all.map(({ expr }) => whole(expr.shape)), memory };
  const made = (result: Built): Built => (call === null ? result : built(call.result(result.expr), [result]));
  return callNodes(body, all, grid, outputs, { ...LOOPS[control.kind], made });
}

const whole = (shape: Shape): number[] => shape.map(() => -1);

function callMark(
  count: number,
  pullback: LoopPullback,
  opened: LoopFunctions,
  outputs: readonly (ValueType & { readonly chunks: Shape })[],
): CallMark {
  const offsets = rowOffsets(
    outputs.map(({ dtype }) => dtype),
    outputs.map(({ chunks }) => chunks),
  );
  const cotangentsOf = ({ cotangent, parts }: Called): (Expr | null)[] =>
    outputs.length === 1 ? [cotangent] : offsets.map((offset) => parts.get(offset) ?? null);
  return new CallMark(count, (at) => pullback(opened, at.inputs, cotangentsOf(at)));
}

/**
 * With more placeholders, for what of outside may depend on a gradient's variables: it is made of marks, or of placeholders of
 * others. What is not chosen of a condition is not computed: there these themselves are arguments, not what is made of them.
 */
function openedAt({ inputs, functions, hoisting }: LoopCall): LoopFunctions & { readonly outer: Expr[] } {
  const roots = functions.flat().map(settledExpr);
  const own = dependents(roots, new Set(inputs));
  const order = postOrder(roots);
  const signs = new Set(order.filter((node) => !own.has(node) && isSign(node)));
  const open = hoisting === "values" ? dependents(roots, signs) : signs;
  // The arguments of a function with a pullback keep their signs inside.
  const isOuter = (node: Expr): boolean => open.has(node) && !own.has(node) && !isArgument(node);
  const reached = postOrder(roots, isOuter);
  const outer = new Set(reached.flatMap(({ inputs: from }) => from.filter(isOuter)));
  for (const root of roots) if (isOuter(root)) outer.add(root);
  const stands = new Map([...outer].map((node) => [node, standIn(node, "captured")]));
  return {
    inputs: [...inputs, ...stands.values()],
    functions: functions.map((gave) => substitute(gave, stands)),
    outer: [...outer],
  };
}

const isSign = ({ op, attrs }: Expr): boolean =>
  op === inputOp || (op === mark && markOf(attrs) instanceof VariableMark);
const isArgument = ({ op, attrs }: Expr): boolean => op === mark && CallMark.isArgument(attrs);

const zerosLike = (like: Expr): Expr => filledLike(like, 0);

/** A result that has a cotangent, and a placeholder for that. */
interface Standing {
  readonly at: number;
  readonly stand: Expr;
  readonly cotangent: Expr;
}

const standing = (roots: readonly Expr[], cotangents: readonly (Expr | null)[]): Standing[] =>
  roots.flatMap((root, at) => {
    const cotangent = cotangents[at] ?? null;
    const isStanding = cotangent !== null && isInexact(root.dtype);
    return isStanding ? [{ at, stand: standIn(root, "cotangent"), cotangent }] : [];
  });

const standsOf = (all: readonly Standing[]): Expr[] => all.map(({ stand }) => stand);

/** A step, with a placeholder for each thing of outside after those of what is carried and of places. */
interface OpenStep {
  readonly carried: number;
  readonly places: number;
  readonly length: number;
  readonly inputs: readonly Expr[];
  readonly gave: readonly Expr[];
}

/** What comes back in a step, and for which of its inputs: by their numbers. */
interface StepGradient {
  readonly states: readonly Standing[];
  readonly collected: readonly Standing[];
  readonly along: readonly number[];
  readonly outer: readonly number[];
  /** What has come to each of `outer` in the steps after this one. */
  readonly sums: readonly Expr[];
  readonly gave: readonly Expr[];
}

/**
 * cₜ₊₁, yₜ = step(cₜ, xₜ, w): the step's pullback takes the cotangents of cₜ₊₁ and yₜ to those of cₜ, xₜ and w; what comes to w in each
 * step is added up.
 */
function stepGradient(
  { carried, places, inputs, gave }: OpenStep,
  cotangents: readonly (Expr | null)[],
): StepGradient {
  const last = inputs.slice(0, carried).map((state, i) => cotangents[i] ?? zerosLike(state));
  const states = standing(inputs.slice(0, carried), last);
  const collected = standing(gave.slice(carried), cotangents.slice(carried));
  const results = [...states.map(({ at }) => gave[at]!), ...collected.map(({ at }) => gave[carried + at]!)];
  const parts = pulledBack(results, [...standsOf(states), ...standsOf(collected)], inputs);
  const having = (from: number, to: number): number[] =>
    inputs.flatMap(({ dtype }, k) =>
      k >= from && k < to && parts[k] !== null && isInexact(dtype) ? [k] : [],
    );
  const [along, outer] = [having(carried, carried + places), having(carried + places, inputs.length)];
  const sums = outer.map((k) => standIn(inputs[k]!, "sum"));
  const next = [
    ...states.map(({ at }) => parts[at] ?? zerosLike(inputs[at]!)),
    ...outer.map((k, i) => makeExpr(add, [sums[i]!, parts[k]!])),
  ];
  return { states, collected, along, outer, sums, gave: [...next, ...along.map((k) => parts[k]!)] };
}

function scanPullback(
  step: OpenStep,
  operands: readonly Expr[],
  cotangents: readonly (Expr | null)[],
): (Expr | null)[] {
  const { carried, places, length, inputs } = step;
  const { states, collected, along, outer, sums, gave } = stepGradient(step, cotangents);
  const inside = carried + places;
  const stands = new Map(inputs.slice(inside).map((input, i) => [input, operands[inside + i]!]));
  const used = new Set(postOrder(gave));
  const needed = inputs.slice(0, inside).filter((input) => used.has(input));
  const begin = [...states.map(({ cotangent }) => cotangent), ...outer.map((k) => zerosLike(inputs[k]!))];
  const back: ScanStep = {
    ...{ carried: begin.length, length, gave: substitute(gave, stands) },
    inputs: [...standsOf(states), ...sums, ...needed, ...standsOf(collected)],
  };
  const sequences = [
    ...eachStep(step, operands, needed, stands),
    ...collected.map(({ cotangent }) => lazy(cotangent)),
  ];
  const made = scanNodes(back, [...begin.map(lazy), ...sequences.map(reversed)]);
  const results = new Map<number, Expr>([
    ...states.map(({ at }, i) => [at, made[i]!.expr] as const),
    ...outer.map((k, i) => [k, made[states.length + i]!.expr] as const),
    ...along.map((k, i) => [k, reversed(made[begin.length + i]!).expr] as const),
  ]);
  return inputs.map((_, k) => results.get(k) ?? null);
}

const reversed = (x: LazyArray): LazyArray => flip(x, { axis: 0 }) as LazyArray;

/** What each step was given, of what is needed: what was carried is computed once more. */
function eachStep(
  { carried, places, length, inputs, gave }: OpenStep,
  operands: readonly Expr[],
  needed: readonly Expr[],
  stands: ReadonlyMap<Expr, Expr>,
): LazyArray[] {
  const inside = carried + places;
  const states = needed.filter((input) => inputs.indexOf(input) < carried);
  const step: ScanStep = {
    ...{ carried, length, inputs: inputs.slice(0, inside) },
    gave: substitute([...gave.slice(0, carried), ...states], stands),
  };
  const again = states.length === 0 ? [] : scanNodes(step, operands.slice(0, inside).map(lazy));
  return needed.map((input) => {
    const at = states.indexOf(input);
    return at < 0 ? lazy(operands[inputs.indexOf(input)]!) : again[carried + at]!;
  });
}

/** The gradient of the function that runs. */
function condPullback(
  { inputs, functions }: LoopFunctions,
  [test, ...operands]: readonly Expr[],
  cotangents: readonly (Expr | null)[],
): (Expr | null)[] {
  const found = standing(functions[0]!, cotangents);
  const back = functions.map((gave) =>
    pulledBack(
      found.map(({ at }) => gave[at]!),
      standsOf(found),
      inputs,
    ),
  );
  const wanted = inputs.flatMap(({ dtype }, k) =>
    isInexact(dtype) && back.some((parts) => parts[k] !== null) ? [k] : [],
  );
  const gradients: LoopFunctions = {
    inputs: [...inputs, ...standsOf(found)],
    functions: back.map((parts) => wanted.map((k) => parts[k] ?? zerosLike(inputs[k]!))),
  };
  const given = [...operands, ...found.map(({ cotangent }) => cotangent)].map(lazy);
  const made = wanted.length === 0 ? [] : condNodes(gradients, lazy(test!), given);
  return [null, ...inputs.map((_, k) => made[wanted.indexOf(k)]?.expr ?? null)];
}
