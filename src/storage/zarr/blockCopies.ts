// Copies between blocks, fills, and comparisons, on bits: elements are moved as 1-, 2- or 4-byte words
// (pairs or fours of them for longer elements), so that no NaN payload is ever touched.

import { type Block, blockBytes, copyInto, isContiguous, newBlock } from "../../core/block.ts";
import { type Shape, sizeOf, stridesOf } from "../../core/chunks.ts";
import { type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import type { Room } from "../codecs/codec.ts";
import type { Endian, Fill, StoredType } from "./storedType.ts";

type Words = Uint8Array | Uint16Array | Uint32Array;

/** The same memory as words, and how many words an element takes. */
function wordsOf({ data, dtype }: Block): { words: Words; perElement: number } {
  const { bytes } = infoOf(dtype);
  const { buffer, byteOffset, byteLength } = data;
  if (bytes === 1) return { words: new Uint8Array(buffer, byteOffset, byteLength), perElement: 1 };
  if (bytes === 2) return { words: new Uint16Array(buffer, byteOffset, byteLength / 2), perElement: 1 };
  return { words: new Uint32Array(buffer, byteOffset, byteLength / 4), perElement: bytes / 4 };
}

/** One axis of a copy: how many steps, and how far each goes in the source and in the target, in words. */
interface Loop {
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

/** Copies `source` into `target`; same dtype, same shape. */
export function copyBlock(source: Block, target: Block): void {
  if (sizeOf(source.shape) === 0) return;
  const from = wordsOf(source);
  const to = wordsOf(target);
  const n = from.perElement;
  const loops = joinLoops(
    source.shape.map((count, axis) => ({
      count,
      from: source.strides[axis]! * n,
      to: target.strides[axis]! * n,
    })),
    n,
  );
  copyLoops(from.words, source.offset * n, to.words, target.offset * n, loops, 0);
}

/** Drops axes of one step and joins axes that continue each other; the words of an element are an axis too. */
function joinLoops(axes: readonly Loop[], perElement: number): Loop[] {
  const loops: Loop[] = [{ count: perElement, from: 1, to: 1 }];
  // Long strides outside: then writes go forward through memory.
  const sorted = axes.filter((axis) => axis.count > 1).sort((a, b) => Math.abs(a.to) - Math.abs(b.to));
  for (const axis of sorted) {
    const inner = loops.at(-1)!;
    if (axis.from === inner.from * inner.count && axis.to === inner.to * inner.count)
      loops[loops.length - 1] = { count: inner.count * axis.count, from: inner.from, to: inner.to };
    else loops.push(axis);
  }
  return loops.reverse();
}

/** The last loop is a run of adjacent words in both. */
function copyLoops(
  source: Words,
  from: number,
  target: Words,
  to: number,
  loops: readonly Loop[],
  depth: number,
): void {
  const loop = loops[depth]!;
  const left = loops.length - depth;
  if (left === 1) return copyRun(source, from, target, to, loop.count);
  if (left === 2) return copyRuns(source, from, target, to, loop, loops[depth + 1]!.count);
  if (left === 3 && loops[depth + 2]!.count <= 4)
    return copyTiles(source, from, target, to, loop, loops[depth + 1]!, loops[depth + 2]!.count);
  for (let i = 0; i < loop.count; i++)
    copyLoops(source, from + i * loop.from, target, to + i * loop.to, loops, depth + 1);
}

/** Shorter runs are copied word by word: a call costs more. */
const SHORT_RUN = 24;

function copyRun(source: Words, from: number, target: Words, to: number, count: number): void {
  if (count > SHORT_RUN) copyInto(target, source.subarray(from, from + count), to);
  else for (let i = 0; i < count; i++) target[to + i] = source[from + i]!;
}

function copyRuns(source: Words, from: number, target: Words, to: number, loop: Loop, run: number): void {
  if (run > SHORT_RUN) {
    for (let i = 0; i < loop.count; i++) copyRun(source, from + i * loop.from, target, to + i * loop.to, run);
    return;
  }
  let f = from;
  let t = to;
  for (let i = 0; i < loop.count; i++) {
    for (let k = 0; k < run; k++) target[t + k] = source[f + k]!;
    f += loop.from;
    t += loop.to;
  }
}

/** Cache lines that are read crosswise are used up before they are dropped. */
const TILE = 32;

function copyTiles(
  source: Words,
  from: number,
  target: Words,
  to: number,
  outer: Loop,
  inner: Loop,
  run: number,
): void {
  for (let i = 0; i < outer.count; i += TILE) {
    const rows = Math.min(TILE, outer.count - i);
    for (let j = 0; j < inner.count; j += TILE) {
      const part = { ...inner, count: Math.min(TILE, inner.count - j) };
      for (let r = i; r < i + rows; r++)
        copyRuns(
          source,
          from + r * outer.from + j * inner.from,
          target,
          to + r * outer.to + j * inner.to,
          part,
          run,
        );
    }
  }
}

/** Writes the fill value everywhere. */
export function fillBlock(block: Block, fill: Fill): void {
  if (sizeOf(block.shape) === 0) return;
  const { words, perElement: n } = wordsOf(block);
  const pattern = wordsOf({ ...block, data: fill.element.slice() as Uint8Array }).words;
  const loops = joinLoops(
    block.shape.map((count, axis) => ({
      count,
      from: block.strides[axis]! * n,
      to: block.strides[axis]! * n,
    })),
    n,
  );
  const isUniform = pattern.every((word) => word === pattern[0]);
  fillLoops(words, block.offset * n, pattern, isUniform, loops, 0);
}

function fillLoops(
  words: Words,
  at: number,
  pattern: Words,
  isUniform: boolean,
  loops: readonly Loop[],
  depth: number,
): void {
  const loop = loops[depth]!;
  if (depth < loops.length - 1) {
    for (let i = 0; i < loop.count; i++)
      fillLoops(words, at + i * loop.to, pattern, isUniform, loops, depth + 1);
    return;
  }
  if (isUniform) {
    words.fill(pattern[0]!, at, at + loop.count);
    return;
  }
  words.set(pattern, at);
  // What there is doubles with each copy.
  for (let done = pattern.length; done < loop.count; done *= 2)
    words.copyWithin(at + done, at, at + Math.min(done, loop.count - done));
}

/** True when every element has the bits of the fill value. */
export function isAllFill(block: Block, fill: Fill): boolean {
  const { words, perElement: n } = wordsOf(block);
  const pattern = wordsOf({ ...block, data: fill.element.slice() as Uint8Array }).words;
  return equalsFill(words, block.offset * n, block, pattern, 0);
}

function equalsFill(words: Words, at: number, block: Block, pattern: Words, axis: number): boolean {
  const n = pattern.length;
  if (axis === block.shape.length) {
    for (let k = 0; k < n; k++) if (words[at + k] !== pattern[k]) return false;
    return true;
  }
  const count = block.shape[axis]!;
  const step = block.strides[axis]! * n;
  if (axis === block.shape.length - 1) {
    for (let i = 0, from = at; i < count; i++, from += step)
      for (let k = 0; k < n; k++) if (words[from + k] !== pattern[k]) return false;
    return true;
  }
  for (let i = 0; i < count; i++)
    if (!equalsFill(words, at + i * step, block, pattern, axis + 1)) return false;
  return true;
}

/** The same elements with the axes in another order: axis i of the result is axis order[i]. */
export function permuteBlock(block: Block, order: readonly number[]): Block {
  return {
    ...block,
    shape: order.map((axis) => block.shape[axis]!),
    strides: order.map((axis) => block.strides[axis]!),
  };
}

export const isIdentity = (order: readonly number[]): boolean => order.every((axis, i) => axis === i);

// Elements as stored bytes ⇄ elements as in memory: byte order, booleans. In memory is
// little-endian, as every JavaScript engine in use is. Without a copy where none is needed.

/** True when stored bytes are just the bytes in memory. */
export const isVerbatim = (type: StoredType, endian: Endian): boolean =>
  type.name !== "bool" && (endian === "little" || type.wordBytes === 1);

/** A block over the bytes, or over a copy where they must be changed or moved. As many bytes as elements need. */
export function blockFromBytes(bytes: Uint8Array, shape: Shape, type: StoredType, endian: Endian): Block {
  return {
    dtype: type.dtype,
    shape,
    strides: stridesOf(shape),
    offset: 0,
    data: dataFrom(bytes, type, endian),
  };
}

function dataFrom(bytes: Uint8Array, type: StoredType, endian: Endian): TypedArray {
  if (type.name === "bool") return booleansFrom(bytes);
  const ordered = endian === "big" && type.wordBytes > 1 ? swapped(bytes, type.wordBytes) : bytes;
  const isAligned = ordered.byteOffset % infoOf(type.dtype).array.BYTES_PER_ELEMENT === 0;
  return dataOver(isAligned ? ordered : new Uint8Array(ordered), type.dtype);
}

/** Bytes as elements, without a copy; they begin where elements can. */
export function dataOver({ buffer, byteOffset, byteLength }: Uint8Array, dtype: DType): TypedArray {
  const { array: ArrayOf } = infoOf(dtype);
  return new ArrayOf(buffer as ArrayBuffer, byteOffset, byteLength / ArrayOf.BYTES_PER_ELEMENT);
}

/** Kernels count on 0 and 1. Anything else, which a writer should not have stored, is true. */
function booleansFrom(bytes: Uint8Array): Uint8Array {
  let wrong = 0;
  for (let i = 0; i < bytes.length; i++) wrong |= bytes[i]! & 0xfe;
  return wrong === 0 ? bytes : bytes.map((byte) => (byte === 0 ? 0 : 1));
}

/** The bytes to store for a block, row-major; the block's own memory where that is right already, or memory of `room`. */
export function bytesFromBlock(block: Block, type: StoredType, endian: Endian, room?: Room): Uint8Array {
  const bytes = memoryOf(isContiguous(block) ? block : compact(block, room));
  return endian === "big" && type.wordBytes > 1 ? swapped(bytes, type.wordBytes) : bytes;
}

function compact(block: Block, room: Room | undefined): Block {
  const copy =
    room === undefined ? newBlock(block.dtype, block.shape) : blockIn(room, block.dtype, block.shape);
  copyBlock(block, copy);
  return copy;
}

/** A block in memory of `room`, with whatever is there. */
export function blockIn(room: Room, dtype: DType, shape: Shape): Block {
  const length = blockBytes(dtype, shape);
  const data = dataOver(room.take(length).subarray(0, length), dtype);
  return { dtype, shape, strides: stridesOf(shape), offset: 0, data };
}

/** The bytes of a contiguous block. */
export function memoryOf(block: Block): Uint8Array {
  const { bytes } = infoOf(block.dtype);
  const { buffer, byteOffset } = block.data;
  return new Uint8Array(buffer, byteOffset + block.offset * bytes, sizeOf(block.shape) * bytes);
}

/** A copy with the bytes of every word in reverse. */
function swapped(bytes: Uint8Array, size: number): Uint8Array {
  const result = new Uint8Array(bytes.length);
  if (size === 2) swap2(bytes, result);
  else if (size === 4) swapWords(bytes, result, 0);
  else swapWords(bytes, result, 1);
  return result;
}

function swap2(source: Uint8Array, target: Uint8Array): void {
  for (let i = 0; i < source.length; i += 2) {
    target[i] = source[i + 1]!;
    target[i + 1] = source[i]!;
  }
}

/** `flip` 1 exchanges neighbouring words too: eight bytes in reverse. */
function swapWords(source: Uint8Array, target: Uint8Array, flip: 0 | 1): void {
  const at = source.byteOffset % 4 === 0 ? source : new Uint8Array(source);
  const from = new Uint32Array(at.buffer, at.byteOffset, at.length / 4);
  const to = new Uint32Array(target.buffer);
  for (let i = 0; i < from.length; i++) {
    const x = from[i]!;
    to[i ^ flip] = (x >>> 24) | ((x >>> 8) & 0xff00) | ((x << 8) & 0xff0000) | (x << 24);
  }
}
