// Where quantiles lie in a sorted line, as NumPy says for each of its methods (Hyndman and Fan 1996). In: how many elements there are,
// a quantile, and a method. Out: the ranks of the two elements between which it lies, and how far it is from the first to the second.
// Must hold: the same numbers as NumPy's, so the same operations in the same order.

import { sizeOf } from "../../core/chunks.ts";
import { allocate } from "../../core/dtype.ts";
import type { Routine } from "../routine.ts";
import { blockAt } from "./attributes.ts";
import { fromContiguous, toContiguous } from "./stridedWalk.ts";

export interface QuantilePlace {
  readonly previous: number;
  readonly next: number;
  /** 0: the first alone. */
  readonly weight: number;
}

const one = (rank: number): QuantilePlace => ({ previous: rank, next: rank, weight: 0 });

/** Halfway between two whole numbers it is the even one. */
function roundHalfEven(x: number): number {
  const below = Math.floor(x);
  const rest = x - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}

/** Where the place is a whole number, or as `isExact` says, that element; else the next. */
function boundary(place: number, isExact: (fraction: number, whole: number) => boolean): QuantilePlace {
  const whole = Math.floor(place);
  return one(Math.max(0, isExact(place - whole, whole) ? whole : whole + 1));
}

function between(place: number, n: number, weightOf = (fraction: number): number => fraction): QuantilePlace {
  if (place >= n - 1) return one(n - 1);
  if (place < 0) return one(0);
  const previous = Math.floor(place);
  const weight = weightOf(place - previous);
  return { previous, next: previous + 1, weight };
}

/** n q + (α + q (1 − α − β)) − 1 */
const virtualPlace = (n: number, q: number, alpha: number, beta: number): number =>
  n * q + (alpha + q * (1 - alpha - beta)) - 1;

type Method = (n: number, q: number) => QuantilePlace;

const interpolated =
  (alpha: number, beta: number): Method =>
  (n, q) =>
    between(virtualPlace(n, q, alpha, beta), n);

const METHODS = {
  inverted_cdf: (n, q) => boundary(n * q - 1, (fraction) => fraction === 0),
  averaged_inverted_cdf: (n, q) => between(n * q - 1, n, (fraction) => (fraction === 0 ? 0.5 : 1)),
  closest_observation: (n, q) =>
    boundary(n * q - 1 - 0.5, (fraction, whole) => fraction === 0 && Math.abs(whole % 2) === 1),
  interpolated_inverted_cdf: interpolated(0, 1),
  hazen: interpolated(0.5, 0.5),
  weibull: interpolated(0, 0),
  linear: (n, q) => between((n - 1) * q, n),
  median_unbiased: interpolated(1 / 3, 1 / 3),
  normal_unbiased: interpolated(3 / 8, 3 / 8),
  lower: (n, q) => one(Math.floor((n - 1) * q)),
  higher: (n, q) => one(Math.ceil((n - 1) * q)),
  midpoint: (n, q) => {
    const place = 0.5 * (Math.floor((n - 1) * q) + Math.ceil((n - 1) * q));
    return between(place, n, () => (place % 1 === 0 ? 0 : 0.5));
  },
  nearest: (n, q) => one(roundHalfEven((n - 1) * q)),
} as const satisfies { readonly [name: string]: Method };

/** NumPy's methods: "linear", "lower", "median_unbiased" and ten others. */
export type QuantileMethod = keyof typeof METHODS;
export const QUANTILE_METHODS: readonly QuantileMethod[] = Object.keys(METHODS) as QuantileMethod[];

/** Methods that give an element as it is. */
export const DISCRETE_METHODS: ReadonlySet<QuantileMethod> = new Set<QuantileMethod>([
  ...(["inverted_cdf", "closest_observation", "lower", "higher", "nearest"] as const),
]);

/** Of nothing there is no place: −1. */
export const quantilePlace = (method: QuantileMethod, n: number, q: number): QuantilePlace =>
  n === 0 ? one(-1) : METHODS[method](n, q);

/** For lines of different lengths: two ranks for every quantile (attrs.part "ranks"), or its weight ("weights"). */
export const quantilePlaces: Routine = ({ inputs, outputs, attrs, room }) => {
  const [counts, output] = [toContiguous(blockAt(inputs, 0), room), blockAt(outputs, 0)];
  const { q, method, part } = attrs as unknown as {
    q: readonly number[];
    method: QuantileMethod;
    part: "ranks" | "weights";
  };
  const made = allocate(output.dtype, sizeOf(output.shape));
  let at = 0;
  for (const count of counts)
    for (const each of q) {
      const { previous, next, weight } = quantilePlace(method, Number(count), each);
      if (part === "weights") made[at++] = weight;
      else [made[at++], made[at++]] = [BigInt(previous), BigInt(next)];
    }
  fromContiguous(made, output);
};
