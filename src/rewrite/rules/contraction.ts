// Products: what a contraction can do by naming axes is not done before or after it. Output axes are batches, then
// the first operand's free axes, then the second's.
// The sums of a product are the same lists of terms before and after; in which order a kernel adds them depends on
// shape, layout and machine in any case, so that these rules are exact where the lists stay.

import { sizeOf } from "../../core/chunks.ts";
import { type ContractAxes, type Expr, freeAxes, makeExpr } from "../../expr/expr.ts";
import { contract, contractAxes } from "../../ops/contraction.ts";
import { multiply } from "../../ops/elementwise/arithmetic.ts";
import { a, b, p, single, variable, x, y } from "../pattern.ts";
import { decline, floating, integer, rule } from "../patternRule.ts";
import type { Rule } from "../rule.ts";
import {
  axesOf,
  expanded,
  isAscending,
  keptAxes,
  permuted,
  placesAmong,
  range,
  squeezed,
} from "./conditions.ts";
import { UNIT_AXES } from "./shapes.ts";

/** The axes of one operand: batches, contracted ones, and the rest. */
interface Side {
  readonly batch: readonly number[];
  readonly depth: readonly number[];
  readonly free: readonly number[];
}

function sidesOf(node: Expr): readonly [Side, Side] {
  const { batchA, batchB, contractA, contractB } = contractAxes(node.attrs);
  const [x, y] = node.inputs as [Expr, Expr];
  return [
    { batch: batchA, depth: contractA, free: freeAxes(x.shape.length, batchA, contractA) },
    { batch: batchB, depth: contractB, free: freeAxes(y.shape.length, batchB, contractB) },
  ];
}

const product = (x: Expr, y: Expr, left: Omit<Side, "free">, right: Omit<Side, "free">): Expr => {
  const axes: ContractAxes = {
    batchA: left.batch,
    batchB: right.batch,
    contractA: left.depth,
    contractB: right.depth,
  };
  return makeExpr(contract, [x, y], { ...axes });
};

/** The same product with another array in the place of one operand, whose axes are numbered otherwise. */
function withOperand(node: Expr, side: 0 | 1, operand: Expr, axisOf: (axis: number) => number): Expr {
  const sides = sidesOf(node);
  const moved = { batch: sides[side].batch.map(axisOf), depth: sides[side].depth.map(axisOf) };
  const [x, y] = node.inputs as [Expr, Expr];
  return side === 0 ? product(operand, y, moved, sides[1]) : product(x, operand, sides[0], moved);
}

function overPermute(node: Expr, side: 0 | 1, inner: Expr): Expr | null {
  const order = axesOf(inner);
  if (!isAscending(sidesOf(node)[side].free.map((axis) => order[axis]!))) return null;
  return withOperand(node, side, inner.inputs[0]!, (axis) => order[axis]!);
}

/** New axes of an operand are new axes of the product. */
function overExpandDims(node: Expr, side: 0 | 1, inner: Expr): Expr | null {
  const added = axesOf(inner);
  const sides = sidesOf(node);
  const { free, batch } = sides[side];
  if (!added.every((axis) => free.includes(axis))) return null;
  const ndim = inner.shape.length;
  const result = withOperand(node, side, inner.inputs[0]!, (axis) => placesAmong([axis], ndim, added)[0]!);
  const offset = batch.length + (side === 0 ? 0 : sides[0].free.length);
  return expanded(
    result,
    added.map((axis) => offset + free.indexOf(axis)),
  );
}

const NOT_FREE = decline("the axes that are not summed would change their order");

const OPERANDS: readonly Rule[] = [
  rule(
    "productPermuteLeft",
    "x.T @ y = contract(x, y)",
    p.contract(p.permute(x).as("inner"), y),
    ({ inner }, node) => overPermute(node, 0, inner) ?? NOT_FREE,
  ),
  rule(
    "productPermuteRight",
    "x @ y.T = contract(x, y)",
    p.contract(x, p.permute(y).as("inner")),
    ({ inner }, node) => overPermute(node, 1, inner) ?? NOT_FREE,
  ),
  rule(
    "productExpandLeft",
    "expandDims(x, 0) @ y = expandDims(x @ y, 0)",
    p.contract(p.expandDims(x).as("inner"), y),
    ({ inner }, node) => overExpandDims(node, 0, inner) ?? decline("a new axis is summed, or a batch"),
  ),
  rule(
    "productExpandRight",
    "x @ expandDims(y, 1) = expandDims(x @ y, 1)",
    p.contract(x, p.expandDims(y).as("inner")),
    ({ inner }, node) => overExpandDims(node, 1, inner) ?? decline("a new axis is summed, or a batch"),
  ),
  rule(
    "productOfBatch",
    "x[n] @ broadcast(y, n) = contract(x, y)",
    p.contract(x, p.broadcast(y).as("inner")),
    ({ y, inner }, node) =>
      overBatches(node, inner, y) ?? decline("not every batch has the same second operand"),
  ),
  rule(
    "permuteProduct",
    "(x @ y).T = contract(y, x)",
    p.permute(single(p.contract(x, y)).as("inner")),
    ({ inner }, node) => turnedProduct(inner, axesOf(node)) ?? decline("rows and columns are mixed"),
  ),
];

