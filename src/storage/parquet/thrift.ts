// Thrift's compact protocol, as Parquet uses it for footers and page headers. In: bytes from anywhere. Out: a struct
// as an array indexed by field number. What must hold: no list is longer than the bytes that are left, nesting is
// bounded, a number that no double holds is NaN; anything else that does not fit is Damage.

import { Damage } from "./errors.ts";

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
