// Kinds of characters, and their cases, as Unicode has them; those of ASCII in a table. In: code points. Out: kinds, other code points.
// Cases are those of single characters, as Arrow and DuckDB change them: ß becomes ẞ, and no character becomes two.

import { once } from "../../core/block.ts";

/** Bits of kinds. */
export const KIND = {
  letter: 1,
  /** 0 to 9, and the like in other scripts. */
  decimal: 2,
  /** Also ², ½ and Roman numbers. */
  numeric: 4,
  lower: 8,
  upper: 16,
  space: 32,
  printable: 64,
  title: 128,
} as const;

const CLASSES: readonly (readonly [bit: number, pattern: RegExp])[] = [
  [KIND.letter, /^\p{L}$/u],
  [KIND.decimal, /^\p{Nd}$/u],
  [KIND.numeric, /^\p{N}$/u],
  [KIND.lower, /^\p{Lowercase}$/u],
  [KIND.upper, /^\p{Uppercase}$/u],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the separators of ASCII are space, as in Python
  [KIND.space, /^[\p{White_Space}\x1c-\x1f]$/u],
  [KIND.printable, /^[^\p{C}\p{Zl}\p{Zp}\p{Zs}]$|^ $/u],
  [KIND.title, /^\p{Lt}$/u],
];

function computedKind(code: number): number {
  // Half of a pair is no character.
  if (code >= 0xd800 && code < 0xe000) return 0;
  const text = String.fromCodePoint(code);
  return CLASSES.reduce((kind, [bit, pattern]) => (pattern.test(text) ? kind | bit : kind), 0);
}

export const ASCII_KINDS: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => computedKind(code));

/** Of the first plane, made when something of it is first asked for: 64 KiB. */
const PLANE = once(() => Uint8Array.from({ length: 0x10000 }, (_, code) => computedKind(code)));

export function kindOf(code: number): number {
  if (code < 128) return ASCII_KINDS[code]!;
  return code < 0x10000 ? PLANE()[code]! : computedKind(code);
}

const single = (code: number, changed: string): number => {
  const other = changed.codePointAt(0)!;
  return changed.length === String.fromCodePoint(other).length ? other : code;
};

export const lowerOf = (code: number): number =>
  code < 128
    ? code >= 65 && code <= 90
      ? code + 32
      : code
    : single(code, String.fromCodePoint(code).toLowerCase());

export function upperOf(code: number): number {
  if (code < 128) return code >= 97 && code <= 122 ? code - 32 : code;
  return code === 0xdf ? 0x1e9e : single(code, String.fromCodePoint(code).toUpperCase());
}
