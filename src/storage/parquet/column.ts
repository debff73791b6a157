// Columns in memory: what is read and what is written. A leaf holds values, a list offsets and its items, a struct its
// fields; each may have a validity. All are typed arrays, nothing per row. What must hold: `validity` is null when
// nothing is null; a null has a value all the same (zero, or an empty list), so that positions stay positions.

import type { RealDType, TypedArray } from "../../core/dtype.ts";
import type { LeafType } from "./schema.ts";

export type Values =
  /** `data` holds just the elements. Booleans are bytes. */
  | { readonly kind: "numbers"; readonly dtype: RealDType; readonly data: TypedArray }
  /** Value i is the bytes from offsets[i] to offsets[i + 1]. The first offset need not be 0. */
  | { readonly kind: "bytes"; readonly offsets: Int32Array; readonly data: Uint8Array }
  /** Values of `size` bytes one after another. */
  | { readonly kind: "fixed"; readonly size: number; readonly data: Uint8Array };

interface ColumnBase {
  readonly length: number;
  /** One byte per slot, 1 for valid; null when all are. */
  readonly validity: Uint8Array | null;
}

export interface LeafColumn extends ColumnBase {
  readonly kind: "leaf";
  readonly type: LeafType;
  /** Null when only its nulls and the offsets of the lists around it were asked for. */
  readonly values: Values | null;
}

export interface ListColumn extends ColumnBase {
  readonly kind: "list";
  readonly isMap: boolean;
  /** List i is the items from offsets[i] to offsets[i + 1]. The first offset need not be 0. */
  readonly offsets: Int32Array;
  readonly item: Column;
}

export interface StructColumn extends ColumnBase {
  readonly kind: "struct";
  readonly names: readonly string[];
  readonly fields: readonly Column[];
}

export type Column = LeafColumn | ListColumn | StructColumn;

/** The slots from `from` to `to`, without copies. */
export function sliceColumn<C extends Column>(column: C, from: number, to: number): C;
export function sliceColumn(column: Column, from: number, to: number): Column {
  const base = { length: to - from, validity: column.validity?.subarray(from, to) ?? null };
  switch (column.kind) {
    case "leaf":
      return {
        ...column,
        ...base,
        values: column.values === null ? null : sliceValues(column.values, from, to),
      };
    case "list":
      return { ...column, ...base, offsets: column.offsets.subarray(from, to + 1) };
    case "struct":
      return { ...column, ...base, fields: column.fields.map((field) => sliceColumn(field, from, to)) };
  }
}

function sliceValues(values: Values, from: number, to: number): Values {
  switch (values.kind) {
    case "numbers":
      return { ...values, data: values.data.subarray(from, to) as TypedArray };
    case "bytes":
      return { ...values, offsets: values.offsets.subarray(from, to + 1) };
    case "fixed":
      return { ...values, data: values.data.subarray(from * values.size, to * values.size) };
  }
}
