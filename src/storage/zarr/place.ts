// A place for a new array or group. In: a store and a path. Out: what would have to go first, or an error when it may not;
// and then it goes. Must hold: looking changes nothing, so that whoever wants a place can make sure of everything else
// before anything is lost. Metadata go first: whenever it ends, there is an array or there is none, never a mixture.

import { isLength, type Shape, shapeText, sizeOf } from "../../core/chunks.ts";
import { IndexError } from "../../core/errors.ts";
import type { BytesCodec, Room, SizeBound } from "../codecs/codec.ts";
import { joined } from "../codecs/compressors.ts";
import { MetadataError, NotSupportedError } from "../errors.ts";
import { foldersOf } from "../memoryStore.ts";
import {
  asked,
  type ByteRange,
  cut,
  type GetOptions,
  keyIn,
  type OpenObject,
  readRange,
  requireList,
  type Store,
  type StoreKey,
  type StoreOptions,
  tooShort,
} from "../store.ts";
import type { ArrayMetadata, KeyEncoding } from "./metadata.ts";
import { addressIn, findNode } from "./nodes.ts";
import type { Endian, Fill, StoredType } from "./storedType.ts";

// Where the bytes of an encoded chunk come from: an object of a store, a part of one (a chunk in a shard), or
// memory. Ranges are read without the rest where the store can; where it can open objects, straight into place.

export interface ByteSource {
  /** For errors. */
  readonly where: string;
  /** True when a range costs less than the whole. */
  readonly hasRanges: boolean;
  all(options: GetOptions): Promise<Uint8Array | undefined>;
  range(range: ByteRange, options: StoreOptions): Promise<Uint8Array | undefined>;
  /** Where bytes can be read into given memory. Undefined when there is no object. */
  open?(options: StoreOptions): Promise<OpenObject | undefined>;
}

export function storeSource(store: Store, key: StoreKey): ByteSource {
  const source: ByteSource = {
    where: key,
    hasRanges: store.getRange !== undefined,
    all: (options) => asked(key, options, () => store.get(key, options)),
    range: (range, options) => readRange(store, key, range, options),
  };
  if (store.open !== undefined)
    source.open = (options) => asked(key, options, () => store.open!(key, options));
  return source;
}

export function memorySource(bytes: Uint8Array, where: string): ByteSource {
  return {
    where,
    hasRanges: true,
    all: async () => bytes,
    async range(range) {
      const part = cut(bytes, range);
      const asked = "suffixLength" in range ? range.suffixLength : range.length;
      if (part.length < asked) throw tooShort(where, asked, part.length);
      return part;
    },
  };
}

/** An object that is open already, and that its opener will close. */
export function openSource(object: OpenObject, where: string): ByteSource {
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    if (offset < 0 || offset + length > object.size)
      throw tooShort(where, offset < 0 ? length : offset + length, object.size);
    const bytes = new Uint8Array(length);
    await object.readInto(offset, bytes);
    return bytes;
  };
  const borrowed: OpenObject = {
    size: object.size,
    readInto: (offset, target) => object.readInto(offset, target),
    close: () => {},
  };
  return {
    where,
    hasRanges: true,
    all: () => read(0, object.size),
    range: (range) =>
      "suffixLength" in range
        ? read(object.size - range.suffixLength, range.suffixLength)
        : read(range.offset, range.length),
    open: async () => borrowed,
  };
}

/** `length` bytes of another source, as a source of their own. */
export function partSource(whole: ByteSource, offset: number, length: number, where: string): ByteSource {
  const source: ByteSource = {
    where,
    hasRanges: whole.hasRanges,
    // A limit on the length is for this part, not for the whole.
    all: ({ signal }) => whole.range({ offset, length }, { signal }),
    range(range, options) {
      const size = "suffixLength" in range ? range.suffixLength : range.length;
      const start = "suffixLength" in range ? length - size : range.offset;
      if (start < 0 || start + size > length) throw tooShort(where, start < 0 ? size : start + size, length);
      return whole.range({ offset: offset + start, length: size }, options);
    },
  };
  if (whole.open !== undefined)
    source.open = async (options) => {
      const object = await whole.open!(options);
      return object && partOf(object, offset, length, where);
    };
  return source;
}

