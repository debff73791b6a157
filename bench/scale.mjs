// How costs grow with the number of things in one computation: constants that are folded, terms of a sum, arrays that
// are asked for at once. Each line is a process of its own: the time that passed, the time that processors worked (all
// threads, collector and compiler too; nearer the truth where a machine has other work), and that against the size
// before, divided by how much larger it is: about 1, or below where there are costs once, when costs grow linearly.
// Run: npm run bench:scale [case…] [sizes…]

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as cw from "chunkwise";

const small = (i) => cw.asarray(Float64Array.from({ length: 8 }, (_, k) => i + k));

/** Puts terms together two by two, so that a sum of many is not a deep one. */
function pairwise(row) {
  let terms = row;
  while (terms.length > 1)
    terms = Array.from({ length: Math.ceil(terms.length / 2) }, (_, i) =>
      2 * i + 1 < terms.length ? terms[2 * i].add(terms[2 * i + 1]) : terms[2 * i],
    );
  return terms[0];
}

const termsOf = (x, n) => Array.from({ length: n }, (_, i) => x.multiply(1 + i / n));

const CHAINS = [1_000, 8_000, 64_000];
const TERMS = [1_024, 8_192, 131_072];
const ARRAYS = [100, 1_000, 10_000];

/** Makes what is measured, and then measures: `make` is not counted. `most` is promised for the size `of`. */
const CASES = {
  "fold: ones + c + c …": {
    sizes: CHAINS,
    promise: { of: 8_000, seconds: 0.1 },
    make: (n) => {
      let x = cw.ones([1000, 1000], { chunks: [100, 1000] });
      for (let i = 0; i < n; i++) x = x.add(i + 0.5);
      return x;
    },
    run: (x) => cw.plan(x),
  },
  "fold: mixed functions of constants": {
    sizes: CHAINS,
    make: (n) => {
      let x = cw.full([1000], 0.5);
      for (let i = 0; i < n / 4; i++)
        x = x
          .multiply(1 + i)
          .sin()
          .add(cw.full([1000], i))
          .exp();
      return x;
    },
    run: (x) => cw.plan(x),
  },
  "fold: constants of many terms": {
    sizes: CHAINS,
    make: (n) => {
      const x = small(0);
      return pairwise(Array.from({ length: n }, (_, i) => x.multiply(cw.exp(cw.full([], i / n)))));
    },
    run: (x) => cw.plan(x),
  },
  "terms: X*c + X*c + … planned": {
    sizes: TERMS,
    make: (n) => termsOf(small(0), n).reduce((sum, term) => sum.add(term)),
    run: (x) => cw.plan(x),
  },
  "terms: X*c + X*c + … computed": {
    sizes: TERMS,
    make: (n) => termsOf(small(0), n).reduce((sum, term) => sum.add(term)),
    run: (x) => x.compute(),
  },
  "terms: pairwise, computed": {
    sizes: TERMS,
    make: (n) => pairwise(termsOf(small(0), n)),
    run: (x) => x.compute(),
  },
  "arrays: each of its own source": {
    sizes: ARRAYS,
    promise: { of: 10_000, seconds: 5 },
    make: (n) => Array.from({ length: n }, (_, i) => small(i).add(1)),
    run: (arrays) => cw.compute(arrays),
  },
  "arrays: of one source": {
    sizes: ARRAYS,
    promise: { of: 10_000, seconds: 5 },
    make: (n) => {
      const x = small(0);
      return Array.from({ length: n }, (_, i) => x.add(i).exp());
    },
    run: (arrays) => cw.compute(arrays),
  },
  "arrays: sharing a subexpression": {
    sizes: ARRAYS,
    promise: { of: 10_000, seconds: 5 },
    make: (n) => {
      const mean = small(0).mean();
      return Array.from({ length: n }, (_, i) => small(i).subtract(mean).sum());
    },
    run: (arrays) => cw.compute(arrays),
  },
  "arrays: several chunks each": {
    sizes: ARRAYS,
    promise: { of: 10_000, seconds: 5 },
    make: (n) => Array.from({ length: n }, (_, i) => small(i).rechunk(4).multiply(2).sum()),
    run: (arrays) => cw.compute(arrays),
  },
  "arrays: on 2 threads": {
    sizes: ARRAYS,
    promise: { of: 10_000, seconds: 5 },
    make: (n) => Array.from({ length: n }, (_, i) => small(i).add(1)),
    run: (arrays) => cw.compute(arrays, { executor: "threads", threads: 2 }),
  },
  "arrays: of Zarr": {
    sizes: ARRAYS,
    promise: { of: 10_000, seconds: 5 },
    make: async (n, folder) => {
      const path = join(folder, "source.zarr");
      const arrays = [];
      await small(0).toZarr(path);
      for (let i = 0; i < n; i++) arrays.push((await cw.fromZarr(path)).add(i));
      return arrays;
    },
    run: (arrays) => cw.compute(arrays),
  },
  "arrays: stored, from as many Zarr arrays": {
    sizes: ARRAYS,
    make: async (n, folder) => {
      const path = (name, i) => join(folder, name, String(i));
      const numbers = Array.from({ length: n }, (_, i) => i);
      await cw.store(
        numbers.map(small),
        numbers.map((i) => path("in", i)),
      );
      const arrays = [];
      for (const i of numbers) arrays.push((await cw.fromZarr(path("in", i))).add(1));
      return { arrays, targets: numbers.map((i) => path("out", i)) };
    },
    run: ({ arrays, targets }) => cw.store(arrays, targets),
  },
};

async function measure(name, size) {
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-scale-"));
  try {
    const { make, run } = CASES[name];
    const made = await make(size, folder);
    globalThis.gc?.();
    const [start, worked] = [performance.now(), process.cpuUsage()];
    await run(made);
    const { user, system } = process.cpuUsage(worked);
    return [performance.now() - start, (user + system) / 1000];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In a process of its own: nothing is known yet. */
function measureApart(name, size) {
  const file = fileURLToPath(import.meta.url);
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--expose-gc", file, "--one", name, String(size)],
    {
      encoding: "utf8",
      timeout: 120_000,
    },
  );
  if (status === 0) return stdout.split(" ").map(Number);
  console.log(
    stderr
      .split("\n")
      .filter((line) => line.includes("Error"))
      .slice(0, 2)
      .join("\n"),
  );
  return [Number.NaN, Number.NaN];
}

function report(name, sizes) {
  const { promise } = CASES[name];
  let before;
  for (const size of sizes) {
    const [ms, cpu] = measureApart(name, size);
    const growth = before === undefined ? "" : `× ${(cpu / before.cpu / (size / before.size)).toFixed(2)}`;
    const isLate = promise?.of === size && !(ms <= 1000 * promise.seconds);
    const cells = [
      String(size).padStart(7),
      `${ms.toFixed(0)} ms`.padStart(10),
      `${cpu.toFixed(0)} cpu`.padStart(10),
      growth.padStart(8),
    ];
    console.log(`${name.padEnd(42)} ${cells.join(" ")}${isLate ? `  promised: ${promise.seconds} s` : ""}`);
    before = { cpu, size };
  }
}

const args = process.argv.slice(2);
if (args[0] === "--one") console.log((await measure(args[1], Number(args[2]))).join(" "));
else {
  const sizes = args.map(Number).filter((size) => size > 0);
  const words = args.filter((arg) => !(Number(arg) > 0));
  for (const name of Object.keys(CASES))
    if (words.length === 0 || words.some((word) => name.includes(word)))
      report(name, sizes.length > 0 ? sizes : CASES[name].sizes);
}
