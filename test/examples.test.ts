// Runs every program in examples/ and compares what it prints with test/__snapshots__/examples/<name>.txt.
// A program asserts what it claims, so running it is a test; a new file in examples/ needs no line here.

import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { format } from "node:util";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { ensureBuilt } from "./built.ts";

const folder = new URL("../examples/", import.meta.url);
const files = readdirSync(folder)
  .filter((file) => file.endsWith(".ts"))
  .sort();

// Threads load the built package.
beforeAll(ensureBuilt, 120_000);
afterEach(() => {
  vi.restoreAllMocks();
});

test("there are examples", () => {
  expect(files).toContain("demo.ts");
});

test.each(files)("%s", async (file) => {
  const lines: string[] = [];
  const capture = (...args: readonly unknown[]): void => void lines.push(format(...args));
  vi.spyOn(console, "log").mockImplementation(capture);
  vi.spyOn(console, "error").mockImplementation(capture);
  await import(/* @vite-ignore */ new URL(file, folder).pathname);
  vi.restoreAllMocks();
  const output = `${lines.join("\n")}\n`;
  expect(output.trim()).not.toBe("");
  // What is printed must be the same on every machine.
  expect(output).not.toContain(process.cwd());
  await expect(output).toMatchFileSnapshot(`__snapshots__/examples/${basename(file, ".ts")}.txt`);
});
