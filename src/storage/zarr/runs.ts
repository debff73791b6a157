// Parts of an uncompressed chunk, read by range. The part is cut into runs of bytes that are adjacent in the
// object; runs that are close to each other are read together, because a request costs more than some bytes.

import { type Block, isContiguous, subBlock } from "../../core/block.ts";
import { type Shape, sizeOf, stridesOf } from "../../core/shape.ts";
import { giveScratch, takeScratch } from "../codecs/scratch.ts";
import type { OpenObject, StoreOptions } from "../store.ts";
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

/** How a chunk is stored. */
export interface PlainChunk {
  /** With the axes in the order in which they are stored. */
  readonly shape: Shape;
  readonly type: StoredType;
  readonly endian: Endian;
}

/** A part of a chunk, by requests. False when the object is missing. */
export async function readRuns(
  source: ByteSource,
  chunk: PlainChunk,
  start: readonly number[],
  target: Block,
  options: StoreOptions,
): Promise<boolean> {
  let isThere = true;
  await mapLimited(slabsIn(chunk, start, target), MOST_REQUESTS, async (slab) => {
    if (!isThere) return;
    const bytes = await source.range({ offset: slab.offset, length: slab.bytes }, options);
    if (bytes === undefined) isThere = false;
    else spread(chunk, slab, bytes);
  });
  return isThere;
}

/** A part of a chunk, out of an open object: one read after another, into its place or into the same memory. */
export async function readOpenRuns(
  object: OpenObject,
  chunk: PlainChunk,
  start: readonly number[],
  target: Block,
): Promise<void> {
  const isDirect = isVerbatim(chunk.type, chunk.endian);
  let scratch: Uint8Array | null = null;
  try {
    for (const slab of slabsIn(chunk, start, target)) {
      if (isDirect && slab.isRun && isContiguous(slab.target)) {
        const waiting = object.readInto(slab.offset, memoryOf(slab.target));
        if (waiting !== undefined) await waiting;
        continue;
      }
      if (scratch !== null && scratch.length < slab.bytes) giveScratch(scratch);
      scratch = scratch !== null && scratch.length >= slab.bytes ? scratch : takeScratch(slab.bytes);
      const bytes = scratch.subarray(0, slab.bytes);
      const waiting = object.readInto(slab.offset, bytes);
      if (waiting !== undefined) await waiting;
      spread(chunk, slab, bytes);
    }
  } finally {
    if (scratch !== null) giveScratch(scratch);
  }
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

/** What is read at once, and where it goes. */
interface Slab {
  readonly target: Block;
  /** In the object, in bytes. */
  readonly offset: number;
  readonly bytes: number;
  /** All of the bytes are wanted. */
  readonly isRun: boolean;
}

function* slabsIn(chunk: PlainChunk, start: readonly number[], target: Block): Iterable<Slab> {
  if (sizeOf(target.shape) === 0) return;
  const { shape, type } = chunk;
  const axis = splitAxis(shape, target.shape, type.bytes);
  const rows = rowsTogether(shape, target.shape, axis, type.bytes);
  for (const place of slabsOf(target.shape, axis, rows))
    yield slabAt(chunk, place, axis, rows, start, target);
}

function slabAt(
  { shape, type }: PlainChunk,
  place: readonly number[],
  axis: number,
  rows: number,
  start: readonly number[],
  whole: Block,
): Slab {
  const from = whole.shape.map((_, i) => place[i] ?? 0);
  const lengthAt = (length: number, i: number): number =>
    i < axis ? 1 : i === axis ? Math.min(rows, length - from[i]!) : length;
  const target = subBlock(whole, from, whole.shape.map(lengthAt));
  const strides = stridesOf(shape);
  const span = spanOf(target.shape, strides);
  const offset = start.reduce((at, x, i) => at + (x + from[i]!) * strides[i]!, 0) * type.bytes;
  return { target, offset, bytes: span * type.bytes, isRun: span === sizeOf(target.shape) };
}

/** From the bytes of a slab to its place. */
function spread({ shape, type, endian }: PlainChunk, { target }: Slab, bytes: Uint8Array): void {
  const block = blockFromBytes(bytes, [bytes.length / type.bytes], type, endian);
  copyBlock({ ...block, shape: target.shape, strides: stridesOf(shape) }, target);
}
