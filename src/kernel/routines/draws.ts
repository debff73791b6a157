// drawn: numbers of distributions that take an unknown number of draws. In: parameters, float64 blocks of the result's shape, and in
// attrs the distribution, the key and the stream. Out: a number for each element, from a sequence of draws of its own, so that
// it does not matter what is drawn beside it.
// Must hold: parameters that a distribution does not take are an error (a Trap), never a loop without end.

import { type Attrs, type Block, newBlock } from "../../core/block.ts";
import { sizeOf, stridesOf } from "../../core/chunks.ts";
import type { DType, TypedArray } from "../../core/dtype.ts";
import { Draws } from "../philox.ts";
import { type Routine, Trap } from "../routine.ts";
import { blockAt, integerAttr, integersAttr } from "./attributes.ts";
import { exp, log, log1p, logBinomial, logPoisson } from "./exactLogs.ts";
import { fromContiguous, Odometer, toContiguous } from "./stridedWalk.ts";

interface DistributionLine {
  readonly dtype: DType;
  /** What its parameters must be, in words; false: they are not. */
  readonly takes: string;
  readonly isTaken: (a: number, b: number) => boolean;
  readonly draw: (draws: Draws, a: number, b: number, attrs: Attrs) => number | bigint;
}

/** Counts are exact up to here. */
const MOST = 2 ** 53;

/** By their names: docs/random.md. */
export const DISTRIBUTIONS = {
  poisson: {
    dtype: "int64",
    takes: `a mean from 0 to 2^52`,
    isTaken: (mean) => mean >= 0 && mean <= MOST / 2,
    draw: (draws, mean) => (mean < 10 ? poissonByArrivals(draws, mean) : poissonByRejection(draws, mean)),
  },
  binomial: {
    dtype: "int64",
    takes: "a number of trials, whole, from 0 to 2^53, and a probability from 0 to 1",
    isTaken: (n, p) => Number.isInteger(n) && n >= 0 && n <= MOST && p >= 0 && p <= 1,
    draw: (draws, n, p) => (p > 0.5 ? n - binomial(draws, n, 1 - p) : binomial(draws, n, p)),
  },
  /** From attrs.low, attrs.count many, of more than 2³²: draws that would make some likelier are taken again. */
  integers: {
    dtype: "int64",
    takes: "nothing",
    isTaken: () => true,
    draw: (draws, _a, _b, attrs) => integer(draws, attrs["low"] as bigint, attrs["count"] as bigint),
  },
  gamma: {
    dtype: "float64",
    takes: "a finite shape, 0 or more",
    isTaken: (shape) => shape >= 0 && shape < Number.POSITIVE_INFINITY,
    draw: (draws, shape) => gamma(draws, shape),
  },
} as const satisfies { readonly [name: string]: DistributionLine };

export type Distribution = keyof typeof DISTRIBUTIONS;

export const drawn: Routine = ({ inputs, outputs, attrs, starts, room }) => {
  const output = blockAt(outputs, 0);
  const line: DistributionLine = DISTRIBUTIONS[attrs["distribution"] as Distribution];
  const [a, b] = inputs.map((input) => toContiguous(input, room) as Float64Array);
  const draws = new Draws(integerAttr(attrs, "stream"), attrs["key"] as bigint);
  const into = toContiguous(newBlock(line.dtype, output.shape)) as Float64Array;
  const isWide = line.dtype === "int64";
  eachPlace(output, starts[inputs.length]!, integersAttr(attrs, "shape"), (place, at) => {
    const [first, second] = [a![at]!, b === undefined ? 0 : b[at]!];
    if (!line.isTaken(first, second))
      throw wrongParameters(attrs["distribution"] as string, line, first, b?.[at]);
    draws.goTo(place);
    const value = line.draw(draws, first, second, attrs);
    (into as unknown as { [i: number]: number | bigint })[at] = isWide ? BigInt(value) : value;
  });
  fromContiguous(into as TypedArray, output);
};

function wrongParameters(name: string, { takes }: DistributionLine, a: number, b: number | undefined): Trap {
  const found = b === undefined ? `${a}` : `${a} and ${b}`;
  return new Trap(`${name} is given ${found}`, `It takes ${takes}`);
}