function partOf(object: OpenObject, offset: number, length: number, where: string): OpenObject {
  if (offset + length > object.size) {
    object.close();
    throw tooShort(where, offset + length, object.size);
  }
  return {
    size: length,
    readInto: (start, target) => {
      if (start + target.length > length) throw tooShort(where, start + target.length, length);
      return object.readInto(offset + start, target);
    },
    close: () => object.close(),
  };
}

// Places in the grid ⇄ keys, and which places there are.

export function chunkKey({ name, separator }: KeyEncoding, place: readonly number[]): string {
  const digits = place.join(separator);
  if (name === "v2") return place.length === 0 ? "0" : digits;
  return place.length === 0 ? "c" : `c${separator}${digits}`;
}

/** The place a key stands for; null when it is not the key of a chunk in the grid. */
export function placeFromKey(encoding: KeyEncoding, key: string, grid: Shape): number[] | null {
  const { name, separator } = encoding;
  const parts = key.split(separator);
  if (name === "default" && parts.shift() !== "c") return null;
  const digits = name === "v2" && grid.length === 0 ? [] : parts;
  const place = digits.map((part) => (/^(0|[1-9]\d{0,15})$/.test(part) ? Number(part) : -1));
  const fits = place.length === grid.length && place.every((x, axis) => x >= 0 && x < grid[axis]!);
  // Written back it must give the same key, so that no two keys stand for one place.
  return fits && chunkKey(encoding, place) === key ? place : null;
}

export async function* listPlaces(
  store: Store,
  path: string,
  { keyEncoding }: ArrayMetadata,
  grid: Shape,
  options: StoreOptions,
): AsyncIterable<number[]> {
  const prefix = (path === "" ? "/" : path) as StoreKey;
  for await (const key of requireList(store)(prefix, options)) {
    options.signal?.throwIfAborted();
    const place = placeFromKey(keyEncoding, key.slice(path.length + 1), grid);
    if (place !== null) yield place;
  }
}

export function checkPlace(place: readonly number[], grid: Shape): void {
  const fits = place.length === grid.length && place.every((x, axis) => isLength(x) && x < grid[axis]!);
  if (fits) return;
  throw new IndexError({
    what: `there is no chunk [${place.join(", ")}] in a grid of ${shapeText(grid)}`,
    cure: "Give one whole number per axis, inside the grid",
  });
}

// How the chunks of an array lie in stored objects: permuted axes, elements as bytes or as a shard of chunks, codecs of
// bytes. Made of metadata by codecPipeline.ts; read and written by that and shard.ts. The sizes at every
// stage are known before anything is decoded.

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

/** All of it, or, where there is no node, the names of what would be taken for chunks. */
export type InTheWay =
  | { readonly kind: "node" }
  | { readonly kind: "chunks"; readonly keys: readonly StoreKey[] };

const METADATA: readonly string[] = ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"];

/** Null when the place is free. `encoding`: of a new array's chunks. */
export async function lookAtPlace(
  store: Store,
  path: string,
  encoding: KeyEncoding | null,
  overwrite: boolean,
  options: StoreOptions,
): Promise<InTheWay | null> {
  await checkParents(store, path, options);
  const found = await findNode(store, path, options).catch((cause: unknown) => {
    if (cause instanceof MetadataError) return "damaged" as const;
    throw cause;
  });
  const chunks = found === null && encoding !== null ? await strayChunks(store, path, encoding, options) : [];
  if (found === null && chunks.length === 0) return null;
  if (overwrite) return found === null ? { kind: "chunks", keys: chunks } : { kind: "node" };
  const what = found === null ? "chunks without metadata" : typeof found === "string" ? found : found.kind;
  throw new MetadataError({
    what: `there is something already (${what})`,
    where: addressIn(store, path),
    cure: "Use another path, or overwrite: true",
  });
}

