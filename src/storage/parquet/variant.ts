// Variants: values that each say what they are. In: the columns of a variant group (names, values, and parts that were put into
// columns of their own: shredded). Out: each value as JSON text: numbers with all their digits, dates and times as ISO 8601 has
// them, bytes as base64. What must hold: no count is believed beyond the bytes that are there; nesting is bounded.

import { dateText, type Exact, instantText, textOfExact, timeText } from "../../core/form/exactNumbers.ts";
import { EXPONENTS } from "../../core/form/logical.ts";
import { uuidText, wholeOfBytes } from "../../core/form/logicalValues.ts";
import type { Column, LeafColumn, ListColumn, StructColumn } from "./column.ts";
import { Damage } from "./errors.ts";
import type { LeafType } from "./schema.ts";

const DEEPEST = 100;
const decoder = new TextDecoder();

/** Names of fields: a header, and texts by their offsets. */
function namesOf(bytes: Uint8Array): readonly string[] {
  const header = byteAt(bytes, 0);
  if ((header & 15) !== 1) throw new Damage(`variants of version ${header & 15}`);
  const size = (header >> 6) + 1;
  const count = wordAt(bytes, 1, size);
  const first = 1 + size * (count + 2);
  if (first > bytes.length) throw new Damage(`${count} names in ${bytes.length} bytes`);
  const end = (i: number): number => first + wordAt(bytes, 1 + size * (i + 1), size);
  return Array.from({ length: count }, (_, i) => textOf(part(bytes, end(i), end(i + 1))));
}

const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

function part(bytes: Uint8Array, from: number, to: number): Uint8Array {
  if (from <= to && to <= bytes.length) return bytes.subarray(from, to);
  throw new Damage(`a variant's bytes ${from} to ${to}, of ${bytes.length}`);
}

const byteAt = (bytes: Uint8Array, at: number): number => part(bytes, at, at + 1)[0]!;

/** Little-endian, not negative. */
function wordAt(bytes: Uint8Array, at: number, size: number): number {
  return part(bytes, at, at + size).reduceRight((value, byte) => value * 256 + byte, 0);
}

function wholeAt(bytes: Uint8Array, at: number, size: number): bigint {
  return wholeOfBytes(part(bytes, at, at + size).toReversed());
}

const quoted = (text: string): string => JSON.stringify(text);
const decimal = (bytes: Uint8Array, size: number): string =>
  textOfExact({ digits: wholeAt(bytes, 1, size), exponent: byteAt(bytes, 0) });
const at = (digits: bigint, exponent: number): Exact => ({ digits, exponent });
const floating = (value: number): string => (Number.isFinite(value) ? String(value) : "null");
const seconds = (bytes: Uint8Array, unit: "us" | "ns"): Exact => at(wholeAt(bytes, 0, 8), EXPONENTS[unit]);
const prefixed = (bytes: Uint8Array): Uint8Array => part(bytes, 4, 4 + wordAt(bytes, 0, 4));

const view = (bytes: Uint8Array, size: number): DataView => {
  const own = part(bytes, 0, size);
  return new DataView(own.buffer, own.byteOffset, size);
};

/** By their number, of the bytes behind it. */
const PRIMITIVES: readonly ((bytes: Uint8Array) => string)[] = [
  () => "null",
  () => "true",
  () => "false",
  ...[1, 2, 4, 8].map((size) => (bytes: Uint8Array) => String(wholeAt(bytes, 0, size))),
  (bytes) => floating(view(bytes, 8).getFloat64(0, true)),
  ...[4, 8, 16].map((size) => (bytes: Uint8Array) => decimal(bytes, size)),
  (bytes) => quoted(dateText(Number(wholeAt(bytes, 0, 4)))),
  (bytes) => quoted(`${instantText(seconds(bytes, "us"))}Z`),
  (bytes) => quoted(instantText(seconds(bytes, "us"))),
  (bytes) => floating(view(bytes, 4).getFloat32(0, true)),
  (bytes) => quoted(base64(prefixed(bytes))),
  (bytes) => quoted(textOf(prefixed(bytes))),
  (bytes) => quoted(timeText(seconds(bytes, "us"))),
  (bytes) => quoted(`${instantText(seconds(bytes, "ns"))}Z`),
  (bytes) => quoted(instantText(seconds(bytes, "ns"))),
  (bytes) => quoted(uuidText(part(bytes, 0, 16))),
];

const base64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

const SHORT_TEXT = 1;
const OBJECT = 2;
const ARRAY = 3;

type Fields = Map<string, string>;

function valueText(bytes: Uint8Array, names: readonly string[], depth = 0): string {
  const header = byteAt(bytes, 0);
  const kind = header & 3;
  if (kind === OBJECT) return objectText(fieldsOf(bytes, names, depth));
  if (kind === ARRAY) return `[${elementsOf(bytes, names, depth).join(",")}]`;
  const rest = bytes.subarray(1);
  if (kind === SHORT_TEXT) return quoted(textOf(part(rest, 0, header >> 2)));
  const primitive = PRIMITIVES[header >> 2];
  if (primitive === undefined) throw new Damage(`a variant of the unknown type ${header >> 2}`);
  return primitive(rest);
}

const objectText = (fields: Fields): string =>
  `{${Array.from(fields, ([name, value]) => `${quoted(name)}:${value}`).join(",")}}`;