/** One product of many rows instead of many products with the same matrix. */
function overBatches(node: Expr, inner: Expr, y: Expr): Expr | null {
  const [left, right] = sidesOf(node);
  const lead = inner.shape.length - y.shape.length;
  const isBatch = (axis: number): boolean => right.batch.includes(axis);
  const fits = inner.shape.every((length, axis) =>
    isBatch(axis)
      ? axis < lead || y.shape[axis - lead] === 1
      : axis >= lead && y.shape[axis - lead] === length,
  );
  if (!fits || left.batch.length === 0 || !isAscending([...left.batch, ...left.free])) return null;
  const gone = right.batch.filter((axis) => axis >= lead).map((axis) => axis - lead);
  const depth = placesAmong(
    right.depth.map((axis) => axis - lead),
    y.shape.length,
    gone,
  );
  const matrix = squeezed(
    y,
    [...gone].sort((one, other) => one - other),
  );
  return product(node.inputs[0]!, matrix, { batch: [], depth: left.depth }, { batch: [], depth });
}

/** Batches in another order; rows and columns as they are, or swapped. */
function turnedProduct(node: Expr, order: readonly number[]): Expr | null {
  const [left, right] = sidesOf(node);
  const [x, y] = node.inputs as [Expr, Expr];
  const batches = left.batch.length;
  const rows = range(left.free.length).map((i) => batches + i);
  const columns = range(right.free.length).map((i) => batches + rows.length + i);
  const batch = order.slice(0, batches);
  const behind = order.slice(batches);
  if (batch.some((axis) => axis >= batches)) return null;
  const pick = ({ batch: axes, depth }: Side): Omit<Side, "free"> => ({
    batch: batch.map((i) => axes[i]!),
    depth,
  });
  const isOrder = (wanted: readonly number[]): boolean => behind.every((axis, i) => axis === wanted[i]);
  if (isOrder([...rows, ...columns])) return product(x, y, pick(left), pick(right));
  return isOrder([...columns, ...rows]) ? product(y, x, pick(right), pick(left)) : null;
}

/** A sum of one product, axis by axis: batches, rows of x, columns of y. */
function asMultiply(node: Expr): Expr | null {
  const [x, y] = node.inputs as [Expr, Expr];
  const [left, right] = sidesOf(node);
  if (sizeOf(left.depth.map((axis) => x.shape[axis]!)) !== 1) return null;
  const arranged = (operand: Expr, { batch, depth, free }: Side): Expr => {
    const dropped = [...depth].sort((one, other) => one - other);
    const order = placesAmong([...batch, ...free], operand.shape.length, dropped);
    return permuted(squeezed(operand, dropped), order);
  };
  const [batches, rows] = [left.batch.length, left.free.length];
  const columns = range(right.free.length).map((i) => batches + rows + i);
  return makeExpr(multiply, [
    expanded(arranged(x, left), columns),
    expanded(
      arranged(y, right),
      range(rows).map((i) => batches + i),
    ),
  ]);
}

const DEEP = decline("there is more than one term to sum");

const SIMPLE: readonly Rule[] = [
  rule(
    "outerProductInteger",
    "x[n, 1] @ y[1, m] = x · y",
    p.contract(x, y),
    (_, node) => asMultiply(node) ?? DEEP,
    {
      when: [integer(x)],
    },
  ),
  rule("outerProduct", "x[n, 1] @ y[1, m] = x · y", p.contract(x, y), (_, node) => asMultiply(node) ?? DEEP, {
    when: [floating(x)],
    changes: ["zeroSign"],
  }),
];

/** Does an operand have an axis of the array it is stretched to? */
function has(operand: Expr, whole: Expr, axis: number): boolean {
  const at = axis - (whole.shape.length - operand.shape.length);
  return at >= 0 && operand.shape[at] === whole.shape[axis];
}

