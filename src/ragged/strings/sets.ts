// Texts among others, joined with others, and taken apart by groups. In: texts, and a set, lists or an expression. Out: truths, places,
// texts, records.

import {
  indexedOptionOf,
  type ListOffsetLayout,
  type NumpyLayout,
  numpyOf,
  type Plain,
  recordOf,
  type StringLayout,
} from "../layout/layout.ts";
import { stringsOf } from "../ops/strings.ts";
import { type Pattern, regexOf } from "./search.ts";
import { bytesOfText, stringsIn, TextBuilder } from "./texts.ts";

/** Texts and where they stand in a set, by their bytes. */
class ByteSet {
  readonly #byHash = new Map<number, [Uint8Array, number][]>();

  constructor(texts: readonly string[]) {
    texts.forEach((text, place) => {
      const bytes = bytesOfText(text);
      const hash = hashOf(bytes, 0, bytes.length);
      const same = this.#byHash.get(hash) ?? [];
      if (this.placeOf(bytes, 0, bytes.length) < 0) same.push([bytes, place]);
      this.#byHash.set(hash, same);
    });
  }

  placeOf(bytes: Uint8Array, from: number, to: number): number {
    for (const [own, place] of this.#byHash.get(hashOf(bytes, from, to)) ?? []) {
      let k = own.length === to - from ? 0 : -1;
      while (k >= 0 && k < own.length && own[k] === bytes[from + k]) k++;
      if (k === own.length) return place;
    }
    return -1;
  }
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash;
}

function placesIn({ bytes, offsets, length }: StringLayout, set: readonly string[]): Int32Array {
  const known = new ByteSet(set);
  const places = new Int32Array(length);
  for (let i = 0; i < length; i++) places[i] = known.placeOf(bytes, offsets[i]!, offsets[i + 1]!);
  return places;
}

export const isIn = (texts: StringLayout, set: readonly string[]): NumpyLayout =>
  numpyOf(
    Uint8Array.from(placesIn(texts, set), (place) => Number(place >= 0)),
    "bool",
  );

/** Null where it is not among them. */
export function indexIn(texts: StringLayout, set: readonly string[]): Plain {
  const places = placesIn(texts, set);
  return indexedOptionOf<Plain>(places, numpyOf(BigInt64Array.from(set, (_, i) => BigInt(i))));
}

/** All texts of each list, with another text between them. */
export function joined(lists: ListOffsetLayout<Plain>, texts: StringLayout, by: StringLayout): StringLayout {
  const { offsets } = lists;
  const out = new TextBuilder(lists.length, texts.offsets[texts.length]! - texts.offsets[0]!);
  for (let i = 0; i < lists.length; i++) {
    const own = by.length === 1 ? 0 : i;
    for (let k = offsets[i]!; k < offsets[i + 1]!; k++) {
      if (k > offsets[i]!) out.copy(by.bytes, by.offsets[own]!, by.offsets[own + 1]!);
      out.copy(texts.bytes, texts.offsets[k]!, texts.offsets[k + 1]!);
    }
    out.end();
  }
  return out.done(texts);
}

/** Row i of every array, one after another, with row i of the last between them; one text is for all rows. */
export function joinedRows(columns: readonly StringLayout[], rows: number): StringLayout {
  const [by, texts] = [columns.at(-1)!, columns.slice(0, -1)];
  const out = new TextBuilder(rows, 16 * rows);
  const add = ({ bytes, offsets, length }: StringLayout, row: number): void => {
    const at = length === rows ? row : 0;
    out.copy(bytes, offsets[at]!, offsets[at + 1]!);
  };
  for (let i = 0; i < rows; i++) {
    texts.forEach((column, k) => {
      if (k > 0) add(by, i);
      add(column, i);
    });
    out.end();
  }
  return out.done({ encoding: "utf8", parameters: {} });
}

/** Records of the groups that have names, null where there is no match. */
export function extracted(texts: StringLayout, by: Pattern): Plain {
  const regex = regexOf(by);
  const names = [...by.pattern.matchAll(/\(\?<([A-Za-z_$][\w$]*)>/g)].map(([, name]) => name!);
  const found = Array.from(stringsIn(texts), (text) => regex.exec(text)?.groups ?? null);
  const some = found.filter((groups) => groups !== null);
  const columns = names.map((name): Plain => {
    const values = some.map((groups) => groups[name]);
    let next = 0;
    const index = Int32Array.from(values, (value) => (value === undefined ? -1 : next++));
    return indexedOptionOf<Plain>(index, stringsOf(values.filter((value) => value !== undefined)));
  });
  let next = 0;
  const index = Int32Array.from(found, (groups) => (groups === null ? -1 : next++));
  return indexedOptionOf<Plain>(index, recordOf<Plain>(names, columns, some.length));
}