function fieldsOf(bytes: Uint8Array, names: readonly string[], depth: number): Fields {
  const header = byteAt(bytes, 0) >> 2;
  const [offsetSize, idSize, countSize] = [(header & 3) + 1, ((header >> 2) & 3) + 1, header & 16 ? 4 : 1];
  const count = wordAt(bytes, 1, countSize);
  const ids = 1 + countSize;
  const offsets = ids + count * idSize;
  const first = checkedStart(bytes, offsets + (count + 1) * offsetSize, depth);
  const fields: Fields = new Map();
  for (let i = 0; i < count; i++) {
    const name = names[wordAt(bytes, ids + i * idSize, idSize)];
    if (name === undefined) throw new Damage("a variant's field has no name");
    const from = first + wordAt(bytes, offsets + i * offsetSize, offsetSize);
    fields.set(name, valueText(part(bytes, from, bytes.length), names, depth + 1));
  }
  return fields;
}

function elementsOf(bytes: Uint8Array, names: readonly string[], depth: number): string[] {
  const header = byteAt(bytes, 0) >> 2;
  const [offsetSize, countSize] = [(header & 3) + 1, header & 4 ? 4 : 1];
  const count = wordAt(bytes, 1, countSize);
  const offsets = 1 + countSize;
  const first = checkedStart(bytes, offsets + (count + 1) * offsetSize, depth);
  return Array.from({ length: count }, (_, i) => {
    const from = first + wordAt(bytes, offsets + i * offsetSize, offsetSize);
    return valueText(part(bytes, from, bytes.length), names, depth + 1);
  });
}

function checkedStart(bytes: Uint8Array, first: number, depth: number): number {
  if (depth > DEEPEST) throw new Damage(`variants nested deeper than ${DEEPEST}`);
  return part(bytes, first, bytes.length).byteOffset - bytes.byteOffset;
}

// Columns of a variant: `value` has what is not in `typed_value`; a field of which neither has anything is not there.

/** Each row as JSON text; null where the variant is null. */
export function variantTexts(column: StructColumn): (string | null)[] {
  const metadata = fieldOf(column, "metadata") as LeafColumn | undefined;
  if (metadata === undefined) throw new Damage("a variant without names");
  let [last, names]: [Uint8Array | null, readonly string[]] = [null, []];
  return Array.from({ length: column.length }, (_, row) => {
    if (isNull(column, row)) return null;
    const bytes = bytesAt(metadata, row);
    if (bytes === null) return null;
    if (last === null || !sameBytes(last, bytes)) [last, names] = [bytes, namesOf(bytes)];
    return shreddedText(column, row, names) ?? "null";
  });
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

const fieldOf = ({ names, fields }: StructColumn, name: string): Column | undefined =>
  fields[names.indexOf(name)];

const isNull = ({ validity }: Column, row: number): boolean => validity !== null && validity[row] === 0;

function bytesAt(column: Column | undefined, row: number): Uint8Array | null {
  if (column?.kind !== "leaf" || column.values?.kind !== "bytes" || isNull(column, row)) return null;
  const { data, offsets } = column.values;
  return data.subarray(offsets[row]!, offsets[row + 1]!);
}

/** Undefined where there is nothing. */
function shreddedText(group: StructColumn, row: number, names: readonly string[]): string | undefined {
  const value = bytesAt(fieldOf(group, "value"), row);
  const typed = fieldOf(group, "typed_value");
  if (typed === undefined || isNull(typed, row)) return value === null ? undefined : valueText(value, names);
  switch (typed.kind) {
    case "leaf":
      return leafText(typed, row);
    case "list":
      return listText(typed, row, names);
    case "struct": {
      const fields: Fields = value === null ? new Map() : fieldsOf(value, names, 0);
      typed.names.forEach((name, i) => {
        const field = typed.fields[i] as StructColumn;
        const text = isNull(field, row) ? undefined : shreddedText(field, row, names);
        if (text !== undefined) fields.set(name, text);
      });
      return objectText(fields);
    }
    default:
      throw typed satisfies never;
  }
}

function listText({ offsets, item }: ListColumn, row: number, names: readonly string[]): string {
  const texts: string[] = [];
  for (let i = offsets[row]!; i < offsets[row + 1]!; i++)
    texts.push(shreddedText(item as StructColumn, i, names) ?? "null");
  return `[${texts.join(",")}]`;
}

function leafText({ values, type }: LeafColumn, row: number): string {
  switch (values?.kind) {
    case "numbers":
      return numberText(values.data[row] as number | bigint, values.dtype === "bool", type);
    case "bytes":
      return bytesText(values.data.subarray(values.offsets[row]!, values.offsets[row + 1]!), type);
    case "fixed":
      return bytesText(values.data.subarray(row * values.size, (row + 1) * values.size), type);
    default:
      throw new Damage("a variant's part was not read");
  }
}

function numberText(value: number | bigint, isBool: boolean, { logical }: LeafType): string {
  if (isBool) return value === 0 ? "false" : "true";
  switch (logical?.kind) {
    case "decimal":
      return textOfExact(at(BigInt(value), logical.scale));
    case "date":
      return quoted(dateText(Number(value)));
    case "time":
      return quoted(timeText(at(BigInt(value), EXPONENTS[logical.unit])));
    case "timestamp":
      return quoted(`${instantText(at(BigInt(value), EXPONENTS[logical.unit]))}${logical.utc ? "Z" : ""}`);
    default:
      return typeof value === "number" ? floating(value) : String(value);
  }
}

function bytesText(bytes: Uint8Array, { logical }: LeafType): string {
  if (logical?.kind === "string") return quoted(textOf(bytes));
  if (logical?.kind === "uuid") return quoted(uuidText(bytes));
  if (logical?.kind === "decimal") return textOfExact(at(wholeOfBytes(bytes), logical.scale));
  return quoted(base64(bytes));
}
