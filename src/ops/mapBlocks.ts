// mapBlocks: a user's function over blocks. Every block of the output is what the function makes of the blocks of the
// inputs at the same place. The grid of blocks is that of the inputs together, broadcast; an axis that the function
// drops is given whole, an axis that it adds has one block.
// attrs: function (a resource that can be called), output (which of its results), dtype, shape and chunks of the
// output, inputs (their shapes), cut (their common chunks), axes (per axis of the output: the axis of the grid, −1 for a new one).

import type { Attrs } from "../core/attrs.ts";
import type { Box } from "../core/box.ts";
import type { ChunkShape } from "../core/chunks.ts";
import type { DType } from "../core/dtype.ts";
import type { Shape } from "../core/shape.ts";
import type { ArrayType, RoutineOp } from "../expr/op.ts";
import { type BlockGrid, blockGrid, inputBox } from "../kernel/routines/call.ts";

const gridOfAttrs = (attrs: Attrs): BlockGrid => blockGrid(attrs);

/** The blocks that a box touches, whole. */
function wholeBlocks(out: Box, type: ArrayType, attrs: Attrs): Box {
  const chunks = attrs["chunks"] as ChunkShape;
  const start = out.start.map((x, axis) => x - (x % chunks[axis]!));
  const end = out.start.map((x, axis) =>
    Math.min(type.shape[axis]!, Math.ceil((x + out.shape[axis]!) / chunks[axis]!) * chunks[axis]!),
  );
  return { start, shape: start.map((x, axis) => Math.max(0, end[axis]! - x)) };
}

export const mapBlocks: RoutineOp = {
  name: "mapBlocks",
  class: "routine",
  routine: "call",
  isOpaque: true,
  infer: (_, attrs) => ({ dtype: attrs["dtype"] as DType, shape: attrs["shape"] as Shape }),
  computes: wholeBlocks,
  demand: (out, inputs, attrs) => inputs.map(({ shape }) => inputBox(out, shape, gridOfAttrs(attrs))),
  chunks: (_, __, attrs) => attrs["chunks"] as ChunkShape,
};
