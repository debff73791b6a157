// Operations that are alike: those that differ in nothing but which arrays they read and write, so that what one needs
// for some boxes of its outputs, the other needs too. Large ones are not compared: no two of them are.

import type { Attrs } from "../../core/attrs.ts";
import { sameShape } from "../../core/shape.ts";
import { sameType } from "../../expr/type.ts";
import type { Operation, PlanStep, ValueRef } from "../plan.ts";

const MAX_STEPS = 8;

export const isComparable = ({ steps }: Operation): boolean => steps.length <= MAX_STEPS;

export const areAlike = (a: Operation, b: Operation): boolean =>
  a === b ||
  (sameList(a.steps, b.steps, sameStep) &&
    sameList(a.outputs, b.outputs, (one, other) => sameRef(one.value, other.value)));

function sameList<T>(a: readonly T[], b: readonly T[], isSame: (one: T, other: T) => boolean): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!isSame(a[i]!, b[i]!)) return false;
  return true;
}

const sameRef = (a: ValueRef, b: ValueRef): boolean => a.step === b.step && a.component === b.component;

const sameStep = (a: PlanStep, b: PlanStep): boolean =>
  sameForm(a, b) && sameList(a.inputs, b.inputs, sameRef) && sameList(a.types, b.types, sameType);

/** The same but for inputs and types. */
function sameForm(a: PlanStep, b: PlanStep): boolean {
  if (a.kind === "read" || b.kind === "read") return a.kind === b.kind;
  if (a.kind !== b.kind || a.op !== b.op) return false;
  if (a.kind === "reduce" && b.kind === "reduce")
    return (
      a.lifts === b.lifts &&
      a.finishes === b.finishes &&
      sameShape(a.axes, b.axes) &&
      sameShape(a.group, b.group) &&
      sameType(a.whole, b.whole)
    );
  if (a.kind === "scan" && b.kind === "scan")
    return a.axis === b.axis && a.group === b.group && a.exclusive === b.exclusive;
  // What a loop or a source computes is not asked here, only where.
  return a.kind === "elementwise" || a.kind === "source" || sameAttrs(a.attrs, b.attrs);
}

/** Says no where a closer look would be needed. */
function sameAttrs(a: Attrs, b: Attrs): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => sameValue(a[name], b[name]));
}

const sameValue = (a: unknown, b: unknown): boolean =>
  Object.is(a, b) || (Array.isArray(a) && Array.isArray(b) && sameList<unknown>(a, b, Object.is));
