// Matching attributes: equal to what the pattern says, or bound to a name (compared where it is bound
// already). In: the attributes' form. Out: a test that binds, or null where any attributes will do.

import { type Attr, type Attrs, attrLabel, attrsText } from "../core/block.ts";
import type { Expr } from "../expr/expr.ts";
import { fail, type MatchState, type NodeStep, type Scope } from "./match.ts";
import { type AttrsForm, Bind, type Condition } from "./pattern.ts";

/** One name that a record or an attribute is bound to, or one value it must have. */
interface AttrTest {
  /** Undefined for the whole record. */
  readonly key: string | undefined;
  readonly slot: number;
  readonly value: Attr | undefined;
  readonly conditions: readonly Condition<unknown>[];
}

export interface AttrsTest {
  readonly tests: readonly AttrTest[];
  readonly clause: number;
  readonly place: string;
}

export function attrsTest(form: AttrsForm, scope: Scope, place: string): AttrsTest | null {
  if (form.kind === "any") return null;
  const tests: AttrTest[] =
    form.kind === "whole"
      ? [{ key: undefined, slot: scope.slot(form.name), value: undefined, conditions: [] }]
      : form.entries.map(([key, value]) =>
          value instanceof Bind
            ? { key, slot: scope.slot(value.name), value: undefined, conditions: value.conditions }
            : { key, slot: -1, value, conditions: [] },
        );
  scope.clauses -= tests.length;
  return { tests, clause: scope.clauses, place };
}

/** Does what comes after, with the names bound. */
export function bindAttrs({ tests, clause, place }: AttrsTest, after: NodeStep): NodeStep {
  return (node, state) => {
    const before = tests.map(({ slot }) => (slot < 0 ? undefined : state.slots[slot]));
    const isMatch =
      tests.every((test, i) => passes(test, node, state, clause + i, place)) && after(node, state);
    tests.forEach(({ slot }, i) => {
      if (slot >= 0) state.slots[slot] = before[i];
    });
    return isMatch;
  };
}

function passes(test: AttrTest, node: Expr, state: MatchState, clause: number, place: string): boolean {
  const { key, slot, conditions } = test;
  const found = key === undefined ? node.attrs : node.attrs[key];
  const wanted = (slot < 0 ? test.value : state.slots[slot]) as Attr | Attrs | undefined;
  if (found === undefined || (wanted !== undefined && !sameAttrs(found, wanted)))
    return (
      state.closest !== null &&
      fail(state, clause, `${place} has ${label(key, found)}, not ${label(key, wanted)}`)
    );
  for (const { test: holds, text } of conditions)
    if (!holds(found as never))
      return state.closest !== null && fail(state, clause, `does not hold: ${text} (${label(key, found)})`);
  if (slot >= 0) state.slots[slot] = found;
  return true;
}

const textOf = (value: Attr): string => attrsText({ value }, (resource) => `#${resource.id}`);
const isRecord = (value: Attr | Attrs): value is Attrs =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

export function sameAttrs(a: Attr | Attrs, b: Attr | Attrs): boolean {
  if (a === b) return true;
  if (!isRecord(a) || !isRecord(b)) return !isRecord(a) && !isRecord(b) && textOf(a) === textOf(b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => b[key] !== undefined && textOf(a[key]!) === textOf(b[key]!))
  );
}

function label(key: string | undefined, value: Attr | Attrs | undefined): string {
  if (value === undefined) return `no ${key}`;
  if (!isRecord(value)) return attrLabel(key ?? "value", value);
  return Object.entries(value)
    .map(([name, one]) => attrLabel(name, one))
    .join(", ");
}
