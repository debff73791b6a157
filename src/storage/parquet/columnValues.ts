// Decoded bytes as values of the column's type. In: a store of physical values. Out: typed arrays: unsigned and short
// integers as such, times as int64 in their unit, decimals of up to 18 digits as int64, half floats as float32. Also:
// values put into their slots, with zeros where there are nulls.

import type { RealDType, TypedArray } from "../../core/dtype.ts";
import type { Values } from "./column.ts";
import { Damage, Unsupported } from "./errors.ts";
import { grown } from "./levels.ts";
import type { Physical } from "./names.ts";
import type { LeafType } from "./schema.ts";

// Where decoded values are gathered, page by page: values of a fixed width as bytes one after another, byte arrays as
// offsets and bytes. What must hold: memory grows by what pages bring, never by what a header claims, and not beyond
// `limit` bytes for a chunk.

export type ValueStore = FixedStore | BytesStore;

/** Bytes of a value; null for byte arrays. Booleans are a byte each. */
const WIDTHS: { readonly [P in Exclude<Physical, "fixed" | "byteArray">]: number } = {
  boolean: 1,
  int32: 4,
  int64: 8,
  int96: 12,
  float: 4,
  double: 8,
};

export function newStore({ physical, length }: LeafType, expected: number, limit: number): ValueStore {
  if (physical === "byteArray") return new BytesStore(expected, limit);
  return new FixedStore(physical === "fixed" ? length : WIDTHS[physical], expected, limit);
}

export class FixedStore {
  readonly kind = "fixed";
  readonly width: number;
  count = 0;
  bytes: Uint8Array = new Uint8Array(0);
  readonly #expected: number;
  readonly #limit: number;

  constructor(width: number, expected: number, limit: number) {
    this.width = width;
    this.#expected = expected;
    this.#limit = limit;
  }

