// Where new blocks come from: the kernels' memory while it has room, ordinary memory otherwise. Their elements are
// whatever was there before: who makes a block fills it.

import { type Block, blockBytes, newBlock } from "../core/block.ts";
import { type DType, infoOf, type TypedArray } from "../core/dtype.ts";
import { InvariantError } from "../core/errors.ts";
import type { Shape } from "../core/shape.ts";
import { giveBlock, keepBlock, placeOfKept, takeBlock } from "./wasm/memory.ts";

/** Smaller results are ordinary arrays: copying them costs less than keeping account of them. */
const KEPT_BYTES = 1 << 16;

/** A block for a result: it lives as long as somebody holds its data. */
export function resultBlock(dtype: DType, shape: Shape): Block {
  const isSmall = blockBytes(dtype, shape) < KEPT_BYTES;
  return (isSmall ? null : keepBlock(dtype, shape)) ?? newBlock(dtype, shape);
}

/** Numbers one after another; where they lie in the kernels' memory they are worked on there. */
export function blockOfData(data: TypedArray, dtype: DType): Block {
  const shape = [data.length / infoOf(dtype).slots];
  return { dtype, shape, strides: [1], offset: 0, data, place: placeOfKept(data) };
}

/** Bytes of borrowed blocks on this thread: what there is now, the most since somebody set `most`, and what there may be. */
const borrowedBytes = { now: 0, most: 0, limit: Number.POSITIVE_INFINITY };

const beyond = (bytes: number, limit: number): InvariantError =>
  new InvariantError({
    what: `a task asks for ${bytes} bytes, and no more than ${limit} were stated for it`,
  });

/** Blocks for a while: all of them are given back together. Never more than the limit: who asks for more is refused. */
export class Borrowed {
  readonly #blocks: Block[] = [];
  readonly #limit: number;
  #bytes = 0;
  #mostBeside = 0;

  /** `limit`: of bytes, of these blocks and of those that are borrowed `during` something. */
  constructor(limit: number = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** Bytes of these blocks, and of the most that `during` saw beside them. */
  get most(): number {
    return this.#bytes + this.#mostBeside;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts what others borrow meanwhile as used beside these blocks, and what was borrowed for it before. */
  during(action: () => void, beside = 0): void {
    const { now: before, limit } = borrowedBytes;
    borrowedBytes.most = before;
    borrowedBytes.limit = Math.min(limit, before + this.#limit - this.#bytes - beside);
    try {
      action();
    } finally {
      borrowedBytes.limit = limit;
    }
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
    if (this.#bytes > this.#limit) throw beyond(this.#bytes, this.#limit);
    if (borrowedBytes.now > borrowedBytes.limit) throw beyond(borrowedBytes.now, borrowedBytes.limit);
  }

  giveBack(): void {
    for (const block of this.#blocks.splice(0)) giveBlock(block);
    borrowedBytes.now -= this.#bytes;
    this.#bytes = 0;
  }
}
