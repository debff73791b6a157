// Texts as bytes: read where they lie, built one after another. In: string nodes. Out: bytes, code points, JavaScript strings where
// nothing else will do. Most texts are ASCII, and then a byte is a character: that is asked for all of a node at once.
// Must hold: what is not ASCII is counted, cut and changed by code points, never within one; bytestrings are single bytes.

import { checkLength } from "../layout/indices.ts";
import { type StringLayout, stringOf } from "../layout/layout.ts";

/** Are all bytes below 128? Eight at a time. */
export function isAscii(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from;
  while (at < to && ((bytes.byteOffset + at) & 3) !== 0) if (bytes[at++]! > 127) return false;
  if (at === to) return true;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + at, (to - at) >> 2);
  let all = 0;
  for (let i = 0; i < words.length; i++) all |= words[i]!;
  if ((all & 0x80808080) !== 0) return false;
  for (at += 4 * words.length; at < to; at++) if (bytes[at]! > 127) return false;
  return true;
}

const asciis = new WeakMap<StringLayout, boolean>();

/** Is a byte a character in all of a node? */
export function isSingle(texts: StringLayout): boolean {
  if (texts.encoding === "bytes") return true;
  let known = asciis.get(texts);
  if (known === undefined) {
    known = isAscii(texts.bytes, texts.offsets[0]!, texts.offsets[texts.length]!);
    asciis.set(texts, known);
  }
  return known;
}

/** How many bytes the character has that begins with this one. */
export const widthOf = (first: number): number =>
  first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

/** Does a character begin here? */
export const isStart = (byte: number): boolean => (byte & 0xc0) !== 0x80;

/** The character that begins here, as a number. */
export function codePointAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return first;
  const next = (i: number): number => bytes[at + i]! & 0x3f;
  if (first < 0xe0) return ((first & 0x1f) << 6) | next(1);
  if (first < 0xf0) return ((first & 0x0f) << 12) | (next(1) << 6) | next(2);
  return ((first & 0x07) << 18) | (next(1) << 12) | (next(2) << 6) | next(3);
}

/** How many characters there are. */
export function countPoints(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) count += Number((bytes[at]! & 0xc0) !== 0x80);
  return count;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
export const bytesOfText = (text: string): Uint8Array => encoder.encode(text);

/** Texts one after another, as long as they turn out. */
export class TextBuilder {
  bytes: Uint8Array;
  readonly #offsets: Int32Array;
  #row = 0;
  /** Where the next byte goes. */
  at = 0;

  constructor(rows: number, bytes: number) {
    this.#offsets = new Int32Array(rows + 1);
    this.bytes = new Uint8Array(Math.max(16, bytes));
  }

  /** Room for so many more. */
  grow(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    checkLength(this.at + more, "the texts together");
    const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.at + more));
    larger.set(this.bytes.subarray(0, this.at));
    this.bytes = larger;
  }

  copy(from: Uint8Array, start: number, stop: number): void {
    const length = stop - start;
    this.grow(length);
    // A call for a few bytes costs more than the bytes.
    if (length > 32) this.bytes.set(from.subarray(start, stop), this.at);
    else for (let i = 0; i < length; i++) this.bytes[this.at + i] = from[start + i]!;
    this.at += length;
  }

  text(text: string): void {
    this.grow(3 * text.length);
    this.at += encoder.encodeInto(text, this.bytes.subarray(this.at)).written;
  }

  point(code: number): void {
    this.grow(4);
    if (code < 0x80) this.bytes[this.at++] = code;
    else this.text(String.fromCodePoint(code));
  }

  /** The text ends here. */
  end(): void {
    this.#offsets[++this.#row] = this.at;
  }

  done({ encoding, parameters }: Pick<StringLayout, "encoding" | "parameters">): StringLayout {
    const bytes = this.bytes.subarray(0, this.at);
    return { ...stringOf(this.#offsets.subarray(0, this.#row + 1), bytes, encoding), parameters };
  }
}

/** Parts of texts, each from starts[i] to before stops[i] of the bytes: as a node of its own. */
export function rangesOf(texts: StringLayout, starts: Int32Array, stops: Int32Array): StringLayout {
  let total = 0;
  for (let i = 0; i < starts.length; i++) total += stops[i]! - starts[i]!;
  const out = new TextBuilder(starts.length, total);
  for (let i = 0; i < starts.length; i++) {
    out.copy(texts.bytes, starts[i]!, stops[i]!);
    out.end();
  }
  return out.done(texts);
}

/** So many bytes are decoded at once. */
const AT_ONCE = 1 << 16;

/** Texts as JavaScript strings, in order: where all is ASCII they are parts of a few long ones. */
export function* stringsIn(texts: StringLayout): Generator<string> {
  const { bytes, offsets, length } = texts;
  if (texts.encoding === "bytes" || !isSingle(texts)) {
    for (let i = 0; i < length; i++) yield decoder.decode(bytes.subarray(offsets[i]!, offsets[i + 1]!));
    return;
  }
  for (let i = 0; i < length; ) {
    const from = offsets[i]!;
    let last = i + 1;
    while (last < length && offsets[last + 1]! - from <= AT_ONCE) last++;
    const long = decoder.decode(bytes.subarray(from, offsets[last]!));
    for (; i < last; i++) yield long.substring(offsets[i]! - from, offsets[i + 1]! - from);
  }
}
