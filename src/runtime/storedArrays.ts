// Arrays in stores while a plan runs, of whatever format: sources, box by box, and results, chunk by chunk. In: what a format
// opened or began. Out: the windows that tasks read, and where their chunks go.
// Must hold: what users' code gives is as long as the box it was asked for, or it is an error that names the format.

import { type Block, newBlock, subBlock } from "../core/block.ts";
import {
  type Box,
  type ChunkShape,
  chunkBox,
  describe,
  gridOf,
  intersect,
  isEmptyBox,
  placeOf,
  sizeOf,
  stridesOf,
} from "../core/chunks.ts";
import { type DType, infoOf, isTypedArray, type TypedArray } from "../core/dtype.ts";
import { InvariantError } from "../core/errors.ts";
import type { Transfer } from "../core/transfer.ts";
import type { Borrowed } from "../kernel/blockProgram.ts";
import { copyElements } from "../kernel/routines/stridedWalk.ts";
import type { PlanStorage } from "../plan/writer.ts";
import { builtInCodecs, type KnownCodecs } from "../storage/codecs/table.ts";
import { CorruptDataError, NotSupportedError } from "../storage/errors.ts";
import { FileStore } from "../storage/fileStore.ts";
import type { ChunkWriter, DenseArray, DenseTarget, Place } from "../storage/formats/denseFormat.ts";
import type { StoredSource } from "../storage/formats/table.ts";
import type { Store } from "../storage/store.ts";
import { buildPipeline } from "../storage/zarr/codecPipeline.ts";
import { type CodecArgument, planArray } from "../storage/zarr/create.ts";
import { transferOf } from "../storage/zarr/denseArray.ts";
import type { ArrayMetadata } from "../storage/zarr/metadata.ts";
import { type BlockSource, type BlockTarget, ScratchOptions, type Soon } from "./arrays.ts";
import { chunksIn } from "./planGraph.ts";

// Where a plan's arrays may come to lie, for its stated memory. In: how a spec stores intermediates, and what results go
// to. Out: what planning needs to know of it.

/** How intermediates are stored unless a spec says otherwise. */
export const INTERMEDIATE_CODECS: readonly CodecArgument[] = ["crc32c"];

const NO_RESULTS: readonly null[] = [];
/** Intermediates are read chunk by chunk: HeldArray. */
const READ_AT_ONCE = 1;

/** With results in memory, unless it is said where they go. */
export function planStorage(
  codecs: readonly CodecArgument[] | null,
  known: KnownCodecs,
  results: readonly (Transfer | null)[] = NO_RESULTS,
): PlanStorage {
  const chosen = codecs ?? INTERMEDIATE_CODECS;
  // Plans have many intermediates that are alike.
  const transfers = new Map<string, Transfer>();
  return {
    key: `${JSON.stringify(chosen)} ${JSON.stringify(results)}`,
    intermediate: ({ dtype, chunks }) => {
      const key = `${dtype} ${chunks}`;
      const transfer = transfers.get(key) ?? intermediateTransfer(chosen, known, dtype, chunks);
      if (transfers.size < MOST_KEPT) transfers.set(key, transfer);
      return transfer;
    },
    results,
  };
}

const MOST_KEPT = 1000;

/** Of an array that is not there yet. */
export function transferTo(
  metadata: ArrayMetadata,
  store: Pick<Store, "open">,
  known: KnownCodecs = builtInCodecs,
): Transfer {
  const { codecs, unitShape, type, fill } = metadata;
  return transferOf(buildPipeline(codecs, unitShape, { type, fill, known, where: "/" }), store);
}

const intermediateTransfer = (
  codecs: readonly CodecArgument[],
  known: KnownCodecs,
  dtype: DType,
  chunks: readonly number[],
): Transfer => ({
  ...storedTransfer(codecs, known, dtype, chunks, FileStore.prototype),
  atOnce: READ_AT_ONCE,
});

/** Of an intermediate, where several of its chunks may be read at once. */
export function storedTransfer(
  codecs: readonly CodecArgument[],
  known: KnownCodecs,
  dtype: DType,
  chunks: readonly number[],
  store: Pick<Store, "open">,
): Transfer {
  return transferTo(planArray({ shape: chunks, dtype, chunks, codecs, known }, "/"), store, known);
}

