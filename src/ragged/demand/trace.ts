// Which nodes of its inputs each node of a result depends on. In: an operation and the forms of its inputs. Out: for
// every node of the result's form, nodes of the inputs. Found by the code that computes: it runs on marked probes, so
// the two cannot differ.
// Must hold: the result's node follows from the nodes named and from what is above them, whatever else the inputs hold.

import type { Form } from "../../core/form/form.ts";
import { marksOf } from "../layout/origins.ts";
import type { RaggedOp } from "../ops/op.ts";
import {
  inputOfMark,
  isLeafForm,
  isStructureForm,
  markedForm,
  markOf,
  nodeOfMark,
  type Outline,
  outlineOf,
} from "./outline.ts";
import { roleOf } from "./roles.ts";

export interface Trace {
  /** The form of the result. Its parameters hold marks: for its nodes, not for use. */
  readonly form: Form;
  /** For each node of the result the marks of what it needs. */
  readonly wants: readonly (readonly number[])[];
  /** What a node wants that came from nowhere: everything, structure in any case. */
  readonly all: readonly number[];
  /** The same, for telling whether the node is there: marks of what it consists of. */
  readonly parts: readonly (readonly number[])[];
}

export function traceOf(op: RaggedOp<object>, inputs: readonly Form[], attrs: object): Trace {
  const form = op.form(
    inputs.map((input, i) => markedForm(input, i)),
    attrs,
  );
  const outline = outlineOf(form);
  const all = everyMark(op, inputs);
  const outlines = inputs.map(outlineOf);
  const wants = outline.nodes.map((node, at) => {
    const marks = marksOf(node);
    if (marks !== undefined) return marks;
    if (isLeafForm(node)) return all;
    return isStructureForm(node) ? structureBelow(outline, at, outlines, all) : [];
  });
  const parts = outline.nodes.map(
    (node, at) => marksOf(node) ?? topmost(outline, at).flatMap(({ marks }) => marks ?? []),
  );
  return { form, wants, all, parts };
}

/** A leaf that came from nowhere may depend on anything. */
const everyMark = (op: RaggedOp<object>, inputs: readonly Form[]): readonly number[] =>
  inputs.flatMap((input, i) =>
    roleOf(op.demand, i) === "data" ? [] : outlineOf(input).nodes.map((_, node) => markOf(i, node)),
  );

interface Found {
  readonly node: Form;
  readonly marks: readonly number[] | undefined;
}

/** The first nodes below that have marks, and leaves that have none. */
function topmost({ nodes, ends }: Outline, at: number): Found[] {
  const found: Found[] = [];
  for (let below = at + 1; below < ends[at]!; ) {
    const node = nodes[below]!;
    const marks = marksOf(node);
    if (marks === undefined && !isLeafForm(node)) {
      below++;
      continue;
    }
    found.push({ node, marks });
    below = ends[below]!;
  }
  return found;
}

/** New lists, nulls and tags are made of those that were above what is now below them. */
function structureBelow(
  outline: Outline,
  at: number,
  inputs: readonly Outline[],
  all: readonly number[],
): readonly number[] {
  const wants = new Set<number>();
  for (const { node, marks } of topmost(outline, at)) {
    if (marks === undefined) return all;
    for (const mark of marks) {
      const input = inputOfMark(mark);
      const { nodes, parents } = inputs[input]!;
      const from = nodeOfMark(mark);
      // A leaf that was made of a list has that list above it.
      const isMade = isLeafForm(node) && !isLeafForm(nodes[from]!);
      if (isMade) wants.add(mark);
      else if (parents[from]! >= 0) wants.add(markOf(input, parents[from]!));
    }
  }
  return [...wants];
}
