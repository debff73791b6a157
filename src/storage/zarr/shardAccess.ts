// Single chunks of a shard: which are there, and how one is replaced while the others stay as they are, byte
// for byte.

import type { Block } from "../../core/block.ts";
import { numberOf, placeOf, sizeOf } from "../../core/chunks.ts";
import { checkDecoded, corrupt } from "../codecs/codec.ts";
import { isAllFill, permuteBlock } from "./blockCopies.ts";
import { decodeBytes, encodeBytes, encodeParts, readChunk } from "./codecPipeline.ts";
import {
  type ByteSource,
  inverse,
  memorySource,
  type Pipeline,
  partSource,
  type ReadOptions,
  type ShardIndex,
  type ShardLayout,
} from "./place.ts";
import { packShard, readIndex } from "./shard.ts";

/** Indexes of shards by key: for stores that do not change. */
export type ShardCache = Map<string, ShardIndex>;

/** Places of the chunks that a shard has, in the axes of the array. */
export async function* chunksPresent(
  pipeline: Pipeline,
  source: ByteSource,
  options: ReadOptions,
): AsyncIterable<number[]> {
  const { order } = pipeline;
  const layout = pipeline.serial as ShardLayout;
  const index = await readIndex(layout, await plainSource(pipeline, source, options), options);
  if (index === null) return;
  const back = inverse(order);
  for (let i = 0; i < index.offsets.length; i++) {
    if (index.offsets[i]! < 0) continue;
    const place = placeOf(i, layout.grid);
    yield back.map((axis) => place[axis]!);
  }
}

/** One chunk of a shard, whole; null when it is not there. */
export async function readShardChunk(
  pipeline: Pipeline,
  source: ByteSource,
  within: readonly number[],
  options: ReadOptions,
): Promise<Block | null> {
  const layout = pipeline.serial as ShardLayout;
  const plain = await plainSource(pipeline, source, options);
  const index = await readIndex(layout, plain, options);
  const number = numberOf(
    pipeline.order.map((axis) => within[axis]!),
    layout.grid,
  );
  const offset = index?.offsets[number] ?? -1;
  if (offset < 0) return null;
  const length = index!.lengths[number]!;
  const where = `${source.where} (chunk ${number} of the shard)`;
  checkDecoded(length, layout.inner.encoded, "chunk", where);
  const block = await readChunk(layout.inner, partSource(plain, offset, length, where), options);
  return block === null ? null : permuteBlock(block, inverse(pipeline.order));
}

/** The shard before compressors and checksums. */
async function plainSource(
  pipeline: Pipeline,
  source: ByteSource,
  options: ReadOptions,
): Promise<ByteSource> {
  if (pipeline.bytesCodecs.length === 0) return source;
  const stored = await source.all({ signal: options.signal, maxBytes: pipeline.encoded.max });
  if (stored === undefined) return source;
  return memorySource(await decodeBytes(pipeline, stored, source.where), source.where);
}

/** The bytes of the shard, in parts, with one chunk exchanged; null when nothing is left in it. */
export async function replaceChunk(
  pipeline: Pipeline,
  source: ByteSource,
  within: readonly number[],
  block: Block,
  { keepFill }: { keepFill: boolean },
  options: ReadOptions,
): Promise<Uint8Array[] | null> {
  const layout = pipeline.serial as ShardLayout;
  const chunks = await storedChunks(pipeline, layout, source, options);
  const place = pipeline.order.map((axis) => within[axis]!);
  const isLeftOut = !keepFill && isAllFill(block, pipeline.fill);
  const permuted = permuteBlock(block, pipeline.order);
  chunks[numberOf(place, layout.grid)] = isLeftOut
    ? null
    : await encodeParts(layout.inner, permuted, { keepFill });
  const parts = await packShard(layout, chunks);
  return parts === null ? null : encodeBytes(pipeline, parts);
}

async function storedChunks(
  pipeline: Pipeline,
  layout: ShardLayout,
  source: ByteSource,
  options: ReadOptions,
): Promise<(Uint8Array[] | null)[]> {
  const none = new Array<Uint8Array[] | null>(sizeOf(layout.grid)).fill(null);
  const stored = await source.all({ signal: options.signal, maxBytes: pipeline.encoded.max });
  if (stored === undefined) return none;
  const bytes = await decodeBytes(pipeline, stored, source.where);
  const index = await readIndex(layout, memorySource(bytes, source.where), options);
  return none.map((_, i) => {
    const offset = index!.offsets[i]!;
    if (offset < 0) return null;
    const end = offset + index!.lengths[i]!;
    if (end > bytes.length) throw corrupt(`chunk ${i} of the shard runs over the end`, source.where);
    return [bytes.subarray(offset, end)];
  });
}
