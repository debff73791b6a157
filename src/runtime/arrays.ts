// Arrays while a plan runs: where a task's windows come from and where its outputs go. In memory, in a store, or
// held: chunks of an intermediate, in memory while there is room and in the run's own store otherwise.
// In: boxes. Out: blocks, without a copy where one chunk does; at once where the elements are in memory.

import { type Block, subBlock } from "../core/block.ts";
import { type Box, intersect, isEmptyBox, numberOf, placeOf } from "../core/chunks.ts";
import { InvariantError } from "../core/errors.ts";
import type { Partition } from "../expr/op.ts";
import type { Backend } from "../kernel/backend.ts";
import type { BlockMemory, BlockProgram, Borrowed } from "../kernel/blockProgram.ts";
import { copyElements } from "../kernel/routines/stridedWalk.ts";
import type { PartitionFormat } from "../ops/partitions.ts";
import {
  chunkOfArray,
  type DensePlanArray,
  gridOfArray,
  type Operation,
  type PlanArray,
  type RaggedPlanArray,
} from "../plan/plan.ts";
import { KeptMemory, type ScratchMemory } from "../storage/codecs/codec.ts";
import type { StoreOptions } from "../storage/store.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import { chunksOfBox } from "./planGraph.ts";

// Memory for bytes on their way, out of the backend's memory: blocks and what storage needs use each other's places again.
// In: lengths. Out: bytes, of ordinary memory where the backend's has no room. Who takes them gives them back.

class KernelScratch implements ScratchMemory {
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

// Waiting for several things at once, none of which may still be under way afterwards. In: promises that work on somebody's
// blocks. Out: their values when all have ended, or the first reason why one failed, also then.

export type Soon<T> = T | Promise<T>;

export async function allOf<T>(soon: readonly Soon<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(soon);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value as T;
  });
}

/** What tasks read of a dense array. */
export interface BlockSource {
  /**
   * The elements of a box, to be read only, and only until `borrowed` is given back. What has to be brought together
   * goes into `into`, where that is given; what lies somewhere in one piece stays there.
   */
  window(box: Box, borrowed: Borrowed, into?: Block): Soon<Block>;
}

/** And of a ragged one. */
export interface PartitionSource {
  partition(at: number): Soon<Partition>;
}

/** Where the chunks of a dense array go. */
export interface BlockTarget {
  /** A block that the task fills with the elements of a chunk's box. */
  block(box: Box, borrowed: Borrowed): Block;
  /** The chunk is filled: it is stored, in one step. What that needs for a while lies where borrowed blocks do. */
  store(box: Box, block: Block, borrowed: Borrowed): Soon<void>;
}

/** And the partitions of a ragged one. */
export interface PartitionTarget {
  put(at: number, partition: Partition): Soon<void>;
}

/** Runs a task's block program on the run's backend; what it needs besides comes out of `room`. */
export type RunProgram = (
  program: BlockProgram,
  bound: readonly (Block | undefined)[],
  room: Borrowed,
) => Soon<void>;

/** What a task works with. */
export interface TaskArrays {
  readonly arrays: ReadonlyMap<string, PlanArray>;
  /** What its blocks come from. */
  readonly backend: BlockMemory;
  /** Of dense arrays. */
  source(array: string): BlockSource;
  target(array: string): BlockTarget;
  /** Of ragged arrays. */
  partitionSource(array: string): PartitionSource;
  partitionTarget(array: string): PartitionTarget;
  readonly run: RunProgram;
  /** What partitions are made of. */
  readonly partitions: PartitionFormat | null;
  /** The memory that was stated for a task of an operation: it gets no more. None where nothing was stated. */
  limitOf?(operation: Operation): number;
  /** What a task on partitions may have in all, however little was stated: what turns out to be larger is refused. */
  readonly taskMem?: number | undefined;
}

/** One block holds all of it. */
export class MemoryArray implements BlockSource, BlockTarget {
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

/** An intermediate in a store. Its chunks are the store's. */
export class StoredArray implements BlockSource, BlockTarget {
  readonly array: ZarrArray;
  readonly #options = new ScratchOptions();