/** A source, of any format. */
export class SourceArray implements BlockSource {
  readonly #array: DenseArray;
  readonly #chunks: ChunkShape;
  readonly #format: string;
  readonly #options = new ScratchOptions();

  constructor({ array, chunks, format }: Pick<StoredSource, "array" | "chunks" | "format">) {
    this.#array = array;
    this.#chunks = chunks;
    this.#format = format;
  }

  window(box: Box, borrowed: Borrowed, into?: Block): Soon<Block> {
    const whole = into ?? borrowed.block(this.#array.dtype, box.shape);
    if (this.#array.readInto === undefined) return this.#byChunks(box, whole);
    const reading = this.#array.readInto(box, whole, this.#options.in(borrowed));
    return reading instanceof Promise ? reading.then(() => whole) : whole;
  }

  /** One after another: what the format makes of a chunk is let go before the next. */
  async #byChunks(box: Box, whole: Block): Promise<Block> {
    if (isEmptyBox(box)) return whole;
    const { shape } = this.#array;
    const grid = gridOf(shape, this.#chunks);
    for (const chunk of chunksIn(box, grid, this.#chunks)) {
      const cell = chunkBox(shape, this.#chunks, placeOf(chunk, grid));
      const part = intersect(box, cell);
      const elements = this.#checked(await this.#array.read!(part), part);
      const start = part.start.map((x, axis) => x - box.start[axis]!);
      copyElements(elements, subBlock(whole, start, part.shape));
    }
    return whole;
  }

  #checked(data: TypedArray, { start, shape }: Box): Block {
    const { dtype } = this.#array;
    const { array: ArrayOf, slots } = infoOf(dtype);
    const wanted = sizeOf(shape) * slots;
    if (data instanceof ArrayOf && data.length === wanted)
      return { dtype, shape, strides: stridesOf(shape), offset: 0, data };
    const found = isTypedArray(data) ? `${data.constructor.name} of ${data.length}` : describe(data);
    throw new CorruptDataError({
      what: `the format ${this.#format} gave ${found} for ${shape.join(" × ")} elements of ${dtype} at ${start.join(", ")}`,
      cure: `Its read must give a ${ArrayOf.name} of ${wanted}, in C order`,
    });
  }
}

/** What a result is written to: where it is, which format writes it, and by what. */
export interface Written {
  readonly format: string;
  readonly isHereOnly: boolean;
  readonly place: Place;
  readonly dtype: DType;
  readonly target: DenseTarget;
}

/** A result, of any format. */
export class TargetArray implements BlockSource, BlockTarget {
  readonly #writer: ChunkWriter;
  readonly #dtype: DType;
  readonly #options = new ScratchOptions();

  constructor(writer: ChunkWriter, dtype: DType) {
    if (writer.write === undefined && writer.writeBlock === undefined)
      throw new NotSupportedError({
        what: `${describe(writer)} writes no chunks`,
        cure: "What a format begins must have write(box, elements)",
      });
    this.#writer = writer;
    this.#dtype = dtype;
  }

  /** Of results that others are computed from. */
  window(box: Box, borrowed: Borrowed, into?: Block): Soon<Block> {
    const whole = into ?? this.block(box, borrowed);
    if (this.#writer.readInto === undefined)
      throw new InvariantError({ what: "a result is read that cannot be read before it is finished" });
    const reading = this.#writer.readInto(box, whole, this.#options.in(borrowed));
    return reading instanceof Promise ? reading.then(() => whole) : whole;
  }

  block(box: Box, borrowed: Borrowed): Block {
    return borrowed.block(this.#dtype, box.shape);
  }

  store(box: Box, block: Block, borrowed: Borrowed): Soon<void> {
    const { writeBlock } = this.#writer;
    return writeBlock === undefined
      ? this.#plainly(box, block)
      : this.#writer.writeBlock!(box, block, this.#options.in(borrowed));
  }

  /** A copy: the block is somebody else's when the task has ended. */
  async #plainly(box: Box, block: Block): Promise<void> {
    const copy = newBlock(block.dtype, box.shape);
    copyElements(block, copy);
    await this.#writer.write!(box, copy.data);
  }
}

/** Where chunks of a target really go. */
export const storeOfTarget = ({ target, place }: Written): Store => target.store ?? place.store;
