// Writing a text to a file, in Node. Must hold: at the path is the old file or the whole new one, never a part: it is
// written under another name beside it and then renamed.

import type * as FsPromises from "node:fs/promises";
import { describe } from "../core/chunks.ts";
import { ChunkwiseError, ValueError } from "../core/errors.ts";
import type { Address } from "../core/platform.ts";

/** A file could not be written. */
export class SaveError extends ChunkwiseError {}

/** Writes a text to a file, whole or not at all (Node only): `await save("timeline.svg", timelineSvg(past))`. */
export async function save(path: string | Address, text: string): Promise<void> {
  if (typeof text !== "string") {
    throw new ValueError({
      where: "save",
      what: `the text is ${describe(text)}`,
      cure: "Give it what timelineSvg, toCSV or JSON.stringify returns",
    });
  }
  const fs = await fileSystem();
  const suffix = `.${process.pid}-${crypto.randomUUID()}.partial`;
  const temporary = path instanceof URL ? new URL(path.href + suffix) : path + suffix;
  try {
    await writeThrough(fs, temporary, text);
    await fs.rename(temporary, path);
  } catch (cause) {
    await fs.rm(temporary, { force: true });
    throw new SaveError(
      {
        where: "save",
        what: `${String(path)} cannot be written: ${(cause as Error).message}`,
        cure: "Name a file in a folder that exists and can be written",
      },
      { cause },
    );
  }
}

/** On the disk before it gets its name. */
async function writeThrough(fs: typeof FsPromises, path: string | Address, text: string): Promise<void> {
  const file = await fs.open(path, "wx");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** By a name that bundlers for browsers do not follow. */
async function fileSystem(): Promise<typeof FsPromises> {
  const name: string = "node:fs/promises";
  try {
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as typeof FsPromises;
  } catch (cause) {
    const cure = "In a browser, offer the text as a download";
    throw new SaveError({ where: "save", what: "there is no file system here", cure }, { cause });
  }
}
