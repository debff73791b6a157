// Does the battery of programs at real size see mistakes of ownership? Puts them into a copy of the sources, one at a
// time, builds it and runs CI's part: `node scripts/mutate-memory.mjs [words of a mutation's name]`. Prints which
// mistakes it finds; ends with 1 when one survives, or when a text to change is not there any more.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const PARTS = ["src", "scripts", "test/real", "package.json", "README.md", "tsconfig.base.json"];
/** A mistake may keep runs from ending. */
const MOST_MS = 1_200_000;

/** What goes wrong, where in src/, and how: [name, file, text, instead]. */
const MUTATIONS = [
  [
    "what is being read is freed",
    "runtime/scheduler/holdings.ts",
    "entry.pins > 0 || entry.isSpilling",
    "entry.isSpilling",
  ],
  [
    "one reader of several is enough",
    "runtime/scheduler/holdings.ts",
    "entry.readers.every(",
    "entry.readers.some(",
  ],
];

function copyOfTree() {
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-mutations-"));
  mkdirSync(join(folder, "dist"));
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** How the battery ends on what the folder has. */
function battery(folder) {
  const options = { cwd: folder, timeout: MOST_MS, encoding: "utf8" };
  const run = (...args) => spawnSync(process.execPath, args, options);
  if (run("scripts/bundle.mjs").status !== 0) return { isKilled: false, by: "it cannot be built" };
  const { status, stdout } = run("test/real/run.mjs", "--part", "ci", "--bail");
  if (status === 0) return { isKilled: false, by: "" };
  return { isKilled: true, by: /WRONG .*\n.*/.exec(stdout)?.[0].slice(0, 200) ?? "it did not end" };
}

function tryMutation(folder, [name, file, text, instead]) {
  const path = join(folder, "src", file);
  const source = readFileSync(path, "utf8");
  if (source.split(text).length !== 2)
    return { name, isKilled: false, by: `${file}: the text to change is not there` };
  writeFileSync(
    path,
    source.replace(text, () => instead),
  );
  try {
    return { name, ...battery(folder) };
  } finally {
    writeFileSync(path, source);
  }
}

const words = process.argv.slice(2).join(" ");
const folder = copyOfTree();
try {
  const { isKilled, by } = battery(folder);
  if (isKilled || by !== "") throw new Error(`the battery fails as it is: ${by}`);
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
