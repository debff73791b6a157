// Strings as values. In: JavaScript strings or string nodes. Out: string nodes, comparisons byte by byte. Two strings
// are equal when their bytes are: UTF-8 has one spelling for every text.

import { offsetsOfCounts } from "../layout/indices.ts";
import { type NumpyLayout, numpyOf, type StringLayout, stringOf } from "../layout/layout.ts";

const encoder = new TextEncoder();

export function stringsOf(texts: readonly string[]): StringLayout {
  const parts = texts.map((text) => encoder.encode(text));
  const offsets = offsetsOfCounts(Int32Array.from(parts, (part) => part.length));
  const bytes = new Uint8Array(offsets[texts.length]!);
  parts.forEach((part, i) => bytes.set(part, offsets[i]!));
  return stringOf(offsets, bytes);
}

/** Row by row; a node of one row stands for all. */
export function equalStrings(a: StringLayout, b: StringLayout, length: number, negate: boolean): NumpyLayout {
  const out = new Uint8Array(length);
  const stepA = a.length === 1 ? 0 : 1;
  const stepB = b.length === 1 ? 0 : 1;
  for (let i = 0; i < length; i++) {
    const same = sameText(a, a.length === length ? i : i * stepA, b, b.length === length ? i : i * stepB);
    out[i] = same !== negate ? 1 : 0;
  }
  return numpyOf(out, "bool");
}

export function sameText(a: StringLayout, i: number, b: StringLayout, j: number): boolean {
  const fromA = a.offsets[i]!;
  const fromB = b.offsets[j]!;
  const count = a.offsets[i + 1]! - fromA;
  if (b.offsets[j + 1]! - fromB !== count) return false;
  for (let at = 0; at < count; at++) if (a.bytes[fromA + at] !== b.bytes[fromB + at]) return false;
  return true;
}
