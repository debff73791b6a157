// Texts looked for in texts: whether, where, how often; as they are, by SQL's LIKE, by regular expressions; replaced, and cut at. In:
// texts and a pattern. Out: places (in characters), counts, texts. What is looked for as it is, is looked for in bytes, through all
// texts at once; regular expressions are JavaScript's, with Unicode.

import { ValueError } from "../../core/errors.ts";
import {
  listOf,
  type NumpyLayout,
  numpyOf,
  type Plain,
  type StringLayout,
  stringOf,
} from "../layout/layout.ts";
import { CASES, changed } from "./changes.ts";
import { lowerOf } from "./characters.ts";
import { bytesOfText, countPoints, isSingle, stringsIn, TextBuilder } from "./texts.ts";

export interface Pattern {
  readonly pattern: string;
  readonly ignoreCase?: boolean;
}

/** By the last byte of a window how far the next one is: Horspool's. */
function skipsOf(pattern: Uint8Array): Int32Array {
  const skips = new Int32Array(256).fill(Math.max(1, pattern.length));
  for (let i = 0; i + 1 < pattern.length; i++) skips[pattern[i]!] = pattern.length - 1 - i;
  return skips;
}

/** Where the pattern is from a byte on and before another; −1 where it is not. */
function foundIn(
  bytes: Uint8Array,
  from: number,
  to: number,
  pattern: Uint8Array,
  skips: Int32Array,
): number {
  const last = pattern.length - 1;
  if (last < 0) return from;
  const end = pattern[last]!;
  for (let at = from + last; at < to; at += skips[bytes[at]!]!) {
    if (bytes[at] !== end) continue;
    let k = last - 1;
    while (k >= 0 && bytes[at - last + k] === pattern[k]) k--;
    if (k < 0) return at - last;
  }
  return -1;
}

/** Texts and what is looked for, in small letters where case does not count. */
function matching(texts: StringLayout, { pattern, ignoreCase = false }: Pattern): [StringLayout, Uint8Array] {
  if (!ignoreCase) return [texts, bytesOfText(pattern)];
  const small = String.fromCodePoint(...[...pattern].map((text) => lowerOf(text.codePointAt(0)!)));
  return [changed(texts, CASES["lower"]!), bytesOfText(small)];
}

/** Calls `hit` for texts that have the pattern, with the byte where it first is. */
function eachFound(texts: StringLayout, pattern: Uint8Array, hit: (row: number, at: number) => void): void {
  const { bytes, offsets, length } = texts;
  const skips = skipsOf(pattern);
  const stop = offsets[length]!;
  if (pattern.length === 0) {
    for (let row = 0; row < length; row++) hit(row, offsets[row]!);
    return;
  }
  // One walk through all bytes: what goes over the end of a text is none.
  for (let row = 0, at = offsets[0]!; ; ) {
    const found = foundIn(bytes, at, stop, pattern, skips);
    if (found < 0) return;
    while (offsets[row + 1]! <= found) row++;
    if (found + pattern.length <= offsets[row + 1]!) {
      hit(row, found);
      at = offsets[row + 1]!;
    } else at = found + 1;
  }
}

export function contains(given: StringLayout, by: Pattern): NumpyLayout {
  const [texts, pattern] = matching(given, by);
  const out = new Uint8Array(texts.length);
  eachFound(texts, pattern, (row) => {
    out[row] = 1;
  });
  return numpyOf(out, "bool");
}

const int64 = (count: number): { readonly halves: Int32Array; readonly done: () => NumpyLayout } => {
  const halves = new Int32Array(2 * count);
  return { halves, done: () => numpyOf(new BigInt64Array(halves.buffer)) };
};

/** The character where it first is, or −1. */
export function foundAt(given: StringLayout, by: Pattern): NumpyLayout {
  const [texts, pattern] = matching(given, by);
  const { halves, done } = int64(texts.length);
  halves.fill(-1);
  const isBytes = isSingle(texts);
  eachFound(texts, pattern, (row, at) => {
    const from = texts.offsets[row]!;
    halves[2 * row] = isBytes ? at - from : countPoints(texts.bytes, from, at);
    halves[2 * row + 1] = 0;
  });
  return done();
}

