// Memory for bytes on their way, out of the backend's memory: blocks and what storage needs use each other's places again.
// In: lengths. Out: bytes, of ordinary memory where the backend's has no room. Who takes them gives them back.

import type { Block } from "../core/block.ts";
import type { BlockMemory, Borrowed } from "../kernel/blocks.ts";
import { KeptMemory, type ScratchMemory } from "../storage/codecs/scratch.ts";
import type { StoreOptions } from "../storage/store.ts";

export class KernelScratch implements ScratchMemory {
  readonly memory: BlockMemory;
  /** What is out, by the bytes that were handed out. */
  readonly #blocks = new Map<Uint8Array, Block>();
  readonly #ordinary = new KeptMemory();

  constructor(memory: BlockMemory) {
    this.memory = memory;
  }

  take(length: number): Uint8Array {
    const block = this.memory.allocate("uint8", [length]);
    if (block === null) return this.#ordinary.take(length);
    const bytes = block.data as Uint8Array;
    this.#blocks.set(bytes, block);
    return bytes;
  }

  give(bytes: Uint8Array): void {
    const block = this.#blocks.get(bytes);
    if (block === undefined) return this.#ordinary.give(bytes);
    this.#blocks.delete(bytes);
    this.memory.free(block);
  }
}

/** Options of reads and writes whose scratch lies there. */
export const scratchIn = (memory: BlockMemory): { readonly scratch: KernelScratch } => ({
  scratch: new KernelScratch(memory),
});

/** The same, kept. All tasks of a run have one memory. */
export class ScratchOptions {
  #known: { readonly scratch: KernelScratch } | null = null;

  in({ memory }: Borrowed): StoreOptions {
    if (this.#known?.scratch.memory !== memory) this.#known = scratchIn(memory);
    return this.#known;
  }
}
