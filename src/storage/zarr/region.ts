// A region of an array that may touch many chunks. Several are read at a time; each goes straight to its place
// in the result. Missing chunks give fill value.

import { type Block, blockBytes, isContiguous, newBlock, subBlock } from "../../core/block.ts";
import {
  type Box,
  boxText,
  intersect,
  isEmptyBox,
  isLength,
  placeOf,
  type Shape,
  sameShape,
  shapeText,
  sizeOf,
} from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import { DTypeError, IndexError, ShapeError } from "../../core/errors.ts";
import { KeptMemory, type ScratchMemory, Taken } from "../codecs/codec.ts";
import { CorruptDataError, LostChunkError, NotSupportedError } from "../errors.ts";
import type { Store, StoreKey, StoreOptions } from "../store.ts";
import {
  blockIn,
  bytesFromBlock,
  copyBlock,
  fillBlock,
  isAllFill,
  isIdentity,
  isVerbatim,
  memoryOf,
} from "./blockCopies.ts";
import { mapLimited } from "./limited.ts";
import type { ArrayMetadata } from "./metadata.ts";
import { joinedParts, type Pipeline, type ShardLayout } from "./place.ts";
import { encodedIndex, SHORT_PART } from "./shard.ts";
import type { Fill } from "./storedType.ts";

// Chunks at the end of an array, filled up: the store has whole chunks, a block has what is inside the array. In: a block,
// the shape of a chunk, the fill value. Out: a block of that shape; the given one where it has it already.

export function filledUp(block: Block, shape: Shape, fill: Fill): Block {
  if (sameShape(block.shape, shape)) return block;
  return fillInto(block, newBlock(block.dtype, shape), fill);
}

/** The same in memory that is used again: who uses the block must not keep it. */
export async function withFilledUp<T>(
  block: Block,
  shape: Shape,
  fill: Fill,
  memory: ScratchMemory | undefined,
  use: (whole: Block) => Promise<T>,
): Promise<T> {
  if (sameShape(block.shape, shape)) return use(block);
  const room = new Taken(memory);
  try {
    return await use(fillInto(block, blockIn(room, block.dtype, shape), fill));
  } finally {
    room.end();
  }
}

function fillInto(block: Block, whole: Block, fill: Fill): Block {
  fillBlock(whole, fill);
  const start = whole.shape.map(() => 0);
  copyBlock(block, subBlock(whole, start, block.shape));
  return whole;
}

// Writers of one object wait for each other. In: a key and what to do. Out: what that gave, one after another per key.

export class Locks {
  readonly #last = new Map<string, Promise<unknown>>();

  get areFree(): boolean {
    return this.#last.size === 0;
  }

