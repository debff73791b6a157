// Values kept as differences: integers in blocks of packed differences, byte arrays as lengths (and shared beginnings)
// kept so. Sums wrap around, as the format says. What must hold: as for all decoders, reading stays before the end.

import type { BytesStore, FixedStore, ValueStore } from "./columnValues.ts";
import { Damage } from "./errors.ts";
import { type Cursor, takeVarint } from "./hybrid.ts";
import { needBytes } from "./plain.ts";

/** A number of 64 bits in two halves: what sums wrap around in. */
interface Wide {
  low: number;
  high: number;
}

/** Appends `count` integers of 4 or 8 bytes. */
export function takeDeltas(cursor: Cursor, store: ValueStore, count: number): void {
  if (store.kind === "bytes" || (store.width !== 4 && store.width !== 8))
    throw new Damage("differences of values that are not integers");
  const first = store.extend(count);
  unpackDeltas(cursor, count, store.words(), first, (store.width / 4) as 1 | 2);
}

/** Writes the values, one or two words each, at the value index `first`. */
function unpackDeltas(
  cursor: Cursor,
  count: number,
  words: Uint32Array,
  first: number,
  perValue: 1 | 2,
): void {
  const blockSize = takeVarint(cursor);
  const blocks = takeVarint(cursor);
  const total = takeVarint(cursor);
  if (total < count) throw new Damage(`differences of ${total} values, where ${count} belong`);
  const size = blockSize / blocks;
  if (!(Number.isInteger(size) && size > 0 && size % 8 === 0))
    throw new Damage(`blocks of ${blockSize} in ${blocks} parts`);
  const value = takeZigzag(cursor);
  if (count > 0) store(words, first, perValue, value);
  for (let done = 1; done < count; ) {
    const least = takeZigzag(cursor);
    needBytes(cursor, blocks);
    const widths = cursor.at;
    cursor.at += blocks;
    for (let part = 0; part < blocks && done < count; part++) {
      const width = cursor.bytes[widths + part]!;
      const taken = Math.min(size, count - done);
      sumPart(cursor, width, taken, least, value, words, first + done, perValue);
      // All of a part is there, even when only some of its values are.
      cursor.at = Math.min(cursor.end, cursor.at + (size / 8) * width);
      done += taken;
    }
  }
}

function store(words: Uint32Array, at: number, perValue: 1 | 2, { low, high }: Wide): void {
  words[at * perValue] = low;
  if (perValue === 2) words[at * 2 + 1] = high;
}

/** Adds up `count` packed differences; `value` is the sum so far and moves on. */
function sumPart(
  cursor: Cursor,
  width: number,
  count: number,
  least: Wide,
  value: Wide,
  words: Uint32Array,
  at: number,
  perValue: 1 | 2,
): void {
  if (width > 64) throw new Damage(`differences of ${width} bits`);
  if (cursor.at + Math.ceil((count * width) / 8) > cursor.end) throw new Damage("differences are cut short");
  if (width <= 24 && perValue === 1) return sumNarrow(cursor, width, count, least.low, value, words, at);
  for (let i = 0; i < count; i++) {
    const bit = i * width;
    const low = bitsAt(cursor.bytes, cursor.at, bit, Math.min(width, 32));
    const high = width > 32 ? bitsAt(cursor.bytes, cursor.at, bit + 32, width - 32) : 0;
    add(value, least.low, least.high);
    add(value, low, high);
    store(words, at + i, perValue, value);
  }
}

function sumNarrow(
  cursor: Cursor,
  width: number,
  count: number,
  least: number,
  value: Wide,
  words: Uint32Array,
  first: number,
): void {
  const mask = (1 << width) - 1;
  const { bytes } = cursor;
  let sum = value.low;
  let { at } = cursor;
  let buffer = 0;
  let bits = 0;
  for (let i = 0; i < count; i++) {
    for (; bits < width; bits += 8) buffer |= bytes[at++]! << bits;
    sum = (sum + least + (buffer & mask)) | 0;
    words[first + i] = sum;
    buffer >>>= width;
    bits -= width;
  }
  value.low = sum >>> 0;
}

/** Up to 32 bits that begin at a bit. */
function bitsAt(bytes: Uint8Array, start: number, bit: number, width: number): number {
  const at = start + (bit >>> 3);
  let value = 0;
  for (let byte = 0; byte < 5; byte++) value += (bytes[at + byte] ?? 0) * 2 ** (8 * byte);
  return Math.floor(value / 2 ** (bit & 7)) % 2 ** width;
}

