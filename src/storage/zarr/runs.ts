// Parts of an uncompressed chunk, read by range. The part is cut into runs of bytes that are adjacent in the
// object; runs that are close to each other are read together, because a request costs more than some bytes.

import { type Block, isContiguous, subBlock } from "../../core/block.ts";
import { placeOf, type Shape, sizeOf, stridesOf } from "../../core/chunks.ts";
import { KeptMemory } from "../codecs/codec.ts";
import type { OpenObject, StoreOptions } from "../store.ts";
import { blockFromBytes, copyBlock, isVerbatim, memoryOf } from "./blockCopies.ts";
import { mapLimited } from "./limited.ts";
import type { ByteSource } from "./place.ts";
import type { Endian, StoredType } from "./storedType.ts";

/** Bytes that cost about as much to read as to ask for separately. */
export const GAP: number = 64 * 1024;
/** The same where the object is open. */
const OPEN_GAP = 16 * 1024;
/** Runs of so many bytes are there at once. */
const SHORT = 64 * 1024;
const MOST_REQUESTS = 8;

/** A slab with more bytes than this is read in pieces, unless it is all wanted and lies in one piece in its place, too. */
export const PIECE: number = 1024 * 1024;

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
  await mapLimited(slabsIn(chunk, start, target, GAP), MOST_REQUESTS, async (slab) => {
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
  { scratch: memory = new KeptMemory() }: StoreOptions,
): Promise<void> {
  if (sizeOf(target.shape) === 0) return;
  const axis = splitAxis(chunk.shape, target.shape, chunk.type.bytes, OPEN_GAP);
  if (isStraight(chunk, target, axis)) return readStraight(object, chunk, start, target, axis);
  const isDirect = isVerbatim(chunk.type, chunk.endian);
  let scratch: Uint8Array | null = null;
  try {
    for (const slab of slabsIn(chunk, start, target, OPEN_GAP)) {
      if (isDirect && slab.isRun && isContiguous(slab.target)) {
        const waiting = object.readInto(slab.offset, memoryOf(slab.target));
        if (waiting !== undefined) await waiting;
        continue;
      }
      if (scratch !== null && scratch.length < slab.bytes) memory.give(scratch);
      scratch = scratch !== null && scratch.length >= slab.bytes ? scratch : memory.take(slab.bytes);
      const bytes = scratch.subarray(0, slab.bytes);
      const waiting = object.readInto(slab.offset, bytes);
      if (waiting !== undefined) await waiting;
      spread(chunk, slab, bytes);
    }
  } finally {
    if (scratch !== null) memory.give(scratch);
  }
}

/** One run for every place on the axes before `axis`, each straight into its place. There may be many: nothing is made for each. */
async function readStraight(
  object: OpenObject,
  { shape, type: { bytes } }: PlainChunk,
  start: readonly number[],
  target: Block,
  axis: number,
): Promise<void> {
  const { data, offset, strides } = target;
  const memory = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const stored = stridesOf(shape);
  const length = sizeOf(target.shape.slice(axis)) * bytes;
  const [outer, rows] = [
    target.shape.slice(0, Math.max(0, axis - 1)),
    axis === 0 ? 1 : target.shape[axis - 1]!,
  ];
  const [fromStep, toStep] = axis === 0 ? [0, 0] : [stored[axis - 1]! * bytes, strides[axis - 1]! * bytes];
  for (let i = 0; i < sizeOf(outer); i++) {
    const place = placeOf(i, outer);
    let from = start.reduce((at, x, a) => at + (x + (place[a] ?? 0)) * stored[a]!, 0) * bytes;
    let to = place.reduce((at, x, a) => at + x * strides[a]!, offset) * bytes;
    if (object.readRuns !== undefined && length <= SHORT) {
      object.readRuns({
        count: rows,
        length,
        offset: from,
        step: fromStep,
        target: memory,
        at: to,
        stride: toStep,
      });
      continue;
    }
    for (let row = 0; row < rows; row++, from += fromStep, to += toStep) {
      const waiting = object.readInto(from, memory.subarray(to, to + length));
      if (waiting !== undefined) await waiting;
    }
  }
}

/** True when all from `axis` on is wanted, and lies in its place as it is stored: no memory is needed on the way. */
function isStraight({ shape, type, endian }: PlainChunk, target: Block, axis: number): boolean {
  const part = target.shape.slice(axis);
  const place = { ...target, shape: part, strides: target.strides.slice(axis) };
  return (
    spanOf(part, stridesOf(shape).slice(axis)) === sizeOf(part) &&
    isContiguous(place) &&
    isVerbatim(type, endian)
  );
}

/** How many places on `axis` go into one slab: all, unless that would take much memory on the way. */
function rowsTogether(chunk: PlainChunk, target: Block, axis: number): number {
  const { shape, type } = chunk;
  if (axis === shape.length) return 1;
  const strides = stridesOf(shape);
  const span = spanOf(target.shape.slice(axis), strides.slice(axis));
  if (isStraight(chunk, target, axis) || span * type.bytes <= PIECE) return target.shape[axis]!;
  return Math.max(1, Math.floor(PIECE / (strides[axis]! * type.bytes)));
}

/** Further in, while one place on the axis is more than is to be on the way at once. */
function deeper(chunk: PlainChunk, target: Block, axis: number): number {
  const strides = stridesOf(chunk.shape);
  let at = axis;
  while (
    at + 1 < chunk.shape.length &&
    strides[at]! * chunk.type.bytes > PIECE &&
    rowsTogether(chunk, target, at) < target.shape[at]!
  )
    at++;
  return at;
}

/**
 * The part is read as slabs: one place on each axis before `axis`, all of the part on the axes from there on.
 * A slab is one request: from its first byte to its last. The larger it can be without reading much that is
 * not wanted, the better.
 */
function splitAxis(shape: Shape, part: Shape, elementBytes: number, most: number): number {
  const strides = stridesOf(shape);
  let axis = shape.length;
  while (axis > 0) {
    const inner = part.slice(axis);
    const span = spanOf(inner, strides.slice(axis));
    const gap = (strides[axis - 1]! - span) * elementBytes;
    if (part[axis - 1]! > 1 && gap > most && gap > span * elementBytes) break;
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

function* slabsIn(chunk: PlainChunk, start: readonly number[], target: Block, gap: number): Iterable<Slab> {
  if (sizeOf(target.shape) === 0) return;
  const { shape, type } = chunk;
  const axis = deeper(chunk, target, splitAxis(shape, target.shape, type.bytes, gap));
  const rows = rowsTogether(chunk, target, axis);
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
