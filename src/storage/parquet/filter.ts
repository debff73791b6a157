// Which row groups a filter can skip. In: a condition on columns, and the statistics of a row group. Out: false when no
// row can satisfy it, true when one may. For a column in a list a comparison holds for a row when it holds for any item.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { closest } from "../../core/suggest.ts";
import { utf8 } from "../zarr/zarrJson.ts";
import { type LeafNode, leavesAt, type Schema } from "./schema.ts";
import { type Bound, compareBounds, type Statistics } from "./statistics.ts";

export type FilterValue = number | bigint | boolean | string | Uint8Array;

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** A column is named by its path or by its leaf index. */
export type Filter =
  | { readonly column: string | number; readonly op: Comparison; readonly value: FilterValue }
  | { readonly column: string | number; readonly op: "in"; readonly values: readonly FilterValue[] }
  | { readonly column: string | number; readonly op: "isNull" | "notNull" }
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] };

export interface FilterContext {
  readonly schema: Schema;
  readonly rows: number;
  entriesOf(leaf: number): number;
  statisticsOf(leaf: number): Statistics;
}

/** Before anything is read: columns that are not there and comparisons that nobody knows are errors. */
export function checkFilter(filter: Filter, schema: Schema): void {
  if (typeof filter !== "object" || filter === null) throw noFilter(filter);
  if ("and" in filter || "or" in filter) {
    for (const part of "and" in filter ? filter.and : filter.or) checkFilter(part, schema);
    return;
  }
  if (!("column" in filter)) throw noFilter(filter);
  leafOf(filter.column, schema);
  if (OPERATORS.includes(filter.op)) return;
  throw new ValueError({
    what: `a filter compares by ${describe(filter.op)}`,
    cure: `Use ${OPERATORS.join(", ")}`,
  });
}

const OPERATORS: readonly string[] = ["==", "!=", "<", "<=", ">", ">=", "in", "isNull", "notNull"];

const noFilter = (filter: unknown): ValueError =>
  new ValueError({
    what: `${describe(filter)} is no filter`,
    cure: 'Use {column: "met", op: ">", value: 20}',
  });

export function mayMatch(filter: Filter, context: FilterContext): boolean {
  if (context.rows === 0) return false;
  if ("and" in filter) return filter.and.every((part) => mayMatch(part, context));
  if ("or" in filter) return filter.or.some((part) => mayMatch(part, context));
  const leaf = leafOf(filter.column, context.schema);
  const statistics = context.statisticsOf(leaf.leaf);
  const entries = context.entriesOf(leaf.leaf);
  switch (filter.op) {
    case "isNull":
      return statistics.nulls !== 0;
    case "notNull":
      return statistics.nulls === null || statistics.nulls < entries;
    case "in":
      return filter.values.some((value) => mayCompare("==", value, statistics, entries));
    default:
      return mayCompare(filter.op, filter.value, statistics, entries);
  }
}

function leafOf(column: string | number, schema: Schema): LeafNode {
  const found = typeof column === "number" ? schema.leaves[column] : onlyLeaf(column, schema);
  if (found !== undefined) return found;
  throw new ValueError({
    what: `there is no column ${column} to compare`,
    cure: whichColumn(String(column), schema),
  });
}

function whichColumn(column: string, schema: Schema): string {
  const below = leavesAt(schema, column).map((leaf) => leaf.path);
  if (below.length > 0) return `It holds several: compare ${below.slice(0, 12).join(" or ")}`;
  return closest(
    column,
    schema.leaves.map((leaf) => leaf.path),
  );
}

function onlyLeaf(path: string, schema: Schema): LeafNode | undefined {
  const leaves = leavesAt(schema, path);
  return leaves.length === 1 ? leaves[0] : leaves.find((leaf) => leaf.path === path);
}

function mayCompare(op: Comparison, value: FilterValue, statistics: Statistics, entries: number): boolean {
  const { min, max, nulls } = statistics;
  // Nothing compares with null.
  if (nulls !== null && nulls >= entries) return false;
  if (min === null || max === null) return true;
  const bound = boundOf(value);
  if (!comparable(bound, min)) return true;
  // Statistics do not count NaN, which is unequal to everything.
  if (op === "!=")
    return !(statistics.isExact && isSame(min, max) && isSame(min, bound)) || typeof min === "number";
  return SKIPS[op](compareBounds(min, bound), compareBounds(max, bound));
}

/** Whether a value may be there, by how the smallest and the largest compare with what is asked for. */
const SKIPS: { readonly [O in Exclude<Comparison, "!=">]: (min: number, max: number) => boolean } = {
  "==": (min, max) => min <= 0 && max >= 0,
  "<": (min) => min < 0,
  "<=": (min) => min <= 0,
  ">": (_, max) => max > 0,
  ">=": (_, max) => max >= 0,
};

const boundOf = (value: FilterValue): Bound => (typeof value === "string" ? utf8(value) : value);

const isSame = (a: Bound, b: Bound): boolean => compareBounds(a, b) === 0;

function comparable(a: Bound, b: Bound): boolean {
  if (typeof a === "number" && Number.isNaN(a)) return false;
  return a instanceof Uint8Array === b instanceof Uint8Array;
}
