// Where the bytes of an encoded chunk come from: an object of a store, a part of one (a chunk in a shard), or
// memory. Ranges are read without the rest where the store can; where it can open objects, straight into place.

import {
  asked,
  type ByteRange,
  cut,
  type GetOptions,
  type OpenObject,
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
  all(options: GetOptions): Promise<Uint8Array | undefined>;
  range(range: ByteRange, options: StoreOptions): Promise<Uint8Array | undefined>;
  /** Where bytes can be read into given memory. Undefined when there is no object. */
  open?(options: StoreOptions): Promise<OpenObject | undefined>;
}

export function storeSource(store: Store, key: StoreKey): ByteSource {
  const source: ByteSource = {
    where: key,
    hasRanges: store.getRange !== undefined,
    all: (options) => asked(key, options, () => store.get(key, options)),
    range: (range, options) => readRange(store, key, range, options),
  };
  if (store.open !== undefined)
    source.open = (options) => asked(key, options, () => store.open!(key, options));
  return source;
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

/** An object that is open already, and that its opener will close. */
export function openSource(object: OpenObject, where: string): ByteSource {
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    if (offset < 0 || offset + length > object.size)
      throw tooShort(where, offset < 0 ? length : offset + length, object.size);
    const bytes = new Uint8Array(length);
    await object.readInto(offset, bytes);
    return bytes;
  };
  const borrowed: OpenObject = {
    size: object.size,
    readInto: (offset, target) => object.readInto(offset, target),
    close: () => {},
  };
  return {
    where,
    hasRanges: true,
    all: () => read(0, object.size),
    range: (range) =>
      "suffixLength" in range
        ? read(object.size - range.suffixLength, range.suffixLength)
        : read(range.offset, range.length),
    open: async () => borrowed,
  };
}

/** `length` bytes of another source, as a source of their own. */
export function partSource(whole: ByteSource, offset: number, length: number, where: string): ByteSource {
  const source: ByteSource = {
    where,
    hasRanges: whole.hasRanges,
    // A limit on the length is for this part, not for the whole.
    all: ({ signal }) => whole.range({ offset, length }, { signal }),
    range(range, options) {
      const size = "suffixLength" in range ? range.suffixLength : range.length;
      const start = "suffixLength" in range ? length - size : range.offset;
      if (start < 0 || start + size > length) throw tooShort(where, start < 0 ? size : start + size, length);
      return whole.range({ offset: offset + start, length: size }, options);
    },
  };
  if (whole.open !== undefined)
    source.open = async (options) => {
      const object = await whole.open!(options);
      return object && partOf(object, offset, length, where);
    };
  return source;
}

function partOf(object: OpenObject, offset: number, length: number, where: string): OpenObject {
  if (offset + length > object.size) {
    object.close();
    throw tooShort(where, offset + length, object.size);
  }
  return {
    size: length,
    readInto: (start, target) => {
      if (start + target.length > length) throw tooShort(where, start + target.length, length);
      return object.readInto(offset + start, target);
    },
    close: () => object.close(),
  };
}
