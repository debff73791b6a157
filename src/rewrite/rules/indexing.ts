// Selections move towards the sources, so that only what is needed is read and computed. All exact: every element
// is computed as before, from the same elements.
// Rule of thumb: through what computes (elementwise ops, reductions, scans, products, routines) only where the slice
// is the one client, since another client needs all of it anyway and would share the work; through moves and
// sources always. And only slices that take less than there is: turning an axis round saves nothing.
// The order of additions in a product is its kernel's affair (it depends on shape, layout and machine), so that a
// product of fewer rows is as exact as one of all.

import { infoOf, isFloat, isInteger } from "../../core/dtype.ts";
import type { Scalar } from "../../core/numbers.ts";
import { chunksOf, type Expr, freeAxes, makeExpr } from "../../expr/expr.ts";
import type { OpClass } from "../../expr/op.ts";
import { arange, coordinate } from "../../lazy/lazyArray.ts";
import { contract, contractAxes } from "../../ops/contraction.ts";
import { periodicPlaces, placesIn, type TakeAttrs, take } from "../../ops/moves/take.ts";
import { argsort, gather, searchsorted, sort, takeAlongAxis } from "../../ops/routines.ts";
import { broadcastTo, constantOf, filledLike } from "../make.ts";
import { on, type Pattern, p, rest, type Variable, variable, x, y } from "../pattern.ts";
import { type Declined, decline, rule } from "../patternRule.ts";
import type { Rule } from "../rule.ts";
import { axesOf, expanded, keptAxes, range, squeezed } from "./conditions.ts";
import { SELECTIONS } from "./joins.ts";
import { wrapped } from "./reductions.ts";
import { type Run, runsOf, sliced, wholeRun } from "./regularSelections.ts";
import { runsBelow, SLICED_MOVES, sliceRule } from "./sliceMoves.ts";

const inner: Variable<"inner"> = variable("inner");
/** A node of a class, whatever its op, that nothing but the slice uses. */
const oneOf = (kind: OpClass): Pattern<{ readonly inner: Expr }> =>
  inner.where((node) => node.op.class === kind, `it is a ${kind} op`).single();

const SLICED_WORK: readonly Rule[] = [
  sliceRule("sliceElementwise", "f(x, y)[a] = f(x[a], y[a])", oneOf("elementwise"), ({ inner }, runs) =>
    makeExpr(
      inner.op,
      inner.inputs.map((input) => sliced(input, runsBelow(runs, inner.shape, input.shape))),
      inner.attrs,
    ),
  ),
  sliceRule("sliceReduce", "sum(x, i)[a] = sum(x[a'], i)", oneOf("reduce"), ({ inner }, runs) => {
    const input = inner.inputs[0]!;
    const axes = axesOf(inner);
    const kept = inner.attrs["keepdims"] === true ? range(runs.length) : keptAxes(input.shape.length, axes);
    const below = input.shape.map((length, axis) =>
      axes.includes(axis) ? wholeRun(length) : runs[kept.indexOf(axis)]!,
    );
    return makeExpr(inner.op, [sliced(input, below)], inner.attrs);
  }),
  sliceRule(
    "sliceScan",
    "cumulativeSum(x, i)[a] = cumulativeSum(x[a'], i)",
    oneOf("scan"),
    ({ inner }, runs) => besideAxis(inner, runs),
  ),
  sliceRule(
    "sliceSort",
    "sort(x, i)[a] = sort(x[a'], i)",
    on([sort, argsort])(x).single().as("inner"),
    ({ inner }, runs) => besideAxis(inner, runs),
  ),
  sliceRule("sliceProduct", "(x @ y)[a, b] = x[a] @ y[:, b]", oneOf("contract"), ({ inner }, runs) =>
    sliceOfProduct(inner, runs),
  ),
  sliceRule(
    "sliceGather",
    "take(x, i)[a] = take(x[a'], i[a\"])",
    p.gather(x, rest("indices")).single().as("inner"),
    ({ x, indices, inner }, runs) => {
      const { axes, at } = inner.attrs as unknown as { axes: readonly number[]; at: number };
      const count = indices[0]!.shape.length;
      const others = [...runs.slice(0, at), ...runs.slice(at + count)];
      const below = x.shape.map((length, axis) =>
        axes.includes(axis) ? wholeRun(length) : others[keptAxes(x.shape.length, axes).indexOf(axis)]!,
      );
      const places = indices.map((index) => sliced(index, runs.slice(at, at + count)));
      return makeExpr(gather, [sliced(x, below), ...places], inner.attrs);
    },
  ),
  sliceRule(
    "sliceTake",
    "take(x, i)[a] = take(x[a'], i[a\"])",
    p.take(x).as("inner"),
    ({ x, inner }, runs) => {
      const axis = inner.attrs["axis"] as number;
      const { start, step, length } = runs[axis]!;
      const below = runs.map((run, other) => (other === axis ? wholeRun(x.shape[axis]!) : run));
      return takenFrom(sliced(x, below), inner, placesIn(inner.attrs, start, length, step));
    },
  ),
  sliceRule(
    "sliceTakeAlongAxis",
    "takeAlongAxis(x, i)[a] = takeAlongAxis(x[a'], i[a])",
    p.takeAlongAxis(x, y).single().as("inner"),
    ({ x, y, inner }, runs) => {
      const along = inner.attrs["axis"] as number;
      const others = runs.map((run, axis) => (axis === along ? wholeRun(x.shape[axis]!) : run));
      return makeExpr(takeAlongAxis, [sliced(x, others), sliced(y, runs)], inner.attrs);
    },
  ),
  sliceRule(
    "sliceSearch",
    "searchsorted(x, y)[a] = searchsorted(x, y[a])",
    p.searchsorted(x, y).single().as("inner"),
    ({ x, y, inner }, runs) => makeExpr(searchsorted, [x, sliced(y, runs)], inner.attrs),
  ),
];

