// Arrays made to have a type. In: any array, and a type as text. Out: the same values in that type: numbers cast, texts read, lists made
// regular or not, fields chosen and put in order, what can be null marked so. What does not fit is an error: a null where there is to
// be none, lists of another length, a field that is not there.

import { DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import type { Form, RecordForm } from "../../core/form/form.ts";
import { parseElementType } from "../../core/form/parseType.ts";
import { typeText } from "../../core/form/typeText.ts";
import { COMPUTED } from "../demand/outline.ts";
import { countsOf, identity, ranksOfValid, validOf } from "../layout/indices.ts";
import {
  indexedOptionOf,
  isList,
  isOption,
  listOf,
  type Plain,
  type PlainRecord,
  recordOf,
  regularOf,
} from "../layout/layout.ts";
import { makeUnion } from "../layout/mergedLayouts.ts";
import { plainForm, plainProbe } from "../layout/probe.ts";
import { take, viewOf } from "../layout/rows.ts";
import { valuesAstype } from "./astype.ts";
import { always } from "./broadcast.ts";
import { type RaggedOp, raggedOp } from "./op.ts";

export interface EnforceAttrs {
  /** Of a row: `var * ?float64`. */
  readonly type: string;
}

export const enforceType: RaggedOp<EnforceAttrs> = raggedOp(
  "enforceType",
  always,
  COMPUTED,
  ([input], { type }, isProbe) => enforced(input!, plainForm(parseElementType(type)), isProbe),
);

function enforced(node: Plain, form: Form, isProbe: boolean): Plain {
  if (node.kind === "empty" && node.length === 0) return plainProbe(form);
  if (form.kind === "indexedOption") return asOption(node, form.content, isProbe);
  if (isOption(node)) return withoutNulls(node, form, isProbe);
  if (node.kind === "union" && form.kind !== "union")
    return makeUnion(
      node.tags,
      node.index,
      node.contents.map((content) => enforced(content, form, isProbe)),
    );
  if (form.kind === "listOffset" || form.kind === "regular") return asList(node, form, isProbe);
  if (form.kind === "record") return asRecord(node, form, isProbe);
  if (node.kind === "numpy" || node.kind === "string")
    return valuesAstype.run([node], { dtype: typeText(form) });
  throw mismatch(node, form);
}

const mismatch = (node: Plain, form: Form): DTypeError =>
  new DTypeError({
    what: `${node.kind === "numpy" ? node.dtype : node.kind} does not become ${typeText(form)}`,
    cure: "Use a type of the same structure",
  });

function asOption(node: Plain, content: Form, isProbe: boolean): Plain {
  if (!isOption(node)) return indexedOptionOf<Plain>(identity(node.length), enforced(node, content, isProbe));
  const inside = enforced(take(node.content, validOf(node.index)), content, isProbe);
  return indexedOptionOf<Plain>(ranksOfValid(node.index), inside);
}

function withoutNulls(node: Extract<Plain, { kind: "indexedOption" }>, form: Form, isProbe: boolean): Plain {
  const row = node.index.findIndex((place) => place < 0);
  if (row >= 0)
    throw new ValueError({
      what: `element ${row} is null, where ${typeText(form)} is wanted`,
      cure: "Use fillNone or dropNone first, or ? in the type",
    });
  return enforced(take(node.content, node.index), form, isProbe);
}

function asList(node: Plain, form: Extract<Form, { content: Form }>, isProbe: boolean): Plain {
  if (!isList(node)) throw mismatch(node, form);
  const { offsets, content } = viewOf(node);
  const inside = enforced(content, form.content, isProbe);
  if (form.kind !== "regular") return { ...listOf<Plain>(offsets, inside), parameters: form.parameters };
  const other = countsOf(offsets).findIndex((count) => count !== form.size);
  if (other >= 0)
    throw new ShapeError({
      what: `list ${other} has ${offsets[other + 1]! - offsets[other]!} elements, not ${form.size}`,
      cure: "Use padNone with clip first, or var in the type",
    });
  return { ...regularOf<Plain>(inside, form.size, node.length), parameters: form.parameters };
}

function asRecord(node: Plain, form: RecordForm, isProbe: boolean): Plain {
  if (node.kind !== "record") throw mismatch(node, form);
  const contents = form.contents.map((content, i) =>
    enforced(fieldOf(node, form, i, content), content, isProbe),
  );
  const parameters = { ...node.parameters, ...form.parameters };
  return { ...recordOf<Plain>(form.fields, contents, node.length), parameters };
}

/** A field that may be null and is not there is null everywhere. */
function fieldOf(node: PlainRecord, form: RecordForm, i: number, content: Form): Plain {
  const at = form.fields === null || node.fields === null ? i : node.fields.indexOf(form.fields[i]!);
  const found = node.contents[at];
  if (found !== undefined && (form.fields === null) === (node.fields === null)) return found;
  if (content.kind === "indexedOption")
    return indexedOptionOf<Plain>(new Int32Array(node.length).fill(-1), plainProbe(content.content));
  throw new ValueError({
    what: `there is no field ${JSON.stringify(form.fields?.[i] ?? String(i))}`,
    cure: "Use withField first, or ? in the type",
  });
}
