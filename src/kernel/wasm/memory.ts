// The memory that kernels work in: one for all kernels of a thread and its helpers, shared where the platform allows it.
// In: how many bytes are wanted. Out: places, and blocks that lie in them (docs/adr/0014: who owns them, and for how
// long). A block that is not in this memory (an array from outside, or one that found no room here) is streamed through
// it, tile by tile.
// Must hold: a view stays good for ever. A shared memory grows without moving; one that is not shared would
// invalidate every view when it grows, so it never does, and only tiles live in it.
// Where a block lies is written down when it is made. It cannot be told from its view: engines replace `.buffer` of every
// shared memory that a thread can see when any thread grows any of them.

import { type Block, blockBytes, type Place } from "../../core/block.ts";
import { checks } from "../../core/checked.ts";
import { type Shape, sizeOf, stridesOf } from "../../core/chunks.ts";
import { type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import { Heap, Quarantine } from "./heap.ts";
import { HEAP_AT, writeTables } from "./memoryLayout.ts";
import { MAX_PAGES } from "./module.ts";

// A fresh memory for kernels. In: nothing. Out: the largest that the platform gives, shared between threads where it can be.

const PAGE = 65536;
/** What a memory that is not shared has: parameters, scratch, and tiles. */
const FIXED_PAGES = 256;

interface NewMemory {
  readonly memory: WebAssembly.Memory;
  /** What it may grow to. */
  readonly pages: number;
  readonly isShared: boolean;
}

function newMemory(): NewMemory {
  const most = checks.maximumPages ?? MAX_PAGES;
  // A platform may not have the addresses for all of it.
  for (let pages = most; typeof SharedArrayBuffer === "function" && pages > FIXED_PAGES; pages >>= 1) {
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

/** Growing is cheap, but not free. */
const GROWTH_PAGES: number = checks.growthPages ?? 1024;

/** What has a place, or parts of it: blocks, and walks through them. */
interface Placed {
  readonly data: TypedArray;
  readonly offset: number;
  readonly dtype: DType;
  readonly place?: Place | undefined;
}

export class KernelMemory {
  readonly wasm: WebAssembly.Memory;
  readonly isShared: boolean;
  readonly #pages: number;
  /** Tiles, states and code can be nowhere else, and blocks can: what lies behind this is not for blocks. */
  readonly #blocksEnd: number;
  readonly #heap: Heap;
  /** In checked mode. */
  readonly #quarantine: Quarantine | null;

  constructor() {
    const { memory, pages, isShared } = newMemory();
    const limit = pages * PAGE;
    this.wasm = memory;
    this.isShared = isShared;
    this.#pages = pages;
    this.#blocksEnd = isShared ? limit - Math.min(16 << 20, limit / 2) : limit;
    this.#heap = new Heap(HEAP_AT, limit);
    this.#quarantine = checks.isOn ? new Quarantine(this.#heap, memory) : null;
    writeTables(memory.buffer);
  }

  get buffer(): ArrayBufferLike {
    return this.wasm.buffer;
  }

  /** A place of so many bytes that nobody else has; null when there is none. `stays`: it will not be given back. */
  take(bytes: number, stays = false): Place | null {
    return this.#tryTake(bytes, stays) ?? (this.#quarantine?.empty() ? this.#tryTake(bytes, stays) : null);
  }

  #tryTake(bytes: number, stays: boolean): Place | null {
    const place = this.#heap.take(bytes, stays);
    if (place === null || this.#hasGrownTo(place.address + place.bytes)) return place;
    this.#heap.give(place);
    return null;
  }

  give(place: Place): void {
    if (this.#quarantine === null) this.#heap.give(place);
    else this.#quarantine.add(place);
  }

  /** Places that somebody has: what is left of a run shows here. */
  get takenPlaces(): number {
    return this.#heap.takenPlaces - (this.#quarantine?.size ?? 0);
  }

  #hasGrownTo(end: number): boolean {
    const missing = Math.ceil((end - this.buffer.byteLength) / PAGE);
    if (missing <= 0) return true;
    const room = this.#pages - this.buffer.byteLength / PAGE;
    return this.#grow(Math.min(room, Math.max(missing, GROWTH_PAGES))) || this.#grow(missing);
  }

  #grow(pages: number): boolean {
    try {
      this.wasm.grow(pages);
      return true;
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  }

  /** The byte address of a block's first element; null for a block that lies elsewhere. */
  addressOf({ data, offset, dtype, place }: Placed): number | null {
    if (place === undefined) return null;
    const at = data.byteOffset;
    if (at < place.address || at + data.byteLength > place.address + place.bytes)
      throw new InvariantError({ what: `a view at ${at} is not in its place at ${place.address}` });
    if (checks.isOn) this.#checkTaken(place);
    return at + offset * infoOf(dtype).bytes;
  }

  /** The same where it must lie in this memory: who asks has brought it there. */
  placedAddress(block: Placed): number {
    const address = this.addressOf(block);
    if (address !== null) return address;
    throw new InvariantError({ what: "a kernel is given a block that is not in its memory" });
  }

  #checkTaken(place: Place): void {
    if (this.#heap.isTaken(place) && this.#quarantine?.has(place) !== true) return;
    throw new InvariantError({
      what: `the block at ${place.address} (generation ${place.generation}) is used after it was given back`,
    });
  }

  /** A block at the beginning of a place, or so many bytes behind it; through a buffer object of its own, if one is given. */
  blockAt(
    place: Place,
    dtype: DType,
    shape: Shape,
    behind = 0,
    buffer: ArrayBufferLike = this.buffer,
  ): Block {
    const { array: ArrayOf, slots, bytes } = infoOf(dtype);
    const end = behind + sizeOf(shape) * bytes;
    if (end > place.bytes)
      throw new InvariantError({ what: `${end} bytes of a place of ${place.bytes} are asked for` });
    const at = place.address + behind;
    const data = new ArrayOf(buffer as ArrayBuffer, at, sizeOf(shape) * slots) as TypedArray;
    return { dtype, shape, strides: stridesOf(shape), offset: 0, data, place };
  }

  /** Where a block may lie. */
  takeForBlock(dtype: DType, shape: Shape): Place | null {
    const place = this.take(blockBytes(dtype, shape));
    if (place === null || place.address + place.bytes <= this.#blocksEnd) return place;
    this.give(place);
    return null;
  }

  /** A block that its taker gives back. Null when there is no room. */
  takeBlock(dtype: DType, shape: Shape): Block | null {
    const place = this.takeForBlock(dtype, shape);
    return place === null ? null : this.blockAt(place, dtype, shape);
  }

  /** For blocks of takeBlock; those that found no room are left to the collector. */
  giveBlock({ place }: Block): void {
    if (place !== undefined) this.give(place);
  }

  /** The same elements, perhaps at a lower address: for blocks of takeBlock that are kept while others come and go. */
  settledBlock(block: Block): Block {
    const { place, data, dtype, shape } = block;
    if (place === undefined) return block;
    const to = this.#heap.settle(place);
    if (to.address !== place.address)
      new Uint8Array(this.buffer).copyWithin(to.address, place.address, place.address + data.byteLength);
    return { ...this.blockAt(to, dtype, shape), strides: block.strides, offset: block.offset };
  }
}
