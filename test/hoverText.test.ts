// What editors show on hover: every public name of every door has a comment, whatever can be called or made has an example
// in it, and so has every member of a public interface a comment of its own.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import * as bullmq from "chunkwise/bullmq";
import * as functions from "chunkwise/functions";
import * as observe from "chunkwise/observe";
import * as rg from "chunkwise/ragged";
import * as rewrite from "chunkwise/rewrite";
import * as zarr from "chunkwise/zarr";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as native from "../src/doors/native.ts";
import { commentBefore, type Declaration, declarationsOf, writeDeclarations } from "./declarations.ts";

/** A door, its declarations, and what it has at run time. */
type Door = readonly [door: string, file: string, values: { readonly [name: string]: unknown }];
const DOORS: readonly Door[] = [
  ["chunkwise", "index.d.ts", cw],
  ["chunkwise/ragged", "doors/ragged.d.ts", rg],
  ["chunkwise/rewrite", "doors/rewrite.d.ts", rewrite],
  ["chunkwise/zarr", "doors/zarr.d.ts", zarr],
  ["chunkwise/observe", "doors/observe.d.ts", observe],
  ["chunkwise/functions", "doors/functions.d.ts", functions],
  ["chunkwise/bullmq", "doors/bullmq.d.ts", bullmq],
  ["chunkwise/native", "doors/native.d.ts", native],
];

const out = mkdtempSync(join(tmpdir(), "chunkwise-hover-"));
beforeAll(() => writeDeclarations(out), 120_000);
afterAll(() => rmSync(out, { recursive: true }));

/** Code in a comment, which may go on in the next line; and what stands under @example. */
const codeIn = (comment: string): string[] => [
  ...[...comment.replace(/\s*\n\s*\*/g, "").matchAll(/(`+)(.+?)\1(?!`)/g)].map((match) => match[2]!),
  ...comment.split("@example").slice(1),
];

const hasExample = ({ name, comment }: Declaration): boolean =>
  codeIn(comment).some((code) => new RegExp(`(?<!\\w)${name}\\b`).test(code));

/** Errors are caught, and not made. */
const isError = (value: unknown): boolean => typeof value === "function" && value.prototype instanceof Error;

/** Members of an interface that have no comment. */
function bareMembers({ name, text }: Declaration): string[] {
  if (!text.startsWith("export interface")) return [];
  return [...text.matchAll(/^ {4}(?:readonly )?(\w+)\??[:(<]/gm)]
    .filter(({ index }) => commentBefore(text.slice(0, index)) === "")
    .map((match) => `${name}.${match[1]}`);
}

test.each(DOORS)("every name of %s has a comment", (_, file) => {
  const bare = declarationsOf(join(out, file)).filter(({ comment }) => comment === "");
  expect(bare.map(({ name }) => name)).toEqual([]);
});

test.each(DOORS)("every function, constant and class of %s has an example", (_, file, values) => {
  const declared = declarationsOf(join(out, file));
  const names = new Set(declared.map(({ name }) => name));
  expect(Object.keys(values).filter((name) => !names.has(name))).toEqual([]);
  const without = declared.filter(
    (declaration) => !isError(values[declaration.name]) && !hasExample(declaration),
  );
  expect(without.map(({ name }) => name).filter((name) => name in values)).toEqual([]);
});

test.each(DOORS)("every member of the interfaces of %s has a comment", (_, file) => {
  expect(declarationsOf(join(out, file)).flatMap(bareMembers)).toEqual([]);
});

test("what is looked for is found", () => {
  const of = (file: string): Map<string, Declaration> =>
    new Map(declarationsOf(join(out, file)).map((declaration) => [declaration.name, declaration]));
  const [dense, nested, rules] = [of("index.d.ts"), of("doors/ragged.d.ts"), of("doors/rewrite.d.ts")];
  expect([dense.size > 250, nested.size > 150, rules.size > 80]).toEqual([true, true, true]);

  // By their own names, by others, from further files, of a whole module.
  expect(dense.get("exp")!.comment).toBe("/** eˣ: `cw.exp(0)` is 1. */");
  expect(dense.get("var")!.text).toContain("const variance:");
  expect(dense.get("var")!.comment).toContain("cw.var(x");
  expect(dense.get("MemoryStore")!.text).toContain("class MemoryStore");
  expect(dense.get("BlockInfo")!.text).toContain("interface BlockInfo");
  expect(nested.get("ReduceOptions")!.text).toContain("interface NestedReduceOptions");
  expect(rules.get("s")!.comment).toContain("`s.add(x, y)`");
  for (const { text } of [...dense.values(), ...nested.values(), ...rules.values()])
    expect(text).not.toContain(": not found");

  const bare = { name: "f", text: "export declare const f: () => void;", comment: "/** As `g(1)` does. */" };
  expect(hasExample(bare)).toBe(false);
  expect(hasExample({ ...bare, comment: "/**\n * Twice: `cw\n * .f(1)`.\n */" })).toBe(true);
  const text = "export interface I {\n    /** One. */\n    readonly one: 1;\n    two?(x: 2): void;\n}";
  expect(bareMembers({ name: "I", text, comment: "" })).toEqual(["I.two"]);
  expect(commentBefore("/** a/*.b */\n")).toBe("/** a/*.b */");
  expect(commentBefore("/** Of another. */\nexport type A = 1;\n")).toBe("");
});
