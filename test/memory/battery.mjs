// The memory battery: programs that are computed from Zarr files to Zarr files as a user would, each once, in a fresh
// process with default flags (child.mjs), on 1, 2 and 8 threads, with sources and results stored in several ways. What is
// allowed is just what the run states for its largest task, or for as many of them as there are threads, and the reserved
// memory that measureReservedMemory gives for that number of threads. Fails where the process was larger than that, or the
// half of them took less than 0.6 of it.
// Run: npm run battery [-- every [name]]: of all measurements every nth, and only those whose program or way of storing has the name.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as cw from "../../dist/index.js";
import { HUGE_PROGRAMS, PROGRAMS, randomCode } from "./cases.mjs";
import { HUGE_KINDS, USUAL_KINDS } from "./stored.mjs";

const [every = "1", wanted = ""] = process.argv.slice(2);
const LEAST_MEDIAN = 0.6;
const AT_ONCE = 2;

/** Threads, tasks that the budget has room for, and the executor that is asked for. */
const WAYS = [
  { threads: 1, tasks: 1, executor: null },
  { threads: 2, tasks: 1, executor: "threads" },
  { threads: 2, tasks: 2, executor: null },
  { threads: 8, tasks: 1, executor: "threads" },
  { threads: 8, tasks: 8, executor: "threads" },
];

const run = promisify(execFile);
const script = (name) => new URL(name, import.meta.url).pathname;
async function child(setting) {
  const { stdout } = await run(process.execPath, [script("child.mjs"), JSON.stringify(setting)]);
  return JSON.parse(stdout);
}

/** Programs in every way; how arrays are stored takes turns. */
const inTurns = (programs, kinds) =>
  programs.flatMap((program, at) =>
    WAYS.map((way, turn) => ({ program, kind: kinds[(at + turn) % kinds.length], ...way })),
  );
const cases = [...inTurns(PROGRAMS, USUAL_KINDS), ...inTurns(HUGE_PROGRAMS, HUGE_KINDS)].filter(
  ({ program, kind }, i) => i % Number(every) === 0 && `${program} ${kind}`.includes(wanted),
);

async function reservedFor(counts) {
  const reserved = new Map();
  for (const threads of counts) reserved.set(threads, await cw.measureReservedMemory({ threads }));
  return reserved;
}

async function measureAll(folder) {
  const reserved = await reservedFor(new Set(cases.map(({ threads }) => threads)));
  const programs = cases.map(({ program, kind }) => [program, kind]);
  const stated = await child({ programs, folder, out: join(folder, "planned") });
  const results = [];
  let next = 0;
  const worker = async (number) => {
    for (let at = next++; at < cases.length; at = next++) {
      const reservedMem = reserved.get(cases[at].threads);
      const allowedMem = reservedMem + cases[at].tasks * stated[at];
      const setting = { ...cases[at], folder, out: join(folder, `out-${number}`), allowedMem, reservedMem };
      const result = { ...setting, ...(await peakOf(setting)) };
      results.push(result);
      if (result.peak > allowedMem) console.log(lineOf(result));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, number) => worker(number)));
  return results.filter(({ peak }) => peak !== undefined);
}

async function peakOf(setting) {
  try {
    return await child(setting);
  } catch (error) {
    console.log(`${setting.program} failed (${JSON.stringify(setting)}): ${error.stderr}`);
    process.exitCode = 1;
    return {};
  }
}

const ratio = ({ peak, allowedMem }) => peak / allowedMem;
const megabytes = (bytes) => (bytes / 1e6).toFixed(1).padStart(7);

const lineOf = (result) =>
  [
    ratio(result).toFixed(3),
    `${megabytes(result.peak)} of ${megabytes(result.allowedMem)} MB (${megabytes(result.reservedMem)} reserved)`,
    `${result.threads} threads, ${result.tasks} tasks`.padEnd(19),
    result.kind.padEnd(11),
    result.program,
  ].join("  ");

function report(results) {
  const sorted = results.toSorted((a, b) => ratio(a) - ratio(b));
  for (const result of sorted) console.log(lineOf(result));
  const over = sorted.filter((result) => ratio(result) > 1);
  for (const { program } of over)
    if (program.startsWith("random")) console.log(randomCode(Number(program.slice(7))));
  const median = ratio(sorted[sorted.length >> 1]);
  const seconds = (performance.now() / 1000).toFixed(0);
  console.log(
    `${results.length} measurements of ${new Set(results.map(({ program }) => program)).size} programs in ${seconds} s: ${over.length} over, largest ${ratio(sorted.at(-1)).toFixed(3)}, median ${median.toFixed(3)} of what was allowed`,
  );
  if (over.length > 0 || !(median >= LEAST_MEDIAN)) process.exitCode = 1;
}

const folder = mkdtempSync(join(tmpdir(), "chunkwise-battery-"));
try {
  await run(process.execPath, [script("sources.mjs"), folder, ...new Set(cases.map(({ kind }) => kind))]);
  const results = await measureAll(folder);
  report(results);
  const { BATTERY_RESULTS } = process.env;
  if (BATTERY_RESULTS) writeFileSync(BATTERY_RESULTS, JSON.stringify(results));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
