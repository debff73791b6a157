// A module of the sources or tests, as a script can import it. In: its path. Out: what it exports. Must hold: nothing is left.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

export async function importTypeScript(path) {
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-script-"));
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
