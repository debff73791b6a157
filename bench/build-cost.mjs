// What it costs to build expressions: time and memory per node, for chains of 10⁴ to 10⁶ nodes, and how it grows.
// Run: npm run bench:build (builds first, then `node --expose-gc bench/build-cost.mjs`).

import * as cw from "chunkwise";

const fresh = () => cw.asarray(new Float64Array(8));

/** Every chain begins with an array of its own, so that no node was there before. */
const CHAINS = {
  "x.add(y), functions": (n) => {
    let x = fresh();
    const y = fresh();
    for (let i = 0; i < n; i++) x = cw.add(x, y);
    return x;
  },
  "x.add(y), methods": (n) => {
    let x = fresh();
    const y = fresh();
    for (let i = 0; i < n; i++) x = x.add(y);
    return x;
  },
  "x.multiply(2).add(1), scalars": (n) => {
    let x = fresh();
    for (let i = 0; i < n / 2; i++) x = x.multiply(2).add(1);
    return x;
  },
  "x.negative()": (n) => {
    let x = fresh();
    for (let i = 0; i < n; i++) x = x.negative();
    return x;
  },
};

/** Nothing left of the last run: nodes are let go of in batches between jobs, a hundred jobs for a million. */
async function settle() {
  for (let i = 0; i < 150; i++) await new Promise((resolve) => setTimeout(resolve, 1));
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve, 1));
  globalThis.gc?.();
}

/** Best time of several runs; bytes are what goes when a chain is let go. */
async function measure(build, nodes, runs) {
  const holder = { chain: null };
  let best = Infinity;
  let bytes = 0;
  for (let run = 0; run < runs; run++) {
    await settle();
    const start = performance.now();
    holder.chain = build(nodes);
    best = Math.min(best, performance.now() - start);
    await settle();
    const held = process.memoryUsage().heapUsed;
    holder.chain = null;
    await settle();
    bytes = (held - process.memoryUsage().heapUsed) / nodes;
  }
  return { micros: (best * 1000) / nodes, bytes };
}

for (const [name, build] of Object.entries(CHAINS)) {
  for (const nodes of [1e4, 1e5, 1e6]) {
    const { micros, bytes } = await measure(build, nodes, nodes === 1e6 ? 2 : 4);
    const figures = `${micros.toFixed(2).padStart(6)} µs/node ${bytes.toFixed(0).padStart(6)} B/node`;
    console.log(`${name.padEnd(32)} ${String(nodes).padStart(8)} nodes ${figures}`);
  }
}
