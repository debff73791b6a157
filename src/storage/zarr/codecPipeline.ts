// The codecs of an array, ready to use: blocks ⇄ the bytes of one stored object. A pipeline permutes the axes
// (transpose), turns elements into bytes (bytes, or a shard of chunks) and sends the bytes through
// compressors and checksums. The sizes at every stage are known before anything is decoded.

import { type Block, isContiguous, subBlock } from "../../core/block.ts";
import { describe, type Shape, sameShape, sizeOf } from "../../core/chunks.ts";
import type { BytesCodec, CodecSpec, SizeBound } from "../codecs/codec.ts";
import { isOfElements, typedElements } from "../codecs/elements.ts";
import type { KnownCodecs } from "../codecs/table.ts";
import { MetadataError, NotSupportedError } from "../errors.ts";
import {
  blockFromBytes,
  bytesFromBlock,
  copyBlock,
  isIdentity,
  isVerbatim,
  memoryOf,
  permuteBlock,
} from "./blockCopies.ts";
import { checkChunkShape, codecsFrom, listOf, shapeFrom } from "./metadata.ts";
import { checkedBytes, readOpen } from "./openChunk.ts";
import {
  type ByteSource,
  checkLimit,
  inverse,
  joinedParts,
  memorySource,
  type Pipeline,
  type ReadOptions,
  type ShardLayout,
  storedShape,
  type WriteOptions,
} from "./place.ts";
import { readRuns } from "./runs.ts";
import { type InnerChunks, readShard, writeShard } from "./shard.ts";
import { type Endian, type Fill, type StoredType, typeToV2 } from "./storedType.ts";

// From the codecs that metadata name to a pipeline. Checks that they can follow each other: permutations, then
// one codec that makes bytes, then codecs of bytes.

/** Shards in shards in shards … : nobody means it. */
const DEEPEST_SHARDS = 4;

/** What all chunks of an array have in common, those in shards too. */
interface ArrayCodecs {
  readonly type: StoredType;
  readonly fill: Fill;
  /** Which codecs there are. */
  readonly known: KnownCodecs;
  /** For errors. */
  readonly where: string;
}

export function buildPipeline(
  named: readonly CodecSpec[],
  shape: Shape,
  array: ArrayCodecs,
  depth = 0,
): Pipeline {
  const { type, fill, known, where } = array;
  const codecs = withSerial(named, type);
  const at = codecs.findIndex(isSerial);
  // Codecs of elements work on the bytes of elements: the same before and behind the codec that makes bytes of them.
  const before = codecs.slice(0, at).filter(({ name }) => !isOfElements(name));
  const order = orderOf(before, shape.length, array);
  const permuted = order.map((axis) => shape[axis]!);
  const spec = codecs[at]!;
  const serial =
    spec.name === "bytes"
      ? ({ kind: "bytes", endian: endianOf(spec, type, where) } as const)
      : shardLayout(spec, permuted, array, depth);
  const elements = codecs.slice(0, at).filter(({ name }) => isOfElements(name));
  if (elements.length > 0 && serial.kind !== "bytes")
    throw new NotSupportedError({
      what: `the codec ${elements[0]!.name} before shards is not supported`,
      where,
    });
  const stored = serial.kind === "bytes" ? typeToV2(type, serial.endian) : "|u1";
  const bytesCodecs = typedElements([...elements, ...codecs.slice(at + 1)], stored).map((codec) =>
    known.codec(codec, where),
  );
  const raw: SizeBound =
    serial.kind === "bytes" ? { max: sizeOf(shape) * type.bytes, exact: true } : shardBound(serial);
  const bounds = boundsOf(bytesCodecs, raw);
  return {
    shape,
    type,
    fill,
    order,
    serial,
    bytesCodecs,
    bounds: bounds.slice(0, -1),
    encoded: bounds.at(-1)!,
  };
}

const isSerial = ({ name }: CodecSpec): boolean => name === "bytes" || name === "sharding_indexed";

/** The specification wants one codec that makes bytes. zarrita writes none unless it is told, and means little-endian bytes. */
function withSerial(codecs: readonly CodecSpec[], { wordBytes }: StoredType): readonly CodecSpec[] {
  if (codecs.some(isSerial)) return codecs;
  const at = codecs.findLastIndex(({ name }) => name === "transpose") + 1;
  const bytes = { name: "bytes", configuration: wordBytes > 1 ? { endian: "little" } : {} };
  return codecs.toSpliced(at, 0, bytes);
}

function boundsOf(codecs: readonly BytesCodec[], raw: SizeBound): SizeBound[] {
  const bounds = [raw];
  for (const codec of codecs) bounds.push(codec.encodedBound(bounds.at(-1)!));
  return bounds;
}

/** Every chunk at its longest, the index, and as much again for writers that leave gaps. */
const shardBound = ({ inner, grid, indexBytes }: ShardLayout): SizeBound => ({
  max: 2 * (inner.encoded.max * sizeOf(grid) + indexBytes),
  exact: false,
});

/** Several permutations one after another are one. */
function orderOf(codecs: readonly CodecSpec[], ndim: number, { known, where }: ArrayCodecs): number[] {
  let order = Array.from({ length: ndim }, (_, axis) => axis);
  for (const codec of codecs) {
    if (codec.name !== "transpose") {
      // Either not known at all, or a codec of bytes where there are no bytes yet.
      known.codec(codec, where);
      throw new MetadataError({ what: `the codec ${codec.name} comes before there are bytes`, where });
    }
    const step = permutation(codec.configuration["order"] ?? null, ndim, where);
    order = step.map((axis) => order[axis]!);
  }
  return order;
}

