// Logical types ⇄ what Parquet's schemas say of a column, and values as each of both stores them. In: a column's type, or a leaf.
// Out: the other. Must hold: what is written and read again has the same type, but for what Parquet has no word for: the
// name of a zone (it knows UTC and nothing else), seconds (they are milliseconds), categories (they are strings).

import { ValueError } from "../core/errors.ts";
import { type Logical, logicalText, NARROW_DIGITS, type TimeUnit } from "../core/form/logical.ts";
import { bytesOfInterval, bytesOfWhole, intervalOfBytes, wholeOfBytes } from "../core/form/logicalValues.ts";
import { dtypeOfLeaf, type LeafType } from "../storage/parquet/index.ts";
import { regularOffsets } from "./layout/indices.ts";
import { type NumpyLayout, type StringLayout, stringOf } from "./layout/layout.ts";

/** What a column means; null where its dtype says all. */
export function logicalOfParquet({ physical, logical }: LeafType): Logical | null {
  if (physical === "int96") return { kind: "timestamp", unit: "ns", zone: null };
  switch (logical?.kind) {
    case "decimal":
      return { kind: "decimal", precision: logical.precision, scale: logical.scale };
    case "time":
    case "timestamp":
      return { kind: logical.kind, unit: logical.unit, zone: logical.utc ? "UTC" : null };
    case "date":
    case "uuid":
    case "interval":
    case "json":
    case "enum":
    case "bson":
      return { kind: logical.kind };
    case "geometry":
    case "geography":
      return { kind: logical.kind, crs: logical.crs };
    default:
      return null;
  }
}

const BYTES: ReadonlySet<string> = new Set(["uuid", "interval", "decimal"]);

/** Values of a fixed number of bytes that mean something: each is one value, and no list. */
export const isBytesValue = (type: LeafType): boolean =>
  type.physical === "fixed" && dtypeOfLeaf(type) === null && BYTES.has(type.logical?.kind ?? "");

/** Months, days and milliseconds of 4 bytes each, as Parquet has intervals, in the 16 bytes of ours; others as they are. */
export function leafOfFixed(data: Uint8Array, size: number, { logical }: LeafType): StringLayout {
  const length = size === 0 ? 0 : data.length / size;
  if (logical?.kind !== "interval") return stringOf(regularOffsets(length, size), data, "bytes");
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const bytes = new Uint8Array(16 * length);
  for (let i = 0; i < length; i++) {
    const [months, days, milliseconds] = [0, 4, 8].map((at) => view.getUint32(12 * i + at, true));
    const nanoseconds = BigInt(milliseconds!) * 1_000_000n;
    bytes.set(bytesOfInterval({ months: months!, days: days!, nanoseconds }), 16 * i);
  }
  return stringOf(regularOffsets(length, 16), bytes, "bytes");
}

const UNITS: { readonly [U in TimeUnit]: "ms" | "us" | "ns" } = { s: "ms", ms: "ms", us: "us", ns: "ns" };

/** The column that holds a leaf of a logical type; an error for what Parquet has no word for. */
export function parquetTypeOf(logical: Logical, leaf: NumpyLayout | StringLayout, name: string): LeafType {
  const plain = leaf.kind === "numpy" ? (leaf.dtype === "int32" ? "int32" : "int64") : "byteArray";
  switch (logical.kind) {
    case "decimal": {
      const { precision, scale } = logical;
      const meaning = { kind: "decimal", precision, scale } as const;
      if (precision > NARROW_DIGITS) return { physical: "fixed", length: 16, logical: meaning };
      return { physical: plain, length: 0, logical: meaning };
    }
    case "time":
    case "timestamp": {
      const unit = UNITS[logical.unit];
      const physical = logical.kind === "time" && unit === "ms" ? "int32" : "int64";
      return { physical, length: 0, logical: { kind: logical.kind, unit, utc: logical.zone !== null } };
    }
    case "date":
      return { physical: "int32", length: 0, logical: { kind: "date" } };
    case "uuid":
      return { physical: "fixed", length: 16, logical: { kind: "uuid" } };
    case "interval":
      return { physical: "fixed", length: 12, logical: { kind: "interval" } };
    case "json":
    case "enum":
    case "bson":
      return { physical: "byteArray", length: 0, logical: { kind: logical.kind } };
    case "geometry":
    case "geography":
      return { physical: "byteArray", length: 0, logical: { kind: logical.kind, crs: logical.crs } };
    case "variant":
      return { physical: "byteArray", length: 0, logical: { kind: "json" } };
    case "categorical":
      return { physical: "byteArray", length: 0, logical: { kind: "string" } };
    default:
      throw new ValueError({
        what: `${name} is ${logicalText(logical)}, for which Parquet has no word`,
        cure: 'Write its number of units: valuesAstype(x, "int64")',
      });
  }
}

/** Seconds as milliseconds. */
export const ticksPerUnit = (logical: Logical): bigint =>
  (logical.kind === "time" || logical.kind === "timestamp") && logical.unit === "s" ? 1000n : 1n;

/** Bytes of the column's fixed number of them. Where there is no value, as behind a null, they are zeros. */
export function fixedOfLeaf(
  { offsets, bytes, length }: StringLayout,
  logical: Logical,
  name: string,
): Uint8Array {
  const size = logical.kind === "interval" ? 12 : 16;
  const data = new Uint8Array(size * length);
  for (let i = 0; i < length; i++) {
    const value = bytes.subarray(offsets[i]!, offsets[i + 1]!);
    if (value.length > 0) data.set(fixedValue(value, logical, name), size * i);
  }
  return data;
}

function fixedValue(value: Uint8Array, logical: Logical, name: string): Uint8Array {
  if (logical.kind === "decimal") return bytesOfWhole(wholeOfBytes(value), 16);
  if (logical.kind === "uuid") return value;
  const { months, days, nanoseconds } = intervalOfBytes(value);
  const milliseconds = Number(nanoseconds / 1_000_000n);
  const parts = [months, days, milliseconds];
  if (nanoseconds % 1_000_000n !== 0n || parts.some((part) => part < 0 || part >= 2 ** 32))
    throw new ValueError({
      what: `${name} has an interval of ${months} months, ${days} days and ${nanoseconds} ns`,
      cure: "Parquet's intervals are whole milliseconds, none of them negative",
    });
  return new Uint8Array(Uint32Array.from(parts).buffer);
}
