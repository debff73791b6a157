// Broadcasting nested data. In: several layouts. Out: one layout of their common structure: rows and lists are matched from the
// outside in; where one has lists and another not, its element goes to all elements of the list; regular lists of one
// element stretch. Nulls in any make nulls in all. Must hold: `stop` decides by the kinds of nodes, never by rows.

import { ShapeError } from "../../core/errors.ts";
import {
  drawnBelow,
  joinedParameters,
  parentsOf,
  ranksOfValid,
  sameIndices,
  validOf,
} from "../layout/indices.ts";
import {
  depthsOf,
  isList,
  isOption,
  listOf,
  type Plain,
  type PlainList,
  type PlainOption,
  type PlainRecord,
  recordOf,
  regularOf,
} from "../layout/layout.ts";
import { makeUnion } from "../layout/mergedLayouts.ts";
import { rowsOfTag } from "../layout/pack.ts";
import { repeatNumbers, take, takeOption, viewOf } from "../layout/rows.ts";
import { frontAxis } from "./axis.ts";

// NumPy's way of broadcasting, for arrays without any ragged axis: shapes are matched at their ends. In: layouts. Out:
// the same, and where all are regular and not equally deep, the shallow ones as rows of an array of one row.

function alignRight(nodes: readonly Plain[]): readonly Plain[] {
  if (nodes.length < 2 || !nodes.every(isRegularTree)) return nodes;
  const depths = nodes.map((node) => depthsOf(node)[1]);
  const deepest = Math.max(...depths);
  if (depths.every((depth) => depth === deepest)) return nodes;
  const isProbe = nodes.every((node) => node.length === 0);
  return nodes.map((node, i) => {
    const missing = deepest - depths[i]!;
    if (missing === 0) return node;
    const sizes = nodes
      .filter((_, other) => depths[other] === deepest)
      .map((other) => sizeAt(other, missing));
    return wrapped(node, missing, Math.max(...sizes), isProbe);
  });
}

function isRegularTree(node: Plain): boolean {
  if (node.kind === "regular" || node.kind === "indexedOption") return isRegularTree(node.content);
  return node.kind === "numpy" || node.kind === "string";
}

/** How long the lists along an axis are, 1 being the first below the rows. */
function sizeAt(node: Plain, axis: number): number {
  if (node.kind === "indexedOption") return sizeAt(node.content, axis);
  if (node.kind !== "regular") return 1;
  return axis === 1 ? node.size : sizeAt(node.content, axis - 1);
}

/** The array's own rows become the elements of one list. How many they are must be known from the others' form. */
function wrapped(node: Plain, levels: number, size: number, isProbe: boolean): Plain {
  if (!isProbe && node.length !== size && node.length !== 1) {
    throw new ShapeError({
      what: `an array of ${node.length} rows does not broadcast against lists of ${size}`,
      cure: "Their lengths must be equal; or use get(x, [slice, null]) to match rows with rows",
    });
  }
  let result: Plain = regularOf(node, isProbe ? size : node.length, isProbe ? 0 : 1);
  for (let level = 1; level < levels; level++) result = regularOf(result, 1, isProbe ? 0 : 1);
  return result;
}

// Which operations work row by row: op(a ++ b) = op(a) ++ op(b), whatever rows a and b have. In: probes of the inputs
// and the attributes. Out: yes or no. Where it is yes, partitions can be worked on one by one; where it is no, somebody
// has to look at several rows at once.

/** True: row i comes of row i. "changed": row by row, and there may be more or fewer rows. False: not row by row. */
type RowWay = boolean | "changed";
export type Rowwise<A> = (inputs: readonly Plain[], attrs: A) => RowWay;

export const always = (): boolean => true;

/** For operations along an axis: not when that is the axis of the rows. */
export function belowRows(byDefault: number | null): Rowwise<{ readonly axis?: number | null }> {
  return ([input], { axis = byDefault }) => axis !== null && !isRowAxis(input!, axis);
}

