// Places in a range of addresses: given away where they fit best, taken back and joined with their neighbours.
// In: sizes. Out: places, whose addresses are multiples of 64. Low addresses come first, so that memory once touched is
// used again. Small places, and those that stay for ever, come out of slabs of their own: one that is kept must not lie
// where a large one was and would be again.

import type { Place } from "../../core/block.ts";
import { InvariantError } from "../../core/errors.ts";

/** A cache line. */
const ALIGNMENT = 64;
/** Keeps arrays of 2ⁿ bytes from lying at equal places of their pages, where reads wait for unrelated writes. */
const STAGGER = 2 * ALIGNMENT;

/** Places of up to so many bytes are small. */
const SMALL = 1 << 18;
/** Of small places; what is not used of it is never touched. */
const SLAB = 1 << 22;
/** A range that is shorter than this has no slabs. */
const LEAST_FOR_SLABS = 16 * SLAB;
/** Large places have a length of so many steps, so that one fits where another of about its length was. */
const STEPS = 16;

interface Gap {
  at: number;
  size: number;
}

interface Taken {
  readonly place: Place;
  /** With what is lost to rounding. */
  readonly size: number;
}

export class Heap {
  /** By address; never touching. */
  readonly #gaps: Gap[] = [];
  /** Gaps in slabs. */
  readonly #small: Gap[] = [];
  readonly #slabs = new Set<number>();
  /** What is taken, by address. */
  readonly #taken = new Map<number, Taken>();
  #generation = 0;
  #end: number;
  readonly #limit: number;

  /** From `start`; it may grow to `limit`. */
  constructor(start: number, limit: number) {
    this.#end = Math.ceil(start / ALIGNMENT) * ALIGNMENT;
    this.#limit = limit;
    // In front of everything: it stays where it is for ever.
    if (limit - start >= LEAST_FOR_SLABS) this.#addSlab();
  }

  /** How far the addresses given away have reached. */
  get end(): number {
    return this.#end;
  }

  /** Null when there is no such place left. `stays`: it will not be given back. */
  take(bytes: number, stays = false): Place | null {
    const size = Math.ceil(Math.max(1, bytes) / ALIGNMENT) * ALIGNMENT + STAGGER;
    const isSmall = size <= (stays ? SLAB : SMALL) && this.#slabs.size > 0;
    const rounded = isSmall ? size : roundedUp(size);
    const at = isSmall ? this.#takeSmall(size) : this.#takeLarge(rounded);
    if (at !== null) return this.#handOut(at, bytes, rounded);
    const last = this.#takeLarge(size);
    return last === null ? null : this.#handOut(last, bytes, size);
  }

  #handOut(address: number, bytes: number, size: number): Place {
    const place = { address, bytes, generation: ++this.#generation };
    this.#taken.set(address, { place, size });
    return place;
  }

  /** False for a place that was given back, whatever lies there now, and for one of another heap. */
  isTaken(place: Place): boolean {
    return this.#taken.get(place.address)?.place === place;
  }

  get takenPlaces(): number {
    return this.#taken.size;
  }

  #takeLarge(size: number): number | null {
    return takeGap(this.#gaps, size) ?? this.#extend(size);
  }

  #takeSmall(size: number): number | null {
    const at = takeGap(this.#small, size);
    return at === null && this.#addSlab() ? takeGap(this.#small, size) : at;
  }

  #addSlab(): boolean {
    const at = this.#takeLarge(SLAB);
    if (at === null) return false;
    this.#slabs.add(at);
    giveGap(this.#small, at, SLAB);
    return true;
  }

  /** Behind the last place, or from the gap there on. */
  #extend(size: number): number | null {
    const last = this.#gaps.at(-1);
    const touches = last !== undefined && last.at + last.size === this.#end;
    const at = touches ? last.at : this.#end;
    if (at + size > this.#limit) return null;
    if (touches) this.#gaps.pop();
    this.#end = at + size;
    return at;
  }

  /** Once: a place that is given back twice may be somebody else's by then. */
  give(place: Place): void {
    const { address } = place;
    const { size } = this.#ownOf(place);
    this.#taken.delete(address);
    giveGap(this.#isInSlab(address) ? this.#small : this.#gaps, address, size);
  }

  #ownOf(place: Place): Taken {
    const taken = this.#taken.get(place.address);
    if (taken?.place === place) return taken;
    throw new InvariantError({
      what: `the place of ${place.bytes} bytes at ${place.address} (generation ${place.generation}) was given back before`,
    });
  }

