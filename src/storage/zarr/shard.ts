// Shards: many chunks in one object, with an index that says where each lies. Read: the index first, then only
// the chunks that are wanted, neighbours together. Written: chunks one after another, and the index before
// or behind them. A chunk that is all fill value is left out.

import { type Block, newBlock, subBlock } from "../../core/block.ts";
import { type Box, intersect, isEmptyBox } from "../../core/box.ts";
import { numberOf, placeOf } from "../../core/chunks.ts";
import { type Shape, sameShape, sizeOf } from "../../core/shape.ts";
import { type BytesCodec, checkDecoded, corrupt } from "../codecs/codec.ts";
import { joined } from "../codecs/deflate.ts";
import { NotSupportedError } from "../errors.ts";
import { copyBlock, fillBlock, isAllFill } from "./blocks.ts";
import { type ByteSource, partSource } from "./byteSource.ts";
import type { Fill } from "./fill.ts";
import { mapLimited } from "./limited.ts";
import { decodeChunk, encodeBlock, type Pipeline, type ReadOptions, readPart } from "./pipeline.ts";
import { GAP } from "./runs.ts";
import type { Endian } from "./storedType.ts";

export interface ShardLayout {
  readonly kind: "shard";
  /** Of the shard, in the axes as they are stored. */
  readonly shape: Shape;
  readonly chunkShape: Shape;
  /** How many chunks there are on each axis. */
  readonly grid: Shape;
  readonly inner: Pipeline;
  readonly indexCodecs: readonly BytesCodec[];
  readonly indexEndian: Endian;
  /** Bytes of the stored index. */
  readonly indexBytes: number;
  readonly indexAtStart: boolean;
}

/** For each chunk of a shard, in row-major order: where it lies and how long it is; −1 when it is not there. */
export interface ShardIndex {
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
}

export interface Part {
  readonly start: readonly number[];
  readonly target: Block;
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
  options: ReadOptions,
): Promise<Block | null> {
  const index = await readIndex(layout, source, options);
  if (index === null) return null;
  const target = part?.target ?? newBlock(layout.inner.type.dtype, layout.shape);
  const box: Box = { start: part?.start ?? layout.shape.map(() => 0), shape: target.shape };
  const { wanted, missing } = chunksIn(layout, box, index);
  for (const chunk of missing) fillBlock(partOf(target, box, chunk.box), fill);
  await readChunks(layout, source, wanted, target, box, options);
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
const MOST_TOGETHER = 16 * 1024 * 1024;
const MOST_REQUESTS = 8;

async function readChunks(
  layout: ShardLayout,
  source: ByteSource,
  wanted: Wanted[],
  target: Block,
  box: Box,
  options: ReadOptions,
): Promise<void> {
  const name = (chunk: Wanted): string => `${source.where} (chunk ${chunk.number} of the shard)`;
  for (const chunk of wanted) checkLength(layout.inner, chunk, name(chunk));
  const partial = wanted.filter((chunk) => isReadInParts(layout, chunk));
  const whole = wanted.filter((chunk) => !isReadInParts(layout, chunk)).sort((a, b) => a.offset - b.offset);
  const groups = [...partial.map((chunk) => [chunk]), ...groupsOf(whole)];
  await mapLimited(groups, MOST_REQUESTS, async (group) => {
    const isPart = isReadInParts(layout, group[0]!);
    const bytes = isPart ? null : await readGroup(source, group, options);
    for (const chunk of group) {
      const from = chunk.box.start.map((x, axis) => x - chunk.start[axis]!);
      const into = partOf(target, box, chunk.box);
      if (bytes === null) {
        const place = partSource(source, chunk.offset, chunk.length, name(chunk));
        await readPart(layout.inner, place, from, into, options);
      } else {
        const at = chunk.offset - group[0]!.offset;
        const stored = bytes.subarray(at, at + chunk.length);
        const block = await decodeChunk(layout.inner, stored, name(chunk), options);
        copyBlock(subBlock(block, from, chunk.box.shape), into);
      }
    }
  });
}

/** Worth more than one request: a large chunk that is not compressed, of which a part is wanted. */
function isReadInParts({ inner, chunkShape }: ShardLayout, chunk: Wanted): boolean {
  return inner.bytesCodecs.length === 0 && chunk.length > GAP && !sameShape(chunk.box.shape, chunkShape);
}

async function readGroup(
  source: ByteSource,
  group: readonly Wanted[],
  options: ReadOptions,
): Promise<Uint8Array> {
  const offset = group[0]!.offset;
  const length = group.reduce((end, chunk) => Math.max(end, chunk.offset + chunk.length), 0) - offset;
  const bytes = await source.range({ offset, length }, options);
  if (bytes !== undefined) return bytes;
  throw corrupt("the shard vanished while it was read", source.where);
}

/** The index may claim anything; a chunk's encoding has a known size, or a longest one. */
function checkLength({ encoded }: Pipeline, chunk: Wanted, where: string): void {
  checkDecoded(chunk.length, encoded, "chunk", where);
}

function groupsOf(chunks: readonly Wanted[]): Wanted[][] {
  const groups: Wanted[][] = [];
  let end = 0;
  for (const chunk of chunks) {
    const group = groups.at(-1);
    const stop = chunk.offset + chunk.length;
    if (group !== undefined && chunk.offset - end <= GAP && stop - group[0]!.offset <= MOST_TOGETHER) {
      group.push(chunk);
      end = Math.max(end, stop);
    } else {
      groups.push([chunk]);
      end = stop;
    }
  }
  return groups;
}

/** The bytes of a shard; null when every chunk is fill value. */
export async function writeShard(
  layout: ShardLayout,
  block: Block,
  fill: Fill,
  options: { keepFill: boolean },
): Promise<Uint8Array | null> {
  const chunks: (Uint8Array | null)[] = [];
  for (let i = 0; i < sizeOf(layout.grid); i++) {
    const start = placeOf(i, layout.grid).map((x, axis) => x * layout.chunkShape[axis]!);
    const part = subBlock(block, start, layout.chunkShape);
    const isLeftOut = !options.keepFill && isAllFill(part, fill);
    const encoded = isLeftOut ? null : await encodeBlock(layout.inner, part, options);
    // An encoder may hand back the block's own memory; that is copied when the parts are joined.
    chunks.push(encoded);
  }
  return packShard(layout, chunks);
}

/** Encoded chunks, in row-major order, as a shard; null when there are none. */
export async function packShard(
  layout: ShardLayout,
  chunks: readonly (Uint8Array | null)[],
): Promise<Uint8Array | null> {
  if (chunks.every((chunk) => chunk === null)) return null;
  const index = new Uint8Array(16 * chunks.length);
  const view = new DataView(index.buffer);
  const isLittle = layout.indexEndian === "little";
  let at = layout.indexAtStart ? layout.indexBytes : 0;
  chunks.forEach((chunk, i) => {
    view.setBigUint64(16 * i, chunk === null ? MISSING : BigInt(at), isLittle);
    view.setBigUint64(16 * i + 8, chunk === null ? MISSING : BigInt(chunk.length), isLittle);
    at += chunk?.length ?? 0;
  });
  let encoded: Uint8Array = index;
  for (const codec of layout.indexCodecs) encoded = await codec.encode(encoded);
  const present = chunks.filter((chunk) => chunk !== null);
  const parts = layout.indexAtStart ? [encoded, ...present] : [...present, encoded];
  return joined(
    parts,
    parts.reduce((sum, part) => sum + part.length, 0),
  );
}
