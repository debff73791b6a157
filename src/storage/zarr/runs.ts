// Parts of an uncompressed chunk, read by range. The part is cut into runs of bytes that are adjacent in the
// object; runs that are close to each other are read together, because a request costs more than some bytes.

import { type Block, isContiguous, subBlock } from "../../core/block.ts";
import { type Shape, sizeOf, stridesOf } from "../../core/shape.ts";
import type { StoreOptions } from "../store.ts";
import { copyBlock } from "./blocks.ts";
import type { ByteSource } from "./byteSource.ts";
import { blockFromBytes, isVerbatim, memoryOf } from "./elements.ts";
import { mapLimited } from "./limited.ts";
import type { Endian, StoredType } from "./storedType.ts";

/** Bytes that cost about as much to read as to ask for separately. */
export const GAP: number = 64 * 1024;
const MOST_REQUESTS = 8;

/** A slab with more bytes than this that are not all wanted is read in pieces. */
const PIECE = 1024 * 1024;

interface Stored {
  readonly source: ByteSource;
  /** Of the chunk. */
  readonly shape: Shape;
  readonly type: StoredType;
  readonly endian: Endian;
}

export async function readRuns(
  source: ByteSource,
  shape: Shape,
  type: StoredType,
  endian: Endian,
  start: readonly number[],
  target: Block,
  options: StoreOptions,
): Promise<boolean> {
  if (sizeOf(target.shape) === 0) return true;
  const stored: Stored = { source, shape, type, endian };
  const axis = splitAxis(shape, target.shape, type.bytes);
  const rows = rowsTogether(shape, target.shape, axis, type.bytes);
  // What reads into given memory is near: one read at a time, into the same memory, is fastest.
  const scratch: Scratch = { bytes: null };
  const limit = source.readInto === undefined ? MOST_REQUESTS : 1;
  let isThere = true;
  await mapLimited(slabsOf(target.shape, axis, rows), limit, async (place) => {
    if (!isThere) return;
    const slab = slabAt(place, axis, rows, start, target);
    if (!(await readSlab(stored, slab.start, slab.target, scratch, options))) isThere = false;
  });
  return isThere;
}

interface Scratch {
  bytes: Uint8Array | null;
}

/** How many places on `axis` go into one slab: all, unless much would be read that is not wanted. */
function rowsTogether(shape: Shape, part: Shape, axis: number, elementBytes: number): number {
  if (axis === shape.length) return 1;
  const strides = stridesOf(shape);
  const span = spanOf(part.slice(axis), strides.slice(axis));
  const wanted = sizeOf(part.slice(axis));
  if (span === wanted || span * elementBytes <= PIECE) return part[axis]!;
  return Math.max(1, Math.floor(PIECE / (strides[axis]! * elementBytes)));
}

/**
 * The part is read as slabs: one place on each axis before `axis`, all of the part on the axes from there on.
 * A slab is one request: from its first byte to its last. The larger it can be without reading much that is
 * not wanted, the better.
 */
function splitAxis(shape: Shape, part: Shape, elementBytes: number): number {
  const strides = stridesOf(shape);
  let axis = shape.length;
  while (axis > 0) {
    const inner = part.slice(axis);
    const span = spanOf(inner, strides.slice(axis));
    const gap = (strides[axis - 1]! - span) * elementBytes;
    if (part[axis - 1]! > 1 && gap > GAP && gap > span * elementBytes) break;
    axis--;
  }
  return axis;
}

/** Elements from the first to the last of a part, both included. */
const spanOf = (part: Shape, strides: readonly number[]): number =>
  part.reduce((span, length, axis) => span + (length - 1) * strides[axis]!, 1);

/** Where slabs begin: every place on the axes before `axis`, every `rows`-th on it. */
function* slabsOf(part: Shape, axis: number, rows: number): Iterable<number[]> {
  const outer = part.slice(0, axis + 1);
  const place = outer.map(() => 0);
  const step = outer.map((_, i) => (i === axis ? rows : 1));
  for (;;) {
    yield [...place];
    let at = outer.length - 1;
    while (at >= 0) {
      place[at]! += step[at]!;
      if (place[at]! < outer[at]!) break;
      place[at--] = 0;
    }
    if (at < 0) return;
  }
}

function slabAt(
  place: readonly number[],
  axis: number,
  rows: number,
  start: readonly number[],
  target: Block,
): { start: number[]; target: Block } {
  const from = target.shape.map((_, i) => place[i] ?? 0);
  const lengthAt = (length: number, i: number): number =>
    i < axis ? 1 : i === axis ? Math.min(rows, length - from[i]!) : length;
  return {
    start: start.map((x, i) => x + from[i]!),
    target: subBlock(target, from, target.shape.map(lengthAt)),
  };
}

async function readSlab(
  { source, shape, type, endian }: Stored,
  start: readonly number[],
  target: Block,
  scratch: Scratch,
  options: StoreOptions,
): Promise<boolean> {
  const strides = stridesOf(shape);
  const span = spanOf(target.shape, strides);
  const offset = start.reduce((at, x, axis) => at + x * strides[axis]!, 0) * type.bytes;
  const isRun = span === sizeOf(target.shape);
  if (isRun && source.readInto !== undefined && isVerbatim(type, endian) && isContiguous(target))
    return source.readInto(offset, memoryOf(target), options);
  const bytes = await readBytes(source, offset, span * type.bytes, scratch, options);
  if (bytes === undefined) return false;
  const block = blockFromBytes(bytes, [span], type, endian);
  copyBlock({ ...block, shape: target.shape, strides }, target);
  return true;
}

async function readBytes(
  source: ByteSource,
  offset: number,
  length: number,
  scratch: Scratch,
  options: StoreOptions,
): Promise<Uint8Array | undefined> {
  if (source.readInto === undefined) return source.range({ offset, length }, options);
  if (scratch.bytes === null || scratch.bytes.length < length) scratch.bytes = new Uint8Array(length);
  const target = scratch.bytes.subarray(0, length);
  return (await source.readInto(offset, target, options)) ? target : undefined;
}
