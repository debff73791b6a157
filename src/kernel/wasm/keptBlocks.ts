// Blocks that are handed out as results: each lives as long as anything can see it. Its view has a buffer object of its own,
// and every part of the view holds on to that; when nobody does, or it is released, its place is given back.
// In: dtypes and shapes. Out: blocks; and, for data that come back, where they lie.

import type { Block, Place } from "../../core/block.ts";
import type { DType, TypedArray } from "../../core/dtype.ts";
import type { Shape } from "../../core/shape.ts";
import type { KernelMemory } from "./memory.ts";
import { Pressure } from "./pressure.ts";

export class KeptBlocks {
  readonly #memory: KernelMemory;
  /** Places by the buffers of the views that were handed out: users bring those back, or parts of them. */
  readonly #places = new WeakMap<ArrayBufferLike, Place>();
  readonly #released = new WeakSet<ArrayBufferLike>();
  readonly #pressure = new Pressure();
  readonly #freed = new FinalizationRegistry<Place>((place) => this.#memory.give(place));

  constructor(memory: KernelMemory) {
    this.#memory = memory;
  }

  /** Null when there is no room, or no memory that can be seen from outside. */
  keep(dtype: DType, shape: Shape): Block | null {
    const memory = this.#memory;
    const place = memory.isShared ? memory.takeForBlock(dtype, shape) : null;
    if (place === null) return null;
    const buffer = structuredClone(memory.buffer);
    const block = memory.blockAt(place, dtype, shape, 0, buffer);
    this.#places.set(buffer, place);
    this.#freed.register(buffer, place, buffer);
    this.#pressure.add(buffer, place.bytes);
    return block;
  }

  /** With the place of its data, if they are a kept block's; null when that was released: what they show is another's by now. */
  find(block: Block): Block | null {
    const { buffer } = block.data;
    if (this.#released.has(buffer)) return null;
    const place = this.#places.get(buffer);
    return place === undefined && block.place === undefined ? block : { ...block, place };
  }

  /** Gives a kept block's place back now. Other data are left alone. */
  release({ buffer }: TypedArray): void {
    const place = this.#places.get(buffer);
    if (place === undefined || !this.#freed.unregister(buffer)) return;
    this.#places.delete(buffer);
    this.#memory.give(place);
    this.#released.add(buffer);
    this.#pressure.remove(buffer, place.bytes);
  }

  /** A turn in which results that were let go give their memory back, where the collector has been given a reason. */
  relieve(): Promise<void> | null {
    if (!this.#pressure.isDue) return null;
    this.#pressure.isDue = false;
    return new Promise((resolve) => setTimeout(resolve));
  }
}