function permutation(value: unknown, ndim: number, where: string): number[] {
  // Early drafts of v3 wrote "C" and "F".
  const axes = Array.from({ length: ndim }, (_, axis) => axis);
  if (value === "C") return axes;
  if (value === "F") return axes.reverse();
  const isOne = Array.isArray(value) && value.length === ndim && axes.every((axis) => value.includes(axis));
  if (isOne) return value as number[];
  throw new MetadataError({
    what: `the order of the transpose codec is ${Array.isArray(value) ? `[${value.slice(0, 20).map(describe)}]` : describe(value)}`,
    where,
    cure: `It must name each of the ${ndim} axes once`,
  });
}

function endianOf({ configuration }: CodecSpec, type: StoredType, where: string): Endian {
  const { endian } = configuration;
  if (endian === "little" || endian === "big") return endian;
  if (endian === undefined && type.wordBytes === 1) return "little";
  throw new MetadataError({
    what: `endian of the bytes codec is ${describe(endian)}`,
    where,
    cure: 'It must be "little" or "big"',
  });
}

function shardLayout(
  { configuration }: CodecSpec,
  shape: Shape,
  array: ArrayCodecs,
  depth: number,
): ShardLayout {
  const { type, where } = array;
  if (depth >= DEEPEST_SHARDS)
    throw new NotSupportedError({ what: `shards nested ${DEEPEST_SHARDS + 1} deep`, where });
  const chunkShape = shapeFrom(configuration["chunk_shape"], "chunk_shape of the shards", where, 1);
  checkChunkShape(shape, chunkShape, type, "chunk_shape of the shards", where);
  const grid = shape.map((length, axis) => length / chunkShape[axis]!);
  if (!grid.every(Number.isInteger))
    throw new MetadataError({
      what: `chunks of [${chunkShape.join(", ")}] do not fill shards of [${shape.join(", ")}]`,
      where,
      cure: "The shard's lengths must be multiples of the chunk's",
    });
  const codecs = codecsFrom(configuration["codecs"], where);
  return {
    kind: "shard",
    shape,
    chunkShape,
    grid,
    inner: buildPipeline(codecs, chunkShape, array, depth + 1),
    ...indexLayout(configuration, sizeOf(grid), array),
  };
}

function indexLayout(
  configuration: CodecSpec["configuration"],
  count: number,
  { known, where }: ArrayCodecs,
): Pick<ShardLayout, "indexCodecs" | "indexEndian" | "indexBytes" | "indexAtStart"> {
  const location = configuration["index_location"] ?? "end";
  if (location !== "start" && location !== "end")
    throw new MetadataError({
      what: `index_location is ${describe(location)}`,
      where,
      cure: 'It must be "start" or "end"',
    });
  listOf(configuration["index_codecs"], "index_codecs", where);
  const [bytes, ...rest] = codecsFrom(configuration["index_codecs"], where);
  const indexCodecs = rest.map((codec) => known.codec(codec, where));
  // An index is found by its length, so that must not depend on what is in it.
  const wrong = indexCodecs.find(({ encodedBound }) => !encodedBound({ max: 16, exact: true }).exact);
  if (bytes?.name !== "bytes" || wrong !== undefined)
    throw new NotSupportedError({
      what: `the codec ${wrong?.name ?? bytes?.name ?? "(none)"} of a shard's index is not supported`,
      where,
      cure: 'Use "bytes" and "crc32c"',
    });
  const endian = bytes.configuration["endian"];
  if (endian !== "little" && endian !== "big")
    throw new MetadataError({ what: `endian of a shard's index is ${describe(endian)}`, where });
  return {
    indexCodecs,
    indexEndian: endian,
    indexBytes: boundsOf(indexCodecs, { max: 16 * count, exact: true }).at(-1)!.max,
    indexAtStart: location === "start",
  };
}

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
  if (serial.kind === "bytes" && isPlain && isWholeCopy(pipeline, serial.endian, target))
    return readVerbatim(pipeline, source, memoryOf(target), options);
  const chunk = await readChunk(pipeline, source, options);
  if (chunk === null) return false;
  copyBlock(subBlock(chunk, start, target.shape), target);
  return true;
}

/** True when the target is to hold just what is stored. */
const isWholeCopy = ({ shape, order, type }: Pipeline, endian: Endian, target: Block): boolean =>
  sameShape(target.shape, shape) &&
  isIdentity(order) &&
  isVerbatim(type, endian) &&
  isContiguous(target) &&
  sizeOf(shape) > 0;

/** Straight into its place, where the store can do that. */
async function readVerbatim(
  pipeline: Pipeline,
  source: ByteSource,
  into: Uint8Array,
  options: ReadOptions,
): Promise<boolean> {
  checkLimit(pipeline, source.where, options);
  const { signal } = options;
  const stored = await source.all({ signal, maxBytes: pipeline.encoded.max, into });
  if (stored === undefined) return false;
  const bytes = checkedBytes(
    stored,
    { shape: pipeline.shape, type: pipeline.type, endian: "little" },
    source.where,
  );
  if (bytes.buffer !== into.buffer || bytes.byteOffset !== into.byteOffset) into.set(bytes);
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
