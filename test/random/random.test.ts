// Random arrays: bits against known answers and a Philox written in Python, numbers against SciPy's functions of these bits
// (test/random/generate.py), distributions by their distribution functions, and the same numbers however they are made.

import { readFileSync } from "node:fs";
import * as cw from "chunkwise";
import { expect, test } from "vitest";
import type { Block } from "../../src/core/block.ts";
import { philox } from "../../src/kernel/philox.ts";
import { log1pLess, logBinomial, logPoisson } from "../../src/kernel/routines/exactLogs.ts";
import { permuted } from "../../src/kernel/routines/permuted.ts";
import { needThreads, Ways } from "../ways.ts";

needThreads();

interface Fixture {
  readonly seed: string;
  readonly "call 3": readonly string[];
  readonly bits: readonly string[];
  readonly normal: readonly number[];
  readonly exponential: readonly number[];
  readonly cdf: {
    readonly [name: string]: { readonly at: readonly number[]; readonly is: readonly number[] };
  };
}
const fixture = JSON.parse(
  readFileSync(new URL("./fixtures/random.json", import.meta.url), "utf8"),
) as Fixture;
const generator = (): cw.RandomGenerator => cw.random(BigInt(fixture.seed));
const numbers = (x: cw.LazyArray): number[] => Array.from(x.computeSync().data, Number);

/** Random123's kat_vectors: counter, key, result. */
test.each([
  ["00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"],
  ["ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"],
  ["243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"],
])("Philox 4x32-10 of %s by %s", (counter, key, wanted) => {
  const words = (text: string): Int32Array => Int32Array.from(text.split(" "), (word) => Number(`0x${word}`));
  const found = words(counter);
  philox(found, words(key)[0]!, words(key)[1]!);
  expect(found).toEqual(words(wanted));
});

test("bits are those of the place and the call", () => {
  const rng = generator();
  expect(Array.from(rng.bits(400).computeSync().data, String)).toEqual(fixture.bits);
  rng.bits(1);
  rng.bits(1);
  expect(Array.from(rng.bits([2, 2, 2]).computeSync().data, String)).toEqual(fixture["call 3"]);
});

test.each(["normal", "exponential"] as const)("%s numbers are SciPy's of the same bits", (name) => {
  const found = numbers(generator()[name](400));
  found.forEach((x, i) => {
    expect(Math.abs(x - fixture[name][i]!)).toBeLessThanOrEqual(4e-15 * Math.max(1, Math.abs(x)));
  });
});

test("uniform numbers are the first digits of the bits", () => {
  const wide = fixture.bits.map((bits) => Number(BigInt(bits) >> 12n) / 2 ** 52);
  expect(numbers(generator().uniform(400))).toEqual(wide);
  const short = fixture.bits.map((bits) => Number(BigInt(bits) >> 40n) / 2 ** 24);
  expect(numbers(generator().uniform(400, { dtype: "float32" }))).toEqual(short);
});

const COUNT = 20_000;
/** Kolmogorov's distance that one sample in 10⁵ exceeds. */
const FAR = 2.47 / Math.sqrt(COUNT);

const DRAWN: { readonly [name: string]: (rng: cw.RandomGenerator) => cw.LazyArray } = {
  "poisson 3.5": (rng) => rng.poisson(COUNT, { mean: 3.5 }),
  "poisson 200": (rng) => rng.poisson(COUNT, { mean: 200 }),
  "binomial 40 0.1": (rng) => rng.binomial(COUNT, { n: 40, p: 0.1 }),
  "binomial 1000 0.7": (rng) => rng.binomial(COUNT, { n: 1000, p: 0.7 }),
  "gamma 0.4": (rng) => rng.gamma(COUNT, { alpha: 0.4 }),
  "gamma 7": (rng) => rng.gamma(COUNT, { alpha: 7 }),
  normal: (rng) => rng.normal(COUNT),
  exponential: (rng) => rng.exponential(COUNT),
};

