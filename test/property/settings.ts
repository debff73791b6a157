// How properties are run. In: CHUNKWISE_SEED (a number, or "random") and CHUNKWISE_RUNS (how many times the
// usual number of cases). Out: `check`, which runs a property with that seed; a failure names the seed and the
// path to the smallest counterexample, so CHUNKWISE_SEED=<seed> repeats it.

import fc from "fast-check";

const chosen = process.env["CHUNKWISE_SEED"] ?? "20241201";
export const SEED: number = chosen === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(chosen);
const SCALE = Number(process.env["CHUNKWISE_RUNS"] ?? "1");

const settings = (runs: number): { seed: number; numRuns: number } => ({
  seed: SEED,
  numRuns: Math.max(1, Math.round(runs * SCALE)),
});

export function check<Case>(runs: number, cases: fc.Arbitrary<Case>, holds: (value: Case) => void): void {
  fc.assert(
    fc.property(cases, (value) => {
      holds(value);
    }),
    settings(runs),
  );
}

export async function checkAsync<Case>(
  runs: number,
  cases: fc.Arbitrary<Case>,
  holds: (value: Case) => Promise<void>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(cases, (value) => holds(value)),
    settings(runs),
  );
}

/** Many cases at once, for questions about the arbitrary itself. */
export const sample = <Case>(runs: number, cases: fc.Arbitrary<Case>): Case[] =>
  fc.sample(cases, settings(runs));
