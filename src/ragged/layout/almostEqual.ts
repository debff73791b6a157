// Are two arrays the same, but for rounding? In: layouts. Out: yes or no. How nulls and lists are stored does not matter; what types they
// have does, unless told otherwise.

import { logicalOf } from "../../core/form/logical.ts";
import { castFlat } from "./flat.ts";
import { countsOf, ranksOfValid, sameIndices, validOf } from "./indices.ts";
import { isList, type NumpyLayout, type Plain, type PlainRecord, type StringLayout } from "./layout.ts";
import { rowsOfTag } from "./pack.ts";
import { take, viewOf } from "./rows.ts";

export interface Closeness {
  readonly rtol: number;
  readonly atol: number;
  readonly equalNan: boolean;
  /** int32 is not int64, and lists of one length by type are not lists. */
  readonly exactTypes: boolean;
}

export function almostEqual(a: Plain, b: Plain, by: Closeness): boolean {
  if (a.length !== b.length) return false;
  if (a.length === 0 && !by.exactTypes) return true;
  if (by.exactTypes && (a.parameters["__record__"] ?? null) !== (b.parameters["__record__"] ?? null))
    return false;
  if (isList(a) && isList(b)) return sameLists(a, b, by);
  if (a.kind === "indexedOption" || b.kind === "indexedOption") return sameOptions(a, b, by);
  if (a.kind === "record" && b.kind === "record") return sameRecords(a, b, by);
  if (a.kind === "string" && b.kind === "string") return sameTexts(a, b);
  if (a.kind === "numpy" && b.kind === "numpy") return sameNumbers(a, b, by);
  if (a.kind === "union" && b.kind === "union") return sameUnions(a, b, by);
  return a.kind === b.kind;
}

function sameLists(a: Plain, b: Plain, by: Closeness): boolean {
  if (by.exactTypes && a.kind !== b.kind) return false;
  const [one, other] = [viewOf(a as never), viewOf(b as never)];
  return (
    sameIndices(countsOf(one.offsets), countsOf(other.offsets)) && almostEqual(one.content, other.content, by)
  );
}

function sameOptions(a: Plain, b: Plain, by: Closeness): boolean {
  if (a.kind === "indexedOption" && b.kind === "indexedOption")
    return (
      sameIndices(ranksOfValid(a.index), ranksOfValid(b.index)) &&
      almostEqual(take(a.content, validOf(a.index)), take(b.content, validOf(b.index)), by)
    );
  const [option, other] =
    a.kind === "indexedOption" ? [a, b] : [b as typeof a & { kind: "indexedOption" }, a];
  if (by.exactTypes || option.kind !== "indexedOption" || option.index.includes(-1)) return false;
  return almostEqual(take(option.content, option.index), other, by);
}

function sameRecords(a: PlainRecord, b: PlainRecord, by: Closeness): boolean {
  if ((a.fields === null) !== (b.fields === null) || a.contents.length !== b.contents.length) return false;
  return a.contents.every((content, i) => {
    const at = a.fields === null ? i : b.fields!.indexOf(a.fields[i]!);
    return at >= 0 && almostEqual(content, b.contents[at]!, by);
  });
}

function sameTexts(a: StringLayout, b: StringLayout): boolean {
  if (a.encoding !== b.encoding || !sameIndices(countsOf(a.offsets), countsOf(b.offsets))) return false;
  const [from, other] = [a.offsets[0]!, b.offsets[0]!];
  const count = a.offsets[a.length]! - from;
  for (let i = 0; i < count; i++) if (a.bytes[from + i] !== b.bytes[other + i]) return false;
  return true;
}

function sameNumbers(
  a: NumpyLayout,
  b: NumpyLayout,
  { rtol, atol, equalNan, exactTypes }: Closeness,
): boolean {
  const meaning = JSON.stringify(logicalOf(a)) === JSON.stringify(logicalOf(b));
  if (!meaning || (exactTypes && a.dtype !== b.dtype)) return false;
  // Whole numbers of one type are compared as they are.
  if (a.dtype === b.dtype && /int|bool/.test(a.dtype)) {
    for (let i = 0; i < a.data.length; i++) if (a.data[i] !== b.data[i]) return false;
    return true;
  }
  const dtype = a.dtype.startsWith("complex") || b.dtype.startsWith("complex") ? "complex128" : "float64";
  const [x, y] = [a, b].map((leaf) => castFlat(leaf, dtype).data as Float64Array) as [
    Float64Array,
    Float64Array,
  ];
  for (let i = 0; i < x.length; i++) {
    const [one, other] = [x[i]!, y[i]!];
    if (one === other || (equalNan && Number.isNaN(one) && Number.isNaN(other))) continue;
    if (!(Math.abs(one - other) <= atol + rtol * Math.abs(other)) || !Number.isFinite(other)) return false;
  }
  return true;
}

/** Content by content, in the order in which they are stored. */
function sameUnions(
  a: Extract<Plain, { kind: "union" }>,
  b: Extract<Plain, { kind: "union" }>,
  by: Closeness,
): boolean {
  if (a.contents.length !== b.contents.length || !a.tags.every((tag, i) => tag === b.tags[i])) return false;
  const rows = (union: typeof a, tag: number): Plain =>
    take(
      union.contents[tag]!,
      rowsOfTag(union, tag).map((row) => union.index[row]!),
    );
  return a.contents.every((_, tag) => almostEqual(rows(a, tag), rows(b, tag), by));
}
