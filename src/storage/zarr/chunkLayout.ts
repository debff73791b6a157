// How the chunks of an array lie in stored objects: permuted axes, elements as bytes or as a shard of chunks, codecs of
// bytes. Made of metadata by buildPipeline.ts; read and written by codecPipeline.ts and shard.ts. The sizes at every
// stage are known before anything is decoded.

import { type Shape, sizeOf } from "../../core/shape.ts";
import type { BytesCodec, SizeBound } from "../codecs/codec.ts";
import { joined } from "../codecs/deflate.ts";
import type { Room } from "../codecs/scratch.ts";
import { NotSupportedError } from "../errors.ts";
import type { StoreOptions } from "../store.ts";
import type { Fill } from "./fill.ts";
import type { Endian, StoredType } from "./storedType.ts";

export interface Pipeline {
  /** Of the decoded chunk. */
  readonly shape: Shape;
  readonly type: StoredType;
  readonly fill: Fill;
  /** Axis i of what is stored is axis order[i] of the chunk. */
  readonly order: readonly number[];
  readonly serial: { readonly kind: "bytes"; readonly endian: Endian } | ShardLayout;
  readonly bytesCodecs: readonly BytesCodec[];
  /** How long the input of each of the bytesCodecs may be. */
  readonly bounds: readonly SizeBound[];
  /** How long the stored bytes may be. */
  readonly encoded: SizeBound;
}

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

export interface ReadOptions extends StoreOptions {
  /** Chunks that take more bytes than this are refused. */
  maxChunkBytes: number;
  /** Indexes of shards already read, where the store is known not to change. */
  indexes?: Map<string, ShardIndex>;
}

export interface WriteOptions {
  /** Chunks of a shard that hold only the fill value are stored all the same. */
  keepFill: boolean;
  /** Where copies may be put: what comes out is good until it ends. */
  room?: Room | undefined;
}

/** All codecs of bytes that a chunk goes through, those of a shard's chunks too. */
export const codecsIn = ({ serial, bytesCodecs }: Pipeline): readonly BytesCodec[] =>
  serial.kind === "shard" ? [...codecsIn(serial.inner), ...bytesCodecs] : bytesCodecs;

export const storedShape = ({ shape, order }: { shape: Shape; order: readonly number[] }): number[] =>
  order.map((axis) => shape[axis]!);

export const joinedParts = (parts: readonly Uint8Array[]): Uint8Array =>
  joined(
    parts,
    parts.reduce((sum, part) => sum + part.length, 0),
  );

/** Refuses chunks that take more memory than is allowed. */
export function checkLimit({ shape, type }: Pipeline, where: string, { maxChunkBytes }: ReadOptions): void {
  const bytes = sizeOf(shape) * type.bytes;
  if (bytes <= maxChunkBytes) return;
  throw new NotSupportedError({
    what: `a chunk of ${bytes} bytes, and at most ${maxChunkBytes} are read at once`,
    where,
    cure: "Open the array with a larger maxChunkBytes",
  });
}

/** What undoes a permutation. */
export function inverse(order: readonly number[]): number[] {
  const result = new Array<number>(order.length);
  order.forEach((axis, i) => {
    result[axis] = i;
  });
  return result;
}
