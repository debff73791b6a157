// A Zarr array as formats give arrays. In: the array. Out: what runs and plans ask of a source, or of a target that is written
// shard by shard.

import { type Box, gridOf, placeOf, sizeOf } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import type { Labels } from "../../core/labels.ts";
import type { Transfer } from "../../core/transfer.ts";
import type { BytesCodec } from "../codecs/codec.ts";
import type { ChunkWriter, DenseArray, UnitsRead } from "../formats/denseFormat.ts";
import { keyIn, type ListedObject, type Store, type StoreKey } from "../store.ts";
import type { ZarrArray } from "./array.ts";
import { isIdentity, isVerbatim } from "./blockCopies.ts";
import { mapLimited } from "./limited.ts";
import { codecsIn, type Pipeline, type ShardLayout } from "./place.ts";
import { mostAtOnce } from "./region.ts";
import { PIECE } from "./runs.ts";
import { keptBytes, MOST_TOGETHER } from "./shard.ts";

// What reading and writing a stored object takes beside the block itself, from its codecs and the kind of store. In: a
// pipeline. Out: bounds in bytes, as if nothing could be compressed.
// Must hold: no less than what codecPipeline.ts, openChunk.ts, runs.ts, shard.ts and the codecs have in memory at once.
// test/memory measures it.

/** What a codec takes for itself, given the bytes before and after encoding. */
interface CodecMemory {
  /** With what it gives. */
  decode(plain: number, encoded: number): number;
  /** Into a given place. */
  decodeInto(plain: number, encoded: number): number;
  /** With what it gives; what it works with the codec says itself. */
  encode(plain: number, encoded: number): number;
}

/** Blosc works block by block; this is some of them, shuffled and not. */
const BLOSC_BLOCKS = 4 << 20;

const NOTHING: CodecMemory = { decode: () => 0, decodeInto: () => 0, encode: () => 0 };
const MEMORY: { readonly [name: string]: CodecMemory } = {
  // A copy of both sides in the module's memory; to encode, two of what is plain: an argument, and a string made of it.
  zstd: {
    decode: (plain, encoded) => 2 * plain + encoded,
    decodeInto: (plain, encoded) => plain + encoded,
    encode: (plain, encoded) => 2 * plain + 2 * encoded,
  },
  lz4: {
    decode: (plain, encoded) => 2 * plain + encoded,
    decodeInto: (plain, encoded) => plain + encoded,
    encode: (_, encoded) => encoded,
  },
  // It takes its time, so that there are several of what it gives.
  gzip: {
    decode: (plain) => 2 * plain,
    decodeInto: (plain) => 2 * plain,
    encode: (_, encoded) => 2 * encoded,
  },
  blosc: {
    decode: (plain) => plain + BLOSC_BLOCKS,
    decodeInto: () => BLOSC_BLOCKS,
    encode: (_, encoded) => encoded + BLOSC_BLOCKS,
  },
  shuffle: {
    decode: (plain) => 3 * plain,
    decodeInto: (plain) => 3 * plain,
    encode: (plain) => 3 * plain,
  },
};

function memoryOf({ name, sum }: BytesCodec): CodecMemory {
  if (sum !== undefined) return NOTHING;
  return MEMORY[name === "zlib" ? "gzip" : name] ?? MEMORY["zstd"]!;
}

/** Of stored objects of this pipeline in that store. */
export function transferOf(pipeline: Pipeline, store: Pick<Store, "open" | "near">): Transfer {
  const isFar = store.open === undefined && store.near === undefined;
  return {
    unit: pipeline.shape,
    atOnce: mostAtOnce(store),
    ...(store.open === undefined ? farRead(pipeline) : nearRead(pipeline)),
    encoding: encodingBytes(pipeline) + (isFar ? sendingBytes(pipeline) : 0),
    padded: blockBytes(pipeline),
  };
}

type Read = Pick<Transfer, "encoded" | "aside" | "decoding">;

const blockBytes = ({ shape, type }: Pipeline): number => sizeOf(shape) * infoOf(type.dtype).bytes;
const plainBytes = ({ shape, type }: Pipeline): number => sizeOf(shape) * type.bytes;

/** Elements are stored as they are in memory. */
const isAsInMemory = ({ serial, type, order }: Pipeline): boolean =>
  serial.kind === "bytes" && isVerbatim(type, serial.endian) && isIdentity(order);