  async hold<T>(key: string, action: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = (async () => {
      await before?.catch(() => {});
      return action();
    })();
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}

/** An array, as far as its regions need it. */
export interface RegionArray {
  readonly store: Store;
  readonly path: string;
  readonly shape: Shape;
  readonly dtype: DType;
  readonly metadata: ArrayMetadata;
  getShard(
    place: readonly number[],
    options: StoreOptions & { missing?: "null" | "fill" },
  ): Promise<Block | null>;
  /** A region inside one stored object. False when that is missing; `target` is then as it was. */
  readShardPart(box: Box, target: Block, options: StoreOptions): Promise<boolean>;
}

/** Objects that are read at once: more where each is waited for long, fewer where they take memory on the way only. */
export const mostAtOnce = ({ open }: Pick<Store, "open">): number => (open === undefined ? 8 : 2);

export async function readRegion(
  array: RegionArray,
  box: Box,
  into: Block | null,
  options: StoreOptions,
): Promise<Block> {
  checkRegion(array, box);
  if (into !== null) checkTarget(array, box, into);
  options.signal?.throwIfAborted();
  const single = into === null ? await singleChunk(array, box, options) : null;
  if (single !== null) return single;
  const target = into ?? roomFor(array, box);
  if (isEmptyBox(box)) return target;
  const { unitShape, fill } = array.metadata;
  if (isInOneUnit(box, unitShape)) {
    if (!(await array.readShardPart(box, target, options))) fillBlock(target, fill);
    return target;
  }
  await mapLimited(unitsIn(box, unitShape), mostAtOnce(array.store), async (unit) => {
    options.signal?.throwIfAborted();
    const part = intersect(box, unit);
    const place = subBlock(
      target,
      part.start.map((x, axis) => x - box.start[axis]!),
      part.shape,
    );
    if (!(await array.readShardPart(part, place, options))) fillBlock(place, fill);
  });
  return target;
}

/** Only the engine knows how much memory it can give. */
function roomFor({ dtype, path }: RegionArray, { shape }: Box): Block {
  try {
    return newBlock(dtype, shape);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const what = `a region of shape ${shapeText(shape)} needs more memory than can be had in one piece`;
    throw new NotSupportedError({ what, where: path, cure: "Read a smaller region" }, { cause });
  }
}

/** A region that is one whole chunk needs no copy. */
async function singleChunk(array: RegionArray, box: Box, options: StoreOptions): Promise<Block | null> {
  const { unitShape } = array.metadata;
  const isWhole =
    box.shape.length > 0 &&
    box.start.every((x, axis) => {
      const end = Math.min(x + unitShape[axis]!, array.shape[axis]!);
      return x % unitShape[axis]! === 0 && box.shape[axis] === end - x && box.shape[axis]! > 0;
    });
  if (!isWhole) return null;
  return array.getShard(
    box.start.map((x, axis) => x / unitShape[axis]!),
    { ...options, missing: "fill" },
  );
}

const isInOneUnit = ({ start, shape }: Box, unitShape: Shape): boolean =>
  start.every((x, axis) => {
    const unit = unitShape[axis]!;
    return Math.floor(x / unit) === Math.floor((x + shape[axis]! - 1) / unit);
  });

/** The boxes of all stored objects that the region touches. */
function* unitsIn(box: Box, unitShape: Shape): Iterable<Box> {
  const first = box.start.map((x, axis) => Math.floor(x / unitShape[axis]!));
  const counts = first.map(
    (x, axis) => Math.floor((box.start[axis]! + box.shape[axis]! - 1) / unitShape[axis]!) - x + 1,
  );
  for (let i = 0; i < sizeOf(counts); i++) {
    const start = placeOf(i, counts).map((x, axis) => (x + first[axis]!) * unitShape[axis]!);
    yield { start, shape: unitShape };
  }
}

function checkRegion(array: RegionArray, { start, shape }: Box): void {
  const ndim = array.shape.length;
  const fits =
    start.length === ndim &&
    shape.length === ndim &&
    start.every((x, axis) => isLength(x) && isLength(shape[axis]) && x + shape[axis]! <= array.shape[axis]!);
  if (fits) return;
  throw new IndexError({
    what: `the region ${start.length === shape.length ? boxText({ start, shape }) : `from [${start}] of [${shape}]`} is not inside an array of shape ${shapeText(array.shape)}`,
    where: array.path,
  });
}

function checkTarget(array: RegionArray, box: Box, into: Block): void {
  if (into.dtype !== array.dtype)
    throw new DTypeError({
      what: `a block of ${into.dtype} for an array of ${array.dtype}`,
      where: array.path,
    });
  if (sameShape(into.shape, box.shape)) return;
  throw new ShapeError({
    what: `a block of shape ${shapeText(into.shape)} for a region of shape ${shapeText(box.shape)}`,
    where: array.path,
  });
}

/** A block to be stored: what is inside the array, or all of the chunk. */
export function checkBlock({ dtype, path }: RegionArray, block: Block, clipped: Shape, whole: Shape): void {
  if (block.dtype !== dtype)
    throw new DTypeError({
      what: `a block of ${block.dtype} for an array of ${dtype}`,
      where: path,
      cure: "Cast it first",
    });
  if (sameShape(block.shape, clipped) || sameShape(block.shape, whole)) return;
  throw new ShapeError({
    what: `a block of shape ${shapeText(block.shape)} where ${shapeText(clipped)} belongs`,
    where: path,
  });
}

// Small chunks that are stored as they lie in memory, read and written at once by stores that can: no promise, no copy of
// theirs. In: whole chunks. Out: true, or false where it is not so simple, and then nothing has happened: the way that
// all chunks go finds out what is wrong, and says it.

/** A page: of more, the waiting is a small part of the time. */
const MOST_BYTES = 4096;

/** An array, as far as its small chunks need it. */
interface SmallChunks extends RegionArray {
  readonly pipeline: Pipeline;
  readonly shardGrid: Shape;
  readonly writesEmptyChunks: boolean;
  shardKey(place: readonly number[]): StoreKey;
}

export class VerbatimChunks {
  readonly #array: SmallChunks;

  private constructor(array: SmallChunks) {
    this.#array = array;
  }

  static of(array: SmallChunks): VerbatimChunks | null {
    const { bytesCodecs, serial, order, type, shape } = array.pipeline;
    const isPlain =
      serial.kind === "bytes" &&
      bytesCodecs.length === 0 &&
      isIdentity(order) &&
      isVerbatim(type, serial.endian);
    return isPlain && blockBytes(type.dtype, shape) <= MOST_BYTES ? new VerbatimChunks(array) : null;
  }