/** An operand without the axes along which it is stretched, and where some axes of the whole are in it. */
function bareSide(
  operand: Expr,
  whole: Expr,
  batch: readonly number[],
  depth: readonly number[],
): [Expr, Omit<Side, "free">] {
  const ndim = whole.shape.length;
  const lead = ndim - operand.shape.length;
  const own = range(ndim).filter((axis) => has(operand, whole, axis));
  const stretched = range(operand.shape.length).filter((axis) => !own.includes(axis + lead));
  const place = (axis: number): number => own.indexOf(axis);
  return [squeezed(operand, stretched), { batch: batch.map(place), depth: depth.map(place) }];
}

/** sum(x · y) over axes that both have; the others are batches, rows or columns. */
function asProduct(node: Expr, inner: Expr, x: Expr, y: Expr): Expr | null {
  const summed = axesOf(node);
  const inBoth = (axis: number): boolean => has(x, inner, axis) && has(y, inner, axis);
  if (summed.length === 0 || !summed.every(inBoth)) return null;
  const kept = keptAxes(inner.shape.length, summed);
  const batch = kept.filter(inBoth);
  const rows = kept.filter((axis) => has(x, inner, axis) && !has(y, inner, axis));
  const columns = kept.filter((axis) => !has(x, inner, axis));
  // With batches and no rows or columns it is as much work as it was.
  if (batch.length > 0 && (rows.length === 0 || columns.length === 0)) return null;
  const [left, leftSide] = bareSide(x, inner, batch, summed);
  const [right, rightSide] = bareSide(y, inner, batch, summed);
  const natural = [...batch, ...rows, ...columns];
  const result = permuted(
    product(left, right, leftSide, rightSide),
    kept.map((axis) => natural.indexOf(axis)),
  );
  return node.attrs["keepdims"] === true ? expanded(result, summed) : result;
}

const NO_PRODUCT = decline("not every summed axis is in both factors, or there is nothing to gain");

const SUMS: readonly Rule[] = [
  rule(
    "sumOfProductsInteger",
    "sum(x[n, k, 1] · y[k, m], 1) = x @ y",
    p.sum(single(p.multiply(x, y)).as("inner")),
    ({ x, y, inner }, node) => asProduct(node, inner, x, y) ?? NO_PRODUCT,
    { when: [integer(x)] },
  ),
  rule(
    "sumOfProducts",
    "sum(x[n, k, 1] · y[k, m], 1) = x @ y",
    p.sum(single(p.multiply(x, y)).as("inner")),
    ({ x, y, inner }, node) => asProduct(node, inner, x, y) ?? NO_PRODUCT,
    { when: [floating(x)], changes: ["rounding", "nan"] },
  ),
];

const c = variable("c").where(({ shape }) => shape.length === 0, "c is 0-d");

/** The factor is cheaper after the product where that is smaller than the operand. */
function scaledProduct(node: Expr, side: 0 | 1, operand: Expr, factor: Expr): Expr | null {
  const isSmaller = sizeOf(node.shape) <= sizeOf(operand.shape);
  const result = withOperand(node, side, operand, (axis) => axis);
  return isSmaller ? makeExpr(multiply, [result, factor]) : null;
}

const LARGER = decline("the product is larger than its operand");
const isFloating = { when: [floating(a)], changes: ["rounding", "nan"] } as const;

const FACTORS: readonly Rule[] = [
  rule(
    "productScaledLeftInteger",
    "(a · c) @ b = (a @ b) · c",
    p.contract(single(p.multiply(a, c)), b),
    ({ a, c }, node) => scaledProduct(node, 0, a, c) ?? LARGER,
    { when: [integer(a)] },
  ),
  rule(
    "productScaledRightInteger",
    "b @ (a · c) = (b @ a) · c",
    p.contract(b, single(p.multiply(a, c))),
    ({ a, c }, node) => scaledProduct(node, 1, a, c) ?? LARGER,
    { when: [integer(a)] },
  ),
  rule(
    "productScaledLeft",
    "(a · c) @ b = (a @ b) · c",
    p.contract(single(p.multiply(a, c)), b),
    ({ a, c }, node) => scaledProduct(node, 0, a, c) ?? LARGER,
    isFloating,
  ),
  rule(
    "productScaledRight",
    "b @ (a · c) = (b @ a) · c",
    p.contract(b, single(p.multiply(a, c))),
    ({ a, c }, node) => scaledProduct(node, 1, a, c) ?? LARGER,
    isFloating,
  ),
];

export const CONTRACTION: readonly Rule[] = [...OPERANDS, ...SIMPLE, ...SUMS, ...FACTORS];
/** What products leave behind: axes of length 1 that came for a product and go after it. */
export const AROUND_PRODUCTS: readonly Rule[] = UNIT_AXES;
