// Attributes: what an op needs beside its inputs. Plain data, so that they can be compared, printed,
// hashed and stored as JSON. The one exception is a Resource: something in memory that has an identity
// here and a fingerprint everywhere.

import { describe } from "./chunks.ts";
import { InvariantError } from "./errors.ts";
import { Complex, numberText } from "./numbers.ts";
import type { Transfer } from "./transfer.ts";

// A constant that is made when it is first asked for. In: a function without arguments that always makes the same. Out: that.
// Must hold: whoever asks twice cannot tell whether it was made once or twice, but by the time it took. What changes
// results, or grows, belongs to a value that somebody owns instead.

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The value of an attribute: plain data, or a resource such as an array in memory. */
export type Attr = null | boolean | number | bigint | string | Complex | Resource | readonly Attr[];
/** The attributes of a node, by name: {axes: [0], keepdims: false}. */
export type Attrs = { readonly [name: string]: Attr };

export const NO_ATTRS: Attrs = Object.freeze({});

/** A thing in memory (an array's data, a user's function). Two resources are equal when they are the same object. */
export abstract class Resource {
  static #count = 0;
  readonly id: number = ++Resource.#count;
  /** The same in every process for the same contents. */
  abstract fingerprint(): string;
  /** What reading it takes, for arrays in stores. */
  transfer(): Transfer | null {
    return null;
  }
  /** What can be read of it by itself, for arrays in stores. */
  access(): StoredAccess | null {
    return null;
  }
}

export interface StoredAccess {
  /** Such chunks. */
  readonly chunks: readonly number[];
  /** And any part of a chunk, at the cost of a call for every run of its elements. */
  readonly hasRuns: boolean;
}

/** One text per value: different values have different texts (−0 and 0, 1 and 1n and "1" too). */
export function attrsText(attrs: Attrs, resourceText: (resource: Resource) => string): string {
  if (attrs === NO_ATTRS) return "";
  let text = "";
  for (const name in attrs) text += `${name}=${attrText(attrs[name]!, resourceText)};`;
  return text;
}

function attrText(value: Attr, resourceText: (resource: Resource) => string): string {
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "boolean" || value === null) return String(value);
  if (value instanceof Complex) return value.toString();
  if (value instanceof Resource) return resourceText(value);
  if (Array.isArray(value)) return `[${value.map((item) => attrText(item, resourceText)).join(",")}]`;
  throw new InvariantError({ what: `${describe(value)} cannot be an attribute` });
}

/** `axes: [0, 1]`, for people. */
export function attrLabel(name: string, value: Attr): string {
  return `${name}: ${attrText(value, (resource) => `#${resource.id}`)
    .replaceAll(",", ", ")
    .replace(/^(-?\d+)n$/, "$1")}`;
}
