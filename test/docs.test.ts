// Holds README.md and docs/ to what is true: code comes verbatim from examples/, output from what the
// examples print, links lead somewhere, commands exist, and every public name is in docs/api.md.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { NUMPY_FUNCTIONS } from "../src/core/numpyNames.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const filesIn = (folder: string, extension: string): string[] =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith(extension))
    .sort()
    .map((file) => `${folder}/${file}`);

const pages = ["README.md", ...filesIn("docs", ".md")];

interface Fence {
  /** `file:line`, for the name of the test. */
  readonly place: string;
  readonly language: string;
  readonly lines: readonly string[];
}

function fencesOf(page: string): Fence[] {
  const fences: Fence[] = [];
  let open: { place: string; language: string; lines: string[] } | null = null;
  read(page)
    .split("\n")
    .forEach((line, i) => {
      const mark = /^\s*```(.*)$/.exec(line);
      if (mark === null) open?.lines.push(line);
      else if (open === null) open = { place: `${page}:${i + 1}`, language: mark[1]!.trim(), lines: [] };
      else {
        fences.push({ ...open, lines: dedent(open.lines) });
        open = null;
      }
    });
  if (open !== null) throw new Error(`${page}: a code block does not end`);
  return fences;
}

/** Without the indentation that all lines have in common. */
function dedent(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const common = indents.length === 0 ? 0 : Math.min(...indents);
  return lines.map((line) => line.slice(common));
}

/** Is the block there as consecutive lines, indented as a whole or not? */
function isIn(text: string, block: readonly string[]): boolean {
  const wanted = block.join("\n");
  const lines = text.split("\n");
  const starts = Array.from({ length: Math.max(0, lines.length - block.length + 1) }, (_, i) => i);
  return starts.some((start) => dedent(lines.slice(start, start + block.length)).join("\n") === wanted);
}

const fences = pages.flatMap(fencesOf);
const inLanguage = (language: string): Fence[] => fences.filter((fence) => fence.language === language);

test("code blocks are code, output, commands or pictures, so that none escapes", () => {
  // Pictures are compared by architecturePage.test.ts.
  // What consoles show is run by cli/page.test.ts.
  const known = ["ts", "js", "text", "sh", "console", "mermaid"];
  expect(fences.filter(({ language }) => !known.includes(language))).toEqual([]);
});

describe.each(["ts", "js"])("code (%s) is in an example", (language) => {
  const sources = filesIn("examples", `.${language}`).map(read);
  test.each(inLanguage(language))("$place", ({ lines }) => {
    const found = sources.some((source) => isIn(source, lines));
    expect(found, `not in examples/*.${language}:\n${lines.join("\n")}`).toBe(true);
  });
});

describe("output is what an example prints", () => {
  const outputs = filesIn("test/__snapshots__/examples", ".txt").map(read);
  test.each(inLanguage("text"))("$place", ({ lines }) => {
    const found = outputs.some((output) => isIn(output, lines));
    expect(found, `not in test/__snapshots__/examples/*.txt:\n${lines.join("\n")}`).toBe(true);
  });
});

test("every kept output belongs to an example", () => {
  const names = (files: readonly string[], extension: string): string[] =>
    files.map((file) => basename(file, extension));
  expect(names(filesIn("test/__snapshots__/examples", ".txt"), ".txt").sort()).toEqual(
    [
      ...names(filesIn("examples", ".ts"), ".ts"),
      ...names(filesIn("examples/gallery", ".ts"), ".ts").map((name) => `gallery-${name}`),
    ].sort(),
  );
});

/** A page without its code, where brackets and hashes mean something else. */
const proseOf = (page: string): string => read(page).replace(/^\s*```[\s\S]*?^\s*```/gm, "");

/** Headings as GitHub names them in links. */
const anchorsOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, "")
      .replace(/\s/g, "-"),
  );

const linksOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);

describe("links", () => {
  test.each(pages)("of %s lead somewhere", (page) => {
    const relative = linksOf(page).filter((target) => !/^[a-z]+:/.test(target));
    const broken = relative.filter((target) => {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      if (!existsSync(resolve(root, file))) return true;
      return anchor !== undefined && !anchorsOf(file).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test("of the README lead to every page", () => {
    expect(linksOf("README.md")).toEqual(expect.arrayContaining(filesIn("docs", ".md")));
  });
});

test("the README's commands are two, and are scripts", () => {
  const ofPage = (page: string): string[] =>
    inLanguage("sh").flatMap(({ place, lines }) => (place.startsWith(`${page}:`) ? lines : []));
  const commands = ofPage("README.md");
  // Those of docs/clusters.md are run by test/cluster/commands.test.ts; other pages have none.
  expect(pages.filter((page) => ofPage(page).length > 0)).toEqual(["README.md", "docs/clusters.md"]);
  expect(commands).toEqual(["npm install && npm run demo", "npm install && npm test"]);
  const { scripts } = JSON.parse(read("package.json")) as { scripts: { [name: string]: string } };
  const names = commands.map((command) => /&& npm (?:run )?(\S+)$/.exec(command)?.[1] ?? "");
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
});

describe("docs/api.md", () => {
  /** The first cell's name, and the cells after it. */
  const rows = new Map(
    [...read("docs/api.md").matchAll(/^\| `+ ?(\w+).*?`+ +\|(.*)\|$/gm)].map(([, name, rest]) => [
      name!,
      rest!.split("|").map((cell) => cell.trim()),
    ]),
  );
  const isError = (value: unknown): boolean =>
    typeof value === "function" && value.prototype instanceof Error;
  const exported = Object.entries(cw).filter(([, value]) => !isError(value));

  test("has every public name once, and no other", () => {
    expect([...rows.keys()].sort()).toEqual(exported.map(([name]) => name).sort());
    const all = read("docs/api.md").match(/^\| `+ ?\w+/gm) ?? [];
    expect(all.length).toBe(rows.size);
  });

  test("says truly which functions are methods", () => {
    const methods = Object.getOwnPropertyNames(cw.LazyArray.prototype);
    const said = [...rows].filter(([, cells]) => cells[1] === "yes").map(([name]) => name);
    const isMethod = ([name, value]: [string, unknown]): boolean =>
      typeof value === "function" && methods.includes(name);
    expect(said.sort()).toEqual(
      exported
        .filter(isMethod)
        .map(([name]) => name)
        .sort(),
    );
  });

  test("names the methods that are no functions", () => {
    const page = read("docs/api.md");
    const own = Object.getOwnPropertyNames(cw.LazyArray.prototype);
    // Names of NumPy's are there to say that they are none (test/bad-input/numpyNames.test.ts).
    const isNone = (name: string): boolean =>
      name in cw || name in NUMPY_FUNCTIONS || name === "constructor" || name === "toString";
    const names = own.filter((name) => !isNone(name));
    expect(names.filter((name) => !new RegExp(`\`${name}[\`(]`).test(page))).toEqual([]);
  });
});

test("docs/errors.md has every class of errors", () => {
  const page = read("docs/errors.md");
  const classes = Object.entries(cw).flatMap(([name, value]) =>
    typeof value === "function" && value.prototype instanceof Error ? [name] : [],
  );
  expect(classes.filter((name) => !page.includes(`| \`${name}\``))).toEqual([]);
});
