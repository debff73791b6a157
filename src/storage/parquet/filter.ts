// Which row groups a filter can skip. In: a condition on columns, and the statistics of a row group. Out: false when no
// row can satisfy it, true when one may. Decimals, dates and times are compared by what they stand for, exactly: 1.05,
// "2024-02-29", "2024-02-29T12:00:00Z", or a Date. For a column in a list a comparison holds for a row when it holds for any item.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { compareExact, type Exact, exactOfNumber } from "../../core/form/exactNumbers.ts";
import { EXPONENTS, type Measure, measureOf } from "../../core/form/logical.ts";
import { exactOfStored, exactOfValue, storedOfExact } from "../../core/form/logicalValues.ts";
import { closest } from "../../core/suggest.ts";
import { utf8 } from "../zarr/zarrJson.ts";
import { type LeafNode, type LeafType, leavesAt, type Schema } from "./schema.ts";
import { type Bound, compareBounds, type Statistics } from "./statistics.ts";

export type FilterValue = number | bigint | boolean | string | Uint8Array | Date;

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
  const leaf = leafOf(filter.column, schema);
  for (const value of "values" in filter ? filter.values : "value" in filter ? [filter.value] : [])
    checkValue(value, leaf);
  if (OPERATORS.includes(filter.op)) return;
  throw new ValueError({
    what: `a filter compares by ${describe(filter.op)}`,
    cure: `Use ${OPERATORS.join(", ")}`,
  });
}

/** A text beside points in time must be one. */
function checkValue(value: FilterValue, { type, path }: LeafNode): void {
  const measure = measureOfColumn(type);
  const isText = typeof value === "string" || value instanceof Date;
  if (measure === null || !isText || exactOf(value, measure) !== null) return;
  throw new ValueError({
    what: `a filter compares ${path} with ${describe(value)}, which is no ${type.logical?.kind ?? "time"}`,
    cure: 'Write "1.05", "2024-02-29", "12:34:56" or "2024-02-29T12:34:56Z"',
  });
}

/** What a column's numbers stand for; null where they are what they are. */
function measureOfColumn({ physical, logical }: LeafType): Measure | null {
  if (physical === "int96") return { dimension: "instant", exponent: EXPONENTS.ns, factor: 1 };
  switch (logical?.kind) {
    case "decimal":
      return measureOf({ kind: "decimal", precision: logical.precision, scale: logical.scale });
    case "date":
      return measureOf({ kind: "date" });
    case "time":
    case "timestamp":
      return measureOf({ kind: logical.kind, unit: logical.unit, zone: null });
    default:
      return null;
  }
}

/** What a value is worth beside such a column; a number beside times is a count of the column's units. */
function exactOf(value: FilterValue, measure: Measure): Exact | null {
  if (value instanceof Date)
    return exactOf(Number.isNaN(value.getTime()) ? "" : value.toISOString(), measure);
  if (typeof value === "boolean" || value instanceof Uint8Array) return null;
  const exact = exactOfValue(measure.dimension, value);
  if (exact !== null || typeof value === "string") return exact;
  const units = exactOfNumber(value);
  return units === null
    ? null
    : { digits: units.digits * BigInt(measure.factor), exponent: units.exponent + measure.exponent };
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
      return filter.values.some((value) => mayCompare("==", value, { statistics, entries, type: leaf.type }));
    default:
      return mayCompare(filter.op, filter.value, { statistics, entries, type: leaf.type });
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

interface Chunk {
  readonly statistics: Statistics;
  readonly entries: number;
  readonly type: LeafType;
}

/** A condition on one column. */
export type Condition = Exclude<Filter, { and: unknown } | { or: unknown }>;

/** The leaf that a condition is on. */
export const leafOfCondition = ({ column }: Condition, schema: Schema): LeafNode => leafOf(column, schema);

/** The values of which one must be there for the condition to hold; null where others will do. */
export function valuesAskedFor(condition: Condition): readonly FilterValue[] | null {
  if (condition.op === "==") return [condition.value];
  return condition.op === "in" ? condition.values : null;
}

/** What a value is in a column as it is stored: a whole number for decimals and times. Null where none is it. */
export function storedBound(value: FilterValue, type: LeafType): Bound | null {
  const measure = measureOfColumn(type);
  if (measure === null) return boundOf(value);
  const exact = exactOf(value, measure);
  return exact === null ? null : storedOfExact(exact, measure);
}

function mayCompare(op: Comparison, value: FilterValue, { statistics, entries, type }: Chunk): boolean {
  const { min, max, nulls } = statistics;
  // Nothing compares with null.
  if (nulls !== null && nulls >= entries) return false;
  if (min === null || max === null) return true;
  const ways = comparedWith(value, min, max, type);
  if (ways === null) return true;
  // Statistics do not count NaN, which is unequal to everything.
  const mayBeNaN =
    type.physical === "float" || type.physical === "double" || type.logical?.kind === "float16";
  if (op === "!=") return !(statistics.isExact && ways.min === 0 && ways.max === 0) || mayBeNaN;
  return SKIPS[op](ways.min, ways.max);
}

/** How the smallest and the largest compare with a value; null where they do not. */
function comparedWith(
  value: FilterValue,
  min: Bound,
  max: Bound,
  type: LeafType,
): { readonly min: number; readonly max: number } | null {
  const measure = measureOfColumn(type);
  if (measure === null) {
    const bound = boundOf(value);
    return comparable(bound, min) ? { min: compareBounds(min, bound), max: compareBounds(max, bound) } : null;
  }
  const exact = exactOf(value, measure);
  if (exact === null || min instanceof Uint8Array || max instanceof Uint8Array) return null;
  const [least, most] = [min, max].map((bound) => exactOfStored(BigInt(bound), measure));
  return { min: compareExact(least!, exact), max: compareExact(most!, exact) };
}

/** Whether a value may be there, by how the smallest and the largest compare with what is asked for. */
const SKIPS: { readonly [O in Exclude<Comparison, "!=">]: (min: number, max: number) => boolean } = {
  "==": (min, max) => min <= 0 && max >= 0,
  "<": (min) => min < 0,
  "<=": (min) => min <= 0,
  ">": (_, max) => max > 0,
  ">=": (_, max) => max >= 0,
};

const boundOf = (value: FilterValue): Bound =>
  typeof value === "string" ? utf8(value) : value instanceof Date ? utf8(value.toISOString()) : value;

function comparable(a: Bound, b: Bound): boolean {
  if (typeof a === "number" && Number.isNaN(a)) return false;
  return a instanceof Uint8Array === b instanceof Uint8Array;
}
