// Where the bytes of an encoded chunk come from: an object of a store, a part of one (a chunk in a shard), or
// memory. Ranges are read without the rest where the store can.

import {
  type ByteRange,
  cut,
  readRange,
  type Store,
  type StoreKey,
  type StoreOptions,
  tooShort,
} from "../store.ts";

export interface ByteSource {
  /** For errors. */
  readonly where: string;
  /** True when a range costs less than the whole. */
  readonly hasRanges: boolean;
  all(options: StoreOptions): Promise<Uint8Array | undefined>;
  range(range: ByteRange, options: StoreOptions): Promise<Uint8Array | undefined>;
  /** Fills `target` from `offset` on; false when there is no object, undefined when it cannot be done so. */
  readInto?(offset: number, target: Uint8Array, options: StoreOptions): Promise<boolean>;
}

export function storeSource(store: Store, key: StoreKey): ByteSource {
  const source: ByteSource = {
    where: key,
    hasRanges: store.getRange !== undefined,
    all: async (options) => store.get(key, options),
    range: (range, options) => readRange(store, key, range, options),
  };
  if (store.readInto === undefined) return source;
  return {
    ...source,
    async readInto(offset, target, options) {
      const count = await store.readInto!(key, offset, target, options);
      if (count !== undefined && count < target.length) throw tooShort(key, target.length, count);
      return count !== undefined;
    },
  };
}

export function memorySource(bytes: Uint8Array, where: string): ByteSource {
  return {
    where,
    hasRanges: true,
    all: async () => bytes,
    async range(range) {
      const part = cut(bytes, range);
      const asked = "suffixLength" in range ? range.suffixLength : range.length;
      if (part.length < asked) throw tooShort(where, asked, part.length);
      return part;
    },
  };
}

/** `length` bytes of another source, as a source of their own. */
export function partSource(whole: ByteSource, offset: number, length: number, where: string): ByteSource {
  return {
    where,
    hasRanges: whole.hasRanges,
    all: (options) => whole.range({ offset, length }, options),
    range(range, options) {
      const size = "suffixLength" in range ? range.suffixLength : range.length;
      const start = "suffixLength" in range ? length - size : range.offset;
      if (start < 0 || start + size > length) throw tooShort(where, start < 0 ? size : start + size, length);
      return whole.range({ offset: offset + start, length: size }, options);
    },
  };
}
