// Are two results the same? In: plain values. Out: an assertion; numbers may differ in their last digits where sums
// are added in another order.

import { expect } from "vitest";

const CLOSE = 1e-9;

export function expectSame(found: unknown, expected: unknown, isRounded: boolean, what: string): void {
  const said = isRounded ? firstDifference(found, expected) : null;
  if (isRounded) expect(said, what).toBeNull();
  else expect(found, what).toEqual(expected);
}

function firstDifference(a: unknown, b: unknown): string | null {
  if (typeof a === "number" && typeof b === "number") return isClose(a, b) ? null : `${a} ≠ ${b}`;
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return `${a.length} ≠ ${b.length} elements`;
    return first(a.map((item, i) => firstDifference(item, b[i])));
  }
  if (isObject(a) && isObject(b)) {
    if (Object.keys(a).join() !== Object.keys(b).join()) return `${Object.keys(a)} ≠ ${Object.keys(b)}`;
    return first(Object.keys(a).map((name) => firstDifference(a[name], b[name])));
  }
  return Object.is(a, b) ? null : `${String(a)} ≠ ${String(b)}`;
}

const first = (said: readonly (string | null)[]): string | null => said.find((text) => text !== null) ?? null;

const isObject = (value: unknown): value is { [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isClose = (a: number, b: number): boolean =>
  Object.is(a, b) || a === b || Math.abs(a - b) <= CLOSE * Math.max(1, Math.abs(a), Math.abs(b));
