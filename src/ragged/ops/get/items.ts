// What a selection is made of. In: items as plain data (attributes of `get`) and index arrays (its further inputs).
// Out: items that the walk through the axes understands. Fields come first: x["jets", 0] is x["jets"][0].

import { describe } from "../../../core/chunks.ts";
import { DTypeError, IndexError, ShapeError } from "../../../core/errors.ts";
import { indexOf } from "../../layout/indices.ts";
import { isLeaf, isList, isOption, type Plain } from "../../layout/layout.ts";

/** A place, a new axis, all axes in between, a range, fields, places written out, or index array number i. */
export type SelectionItem =
  | number
  | null
  | "..."
  | readonly ["slice", number | null, number | null, number | null]
  | readonly ["field", string]
  | readonly ["fields", ...string[]]
  | readonly ["places", ...(number | null)[]]
  | readonly ["array", number];

/** A range as Python writes it: start:stop:step. */
export const range = (
  start: number | null = null,
  stop: number | null = null,
  step: number | null = null,
): SelectionItem => ["slice", start, stop, step];

export const ALL: SelectionItem = range();

/** Places along an axis: element k of the result is element values[k]. */
export interface Places {
  readonly kind: "places";
  readonly values: Int32Array;
  /** 1 where the result is null; null where none can be. */
  readonly nulls: Uint8Array | null;
  /** How long the axis must be: a mask covers all of it. */
  readonly covers: number | null;
  /** Written out, so that their number is part of the form. */
  readonly isLiteral: boolean;
}

export type AxisItem =
  | { readonly kind: "at"; readonly place: number }
  | {
      readonly kind: "range";
      readonly start: number | null;
      readonly stop: number | null;
      readonly step: number;
    }
  | { readonly kind: "newAxis" }
  | { readonly kind: "ellipsis" }
  | Places;

export interface Selection {
  /** A name, or names. */
  readonly fields: readonly (string | readonly string[])[];
  /** An index array of lists; it comes first. */
  readonly jagged: Plain | null;
  readonly axes: readonly AxisItem[];
}

export function selectionOf(items: readonly SelectionItem[], arrays: readonly Plain[]): Selection {
  const fields: (string | readonly string[])[] = [];
  const axes: AxisItem[] = [];
  let jagged: Plain | null = null;
  items.forEach((item, at) => {
    if (Array.isArray(item) && item[0] === "field") fields.push(item[1] as string);
    else if (Array.isArray(item) && item[0] === "fields") fields.push(item.slice(1) as string[]);
    else if (Array.isArray(item) && item[0] === "array" && isJagged(arrayAt(arrays, item[1] as number)))
      jagged = checkJagged(arrayAt(arrays, item[1] as number), at - fields.length);
    else axes.push(axisItem(item, arrays));
  });
  if (axes.filter(({ kind }) => kind === "ellipsis").length > 1)
    throw new IndexError({ what: "there are several ellipses", cure: "Use one at most" });
  return { fields, jagged, axes: sameCounts(axes) };
}

const isJagged = (array: Plain): boolean => isList(array) || (isOption(array) && isList(array.content));

function checkJagged(array: Plain, at: number): Plain {
  if (at === 0) return array;
  throw new IndexError({ what: `a jagged index is item ${at} of the selection`, cure: "Put it first" });
}

function arrayAt(arrays: readonly Plain[], at: number): Plain {
  const array = arrays[at];
  if (array !== undefined) return array;
  throw new IndexError({ what: `there is no index array ${at}`, cure: `There are ${arrays.length}` });
}

function axisItem(item: SelectionItem, arrays: readonly Plain[]): AxisItem {
  if (item === null) return { kind: "newAxis" };
  if (item === "...") return { kind: "ellipsis" };
  if (typeof item === "number") return { kind: "at", place: checkWhole(item, "an index") };
  if (!Array.isArray(item)) throw notAnItem(item);
  const [kind, ...rest] = item as readonly [string, ...(number | null)[]];
  if (kind === "slice") return rangeItem(rest);
  if (kind === "places") return literalPlaces(rest);
  if (kind === "array") return placesOf(arrayAt(arrays, rest[0]!));
  throw notAnItem(item);
}

