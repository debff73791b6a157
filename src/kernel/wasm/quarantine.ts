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
    this.#bytesOf(place).fill(PATTERN);
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
    const written = this.#bytesOf(place).findIndex((byte) => byte !== PATTERN);
    this.#heap.give(place);
    if (written < 0) return;
    throw new InvariantError({
      what: `byte ${written} of the ${place.bytes} at ${place.address} was written after they were given back`,
    });
  }

  #bytesOf({ address, bytes }: Place): Uint8Array {
    return new Uint8Array(this.#memory.buffer, address, bytes);
  }
}
