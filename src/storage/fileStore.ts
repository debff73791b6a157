// A store in a folder of the file system (Node only). What must hold:
// - an object appears whole or not at all: it is written under a temporary name and renamed;
// - nothing outside the root is read or written: keys are checked, and symbolic links that lead out are refused;
// - a run that was killed leaves only temporary names, which `sweepStrays` removes.

import type * as Fs from "node:fs";
import type { Address } from "../core/platform.ts";
import { builtinNow, requireBuiltin } from "./builtin.ts";
import { StoreRequestError } from "./errors.ts";
import { allocateBytes, FileIo, type OpenFile } from "./fileIo.ts";
import {
  asRequestError,
  contains,
  deepestReal,
  entriesOf,
  escapes,
  FilePlaces,
  goneAway,
  isMissing,
  listedFiles,
  listedKeys,
  realRoot,
  removeTree,
  sweepTree,
  syncTree,
} from "./fileTree.ts";
import type { FileOptions, ListedFile } from "./fileTypes.ts";
import {
  type ByteRange,
  type ByteRuns,
  type GetOptions,
  type OpenObject,
  type SetOptions,
  type Store,
  type StoreKey,
  type StoreLocation,
  type StoreOptions,
  type SweepOptions,
  tooLong,
} from "./store.ts";
import { isStray } from "./strays.ts";

/** Options of `new cw.FileStore(root, …)`. */
export interface FileStoreOptions extends FileOptions {
  /** Refuses writes. */
  readOnly?: boolean;
}

/** A store in a folder: `new cw.FileStore("data.zarr")`. A path in its place does the same. */
export class FileStore implements Store {
  readonly root: string;
  readonly near = "files";
  readonly #options: FileStoreOptions;
  #absolute: string | undefined;
  #io: FileIo | undefined;
  #places: FilePlaces | undefined;
  #opening: Promise<FileIo> | undefined;
  constructor(root: string | Address, options: FileStoreOptions = {}) {
    this.root = typeof root === "string" ? root : decodeURIComponent(root.pathname);
    this.#options = options;
  }

  get isDurable(): boolean {
    return this.#options.durable === true;
  }

