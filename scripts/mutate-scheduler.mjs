// Does the simulation see mistakes? Puts small mistakes into a copy of the scheduler, one at a time, and runs the
// simulation's test on each: `node scripts/mutate-scheduler.mjs [words of a mutation's name]`. Prints which mistakes it
// finds; ends with 1 when one survives, or when a text to change is not there any more.

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const TEST = join("test", "runtime", "simulation.test.ts");
const SCHEDULER = join("src", "runtime", "scheduler");
/** A mistake may keep a run from ending. */
const MOST_MS = 120_000;

/** What goes wrong, where, and how: [name, file, text, instead]. */
const MUTATIONS = [
  ["room for twice the budget", "holdings", "<= this.#options.budget", "<= 2 * this.#options.budget"],
  ["running tasks take no memory", "holdings", "this.used += bytes;", "this.used += 0;"],
  ["what is being read is freed", "holdings", "entry.pins > 0 || entry.isSpilling", "entry.isSpilling"],
  ["what is being stored is freed", "holdings", "entry.pins > 0 || entry.isSpilling", "entry.pins > 0"],
  ["one reader of several is enough", "holdings", "entry.readers.every(", "entry.readers.some("],
  [
    "readers that are not done are passed over",
    "holdings",
    "if (!done.has(task)) return false",
    "if (!done.has(task)) break",
  ],
  ["a spilled output leaves memory while it is read", "holdings", "if (entry.pins > 0) return false;", ""],
  ["what is not stored is dropped", "holdings", "if (entry.isStored) {", "if (entry.isHeld) {"],
  ["held outputs take no memory", "holdings", "      this.take(bytes);\n", ""],
  [
    "a second attempt counts, too",
    "scheduler",
    'const isFirst = entry.state !== "available";',
    "const isFirst = true;",
  ],
  ["a worker never gets free", "scheduler", "this.#loads[attempt.worker]!--;", ""],
  ["inputs stay pinned", "scheduler", "for (const input of inputs) input.pins--;", ""],
  [
    "one failure fails a task that has a twin",
    "scheduler",
    "|| entry.attempts.length > 0) return;",
    ") return;",
  ],
  ["one attempt more than is allowed", "scheduler", "entry.tries < most", "entry.tries <= most"],
  ["one attempt fewer than is allowed", "scheduler", "entry.tries < most", "entry.tries < most - 1"],
  [
    "silence is never noticed",
    "scheduler",
    "if (now < attempt.startTime + lostAfterMs) continue;",
    "continue;",
  ],
  ["any number of twins", "scheduler", "entry.hasTwin = true;", ""],
  [
    "a twin behind its own twin",
    "scheduler",
    "slow === null || slow.attempt.worker === worker",
    "slow === null",
  ],
  ["no waiting before another attempt", "scheduler", "if (time > now) continue;", ""],
  [
    "the end does not wait for what is being stored",
    "scheduler",
    "this.#running.size === 0 && this.#holdings.spilling === 0",
    "this.#running.size === 0",
  ],
  [
    "as many tasks for a worker as there are",
    "scheduler",
    "this.#loads[best]! < this.#pace.mostLoad",
    "true",
  ],
  ["a task that runs again lets go of its inputs", "frontier", "    this.done[op]!.delete(task);\n", ""],
  ["a task that runs is taken for done", "frontier", 'return entry.state === "available";', "return true;"],
  ["one of several needs is enough", "frontier", "waiter.pending > 0 || ", ""],
  ["outputs are forgotten at once", "frontier", "if (!keeps) this.#live", "this.#live"],
  ["found outputs are not held", "frontier", "if (hasHeld && ", "if (!hasHeld && "],
  [
    "tasks that are needed twice run twice",
    "frontier",
    "while (live.has(root.next) && root.next++ >= 0);",
    "while (false);",
  ],
  [
    "what is lost is not tried again",
    "failure",
    "if (failure.isLost) return true;",
    "if (failure.isLost) return false;",
  ],
  [
    "a missing task is passed over",
    "taskSet",
    "if (this.has(task)) return false;",
    "if (this.has(task + 1)) return false;",
  ],
];

function copyOfTree() {
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-mutations-"));
  for (const part of ["src", TEST, "package.json", "vitest.config.ts", "tsconfig.base.json", "tsconfig.json"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** How the simulation ends. */
function simulate(folder) {
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const env = { ...process.env, NO_COLOR: "1", SIMULATION_SEEDS: "1500" };
  const options = { cwd: folder, timeout: MOST_MS, encoding: "utf8", env };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, "run", TEST, "--bail", "1"],
    options,
  );
  if (status === 0) return { isKilled: false, by: "" };
  const reason = /(?:AssertionError|InvariantError|Error): .*/.exec(stdout + stderr)?.[0] ?? "it did not end";
  return { isKilled: true, by: reason.slice(0, 90) };
}

function tryMutation(folder, [name, file, text, instead]) {
  const path = join(folder, SCHEDULER, `${file}.ts`);
  const source = readFileSync(path, "utf8");
  if (source.split(text).length !== 2)
    return { name, isKilled: false, by: `${file}.ts: the text to change is not there` };
  writeFileSync(
    path,
    source.replace(text, () => instead),
  );
  try {
    return { name, ...simulate(folder) };
  } finally {
    writeFileSync(path, source);
  }
}

const words = process.argv.slice(2).join(" ");
const folder = copyOfTree();
try {
  if (simulate(folder).isKilled) throw new Error("the simulation fails as it is");
  let survivors = 0;
  for (const mutation of MUTATIONS.filter(([name]) => name.includes(words))) {
    const { name, isKilled, by } = tryMutation(folder, mutation);
    if (!isKilled) survivors++;
    console.log(`${isKilled ? "found   " : "SURVIVES"}  ${name}${by === "" ? "" : `: ${by}`}`);
  }
  console.log(`${survivors} survive`);
  if (survivors > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
