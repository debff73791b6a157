// Statistics of a column chunk. In: what the footer holds (bytes) and the type of the column. Out: smallest and
// largest value as numbers, bigints or bytes, and counts; null where it is not known. What must hold: a bound is only
// given when it is one in the order in which values of the type are compared here.

import { numberOfHalf } from "../../core/half.ts";
import type { LeafType } from "./schema.ts";
import { bytesAt, flagAt, intAt, type ThriftStruct } from "./thrift.ts";

export interface RawStatistics {
  readonly min: Uint8Array | null;
  readonly max: Uint8Array | null;
  /** True when min and max are the older fields, which compare bytes as signed. */
  readonly isOld: boolean;
  readonly nulls: number | null;
  readonly isExact: boolean;
}

/** Bytes compare as unsigned, the shorter one first when it begins the other. */
export type Bound = number | bigint | boolean | Uint8Array;

export interface Statistics {
  /** No value is smaller. Values that are NaN are not counted. */
  readonly min: Bound | null;
  readonly max: Bound | null;
  readonly nulls: number | null;
  /** True when min and max are values of the column, and not shortened. */
  readonly isExact: boolean;
}

export function rawStatistics(struct: ThriftStruct | undefined): RawStatistics | null {
  if (struct === undefined) return null;
  const newMin = bytesAt(struct, 6);
  const newMax = bytesAt(struct, 5);
  const isOld = newMin === undefined && newMax === undefined;
  const nulls = intAt(struct, 3);
  return {
    min: (isOld ? bytesAt(struct, 2) : newMin) ?? null,
    max: (isOld ? bytesAt(struct, 1) : newMax) ?? null,
    isOld,
    nulls: nulls === undefined || nulls < 0 ? null : nulls,
    isExact: flagAt(struct, 7) !== false && flagAt(struct, 8) !== false,
  };
}

export function statisticsOf(raw: RawStatistics | null, type: LeafType): Statistics {
  if (raw === null) return { min: null, max: null, nulls: null, isExact: false };
  const known = !raw.isOld || isSignedOrder(type);
  const min = known ? boundOf(raw.min, type) : null;
  const max = known ? boundOf(raw.max, type) : null;
  return { min, max, nulls: raw.nulls, isExact: raw.isExact };
}

/** The older fields can be trusted where signed comparison is the right one. */
function isSignedOrder({ physical, logical }: LeafType): boolean {
  if (physical === "byteArray" || physical === "fixed") return false;
  return !(logical?.kind === "int" && !logical.signed);
}

function boundOf(bytes: Uint8Array | null, type: LeafType): Bound | null {
  if (bytes === null) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const unsigned = type.logical?.kind === "int" && !type.logical.signed;
  switch (type.physical) {
    case "boolean":
      return bytes.length === 1 ? bytes[0] !== 0 : null;
    case "int32":
      return bytes.length !== 4 ? null : unsigned ? view.getUint32(0, true) : view.getInt32(0, true);
    case "int64":
      return bytes.length !== 8 ? null : unsigned ? view.getBigUint64(0, true) : view.getBigInt64(0, true);
    case "float":
      return bytes.length === 4 ? numberOf(view.getFloat32(0, true)) : null;
    case "double":
      return bytes.length === 8 ? numberOf(view.getFloat64(0, true)) : null;
    // Its order was never defined.
    case "int96":
      return null;
    case "byteArray":
    case "fixed":
      return bytesBound(bytes, view, type);
  }
}

/** A bound that is NaN says nothing. */
const numberOf = (value: number): number | null => (Number.isNaN(value) ? null : value);

function bytesBound(
  bytes: Uint8Array,
  view: DataView,
  { physical, length, logical }: LeafType,
): Bound | null {
  if (physical === "fixed" && bytes.length !== length && logical !== null) return null;
  if (logical?.kind === "decimal") return signedBigEndian(bytes);
  // What has no order has no bounds.
  if (logical?.kind === "interval" || logical?.kind === "geometry" || logical?.kind === "geography")
    return null;
  if (logical?.kind === "float16") return numberOf(numberOfHalf(view.getUint16(0, true)));
  return bytes;
}

/** Two's complement, highest byte first: how decimals are kept in bytes. */
export function signedBigEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(8 * bytes.length, value);
}

/** Below 0, 0 or above 0, as for sort. Both of one kind. */
export function compareBounds(a: Bound, b: Bound): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
