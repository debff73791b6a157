// Do the tests see mistakes? Puts small mistakes into a copy of the sources, one at a time, and runs the tests that guard
// what was changed, all of them a part of CI: `node scripts/mutate.mjs [words of a mutation's name]`. Prints for each
// which test found it and what it said; ends with 1 when one survives, when tests fail as it is, or when a text to change
// is not there any more.

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import * as lost from "./mutations/lost.mjs";
import * as memory from "./mutations/memory.mjs";
import * as scheduler from "./mutations/scheduler.mjs";

const ROOT = resolve(import.meta.dirname, "..");
const VITEST = join(ROOT, "node_modules", "vitest", "vitest.mjs");
const PARTS = ["src", "scripts", "test", "package.json", "README.md", "vitest.config.ts"];
const CONFIGS = ["tsconfig.base.json", "tsconfig.build.json", "tsconfig.json"];
/** A mistake may keep runs from ending. */
const MOST_MS = 300_000;
/** Fewer random runs than usual find what is looked for here. */
const ENVIRONMENT = { NO_COLOR: "1", SIMULATION_SEEDS: "1500" };

/** Of all lists: {name, changes: [file in src, text, instead][], tests}. */
const MUTATIONS = [scheduler, memory, lost].flatMap(({ TESTS, MUTATIONS: list }) =>
  list.map(({ tests = TESTS, ...mutation }) => ({ ...mutation, tests })),
);

function copyOfTree() {
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-mutations-"));
  for (const part of [...PARTS, ...CONFIGS])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** A process and all that it starts: ended together when they take too long. */
function finished(args, folder) {
  const options = { cwd: folder, detached: true, env: { ...process.env, ...ENVIRONMENT } };
  const child = spawn(process.execPath, args, options);
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => {
      said = (said + text).slice(-20_000);
    });
  return new Promise((resolve) => {
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      process.kill(-child.pid, "SIGKILL");
    }, MOST_MS);
    child.on("close", (status) => {
      clearTimeout(late);
      resolve({ status, isLate, said });
    });
  });
}

/** The first failure: null when the tests pass on what the folder has. */
async function failureIn(folder, tests) {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  const args = [VITEST, "run", ...tests, "--bail", "1", "--reporter", "json", "--outputFile", report];
  const { status, isLate, said } = await finished(args, folder);
  if (isLate) return `it did not end within ${MOST_MS / 1000} s`;
  if (status === 0) return null;
  const told = existsSync(report) ? toldIn(JSON.parse(readFileSync(report, "utf8")), folder) : undefined;
  return told ?? `no test failed, but it ended with ${status}: ${firstError(said)}`;
}

/** The first test that failed, or the first file that could not be run, with its message. */
function toldIn({ testResults }, folder) {
  for (const { name, message, status, assertionResults } of testResults) {
    const file = relative(folder, name);
    const failed = assertionResults.find((test) => test.status === "failed");
    if (failed !== undefined) return `${file}, ${failed.fullName}: ${firstError(failed.failureMessages[0])}`;
    if (status === "failed") return `${file}: ${firstError(message)}`;
  }
  return undefined;
}

/** A property says first that it failed, and then why. */
function firstError(text) {
  const lines = text.split("\n").map((line) => line.trim());
  const found = lines.find(
    (line) => /^(Caused by: |Got )?\w*Error\b.*: /.test(line) && !/Property failed/.test(line),
  );
  return (found ?? lines.find((line) => line !== "") ?? "").slice(0, 160);
}

async function tryMutation(folder, { changes, tests }) {
  const sources = new Map();
  try {
    for (const [file, text, instead] of changes) {
      const path = join(folder, "src", file);
      const source = readFileSync(path, "utf8");
      if (!sources.has(path)) sources.set(path, source);
      if (source.split(text).length !== 2) throw new Error(`${file} does not have once: ${text}`);
      writeFileSync(
        path,
        source.replace(text, () => instead),
      );
    }
    return await failureIn(folder, tests);
  } finally {
    for (const [path, source] of sources) writeFileSync(path, source);
  }
}

async function tryAll(folder, mutations) {
  const failure = await failureIn(folder, [...new Set(mutations.flatMap(({ tests }) => tests))]);
  if (failure !== null) throw new Error(`the tests fail as it is: ${failure}`);
  let survivors = 0;
  for (const mutation of mutations) {
    const found = await tryMutation(folder, mutation);
    if (found === null) survivors++;
    console.log(
      found === null ? `SURVIVES  ${mutation.name}` : `found     ${mutation.name}\n          ${found}`,
    );
  }
  return survivors;
}

const words = process.argv.slice(2).join(" ");
const folder = copyOfTree();
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const mutations = MUTATIONS.filter(({ name }) => name.includes(words));
const survivors = await tryAll(folder, mutations);
console.log(`${mutations.length} mistakes, ${survivors} survive`);
if (survivors > 0) process.exitCode = 1;
