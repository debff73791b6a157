// Where new blocks come from: the kernels' memory while it has room, ordinary memory otherwise. Their elements are
// whatever was there before: who makes a block fills it.

import { type Block, blockBytes, newBlock } from "../core/block.ts";
import type { DType } from "../core/dtype.ts";
import type { Shape } from "../core/shape.ts";
import { giveBlock, keepBlock, takeBlock } from "./wasm/memory.ts";

/** Smaller results are ordinary arrays: copying them costs less than keeping account of them. */
const KEPT_BYTES = 1 << 16;

/** A block for a result: it lives as long as somebody holds its data. */
export function resultBlock(dtype: DType, shape: Shape): Block {
  const isSmall = blockBytes(dtype, shape) < KEPT_BYTES;
  return (isSmall ? null : keepBlock(dtype, shape)) ?? newBlock(dtype, shape);
}

/** Bytes of borrowed blocks on this thread: what there is now, and the most since somebody set `most`. */
const borrowedBytes = { now: 0, most: 0 };

/** Blocks for a while: all of them are given back together. */
export class Borrowed {
  readonly #blocks: Block[] = [];
  #bytes = 0;
  #mostBeside = 0;

  /** Bytes of these blocks, and of the most that `during` saw beside them. */
  get most(): number {
    return this.#bytes + this.#mostBeside;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts what others borrow meanwhile as used beside these blocks, and what was borrowed for it before. */
  during(action: () => void, beside = 0): void {
    borrowedBytes.most = borrowedBytes.now;
    const before = borrowedBytes.now;
    action();
    this.#mostBeside = Math.max(this.#mostBeside, beside + borrowedBytes.most - before);
  }

  block(dtype: DType, shape: Shape): Block {
    this.#count(blockBytes(dtype, shape));
    const block = takeBlock(dtype, shape);
    if (block === null) return newBlock(dtype, shape);
    this.#blocks.push(block);
    return block;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    borrowedBytes.now += bytes;
    borrowedBytes.most = Math.max(borrowedBytes.most, borrowedBytes.now);
  }

  giveBack(): void {
    for (const block of this.#blocks.splice(0)) giveBlock(block);
    borrowedBytes.now -= this.#bytes;
    this.#bytes = 0;
  }
}
