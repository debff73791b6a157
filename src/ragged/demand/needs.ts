// What an operation needs of its inputs for what is wanted of its result. In: an operation with the forms of its inputs,
// and a need of its result's form. Out: the operation to run (perhaps with fewer inputs), a need for each input, and
// what its result will have.
// Must hold: run on inputs of the narrowed forms, the operation gives the result's form narrowed by `given`, which has at
// least what is wanted; and what is wanted as needed has the values that the whole computation would give.

import {
  ABSENT,
  closed,
  type Form,
  type Level,
  NEEDED,
  type Need,
  narrowed,
  PRESENT,
} from "../../core/form/form.ts";
import { marksOf } from "../layout/indices.ts";
import { depthsOf } from "../layout/layout.ts";
import { plainForm, plainProbe } from "../layout/probe.ts";
import type { RaggedOp } from "../ops/op.ts";
import {
  type Applied,
  attempt,
  type Candidate,
  canDrop,
  lesserCandidate,
  spineOf,
  wholeCandidate,
} from "./candidate.ts";
import {
  inputOfMark,
  isLeafForm,
  isStructureForm,
  nodeOfMark,
  outlineOf,
  roleOf,
  sameNodes,
} from "./outline.ts";

// Levels of an input's nodes, rising while demands come in. In: which node, how much, and for which node of the
// result. Out: a need that holds, and for each node the reason of its level.

/** A reason that is the operation as a whole. */
export const WHOLE = -1;

class Levels {
  readonly #form: Form;
  readonly #levels: Level[];
  readonly #reasons: Int32Array;

  constructor(form: Form) {
    this.#form = form;
    const count = outlineOf(form).nodes.length;
    this.#levels = new Array<Level>(count).fill(ABSENT);
    this.#reasons = new Int32Array(count).fill(WHOLE);
  }

