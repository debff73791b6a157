// Arrays while a plan runs: where a task's windows come from and where its outputs go. In memory, in a store, or
// held: chunks of an intermediate, in memory while there is room and in the run's own store otherwise.
// In: boxes. Out: blocks, without a copy where one chunk does; at once where the elements are in memory.

import { type Block, subBlock } from "../core/block.ts";
import { type Box, intersect, isEmptyBox } from "../core/box.ts";
import { chunkBox, gridOf, numberOf, placeOf } from "../core/chunks.ts";
import { InvariantError } from "../core/errors.ts";
import type { Borrowed } from "../kernel/blocks.ts";
import { copyElements } from "../kernel/routines/walk.ts";
import { giveBlock } from "../kernel/wasm/memory.ts";
import type { PlanArray } from "../plan/plan.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import { chunksIn } from "./planGraph.ts";

type Soon<T> = T | Promise<T>;

/** What tasks read. */
export interface ArraySource {
  /** The elements of a box, to be read only, and only until `borrowed` is given back. */
  window(box: Box, borrowed: Borrowed): Soon<Block>;
}

/** What tasks write. */
export interface ArrayTarget {
  /** A block that the task fills with the elements of a chunk's box. */
  block(box: Box, borrowed: Borrowed): Block;
  /** The chunk is filled: it is stored, in one step. */
  store(box: Box, block: Block): Soon<void>;
}

/** One block holds all of it. */
export class MemoryArray implements ArraySource, ArrayTarget {
  readonly whole: Block;

  constructor(whole: Block) {
    this.whole = whole;
  }

  window(box: Box): Block {
    return subBlock(this.whole, box.start, box.shape);
  }
  block(box: Box): Block {
    return this.window(box);
  }
  store(): void {}
}

/** In a store. Chunks of the plan are the store's shards, from `offset` on (in elements). */
export class StoredArray implements ArraySource, ArrayTarget {
  readonly array: ZarrArray;
  readonly offset: readonly number[];

  constructor(array: ZarrArray, offset: readonly number[] = array.shape.map(() => 0)) {
    this.array = array;
    this.offset = offset;
  }

  window(box: Box, borrowed: Borrowed): Promise<Block> {
    const start = box.start.map((x, axis) => x + this.offset[axis]!);
    return this.array.readRegion(start, box.shape, borrowed.block(this.array.dtype, box.shape));
  }

  block(box: Box, borrowed: Borrowed): Block {
    return borrowed.block(this.array.dtype, box.shape);
  }

  store(box: Box, block: Block): Promise<void> {
    const { unitShape } = this.array.metadata;
    const place = box.start.map((x, axis) => (x + this.offset[axis]!) / unitShape[axis]!);
    return this.array.setShard(place, block);
  }
}

/** A part of an array that is in memory. */
export interface Part {
  readonly box: Box;
  readonly block: Block;
}

/** A box of an array out of parts that cover it: a view of one, or a copy of several. */
export function assemble(array: PlanArray, box: Box, parts: readonly Part[], borrowed: Borrowed): Block {
  const [only] = parts;
  if (parts.length === 1) return partOf(only!, box);
  const whole = borrowed.block(array.dtype, box.shape);
  copyParts(parts, box, whole);
  return whole;
}

/** Copies what parts have of a box into a block that is the box. */
export function copyParts(parts: readonly Part[], box: Box, whole: Block): void {
  for (const part of parts) {
    const shared = intersect(box, part.box);
    if (!isEmptyBox(shared)) copyElements(partOf(part, shared), placeIn(whole, box, shared));
  }
}

/** Where a part of a box is in a block that is the box. */
const placeIn = (whole: Block, box: Box, part: Box): Block =>
  subBlock(
    whole,
    part.start.map((x, axis) => x - box.start[axis]!),
    part.shape,
  );

const partOf = ({ box: from, block }: Part, box: Box): Block =>
  subBlock(
    block,
    box.start.map((x, axis) => x - from.start[axis]!),
    box.shape,
  );

/** An intermediate's chunks. */
export class HeldArray implements ArraySource {
  readonly plan: PlanArray;
  readonly #chunks = new Map<number, Block>();
  /** Where chunks are that are not in memory; null when all are. */
  store: ZarrArray | null = null;

  constructor(plan: PlanArray) {
    this.plan = plan;
  }

  /** The block is the array's own from now on. */
  put(chunk: number, block: Block): void {
    this.drop(chunk);
    this.#chunks.set(chunk, block);
  }

  inMemory(chunk: number): Block | undefined {
    return this.#chunks.get(chunk);
  }

  /** Out of memory. */
  drop(chunk: number): void {
    const block = this.#chunks.get(chunk);
    if (block === undefined) return;
    this.#chunks.delete(chunk);
    giveBlock(block);
  }

  dropAll(): void {
    for (const chunk of [...this.#chunks.keys()]) this.drop(chunk);
  }

  placeOf(chunk: number): number[] {
    return placeOf(chunk, gridOf(this.plan.shape, this.plan.chunks));
  }

  boxOf(chunk: number): Box {
    return chunkBox(this.plan.shape, this.plan.chunks, this.placeOf(chunk));
  }

  /** Writes a chunk to the store. */
  async save(chunk: number): Promise<void> {
    const block = this.#chunks.get(chunk);
    if (block !== undefined) await this.#stored(chunk).setShard(this.placeOf(chunk), block);
  }

  async delete(chunk: number): Promise<void> {
    this.drop(chunk);
    await this.store?.deleteShard(this.placeOf(chunk));
  }

  #stored(chunk: number): ZarrArray {
    if (this.store !== null) return this.store;
    throw new InvariantError({ what: `chunk ${chunk} of ${this.plan.name} is neither in memory nor stored` });
  }

  window(box: Box, borrowed: Borrowed): Soon<Block> {
    if (isEmptyBox(box)) return borrowed.block(this.plan.dtype, box.shape);
    const chunks = [...chunksIn(box, this.plan)];
    const parts: Part[] = chunks.flatMap((chunk) => {
      const block = this.#chunks.get(chunk);
      return block === undefined ? [] : [{ box: this.boxOf(chunk), block }];
    });
    if (parts.length === chunks.length) return assemble(this.plan, box, parts, borrowed);
    return this.#mixed(box, chunks, parts, borrowed);
  }

  async #mixed(
    box: Box,
    chunks: readonly number[],
    parts: readonly Part[],
    borrowed: Borrowed,
  ): Promise<Block> {
    const whole = borrowed.block(this.plan.dtype, box.shape);
    copyParts(parts, box, whole);
    for (const chunk of chunks) {
      if (this.#chunks.has(chunk)) continue;
      const part = intersect(box, this.boxOf(chunk));
      await this.#stored(chunk).readRegion(part.start, part.shape, placeIn(whole, box, part));
    }
    return whole;
  }
}

export const chunkNumber = (box: Box, { shape, chunks }: PlanArray): number =>
  numberOf(
    box.start.map((x, axis) => x / chunks[axis]!),
    gridOf(shape, chunks),
  );