test.each(Object.keys(DRAWN))("%s has SciPy's distribution", (name) => {
  const found = numbers(DRAWN[name]!(cw.random(11)));
  const { at, is } = fixture.cdf[name]!;
  const share = (end: number): number => found.filter((x) => x <= end).length / COUNT;
  const distance = Math.max(...at.map((x, i) => Math.abs(share(x) - is[i]!)));
  expect(distance).toBeLessThan(FAR);
});

test("moments of normal and uniform numbers", () => {
  const x = numbers(cw.random(5).normal(4 * COUNT, { mean: 3, std: 2 }));
  const moment = (k: number): number => x.reduce((sum, each) => sum + ((each - 3) / 2) ** k, 0) / x.length;
  const error = (variance: number): number => 4.5 * Math.sqrt(variance / x.length);
  // E zᵏ, and the variance of zᵏ.
  for (const [k, is, variance] of [
    [1, 0, 1],
    [2, 1, 2],
    [3, 0, 15],
    [4, 3, 96],
  ] as const)
    expect(Math.abs(moment(k) - is)).toBeLessThan(error(variance));
  const u = cw.random(5).uniform(COUNT, { low: -3, high: 5 }).computeSync();
  expect(Math.abs(Number(cw.mean(u).computeSync().item()) - 1)).toBeLessThan(
    4.5 * (8 / Math.sqrt(12 * COUNT)),
  );
});

test("integers of any range are within it, and all as likely", () => {
  const rng = cw.random(2);
  const dice = numbers(rng.integers(60_000, { low: 1, high: 7, dtype: "int8" }));
  const counts = [1, 2, 3, 4, 5, 6].map((side) => dice.filter((x) => x === side).length);
  expect(counts.reduce((sum, n) => sum + (n - 10_000) ** 2 / 10_000, 0)).toBeLessThan(31);
  const wide = rng.integers(2000, { low: -(2n ** 63n), high: 2n ** 63n }).computeSync();
  expect([...wide.data].filter((x) => x < 0n).length / 2000).toBeCloseTo(0.5, 1);
  expect(new Set(numbers(rng.integers(100, { high: 1 })))).toEqual(new Set([0]));
  const long = numbers(rng.integers(2000, { low: 5, high: 5 + 2 ** 40 }));
  expect(Math.min(...long)).toBeGreaterThanOrEqual(5);
  expect(Math.max(...long)).toBeLessThan(5 + 2 ** 40);
});

test("streams of calls and of spawned generators have nothing to do with one another", () => {
  const rng = cw.random(1);
  const [child, other] = rng.spawn(2) as [cw.RandomGenerator, cw.RandomGenerator];
  const all = [rng, rng, child, other, cw.random(2)].map((each) => numbers(each.uniform(COUNT)));
  for (let i = 0; i < all.length; i++)
    for (let j = 0; j < i; j++) {
      const product = all[i]!.reduce((sum, x, k) => sum + (x - 0.5) * (all[j]![k]! - 0.5), 0);
      expect(Math.abs((12 * product) / COUNT)).toBeLessThan(4.5 / Math.sqrt(COUNT));
    }
  // Neighbours, in 8 × 8 cells.
  const cells = new Float64Array(64);
  const line = all[0]!;
  for (let k = 0; k < COUNT; k += 2) cells[8 * Math.floor(8 * line[k]!) + Math.floor(8 * line[k + 1]!)]!++;
  const mean = COUNT / 128;
  expect(cells.reduce((sum, n) => sum + (n - mean) ** 2 / mean, 0)).toBeLessThan(120);
});

