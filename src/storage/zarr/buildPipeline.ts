// From the codecs that metadata name to a pipeline. Checks that they can follow each other: permutations, then
// one codec that makes bytes, then codecs of bytes.

import { describe, type Shape, sizeOf } from "../../core/shape.ts";
import type { BytesCodec, SizeBound } from "../codecs/codec.ts";
import type { CodecSpec } from "../codecs/codecFields.ts";
import type { KnownCodecs } from "../codecs/table.ts";
import { MetadataError, NotSupportedError } from "../errors.ts";
import type { Pipeline, ShardLayout } from "./chunkLayout.ts";
import type { Fill } from "./fill.ts";
import { checkChunkShape, listOf, shapeFrom } from "./metadata.ts";
import { codecsFrom } from "./metadataV3.ts";
import type { Endian, StoredType } from "./storedType.ts";

/** Shards in shards in shards … : nobody means it. */
const DEEPEST_SHARDS = 4;

/** What all chunks of an array have in common, those in shards too. */
export interface ArrayCodecs {
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
  const order = orderOf(codecs.slice(0, at), shape.length, array);
  const stored = order.map((axis) => shape[axis]!);
  const spec = codecs[at]!;
  const serial =
    spec.name === "bytes"
      ? ({ kind: "bytes", endian: endianOf(spec, type, where) } as const)
      : shardLayout(spec, stored, array, depth);
  const bytesCodecs = codecs.slice(at + 1).map((codec) => known.codec(codec, where));
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
