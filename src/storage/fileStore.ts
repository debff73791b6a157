// A store in a folder of the file system (Node only). What must hold:
// - an object appears whole or not at all: it is written under a temporary name and renamed;
// - nothing outside the root is read or written: keys are checked, and symbolic links that lead out are refused;
// - a run that was killed leaves only temporary names, which `sweepStrays` removes.

import type * as Fs from "node:fs";
import { builtinNow, requireBuiltin } from "./builtin.ts";
import { StoreRequestError } from "./errors.ts";
import { allocateBytes, FileIo, type FileOptions, type OpenFile } from "./fileIo.ts";
import {
  addStates,
  ageOf,
  asRequestError,
  contains,
  deepestReal,
  entriesOf,
  escapes,
  isMissing,
  realRoot,
} from "./fileTree.ts";
import {
  type ByteRange,
  type ByteRuns,
  type GetOptions,
  isPlainName,
  keySegments,
  type OpenObject,
  type Store,
  type StoreKey,
  type StoreOptions,
  tooLong,
} from "./store.ts";
import { isStray, strayIsDead } from "./strays.ts";

export interface FileStoreOptions extends FileOptions {
  /** Refuses writes. */
  readOnly?: boolean;
}

export class FileStore implements Store {
  readonly root: string;
  readonly #options: FileStoreOptions;
  #absolute: string | undefined;
  #io: FileIo | undefined;
  #opening: Promise<FileIo> | undefined;
  /** Folders known to lie inside the root. */
  readonly #inside = new Set<string>();
  /** The folder of the last key: the key's part before the last "/", and the folder's path, with what ends it and without. */
  #known: { readonly prefix: string; readonly folder: string; readonly path: string } | undefined;

  constructor(root: string | URL, options: FileStoreOptions = {}) {
    this.root = typeof root === "string" ? root : decodeURIComponent(root.pathname);
    this.#options = options;
  }

  /** The root as an absolute path, whatever the working folder is later. */
  absoluteRoot(): string {
    this.#absolute ??= builtinNow("node:path")?.resolve(this.root) ?? this.root;
    return this.#absolute;
  }

