// npy, NumPy's files, as a format: one array in one object, whose elements follow a short header. In: a place. Out: an array that
// is read by ranges of bytes, or one that is written in any order and appears when it is whole.
// Must hold: a header of anybody's is checked before memory is taken for what it says.

import { type Block, isContiguous, subBlock } from "../../core/block.ts";
import {
  AUTO_CHUNK_BYTES,
  type Box,
  type ChunkShape,
  describe,
  isEmptyBox,
  type Shape,
  sizeOf,
  stridesOf,
} from "../../core/chunks.ts";
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
import {
  asked,
  type OpenObject,
  type PlainData,
  readRange,
  type Store,
  type StoreKey,
  type StoreOptions,
} from "../store.ts";
import { blockFromBytes, bytesFromBlock, copyBlock, isVerbatim, memoryOf } from "../zarr/blockCopies.ts";
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

// Elements of an npy file, box by box. In: a header and a box. Out: the box's elements in their place, read in as few ranges as
// keep the gaps between them small. Must hold: no more than a piece is in memory at once, whatever the box.

/** Bytes that are read at once. */
const PIECE = 4 << 20;
/** Bytes between those that are wanted which are read along with them: a call of the system's costs less than a request. */
const NEAR_GAP = 4 << 10;
const FAR_GAP = 64 << 10;

/** How far apart neighbours along each axis lie in the file, in elements. */
const fileStrides = ({ shape, isFortran }: Pick<NpyHeader, "shape" | "isFortran">): Shape =>
  isFortran ? [...stridesOf([...shape].reverse())].reverse() : stridesOf(shape);

/** Bytes of an object at an offset. */
type ReadBytes = (offset: number, length: number) => Promise<Uint8Array>;

class NpyElements {
  readonly #header: NpyHeader;
  readonly #strides: Shape;
  /** Axes from the slowest to the fastest. */
  readonly #order: readonly number[];
  readonly #store: Store;
  readonly #key: StoreKey;
  readonly #smallGap: number;

  constructor(header: NpyHeader, store: Store, key: StoreKey) {
    this.#header = header;
    this.#store = store;
    this.#key = key;
    this.#smallGap = store.open === undefined ? FAR_GAP : NEAR_GAP;
    this.#strides = fileStrides(header);
    const axes = header.shape.map((_, axis) => axis);
    this.#order = header.isFortran ? axes.reverse() : axes;
  }

  async read(box: Box, into: Block, options: StoreOptions): Promise<Block> {
    if (isEmptyBox(box)) return into;
    const { open } = this.#store;
    if (open === undefined) {
      await this.#part(box, into, async (offset, length) => this.#range(offset, length, options));
      return into;
    }
    const object = await asked(this.#key, options, () => this.#store.open!(this.#key, options));
    if (object === undefined) throw missing(this.#key);
    try {
      await this.#fromOpen(object, box, into);
      return into;
    } finally {
      object.close();
    }
  }

  /** Straight into place, where elements lie in the file as they do in memory. */
  async #fromOpen(object: OpenObject, box: Box, into: Block): Promise<void> {
    const { type, endian, isFortran, shape } = this.#header;
    const read: ReadBytes = async (offset, length) => {
      if (offset + length > object.size) throw cutShort(this.#key, offset + length, object.size);
      const bytes = new Uint8Array(length);
      await object.readInto(offset, bytes);
      return bytes;
    };
    const isInOrder = !isFortran || shape.length < 2;
    const isAsItIs =
      isVerbatim(type, endian) &&
      isInOrder &&
      isContiguous(into) &&
      this.#spanOf(box.shape) === sizeOf(box.shape);
    if (!isAsItIs) return this.#part(box, into, read);
    const [offset, target] = [this.#offsetOf(box), memoryOf(into)];
    if (offset + target.length > object.size) throw cutShort(this.#key, offset + target.length, object.size);
    await object.readInto(offset, target);
  }

  async #range(offset: number, length: number, options: StoreOptions): Promise<Uint8Array> {
    const bytes = await readRange(this.#store, this.#key, { offset, length }, options);
    if (bytes === undefined) throw missing(this.#key);
    return bytes;
  }

  #offsetOf({ start }: Box): number {
    const elements = start.reduce((sum, x, axis) => sum + x * this.#strides[axis]!, 0);
    return this.#header.offset + elements * this.#header.type.bytes;
  }

  /** Elements from the first to the last of a box, those between them too. */
  #spanOf(shape: Shape): number {
    return shape.reduce((sum, length, axis) => sum + (length - 1) * this.#strides[axis]!, 1);
  }

  /** In one range where that is no longer than a piece and has little between; else in parts along the slowest axis. */
  async #part(box: Box, into: Block, read: ReadBytes): Promise<void> {
    const { type } = this.#header;
    const span = this.#spanOf(box.shape);
    const axis = this.#order.find((a) => box.shape[a]! > 1);
    const isClose = this.#isClose(box.shape);
    if (axis === undefined || (span * type.bytes <= PIECE && isClose))
      return this.#oneRange(box, into, span, read);
    const one = this.#spanOf(box.shape.map((length, a) => (a === axis ? 1 : length)));
    const fits = Math.floor((PIECE / type.bytes - one) / this.#strides[axis]!) + 1;
    const step = isClose ? Math.max(1, fits) : 1;
    for (let at = 0; at < box.shape[axis]!; at += step) {
      const count = Math.min(step, box.shape[axis]! - at);
      const start = box.start.map((x, a) => (a === axis ? x + at : x));
      const shape = box.shape.map((length, a) => (a === axis ? count : length));
      const within = box.shape.map((_, a) => (a === axis ? at : 0));
      await this.#part({ start, shape }, subBlock(into, within, shape), read);
    }
  }

  /** What lies between neighbours, along every axis, may be read along with them. */
  #isClose(shape: Shape): boolean {
    const slowest = [...shape];
    return this.#order.every((axis) => {
      const length = slowest[axis]!;
      slowest[axis] = 1;
      const gap = this.#strides[axis]! - this.#spanOf(slowest);
      return length === 1 || gap * this.#header.type.bytes <= this.#smallGap;
    });
  }

  async #oneRange(box: Box, into: Block, span: number, read: ReadBytes): Promise<void> {
    const { type, endian } = this.#header;
    const bytes = await read(this.#offsetOf(box), span * type.bytes);
    const all = blockFromBytes(bytes, [span], type, endian);
    copyBlock({ ...all, shape: box.shape, strides: this.#strides }, into);
  }
}

const missing = (where: string): NotFoundError =>
  new NotFoundError({ what: "there is no such file", where, cure: "Check the path" });

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
