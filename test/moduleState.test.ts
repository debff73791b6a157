// Modules keep nothing: what is remembered belongs to a value that somebody owns (docs/adr/0015). Constants are allowed, those
// that are made late (core/block.ts) too, and WeakMaps, which remember what a pure function gave.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const SOURCE = resolve(import.meta.dirname, "..", "src");

/** What is left, by file: a number here may become smaller, and a new file is a mistake. */
const LEFT: { readonly [file: string]: number } = {
  // A public call cannot hand its line on to the nodes that it makes: which call is under way, and the order of calls.
  "expr/site.ts": 2,
};

/** Variables of a module, and Maps and Sets whose types do not say that they stay as they are. */
const STATE: readonly RegExp[] = [
  /^(?:export )?(?:let|var) /gm,
  /^(?:export )?const \w+(?:: (?!Readonly(?:Map|Set)\b)[^=\n]*(?:Map|Set)[^=\n]*)? = new (?:Map|Set)\b/gm,
  /^ +(?:private )?static (?:readonly )?#?\w+(?:: (?!Readonly(?:Map|Set)\b)[^=\n]*)? = new (?:Map|Set)\b/gm,
];

const stateIn = (text: string): number =>
  STATE.reduce((sum, pattern) => sum + [...text.matchAll(pattern)].length, 0);

function found(): { [file: string]: number } {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((f) => f.endsWith(".ts"));
  const counts = files
    .map((file) => [file, stateIn(readFileSync(join(SOURCE, file), "utf8"))] as const)
    .filter(([, count]) => count > 0);
  return Object.fromEntries(counts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

test("what is looked for is found", () => {
  expect(stateIn("let count = 0;\nexport let other: string;")).toBe(2);
  expect(stateIn("const known = new Map<string, number>();\nconst seen: Set<string> = new Set();")).toBe(2);
  expect(stateIn("class A {\n  static readonly #known = new Map();\n}")).toBe(1);
  expect(stateIn('const NAMES: ReadonlySet<string> = new Set(["a"]);\nconst memo = new WeakMap();')).toBe(0);
  expect(stateIn("function f() {\n  let x = 1;\n  const m = new Map();\n}")).toBe(0);
});

test("no module has state but those that are listed", () => expect(found()).toEqual(LEFT));

test("all rooms but one file have none", () => {
  expect(Object.keys(LEFT)).toEqual(["expr/site.ts"]);
});
