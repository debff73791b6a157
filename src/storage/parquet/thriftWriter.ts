// Thrift's compact protocol, written. In: structs as lists of [field number, value], in ascending order; numbers say
// their width by the wrapper that carries them. Out: bytes.

import { utf8 } from "../zarr/zarrJson.ts";

export interface Int {
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
      // All of Parquet's field numbers follow each other by less than 16.
      this.#byte(((id - last) << 4) | type);
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
