// The real scheduler with up to 10,000 virtual workers and 10⁷ tasks: 1 % of them take ten times as long, of 0.1 % nothing is
// ever heard. Prints, for each number of workers, how long the run took against the ideal, decisions a second of CPU time (simulated
// clock and workers and collecting garbage included: what other programs do meanwhile is not) and memory for each task under way.
// Run: npm run bench:cluster-simulation [-- --width n]  (13 minutes of one core; the last line alone: --workers 10000)

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { importTypeScript } from "../scripts/typescript.mjs";

const text = { type: "string" };
const { values } = parseArgs({ options: { width: text, workers: text, seed: text } });
const seed = Number(values.seed ?? 1);

function heapNow() {
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function line(runCluster, workers, width) {
  const before = heapNow();
  const most = { bytes: 0, live: 0, each: 0 };
  let looked = 0;
  const look = (live) => {
    const began = cpuMs();
    const bytes = heapNow() - before;
    most.bytes = Math.max(most.bytes, bytes);
    most.live = Math.max(most.live, live);
    most.each = Math.max(most.each, bytes / live);
    looked += cpuMs() - began;
  };
  const began = cpuMs();
  const run = runCluster({ workers, width, straggles: 0.01, losses: 0.001, seed, look });
  const seconds = (cpuMs() - began - looked) / 1000;
  return {
    ...{ workers, tasks: run.tasks, seconds: seconds.toFixed(1) },
    decisionsASecond: Math.round(run.decisions / seconds),
    microsecondsADecision: ((1e6 * seconds) / run.decisions).toFixed(2),
    makespanToIdeal: (run.makespan / run.ideal).toFixed(4),
    toIdealWithoutStragglers: (run.makespan / run.idealWithoutStragglers).toFixed(4),
    mostLive: most.live,
    megabytes: (most.bytes / 1e6).toFixed(2),
    bytesALiveTask: Math.round(most.each),
  };
}

const { runCluster } = await importTypeScript(
  resolve(import.meta.dirname, "..", "test", "runtime", "manyWorkers.ts"),
);
// 16² × 19,200: with the sums, 10,156,800 tasks.
const whole = Number(values.width ?? 16 ** 2 * 19_200);
const tenth = 16 ** 2 * Math.round(whole / 10 / 16 ** 2);
const cases = values.workers
  ? [[Number(values.workers), whole]]
  : [
      [10, tenth],
      [100, tenth],
      [1000, tenth],
      [10_000, tenth],
      [10_000, whole],
    ];
console.log(`seed ${seed}`);
console.table(cases.map(([workers, width]) => line(runCluster, workers, width)));
