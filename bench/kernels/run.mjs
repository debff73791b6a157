// Chunkwise beside NumPy, numexpr, numpy-ts, jax-js and tfjs, in one run: `npm run bench:kernels -- --only E1,E3`.
// Prints tables and the bars; with --json also writes every figure. docs/benchmarks.md says what is measured and how.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureBandwidth } from "./bandwidth.mjs";
import { barsOf } from "./bars.mjs";
import { loadsOf, SIZES } from "./cases.mjs";
import { writeData } from "./data.mjs";
import { loadAll, measureCase, unloadAll } from "./measure.mjs";
import { reportOf } from "./report.mjs";
import { assemble } from "./roster.mjs";

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      sizes: { type: "string" },
      rounds: { type: "string" },
      json: { type: "string" },
      python: { type: "string" },
      without: { type: "string", default: "" },
      quick: { type: "boolean", default: false },
    },
  });
  return {
    only: values.only?.split(",") ?? null,
    sizes: values.sizes?.split(",").map(Number) ?? SIZES,
    rounds: Number(values.rounds ?? (values.quick ? 3 : 7)),
    budget: values.quick ? 10 : 30,
    json: values.json ?? null,
    python: values.python ?? null,
    without: values.without.split(","),
    quick: values.quick,
  };
}

const progress = (text) => process.stderr.write(`${text}\n`);

/** Measured at the beginning, after every load of large operands and at the end: the largest counts. */
async function bandwidthInto(gigabytes, options, folder) {
  const measured = await measureBandwidth({ threads: 2, passes: options.quick ? 8 : 20, folder });
  for (const [kind, value] of Object.entries(measured)) {
    if (value !== null) gigabytes[kind] = Math.max(gigabytes[kind] ?? 0, value);
  }
}

async function measureAll(options, present, folder, afterLarge) {
  const loads = loadsOf(options);
  const files = writeData(folder, loads);
  const rows = [];
  for (const load of loads) {
    await loadAll(load, files, present);
    for (const kase of load.cases) {
      progress(`${kase.id} ${load.dtype} ${load.count}`);
      rows.push(await measureCase(kase, load, options, present));
    }
    await unloadAll(present);
    if (load.count >= 1e7) await afterLarge();
  }
  return rows;
}

async function measureSmall(present) {
  const contestant = present.get("chunkwise");
  if (contestant === undefined) return null;
  if (!contestant.running) await contestant.start();
  const { ok, scalar, fresh } = await contestant.ask({ action: "small" }, 120_000);
  return ok ? { scalar, fresh } : null;
}

function sayWhoIsThere(notes) {
  for (const { name, ok, version, why } of notes)
    progress(ok ? `${name} ${version}` : `${name} is missing: ${why}`);
}

async function main() {
  const options = readOptions();
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-bench-"));
  const { present, notes } = await assemble(options);
  sayWhoIsThere(notes);
  const gigabytes = { wasm: null, c: null };
  try {
    const begun = performance.now();
    const memory = () => bandwidthInto(gigabytes, options, folder);
    await memory();
    const small = await measureSmall(present);
    const rows = await measureAll(options, present, folder, memory);
    await memory();
    const bandwidth = Math.max(gigabytes.wasm ?? 0, gigabytes.c ?? 0);
    const hasOpenBlas = notes.some(({ blas }) => blas === "OpenBLAS");
    const bars = barsOf({ rows, bandwidth, small, hasOpenBlas });
    console.log(reportOf({ rows, bandwidth, gigabytes, small, bars }));
    const machine = { cpu: cpus()[0].model, cores: cpus().length, node: process.version, notes };
    const seconds = (performance.now() - begun) / 1000;
    if (options.json !== null) {
      writeFileSync(
        options.json,
        JSON.stringify({ machine, seconds, gigabytes, small, bars, rows }, null, 1),
      );
    }
    progress(`${seconds.toFixed(0)} s`);
  } finally {
    for (const contestant of present.values()) contestant.stop();
    rmSync(folder, { recursive: true });
  }
}

await main();
