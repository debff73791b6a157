// The memory that kernels work in: one for all threads of the process, shared where the platform allows it.
// In: how many bytes are wanted. Out: places, and blocks that lie in them. A block that is not in this memory
// (an array from outside, or one that found no room here) is streamed through it, tile by tile.
// Must hold: a view stays good for ever. A shared memory grows without moving; one that is not shared would
// invalidate every view when it grows, so it never does, and only tiles live in it.

import { type Block, blockBytes } from "../../core/block.ts";
import { type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import { type Shape, sizeOf, stridesOf } from "../../core/shape.ts";
import { Heap } from "./heap.ts";
import { HEAP_AT, writeTables } from "./layout.ts";
import { MAX_PAGES } from "./module.ts";

const PAGE = 65536;
/** What a memory that is not shared has: parameters, scratch, and tiles. */
const FIXED_PAGES = 256;
/** Growing is cheap, but not free. */
const GROWTH_PAGES = 1024;

function newMemory(): { memory: WebAssembly.Memory; pages: number; isShared: boolean } {
  // A platform may not have the addresses for all of it.
  for (let pages = MAX_PAGES; typeof SharedArrayBuffer === "function" && pages > FIXED_PAGES; pages /= 2) {
    try {
      const memory = new WebAssembly.Memory({ initial: FIXED_PAGES, maximum: pages, shared: true });
      // Browsers share nothing with workers of pages that are not isolated.
      if (globalThis.crossOriginIsolated === false) break;
      return { memory, pages, isShared: true };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  const memory = new WebAssembly.Memory({ initial: FIXED_PAGES, maximum: FIXED_PAGES });
  return { memory, pages: FIXED_PAGES, isShared: false };
}

const made = newMemory();
export const memory: WebAssembly.Memory = made.memory;
export const isShared: boolean = made.isShared;
const maxPages = made.pages;
writeTables(memory.buffer);

const heap = new Heap(HEAP_AT, maxPages * PAGE);
/** All buffers through which this memory can be seen. */
const buffers = new WeakSet<ArrayBufferLike>([memory.buffer]);

/** The address of so many bytes that nobody else has; null when there are none. */
export function takeBytes(bytes: number): number | null {
  const at = heap.take(bytes);
  if (at === null) return null;
  if (hasGrownTo(heap.end)) return at;
  heap.give(at);
  return null;
}

export const giveBytes = (at: number): void => heap.give(at);

function hasGrownTo(end: number): boolean {
  const missing = Math.ceil((end - memory.buffer.byteLength) / PAGE);
  if (missing <= 0) return true;
  const room = maxPages - memory.buffer.byteLength / PAGE;
  try {
    memory.grow(Math.min(room, Math.max(missing, GROWTH_PAGES)));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  }
  buffers.add(memory.buffer);
  return true;
}

/** The byte address of a block's first element; null for a block that lies elsewhere. */
export function addressOf({ data, offset, dtype }: Pick<Block, "data" | "offset" | "dtype">): number | null {
  return buffers.has(data.buffer) ? data.byteOffset + offset * infoOf(dtype).bytes : null;
}

export function blockAt(buffer: ArrayBufferLike, at: number, dtype: DType, shape: Shape): Block {
  const { array: ArrayOf, slots } = infoOf(dtype);
  const data = new ArrayOf(buffer as ArrayBuffer, at, sizeOf(shape) * slots) as TypedArray;
  return { dtype, shape, strides: stridesOf(shape), offset: 0, data };
}

/** A block that its taker gives back. Null when there is no room. */
export function takeBlock(dtype: DType, shape: Shape): Block | null {
  const at = takeBytes(blockBytes(dtype, shape));
  return at === null ? null : blockAt(memory.buffer, at, dtype, shape);
}

/** For blocks of takeBlock; others are left alone. */
export function giveBlock({ data }: Block): void {
  if (buffers.has(data.buffer)) heap.give(data.byteOffset);
}

/** The same elements, perhaps at a lower address: for blocks of takeBlock that are kept while others come and go. */
export function settledBlock(block: Block): Block {
  const { data, dtype, shape } = block;
  if (!buffers.has(data.buffer)) return block;
  const at = data.byteOffset;
  const to = heap.settle(at);
  if (to === at) return block;
  new Uint8Array(memory.buffer).copyWithin(to, at, at + data.byteLength);
  return { ...block, data: blockAt(memory.buffer, to, dtype, shape).data };
}

const freed = new FinalizationRegistry<number>((at) => heap.give(at));

/** A block that lives as long as anything can see it: its view has a buffer object of its own, and every part of
 * the view holds on to that. Null when there is no room, or no memory that can be seen from outside. */
export function keepBlock(dtype: DType, shape: Shape): Block | null {
  if (!isShared) return null;
  const bytes = blockBytes(dtype, shape);
  const at = takeBytes(bytes);
  if (at === null) return null;
  const buffer = structuredClone(memory.buffer);
  buffers.add(buffer);
  freed.register(buffer, at, buffer);
  pressure.add(buffer, bytes);
  return blockAt(buffer, at, dtype, shape);
}

const released = new WeakSet<ArrayBufferLike>();

/** Gives a kept block's place back now, not when nobody can see it any more. Others are left alone. */
export function releaseBlock({ data }: Block): void {
  const { buffer, byteLength } = data;
  if (!freed.unregister(buffer)) return;
  heap.give(data.byteOffset);
  buffers.delete(buffer);
  released.add(buffer);
  pressure.remove(buffer, byteLength);
}

/** True for views of a block that was given back: what they show belongs to somebody else by now. */
export const isReleased = ({ buffer }: TypedArray): boolean => released.has(buffer);

/** Engines hand out so much without touching it. */
const WEIGHT_BYTES = 64 << 20;
/** The collector's work is worth this many bytes for each byte that it knows of. */
const BYTES_PER_WEIGHT = 4;

/**
 * The collector of garbage knows nothing of the bytes behind a kept block, and would see no reason to run. So
 * blocks carry weights: buffers in proportion to their size whose pages are never touched, alive as long as they
 * are. What the collector finds is given back in a turn of the event loop, which `isDue` asks for.
 */
class Pressure {
  readonly #weights = new WeakMap<ArrayBufferLike, ArrayBuffer>();
  #bytes = 0;
  isDue = false;

  add(buffer: ArrayBufferLike, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < BYTES_PER_WEIGHT * WEIGHT_BYTES) return;
    this.#weights.set(buffer, new ArrayBuffer(this.#bytes / BYTES_PER_WEIGHT));
    this.#bytes = 0;
    this.isDue = true;
  }

  /** For a block that is given back without the collector's help. */
  remove(buffer: ArrayBufferLike, bytes: number): void {
    this.#weights.delete(buffer);
    this.#bytes = Math.max(0, this.#bytes - bytes);
  }
}

export const pressure: Pressure = new Pressure();
