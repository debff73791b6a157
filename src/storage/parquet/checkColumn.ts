// Whether a column in memory is what a schema says. In: a field's schema node and a column that somebody else made. Out:
// nothing, or an error that names the column. What must hold afterwards: writing it reads no position that is not there.

import { ValueError } from "../../core/errors.ts";
import type { Column, LeafColumn, ListColumn, StructColumn } from "./column.ts";
import { dtypeOfLeaf } from "./columnValues.ts";
import type { LeafNode, ListNode, SchemaNode, StructNode } from "./schema.ts";

export function checkColumn(node: SchemaNode, column: Column | undefined, slots: number): void {
  const wrong = (what: string): ValueError => new ValueError({ what: `the column ${node.path} ${what}` });
  if (column === undefined) throw wrong("is missing");
  if (column.kind !== node.kind) throw wrong(`is a ${column.kind}, and the schema says ${node.kind}`);
  if (column.length < slots) throw wrong(`has ${column.length} slots, where ${slots} are needed`);
  if (column.validity !== null && column.validity.length < column.length)
    throw wrong(`has a validity of ${column.validity.length} bytes for ${column.length} slots`);
  if (column.kind === "leaf") checkLeaf(node as LeafNode, column, wrong);
  else if (column.kind === "list") checkList(node as ListNode, column, wrong);
  else checkStruct(node as StructNode, column, slots, "named", wrong);
}

type Wrong = (what: string) => ValueError;

function checkLeaf(node: LeafNode, { values, length }: LeafColumn, wrong: Wrong): void {
  if (values === null) throw wrong("has no values");
  const dtype = dtypeOfLeaf(node.type);
  const expected = dtype === null ? (node.type.physical === "byteArray" ? "bytes" : "fixed") : "numbers";
  if (values.kind !== expected) throw wrong(`has ${values.kind}, and the schema says ${expected}`);
  if (values.kind === "numbers") {
    if (values.dtype !== dtype) throw wrong(`has ${values.dtype} values, and the schema says ${dtype}`);
    if (values.data.length < length) throw wrong(`has ${values.data.length} values for ${length} slots`);
  } else if (values.kind === "fixed") {
    if (values.size !== node.type.length)
      throw wrong(`has values of ${values.size} bytes, and the schema says ${node.type.length}`);
    if (values.data.length < length * values.size)
      throw wrong(`has ${values.data.length} bytes for ${length} slots`);
  } else checkOffsets(values.offsets, length, values.data.length, wrong);
}

function checkOffsets(offsets: Int32Array, length: number, limit: number, wrong: Wrong): void {
  if (offsets.length < length + 1) throw wrong(`has ${offsets.length} offsets for ${length} slots`);
  let rises = offsets[0]! >= 0 && offsets[length]! <= limit;
  for (let i = 0; i < length; i++) rises &&= offsets[i]! <= offsets[i + 1]!;
  if (!rises) throw wrong(`has offsets that do not rise from 0 to ${limit}`);
}

function checkList(node: ListNode, { offsets, item, length }: ListColumn, wrong: Wrong): void {
  checkOffsets(offsets, length, item.length, wrong);
  if (node.isMap && item.kind === "struct") {
    if (item.validity?.includes(0)) throw wrong("is a map with null pairs");
    checkStruct(node.item as StructNode, item, item.length, "pair", wrong);
  } else checkColumn(node.item, item, item.length);
}

/** Fields are found by their place. The names of a map's key and value are the format's. */
function checkStruct(
  node: StructNode,
  column: StructColumn,
  slots: number,
  how: "named" | "pair",
  wrong: Wrong,
): void {
  const { names, fields } = column;
  if (fields.length !== node.fields.length)
    throw wrong(`has ${fields.length} fields, and the schema says ${node.fields.length}`);
  for (const [i, field] of node.fields.entries()) {
    if (how === "named" && names[i] !== field.name)
      throw wrong(`has the field ${names[i]}, where the schema says ${field.name}`);
    checkColumn(field, fields[i], slots);
  }
}