/** Out of an open object: openChunk.ts. */
function nearRead(pipeline: Pipeline): Read {
  const { serial, bytesCodecs, encoded } = pipeline;
  if (serial.kind !== "bytes") return shardRead(pipeline);
  const isPlain = bytesCodecs.length === 0;
  const bytes = isPlain ? Math.min(PIECE, plainBytes(pipeline)) : plainBytes(pipeline);
  const isSummed = bytesCodecs.length === 1 && bytesCodecs[0]!.sum !== undefined;
  const stored = isPlain || isSummed ? 0 : encoded.max;
  const decoding = decodingBytes(pipeline) + conversion(pipeline, bytes);
  // A run is read straight into its place.
  const isRun = isPlain && pipeline.shape.length === 1;
  if (isAsInMemory(pipeline)) return { encoded: stored, aside: isRun ? 0 : bytes, decoding };
  return { encoded: stored + bytes, aside: 0, decoding };
}

/** Bytes put in order, booleans made sure of: each a copy. */
function conversion({ serial, type }: Pipeline, bytes: number): number {
  const isSwapped = serial.kind === "bytes" && serial.endian === "big" && type.wordBytes > 1;
  const isWidened = type.name === "bool";
  return (isSwapped ? bytes : 0) + (isWidened ? (bytes / type.bytes) * infoOf(type.dtype).bytes : 0);
}

/** All codecs from the last to the first, which writes to a given place. */
function decodingBytes({ bytesCodecs, bounds, encoded }: Pipeline): number {
  let bytes = 0;
  bytesCodecs.forEach((codec, i) => {
    const [plain, coded] = [bounds[i]!.max, (bounds[i + 1] ?? encoded).max];
    const memory = memoryOf(codec);
    bytes += i === 0 ? memory.decodeInto(plain, coded) : memory.decode(plain, coded);
  });
  return bytes;
}

/** Inner chunks one after another, small ones in groups; all of it first where the shard itself is compressed. */
function shardRead(pipeline: Pipeline): Read {
  const { inner, indexBytes } = pipeline.serial as ShardLayout;
  const one = nearRead(inner);
  const group = Math.min(MOST_TOGETHER, pipeline.encoded.max);
  const chunks = {
    encoded: Math.max(one.encoded + one.aside, group),
    aside: 0,
    decoding: one.decoding + wholeBytes(inner) + 3 * indexBytes,
  };
  if (pipeline.bytesCodecs.length === 0) return chunks;
  const all = pipeline.encoded.max + decodingBytes(pipeline) + 2 * pipeline.bounds[0]!.max;
  return { ...chunks, decoding: chunks.decoding + all + blockBytes(pipeline) };
}

/** A chunk decoded as a block of its own. */
const wholeBytes = (pipeline: Pipeline): number =>
  pipeline.bytesCodecs.length === 0 ? 0 : plainBytes(pipeline);

/** An object arrives whole, and is decoded; of shards, some are kept. */
function farRead(pipeline: Pipeline): Read {
  const { serial } = pipeline;
  const inner = serial.kind === "bytes" ? { encoded: 0, decoding: 0 } : shardRead(pipeline);
  const kept = serial.kind === "bytes" ? 0 : keptBytes(pipeline);
  const changed = isAsInMemory(pipeline) ? 0 : blockBytes(pipeline);
  return {
    encoded: pipeline.encoded.max + wholeBytes(pipeline) + inner.encoded + changed,
    aside: 0,
    decoding: decodingBytes(pipeline) + conversion(pipeline, plainBytes(pipeline)) + inner.decoding + kept,
  };
}

/** From a block in memory to the parts that are stored: codecPipeline.ts. */
function encodingBytes(pipeline: Pipeline): number {
  const { serial, bytesCodecs, bounds, encoded } = pipeline;
  let bytes = serial.kind === "bytes" ? serialBytes(pipeline) : shardBytes(pipeline);
  bytesCodecs.forEach((codec, i) => {
    const [plain, coded] = [bounds[i]!.max, (bounds[i + 1] ?? encoded).max];
    bytes += memoryOf(codec).encode(plain, coded) + (codec.working?.(plain) ?? 0);
  });
  return bytes;
}

/** Up to so many bytes a far store may send at once; of more, parts (cloud/partsUpload.ts). */
const SENT_AT_ONCE = 64 * 2 ** 20;

/** An object in one piece, a request's copy of it, and what its digest is made of. */
const sendingBytes = ({ encoded }: Pipeline): number => 3 * Math.min(encoded.max, SENT_AT_ONCE);

/** Elements in their stored order and form, where that is not the one in memory. */
const serialBytes = (pipeline: Pipeline): number =>
  (isIdentity(pipeline.order) ? 0 : blockBytes(pipeline)) + conversion(pipeline, plainBytes(pipeline));

/** All inner chunks, encoded, one behind the other, and one of them on its way. */
function shardBytes({ serial, bytesCodecs }: Pipeline): number {
  const { inner, grid, indexBytes } = serial as ShardLayout;
  const whole = inner.encoded.max * sizeOf(grid) + indexBytes;
  return whole + blockBytes(inner) + encodingBytes(inner) + (bytesCodecs.length === 0 ? 0 : whole);
}

// In which state a Zarr array is. In: the array, and which of its objects a run reads. Out: a text that is another for another
// state of them, or null where the store cannot tell.

