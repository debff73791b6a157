// Sums of exponentials: logsumexp, softmax and logSoftmax, which cannot overflow, in place of what is written out.
// All are `stabilize`, but two that are shorter and not nearer everywhere. Must hold: what a rule makes is what the public
// functions make (ops/exponentialSums.ts), and no rule fires on it; an argument that was shifted by its maximum is
// safe already and stays as it is; nothing is shifted by the maximum of no elements.

import { type Shape, sizeOf } from "../../core/chunks.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { type ReduceAttrs, reduceAttrs } from "../../ops/define.ts";
import { divide, subtract } from "../../ops/elementwise/arithmetic.ts";
import { where } from "../../ops/elementwise/choice.ts";
import { exp } from "../../ops/elementwise/exponential.ts";
import { expShifted, expSumShifted, lessLogSum, logMeanExp } from "../../ops/exponentialSum.ts";
import { logsumexp } from "../../ops/exponentialSums.ts";
import { broadcast, expandDims, permute, squeeze } from "../../ops/moves/axisMoves.ts";
import { reshape } from "../../ops/moves/reshape.ts";
import { max, sum } from "../../ops/reductions.ts";
import { logSoftmaxOver, softmaxOver } from "../../ops/softmax.ts";
import { bind, type Condition, on, type Pattern, p, seeThrough, x, y, z } from "../pattern.ts";
import { type Declined, decline, floating, rule, when } from "../patternRule.ts";
import type { Rule } from "../rule.ts";

// Whether a reduced array, seen through moves, stretches back along exactly the axes that were reduced.
// exp(M) / sum(exp(M), axis 1) without keepdims divides row j's sum into column j of a square matrix: that is no
// softmax, and only axes tell it from one, not shapes.

/** What may stand above an array and above its reduction. */
const EXPANDING: readonly Op[] = [broadcast, expandDims, squeeze, permute, reshape];
const isMoved = ({ op }: Expr): boolean => EXPANDING.includes(op);

/** An axis that is one long, or along which nothing changes. */
const NONE = -1;

/**
 * Do the elements of a reduction of x, below moves, meet the elements of x that they were made of? `whole` is x or a
 * function of it, below moves too.
 */
function reExpands(whole: Expr, reduced: Expr, x: Expr): boolean {
  const [wide, along] = [axesAlong(whole, x), axesAlong(reduced, x)];
  if (wide === null || along === null || along.length > wide.length) return false;
  const { axes } = reduceAttrs(below(reduced).attrs);
  const lead = wide.length - along.length;
  return wide.every((axis, i) => {
    const found = i < lead ? NONE : along[i - lead]!;
    return found === (axes.includes(axis) ? NONE : axis);
  });
}

/** What moves were applied to. */
function below(node: Expr): Expr {
  let base = node;
  while (isMoved(base)) base = base.inputs[0]!;
  return base;
}

/** Is a node another one below moves? */
function isAbove(node: Expr, base: Expr): boolean {
  let at = node;
  while (at !== base && isMoved(at)) at = at.inputs[0]!;
  return at === base;
}

/** The moves above x, or above what is no move, applied to another node of its shape. */
const movedLike = (node: Expr, base: Expr, x?: Expr): Expr =>
  isMoved(node) && node !== x ? makeExpr(node.op, [movedLike(node.inputs[0]!, base, x)], node.attrs) : base;

/** For every axis, the axis of x along which it runs; null where a move mixes axes. */
function axesAlong(node: Expr, x: Expr): readonly number[] | null {
  const { op, attrs, shape } = node;
  if (op.class === "reduce") return axesLeft(node.inputs[0]!.shape, reduceAttrs(attrs));
  if (!isMoved(node) || node === x) return shape.map((length, axis) => (length === 1 ? NONE : axis));
  const input = node.inputs[0]!;
  const along = axesAlong(input, x);
  if (along === null) return null;
  const axes = (attrs["axes"] ?? []) as readonly number[];
  if (op === broadcast) return [...newAxes(shape.length - along.length), ...along];
  if (op === expandDims) return inserted(along, axes);
  if (op === squeeze) return along.filter((_, axis) => !axes.includes(axis));
  if (op === permute) return axes.map((axis) => along[axis]!);
  return throughOnes(along, input.shape, shape);
}

const newAxes = (count: number): number[] => new Array<number>(count).fill(NONE);

const axesLeft = (shape: Shape, { axes, keepdims }: ReduceAttrs): number[] =>
  shape.flatMap((length, axis) =>
    axes.includes(axis) ? newAxes(keepdims ? 1 : 0) : [length === 1 ? NONE : axis],
  );

function inserted(along: readonly number[], axes: readonly number[]): number[] {
  const rest = [...along];
  return newAxes(along.length + axes.length).map((none, axis) =>
    axes.includes(axis) ? none : rest.shift()!,
  );
}

/** A reshape that only adds or drops axes of length 1. */
function throughOnes(along: readonly number[], from: Shape, to: Shape): readonly number[] | null {
  const rest = along.filter((_, axis) => from[axis] !== 1);
  const [lengths, wanted] = [from, to].map((shape) => shape.filter((length) => length !== 1));
  if (lengths!.join() !== wanted!.join()) return null;
  return to.map((length) => (length === 1 ? NONE : rest.shift()!));
}

interface OfX {
  readonly x: Expr;
}

/** x − max x, written by hand; the maximum may have been kept from being infinite by a `where`. */
function isShifted({ op, inputs }: Expr): boolean {
  if (op !== subtract) return false;
  const by = below(inputs[1]!);
  const maximum = by.op === where ? below(by.inputs[1]!) : by;
  return maximum.op === max && below(maximum.inputs[0]!) === below(inputs[0]!);
}