/** What works along one axis is sliced before along the others, and after along that one. */
function besideAxis(inner: Expr, runs: readonly Run[]): Expr | Declined {
  const along = inner.attrs["axis"] as number;
  const [input] = inner.inputs as [Expr];
  const others = runs.map((run, axis) => (axis === along ? wholeRun(input.shape[axis]!) : run));
  const part = sliced(input, others);
  if (part === input) return decline("only the axis of the op is selected from");
  return sliced(
    makeExpr(inner.op, [part], inner.attrs),
    runs.map((run, axis) => (axis === along ? run : wholeRun(part.shape[axis]!))),
  );
}

/** Rows of the first operand, columns of the second, batches of both. */
function sliceOfProduct(inner: Expr, runs: readonly Run[]): Expr {
  const [a, b] = inner.inputs as [Expr, Expr];
  const { batchA, batchB, contractA, contractB } = contractAxes(inner.attrs);
  const freeA = freeAxes(a.shape.length, batchA, contractA);
  const freeB = freeAxes(b.shape.length, batchB, contractB);
  const part = (operand: Expr, axes: readonly number[]): Expr =>
    sliced(
      operand,
      operand.shape.map((length, axis) => runs[axes.indexOf(axis)] ?? wholeRun(length)),
    );
  // Places in the product: batches, rows, columns. −1 is a place that no axis has.
  const rows = freeA.map(() => -1);
  return makeExpr(
    contract,
    [part(a, [...batchA, ...freeA]), part(b, [...batchB, ...rows, ...freeB])],
    inner.attrs,
  );
}

/** start + i·step for i in a run, as the same formula; null where that would round otherwise. */
function rangeAttrs(source: Expr, { start, step }: Run): { start: Scalar; step: Scalar } | null {
  const { dtype } = source;
  const [from, by] = [source.attrs["start"] as Scalar, source.attrs["step"] as Scalar];
  if (isInteger(dtype)) {
    const [first, each] = [BigInt(from as bigint), BigInt(by as bigint)];
    return {
      start: wrapped(first + each * BigInt(start), dtype),
      step: wrapped(each * BigInt(step), dtype),
    };
  }
  if (typeof from !== "number" || typeof by !== "number") return null;
  const last = from + by * source.shape[0]!;
  const isExact = [from, by].every((value) => Number.isInteger(value) && !Object.is(value, -0));
  const most = isFloat(dtype) ? 2 ** infoOf(dtype).digits : 0;
  if (!isExact || Math.max(Math.abs(from), Math.abs(last), Math.abs(by) * source.shape[0]!) > most)
    return null;
  return { start: from + by * start, step: by * step };
}

const SLICED_SOURCES: readonly Rule[] = [
  rule("sliceFull", "full(c, s)[a] = full(c, s')", p.slice(p.full().as("x")), ({ x }, node) =>
    filledLike(constantOf(x)!, node),
  ),
  rule("sliceArange", "arange(n)[a:b:c] = arange(a, b, c)", p.slice(p.arange().as("x")), ({ x }, node) => {
    const attrs = rangeAttrs(x, runsOf(node)[0]!);
    if (attrs === null) return decline("the numbers would be rounded otherwise");
    return makeExpr(arange, [], { dtype: x.dtype, shape: node.shape, chunks: chunksOf(node), ...attrs });
  }),
  rule(
    "sliceCoordinate",
    "coordinate(i)[a] = broadcast(arange(a))",
    p.slice(p.coordinate().as("x")),
    ({ x }, node) => sliceOfCoordinate(x, runsOf(node), node),
  ),
];

