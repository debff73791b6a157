// Levels and values become columns. In: the schema, and the decoded chunks of the chosen leaves of one row group. Out: a
// struct of the chosen columns. A list's offsets and a struct's nulls are read from the levels of one leaf below it (the
// first that was chosen). What must hold: all leaves agree on how many slots there are; else the chunk is damaged.

import type { DecodedChunk } from "./chunk.ts";
import type { Column, LeafColumn, ListColumn, StructColumn } from "./column.ts";
import { scattered, valuesOf } from "./columnValues.ts";
import { Damage } from "./errors.ts";
import type { LeafNode, ListNode, SchemaNode, StructNode } from "./schema.ts";

/** The chosen leaves, decoded, by leaf index; `fail` adds the column's name to what is thrown while it is at work. */
export interface Decoded {
  readonly chunks: ReadonlyMap<number, DecodedChunk>;
  /** Leaves of which only the levels were decoded. */
  readonly shapesOnly: ReadonlySet<number>;
  inColumn<T>(leaf: LeafNode, action: () => T): T;
}

/** The first chosen leaf at or below a node. */
export function leadOf(node: SchemaNode, chosen: { has(leaf: number): boolean }): LeafNode | undefined {
  if (node.kind === "leaf") return chosen.has(node.leaf) ? node : undefined;
  if (node.kind === "list") return leadOf(node.item, chosen);
  for (const field of node.fields) {
    const lead = leadOf(field, chosen);
    if (lead !== undefined) return lead;
  }
  return undefined;
}

/** The leaves whose repetition levels say where lists begin. */
export function leadsOfLists(node: SchemaNode, chosen: { has(leaf: number): boolean }): Set<number> {
  const leads = new Set<number>();
  const visit = (at: SchemaNode): void => {
    const lead = at.kind === "list" ? leadOf(at, chosen) : undefined;
    if (lead !== undefined) leads.add(lead.leaf);
    if (at.kind === "list") visit(at.item);
    if (at.kind === "struct") at.fields.forEach(visit);
  };
  visit(node);
  return leads;
}

export function assemble(root: StructNode, rows: number, decoded: Decoded): StructColumn {
  return structColumn(root, rows, decoded);
}

function columnOf(node: SchemaNode, slots: number, decoded: Decoded): Column {
  switch (node.kind) {
    case "leaf":
      return decoded.inColumn(node, () => leafColumn(node, slots, decoded));
    case "list":
      return listColumn(node, slots, decoded);
    case "struct":
      return structColumn(node, slots, decoded);
  }
}

function structColumn(node: StructNode, slots: number, decoded: Decoded): StructColumn {
  const chosen = node.fields.filter((field) => leadOf(field, decoded.chunks) !== undefined);
  return {
    kind: "struct",
    length: slots,
    validity: node.nullable ? structValidity(node, slots, decoded) : null,
    names: chosen.map((field) => field.name),
    fields: chosen.map((field) => columnOf(field, slots, decoded)),
  };
}

function structValidity(node: StructNode, slots: number, decoded: Decoded): Uint8Array | null {
  const lead = leadOf(node, decoded.chunks)!;
  return decoded.inColumn(lead, () => validityOf(node, slots, lead, decoded.chunks.get(lead.leaf)!));
}

/** Which slots of a node are not null, by the levels of a leaf below it; null when all are. */
function validityOf(node: SchemaNode, slots: number, lead: LeafNode, chunk: DecodedChunk): Uint8Array | null {
  const { slot, definition, repetition } = node;
  const uniform = chunk.definitions?.uniform ?? null;
  if (uniform !== null && uniform >= definition) return null;
  const levels = chunk.definitions!.data();
  if (hasNone(levels, slot, definition)) return null;
  const validity = new Uint8Array(slots);
  // Entries that go on with an inner list are not new slots.
  const inner = lead.repetition > repetition ? chunk.repetitions!.data() : null;
  let found = 0;
  for (let i = 0; i < levels.length; i++) {
    if (levels[i]! < slot || (inner !== null && inner[i]! > repetition)) continue;
    validity[found++] = levels[i]! >= definition ? 1 : 0;
  }
  if (found !== slots) throw miscounted(found, slots);
  return validity;
}

