// Chunks at the end of an array, filled up: the store has whole chunks, a block has what is inside the array. In: a block,
// the shape of a chunk, the fill value. Out: a block of that shape; the given one where it has it already.

import { type Block, blockBytes, newBlock, subBlock } from "../../core/block.ts";
import { type Shape, sameShape, stridesOf } from "../../core/shape.ts";
import { ownScratch, type ScratchMemory } from "../codecs/scratch.ts";
import { copyBlock, fillBlock } from "./blocks.ts";
import { dataOver } from "./elements.ts";
import type { Fill } from "./fill.ts";

export function filledUp(block: Block, shape: Shape, fill: Fill): Block {
  if (sameShape(block.shape, shape)) return block;
  return fillInto(block, newBlock(block.dtype, shape), fill);
}

/** The same in memory that is used again: who uses the block must not keep it. */
export async function withFilledUp<T>(
  block: Block,
  shape: Shape,
  fill: Fill,
  memory: ScratchMemory = ownScratch,
  use: (whole: Block) => Promise<T>,
): Promise<T> {
  if (sameShape(block.shape, shape)) return use(block);
  const { dtype } = block;
  const length = blockBytes(dtype, shape);
  const scratch = memory.take(length);
  try {
    const data = dataOver(scratch.subarray(0, length), dtype);
    return await use(fillInto(block, { dtype, shape, strides: stridesOf(shape), offset: 0, data }, fill));
  } finally {
    memory.give(scratch);
  }
}

function fillInto(block: Block, whole: Block, fill: Fill): Block {
  fillBlock(whole, fill);
  const start = whole.shape.map(() => 0);
  copyBlock(block, subBlock(whole, start, block.shape));
  return whole;
}
