// Attributes that come from a loaded plan may be anything. In: an attribute and what it has to be. Out: nothing, or an error
// that names it. Ops whose windows are walked in steps check what the steps are made of, so that every walk ends.

import { describe, isLength } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";

/** Whole numbers from `least` on, as many as `length` says (any number where it does not). */
export function checkCounts(op: string, name: string, list: unknown, length?: number, least = 0): void {
  const isFit =
    Array.isArray(list) &&
    (length === undefined || list.length === length) &&
    list.every((n: unknown) => isLength(n) && n >= least);
  if (!isFit) throw wrongAttr(op, name, list);
}

/** Axes of a grid, −1 for none; none but −1 twice. */
export function checkGridAxes(op: string, name: string, list: unknown, length: number, dims: number): void {
  const isAxis = (to: unknown): boolean => to === -1 || (isLength(to) && to < dims);
  const named = Array.isArray(list) ? list.filter((to) => to !== -1) : [];
  const isFit =
    Array.isArray(list) &&
    list.length === length &&
    list.every(isAxis) &&
    new Set(named).size === named.length;
  if (!isFit) throw wrongAttr(op, name, list);
}

export function checkList(op: string, name: string, list: unknown, length: number): void {
  if (!Array.isArray(list) || list.length !== length) throw wrongAttr(op, name, list);
}

export const wrongAttr = (op: string, name: string, value: unknown): ValueError =>
  new ValueError({
    where: op,
    what: `the attribute ${name} is ${describe(value)}, which does not fit`,
    cure: "Load a plan that was saved by this version, unchanged",
  });