/** For operations along an axis of several arrays, counted by the deepest. */
export function belowAllRows(byDefault: number): Rowwise<{ readonly axis?: number }> {
  return (inputs, { axis = byDefault }) => {
    const deepest = Math.max(...inputs.map((input) => depthsOf(input)[1]));
    return (axis < 0 ? axis + deepest : axis) !== 0;
  };
}

function isRowAxis(node: Plain, axis: number): boolean {
  const front = frontAxis(node, axis, 0);
  if (front !== null) return front === 0;
  // Fields that are not equally deep: one of them may end here.
  if (node.kind === "record" || node.kind === "union")
    return node.contents.some((content) => isRowAxis(content, axis));
  return node.kind === "indexedOption" && isRowAxis(node.content, axis);
}

/** For broadcasting: not when the rows of one array are matched with elements of another. */
export const rowsMatched: Rowwise<object> = (inputs) => alignRight(inputs) === inputs;

/** For flattening: fields come one after another, so not where there are several. */
export const oneLeaf: Rowwise<object> = ([input]) => leavesOf(input!) === 1 && "changed";

function leavesOf(node: Plain): number {
  if (node.kind === "record" || node.kind === "union")
    return node.contents.reduce((count, content) => count + leavesOf(content), 0);
  return "content" in node ? leavesOf(node.content) : 1;
}

/** At every level: the result, if this is where to stop, or null to go on inward. */
export type Stop = (nodes: readonly Plain[], depth: number) => Plain | null;

export interface BroadcastOptions {
  /** Purely regular arrays are matched at their last axes, as NumPy does. */
  readonly right: boolean;
}

export function broadcast(
  inputs: readonly Plain[],
  stop: Stop,
  options: BroadcastOptions = { right: true },
): Plain {
  const aligned = options.right ? alignRight(inputs) : inputs;
  return step(sameLengths(aligned), stop, 0);
}

/** One row stands for all. */
function sameLengths(nodes: readonly Plain[]): readonly Plain[] {
  const length = nodes.reduce((most, node) => (most === 1 ? node.length : most), 1);
  return nodes.map((node) => {
    if (node.length === length) return node;
    if (node.length === 1) return take(node, new Int32Array(length));
    throw new ShapeError({
      what: `arrays of ${length} and ${node.length} rows do not broadcast`,
      cure: "Use arrays of equal length",
    });
  });
}

function step(nodes: readonly Plain[], stop: Stop, depth: number): Plain {
  const stopped = stop(nodes, depth);
  if (stopped !== null) return drawnBelow(stopped, nodes);
  if (nodes.some((node) => node.kind === "union")) return throughUnions(nodes, stop, depth);
  if (nodes.some(isOption)) return throughOptions(nodes, stop, depth);
  if (nodes.some(isList)) return throughLists(nodes, stop, depth);
  if (nodes.some((node) => node.kind === "record")) return throughRecords(nodes, stop, depth);
  throw new ShapeError({
    what: `${nodes.map((node) => node.kind).join(" and ")} do not go together`,
    cure: "Use arrays whose types match",
  });
}

/** Every combination of contents is computed where it occurs; the results are joined. */
function throughUnions(nodes: readonly Plain[], stop: Stop, depth: number): Plain {
  const at = nodes.findIndex((node) => node.kind === "union");
  const union = nodes[at] as Extract<Plain, { kind: "union" }>;
  const index = new Int32Array(union.length);
  const parts = union.contents.map((content, tag) => {
    const rows = rowsOfTag(union, tag);
    rows.forEach((row, i) => {
      index[row] = i;
    });
    const chosen = nodes.map((node, i) =>
      i === at
        ? take(
            content,
            rows.map((row) => union.index[row]!),
          )
        : take(node, rows),
    );
    return step(chosen, stop, depth);
  });
  return makeUnion(union.tags, index, parts);
}

/** Computed where nobody is null. */
function throughOptions(nodes: readonly Plain[], stop: Stop, depth: number): Plain {
  const valid = commonValid(nodes.filter(isOption));
  const rows = validOf(valid);
  const inside = nodes.map((node) => {
    if (!isOption(node)) return rows.length === node.length ? node : take(node, rows);
    return take(
      node.content,
      rows.map((row) => node.index[row]!),
    );
  });
  return takeOption(step(inside, stop, depth), ranksOfValid(valid));
}

