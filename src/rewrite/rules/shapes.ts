// Shapes: permutations, broadcasts, axes of length 1, reshapes, chunks. All exact: elements only move.
// One direction only: moves go outwards, through elementwise ops, towards the results, where they meet and join.
// A broadcast goes outwards because that leaves less to compute; a permutation or reshape only where it does not
// become more moves than it was.

import { type Shape, sameShape } from "../../core/chunks.ts";
import { chunksOf, type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { full } from "../../lazy/lazyArray.ts";
import { broadcast, expandDims, permute, squeeze } from "../../ops/moves/axisMoves.ts";
import { reshape, reshapeSteps } from "../../ops/moves/reshape.ts";
import { broadcastTo, constantOf, scalar } from "../make.ts";
import { attrs, bind, on, p, x } from "../pattern.ts";
import { decline, rule } from "../patternRule.ts";
import { functionRule, type Rule } from "../rule.ts";
import { axesOf, isAscending, isUnitChange, isVariable, permuted, withUnitAxes } from "./conditions.ts";

/** Moves that are nothing but a reading of the axes. */
const PERMUTATIONS: readonly Rule[] = [
  rule(
    "permuteNothing",
    "permute(x, [0, 1, …]) = x",
    p.permute(x, { axes: bind("axes").where(isAscending, "the axes are in order") }),
    x,
  ),
  rule(
    "permuteTwice",
    "permute(permute(x, p), q) = permute(x, p[q])",
    p.permute(p.permute(x).as("inner")),
    ({ x, inner }, node) =>
      permuted(
        x,
        axesOf(node).map((axis) => axesOf(inner)[axis]!),
      ),
  ),
];

/** Axes of length 1 that come and go, for which there is one form: squeeze, then expandDims. */
const UNIT_MOVES: readonly Op[] = [expandDims, squeeze];

export const UNIT_AXES: readonly Rule[] = [
  rule("reshapeNothing", "reshape(x, shape of x) = x", p.reshape(x), ({ x }, node) =>
    sameShape(x.shape, node.shape) ? x : decline("the shape changes"),
  ),
  rule("unitAxesNothing", "expandDims(x, []) = x", on(UNIT_MOVES)(x), ({ x }, node) =>
    axesOf(node).length === 0 ? x : decline("there are axes"),
  ),
  rule(
    "reshapeUnitAxes",
    "reshape([n, m], [n, 1, m]) = expandDims([n, m], 1)",
    p.reshape(x),
    ({ x }, node) =>
      isUnitChange(x.shape, node.shape)
        ? withUnitAxes(x, node.shape)
        : decline("more than axes of length 1 changes"),
  ),
  rule(
    "permuteUnitAxes",
    "permute([n, 1], [1, 0]) = expandDims(squeeze([n, 1], 1), 0)",
    p.permute(x),
    ({ x }, node) =>
      isAscending(axesOf(node).filter((axis) => x.shape[axis] !== 1))
        ? withUnitAxes(x, node.shape)
        : decline("longer axes change places"),
  ),
  rule("broadcastUnitAxes", "broadcast([n], [1, n]) = expandDims([n], 0)", p.broadcast(x), ({ x }, node) =>
    isUnitChange(x.shape, node.shape) ? withUnitAxes(x, node.shape) : decline("elements are repeated"),
  ),
  rule(
    "unitAxesTwice",
    "squeeze(expandDims(x, i), i) = x",
    on(UNIT_MOVES)(on(UNIT_MOVES)(x)),
    ({ x }, node) => withUnitAxes(x, node.shape),
  ),
  rule(
    "reshapeTwice",
    "reshape(reshape(x, s), t) = reshape(x, t)",
    p.reshape(on([reshape, ...UNIT_MOVES])(x)),
    ({ x }, node) => reshaped(x, node.shape),
  ),
  rule(
    "unitAxesOfReshape",
    "expandDims(reshape(x, s), i) = reshape(x, t)",
    on(UNIT_MOVES)(p.reshape(x)),
    ({ x }, node) => reshaped(x, node.shape),
  ),
];

/** One step, or none: some reshapes need their flat shape in between. */
const reshaped = (x: Expr, shape: Shape): Expr | null =>
  reshapeSteps(x.shape, shape).length === 1 ? makeExpr(reshape, [x], { shape }) : null;

const BROADCASTS: readonly Rule[] = [
  rule("broadcastNothing", "broadcast(x, shape of x) = x", p.broadcast(x), ({ x }, node) =>
    sameShape(x.shape, node.shape) ? x : decline("the shape changes"),
  ),
  rule(
    "broadcastTwice",
    "broadcast(broadcast(x, s), t) = broadcast(x, t)",
    p.broadcast(p.broadcast(x), attrs),
    p.broadcast(x, attrs),
  ),
  rule(
    "broadcastOfUnitAxes",
    "broadcast(expandDims(x, 0), s) = broadcast(x, s)",
    p.broadcast(p.expandDims(x, { axes: bind("axes").where(isLeading, "the new axes come first") }), attrs),
    p.broadcast(x, attrs),
  ),
  rule(
    "repeatUnitAxis",
    "repeat([1], n) = broadcast([1], n)",
    p.repeat(x, { axis: bind("axis"), repeats: bind("repeats") }),
    ({ x, axis }, node) => (x.shape[axis] === 1 ? broadcastTo(x, node.shape) : decline("the axis is longer")),
  ),
  rule(
    "tileUnitAxes",
    "tile([1], n) = broadcast([1], n)",
    p.tile(x, { repetitions: bind("repetitions") }),
    ({ x, repetitions }, node) =>
      (repetitions as readonly number[]).every((times, axis) => times === 1 || x.shape[axis] === 1)
        ? broadcastTo(x, node.shape)
        : decline("a longer axis is repeated"),
  ),
  functionRule("broadcastOperands", "f(broadcast(x), y) = broadcast(f(x, y))", {
    someInput: new Set([broadcast]),
    apply: (node) => overBare(node, (input) => input.op === broadcast, bareArray),
  }),
  functionRule("fullOperands", "f(full(c, shape), y) = broadcast(f(c, y))", {
    someInput: new Set([full]),
    apply: (node) => (node.inputs.some(isVariable) ? overBare(node, isStretched, bareConstant) : null),
  }),
];

function isLeading(axes: readonly number[]): boolean {
  return axes.every((axis, i) => axis === i);
}

const bareArray = (input: Expr): Expr => input.inputs[0]!;
const isStretched = ({ op, shape }: Expr): boolean => op === full && shape.length > 0;
const bareConstant = (input: Expr): Expr => scalar(constantOf(input)!, input.dtype);

/** An elementwise node over the same elements without their repetitions, repeated as a whole where need be. */
function overBare(
  node: Expr,
  isRepeated: (input: Expr) => boolean,
  bare: (input: Expr) => Expr,
): Expr | null {
  const { op, inputs, attrs } = node;
  if (op.class !== "elementwise" || !inputs.some(isRepeated)) return null;
  const bared = inputs.map((input) => (isRepeated(input) ? bare(input) : input));
  return broadcastTo(makeExpr(op, bared, attrs), node.shape);
}

const MOVED_OUT: readonly Op[] = [permute, reshape, ...UNIT_MOVES];

const OUTWARDS: readonly Rule[] = [
  functionRule("movesOut", "f(permute(x), permute(y)) = permute(f(x, y))", {
    someInput: new Set(MOVED_OUT),
    apply: (node) => (node.op.class === "elementwise" ? movedOut(node) : null),
  }),
];

/** What stays beside moved operands: 0-d ones, or constants where all are 0-d. */
const staysBeside = ({ shape }: Expr): ((operand: Expr) => boolean) =>
  shape.length === 0 ? ({ op }) => op === full : (operand) => operand.shape.length === 0;

/** Every operand stays, or is the same move of arrays of one shape. */
function movedOut(node: Expr): Expr | null {
  const stays = staysBeside(node);
  let move: Expr | null = null;
  for (const input of node.inputs) {
    if (stays(input)) continue;
    if (!MOVED_OUT.includes(input.op)) return null;
    if (move !== null && !isSameMove(move, input)) return null;
    move = input;
  }
  if (move === null || move.inputs[0]!.shape.length === 0) return null;
  const inner = node.inputs.map((input) => (stays(input) ? input : input.inputs[0]!));
  return makeExpr(move.op, [makeExpr(node.op, inner, node.attrs)], move.attrs);
}

const isSameMove = (a: Expr, b: Expr): boolean =>
  a.op === b.op &&
  sameShape(a.inputs[0]!.shape, b.inputs[0]!.shape) &&
  sameShape(a.shape, b.shape) &&
  sameShape((a.attrs["axes"] ?? []) as Shape, (b.attrs["axes"] ?? []) as Shape);

const CHUNKS: readonly Rule[] = [
  rule("rechunkNothing", "rechunk(x, chunks of x) = x", p.rechunk(x), ({ x }, node) =>
    sameShape(chunksOf(x), chunksOf(node)) ? x : decline("the chunks change"),
  ),
  rule(
    "rechunkTwice",
    "rechunk(rechunk(x, c), d) = rechunk(x, d)",
    p.rechunk(p.rechunk(x), attrs),
    p.rechunk(x, attrs),
  ),
];

export const SHAPES: readonly Rule[] = [...PERMUTATIONS, ...UNIT_AXES, ...BROADCASTS, ...OUTWARDS, ...CHUNKS];
