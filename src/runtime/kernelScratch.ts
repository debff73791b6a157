// Memory for bytes on their way, out of the kernels' memory: blocks and what storage needs use each other's places again.
// In: lengths. Out: bytes, of ordinary memory where the kernels' has no room. Who takes them gives them back.

import type { Block } from "../core/block.ts";
import { giveBlock, takeBlock } from "../kernel/wasm/memory.ts";
import { KeptMemory, type ScratchMemory } from "../storage/codecs/scratch.ts";

export class KernelScratch implements ScratchMemory {
  /** What is out, by the bytes that were handed out. */
  readonly #blocks = new Map<Uint8Array, Block>();
  readonly #ordinary = new KeptMemory();

  take(length: number): Uint8Array {
    const block = takeBlock("uint8", [length]);
    if (block === null) return this.#ordinary.take(length);
    const bytes = block.data as Uint8Array;
    this.#blocks.set(bytes, block);
    return bytes;
  }

  give(bytes: Uint8Array): void {
    const block = this.#blocks.get(bytes);
    if (block === undefined) return this.#ordinary.give(bytes);
    this.#blocks.delete(bytes);
    giveBlock(block);
  }
}