const unshifted: Condition<OfX> = when("x is not shifted by its maximum", (bound) => !isShifted(bound.x));
const hasElements: Condition<OfX> = when("x has elements", (bound) => !bound.x.shape.includes(0));
const STABLE = { tags: ["stabilize"] };
/** Logarithms of subnormal numbers get digits that those had lost: a difference that counts as rounding. */
const TINY = { ...STABLE, changes: ["rounding" as const] };
const shifted: Condition<OfX> = when("x is shifted by its maximum", (bound) => isShifted(bound.x));
const UNSHIFTED = { ...STABLE, when: [floating(x), unshifted] };
const SHIFTABLE = { ...STABLE, when: [floating(x), unshifted, hasElements] };

/** An array, below moves, and its reduction, below moves: what softmax and logSoftmax are made of. */
interface Parted {
  /** Something of the shape of `x`: x itself, or eˣ. */
  readonly base: Expr;
  readonly x: Expr;
  readonly axes: readonly number[];
}

/** Made of x, if what it is divided by (or less) stretches back along the reduced axes and no others. */
function joined(
  { inputs: [whole, reduced] }: Expr,
  { base, x, axes }: Parted,
  over: (x: Expr, axes: readonly number[]) => Expr,
): Expr | Declined {
  if (!reExpands(whole!, reduced!, base))
    return decline("the sum does not stretch back along the axes it was taken over");
  return movedLike(whole!, over(x, axes), base);
}

/** The sum may be of eˣ in another arrangement than what is divided, if it is of all of it. */
function softmaxOf({ x: values }: OfX, node: Expr): Expr | Declined {
  const whole = node.inputs[0]!;
  const total = below(node.inputs[1]!);
  const summed = total.inputs[0]!;
  if (isAbove(whole, summed))
    return joined(
      node,
      { base: summed, x: movedLike(summed, values), axes: reduceAttrs(total.attrs).axes },
      softmaxOver,
    );
  if (sizeOf(total.shape) > 1 || sizeOf(summed.shape) !== sizeOf(values.shape))
    return decline("the sum is of another arrangement");
  const all = makeExpr(sum, [below(whole)], { axes: [...values.shape.keys()], keepdims: false });
  return softmaxOf({ x: values }, makeExpr(divide, [whole, all]));
}

/** The axes of a reduction that softmax or logSoftmax is made of. */
const axesOf = (node: Expr): readonly number[] => reduceAttrs(below(node).attrs).axes;

/** log Σ eˣ, or log(Σ eˣ / n), with the moves that were above the sum, of x with the moves that were below it. */
const logOf =
  (op: Op) =>
  ({ x: values }: OfX, node: Expr): Expr => {
    const total = below(node.inputs[0]!);
    const argument = movedLike(total.inputs[0]!, values);
    return movedLike(node.inputs[0]!, makeExpr(op, [argument], total.attrs));
  };

const AXES = { axes: bind("axes") };
/** Moves may have come between: exp(x) turned is exp of x turned. */
const MOVED = <Binds>(pattern: Pattern<Binds>): Pattern<Binds> =>
  seeThrough(EXPANDING, pattern) as Pattern<Binds>;
const MOVED_EXP = MOVED(p.exp(x));

export const LOG_SUM: readonly Rule[] = [
  rule(
    "logsumexp",
    "log(sum(exp(x))) = logsumexp(x)",
    p.log(MOVED(p.sum(MOVED_EXP))),
    logOf(logsumexp),
    UNSHIFTED,
  ),
  rule(
    "logMeanExp",
    "log(mean(exp(x))) = logMeanExp(x)",
    p.log(MOVED(p.mean(MOVED_EXP))),
    logOf(logMeanExp),
    UNSHIFTED,
  ),
  rule(
    "softmax",
    "exp(x) / sum(exp(x), keepdims) = softmax(x)",
    p.divide(MOVED_EXP, MOVED(p.sum(MOVED_EXP))),
    softmaxOf,
    SHIFTABLE,
  ),
  rule(
    "logSoftmax",
    "log(softmax(x)) = logSoftmax(x)",
    p.log(MOVED(p.divide(on(expShifted)(x, y), on(expSumShifted)(x).as("total")))),
    ({ x: values, total }, node) => movedLike(node.inputs[0]!, logSoftmaxOver(values, axesOf(total))),
    TINY,
  ),
  rule(
    "logSoftmaxShifted",
    "log(exp(x) / sum(exp(x))) = logSoftmax(x), x = y - max(y)",
    p.log(p.divide(MOVED_EXP, MOVED(p.sum(MOVED_EXP)))),
    ({ x: values }, { inputs: [ratio] }) => {
      const base = makeExpr(exp, [values]);
      return joined(ratio!, { base, x: values, axes: axesOf(ratio!.inputs[1]!) }, logSoftmaxOver);
    },
    { ...TINY, when: [floating(x), shifted] },
  ),
  rule(
    "logSoftmaxOfLogsumexp",
    "x - logsumexp(x, keepdims) = logSoftmax(x)",
    p.subtract(MOVED(x), MOVED(p.logsumexp(x, AXES))),
    (bound, node) => joined(node, { base: bound.x, ...bound }, logSoftmaxOver),
    // Nearer where the two cancel; elsewhere one rounding takes the place of another.
    { changes: ["rounding", "domain"], when: SHIFTABLE.when },
  ),
  rule(
    "expLogSoftmax",
    "exp(logSoftmax(x)) = softmax(x)",
    p.exp(MOVED(on(lessLogSum)(x, y, z))),
    ({ x: values, z: others }, node) => movedLike(node.inputs[0]!, softmaxOver(values, axesOf(others))),
    // Shorter, and nearer only where the result is tiny: elsewhere a sum rounds more than an exponential of a logarithm.
    { changes: ["rounding"] },
  ),
];
