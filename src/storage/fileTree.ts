// Folders and files below a store's root: what is there, in which state, and whether it really is inside. In: paths that
// were made of checked keys. Out: answers, and errors that name the key.

import type * as Fs from "node:fs";
import { messageOf, NotFoundError, StorageError, StoreKeyError, StoreRequestError } from "./errors.ts";
import type { FileIo } from "./fileIo.ts";
import type { StoreKey } from "./store.ts";

export function isMissing(cause: unknown): boolean {
  const { code } = cause as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
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

export const goneAway = (key: StoreKey, whole: StoreKey): NotFoundError =>
  new NotFoundError({
    what: `${whole} is not there any more: somebody removed or moved it while its parts were written`,
    where: key,
    cure: "Write it again, and leave it where it is until it is done",
  });

/** What may not be so later. */
const PASSING: ReadonlySet<string> = new Set([
  ...["EMFILE", "ENFILE", "EAGAIN", "EBUSY", "EIO", "ETIMEDOUT", "ESTALE"],
]);

const CURES: { readonly [code: string]: string } = {
  EACCES: "Give this process the permission, or use another place",
  EPERM: "Give this process the permission, or use another place",
  EROFS: "The file system is read-only; use another place",
  ENOSPC: "The disk is full; make room, and the same call goes on where it was",
  EDQUOT: "The quota is used up; make room, and the same call goes on where it was",
};

/** What the system says, as an error of ours. */
export function asRequestError(cause: unknown, key: StoreKey): unknown {
  if (cause instanceof StorageError) return cause;
  const { code } = cause as NodeJS.ErrnoException;
  if (code === undefined) return cause;
  const parts = { what: messageOf(cause), where: key, retryable: PASSING.has(code), cure: CURES[code] };
  return new StoreRequestError(parts, { cause });
}
