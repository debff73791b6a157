// Logical types ⇄ Arrow's. In: Arrow's data of a type that means something; or a leaf. Out: a leaf; or how Arrow calls its type,
// with what arguments, and its values. Values share memory where both count in the same units. Must hold: what goes out and
// comes back has the same type, but for BSON and enums, which are bytes and strings, and for uuids and JSON outside of records:
// their names are kept in the metadata of fields.

import { DTypeError } from "../../core/errors.ts";
import { type Logical, MOST_DIGITS, type TimeUnit, withLogical } from "../../core/form/logical.ts";
import { bytesOfInterval, bytesOfWhole } from "../../core/form/logicalValues.ts";
import { castFlat } from "../layout/flat.ts";
import { regularOffsets } from "../layout/indices.ts";
import { type Layout, type NumpyLayout, numpyOf, type StringLayout, stringOf } from "../layout/layout.ts";
import { storedWholes, storedWholesOf } from "../ops/exactOps.ts";
import type { ArrowData } from "./arrowParts.ts";

const [DECIMAL, DATE, TIME, TIMESTAMP, INTERVAL, FIXED_BYTES, DURATION] = [7, 8, 9, 10, 11, 15, 18];
const UNITS: readonly TimeUnit[] = ["s", "ms", "us", "ns"];

/** What Arrow's types have beside those of fromArrow.ts. */
interface TimeType {
  readonly unit?: number;
  readonly timezone?: string | null;
  readonly precision?: number;
  readonly scale?: number;
  readonly byteWidth?: number;
}

/** Null for types that mean nothing more than their numbers. */
export function leafOfArrow({ type, values, length }: ArrowData): Layout | null {
  const { unit = 0, timezone = null, byteWidth = 0 } = type as TimeType;
  const numbers = (logical: Logical): NumpyLayout =>
    withLogical(numpyOf(values.subarray(0, length)), logical);
  switch (type.typeId) {
    case DECIMAL:
      return decimals(values as Uint32Array, length, type as TimeType);
    case DATE:
      return unit === 0 ? numbers({ kind: "date" }) : daysOfMilliseconds(values as BigInt64Array, length);
    case TIME:
      return numbers({ kind: "time", unit: UNITS[unit]!, zone: null });
    case TIMESTAMP:
      return numbers({ kind: "timestamp", unit: UNITS[unit]!, zone: timezone ?? null });
    case DURATION:
      return numbers({ kind: "duration", unit: UNITS[unit]! });
    case INTERVAL:
      return intervals(values as Int32Array, length, unit);
    case FIXED_BYTES:
      return stringOf(
        regularOffsets(length, byteWidth),
        (values as Uint8Array).subarray(0, length * byteWidth),
        "bytes",
      );
    default:
      return null;
  }
}

/** Two's complement in words of 32 bits, the lowest first. */
function decimals(values: Uint32Array, length: number, { precision = 0, scale = 0 }: TimeType): Layout {
  const words = length === 0 ? 4 : values.length / length;
  if (precision > MOST_DIGITS || scale < 0)
    throw new DTypeError({
      where: "fromArrow",
      what: `decimals of ${precision} digits, ${scale} behind the point`,
      cure: `Cast them to decimals of up to ${MOST_DIGITS} digits`,
    });
  const wholes = Array.from({ length }, (_, i) => {
    let value = 0n;
    for (let word = words - 1; word >= 0; word--) value = (value << 32n) | BigInt(values[i * words + word]!);
    return BigInt.asIntN(32 * words, value);
  });
  return storedWholes(wholes, { kind: "decimal", precision, scale: Math.min(scale, precision) });
}

const DAY = 86_400_000n;

function daysOfMilliseconds(values: BigInt64Array, length: number): NumpyLayout {
  const days = Int32Array.from({ length }, (_, i) =>
    Number((values[i]! - (((values[i]! % DAY) + DAY) % DAY)) / DAY),
  );
  return withLogical(numpyOf(days), { kind: "date" });
}

