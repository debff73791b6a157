// What a JavaScript value is, for an array. In: anything. Out: its kind, or a typed error for what no array holds.

import { describe } from "../../core/chunks.ts";
import { DTypeError } from "../../core/errors.ts";
import { Complex } from "../../core/numbers.ts";

export type ValueKind = "number" | "bool" | "complex" | "string" | "list" | "record";

export function kindOfValue(value: unknown): ValueKind {
  if (typeof value === "number" || typeof value === "bigint") return "number";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  if (value instanceof Complex) return "complex";
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))) return "list";
  if (isPlainObject(value)) return "record";
  throw new DTypeError({
    what: `${describe(value)} cannot be part of an array`,
    cure: "Use numbers, bigints, booleans, strings, null, lists and plain objects",
  });
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null;
}

/** A whole number that a double holds exactly; −0 is not one, because an integer could not keep its sign. */
export const isWhole = (value: unknown): boolean =>
  typeof value === "bigint" || (Number.isSafeInteger(value) && !Object.is(value, -0));
