// Several layouts as one: rows one after another, in the type they meet in. In: plain layouts. Out: a plain layout;
// numbers meet by promotion, lists and records of mergeable parts are one, nulls make an option, and what does not
// fit together is a union. Must hold: the form of the result depends on the forms alone.

import { ShapeError } from "../../core/errors.ts";
import type { Parameters } from "../../core/form/form.ts";
import { LOGICAL } from "../../core/form/logical.ts";
import { concatenateFlat } from "./flat.ts";
import {
  checkLength,
  fromZero,
  identity,
  isIdentity,
  joinedParameters,
  ranksOfValid,
  validOf,
} from "./indices.ts";
import {
  EMPTY,
  indexedOptionOf,
  isList,
  listOf,
  type NumpyLayout,
  type Plain,
  type PlainList,
  type PlainRecord,
  recordOf,
  regularOf,
  type StringLayout,
  stringOf,
  unionOf,
} from "./layout.ts";
import { take, takeOption, viewOf } from "./rows.ts";

export interface MergeOptions {
  /** Bools and numbers are one type: false is 0. */
  readonly mergeBool: boolean;
}
const APART: MergeOptions = { mergeBool: false };

/** True when both can be rows of one node that is not a union of them. */
export function mergeable(a: Plain, b: Plain, options: MergeOptions = APART): boolean {
  if (a.kind === "empty" || b.kind === "empty" || a.kind === "union" || b.kind === "union") return true;
  if (a.kind === "indexedOption") return mergeable(a.content, b, options);
  if (b.kind === "indexedOption") return mergeable(a, b.content, options);
  if (!sameMeaning(a, b)) return false;
  if (a.kind === "numpy" && b.kind === "numpy")
    return options.mergeBool || (a.dtype === "bool") === (b.dtype === "bool");
  if (a.kind === "string" && b.kind === "string") return a.encoding === b.encoding;
  if (isList(a) && isList(b)) return mergeable(a.content, b.content, options);
  if (a.kind === "record" && b.kind === "record") return mergeableRecords(a, b, options);
  return false;
}

/** Numbers that stand for the same, as they are. */
function sameMeaning(a: Plain, b: Plain): boolean {
  const [of, other] = [a.parameters[LOGICAL], b.parameters[LOGICAL]];
  return of === other || JSON.stringify(of) === JSON.stringify(other);
}

function mergeableRecords(a: PlainRecord, b: PlainRecord, options: MergeOptions): boolean {
  if (a.contents.length !== b.contents.length || (a.fields === null) !== (b.fields === null)) return false;
  if (a.parameters["__record__"] !== b.parameters["__record__"]) return false;
  return a.contents.every((content, i) => {
    const other = partner(a, i, b);
    return other !== undefined && mergeable(content, other, options);
  });
}

/** The field of `other` that is called as field i of `record` is. */
function partner(record: PlainRecord, i: number, other: PlainRecord): Plain | undefined {
  if (record.fields === null) return other.contents[i];
  const at = other.fields!.indexOf(record.fields[i]!);
  return other.contents[at];
}

/** The rows of all, one layout after another. */
export function mergeRows(nodes: readonly Plain[], options: MergeOptions = APART): Plain {
  const parts = nodes.filter((node) => node.kind !== "empty");
  if (parts.length <= 1) return parts[0] ?? nodes[0] ?? EMPTY;
  const isOne = parts.every((node) => node.kind !== "union" && mergeable(parts[0]!, node, options));
  const areMergeable = isOne && parts.every((a) => parts.every((b) => mergeable(a, b, options)));
  if (!areMergeable) return mergeAsUnion(parts, options);
  return parts.some((node) => node.kind === "indexedOption")
    ? mergeOptions(parts, options)
    : mergeSame(parts, options);
}

/** Tags are bytes. */
const MAX_TAGS = 127;

