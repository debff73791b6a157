// Users' functions over blocks that say their pullback, block by block. In: the function, what takes a block of the cotangent and
// the blocks of the arrays to the cotangents of these, and how blocks go together. Out: the array that the function makes, with
// a pullback (array/gradients/customPullback.ts): calls of the user's for each block, whose results are put together, or added up
// where blocks share an input.
// Must hold: blocks of the result and of the arrays have the same lengths along the axes of the grid, but for the overlap.

import { gridOf, type Shape } from "../../core/chunks.ts";
import { ShapeError } from "../../core/errors.ts";
import { fitScalar } from "../../core/numbers.ts";
import { makeExpr } from "../../expr/expr.ts";
import type { BlockGrid, OutputGrid } from "../../kernel/routines/userCall.ts";
import { built, node } from "../../lazy/build.ts";
import { coordinate, type LazyArray, sourceAttrs } from "../../lazy/lazyArray.ts";
import { greaterEqual, less, logicalAnd, remainder, where } from "../../ops/elementwise/index.ts";
import { overlap } from "../../ops/moves/overlap.ts";
import { sum } from "../../ops/reductions.ts";
import { withPullback } from "../gradients/customPullback.ts";
import { callNodes } from "./blockCall.ts";
import type { AnyFunction } from "./userFunction.ts";

export function callWithPullback(
  fn: AnyFunction,
  pullback: AnyFunction,
  inputs: readonly LazyArray[],
  grid: BlockGrid,
  output: OutputGrid,
  around: AroundBlocks,
): LazyArray {
  return withPullback(
    (...xs) => callNodes(fn, xs, grid, [output])[0]!,
    (cotangent, _, ...xs) => pulled(pullback, cotangent, xs, { ...grid, ...around }, output),
    inputs,
  );
}

function pulled(
  pullback: AnyFunction,
  cotangent: LazyArray,
  xs: readonly LazyArray[],
  { cut, from, memory, ...around }: BlockGrid & AroundBlocks,
  output: OutputGrid,
): LazyArray[] {
  checkLengths(output, cut, around);
  const blocks = cut.map((_, axis) => blocksAlong(axis, xs, from, cut));
  const outputs = xs.map((x, k) => cotangentGrid(x, from[k]!, cut, blocks));
  const parts = callNodes(
    pullback,
    [widened(cotangent, output, around), ...xs],
    { cut, from: [output.axes, ...from], memory },
    outputs,
  );
  return parts.map((part, k) => {
    const added = part.ndim - xs[k]!.ndim;
    return added === 0
      ? part
      : (sum(part, { axis: Array.from({ length: added }, (_, a) => a) }) as LazyArray);
  });
}

/** The overlap of blocks along the axes of the grid, whether the function's result has it or not. */
export interface AroundBlocks {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

function checkLengths({ chunks, axes }: OutputGrid, cut: Shape, { before, after }: AroundBlocks): void {
  const wrong = axes.findIndex((to, axis) => to >= 0 && chunks[axis]! + before[to]! + after[to]! !== cut[to]);
  if (wrong < 0) return;
  throw new ShapeError({
    what: `blocks of the result are ${chunks[wrong]} long along axis ${wrong}, and those of the arrays ${cut[axes[wrong]!]}`,
    cure: "A pullback by blocks needs blocks of one length: put the call into cw.customPullback",
  });
}

/** Of the input that has that axis of the grid. */
function blocksAlong(axis: number, xs: readonly LazyArray[], from: BlockGrid["from"], cut: Shape): number {
  for (const [k, x] of xs.entries()) {
    const own = from[k]!.indexOf(axis);
    if (own >= 0) return gridOf([x.shape[own]!], [cut[axis]!])[0]!;
  }
  return 1;
}

/** One array of the shape of an input; along axes of the grid that the input does not have, one for each block. */
function cotangentGrid(x: LazyArray, from: readonly number[], cut: Shape, blocks: Shape): OutputGrid {
  const others = blocks.flatMap((count, axis) => (count > 1 && !from.includes(axis) ? [axis] : []));
  return {
    dtype: x.dtype,
    shape: [...others.map((axis) => blocks[axis]!), ...x.shape],
    chunks: [
      ...others.map(() => 1),
      ...from.map((to, axis) => (to < 0 ? Math.max(1, x.shape[axis]!) : cut[to]!)),
    ],
    axes: [...others, ...from],
  };
}

/** Blocks of the cotangent as long as those of the arrays: zero where the overlap was cut off. */
function widened(x: LazyArray, { chunks, axes }: OutputGrid, { before, after }: AroundBlocks): LazyArray {
  const of = (list: readonly number[]): number[] => axes.map((to) => (to < 0 ? 0 : list[to]!));
  const [first, last] = [of(before), of(after)];
  if ([...first, ...last].every((depth) => depth === 0)) return x;
  const zero = fitScalar(0, x.dtype);
  const ends = { modes: axes.map(() => "constant"), values: axes.map(() => zero) };
  const wide = node(overlap, [x], { before: first, after: last, chunks: [...chunks], ...ends });
  return axes.reduce<LazyArray>((kept, _, axis) => {
    const [lead, end] = [first[axis]!, last[axis]!];
    if (lead + end === 0) return kept;
    const places = built(
      makeExpr(coordinate, [], { ...sourceAttrs({ dtype: "int64", shape: wide.shape }, wide.chunks), axis }),
      [],
    );
    const own = remainder(places, chunks[axis]! + lead + end);
    const isInside = logicalAnd(greaterEqual(own, lead), less(own, lead + chunks[axis]!));
    return where(logicalAnd(isInside, less(places, wide.shape[axis]! - end)), kept, 0) as LazyArray;
  }, wide);
}