/** How often it is there, none over another. */
export function counted(given: StringLayout, by: Pattern): NumpyLayout {
  const [texts, pattern] = matching(given, by);
  const { bytes, offsets } = texts;
  const { halves, done } = int64(texts.length);
  const skips = skipsOf(pattern);
  const isBytes = isSingle(texts);
  eachFound(texts, pattern, (row, first) => {
    const to = offsets[row + 1]!;
    if (pattern.length === 0) halves[2 * row] = (isBytes ? to - first : countPoints(bytes, first, to)) + 1;
    else
      for (let at = first; at >= 0; at = foundIn(bytes, at + pattern.length, to, pattern, skips))
        halves[2 * row]!++;
  });
  return done();
}

export function startsOrEnds(given: StringLayout, by: Pattern, isEnd: boolean): NumpyLayout {
  const [texts, pattern] = matching(given, by);
  return numpyOf(prefixed(texts, pattern, isEnd), "bool");
}

function prefixed({ bytes, offsets, length }: StringLayout, pattern: Uint8Array, isEnd: boolean): Uint8Array {
  const out = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const [from, to] = [offsets[i]!, offsets[i + 1]!];
    const start = isEnd ? to - pattern.length : from;
    let k = to - from >= pattern.length ? 0 : -1;
    while (k >= 0 && k < pattern.length && bytes[start + k] === pattern[k]) k++;
    out[i] = Number(k === pattern.length);
  }
  return out;
}

/** A regular expression; an error where it is none. */
export function regexOf({ pattern, ignoreCase = false }: Pattern, flags = ""): RegExp {
  try {
    return new RegExp(pattern, `u${ignoreCase ? "i" : ""}${flags}`);
  } catch (cause) {
    throw new ValueError(
      {
        what: `${JSON.stringify(pattern)} is no regular expression: ${(cause as Error).message}`,
        cure: "Use JavaScript's, with Unicode",
      },
      { cause },
    );
  }
}

/** % is any text and _ any character; behind a backslash they are themselves. */
export function like(texts: StringLayout, by: Pattern): NumpyLayout {
  const plain = /^(%?)([^%_\\]*)(%?)$/.exec(by.pattern);
  if (plain !== null) {
    const [, before, pattern, behind] = plain;
    const own = { ...by, pattern: pattern! };
    if (before !== "" && behind !== "") return contains(texts, own);
    if (behind !== "" || before !== "") return startsOrEnds(texts, own, before !== "");
  }
  if (!/[_\\]/.test(by.pattern)) return inOrder(texts, by);
  const source = [...by.pattern.matchAll(/\\?./gsu)].map(([part]) =>
    part === "%"
      ? "[^]*"
      : part === "_"
        ? "[^]"
        : escaped(part.length > 1 && part[0] === "\\" ? part.slice(1) : part),
  );
  return matches(texts, { ...by, pattern: `^(?:${source.join("")})$` });
}

/** Texts that begin with the first part, end with the last, and have the others between, each behind the one before. */
function inOrder(given: StringLayout, by: Pattern): NumpyLayout {
  const [texts] = matching(given, by);
  const parts = by.pattern.split("%").map((part) => matching(given, { ...by, pattern: part })[1]);
  const [first, last] = [parts[0]!, parts.at(-1)!];
  const between = parts.slice(1, -1).filter((part) => part.length > 0);
  const skips = between.map(skipsOf);
  const { bytes, offsets, length } = texts;
  const [begins, ends] = [first, last].map((part, k) => prefixed(texts, part, k === 1));
  const out = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    if (begins![i] === 0 || ends![i] === 0) continue;
    const stop = offsets[i + 1]! - last.length;
    let at = offsets[i]! + first.length;
    let isIn = parts.length > 1 ? at <= stop : offsets[i + 1]! - offsets[i]! === first.length;
    for (let k = 0; k < between.length && isIn; k++) {
      const found = foundIn(bytes, at, stop, between[k]!, skips[k]!);
      isIn = found >= 0;
      at = found + between[k]!.length;
    }
    out[i] = Number(isIn);
  }
  return numpyOf(out, "bool");
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