function sliceOfCoordinate(x: Expr, runs: readonly Run[], node: Expr): Expr | Declined {
  const axis = x.attrs["axis"] as number;
  const chunks = chunksOf(node);
  const run = runs[axis]!;
  if (run.start === 0 && run.step === 1)
    return makeExpr(coordinate, [], { ...x.attrs, shape: node.shape, chunks });
  if (x.dtype !== "int64") return decline("the coordinate is cast");
  const line = makeExpr(arange, [], {
    ...{ dtype: x.dtype, shape: [run.length], chunks: [chunks[axis]!] },
    ...{ start: BigInt(run.start), step: BigInt(run.step) },
  });
  const behind = range(node.shape.length - 1 - axis).map((i) => i + 1);
  return broadcastTo(expanded(line, behind), node.shape);
}

/** x at a list of places along an axis, in chunks as another take has them; a slice where they are one. */
function takenFrom(x: Expr, { attrs }: Expr, list: readonly number[]): Expr {
  const { axis, chunk, reach } = attrs as unknown as TakeAttrs;
  const step = list.length < 2 ? 1 : list[1]! - list[0]!;
  const isRun = step !== 0 && list.every((place, j) => place === list[0]! + step * j);
  if (isRun) return sliced(x, along(x, axis, { start: list[0] ?? 0, step, length: list.length }));
  return makeExpr(take, [x], { axis, ...periodicPlaces(list), chunk, reach });
}

const TAKES: readonly Rule[] = [
  rule("takeRun", "take(x, [a, a + s, …]) = x[a::s]", p.take(x), ({ x }, node) => {
    const list = placesIn(node.attrs, 0, node.shape[node.attrs["axis"] as number]!);
    const taken = takenFrom(x, node, list);
    return taken.op === take ? decline("the places are no regular selection") : taken;
  }),
  rule(
    "takeKnownTwice",
    "take(take(x, i), j) = take(x, i[j])",
    p.take(p.take(x).as("inner")),
    ({ x, inner }, node) => {
      const axis = node.attrs["axis"] as number;
      if (inner.attrs["axis"] !== axis) return decline("not along one and the same axis");
      const list = placesIn(node.attrs, 0, node.shape[axis]!);
      return takenFrom(
        x,
        node,
        list.flatMap((place) => placesIn(inner.attrs, place, 1)),
      );
    },
  ),
  rule(
    "takeTwice",
    "take(take(x, i), j) = take(x, take(i, j))",
    p.gather(p.gather(x, y).single().as("inner"), variable("places")),
    ({ x, y, places, inner }, node) => {
      const [axis] = axesOf(inner);
      const isAlong = inner.attrs["at"] === axis && y.shape.length === 1 && axesOf(node)[0] === axis;
      if (!isAlong || axesOf(inner).length > 1) return decline("not along one and the same axis");
      return makeExpr(gather, [x, makeExpr(gather, [y, places], { axes: [0], at: 0 })], node.attrs);
    },
  ),
  rule(
    "takeOne",
    "take(x, c) = x[c]",
    p.gather(
      x,
      p
        .full()
        .where(({ shape }) => shape.length === 0, "the index is one number")
        .as("y"),
    ),
    ({ x, y }, node) => {
      const [axis] = axesOf(node) as [number];
      const at = Number(constantOf(y));
      const length = x.shape[axis]!;
      if (axesOf(node).length > 1 || at < -length || at >= length)
        return decline("it is no place of one axis");
      const one = { start: at < 0 ? at + length : at, step: 1, length: 1 };
      return squeezed(sliced(x, along(x, axis, one)), [axis]);
    },
  ),
  rule(
    "takeRange",
    "take(x, arange(a, b, c)) = x[a:b:c]",
    p.gather(x, p.arange().as("y")),
    ({ x, y }, node) => {
      const [axis] = axesOf(node) as [number];
      const [start, step] = [Number(y.attrs["start"]), Number(y.attrs["step"])];
      const run = { start, step: step || 1, length: y.shape[0]! };
      const end = start + step * (run.length - 1);
      const isInside = [start, end].every((place) => place >= 0 && place < x.shape[axis]!);
      if (axesOf(node).length > 1 || node.attrs["at"] !== axis || step === 0 || run.length === 0 || !isInside)
        return decline("the range is not one of places of one axis");
      return sliced(x, along(x, axis, run));
    },
  ),
];

const along = (x: Expr, axis: number, run: Run): Run[] =>
  x.shape.map((length, other) => (other === axis ? run : wholeRun(length)));

export const INDEXING: readonly Rule[] = [
  ...SELECTIONS,
  ...SLICED_SOURCES,
  ...SLICED_MOVES,
  ...SLICED_WORK,
  ...TAKES,
];
