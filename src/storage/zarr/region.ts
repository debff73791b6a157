// A region of an array that may touch many chunks. Several are read at a time; each goes straight to its place
// in the result. Missing chunks give fill value.

import { type Block, newBlock, subBlock } from "../../core/block.ts";
import { type Box, boxText, intersect, isEmptyBox } from "../../core/box.ts";
import { placeOf } from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import { DTypeError, IndexError, ShapeError } from "../../core/errors.ts";
import { isLength, type Shape, sameShape, shapeText, sizeOf } from "../../core/shape.ts";
import { NotSupportedError } from "../errors.ts";
import type { Store, StoreOptions } from "../store.ts";
import { fillBlock } from "./blockCopies.ts";
import { mapLimited } from "./limited.ts";
import type { ArrayMetadata } from "./metadata.ts";

/** An array, as far as its regions need it. */
export interface RegionArray {
  readonly store: Store;
  readonly path: string;
  readonly shape: Shape;
  readonly dtype: DType;
  readonly metadata: ArrayMetadata;
  getShard(
    place: readonly number[],
    options: StoreOptions & { missing?: "null" | "fill" },
  ): Promise<Block | null>;
  /** A region inside one stored object. False when that is missing; `target` is then as it was. */
  readShardPart(box: Box, target: Block, options: StoreOptions): Promise<boolean>;
}

/** Objects that are read at once: more where each is waited for long, fewer where they take memory on the way only. */
export const mostAtOnce = ({ open }: Pick<Store, "open">): number => (open === undefined ? 8 : 2);

export async function readRegion(
  array: RegionArray,
  box: Box,
  into: Block | null,
  options: StoreOptions,
): Promise<Block> {
  checkRegion(array, box);
  if (into !== null) checkTarget(array, box, into);
  options.signal?.throwIfAborted();
  const single = into === null ? await singleChunk(array, box, options) : null;
  if (single !== null) return single;
  const target = into ?? roomFor(array, box);
  if (isEmptyBox(box)) return target;
  const { unitShape, fill } = array.metadata;
  if (isInOneUnit(box, unitShape)) {
    if (!(await array.readShardPart(box, target, options))) fillBlock(target, fill);
    return target;
  }
  await mapLimited(unitsIn(box, unitShape), mostAtOnce(array.store), async (unit) => {
    options.signal?.throwIfAborted();
    const part = intersect(box, unit);
    const place = subBlock(
      target,
      part.start.map((x, axis) => x - box.start[axis]!),
      part.shape,
    );
    if (!(await array.readShardPart(part, place, options))) fillBlock(place, fill);
  });
  return target;
}

/** Only the engine knows how much memory it can give. */
function roomFor({ dtype, path }: RegionArray, { shape }: Box): Block {
  try {
    return newBlock(dtype, shape);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const what = `a region of shape ${shapeText(shape)} needs more memory than can be had in one piece`;
    throw new NotSupportedError({ what, where: path, cure: "Read a smaller region" }, { cause });
  }
}

/** A region that is one whole chunk needs no copy. */
async function singleChunk(array: RegionArray, box: Box, options: StoreOptions): Promise<Block | null> {
  const { unitShape } = array.metadata;
  const isWhole =
    box.shape.length > 0 &&
    box.start.every((x, axis) => {
      const end = Math.min(x + unitShape[axis]!, array.shape[axis]!);
      return x % unitShape[axis]! === 0 && box.shape[axis] === end - x && box.shape[axis]! > 0;
    });
  if (!isWhole) return null;
  return array.getShard(
    box.start.map((x, axis) => x / unitShape[axis]!),
    { ...options, missing: "fill" },
  );
}

const isInOneUnit = ({ start, shape }: Box, unitShape: Shape): boolean =>
  start.every((x, axis) => {
    const unit = unitShape[axis]!;
    return Math.floor(x / unit) === Math.floor((x + shape[axis]! - 1) / unit);
  });

/** The boxes of all stored objects that the region touches. */
function* unitsIn(box: Box, unitShape: Shape): Iterable<Box> {
  const first = box.start.map((x, axis) => Math.floor(x / unitShape[axis]!));
  const counts = first.map(
    (x, axis) => Math.floor((box.start[axis]! + box.shape[axis]! - 1) / unitShape[axis]!) - x + 1,
  );
  for (let i = 0; i < sizeOf(counts); i++) {
    const start = placeOf(i, counts).map((x, axis) => (x + first[axis]!) * unitShape[axis]!);
    yield { start, shape: unitShape };
  }
}

function checkRegion(array: RegionArray, { start, shape }: Box): void {
  const ndim = array.shape.length;
  const fits =
    start.length === ndim &&
    shape.length === ndim &&
    start.every((x, axis) => isLength(x) && isLength(shape[axis]) && x + shape[axis]! <= array.shape[axis]!);
  if (fits) return;
  throw new IndexError({
    what: `the region ${start.length === shape.length ? boxText({ start, shape }) : `from [${start}] of [${shape}]`} is not inside an array of shape ${shapeText(array.shape)}`,
    where: array.path,
  });
}

function checkTarget(array: RegionArray, box: Box, into: Block): void {
  if (into.dtype !== array.dtype)
    throw new DTypeError({
      what: `a block of ${into.dtype} for an array of ${array.dtype}`,
      where: array.path,
    });
  if (sameShape(into.shape, box.shape)) return;
  throw new ShapeError({
    what: `a block of shape ${shapeText(into.shape)} for a region of shape ${shapeText(box.shape)}`,
    where: array.path,
  });
}

/** A block to be stored: what is inside the array, or all of the chunk. */
export function checkBlock({ dtype, path }: RegionArray, block: Block, clipped: Shape, whole: Shape): void {
  if (block.dtype !== dtype)
    throw new DTypeError({
      what: `a block of ${block.dtype} for an array of ${dtype}`,
      where: path,
      cure: "Cast it first",
    });
  if (sameShape(block.shape, clipped) || sameShape(block.shape, whole)) return;
  throw new ShapeError({
    what: `a block of shape ${shapeText(block.shape)} where ${shapeText(clipped)} belongs`,
    where: path,
  });
}