/** True when no level is at or above `from` and below `to`. */
function hasNone(levels: Uint8Array, from: number, to: number): boolean {
  for (let i = 0; i < levels.length; i++) if (levels[i]! < to && levels[i]! >= from) return false;
  return true;
}

const miscounted = (found: number, expected: number): Damage =>
  new Damage(`levels of ${found} slots, where there are ${expected}`);

function listColumn(node: ListNode, slots: number, decoded: Decoded): ListColumn {
  const lead = leadOf(node, decoded.chunks)!;
  const chunk = decoded.chunks.get(lead.leaf)!;
  const { offsets, validity } = decoded.inColumn(lead, () => ({
    offsets: offsetsOf(node, slots, lead, chunk),
    validity: node.nullable ? validityOf(node, slots, lead, chunk) : null,
  }));
  const item = columnOf(node.item, offsets[slots]!, decoded);
  return { kind: "list", length: slots, validity, isMap: node.isMap, offsets, item };
}

function offsetsOf(node: ListNode, slots: number, lead: LeafNode, chunk: DecodedChunk): Int32Array {
  const offsets = new Int32Array(slots + 1);
  const repetitions = chunk.repetitions!.data();
  const definitions = chunk.definitions!.data();
  if (repetitions.length > 0 && repetitions[0] !== 0) throw new Damage("a list that begins in the middle");
  const found =
    lead.repetition === 1
      ? simpleOffsets(repetitions, definitions, node.definition, offsets)
      : nestedOffsets(repetitions, definitions, node, offsets);
  if (found !== slots) throw miscounted(found, slots);
  return offsets;
}

/** Lists that are neither in lists nor hold any: each entry begins a list, or goes on with one. How many lists. */
function simpleOffsets(
  repetitions: Uint8Array,
  definitions: Uint8Array,
  definition: number,
  offsets: Int32Array,
): number {
  let lists = 0;
  let items = 0;
  // No branches: what is written for an entry that goes on is overwritten by the next that begins.
  for (let i = 0; i < repetitions.length; i++) {
    offsets[lists] = items;
    lists += 1 - repetitions[i]!;
    items += definitions[i]! > definition ? 1 : 0;
  }
  offsets[lists] = items;
  return lists;
}

function nestedOffsets(
  repetitions: Uint8Array,
  definitions: Uint8Array,
  node: ListNode,
  offsets: Int32Array,
): number {
  const { repetition, slot, definition } = node;
  let lists = 0;
  let items = 0;
  for (let i = 0; i < repetitions.length; i++) {
    const level = repetitions[i]!;
    if (level > repetition + 1) continue;
    if (level <= repetition && definitions[i]! >= slot) offsets[lists++] = items;
    if (definitions[i]! > definition) items++;
  }
  offsets[lists] = items;
  return lists;
}

function leafColumn(node: LeafNode, slots: number, { chunks, shapesOnly }: Decoded): LeafColumn {
  const chunk = chunks.get(node.leaf)!;
  const base = { kind: "leaf", type: node.type, length: slots } as const;
  const found = chunk.definitions?.slots ?? chunk.entries;
  if (found !== slots) throw miscounted(found, slots);
  if (shapesOnly.has(node.leaf)) {
    const validity = node.nullable ? validityOf(node, slots, node, chunk) : null;
    return { ...base, validity, values: null };
  }
  const values = valuesOf(chunk.store, node.type);
  if (chunk.store.count === slots) return { ...base, validity: null, values };
  const present = presence(chunk.definitions!.data(), node, slots);
  return { ...base, validity: node.nullable ? present : null, values: scattered(values, present) };
}

/** Of each slot, whether there is a value. */
function presence(levels: Uint8Array, { slot, definition }: LeafNode, slots: number): Uint8Array {
  const present = new Uint8Array(slots);
  let found = 0;
  for (let i = 0; i < levels.length; i++)
    if (levels[i]! >= slot) present[found++] = levels[i] === definition ? 1 : 0;
  return present;
}
