// A Zarr array in a store: chunks in, chunks out. A chunk is the unit of reading. A shard is the unit of
// writing: one stored object. Without sharding, every chunk is a shard of its own and the two are the same.
// Blocks of edge chunks have the part that is inside the array; the store has the whole chunk, as Zarr asks.

import { type Block, newBlock } from "../../core/block.ts";
import { type Box, chunkBox, gridOf, type Shape, sameShape } from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import type { Scalar } from "../../core/numbers.ts";
import { KeptMemory, type Room, releaseBytes, Taken } from "../codecs/codec.ts";
import { builtInCodecs } from "../codecs/table.ts";
import { asked, keyIn, requireSet, type Store, type StoreKey, type StoreOptions } from "../store.ts";
import { fillBlock, isAllFill } from "./blockCopies.ts";
import { buildPipeline, decodeChunk, encodeParts, ownParts, readChunk, readPart } from "./codecPipeline.ts";
import type { ArrayMetadata, ArrayOptions } from "./metadata.ts";
import {
  type ByteSource,
  checkPlace,
  chunkKey,
  joinedParts,
  listPlaces,
  type Pipeline,
  type ReadOptions,
  storeSource,
} from "./place.ts";
import {
  checkBlock,
  expectStored,
  filledUp,
  Locks,
  readRegion,
  streamedShard,
  VerbatimChunks,
  withFilledUp,
} from "./region.ts";
import { keptBytes } from "./shard.ts";
import { chunksPresent, readShardChunk, replaceChunk, type ShardCache } from "./shardAccess.ts";
import type { StoredName } from "./storedType.ts";
import type { JsonObject } from "./zarrJson.ts";

/** Options of `getChunk` and `getShard`. */
export interface ChunkOptions extends StoreOptions {
  /** What a chunk that is not stored gives: null (as it is unless told otherwise), or a block of fill value. */
  missing?: "null" | "fill";
}

const DEFAULT_MAX_CHUNK_BYTES = 2 ** 31;

/**
 * A stored array, chunk by chunk: `openArray` and `createArray` give a `ZarrArray`, and `await array.getChunk([0, 0])`
 * a block of it.
 */
export class ZarrArray {
  readonly store: Store;
  /** "" for the root of the store, else "/a/b". */
  readonly path: string;
  readonly metadata: ArrayMetadata;
  readonly pipeline: Pipeline;
  /** The unit of reading. */
  readonly chunks: Shape;
  /** The unit of writing, where it is not the chunk. */
  readonly shards: Shape | null;
  readonly #options: ArrayOptions;
  readonly #indexes: ShardCache = new Map();
  readonly #locks = new Locks();
  /** Null where chunks need more than to be moved. */
  readonly #verbatim: VerbatimChunks | null;

  constructor(store: Store, path: string, metadata: ArrayMetadata, options: ArrayOptions = {}) {
    const { codecs, unitShape, type, fill } = metadata;
    this.store = store;
    this.path = path;
    this.metadata = metadata;
    this.#options = options;
    const { known = builtInCodecs } = options;
    this.pipeline = buildPipeline(codecs, unitShape, { type, fill, known, where: path === "" ? "/" : path });
    const { serial, order } = this.pipeline;
    const inner = serial.kind === "shard" ? serial.chunkShape : null;
    this.chunks = inner === null ? unitShape : unitShape.map((_, axis) => inner[order.indexOf(axis)]!);
    this.shards = inner === null ? null : unitShape;
    this.#verbatim = VerbatimChunks.of(this);
  }

