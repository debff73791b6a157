// What functions of arrays have in common beside lazy/build.ts: chunks that nobody named, sources, parts along an axis.

import type { Attrs } from "../core/block.ts";
import { type ChunkShape, type ChunksArgument, checkChunks, type Shape, sameShape } from "../core/chunks.ts";
import { type DType, infoOf } from "../core/dtype.ts";
import { makeExpr } from "../expr/expr.ts";
import type { SourceOp } from "../expr/op.ts";
import { type Built, built, node } from "../lazy/build.ts";
import { type LazyArray, sourceAttrs } from "../lazy/lazyArray.ts";
import { broadcast } from "../ops/moves/axisMoves.ts";
import { slice } from "../ops/moves/select.ts";
import { engine } from "./defaultEngine.ts";

/** "auto" goes by what a task may use of the usual spec's memory, and by the chunks in which the elements lie already. */
export function chunksFor(
  chunks: ChunksArgument | undefined,
  shape: Shape,
  dtype: DType,
  stored?: ChunkShape,
): ChunkShape {
  const argument = chunks ?? "auto";
  const isAuto = argument === "auto" || (Array.isArray(argument) && argument.includes("auto"));
  const auto = isAuto ? { budget: engine.spec.budget, stored } : {};
  return checkChunks(argument, shape, infoOf(dtype).bytes, auto);
}

/** A source of one op; chunks default to "auto". */
export function source(
  op: SourceOp,
  shape: Shape,
  dtype: DType,
  chunks: ChunksArgument | undefined,
  attrs: Attrs,
): Built {
  const cut = chunksFor(chunks, shape, dtype);
  return built(makeExpr(op, [], { ...sourceAttrs({ dtype, shape }, cut), ...attrs }), []);
}

export function broadcastLazy(x: LazyArray, shape: Shape): LazyArray {
  return sameShape(x.expr.shape, shape) ? x : node(broadcast, [x], { shape });
}

/** A part of `count` elements along an axis. */
export function partAlong(x: LazyArray, axis: number, from: number, count: number): Built {
  return node(slice, [x], {
    start: x.shape.map((_, a) => (a === axis ? from : 0)),
    step: x.shape.map(() => 1),
    shape: x.shape.map((n, a) => (a === axis ? count : n)),
  });
}