  constructor(array: ZarrArray) {
    this.array = array;
  }

  window(box: Box, borrowed: Borrowed, into?: Block): Soon<Block> {
    const whole = into ?? borrowed.block(this.array.dtype, box.shape);
    return this.array.readSoon(box.start, box.shape, whole, this.#options.in(borrowed));
  }

  block(box: Box, borrowed: Borrowed): Block {
    return borrowed.block(this.array.dtype, box.shape);
  }

  store(box: Box, block: Block, borrowed: Borrowed): Soon<void> {
    const { unitShape } = this.array.metadata;
    const place = box.start.map((x, axis) => x / unitShape[axis]!);
    return this.array.setShardSoon(place, block, this.#options.in(borrowed));
  }
}

/** A part of an array that is in memory. */
export interface Part {
  readonly box: Box;
  readonly block: Block;
}

/** A box of an array out of parts that cover it: a view of one, or a copy of several. */
export function assemble(
  array: DensePlanArray,
  box: Box,
  parts: readonly Part[],
  borrowed: Borrowed,
  into?: Block,
): Block {
  const [only] = parts;
  if (parts.length === 1) return partOf(only!, box);
  const whole = into ?? borrowed.block(array.dtype, box.shape);
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
export const placeIn = (whole: Block, box: Box, part: Box): Block =>
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

/** Has something done when it is its turn. */
type InTurn = (action: () => Promise<void>) => Promise<void>;

/** The chunks of an intermediate, of either kind: a partition rests as the bytes that it is packed in. */
abstract class HeldChunks<Plan extends PlanArray> {
  readonly plan: Plan;
  protected readonly backend: Backend;
  readonly #chunks = new Map<number, Block>();
  /** Chunks that are being removed from the store. */
  readonly #leaving = new Map<number, Promise<void>>();
  /** Where chunks are that are not in memory; null when all are. */
  store: ZarrArray | null = null;
  /** Memory is scarce: chunks are moved together, so that what is free lies together. */
  readonly isTight: boolean;

  constructor(plan: Plan, backend: Backend, isTight = false) {
    this.plan = plan;
    this.backend = backend;
    this.isTight = isTight;
  }

  /** How a chunk's block is stored. */
  protected abstract write(store: ZarrArray, place: readonly number[], block: Block): Promise<void>;

  /** The block is the array's own from now on. */
  put(chunk: number, block: Block): void {
    this.drop(chunk);
    this.#chunks.set(chunk, this.isTight ? this.backend.settle(block) : block);
  }

  inMemory(chunk: number): Block | undefined {
    return this.#chunks.get(chunk);
  }

  get chunksInMemory(): number {
    return this.#chunks.size;
  }

  /** Out of memory. */
  drop(chunk: number): void {
    const block = this.#chunks.get(chunk);
    if (block === undefined) return;
    this.#chunks.delete(chunk);
    this.backend.free(block);
  }

  dropAll(): void {
    for (const chunk of [...this.#chunks.keys()]) this.drop(chunk);
  }

  placeOf(chunk: number): number[] {
    return placeOfChunk(this.plan, chunk);
  }

  /** Writes a chunk to the store. */
  async save(chunk: number): Promise<void> {
    const block = this.#chunks.get(chunk);
    if (block !== undefined) await this.saveBlock(chunk, block);
  }

  async saveBlock(chunk: number, block: Block): Promise<void> {
    await this.#leaving.get(chunk)?.catch(() => {});
    await this.write(this.stored(chunk), this.placeOf(chunk), block);
  }

  /** From the store, in its turn. One that is computed again meanwhile is stored after that. */
  delete(chunk: number, inTurn: InTurn = (removal) => removal()): Promise<void> {
    this.drop(chunk);
    const removal = (): Promise<void> => this.store?.deleteShard(this.placeOf(chunk)) ?? Promise.resolve();
    const gone = inTurn(removal).finally(() => this.#leaving.delete(chunk));
    this.#leaving.set(chunk, gone);
    return gone;
  }

  /** A chunk is being removed from the store: who makes it again waits for that. */
  leaving(chunk: number): Promise<void> | undefined {
    return this.#leaving.get(chunk);
  }

  stored(chunk: number): ZarrArray {
    if (this.store !== null) return this.store;
    throw new InvariantError({ what: `chunk ${chunk} of ${this.plan.name} is neither in memory nor stored` });
  }
}

export class HeldBlocks extends HeldChunks<DensePlanArray> implements BlockSource, ChunkLookUp {
  readonly kind = "dense";

  protected override write(store: ZarrArray, place: readonly number[], block: Block): Promise<void> {
    return store.setShard(place, block, scratchIn(this.backend));
  }

  window(box: Box, borrowed: Borrowed, into?: Block): Soon<Block> {
    return windowOfChunks(this, box, borrowed, into);
  }
}

export class HeldPartitions extends HeldChunks<RaggedPlanArray> implements PartitionSource {
  readonly kind = "ragged";
  readonly format: PartitionFormat;

  constructor(plan: RaggedPlanArray, backend: Backend, isTight: boolean, format: PartitionFormat) {
    super(plan, backend, isTight);
    this.format = format;
  }

  protected override write(store: ZarrArray, place: readonly number[], block: Block): Promise<void> {
    return store.setRaw(place, block.data as Uint8Array);
  }

  async partition(chunk: number): Promise<Partition> {
    const bytes = this.inMemory(chunk)?.data ?? (await this.stored(chunk).getRaw(this.placeOf(chunk)));
    if (bytes === undefined)
      throw new InvariantError({ what: `partition ${chunk} of ${this.plan.name} is not stored` });
    // A copy: what is made of it may outlive the chunk.
    return this.format.unpack((bytes as Uint8Array).slice(), this.plan.form);
  }
}

/** An intermediate while a plan runs. */
export type HeldArray = HeldBlocks | HeldPartitions;

/** An intermediate, whose chunks are found by their numbers: in memory, or else in the store. */
export interface ChunkLookUp {
  readonly plan: DensePlanArray;
  inMemory(chunk: number): Block | undefined;
  /** Where a chunk is that is not in memory; an error when it is nowhere. */
  stored(chunk: number): ZarrArray;
}

/** A view of one chunk, or a copy out of several. Which chunks are in memory is looked at once, before anything waits. */
export function windowOfChunks(look: ChunkLookUp, box: Box, borrowed: Borrowed, into?: Block): Soon<Block> {
  const { plan } = look;
  if (isEmptyBox(box)) return borrowed.block(plan.dtype, box.shape);
  const parts: Part[] = [];
  const elsewhere: number[] = [];
  for (const chunk of chunksOfBox(box, plan)) {
    const block = look.inMemory(chunk);
    if (block === undefined) elsewhere.push(chunk);
    else parts.push({ box: boxOfChunk(plan, chunk), block });
  }
  if (elsewhere.length === 0) return assemble(plan, box, parts, borrowed, into);
  const stores = elsewhere.map((chunk) => look.stored(chunk));
  const whole = into ?? borrowed.block(plan.dtype, box.shape);
  copyParts(parts, box, whole);
  return readChunks(plan, box, elsewhere, stores, whole, borrowed.memory);
}

async function readChunks(
  plan: DensePlanArray,
  box: Box,
  chunks: readonly number[],
  stores: readonly ZarrArray[],
  whole: Block,
  memory: BlockMemory,
): Promise<Block> {
  const options = scratchIn(memory);
  for (const [i, chunk] of chunks.entries()) {
    const part = intersect(box, boxOfChunk(plan, chunk));
    await stores[i]!.readRegion(part.start, part.shape, placeIn(whole, box, part), options);
  }
  return whole;
}

const placeOfChunk = (plan: PlanArray, chunk: number): number[] => placeOf(chunk, gridOfArray(plan));

export const boxOfChunk = (plan: PlanArray, chunk: number): Box =>
  chunkOfArray(plan, placeOfChunk(plan, chunk));

export const chunkNumber = (box: Box, plan: PlanArray): number =>
  numberOf(
    box.start.map((x, axis) => x / plan.chunks[axis]!),
    gridOfArray(plan),
  );
