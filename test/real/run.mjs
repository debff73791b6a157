// The battery of programs at real size, on the package as it is published: each run in a process of its own, its results
// compared with the reference bit for bit. In: options (options.mjs). Out: a line for each wrong run with the command
// that repeats it, and at the end how many runs there were and how many of them wrong; ends with 1 where one was.

import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleReference, unpackPackage } from "./bundle.mjs";
import { programOf } from "./execute.mjs";
import { optionsOf } from "./options.mjs";
import { Referees, runOnce } from "./processes.mjs";
import { PROGRAMS } from "./programs/index.mjs";
import { idOf, isForThreads, runOf, selectRuns } from "./selection.mjs";
import { serve } from "./server.mjs";

const options = optionsOf(process.argv.slice(2));
if (options.usage !== undefined) {
  console.log(options.usage);
  process.exit();
}
const { seeds, part, only, times, jobs, patience, bail } = options;
const others = options.programs === null ? null : pathToFileURL(resolve(options.programs)).href;
const programs = others === null ? PROGRAMS : (await import(others)).PROGRAMS;

/** Of all seeds, so that a program's reference is made once for all of them. */
const drawnRuns = () =>
  seeds.flatMap((seed) => selectRuns({ programs, seed, part }).map((run) => ({ ...run, seed })));

function chosenRuns() {
  const isWanted = ({ program }) => only.length === 0 || only.includes(program);
  const drawn = drawnRuns().filter(isWanted);
  const chosen = [...only.filter((name) => name.includes("@")).map(runOf), ...drawn];
  if (chosen.length === 0) throw new Error(`no run of ${only.join(", ")} in this part: see programs/`);
  return chosen.flatMap((run) => Array.from({ length: times }, () => run));
}

/** Runs of one program follow each other: its reference is kept as long. */
function byProgram(runs) {
  const groups = new Map();
  for (const run of runs) {
    const key = `${run.program} ${run.size}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()];
}

const wrong = [];
const counts = { runs: 0, threads: 0, byDefault: 0, spilled: 0 };
const bySeed = new Map(seeds.map((seed) => [seed, { runs: 0, wrong: 0 }]));
const countsOfSeed = (run) => bySeed.get(run.seed ?? seeds[0]);
const begun = performance.now();
const seconds = () => ((performance.now() - begun) / 1000).toFixed(0);

function record(run, { difference, error, seen }) {
  counts.runs++;
  countsOfSeed(run).runs++;
  if (seen.taskThreads > 0) counts.threads++;
  if (seen.taskThreads > 0 && run.executor === "default") counts.byDefault++;
  if (seen.spilled > 0) counts.spilled++;
  const what = error ?? difference ?? expectedThreads(run, seen);
  if (what !== null) tell(run, what);
  if (counts.runs % 100 === 0) console.log(`${counts.runs} runs, ${wrong.length} wrong, ${seconds()} s`);
}

/** Large runs of default options are there for the threads that these start. */
function expectedThreads(run, { taskThreads }) {
  const isMissing = isForThreads(run) && taskThreads === 0 && availableParallelism() > 1;
  return isMissing ? "default options have not reached task threads" : null;
}

function tell(run, what) {
  wrong.push({ run, what });
  countsOfSeed(run).wrong++;
  const from = options.programs === null ? "" : ` --programs ${options.programs}`;
  const again = `npm run test:real -- --only '${idOf(run)}' --times 20${from}`;
  console.log(`WRONG ${idOf(run)}\n  ${what}\n  again: ${again}`);
}

async function runGroup(runs, lane, { setting, referees, folder }) {
  const [{ program, size }] = runs;
  const { source, family } = programOf(program, programs);
  const own = new Set();
  const referencesFor = async ({ target }, budget) => {
    const { folder: reference, results } = await referees.reference(program, size, budget);
    own.add(reference);
    const hasCompanion = target === "store" && results === 1;
    return hasCompanion ? [reference, await referees.companion(source, size)] : [reference];
  };
  for (const run of runs) {
    await referees.source(source, size, run.kind);
    const request = { ...setting, ...run, scratch: join(folder, `lane-${lane}`) };
    record(run, await runOnce(request, (budget) => referencesFor(run, budget)));
  }
  if (part === "whole" && size === "usual" && family !== "functions") {
    const meaning = await referees.meaning(program, size).catch(({ message }) => ({ unlike: message }));
    if (meaning.unlike !== null) tell(runs[0], meaning.unlike);
    if (meaning.folder !== undefined) own.add(meaning.folder);
  }
  for (const each of own) rmSync(each, { recursive: true, force: true });
}

async function runAll(folder, server) {
  const place = { folder: join(folder, "sources"), address: server.address };
  const reference = await bundleReference(folder);
  const setting = { package: unpackPackage(folder), programs: others, place, patience };
  const referees = new Referees(jobs, {
    ...{ reference, place, programs: others },
    folder: join(folder, "references"),
  });
  const groups = byProgram(chosenRuns());
  let next = 0;
  const lane = async (number) => {
    while (next < groups.length && !(bail && wrong.length > 0))
      await runGroup(groups[next++], number, { setting, referees, folder });
  };
  try {
    await Promise.all(Array.from({ length: jobs }, (_, number) => lane(number)));
  } finally {
    referees.close();
  }
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const folder = mkdtempSync(join(tmpdir(), "chunkwise-real-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const server = await serve(join(folder, "sources"));
console.log(`test:real --part ${part} --seed ${seeds}`);
try {
  await runAll(folder, server);
} finally {
  server.close();
}
const kinds = `${counts.threads} on task threads, ${counts.byDefault} of them by default options; ${counts.spilled} seen to spill`;
console.log(`${counts.runs} runs (${kinds}) in ${seconds()} s: ${wrong.length} wrong`);
if (seeds.length > 1)
  for (const [seed, { runs, wrong: ofThem }] of bySeed)
    console.log(`  seed ${seed}: ${runs} runs, ${ofThem} wrong`);
if (wrong.length > 0) process.exitCode = 1;
