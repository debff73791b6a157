// Elements as stored bytes ⇄ elements as in memory: byte order, booleans. In memory is
// little-endian, as every JavaScript engine in use is. Without a copy where none is needed.

import { type Block, blockBytes, isContiguous, newBlock } from "../../core/block.ts";
import { type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import { type Shape, sizeOf, stridesOf } from "../../core/shape.ts";
import type { Room } from "../codecs/scratch.ts";
import { copyBlock } from "./blockCopies.ts";
import type { Endian, StoredType } from "./storedType.ts";

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
