// Columns become levels and values. In: a column tree and its schema. Out: for each leaf in turn, of each entry its
// repetition and definition level, and where in the leaf its value is. The tree is walked once, all slots of a node at a
// time: no recursion over rows, and leaves of one list share what was found out about the list.

import { ValueError } from "../../core/errors.ts";
import type { Column, LeafColumn, ListColumn, StructColumn } from "./column.ts";
import type { LeafNode, SchemaNode, StructNode } from "./schema.ts";

export interface Shredded {
  readonly node: LeafNode;
  readonly leaf: LeafColumn;
  readonly entries: number;
  /** Null when all are 0: the leaf is in no list. */
  readonly repetitions: Uint8Array | null;
  /** Null when the leaf can be neither null nor in a list. */
  readonly definitions: Uint8Array | null;
  /** Positions in the leaf that have values, in order: all from `from` on, or a list of them. */
  readonly positions: { readonly from: number; readonly count: number } | Int32Array;
}

/** What is known at a node, and never changed after. Entries that ended (a null, an empty list) have the position -1. */
interface Entries {
  readonly repetitions: Uint8Array;
  readonly definitions: Uint8Array;
  /** Null while entry i is at position i. */
  readonly positions: Int32Array | null;
}

/** The leaves in their order. */
export function* shred(column: StructColumn, root: StructNode): Iterable<Shredded> {
  const zeros = new Uint8Array(column.length);
  const entries: Entries = { repetitions: zeros, definitions: zeros, positions: null };
  for (const [i, field] of root.fields.entries()) yield* shredNode(entries, column.fields[i]!, field);
}

function* shredNode(around: Entries, column: Column, node: SchemaNode): Iterable<Shredded> {
  if (!node.nullable && column.validity !== null) checkNoNulls(around, column.validity, node);
  const entries = node.nullable ? withNulls(around, column.validity) : around;
  if (column.kind === "leaf") yield finished(entries, node as LeafNode, column);
  else if (column.kind === "list" && node.kind === "list")
    yield* shredNode(withItems(entries, column, node.repetition + 1), column.item, node.item);
  else
    for (const [i, field] of (node as StructNode).fields.entries())
      yield* shredNode(entries, (column as StructColumn).fields[i]!, field);
}

/** What is null because something around it is null does not count. */
function checkNoNulls({ positions, definitions }: Entries, validity: Uint8Array, node: SchemaNode): void {
  for (let i = 0; i < definitions.length; i++) {
    const position = positions === null ? i : positions[i]!;
    if (position < 0 || validity[position] === 1) continue;
    throw new ValueError({
      what: `the column ${node.path} has a null (at ${position}) and is not nullable`,
      cure: "Say nullable: true in its field",
    });
  }
}

/** Slots that are not null are one level further; the others end here. */
function withNulls(entries: Entries, validity: Uint8Array | null): Entries {
  const { positions } = entries;
  const definitions = entries.definitions.slice();
  if (validity?.includes(0)) return endingAtNulls({ ...entries, definitions }, validity);
  if (positions === null) for (let i = 0; i < definitions.length; i++) definitions[i]!++;
  else for (let i = 0; i < definitions.length; i++) definitions[i]! += positions[i]! >= 0 ? 1 : 0;
  return { ...entries, definitions };
}

function endingAtNulls(entries: Entries, validity: Uint8Array): Entries {
  const { definitions, positions } = entries;
  const next = new Int32Array(definitions.length);
  for (let i = 0; i < next.length; i++) {
    const position = positions === null ? i : positions[i]!;
    const isThere = position >= 0 && validity[position] === 1;
    definitions[i]! += isThere ? 1 : 0;
    next[i] = isThere ? position : -1;
  }
  return { ...entries, positions: next };
}

/** Every list becomes an entry per item; an empty one stays one entry and ends here. */
function withItems(entries: Entries, { offsets }: ListColumn, level: number): Entries {
  const count = countItems(entries, offsets);
  const repetitions = new Uint8Array(count);
  const definitions = new Uint8Array(count);
  const positions = new Int32Array(count);
  let to = 0;
  for (let i = 0; i < entries.definitions.length; i++) {
    const position = entries.positions === null ? i : entries.positions[i]!;
    const start = position < 0 ? 0 : offsets[position]!;
    const end = position < 0 ? 0 : offsets[position + 1]!;
    const definition = entries.definitions[i]!;
    repetitions[to] = entries.repetitions[i]!;
    definitions[to] = start < end ? definition + 1 : definition;
    positions[to++] = start < end ? start : -1;
    for (let item = start + 1; item < end; item++) {
      repetitions[to] = level;
      definitions[to] = definition + 1;
      positions[to++] = item;
    }
  }
  return { repetitions, definitions, positions };
}

function countItems({ definitions, positions }: Entries, offsets: Int32Array): number {
  let count = 0;
  for (let i = 0; i < definitions.length; i++) {
    const position = positions === null ? i : positions[i]!;
    const length = position < 0 ? 0 : offsets[position + 1]! - offsets[position]!;
    count += length > 1 ? length : 1;
  }
  return count;
}

function finished(entries: Entries, node: LeafNode, leaf: LeafColumn): Shredded {
  const { definitions, repetitions, positions } = entries;
  return {
    node,
    leaf,
    entries: definitions.length,
    repetitions: node.repetition > 0 ? repetitions : null,
    definitions: node.definition > 0 ? definitions : null,
    positions: positions === null ? { from: 0, count: definitions.length } : compacted(positions),
  };
}

/** Without the entries that ended; as a range where that is what it is. */
function compacted(positions: Int32Array): Shredded["positions"] {
  return rangeOf(positions) ?? positions.filter((position) => position >= 0);
}

function rangeOf(positions: Int32Array): { from: number; count: number } | null {
  let from = -1;
  let next = -1;
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i]!;
    if (position < 0) continue;
    if (from < 0) from = next = position;
    if (position !== next++) return null;
  }
  return from < 0 ? { from: 0, count: 0 } : { from, count: next - from };
}
