// Thousands of runs of programs that were wrong once (A1, A2) and of random ones, stored, on 2, 4 and 8 threads, many in
// one process so that memory is used again. `npm run soak -- [--runs n] [--seed n] [--jobs n]`. Prints progress, seed and
// every run whose bits differ; ends with 1 where there is one.

import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { BESIDE } from "../test/real/beside.mjs";
import { bundleReference, unpackPackage } from "../test/real/bundle.mjs";
import { programOf } from "../test/real/execute.mjs";
import { numbersFrom } from "../test/real/numbers.mjs";
import { Referees } from "../test/real/processes.mjs";
import { idOf } from "../test/real/selection.mjs";

const REPRODUCTIONS = [
  ...["cumulative-sum", "cumulative-sum-of-formula", "cumulative-prod", "sort-of-ones", "scan-of-a-scan"],
  ...["roll-plus-self", "roll-of-sorted", "self-plus-transposed", "symmetric-product", "flip-minus-self"],
  ...["differences-of-sorted-rows", "stencil-of-a-scan", "covariance", "scan-used-twice", "split-reshape"],
];
const RANDOM = 25;
const PER_PROCESS = 50;
const MOST_MS = 600_000;
const CHILD = resolve(import.meta.dirname, "..", "test", "real", "soakChild.mjs");

const text = { type: "string" };
const { values } = parseArgs({ options: { runs: text, seed: text, jobs: text } });
const seed = values.seed ?? "1";
const jobs = Number(values.jobs ?? availableParallelism());
const total = Number(values.runs ?? 10_000);
const pick = numbersFrom(`soak ${seed}`);
const programs = [...REPRODUCTIONS, ...Array.from({ length: RANDOM }, (_, i) => `random-soak${seed}-${i}`)];
const oneOf = (list) => list[pick(list.length)];

/** Mostly stored; from a formula, so that nothing is waited for, or from a store. */
const randomRun = () => ({
  ...{ program: oneOf(programs), size: "usual", limits: "none", beside: oneOf(BESIDE) },
  kind: oneOf(["formula", "zstd", "plain", "sharded"]),
  target: oneOf(["zarr", "zarr", "plainZarr", "compute"]),
  executor: oneOf(["threads2", "threads4", "threads8"]),
});

let done = 0;
let wrong = 0;
function record(run, difference) {
  done++;
  if (difference !== null) console.log(`WRONG ${idOf(run)}\n  ${difference}`);
  if (difference !== null) wrong++;
  if (done % 500 === 0) console.log(`${done} runs, ${wrong} wrong`);
}

function runMany(setting, runs) {
  const child = fork(CHILD, [JSON.stringify({ ...setting, runs })], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const late = setTimeout(() => child.kill("SIGKILL"), MOST_MS);
  let heard = 0;
  child.on("message", ({ number, difference }) => {
    heard++;
    record(runs[number], difference);
  });
  return new Promise((resolve) =>
    child.on("close", (code, signal) => {
      clearTimeout(late);
      if (heard < runs.length) record(runs[heard], `the process ended with ${signal ?? code}`);
      resolve();
    }),
  );
}

/** The folder of a run's reference, when its source can be opened. */
async function referenceOf({ program, kind }, referees) {
  await referees.source(programOf(program).source, "usual", kind);
  return (await referees.reference(program, "usual", null)).folder;
}

async function soak(folder) {
  const place = { folder: join(folder, "sources") };
  const setting = { reference: await bundleReference(folder), place, programs: null };
  const referees = new Referees(jobs, { ...setting, folder: join(folder, "references") });
  const address = unpackPackage(folder);
  let left = total;
  const lane = async (number) => {
    while (left > 0) {
      const count = Math.min(PER_PROCESS, left);
      left -= count;
      const runs = Array.from({ length: count }, randomRun).map(async (run) => ({
        ...run,
        references: [await referenceOf(run, referees)],
      }));
      await runMany(
        { package: address, place, scratch: join(folder, `lane-${number}`) },
        await Promise.all(runs),
      );
    }
  };
  try {
    await Promise.all(Array.from({ length: jobs }, (_, number) => lane(number)));
  } finally {
    referees.close();
  }
}

console.log(`soak of ${total} runs, --seed ${seed}`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const folder = mkdtempSync(join(tmpdir(), "chunkwise-soak-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
await soak(folder);
console.log(`${done} runs: ${wrong} wrong`);
if (wrong > 0) process.exitCode = 1;
