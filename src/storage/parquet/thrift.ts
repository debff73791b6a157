// Thrift's compact protocol, as Parquet uses it for footers and page headers. In: bytes from anywhere. Out: a struct
// as an array indexed by field number. What must hold: no list is longer than the bytes that are left, nesting is
// bounded, a number that no double holds is NaN; anything else that does not fit is Damage.

import { utf8 } from "../zarr/zarrJson.ts";
import { Damage } from "./errors.ts";

// Thrift's compact protocol, written. In: structs as lists of [field number, value], in ascending order; numbers say
// their width by the wrapper that carries them. Out: bytes.

interface Int {
  readonly width: 8 | 32 | 64;
  readonly value: number;
}
export type Writable = Int | boolean | string | Uint8Array | readonly Writable[] | Struct;
/** Fields that are undefined are left out. */
export class Struct {
  readonly fields: readonly (readonly [id: number, value: Writable | undefined])[];

  constructor(...fields: (readonly [id: number, value: Writable | undefined])[]) {
    this.fields = fields;
  }
}

export const i8 = (value: number): Int => ({ width: 8, value });
export const i32 = (value: number): Int => ({ width: 32, value });
export const i64 = (value: number): Int => ({ width: 64, value });

const TYPE_OF_WIDTH = { 8: 3, 32: 5, 64: 6 } as const;

export function thriftBytes(struct: Struct): Uint8Array {
  const writer = new ThriftWriter();
  writer.struct(struct);
  return writer.done();
}

class ThriftWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  done(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  struct({ fields }: Struct): void {
    let last = 0;
    for (const [id, value] of fields) {
      if (value === undefined) continue;
      const type = value === false ? 2 : typeOf(value);
      const step = id - last;
      if (step < 16) this.#byte((step << 4) | type);
      else {
        this.#byte(type);
        this.#unsigned(2 * id);
      }
      last = id;
      if (typeof value !== "boolean") this.#value(value);
    }
    this.#byte(0);
  }

  #value(value: Exclude<Writable, boolean>): void {
    if (typeof value === "string") this.#binary(utf8(value));
    else if (value instanceof Uint8Array) this.#binary(value);
    else if (value instanceof Struct) this.struct(value);
    else if ("width" in value) {
      if (value.width === 8) this.#byte(value.value & 255);
      else this.#unsigned(value.value < 0 ? -2 * value.value - 1 : 2 * value.value);
    } else this.#list(value);
  }

  #list(items: readonly Writable[]): void {
    const type = items.length === 0 ? 5 : typeOf(items[0]!);
    this.#byte((Math.min(items.length, 15) << 4) | type);
    if (items.length >= 15) this.#unsigned(items.length);
    for (const item of items) {
      if (typeof item === "boolean") this.#byte(item ? 1 : 2);
      else this.#value(item);
    }
  }

  #binary(bytes: Uint8Array): void {
    this.#unsigned(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #unsigned(value: number): void {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#byte((rest % 128) | 128);
    this.#byte(rest);
  }

  #byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + more));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

function typeOf(value: Writable): number {
  if (typeof value === "boolean") return 1;
  if (typeof value === "string" || value instanceof Uint8Array) return 8;
  if (value instanceof Struct) return 12;
  return "width" in value ? TYPE_OF_WIDTH[value.width] : 9;
}

export type ThriftValue = number | boolean | Uint8Array | ThriftValue[] | ThriftStruct;
/** The value of field n at index n; holes where a field was not written. */
export class ThriftStruct {
  readonly fields: (ThriftValue | undefined)[] = [];
}

const STOP = 0;
const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const SET = 10;
const STRUCT = 12;

/** Parquet's own structs nest less than ten deep. */
const DEEPEST = 32;
/** Field numbers beyond this are none of Parquet's: read and dropped. */
const MOST_FIELDS = 64;