export function matches(texts: StringLayout, by: Pattern): NumpyLayout {
  const regex = regexOf(by);
  const out = new Uint8Array(texts.length);
  let row = 0;
  for (const text of stringsIn(texts)) out[row++] = Number(regex.test(text));
  return numpyOf(out, "bool");
}

/** In characters, which code units are not where some are outside of the first plane. */
const charactersBefore = (text: string, at: number): number => [...text.slice(0, at)].length;

export function regexAt(texts: StringLayout, by: Pattern): NumpyLayout {
  const regex = regexOf(by);
  const isPlain = isSingle(texts);
  const { halves, done } = int64(texts.length);
  let row = 0;
  for (const text of stringsIn(texts)) {
    const at = text.search(regex);
    halves[2 * row] = at < 0 || isPlain ? at : charactersBefore(text, at);
    halves[2 * row++ + 1] = at < 0 ? -1 : 0;
  }
  return done();
}

export function regexCount(texts: StringLayout, by: Pattern): NumpyLayout {
  const regex = regexOf(by, "g");
  const { halves, done } = int64(texts.length);
  let row = 0;
  for (const text of stringsIn(texts)) halves[2 * row++] = text.match(regex)?.length ?? 0;
  return done();
}

export interface Replacing extends Pattern {
  readonly replacement: string;
  /** Null: all. */
  readonly most: number | null;
}

export function replaced(texts: StringLayout, { pattern: text, replacement, most }: Replacing): StringLayout {
  const { bytes, offsets, length } = texts;
  const [pattern, by] = [bytesOfText(text), bytesOfText(replacement)];
  if (pattern.length === 0)
    throw new ValueError({ what: "the pattern is empty", cure: "Say what is replaced" });
  const [first, grows] = [pattern[0]!, Math.max(0, by.length - pattern.length)];
  const out = new TextBuilder(length, offsets[length]! - offsets[0]!);
  for (let i = 0; i < length; i++) {
    const to = offsets[i + 1]!;
    let left = most ?? Number.POSITIVE_INFINITY;
    // As many as there can be at most.
    out.grow(to - offsets[i]! + grows * Math.floor((to - offsets[i]!) / pattern.length));
    const { bytes: target } = out;
    let end = out.at;
    for (let at = offsets[i]!; at < to; ) {
      if (bytes[at] === first && left > 0 && isAt(bytes, at, to, pattern)) {
        for (let k = 0; k < by.length; k++) target[end++] = by[k]!;
        at += pattern.length;
        left--;
      } else target[end++] = bytes[at++]!;
    }
    out.at = end;
    out.end();
  }
  return out.done(texts);
}

function isAt(bytes: Uint8Array, at: number, to: number, pattern: Uint8Array): boolean {
  if (at + pattern.length > to) return false;
  for (let k = 1; k < pattern.length; k++) if (bytes[at + k] !== pattern[k]) return false;
  return true;
}

/** `$1` and `$<name>` in the replacement are groups. */
export function regexReplaced(texts: StringLayout, { replacement, most, ...by }: Replacing): StringLayout {
  const regex = regexOf(by, "g");
  const out = new TextBuilder(texts.length, texts.offsets[texts.length]! - texts.offsets[0]!);
  const single = regexOf(by, "y");
  for (const text of stringsIn(texts)) {
    let left = most ?? Number.POSITIVE_INFINITY;
    if (most === null) out.text(text.replace(regex, replacement));
    else
      out.text(
        text.replace(regex, (found, ...rest) => {
          if (left-- <= 0) return found;
          const at = rest.find((value) => typeof value === "number") as number;
          single.lastIndex = at;
          // With what stands around it, which the expression may look at.
          const whole = text.replace(single, replacement);
          return whole.slice(at, whole.length - (text.length - at - found.length));
        }),
      );
    out.end();
  }
  return out.done(texts);
}

