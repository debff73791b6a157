// Plain values: fixed ones as they are, booleans as bits, byte arrays each behind its length. And the split of fixed
// values into streams of their first, second, … bytes.

import { readUint32 } from "../codecs/codec.ts";
import type { BytesStore, FixedStore, ValueStore } from "./columnValues.ts";
import { Damage } from "./errors.ts";
import { type Cursor, unpackBits } from "./hybrid.ts";

export function takePlain(cursor: Cursor, store: ValueStore, isBoolean: boolean, count: number): void {
  if (store.kind === "bytes") takeByteArrays(cursor, store, count);
  else if (isBoolean) takeBooleans(cursor, store, count);
  else takeFixed(cursor, store, count);
}

function takeFixed(cursor: Cursor, store: FixedStore, count: number): void {
  const size = count * store.width;
  needBytes(cursor, size);
  const first = store.extend(count);
  store.bytes.set(cursor.bytes.subarray(cursor.at, cursor.at + size), first * store.width);
  cursor.at += size;
}

function takeBooleans(cursor: Cursor, store: FixedStore, count: number): void {
  const size = Math.ceil(count / 8);
  needBytes(cursor, size);
  const first = store.extend(count);
  unpackBits(cursor.bytes, cursor.at, store.bytes, first, count);
  cursor.at += size;
}

function takeByteArrays(cursor: Cursor, store: BytesStore, count: number): void {
  // Each has four bytes of length at least.
  needBytes(cursor, 4 * count);
  const start = cursor.at;
  const { bytes, end } = cursor;
  const from = store.extend(count);
  const { offsets } = store;
  let at = start;
  let size = offsets[from]!;
  for (let i = 1; i <= count; i++) {
    const length = at + 4 <= end ? readUint32(bytes, at) : end;
    if (length > end - at - 4)
      throw new Damage(`a value of ${length} bytes, where ${Math.max(0, end - at - 4)} are left`);
    at += 4 + length;
    size += length;
    offsets[from + i] = size;
  }
  store.reserve(size);
  cursor.at = at;
  copyPrefixed(bytes, start, store, from, count);
}

function copyPrefixed(
  bytes: Uint8Array,
  start: number,
  store: BytesStore,
  from: number,
  count: number,
): void {
  const { offsets, bytes: target } = store;
  let at = start;
  for (let i = from; i < from + count; i++) {
    at += 4;
    const length = offsets[i + 1]! - offsets[i]!;
    copyBytes(bytes, at, target, offsets[i]!, length);
    at += length;
  }
}

/** A call costs more than a short copy. */
export function copyBytes(
  source: Uint8Array,
  from: number,
  target: Uint8Array,
  to: number,
  length: number,
): void {
  if (length > 48) target.set(source.subarray(from, from + length), to);
  else for (let i = 0; i < length; i++) target[to + i] = source[from + i]!;
}

export function needBytes(cursor: Cursor, size: number): void {
  const left = cursor.end - cursor.at;
  if (!(size <= left)) throw new Damage(`values of ${size} bytes, where ${left} are left`);
}

export function takeSplit(cursor: Cursor, store: ValueStore, count: number): void {
  if (store.kind === "bytes") throw new Damage("byte arrays cannot be split into streams");
  const { width } = store;
  needBytes(cursor, count * width);
  const first = store.extend(count) * width;
  const { bytes: target } = store;
  for (let byte = 0; byte < width; byte++) {
    const stream = cursor.at + byte * count;
    for (let i = 0, to = first + byte; i < count; i++, to += width) target[to] = cursor.bytes[stream + i]!;
  }
  cursor.at += count * width;
}
