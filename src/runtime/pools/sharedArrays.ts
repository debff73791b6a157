// Arrays on a task thread that lie in the main thread's memory. In: what a task was sent of them, by chunk or by window.
// Out: the windows that it reads and the blocks that it fills. They are the main thread's: it keeps them where they are until
// it has heard how the task ended (docs/adr/0014). To the kernels of this thread, which have a memory of their own, they lie
// outside.
// Must hold: every chunk of a window is looked up by its number, in memory and then in the store; one that is nowhere is an
// error.

import { type Block, subBlock } from "../../core/block.ts";
import { type Box, intersect, sameShape } from "../../core/chunks.ts";
import { InvariantError } from "../../core/errors.ts";
import type { SharedBlock } from "../../kernel/backend.ts";
import type { Borrowed } from "../../kernel/blockProgram.ts";
import type { DensePlanArray } from "../../plan/plan.ts";
import type { ZarrArray } from "../../storage/zarr/array.ts";
import {
  type BlockSource,
  type BlockTarget,
  type ChunkLookUp,
  type StoredArray,
  windowOfChunks,
} from "../arrays.ts";
import type { SharedPart, SharedWindow } from "./messages.ts";

/** What another thread has given this one to look at. */
export type See = (shared: SharedBlock) => Block;

export class SharedSource implements BlockSource, ChunkLookUp {
  readonly plan: DensePlanArray;
  /** By number. */
  readonly #chunks: ReadonlyMap<number, Block>;
  readonly #windows: { readonly box: Box; readonly block: Block }[] = [];
  readonly #store: StoredArray | null;

  constructor(plan: DensePlanArray, see: See, parts: readonly SharedPart[], store: StoredArray | null) {
    this.plan = plan;
    this.#store = store;
    this.#chunks = chunksShown(plan.name, see, parts);
    for (const part of parts)
      if (part.array === plan.name && !("chunk" in part)) this.#windows.push(windowIn(see, part));
  }

  window(box: Box, borrowed: Borrowed, into?: Block): Block | Promise<Block> {
    const shown = this.#windows.find((window) => contains(window.box, box));
    if (shown !== undefined) return subBlock(shown.block, startIn(shown.box, box), box.shape);
    return windowOfChunks(this, box, borrowed, into);
  }

  inMemory(chunk: number): Block | undefined {
    return this.#chunks.get(chunk);
  }

  stored(chunk: number): ZarrArray {
    if (this.#store !== null) return this.#store.array;
    throw new InvariantError({
      what: `chunk ${chunk} of ${this.plan.name} is neither in memory nor in a store of this thread's`,
    });
  }
}

/** The chunks of an array that a task was sent, by number. */
export function chunksShown(
  array: string,
  see: See,
  parts: readonly SharedPart[],
): ReadonlyMap<number, Block> {
  const chunks = new Map<number, Block>();
  for (const part of parts)
    if (part.array === array && "chunk" in part) chunks.set(part.chunk, see(part.block));
  return chunks;
}

const windowIn = (see: See, { box, block }: SharedWindow): { box: Box; block: Block } => ({
  box,
  block: see(block),
});

const contains = (outer: Box, inner: Box): boolean => sameShape(intersect(outer, inner).shape, inner.shape);

const startIn = (outer: Box, inner: Box): number[] => inner.start.map((x, axis) => x - outer.start[axis]!);

/** One chunk, or one window: what the task makes. */
export class SharedTarget implements BlockTarget {
  readonly #block: Block;
  readonly #store: StoredArray | null;

  constructor(block: Block, store: StoredArray | null) {
    this.#block = block;
    this.#store = store;
  }

  block(box: Box): Block {
    if (sameShape(box.shape, this.#block.shape)) return this.#block;
    throw new InvariantError({
      what: `a task makes a chunk of ${box.shape.join(" × ")} where ${this.#block.shape.join(" × ")} was taken`,
    });
  }

  store(box: Box, block: Block, borrowed: Borrowed): void | Promise<void> {
    return this.#store?.store(box, block, borrowed);
  }
}