// Lists of parts.

export interface Splitting {
  /** Null: as often as it is there. */
  readonly most: number | null;
  /** The last ones are kept apart, where there are more. */
  readonly reverse: boolean;
}

/** Of each text its parts, which `cuts` tells by pairs of bytes: where the part ends, and where the next begins. */
function split(
  texts: StringLayout,
  { most, reverse }: Splitting,
  cutsOf: (row: number, from: number, to: number) => readonly number[],
): Plain {
  const { bytes, offsets, length } = texts;
  const counts = new Int32Array(length + 1);
  const parts: number[] = [];
  for (let i = 0; i < length; i++) {
    const all = cutsOf(i, offsets[i]!, offsets[i + 1]!);
    const kept =
      most === null ? all : reverse ? all.slice(Math.max(0, all.length - 2 * most)) : all.slice(0, 2 * most);
    parts.push(offsets[i]!, ...kept, offsets[i + 1]!);
    counts[i + 1] = parts.length / 2;
  }
  const out = new TextBuilder(parts.length / 2, offsets[length]! - offsets[0]!);
  for (let k = 0; k < parts.length; k += 2) {
    out.copy(bytes, parts[k]!, parts[k + 1]!);
    out.end();
  }
  return listOf<Plain>(counts, out.done(texts));
}

export function splitAt(texts: StringLayout, text: string, splitting: Splitting): Plain {
  const pattern = bytesOfText(text);
  if (pattern.length === 0)
    throw new ValueError({ what: "the pattern is empty", cure: "Say where texts are cut" });
  if (splitting.most === null) return splitAll(texts, pattern);
  const skips = skipsOf(pattern);
  return split(texts, splitting, (_, from, to) => {
    const cuts: number[] = [];
    for (let at = foundIn(texts.bytes, from, to, pattern, skips); at >= 0; ) {
      cuts.push(at, at + pattern.length);
      at = foundIn(texts.bytes, at + pattern.length, to, pattern, skips);
    }
    return cuts;
  });
}

/** At every place: the bytes between go where they belong in one walk. */
function splitAll(texts: StringLayout, pattern: Uint8Array): Plain {
  const { bytes, offsets, length } = texts;
  const total = offsets[length]! - offsets[0]!;
  const out = new Uint8Array(total);
  const counts = new Int32Array(length + 1);
  // Every part but the first of a text has a pattern before it.
  const ends = new Int32Array(length + Math.floor(total / pattern.length) + 1);
  let [end, part] = [0, 0];
  for (let i = 0; i < length; i++) {
    const to = offsets[i + 1]!;
    for (let at = offsets[i]!; at < to; ) {
      if (bytes[at] === pattern[0] && isAt(bytes, at, to, pattern)) {
        ends[++part] = end;
        at += pattern.length;
      } else out[end++] = bytes[at++]!;
    }
    ends[++part] = end;
    counts[i + 1] = part;
  }
  const { encoding, parameters } = texts;
  const parts = stringOf(ends.slice(0, part + 1), out.subarray(0, end), encoding);
  return listOf<Plain>(counts, { ...parts, parameters });
}

export function splitRegex(texts: StringLayout, by: Pattern, splitting: Splitting): Plain {
  const regex = regexOf(by, "g");
  const isPlain = isSingle(texts);
  const strings = stringsIn(texts);
  return split(texts, splitting, (_, from) => {
    const text = strings.next().value as string;
    const byteAt = (at: number): number => from + (isPlain ? at : bytesOfText(text.slice(0, at)).length);
    return [...text.matchAll(regex)]
      .filter(([found]) => found !== "")
      .flatMap(({ index, 0: found }) => [byteAt(index), byteAt(index + found.length)]);
  });
}
