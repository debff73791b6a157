// A chunk out of an open object, with as few copies as can be: what is not compressed is read straight into its place, a
// checksum's data too (and summed up meanwhile), a compressor writes there. The object's length is checked before
// anything is read.

import { type Block, isContiguous, subBlock } from "../../core/block.ts";
import { sameShape, sizeOf } from "../../core/chunks.ts";
import { type BytesCodec, checkDecoded, corrupt, decodeInto, KeptMemory } from "../codecs/codec.ts";
import type { OpenObject } from "../store.ts";
import { blockFromBytes, copyBlock, isVerbatim, memoryOf } from "./blockCopies.ts";
import { checkLimit, type Pipeline, type ReadOptions } from "./place.ts";
import { type PlainChunk, readOpenRuns } from "./runs.ts";

/** A part of a chunk, in the axes as they are stored. */
export interface StoredPart {
  readonly start: readonly number[];
  readonly target: Block;
}

/** A part of a chunk, or all of it. */
export async function readOpen(
  pipeline: Pipeline,
  object: OpenObject,
  chunk: PlainChunk,
  { start, target }: StoredPart,
  where: string,
  options: ReadOptions,
): Promise<void> {
  checkDecoded(object.size, pipeline.encoded, "chunk", where);
  if (pipeline.bytesCodecs.length === 0) return readOpenRuns(object, chunk, start, target, options);
  checkLimit(pipeline, where, options);
  const isDirect =
    sameShape(target.shape, chunk.shape) && isVerbatim(chunk.type, chunk.endian) && isContiguous(target);
  if (isDirect) return decodeOpen(pipeline, object, memoryOf(target), where, options);
  // Aside, and from there what is wanted.
  const length = sizeOf(chunk.shape) * chunk.type.bytes;
  const { scratch: memory = new KeptMemory() } = options;
  const scratch = memory.take(length);
  try {
    const bytes = scratch.subarray(0, length);
    await decodeOpen(pipeline, object, bytes, where, options);
    const block = blockFromBytes(bytes, chunk.shape, chunk.type, chunk.endian);
    copyBlock(subBlock(block, start, target.shape), target);
  } finally {
    memory.give(scratch);
  }
}

/** The whole chunk straight into given memory: a checksum's data are read there, a compressor writes there. */
async function decodeOpen(
  pipeline: Pipeline,
  object: OpenObject,
  target: Uint8Array,
  where: string,
  { scratch: memory = new KeptMemory() }: ReadOptions,
): Promise<void> {
  const { bytesCodecs, bounds } = pipeline;
  const [first] = bytesCodecs;
  if (bytesCodecs.length === 1 && first!.sum !== undefined)
    return readSummed(first!.sum, object, target, where);
  const scratch = memory.take(object.size);
  try {
    let bytes = scratch.subarray(0, object.size);
    await object.readInto(0, bytes);
    for (let i = bytesCodecs.length - 1; i > 0; i--)
      bytes = await bytesCodecs[i]!.decode(bytes, bounds[i]!, where);
    await decodeInto(first!, bytes, target, where);
  } finally {
    memory.give(scratch);
  }
}

/** Bytes of a read that is summed up while the next ones are under way. */
const SUMMED_PIECE = 1 << 19;
const MOST_PIECES = 4;

/** Bytes with a sum beside them, straight into their place. */
async function readSummed(
  { location, length, running, check }: NonNullable<BytesCodec["sum"]>,
  object: OpenObject,
  target: Uint8Array,
  where: string,
): Promise<void> {
  const start = location === "start" ? length : 0;
  const sum = new Uint8Array(length);
  await object.readInto(location === "start" ? 0 : target.length, sum);
  const summed = running(target.length);
  const size = Math.max(SUMMED_PIECE, Math.ceil(target.length / MOST_PIECES / 16) * 16);
  const reading: { piece: Uint8Array; done: Promise<void> }[] = [];
  for (let at = 0; at < target.length; at += size) {
    const piece = target.subarray(at, at + size);
    const done = readSoon(object, start + at, piece);
    // What is there at once is summed up while it is in the processor's cache, unless something comes before it.
    if (done === undefined && reading.length === 0) summed?.add(piece);
    else reading.push({ piece, done: done ?? Promise.resolve() });
  }
  // All are waited for: nobody may write into the target any more when this ends.
  const results = Promise.allSettled(reading.map(({ done }) => done));
  for (const { piece, done } of reading) {
    await done.catch(() => {});
    summed?.add(piece);
  }
  for (const result of await results) if (result.status === "rejected") throw result.reason;
  check(target, sum, where, summed);
}

/** Failures come later, all in the same way. */
function readSoon(object: OpenObject, offset: number, target: Uint8Array): Promise<void> | undefined {
  try {
    return object.readInto(offset, target);
  } catch (cause) {
    return Promise.reject(cause);
  }
}

/** As many bytes as the chunk has. */
export function checkedBytes(bytes: Uint8Array, { shape, type }: PlainChunk, where: string): Uint8Array {
  const wanted = sizeOf(shape) * type.bytes;
  if (bytes.length === wanted) return bytes;
  throw corrupt(`${bytes.length} bytes, where a chunk has ${wanted}`, where);
}
