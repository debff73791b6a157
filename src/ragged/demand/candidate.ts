// Ways to compute what is wanted of an operation. In: the operation, its inputs' forms, and what of its result is
// wanted. Out: the operation itself, or itself with fewer fields and inputs, each with the trace of its nodes.
// Must hold: a lesser operation gives what the whole one does, without the fields that it leaves out.

import {
  ABSENT,
  childrenOf,
  type Form,
  type Level,
  NEEDED,
  type Need,
  narrowed,
  OPTION_KINDS,
} from "../../core/form/form.ts";
import { marksOf } from "../layout/indices.ts";
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
  roleOf,
  sameNodes,
} from "./outline.ts";

// Which nodes of its inputs each node of a result depends on. In: an operation and the forms of its inputs. Out: for
// every node of the result's form, nodes of the inputs. Found by the code that computes: it runs on marked probes, so
// the two cannot differ.
// Must hold: the result's node follows from the nodes named and from what is above them, whatever else the inputs hold.

interface Trace {
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

/** An operation in a computation. */
export interface Applied {
  readonly op: RaggedOp<object>;
  readonly attrs: object;
  readonly inputs: readonly Form[];
  /** Of the result. */
  readonly form: Form;
  /** Which inputs are one value: their row goes to all rows of the others. Without it, none. */
  readonly items?: readonly boolean[];
  /** By input, and by node of its form, which lists and nulls those are: equal names are the same ones. Without it, nobody knows. */
  readonly structures?: readonly Structures[];
}

/** For each node of a form the name of its lists or nulls; null where nobody knows. */
export type Structures = readonly (string | null)[];

export interface Candidate {
  readonly attrs: object;
  /** Which of the inputs it takes. */
  readonly inputs: readonly number[];
  readonly forms: readonly Form[];
  readonly form: Form;
  readonly trace: Trace;
  /** Which nodes of the whole result it has. */
  readonly kept: Need;
}

export function wholeCandidate({ op, attrs, inputs, form }: Applied): Candidate {
  const kept = outlineOf(form).nodes.map((): Level => NEEDED);
  return {
    attrs,
    inputs: inputs.map((_, i) => i),
    forms: inputs,
    form,
    trace: traceOf(op, inputs, attrs),
    kept,
  };
}

/** Null where all fields are wanted, or leaving one out would change the others. */
export function lesserCandidate(applied: Applied, need: Need): Candidate | null {
  const { op, form } = applied;
  const record = op.demand.lesser === undefined ? -1 : firstRecord(form);
  if (record < 0) return null;
  const places = childPlaces(form, record);
  const wanted = places.flatMap((place, i) => (need[place] === ABSENT ? [] : [i]));
  if (wanted.length === places.length) return null;
  // Records need something to say how many there are: any one field.
  const choices = wanted.length > 0 ? [wanted] : places.map((_, i) => [i]);
  for (const fields of choices) {
    const found = withFields(applied, places, fields);
    if (found !== null) return found;
  }
  return null;
}

function withFields(
  applied: Applied,
  places: readonly number[],
  fields: readonly number[],
): Candidate | null {
  const { op, form } = applied;
  const lesser = op.demand.lesser!(applied.attrs, fields);
  if (lesser === null) return null;
  const inputs = lesser.inputs ?? applied.inputs.map((_, i) => i);
  const dropped = applied.inputs.map((_, i) => i).filter((i) => !inputs.includes(i));
  if (!canDrop(applied, dropped)) return null;
  const forms = inputs.map((i) => applied.inputs[i]!);
  const kept = withoutFields(
    form,
    places.filter((_, i) => !fields.includes(i)),
  );
  const result = attempt(() => op.form(forms, lesser.attrs));
  if (result === null || !sameNodes(result, narrowed(form, kept))) return null;
  return { attrs: lesser.attrs, inputs, forms, form: result, trace: traceOf(op, forms, lesser.attrs), kept };
}

export function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}

/** The outermost record, if nothing but lists and options is around it. */
function firstRecord(form: Form): number {
  let node = form;
  for (let at = 0; ; at++) {
    if (node.kind === "record") return at;
    if (!("content" in node)) return -1;
    node = node.content;
  }
}

