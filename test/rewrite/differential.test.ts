// Optimised in any mode, an expression has the value that it has as it is written, by the reference interpreter.
// Every value of a random program is a case of its own, so the first one that fails is a small one.
// Exact modes: the same bits, for special values, all dtypes and functions. Modes that stabilize or have fastMath:
// close where the original is finite and not ill-conditioned. Besides: types stay, graphs do not grow, and what is
// optimised stays as it is when it is optimised again.
// `CHUNKWISE_SEED=<n>` gives other programs, `CHUNKWISE_RUNS=<n>` n times as many.

import { afterAll, describe, expect, test } from "vitest";
import { SEED } from "../property/settings.ts";
import { REWRITABLE, randomWriter, SMOOTH } from "./arbitrary.ts";
import { ExactComparison, SmoothComparison, Tally } from "./differences.ts";
import type { Profile } from "./operands.ts";

const SCALE = Number(process.env["CHUNKWISE_RUNS"] ?? "1");
const BATCHES = 8;
/** Values per batch; a program has about a dozen. */
const EXACT_CASES = 2000 * SCALE;
const SMOOTH_CASES = 750 * SCALE;
const STEPS = 8;

const PROFILES: readonly Profile[] = ["special", "mild", "ordinary", "special", "positive"];

const exactTally = new Tally();
const smoothTally = new Tally();

afterAll(() => {
  console.log(`seed ${SEED}: exact ${exactTally}; close ${smoothTally}`);
});

describe(`exact rules change no bit (seed ${SEED})`, () => {
  for (let batch = 0; batch < BATCHES; batch++)
    test(`batch ${batch}`, () => {
      const tally = new Tally();
      for (let i = 0; tally.cases < EXACT_CASES; i++) {
        const seed = `${SEED}/${batch}/${i}`;
        const profile = PROFILES[i % PROFILES.length]!;
        const writer = randomWriter(seed, { families: REWRITABLE, profile, steps: STEPS });
        new ExactComparison(writer, seed, tally).run();
      }
      exactTally.add(tally);
    });

  test("there were enough cases, and rules had something to do", () => {
    expect(exactTally.cases).toBeGreaterThanOrEqual(BATCHES * EXACT_CASES);
    expect(exactTally.compared).toBeGreaterThan(0.9 * exactTally.cases);
  });
});

describe(`other rules change results as little as they promise (seed ${SEED})`, () => {
  for (let batch = 0; batch < BATCHES; batch++)
    test(`batch ${batch}`, () => {
      const tally = new Tally();
      for (let i = 0; tally.cases < SMOOTH_CASES; i++) {
        const seed = `${SEED}/smooth/${batch}/${i}`;
        const profile = i % 2 === 0 ? "ordinary" : "positive";
        const writer = randomWriter(seed, { families: SMOOTH, profile, steps: STEPS, dtypes: ["float64"] });
        new SmoothComparison(writer, seed, tally).run();
      }
      smoothTally.add(tally);
    });
});
