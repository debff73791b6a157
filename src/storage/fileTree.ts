// Folders and files below a store's root: what is there, in which state, and whether it really is inside. In: paths that
// were made of checked keys. Out: answers, and errors that name the key.

import type * as Fs from "node:fs";
import { messageOf, StoreKeyError, StoreRequestError } from "./errors.ts";
import type { FileIo } from "./fileIo.ts";
import type { StoreKey } from "./store.ts";
import { isStray } from "./strays.ts";

export function isMissing(cause: unknown): boolean {
  const { code } = cause as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** One call of the system for each file, and no hops between: there may be many. */
export function addStates(io: FileIo, folder: string, prefix: StoreKey, states: string[]): void {
  const start = prefix === "/" ? "" : prefix;
  for (const entry of io.fs.readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (name.startsWith(".") && isStray(name)) continue;
    const path = folder + io.path.sep + name;
    if (entry.isDirectory()) {
      addStates(io, path, `${start}/${name}` as StoreKey, states);
      continue;
    }
    const stat = io.fs.statSync(path, { throwIfNoEntry: false });
    if (stat !== undefined) states.push(`${start}/${name} ${stat.size} ${stat.mtimeMs}`);
  }
}

/** Files that are removed before others get a turn. */
const AT_ONCE = 1000;

/** All that is in a folder. */
export async function removeTree(io: FileIo, folder: string): Promise<void> {
  let count = 0;
  for (const entry of io.fs.readdirSync(folder, { withFileTypes: true })) {
    const path = folder + io.path.sep + entry.name;
    if (entry.isDirectory()) {
      await removeTree(io, path);
      io.fs.rmdirSync(path);
    } else removeFile(io, path);
    if (++count % AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
  }
}

function removeFile({ fs }: FileIo, path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (cause) {
    // Somebody else did it.
    if (!isMissing(cause)) throw cause;
  }
}

/** The folders of a tree, the inner ones first: what a synced folder names is there. */
export async function syncTree(io: FileIo, folder: string): Promise<void> {
  for (const entry of io.fs.readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncTree(io, folder + io.path.sep + entry.name);
  await io.syncFolder(folder);
}

export async function entriesOf({ fs }: FileIo, path: string, key: StoreKey): Promise<Fs.Dirent[]> {
  try {
    return await fs.promises.readdir(path, { withFileTypes: true });
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw asRequestError(cause, key);
  }
}

export function realRoot(fs: typeof Fs, path: FileIo["path"], root: string): string {
  const absolute = path.resolve(root);
  try {
    return fs.realpathSync(absolute);
  } catch {
    // Not there yet: its nearest folder that is there decides what the rest means.
    const parent = path.dirname(absolute);
    return parent === absolute ? absolute : path.join(realRoot(fs, path, parent), path.basename(absolute));
  }
}

/** The real path of the deepest part of `path` that is there. */
export function deepestReal(io: FileIo, path: string): { real: string; whole: boolean } {
  let at = path;
  for (;;) {
    try {
      return { real: io.fs.realpathSync(at), whole: at === path };
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") throw cause;
      // A link that leads nowhere yet could lead out as soon as its target is made.
      if (io.isLink(at)) return { real: io.linkTarget(at), whole: false };
      if (at === io.root) return { real: io.root, whole: false };
      at = io.path.dirname(at);
    }
  }
}

export const contains = (io: FileIo, real: string): boolean =>
  real === io.root || real.startsWith(io.root.endsWith(io.path.sep) ? io.root : io.root + io.path.sep);

export function escapes(key: StoreKey, real: string): StoreKeyError {
  return new StoreKeyError({
    what: `a symbolic link leads out of the store, to ${real}`,
    where: key,
    cure: "Open the store at the folder that the link leads to",
  });
}

export function ageOf(io: FileIo, path: string): number {
  try {
    return Date.now() - io.fs.lstatSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

export function asRequestError(cause: unknown, key: StoreKey): unknown {
  if (cause instanceof StoreKeyError) return cause;
  const { code } = cause as NodeJS.ErrnoException;
  if (code === undefined) return cause;
  const retryable = ["EMFILE", "ENFILE", "EAGAIN", "EBUSY", "EIO", "ETIMEDOUT", "ESTALE"].includes(code);
  return new StoreRequestError({ what: messageOf(cause), where: key, retryable }, { cause });
}