  /** The same array, as it is after its metadata were changed. */
  withMetadata(metadata: ArrayMetadata): ZarrArray {
    return new ZarrArray(this.store, this.path, metadata, this.#options);
  }

  get shape(): Shape {
    return this.metadata.shape;
  }
  /** Of the elements in memory. */
  get dtype(): DType {
    return this.metadata.type.dtype;
  }
  /** Of the elements in the store: the same, or float16. */
  get storedDType(): StoredName {
    return this.metadata.type.name;
  }
  get fillValue(): Scalar {
    return this.metadata.fill.value;
  }
  get attributes(): JsonObject {
    return this.metadata.attributes;
  }
  /** True when chunks that hold only the fill value are stored all the same; where there is none, all are. */
  get writesEmptyChunks(): boolean {
    return this.#options.writeEmptyChunks === true || this.metadata.fill.isNull;
  }
  /** True when a chunk that is not stored is an error. */
  get expectsAll(): boolean {
    return this.#options.missing === "error";
  }
  get dimensionNames(): readonly (string | null)[] | null {
    return this.metadata.dimensionNames;
  }
  /** How many chunks there are on each axis. */
  get chunkGrid(): Shape {
    return gridOf(this.shape, this.chunks);
  }
  /** How many stored objects there can be on each axis. */
  get shardGrid(): Shape {
    return gridOf(this.shape, this.metadata.unitShape);
  }

  /** The elements of the chunk at a place of the grid that are inside the array. Not to be written to. */
  async getChunk(place: readonly number[], options: ChunkOptions = {}): Promise<Block | null> {
    checkPlace(place, this.chunkGrid);
    const box = chunkBox(this.shape, this.chunks, place);
    if (this.shards === null) return this.#getWhole(place, box, options);
    const { unit, within } = this.#inShard(place);
    const source = this.shardSource(unit);
    const chunk = await readShardChunk(this.pipeline, source, within, this.reading(options));
    return chunk === null ? this.#missing(box.shape, options) : { ...chunk, shape: box.shape };
  }

  /** Which shard a chunk is in, and where in it. */
  #inShard(place: readonly number[]): { unit: number[]; within: number[] } {
    const start = place.map((at, axis) => at * this.chunks[axis]!);
    const unit = start.map((x, axis) => Math.floor(x / this.shards![axis]!));
    const within = start.map((x, axis) => (x % this.shards![axis]!) / this.chunks[axis]!);
    return { unit, within };
  }

