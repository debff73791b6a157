// The header of an npy file (versions 1 to 3). In: the first bytes of an object, from anybody. Out: how its elements are stored, its
// shape and where they begin; or the header of a new file.
// Must hold: sizes are checked before anything is made of them; what holds Python's objects is refused, never read.

import { describe, isLength, type Shape } from "../../core/chunks.ts";
import { CorruptDataError, MetadataError, NotSupportedError } from "../errors.ts";
import { type Endian, type StoredType, typeFromV2, typeToV2 } from "../zarr/storedType.ts";
import type { Json } from "../zarr/zarrJson.ts";

// Python's literals as data: what the header of an npy file is written in. In: text from anybody. Out: values, or an error that
// says where it stops making sense. Must hold: nothing is ever run; depth and length are bounded by the text's.

/** A dictionary is a Map; tuples and lists are both arrays. */
type Literal = string | number | boolean | null | readonly Literal[] | ReadonlyMap<string, Literal>;

const DEEPEST = 20;

function parseLiteral(text: string, where: string): Literal {
  const reader = new Reader(text, where);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  readonly #text: string;
  readonly #where: string;
  #at = 0;

  constructor(text: string, where: string) {
    this.#text = text;
    this.#where = where;
  }

  value(depth: number): Literal {
    this.#space();
    const next = this.#text[this.#at];
    if (depth > DEEPEST) throw this.#wrong(`brackets deeper than ${DEEPEST}`);
    if (next === "{") return this.#dictionary(depth);
    if (next === "(" || next === "[") return this.#sequence(next === "(" ? ")" : "]", depth);
    if (next === "'" || next === '"') return this.#string(next);
    return this.#word();
  }

  end(): void {
    this.#space();
    if (this.#at < this.#text.length) throw this.#wrong("more than one value");
  }

  #dictionary(depth: number): Literal {
    const entries = new Map<string, Literal>();
    this.#at++;
    while (!this.#closes("}")) {
      const key = this.value(depth + 1);
      if (typeof key !== "string" || entries.has(key))
        throw this.#wrong("a key that is no text, or there twice");
      this.#take(":");
      entries.set(key, this.value(depth + 1));
      if (!this.#closes("}")) this.#take(",");
    }
    this.#at++;
    return entries;
  }

  #sequence(end: string, depth: number): Literal {
    const items: Literal[] = [];
    this.#at++;
    let commas = 0;
    while (!this.#closes(end)) {
      items.push(this.value(depth + 1));
      if (this.#closes(end)) break;
      this.#take(",");
      commas++;
    }
    this.#at++;
    // "(3)" is a number in brackets.
    return end === ")" && items.length === 1 && commas === 0 ? items[0]! : items;
  }

  /** Without escapes: no name in a header needs one. */
  #string(quote: string): string {
    const end = this.#text.indexOf(quote, this.#at + 1);
    const value = this.#text.slice(this.#at + 1, end < 0 ? this.#at + 1 : end);
    if (end < 0 || /[\\\n]/.test(value)) throw this.#wrong("a text that does not end, or has escapes");
    this.#at = end + 1;
    return value;
  }

  #word(): Literal {
    // Old writers marked long numbers: 3L.
    const [word = "", digits] =
      /^(?:(-?\d{1,20})L?|True|False|None)\b/.exec(this.#text.slice(this.#at, this.#at + 24)) ?? [];
    if (word === "") throw this.#wrong("neither a text, a number nor a bracket");
    this.#at += word.length;
    if (digits !== undefined) return Number(digits);
    return word === "None" ? null : word === "True";
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #closes(end: string): boolean {
    this.#space();
    return this.#text[this.#at] === end;
  }

  #take(wanted: string): void {
    this.#space();
    if (this.#text[this.#at] !== wanted) throw this.#wrong(`no ${JSON.stringify(wanted)}`);
    this.#at++;
  }

  #wrong(what: string): MetadataError {
    const near = JSON.stringify(this.#text.slice(this.#at, this.#at + 20));
    return new MetadataError({
      what: `the header of the npy file has ${what} at character ${this.#at}, ${near}`,
      where: this.#where,
      cure: "It is not what NumPy writes; write it again",
    });
  }
}

export interface NpyHeader {
  readonly type: StoredType;
  readonly endian: Endian;
  readonly shape: Shape;
  /** The first axis is the fastest. */
  readonly isFortran: boolean;
  /** Where the elements begin. */
  readonly offset: number;
}

/** "\x93NUMPY" */
const MAGIC: readonly number[] = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** NumPy itself reads no more than 10,000 unless it is told to. */
const LONGEST = 1 << 20;
/** As many as NumPy has. */
const MOST_AXES = 64;

