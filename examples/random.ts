// Random arrays: the same numbers for every chunking, executor and machine.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const rng = cw.random(7);
const noise = rng.normal([2, 3]);
const dice = rng.integers(8, { low: 1, high: 7 });
console.log(await noise.compute());
console.log(await dice.compute());

// The same seed and the same calls: the same numbers, however they are cut.
const again = cw.random(7).normal([2, 3], { chunks: 1 });
assert.deepEqual((await again.compute()).toList(), (await noise.compute()).toList());

// A formula of the places, so only what is asked for is made.
const large = cw.random(1).uniform([1_000_000, 1_000_000]);
console.log(await large.get(-1, "-3:").compute());

// Part of a permutation of numbers that nobody could hold.
console.log(await rng.permutation(1e12, { chunks: 1000 }).get(":3").compute());

console.log(await rng.choice([10, 20, 30], 5, { weights: [1, 2, 7] }).compute());
console.log(await rng.poisson([2, 3], { mean: [[1], [100]] }).compute());

// π by chance: nothing is kept but sums.
const [x, y] = [rng.uniform(200_000), rng.uniform(200_000)];
const inside = cw.expr`${x}**2 + ${y}**2 < 1`;
const pi = Number((await inside.mean().compute()).item()) * 4;
console.log(pi.toFixed(2));
assert(Math.abs(pi - Math.PI) < 0.03);
