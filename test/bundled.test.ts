// The package as users have it: built, bundled again with an application, run by Node. Every method must still be
// there, and threads whose code the bundler left behind must say so.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "./built.ts";

const ROOT = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "chunkwise-bundled-"));
afterAll(() => rmSync(folder, { recursive: true }));
const output = join(folder, "out", "app.mjs");

const APP = `
import * as cw from "chunkwise";
import { fromIter } from "chunkwise/ragged";
const grid = cw.ones([100, 100], { chunks: [10, 100] });
console.log((await grid.add(1).mean().compute()).item());
console.log(fromIter([[1, 2], [], [3]]).sum({ axis: 1 }).toList().join());
const store = new cw.MemoryStore();
await grid.toZarr(store, { executor: process.argv[2] });
console.log((await (await cw.fromZarr(store)).sum().compute({ executor: process.argv[2] })).item());
`;

beforeAll(async () => {
  await ensureBuilt();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(ROOT, join(folder, "node_modules", "chunkwise"), "junction");
  symlinkSync(join(ROOT, "node_modules", "numcodecs"), join(folder, "node_modules", "numcodecs"), "junction");
  writeFileSync(join(folder, "app.mjs"), APP);
  const bundle = await rolldown({ input: join(folder, "app.mjs"), platform: "node" });
  await bundle.write({ file: output, format: "esm", codeSplitting: false });
  await bundle.close();
}, 120_000);

const run = async (executor: string): Promise<string> =>
  (await promisify(execFile)(process.execPath, [output, executor])).stdout;

test("methods and operations are there", async () => {
  expect(await run("inline")).toBe("2\n3,0,3\n10000\n");
});

test("threads without their code fail at once, with the cure", async () => {
  const error = await run("threads").catch((cause: { stderr: string }) => cause.stderr);
  expect(error).toMatch(
    /the code of task threads is not at .*planThread\.js.*tell it to leave chunkwise out/,
  );
  expect(error).not.toContain("3 attempts");
});

test("threads with their code beside the bundle run", async () => {
  const dist = join(ROOT, "dist");
  for (const file of readdirSync(dist))
    if (/^(planThread|thread|worker|shared-.*)\.js$/.test(file))
      cpSync(join(dist, file), join(folder, "out", file));
  expect(await run("threads")).toBe("2\n3,0,3\n10000\n");
});
