// The public surface: every exported name and its declared type, as one reviewed file. A change of it is a
// change of the contract and shows up as a diff of the snapshot.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import * as zarr from "chunkwise/zarr";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

/** Names exported by a declaration file, with the file they come from. */
function exportedNames(declarations: string): { name: string; from: string }[] {
  return [...declarations.matchAll(/export (?:type )?\{([^}]*)\} from "([^"]+)"/g)].flatMap((match) =>
    match[1]!
      .split(",")
      .map((part) => part.trim().replace(/^type /, ""))
      .filter((part) => part !== "")
      .map((name) => ({ name, from: match[2]!.replace(/\.(js|ts)$/, ".d.ts") })),
  );
}

/** The declaration of one name: up to the next top-level statement. */
function declarationOf(name: string, text: string): string {
  const internal = new RegExp(`export \\{[^}]*?(\\w+) as ${name}[^\\w]`).exec(text)?.[1] ?? name;
  const start = text.search(
    new RegExp(
      `^(export )?(declare )?(const|function|class|interface|type|abstract class) ${internal}\\b`,
      "m",
    ),
  );
  if (start < 0) return `${name}: not found`;
  const rest = text.slice(start);
  const end = rest.slice(1).search(/^(export|declare|\/\*\*|import|type|interface|Object)\b|^\/\*\*/m);
  const first = end < 0 ? rest : rest.slice(0, end + 1);
  return first.replace(/\s+#\w+.*;|\s+#private;/g, "").trim();
}

/** The declaration of a name in a file, or in the file that this one has it from. */
function declarationIn(file: string, name: string): string {
  expect(existsSync(file), file).toBe(true);
  const text = readFileSync(file, "utf8");
  const own = declarationOf(name, text);
  const handed = own.endsWith(": not found") && exportedNames(text).find((other) => other.name === name);
  return handed ? declarationIn(join(dirname(file), handed.from), name) : own;
}

/** The declarations of all names that a file hands on. */
const declarationsOf = (folder: string, file: string): string[] =>
  exportedNames(readFileSync(join(folder, file), "utf8")).map(({ name, from }) =>
    declarationIn(join(folder, from), name),
  );

const out = mkdtempSync(join(tmpdir(), "chunkwise-exports-"));
beforeAll(() => {
  const tsc = join(ROOT, "node_modules", ".bin", "tsc");
  execFileSync(tsc, ["-p", join(ROOT, "tsconfig.build.json"), "--emitDeclarationOnly", "--outDir", out]);
}, 120_000);
afterAll(() => rmSync(out, { recursive: true }));

test.each([
  ["chunkwise", out, "exports"],
  ["chunkwise/ragged", join(out, "array", "ragged"), "exports-ragged"],
])("every name of %s and its type", async (_, folder, snapshot) => {
  const lines = declarationsOf(folder, "index.d.ts");
  expect(lines.length).toBeGreaterThan(150);
  await expect(`${lines.join("\n\n")}\n`).toMatchFileSnapshot(`__snapshots__/${snapshot}.txt`);
});

test("values at run time are the ones that are declared", () => {
  expect(Object.keys(cw).sort()).toMatchSnapshot();
  expect(Object.keys(rg).sort()).toMatchSnapshot("chunkwise/ragged");
  expect(Object.keys(zarr).sort()).toMatchSnapshot("chunkwise/zarr");
});
