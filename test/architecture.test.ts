// The house keeps its walls: nobody imports upward, every file says what it is, no file has outgrown one idea.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const SOURCE = join(ROOT, "src");

/** Which folders a folder may import from (docs/adr/0001): its own, and these. */
const MAY_IMPORT: { readonly [folder: string]: readonly string[] } = {
  core: [],
  kernel: ["core"],
  expr: ["core", "kernel"],
  lazy: ["core", "kernel", "expr"],
  ops: ["core", "kernel", "expr", "lazy"],
  rewrite: ["core", "kernel", "expr", "lazy", "ops"],
  plan: ["core", "kernel", "expr", "lazy", "ops"],
  storage: ["core"],
  runtime: ["core", "kernel", "expr", "lazy", "ops", "plan", "storage"],
  native: ["core", "kernel"],
  ragged: ["core", "kernel", "expr", "lazy", "ops", "rewrite", "storage", "defaultBackend.ts"],
  array: [
    "core",
    "kernel",
    "expr",
    "lazy",
    "ops",
    "rewrite",
    "plan",
    "storage",
    "runtime",
    "ragged",
    "defaultBackend.ts",
    "engine.ts",
  ],
  observe: ["core", "expr", "lazy", "plan", "runtime", "array"],
  cli: ["core", "lazy", "plan", "storage", "runtime", "array", "observe"],
  doors: [
    "core",
    "defaultBackend.ts",
    "engine.ts",
    "expr",
    "lazy",
    "ops",
    "storage",
    "rewrite",
    "native",
    "ragged",
    "array",
    "observe",
    "runtime",
  ],
};

/** Names that several folders have, by what makes their files the same concern. */
const PARALLEL = {
  "a family of functions: its ops, rules, kernels, users' functions": [
    ...[
      "arithmetic",
      "choose",
      "contraction",
      "exponential",
      "fourier",
      "groupby",
      "hyperbolic",
      "indexing",
      "mapBlocks",
    ],
    ...["reduce", "reductions", "scans", "sort"],
  ],
  "the same for dense and for nested arrays": ["compute", "get", "methods", "op", "opening"],
  "dense arrays as nested ones: as users', as lazy and as data": ["dense"],
  "an interface, and what stands behind it": ["backend", "taskParts"],
  "what there is, by name": ["table"],
  "contractions: planned and run, interpreted and compiled": ["rounds"],
  "texts of a description": ["print"],
  "errors of a room": ["errors"],
  "doors, and what is behind them": ["index"],
};

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".ts"),
);

const folderOf = (file: string): string => file.split("/")[0]!;

function importsOf(file: string): string[] {
  const text = readFileSync(join(SOURCE, file), "utf8");
  const targets = [...text.matchAll(/(?:from|import)\s+"(\.[^"]+)"/g)].map((match) => match[1]!);
  return targets.map((target) => relative(SOURCE, resolve(join(SOURCE, dirname(file)), target)));
}

/** Lines where functions begin that are longer than 60. */
function longFunctions(text: string): number[] {
  const found: number[] = [];
  const look = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, start, end } = node as { type?: string; start: number; end: number };
    const isFunction = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type ?? "");
    if (isFunction && text.slice(start, end).split("\n").length > 60)
      found.push(text.slice(0, start).split("\n").length);
    for (const part of Object.values(node)) look(part);
  };
  look(parseAst(text, { lang: "ts" }));
  return found;
}

describe("architecture", () => {
  test("there are files to look at", () => expect(files.length).toBeGreaterThan(50));

  test.each(files.filter((file) => file.includes("/")))("%s imports only downward", (file) => {
    const folder = folderOf(file);
    const allowed = MAY_IMPORT[folder];
    expect(allowed, `folder ${folder} is not in the plan of the house`).toBeDefined();
    const upward = importsOf(file).filter(
      (target) => folderOf(target) !== folder && !allowed!.includes(folderOf(target)),
    );
    expect(upward).toEqual([]);
  });

  test.each(files)("%s has a header and is one idea long", (file) => {
    const text = readFileSync(join(SOURCE, file), "utf8");
    expect(text.startsWith("// "), "a file begins with what it is").toBe(true);
    expect(text.split("\n").length).toBeLessThanOrEqual(400);
  });

  test("no function is longer than 60 lines", () => {
    expect(longFunctions(`function f() {${"\n".repeat(60)}}`)).toEqual([1]);
    const found = files.flatMap((file) =>
      longFunctions(readFileSync(join(SOURCE, file), "utf8")).map((line) => `${file}:${line}`),
    );
    expect(found).toEqual([]);
  });

  test("files of one name are about one thing, in rooms beside each other", () => {
    const names = files.map((file) => file.split("/").at(-1)!);
    const shared = names.filter((name, i) => names.indexOf(name) !== i);
    const parallel = Object.values(PARALLEL).flat();
    expect(shared.filter((name) => !parallel.includes(name.replace(".ts", "")))).toEqual([]);
    expect(parallel.filter((name) => !shared.includes(`${name}.ts`))).toEqual([]);
  });

  test("nothing outside of kernel/ knows how a backend's memory works", () => {
    const importersOf = (is: (target: string) => boolean): string[] =>
      files.filter((file) => importsOf(file).some(is)).sort();
    const isWasm = (target: string): boolean => target.startsWith("kernel/wasm/");
    const outside = importersOf(isWasm).filter((file) => folderOf(file) !== "kernel");
    expect(outside).toEqual(["defaultBackend.ts"]);
    // Who puts an engine or a thread together; and functions of nested data, in one file, which no engine calls.
    expect(importersOf((target) => target === "defaultBackend.ts")).toEqual([
      "array/defaultEngine.ts",
      "doors/planThread.ts",
      "doors/thread.ts",
      "ragged/layout/leafKernels.ts",
    ]);
  });

  test("the interpreter knows nothing of WebAssembly, nor do programs and routines", () => {
    const inside = files.filter((file) => /^kernel\/(?!wasm\/)/.test(file));
    const knowing = inside.filter((file) =>
      importsOf(file).some((target) => target.startsWith("kernel/wasm/")),
    );
    expect(knowing).toEqual([]);
  });

  test("runtime dependencies are the ones we chose", () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      dependencies: object;
    };
    expect(Object.keys(dependencies)).toEqual(["@noble/hashes", "aws4fetch", "numcodecs"]);
  });
});