/** Units: months; days and milliseconds; months, days and nanoseconds. */
function intervals(values: Int32Array, length: number, unit: number): StringLayout {
  const words = unit === 2 ? 4 : 1 + unit;
  const bytes = new Uint8Array(16 * length);
  for (let i = 0; i < length; i++) {
    const [a = 0, b = 0, low = 0, high = 0] = values.subarray(i * words, (i + 1) * words);
    const nanoseconds = (BigInt(high) << 32n) | BigInt(low >>> 0);
    const interval =
      unit === 0
        ? { months: a, days: 0, nanoseconds: 0n }
        : unit === 1
          ? { months: 0, days: a, nanoseconds: BigInt(b) * 1_000_000n }
          : { months: a, days: b, nanoseconds };
    bytes.set(bytesOfInterval(interval), 16 * i);
  }
  return withLogical(stringOf(regularOffsets(length, 16), bytes, "bytes"), { kind: "interval" });
}

/** How Arrow calls a type, what its constructor takes, and its values; null for what is text or bytes to it, too. */
export interface ArrowLeaf {
  readonly type: string;
  readonly args: readonly unknown[];
  readonly data: ArrayBufferView;
}

const NAMES: { readonly [U in TimeUnit]: string } = {
  ...{ s: "Second", ms: "Millisecond", us: "Microsecond", ns: "Nanosecond" },
};

export function arrowOfLeaf(leaf: NumpyLayout | StringLayout, logical: Logical): ArrowLeaf | null {
  const numbers = (dtype: "int32" | "int64"): ArrayBufferView =>
    ownMemory(castFlat(leaf as NumpyLayout, dtype).data);
  switch (logical.kind) {
    case "decimal":
      return { type: "Decimal", args: [logical.scale, logical.precision], data: wordsOf(leaf) };
    case "date":
      return { type: "DateDay", args: [], data: numbers("int32") };
    case "time": {
      const isShort = logical.unit === "s" || logical.unit === "ms";
      return { type: `Time${NAMES[logical.unit]}`, args: [], data: numbers(isShort ? "int32" : "int64") };
    }
    case "timestamp":
      return { type: `Timestamp${NAMES[logical.unit]}`, args: [logical.zone], data: numbers("int64") };
    case "duration":
      return { type: `Duration${NAMES[logical.unit]}`, args: [], data: numbers("int64") };
    case "uuid":
      return { type: "FixedSizeBinary", args: [16], data: sixteens(leaf as StringLayout) };
    case "interval":
      return {
        type: "IntervalMonthDayNano",
        args: [],
        data: new Int32Array(sixteens(leaf as StringLayout).buffer),
      };
    default:
      return null;
  }
}

/** Memory that kernels work in is shared, and Arrow's readers may not expect that. */
const ownMemory = (data: NumpyLayout["data"]): ArrayBufferView =>
  data.buffer instanceof ArrayBuffer ? data : data.slice();

/** 16 bytes each, lowest first. */
function wordsOf(leaf: NumpyLayout | StringLayout): Uint32Array {
  const wholes = storedWholesOf(leaf);
  const bytes = new Uint8Array(16 * wholes.length);
  wholes.forEach((value, i) => bytes.set(bytesOfWhole(value, 16).reverse(), 16 * i));
  return new Uint32Array(bytes.buffer);
}

/** Behind nulls there may be no bytes. */
function sixteens({ offsets, bytes, length }: StringLayout): Uint8Array {
  const out = new Uint8Array(16 * length);
  for (let i = 0; i < length; i++) out.set(bytes.subarray(offsets[i]!, offsets[i + 1]!), 16 * i);
  return out;
}

const EXTENSION = "ARROW:extension:name";
const EXTENSIONS: { readonly [name: string]: Logical } = {
  "arrow.uuid": { kind: "uuid" },
  "arrow.json": { kind: "json" },
};

/** What the metadata of a field say of its values. */
export function namedByField(
  layout: Layout,
  metadata: ReadonlyMap<string, string> | null | undefined,
): Layout {
  const logical = EXTENSIONS[metadata?.get(EXTENSION) ?? ""];
  if (logical === undefined) return layout;
  if ("content" in layout) return { ...layout, content: namedByField(layout.content, metadata) } as Layout;
  return layout.kind === "string" ? withLogical(layout, logical) : layout;
}

/** The metadata of a field that holds such values. */
export function metadataOf(logical: Logical | null): Map<string, string> | null {
  const found = Object.entries(EXTENSIONS).find(([, { kind }]) => kind === logical?.kind);
  return found === undefined
    ? null
    : new Map([
        [EXTENSION, found[0]],
        ["ARROW:extension:metadata", ""],
      ]);
}
