// Columns one after another: several row groups as one. In: columns of the same leaves of one schema. Out: one column.
// What must hold: the result is what reading one row group of all the rows would give.

import { infoOf, type TypedArray } from "../../core/dtype.ts";
import { NotSupportedError } from "../errors.ts";
import type { Column, LeafColumn, ListColumn, StructColumn, Values } from "./column.ts";

export function joinColumns<C extends Column>(columns: readonly C[]): C;
export function joinColumns(columns: readonly Column[]): Column {
  const [first] = columns;
  if (columns.length === 1) return first!;
  const length = columns.reduce((sum, column) => sum + column.length, 0);
  const base = { length, validity: joinValidity(columns, length) };
  switch (first!.kind) {
    case "leaf":
      return { ...first!, ...base, values: joinValues(columns as readonly LeafColumn[]) };
    case "list":
      return { ...first!, ...base, ...joinLists(columns as readonly ListColumn[]) };
    case "struct":
      return {
        ...first!,
        ...base,
        fields: first!.fields.map((_, i) =>
          joinColumns((columns as readonly StructColumn[]).map((column) => column.fields[i]!)),
        ),
      };
  }
}

function joinValidity(columns: readonly Column[], length: number): Uint8Array | null {
  if (columns.every(({ validity }) => validity === null)) return null;
  const joined = new Uint8Array(length).fill(1);
  let at = 0;
  for (const column of columns) {
    if (column.validity !== null) joined.set(column.validity, at);
    at += column.length;
  }
  return joined;
}

function joinLists(lists: readonly ListColumn[]): { offsets: Int32Array; item: Column } {
  return { offsets: joinOffsets(lists), item: joinColumns(lists.map((list) => list.item)) };
}

/** Of columns whose first offset is 0, as all are that were read. */
function joinOffsets(parts: readonly { readonly offsets: Int32Array }[]): Int32Array {
  const count = parts.reduce((sum, { offsets }) => sum + offsets.length - 1, 0);
  const joined = new Int32Array(count + 1);
  let at = 0;
  let base = 0;
  for (const { offsets } of parts) {
    for (let i = 1; i < offsets.length; i++) joined[++at] = base + offsets[i]!;
    base += offsets[offsets.length - 1]!;
    if (base >= 2 ** 31) throw tooMany(base);
  }
  return joined;
}

function joinValues(columns: readonly LeafColumn[]): Values | null {
  const parts = columns.map(({ values }) => values).filter((values) => values !== null);
  const [first] = parts;
  if (first === undefined) return null;
  const arrays = parts.map(({ data }) => data);
  switch (first.kind) {
    case "numbers":
      return { ...first, data: joinArrays(arrays, infoOf(first.dtype).array) };
    case "fixed":
      return { ...first, data: joinArrays(arrays, Uint8Array) as Uint8Array };
    case "bytes": {
      const offsets = joinOffsets(parts as readonly Extract<Values, { kind: "bytes" }>[]);
      return { ...first, offsets, data: joinArrays(arrays, Uint8Array) as Uint8Array };
    }
  }
}

function joinArrays(arrays: readonly TypedArray[], ArrayOf: new (length: number) => TypedArray): TypedArray {
  const joined = new ArrayOf(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    joined.set(array as never, at);
    at += array.length;
  }
  return joined;
}

const tooMany = (items: number): NotSupportedError =>
  new NotSupportedError({
    what: `row groups with ${items} items together, and offsets are of 32 bits`,
    cure: "Join fewer row groups into a partition",
  });
