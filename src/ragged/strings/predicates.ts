// What all characters of a text are. In: texts. Out: true or false for each. A text without characters is no word and no number; it is
// ASCII and printable.

import { type NumpyLayout, numpyOf, type StringLayout } from "../layout/layout.ts";
import { ASCII_KINDS, KIND, kindOf } from "./characters.ts";
import { codePointAt, isAscii, isSingle, widthOf } from "./texts.ts";

/** Every character is of one of these kinds. */
const all =
  (kinds: number, ofNone: boolean): Predicate =>
  (bytes, from, to, isBytes) => {
    for (let at = from; at < to; ) {
      const byte = bytes[at]!;
      const kind = byte < 128 ? ASCII_KINDS[byte]! : isBytes ? 0 : kindOf(codePointAt(bytes, at));
      if ((kind & kinds) === 0) return false;
      at += isBytes ? 1 : widthOf(byte);
    }
    return to > from || ofNone;
  };

/** There is a character with cases, and all that have cases have this one. */
const cased =
  (wanted: number): Predicate =>
  (bytes, from, to, isBytes) => {
    let found = false;
    for (let at = from; at < to; ) {
      const byte = bytes[at]!;
      const kind = byte < 128 ? ASCII_KINDS[byte]! : isBytes ? 0 : kindOf(codePointAt(bytes, at));
      const cases = kind & (KIND.lower | KIND.upper | KIND.title);
      if (cases !== 0 && cases !== wanted) return false;
      found ||= cases !== 0;
      at += isBytes ? 1 : widthOf(byte);
    }
    return found;
  };

/** Capitals begin words and stand nowhere else; there is one. */
const isTitle: Predicate = (bytes, from, to, isBytes) => {
  let found = false;
  let isInside = false;
  for (let at = from; at < to; ) {
    const byte = bytes[at]!;
    const kind = byte < 128 ? ASCII_KINDS[byte]! : isBytes ? 0 : kindOf(codePointAt(bytes, at));
    const isCapital = (kind & (KIND.upper | KIND.title)) !== 0;
    const isLower = (kind & KIND.lower) !== 0;
    if (isCapital === isInside && (isCapital || isLower)) return false;
    found ||= isCapital;
    isInside = isCapital || isLower;
    at += isBytes ? 1 : widthOf(byte);
  }
  return found;
};

type Predicate = (bytes: Uint8Array, from: number, to: number, isBytes: boolean) => boolean;

export const PREDICATES: { readonly [name: string]: Predicate } = {
  isAlnum: all(KIND.letter | KIND.numeric, false),
  isAlpha: all(KIND.letter, false),
  isAscii: (bytes, from, to) => isAscii(bytes, from, to),
  isDecimal: all(KIND.decimal, false),
  isDigit: all(KIND.decimal, false),
  isLower: cased(KIND.lower),
  isNumeric: all(KIND.numeric, false),
  isPrintable: all(KIND.printable, true),
  isSpace: all(KIND.space, false),
  isTitle,
  isUpper: cased(KIND.upper),
};

export function holds(texts: StringLayout, predicate: Predicate): NumpyLayout {
  const { bytes, offsets, length } = texts;
  const isBytes = isSingle(texts);
  const out = new Uint8Array(length);
  for (let i = 0; i < length; i++) out[i] = Number(predicate(bytes, offsets[i]!, offsets[i + 1]!, isBytes));
  return numpyOf(out, "bool");
}
