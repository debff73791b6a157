// Reading `met` and `jets.pt` of 1M events out of a file of 27 leaves, beside DuckDB and parquet-wasm: bytes, CPU time of
// the first read of a process (cold) and of later ones (warm), and peak memory. Every reader is a process of its own;
// rounds are interleaved and the best of each is taken. Prints a table and the bars; with --json <file> also every figure.
// Run: npm run bench:ragged

import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { eventsFile, LEAVES } from "./data.mjs";
import { READERS } from "./readers.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    reads: { type: "string", default: "6" },
    json: { type: "string" },
  },
});

function runReader(name, path) {
  try {
    const args = [join(import.meta.dirname, "reader.mjs"), name, path, options.reads];
    return JSON.parse(
      execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }),
    );
  } catch (cause) {
    return {
      why: String(cause.stderr || cause.message)
        .trim()
        .split("\n")
        .at(-1),
    };
  }
}

function best(runs) {
  const good = runs.filter((run) => run.why === undefined);
  if (good.length === 0) return { why: runs[0].why };
  const warm = good.flatMap((run) => run.times.slice(1));
  return {
    cold: Math.min(...good.map((run) => run.times[0].cpu)),
    warm: Math.min(...warm.map((time) => time.cpu)),
    coldWall: Math.min(...good.map((run) => run.times[0].wall)),
    warmWall: Math.min(...warm.map((time) => time.wall)),
    megabytes: good[0].bytes === null ? null : good[0].bytes / 1e6,
    rssMB: Math.max(...good.map((run) => run.rssMB)),
    answer: good[0].answer,
  };
}

function agrees(a, b) {
  const close = (x, y) => Math.abs(x - y) <= 1e-9 * Math.abs(x);
  return a.rows === b.rows && a.jets === b.jets && close(a.met, b.met) && close(a.pt, b.pt);
}

function tableOf(results) {
  const head = [
    "reader",
    "cold CPU ms",
    "warm CPU ms",
    "cold ms",
    "warm ms",
    "MB read",
    "peak RSS MB",
    "cold ×",
    "warm ×",
  ];
  const ours = results.chunkwise;
  const whole = (value) => (value === null ? "–" : value.toFixed(value < 100 ? 1 : 0));
  const lines = Object.entries(results).map(([name, result]) =>
    result.why === undefined
      ? [
          name,
          ...[result.cold, result.warm, result.coldWall, result.warmWall, result.megabytes, result.rssMB].map(
            whole,
          ),
          (ours.cold / result.cold).toFixed(2),
          (ours.warm / result.warm).toFixed(2),
        ]
      : [name, `failed: ${result.why}`, ...new Array(7).fill("")],
  );
  const rows = [head, ...lines];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  "),
    )
    .join("\n");
}

function barsOf(results) {
  const ours = results.chunkwise;
  const ducks = Object.entries(results).filter(
    ([name, result]) => name.startsWith("duckdb") && result.why === undefined,
  );
  const least = (key) => Math.min(...ducks.map(([, result]) => result[key]));
  return [
    { bar: "warm CPU ≤ 0.5 × DuckDB", value: ours.warm / least("warm"), most: 0.5 },
    { bar: "cold CPU ≤ 1.0 × DuckDB", value: ours.cold / least("cold"), most: 1 },
    { bar: "bytes read ≤ 29 MB", value: ours.megabytes, most: 29 },
    { bar: "peak memory ≤ 300 MB", value: ours.rssMB, most: 300 },
  ].map((bar) => ({ ...bar, met: bar.value <= bar.most }));
}

/** Building 1,000 operations and finding their columns, in fresh processes: the first time, and the median of later ones. */
function tracing() {
  const script = join(import.meta.dirname, "tracing.mjs");
  const runs = Array.from({ length: Number(options.rounds) }, () =>
    JSON.parse(execFileSync(process.execPath, [script], { encoding: "utf8" })),
  );
  const least = (key) => Math.min(...runs.map((run) => run[key]));
  return { first: least("first"), built: least("built"), columns: least("columns") };
}

const path = await eventsFile();
const runs = Object.fromEntries(Object.keys(READERS).map((name) => [name, []]));
for (let round = 0; round < Number(options.rounds); round++)
  for (const name of Object.keys(READERS)) runs[name].push(runReader(name, path));

const results = Object.fromEntries(Object.entries(runs).map(([name, list]) => [name, best(list)]));
if (results.chunkwise.why !== undefined) throw new Error(results.chunkwise.why);
for (const [name, result] of Object.entries(results))
  if (result.why === undefined && !agrees(results.chunkwise.answer, result.answer))
    console.log(`${name} gives another answer: ${JSON.stringify(result.answer)}`);

const { rows, jets } = results.chunkwise.answer;
console.log(
  `${rows} rows, ${jets} jets, ${LEAVES} leaves, ${(statSync(path).size / 1e6).toFixed(1)} MB; × is chunkwise over the reader`,
);
console.log(tableOf(results));
const traced = tracing();
console.log(
  `1,000 operations: ${traced.first.toFixed(1)} ms the first time; later ${traced.built.toFixed(1)} ms to build and ${traced.columns.toFixed(1)} ms to find their columns`,
);
const bars = [
  ...barsOf(results),
  { bar: "1,000 operations built ≤ 50 ms", value: traced.built, most: 50, met: traced.built <= 50 },
  {
    bar: "built and columns found ≤ 50 ms",
    value: traced.built + traced.columns,
    most: 50,
    met: traced.built + traced.columns <= 50,
  },
];
for (const { bar, value, met } of bars)
  console.log(`${met ? "met   " : "MISSED"}  ${bar}: ${value.toFixed(2)}`);
if (options.json !== undefined) {
  const machine = { cpu: cpus()[0].model, cores: cpus().length, node: process.version };
  writeFileSync(options.json, JSON.stringify({ machine, results, bars, runs }, null, 1));
}
