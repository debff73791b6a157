// Blocks of a backend's memory while it has room, and of ordinary memory otherwise. In: a memory, dtypes and shapes. Out:
// blocks, whose elements are whatever was there before: who makes a block fills it.
// Must hold: who borrows gets no more than was stated for it, with all that is borrowed for it meanwhile.

import { type Block, blockBytes, newBlock } from "../core/block.ts";
import type { DType } from "../core/dtype.ts";
import { InvariantError } from "../core/errors.ts";
import type { Shape } from "../core/shape.ts";

/** Where blocks lie that kernels work on. Null wherever there is no room: ordinary memory will do. */
export interface BlockMemory {
  /** A block that its taker gives back. */
  allocate(dtype: DType, shape: Shape): Block | null;
  /** For blocks of `allocate`, once; those that lie elsewhere are left to the collector. */
  free(block: Block): void;
  /** A block that lives as long as anything can see its data. */
  keep(dtype: DType, shape: Shape): Block | null;
}

/** Smaller results are ordinary arrays: copying them costs less than keeping account of them. */
const KEPT_BYTES = 1 << 16;

/** A block for a result: it lives as long as somebody holds its data. */
export function resultBlock(memory: BlockMemory, dtype: DType, shape: Shape): Block {
  const isSmall = blockBytes(dtype, shape) < KEPT_BYTES;
  return (isSmall ? null : memory.keep(dtype, shape)) ?? newBlock(dtype, shape);
}

/** A block that its taker gives back with `memory.free`. */
export const takenBlock = (memory: BlockMemory, dtype: DType, shape: Shape): Block =>
  memory.allocate(dtype, shape) ?? newBlock(dtype, shape);

/** Blocks for a while: all of them are given back together. Never more than the limit: who asks for more is refused. */
export class Borrowed {
  readonly memory: BlockMemory;
  readonly #limit: number;
  /** Whose limit holds for these, too. */
  readonly #holder: Borrowed | null;
  readonly #blocks: Block[] = [];
  #bytes = 0;
  /** Counted at the holder besides these blocks. */
  #extra: number;
  /** Borrowed within these: now, and the most at once. */
  #within = 0;
  #mostWithin = 0;

  /** `limit`: of bytes, of these blocks and of those that are borrowed `within` them. */
  constructor(
    memory: BlockMemory,
    limit: number = Number.POSITIVE_INFINITY,
    holder: Borrowed | null = null,
    extra = 0,
  ) {
    this.memory = memory;
    this.#limit = limit;
    this.#holder = holder;
    this.#extra = extra;
    if (holder !== null && extra > 0) holder.#count(extra);
  }

  /** Bytes of these blocks, and of the most that was borrowed within them. */
  get most(): number {
    return this.#bytes + this.#mostWithin;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Blocks for a part of the work, which are given back sooner. As long as they are out they count here, and with them `extra`
   * bytes that somebody else holds for that part.
   */
  within(extra = 0): Borrowed {
    return new Borrowed(this.memory, Number.POSITIVE_INFINITY, this, extra);
  }

  block(dtype: DType, shape: Shape): Block {
    const bytes = blockBytes(dtype, shape);
    this.#bytes += bytes;
    if (this.#holder !== null) this.#holder.#count(bytes);
    this.#check();
    const block = this.memory.allocate(dtype, shape);
    if (block === null) return newBlock(dtype, shape);
    this.#blocks.push(block);
    return block;
  }

  #count(bytes: number): void {
    this.#within += bytes;
    this.#mostWithin = Math.max(this.#mostWithin, this.#within);
    if (this.#holder !== null) this.#holder.#count(bytes);
  }

  #check(): void {
    const bytes = this.#bytes + this.#within;
    if (bytes > this.#limit) throw beyond(bytes, this.#limit);
    if (this.#holder !== null) this.#holder.#check();
  }

  giveBack(): void {
    for (const block of this.#blocks.splice(0)) this.memory.free(block);
    if (this.#holder !== null) this.#holder.#count(-this.#bytes - this.#extra);
    this.#bytes = 0;
    this.#extra = 0;
  }
}

const beyond = (bytes: number, limit: number): InvariantError =>
  new InvariantError({
    what: `a task asks for ${bytes} bytes, and no more than ${limit} were stated for it`,
  });