  asDurable(): FileStore {
    return new FileStore(this.root, { ...this.#options, durable: true });
  }

  /** The root as an absolute path, whatever the working folder is later. */
  location(): StoreLocation {
    this.#absolute ??= builtinNow("node:path")?.resolve(this.root) ?? this.root;
    return { kind: "file", root: this.#absolute, ...(this.isDurable ? { durable: true } : {}) };
  }

  /** Without links: equal for stores in one folder. */
  async address(): Promise<string> {
    return (this.#io ?? (await this.#open())).root;
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
    if (this.#io === undefined) await this.#open();
    const file = this.#openFile(key, options);
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
    if (this.#io === undefined) await this.#open();
    const file = this.#openFile(key, options);
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

  #openFile(key: StoreKey, options: StoreOptions): OpenFile | undefined {
    const path = this.#place(key, options);
    return path === undefined ? undefined : this.#trying(key, (using) => using.open(path));
  }

  readNow(key: StoreKey, target: Uint8Array): boolean {
    const folder = this.#places?.knownFolder(key);
    return folder !== undefined && this.#io!.readNow(folder + nameOf(key), target);
  }

  writeNow(key: StoreKey, bytes: Uint8Array): boolean {
    const folder = this.#options.readOnly === true ? undefined : this.#places?.knownFolder(key);
    return folder !== undefined && this.#io!.writeNow(folder, nameOf(key), bytes);
  }

  async has(key: StoreKey, options: StoreOptions = {}): Promise<boolean> {
    if (this.#io === undefined) await this.#open();
    const path = this.#place(key, options);
    return path !== undefined && this.#trying(key, (using) => using.isFile(path)) === true;
  }

  async version(key: StoreKey): Promise<string | undefined> {
    if (this.#io === undefined) await this.#open();
    const path = this.#place(key, {});
    return path === undefined ? undefined : this.#trying(key, (using) => using.version(path));
  }

  set(key: StoreKey, value: Uint8Array, options: SetOptions = {}): Promise<void> {
    return this.setParts(key, [value], options);
  }

  setParts(key: StoreKey, parts: Iterable<Uint8Array>, options: SetOptions = {}): Promise<void> {
    return this.#writing(key, options, (io, path) => io.write(path, parts));
  }

  setNew(key: StoreKey, value: Uint8Array, options: SetOptions = {}): Promise<boolean> {
    return this.#writing(key, options, (io, path) => io.writeNew(path, value));
  }

  async #writing<T>(
    key: StoreKey,
    options: SetOptions,
    write: (io: FileIo, path: string) => Promise<T>,
  ): Promise<T> {
    this.#mayWrite(key);
    const io = this.#io ?? (await this.#open());
    options.signal?.throwIfAborted();
    const path = this.#places!.pathOf(key);
    const folder = io.path.dirname(path);
    return this.#written(key, async () => {
      // The folders that are there already must be inside before any is made in them.
      if (!this.#places!.isThere(folder, key)) await this.#makeFolder(io, folder, key, options);
      return write(io, path).catch(async (cause: unknown) => {
        if (!isMissing(cause)) throw cause;
        // Somebody removed the folder after we had seen it.
        this.#places!.forget();
        await this.#makeFolder(io, folder, key, options);
        return write(io, path);
      });
    });
  }

  async reserve(key: StoreKey, length: number): Promise<StoreKey> {
    this.#mayWrite(key);
    const io = this.#io ?? (await this.#open());
    const folder = io.path.dirname(this.#places!.pathOf(key));
    return this.#written(key, async () => {
      if (!this.#places!.isThere(folder, key)) await this.#makeFolder(io, folder, key, {});
      return `${key.slice(0, key.lastIndexOf("/"))}/${io.reserve(folder, length)}` as StoreKey;
    });
  }

  async setRange(reserved: StoreKey, offset: number, bytes: Uint8Array): Promise<void> {
    this.#mayWrite(reserved);
    const io = this.#io ?? (await this.#open());
    return this.#written(reserved, () => io.writeAt(this.#placed(reserved), offset, bytes));
  }

  async publish(reserved: StoreKey, key: StoreKey): Promise<void> {
    const io = this.#io ?? (await this.#open());
    return this.#written(key, () => io.rename(this.#placed(reserved), this.#placed(key)));
  }

  /** A path whose folder must be there. */
  #placed(key: StoreKey): string {
    const path = this.#place(key, {});
    if (path === undefined) throw goneAway(key, "/");
    return path;
  }

  async #written<T>(key: StoreKey, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (cause) {
      throw asRequestError(cause, key);
    }
  }

  /** A folder for parts of something is made only where that something is. */
  async #makeFolder(io: FileIo, folder: string, key: StoreKey, { partOf }: SetOptions): Promise<void> {
    if (partOf !== undefined && !(await this.has(partOf))) throw goneAway(key, partOf);
    await io.makeFolder(folder);
    this.#places!.isThere(folder, key);
  }

  async delete(key: StoreKey, options: StoreOptions = {}): Promise<boolean> {
    this.#mayWrite(key);
    if (this.#io === undefined) await this.#open();
    const path = this.#place(key, options);
    if (path === undefined) return false;
    const removed = this.#trying(key, ({ fs }) => {
      // A folder is no object.
      if (fs.lstatSync(path).isDirectory()) return false;
      fs.unlinkSync(path);
      return true;
    });
    return removed ?? false;
  }

  /** Folders too, but the root. Links are removed, and not followed. */
  async deleteBelow(prefix: StoreKey, options: StoreOptions = {}): Promise<void> {
    this.#mayWrite(prefix);
    const io = this.#io ?? (await this.#open());
    const path = this.#place(prefix, options, "folder");
    if (path === undefined) return;
    this.#places!.forget();
    try {
      await removeTree(io, path);
      if (prefix !== "/") io.fs.rmdirSync(path);
    } catch (cause) {
      throw asRequestError(cause, prefix);
    }
  }

  /** Symbolic links to folders are not followed. */
  async *list(prefix: StoreKey, options: StoreOptions = {}): AsyncIterable<StoreKey> {
    const io = this.#io ?? (await this.#open());
    const path = this.#place(prefix, options, "folder");
    if (path !== undefined) yield* signed(prefix, listedKeys(io, path, prefix, options));
  }

  async *listSizes(prefix: StoreKey, options: StoreOptions = {}): AsyncIterable<ListedFile[]> {
    const io = this.#io ?? (await this.#open());
    const path = this.#place(prefix, options, "folder");
    if (path !== undefined) yield* signed(prefix, listedFiles(io, path, prefix, options));
  }

  /** Symbolic links to folders are not followed: they could make the tree endless. */
  async listDir(
    prefix: StoreKey,
    options: StoreOptions = {},
  ): Promise<{ keys: string[]; folders: string[] }> {
    const io = this.#io ?? (await this.#open());
    const path = this.#place(prefix, options, "folder");
    const entries: Fs.Dirent[] = path === undefined ? [] : await entriesOf(io, path, prefix);
    const named = entries.filter((entry) => !isStray(entry.name));
    return {
      keys: named.filter((entry) => !entry.isDirectory()).map((entry) => entry.name),
      folders: named.filter((entry) => entry.isDirectory()).map((entry) => entry.name),
    };
  }

  /**
   * All names below a path are on the disk when this ends: renamed files, new folders, removals. What files hold is not
   * synced; `durable: true` does that when they are written.
   */
  async syncFolders(below: StoreKey = "/"): Promise<void> {
    const io = this.#io ?? (await this.#open());
    const folder = this.#place(below, {}, "folder");
    if (folder === undefined) return;
    try {
      await syncTree(io, folder);
      await io.syncFolder(io.path.dirname(folder));
    } catch (cause) {
      throw asRequestError(cause, below);
    }
  }

  /**
   * Removes what killed runs left: temporary files of processes of this machine that are gone or of threads that were
   * ended, and any that are older than `olderThanMs` (those of other machines can be told only by age). How many. In all of
   * the store, or below a path of it.
   */
  async sweepStrays(options: SweepOptions = {}): Promise<number> {
    const io = this.#io ?? (await this.#open());
    const folder = this.#place(options.below ?? "/", {}, "folder");
    return folder === undefined ? 0 : sweepTree(io, folder, options);
  }

  #open(): Promise<FileIo> {
    this.#opening ??= (async () => {
      const fs = await requireBuiltin("node:fs");
      const path = await requireBuiltin("node:path");
      this.#io = new FileIo(fs, path, realRoot(fs, path, this.root), this.#options);
      this.#places = new FilePlaces(this.#io);
      return this.#io;
    })();
    return this.#opening;
  }

  /** The path of a key whose folder is inside the root; undefined when the folder is not there. */
  #place(key: StoreKey, { signal }: StoreOptions, kind?: "folder"): string | undefined {
    signal?.throwIfAborted();
    return this.#places!.placeOf(key, kind);
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
    const found = deepestReal(io, this.#places!.pathOf(key));
    if (!contains(io, found.real)) throw escapes(key, found.real);
    return found.whole ? action(io.following()) : undefined;
  }

  #mayWrite(key: StoreKey): void {
    if (this.#options.readOnly !== true) return;
    throw new StoreRequestError({ what: "the store is read-only", where: key, retryable: false });
  }
}

/** Errors with the key of what was listed. */
async function* signed<T>(prefix: StoreKey, items: AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* items;
  } catch (cause) {
    throw asRequestError(cause, prefix);
  }
}

const nameOf = (key: StoreKey): string => key.slice(key.lastIndexOf("/") + 1);
