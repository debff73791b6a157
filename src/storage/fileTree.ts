// Which files are in a folder and below it, by key, with their sizes where these are asked for. In: a folder that is inside the
// store's root. Out: keys, or files in batches. There may be 100,000 in one folder, or in as many: folders are read in one call
// each, sizes are asked for many at a time, and others get a turn in between.

import type * as Fs from "node:fs";
import { messageOf, NotFoundError, StorageError, StoreKeyError, StoreRequestError } from "./errors.ts";
import type { FileIo } from "./fileIo.ts";
import type { ListedFile } from "./fileTypes.ts";
import { isPlainName, keySegments, type StoreKey, type StoreOptions, type SweepOptions } from "./store.ts";
import { isStray, strayIsDead } from "./strays.ts";

// Folders and files below a store's root: what is there, in which state, and whether it really is inside. In: paths that
// were made of checked keys. Out: answers, and errors that name the key.

export function isMissing(cause: unknown): boolean {
  const { code } = cause as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Files that are removed before others get a turn. */
const FOLDERS_AT_ONCE = 1000;

/** All that is in a folder. */
export async function removeTree(io: FileIo, folder: string): Promise<void> {
  let count = 0;
  for (const entry of io.fs.readdirSync(folder, { withFileTypes: true })) {
    const path = folder + io.path.sep + entry.name;
    if (entry.isDirectory()) {
      await removeTree(io, path);
      io.fs.rmdirSync(path);
    } else removeFile(io, path);
    if (++count % FOLDERS_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
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

/** Removes what dead writers left in a folder and below; how many files. */
export async function sweepTree(io: FileIo, folder: string, options: SweepOptions): Promise<number> {
  const { endedThreads, olderThanMs = Number.POSITIVE_INFINITY } = options;
  let removed = 0;
  const entries = await io.fs.promises.readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = io.path.join(folder, entry.name);
    if (entry.isDirectory()) removed += await sweepTree(io, path, options);
    else if (
      isStray(entry.name) &&
      (strayIsDead(entry.name, endedThreads) || ageOf(io, path) > olderThanMs)
    ) {
      io.fs.rmSync(path, { force: true });
      removed++;
    }
  }
  return removed;
}

function ageOf(io: FileIo, path: string): number {
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

// From keys to paths inside a store's root. In: keys. Out: paths whose folders really are inside, whatever symbolic links there
// are, or typed errors. What was looked at once is remembered, because chunks of an array share a folder.

const MOST_KNOWN_FOLDERS = 10_000;

export class FilePlaces {
  readonly #io: FileIo;
  /** Folders known to lie inside the root. */
  readonly #inside = new Set<string>();
  /** The folder of the last key: the key's part before the last "/", and the folder's path, with what ends it and without. */
  #known: { readonly prefix: string; readonly folder: string; readonly path: string } | undefined;

  constructor(io: FileIo) {
    this.#io = io;
  }

  /** Folders have been removed: what is known of them is not so any more. */
  forget(): void {
    this.#inside.clear();
  }

  /** The path of the folder with what ends it, where the folder was looked at before. */
  knownFolder(key: StoreKey): string | undefined {
    const known = this.#known;
    const cut = key.lastIndexOf("/");
    const isKnown =
      known !== undefined &&
      known.prefix.length === cut &&
      key.startsWith(known.prefix) &&
      isPlainName(key, cut + 1) &&
      this.#inside.has(known.path);
    return isKnown ? known.folder : undefined;
  }

  /** The path of a key whose folder is inside the root; undefined when the folder is not there. */
  placeOf(key: StoreKey, kind: "file" | "folder" = "file"): string | undefined {
    const path = this.pathOf(key);
    // A folder that is listed is followed when it is a link, so it must be inside itself.
    const folder = key === "/" || kind === "folder" ? path : this.#io.path.dirname(path);
    return this.isThere(folder, key) ? path : undefined;
  }

  pathOf(key: StoreKey): string {
    const { root, path: paths } = this.#io;
    // Chunks of an array share a folder, whose path is known after the first.
    const cut = key.length > 1 && key.endsWith("/") ? 0 : key.lastIndexOf("/");
    const known = this.#known;
    const hasName = cut < key.length - 1;
    if (hasName && known?.prefix.length === cut && key.startsWith(known.prefix)) {
      if (!isPlainName(key, cut + 1)) keySegments(key.slice(cut));
      return known.folder + key.slice(cut + 1);
    }
    const path = [root === paths.sep ? "" : root, ...keySegments(key)].join(paths.sep);
    if (hasName) {
      const folder = path.slice(0, path.length - (key.length - cut - 1));
      this.#known = { prefix: key.slice(0, cut), folder, path: paths.dirname(path) };
    }
    return path === "" ? root : path;
  }

  /** True when the folder is there, really inside the root; false when it is not there; else an error. */
  isThere(folder: string, key: StoreKey): boolean {
    if (this.#inside.has(folder)) return true;
    const found = deepestReal(this.#io, folder);
    if (!contains(this.#io, found.real)) throw escapes(key, found.real);
    if (!found.whole) return false;
    if (this.#inside.size >= MOST_KNOWN_FOLDERS) this.#inside.clear();
    this.#inside.add(folder);
    return true;
  }
}

interface Place {
  readonly key: StoreKey;
  readonly path: string;
}

/** Symbolic links to folders are not followed: they could make the tree endless. */
function* placesIn(io: FileIo, folder: string, prefix: StoreKey): Iterable<Place> {
  const start = prefix === "/" ? "" : prefix;
  for (const entry of entriesIn(io, folder)) {
    const { name } = entry;
    if (name.startsWith(".") && isStray(name)) continue;
    const [key, path] = [`${start}/${name}` as StoreKey, folder + io.path.sep + name];
    if (entry.isDirectory()) yield* placesIn(io, path, key);
    else yield { key, path };
  }
}

function entriesIn({ fs }: FileIo, folder: string): Fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw cause;
  }
}

/** Files between two turns of others. */
const BATCH = 1024;
/** A batch of sizes keeps others waiting for so long. */
const MOST_MS = 20;
/** Sizes that are asked for at once: more than the system's threads, so that none waits. */
const AT_ONCE = 64;

function* batchesOf(places: Iterable<Place>): Iterable<Place[]> {
  let batch: Place[] = [];
  for (const place of places) {
    batch.push(place);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

export async function* listedKeys(
  io: FileIo,
  folder: string,
  prefix: StoreKey,
  { signal }: StoreOptions,
): AsyncIterable<StoreKey> {
  for (const batch of batchesOf(placesIn(io, folder, prefix))) {
    signal?.throwIfAborted();
    for (const { key } of batch) yield key;
    await new Promise((resolve) => setTimeout(resolve));
  }
}

export async function* listedFiles(
  io: FileIo,
  folder: string,
  prefix: StoreKey,
  { signal }: StoreOptions,
): AsyncIterable<ListedFile[]> {
  for (const batch of batchesOf(placesIn(io, folder, prefix))) {
    signal?.throwIfAborted();
    yield await statsOf(io, batch);
  }
}

/** What the system knows already it tells in microseconds, faster than another thread could be asked; what is slow is asked for at once. */
async function statsOf(io: FileIo, places: readonly Place[]): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  const end = performance.now() + MOST_MS;
  let at = 0;
  for (; at < places.length && performance.now() < end; at++)
    addFile(files, places[at]!, io.fs.statSync(places[at]!.path, { throwIfNoEntry: false }));
  await statsLater(io, places.slice(at), files);
  return files;
}

function addFile(files: ListedFile[], { key }: Place, stat: Fs.Stats | undefined): void {
  if (stat?.isFile()) files.push({ key, size: stat.size, modified: stat.mtimeMs });
}

function statsLater(io: FileIo, places: readonly Place[], files: ListedFile[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let [next, left] = [0, places.length];
    const ask = (): void => {
      const place = places[next++];
      if (place === undefined) return;
      io.fs.stat(place.path, (cause, stat) => {
        // Somebody removed it, or it is a link that leads nowhere.
        if (cause !== null && !isMissing(cause)) return reject(cause);
        addFile(files, place, cause === null ? stat : undefined);
        if (--left === 0) resolve();
        else ask();
      });
    };
    if (left === 0) resolve();
    for (let i = 0; i < AT_ONCE; i++) ask();
  });
}
