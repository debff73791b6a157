// Elements of an npy file, box by box. In: a header and a box. Out: the box's elements in their place, read in as few ranges as
// keep the gaps between them small. Must hold: no more than a piece is in memory at once, whatever the box.

import { type Block, isContiguous, subBlock } from "../../core/block.ts";
import { type Box, isEmptyBox, type Shape, sizeOf, stridesOf } from "../../core/chunks.ts";

import { NotFoundError } from "../errors.ts";
import { asked, type OpenObject, readRange, type Store, type StoreKey, type StoreOptions } from "../store.ts";
import { blockFromBytes, copyBlock, isVerbatim, memoryOf } from "../zarr/blockCopies.ts";

import { cutShort, type NpyHeader } from "./header.ts";

/** Bytes that are read at once. */
export const PIECE = 4 << 20;
/** Bytes between those that are wanted which are read along with them: a call of the system's costs less than a request. */
const NEAR_GAP = 4 << 10;
const FAR_GAP = 64 << 10;

/** How far apart neighbours along each axis lie in the file, in elements. */
export const fileStrides = ({ shape, isFortran }: Pick<NpyHeader, "shape" | "isFortran">): Shape =>
  isFortran ? [...stridesOf([...shape].reverse())].reverse() : stridesOf(shape);

/** Bytes of an object at an offset. */
type ReadBytes = (offset: number, length: number) => Promise<Uint8Array>;

export class NpyElements {
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
