// A footer's schema as a tree. In: the flat list of schema elements, each with its number of children. Out: nodes
// (leaf, struct, list) with their levels; leaves carry their index, which is the index of their column chunk in every
// row group. The ways in which writers have spelled lists (list.element, list.item, array, bag, bare repeated fields)
// all become list nodes: nobody after this file looks at names to find out what is a list.

import { Damage } from "./errors.ts";
import type { GroupKind, Logical } from "./logical.ts";
import type { Physical, Repetition } from "./names.ts";

/** One element of the footer's flat list; a group when `children` is a number. */
export interface SchemaElement {
  readonly name: string;
  readonly repetition: Repetition;
  readonly children: number | null;
  readonly group: GroupKind;
  /** Null for groups. */
  readonly type: LeafType | null;
}

export interface LeafType {
  readonly physical: Physical;
  /** Bytes of a value of the physical type "fixed"; 0 for the others. */
  readonly length: number;
  readonly logical: Logical | null;
}

/** A slot is a place for a value of a node: a row, or an element of the innermost list around it. */
interface NodeBase {
  readonly name: string;
  /** As users write it: names joined by dots, without the groups that only spell lists. */
  readonly path: string;
  readonly nullable: boolean;
  /** The repetition level of the innermost list around: how many lists there are. */
  readonly repetition: number;
  /** The definition level from which on there is a slot. */
  readonly slot: number;
  /** The definition level from which on the slot is not null. */
  readonly definition: number;
}

export interface LeafNode extends NodeBase {
  readonly kind: "leaf";
  readonly leaf: number;
  readonly type: LeafType;
  /** All names in the schema on the way to it. */
  readonly storedPath: readonly string[];
}

export interface StructNode extends NodeBase {
  readonly kind: "struct";
  readonly fields: readonly SchemaNode[];
}

export interface ListNode extends NodeBase {
  readonly kind: "list";
  /** A map is a list of structs of a key and a value. */
  readonly isMap: boolean;
  readonly item: SchemaNode;
}

export type SchemaNode = LeafNode | StructNode | ListNode;

export interface Schema {
  readonly root: StructNode;
  readonly leaves: readonly LeafNode[];
}

/** Levels are kept in bytes; and a schema as deep as this is nobody's data. */
const DEEPEST = 200;

/** An element with its children: the flat list as a tree. */
interface Group {
  readonly element: SchemaElement;
  readonly children: readonly Group[];
}

interface Context {
  readonly repetition: number;
  readonly slot: number;
  readonly definition: number;
  readonly path: string;
  readonly stored: readonly string[];
}

export function schemaOf(elements: readonly SchemaElement[]): Schema {
  const { group, end } = groupAt(elements, 0, 0);
  if (end !== elements.length)
    throw new Damage(`${elements.length - end} schema elements belong to no group`);
  if (group.element.children === null) throw new Damage("the root of the schema is not a group");
  const leaves: LeafNode[] = [];
  const context: Context = { repetition: 0, slot: 0, definition: 0, path: "", stored: [] };
  const fields = group.children.map((child) => nodeOf(child, context, leaves));
  const root: StructNode = { ...context, kind: "struct", name: group.element.name, nullable: false, fields };
  return { root, leaves };
}

function groupAt(
  elements: readonly SchemaElement[],
  at: number,
  depth: number,
): { group: Group; end: number } {
  const element = elements[at];
  if (element === undefined) throw new Damage("the schema has fewer elements than its groups say");
  if (depth > DEEPEST) throw new Damage(`the schema is nested deeper than ${DEEPEST}`);
  const children: Group[] = [];
  let end = at + 1;
  for (let i = 0; i < (element.children ?? 0); i++) {
    const child = groupAt(elements, end, depth + 1);
    children.push(child.group);
    end = child.end;
  }
  return { group: { element, children }, end };
}

/** The node of an element, whatever its repetition. A repeated one is a list that has no group of its own. */
function nodeOf(group: Group, context: Context, leaves: LeafNode[]): SchemaNode {
  const { element } = group;
  const stored = [...context.stored, element.name];
  const path = joined(context.path, element.name);
  const here = { ...context, stored, path };
  if (element.repetition === "repeated") return listNode(group, element.name, false, here, leaves, "bare");
  const nullable = element.repetition === "optional";
  const inside = nullable ? { ...here, definition: here.definition + 1 } : here;
  return contentNode(group, element.name, nullable, inside, leaves);
}

const joined = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/** The node of an element that is no list by itself. `context.definition` counts its own option already. */
function contentNode(
  group: Group,
  name: string,
  nullable: boolean,
  context: Context,
  leaves: LeafNode[],
): SchemaNode {
  const { element, children } = group;
  const base = { name, nullable, path: context.path, ...levelsOf(context) };
  if (element.children === null) {
    const leaf: LeafNode = {
      ...base,
      kind: "leaf",
      leaf: leaves.length,
      type: element.type!,
      storedPath: context.stored,
    };
    leaves.push(leaf);
    return leaf;
  }
  const only = children.length === 1 ? children[0]! : undefined;
  if (element.group !== null && only?.element.repetition === "repeated" && isListShaped(element.group, only))
    return listNode(
      only,
      name,
      nullable,
      { ...context, stored: [...context.stored, only.element.name] },
      leaves,
      element,
    );
  return { ...base, kind: "struct", fields: children.map((child) => nodeOf(child, context, leaves)) };
}

const levelsOf = ({ repetition, slot, definition }: Context) => ({ repetition, slot, definition });

/** A map must have pairs; else it is what its parts are. */
const isListShaped = (kind: GroupKind, repeated: Group): boolean =>
  kind === "list" || (repeated.element.children !== null && repeated.children.length <= 2);

/** `repeated` is the field that repeats; `around` the group that says it is a list, or "bare" without one. */
function listNode(
  repeated: Group,
  name: string,
  nullable: boolean,
  context: Context,
  leaves: LeafNode[],
  around: SchemaElement | "bare",
): ListNode {
  const element = context.definition + 1;
  const inside = { ...context, repetition: context.repetition + 1, slot: element, definition: element };
  const isMap = around !== "bare" && around.group === "map";
  // Of a three-level list the repeated group only spells the list: its child is the element.
  const item =
    around !== "bare" && !isMap && hasOwnElement(repeated, around.name)
      ? elementNode(repeated.children[0]!, inside, leaves)
      : contentNode(repeated, repeated.element.name, false, inside, leaves);
  return { kind: "list", name, nullable, isMap, item, path: context.path, ...levelsOf(context) };
}

/** The element keeps the path of its list: "jets.pt", not "jets.list.element.pt". */
function elementNode(child: Group, context: Context, leaves: LeafNode[]): SchemaNode {
  const node = { ...context, stored: [...context.stored, child.element.name] };
  const nullable = child.element.repetition === "optional";
  const inside = nullable ? { ...node, definition: node.definition + 1 } : node;
  return contentNode(child, child.element.name, nullable, inside, leaves);
}

/**
 * The format's rules for lists of older writers: the repeated field is itself the element when it is a leaf, has
 * several fields or a repeated one, or is called "array" or after its list.
 */
function hasOwnElement({ element, children }: Group, list: string): boolean {
  if (element.children === null || children.length !== 1) return false;
  if (children[0]!.element.repetition === "repeated") return false;
  return element.name !== "array" && element.name !== `${list}_tuple`;
}

/** The leaves at and below a path such as "jets" or "jets.pt". */
export const leavesAt = ({ leaves }: Schema, path: string): LeafNode[] =>
  leaves.filter((leaf) => leaf.path === path || leaf.path.startsWith(`${path}.`));
