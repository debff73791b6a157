// Values of logical types: as people see them, and as they are stored. In: what is stored (whole numbers, bytes), or text as
// people write it. Out: the other. Numbers where a number is exact, else text; dates, times and spans as ISO 8601 has them;
// must hold: what is shown, parsed again, is the same value.

import {
  dateText,
  digitsAt,
  type Exact,
  exactOfNumber,
  exactOfText,
  instantOfText,
  instantText,
  spanOfText,
  spanText,
  timeOfText,
  timeText,
  valueOfExact,
} from "./exactNumbers.ts";
import { type Dimension, type Logical, type Measure, measureOf } from "./logical.ts";
import { textOfGeometry } from "./wellKnown.ts";

/** The number that a stored one stands for. */
export const exactOfStored = (stored: bigint, { exponent, factor }: Measure): Exact => ({
  digits: stored * BigInt(factor),
  exponent,
});

/** The stored number for a value; null where none says it exactly. */
export function storedOfExact(exact: Exact, { exponent, factor }: Measure): bigint | null {
  const at = Math.max(exponent, exact.exponent);
  const [digits, one] = [digitsAt(exact, at), BigInt(factor) * 10n ** BigInt(at - exponent)];
  return digits % one === 0n ? digits / one : null;
}

const SHOWN: { readonly [D in Dimension]: (exact: Exact) => number | string } = {
  number: valueOfExact,
  instant: instantText,
  span: spanText,
  timeOfDay: timeText,
};

/** A stored whole number as what it is. */
export function shownNumber(logical: Logical, stored: bigint): number | string {
  if (logical.kind === "date") return dateText(Number(stored));
  const measure = measureOf(logical)!;
  const zone = "zone" in logical && logical.zone !== null ? "Z" : "";
  const shown = SHOWN[measure.dimension](exactOfStored(stored, measure));
  return zone === "" ? shown : `${shown}${zone}`;
}

const PARSED: { readonly [D in Dimension]: (text: string) => Exact | null } = {
  number: exactOfText,
  instant: instantOfText,
  span: spanOfText,
  timeOfDay: timeOfText,
};

/** What a value of a dimension is worth, as a user writes it; null for what is none. Of a number only numbers are made. */
export function exactOfValue(dimension: Dimension, value: number | bigint | string): Exact | null {
  if (typeof value === "string") return PARSED[dimension](value);
  return dimension === "number" ? exactOfNumber(value) : null;
}

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Two's complement, highest byte first. */
export function wholeOfBytes(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  return BigInt.asIntN(8 * bytes.length, BigInt(`0x${hex(bytes)}`));
}

export function bytesOfWhole(value: bigint, size: number): Uint8Array {
  let rest = BigInt.asUintN(8 * size, value);
  const bytes = new Uint8Array(size);
  for (let at = size - 1; at >= 0; at--, rest >>= 8n) bytes[at] = Number(rest & 255n);
  return bytes;
}

/** How many bytes a wide decimal is kept in. */
export const WIDE_BYTES = 16;

export function uuidText(bytes: Uint8Array): string {
  const text = hex(bytes);
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
    "-",
  );
}

const UUID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** Null for what is none. */
export function uuidOfText(text: string): Uint8Array | null {
  if (!UUID.test(text)) return null;
  const digits = text.replaceAll("-", "");
  return Uint8Array.from({ length: 16 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}

export interface Interval {
  readonly months: number;
  readonly days: number;
  readonly nanoseconds: bigint;
}

/** Little-endian, as Arrow has them. */
export function intervalOfBytes(bytes: Uint8Array): Interval {
  if (bytes.length < 16) return { months: 0, days: 0, nanoseconds: 0n };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    months: view.getInt32(0, true),
    days: view.getInt32(4, true),
    nanoseconds: view.getBigInt64(8, true),
  };
}

export function bytesOfInterval({ months, days, nanoseconds }: Interval): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, months, true);
  view.setInt32(4, days, true);
  view.setBigInt64(8, nanoseconds, true);
  return bytes;
}

/** "P14M3DT0.5S": months, days and seconds are not made of one another. */
function intervalText(bytes: Uint8Array): string {
  const { months, days, nanoseconds } = intervalOfBytes(bytes);
  const seconds = nanoseconds === 0n ? "" : valueText(nanoseconds);
  const text = `P${months === 0 ? "" : `${months}M`}${days === 0 ? "" : `${days}D`}${seconds}`;
  return text === "P" ? "PT0S" : text;
}

function valueText(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? "-" : "";
  const span = spanText({ digits: nanoseconds < 0n ? -nanoseconds : nanoseconds, exponent: 9 });
  // Of more than a day, too: hours.
  const [, days = "0", rest = ""] = /^P(?:(\d+)D)?(?:T(.*))?$/.exec(span) ?? [];
  const hours = Number(/(\d+)H/.exec(rest)?.[1] ?? 0) + 24 * Number(days);
  const others = rest.replace(/^\d+H/, "");
  return `T${hours === 0 ? "" : `${sign}${hours}H`}${others.replace(/\d+(\.\d+)?(?=[MS])/g, (n) => `${sign}${n}`)}`;
}

/** Stored bytes as what they are. */
export function shownBytes(logical: Logical, bytes: Uint8Array): number | string | Uint8Array {
  switch (logical.kind) {
    case "uuid":
      return uuidText(bytes);
    case "interval":
      return intervalText(bytes);
    case "decimal":
      return shownNumber(logical, wholeOfBytes(bytes));
    case "geometry":
    case "geography":
      return textOfGeometry(bytes) ?? bytes;
    default:
      return bytes;
  }
}
