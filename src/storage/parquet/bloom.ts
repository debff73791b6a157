// Split-block bloom filters. In: the bytes of a filter, and a value as a column stores it. Out: false where the value is not
// there for sure. What must hold: a filter that is not as the format says is no filter: then anything may be there.

import { utf8 } from "../zarr/zarrJson.ts";
import type { LeafType } from "./schema.ts";
import type { Bound } from "./statistics.ts";
import { intAt, structAt, ThriftReader } from "./thrift.ts";

const BLOCK_BYTES = 32;
/** By which each word of a block takes another bit of a hash. */
const SALTS = [
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
] as const;

export class BloomFilter {
  readonly #blocks: DataView;

  private constructor(blocks: DataView) {
    this.#blocks = blocks;
  }

  /** How many bytes the filter has, its header included, by the header; null for none that is known. */
  static sizeOf(header: Uint8Array): number | null {
    const reader = new ThriftReader(header);
    const struct = reader.struct();
    const bytes = intAt(struct, 1) ?? 0;
    // The only algorithm, hash and compression that there are.
    const isKnown = [2, 3, 4].every((id) => {
      const choice = structAt(struct, id);
      return choice !== undefined && structAt(choice, 1) !== undefined;
    });
    return isKnown && bytes > 0 && bytes % BLOCK_BYTES === 0 && bytes <= MOST_BYTES
      ? reader.at + bytes
      : null;
  }

  static of(bytes: Uint8Array): BloomFilter | null {
    const size = BloomFilter.sizeOf(bytes);
    if (size === null || size > bytes.length) return null;
    const reader = new ThriftReader(bytes);
    reader.struct();
    return new BloomFilter(new DataView(bytes.buffer, bytes.byteOffset + reader.at, size - reader.at));
  }

  mayHave(hash: bigint): boolean {
    const blocks = BigInt(this.#blocks.byteLength / BLOCK_BYTES);
    const at = Number(((hash >> 32n) * blocks) >> 32n) * BLOCK_BYTES;
    const key = Number(hash & 0xffffffffn);
    return SALTS.every((salt, word) => {
      const bit = Math.imul(key, salt) >>> 27;
      return ((this.#blocks.getUint32(at + 4 * word, true) >>> bit) & 1) === 1;
    });
  }
}

const MOST_BYTES = 2 ** 27;

/** A value as pages have it, plainly; null where the column cannot have it, or nobody knows how it would be. */
export function plainBytes(
  value: Bound | string,
  { physical, length, logical }: LeafType,
): Uint8Array | null {
  const view = new DataView(new ArrayBuffer(8));
  const numbers = (bytes: number): Uint8Array => new Uint8Array(view.buffer, 0, bytes);
  const isWhole = typeof value === "bigint" || Number.isSafeInteger(value);
  switch (physical) {
    case "int32":
      if (!isWhole) return null;
      view.setInt32(0, Number(value) | 0, true);
      return numbers(4);
    case "int64":
      if (!isWhole) return null;
      view.setBigInt64(0, BigInt.asIntN(64, BigInt(value as number)), true);
      return numbers(8);
    // Zero is two values.
    case "float":
    case "double":
      if (typeof value !== "number" || value === 0 || Number.isNaN(value)) return null;
      if (physical === "double") view.setFloat64(0, value, true);
      else view.setFloat32(0, value, true);
      return numbers(physical === "double" ? 8 : 4);
    case "byteArray":
    case "fixed": {
      if (logical?.kind === "decimal") return null;
      const bytes = typeof value === "string" ? utf8(value) : value;
      const fits = bytes instanceof Uint8Array && (physical === "byteArray" || bytes.length === length);
      return fits ? bytes : null;
    }
    default:
      return null;
  }
}

// XXH64 with seed 0, of few bytes and seldom: in whole numbers of any size.

const P1 = 0x9e3779b185ebca87n;
const P2 = 0xc2b2ae3d27d4eb4fn;
const P3 = 0x165667b19e3779f9n;
const P4 = 0x85ebca77c2b2ae63n;
const P5 = 0x27d4eb2f165667c5n;

const wrapped = (value: bigint): bigint => BigInt.asUintN(64, value);
const turned = (value: bigint, by: bigint): bigint => wrapped((value << by) | (value >> (64n - by)));
const round = (state: bigint, input: bigint): bigint =>
  wrapped(turned(wrapped(state + input * P2), 31n) * P1);

export function xxh64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  let hash = P5;
  if (bytes.length >= 32) {
    const states = [wrapped(P1 + P2), P2, 0n, wrapped(-P1)];
    for (; at + 32 <= bytes.length; at += 32)
      states.forEach((state, i) => {
        states[i] = round(state, view.getBigUint64(at + 8 * i, true));
      });
    const turns = [1n, 7n, 12n, 18n];
    hash = wrapped(states.reduce((sum, state, i) => sum + turned(state, turns[i]!), 0n));
    for (const state of states) hash = wrapped((hash ^ round(0n, state)) * P1 + P4);
  }
  hash = wrapped(hash + BigInt(bytes.length));
  for (; at + 8 <= bytes.length; at += 8)
    hash = wrapped(turned(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
  if (at + 4 <= bytes.length) {
    hash = wrapped(turned(hash ^ wrapped(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
    at += 4;
  }
  for (; at < bytes.length; at++) hash = wrapped(turned(hash ^ wrapped(BigInt(bytes[at]!) * P5), 11n) * P1);
  hash = wrapped((hash ^ (hash >> 33n)) * P2);
  hash = wrapped((hash ^ (hash >> 29n)) * P3);
  return hash ^ (hash >> 32n);
}
