// What it costs to plan: time for graphs of 1k to 100k operations of several kinds, and for few operations on arrays of
// up to 10⁹ chunks. Rewriting is not counted; building expressions only of the few. The best of some rounds is taken.
// Run: npm run bench:planning [sizes…]

import * as cw from "chunkwise";

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1e3, 1e4, 1e5];
/** What is promised: seconds for 100,000 operations, milliseconds for 10⁹ chunks. */
const MOST_SECONDS = 5;
const MOST_MS = 50;
/** Graphs with so many operations are held to that, in proportion: some kinds have fewer than the size they are made for. */
const LEAST_HELD = 75_000;
const ROUNDS = 3;

/** Expressions as they are written. */
const plan = (arrays, options) => cw.plan(arrays, { mode: "none", ...options });

const fresh = () => cw.asarray(new Float64Array(64), { chunks: 8 });

const GRAPHS = {
  "a chain of loops": (n) => {
    let x = fresh();
    const y = fresh();
    for (let i = 0; i < n / 2; i++) x = x.add(y).exp();
    return [x];
  },
  "a chain with moves": (n) => {
    let x = fresh();
    for (let i = 0; i < n / 2; i++) x = x.flip().exp();
    return [x];
  },
  "a chain with sums": (n) => {
    let x = fresh();
    for (let i = 0; i < n / 4; i++) x = x.subtract(x.sum());
    return [x];
  },
  "products of many, added up": (n) => {
    const sources = Array.from({ length: Math.ceil(Math.sqrt(n / 2)) }, fresh);
    let row = sources.flatMap((a) => sources.map((b) => a.multiply(b)));
    while (row.length > 1)
      row = Array.from({ length: Math.ceil(row.length / 2) }, (_, i) =>
        2 * i + 1 < row.length ? row[2 * i].add(row[2 * i + 1]) : row[2 * i],
      );
    return row;
  },
  "results that share a source": (n) => {
    const x = fresh();
    return Array.from({ length: n / 2 }, (_, i) => x.add(i).exp());
  },
};

function best(run) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    globalThis.gc?.();
    const start = performance.now();
    run();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

let isKept = true;
for (const [name, make] of Object.entries(GRAPHS)) {
  for (const size of SIZES) {
    const arrays = make(size);
    const lowered = plan(arrays, { optimize: false }).numOperations;
    let fused = 0;
    const ms = best(() => {
      fused = plan(arrays).numOperations;
    });
    const perOperation = (1000 * ms) / lowered;
    if (lowered >= LEAST_HELD && ms > 1000 * MOST_SECONDS * (lowered / 1e5)) isKept = false;
    console.log(
      `${name.padEnd(28)} ${String(lowered).padStart(7)} → ${String(fused).padStart(6)} operations ` +
        `${ms.toFixed(0).padStart(6)} ms ${perOperation.toFixed(1).padStart(6)} µs each`,
    );
  }
}

for (const chunks of [1e3, 1e6, 1e9]) {
  let [tasks, round] = [0, 0];
  const ms = best(() => {
    // Another length each time: a plan that is known is not made again.
    const n = chunks * 1000 + round++;
    const x = cw.arange(0, n, 1, { dtype: "float64", chunks: 1000 });
    const means = [x.mean(), x.multiply(x.subtract(1)).mean(), x.get("1:").subtract(x.get(":-1")).max()];
    const made = plan(means);
    tasks = made.numTasks + made.maxProjectedMem * 0;
  });
  if (ms > MOST_MS) isKept = false;
  console.log(
    `${chunks.toExponential(0)} chunks: ${tasks.toExponential(2)} tasks planned in ${ms.toFixed(1)} ms`,
  );
}
console.log(isKept ? "as promised" : "slower than promised");
process.exitCode = isKept ? 0 : 1;
