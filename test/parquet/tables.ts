// Random tables: fields nested to some depth, and rows that fit them, as plain JavaScript values. And the other way from
// `rowsOf`: plain values as columns, written apart from what reads them.

import fc from "fast-check";
import { type DType, infoOf, type TypedArray } from "../../src/core/dtype.ts";
import { halfOf } from "../../src/core/half.ts";
import type { Column, StructColumn, Values } from "../../src/storage/parquet/column.ts";
import {
  dtypeOfLeaf,
  type Field,
  type LeafType,
  type Logical,
  type Physical,
} from "../../src/storage/parquet/index.ts";

export interface Table {
  readonly fields: Field[];
  readonly rows: { [name: string]: unknown }[];
}

interface LeafKind {
  readonly type: LeafType;
  readonly value: fc.Arbitrary<unknown>;
}

const leaf = (
  physical: Physical,
  logical: Logical | null,
  value: fc.Arbitrary<unknown>,
  length = 0,
): LeafKind => ({
  type: { physical, length, logical },
  value,
});
const int = (bits: 8 | 16 | 32 | 64, signed: boolean): Logical => ({ kind: "int", bits, signed });
const few = <T>(values: fc.Arbitrary<T>, often: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(values, fc.constantFrom(...often));
const bytes = (length: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((value) => Buffer.from(value).toString("hex"));

const LEAVES: readonly LeafKind[] = [
  leaf("boolean", null, fc.boolean()),
  leaf("int32", null, few(fc.integer(), [0, 1, -1])),
  leaf("int32", int(8, true), fc.integer({ min: -128, max: 127 })),
  leaf("int32", int(16, false), fc.integer({ min: 0, max: 65535 })),
  leaf("int32", int(32, false), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  leaf("int64", null, few(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), [0n, 5n])),
  leaf("int64", int(64, false), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
  leaf("float", null, few(fc.float(), [0, -0, 1.5])),
  leaf("double", null, few(fc.double(), [0, -0, 1.5])),
  leaf(
    "byteArray",
    { kind: "string" },
    few(fc.string({ unit: "grapheme", maxLength: 12 }), ["", "a", "word"]),
  ),
  leaf("byteArray", null, few(bytes(5), ["", "00"])),
  leaf(
    "fixed",
    { kind: "float16" },
    fc.integer({ min: -2048, max: 2048 }).map((value) => value / 8),
    2,
  ),
  leaf("fixed", { kind: "uuid" }, bytes(16), 16),
  leaf(
    "fixed",
    { kind: "decimal", precision: 30, scale: 4 },
    fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n }),
    16,
  ),
  leaf(
    "int64",
    { kind: "decimal", precision: 18, scale: 3 },
    fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }),
  ),
  leaf("int32", { kind: "date" }, fc.integer({ min: -100000, max: 100000 })),
  leaf(
    "int64",
    { kind: "timestamp", unit: "us", utc: true },
    fc.bigInt({ min: -(2n ** 50n), max: 2n ** 50n }),
  ),
];

/** Some of them spell lists in other places. */
const NAMES = ["a", "b", "list", "element", "array", "key", "value", "x.y", "ünï", "item"] as const;

interface Part {
  readonly field: Field;
  readonly value: fc.Arbitrary<unknown>;
}

function optional({ field, value }: Part): fc.Arbitrary<Part> {
  return fc.boolean().map((nullable) => ({
    field: { ...field, nullable },
    value: nullable ? fc.option(value, { freq: 3 }) : value,
  }));
}

const leafPart = (name: string): fc.Arbitrary<Part> =>
  fc
    .constantFrom(...LEAVES)
    .chain(({ type, value }) => optional({ field: { kind: "leaf", name, nullable: false, type }, value }));

const listPart = (name: string, depth: number): fc.Arbitrary<Part> =>
  partOf("element", depth - 1).chain(({ field: item, value }) =>
    optional({
      field: { kind: "list", name, nullable: false, isMap: false, item },
      value: fc.array(value, { maxLength: 4 }),
    }),
  );

const structPart = (name: string, depth: number): fc.Arbitrary<Part> =>
  fieldsOf(depth - 1, 3).chain((parts) =>
    optional({
      field: { kind: "struct", name, nullable: false, fields: parts.map((part) => part.field) },
      value: recordOf(parts),
    }),
  );