/** Bytes in which the length of the header is found. */
export const PREFIX_BYTES = 12;

export const isNpy = (bytes: Uint8Array): boolean => MAGIC.every((byte, i) => bytes[i] === byte);

/** Where elements begin, by the first bytes. */
export function headerEnd(prefix: Uint8Array, where: string): number {
  if (!isNpy(prefix))
    throw new MetadataError({
      what: "it does not begin as npy files do",
      where,
      cure: "Check the path: np.save writes such files",
    });
  const major = prefix[6]!;
  if (prefix.length < PREFIX_BYTES) throw cutShort(where, PREFIX_BYTES, prefix.length);
  if (major < 1 || major > 3)
    throw new NotSupportedError({
      what: `version ${major}.${prefix[7]} of the npy format is not supported`,
      where,
      cure: "Versions 1, 2 and 3 are",
    });
  const view = new DataView(prefix.buffer, prefix.byteOffset, prefix.byteLength);
  const [start, length] = major === 1 ? [10, view.getUint16(8, true)] : [12, view.getUint32(8, true)];
  if (length <= LONGEST) return start + length;
  throw new MetadataError({
    what: `a header of ${length} bytes, where ${LONGEST} are the most`,
    where,
    cure: "It is not what NumPy writes; write it again",
  });
}

export const cutShort = (where: string, wanted: number, found: number): CorruptDataError =>
  new CorruptDataError({
    what: `${wanted} bytes should be there and ${found} are`,
    where,
    cure: "The file was cut short; write it again",
  });

/** `bytes` are all up to where the elements begin. */
export function parseHeader(bytes: Uint8Array, where: string): NpyHeader {
  const start = bytes[6] === 1 ? 10 : 12;
  const text = new TextDecoder(bytes[6] === 3 ? "utf-8" : "latin1").decode(bytes.subarray(start));
  const fields = parseLiteral(text, where);
  const wrong = (what: string): never => {
    throw new MetadataError({ what, where, cure: "It is not what NumPy writes; write it again" });
  };
  if (!(fields instanceof Map)) return wrong("the header of the npy file is no dictionary");
  const [descr, isFortran, shape] = ["descr", "fortran_order", "shape"].map((name) => fields.get(name));
  if (typeof isFortran !== "boolean") return wrong(`fortran_order is ${describe(isFortran)}`);
  const { type, endian } = elementType(descr, where);
  return { type, endian, shape: checkedShape(shape, type, where), isFortran, offset: bytes.length };
}

function elementType(descr: Literal | undefined, where: string): { type: StoredType; endian: Endian } {
  if (typeof descr === "string" && /^\|?O/.test(descr))
    throw new NotSupportedError({
      what: "the file holds objects of Python, which only Python can make anything of",
      where,
      cure: "Save an array of numbers: np.save(path, x.astype(float))",
    });
  if (Array.isArray(descr))
    throw new NotSupportedError({
      what: "a structured dtype is not supported",
      where,
      cure: "Save its fields one by one: np.save(path, x['field'])",
    });
  return typeFromV2(descr as Json | undefined, where);
}

function checkedShape(shape: Literal | undefined, { bytes }: StoredType, where: string): Shape {
  const wrong = (what: string): never => {
    throw new MetadataError({ what, where, cure: "It is not what NumPy writes; write it again" });
  };
  if (!Array.isArray(shape) || shape.length > MOST_AXES) return wrong(`the shape is ${describe(shape)}`);
  const bad = shape.findIndex((length) => !isLength(length));
  if (bad >= 0) wrong(`axis ${bad} of the shape is ${describe(shape[bad])}`);
  const lengths = shape as readonly number[];
  const isEmpty = lengths.includes(0);
  let size = bytes;
  for (const length of lengths) {
    size *= length;
    if (!isEmpty && size > Number.MAX_SAFE_INTEGER)
      wrong(`an array of shape ${lengths.join(" × ")} has more bytes than there can be`);
  }
  return lengths;
}

/** The header of a new file, as NumPy writes it: little-endian, C order, and as long as makes elements lie well. */
export function headerBytes(type: StoredType, shape: Shape): Uint8Array {
  const lengths = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const text = `{'descr': '${typeToV2(type, "little")}', 'fortran_order': False, 'shape': (${lengths}), }`;
  const length = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const bytes = new Uint8Array(10 + length).fill(0x20);
  bytes.set([...MAGIC, 1, 0, length & 255, length >> 8]);
  bytes.set(new TextEncoder().encode(text), 10);
  bytes[bytes.length - 1] = 0x0a;
  return bytes;
}
