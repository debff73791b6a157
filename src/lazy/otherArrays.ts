// Arrays of another kind than dense ones: nested rows, in memory or lazy. A function of the op table that is given one hands
// it the whole call, as NumPy's functions do (NEP 18). In: arguments. Out: the array that takes the call, or null.

/** The method that takes a call over: by the function's name and its arguments. */
export const CALLED: unique symbol = Symbol("called");

/**
 * What functions give when such an array is among their arguments. `"~called"`, for types only: of arrays in memory alone,
 * and with anything lazy.
 */
export interface OtherArray {
  [CALLED](name: string, args: readonly unknown[]): unknown;
  readonly "~called"?: Kinds;
}

interface Kinds {
  readonly array: unknown;
  readonly value: unknown;
  /** The same of lazy arrays. */
  readonly lazy: { readonly array: unknown; readonly value: unknown };
}

/** What an argument has that is computed later: arrays of both kinds have it. */
export interface Later {
  readonly expr: object;
}

type KindsOf<X> = X extends { readonly "~called"?: infer K } ? NonNullable<K> : never;

/** Of the union of all arguments' types: an array, or with "value" the one value that is left. */
export type Called<Arguments, What extends "array" | "value" = "array"> = [
  Extract<Arguments, Later>,
] extends [never]
  ? InMemory<KindsOf<Extract<Arguments, OtherArray>>, What>
  : LazyOf<KindsOf<Extract<Arguments, OtherArray>>, What>;

type InMemory<K, What extends "array" | "value"> = K extends Kinds ? K[What] : never;
type LazyOf<K, What extends "array" | "value"> = K extends Kinds ? K["lazy"][What] : never;

/** The array among the arguments that takes the call, if there is one. */
export function otherAmong(args: readonly unknown[]): OtherArray | null {
  for (const arg of args)
    if (typeof arg === "object" && arg !== null && CALLED in arg) return arg as OtherArray;
  return null;
}
