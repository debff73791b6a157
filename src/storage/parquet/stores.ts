// Where decoded values are gathered, page by page: values of a fixed width as bytes one after another, byte arrays as
// offsets and bytes. What must hold: memory grows by what pages bring, never by what a header claims, and not beyond
// `limit` bytes for a chunk.

import { Damage, Unsupported } from "./errors.ts";
import { grown } from "./levels.ts";
import type { Physical } from "./names.ts";
import type { LeafType } from "./schema.ts";

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
