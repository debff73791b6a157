// The nodes of a form bound to the leaves of a Parquet schema. In: a schema, and what of its form is needed. Out: which
// leaves to read and which only for nulls and offsets; and of the columns that were read, a layout of the narrowed form.
// Must hold: nodes and leaves are bound by walking form and schema side by side, never by names; a needed list or option
// without a needed leaf takes the cheapest below it, or one that is read anyway.

import { ABSENT, NEEDED, type Need } from "../../core/form/form.ts";
import type {
  Column,
  LeafColumn,
  ListColumn,
  SchemaNode,
  StructColumn,
} from "../../storage/parquet/index.ts";
import { type Layout, recordOf } from "../layout/layout.ts";
import { leafLayout, maskOf, variantLayout } from "../parquet.ts";
import { formThere, type Numbered } from "./source.ts";
import { zerosOf } from "./zeros.ts";

/** What a schema node is in the form: a content, and the option around it where it may be null. */
export interface Bound {
  readonly schema: SchemaNode;
  readonly option: Numbered | null;
  readonly content: Numbered;
  readonly children: readonly Bound[];
}

export function bind(schema: SchemaNode, node: Numbered): Bound {
  const option = schema.nullable ? node : null;
  const content = option === null ? node : node.children[0]!;
  // A variant is one value, whatever columns it has.
  const below =
    schema.kind === "list"
      ? [schema.item]
      : schema.kind === "struct" && !isVariant(schema)
        ? schema.fields
        : ([] as const);
  return { schema, option, content, children: below.map((child, i) => bind(child, content.children[i]!)) };
}

const isVariant = (schema: SchemaNode): boolean => schema.kind === "struct" && schema.isVariant === true;

/** Leaves by their nodes; in the order of their indices. */
export function leavesOf(node: Bound): readonly Bound[] {
  if (!isVariant(node.schema)) return node.schema.kind === "leaf" ? [node] : node.children.flatMap(leavesOf);
  return leavesBelow(node.schema).map((schema) => ({ ...node, schema, option: null, children: [] }));
}

function leavesBelow(schema: SchemaNode): readonly SchemaNode[] {
  if (schema.kind === "leaf") return [schema];
  return schema.kind === "list" ? leavesBelow(schema.item) : schema.fields.flatMap(leavesBelow);
}

const leafIndex = ({ schema }: Bound): number => (schema as Extract<SchemaNode, { kind: "leaf" }>).leaf;

export interface Choice {
  readonly leaves: readonly number[];
  /** Only nulls and offsets of lists. */
  readonly shapesOnly: readonly number[];
}

/** Lowest lists first: what is read for an inner list serves the outer ones. */
export function chosenLeaves(root: Bound, need: Need, bytesOf: (leaf: number) => number): Choice {
  const leaves: number[] = [];
  const shapesOnly: number[] = [];
  const visit = (node: Bound): boolean => {
    const isNeeded = need[node.content.at] === NEEDED;
    const isValue = node.schema.kind === "leaf" || isVariant(node.schema);
    if (isValue && isNeeded) leaves.push(...leavesOf(node).map(leafIndex));
    const isRead = isValue ? isNeeded : node.children.map(visit).includes(true);
    if (isRead || !needsShape(node, need)) return isRead;
    const below = leavesOf(node).map(leafIndex);
    shapesOnly.push(below.reduce((best, leaf) => (bytesOf(leaf) < bytesOf(best) ? leaf : best)));
    return true;
  };
  visit(root);
  return { leaves, shapesOnly };
}

const needsShape = ({ schema, option, content }: Bound, need: Need): boolean =>
  (schema.kind === "list" && need[content.at] === NEEDED) || (option !== null && need[option.at] === NEEDED);

interface ReadColumns {
  readonly need: Need;
  /** All leaves of which anything was read. */
  readonly chosen: ReadonlySet<number>;
}

/** `column` is undefined where nothing below was read. */
export function layoutOfBound(
  node: Bound,
  column: Column | undefined,
  length: number,
  read: ReadColumns,
): Layout {
  const content = contentOfBound(node, column, length, read);
  if (node.option === null) return content;
  const isKnown = column !== undefined && read.need[node.option.at] === NEEDED;
  const mask = maskOf(isKnown ? column : { validity: null, length });
  return { kind: "byteMasked", mask, validWhen: true, content, length, parameters: {} };
}

function contentOfBound(node: Bound, column: Column | undefined, length: number, read: ReadColumns): Layout {
  const { schema, content, children } = node;
  if (schema.kind === "struct" && !isVariant(schema))
    return structOfBound(node, column as StructColumn | undefined, length, read);
  if (read.need[content.at] !== NEEDED) return zerosOf(formThere(content, read.need), length);
  if (isVariant(schema)) return variantLayout(column as StructColumn);
  if (schema.kind === "leaf") return leafLayout(column as LeafColumn)!;
  const { offsets, item } = column as ListColumn;
  const below = layoutOfBound(children[0]!, item, item.length, read);
  return { kind: "listOffset", offsets, content: below, length, parameters: content.form.parameters };
}

/** Columns are those of the fields with a chosen leaf, in the order of the schema. */
function structOfBound(
  { content, children }: Bound,
  column: StructColumn | undefined,
  length: number,
  read: ReadColumns,
): Layout {
  let next = 0;
  const names: string[] = [];
  const contents: Layout[] = [];
  for (const [i, child] of children.entries()) {
    const isRead = leavesOf(child).some((leaf) => read.chosen.has(leafIndex(leaf)));
    const field = isRead ? column?.fields[next++] : undefined;
    if (read.need[content.children[i]!.at] === ABSENT) continue;
    names.push(child.schema.name);
    contents.push(layoutOfBound(child, field, length, read));
  }
  return recordOf(names, contents, length);
}
