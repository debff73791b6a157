// Shards: many chunks in one object, with an index that says where each lies. Read: the index first, then only
// the chunks that are wanted, neighbours together. Written: chunks one after another, and the index before
// or behind them. A chunk that is all fill value is left out.

import { type Block, newBlock, subBlock } from "../../core/block.ts";
import { type Box, intersect, isEmptyBox, numberOf, placeOf, sameShape, sizeOf } from "../../core/chunks.ts";
import { checkDecoded, corrupt, KeptMemory } from "../codecs/codec.ts";
import { NotSupportedError } from "../errors.ts";
import { tooShort } from "../store.ts";
import { copyBlock, fillBlock, isAllFill } from "./blockCopies.ts";
import { mapLimited } from "./limited.ts";
import {
  type ByteSource,
  joinedParts,
  openSource,
  type Pipeline,
  partSource,
  type ReadOptions,
  type ShardIndex,
  type ShardLayout,
  type WriteOptions,
} from "./place.ts";
import { GAP } from "./runs.ts";
import type { Fill } from "./storedType.ts";

export interface Part {
  readonly start: readonly number[];
  readonly target: Block;
}

/** What is done to one chunk of a shard, which may be a shard again. */
export interface InnerChunks {
  decodeChunk(pipeline: Pipeline, stored: Uint8Array, where: string, options: ReadOptions): Promise<Block>;
  encodeParts(pipeline: Pipeline, block: Block, options: WriteOptions): Promise<Uint8Array[] | null>;
  readPart(
    pipeline: Pipeline,
    source: ByteSource,
    start: readonly number[],
    target: Block,
    options: ReadOptions,
  ): Promise<boolean>;
}

const MISSING = 2n ** 64n - 1n;

/** Null when there is no shard. */
export async function readIndex(
  layout: ShardLayout,
  source: ByteSource,
  options: ReadOptions,
): Promise<ShardIndex | null> {
  const length = layout.indexBytes;
  if (length > options.maxChunkBytes)
    throw new NotSupportedError({ what: `a shard index of ${length} bytes`, where: source.where });
  const known = options.indexes?.get(source.where);
  if (known !== undefined) return known;
  const range = layout.indexAtStart ? { offset: 0, length } : { suffixLength: length };
  const stored = await source.range(range, options);
  if (stored === undefined) return null;
  const index = await decodeIndex(layout, stored, `${source.where} (index)`);
  remember(options.indexes, source.where, index);
  return index;
}

/** Shards whose indexes an array keeps. */
const MOST_REMEMBERED = 64;

function remember(indexes: Map<string, ShardIndex> | undefined, key: string, index: ShardIndex): void {
  if (indexes === undefined) return;
  // The first key of a Map is the oldest.
  if (indexes.size >= MOST_REMEMBERED) indexes.delete(indexes.keys().next().value!);
  indexes.set(key, index);
}

async function decodeIndex(layout: ShardLayout, stored: Uint8Array, where: string): Promise<ShardIndex> {
  const count = sizeOf(layout.grid);
  let bytes = stored;
  // None of the index's codecs changes the length but by its checksum.
  for (let i = layout.indexCodecs.length - 1; i >= 0; i--)
    bytes = await layout.indexCodecs[i]!.decode(bytes, { max: bytes.length, exact: false }, where);
  if (bytes.length !== 16 * count) throw corrupt(`${bytes.length} bytes, where ${16 * count} belong`, where);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const isLittle = layout.indexEndian === "little";
  const offsets = new Float64Array(count);
  const lengths = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const offset = view.getBigUint64(16 * i, isLittle);
    const length = view.getBigUint64(16 * i + 8, isLittle);
    const isMissing = offset === MISSING && length === MISSING;
    if (!isMissing && offset + length >= 2n ** 53n)
      throw corrupt(`chunk ${i} of the shard lies at ${offset} and is ${length} long`, where);
    offsets[i] = isMissing ? -1 : Number(offset);
    lengths[i] = isMissing ? -1 : Number(length);
  }
  return { offsets, lengths };
}

/**
 * Part of a shard into its target, or all of it into a new block. Chunks that are not there are filled.
 * Null when there is no shard: then nothing is written.
 */
export async function readShard(
  layout: ShardLayout,
  source: ByteSource,
  part: Part | null,
  fill: Fill,
  chunks: InnerChunks,
  options: ReadOptions,
): Promise<Block | null> {
  if (source.open === undefined) return readFrom(layout, source, part, fill, chunks, options);
  // The index and all chunks out of the same object, whatever is stored under its key meanwhile.
  const object = await source.open(options);
  if (object === undefined) return null;
  try {
    return await readFrom(layout, openSource(object, source.where), part, fill, chunks, options);
  } finally {
    object.close();
  }
}

