// narrow: an array without the fields that nobody needs. In: a layout and a need of its form. Out: the layout of the
// narrowed form, sharing all memory. Records lose fields; nothing else changes.

import { ABSENT, type Form, type Need, narrowed } from "../../core/form/form.ts";
import { DROPS_FIELD, nodeOfMark, outlineOf } from "../demand/outline.ts";
import { marksOf } from "../layout/indices.ts";
import type { Layout, Plain } from "../layout/layout.ts";
import { plain } from "../layout/plainLayout.ts";
import { plainForm } from "../layout/probe.ts";
import { nothingMade, type RaggedOp } from "./op.ts";

export interface NarrowAttrs {
  /** Of the input's form, which it has before anything is made plain. */
  readonly need: Need;
}

export function narrowedLayout(layout: Layout, need: Need): Layout {
  let at = 0;
  const visit = (node: Layout): Layout => {
    at++;
    if (node.kind === "record") return narrowedRecord(node);
    if ("contents" in node) return { ...node, contents: node.contents.map(visit) };
    return "content" in node ? { ...node, content: visit(node.content) } : node;
  };
  const narrowedRecord = (node: Extract<Layout, { kind: "record" }>): Layout => {
    const kept: number[] = [];
    const contents = node.contents.map((content, i) => {
      if (need[at] !== ABSENT) kept.push(i);
      return visit(content);
    });
    if (kept.length === contents.length) return { ...node, contents };
    const names = node.fields ?? contents.map((_, i) => String(i));
    return { ...node, fields: kept.map((i) => names[i]!), contents: kept.map((i) => contents[i]!) };
  };
  return need.includes(ABSENT) ? visit(layout) : layout;
}

function formAfter(form: Form | undefined, need: Need): Form {
  // A marked form is plainer than the one that the need is of; its marks are the numbers of that one's nodes.
  const isMarked = marksOf(form!) !== undefined;
  return plainForm(narrowed(form!, isMarked ? needOfMarked(form!, need) : need));
}

const needOfMarked = (form: Form, need: Need): Need =>
  outlineOf(form).nodes.map((node) => need[nodeOfMark(marksOf(node)![0]!)]!);

/** Not made of a kernel: its attribute speaks of the form as it is stored. */
export const narrow: RaggedOp<NarrowAttrs> = {
  name: "narrow",
  run: ([input], { need }): Plain => plain(narrowedLayout(input!, need)),
  form: ([form], { need }) => formAfter(form, need),
  isItem: () => false,
  infer: ([form], { need }) => ({ form: formAfter(form, need), isItem: false }),
  isRowwise: () => true,
  keepsRows: () => true,
  demand: DROPS_FIELD,
  growth: nothingMade,
};

/** What a need of the whole form is for the form narrowed by `given`. */
export const relativeNeed = (given: Need, need: Need): Need => need.filter((_, at) => given[at] !== ABSENT);
