// The codecs of an array, ready to use: blocks ⇄ the bytes of one stored object. A pipeline permutes the axes
// (transpose), turns elements into bytes (bytes, or a shard of chunks) and sends the bytes through
// compressors and checksums. The sizes at every stage are known before anything is decoded.

import { type Block, subBlock } from "../../core/block.ts";
import { sameShape } from "../../core/shape.ts";
import { copyBlock, isIdentity, permuteBlock } from "./blockCopies.ts";
import { type ByteSource, memorySource } from "./byteSource.ts";
import {
  checkLimit,
  inverse,
  joinedParts,
  type Pipeline,
  type ReadOptions,
  storedShape,
  type WriteOptions,
} from "./chunkLayout.ts";
import { checkedBytes, readOpen } from "./openChunk.ts";
import { readRuns } from "./runs.ts";
import { type InnerChunks, readShard, writeShard } from "./shard.ts";
import { blockFromBytes, bytesFromBlock } from "./storedElements.ts";

/**
 * The bytes to store, in parts that follow each other: chunks of a shard, a checksum. Null when a shard has nothing in
 * it. They may be the block's own memory.
 */
export async function encodeParts(
  pipeline: Pipeline,
  block: Block,
  options: WriteOptions,
): Promise<Uint8Array[] | null> {
  const permuted = isIdentity(pipeline.order) ? block : permuteBlock(block, pipeline.order);
  const { serial } = pipeline;
  const parts =
    serial.kind === "bytes"
      ? [bytesFromBlock(permuted, pipeline.type, serial.endian, options.room)]
      : await writeShard(serial, permuted, pipeline.fill, INNER, options);
  return parts === null ? null : encodeBytes(pipeline, parts);
}

/** Through compressors and checksums. */
export async function encodeBytes(
  { bytesCodecs }: Pipeline,
  parts: readonly Uint8Array[],
): Promise<Uint8Array[]> {
  let bytes = [...parts];
  for (const [i, codec] of bytesCodecs.entries()) {
    const whole = joinedParts(bytes);
    if (codec.sum === undefined || i < bytesCodecs.length - 1) bytes = [await codec.encode(whole)];
    else bytes = codec.sum.location === "start" ? [codec.sum.of(whole), whole] : [whole, codec.sum.of(whole)];
  }
  return bytes;
}

/** Without memory of the block, which will hold something else. */
export const ownParts = (parts: readonly Uint8Array[] | null, { data }: Block): Uint8Array[] | null =>
  parts?.map((part) => (part.buffer === data.buffer ? part.slice() : part)) ?? null;

/** Through compressors and checksums, back to what `serial` made. */
export async function decodeBytes(
  pipeline: Pipeline,
  stored: Uint8Array,
  where: string,
): Promise<Uint8Array> {
  let bytes = stored;
  for (let i = pipeline.bytesCodecs.length - 1; i >= 0; i--) {
    const decoded = pipeline.bytesCodecs[i]!.decode(bytes, pipeline.bounds[i]!, where);
    bytes = decoded instanceof Promise ? await decoded : decoded;
  }
  return bytes;
}

/** The whole chunk; null when it is missing. May share memory with what the source gave. */
export async function readChunk(
  pipeline: Pipeline,
  source: ByteSource,
  options: ReadOptions,
): Promise<Block | null> {
  checkLimit(pipeline, source.where, options);
  const stored = await source.all({ signal: options.signal, maxBytes: pipeline.encoded.max });
  return stored === undefined ? null : decodeChunk(pipeline, stored, source.where, options);
}

export async function decodeChunk(
  pipeline: Pipeline,
  stored: Uint8Array,
  where: string,
  options: ReadOptions,
): Promise<Block> {
  checkLimit(pipeline, where, options);
  const bytes = await decodeBytes(pipeline, stored, where);
  const { serial, type } = pipeline;
  const shape = storedShape(pipeline);
  if (serial.kind !== "bytes") {
    const block = await readShard(serial, memorySource(bytes, where), null, pipeline.fill, INNER, options);
    return permuteBlock(block!, inverse(pipeline.order));
  }
  const block = blockFromBytes(
    checkedBytes(bytes, { shape, type, endian: serial.endian }, where),
    shape,
    type,
    serial.endian,
  );
  return isIdentity(pipeline.order) ? block : permuteBlock(block, inverse(pipeline.order));
}

/** A part of the chunk, from `start`, into `target`. False when the chunk is missing; `target` is as it was. */
export async function readPart(
  pipeline: Pipeline,
  source: ByteSource,
  start: readonly number[],
  target: Block,
  options: ReadOptions,
): Promise<boolean> {
  const { serial, order, type } = pipeline;
  const permuted = permuteBlock(target, order);
  const from = order.map((axis) => start[axis]!);
  const isPlain = pipeline.bytesCodecs.length === 0;
  if (serial.kind !== "bytes" && isPlain)
    return (
      (await readShard(serial, source, { start: from, target: permuted }, pipeline.fill, INNER, options)) !==
      null
    );
  if (serial.kind === "bytes" && source.open !== undefined) {
    const object = await source.open(options);
    if (object === undefined) return false;
    try {
      const chunk = { shape: storedShape(pipeline), type, endian: serial.endian };
      await readOpen(pipeline, object, chunk, { start: from, target: permuted }, source.where, options);
    } finally {
      object.close();
    }
    return true;
  }
  if (serial.kind === "bytes" && isPlain && source.hasRanges && !sameShape(target.shape, pipeline.shape))
    return readRuns(
      source,
      { shape: storedShape(pipeline), type, endian: serial.endian },
      from,
      permuted,
      options,
    );
  const chunk = await readChunk(pipeline, source, options);
  if (chunk === null) return false;
  copyBlock(subBlock(chunk, start, target.shape), target);
  return true;
}

/** False for lengths that no stored object of this pipeline has. */
export function canBeWhole(size: number, { encoded, serial, bytesCodecs }: Pipeline): boolean {
  if (encoded.exact) return size === encoded.max;
  const least = serial.kind === "shard" && bytesCodecs.length === 0 ? serial.indexBytes : 1;
  return size >= least && size <= encoded.max;
}

/** The chunks of a shard go the way of all chunks. */
const INNER: InnerChunks = { decodeChunk, encodeParts, readPart };
