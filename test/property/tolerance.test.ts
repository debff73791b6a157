// Sums and products of floats that are not exact, in any chunks, against sums in higher precision. With n numbers
// added up and ε the distance from 1 to the next float:
//   sum, mean, var: |result − exact| ≤ 4·log₂(n + 1)·ε·Σ|term|, because they are added up in pairs;
//   scans and contractions: (n + 1)·ε·Σ|term|, one after another; products: 2n·ε·|product|.
// NaN and infinities are equal as classes, and zeros are zeros. Magnitudes are such that nothing overflows.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunkings, sources } from "./arrays.ts";
import { type Cutting, type Source, sourceArray } from "./program.ts";
import { check } from "./settings.ts";

type Line = readonly number[];

interface Rule {
  readonly call: (x: cw.LazyArray) => cw.LazyArray;
  /** What comes of a line: one number, or one per element. */
  readonly exact: (line: Line) => number[];
  /** The largest error of each, in ε. */
  readonly bound: (line: Line) => number[];
  readonly values: fc.Arbitrary<number>;
  /** Smaller differences do not count: what a float32 holds last, unless said. */
  readonly least?: number;
}

const SPECIAL = [0, -0, 1, NaN, Infinity, -Infinity, 1e-40];
const ANY = fc.oneof(
  { arbitrary: fc.double({ min: -1e4, max: 1e4, noNaN: true }), weight: 20 },
  { arbitrary: fc.double({ min: -1e12, max: 1e12, noNaN: true }), weight: 3 },
  { arbitrary: fc.double({ min: 1e6, max: 1e6 + 1, noNaN: true }), weight: 5 },
  { arbitrary: fc.constantFrom(...SPECIAL), weight: 1 },
);
/** Products of 40 of these are far from overflow and underflow. */
const FACTORS = fc.oneof(
  { arbitrary: fc.double({ min: 0.5, max: 2, noNaN: true }), weight: 20 },
  { arbitrary: fc.double({ min: -2, max: -0.5, noNaN: true }), weight: 5 },
  { arbitrary: fc.constantFrom(0, -1, Infinity, NaN), weight: 1 },
);

/** Neumaier's sum: exact but for the last digits of a double-double. */
function total(line: Line): number {
  let [sum, lost] = [0, 0];
  for (const x of line) {
    const next = sum + x;
    lost += Math.abs(sum) >= Math.abs(x) ? sum - next + x : x - next + sum;
    sum = next;
  }
  return Number.isFinite(sum) ? sum + lost : sum;
}
const sizeOf = (line: Line): number => total(line.map(Math.abs));
const pairwise = (n: number): number => 4 * Math.log2(n + 1);
const prefixes = (line: Line): Line[] => line.map((_, i) => line.slice(0, i + 1));
const product = (line: Line): number => line.reduce((a, b) => a * b, 1);

/** Two passes, corrected for the rounding of the mean. */
function variance(line: Line): number {
  const mean = total(line) / line.length;
  const apart = line.map((x) => x - mean);
  return (total(apart.map((d) => d * d)) - total(apart) ** 2 / line.length) / line.length;
}

const RULES: { readonly [name: string]: Rule } = {
  sum: {
    call: (x) => cw.sum(x, { axis: -1 }),
    exact: (line) => [total(line)],
    bound: (line) => [pairwise(line.length) * sizeOf(line)],
    values: ANY,
  },
  mean: {
    call: (x) => cw.mean(x, { axis: -1 }),
    exact: (line) => [total(line) / line.length],
    bound: (line) => [(pairwise(line.length) * sizeOf(line)) / line.length + sizeOf(line) / line.length],
    values: ANY,
  },
  var: {
    call: (x) => cw.var(x, { axis: -1 }),
    exact: (line) => [variance(line)],
    bound: (line) => [pairwise(line.length) * variance(line)],
    values: ANY,
  },
  std: {
    call: (x) => cw.std(x, { axis: -1 }),
    exact: (line) => [Math.sqrt(variance(line))],
    bound: (line) => [pairwise(line.length) * Math.sqrt(variance(line))],
    values: ANY,
    // The variance is rounded to the dtype before its root is taken, as in NumPy.
    least: 2 ** -74,
  },
  prod: {
    call: (x) => cw.prod(x, { axis: -1 }),
    exact: (line) => [product(line)],
    bound: (line) => [2 * line.length * Math.abs(product(line))],
    values: FACTORS,
  },
  cumulativeSum: {
    call: (x) => cw.cumulativeSum(x, { axis: -1 }),
    exact: (line) => prefixes(line).map(total),
    bound: (line) => prefixes(line).map((part) => (part.length + 1) * sizeOf(part)),
    values: ANY,
  },
  cumulativeProd: {
    call: (x) => cw.cumulativeProd(x, { axis: -1 }),
    exact: (line) => prefixes(line).map(product),
    bound: (line) => prefixes(line).map((part) => 2 * part.length * Math.abs(product(part))),
    values: FACTORS,
  },
  vecdot: {
    call: (x) => cw.vecdot(x, cw.flip(x, { axis: -1 }), { axis: -1 }),
    exact: (line) => [total(line.map((a, i) => a * line.at(-1 - i)!))],
    bound: (line) => [(line.length + 1) * sizeOf(line.map((a, i) => a * line.at(-1 - i)!))],
    values: FACTORS,
  },
};

interface Case {
  readonly source: Source;
  readonly epsilon: number;
}

const casesFor = (values: fc.Arbitrary<number>): fc.Arbitrary<Case> =>
  fc
    .tuple(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom("float64", "float32"),
    )
    .chain(([rows, length, dtype]) =>
      fc
        .tuple(
          sources(dtype, [rows, length], () => values.map((x) => (dtype === "float32" ? Math.fround(x) : x))),
          chunkings([rows, length]),
        )
        .map(([source, cut]) => ({
          source: { ...source, cut },
          epsilon: dtype === "float32" ? 2 ** -23 : 2 ** -52,
        })),
    );

function expectNear(actual: number, exact: number, bound: number): void {
  const isNear = Number.isFinite(exact) ? Math.abs(actual - exact) <= bound : Object.is(actual, exact);
  if (!isNear) expect.fail(`${actual} is ${Math.abs(actual - exact)} from ${exact}, not within ${bound}`);
}

function checkRule(
  { call, exact, bound, least = 2 ** -149 }: Rule,
  { source, epsilon }: Case,
  cutting: Cutting,
): void {
  const lines = source.array.toList() as number[][];
  const [exacts, bounds] = [lines.flatMap(exact), lines.flatMap(bound)];
  const results = [...call(sourceArray(source, cutting)).computeSync()].map(Number);
  expect(results.length).toBe(exacts.length);
  results.forEach((x, i) => expectNear(x, exacts[i]!, bounds[i]! * epsilon + least));
}

describe.each(Object.entries(RULES))("%s", (_, rule) => {
  test.each(["cut", "whole"] as const)("%s", (cutting) =>
    check(100, casesFor(rule.values), (each) => checkRule(rule, each, cutting)),
  );
});
