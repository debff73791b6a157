// Killed without warning, at random moments, and begun again: what was stored is used, the result is the same to the
// bit, nothing is torn, and nothing that was done is done again.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as cw from "chunkwise";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../built.ts";
import { killAll, PROGRAMS } from "./killing.mjs";
import { randomFrom } from "./simulated.ts";

const KILLS = 20;
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1e6);
const random = randomFrom(seed);
const root = mkdtempSync(join(tmpdir(), "chunkwise-kill-"));

beforeAll(ensureBuilt, 120_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const child = (dir: string): ChildProcess =>
  spawn(process.execPath, [join(import.meta.dirname, "kill-child.mjs"), dir], {
    stdio: ["ignore", "ignore", "inherit"],
  });

const ended = (process: ChildProcess): Promise<string> =>
  new Promise((resolve) => process.on("exit", (code, signal) => resolve(signal ?? String(code))));

async function makeSource(dir: string): Promise<void> {
  const x = cw
    .arange(0, 64 * 64, 1, { dtype: "float64" })
    .reshape([64, 64])
    .rechunk([16, 16]);
  await x.toZarr(join(dir, "x.zarr"), { executor: "inline" });
}

interface Told {
  readonly tasks: number;
  readonly found: number;
  readonly begun: readonly string[];
  readonly done: readonly string[];
  readonly isEnded: boolean;
}

/** What the last run of a child wrote into its log. */
function toldIn(dir: string): Told {
  const lines = readFileSync(join(dir, "log"), "utf8").split("\n");
  const last = lines.slice(lines.lastIndexOf("start"));
  const [, tasks, found] = (last.find((line) => line.startsWith("tasks")) ?? "tasks 0 0")
    .split(" ")
    .map(Number);
  const named = (what: string): string[] =>
    last.flatMap((line) => (line.startsWith(`${what} `) ? [line.slice(what.length + 1)] : []));
  const isEnded = last.includes("end");
  return { tasks: tasks!, found: found!, begun: named("begin"), done: named("done"), isEnded };
}

const bytesOf = async (dir: string, name: string): Promise<Uint8Array> => {
  const { data } = (
    await (await cw.fromZarr(join(dir, name))).compute({ executor: "inline" })
  ).toContiguous();
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
};

test(`${KILLS} kills, seed ${seed}`, async () => {
  const right = join(root, "right");
  await makeSource(right);
  expect(await ended(child(right))).toBe("0");
  const expected = [await bytesOf(right, "scaled.zarr"), await bytesOf(right, "sums.zarr")];
  const { tasks } = toldIn(right);
  let [kills, rework, completions, resumed] = [0, 0, 0, 0];
  while (kills < KILLS) {
    const dir = join(root, `run-${completions}`);
    await makeSource(dir);
    const done = new Set<string>();
    for (;;) {
      writeFileSync(join(dir, "log"), "");
      const running = child(dir);
      const end = ended(running);
      // Most of the time of a child is spent in loading it and its threads: most kills wait for its first task.
      const waits = random() < 0.8;
      while (waits && running.exitCode === null && toldIn(dir).done.length === 0) await setTimeout(2);
      await setTimeout(random() * (waits ? 150 : 400));
      if (kills < KILLS && running.kill("SIGKILL")) kills++;
      const signal = await end;
      const told = toldIn(dir);
      rework += told.begun.filter((task) => done.has(task)).length;
      for (const task of told.done) done.add(task);
      resumed += told.found;
      if (signal === "SIGKILL") continue;
      expect(signal).toBe("0");
      break;
    }
    completions++;
    expect(Buffer.compare(await bytesOf(dir, "scaled.zarr"), expected[0]!)).toBe(0);
    expect(Buffer.compare(await bytesOf(dir, "sums.zarr"), expected[1]!)).toBe(0);
    expect(readdirSync(join(dir, "work"))).toEqual([]);
    const files = readdirSync(dir, { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => file.endsWith(".partial"))).toEqual([]);
  }
  console.log(
    `${kills} kills, ${completions} completions of ${tasks} tasks, ${resumed} resumed, ${rework} done again`,
  );
  expect(resumed).toBeGreaterThan(KILLS);
  expect(rework).toBe(0);
}, 300_000);

// `npm run test:kills` kills 300 times.
test("six programs of some megabytes: scan, sort, rechunk, sharded, compressed, and a source behind HTTP", async () => {
  const told = await killAll({ kills: 12, seed });
  expect(told.map(({ program }) => program)).toEqual(PROGRAMS);
  for (const { program, kills, completions } of told) {
    expect([program, kills, completions > 0]).toEqual([program, 2, true]);
  }
  expect(told.reduce((sum, { found }) => sum + found, 0)).toBeGreaterThan(0);
}, 600_000);