  /** A box that is one chunk. */
  read(start: readonly number[], into: Block): boolean {
    const { store, metadata, dtype, shape } = this.#array;
    if (store.readNow === undefined || into.dtype !== dtype || !this.#isWhole(into)) return false;
    const place: number[] = [];
    for (let axis = 0; axis < start.length; axis++) {
      const unit = metadata.unitShape[axis]!;
      if (start[axis]! % unit !== 0 || start[axis]! + unit > shape[axis]!) return false;
      place.push(start[axis]! / unit);
    }
    return store.readNow(this.#array.shardKey(place), memoryOf(into));
  }

  write(place: readonly number[], block: Block): boolean {
    const { store, metadata, dtype, shardGrid, writesEmptyChunks } = this.#array;
    if (store.writeNow === undefined || block.dtype !== dtype || !this.#isWhole(block)) return false;
    if (!place.every((at, axis) => at < shardGrid[axis]!)) return false;
    if (!writesEmptyChunks && isAllFill(block, metadata.fill)) return false;
    return store.writeNow(this.#array.shardKey(place), memoryOf(block));
  }

  #isWhole(block: Block): boolean {
    return sameShape(block.shape, this.#array.metadata.unitShape) && isContiguous(block);
  }
}

// Arrays of which every chunk that is read was stored before, as intermediates of a run: one that is not there is no fill
// value, but lost, and so is one that is not what was written. In: a read. Out: what it gave, or an error that says which
// chunk of which array is lost, and where it should be.

/** An array, as far as messages need it. */
interface StoredChunks {
  readonly store: Store;
  readonly path: string;
  shardKey(place: readonly number[]): StoreKey;
}

/** What `read` gives, unless that says that there is no such object. */
export async function expectStored<T>(
  array: StoredChunks,
  place: readonly number[],
  read: () => Promise<T>,
): Promise<T> {
  try {
    const result = await read();
    if (result !== undefined && result !== null && result !== false) return result;
  } catch (cause) {
    if (!(cause instanceof CorruptDataError)) throw cause;
    throw lostChunk(array, place, `is not what was stored (${cause.what})`, cause);
  }
  throw lostChunk(array, place, "was stored and is gone");
}

function lostChunk(
  array: StoredChunks,
  place: readonly number[],
  how: string,
  cause?: Error,
): LostChunkError {
  const { store, path } = array;
  const key = array.shardKey(place);
  const at = store.location?.();
  const file = at?.kind === "file" ? at.root + key : key;
  return new LostChunkError(
    {
      what: `chunk [${place.join(", ")}] of ${path.slice(1)} ${how}: ${file}`,
      cure: "Something removes or changes files of a run while it goes on: keep it from that, or name another folder with workDir",
      path,
      place,
    },
    { cause },
  );
}

// A shard written chunk by chunk. In: a block, and a pipeline whose inner chunks have a known length: elements as they are
// in memory, and at most a sum beside them. Out: the parts of the shard, one after another, each good until the next is
// asked for, so that no more than one chunk is copied together at a time. Null for other shards.

export async function streamedShard(
  { serial, bytesCodecs, order }: Pipeline,
  block: Block,
  memory: ScratchMemory = new KeptMemory(),
): Promise<Iterable<Uint8Array> | null> {
  if (serial.kind === "bytes" || bytesCodecs.length > 0 || !isIdentity(order)) return null;
  if (!hasKnownLength(serial.inner)) return null;
  const lengths = new Array<number>(sizeOf(serial.grid)).fill(serial.inner.encoded.max);
  const index = await encodedIndex(serial, lengths);
  // A store may begin again.
  return { [Symbol.iterator]: () => partsOf(serial, block, index, memory) };
}

const hasKnownLength = ({ serial, bytesCodecs, order, type }: Pipeline): boolean =>
  serial.kind === "bytes" &&
  isVerbatim(type, serial.endian) &&
  isIdentity(order) &&
  bytesCodecs.length <= 1 &&
  bytesCodecs.every(({ sum }) => sum !== undefined);

function* partsOf(
  layout: ShardLayout,
  block: Block,
  index: Uint8Array,
  memory: ScratchMemory,
): Generator<Uint8Array> {
  if (layout.indexAtStart) yield index;
  for (let i = 0; i < sizeOf(layout.grid); i++) {
    const room = new Taken(memory);
    try {
      const start = placeOf(i, layout.grid).map((x, axis) => x * layout.chunkShape[axis]!);
      const parts = chunkParts(layout.inner, subBlock(block, start, layout.chunkShape), room);
      if (layout.inner.encoded.max <= SHORT_PART) yield joinedParts(parts);
      else yield* parts;
    } finally {
      room.end();
    }
  }
  if (!layout.indexAtStart) yield index;
}

function chunkParts({ type, bytesCodecs }: Pipeline, chunk: Block, room: Taken): Uint8Array[] {
  const bytes = bytesFromBlock(chunk, type, "little", room);
  const sum = bytesCodecs[0]?.sum;
  if (sum === undefined) return [bytes];
  return sum.location === "start" ? [sum.of(bytes), bytes] : [bytes, sum.of(bytes)];
}