/** Groups may be made above it. */
async function checkParents(store: Store, path: string, options: StoreOptions): Promise<void> {
  const parts = path.split("/").slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth++) {
    const parent = parts.slice(0, depth).join("/");
    if ((await findNode(store, parent, options))?.kind !== "array") continue;
    const what = `${parent || "/"} is an array`;
    throw new MetadataError({ what, where: path, cure: "Only groups have members" });
  }
}

/** Where the first names of chunks are, and what chunks look like from there. */
function chunkNames({ name, separator }: KeyEncoding): { folder: string; chunk: RegExp } {
  const places = separator === "/" ? "\\d+(/\\d+)*" : "\\d+(\\.\\d+)*";
  if (name === "v2") return { folder: "", chunk: new RegExp(`^${places}$`) };
  return separator === "/"
    ? { folder: "/c", chunk: new RegExp(`^${places}$`) }
    : { folder: "", chunk: new RegExp(`^c\\.${places}$`) };
}

/** Keys of chunks of an array that is not there any more, or of folders with nothing but such chunks. */
async function strayChunks(
  store: Store,
  path: string,
  encoding: KeyEncoding,
  options: StoreOptions,
): Promise<StoreKey[]> {
  if (store.list === undefined) return [];
  const { folder, chunk } = chunkNames(encoding);
  const { keys, folders } = await namesIn(store, `${path}${folder}`, options);
  const found = keys.filter((name) => chunk.test(name));
  for (const name of folders)
    if (
      encoding.separator === "/" &&
      chunk.test(name) &&
      (await hasOnly(store, `${path}${folder}`, name, chunk))
    )
      found.push(name);
  const stray = found.map((name) => keyIn(`${path}${folder}`, name));
  // The chunk of an array without axes.
  const single = keyIn(path, "c");
  if (encoding.name === "default" && (await isThere(store, single, options))) stray.push(single);
  return stray;
}

const isThere = async (store: Store, key: StoreKey, options: StoreOptions): Promise<boolean> =>
  store.has === undefined ? (await store.get(key, options)) !== undefined : store.has(key, options);

async function hasOnly(store: Store, path: string, name: string, chunk: RegExp): Promise<boolean> {
  let count = 0;
  for await (const key of store.list!(keyIn(path, name))) {
    if (!chunk.test(key.slice(path.length + 1))) return false;
    count++;
  }
  return count > 0;
}

async function namesIn(
  store: Store,
  path: string,
  options: StoreOptions,
): Promise<{ keys: string[]; folders: string[] }> {
  const prefix = (path === "" ? "/" : path) as StoreKey;
  if (store.listDir !== undefined) return store.listDir(prefix, options);
  const keys: StoreKey[] = [];
  for await (const key of store.list!(prefix, options)) keys.push(key);
  return foldersOf(keys, prefix);
}

export async function clearPlace(
  store: Store,
  path: string,
  inTheWay: InTheWay,
  options: StoreOptions,
): Promise<void> {
  if (store.delete === undefined || store.list === undefined)
    throw new MetadataError({
      what: "the store cannot list and delete, so nothing can be overwritten",
      where: path,
    });
  if (inTheWay.kind === "chunks") {
    for (const key of inTheWay.keys) await deleteTree(store, key, options);
    return;
  }
  for (const name of METADATA) await store.delete(keyIn(path, name), options);
  await deleteTree(store, (path === "" ? "/" : path) as StoreKey, options);
}

/** An object, and all that lies below it. */
async function deleteTree(store: Store, at: StoreKey, options: StoreOptions): Promise<void> {
  if (at !== "/") await store.delete!(at, options);
  if (store.deleteBelow !== undefined) return void (await store.deleteBelow(at, options));
  const keys: StoreKey[] = [];
  for await (const key of store.list!(at, options)) keys.push(key);
  for (const key of keys) await store.delete!(key, options);
}
