// Broadcasting nested data. In: several layouts. Out: one layout of their common structure: rows and lists are matched from the
// outside in; where one has lists and another not, its element goes to all elements of the list; regular lists of one
// element stretch. Nulls in any make nulls in all. Must hold: `stop` decides by the kinds of nodes, never by rows.

import { ShapeError } from "../../core/errors.ts";
import { parentsOf, ranksOfValid, sameIndices, validOf } from "../layout/indices.ts";
import {
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
import { viewOf } from "../layout/lists.ts";
import { makeUnion } from "../layout/mergedLayouts.ts";
import { drawnBelow, joinedParameters } from "../layout/origins.ts";
import { rowsOfTag } from "../layout/pack.ts";
import { repeatNumbers, take, takeOption } from "../layout/rows.ts";
import { alignRight } from "./alignRight.ts";

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
