// Arrays while a plan runs in this process: whole ones (sources and results) and chunked ones
// (intermediates). In: boxes to read, chunks to write. Out: blocks, without a copy where one chunk does.

import { type Block, blockBytes, subBlock } from "../core/block.ts";
import { type Box, intersect, isEmptyBox } from "../core/box.ts";
import { chunkBox, gridOf, numberOf, placeOf } from "../core/chunks.ts";
import { InvariantError } from "../core/errors.ts";
import { sizeOf } from "../core/shape.ts";
import { Borrowed } from "../kernel/blocks.ts";
import { copyElements } from "../kernel/routines/walk.ts";
import type { PlanArray } from "../plan/plan.ts";

export interface StoredArray {
  /** The elements of a box, to be read only, and only until `borrowed` is given back. */
  window(box: Box, borrowed: Borrowed): Block;
  /** Where the task for a chunk writes it. */
  target(box: Box): Block;
  /** Nobody reads it any more. */
  free(): void;
}

/** One block holds all of it. */
export class WholeArray implements StoredArray {
  readonly block: Block;

  constructor(block: Block) {
    this.block = block;
  }

  window(box: Box): Block {
    return subBlock(this.block, box.start, box.shape);
  }
  target(box: Box): Block {
    return this.window(box);
  }
  free(): void {}
}

/** A block per chunk, made when it is written. */
export class ChunkedArray implements StoredArray {
  readonly #array: PlanArray;
  readonly #chunks = new Map<number, Block>();
  readonly #borrowed = new Borrowed();

  constructor(array: PlanArray) {
    this.#array = array;
  }

  target(box: Box): Block {
    const { dtype, shape, chunks } = this.#array;
    const block = this.#borrowed.block(dtype, box.shape);
    const place = box.start.map((x, axis) => x / chunks[axis]!);
    this.#chunks.set(numberOf(place, gridOf(shape, chunks)), block);
    return block;
  }

  free(): void {
    this.#chunks.clear();
    this.#borrowed.giveBack();
  }

  window(box: Box, borrowed: Borrowed): Block {
    const places = this.#placesOf(box);
    const [only] = places;
    if (places.length === 1) return this.#partOf(only!, box);
    const whole = borrowed.block(this.#array.dtype, box.shape);
    for (const place of places) {
      const shared = intersect(box, this.#boxOf(place));
      const to = subBlock(
        whole,
        shared.start.map((x, axis) => x - box.start[axis]!),
        shared.shape,
      );
      copyElements(this.#partOf(place, shared), to);
    }
    return whole;
  }

  #boxOf(place: readonly number[]): Box {
    return chunkBox(this.#array.shape, this.#array.chunks, place);
  }

  #partOf(place: readonly number[], box: Box): Block {
    const { name, shape, chunks } = this.#array;
    const block = this.#chunks.get(numberOf(place, gridOf(shape, chunks)));
    if (block === undefined)
      throw new InvariantError({ what: `chunk [${place}] of ${name} is read before it is written` });
    const from = this.#boxOf(place).start;
    return subBlock(
      block,
      box.start.map((x, axis) => x - from[axis]!),
      box.shape,
    );
  }

  /** The chunks that a box touches. */
  #placesOf(box: Box): number[][] {
    if (isEmptyBox(box)) return [];
    const { chunks } = this.#array;
    const first = box.start.map((x, axis) => Math.floor(x / chunks[axis]!));
    const counts = box.start.map(
      (x, axis) => Math.floor((x + box.shape[axis]! - 1) / chunks[axis]!) - first[axis]! + 1,
    );
    return Array.from({ length: sizeOf(counts) }, (_, i) =>
      placeOf(i, counts).map((x, axis) => first[axis]! + x),
    );
  }
}

export const windowBytes = (array: PlanArray, box: Box): number => blockBytes(array.dtype, box.shape);
