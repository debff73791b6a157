// The public surface: every exported name and its declared type, as one reviewed file. A change of it is a
// change of the contract and shows up as a diff of the snapshot.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import * as zarr from "chunkwise/zarr";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

const declarationFile = (specifier: string): string => specifier.replace(/\.(js|ts)$/, ".d.ts");

/** Names that a declaration file hands on, with the file they come from. */
function handedOn(declarations: string): { name: string; from: string }[] {
  return [...declarations.matchAll(/export (?:type )?\{([^}]*)\} from "([^"]+)"/g)].flatMap((match) =>
    match[1]!
      .split(",")
      .map((part) =>
        part
          .trim()
          .replace(/^type /, "")
          .replace(/^\w+ as /, ""),
      )
      .filter((part) => part !== "")
      .map((name) => ({ name, from: declarationFile(match[2]!) })),
  );
}

/** Names that a declaration file declares itself. */
const declaredIn = (text: string): string[] => [
  ...[
    ...text.matchAll(/^export (?:declare )?(?:const|function|class|interface|type|abstract class) (\w+)/gm),
  ].map((match) => match[1]!),
  ...[...text.matchAll(/^export \{([^}]*)\};/gm)].flatMap((match) =>
    match[1]!
      .split(",")
      .map((part) => part.trim().split(" as ").at(-1)!)
      .filter((name) => name !== ""),
  ),
];

/** All names that a file exports, those of modules that it hands on whole too. */
function exportedNames(folder: string, file: string): { name: string; from: string }[] {
  const text = readFileSync(join(folder, file), "utf8");
  const named = handedOn(text);
  const whole = [...text.matchAll(/export (?:type )?\* from "([^"]+)"/g)].flatMap(([, specifier]) => {
    const from = declarationFile(specifier!);
    const path = join(folder, from);
    const own = declaredIn(readFileSync(path, "utf8")).map((name) => ({ name, from }));
    const further = exportedNames(dirname(path), basename(path));
    return [...own, ...further.map((other) => ({ ...other, from: join(dirname(from), other.from) }))];
  });
  const first = new Set(named.map(({ name }) => name));
  return [...named, ...whole.filter(({ name }) => !first.has(name))];
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
  const handed = own.endsWith(": not found") && handedOn(text).find((other) => other.name === name);
  return handed ? declarationIn(join(dirname(file), handed.from), name) : own;
}

/** The declarations of all names that a file hands on. */
const declarationsOf = (folder: string, file: string): string[] =>
  exportedNames(folder, file)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, from }) => declarationIn(join(folder, from), name));

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

/** A program of a user's, checked with all declarations: nothing is skipped. */
const CONSUMER = `import * as cw from "./index.js";
import * as native from "./doors/native.js";
import * as observe from "./doors/observe.js";
import * as rg from "./doors/ragged.js";
import * as rewrite from "./doors/rewrite.js";
import * as zarr from "./doors/zarr.js";
const x = cw.zeros([3], { dtype: "float32" });
export const y: cw.LazyArray<"float32"> = cw.abs(x).add(1).sqrt();
export const lists: rg.RaggedArray = cw.sqrt(rg.fromIter([[1, 2], [3]]));
export const lazily: Promise<unknown> = rg.lazy(lists).sum({ axis: 1 }).compute();
export { native, observe, rewrite, zarr };
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
  const tsc = join(ROOT, "node_modules", ".bin", "tsc");
  const { stdout } = spawnSync(tsc, ["-p", out], { encoding: "utf8" });
  expect(stdout).toBe("");
});
