// The built package, for tests whose threads load it: built before any test runs, when it is older than the sources
// (vitest.config.ts). One process builds at a time; the others wait for it.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

const ROOT = resolve(import.meta.dirname, "..");
const STAMP = join(ROOT, "dist", ".stamp");
const LOCK = join(ROOT, "dist", ".building");

function newestSource(): number {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  return Math.max(...files.map((file) => statSync(join(ROOT, "src", file)).mtimeMs));
}

const stampTime = (): number => statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs ?? 0;

export async function ensureBuilt(): Promise<void> {
  const newest = newestSource();
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  while (stampTime() < newest) {
    if (takeLock()) build();
    else await setTimeout(200);
  }
}

function takeLock(): boolean {
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    const age = Date.now() - (statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    // Whoever had it was stopped.
    if (age > 120_000) rmSync(LOCK, { recursive: true, force: true });
    return false;
  }
}

function build(): void {
  try {
    execFileSync(process.execPath, [join(ROOT, "scripts", "bundle.mjs")], { cwd: ROOT });
    writeFileSync(STAMP, "");
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

export default ensureBuilt;