function mergeAsUnion(parts: readonly Plain[], options: MergeOptions): Plain {
  if (parts.length > MAX_TAGS) {
    const half = parts.length >> 1;
    return mergeRows(
      [mergeRows(parts.slice(0, half), options), mergeRows(parts.slice(half), options)],
      options,
    );
  }
  const length = checkLength(
    parts.reduce((sum, node) => sum + node.length, 0),
    "the rows together",
  );
  const tags = new Int8Array(length);
  const index = new Int32Array(length);
  let at = 0;
  parts.forEach((node, tag) => {
    for (let i = 0; i < node.length; i++, at++) {
      tags[at] = tag;
      index[at] = i;
    }
  });
  return makeUnion(tags, index, parts, {}, options);
}

function mergeOptions(parts: readonly Plain[], options: MergeOptions): Plain {
  const contents = parts.map((node) => (node.kind === "indexedOption" ? node.content : node));
  const isWhole = (node: Plain): boolean =>
    node.kind !== "indexedOption" || (isIdentity(node.index) && node.content.length === node.length);
  if (parts.every(isWhole)) {
    const merged = mergeRows(contents, options);
    return takeOption(merged, identity(merged.length));
  }
  const index = new Int32Array(parts.reduce((sum, node) => sum + node.length, 0));
  let at = 0;
  let base = 0;
  parts.forEach((node, i) => {
    for (let row = 0; row < node.length; row++) {
      const place = node.kind === "indexedOption" ? node.index[row]! : row;
      index[at++] = place < 0 ? -1 : base + place;
    }
    base += contents[i]!.length;
  });
  return takeOption(mergeRows(contents, options), index);
}

/** Nodes of one kind. */
function mergeSame(parts: readonly Plain[], options: MergeOptions): Plain {
  const [first] = parts;
  if (first!.kind === "numpy") return concatenateFlat(parts as readonly NumpyLayout[]);
  if (first!.kind === "string") return mergeStrings(parts as readonly StringLayout[]);
  if (first!.kind === "record") return mergeRecords(parts as readonly PlainRecord[], options);
  return mergeLists(parts as readonly PlainList[], options);
}

/** Offsets of lists one after another. */
function joinOffsets(all: readonly Int32Array[]): Int32Array {
  const count = all.reduce((sum, offsets) => sum + offsets.length - 1, 0);
  const joined = new Int32Array(count + 1);
  let at = 0;
  let base = 0;
  for (const offsets of all) {
    for (let i = 1; i < offsets.length; i++) joined[++at] = base + offsets[i]!;
    base = checkLength(base + offsets[offsets.length - 1]!, "the lists together");
  }
  return joined;
}

function mergeStrings(parts: readonly StringLayout[]): StringLayout {
  const offsets = joinOffsets(parts.map((part) => fromZero(part.offsets)));
  const bytes = new Uint8Array(offsets[offsets.length - 1]!);
  let at = 0;
  for (const part of parts) {
    const used = part.bytes.subarray(part.offsets[0]!, part.offsets[part.length]!);
    bytes.set(used, at);
    at += used.length;
  }
  return { ...stringOf(offsets, bytes, parts[0]!.encoding), parameters: joinedParameters(parts) };
}

function mergeLists(parts: readonly PlainList[], options: MergeOptions): Plain {
  const views = parts.map(viewOf);
  const content = mergeRows(
    views.map((view) => view.content),
    options,
  );
  const parameters = joinedParameters(parts);
  const sizes = parts.map((part) => (part.kind === "regular" ? part.size : -1));
  if (sizes[0]! >= 0 && sizes.every((size) => size === sizes[0])) {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    return { ...regularOf(content, sizes[0]!, length), parameters };
  }
  return { ...listOf(joinOffsets(views.map((view) => view.offsets)), content), parameters };
}

function mergeRecords(parts: readonly PlainRecord[], options: MergeOptions): Plain {
  const [first] = parts;
  const contents = first!.contents.map((_, i) =>
    mergeRows(
      parts.map((part) => partner(first!, i, part)!),
      options,
    ),
  );
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return { ...recordOf(first!.fields, contents, length), parameters: joinedParameters(parts) };
}

