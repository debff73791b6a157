// Behaviors in users' hands: names given to records, the base of own classes, and the types of arrays that have a behavior. In: an
// array, and a name. Out: the same array with what the name's class has.

import { describe } from "../../../core/chunks.ts";
import { ValueError } from "../../../core/errors.ts";
import { userCall } from "../../../lazy/call.ts";
import { withName as op } from "../../../ragged/index.ts";
import { engine } from "../../defaultEngine.ts";
import { apply } from "../apply.ts";
import type { RaggedItem } from "../get.ts";
import type { AnyAxisOptions, AxisOptions, PadOptions } from "../listFunctions.ts";
import {
  asRagged,
  type LazyRagged,
  type Ragged,
  type RaggedArray,
  type RaggedInput,
} from "../raggedArrays.ts";
import type { Joint } from "../types.ts";
import type { Column } from "./vectorColumns.ts";
import type { Vector2D, Vector3D, Vector4D } from "./vectors.ts";

/**
 * What own behaviors extend: `class Point extends rg.Behavior { get r() { return this.field("x").hypot(this.field("y")); } }`. Its
 * getters and methods become those of arrays whose records have the name under which the class is entered:
 * `cw.engine.behaviors.add("Point", Point)`.
 */
export abstract class Behavior {
  /** For types only. */
  readonly "~behavior"?: true;
}
export interface Behavior {
  /** Names of the fields. */
  readonly fields: readonly string[];
  /** A field of the records. */
  field(...path: readonly string[]): Ragged;
}

/** Which class goes with which name; own classes are named by themselves: `rg.withName(x, Point)`. */
export interface Behaviors {
  /** In a plane: x and y, or rho (pt) and phi. */
  Vector2D: Vector2D;
  /** In space: with z (pz), eta or theta. */
  Vector3D: Vector3D;
  /** In space and time: with t (energy) or tau (mass). */
  Vector4D: Vector4D;
  /** As Vector2D. */
  Momentum2D: Vector2D;
  /** As Vector3D. */
  Momentum3D: Vector3D;
  /** As Vector4D. */
  Momentum4D: Vector4D;
}

/** What a class says, of an array in memory or of a lazy one. */
type Part<T, Self> = T extends RaggedArray | LazyRagged
  ? Self
  : T extends Column
    ? Self
    : "~behavior" extends keyof T
      ? Named<Self, T>
      : T;
type Members<B, Self> = {
  readonly [K in Exclude<keyof B, "fields" | "field" | "~behavior">]: B[K] extends (
    ...args: infer A
  ) => infer R
    ? (...args: { [I in keyof A]: Argument<A[I]> }) => Part<R, Self>
    : Part<B[K], Self>;
};
/** Vectors are taken as any arrays are: whether their records have a name is known when they are there. */
type Argument<T> = "~behavior" extends keyof T ? Ragged : T extends Column | number ? number | Ragged : T;

/** Methods that give the same records: chosen, cut, filled. */
interface Kept<Self, B> {
  get(...items: readonly RaggedItem[]): Named<Self, B>;
  mask(mask: RaggedInput, options?: { readonly validWhen?: boolean | undefined }): Named<Self, B>;
  firsts(options?: AxisOptions): Named<Self, B>;
  singletons(options?: AxisOptions): Named<Self, B>;
  dropNone(options?: AnyAxisOptions): Named<Self, B>;
  padNone(target: number, options?: PadOptions): Named<Self, B>;
  flatten(options?: AnyAxisOptions): Named<Self, B>;
  unflatten(counts: RaggedInput | number, options?: AxisOptions): Named<Self, B>;
  toPacked(): Named<Self, B>;
}

/** An array whose records have a behavior. */
export type Named<Self, B> = Members<B, Self> & Kept<Self, B> & Self;

/**
 * The same values, in records of this name; they have what the behavior of the name has: `rg.withName(muons,
 * "Momentum4D").mass`. An own class may stand for its name; null takes the name away.
 */
export const withName: {
  <const X extends RaggedInput, N extends keyof Behaviors>(x: X, name: N): Named<Joint<X>, Behaviors[N]>;
  <const X extends RaggedInput, B extends object>(x: X, behavior: new () => B): Named<Joint<X>, B>;
  <const X extends RaggedInput>(x: X, name: string | null): Joint<X>;
} = userCall("withName", (x: RaggedInput, given: string | (new () => object) | null) => {
  const name = typeof given === "function" ? engine.behaviors.nameOf(given) : given;
  if (typeof given === "function" && name === null)
    throw new ValueError({
      what: `the class ${given.name} is no behavior yet`,
      cure: `Enter it first: cw.engine.behaviors.add(${JSON.stringify(given.name)}, ${given.name})`,
    });
  if (name !== null && (typeof name !== "string" || name === ""))
    throw new ValueError({ what: `${describe(name)} is no name`, cure: 'Use a text, as "Momentum4D"' });
  return apply(op as never, [asRagged(x)], { name });
}) as never;
