// Runs of small numbers: repeated ones (a count and the number), and packed ones (groups of eight, each of `width`
// bits). Levels, dictionary indices and booleans are kept so. In: bytes. Out: the numbers, in a typed array. What must
// hold: reading stays before `end`, writing within `count` elements; anything else is Damage.

import { Damage } from "./errors.ts";

/** Where to read; `at` moves on. */
export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
  readonly end: number;
}

export const cursorOf = (bytes: Uint8Array, at = 0, end: number = bytes.length): Cursor => ({
  bytes,
  at,
  end,
});

export function takeVarint(cursor: Cursor): number {
  let value = 0;
  let scale = 1;
  for (let i = 0; i < 5; i++) {
    if (cursor.at >= cursor.end) throw new Damage("runs are cut short");
    const byte = cursor.bytes[cursor.at++]!;
    value += (byte & 127) * scale;
    if (byte < 128) return value;
    scale *= 128;
  }
  throw new Damage("the length of a run has more than five bytes");
}

/** The header of a run: even for a repeated number, odd for packed ones. */
export function takeHeader(cursor: Cursor): number {
  const header = takeVarint(cursor);
  if (header === 0) throw new Damage("a run of no numbers");
  return header;
}

/** The number of a repeated run: as many whole bytes as its width needs. */
export function takeNumber(cursor: Cursor, width: number): number {
  const bytes = (width + 7) >>> 3;
  if (cursor.at + bytes > cursor.end) throw new Damage("runs are cut short");
  let value = 0;
  for (let i = 0; i < bytes; i++) value += cursor.bytes[cursor.at + i]! * 2 ** (8 * i);
  cursor.at += bytes;
  if (value >= 2 ** width) throw new Damage(`the number ${value} in ${width} bits`);
  return value;
}

/** Where packed numbers begin; the cursor moves behind them. `taken` of the header's numbers are wanted. */
export function takePacked(cursor: Cursor, header: number, width: number, taken: number): number {
  const start = cursor.at;
  if (start + Math.ceil((taken * width) / 8) > cursor.end) throw new Damage("packed numbers are cut short");
  // Some writers leave out the padding of the last group.
  cursor.at = Math.min(cursor.end, start + ((header - 1) / 2) * width);
  return start;
}

/** How many numbers a run has. */
export const runLength = (header: number): number => (header % 2 === 0 ? header / 2 : (header - 1) * 4);

/** `count` numbers. Those of a width of 0 bits are 0 and take no bytes. */
export function unpackNumbers(cursor: Cursor, width: number, count: number): Uint32Array {
  if (width > 32) throw new Damage(`numbers of ${width} bits`);
  const target = new Uint32Array(count);
  for (let done = 0; done < count && width > 0; ) {
    const header = takeHeader(cursor);
    const taken = Math.min(runLength(header), count - done);
    if (header % 2 === 0) fillShort(target, takeNumber(cursor, width), done, done + taken);
    else {
      const start = takePacked(cursor, header, width, taken);
      if (width <= 24) unpackNarrow(cursor.bytes, start, width, target, done, taken);
      else unpackWide(cursor.bytes, start, width, target, done, taken);
    }
    done += taken;
  }
  return target;
}

/** A call costs more than a short loop, and most runs are short. */
function fillShort(target: Uint32Array, value: number, from: number, to: number): void {
  if (to - from > 64) target.fill(value, from, to);
  else for (let i = from; i < to; i++) target[i] = value;
}

function unpackNarrow(
  bytes: Uint8Array,
  start: number,
  width: number,
  target: Uint32Array,
  from: number,
  count: number,
): void {
  const mask = (1 << width) - 1;
  let at = start;
  let buffer = 0;
  let bits = 0;
  for (let i = from; i < from + count; i++) {
    while (bits < width) {
      buffer |= bytes[at++]! << bits;
      bits += 8;
    }
    target[i] = buffer & mask;
    buffer >>>= width;
    bits -= width;
  }
}

/** More than 24 bits do not fit the buffer of `unpackNarrow`. */
function unpackWide(
  bytes: Uint8Array,
  start: number,
  width: number,
  target: Uint32Array,
  from: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    const bit = i * width;
    const at = start + Math.floor(bit / 8);
    let value = 0;
    for (let byte = 0; byte < 5; byte++) value += (bytes[at + byte] ?? 0) * 2 ** (8 * byte);
    target[from + i] = Math.floor(value / 2 ** (bit % 8)) % 2 ** width;
  }
}

/** Single bits, each as a byte. */
export function unpackBits(
  bytes: Uint8Array,
  start: number,
  target: Uint8Array,
  from: number,
  count: number,
): void {
  const whole = count & ~7;
  let at = start;
  let to = from;
  for (; to < from + whole; to += 8) {
    const byte = bytes[at++]!;
    target[to] = byte & 1;
    target[to + 1] = (byte >>> 1) & 1;
    target[to + 2] = (byte >>> 2) & 1;
    target[to + 3] = (byte >>> 3) & 1;
    target[to + 4] = (byte >>> 4) & 1;
    target[to + 5] = (byte >>> 5) & 1;
    target[to + 6] = (byte >>> 6) & 1;
    target[to + 7] = byte >>> 7;
  }
  for (let i = whole; i < count; i++) target[from + i] = (bytes[start + (i >>> 3)]! >>> (i & 7)) & 1;
}

/** The number, when all `count` numbers are one repeated run; else undefined, and nothing is taken. */
export function singleRun(cursor: Cursor, width: number, count: number): number | undefined {
  if (width === 0) return 0;
  const start = cursor.at;
  const header = takeVarint(cursor);
  if (header % 2 === 0 && header / 2 >= count) return takeNumber(cursor, width);
  cursor.at = start;
  return undefined;
}
