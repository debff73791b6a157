// Pages that follow from the op table: the functions' own comments, in docs/api.md and docs/ragged-api.md between marks.
// `npx vitest run test/tablePages.test.ts -u` writes them.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { optionNames } from "../src/lazy/call.ts";
import * as elementwise from "../src/ops/elementwise/index.ts";
import * as exponentialSums from "../src/ops/exponentialSums.ts";
import * as nanReductions from "../src/ops/nanReductions.ts";
import * as reductions from "../src/ops/reductions.ts";
import * as scans from "../src/ops/scans.ts";

const ROOT = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const FAMILIES = ["arithmetic", "choice", "exponential", "logic", "special", "stopGradient"].map(
  (name) => `elementwise/${name}`,
);
const SOURCES = [...FAMILIES, "reductions", "nanReductions", "scans", "exponentialSums"].map((file) =>
  read(`src/ops/${file}.ts`),
);

/** What a function says of itself, up to the first paragraph's end, and its example. */
function commentOf(name: string): string {
  for (const text of SOURCES) {
    const own = new RegExp(
      `/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*(?:export )?const ${LOCAL[name] ?? name}\\b`,
    ).exec(text);
    if (own !== null) return firstParagraph(own[1]!);
  }
  throw new Error(`${name} has no comment`);
}
const LOCAL: { readonly [name: string]: string } = { var: "variance" };

const firstParagraph = (comment: string): string =>
  comment
    .split(/\n \*\n/)[0]!
    .replace(/\n \* ?/g, " ")
    .trim();

type Call = (...args: never[]) => unknown;
const functionsOf = (module: object): [string, Call][] =>
  Object.entries(module)
    .filter((entry): entry is [string, Call] => typeof entry[1] === "function")
    .sort(([a], [b]) => (a < b ? -1 : 1));

const ARGUMENTS: { readonly [name: string]: string } = {
  where: "condition, x1, x2",
  clip: "x, min?, max?",
};

function signature(name: string, call: Call): string {
  const { arity } = call as { arity?: number };
  const operands = ARGUMENTS[name] ?? (arity === 2 ? "x1, x2" : "x");
  const options = optionNames(call);
  return `\`${name}(${operands}${options.length === 0 ? "" : `, {${options.join(", ")}}`})\``;
}

/** Columns as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => [...row[at]!].length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell + " ".repeat(widths[at]! - [...cell].length)).join(" | ")} |`;
  return [
    line(rows[0]!),
    `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`,
    ...rows.slice(1).map(line),
  ].join("\n");
}

const HEAD = ["function", "what it gives", "method"];
const denseTable = (...modules: readonly object[]): string =>
  table([
    HEAD,
    ...modules.flatMap(functionsOf).map(([name, call]) => [signature(name, call), commentOf(name), "yes"]),
  ]);

function nestedTable(): string {
  const options = (name: string): string =>
    ["axis", "keepdims", "maskIdentity", ...(/^(nan)?(var|std)$/.test(name) ? ["ddof"] : [])].join(", ");
  const what = (name: string): string => commentOf(name).replace(/: `cw.*$/, "");
  return table([
    HEAD,
    ...[...functionsOf(reductions), ...functionsOf(nanReductions)]
      .filter(([name]) => !name.startsWith("nancum"))
      .map(([name]) => [`\`${name}(x, {${options(name)}})\``, what(name), "yes"]),
  ]);
}

function nestedNames(): string {
  const ops = functionsOf(elementwise).filter(([, call]) => "arity" in call);
  const words = `${ops.map(([name]) => `\`${name}\``).join(", ")}.`.split(" ");
  const lines = [""];
  for (const word of words) {
    const at = lines.length - 1;
    if (lines[at]!.length + word.length > 118) lines.push(word);
    else lines[at] = lines[at] === "" ? word : `${lines[at]} ${word}`;
  }
  return lines.join("\n");
}

const PARTS: { readonly [mark: string]: () => string } = {
  "table: elementwise": () => denseTable(elementwise),
  "table: reductions, nanReductions, scans, exponentialSums": () =>
    denseTable(reductions, nanReductions, scans, exponentialSums),
  "nested reductions": nestedTable,
  "names: elementwise": nestedNames,
};

test.each(["docs/api.md", "docs/ragged-api.md"])("%s says what the table says", async (page) => {
  const text = read(page).replace(
    /<!-- ((?:table|nested|names)[^>]*) -->[\s\S]*?<!-- end -->/g,
    (_, mark: string) => `<!-- ${mark} -->\n\n${PARTS[mark]!()}\n\n<!-- end -->`,
  );
  expect(text).toContain("<!-- end -->");
  await expect(text).toMatchFileSnapshot(join(ROOT, page));
});

test("every function of the table has an example", () => {
  const names = [elementwise, reductions, nanReductions, scans, exponentialSums]
    .flatMap(functionsOf)
    .map(([name]) => name);
  expect(names.filter((name) => !/`[^`]*cw\.\w+\(/.test(commentOf(name)))).toEqual([]);
});
