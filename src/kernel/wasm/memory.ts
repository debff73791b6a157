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
import { type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import { type Shape, sizeOf, stridesOf } from "../../core/shape.ts";
import { Heap } from "./heap.ts";
import { HEAP_AT, writeTables } from "./layout.ts";
import { MAX_PAGES } from "./module.ts";
import { pressure } from "./pressure.ts";
import { Quarantine } from "./quarantine.ts";

const PAGE = 65536;
/** What a memory that is not shared has: parameters, scratch, and tiles. */
const FIXED_PAGES = 256;
/** Growing is cheap, but not free. */
const GROWTH_PAGES: number = checks.growthPages ?? 1024;

function newMemory(): { memory: WebAssembly.Memory; pages: number; isShared: boolean } {
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

const made = newMemory();
export const memory: WebAssembly.Memory = made.memory;
export const isShared: boolean = made.isShared;
const maxPages = made.pages;
writeTables(memory.buffer);

const heap = new Heap(HEAP_AT, maxPages * PAGE);
const quarantine: Quarantine | null = checks.isOn ? new Quarantine(heap, memory) : null;

/** A place of so many bytes that nobody else has; null when there is none. `stays`: it will not be given back. */
export function takeBytes(bytes: number, stays = false): Place | null {
  return tryTake(bytes, stays) ?? (quarantine?.empty() ? tryTake(bytes, stays) : null);
}

function tryTake(bytes: number, stays: boolean): Place | null {
  const place = heap.take(bytes, stays);
  if (place === null || hasGrownTo(place.address + place.bytes)) return place;
  heap.give(place);
  return null;
}

export function giveBytes(place: Place): void {
  if (quarantine === null) heap.give(place);
  else quarantine.add(place);
}

/** Places that somebody has: what is left of a run shows here. */
export const takenPlaces = (): number => heap.takenPlaces - (quarantine?.size ?? 0);

function hasGrownTo(end: number): boolean {
  const missing = Math.ceil((end - memory.buffer.byteLength) / PAGE);
  if (missing <= 0) return true;
  const room = maxPages - memory.buffer.byteLength / PAGE;
  return grow(Math.min(room, Math.max(missing, GROWTH_PAGES))) || grow(missing);
}

function grow(pages: number): boolean {
  try {
    memory.grow(pages);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** What has a place, or parts of it: blocks, and walks through them. */
interface Placed {
  readonly data: TypedArray;
  readonly offset: number;
  readonly dtype: DType;
  readonly place?: Place | undefined;
}

/** The byte address of a block's first element; null for a block that lies elsewhere. */
export function addressOf({ data, offset, dtype, place }: Placed): number | null {
  if (place === undefined) return null;
  const at = data.byteOffset;
  if (at < place.address || at + data.byteLength > place.address + place.bytes)
    throw new InvariantError({ what: `a view at ${at} is not in its place at ${place.address}` });
  if (checks.isOn) checkTaken(place);
  return at + offset * infoOf(dtype).bytes;
}

/** The same where it must lie in this memory: who asks has brought it there. */
export function placedAddress(block: Placed): number {
  const address = addressOf(block);
  if (address !== null) return address;
  throw new InvariantError({ what: "a kernel is given a block that is not in its memory" });
}

function checkTaken(place: Place): void {
  if (heap.isTaken(place) && quarantine?.has(place) !== true) return;
  throw new InvariantError({
    what: `the block at ${place.address} (generation ${place.generation}) is used after it was given back`,
  });
}

/** A block at the beginning of a place, or so many bytes behind it. */
export function blockAt(place: Place, dtype: DType, shape: Shape, behind = 0): Block {
  return viewOf(memory.buffer, place, dtype, shape, behind);
}

function viewOf(buffer: ArrayBufferLike, place: Place, dtype: DType, shape: Shape, behind: number): Block {
  const { array: ArrayOf, slots, bytes } = infoOf(dtype);
  const end = behind + sizeOf(shape) * bytes;
  if (end > place.bytes)
    throw new InvariantError({ what: `${end} bytes of a place of ${place.bytes} are asked for` });
  const data = new ArrayOf(
    buffer as ArrayBuffer,
    place.address + behind,
    sizeOf(shape) * slots,
  ) as TypedArray;
  return { dtype, shape, strides: stridesOf(shape), offset: 0, data, place };
}

/** Tiles, states and code can be nowhere else, and blocks can: so much at the end of the memory is not for blocks. */
const WORKING_BYTES = Math.min(16 << 20, (maxPages * PAGE) / 2);
const BLOCKS_END = maxPages * PAGE - WORKING_BYTES;

function takeForBlock(dtype: DType, shape: Shape): Place | null {
  const place = takeBytes(blockBytes(dtype, shape));
  if (place === null || !isShared || place.address + place.bytes <= BLOCKS_END) return place;
  giveBytes(place);
  return null;
}

/** A block that its taker gives back. Null when there is no room. */
export function takeBlock(dtype: DType, shape: Shape): Block | null {
  const place = takeForBlock(dtype, shape);
  return place === null ? null : blockAt(place, dtype, shape);
}

/** For blocks of takeBlock; those that found no room are left to the collector. */
export function giveBlock({ place }: Block): void {
  if (place !== undefined) giveBytes(place);
}

/** The same elements, perhaps at a lower address: for blocks of takeBlock that are kept while others come and go. */
export function settledBlock(block: Block): Block {
  const { place, data, dtype, shape } = block;
  if (place === undefined) return block;
  const to = heap.settle(place);
  if (to.address !== place.address)
    new Uint8Array(memory.buffer).copyWithin(to.address, place.address, place.address + data.byteLength);
  return { ...blockAt(to, dtype, shape), strides: block.strides, offset: block.offset };
}

const freed = new FinalizationRegistry<Place>((place) => giveBytes(place));
/** Places of kept blocks, by the buffers of the views that were handed out: users bring those back, or parts of them. */
const kept = new WeakMap<ArrayBufferLike, Place>();

/** A block that lives as long as anything can see it: its view has a buffer object of its own, and every part of
 * the view holds on to that. Null when there is no room, or no memory that can be seen from outside. */
export function keepBlock(dtype: DType, shape: Shape): Block | null {
  if (!isShared) return null;
  const place = takeForBlock(dtype, shape);
  if (place === null) return null;
  const buffer = structuredClone(memory.buffer);
  const block = viewOf(buffer, place, dtype, shape, 0);
  kept.set(buffer, place);
  freed.register(buffer, place, buffer);
  pressure.add(buffer, place.bytes);
  return block;
}

/** Where a kept block's data lie, for who comes with the data alone. */
export const placeOfKept = ({ buffer }: TypedArray): Place | undefined => kept.get(buffer);

const released = new WeakSet<ArrayBufferLike>();

/** Gives a kept block's place back now, not when nobody can see it any more. Others are left alone. */
export function releaseBlock({ data }: Pick<Block, "data">): void {
  const { buffer } = data;
  const place = kept.get(buffer);
  if (place === undefined || !freed.unregister(buffer)) return;
  kept.delete(buffer);
  giveBytes(place);
  released.add(buffer);
  pressure.remove(buffer, place.bytes);
}

/** True for views of a block that was given back: what they show belongs to somebody else by now. */
export const isReleased = ({ buffer }: TypedArray): boolean => released.has(buffer);
