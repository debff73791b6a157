// The package's declarations, read as an editor reads them: the names of a door, what each is declared as, and the comment
// above it. In: a folder that tsc has written declarations to.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");

/** The compiler. */
export const TSC: string = join(ROOT, "node_modules", ".bin", "tsc");

/** Writes the declarations of all sources into a folder. */
export function writeDeclarations(folder: string): void {
  execFileSync(TSC, ["-p", join(ROOT, "tsconfig.build.json"), "--emitDeclarationOnly", "--outDir", folder]);
}

/** A name of a file, what it is called where it comes from, and that file. */
interface Exported {
  readonly name: string;
  readonly original: string;
  readonly from: string;
}

const declarationFile = (importer: string, specifier: string): string =>
  join(dirname(importer), specifier.replace(/\.(js|ts)$/, ".d.ts"));

/** Names that a declaration file exports from others, or imports from them. */
function namesFrom(file: string, text: string, word: "export" | "import"): Exported[] {
  const lists = new RegExp(`^${word} (?:type )?\\{([^}]*)\\} from "([^"]+)"`, "gm");
  return [...text.matchAll(lists)].flatMap((match) =>
    match[1]!
      .split(",")
      .map((part) => part.trim().replace(/^type /, ""))
      .filter((part) => part !== "")
      .map((part) => {
        const [original, name = original] = part.split(" as ") as [string, string?];
        return { name, original, from: declarationFile(file, match[2]!) };
      }),
  );
}

const KIND = "(?:const|function|class|interface|type|abstract class|\\* as)";

/** Names that a declaration file declares itself. */
const declaredIn = (text: string): string[] => [
  ...[...text.matchAll(new RegExp(`^export (?:declare )?${KIND} (\\w+)`, "gm"))].map((match) => match[1]!),
  ...[...text.matchAll(/^export (?:type )?\{([^}]*)\};/gm)].flatMap((match) =>
    match[1]!
      .split(",")
      .map((part) => part.trim().split(" as ").at(-1)!)
      .filter((name) => name !== ""),
  ),
];

/** All names that a file exports, those of modules that it hands on whole too. */
function exportedNames(file: string): Exported[] {
  const text = readFileSync(file, "utf8");
  const named = namesFrom(file, text, "export");
  const own = declaredIn(text).map((name) => ({ name, original: name, from: file }));
  const whole = [...text.matchAll(/^export (?:type )?\* from "([^"]+)"/gm)].flatMap(([, specifier]) =>
    exportedNames(declarationFile(file, specifier!)),
  );
  const first = new Set([...named, ...own].map(({ name }) => name));
  return [...named, ...own, ...whole.filter(({ name }) => !first.has(name))];
}

/** A declaration, up to the next top-level statement, and the comment directly above it, "" if there is none. */
export interface Declaration {
  readonly name: string;
  readonly text: string;
  readonly comment: string;
}

function declarationOf(name: string, text: string): Declaration | null {
  const internal = new RegExp(`export \\{[^}]*?(\\w+) as ${name}[^\\w]`).exec(text)?.[1] ?? name;
  const start = text.search(new RegExp(`^(export )?(declare )?${KIND} ${internal}\\b`, "m"));
  if (start < 0) return null;
  const rest = text.slice(start);
  const end = rest.slice(1).search(/^(export|declare|\/\*\*|import|type|interface|Object)\b|^\/\*\*/m);
  const first = end < 0 ? rest : rest.slice(0, end + 1);
  return {
    name,
    text: first.replace(/\s+#\w+.*;|\s+#private;/g, "").trim(),
    comment: commentBefore(text.slice(0, start)),
  };
}

/** The documentation comment that a text ends with, "" if it ends with none. */
export const commentBefore = (text: string): string =>
  /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(text)?.[0].trim() ?? "";

/** The declaration of a name in a file, or in the file that this one has it from. */
function declarationIn(file: string, name: string): Declaration {
  const text = readFileSync(file, "utf8");
  const own = declarationOf(name, text);
  if (own !== null) return own;
  const others = [...namesFrom(file, text, "export"), ...namesFrom(file, text, "import")];
  const handed = others.find((other) => other.name === name);
  if (handed === undefined) return { name, text: `${name}: not found`, comment: "" };
  return declarationIn(handed.from, handed.original);
}

/** The declarations of all names that a file exports, in the order of the names. */
export const declarationsOf = (file: string): Declaration[] =>
  exportedNames(file)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, original, from }) => ({ ...declarationIn(from, original), name }));