function childPlaces(form: Form, at: number): number[] {
  const { nodes, ends } = outlineOf(form);
  const places: number[] = [];
  for (let place = at + 1; places.length < childrenOf(nodes[at]!).length; place = ends[place]!)
    places.push(place);
  return places;
}

function withoutFields(form: Form, places: readonly number[]): Need {
  const { nodes, ends } = outlineOf(form);
  const kept = nodes.map((): Level => NEEDED);
  for (const place of places) kept.fill(ABSENT, place, ends[place]);
  return kept;
}

/**
 * Inputs that the rest does not depend on: they say neither how many rows there are nor which are null, or what they say others
 * say, too. `traced`: the form of the result with marks, where nulls of what is left are known to be its own.
 */
export function canDrop(applied: Applied, dropped: readonly number[], traced: Form | null = null): boolean {
  const { inputs, items, form } = applied;
  const isItem = (i: number): boolean => items?.[i] === true;
  const others = inputs.map((_, i) => i).filter((i) => !dropped.includes(i));
  if (dropped.some((i) => !isItem(i)) && others.every(isItem)) return false;
  const isOthers = (node: Form): boolean =>
    marksOf(node)?.every((mark) => !dropped.includes(inputOfMark(mark))) === true;
  const nullable = nullDepths(
    traced ?? form,
    (node, content) => !isOthers(node) && childrenOf(content).length > 0,
  );
  return dropped.every((i) => {
    const said = others.filter((other) => !isItem(other)).map((other) => spineOf(inputs[other]!));
    return spineOf(inputs[i]!).every(
      (place) => !place.isNullable || !nullable.has(place.depth) || isSaid(applied, i, place, others, said),
    );
  });
}

/** Do others have the same nulls there, in the same lists? */
function isSaid(
  { structures, items }: Applied,
  input: number,
  place: SpinePlace,
  others: readonly number[],
  spines: readonly (readonly SpinePlace[])[],
): boolean {
  if (structures === undefined || items?.[input] === true) return false;
  const nameOf = (of: number, at: number): string | null => structures[of]?.[at] ?? null;
  const rows = others.filter((other) => items?.[other] !== true);
  const isSame = (a: SpinePlace, b: SpinePlace, other: number): boolean =>
    a.depth === b.depth &&
    a.isNullable === b.isNullable &&
    nameOf(input, a.at) !== null &&
    nameOf(input, a.at) === nameOf(other, b.at);
  const above = place.path;
  return rows.some((other, k) => {
    const spine = spines[k]!;
    return (
      spine.some((own) => isSame(place, own, other)) &&
      above.every((list) => spine.some((own) => !own.isNullable && isSame(list, own, other)))
    );
  });
}

const isNullable = (node: Form): boolean => OPTION_KINDS.has(node.kind) || node.kind === "union";
const isListForm = ({ kind }: Form): boolean =>
  kind === "regular" || kind === "listOffset" || kind === "list";

/** At how many lists down there are options or unions of something that pass the test. */
function nullDepths(form: Form, test: (node: Form, content: Form) => boolean): Set<number> {
  const depths = new Set<number>();
  const visit = (node: Form, depth: number): void => {
    const children = childrenOf(node);
    if (isNullable(node) && children.some((content) => test(node, content))) depths.add(depth);
    for (const child of children) visit(child, depth + (isListForm(node) ? 1 : 0));
  };
  visit(form, 0);
  return depths;
}

/** An option, a union or lists above the first record: at how many lists down. */
export interface SpinePlace {
  readonly at: number;
  readonly depth: number;
  readonly isNullable: boolean;
  /** The lists around it. */
  readonly path: readonly SpinePlace[];
}

export function spineOf(form: Form): readonly SpinePlace[] {
  const places: SpinePlace[] = [];
  const path: SpinePlace[] = [];
  let depth = 0;
  let node = form;
  for (let at = 0; ; at++) {
    const place = { at, depth, isNullable: isNullable(node), path: [...path] };
    if (place.isNullable || isListForm(node)) places.push(place);
    if (isListForm(node)) {
      path.push(place);
      depth++;
    }
    if (node.kind === "numpy") depth += node.innerShape.length;
    if (!("content" in node)) return places;
    node = node.content;
  }
}
