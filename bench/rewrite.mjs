// What it costs to optimise expressions with the full default set of rules: chains of mixed elementwise ops with
// something to simplify at every few nodes, and wide graphs (many products, summed up), of 1k to 1M nodes.
// Building the graph is not counted. Rounds are interleaved and the best time of each graph is taken.
// Run: npm run bench:rewrite (builds first, then `node --expose-gc bench/rewrite.mjs [sizes…]`).

import * as cw from "chunkwise";
import { makeExpr, opNamed, optimize, pipeline, scalar } from "chunkwise/rewrite";

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1e3, 1e4, 1e5, 1e6];
const TARGET = 500_000;
const MOST_RATIO = 12;

const fresh = () => cw.asarray(new Float64Array(8)).expr;
const node = (name, ...inputs) =>
  makeExpr(
    opNamed(name),
    inputs.map((input) => (typeof input === "number" ? scalar(input, "float64") : input)),
  );

/** Ten nodes a turn, of which rules take away five; numbers are not counted. */
function chain(count) {
  const y = fresh();
  let x = fresh();
  for (let made = 0; made < count; made += 10) {
    x = node("multiply", node("add", x, y), 1);
    x = node("negative", node("negative", node("exp", x)));
    x = node("log", node("add", 1, node("tanh", x)));
    x = node("multiply", node("subtract", x, 0), 3);
  }
  return x;
}

/** Products of every pair of some arrays, one in four times 1, added up two by two. */
function wide(count) {
  const products = Math.ceil(count / 2.25);
  const sources = Array.from({ length: Math.ceil(Math.sqrt(products)) }, fresh);
  let row = [];
  for (let i = 0; i < products; i++) {
    const [a, b] = [sources[Math.floor(i / sources.length)], sources[i % sources.length]];
    row.push(i % 4 === 0 ? node("multiply", node("multiply", a, 1), b) : node("multiply", a, b));
  }
  while (row.length > 1) {
    const next = [];
    for (let i = 0; i + 1 < row.length; i += 2) next.push(node("add", row[i], row[i + 1]));
    if (row.length % 2 === 1) next.push(row.at(-1));
    row = next;
  }
  return row[0];
}

const GRAPHS = { chain, wide };

function countNodes(root) {
  const seen = new Set([root]);
  for (const one of seen) for (const input of one.inputs) seen.add(input);
  return seen.size;
}

/** Nodes are let go of in batches between jobs: a quarter of what there is, or a little. */
async function settle() {
  for (let i = 0; i < 30; i++) await new Promise((resolve) => setTimeout(resolve, 1));
  globalThis.gc?.();
}

async function measure(build, size) {
  await settle();
  const root = build(size);
  globalThis.gc?.();
  const start = performance.now();
  const { roots } = optimize([root]);
  const millis = performance.now() - start;
  return { millis, nodes: countNodes(root), left: countNodes(roots[0]) };
}

/** Small graphs are measured often; the two that are compared equally often, as the best of many is better. */
const roundsFor = (size) => Math.max(6, Math.min(40, Math.round(5e5 / size)));

const results = new Map();
const cases = Object.entries(GRAPHS).flatMap(([name, build]) => SIZES.map((size) => ({ name, build, size })));
for (let round = 0; round < Math.max(...SIZES.map(roundsFor)); round++) {
  for (const { name, build, size } of cases) {
    if (round >= roundsFor(size)) continue;
    const key = `${name} ${size}`;
    const now = await measure(build, size);
    if (!(results.get(key)?.millis <= now.millis)) results.set(key, now);
  }
}

console.log(`${pipeline.rules.length} rules, mode fastRun, Node ${process.version}`);
console.log("graph        nodes     left        ms    nodes/s");
for (const { name, size } of cases) {
  const { millis, nodes, left } = results.get(`${name} ${size}`);
  const speed = Math.round((nodes / millis) * 1000);
  const cells = [nodes, left, millis.toFixed(2), speed].map((cell) => String(cell).padStart(9));
  console.log(`${name.padEnd(8)} ${cells.join(" ")}${speed < TARGET ? `  below ${TARGET}` : ""}`);
}
for (const name of Object.keys(GRAPHS)) {
  const [large, small] = [results.get(`${name} ${1e6}`), results.get(`${name} ${1e5}`)];
  if (large === undefined || small === undefined) continue;
  const ratio = large.millis / small.millis;
  console.log(
    `${name}: time(1M) / time(100k) = ${ratio.toFixed(1)}${ratio > MOST_RATIO ? `, above ${MOST_RATIO}` : ""}`,
  );
}
