// Labels: what the axes of an array are called, and what else is said of it. In: names and attributes from files or users. Out:
// plain data beside the array. Must hold: no result depends on them, so that no name of a computation does (docs/adr/0029).

import { AxisError, DTypeError } from "./errors.ts";
import type { Scalar } from "./numbers.ts";
import { closest } from "./suggest.ts";
import { lengthText } from "./unknown.ts";

/** What JSON metadata hold; integers that a number cannot hold are bigints. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
/** A JSON object, as attributes are. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/** A name for each axis, or null: `["time", "lat", null]`. */
export type DimNames = readonly (string | null)[];

/** What is said of an array beside its elements. */
export interface Labels {
  /** What its axes are called; null where nothing is said. */
  readonly dims: DimNames | null;
  /** What else is said of it; null where nothing is said. */
  readonly attributes: JsonObject | null;
  /** What stands for missing elements where the format says so: Zarr v2's fill value. */
  readonly missing?: Scalar | null | undefined;
}

const NAMELESS: readonly DimNames[] = Array.from({ length: 8 }, (_, ndim) =>
  Object.freeze(new Array<null>(ndim).fill(null)),
);

/** Of axes that have no names. */
export const nameless = (ndim: number): DimNames => NAMELESS[ndim] ?? new Array<null>(ndim).fill(null);

export const hasNames = (dims: DimNames): boolean => dims.some((name) => name !== null);

/** `[time: 365, lat: 180, 2]`; a shape as it is where there are no names. */
export function namedShapeText(shape: readonly number[], dims: DimNames): string {
  const axes = shape.map(
    (n, axis) => ((dims[axis] ?? null) === null ? "" : `${dims[axis]}: `) + lengthText(n),
  );
  return `[${axes.join(", ")}]`;
}

/** Names from outside: one for each axis or null, none twice. */
export function checkDims(dims: unknown, ndim: number): DimNames {
  const cure = `Give one name per axis, or null: ${JSON.stringify(Array.from({ length: ndim }, (_, i) => "xyzt"[i] ?? null))}`;
  if (!Array.isArray(dims) || dims.length !== ndim)
    throw new AxisError({
      what: `${Array.isArray(dims) ? `${dims.length} names` : typeof dims} for ${ndim} axes`,
      cure,
    });
  const seen = new Set<string>();
  for (const name of dims as unknown[]) {
    if (name === null) continue;
    if (typeof name !== "string" || name === "")
      throw new AxisError({ what: `the name of an axis is ${JSON.stringify(name) ?? typeof name}`, cure });
    if (seen.has(name)) throw new AxisError({ what: `two axes are called ${JSON.stringify(name)}`, cure });
    seen.add(name);
  }
  return Object.freeze([...(dims as (string | null)[])]);
}

/** The axis of that name. */
export function axisNamed(dims: DimNames, name: string): number {
  const axis = dims.indexOf(name);
  if (axis >= 0 && axis === dims.lastIndexOf(name)) return axis;
  if (axis >= 0)
    throw new AxisError({
      what: `two axes are called ${JSON.stringify(name)}`,
      cure: "Use their numbers, or name them: x.withDims([…])",
    });
  const names = dims.filter((own) => own !== null);
  throw new AxisError({
    what: `no axis is called ${JSON.stringify(name.slice(0, 60))}: the names are [${dims.map((own) => own ?? "null").join(", ")}]`,
    cure: names.length === 0 ? "Name the axes: x.withDims([…])" : closest(name, names),
  });
}

/** Attributes from outside: a plain object that JSON can hold. */
export function checkAttributes(value: unknown): JsonObject {
  const prototype: unknown = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : 0;
  if (prototype === Object.prototype || prototype === null) return value as JsonObject;
  throw new DTypeError({
    what: "attributes are no plain object",
    cure: 'Give names and values: {units: "K"}',
  });
}

/**
 * Names of arrays that meet, aligned at their ends as shapes are. A name that one of them has is the result's; where two
 * names differ there is none.
 */
export function metNames(all: readonly DimNames[], ndim: number): DimNames {
  const named = all.filter(hasNames);
  if (named.length === 0) return nameless(ndim);
  if (named.length === 1 && named[0]!.length === ndim) return named[0]!;
  const met = Array.from({ length: ndim }, (_, axis) => {
    const names = new Set<string>();
    for (const dims of named) {
      const name = dims[dims.length - ndim + axis] ?? null;
      if (name !== null) names.add(name);
    }
    return names.size === 1 ? [...names][0]! : null;
  });
  // One name on two axes names neither.
  return met.map((name) => (met.indexOf(name) === met.lastIndexOf(name) ? name : null));
}