async function readFrom(
  layout: ShardLayout,
  source: ByteSource,
  part: Part | null,
  fill: Fill,
  chunks: InnerChunks,
  options: ReadOptions,
): Promise<Block | null> {
  const index = await readIndex(layout, source, options);
  if (index === null) return null;
  try {
    return await readIndexed(layout, source, index, part, fill, chunks, options);
  } catch (cause) {
    // It may be the index of an object that is another one now.
    options.indexes?.delete(source.where);
    throw cause;
  }
}

async function readIndexed(
  layout: ShardLayout,
  source: ByteSource,
  index: ShardIndex,
  part: Part | null,
  fill: Fill,
  chunks: InnerChunks,
  options: ReadOptions,
): Promise<Block> {
  const target = part?.target ?? newBlock(layout.inner.type.dtype, layout.shape);
  const box: Box = { start: part?.start ?? layout.shape.map(() => 0), shape: target.shape };
  const { wanted, missing } = chunksIn(layout, box, index);
  for (const chunk of missing) fillBlock(partOf(target, box, chunk.box), fill);
  await readChunks(layout, source, wanted, target, box, chunks, options);
  return target;
}

interface Wanted {
  readonly number: number;
  readonly start: readonly number[];
  /** Where it meets the box. */
  readonly box: Box;
  readonly offset: number;
  readonly length: number;
}

const partOf = (target: Block, whole: Box, box: Box): Block =>
  subBlock(
    target,
    box.start.map((x, axis) => x - whole.start[axis]!),
    box.shape,
  );

function chunksIn(layout: ShardLayout, box: Box, index: ShardIndex): { wanted: Wanted[]; missing: Wanted[] } {
  const wanted: Wanted[] = [];
  const missing: Wanted[] = [];
  if (isEmptyBox(box)) return { wanted, missing };
  const first = box.start.map((x, axis) => Math.floor(x / layout.chunkShape[axis]!));
  const counts = first.map(
    (x, axis) => Math.floor((box.start[axis]! + box.shape[axis]! - 1) / layout.chunkShape[axis]!) - x + 1,
  );
  for (let i = 0; i < sizeOf(counts); i++) {
    const place = placeOf(i, counts).map((x, axis) => x + first[axis]!);
    const number = numberOf(place, layout.grid);
    const start = place.map((x, axis) => x * layout.chunkShape[axis]!);
    const chunk = {
      number,
      start,
      box: intersect(box, { start, shape: layout.chunkShape }),
      offset: index.offsets[number]!,
      length: index.lengths[number]!,
    };
    (chunk.offset < 0 ? missing : wanted).push(chunk);
  }
  return { wanted, missing };
}

/** Neighbours are read together, up to this many bytes. */
export const MOST_TOGETHER: number = 16 * 1024 * 1024;
const MOST_REQUESTS = 8;

/** Of shards that are far away, so many bytes are kept: of some that are read side by side. */
const MOST_KEPT = 64 * 1024 * 1024;
export const keptBytes = ({ encoded }: Pipeline): number => Math.min(MOST_KEPT, 8 * encoded.max);

async function readChunks(
  layout: ShardLayout,
  source: ByteSource,
  wanted: Wanted[],
  target: Block,
  box: Box,
  chunks: InnerChunks,
  options: ReadOptions,
): Promise<void> {
  for (const chunk of wanted) checkLength(layout.inner, chunk, nameOf(source, chunk));
  const single = wanted.filter((chunk) => isReadAlone(layout, source, chunk));
  const others = wanted.filter((chunk) => !isReadAlone(layout, source, chunk));
  // From far away a request is dearer than memory, of which there is enough for the whole object.
  const most = source.open === undefined ? Number.POSITIVE_INFINITY : MOST_TOGETHER;
  const groups = groupsOf(
    others.sort((a, b) => a.offset - b.offset),
    most,
  );
  // What is near is read one after another, so that memory is used again.
  const limit = source.open === undefined ? MOST_REQUESTS : 1;
  await mapLimited([...single, ...groups], limit, async (item) => {
    if (Array.isArray(item)) return readGroup(layout, source, item, target, box, chunks, options);
    const { from, into } = placeOfChunk(item, target, box);
    const place = partSource(source, item.offset, item.length, nameOf(source, item));
    await chunks.readPart(layout.inner, place, from, into, options);
  });
}

const nameOf = (source: ByteSource, { number }: Wanted): string =>
  `${source.where} (chunk ${number} of the shard)`;

function placeOfChunk(chunk: Wanted, target: Block, box: Box): { from: number[]; into: Block } {
  const from = chunk.box.start.map((x, axis) => x - chunk.start[axis]!);
  return { from, into: partOf(target, box, chunk.box) };
}

/** A large chunk goes straight to its place, where that can be; of one that is not compressed only a part is read. */
function isReadAlone({ inner, chunkShape }: ShardLayout, source: ByteSource, chunk: Wanted): boolean {
  if (chunk.length <= GAP) return false;
  return (
    source.open !== undefined || (inner.bytesCodecs.length === 0 && !sameShape(chunk.box.shape, chunkShape))
  );
}

