// Chunks at the end of an array, filled up: the store has whole chunks, a block has what is inside the array. In: a block,
// the shape of a chunk, the fill value. Out: a block of that shape; the given one where it has it already.

import { type Block, newBlock, subBlock } from "../../core/block.ts";
import { type Shape, sameShape } from "../../core/shape.ts";
import { type ScratchMemory, Taken } from "../codecs/scratch.ts";
import { copyBlock, fillBlock } from "./blockCopies.ts";
import type { Fill } from "./fill.ts";
import { blockIn } from "./storedElements.ts";

export function filledUp(block: Block, shape: Shape, fill: Fill): Block {
  if (sameShape(block.shape, shape)) return block;
  return fillInto(block, newBlock(block.dtype, shape), fill);
}

/** The same in memory that is used again: who uses the block must not keep it. */
export async function withFilledUp<T>(
  block: Block,
  shape: Shape,
  fill: Fill,
  memory: ScratchMemory | undefined,
  use: (whole: Block) => Promise<T>,
): Promise<T> {
  if (sameShape(block.shape, shape)) return use(block);
  const room = new Taken(memory);
  try {
    return await use(fillInto(block, blockIn(room, block.dtype, shape), fill));
  } finally {
    room.end();
  }
}

function fillInto(block: Block, whole: Block, fill: Fill): Block {
  fillBlock(whole, fill);
  const start = whole.shape.map(() => 0);
  copyBlock(block, subBlock(whole, start, block.shape));
  return whole;
}
