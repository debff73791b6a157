// Nested lists ⇄ layouts. In: lists of numbers, bigints, booleans, strings, bytes (Uint8Array), null, lists and plain
// objects. Out: columns of the types found: whole numbers are int64, others float64. And back: int64 values are numbers where a number holds
// them exactly, bigints otherwise; what has a logical type is shown as what it is. Must hold: toList(fromIter(x)) is x, up to 1n being 1.

import { elementAt } from "../../core/block.ts";
import { describe } from "../../core/chunks.ts";
import { ShapeError } from "../../core/errors.ts";
import { logicalOf, measureOf } from "../../core/form/logical.ts";
import { shownBytes, shownNumber } from "../../core/form/logicalValues.ts";
import { exactNumber } from "../../core/numbers.ts";
import type { Layout, NumpyLayout, Plain, PlainList, StringLayout } from "../layout/layout.ts";
import { plain } from "../layout/plainLayout.ts";
import { viewOf } from "../layout/rows.ts";
import { Slot } from "./builder.ts";

export type NestedValue = unknown;

export function fromIter(values: Iterable<unknown>): Layout {
  if (
    typeof values === "string" ||
    typeof (values as Partial<Iterable<unknown>> | null)?.[Symbol.iterator] !== "function"
  )
    throw new ShapeError({
      where: "fromIter",
      what: `${describe(values)} is no list`,
      cure: "Use a list of rows",
    });
  const slot = new Slot(0);
  for (const value of values) slot.push(value);
  return slot.finish();
}

/** The rows as JavaScript values. */
export const toList = (layout: Layout): NestedValue[] => valuesOf(plain(layout));

/** Column by column: no row is walked on its own. */
function valuesOf(node: Plain): unknown[] {
  switch (node.kind) {
    case "empty":
      return [];
    case "numpy":
      return numbersOf(node);
    case "string":
      return textsOf(node);
    case "regular":
    case "listOffset": {
      const { offsets, content } = viewOf(node);
      const values = valuesOf(content);
      const list = (i: number): unknown[] => values.slice(offsets[i]!, offsets[i + 1]!);
      const asMap = mapOf(node);
      return Array.from({ length: node.length }, (_, i) => (asMap === null ? list(i) : asMap(list(i))));
    }
    case "record":
      return recordsOf(node.fields, node.contents.map(valuesOf), node.length);
    case "indexedOption": {
      const values = valuesOf(node.content);
      return Array.from(node.index, (at) => (at < 0 ? null : values[at]));
    }
    case "union": {
      const columns = node.contents.map(valuesOf);
      return Array.from(node.index, (at, i) => columns[node.tags[i]!]![at]);
    }
    default:
      node satisfies never;
      return [];
  }
}

/** Maps whose keys are texts are objects; others are lists of a key and a value each. Null for other lists. */
function mapOf(list: PlainList): ((entries: unknown[]) => unknown) | null {
  const entry = list.content;
  if (logicalOf(list)?.kind !== "map" || entry.kind !== "record" || entry.contents.length !== 2) return null;
  const [key = "0", value = "1"] = entry.fields ?? [];
  const pairs = (entries: unknown[]): [unknown, unknown][] =>
    entries.map((row) => [(row as Row)[key], (row as Row)[value]]);
  if (entry.contents[0]!.kind !== "string" || logicalOf(entry.contents[0]!) !== null) return pairs;
  return (entries) => {
    const map: Row = {};
    for (const [name, of] of pairs(entries)) setField(map, String(name), of);
    return map;
  };
}

function numbersOf(node: NumpyLayout): unknown[] {
  const { dtype, data, length } = node;
  const logical = logicalOf(node);
  if (logical !== null && measureOf(logical) !== null)
    return Array.from({ length }, (_, i) => shownNumber(logical, BigInt(data[i]!)));
  return Array.from({ length }, (_, i) => {
    const value = elementAt(data, dtype, i);
    return typeof value === "bigint" ? exactNumber(value) : value;
  });
}

const decoder = new TextDecoder();

function textsOf(node: StringLayout): unknown[] {
  const { encoding, offsets, bytes, length } = node;
  const logical = logicalOf(node);
  return Array.from({ length }, (_, i) => {
    // A decoder does not read shared memory.
    const own = bytes.slice(offsets[i]!, offsets[i + 1]!);
    if (encoding === "utf8" && logical?.kind === "variant")
      return own.length === 0 ? null : JSON.parse(decoder.decode(own));
    if (encoding === "utf8") return decoder.decode(own);
    return logical === null ? own : shownBytes(logical, own);
  });
}

/** A tuple is a list of its slots. */
function recordsOf(
  fields: readonly string[] | null,
  columns: readonly unknown[][],
  length: number,
): unknown[] {
  if (fields === null) return Array.from({ length }, (_, i) => columns.map((column) => column[i]));
  return Array.from({ length }, (_, i) => rowOf(fields, columns, i));
}

function rowOf(fields: readonly string[], columns: readonly unknown[][], i: number): object {
  const row: Row = {};
  for (let field = 0; field < fields.length; field++) setField(row, fields[field]!, columns[field]![i]);
  return row;
}

interface Row {
  [name: string]: unknown;
}

/** A field may be called __proto__. */
function setField(row: Row, name: string, value: unknown): void {
  if (name === "__proto__")
    Object.defineProperty(row, name, { value, enumerable: true, configurable: true, writable: true });
  else row[name] = value;
}