async function readGroup(
  layout: ShardLayout,
  source: ByteSource,
  group: readonly Wanted[],
  target: Block,
  box: Box,
  chunks: InnerChunks,
  options: ReadOptions,
): Promise<void> {
  const offset = group[0]!.offset;
  const length = group.reduce((end, chunk) => Math.max(end, chunk.offset + chunk.length), 0) - offset;
  const { bytes, end } = await bytesOfGroup(source, offset, length, options);
  try {
    for (const chunk of group) {
      const { from, into } = placeOfChunk(chunk, target, box);
      const at = chunk.offset - offset;
      const stored = bytes.subarray(at, at + chunk.length);
      const block = await chunks.decodeChunk(layout.inner, stored, nameOf(source, chunk), options);
      copyBlock(subBlock(block, from, chunk.box.shape), into);
    }
  } finally {
    end();
  }
}

/** `end` is called when the bytes are not needed any more. */
async function bytesOfGroup(
  source: ByteSource,
  offset: number,
  length: number,
  options: ReadOptions,
): Promise<{ bytes: Uint8Array; end(): void }> {
  const object = await source.open?.(options);
  if (object === undefined) {
    const bytes = await source.range({ offset, length }, options);
    if (bytes === undefined) throw corrupt("the shard vanished while it was read", source.where);
    return { bytes, end: () => {} };
  }
  if (offset + length > object.size) throw tooShort(source.where, offset + length, object.size);
  const { scratch: memory = new KeptMemory() } = options;
  const scratch = memory.take(length);
  const bytes = scratch.subarray(0, length);
  await object.readInto(offset, bytes);
  return { bytes, end: () => memory.give(scratch) };
}

/** The index may claim anything; a chunk's encoding has a known size, or a longest one. */
function checkLength({ encoded }: Pipeline, chunk: Wanted, where: string): void {
  checkDecoded(chunk.length, encoded, "chunk", where);
}

function groupsOf(chunks: readonly Wanted[], most: number): Wanted[][] {
  const groups: Wanted[][] = [];
  let end = 0;
  for (const chunk of chunks) {
    const group = groups.at(-1);
    const stop = chunk.offset + chunk.length;
    if (group !== undefined && chunk.offset - end <= GAP && stop - group[0]!.offset <= most) {
      group.push(chunk);
      end = Math.max(end, stop);
    } else {
      groups.push([chunk]);
      end = stop;
    }
  }
  return groups;
}

/** The bytes of a shard, in parts; null when every chunk is fill value. */
export async function writeShard(
  layout: ShardLayout,
  block: Block,
  fill: Fill,
  chunks: InnerChunks,
  options: WriteOptions,
): Promise<Uint8Array[] | null> {
  const packed: (readonly Uint8Array[] | null)[] = [];
  for (let i = 0; i < sizeOf(layout.grid); i++) {
    const start = placeOf(i, layout.grid).map((x, axis) => x * layout.chunkShape[axis]!);
    const part = subBlock(block, start, layout.chunkShape);
    const isLeftOut = !options.keepFill && isAllFill(part, fill);
    const encoded = isLeftOut ? null : await chunks.encodeParts(layout.inner, part, options);
    packed.push(encoded === null ? null : fewer(encoded));
  }
  return packShard(layout, packed);
}

/** Writing a part costs as much as copying so many bytes. */
export const SHORT_PART: number = 1 << 15;

function fewer(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return length <= SHORT_PART ? [joinedParts(parts)] : parts;
}

/** Encoded chunks, each in parts, in row-major order, as the parts of a shard; null when there are none. */
export async function packShard(
  layout: ShardLayout,
  chunks: readonly (readonly Uint8Array[] | null)[],
): Promise<Uint8Array[] | null> {
  if (chunks.every((chunk) => chunk === null)) return null;
  const lengthOf = (chunk: readonly Uint8Array[]): number =>
    chunk.reduce((sum, part) => sum + part.length, 0);
  const encoded = await encodedIndex(
    layout,
    chunks.map((chunk) => (chunk === null ? null : lengthOf(chunk))),
  );
  const present = chunks.flatMap((chunk) => chunk ?? []);
  return layout.indexAtStart ? [encoded, ...present] : [...present, encoded];
}

/** Where chunks lie that follow each other, as it is stored. In: their lengths, null for one that is not there. */
export async function encodedIndex(
  layout: ShardLayout,
  lengths: readonly (number | null)[],
): Promise<Uint8Array> {
  const index = new Uint8Array(16 * lengths.length);
  const view = new DataView(index.buffer);
  const isLittle = layout.indexEndian === "little";
  let at = layout.indexAtStart ? layout.indexBytes : 0;
  lengths.forEach((length, i) => {
    view.setBigUint64(16 * i, length === null ? MISSING : BigInt(at), isLittle);
    view.setBigUint64(16 * i + 8, length === null ? MISSING : BigInt(length), isLittle);
    at += length ?? 0;
  });
  let encoded: Uint8Array = index;
  for (const codec of layout.indexCodecs) encoded = await codec.encode(encoded);
  return encoded;
}