export class ThriftReader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  struct(depth = 0): ThriftStruct {
    if (depth > DEEPEST) throw new Damage(`structs nested deeper than ${DEEPEST}`);
    const result = new ThriftStruct();
    let id = 0;
    for (;;) {
      const head = this.#byte();
      const type = head & 15;
      if (type === STOP) return result;
      id = head >>> 4 === 0 ? this.#signed() : id + (head >>> 4);
      const value = this.#value(type, depth);
      if (id >= 0 && id < MOST_FIELDS) result.fields[id] = value;
    }
  }

  #value(type: number, depth: number): ThriftValue {
    if (type === TRUE || type === FALSE) return type === TRUE;
    if (type === BYTE) return (this.#byte() << 24) >> 24;
    if (type > BYTE && type < DOUBLE) return this.#signed();
    if (type === DOUBLE) return new DataView(this.#take(8).slice().buffer).getFloat64(0, true);
    if (type === BINARY) return this.#take(this.#unsigned());
    if (type === LIST || type === SET) return this.#list(depth);
    if (type === STRUCT) return this.struct(depth + 1);
    throw new Damage(`a field of the unknown type ${type}`);
  }

  #list(depth: number): ThriftValue[] {
    if (depth > DEEPEST) throw new Damage(`lists nested deeper than ${DEEPEST}`);
    const head = this.#byte();
    const type = head & 15;
    const count = head >>> 4 === 15 ? this.#unsigned() : head >>> 4;
    // Every element takes a byte at least.
    if (!(count <= this.bytes.length - this.at))
      throw new Damage(`a list of ${count} elements in ${this.bytes.length - this.at} bytes`);
    const values: ThriftValue[] = [];
    for (let i = 0; i < count; i++)
      values.push(type === TRUE || type === FALSE ? this.#byte() === 1 : this.#value(type, depth + 1));
    return values;
  }

  #byte(): number {
    if (this.at >= this.bytes.length) throw new Damage("a header is cut short");
    return this.bytes[this.at++]!;
  }

  #take(length: number): Uint8Array {
    if (!(length <= this.bytes.length - this.at))
      throw new Damage(`text of ${length} bytes in ${this.bytes.length - this.at} bytes`);
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  #unsigned(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10; count++) {
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value <= Number.MAX_SAFE_INTEGER ? value : Number.NaN;
      scale *= 128;
    }
    throw new Damage("a number of more than ten bytes");
  }

  #signed(): number {
    const folded = this.#unsigned();
    return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
  }
}

/** A struct's field of one type, undefined when it is not there, Damage when it is of another. */
export function intAt(struct: ThriftStruct, id: number): number | undefined {
  const value = struct.fields[id];
  if (value === undefined || Number.isSafeInteger(value)) return value as number | undefined;
  throw new Damage(`field ${id} should be a whole number`);
}

export function flagAt(struct: ThriftStruct, id: number): boolean | undefined {
  const value = struct.fields[id];
  if (value === undefined || typeof value === "boolean") return value;
  throw new Damage(`field ${id} should be true or false`);
}

export function bytesAt(struct: ThriftStruct, id: number): Uint8Array | undefined {
  const value = struct.fields[id];
  if (value === undefined || value instanceof Uint8Array) return value;
  throw new Damage(`field ${id} should be text`);
}

const decoder = new TextDecoder();

export function textAt(struct: ThriftStruct, id: number): string | undefined {
  const bytes = bytesAt(struct, id);
  return bytes === undefined ? undefined : decoder.decode(bytes);
}

export function structAt(struct: ThriftStruct, id: number): ThriftStruct | undefined {
  const value = struct.fields[id];
  if (value === undefined || value instanceof ThriftStruct) return value;
  throw new Damage(`field ${id} should be a struct`);
}

export function listAt(struct: ThriftStruct, id: number): ThriftValue[] | undefined {
  const value = struct.fields[id];
  if (value === undefined || Array.isArray(value)) return value;
  throw new Damage(`field ${id} should be a list`);
}

export function structsAt(struct: ThriftStruct, id: number): ThriftStruct[] | undefined {
  const list = listAt(struct, id);
  if (list?.every((item) => item instanceof ThriftStruct)) return list as ThriftStruct[];
  if (list === undefined) return undefined;
  throw new Damage(`field ${id} should be a list of structs`);
}

/** A name by its number; undefined when the field is not there. */
export function nameAt<T>(
  struct: ThriftStruct,
  id: number,
  names: readonly T[],
  what: string,
): T | undefined {
  const number = intAt(struct, id);
  if (number === undefined) return undefined;
  const name = names[number];
  if (name === undefined) throw new Damage(`${what} ${number} is unknown`);
  return name;
}

export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Damage(`${what} is missing`);
  return value;
}

/** A count or an offset: a whole number, not negative. */
export function countAt(struct: ThriftStruct, id: number, what: string): number {
  const value = present(intAt(struct, id), what);
  if (value >= 0) return value;
  throw new Damage(`${what} is ${value}`);
}
