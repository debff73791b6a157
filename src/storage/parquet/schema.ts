// A footer's schema as a tree. In: the flat list of schema elements, each with its number of children. Out: nodes
// (leaf, struct, list) with their levels; leaves carry their index, which is the index of their column chunk in every
// row group. The ways in which writers have spelled lists (list.element, list.item, array, bag, bare repeated fields)
// all become list nodes: nobody after this file looks at names to find out what is a list.

import { Damage } from "./errors.ts";
import { CONVERTED, type Converted, type Physical, type Repetition } from "./names.ts";
import { flagAt, i8, i32, intAt, Struct, structAt, type ThriftStruct, textAt } from "./thrift.ts";

// What the stored numbers and bytes of a column mean. In: the two ways in which a footer says it (a logical type, or
// the older converted type). Out: one of `Logical`, or null for plain values. And back, for writing both ways.

export type TimeUnit = "ms" | "us" | "ns";

export type Logical =
  | { readonly kind: "string" | "enum" | "json" | "bson" | "uuid" | "date" | "float16" | "interval" | "null" }
  | { readonly kind: "time" | "timestamp"; readonly unit: TimeUnit; readonly utc: boolean }
  | { readonly kind: "decimal"; readonly precision: number; readonly scale: number }
  | { readonly kind: "geometry" | "geography"; readonly crs: string | null }
  | { readonly kind: "int"; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean };

/** What a group is, beside a plain struct. */
type GroupKind = "list" | "map" | "variant" | null;

const UNITS: readonly TimeUnit[] = ["ms", "us", "ns"];
/** Logical types without parameters, by their field in the union. */
const SIMPLE = {
  1: "string",
  4: "enum",
  6: "date",
  11: "null",
  12: "json",
  13: "bson",
  14: "uuid",
  15: "float16",
} as const;
const SHAPES = [
  [17, "geometry"],
  [18, "geography"],
] as const;
type Simple = (typeof SIMPLE)[keyof typeof SIMPLE];

/** `union`: field 10 of a schema element. */
export function logicalOf(
  union: ThriftStruct | undefined,
  converted: Converted | undefined,
  element: ThriftStruct,
): Logical | null {
  return (union === undefined ? null : fromUnion(union)) ?? fromConverted(converted, element);
}

function fromUnion(union: ThriftStruct): Logical | null {
  for (const [id, kind] of Object.entries(SIMPLE))
    if (structAt(union, Number(id)) !== undefined) return { kind };
  const decimal = structAt(union, 5);
  if (decimal !== undefined)
    return { kind: "decimal", scale: intAt(decimal, 1) ?? 0, precision: intAt(decimal, 2) ?? 0 };
  const integer = structAt(union, 10);
  if (integer !== undefined) return integerOf(intAt(integer, 1) ?? 0, flagAt(integer, 2) ?? true);
  for (const [id, kind] of SHAPES) {
    const shape = structAt(union, id);
    if (shape !== undefined) return { kind, crs: textAt(shape, 1) ?? null };
  }
  return timeOf(structAt(union, 7), "time") ?? timeOf(structAt(union, 8), "timestamp");
}

function integerOf(bits: number, signed: boolean): Logical | null {
  return bits === 8 || bits === 16 || bits === 32 || bits === 64 ? { kind: "int", bits, signed } : null;
}

function timeOf(struct: ThriftStruct | undefined, kind: "time" | "timestamp"): Logical | null {
  const unit = struct === undefined ? undefined : structAt(struct, 2);
  const index = unit === undefined ? -1 : [1, 2, 3].findIndex((id) => structAt(unit, id) !== undefined);
  return index < 0 ? null : { kind, unit: UNITS[index]!, utc: flagAt(struct!, 1) ?? false };
}

function fromConverted(converted: Converted | undefined, element: ThriftStruct): Logical | null {
  if (converted === undefined) return null;
  const integer = /^(u?)int(\d+)$/.exec(converted);
  if (integer !== null) return integerOf(Number(integer[2]), integer[1] === "");
  const time = /^(time|timestamp)(Millis|Micros)$/.exec(converted);
  if (time !== null)
    return { kind: time[1] as "time" | "timestamp", unit: time[2] === "Millis" ? "ms" : "us", utc: true };
  switch (converted) {
    case "utf8":
      return { kind: "string" };
    case "enum":
    case "date":
    case "json":
    case "bson":
    case "interval":
      return { kind: converted };
    case "decimal":
      return { kind: "decimal", scale: intAt(element, 7) ?? 0, precision: intAt(element, 8) ?? 0 };
    default:
      return null;
  }
}

export function groupKindOf(union: ThriftStruct | undefined, converted: Converted | undefined): GroupKind {
  if (union !== undefined && structAt(union, 16) !== undefined) return "variant";
  if (converted === "list" || (union !== undefined && structAt(union, 3) !== undefined)) return "list";
  const isMap = converted === "map" || converted === "mapKeyValue";
  return isMap || (union !== undefined && structAt(union, 2) !== undefined) ? "map" : null;
}

/** The logical type as the union that a footer holds; undefined for interval, which has only a converted type. */
export function unionOf(logical: Logical | null): Struct | undefined {
  if (logical === null || logical.kind === "interval") return undefined;
  switch (logical.kind) {
    case "decimal":
      return new Struct([5, new Struct([1, i32(logical.scale)], [2, i32(logical.precision)])]);
    case "int":
      return new Struct([10, new Struct([1, i8(logical.bits)], [2, logical.signed])]);
    case "time":
    case "timestamp": {
      const unit = new Struct([1 + UNITS.indexOf(logical.unit), new Struct()]);
      return new Struct([logical.kind === "time" ? 7 : 8, new Struct([1, logical.utc], [2, unit])]);
    }
    case "geometry":
    case "geography":
      return new Struct([
        SHAPES.find(([, kind]) => kind === logical.kind)![0],
        new Struct([1, logical.crs ?? undefined]),
      ]);
    default:
      return new Struct([simpleId(logical.kind), new Struct()]);
  }
}

const simpleId = (kind: Simple): number =>
  Number(Object.keys(SIMPLE).find((id) => SIMPLE[Number(id) as keyof typeof SIMPLE] === kind));

export function convertedOf(logical: Logical | null): number | undefined {
  const name = logical === null ? undefined : convertedName(logical);
  return name === undefined ? undefined : CONVERTED.indexOf(name);
}

function convertedName(logical: Logical): Converted | undefined {
  switch (logical.kind) {
    case "string":
      return "utf8";
    case "int":
      return `${logical.signed ? "" : "u"}int${logical.bits}` as Converted;
    case "time":
    case "timestamp":
      // The older types mean UTC, and know no nanoseconds.
      if (logical.unit === "ns" || !logical.utc) return undefined;
      return `${logical.kind}${logical.unit === "ms" ? "Millis" : "Micros"}` as Converted;
    case "uuid":
    case "float16":
    case "geometry":
    case "geography":
    case "null":
      return undefined;
    default:
      return logical.kind;
  }
}

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
  /** Its columns together are values that each say what they are (variant.ts). */
  readonly isVariant?: boolean;
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
  const isLists = element.group === "list" || element.group === "map";
  if (isLists && only?.element.repetition === "repeated" && isListShaped(element.group, only))
    return listNode(
      only,
      name,
      nullable,
      { ...context, stored: [...context.stored, only.element.name] },
      leaves,
      element,
    );
  const fields = children.map((child) => nodeOf(child, context, leaves));
  return { ...base, kind: "struct", fields, ...(element.group === "variant" ? { isVariant: true } : {}) };
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