  /**
   * Where a place may move to: as low as it gets in the gap that it would leave, or in a lower one of about its size. What
   * is kept for long then lies below what is not, and leaves no gaps that fit nothing. Its place is there from now on.
   */
  settle(place: Place): Place {
    const { address: at, bytes } = place;
    const { size } = this.#ownOf(place);
    if (this.#isInSlab(at)) return place;
    this.give(place);
    const isFit = (gap: Gap): boolean =>
      gap.size >= size && gap.at <= at && (gap.size <= 2 * size || gap.at + gap.size > at);
    const index = this.#gaps.findIndex(isFit);
    return this.#handOut(takeFrom(this.#gaps, index, size), bytes, size);
  }

  #isInSlab(at: number): boolean {
    for (const slab of this.#slabs) if (at >= slab && at < slab + SLAB) return true;
    return false;
  }
}

/** What is not used of it is never touched. */
function roundedUp(size: number): number {
  const step = Math.max(ALIGNMENT, 2 ** Math.floor(Math.log2(size)) / STEPS);
  return Math.ceil(size / step) * step;
}

/** The smallest gap that is large enough, and of equal ones the first. */
function takeGap(gaps: Gap[], size: number): number | null {
  let best = -1;
  for (let i = 0; i < gaps.length; i++)
    if (gaps[i]!.size >= size && (best < 0 || gaps[i]!.size < gaps[best]!.size)) best = i;
  return best < 0 ? null : takeFrom(gaps, best, size);
}

function takeFrom(gaps: Gap[], index: number, size: number): number {
  const gap = gaps[index]!;
  const { at } = gap;
  if (gap.size === size) gaps.splice(index, 1);
  else {
    gap.at += size;
    gap.size -= size;
  }
  return at;
}

function giveGap(gaps: Gap[], at: number, size: number): void {
  const index = firstBehind(gaps, at);
  const [before, behind] = [gaps[index - 1], gaps[index]];
  const joinsBefore = before !== undefined && before.at + before.size === at;
  const joinsBehind = behind !== undefined && at + size === behind.at;
  if (joinsBefore) before.size += size + (joinsBehind ? behind.size : 0);
  else if (joinsBehind) {
    behind.at = at;
    behind.size += size;
  } else gaps.splice(index, 0, { at, size });
  if (joinsBefore && joinsBehind) gaps.splice(index, 1);
}

function firstBehind(gaps: readonly Gap[], at: number): number {
  let low = 0;
  let high = gaps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (gaps[middle]!.at < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Places that were given back, in checked mode: overwritten, and kept aside for a while before anybody gets them again, so
// that who still reads them sees nonsense, and who still writes to them is found out.
// In: places. Out: an InvariantError where one was written to after it was given back.

/** As a float64 it is −2.3e+283, as an integer far from 0; nothing computes it by accident. */
const PATTERN = 0xfa;
/** The oldest are handed out again when there are more. */
const MOST_PLACES = 256;
const MOST_BYTES = 64 << 20;
/** So many bytes at each end of a place are overwritten: all of most places, and no whole tiles. */
const OVERWRITTEN = 1 << 16;
/** So many of these are looked at when it is handed out again: whoever writes a block writes there too. */
const LOOKED_AT = 1 << 13;

export class Quarantine {
  readonly #heap: Heap;
  readonly #memory: WebAssembly.Memory;
  /** By generation, the oldest first. */
  readonly #places = new Map<number, Place>();
  #bytes = 0;

  constructor(heap: Heap, memory: WebAssembly.Memory) {
    this.#heap = heap;
    this.#memory = memory;
  }

  get size(): number {
    return this.#places.size;
  }

  has({ generation }: Place): boolean {
    return this.#places.has(generation);
  }

  add(place: Place): void {
    const { address, bytes, generation } = place;
    if (!this.#heap.isTaken(place) || this.#places.has(generation))
      throw new InvariantError({ what: `the place at ${address} is given back twice` });
    const all = this.#bytesOf(place);
    all.subarray(0, OVERWRITTEN).fill(PATTERN);
    all.subarray(Math.max(0, bytes - OVERWRITTEN)).fill(PATTERN);
    this.#places.set(generation, place);
    this.#bytes += bytes;
    while (this.#places.size > MOST_PLACES || this.#bytes > MOST_BYTES) this.#release();
  }

  /** True when there was something to hand out again. */
  empty(): boolean {
    const had = this.#places.size > 0;
    while (this.#places.size > 0) this.#release();
    return had;
  }

  #release(): void {
    const [place] = this.#places.values();
    if (place === undefined) return;
    this.#places.delete(place.generation);
    this.#bytes -= place.bytes;
    const written = this.#writtenTo(place);
    this.#heap.give(place);
    if (written === null) return;
    throw new InvariantError({
      what: `byte ${written} of the ${place.bytes} at ${place.address} was written after they were given back`,
    });
  }

  /** The first byte that is not the pattern, as far as it is looked for. */
  #writtenTo(place: Place): number | null {
    const bytes = this.#bytesOf(place);
    const end = Math.min(bytes.length, LOOKED_AT);
    for (let at = 0; at < end; at++) if (bytes[at] !== PATTERN) return at;
    for (let at = Math.max(end, bytes.length - LOOKED_AT); at < bytes.length; at++)
      if (bytes[at] !== PATTERN) return at;
    return null;
  }

  #bytesOf({ address, bytes }: Place): Uint8Array {
    return new Uint8Array(this.#memory.buffer, address, bytes);
  }
}