/** The row's own number where all options have a value, −1 elsewhere. */
function commonValid(options: readonly PlainOption[]): Int32Array {
  const valid = new Int32Array(options[0]!.length);
  for (let i = 0; i < valid.length; i++) valid[i] = i;
  for (const { index } of options) for (let i = 0; i < valid.length; i++) if (index[i]! < 0) valid[i] = -1;
  return valid;
}

function throughLists(nodes: readonly Plain[], stop: Stop, depth: number): Plain {
  const lists = nodes.filter(isList);
  if (lists.every((list) => list.kind === "regular")) return throughRegular(nodes, stop, depth);
  const offsets = viewOf(lists.find((list) => list.kind === "listOffset")!).offsets;
  const contents = nodes.map((node) =>
    isList(node) ? matched(node, offsets, depth) : spread(node, offsets),
  );
  return listOf(offsets, step(contents, stop, depth + 1));
}

/** The content of lists that must be as long as `offsets` says. */
function matched(list: PlainList, offsets: Int32Array, depth: number): Plain {
  const view = viewOf(list);
  if (sameIndices(view.offsets, offsets)) return view.content;
  if (list.kind === "regular" && list.size === 1) return spread(view.content, offsets);
  const row = offsets.findIndex((offset, i) => offset !== view.offsets[i]) - 1;
  const count = (of: Int32Array): number => of[row + 1]! - of[row]!;
  throw new ShapeError({
    what: `at axis ${depth + 1}, list ${row} has ${count(offsets)} elements in one array and ${count(view.offsets)} in another`,
    cure: "Lists that are combined must be equally long",
  });
}

/** Row i as often as list i has elements. */
const spread = (node: Plain, offsets: Int32Array): Plain =>
  node.kind === "numpy" ? repeatNumbers(node, offsets) : take(node, parentsOf(offsets));

function throughRegular(nodes: readonly Plain[], stop: Stop, depth: number): Plain {
  const { length } = nodes[0]!;
  const sizes = nodes.flatMap((node) => (node.kind === "regular" ? [node.size] : []));
  const size = sizes.reduce((a, b) => (a === 1 ? b : a), 1);
  const bad = sizes.find((other) => other !== size && other !== 1);
  if (bad !== undefined) {
    throw new ShapeError({
      what: `at axis ${depth + 1}, lists of ${size} and of ${bad} elements do not broadcast`,
      cure: "Lists that are combined must be equally long, or of one element",
    });
  }
  const offsets = viewOf(regularOf(nodes[0]!, size, length)).offsets;
  const contents = nodes.map((node) => {
    if (node.kind !== "regular") return spread(node, offsets);
    const { content } = viewOf(node);
    return node.size === size ? content : spread(content, offsets);
  });
  return regularOf(step(contents, stop, depth + 1), size, length);
}

/** Field by field; what is no record goes to every field. */
function throughRecords(nodes: readonly Plain[], stop: Stop, depth: number): Plain {
  const records = nodes.filter((node): node is PlainRecord => node.kind === "record");
  const [first] = records;
  const { length } = first!;
  const columns = first!.contents.map((_, i) =>
    step(
      nodes.map((node) => (node.kind === "record" ? fieldLike(first!, i, node) : node)),
      stop,
      depth,
    ),
  );
  return { ...recordOf(first!.fields, columns, length), parameters: joinedParameters(records) };
}

function fieldLike(record: PlainRecord, i: number, other: PlainRecord): Plain {
  const at = record.fields === null || other.fields === null ? i : other.fields.indexOf(record.fields[i]!);
  const isSame =
    record.contents.length === other.contents.length && (record.fields === null) === (other.fields === null);
  if (isSame && at >= 0) return other.contents[at]!;
  const names = (node: PlainRecord): string => node.fields?.join(", ") ?? `${node.contents.length} slots`;
  throw new ShapeError({
    what: `records of {${names(record)}} and of {${names(other)}} do not broadcast`,
    cure: "Records that are combined must have the same fields",
  });
}