/** The file in a target that says which computation fills it. */
export const MARK = ".chunkwise-run";

const METADATA = ["zarr.json", ".zarray", ".zattrs"];
const AT_ONCE = 16;

async function arrayState(array: ZarrArray, reads: UnitsRead): Promise<string | null> {
  const { store, path } = array;
  const objects = await objectsBelow(store, path);
  if (objects !== null) return stateOf(objects, path);
  return store.version === undefined ? null : versionsRead(array, reads);
}

/** An object whose last change is known. */
export type DatedObject = ListedObject & { readonly modified: number };

/** All objects of an array, in one walk; null where the store does not tell when they were changed. */
export async function objectsBelow(store: Store, path: string): Promise<readonly DatedObject[] | null> {
  if (store.listSizes === undefined) return null;
  const objects: DatedObject[] = [];
  for await (const listed of store.listSizes((path === "" ? "/" : path) as StoreKey))
    for (const object of listed) {
      if (object.modified === undefined) return null;
      objects.push(object as DatedObject);
    }
  return objects;
}

/** Name, length and time of every object, but the mark that a run leaves. */
export function stateOf(objects: readonly DatedObject[], path: string): string {
  const mark = keyIn(path, MARK);
  const lines = objects.flatMap(({ key, size, modified }) =>
    key === mark ? [] : `${key} ${size} ${modified}`,
  );
  return lines.sort().join("\n");
}

async function versionsRead(array: ZarrArray, reads: UnitsRead): Promise<string | null> {
  const units = reads(array.metadata.unitShape);
  if (units === null) return null;
  const grid = gridOf(array.shape, array.metadata.unitShape);
  const keys = [
    ...METADATA.map((document) => keyIn(array.path, document)),
    ...[...units].map((unit) => array.shardKey(placeOf(unit, grid))),
  ];
  return versionsOf(array.store, keys);
}

async function versionsOf(store: Store, keys: readonly StoreKey[]): Promise<string | null> {
  const versions = new Map<StoreKey, string>();
  await mapLimited(keys, AT_ONCE, async (key) => {
    const version = await store.version!(key);
    if (version !== null) versions.set(key, version ?? "none");
  });
  return versions.size < keys.length ? null : keys.map((key) => `${key} ${versions.get(key)}`).join("\n");
}

type Traits = Required<Pick<DenseArray, "readsParts" | "isPlainFiles" | "hereOnly">>;

/** What holds of reading it and of writing it. */
export const traitsOf = (array: ZarrArray): Traits => ({
  readsParts: array.shards !== null,
  isPlainFiles: isPlainFiles(array),
  hereOnly: codecsIn(array.pipeline).find(({ isHereOnly }) => isHereOnly === true)?.name ?? null,
});

function labelsOf({ dimensionNames, attributes, zarrFormat, fill }: ZarrArray["metadata"]): Labels {
  // xarray takes the fill value of v2, and not of v3, for what is missing.
  const missing = zarrFormat === 2 && !fill.isNull ? fill.value : null;
  return { dims: dimensionNames, attributes, missing };
}

export function denseArray(array: ZarrArray): DenseArray {
  const { dtype, shape, chunks, storedDType, metadata } = array;
  return {
    dtype,
    shape,
    labels: labelsOf(metadata),
    chunks: chunks.map((length, axis) => Math.max(1, Math.min(length, shape[axis]!))),
    unit: metadata.unitShape,
    readInto: (box, into, options) => array.readSoon(box.start, box.shape, into, options),
    transfer: () => transferOf(array.pipeline, array.store),
    access: () => ({ chunks, hasRuns: isPlainFiles(array) }),
    fingerprint() {
      const how = JSON.stringify([metadata.codecs, metadata.keyEncoding, [...metadata.fill.element]]);
      return `${storedDType}[${shape}](${chunks}) ${how}`;
    },
    state: (reads) => arrayState(array, reads),
    ...traitsOf(array),
  };
}

/** Chunks of a plan are the array's shards, from `offset` on (in elements). */
export function shardWriter(array: ZarrArray, offset: readonly number[]): ChunkWriter {
  const { unitShape } = array.metadata;
  const within = ({ start }: Box): number[] => start.map((x, axis) => x + offset[axis]!);
  return {
    writeBlock(box, block, options) {
      const place = within(box).map((x, axis) => x / unitShape[axis]!);
      return array.setShardSoon(place, block, options);
    },
    readInto: (box, into, options) => array.readSoon(within(box), box.shape, into, options),
  };
}

/** True when chunks are files of elements as they are: the system reads and writes them, with threads of its own. */
function isPlainFiles({ store, pipeline }: ZarrArray): boolean {
  return store.near === "files" && pipeline.serial.kind === "bytes" && pipeline.bytesCodecs.length === 0;
}
