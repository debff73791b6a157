// Operations on nested data in memory: 5·10⁶ float64 in 10⁶ lists, warm, the best of five; beside NumPy's values*2+1 over the
// same values, measured in the same run, in whose time Awkward's figures (shared/anchors/ragged.md, measured with NumPy at
// 6.9 ms) are scaled. `own` begins with an array that the library made, `given` with typed arrays from outside.
// Prints a table; with --json <file> also every figure. Run: npm run bench:ragged-ops

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import * as rg from "../../dist/ragged.js";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, json: { type: "string" }, only: { type: "string" } },
});
const LISTS = 1_000_000;
const VALUES = 5_000_000;
/** Awkward 2.13 -O3, and what is wanted, in ms where NumPy takes 6.9. */
const PEERS = {
  "x*2+1": [14.2, 5],
  "sqrt(abs)": [17.7, 5],
  "x[x>0]": [84, 25],
  sum: [9.5, 4],
  mean: [51, 4],
  max: [9.9, 4],
  "argmax keepdims": [10, 5],
  sort: [116, 50],
  num: [0.6, 0.4],
  "x + one per list": [40, 7],
  "combinations of 2": [29.5, 15],
  "padNone+fillNone": [70, 20],
  "sum of all": [1.4, 1],
};
const PEERS_NUMPY = 6.9;

function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Lists of about five numbers, as events have particles. */
function data(lists, values) {
  const next = random(7);
  const counts = new Int32Array(lists);
  for (let i = 0; i < values; i++) counts[Math.floor(next() * lists)]++;
  const offsets = new Int32Array(lists + 1);
  counts.forEach((count, i) => (offsets[i + 1] = offsets[i] + count));
  const content = Float64Array.from({ length: values }, () => next() * 2 - 1);
  return { offsets, content };
}

function arrayOf({ offsets, content }) {
  const parameters = {};
  return new rg.RaggedArray({
    ...{ kind: "listOffset", offsets, length: offsets.length - 1, parameters },
    content: {
      ...{
        kind: "numpy",
        dtype: "float64",
        data: content,
        innerShape: [],
        length: content.length,
        parameters,
      },
    },
  });
}

const given = data(LISTS, VALUES);
const outside = arrayOf(given);
/** Offsets and values are the library's own. */
const madeOf = (x) => x.get(rg.greater(x, -2));
const own = madeOf(outside);
const perList = rg.multiply(
  new rg.RaggedArray({
    ...{ kind: "numpy", dtype: "float64", innerShape: [], parameters: {} },
    ...{ data: Float64Array.from({ length: LISTS }, (_, i) => i), length: LISTS },
  }),
  1,
);
const few = madeOf(arrayOf(data(200_000, 1_000_000)));

const OPERATIONS = {
  "x*2+1": (x) => rg.add(rg.multiply(x, 2), 1),
  "sqrt(abs)": (x) => rg.sqrt(rg.abs(x)),
  "x[x>0]": (x) => x.get(rg.greater(x, 0)),
  sum: (x) => rg.sum(x, { axis: 1 }),
  mean: (x) => rg.mean(x, { axis: 1 }),
  max: (x) => rg.max(x, { axis: 1 }),
  "argmax keepdims": (x) => rg.argmax(x, { axis: 1, keepdims: true }),
  sort: (x) => rg.sort(x),
  num: (x) => rg.num(x),
  "x + one per list": (x) => rg.add(x, perList),
  "combinations of 2": () => rg.combinations(few, 2),
  "padNone+fillNone": (x) => rg.fillNone(rg.padNone(x, 8), 0),
  "sum of all": (x) => rg.sum(x),
};

/** Some rounds to warm up, with pauses in which helpers come and what is no longer needed goes. */
async function best(operation, x) {
  const times = [];
  for (let round = -3; round < Number(options.rounds); round++) {
    await new Promise((done) => setTimeout(done, 20));
    globalThis.gc?.();
    await new Promise((done) => setTimeout(done, 5));
    const begun = performance.now();
    operation(x);
    if (round >= 0) times.push(performance.now() - begun);
  }
  return Math.min(...times);
}

function numpyTime() {
  const program = `
import numpy as np, time
x = np.random.rand(${VALUES}) * 2 - 1
best = 1e9
for _ in range(8):
    begun = time.perf_counter(); y = x * 2 + 1; best = min(best, time.perf_counter() - begun)
print(best * 1e3)`;
  return Number(execFileSync("/usr/bin/python3", ["-c", program], { encoding: "utf8" }));
}

const numpy = numpyTime();
const rows = [];
for (const [name, operation] of Object.entries(OPERATIONS)) {
  if (options.only !== undefined && !options.only.split(",").includes(name)) continue;
  const [awkward, wanted] = PEERS[name].map((ms) => ms / PEERS_NUMPY);
  const [ms, givenMs] = [await best(operation, own), await best(operation, outside)];
  rows.push({ name, ms, givenMs, ratio: ms / numpy, awkward, wanted });
}
const text = (x) => x.toFixed(2).padStart(8);
console.log(`NumPy's values*2+1: ${numpy.toFixed(2)} ms\n`);
console.log(`${"".padEnd(20)} own, ms  given, ms  own/NumPy  Awkward/NumPy  wanted/NumPy`);
for (const { name, ms, givenMs, ratio, awkward, wanted } of rows)
  console.log(
    `${name.padEnd(20)}${text(ms)}   ${text(givenMs)}   ${text(ratio)}       ${text(awkward)}      ${text(wanted)}` +
      `  ${ratio <= wanted ? "as wanted" : ratio <= awkward ? "as Awkward" : "slower"}`,
  );
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify({ numpy, rows }, null, 2));