  async get(key: StoreKey, options: GetOptions = {}): Promise<Uint8Array | undefined> {
    return this.#read(key, options, ({ size }) => {
      if (size > (options.maxBytes ?? size)) throw tooLong(key, options.maxBytes!, size);
      return { offset: 0, length: size };
    });
  }

  async getRange(
    key: StoreKey,
    range: ByteRange,
    options: StoreOptions = {},
  ): Promise<Uint8Array | undefined> {
    return this.#read(key, options, ({ size }) => {
      const offset = "suffixLength" in range ? Math.max(0, size - range.suffixLength) : range.offset;
      const length = "suffixLength" in range ? range.suffixLength : range.length;
      return { offset, length: Math.max(0, Math.min(length, size - offset)) };
    });
  }

  async #read(
    key: StoreKey,
    options: StoreOptions,
    which: (file: OpenFile) => { offset: number; length: number },
  ): Promise<Uint8Array | undefined> {
    const io = this.#io ?? (await this.#open());
    const file = this.#openFile(io, key, options);
    if (file === undefined) return undefined;
    try {
      const { offset, length } = which(file);
      const bytes = allocateBytes(length);
      const waiting = file.readInto(offset, bytes);
      if (waiting !== undefined) await waiting;
      return bytes;
    } catch (cause) {
      throw asRequestError(cause, key);
    } finally {
      file.close();
    }
  }

  async open(key: StoreKey, options: StoreOptions = {}): Promise<OpenObject | undefined> {
    const io = this.#io ?? (await this.#open());
    const file = this.#openFile(io, key, options);
    if (file === undefined) return undefined;
    const failed = (cause: unknown): never => {
      throw asRequestError(cause, key);
    };
    const readInto = (offset: number, target: Uint8Array): Promise<void> | undefined => {
      try {
        return file.readInto(offset, target)?.catch(failed);
      } catch (cause) {
        return failed(cause);
      }
    };
    const readRuns = (runs: ByteRuns): void => {
      try {
        file.readRuns(runs);
      } catch (cause) {
        failed(cause);
      }
    };
    return { size: file.size, readInto, readRuns, close: () => file.close() };
  }

  #openFile(io: FileIo, key: StoreKey, options: StoreOptions): OpenFile | undefined {
    const path = this.#place(io, key, options);
    return path === undefined ? undefined : this.#trying(key, (using) => using.open(path));
  }

  readNow(key: StoreKey, target: Uint8Array): boolean {
    const folder = this.#folderOf(key);
    return folder !== undefined && this.#io!.readNow(folder + nameOf(key), target);
  }

  writeNow(key: StoreKey, bytes: Uint8Array): boolean {
    const folder = this.#options.readOnly === true ? undefined : this.#folderOf(key);
    return folder !== undefined && this.#io!.writeNow(folder, nameOf(key), bytes);
  }

  /** The path of the folder with what ends it, where the folder was looked at before. */
  #folderOf(key: StoreKey): string | undefined {
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

  async has(key: StoreKey, options: StoreOptions = {}): Promise<boolean> {
    const io = this.#io ?? (await this.#open());
    const path = this.#place(io, key, options);
    return path !== undefined && this.#trying(key, (using) => using.isFile(path)) === true;
  }

  set(key: StoreKey, value: Uint8Array, options: StoreOptions = {}): Promise<void> {
    return this.setParts(key, [value], options);
  }

  async setParts(key: StoreKey, parts: Iterable<Uint8Array>, options: StoreOptions = {}): Promise<void> {
    this.#mayWrite(key);
    const io = this.#io ?? (await this.#open());
    options.signal?.throwIfAborted();
    const path = this.#path(io, key);
    const folder = io.path.dirname(path);
    try {
      if (!this.#inside.has(folder)) {
        // The folders that are there already must be inside before any is made in them.
        this.#checkInside(io, folder, key);
        io.fs.mkdirSync(folder, { recursive: true });
        this.#checkInside(io, folder, key);
      }
      await this.#write(io, path, parts);
    } catch (cause) {
      throw asRequestError(cause, key);
    }
  }

  async #write(io: FileIo, path: string, parts: Iterable<Uint8Array>): Promise<void> {
    try {
      await io.write(path, parts);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
      // Somebody removed the folder after we had seen it.
      io.fs.mkdirSync(io.path.dirname(path), { recursive: true });
      await io.write(path, parts);
    }
  }

  async delete(key: StoreKey, options: StoreOptions = {}): Promise<boolean> {
    this.#mayWrite(key);
    const io = this.#io ?? (await this.#open());
    const path = this.#place(io, key, options);
    if (path === undefined) return false;
    const removed = this.#trying(key, ({ fs }) => {
      fs.unlinkSync(path);
      return true;
    });
    return removed ?? false;
  }

  async *list(prefix: StoreKey, options: StoreOptions = {}): AsyncIterable<StoreKey> {
    const start = prefix === "/" ? "" : prefix;
    const { keys, folders } = await this.listDir(prefix, options);
    for (const name of keys) yield `${start}/${name}` as StoreKey;
    for (const name of folders) yield* this.list(`${start}/${name}` as StoreKey, options);
  }

  /** Name, length and time of every object below a prefix, sorted: what tells one state of it from another. */
  async fileStates(prefix: StoreKey): Promise<string[]> {
    const io = this.#io ?? (await this.#open());
    const path = this.#place(io, prefix, {}, "folder");
    const states: string[] = [];
    if (path !== undefined) this.#trying(prefix, () => addStates(io, path, prefix, states));
    return states.sort();
  }

  /** Symbolic links to folders are not followed: they could make the tree endless. */
  async listDir(
    prefix: StoreKey,
    options: StoreOptions = {},
  ): Promise<{ keys: string[]; folders: string[] }> {
    const io = this.#io ?? (await this.#open());
    const path = this.#place(io, prefix, options, "folder");
    const entries: Fs.Dirent[] = path === undefined ? [] : await entriesOf(io, path, prefix);
    const named = entries.filter((entry) => !isStray(entry.name));
    return {
      keys: named.filter((entry) => !entry.isDirectory()).map((entry) => entry.name),
      folders: named.filter((entry) => entry.isDirectory()).map((entry) => entry.name),
    };
  }

  /**
   * Removes what killed runs left: temporary files of processes of this machine that are gone, and any
   * that are older than `olderThanMs` (those of other machines can be told only by age). How many. In all of the store, or
   * below a path of it.
   */
  async sweepStrays(options: { olderThanMs?: number; below?: StoreKey } = {}): Promise<number> {
    const io = this.#io ?? (await this.#open());
    const { below = "/", olderThanMs = Number.POSITIVE_INFINITY } = options;
    const folder = this.#place(io, below, {}, "folder");
    return folder === undefined ? 0 : this.#sweep(io, folder, olderThanMs);
  }

  async #sweep(io: FileIo, folder: string, olderThanMs: number): Promise<number> {
    let removed = 0;
    const entries = await io.fs.promises.readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = io.path.join(folder, entry.name);
      if (entry.isDirectory()) removed += await this.#sweep(io, path, olderThanMs);
      else if (isStray(entry.name) && (strayIsDead(entry.name) || ageOf(io, path) > olderThanMs)) {
        io.fs.rmSync(path, { force: true });
        removed++;
      }
    }
    return removed;
  }

  #open(): Promise<FileIo> {
    this.#opening ??= (async () => {
      const fs = await requireBuiltin("node:fs");
      const path = await requireBuiltin("node:path");
      this.#io = new FileIo(fs, path, realRoot(fs, path, this.root), this.#options);
      return this.#io;
    })();
    return this.#opening;
  }

  /** The path of a key whose folder is inside the root; undefined when the folder is not there. */
  #place(
    io: FileIo,
    key: StoreKey,
    { signal }: StoreOptions,
    kind: "file" | "folder" = "file",
  ): string | undefined {
    signal?.throwIfAborted();
    const path = this.#path(io, key);
    // A folder that is listed is followed when it is a link, so it must be inside itself.
    const folder = key === "/" || kind === "folder" ? path : io.path.dirname(path);
    return this.#inside.has(folder) || this.#checkInside(io, folder, key) ? path : undefined;
  }

  #path(io: FileIo, key: StoreKey): string {
    // Chunks of an array share a folder, whose path is known after the first.
    const cut = key.length > 1 && key.endsWith("/") ? 0 : key.lastIndexOf("/");
    const known = this.#known;
    const hasName = cut < key.length - 1;
    if (hasName && known?.prefix.length === cut && key.startsWith(known.prefix)) {
      if (!isPlainName(key, cut + 1)) keySegments(key.slice(cut));
      return known.folder + key.slice(cut + 1);
    }
    const path = [io.root === io.path.sep ? "" : io.root, ...keySegments(key)].join(io.path.sep);
    if (hasName) {
      const folder = path.slice(0, path.length - (key.length - cut - 1));
      this.#known = { prefix: key.slice(0, cut), folder, path: io.path.dirname(path) };
    }
    return path === "" ? io.root : path;
  }

  /** True when the folder is there, really inside the root; false when it is not there; else an error. */
  #checkInside(io: FileIo, folder: string, key: StoreKey): boolean {
    const found = deepestReal(io, folder);
    if (!contains(io, found.real)) throw escapes(key, found.real);
    if (!found.whole) return false;
    if (this.#inside.size >= MOST_KNOWN_FOLDERS) this.#inside.clear();
    this.#inside.add(folder);
    return true;
  }

  #trying<T>(key: StoreKey, action: (io: FileIo) => T): T | undefined {
    try {
      return action(this.#io!);
    } catch (cause) {
      if (isMissing(cause)) return undefined;
      const { code } = cause as NodeJS.ErrnoException;
      // The last part of the key is a symbolic link: allowed when it stays inside.
      if (code === "ELOOP") return this.#throughLink(key, action);
      throw asRequestError(cause, key);
    }
  }

  #throughLink<T>(key: StoreKey, action: (io: FileIo) => T): T | undefined {
    const io = this.#io!;
    const found = deepestReal(io, this.#path(io, key));
    if (!contains(io, found.real)) throw escapes(key, found.real);
    return found.whole ? action(io.following()) : undefined;
  }

  #mayWrite(key: StoreKey): void {
    if (this.#options.readOnly !== true) return;
    throw new StoreRequestError({ what: "the store is read-only", where: key, retryable: false });
  }
}

const MOST_KNOWN_FOLDERS = 10_000;

const nameOf = (key: StoreKey): string => key.slice(key.lastIndexOf("/") + 1);
