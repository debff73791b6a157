// Loops and conditions in expressions: whileLoop, scan, cond. In: functions of lazy arrays, and what they begin with. Out: lazy
// arrays. The functions are called once, with placeholders; what they give is rewritten and planned once, as the loop's body.
// What a body uses of outside and does not change is computed once, before the loop.
// Must hold: what is carried keeps its dtype and shape.

import { describe, sameShape } from "../../core/chunks.ts";
import { DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import type { Expr } from "../../expr/expr.ts";
import { arrayTypeText, denseType } from "../../expr/op.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { placeholder, type ValueType } from "../compiled/loopBodies.ts";
import { condNodes, type LoopFunctions, scanNodes, whileNodes } from "../compiled/loopNodes.ts";

/** What a loop carries, or a condition gives: one array, or several in a list. */
export type LoopArrays = LazyArray | readonly LazyArray[];

/** Options of `cw.whileLoop`. */
export interface WhileOptions {
  /** The run fails when the loop goes on after so many steps. As often as it takes unless given. */
  readonly maxSteps?: number | undefined;
}

/** Options of `cw.scan`. */
export interface ScanOptions {
  /** How many steps there are, where no sequence says it. */
  readonly length?: number | undefined;
}

/** What a function of the loop is given for arrays: as many, in the same structure. */
type Given<X> = X extends readonly unknown[] ? { [K in keyof X]: LazyArray } : LazyArray;
/** What comes out for it. */
type Gives<X> = X extends LazyArray ? LazyArray : { [K in keyof X]: LazyArray };

type WhileLoop = <const X extends LoopArrays>(
  condition: (carried: Given<X>) => LazyArray,
  body: (carried: Given<X>) => LoopArrays,
  init: X,
  options?: WhileOptions,
) => Gives<X>;

/**
 * Repeats `body` as long as `condition` is true: `cw.whileLoop((x) => x.less(100), (x) => x.multiply(2), cw.asarray(1))`. What
 * is carried is one array, or several in a list.
 */
export const whileLoop: WhileLoop = userCall(
  "whileLoop",
  (condition: Step, body: Step, init: unknown, { maxSteps }: WhileOptions = {}) => {
    const carried = arraysIn(init, "init");
    const inputs = carried.arrays.map(({ expr }) => placeholder(expr, "carried"));
    const given = carried.asGiven(inputs);
    const test = arraysIn(condition(given as never), "the condition").arrays;
    checkTypes(test, [denseType("bool", [])], "the condition");
    const next = arraysIn(body(given as never), "the body").arrays;
    checkTypes(next, carried.arrays.map(typeOf), "the body");
    const loop = loopOf(inputs, [test, next]);
    return carried.asGiven(whileNodes(countOr(maxSteps, "maxSteps"), loop, carried.arrays)) as never;
  },
  [3, "maxSteps"],
);

interface Scan {
  <const C extends LoopArrays, const X extends LoopArrays>(
    step: (carried: Given<C>, place: Given<X>) => readonly [LoopArrays, LoopArrays | null],
    init: C,
    sequences: X,
    options?: ScanOptions,
  ): [Gives<C>, LazyArray | LazyArray[]];
  <const C extends LoopArrays>(
    step: (carried: Given<C>) => readonly [LoopArrays, LoopArrays | null],
    init: C,
    sequences: null,
    options: ScanOptions,
  ): [Gives<C>, LazyArray | LazyArray[]];
}

/**
 * Goes along the first axis of sequences with something carried, and collects what each step gives beside it (null where that is nothing): `const [last, sums] =
 * cw.scan((sum, x) => [sum.add(x), sum.add(x)], cw.asarray(0), cw.arange(5))`.
 */
export const scan: Scan = userCall(
  "scan",
  (step: Step, init: unknown, sequences: unknown, { length }: ScanOptions = {}) => {
    const carried = arraysIn(init, "init");
    const along = sequences === null || sequences === undefined ? null : arraysIn(sequences, "sequences");
    const count = lengthOf(along?.arrays ?? [], length);
    const inputs = carried.arrays.map(({ expr }) => placeholder(expr, "carried"));
    const places = (along?.arrays ?? []).map(({ dtype, shape }) =>
      placeholder({ dtype, shape: shape.slice(1) }, "place"),
    );
    const made: unknown = step(carried.asGiven(inputs) as never, along?.asGiven(places) as never);
    if (!Array.isArray(made) || made.length !== 2)
      throw new ValueError({
        what: `the body gave ${describe(made)}`,
        cure: "Give a pair: what is carried next, and what is collected, or null",
      });
    const next = arraysIn(made[0], "the body").arrays;
    checkTypes(next, carried.arrays.map(typeOf), "the body");
    const collected = made[1] === null ? NOTHING : arraysIn(made[1], "the body");
    const loop = loopOf([...inputs, ...places], [[...next, ...collected.arrays]]);
    const body = { ...loop, gave: loop.functions[0]!, carried: inputs.length, length: count };
    const results = scanNodes(body, [...carried.arrays, ...(along?.arrays ?? [])]);
    return [
      carried.asGiven(results.slice(0, inputs.length)),
      collected.asGiven(results.slice(inputs.length)),
    ] as never;
  },
  [3, "length"],
);

type Cond = <Operands extends Operand[], const Out extends LoopArrays>(
  condition: Operand,
  ifTrue: (...operands: { [K in keyof Operands]: LazyArray }) => Out,
  ifFalse: (...operands: { [K in keyof Operands]: LazyArray }) => LoopArrays,
  ...operands: Operands
) => Gives<Out>;

/**
 * One of two functions of the operands, as a bool says; the other is not computed: `cw.cond(x.sum().greater(0), (y) =>
 * y.sqrt(), (y) => y.negative(), x)`.
 */
export const cond: Cond = userCall(
  "cond",
  (condition: Operand, ifTrue: Step, ifFalse: Step, ...operands: readonly Operand[]) => {
    const test = asLazy(condition);
    checkTypes([test], [denseType("bool", [])], "the condition");
    const arrays = operands.map(asLazy);
    const inputs = arrays.map(({ expr }) => placeholder(expr, "operand"));
    const either = arraysIn(ifTrue(...(inputs as never[])), "the first function");
    const other = arraysIn(ifFalse(...(inputs as never[])), "the other function").arrays;
    checkTypes(other, either.arrays.map(typeOf), "the other function");
    return either.asGiven(condNodes(loopOf(inputs, [either.arrays, other]), test, arrays)) as never;
  },
);

type Step = (...given: never[]) => unknown;

const typeOf = ({ expr: { dtype, shape } }: LazyArray): ValueType => ({ dtype, shape });

/** Arrays, and whether they came as a list. */
interface Arrays {
  readonly arrays: readonly LazyArray[];
  asGiven(arrays: readonly LazyArray[]): LazyArray | readonly LazyArray[];
}

/** Where nothing is collected. */
const NOTHING: Arrays = { arrays: [], asGiven: () => [] };

/** A list with a lazy array in it is several; any other is data. */
function arraysIn(given: unknown, what: string): Arrays {
  const isSeveral = Array.isArray(given) && given.some((item) => item instanceof LazyArray);
  if (isSeveral) return { arrays: (given as Operand[]).map(asLazy), asGiven: (arrays) => arrays };
  if (given === undefined || given instanceof Promise)
    throw new ValueError({
      what: `${what} gave ${describe(given)}`,
      cure: "Give a lazy array, or a list of them",
    });
  return { arrays: [asLazy(given as Operand)], asGiven: ([array]) => array! };
}

function checkTypes(arrays: readonly LazyArray[], types: readonly ValueType[], what: string): void {
  if (arrays.length !== types.length)
    throw new ValueError({
      what: `${what} gives ${arrays.length} arrays where ${types.length} belong`,
      cure: "Give as many as are carried, in their order",
    });
  arrays.forEach(({ expr }, i) => {
    const { dtype, shape } = types[i]!;
    if (expr.dtype === dtype && sameShape(expr.shape, shape)) return;
    const ErrorClass = expr.dtype === dtype ? ShapeError : DTypeError;
    throw new ErrorClass({
      what: `${what} gives ${arrayTypeText(expr.type)} where ${arrayTypeText(denseType(dtype, shape))} belongs`,
      cure: expr.dtype === dtype ? "Shapes stay what they are" : `Use astype("${dtype}")`,
    });
  });
}

function countOr(count: unknown, name: string): number | null {
  if (count === undefined) return null;
  if (Number.isSafeInteger(count) && (count as number) >= 0) return count as number;
  throw new ValueError({ what: `${name} is ${describe(count)}`, cure: "Give a whole number of 0 or more" });
}

function lengthOf(sequences: readonly LazyArray[], given: unknown): number {
  const lengths = new Set(sequences.map(({ shape }) => shape[0]));
  const length = countOr(given, "length");
  if (length !== null) lengths.add(length);
  const [only] = lengths;
  if (lengths.size === 1 && only !== undefined) return only;
  throw new ShapeError({
    what: `the sequences have lengths ${[...lengths].map(describe).join(", ")} along their first axis`,
    cure: "Give sequences of one length, or {length} where there is none",
  });
}

function loopOf(inputs: readonly LazyArray[], functions: readonly (readonly LazyArray[])[]): LoopFunctions {
  const exprs = (arrays: readonly LazyArray[]): Expr[] => arrays.map(({ expr }) => expr);
  return { inputs: exprs(inputs), functions: functions.map(exprs), arrays: functions.flat() };
}
