// Places that were given back, in checked mode: overwritten, and kept aside for a while before anybody gets them again, so
// that who still reads them sees nonsense, and who still writes to them is found out.
// In: places. Out: an InvariantError where one was written to after it was given back.

import type { Place } from "../../core/block.ts";
import { InvariantError } from "../../core/errors.ts";
import type { Heap } from "./heap.ts";

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
