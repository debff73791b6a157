// npy, NumPy's files, as a format: one array in one object, whose elements follow a short header. In: a place. Out: an array that
// is read by ranges of bytes, or one that is written in any order and appears when it is whole.
// Must hold: a header of anybody's is checked before memory is taken for what it says.

import { AUTO_CHUNK_BYTES, type ChunkShape, describe, sizeOf, stridesOf } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import { closest } from "../../core/suggest.ts";
import type { Transfer } from "../../core/transfer.ts";
import { MetadataError, NotFoundError } from "../errors.ts";
import {
  type ChunkWriter,
  type DenseArray,
  type DenseFormat,
  type NewArray,
  objectKey,
  type Place,
  type PreparedPlace,
} from "../formats/denseFormat.ts";
import { rowChunks } from "../formats/table.ts";

import { stage } from "../staging.ts";
import { asked, type PlainData, readRange, type Store, type StoreKey } from "../store.ts";
import { bytesFromBlock, isVerbatim } from "../zarr/blockCopies.ts";

import { storedType, typeToV2 } from "../zarr/storedType.ts";
import {
  cutShort,
  headerBytes,
  headerEnd,
  isNpy,
  type NpyHeader,
  PREFIX_BYTES,
  parseHeader,
} from "./header.ts";
import { NpyElements, PIECE } from "./read.ts";

export const npyFormat: DenseFormat = {
  kind: "dense",
  name: "npy",
  suffixes: [".npy"],
  recognises: async (look) => isNpy((await look.first(PREFIX_BYTES)) ?? new Uint8Array()),
  async open(place, options) {
    checkOptions(options, []);
    const key = objectKey(place, "x.npy");
    const header = await readHeader(place.store, key);
    return arrayOf(header, place.store, key);
  },
  unitOf: (array) => ({ unit: unitOf(array), transfer: writing(array) }),
  prepare: (place, array, options) => newFile(place, array, options),
  writerAt: ({ store }, sent) => writerOf(store, sent as unknown as SentTarget),
};

function checkOptions(options: object, known: readonly string[]): void {
  const other = Object.keys(options).find((name) => !known.includes(name) && name !== "signal");
  if (other === undefined) return;
  const cure = known.length === 0 ? "It takes none" : closest(other, known);
  throw new ValueError({ what: `npy has no option ${describe(other)}`, cure });
}

/** The header is read first, and the last byte: a file that was cut short is an error before anything is planned. */
async function readHeader(store: Store, key: StoreKey): Promise<NpyHeader> {
  const prefix = await firstBytes(store, key, PREFIX_BYTES);
  const end = headerEnd(prefix, key);
  const bytes = await firstBytes(store, key, end);
  if (bytes.length < end) throw cutShort(key, end, bytes.length);
  const header = parseHeader(bytes, key);
  const length = sizeOf(header.shape) * header.type.bytes;
  if (length > 0) await readRange(store, key, { offset: end + length - 1, length: 1 }, {});
  return header;
}

async function firstBytes(store: Store, key: StoreKey, length: number): Promise<Uint8Array> {
  const range = { offset: 0, length };
  const bytes = await asked(key, {}, () => store.getRange?.(key, range) ?? store.get(key));
  if (bytes !== undefined) return bytes.subarray(0, length);
  throw new NotFoundError({ what: "there is no such file", where: key, cure: "Check the path" });
}

function arrayOf(header: NpyHeader, store: Store, key: StoreKey): DenseArray {
  const { type, endian, shape, isFortran, offset } = header;
  const { dtype } = type;
  const elements = new NpyElements(header, store, key);
  const chunks = chunksOf(header);
  const isPlain = isVerbatim(type, endian) && !isFortran;
  return {
    dtype,
    shape,
    chunks,
    readInto: (box, into, options) => elements.read(box, into, options),
    transfer: () => reading(chunks),
    fingerprint: () => `${typeToV2(type, endian)}[${shape}](${chunks}) ${isFortran ? "F" : "C"} ${offset}`,
    async state() {
      const version = await store.version?.(key);
      return version === undefined || version === null ? null : `${key} ${version}`;
    },
    isPlainFiles: store.near === "files" && isPlain,
  };
}

