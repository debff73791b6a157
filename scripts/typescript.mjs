// A module of the sources or tests, as a script can import it. In: its path. Out: what it exports. Must hold: nothing is left;
// packages that it loads by names that bundlers do not follow are found, so it lies among them for a moment.

import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const PACKAGES = resolve(import.meta.dirname, "..", "node_modules");

export async function importTypeScript(path) {
  const folder = mkdtempSync(join(PACKAGES, ".chunkwise-script-"));
  try {
    const made = await rolldown({ input: path, platform: "node" });
    const file = join(folder, "module.js");
    await made.write({ format: "esm", file, codeSplitting: false });
    await made.close();
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
