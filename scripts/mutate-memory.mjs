// Do the tests see mistakes of ownership? Puts them into a copy of the sources, one at a time, builds it and runs the tests
// that guard it, all of them a part of CI: `node scripts/mutate-memory.mjs [words of a mutation's name]`. Prints which
// mistakes are found; ends with 1 when one survives, or when a text to change is not there any more.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const PARTS = ["src", "scripts", "test", "package.json", "README.md", "vitest.config.ts"];
const CONFIGS = ["tsconfig.base.json", "tsconfig.build.json", "tsconfig.json"];
const TESTS = ["ownership", "simulation", "lost"].map((name) => `test/runtime/${name}.test.ts`);
const WINDOWS = "test/property/windows.test.ts";
/** A mistake may keep runs from ending. */
const MOST_MS = 300_000;

/** What goes wrong, and where in src/ which text stands instead of which: [name, [file, text, instead]…]. */
const MUTATIONS = [
  [
    "A1: blocks are known by the identity of their buffer, and others have address 0",
    [
      "kernel/wasm/memory.ts",
      "if (place === undefined) return null;",
      "if (place === undefined || data.buffer !== memory.buffer) return null;",
    ],
    [
      "kernel/wasm/memory.ts",
      "if (address !== null) return address;",
      "if (address !== null || block !== null) return address ?? 0;",
    ],
  ],
  [
    "A1: blocks outside of the shared memory are sent as addresses",
    [
      "runtime/pools/messages.ts",
      "return at === null ? null : { at, slots",
      "return { at: at ?? data.byteOffset, slots",
    ],
  ],
  [
    "A2: a chunk that is named twice counts twice",
    [
      "runtime/pools/sharing.ts",
      "return this.#named.size !== this.#named.add(name).size;",
      "return name !== null;",
    ],
    [
      "runtime/pools/sharedArrays.ts",
      'if ("chunk" in part) this.chunks.set(',
      'if ("chunk" in part && this.chunks.has(part.chunk)) throw new InvariantError({ what: "not all there" });\n      if ("chunk" in part) this.chunks.set(',
    ],
  ],
  [
    "A2: what a waiting task owns is freed",
    ["runtime/scheduler/holdings.ts", "entry.claims > 0 || entry.pins > 0", "entry.pins > 0"],
  ],
  [
    "a lease is dropped early: what is being read is freed",
    ["runtime/scheduler/holdings.ts", "entry.pins > 0 || entry.isSpilling", "entry.isSpilling"],
    ["runtime/scheduler/holdings.ts", "entry.claims > 0 || ", ""],
  ],
  [
    "a chunk is freed a task too soon",
    ["runtime/scheduler/holdings.ts", "entry.readers.every(", "entry.readers.some("],
    ["runtime/scheduler/holdings.ts", "entry.claims > 0 || ", ""],
  ],
  [
    "a window one element short",
    ["plan/windows.ts", "?? [asked]", "?? [{ ...asked, shape: asked.shape.map((n) => Math.max(1, n - 1)) }]"],
  ],
];

function copyOfTree() {
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-mutations-"));
  mkdirSync(join(folder, "dist"));
  for (const part of [...PARTS, ...CONFIGS])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** How the tests end on what the folder has. */
function guarded(folder) {
  const options = { cwd: folder, timeout: MOST_MS, encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } };
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", ...TESTS, WINDOWS, "--bail", "1"];
  const { status, stdout } = spawnSync(process.execPath, args, options);
  if (status === 0) return { isKilled: false, by: "" };
  return {
    isKilled: true,
    by: /FAIL .*\n.*/.exec(stdout)?.[0].replace(/\s+/g, " ").slice(0, 160) ?? "it did not end",
  };
}

function tryMutation(folder, [name, ...changes]) {
  const sources = new Map();
  try {
    for (const [file, text, instead] of changes) {
      const path = join(folder, "src", file);
      const source = readFileSync(path, "utf8");
      if (!sources.has(path)) sources.set(path, source);
      if (source.split(text).length !== 2)
        return { name, isKilled: false, by: `${file}: the text to change is not there` };
      writeFileSync(
        path,
        source.replace(text, () => instead),
      );
    }
    return { name, ...guarded(folder) };
  } finally {
    for (const [path, source] of sources) writeFileSync(path, source);
  }
}

const words = process.argv.slice(2).join(" ");
const folder = copyOfTree();
try {
  const { isKilled, by } = guarded(folder);
  if (isKilled || by !== "") throw new Error(`the tests fail as it is: ${by}`);
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