  /** Makes room for more values; where the first of them begins, in values. */
  extend(more: number): number {
    const first = this.count;
    this.count += more;
    const needed = this.count * this.width;
    checkLimit(needed, this.#limit);
    const most = Math.min(this.#limit, this.#expected * this.width);
    if (needed > this.bytes.length) this.bytes = enlarged(this.bytes, grown(this.bytes.length, needed, most));
    return first;
  }

  /** Only the values from `from` to before `to` stay. */
  cut(from: number, to: number): void {
    this.bytes.copyWithin(0, from * this.width, to * this.width);
    this.count = to - from;
  }

  words(): Uint32Array {
    return new Uint32Array(this.bytes.buffer, 0, this.bytes.length >>> 2);
  }
}

export class BytesStore {
  readonly kind = "bytes";
  count = 0;
  /** One more than values, the first 0. */
  offsets: Int32Array = new Int32Array(1);
  bytes: Uint8Array = new Uint8Array(0);
  readonly #expected: number;
  readonly #limit: number;

  constructor(expected: number, limit: number) {
    this.#expected = expected + 1;
    this.#limit = limit;
  }

  get size(): number {
    return this.offsets[this.count]!;
  }

  /** Makes room for more values; their offsets are to be written from the index that comes out, plus one. */
  extend(more: number): number {
    const first = this.count;
    const needed = first + more + 1;
    checkLimit(4 * needed, this.#limit);
    if (needed > this.offsets.length) {
      const offsets = new Int32Array(grown(this.offsets.length, needed, this.#expected));
      offsets.set(this.offsets);
      this.offsets = offsets;
    }
    this.count += more;
    return first;
  }

  /** Only the values from `from` to before `to` stay. */
  cut(from: number, to: number): void {
    const { offsets } = this;
    const [first, last] = [offsets[from]!, offsets[to]!];
    this.bytes.copyWithin(0, first, last);
    for (let i = from; i <= to; i++) offsets[i - from] = offsets[i]! - first;
    this.count = to - from;
  }

  /** Makes room for so many bytes in all. */
  reserve(size: number): void {
    checkLimit(size, this.#limit);
    if (size <= this.bytes.length) return;
    this.bytes = enlarged(this.bytes, Math.min(this.#limit, Math.max(size, 2 * this.bytes.length)));
  }
}

function checkLimit(size: number, limit: number): void {
  if (size <= limit) return;
  if (!Number.isSafeInteger(size)) throw new Damage(`values of ${size} bytes`);
  throw new Unsupported(
    `the values of one row group take more than ${limit} bytes: raise maxChunkBytes if that is right, or write smaller row groups`,
  );
}

/** Lengths are multiples of 8, so that every typed array fits the buffer. */
function enlarged(old: Uint8Array, size: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(size / 8) * 8);
  bytes.set(old);
  return bytes;
}

/** Decimals of so many digits fit an int64. */
const WIDE_DIGITS = 18;

/** The dtype of the numbers that a column becomes; null for bytes. */
export function dtypeOfLeaf({ physical, length, logical }: LeafType): RealDType | null {
  switch (physical) {
    case "boolean":
      return "bool";
    case "int32":
      if (logical?.kind !== "int" || logical.bits === 64) return "int32";
      return `${logical.signed ? "" : "u"}int${logical.bits}` as RealDType;
    case "int64":
      return logical?.kind === "int" && !logical.signed ? "uint64" : "int64";
    case "int96":
      return "int64";
    case "float":
      return "float32";
    case "double":
      return "float64";
    case "byteArray":
      return isSmallDecimal(logical) ? "int64" : null;
    case "fixed":
      if (logical?.kind === "float16" && length === 2) return "float16";
      return isSmallDecimal(logical) ? "int64" : null;
  }
}

const isSmallDecimal = (logical: LeafType["logical"]): boolean =>
  logical?.kind === "decimal" && logical.precision <= WIDE_DIGITS;

export function valuesOf(store: ValueStore, type: LeafType): Values {
  const dtype = dtypeOfLeaf(type);
  if (dtype !== null) return { kind: "numbers", dtype, data: numbersOf(store, type, dtype) };
  const { bytes, count } = store;
  if (store.kind === "bytes")
    return {
      kind: "bytes",
      offsets: store.offsets.subarray(0, count + 1),
      data: bytes.subarray(0, store.size),
    };
  return { kind: "fixed", size: store.width, data: bytes.subarray(0, count * store.width) };
}

function numbersOf(store: ValueStore, type: LeafType, dtype: RealDType): TypedArray {
  if (store.kind === "bytes") return decimalsOfBytes(store);
  const { count } = store;
  const { buffer } = store.bytes;
  switch (type.physical) {
    case "boolean":
      return store.bytes.subarray(0, count);
    case "float":
      return new Float32Array(buffer, 0, count);
    case "double":
      return new Float64Array(buffer, 0, count);
    case "int64":
      return dtype === "uint64" ? new BigUint64Array(buffer, 0, count) : new BigInt64Array(buffer, 0, count);
    case "int96":
      return nanosecondsOf(store);
    case "int32":
      return shortened(new Int32Array(buffer, 0, count), dtype);
    default:
      return dtype === "float16" ? new Uint16Array(buffer, 0, count) : decimalsOfFixed(store);
  }
}

function shortened(data: Int32Array, dtype: RealDType): TypedArray {
  switch (dtype) {
    case "int8":
      return Int8Array.from(data);
    case "int16":
      return Int16Array.from(data);
    case "uint8":
      return Uint8Array.from(data);
    case "uint16":
      return Uint16Array.from(data);
    case "uint32":
      return new Uint32Array(data.buffer, data.byteOffset, data.length);
    default:
      return data;
  }
}

function decimalsOfFixed({ bytes, count, width }: FixedStore): BigInt64Array {
  const result = new BigInt64Array(count);
  const words = new Int32Array(result.buffer);
  for (let i = 0; i < count; i++) writeDecimal(bytes, i * width, (i + 1) * width, words, 2 * i);
  return result;
}

function decimalsOfBytes({ bytes, count, offsets }: BytesStore): BigInt64Array {
  const result = new BigInt64Array(count);
  const words = new Int32Array(result.buffer);
  for (let i = 0; i < count; i++) writeDecimal(bytes, offsets[i]!, offsets[i + 1]!, words, 2 * i);
  return result;
}

/** Two's complement, highest byte first; what is before the last eight bytes is sign. */
function writeDecimal(bytes: Uint8Array, start: number, end: number, words: Int32Array, to: number): void {
  let high = start < end && bytes[start]! >= 128 ? -1 : 0;
  let low = high;
  for (let at = Math.max(start, end - 8); at < end; at++) {
    high = (high << 8) | (low >>> 24);
    low = (low << 8) | bytes[at]!;
  }
  words[to] = low;
  words[to + 1] = high;
}

/** The Julian day of 1970-01-01. */
const EPOCH_DAY = 2440588;
const NANOSECONDS_PER_DAY = 86_400_000_000_000n;
/** Days from 1970 on, either way, whose nanoseconds fit 63 bits. */
const MOST_DAYS = 106_750;

/** A time as nanoseconds of a day (8 bytes) and a Julian day (4 bytes). */
function nanosecondsOf({ bytes, count }: FixedStore): BigInt64Array {
  const view = new DataView(bytes.buffer);
  const result = new BigInt64Array(count);
  for (let i = 0; i < count; i++) {
    const day = view.getInt32(12 * i + 8, true) - EPOCH_DAY;
    if (Math.abs(day) > MOST_DAYS)
      throw new Unsupported(
        `an int96 time ${day} days from 1970, which is more than nanoseconds in 64 bits can say`,
      );
    result[i] = BigInt(day) * NANOSECONDS_PER_DAY + view.getBigInt64(12 * i, true);
  }
  return result;
}

/** The values in their slots: one where `present` is 1, zero elsewhere. */
export function scattered(values: Values, present: Uint8Array): Values {
  switch (values.kind) {
    case "bytes":
      return { ...values, offsets: scatteredOffsets(values.offsets, present) };
    case "fixed":
      return { ...values, data: scatteredBytes(values.data, values.size, present) };
    case "numbers": {
      const { data } = values;
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      const spread = scatteredBytes(bytes, data.BYTES_PER_ELEMENT, present);
      const ArrayOf = data.constructor as new (buffer: ArrayBufferLike) => TypedArray;
      return { ...values, data: new ArrayOf(spread.buffer) };
    }
  }
}

/** A null is a value of no bytes. */
function scatteredOffsets(offsets: Int32Array, present: Uint8Array): Int32Array {
  const result = new Int32Array(present.length + 1);
  let from = 0;
  result[0] = offsets[0]!;
  for (let i = 0; i < present.length; i++) {
    from += present[i]!;
    result[i + 1] = offsets[from]!;
  }
  return result;
}

/** By words where values are words: neither a NaN's bits nor BigInts get in the way. */
function scatteredBytes(bytes: Uint8Array, width: number, present: Uint8Array): Uint8Array {
  const result = new Uint8Array(present.length * width);
  const words = width % 4 === 0 && bytes.byteOffset % 4 === 0 ? width / 4 : 0;
  if (words > 0) {
    const source = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    spread(source, new Uint32Array(result.buffer), words, present);
  } else spread(bytes, result, width, present);
  return result;
}

function spread<A extends Uint8Array | Uint32Array>(
  source: A,
  target: A,
  width: number,
  present: Uint8Array,
): void {
  let from = 0;
  for (let i = 0; i < present.length; i++) {
    if (present[i] === 0) continue;
    for (let j = 0; j < width; j++) target[i * width + j] = source[from++]!;
  }
}
