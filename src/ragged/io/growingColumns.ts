// Columns that grow. In: JavaScript values, one after another. Out: typed arrays. A column keeps no value as an object:
// numbers go straight into memory that doubles when it is full.

import type { TypedArray } from "../../core/dtype.ts";

interface Growable<T extends TypedArray> {
  new (length: number): T;
}

/** A typed array with room at its end. */
export class Column<T extends Float64Array | Int32Array | Uint8Array | Int8Array> {
  readonly #make: Growable<T>;
  #data: T;
  length = 0;

  constructor(make: Growable<T>) {
    this.#make = make;
    this.#data = new make(16);
  }

  push(value: number): void {
    if (this.length === this.#data.length) this.#grow(this.length + 1);
    this.#data[this.length++] = value;
  }

  append(values: ArrayLike<number>): void {
    if (this.length + values.length > this.#data.length) this.#grow(this.length + values.length);
    this.#data.set(values, this.length);
    this.length += values.length;
  }

  #grow(needed: number): void {
    const data = new this.#make(Math.max(needed, 2 * this.#data.length));
    data.set(this.#data);
    this.#data = data;
  }

  at(i: number): number {
    return this.#data[i]!;
  }

  /** Exactly what was pushed. */
  finish(): T {
    return this.#data.slice(0, this.length) as T;
  }
}

/** 64-bit integers, as pairs of halves: small numbers never become bigints. */
export class WideColumn {
  readonly #halves = new Column(Int32Array);

  get length(): number {
    return this.#halves.length / 2;
  }

  push(value: number): void {
    this.#halves.push(value | 0);
    this.#halves.push(Math.floor(value / 2 ** 32));
  }

  pushBig(value: bigint): void {
    this.#halves.push(Number(BigInt.asIntN(32, value)));
    this.#halves.push(Number(BigInt.asIntN(32, value >> 32n)));
  }

  finish(): BigInt64Array {
    return new BigInt64Array(this.#halves.finish().buffer as ArrayBuffer);
  }
}
