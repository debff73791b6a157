// Opening a file with the system's viewer, in Node. In: a file, and a program where one is named. Out: nothing; the
// viewer goes on by itself. Must hold: no shell reads the name of the file.

import type * as ChildProcess from "node:child_process";
import type * as FsPromises from "node:fs/promises";
import type * as Os from "node:os";
import type * as Path from "node:path";
import { VisualizeError } from "./error.ts";

/** By a name that bundlers for browsers do not follow. */
async function builtin<T>(name: string): Promise<T> {
  try {
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as T;
  } catch (cause) {
    const cure = "In a browser, put the SVG into the page";
    throw new VisualizeError({ where: "visualize", what: "files cannot be opened here", cure }, { cause });
  }
}

/** A file in a folder of its own, for a picture that was given no name. */
export async function temporaryFile(extension: string): Promise<string> {
  const { mkdtemp } = await builtin<typeof FsPromises>("node:fs/promises");
  const { tmpdir } = await builtin<typeof Os>("node:os");
  const { join } = await builtin<typeof Path>("node:path");
  return join(await mkdtemp(join(tmpdir(), "chunkwise-plan-")), `plan.${extension}`);
}

const VIEWERS: { readonly [platform: string]: string } = { darwin: "open", win32: "explorer.exe" };

export async function openFile(file: string | URL, program: string | undefined): Promise<void> {
  const { spawn } = await builtin<typeof ChildProcess>("node:child_process");
  const { resolve } = await builtin<typeof Path>("node:path");
  const { fileURLToPath } = await builtin<typeof import("node:url")>("node:url");
  const viewer = program ?? VIEWERS[process.platform] ?? "xdg-open";
  // A whole path cannot be taken for an option.
  const path = file instanceof URL ? fileURLToPath(file) : resolve(file);
  await new Promise<void>((done, fail) => {
    const child = spawn(viewer, [path], { detached: true, shell: false, stdio: "ignore" });
    child.once("spawn", () => {
      child.unref();
      done();
    });
    child.once("error", (cause) => {
      const what = `${viewer} cannot be started to show ${path}: ${cause.message}`;
      const cure = 'Name a program that shows such files: open: "firefox"';
      fail(new VisualizeError({ where: "visualize", what, cure }, { cause }));
    });
  });
}
