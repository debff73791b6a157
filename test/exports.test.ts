// The public surface: every exported name and its declared type, as one reviewed file. A change of it is a
// change of the contract and shows up as a diff of the snapshot.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as cw from "chunkwise";
import * as bullmq from "chunkwise/bullmq";
import * as functions from "chunkwise/functions";
import * as rg from "chunkwise/ragged";
import * as zarr from "chunkwise/zarr";
import { afterAll, beforeAll, expect, test } from "vitest";
import { declarationsOf, TSC, writeDeclarations } from "./declarations.ts";

const ROOT = resolve(import.meta.dirname, "..");

const out = mkdtempSync(join(tmpdir(), "chunkwise-exports-"));
beforeAll(() => writeDeclarations(out), 120_000);
afterAll(() => rmSync(out, { recursive: true }));

test.each([
  ["chunkwise", "index.d.ts", "exports"],
  ["chunkwise/ragged", "doors/ragged.d.ts", "exports-ragged"],
])("every name of %s and its type", async (_, file, snapshot) => {
  const lines = declarationsOf(join(out, file)).map(({ text }) => text);
  expect(lines.length).toBeGreaterThan(150);
  await expect(`${lines.join("\n\n")}\n`).toMatchFileSnapshot(`__snapshots__/${snapshot}.txt`);
});

test("values at run time are the ones that are declared", () => {
  expect(Object.keys(cw).sort()).toMatchSnapshot();
  expect(Object.keys(rg).sort()).toMatchSnapshot("chunkwise/ragged");
  expect(Object.keys(zarr).sort()).toMatchSnapshot("chunkwise/zarr");
  expect(Object.keys(functions).sort()).toMatchSnapshot("chunkwise/functions");
  expect(Object.keys(bullmq).sort()).toMatchSnapshot("chunkwise/bullmq");
});

/** A program of a user's, checked with all declarations: nothing is skipped. */
const CONSUMER = `import * as cw from "./index.js";
import * as bullmq from "./doors/bullmq.js";
import * as functions from "./doors/functions.js";
import * as native from "./doors/native.js";
import * as observe from "./doors/observe.js";
import * as rg from "./doors/ragged.js";
import * as rewrite from "./doors/rewrite.js";
import * as zarr from "./doors/zarr.js";
const x = cw.zeros([3], { dtype: "float32" });
export const y: cw.LazyArray<"float32"> = cw.abs(x).add(1).sqrt();
export const lists: rg.RaggedArray = cw.sqrt(rg.fromIter([[1, 2], [3]]));
export const lazily: Promise<unknown> = rg.lazy(lists).sum({ axis: 1 }).compute();
export { bullmq, functions, native, observe, rewrite, zarr };
`;

test.each([
  ["the language alone", ["es2022"], []],
  ["a browser", ["es2022", "dom"], []],
  ["Node", ["es2022"], ["node"]],
  ["both", ["es2022", "dom"], ["node"]],
] as const)("declarations are right with the types of %s", (_, lib, types) => {
  writeFileSync(join(out, "consumer.ts"), CONSUMER);
  const compilerOptions = {
    ...{ strict: true, skipLibCheck: false, noEmit: true },
    ...{ module: "nodenext", target: "es2022", lib, types },
    typeRoots: [join(ROOT, "node_modules", "@types")],
  };
  writeFileSync(join(out, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
  const { stdout } = spawnSync(TSC, ["-p", out], { encoding: "utf8" });
  expect(stdout).toBe("");
});