function add(value: Wide, low: number, high: number): void {
  const sum = value.low + low;
  value.low = sum >>> 0;
  value.high = (value.high + high + (sum > 0xffffffff ? 1 : 0)) >>> 0;
}

/** A signed number of up to ten bytes, its sign in the lowest bit. */
function takeZigzag(cursor: Cursor): Wide {
  let folded = 0n;
  for (let shift = 0n; ; shift += 7n) {
    if (cursor.at >= cursor.end || shift > 63n) throw new Damage("differences are cut short");
    const byte = cursor.bytes[cursor.at++]!;
    folded |= BigInt(byte & 127) << shift;
    if (byte < 128) break;
  }
  const value = BigInt.asUintN(64, (folded >> 1n) ^ -(folded & 1n));
  return { low: Number(value & 0xffffffffn), high: Number(value >> 32n) };
}

/** `count` lengths; none negative. */
function takeLengths(cursor: Cursor, count: number): Int32Array {
  const words = new Uint32Array(count);
  unpackDeltas(cursor, count, words, 0, 1);
  const lengths = new Int32Array(words.buffer);
  for (let i = 0; i < count; i++) if (lengths[i]! < 0) throw new Damage(`a value of ${lengths[i]} bytes`);
  return lengths;
}

export function takeDeltaLengths(cursor: Cursor, target: ValueStore, count: number): void {
  if (target.kind !== "bytes") throw new Damage("lengths of values that have none");
  const lengths = takeLengths(cursor, count);
  const first = target.extend(count);
  const { offsets } = target;
  const start = offsets[first]!;
  let size = start;
  for (let i = 0; i < count; i++) {
    size += lengths[i]!;
    offsets[first + i + 1] = size;
  }
  needBytes(cursor, size - start);
  target.reserve(size);
  target.bytes.set(cursor.bytes.subarray(cursor.at, cursor.at + size - start), start);
  cursor.at += size - start;
}

/** Each value begins with so many bytes of the one before. Fixed values may be kept so as well. */
export function takeDeltaStrings(cursor: Cursor, target: ValueStore, count: number): void {
  const shared = takeLengths(cursor, count);
  const added = takeLengths(cursor, count);
  let total = 0;
  for (let i = 0; i < count; i++) {
    const before = i === 0 ? 0 : shared[i - 1]! + added[i - 1]!;
    if (shared[i]! > before) throw new Damage(`a value that shares ${shared[i]} of ${before} bytes`);
    total += shared[i]! + added[i]!;
  }
  if (target.kind === "bytes") takeSharedBytes(cursor, target, shared, added, total);
  else takeSharedFixed(cursor, target, shared, added);
}

function takeSharedBytes(
  cursor: Cursor,
  target: BytesStore,
  shared: Int32Array,
  added: Int32Array,
  total: number,
): void {
  const first = target.extend(shared.length);
  const start = target.offsets[first]!;
  target.reserve(start + total);
  let to = start;
  for (let i = 0; i < shared.length; i++) {
    to = takeShared(
      cursor,
      target.bytes,
      to,
      i === 0 ? to : target.offsets[first + i - 1]!,
      shared[i]!,
      added[i]!,
    );
    target.offsets[first + i + 1] = to;
  }
}

function takeSharedFixed(cursor: Cursor, target: FixedStore, shared: Int32Array, added: Int32Array): void {
  const { width } = target;
  let to = target.extend(shared.length) * width;
  for (let i = 0; i < shared.length; i++) {
    if (shared[i]! + added[i]! !== width)
      throw new Damage(`a value of ${shared[i]! + added[i]!} bytes, where ${width} belong`);
    to = takeShared(cursor, target.bytes, to, to - width, shared[i]!, added[i]!);
  }
}

/** Where the next value goes. */
function takeShared(
  cursor: Cursor,
  target: Uint8Array,
  to: number,
  previous: number,
  shared: number,
  added: number,
): number {
  needBytes(cursor, added);
  if (shared > 0) target.copyWithin(to, previous, previous + shared);
  target.set(cursor.bytes.subarray(cursor.at, cursor.at + added), to + shared);
  cursor.at += added;
  return to + shared + added;
}
