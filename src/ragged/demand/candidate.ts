// Ways to compute what is wanted of an operation. In: the operation, its inputs' forms, and what of its result is
// wanted. Out: the operation itself, or itself with fewer fields and inputs, each with the trace of its nodes.
// Must hold: a lesser operation gives what the whole one does, without the fields that it leaves out.

import { childrenOf, type Form, OPTION_KINDS } from "../../core/form/form.ts";
import { ABSENT, type Level, NEEDED, type Need, narrowed } from "../../core/form/need.ts";
import type { RaggedOp } from "../ops/op.ts";
import { outlineOf, sameNodes } from "./outline.ts";
import { type Trace, traceOf } from "./trace.ts";

/** An operation in a computation. */
export interface Applied {
  readonly op: RaggedOp<object>;
  readonly attrs: object;
  readonly inputs: readonly Form[];
  /** Of the result. */
  readonly form: Form;
  /** Which inputs are one value: their row goes to all rows of the others. Without it, none. */
  readonly items?: readonly boolean[];
}

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

/** Inputs that the rest does not depend on: they say neither how many rows there are nor which are null. */
export function canDrop({ inputs, items, form }: Applied, dropped: readonly number[]): boolean {
  const isItem = (i: number): boolean => items?.[i] === true;
  const others = inputs.map((_, i) => i).filter((i) => !dropped.includes(i));
  if (dropped.some((i) => !isItem(i)) && others.every(isItem)) return false;
  const nullable = nullDepths(form, (content) => childrenOf(content).length > 0);
  return dropped.every((i) => [...spineNullDepths(inputs[i]!)].every((depth) => !nullable.has(depth)));
}

const isNullable = (node: Form): boolean => OPTION_KINDS.has(node.kind) || node.kind === "union";
const isListForm = ({ kind }: Form): boolean =>
  kind === "regular" || kind === "listOffset" || kind === "list";

/** At how many lists down there are options or unions of something that passes the test. */
function nullDepths(form: Form, test: (content: Form) => boolean): Set<number> {
  const depths = new Set<number>();
  const visit = (node: Form, depth: number): void => {
    const children = childrenOf(node);
    if (isNullable(node) && children.some(test)) depths.add(depth);
    for (const child of children) visit(child, depth + (isListForm(node) ? 1 : 0));
  };
  visit(form, 0);
  return depths;
}

/** The same above the first record. */
function spineNullDepths(form: Form): Set<number> {
  const depths = new Set<number>();
  let depth = 0;
  for (let node = form; ; node = node.content) {
    if (isNullable(node)) depths.add(depth);
    if (isListForm(node)) depth++;
    if (node.kind === "numpy") for (const _ of node.innerShape) depth++;
    if (!("content" in node)) return depths;
  }
}