/** Keys are different, or DuckDB refuses the map. */
const mapPart = (name: string, depth: number): fc.Arbitrary<Part> =>
  partOf("value", depth - 1).chain((part) => {
    const key: Field = {
      kind: "leaf",
      name: "key",
      nullable: false,
      type: { physical: "int32", length: 0, logical: null },
    };
    const item: Field = { kind: "struct", name: "key_value", nullable: false, fields: [key, part.field] };
    const pair = fc.record({ key: fc.integer({ min: 0, max: 99 }), value: part.value });
    const value = fc.uniqueArray(pair, { maxLength: 3, selector: (entry) => entry.key });
    return optional({ field: { kind: "list", name, nullable: false, isMap: true, item }, value });
  });

function partOf(name: string, depth: number): fc.Arbitrary<Part> {
  if (depth <= 0) return leafPart(name);
  return fc.oneof(
    { weight: 3, arbitrary: leafPart(name) },
    { weight: 3, arbitrary: listPart(name, depth) },
    { weight: 2, arbitrary: structPart(name, depth) },
    { weight: 1, arbitrary: mapPart(name, depth) },
  );
}

const fieldsOf = (depth: number, most: number): fc.Arbitrary<Part[]> =>
  fc
    .uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: most })
    .chain((names) => fc.tuple(...names.map((name) => partOf(name, depth))));

const recordOf = (parts: readonly Part[]): fc.Arbitrary<{ [name: string]: unknown }> =>
  fc
    .tuple(...parts.map((part) => part.value))
    .map((values) => Object.fromEntries(parts.map((part, i) => [part.field.name, values[i]])));

export const anyTable = (maxRows: number): fc.Arbitrary<Table> =>
  fieldsOf(3, 4).chain((parts) =>
    fc
      .array(recordOf(parts), { maxLength: maxRows })
      .map((rows) => ({ fields: parts.map((part) => part.field), rows })),
  );

export function structFrom(fields: readonly Field[], rows: readonly (object | null)[]): StructColumn {
  return {
    kind: "struct",
    length: rows.length,
    validity: validityOf(rows),
    names: fields.map((field) => field.name),
    fields: fields.map((field) =>
      columnFrom(
        field,
        rows.map((row) => (row === null ? null : (row as { [name: string]: unknown })[field.name])),
      ),
    ),
  };
}

function validityOf(values: readonly unknown[]): Uint8Array | null {
  return values.includes(null) ? Uint8Array.from(values, (value) => (value === null ? 0 : 1)) : null;
}

function columnFrom(field: Field, values: readonly unknown[]): Column {
  if (field.kind === "struct") return structFrom(field.fields, values as (object | null)[]);
  const base = { length: values.length, validity: field.nullable ? validityOf(values) : null };
  if (field.kind === "leaf")
    return { ...base, kind: "leaf", type: field.type, values: valuesFrom(field.type, values) };
  const lists = values.map((value) => (value ?? []) as unknown[]);
  const item = columnFrom(field.item, lists.flat());
  return { ...base, kind: "list", isMap: field.isMap === true, offsets: offsetsOf(lists), item };
}

function offsetsOf(lists: readonly { readonly length: number }[]): Int32Array {
  const offsets = new Int32Array(lists.length + 1);
  for (const [i, list] of lists.entries()) offsets[i + 1] = offsets[i]! + list.length;
  return offsets;
}

function valuesFrom(type: LeafType, values: readonly unknown[]): Values {
  const dtype = dtypeOfLeaf(type);
  if (dtype !== null) return { kind: "numbers", dtype, data: numbersFrom(dtype, values) };
  if (type.physical === "byteArray") {
    const parts = values.map((value) =>
      Buffer.from((value ?? "") as string, type.logical === null ? "hex" : "utf8"),
    );
    return { kind: "bytes", offsets: offsetsOf(parts), data: new Uint8Array(Buffer.concat(parts)) };
  }
  const parts = values.map((value) => fixedFrom(type, value));
  return { kind: "fixed", size: type.length, data: new Uint8Array(Buffer.concat(parts)) };
}

function numbersFrom(dtype: DType, values: readonly unknown[]): TypedArray {
  const { array: ArrayOf } = infoOf(dtype);
  const data = new ArrayOf(values.length);
  const zero = data instanceof BigInt64Array || data instanceof BigUint64Array ? 0n : 0;
  for (const [i, value] of values.entries())
    data[i] = (dtype === "float16" ? halfOf((value ?? 0) as number) : (value ?? zero)) as never;
  return data;
}

function fixedFrom({ length, logical }: LeafType, value: unknown): Buffer {
  if (value === null || value === undefined) return Buffer.alloc(length);
  if (logical?.kind !== "decimal") return Buffer.from(value as string, "hex");
  const unsigned = BigInt.asUintN(8 * length, value as bigint);
  return Buffer.from(unsigned.toString(16).padStart(2 * length, "0"), "hex");
}