  /** Replaces a chunk. In a shard, the other chunks stay as they are, and the whole shard is written again. */
  async setChunk(place: readonly number[], block: Block, options: StoreOptions = {}): Promise<void> {
    checkPlace(place, this.chunkGrid);
    if (this.shards === null) return this.setShard(place, block, options);
    checkBlock(this, block, chunkBox(this.shape, this.chunks, place).shape, this.chunks);
    const { unit, within } = this.#inShard(place);
    const key = this.shardKey(unit);
    await this.#locks.hold(key, async () => {
      const source = storeSource(this.store, key);
      const padded = filledUp(block, this.chunks, this.metadata.fill);
      const parts = await replaceChunk(
        this.pipeline,
        source,
        within,
        padded,
        { keepFill: this.writesEmptyChunks },
        this.reading(options),
      );
      await this.#put(key, parts, options);
    });
  }

  /** The elements of a stored object that are inside the array. Not to be written to. */
  async getShard(place: readonly number[], options: ChunkOptions = {}): Promise<Block | null> {
    checkPlace(place, this.shardGrid);
    return this.#getWhole(place, chunkBox(this.shape, this.metadata.unitShape, place), options);
  }

  async #getWhole(place: readonly number[], box: Box, options: ChunkOptions): Promise<Block | null> {
    const source = this.shardSource(place);
    const chunk = await this.#expected(place, () => readChunk(this.pipeline, source, this.reading(options)));
    if (chunk === null) return this.#missing(box.shape, options);
    return sameShape(chunk.shape, box.shape) ? chunk : { ...chunk, shape: box.shape };
  }

  #missing(shape: Shape, options: ChunkOptions): Block | null {
    if (options.missing !== "fill") return null;
    const block = newBlock(this.dtype, shape);
    fillBlock(block, this.metadata.fill);
    return block;
  }

  /** Writes a stored object in one step: the elements inside the array, or a whole block of the unit's shape. */
  async setShard(place: readonly number[], block: Block, options: StoreOptions = {}): Promise<void> {
    checkPlace(place, this.shardGrid);
    const { unitShape } = this.metadata;
    checkBlock(this, block, chunkBox(this.shape, unitShape, place).shape, unitShape);
    const key = this.shardKey(place);
    await this.#locks.hold(key, () =>
      withFilledUp(block, unitShape, this.metadata.fill, options.scratch, (whole) =>
        this.#putOnce(key, whole, options),
      ),
    );
  }

  /** The same, at once where that can be. */
  setShardSoon(place: readonly number[], block: Block, options: StoreOptions = {}): void | Promise<void> {
    if (this.#locks.areFree && this.#verbatim?.write(place, block) === true) return;
    return this.setShard(place, block, options);
  }

  /** The bytes that `setShard` would store; null when nothing would be (all is fill value). */
  async encodeShard(block: Block): Promise<Uint8Array | null> {
    const parts = await this.#encoded(filledUp(block, this.metadata.unitShape, this.metadata.fill));
    return parts === null ? null : joinedParts(parts);
  }

  async #encoded(block: Block, room?: Room): Promise<Uint8Array[] | null> {
    const keepFill = this.writesEmptyChunks;
    if (!keepFill && isAllFill(block, this.metadata.fill)) return null;
    return encodeParts(this.pipeline, block, { keepFill, room });
  }

  /** What `setShard` stored, from its bytes. */
  async decodeShard(bytes: Uint8Array, options: StoreOptions = {}): Promise<Block> {
    return decodeChunk(this.pipeline, bytes, this.path, this.reading(options));
  }

  /** What was made of a block to be stored is of no use afterwards. */
  async #putOnce(key: StoreKey, block: Block, options: StoreOptions): Promise<void> {
    // A store that takes parts keeps none; another, a Map for one, may keep what it is given.
    if (this.store.setParts === undefined)
      return this.#put(key, ownParts(await this.#encoded(block), block), options);
    const streamed = this.writesEmptyChunks
      ? await streamedShard(this.pipeline, block, options.scratch)
      : null;
    if (streamed !== null) return this.#put(key, streamed, options);
    const room = new Taken(options.scratch);
    try {
      const parts = await this.#encoded(block, room);
      await this.#put(key, parts, options);
      for (const part of parts ?? [])
        if (part.buffer !== block.data.buffer && !room.has(part)) releaseBytes(part);
    } finally {
      room.end();
    }
  }

  /** Nothing is stored for what is missing anyway. */
  async #put(key: StoreKey, parts: Iterable<Uint8Array> | null, options: StoreOptions): Promise<void> {
    options.signal?.throwIfAborted();
    this.#indexes.delete(key);
    const { store } = this;
    if (parts === null && store.delete !== undefined)
      await asked(key, options, () => store.delete!(key, options));
    else await this.#set(key, parts ?? (await this.#encodedFill()), options);
  }

  async #set(key: StoreKey, parts: Iterable<Uint8Array>, options: StoreOptions): Promise<void> {
    const { store } = this;
    // Folders of an array that is gone are not made again; of one whose chunks are made again when they are lost, they are.
    const asPart = this.expectsAll ? options : { ...options, partOf: this.metadataKey };
    await asked(key, options, () =>
      store.setParts === undefined
        ? requireSet(store)(key, joinedParts([...parts]), options)
        : store.setParts(key, parts, asPart),
    );
  }

  /** Where a store cannot delete, a missing chunk must be written as fill value. */
  async #encodedFill(): Promise<Uint8Array[]> {
    const block = this.#missing(this.metadata.unitShape, { missing: "fill" })!;
    return (await encodeParts(this.pipeline, block, { keepFill: true }))!;
  }

  /** True when the chunk is stored. In a shard this reads the shard's index. */
  async hasChunk(place: readonly number[], options: StoreOptions = {}): Promise<boolean> {
    checkPlace(place, this.chunkGrid);
    if (this.shards === null) return this.hasShard(place, options);
    const { unit, within } = this.#inShard(place);
    for await (const present of chunksPresent(this.pipeline, this.shardSource(unit), this.reading(options)))
      if (sameShape(present, within)) return true;
    return false;
  }

  async hasShard(place: readonly number[], options: StoreOptions = {}): Promise<boolean> {
    checkPlace(place, this.shardGrid);
    const key = this.shardKey(place);
    if (this.store.has !== undefined) return this.store.has(key, options);
    return (await this.store.get(key, options)) !== undefined;
  }

  /** Places of all stored objects, in no order. Objects outside the grid are passed over. */
  listShards(options: StoreOptions = {}): AsyncIterable<number[]> {
    return listPlaces(this.store, this.path, this.metadata, this.shardGrid, options);
  }

  /** Places of all stored chunks, in no order. */
  async *listChunks(options: StoreOptions = {}): AsyncIterable<number[]> {
    for await (const unit of this.listShards(options)) {
      if (this.shards === null) {
        yield unit;
        continue;
      }
      const per = this.shards.map((length, axis) => length / this.chunks[axis]!);
      const reading = this.reading(options);
      for await (const within of chunksPresent(this.pipeline, this.shardSource(unit), reading)) {
        const place = within.map((x, axis) => unit[axis]! * per[axis]! + x);
        if (place.every((x, axis) => x < this.chunkGrid[axis]!)) yield place;
      }
    }
  }

  /** The stored bytes of an object as they are. */
  async getRaw(place: readonly number[], options: StoreOptions = {}): Promise<Uint8Array | undefined> {
    checkPlace(place, this.shardGrid);
    return this.#expected(place, () => this.shardSource(place).all(options));
  }

  /** Stores bytes as they are: what `getRaw` gave, or `encodeShard`. */
  async setRaw(place: readonly number[], bytes: Uint8Array, options: StoreOptions = {}): Promise<void> {
    checkPlace(place, this.shardGrid);
    const key = this.shardKey(place);
    await this.#locks.hold(key, () => this.#put(key, [bytes], options));
  }

  async deleteShard(place: readonly number[], options: StoreOptions = {}): Promise<void> {
    checkPlace(place, this.shardGrid);
    const key = this.shardKey(place);
    await this.#locks.hold(key, () => this.#put(key, null, options));
  }

  /** A region, as a new block or into one. Reads no more than it needs where chunks allow that. */
  readRegion(
    start: readonly number[],
    shape: Shape,
    into?: Block | null,
    options: StoreOptions = {},
  ): Promise<Block> {
    const { scratch = new KeptMemory() } = options;
    return readRegion(this, { start, shape }, into ?? null, { ...options, scratch });
  }

  /** The same, at once where that can be. */
  readSoon(
    start: readonly number[],
    shape: Shape,
    into: Block,
    options: StoreOptions = {},
  ): Block | Promise<Block> {
    if (this.#verbatim?.read(start, into) === true) return into;
    return this.readRegion(start, shape, into, options);
  }

  /** The whole array. */
  read(options: StoreOptions = {}): Promise<Block> {
    return this.readRegion(
      this.shape.map(() => 0),
      this.shape,
      null,
      options,
    );
  }

  /** A region inside one stored object. False when that is missing; `target` is then as it was. */
  readShardPart(box: Box, target: Block, options: StoreOptions): Promise<boolean> {
    const { unitShape } = this.metadata;
    const unit = box.start.map((x, axis) => Math.floor(x / unitShape[axis]!));
    const within = box.start.map((x, axis) => x - unit[axis]! * unitShape[axis]!);
    const source = this.shardSource(unit);
    return this.#expected(unit, () => readPart(this.pipeline, source, within, target, this.reading(options)));
  }

  #expected<T>(place: readonly number[], read: () => Promise<T>): Promise<T> {
    return this.expectsAll ? expectStored(this, place, read) : read();
  }

  get metadataKey(): StoreKey {
    return keyIn(this.path, this.metadata.zarrFormat === 3 ? "zarr.json" : ".zarray");
  }

  shardKey(place: readonly number[]): StoreKey {
    return keyIn(this.path, chunkKey(this.metadata.keyEncoding, place));
  }

  shardSource(place: readonly number[]): ByteSource {
    return storeSource(this.store, this.shardKey(place));
  }

  reading(options: StoreOptions): ReadOptions {
    const base: ReadOptions = {
      signal: options.signal,
      scratch: options.scratch,
      maxChunkBytes: this.#options.maxChunkBytes ?? DEFAULT_MAX_CHUNK_BYTES,
    };
    if (this.shards !== null && this.store.open === undefined) base.mayKeep = keptBytes(this.pipeline);
    // What cannot be written through this store is taken not to change.
    return this.store.set === undefined ? { ...base, indexes: this.#indexes } : base;
  }
}
