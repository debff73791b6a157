// What the Parquet tests share: DuckDB as an oracle, columns as plain JavaScript values, temporary folders.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { slotAt } from "../../src/core/block.ts";
import type { Column, LeafColumn, StructColumn } from "../../src/storage/parquet/column.ts";
import {
  localFile,
  memoryFile,
  type OpenOptions,
  ParquetFile,
  type ReadOptions,
} from "../../src/storage/parquet/index.ts";
import { signedBigEndian } from "../../src/storage/parquet/statistics.ts";

type DuckModule = typeof import("@duckdb/node-api");
export interface Duck {
  run(sql: string): Promise<void>;
  rows(sql: string): Promise<{ [name: string]: unknown }[]>;
}

/** DuckDB, or the reason why it is not there. */
export async function openDuck(): Promise<Duck | string> {
  let module: DuckModule;
  try {
    module = await import("@duckdb/node-api");
    const connection = await (await module.DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    return {
      run: async (sql) => void (await connection.run(sql)),
      async rows(sql) {
        const reader = await connection.runAndReadAll(sql);
        return reader.getRowObjects().map((row) => plainOf(row, module) as { [name: string]: unknown });
      },
    };
  } catch (cause) {
    return `DuckDB cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}

/** A value of DuckDB as a plain one: what `rowsOf` makes of our columns. */
function plainOf(value: unknown, duck: DuckModule): unknown {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof duck.DuckDBListValue) return value.items.map((item) => plainOf(item, duck));
  if (value instanceof duck.DuckDBArrayValue) return value.items.map((item) => plainOf(item, duck));
  if (value instanceof duck.DuckDBMapValue)
    return value.entries.map(({ key, value: item }) => ({
      key: plainOf(key, duck),
      value: plainOf(item, duck),
    }));
  if (value instanceof duck.DuckDBStructValue) return plainOf(value.entries, duck);
  if (value instanceof duck.DuckDBBlobValue) return hex(value.bytes);
  if (value instanceof duck.DuckDBDateValue) return value.days;
  if (value instanceof duck.DuckDBTimeValue) return value.micros;
  if (value instanceof duck.DuckDBTimestampValue) return value.micros;
  if (value instanceof duck.DuckDBTimestampTZValue) return value.micros;
  if (value instanceof duck.DuckDBTimestampMillisecondsValue) return value.millis;
  if (value instanceof duck.DuckDBTimestampNanosecondsValue) return value.nanos;
  if (value instanceof duck.DuckDBDecimalValue) return value.value;
  if (value instanceof duck.DuckDBUUIDValue) return value.toString().replaceAll("-", "");
  if (value instanceof duck.DuckDBIntervalValue) return [value.months, value.days, value.micros];
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plainOf(field, duck)]));
}

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** The slots of a column as plain values: null, numbers, bigints, booleans, texts (bytes as hex), lists, objects. */
export function rowsOf(column: Column): unknown[] {
  return Array.from({ length: column.length }, (_, i) => slotOf(column, i));
}

function slotOf(column: Column, i: number): unknown {
  if (column.validity !== null && column.validity[i] === 0) return null;
  if (column.kind === "leaf") return leafOf(column, i);
  if (column.kind === "struct")
    return Object.fromEntries(column.names.map((name, at) => [name, slotOf(column.fields[at]!, i)]));
  const [from, to] = [column.offsets[i]!, column.offsets[i + 1]!];
  return Array.from({ length: to - from }, (_, at) => slotOf(column.item, from + at));
}

const TEXTS: ReadonlySet<string | undefined> = new Set(["string", "enum", "json"]);

/** As DuckDB says it: decimals are whole numbers, milliseconds are told in microseconds. */
function leafOf({ values, type }: LeafColumn, i: number): unknown {
  if (values === null) return "?";
  const { logical } = type;
  if (values.kind === "numbers") {
    const value = slotAt(values.data, values.dtype, i);
    if (logical?.kind === "decimal") return BigInt(value);
    if ((logical?.kind === "time" || logical?.kind === "timestamp") && logical.unit === "ms")
      return BigInt(value) * 1000n;
    return values.dtype === "bool" ? value !== 0 : value;
  }
  const bytes =
    values.kind === "bytes"
      ? values.data.subarray(values.offsets[i]!, values.offsets[i + 1]!)
      : values.data.subarray(i * values.size, (i + 1) * values.size);
  if (logical?.kind === "decimal") return signedBigEndian(bytes);
  return TEXTS.has(logical?.kind) ? Buffer.from(bytes).toString() : hex(bytes);
}

/** All rows of a file, row group by row group. */
export async function fileRows(
  source: string | Uint8Array,
  options: OpenOptions & ReadOptions = {},
): Promise<{ [name: string]: unknown }[]> {
  const file = await ParquetFile.open(
    typeof source === "string" ? await localFile(source) : memoryFile(source),
    options,
  );
  return parquetRows(file, options);
}

export async function parquetRows(
  file: ParquetFile,
  options: ReadOptions = {},
): Promise<{ [name: string]: unknown }[]> {
  const rows: unknown[] = [];
  for (const { index } of file.rowGroups) rows.push(...rowsOf(await file.read(index, options)));
  return rows as { [name: string]: unknown }[];
}

export const rowsOfAll = (columns: readonly StructColumn[]): unknown[] =>
  columns.flatMap((column) => rowsOf(column));

/** A folder that is removed when the tests of a file are done. */
export function temporaryFolder(): { readonly path: (name: string) => string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-parquet-"));
  return {
    path: (name) => join(folder, name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** As toEqual, with the first row that differs and not all of them. */
export function expectRows(found: readonly unknown[], expected: readonly unknown[]): void {
  const at = expected.findIndex((row, i) => !isDeepStrictEqual(found[i], row));
  if (at >= 0) expect({ at, row: found[at] }).toEqual({ at, row: expected[at] });
  expect(found.length).toBe(expected.length);
}