test.each([1, 2, 10, 1000])(
  "a permutation of %i has every number once, and its parts are parts of it",
  (n) => {
    const whole = numbers(cw.random(4).permutation(n));
    expect(whole.toSorted((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
    expect(
      numbers(
        cw
          .random(4)
          .permutation(n, { chunks: 7 })
          .get(`${n >> 1}:`),
      ),
    ).toEqual(whole.slice(n >> 1));
  },
);

test("permutations of 4 are all as likely", () => {
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 2400; seed++) {
    const into = new BigInt64Array(4);
    const block = (data: BigInt64Array): Block => ({
      dtype: "int64",
      shape: [4],
      strides: [1],
      offset: 0,
      data,
    });
    const attrs = { length: 4, key: BigInt(seed), stream: 0 };
    permuted({
      inputs: [block(BigInt64Array.of(0n, 1n, 2n, 3n))],
      outputs: [block(into)],
      attrs,
      starts: [[0], [0]],
    });
    const order = String(into);
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  expect(counts.size).toBe(24);
  expect([...counts.values()].reduce((sum, n) => sum + (n - 100) ** 2 / 100, 0)).toBeLessThan(61);
});

test("choice: with weights, without replacement, shuffle", () => {
  const rng = cw.random(9);
  const chosen = numbers(rng.choice([10, 20, 30], 6000, { weights: [1, 0, 3] }));
  expect(chosen.filter((x) => x === 10).length / 6000).toBeCloseTo(0.25, 1);
  expect(chosen.includes(20)).toBe(false);
  expect(new Set(numbers(rng.choice(50, 50, { replace: false }))).size).toBe(50);
  expect(numbers(rng.choice(5, 4, { replace: false, weights: [1, 1, 1e-300, 1, 1] })).toSorted()).toEqual([
    0, 1, 3, 4,
  ]);
  const x = cw.arange(24).reshape([4, 6]);
  const shuffled = rng.shuffle(x, { axis: 1 }).computeSync();
  expect(cw.sort(shuffled, { axis: 1 }).computeSync().toList()).toEqual(x.computeSync().toList());
});

test("probabilities beside the sums that they are made of", () => {
  const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
  for (const k of [0, 1, 5, 20, 40]) {
    expect(logPoisson(k, 7.5)).toBeCloseTo(Math.log((Math.exp(-7.5) * 7.5 ** k) / factorial(k)), 11);
    const ways = factorial(40) / (factorial(k) * factorial(40 - k));
    expect(logBinomial(k, 40, 0.3)).toBeCloseTo(Math.log(ways * 0.3 ** k * 0.7 ** (40 - k)), 11);
  }
  expect(log1pLess(1e-9) / (-5e-19 + 1e-27 / 3)).toBeCloseTo(1, 14);
});

test("the same numbers for every chunking and every way of computing", async () => {
  const ways = new Ways();
  const makes: readonly ((chunks: cw.ChunksArgument) => cw.LazyArray)[] = [
    (chunks) => cw.random(3).bits([37, 5], { chunks }),
    (chunks) => cw.random(3).uniform([37, 5], { chunks, low: -1, high: [1, 2, 3, 4, 5] }),
    (chunks) => cw.random(3).normal([37, 5], { chunks, dtype: "float32" }),
    (chunks) =>
      cw
        .random(3)
        .normal([5, 37], { chunks })
        .T.add(cw.random(4).exponential([37, 5], { chunks })),
    (chunks) => cw.random(3).integers([37, 5], { high: 3_000_000_001, chunks }),
    (chunks) => cw.random(3).integers([37, 5], { high: 2n ** 60n, chunks }),
    (chunks) => cw.random(3).poisson([37, 5], { mean: [1, 5, 9, 11, 100], chunks }),
    (chunks) => cw.random(3).binomial([37, 5], { n: 90, p: [0, 0.05, 0.5, 0.9, 1], chunks }),
    (chunks) => cw.random(3).gamma([37, 5], { alpha: 2, scale: 3, chunks }),
    (chunks) => cw.random(3).choice([1, 2, 3], [37, 5], { weights: [3, 1, 2], chunks }),
    (chunks) => cw.random(3).uniform([37, 5], { chunks, dtype: "float16" }).get("3:20:2", "::-1"),
  ];
  const whole = ways.compute(makes.map((make) => make("all")));
  const cut = ways.compute(makes.map((make) => make([10, 2])));
  cut.forEach((value, i) => expect(value.toList(), String(makes[i])).toEqual(whole[i]!.toList()));
  await ways.agree();
});

test("a normal array is one kernel, however many chunks it has", () => {
  const x = cw.random(7).normal([1000, 1000], { chunks: [500, 1000], mean: 1 });
  expect(`${x.mean().plan()}`).toMatchInlineSnapshot(`
    "plan: 2 operations, 3 tasks, 1 intermediate array (16 B); reads 16 B, writes 24 B
    before optimisation: 4 operations, 7 tasks, 3 intermediate arrays (16 MB); reads 16 MB, writes 16 MB
      a2: intermediate float64 [2, 1] in 2 chunks of [1, 1]
      a3: result float64 [] in 1 chunk of []
    op-003: 2 tasks [i, j] in [2, 1]
      %0 = randomBits(key: 7, stream: 0) uint64 [1000, 1000]
      %1 = normalOf(%0, dtype: "float64") float64 [1000, 1000]
      %2 = add(%1, 1) float64 [1000, 1000]
      %3 = mean(%2) along axes [0, 1], 500×1000 to one, elements to states: float64 [2, 1]
      a2[i, j] ← %3
      reads 0 B, writes 16 B
      memory 256 B = states of reductions 248 B + write a2 8 B
    op-004: 1 task
      %0 = a2[:, :]
      %1 = mean(%0) along axes [0, 1], 2×1 to one, states to results: float64 []
      a3[] ← %1
      reads 16 B, writes 8 B
      memory 32 B = read a2 16 B + states of reductions 8 B + write a3 8 B"
  `);
});

test("mistakes say what they are", () => {
  const rng = cw.random(0);
  const wrong = (value: unknown): never => value as never;
  const mistakes: readonly [() => unknown, RegExp][] = [
    [() => cw.random(-1), /random: the seed is -1/],
    [() => cw.random(wrong("a")), /random: the seed is "a"/],
    [() => rng.uniform([-1]), /uniform: /],
    [() => rng.uniform(3, { dtype: wrong("int8") }), /uniform: .*int8/],
    [() => rng.uniform(3, wrong({ lo: 1 })), /uniform: there is no option "lo"/],
    [() => rng.uniform(3, { high: Number.NaN }), /uniform: high is NaN/],
    [() => rng.uniform(3, { high: [1, 2] }), /uniform: .*broadcast/],
    [() => rng.normal(3, { std: -1 }), /normal: std is -1/],
    [() => rng.integers(3, wrong(undefined)), /integers: high is undefined/],
    [() => rng.integers(3, { high: 0 }), /integers: there is no whole number from 0 up to 0/],
    [() => rng.integers(3, { high: 300, dtype: "int8" }), /integers: .*int8/],
    [() => rng.poisson(3, { mean: wrong("x") }), /poisson: /],
    [() => rng.binomial(3, { n: 2.5, p: 0.5 }), /binomial: n is 2.5/],
    [() => rng.binomial(3, { n: 2, p: 2 }), /binomial: p is 2/],
    [() => rng.gamma(3, wrong({})), /gamma: alpha is undefined/],
    [() => rng.choice(0, 3), /choice: there is nothing/],
    [() => rng.choice(2, 3, { replace: false }), /choice: 3 of 2/],
    [() => rng.choice(2, 3, { weights: [1] }), /choice: the weights/],
    [() => rng.permutation(-1), /permutation: /],
    [() => rng.shuffle(wrong(null)), /shuffle: /],
    [() => rng.poisson(3, { mean: [1, -1, 2] }).computeSync(), /poisson is given -1/],
  ];
  for (const [call, message] of mistakes) expect(call).toThrow(message);
});

test("nothing is chosen of nothing", () => {
  expect(cw.random(1).choice(0, 0, { weights: [] }).computeSync().toList()).toEqual([]);
});
