// Ctrl-C: the run ends itself, removes its files, and the process dies of the signal, as its shell expects.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as cw from "../../src/index.ts";
import { ensureBuilt } from "../built.ts";

const root = mkdtempSync(join(tmpdir(), "cw-interrupt-"));
beforeAll(ensureBuilt, 120_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.each(["SIGINT", "SIGTERM"] as const)("%s", async (signal) => {
  const dir = join(root, signal);
  const temporary = join(dir, "tmp");
  mkdirSync(temporary, { recursive: true });
  const child = spawn(process.execPath, [join(import.meta.dirname, "interrupt-child.mjs"), dir], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (text: Buffer) => {
    if (output === "") child.kill(signal);
    output += text.toString();
  });
  const ended = await new Promise((resolve) => child.on("exit", (code, killed) => resolve(killed ?? code)));
  expect(ended).toBe(signal);
  expect(output).toMatch(/^begun\n/);
  expect(readdirSync(temporary)).toEqual([]);
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" });
  expect(files.filter((file) => file.endsWith(".partial"))).toEqual([]);
});

test("as many runs at once as one likes are no leak of listeners", async () => {
  const warnings: string[] = [];
  const hear = ({ name }: Error): void => void warnings.push(name);
  process.on("warning", hear);
  const before = process.getMaxListeners();
  const store = (k: number): Promise<unknown> =>
    cw
      .ones([40], { chunks: 10 })
      .multiply(k)
      .add(cw.arange(40))
      .toZarr(join(root, `many-${k}`));
  await Promise.all(Array.from({ length: 2 * before }, (_, k) => store(k)));
  // Node tells of warnings in a later turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", hear);
  expect(warnings).toEqual([]);
  expect(process.getMaxListeners()).toBe(before);
});
