// Texts changed character by character: cases, order. In: texts. Out: texts. Where all of them are ASCII, bytes are changed where they
// lie and nothing else is looked at.

import type { StringLayout } from "../layout/layout.ts";
import { KIND, kindOf, lowerOf, upperOf } from "./characters.ts";
import { codePointAt, isSingle, TextBuilder, widthOf } from "./texts.ts";

/** What becomes of a character; `isInside`: the one before it has cases (title), or there is one before it (capitalize). */
type Change = (code: number, isInside: boolean) => number;

interface CaseChange {
  readonly change: Change;
  /** Is what follows a character inside of a word? Nothing is, for changes that do not ask. */
  readonly goesOn: ((code: number) => boolean) | null;
}

const isCased = (code: number): boolean => (kindOf(code) & (KIND.lower | KIND.upper | KIND.title)) !== 0;

export const CASES: { readonly [name: string]: CaseChange } = {
  lower: { change: lowerOf, goesOn: null },
  upper: { change: upperOf, goesOn: null },
  swapcase: {
    change: (code) => ((kindOf(code) & KIND.upper) !== 0 ? lowerOf(code) : upperOf(code)),
    goesOn: null,
  },
  capitalize: { change: (code, isInside) => (isInside ? lowerOf(code) : upperOf(code)), goesOn: () => true },
  title: { change: (code, isInside) => (isInside ? lowerOf(code) : upperOf(code)), goesOn: isCased },
};

export function changed(texts: StringLayout, { change, goesOn }: CaseChange): StringLayout {
  if (isSingle(texts)) return goesOn === null ? mapped(texts, change) : mappedInWords(texts, change, goesOn);
  const { bytes, offsets, length } = texts;
  const out = new TextBuilder(length, offsets[length]! - offsets[0]!);
  for (let i = 0; i < length; i++) {
    let isInside = false;
    for (let at = offsets[i]!; at < offsets[i + 1]!; at += widthOf(bytes[at]!)) {
      const code = codePointAt(bytes, at);
      out.point(change(code, isInside));
      if (goesOn !== null) isInside = goesOn(code);
    }
    out.end();
  }
  return out.done(texts);
}

/** Bytes of other alphabets stay, in bytestrings. */
const tableOf = (change: Change, isInside: boolean): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, code) => (code < 128 ? change(code, isInside) : code));

function mapped(texts: StringLayout, change: Change): StringLayout {
  const { bytes, offsets, length } = texts;
  const table = tableOf(change, false);
  const [first, last] = [offsets[0]!, offsets[length]!];
  const out = new Uint8Array(last - first);
  for (let at = 0; at < out.length; at++) out[at] = table[bytes[first + at]!]!;
  return { ...texts, bytes: out, offsets: first === 0 ? offsets : offsets.map((offset) => offset - first) };
}

function mappedInWords(texts: StringLayout, change: Change, goesOn: (code: number) => boolean): StringLayout {
  const { bytes, offsets, length } = texts;
  const [outside, inside] = [tableOf(change, false), tableOf(change, true)];
  const on = Uint8Array.from({ length: 256 }, (_, code) => Number(code < 128 && goesOn(code)));
  const [first, last] = [offsets[0]!, offsets[length]!];
  const out = new Uint8Array(last - first);
  for (let i = 0; i < length; i++) {
    let isInside = 0;
    for (let at = offsets[i]!; at < offsets[i + 1]!; at++) {
      const byte = bytes[at]!;
      out[at - first] = (isInside === 1 ? inside : outside)[byte]!;
      isInside = on[byte]!;
    }
  }
  return { ...texts, bytes: out, offsets: first === 0 ? offsets : offsets.map((offset) => offset - first) };
}

/** The last character first. */
export function reversed(texts: StringLayout): StringLayout {
  const { bytes, offsets, length } = texts;
  const isBytes = isSingle(texts);
  const out = new TextBuilder(length, offsets[length]! - offsets[0]!);
  out.grow(offsets[length]! - offsets[0]!);
  for (let i = 0; i < length; i++) {
    const size = offsets[i + 1]! - offsets[i]!;
    const end = out.at + size;
    if (isBytes) for (let at = offsets[i]!, to = end; at < offsets[i + 1]!; ) out.bytes[--to] = bytes[at++]!;
    else
      for (let at = offsets[i]!, to = end; at < offsets[i + 1]!; ) {
        const width = widthOf(bytes[at]!);
        to -= width;
        for (let k = 0; k < width; k++) out.bytes[to + k] = bytes[at + k]!;
        at += width;
      }
    out.at = end;
    out.end();
  }
  return out.done(texts);
}
