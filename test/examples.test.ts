// Runs every program in examples/ and compares what it prints with test/__snapshots__/examples/<name>.txt.
// A program asserts what it claims, so running it is a test; a new file in examples/ needs no line here.

import { readdirSync, readFileSync } from "node:fs";
import { format } from "node:util";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { ensureBuilt } from "./built.ts";

const folder = new URL("../examples/", import.meta.url);
const programsIn = (path: string): string[] =>
  readdirSync(new URL(path, folder))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${path}${file}`)
    .sort();
const files = [...programsIn("./"), ...programsIn("./gallery/")].map((file) => file.slice(2));

/** The pictures of the gallery, as they are committed. */
const pictures = (): string[] =>
  readdirSync(new URL("gallery/plots/", folder))
    .filter((file) => file.endsWith(".svg"))
    .map((file) => readFileSync(new URL(`gallery/plots/${file}`, folder), "utf8"));
const before = pictures();

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
  await expect(output).toMatchFileSnapshot(
    `__snapshots__/examples/${file.replace("/", "-").replace(".ts", "")}.txt`,
  );
});

test("the pictures of the gallery are those that its programs draw", () => {
  expect(pictures()).toEqual(before);
});
