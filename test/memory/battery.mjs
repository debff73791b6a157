// The memory battery: every op of the table and random expressions, each computed from Zarr files to Zarr files in a
// process of its own (child.mjs), with a budget of what its plan states. In: how many of the cases to take, every nth.
// Out: a table; fails where a process used more than was stated, or the half of them less than half of it.
// Run: npm run battery [-- every]

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as cw from "../../dist/index.js";
import { OPERATIONS, randomCode } from "./cases.mjs";

const every = Number(process.argv[2] ?? 1);
const RANDOM = 200;
const AT_ONCE = 2;
/** The engine's own compilers and its collector of garbage are kept quiet: what they need is no task's. */
const FLAGS = ["--expose-gc", "--max-semi-space-size=1", "--no-liftoff", "--no-opt"];
/** Chunks of 8.3 MB, eight of them; small ones of 1/32 of that. */
const SIZES = { large: 2880, small: 512 };
/** How sources and results are stored. The first for every op, all of them by turns for random expressions. */
const CODECS = [
  [],
  ["crc32c"],
  ["zstd", "crc32c"],
  [{ name: "blosc", configuration: { shuffle: "shuffle" } }],
];
/** Mostly those that take no time. */
const TURNS = [0, 0, 0, 1, 1, 1, 0, 2, 0, 1, 0, 1, 0, 1, 0, 3];
const LEAST_MEDIAN = 0.5;

const run = promisify(execFile);

/** Numbers that no codec makes shorter. */
function noise(length, make) {
  let state = 1;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    make(i, state / 2 ** 32);
  }
}

async function writeSources(folder, codecs) {
  for (const [size, n] of Object.entries(SIZES)) {
    const floats = new Float64Array(n * n);
    noise(n * n, (i, value) => {
      floats[i] = value;
    });
    const integers = Int32Array.from(floats, (value) => value * 2 ** 31);
    for (const [name, data] of Object.entries({ x: floats, y: floats.toReversed(), i: integers })) {
      const array = cw.asarray(new cw.NDArray(data, [n, n]), { chunks: [n / 4, n / 2] });
      await array.toZarr(join(folder, size, name), { codecs });
    }
  }
}

const cases = [
  ...[...OPERATIONS.keys()].map((name) => ({ name, codecs: 0 })),
  ...Array.from({ length: RANDOM }, (_, seed) => ({
    name: `random ${seed}`,
    codecs: TURNS[seed % TURNS.length],
  })),
].filter((_, i) => i % every === 0);

async function measure({ name, codecs }, folder, worker) {
  const child = new URL("child.mjs", import.meta.url).pathname;
  const out = join(folder, `out-${worker}`);
  const args = [...FLAGS, child, name, join(folder, String(codecs)), out, JSON.stringify(CODECS[codecs])];
  try {
    return { ...JSON.parse((await run(process.execPath, args)).stdout), codecs };
  } catch (error) {
    console.log(`${name} failed: ${error.stderr}\n${codeOf(name)}`);
    process.exitCode = 1;
    return null;
  }
}

const codeOf = (name) => (name.startsWith("random ") ? randomCode(Number(name.slice(7))) : name);

async function measureAll(folder) {
  const results = [];
  let next = 0;
  const worker = async (number) => {
    while (next < cases.length) results.push(await measure(cases[next++], folder, number));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, number) => worker(number)));
  return results.filter((result) => result !== null);
}

const folder = mkdtempSync(join(tmpdir(), "chunkwise-battery-"));
const start = performance.now();
try {
  for (const [number, codecs] of CODECS.entries()) await writeSources(join(folder, String(number)), codecs);
  report(await measureAll(folder));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function report(results) {
  const ratio = ({ measured, budget }) => measured / budget;
  const sorted = results.toSorted((a, b) => ratio(a) - ratio(b));
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1).padStart(7);
  for (const result of sorted) {
    const { name, measured, budget, codecs } = result;
    const stored = CODECS[codecs].map((codec) => codec.name ?? codec).join("+") || "plain";
    console.log(
      `${ratio(result).toFixed(3)} ${megabytes(measured)} of ${megabytes(budget)} MB  ${name} (${stored})`,
    );
    if (measured > budget) console.log(`  more than was stated:\n${codeOf(name)}`);
  }
  const over = sorted.filter(({ measured, budget }) => measured > budget).length;
  const median = ratio(sorted[sorted.length >> 1]);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(
    `${results.length} cases in ${seconds} s: ${over} over, largest ${ratio(sorted.at(-1)).toFixed(3)}, median ${median.toFixed(3)} of what was stated`,
  );
  if (over > 0 || !(median >= LEAST_MEDIAN)) process.exitCode = 1;
}