/** Along the slowest axis, so that a chunk lies in one piece. */
function chunksOf({ shape, isFortran, type }: NpyHeader): ChunkShape {
  const { bytes } = infoOf(type.dtype);
  return isFortran ? [...rowChunks([...shape].reverse(), bytes)].reverse() : rowChunks(shape, bytes);
}

/** A piece as it is stored, turned into elements, and widened. */
const reading = (unit: ChunkShape): Transfer => ({
  ...{ unit, atOnce: 1, encoded: 4 * PIECE, aside: 0 },
  ...{ decoding: 0, encoding: 0, padded: 0 },
});

const LEAST_UNIT = 1 << 20;

/** Whole rows, about as many bytes as a chunk of the lazy array has. */
function unitOf({ dtype, shape, chunks }: NewArray): ChunkShape {
  const { bytes } = infoOf(dtype);
  const most = Math.min(AUTO_CHUNK_BYTES, Math.max(LEAST_UNIT, sizeOf(chunks) * bytes));
  const unit = rowChunks(shape, bytes, most);
  const [rows = 1] = unit;
  const cut = chunks[0] ?? 1;
  // Chunks are not cut where that can be.
  return rows < shape[0]! && rows >= cut ? [rows - (rows % cut), ...unit.slice(1)] : unit;
}

/** Booleans and the like are written as they are; what lies otherwise is copied first. */
function writing(array: NewArray): Transfer {
  const unit = unitOf(array);
  const bytes = sizeOf(unit) * infoOf(array.dtype).bytes;
  return { unit, atOnce: 1, encoded: 0, aside: 0, decoding: 0, encoding: bytes, padded: 0 };
}

/** What a writer needs to know. */
interface SentTarget {
  /** Of what was reserved. */
  readonly key: StoreKey;
  /** Where elements begin. */
  readonly offset: number;
  readonly shape: readonly number[];
}

function writerOf(store: Store, { key, offset, shape }: SentTarget): ChunkWriter {
  const strides = stridesOf(shape);
  return {
    async writeBlock({ start }, block) {
      const type = storedType(block.dtype);
      const elements = start.reduce((sum, x, axis) => sum + x * strides[axis]!, 0);
      const bytes = bytesFromBlock(block, type, "little");
      if (bytes.length > 0) await store.setRange!(key, offset + elements * type.bytes, bytes);
    },
  };
}

function newFile(place: Place, array: NewArray, options: object): PreparedPlace {
  checkOptions(options, ["overwrite"]);
  const key = objectKey(place, "x.npy");
  const { store } = place;
  const { dtype, shape } = array;
  const header = headerBytes(storedType(dtype), shape);
  return {
    unit: unitOf(array),
    transfer: writing(array),
    async claim() {
      const isThere = (await firstBytes(store, key, 1).catch(absent)) !== null;
      if (!isThere || (options as { overwrite?: boolean }).overwrite === true) return isThere;
      throw new MetadataError({
        what: "there is something already",
        where: key,
        cure: "Use another path, or overwrite: true",
      });
    },
    async begin() {
      const length = header.length + sizeOf(shape) * infoOf(dtype).bytes;
      const staged = await stage(store, key, length);
      await staged.store.setRange!(staged.key, 0, header);
      const sent = { key: staged.key, offset: header.length, shape };
      return {
        ...writerOf(staged.store, sent),
        ...{ sent: sent as unknown as PlainData, store: staged.store },
        isPlainFiles: store.near === "files",
        finish: async () => void (await staged.publish()),
        abandon: () => staged.abandon(),
      };
    },
  };
}

function absent(error: unknown): null {
  if (error instanceof NotFoundError) return null;
  throw error;
}