const notAnItem = (item: unknown): IndexError =>
  new IndexError({
    what: `${describe(item)} selects nothing`,
    cure: 'Use whole numbers, ranges, null, "...", fields and index arrays',
  });

function rangeItem([start = null, stop = null, step = null]: readonly (number | null)[]): AxisItem {
  for (const bound of [start, stop, step]) if (bound !== null) checkWhole(bound, "a bound of a range");
  if (step === 0) throw new IndexError({ what: "the step of a range is 0", cure: "Use another step" });
  return { kind: "range", start, stop, step: step ?? 1 };
}

function checkWhole(value: number, what: string): number {
  if (Number.isSafeInteger(value)) return value;
  throw new IndexError({ what: `${what} is ${describe(value)}`, cure: "Use a whole number" });
}

function literalPlaces(values: readonly (number | null)[]): Places {
  const isNullable = values.includes(null);
  return {
    kind: "places",
    values: Int32Array.from(values, (value) => (value === null ? 0 : checkWhole(value, "an index"))),
    nulls: isNullable ? Uint8Array.from(values, (value) => (value === null ? 1 : 0)) : null,
    covers: null,
    isLiteral: true,
  };
}

/** A flat array of integers, or of bools: the places where they are true. */
function placesOf(array: Plain): Places {
  const index = isOption(array) ? array.index : null;
  const leaf = isOption(array) ? array.content : array;
  const flat = { kind: "places", covers: null, isLiteral: false } as const;
  if (!isLeaf(leaf) || leaf.kind === "string") throw notAnIndex(leaf.kind);
  if (leaf.kind === "empty") {
    const nulls = index === null ? null : new Uint8Array(array.length).fill(1);
    return { ...flat, values: new Int32Array(array.length), nulls };
  }
  if (leaf.dtype === "bool") return placesOfMask(leaf.data as Uint8Array, index, array.length);
  if (!/int/.test(leaf.dtype)) throw notAnIndex(leaf.dtype);
  const values = indexOf(leaf.data, "the indexes");
  if (index === null) return { ...flat, values, nulls: null };
  return {
    ...flat,
    values: index.map((at) => (at < 0 ? 0 : values[at]!)),
    nulls: Uint8Array.from(index, (at) => (at < 0 ? 1 : 0)),
  };
}

const notAnIndex = (found: string): DTypeError =>
  new DTypeError({ what: `an index array is of type ${found}`, cure: "Use integers or bools" });

/** A null in a mask is a null in the result. */
function placesOfMask(mask: Uint8Array, index: Int32Array | null, length: number): Places {
  const values = new Int32Array(length);
  const nulls = new Uint8Array(length);
  let count = 0;
  for (let i = 0; i < length; i++) {
    const at = index === null ? i : index[i]!;
    if (at >= 0 && mask[at] === 0) continue;
    values[count] = i;
    nulls[count++] = at < 0 ? 1 : 0;
  }
  return {
    kind: "places",
    values: values.subarray(0, count),
    nulls: index === null ? null : nulls.subarray(0, count),
    covers: length,
    isLiteral: false,
  };
}

/** Several index arrays go together, element by element; one element stands for all. */
function sameCounts(axes: readonly AxisItem[]): readonly AxisItem[] {
  const arrays = axes.filter((item): item is Places => item.kind === "places");
  if (arrays.length < 2) return axes;
  const count = arrays.reduce((n, { values }) => (n === 1 ? values.length : n), 1);
  const isLiteral = arrays.every((item) => item.isLiteral);
  return axes.map((item) => (item.kind === "places" ? { ...stretched(item, count), isLiteral } : item));
}

function stretched(item: Places, count: number): Places {
  const { values, nulls } = item;
  if (values.length === count) return item;
  if (values.length === 1)
    return {
      ...item,
      values: new Int32Array(count).fill(values[0]!),
      nulls: nulls === null ? null : new Uint8Array(count).fill(nulls[0]!),
    };
  throw new ShapeError({
    what: `index arrays of ${count} and ${values.length} elements do not broadcast`,
    cure: "Use index arrays of one length",
  });
}
