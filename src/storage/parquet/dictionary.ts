// Values that are indices into a dictionary. In: the indices of a page, and the dictionary's values. Out: the values
// themselves, gathered behind those that are there already. What must hold: every index is in the dictionary.

import { Damage } from "./errors.ts";
import { type Cursor, unpackNumbers } from "./hybrid.ts";
import { copyBytes } from "./plain.ts";
import type { BytesStore, FixedStore, ValueStore } from "./stores.ts";

export function takeIndexed(cursor: Cursor, store: ValueStore, dictionary: ValueStore, count: number): void {
  if (count === 0) return;
  if (cursor.at >= cursor.end) throw new Damage("dictionary indices are cut short");
  const width = cursor.bytes[cursor.at++]!;
  const indices = indicesOf(cursor, width, count, dictionary.count);
  if (store.kind === "fixed") gatherFixed(store, dictionary as FixedStore, indices);
  else gatherBytes(store, dictionary as BytesStore, indices);
}

function indicesOf(cursor: Cursor, width: number, count: number, size: number): Uint32Array {
  const indices = unpackNumbers(cursor, width, count);
  let most = 0;
  for (let i = 0; i < count; i++) if (indices[i]! > most) most = indices[i]!;
  if (most >= size) throw new Damage(`the dictionary index ${most}, in a dictionary of ${size}`);
  return indices;
}

function gatherFixed(store: FixedStore, dictionary: FixedStore, indices: Uint32Array): void {
  const first = store.extend(indices.length);
  const { width } = store;
  if (width === 4) gatherWords(store.words(), dictionary.words(), indices, first);
  else if (width === 8) gatherPairs(store.words(), dictionary.words(), indices, first);
  else
    for (let i = 0; i < indices.length; i++)
      copyBytes(dictionary.bytes, indices[i]! * width, store.bytes, (first + i) * width, width);
}

function gatherWords(target: Uint32Array, source: Uint32Array, indices: Uint32Array, first: number): void {
  for (let i = 0; i < indices.length; i++) target[first + i] = source[indices[i]!]!;
}

/** Values of eight bytes as two words: neither a NaN's bits nor BigInts get in the way. */
function gatherPairs(target: Uint32Array, source: Uint32Array, indices: Uint32Array, first: number): void {
  for (let i = 0, to = 2 * first; i < indices.length; i++, to += 2) {
    const from = 2 * indices[i]!;
    target[to] = source[from]!;
    target[to + 1] = source[from + 1]!;
  }
}

function gatherBytes(store: BytesStore, dictionary: BytesStore, indices: Uint32Array): void {
  const first = store.extend(indices.length);
  const { offsets } = store;
  const { offsets: starts, bytes: source } = dictionary;
  let size = offsets[first]!;
  for (let i = 0; i < indices.length; i++) {
    const index = indices[i]!;
    size += starts[index + 1]! - starts[index]!;
    // Beyond 2³¹ it is stored wrong, and refused below.
    offsets[first + i + 1] = size;
  }
  store.reserve(size);
  const { bytes: target } = store;
  for (let i = 0; i < indices.length; i++) {
    const from = starts[indices[i]!]!;
    copyBytes(source, from, target, offsets[first + i]!, starts[indices[i]! + 1]! - from);
  }
}