  isLeaf(node: number): boolean {
    return isLeafForm(outlineOf(this.#form).nodes[node]!);
  }

  isWhole(node: number): boolean {
    const form = outlineOf(this.#form).nodes[node]!;
    return form.kind === "numpy" && /int|bool/.test(form.dtype);
  }

  parentOf(node: number): number {
    return outlineOf(this.#form).parents[node]!;
  }

  /** The node and what is above it. */
  raise(node: number, level: Level, reason: number): void {
    const { parents } = outlineOf(this.#form);
    for (let at = node; at >= 0 && this.#levels[at]! < level; at = parents[at]!) {
      this.#levels[at] = level;
      this.#reasons[at] = reason;
    }
  }

  raiseAll(leaves: Level, structure: Level, reason: number): void {
    outlineOf(this.#form).nodes.forEach((node, at) => {
      this.raise(at, isLeafForm(node) ? leaves : structure, reason);
    });
  }

  /** What holds. `readsStructure`: whoever works on this looks at every list, null and tag that is there. */
  settled(readsStructure: boolean): { need: Need; reasons: Int32Array } {
    const { nodes, parents } = outlineOf(this.#form);
    const need = [...closed(this.#form, this.#levels)];
    for (let at = 0; at < need.length; at++) {
      if (need[at]! > this.#levels[at]! && at > 0) this.#reasons[at] = this.#reasons[parents[at]!]!;
      if (readsStructure && need[at] === PRESENT && isStructureForm(nodes[at]!))
        this.raise(at, NEEDED, this.#reasons[at]!);
    }
    return { need: closed(this.#form, this.#levels), reasons: this.#reasons };
  }
}

// One text for equal forms. In: forms, which operations make anew each time. Out: for those with the same nodes the same
// text, so that what was found out for one computation is found again for the next. Keys do not count, nor how wide stored
// integers are: no operation sees them.

const keys = new WeakMap<Form, string>();

export function formKey(form: Form): string {
  let key = keys.get(form);
  if (key === undefined) {
    key = textOf(form);
    keys.set(form, key);
  }
  return key;
}

function textOf(form: Form): string {
  if ("content" in form) return `${ownText(form)}(${textOf(form.content)})`;
  if (!("contents" in form)) return ownText(form);
  let text = `${ownText(form)}(`;
  for (const content of form.contents) text += `${textOf(content)},`;
  return `${text})`;
}

function ownText(form: Form): string {
  const named = hasAny(form.parameters) ? JSON.stringify(form.parameters) : "";
  switch (form.kind) {
    case "numpy":
      return form.innerShape.length === 0
        ? `${form.dtype}${named}`
        : `${form.dtype}[${form.innerShape}]${named}`;
    case "regular":
      return `regular${form.size}${named}`;
    case "string":
      return `string${form.encoding}${named}`;
    case "record":
      return form.fields === null ? `tuple${named}` : `record${JSON.stringify(form.fields)}${named}`;
    case "byteMasked":
      return `byteMasked${form.validWhen}${named}`;
    case "bitMasked":
      return `bitMasked${form.validWhen}${form.lsbOrder}${named}`;
    default:
      return `${form.kind}${named}`;
  }
}

function hasAny(parameters: object): boolean {
  for (const _ in parameters) return true;
  return false;
}

// What was found out for some keys. In: a key, and how to find out. Out: what was found, perhaps before.
// Must hold: what is found depends on the key alone. Many keys are forgotten together: it costs no more than finding it again.

const MOST = 500;

export class Remembered<Found> {
  readonly #found = new Map<string, Found>();

  get(key: string, find: () => Found): Found {
    let found = this.#found.get(key);
    if (found === undefined) {
      found = find();
      if (this.#found.size >= MOST) this.#found.clear();
      this.#found.set(key, found);
    }
    return found;
  }
}

export interface OpDemand {
  /** Null: the result is the one input itself. */
  readonly op: RaggedOp<object> | null;
  readonly attrs: object;
  /** True when operation and attributes are what they were. */
  readonly isWhole: boolean;
  /** Which of the inputs are left, in order. */
  readonly inputs: readonly number[];
  /** For every input, left or not. */
  readonly needs: readonly Need[];
  /** What the result has: its form is the whole one narrowed by this. */
  readonly given: Need;
  /** For every input, by node: the node of the result that it is needed for; −1 for the operation as a whole. */
  readonly reasons: readonly Int32Array[];
}

const known = new WeakMap<object, Remembered<OpDemand>>();

/** Found once for all uses of an operation on the same forms, of which the same is wanted. */
export function demandOfOp(applied: Applied, need: Need): OpDemand {
  const own = known.get(applied.op) ?? new Remembered<OpDemand>();
  known.set(applied.op, own);
  const found = own.get(keyOf(applied, need), () => findDemand(applied, need));
  // Texts of numbers are not exact: attributes that were not changed are the operation's own.
  return found.isWhole ? { ...found, attrs: applied.attrs } : found;
}

/** Big integers have no JSON. */
const exactText = (attrs: object): string =>
  JSON.stringify(attrs, (_, value) => (typeof value === "bigint" ? `${value}n` : value));

/** Which lists and nulls of the inputs are the same: their names, numbered as they come. */
function sharedText({ op, inputs, structures }: Applied): string {
  if (structures === undefined || op.demand.lesser === undefined) return "";
  const numbers = new Map<string, number>();
  const numberOf = (name: string | null): string => {
    if (name === null) return "?";
    if (!numbers.has(name)) numbers.set(name, numbers.size);
    return String(numbers.get(name));
  };
  return inputs
    .map((form, i) => spineOf(form).map(({ at }) => numberOf(structures[i]?.[at] ?? null)))
    .join(";");
}

function keyOf(applied: Applied, need: Need): string {
  const { op, attrs, inputs, form, items } = applied;
  const text = op.demand.attrsText?.(attrs) ?? attempt(() => JSON.stringify(attrs)) ?? exactText(attrs);
  return `${text}(${inputs.map(formKey)})${formKey(form)} ${items ?? ""} ${need.join("")} ${sharedText(applied)}`;
}

function findDemand(applied: Applied, need: Need): OpDemand {
  if (applied.op.demand.setsField === true) {
    const first = firstInput(applied, need);
    if (first !== null) return first;
  }
  const candidate = lesserCandidate(applied, need) ?? wholeCandidate(applied);
  const asked = askedOf(applied.op, candidate, need);
  const given = givenBy(applied.op, candidate, asked.needs, need);
  if (given !== null) return demandOf(applied, candidate, asked, given);
  const all = askedOf(applied.op, candidate, need, true);
  return demandOf(applied, candidate, all, everyNode(candidate.form));
}

interface Asked {
  readonly needs: readonly Need[];
  readonly reasons: readonly Int32Array[];
}

const everyNode = (form: Form): Need => outlineOf(form).nodes.map((): Level => PRESENT);
const noNode = (form: Form): Need => outlineOf(form).nodes.map((): Level => ABSENT);

/** In terms of the whole operation. */
function demandOf(applied: Applied, candidate: Candidate, asked: Asked, given: Need): OpDemand {
  const { op, inputs } = applied;
  const places = candidate.kept.flatMap((level, at) => (level === ABSENT ? [] : [at]));
  const whole = [...noNode(applied.form)];
  places.forEach((at, i) => {
    whole[at] = given[i]!;
  });
  const needs = inputs.map(noNode);
  const reasons = needs.map((levels) => new Int32Array(levels.length).fill(WHOLE));
  candidate.inputs.forEach((input, i) => {
    needs[input] = asked.needs[i]!;
    reasons[input] = asked.reasons[i]!.map((at) => (at < 0 ? at : places[at]!));
  });
  const isWhole = candidate.attrs === applied.attrs;
  return { op, attrs: candidate.attrs, isWhole, inputs: candidate.inputs, needs, given: whole, reasons };
}

/** What the nodes wanted want. `isWide`: with everything there, where fewer fields would change what it does. */
function askedOf(op: RaggedOp<object>, candidate: Candidate, whole: Need, isWide = false): Asked {
  const { forms, trace, inputs, kept } = candidate;
  const need = whole.filter((_, at) => kept[at] !== ABSENT);
  const roles = inputs.map((input) => roleOf(op.demand, input));
  const levels = forms.map((form) => new Levels(form));
  const isStrict = op.demand.failsOnZeros?.() === true;
  need.forEach((level, at) => {
    if (level === ABSENT) return;
    const structure = trace.wants[at] === trace.all ? NEEDED : level;
    for (const mark of trace.wants[at]!) {
      const input = inputOfMark(mark);
      if (roles[input] !== "data")
        raise(levels[input]!, nodeOfMark(mark), level, structure, at, roles[input] === "structure", isStrict);
    }
  });
  const settled = levels.map((each, i) => {
    if (roles[i] === "data") each.raiseAll(NEEDED, NEEDED, WHOLE);
    else if (isWide) each.raiseAll(isStrict ? NEEDED : PRESENT, NEEDED, WHOLE);
    return each.settled(roles[i] === "moved" || roles[i] === "computed");
  });
  return { needs: settled.map((each) => each.need), reasons: settled.map((each) => each.reasons) };
}

function raise(
  levels: Levels,
  node: number,
  level: Level,
  structure: Level,
  reason: number,
  isStructure: boolean,
  isStrict: boolean,
): void {
  if (!levels.isLeaf(node)) levels.raise(node, structure, reason);
  else if (!isStructure) levels.raise(node, isStrict && levels.isWhole(node) ? NEEDED : level, reason);
  else {
    // How many there are is known from above.
    levels.raise(node, PRESENT, reason);
    levels.raise(levels.parentOf(node), structure, reason);
  }
}

/** What the candidate gives of its form on narrowed inputs; null where that is not the form narrowed. */
function givenBy(
  op: RaggedOp<object>,
  candidate: Candidate,
  needs: readonly Need[],
  whole: Need,
): Need | null {
  const { attrs, forms, form, kept } = candidate;
  if (needs.every((need) => !need.includes(ABSENT))) return everyNode(form);
  if (countsFromEnd(attrs) && forms.some((input, i) => !isAsDeep(input, narrowed(input, needs[i]!))))
    return null;
  const wanted = whole.filter((_, at) => kept[at] !== ABSENT);
  const there = thereOf(candidate, needs);
  const given = closed(
    form,
    wanted.map((level, at) => Math.max(level, there[at] === true ? PRESENT : ABSENT) as Level),
  );
  const actual = attempt(() =>
    op.form(
      forms.map((input, i) => narrowed(input, needs[i]!)),
      attrs,
    ),
  );
  return actual !== null && sameNodes(actual, narrowed(form, given)) ? given : null;
}

const countsFromEnd = (attrs: { readonly axis?: unknown }): boolean => Number(attrs.axis) < 0;

/** An axis counted from the end is another one where the deepest field is left out. */
function isAsDeep(whole: Form, part: Form): boolean {
  const [least, most] = depthsOf(plainProbe(whole));
  const [leastLeft, mostLeft] = depthsOf(plainProbe(part));
  return least === leastLeft && most === mostLeft;
}

/** A node is there when all that it is made of is. */
function thereOf({ trace }: Candidate, needs: readonly Need[]): boolean[] {
  const { nodes, parents } = outlineOf(trace.form);
  const has = (mark: number): boolean => needs[inputOfMark(mark)]![nodeOfMark(mark)] !== ABSENT;
  const there: boolean[] = [];
  nodes.forEach((node, at) => {
    const parts = trace.parts[at]!;
    const isMade = marksOf(node) === undefined ? parts.length === 0 || parts.some(has) : parts.every(has);
    there.push(isMade && (at === 0 || there[parents[at]!]!));
  });
  return there;
}

/** The first input, where it has all that is wanted and nothing else. */
function firstInput(applied: Applied, need: Need): OpDemand | null {
  const { inputs, form } = applied;
  const others = inputs.map((_, i) => i).slice(1);
  const whole = wholeCandidate(applied);
  if (!canDrop(applied, others, whole.trace.form)) return null;
  // A constant in a field's place is in no input: it was made where the records are.
  const { nodes } = outlineOf(whole.trace.form);
  const isMade = (at: number): boolean => isLeafForm(nodes[at]!) && whole.trace.wants[at]!.length !== 1;
  if (need.some((level, at) => level !== ABSENT && isMade(at))) return null;
  const { needs, reasons } = askedOf(applied.op, whole, need);
  const first = plainForm(narrowed(inputs[0]!, needs[0]!));
  if (!sameNodes(first, narrowed(form, need))) return null;
  const own = inputs.map((input, i) => (i === 0 ? needs[0]! : noNode(input)));
  return { op: null, attrs: {}, isWhole: false, inputs: [0], needs: own, given: need, reasons };
}

/** A need for each input; all absent where it is not used. */
export const needsOf = (
  op: RaggedOp<object>,
  inputs: readonly Form[],
  attrs: object,
  need: Need,
): readonly Need[] => demandOfOp({ op, attrs, inputs, form: op.form(inputs, attrs) }, need).needs;
