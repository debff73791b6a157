// Random programs against finite differences; every tenth one's gradient is differentiated again. GRADIENTS=5000 npx vitest run
// test/gradients/random.test.ts looks at as many, and says how far apart they were.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { apart, byGradient, directional, type Scalarly } from "./finiteDifferences.ts";
import { programOf } from "./randomPrograms.ts";

const COUNT = Number(process.env["GRADIENTS"] ?? 20);
const FIRST = Number(process.env["GRADIENTS_FROM"] ?? 1);
const MOST_APART = 1e-6;
/** At a kink both sides differ: a program is right if it is at one of these points. */
const ATTEMPTS = 3;
const SECOND_ORDER_EVERY = 10;

/** The gradient in some direction, which is a number again. */
const slopeOf =
  (f: Scalarly): Scalarly =>
  (...xs) => {
    const parts = cw.grad(f, { argnums: [0, 1] })(...(xs as [cw.LazyArray, cw.LazyArray])) as cw.LazyArray[];
    return parts.map((part) => part.multiply(0.4).sin().sum()).reduce((a, b) => a.add(b));
  };

function distance(seed: number, attempt: number): number {
  const { f, xs, vs } = programOf(seed, attempt);
  const g = seed % SECOND_ORDER_EVERY === 0 ? slopeOf(f) : f;
  return apart(byGradient(g, xs, vs), directional(g, xs, vs));
}

test(`${COUNT} programs`, () => {
  const wrong: string[] = [];
  let [most, repeated] = [0, 0];
  for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < ATTEMPTS && !(least < MOST_APART); attempt++) {
      least = Math.min(least, distance(seed, attempt));
      if (attempt > 0) repeated++;
    }
    if (least < MOST_APART) most = Math.max(most, least);
    else wrong.push(`seed ${seed}: ${least} (${programOf(seed).steps.join(", ")})`);
  }
  if (COUNT > 100) console.log(`${COUNT} programs, at most ${most} apart, ${repeated} looked at again`);
  expect(wrong).toEqual([]);
}, 3_600_000);