/** The row-major number of each element in the whole array, and in its block. */
export function eachPlace(
  { shape }: Block,
  start: readonly number[],
  whole: readonly number[],
  visit: (place: number, at: number) => void,
): void {
  const strides = stridesOf(whole);
  const first = start.reduce((sum, x, axis) => sum + x * strides[axis]!, 0);
  const rows = new Odometer(shape.slice(0, -1), [{ offset: first, strides: strides.slice(0, -1) }]);
  const length = shape.at(-1) ?? 1;
  for (let at = 0; at < sizeOf(shape); at += length) {
    const row = rows.offsets[0]!;
    for (let i = 0; i < length; i++) visit(row + i, at + i);
    rows.step();
  }
}

/** The least of what 2⁶⁴ has too much of is not taken: count · ⌊2⁶⁴ / count⌋ draws are. */
function integer(draws: Draws, low: bigint, count: bigint): bigint {
  const taken = (1n << 64n) - ((1n << 64n) % count);
  for (;;) {
    const bits = draws.bits();
    if (bits < taken) return low + (bits % count);
  }
}

/** How many arrivals, exponentially far apart, there are before the mean. */
function poissonByArrivals(draws: Draws, mean: number): number {
  let count = 0;
  let time = 0;
  for (;;) {
    time -= log(draws.unit());
    if (time >= mean) return count;
    count++;
  }
}

/** Hörmann's PTRS (1993): transformed rejection with a squeeze. */
function poissonByRejection(draws: Draws, mean: number): number {
  const b = 0.931 + 2.53 * Math.sqrt(mean);
  const a = -0.059 + 0.02483 * b;
  const scale = 1.1239 + 1.1328 / (b - 3.4);
  const quick = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const [u, v] = [draws.unit() - 0.5, draws.unit()];
    const inside = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / inside + b) * u + mean + 0.43);
    if (inside >= 0.07 && v <= quick) return k;
    if (k < 0 || (inside < 0.013 && v > inside)) continue;
    if (log((v * scale) / (a / (inside * inside) + b)) <= logPoisson(k, mean)) return k;
  }
}

/** p ≤ ½ */
function binomial(draws: Draws, n: number, p: number): number {
  if (n === 0 || p === 0) return 0;
  return n * p < 10 ? binomialByWaiting(draws, n, p) : binomialByRejection(draws, n, p);
}

/** Trials until the next success are geometric: how many successes fit into n. */
function binomialByWaiting(draws: Draws, n: number, p: number): number {
  const rate = log1p(-p);
  let count = -1;
  for (let trials = 0; trials <= n; count++) trials += Math.floor(log(draws.unit()) / rate) + 1;
  return count;
}

/** Hörmann's BTRS (1993). */
function binomialByRejection(draws: Draws, n: number, p: number): number {
  const deviation = Math.sqrt(n * p * (1 - p));
  const b = 1.15 + 2.53 * deviation;
  const a = -0.0873 + 0.0248 * b + 0.01 * p;
  const quick = 0.92 - 4.2 / b;
  const scale = (2.83 + 5.1 / b) * deviation;
  const most = logBinomial(Math.floor((n + 1) * p), n, p);
  for (;;) {
    const [u, v] = [draws.unit() - 0.5, draws.unit()];
    const inside = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / inside + b) * u + n * p + 0.5);
    if (k < 0 || k > n) continue;
    if (inside >= 0.07 && v <= quick) return k;
    if (log((v * scale) / (a / (inside * inside) + b)) <= logBinomial(k, n, p) - most) return k;
  }
}

/** Marsaglia and Tsang (2000); shapes below 1 by one that is 1 greater: γ(a) = γ(a + 1) · u^(1/a). */
function gamma(draws: Draws, shape: number): number {
  if (shape === 0) return 0;
  if (shape < 1) return gamma(draws, shape + 1) * exp(log(draws.unit()) / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(draws);
    const root = 1 + c * x;
    const v = root * root * root;
    if (v <= 0) continue;
    const u = draws.unit();
    if (u < 1 - 0.0331 * x * x * x * x) return d * v;
    if (log(u) < 0.5 * x * x + d * (1 - v + log(v))) return d * v;
  }
}

/** Marsaglia's polar method. */
function normal(draws: Draws): number {
  for (;;) {
    const [x, y] = [2 * draws.unit() - 1, 2 * draws.unit() - 1];
    const r = x * x + y * y;
    if (r > 0 && r < 1) return x * Math.sqrt((-2 * log(r)) / r);
  }
}
