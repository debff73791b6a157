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

/** Texts and where they stand in a set, by their bytes: a table of twice as many slots, looked through from a text's own on. */
class ByteSet {
  readonly #slots: Int32Array;
  readonly #texts: readonly Uint8Array[];

  constructor(texts: readonly string[]) {
    this.#texts = texts.map(bytesOfText);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * texts.length + 2))).fill(-1);
    this.#texts.forEach((bytes, place) => {
      if (this.placeOf(bytes, 0, bytes.length) >= 0) return;
      let slot = this.#slotOf(bytes, 0, bytes.length);
      while (this.#slots[slot]! >= 0) slot = (slot + 1) & (this.#slots.length - 1);
      this.#slots[slot] = place;
    });
  }

  /** Of its length and three of its bytes: most texts that are not there differ in them. */
  #slotOf(bytes: Uint8Array, from: number, to: number): number {
    if (from === to) return 0;
    const hash =
      Math.imul((to - from) ^ (bytes[from]! << 8), 0x9e3779b1) ^
      Math.imul(bytes[to - 1]! ^ (bytes[(from + to) >> 1]! << 8), 0x85ebca6b);
    return (hash ^ (hash >>> 15)) & (this.#slots.length - 1);
  }

  placeOf(bytes: Uint8Array, from: number, to: number): number {
    const slots = this.#slots;
    for (
      let slot = this.#slotOf(bytes, from, to);
      slots[slot]! >= 0;
      slot = (slot + 1) & (slots.length - 1)
    ) {
      const own = this.#texts[slots[slot]!]!;
      if (own.length !== to - from) continue;
      let k = 0;
      while (k < own.length && own[k] === bytes[from + k]) k++;
      if (k === own.length) return slots[slot]!;
    }
    return -1;
  }
}

function placesIn({ bytes, offsets, length }: StringLayout, set: readonly string[]): Int32Array {
  const known = new ByteSet(set);
  const places = new Int32Array(length);
  for (let i = 0; i < length; i++) places[i] = known.placeOf(bytes, offsets[i]!, offsets[i + 1]!);
  return places;
}

export function isIn(texts: StringLayout, set: readonly string[]): NumpyLayout {
  const places = placesIn(texts, set);
  const out = new Uint8Array(places.length);
  for (let i = 0; i < out.length; i++) out[i] = Number(places[i]! >= 0);
  return numpyOf(out, "bool");
}

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
