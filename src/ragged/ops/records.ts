// Records: made of columns, taken apart, with a field more or less. In: layouts, and names in attrs. Out: layouts whose
// lists are the inputs' own. Fields are found through lists, options and unions.

import { IndexError, ValueError } from "../../core/errors.ts";
import type { Scalar } from "../../core/numbers.ts";
import { closest } from "../../core/suggest.ts";
import { RECORD_NAME } from "../behaviors.ts";
import { DROPS_FIELD, type Lesser, MOVED, PASSED, SETS_FIELD } from "../demand/outline.ts";
import { drawnFrom } from "../layout/indices.ts";
import {
  depthsOf,
  EMPTY,
  isLeaf,
  isList,
  type Layout,
  type Plain,
  type PlainRecord,
  recordOf,
} from "../layout/layout.ts";
import { plain } from "../layout/plainLayout.ts";
import { overContent, viewOf } from "../layout/rows.ts";
import { throughNode } from "./axis.ts";
import { always, broadcast, rowsMatched } from "./broadcast.ts";
import { oneRow } from "./nulls.ts";
import { nothingMade, type RaggedOp, raggedOp } from "./op.ts";

export interface ZipAttrs {
  /** Null for a tuple. */
  readonly fields: readonly string[] | null;
  /** How many axes are matched: null for all that there are. 1 makes a record of the arrays as they are. */
  readonly depthLimit?: number | null;
}

export const zip: RaggedOp<ZipAttrs> = raggedOp(
  "zip",
  always,
  { ...MOVED, lesser: fewerArrays },
  (inputs, { fields, depthLimit = null }) => {
    checkNames(fields, inputs.length);
    if (depthLimit !== null && !(Number.isSafeInteger(depthLimit) && depthLimit >= 1))
      throw new ValueError({
        what: `the depth limit is ${depthLimit}`,
        cure: "Use a whole number of 1 or more",
      });
    const stop = (nodes: readonly Plain[], depth: number): Plain | null => {
      const isInnermost = nodes.every((node) => depthsOf(node)[1] === 1);
      if (!isInnermost && (depthLimit === null || depth + 1 < depthLimit)) return null;
      return recordOf(fields, nodes, nodes[0]!.length);
    };
    return broadcast(inputs, stop, { right: false });
  },
);

/** Arrays whose fields nobody wants are left out. */
function fewerArrays(attrs: ZipAttrs, kept: readonly number[]): Lesser<ZipAttrs> {
  const names = kept.map((i) => attrs.fields?.[i] ?? String(i));
  return { attrs: { ...attrs, fields: names }, inputs: kept };
}

function checkNames(fields: readonly string[] | null, count: number): void {
  if (count === 0) throw new ValueError({ what: "there is nothing to zip", cure: "Pass at least one array" });
  if (fields === null || (fields.length === count && new Set(fields).size === count)) return;
  throw new ValueError({
    what: `${fields.length} names (${new Set(fields).size} different) for ${count} arrays`,
    cure: "Give every array a name of its own",
  });
}

export interface BroadcastAttrs {
  /** Which of the inputs to give, spread over the others. */
  readonly which: number;
  readonly depthLimit?: number | null;
}

/** One of several arrays in their common structure. */
export const broadcastArrays: RaggedOp<BroadcastAttrs> = raggedOp(
  "broadcastArrays",
  rowsMatched,
  MOVED,
  (inputs, { which, depthLimit = null }) => {
    if (inputs[which] === undefined)
      throw new ValueError({ what: `there is no array ${which}`, cure: `Use 0 to ${inputs.length - 1}` });
    const stop = (nodes: readonly Plain[], depth: number): Plain | null => {
      const isAtLimit = depthLimit !== null && depth + 1 >= depthLimit;
      return isAtLimit || nodes.every(isInnermost) ? nodes[which]! : null;
    };
    return broadcast(inputs, stop);
  },
);

/** Records are gone through, null or not: how deep their fields are does not matter. */
const isInnermost = (node: Plain): boolean =>
  node.kind === "indexedOption" ? isInnermost(node.content) : isLeaf(node);

/** Names of the fields somewhere below; null for tuples, none where there are no records. */
export function fieldsOf(node: Plain): readonly string[] {
  if (node.kind === "record") return node.fields ?? node.contents.map((_, i) => String(i));
  if (isList(node) || node.kind === "indexedOption") return fieldsOf(node.content);
  if (node.kind !== "union") return [];
  const [first = [], ...others] = node.contents.map(fieldsOf);
  return first.filter((name) => others.every((names) => names.includes(name)));
}

export interface FieldAttrs {
  /** A field, a field of that, and so on. */
  readonly path: readonly string[];
}

export const field: RaggedOp<FieldAttrs> = raggedOp(
  "field",
  always,
  PASSED,
  ([input], { path }) => path.reduce(fieldNamed, input!),
  nothingMade,
);

export function fieldNamed(node: Plain, name: string): Plain {
  return atRecords(node, (record) => record.contents[fieldNumber(record, name)]!);
}

function fieldNumber(record: PlainRecord, name: string): number {
  const names = fieldsOf(record);
  const at = names.indexOf(name);
  if (at >= 0) return at;
  throw noField(name, names);
}

