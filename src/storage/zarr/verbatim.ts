// Small chunks that are stored as they lie in memory, read and written at once by stores that can: no promise, no copy of
// theirs. In: whole chunks. Out: true, or false where it is not so simple, and then nothing has happened: the way that
// all chunks go finds out what is wrong, and says it.

import { type Block, blockBytes, isContiguous } from "../../core/block.ts";
import { type Shape, sameShape } from "../../core/shape.ts";
import type { StoreKey } from "../store.ts";
import { isAllFill, isIdentity } from "./blockCopies.ts";
import type { Pipeline } from "./chunkLayout.ts";
import type { RegionArray } from "./region.ts";
import { isVerbatim, memoryOf } from "./storedElements.ts";

/** A page: of more, the waiting is a small part of the time. */
const MOST_BYTES = 4096;

/** An array, as far as its small chunks need it. */
interface SmallChunks extends RegionArray {
  readonly pipeline: Pipeline;
  readonly shardGrid: Shape;
  readonly writesEmptyChunks: boolean;
  shardKey(place: readonly number[]): StoreKey;
}

export class VerbatimChunks {
  readonly #array: SmallChunks;

  private constructor(array: SmallChunks) {
    this.#array = array;
  }

  static of(array: SmallChunks): VerbatimChunks | null {
    const { bytesCodecs, serial, order, type, shape } = array.pipeline;
    const isPlain =
      serial.kind === "bytes" &&
      bytesCodecs.length === 0 &&
      isIdentity(order) &&
      isVerbatim(type, serial.endian);
    return isPlain && blockBytes(type.dtype, shape) <= MOST_BYTES ? new VerbatimChunks(array) : null;
  }

  /** A box that is one chunk. */
  read(start: readonly number[], into: Block): boolean {
    const { store, metadata, dtype, shape } = this.#array;
    if (store.readNow === undefined || into.dtype !== dtype || !this.#isWhole(into)) return false;
    const place: number[] = [];
    for (let axis = 0; axis < start.length; axis++) {
      const unit = metadata.unitShape[axis]!;
      if (start[axis]! % unit !== 0 || start[axis]! + unit > shape[axis]!) return false;
      place.push(start[axis]! / unit);
    }
    return store.readNow(this.#array.shardKey(place), memoryOf(into));
  }

  write(place: readonly number[], block: Block): boolean {
    const { store, metadata, dtype, shardGrid, writesEmptyChunks } = this.#array;
    if (store.writeNow === undefined || block.dtype !== dtype || !this.#isWhole(block)) return false;
    if (!place.every((at, axis) => at < shardGrid[axis]!)) return false;
    if (!writesEmptyChunks && isAllFill(block, metadata.fill)) return false;
    return store.writeNow(this.#array.shardKey(place), memoryOf(block));
  }

  #isWhole(block: Block): boolean {
    return sameShape(block.shape, this.#array.metadata.unitShape) && isContiguous(block);
  }
}