/** A content of a union as it is counted: without its option and without unions inside it. */
interface Member {
  readonly content: Plain;
  /** Rows of the content for rows of the union's content; −1 where the row is null or another member's. */
  readonly rows: Int32Array | null;
}

function membersOf(content: Plain): Member[] {
  if (content.kind === "indexedOption")
    return membersOf(content.content).map((member) => ({
      content: member.content,
      rows: composed(member.rows, content.index),
    }));
  if (content.kind !== "union") return [{ content, rows: null }];
  return content.contents.flatMap((inner, tag) => {
    const rows = content.index.map((place, i) => (content.tags[i] === tag ? place : -1));
    return membersOf(inner).map((member) => ({ content: member.content, rows: composed(member.rows, rows) }));
  });
}

const composed = (rows: Int32Array | null, index: Int32Array): Int32Array =>
  rows === null ? index : index.map((place) => (place < 0 ? -1 : rows[place]!));

const hasOption = (content: Plain): boolean =>
  content.kind === "indexedOption" || (content.kind === "union" && content.contents.some(hasOption));

/** Contents that may be one are one, an option of any of them is an option of the whole. */
interface Group {
  readonly nodes: Plain[];
  length: number;
}

/** A union over contents of any kind, as simple as it can be. */
export function makeUnion(
  tags: Int8Array,
  index: Int32Array,
  contents: readonly Plain[],
  parameters: Parameters = {},
  options: MergeOptions = APART,
  isNullable: boolean = contents.some(hasOption),
): Plain {
  const groups: Group[] = [];
  const outTags = new Int8Array(tags.length);
  const outIndex = new Int32Array(tags.length).fill(-1);
  contents.forEach((content, tag) => {
    for (const member of membersOf(content)) {
      const place = placeIn(groups, member.content, options);
      if (place === null) continue;
      for (let i = 0; i < tags.length; i++) {
        if (tags[i] !== tag || index[i]! < 0) continue;
        const row = member.rows === null ? index[i]! : member.rows[index[i]!]!;
        if (row < 0) continue;
        outTags[i] = place.group;
        outIndex[i] = place.base + row;
      }
    }
  });
  if (groups.length > MAX_TAGS) {
    throw new ShapeError({
      what: `a union would have ${groups.length} types, and at most ${MAX_TAGS} are possible`,
      cure: "Give records the same fields",
    });
  }
  const merged = groups.map(({ nodes }) => mergeRows(nodes, options));
  // A group that holds a union now may take in others that fitted none of its parts.
  const isSettled = merged.every((a, i) => merged.every((b, j) => i >= j || !mergeable(a, b, options)));
  return isSettled
    ? unionOfMerged(outTags, outIndex, merged, isNullable, parameters)
    : makeUnion(outTags, outIndex, merged, parameters, options, isNullable);
}

/** Where a member goes; a content of no known type has no rows and goes nowhere. */
function placeIn(
  groups: Group[],
  content: Plain,
  options: MergeOptions,
): { group: number; base: number } | null {
  if (content.kind === "empty") return null;
  let group = groups.findIndex(({ nodes }) => nodes.every((node) => mergeable(node, content, options)));
  if (group < 0) group = groups.push({ nodes: [], length: 0 }) - 1;
  const { nodes, length: base } = groups[group]!;
  nodes.push(content);
  groups[group]!.length += content.length;
  return { group, base };
}

function unionOfMerged(
  tags: Int8Array,
  index: Int32Array,
  contents: readonly Plain[],
  isNullable: boolean,
  parameters: Parameters,
): Plain {
  if (contents.length === 0) return isNullable ? indexedOptionOf(index, EMPTY) : EMPTY;
  if (contents.length === 1) return isNullable ? takeOption(contents[0]!, index) : take(contents[0]!, index);
  if (!isNullable) return { ...unionOf(tags, index, contents), parameters };
  // The union has the rows that are not null.
  const kept = tags.filter((_, i) => index[i]! >= 0);
  return indexedOptionOf(ranksOfValid(index), { ...unionOf(kept, validOf(index), contents), parameters });
}