function noField(name: string, names: readonly string[]): IndexError {
  const cure = names.length === 0 ? "There are no records here" : closest(name, names);
  return new IndexError({ what: `there is no field ${JSON.stringify(name)}`, cure });
}

/** Does something that keeps rows to the nearest records, wherever they are. */
function atRecords(node: Plain, action: (record: PlainRecord) => Plain): Plain {
  if (node.kind === "record") return action(node);
  if (isList(node)) {
    const view = viewOf(node);
    return overContent(node, view, atRecords(view.content, action));
  }
  return throughNode(
    node,
    (child) => atRecords(child, action),
    () => {
      throw new IndexError({
        what: "there are no records here, and so no fields",
        cure: "Look at the type of the array",
      });
    },
  );
}

/** Every field by itself, in order. */
export const unzip = (layout: Layout): Plain[] =>
  fieldsOf(plain(layout)).map((name) => field.run([layout], { path: [name] }));

export interface NameAttrs {
  /** Null takes the name away. */
  readonly name: string | null;
}

/** The nearest records under another name. */
export const withName: RaggedOp<NameAttrs> = raggedOp("withName", always, PASSED, ([input], { name }) =>
  atRecords(input!, (record) => {
    const { [RECORD_NAME]: _, ...others } = record.parameters;
    return { ...record, parameters: name === null ? others : { ...others, [RECORD_NAME]: name } };
  }),
);

export interface FieldsAttrs {
  readonly names: readonly string[];
}

/** Records of some of the fields. */
export const fields: RaggedOp<FieldsAttrs> = raggedOp(
  "fields",
  always,
  { ...PASSED, lesser: fewerNames },
  ([input], { names }) => fieldsNamed(input!, names),
  nothingMade,
);

function fewerNames({ names }: FieldsAttrs, kept: readonly number[]): Lesser<FieldsAttrs> {
  return { attrs: { names: kept.map((i) => names[i]!) }, inputs: null };
}

export const fieldsNamed = (node: Plain, names: readonly string[]): Plain =>
  atRecords(node, (record) => {
    const contents = names.map((name) => record.contents[fieldNumber(record, name)]!);
    return { ...recordOf(record.fields === null ? null : names, contents, record.length) };
  });

export interface WithFieldAttrs extends FieldAttrs {
  /** A scalar for all rows, if there is no second input. */
  readonly value?: Scalar | string;
}

/** Records with one more field, or another in its place. Inputs: the records, and the new field. */
export const withField: RaggedOp<WithFieldAttrs> = raggedOp(
  "withField",
  always,
  SETS_FIELD,
  (inputs, { path, value }) => {
    if (path.length === 0) throw new ValueError({ what: "the field has no name", cure: "Name it" });
    const [base] = inputs;
    const added = inputs[1] ?? (value === undefined ? EMPTY : oneRow(value, EMPTY));
    // A constant depends on how many records there are, and on none of their fields.
    const field = ([records, field]: readonly Plain[]): Plain =>
      inputs.length > 1 ? field! : drawnFrom(field!, records!, false);
    const stop = (nodes: readonly Plain[]): Plain | null =>
      nodes[0]!.kind === "record" ? withFieldAt(nodes[0]!, field(nodes), path) : null;
    if (fieldsOf(base!).length === 0 && !hasRecords(base!))
      throw new IndexError({
        what: "there are no records to add a field to",
        cure: "Use zip to make records",
      });
    return broadcast([base!, added], stop, { right: false });
  },
);

const hasRecords = (node: Plain): boolean =>
  node.kind === "record" ||
  ("content" in node && hasRecords(node.content)) ||
  (node.kind === "union" && node.contents.every(hasRecords));

function withFieldAt(record: PlainRecord, added: Plain, path: readonly string[]): Plain {
  const [name, ...rest] = path;
  const names = fieldsOf(record);
  const at = names.indexOf(name!);
  if (rest.length > 0 && at < 0) throw noField(name!, names);
  const content = rest.length === 0 ? added : withInner(record.contents[at]!, added, rest);
  if (at >= 0) return { ...record, contents: record.contents.map((old, i) => (i === at ? content : old)) };
  return { ...record, fields: [...names, name!], contents: [...record.contents, content] };
}

const withInner = (inner: Plain, added: Plain, path: readonly string[]): Plain =>
  broadcast(
    [inner, added],
    (nodes) => (nodes[0]!.kind === "record" ? withFieldAt(nodes[0]!, nodes[1]!, path) : null),
    { right: false },
  );

export const withoutField: RaggedOp<FieldAttrs> = raggedOp(
  "withoutField",
  always,
  DROPS_FIELD,
  ([input], { path }) => without(input!, path),
  nothingMade,
);

function without(node: Plain, path: readonly string[]): Plain {
  const [name, ...rest] = path;
  if (name === undefined) throw new ValueError({ what: "the field has no name", cure: "Name it" });
  return atRecords(node, (record) => {
    const at = fieldNumber(record, name);
    if (rest.length > 0)
      return { ...record, contents: record.contents.map((old, i) => (i === at ? without(old, rest) : old)) };
    return {
      ...record,
      fields: record.fields?.filter((_, i) => i !== at) ?? null,
      contents: record.contents.filter((_, i) => i !== at),
    };
  });
}
