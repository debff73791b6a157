// Reads and writes of single files, in two manners: through Node's thread pool (other work goes on
// meanwhile), or blocking (no hops between threads: right for worker threads, which have nothing else to do). Files of a
// page or less are read and written at once in either manner, where somebody asks for that.
// In: paths that have been checked. Out: bytes; file-system errors as Node throws them.

import type * as Fs from "node:fs";
import type * as Path from "node:path";
import type { FileOptions } from "./fileTypes.ts";
import { type ByteRuns, type OpenObject, tooShort } from "./store.ts";
import { strayName, strayStart } from "./strays.ts";

type Callback<T> = (error: NodeJS.ErrnoException | null, value: T) => void;

/** One call of Node's callback interface as a promise; lighter than node:fs/promises. */
const call = <T>(start: (done: Callback<T>) => void): Promise<T> =>
  new Promise((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value))));

/** Where small files are read to first. */
const spare = new Uint8Array(4097);

/** Up to this many bytes a thread-pool hop costs more than the reading or writing. */
const SMALL = 64 * 1024;

export class FileIo {
  readonly fs: typeof Fs;
  readonly path: typeof Path;
  readonly root: string;
  readonly #options: FileOptions;
  readonly #openFlags: number;
  readonly #newFlags: number;
  readonly #partFlags: number;
  readonly #follow: boolean;
  /** What names of files that it writes begin with until they are whole. */
  readonly #strayStart: string = strayStart();

  constructor(fs: typeof Fs, path: typeof Path, root: string, options: FileOptions, follow = false) {
    this.fs = fs;
    this.path = path;
    this.root = root;
    this.#options = options;
    this.#follow = follow;
    // O_NOFOLLOW does not exist on Windows. O_NONBLOCK: opening a pipe must not hang.
    const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
    this.#newFlags = O_WRONLY | O_CREAT | O_EXCL;
    this.#partFlags = O_WRONLY | O_NOFOLLOW;
    this.#openFlags = O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
  }

  get isDurable(): boolean {
    return this.#options.durable === true;
  }

  /** The same, for a path whose last part may be a symbolic link. */
  following(): FileIo {
    return new FileIo(this.fs, this.path, this.root, this.#options, true);
  }

  /** Undefined when it is not a file. */
  open(path: string): OpenFile | undefined {
    // Opening and asking the size take microseconds; a hop to another thread takes more.
    const file = this.fs.openSync(path, this.#openFlags);
    try {
      const stat = this.fs.fstatSync(file);
      if (stat.isFile()) return new OpenFile(this.fs, file, stat.size, path, this.#options.blocking === true);
    } catch (cause) {
      this.fs.closeSync(file);
      throw cause;
    }
    this.fs.closeSync(file);
    return undefined;
  }

  /** A file that is just as long as `target`; false where it is not, or cannot be read. */
  readNow(path: string, target: Uint8Array): boolean {
    const { length } = target;
    if (length >= spare.length) return false;
    try {
      const file = this.fs.openSync(path, this.#openFlags);
      try {
        // One byte more than is wanted: a longer file is seen without asking how long it is.
        if (this.fs.readSync(file, spare, 0, length + 1, 0) !== length) return false;
      } finally {
        this.fs.closeSync(file);
      }
    } catch {
      return false;
    }
    for (let i = 0; i < length; i++) target[i] = spare[i]!;
    return true;
  }

  /** A new file, or another in the place of the one that is there. False where that failed: nothing has changed then. */
  writeNow(folder: string, name: string, bytes: Uint8Array): boolean {
    if (this.#options.durable === true) return false;
    const temporary = folder + strayName(this.#strayStart);
    try {
      const file = this.fs.openSync(temporary, this.#newFlags);
      let written: number;
      try {
        written = this.fs.writeSync(file, bytes, 0, bytes.length);
      } finally {
        this.fs.closeSync(file);
      }
      if (written === bytes.length) {
        this.fs.renameSync(temporary, folder + name);
        return true;
      }
    } catch {}
    this.fs.rmSync(temporary, { force: true });
    return false;
  }

  /** Parts follow each other in the file. */
  async write(path: string, parts: Iterable<Uint8Array>): Promise<void> {
    const temporary = `${this.path.dirname(path)}${this.path.sep}${strayName(this.#strayStart)}`;
    try {
      await this.#fill(temporary, parts);
      this.fs.renameSync(temporary, path);
    } catch (cause) {
      this.fs.rmSync(temporary, { force: true });
      throw cause;
    }
    if (this.#options.durable === true) await this.syncFolder(this.path.dirname(path));
  }

  /** Only where nothing has that name yet: false where something has. The file is whole before it has its name. */
  async writeNew(path: string, bytes: Uint8Array): Promise<boolean> {
    const temporary = `${this.path.dirname(path)}${this.path.sep}${strayName(this.#strayStart)}`;
    try {
      await this.#fill(temporary, [bytes]);
      if (!this.#linkNew(temporary, path)) return false;
    } finally {
      this.fs.rmSync(temporary, { force: true });
    }
    if (this.#options.durable === true) await this.syncFolder(this.path.dirname(path));
    return true;
  }

  #linkNew(temporary: string, path: string): boolean {
    try {
      this.fs.linkSync(temporary, path);
      return true;
    } catch (cause) {
      const { code = "" } = cause as NodeJS.ErrnoException;
      // A file server whose answer was lost is asked again, and finds its own link.
      if (code === "EEXIST") return this.fs.lstatSync(temporary).nlink > 1;
      if (!CANNOT_LINK.has(code)) throw cause;
      return this.#copyNew(temporary, path);
    }
  }

  /** Where the file system has no second names: just as exclusive, but who reads meanwhile may see a part of it. */
  #copyNew(temporary: string, path: string): boolean {
    try {
      this.fs.copyFileSync(temporary, path, this.fs.constants.COPYFILE_EXCL);
      return true;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw cause;
    }
  }

  async #fill(path: string, parts: Iterable<Uint8Array>): Promise<void> {
    const file = this.fs.openSync(path, this.#newFlags);
    try {
      for (const part of parts) {
        const waiting = this.#append(file, part);
        if (waiting !== undefined) await waiting;
      }
      if (this.#options.durable === true) await this.#sync(file);
    } finally {
      this.fs.closeSync(file);
    }
  }

  #append(file: number, part: Uint8Array): Promise<void> | undefined {
    if (this.#options.blocking !== true && part.length > SMALL) return this.#appendLater(file, part);
    for (let done = 0; done < part.length; )
      done += this.fs.writeSync(file, part, done, Math.min(part.length - done, MOST_AT_ONCE));
    return undefined;
  }

  async #appendLater(file: number, part: Uint8Array): Promise<void> {
    for (let done = 0; done < part.length; ) {
      const length = Math.min(part.length - done, MOST_AT_ONCE);
      done += await call<number>((then) => this.fs.write(file, part, done, length, null, then));
    }
  }

  #sync(file: number): Promise<void> {
    return call<void>((then) => this.fs.fsync(file, (error) => then(error)));
  }

  /** A new file in a folder, of such a length, under a name that is nobody's: that name. */
  reserve(folder: string, length: number): string {
    const name = strayName(this.#strayStart);
    const file = this.fs.openSync(`${folder}${this.path.sep}${name}`, this.#newFlags);
    try {
      this.fs.ftruncateSync(file, length);
    } finally {
      this.fs.closeSync(file);
    }
    return name;
  }

  /** A part of a file that is there. */
  async writeAt(path: string, offset: number, bytes: Uint8Array): Promise<void> {
    const file = this.fs.openSync(path, this.#partFlags);
    try {
      for (let done = 0; done < bytes.length; ) {
        const length = Math.min(bytes.length - done, MOST_AT_ONCE);
        done +=
          this.#options.blocking === true
            ? this.fs.writeSync(file, bytes, done, length, offset + done)
            : await call<number>((then) => this.fs.write(file, bytes, done, length, offset + done, then));
      }
    } finally {
      this.fs.closeSync(file);
    }
  }

  /** A file gets another name, in the same folder. */
  async rename(from: string, to: string): Promise<void> {
    if (this.isDurable) {
      const file = this.fs.openSync(from, this.#partFlags);
      await this.#sync(file).finally(() => this.fs.closeSync(file));
    }
    this.fs.renameSync(from, to);
    if (this.isDurable) await this.syncFolder(this.path.dirname(to));
  }

  /** A name is on the disk when its folder is. Some systems cannot open or sync folders; then there is no more to do. */
  async syncFolder(folder: string): Promise<void> {
    let file: number | undefined;
    try {
      file = this.fs.openSync(folder, "r");
      await this.#sync(file);
    } catch (cause) {
      if (!CANNOT_SYNC.has((cause as NodeJS.ErrnoException).code ?? "")) throw cause;
    } finally {
      if (file !== undefined) this.fs.closeSync(file);
    }
  }

  /** With the folders above it that are not there yet. Node's own way says ENOENT where a file system is read-only. */
  async makeFolder(folder: string): Promise<void> {
    const above = this.path.dirname(folder);
    if (this.#madeFolder(folder) !== undefined && above !== folder) {
      await this.makeFolder(above);
      const missing = this.#madeFolder(folder);
      if (missing !== undefined) throw missing;
    }
    // A new folder's name is in the one above it.
    if (this.#options.durable === true) await this.syncFolder(above);
  }

  /** Why not, when the one above is not there. */
  #madeFolder(folder: string): unknown {
    try {
      this.fs.mkdirSync(folder);
    } catch (cause) {
      if (this.fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
      return cause;
    }
    return undefined;
  }

  isFile(path: string): boolean {
    const stat = this.#follow ? this.fs.statSync(path) : this.fs.lstatSync(path);
    if (stat.isSymbolicLink()) throw Object.assign(new Error("a symbolic link"), { code: "ELOOP" });
    return stat.isFile();
  }

  /** Another text for another state of a file; undefined where there is none. */
  version(path: string): string | undefined {
    if (!this.isFile(path)) return undefined;
    const { size, mtimeMs } = this.fs.statSync(path);
    return `${size} ${mtimeMs}`;
  }

  isLink(path: string): boolean {
    try {
      return this.fs.lstatSync(path).isSymbolicLink();
    } catch {
      return false;
    }
  }

  linkTarget(path: string): string {
    return this.path.resolve(this.path.dirname(path), this.fs.readlinkSync(path));
  }
}

/** What systems and file systems answer that have no syncing of folders. */
const CANNOT_SYNC: ReadonlySet<string> = new Set([
  "EISDIR",
  "EPERM",
  "EACCES",
  "EINVAL",
  "ENOTSUP",
  "ENOSYS",
]);

/** What file systems answer that give a file one name only. */
const CANNOT_LINK: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** One call of the system reads less than 2 GiB. */
const MOST_AT_ONCE = 2 ** 30;

export class OpenFile implements OpenObject {
  readonly size: number;
  readonly #fs: typeof Fs;
  readonly #file: number;
  readonly #path: string;
  readonly #blocking: boolean;

  constructor(fs: typeof Fs, file: number, size: number, path: string, blocking: boolean) {
    this.size = size;
    this.#fs = fs;
    this.#file = file;
    this.#path = path;
    this.#blocking = blocking;
  }

  readInto(offset: number, target: Uint8Array): Promise<void> | undefined {
    if (!this.#blocking && target.length > SMALL) return this.#readLater(offset, target);
    for (let done = 0; done < target.length; ) {
      const length = Math.min(target.length - done, MOST_AT_ONCE);
      done += this.#some(this.#fs.readSync(this.#file, target, done, length, offset + done), target, done);
    }
    return undefined;
  }

  readRuns({ count, length, offset, step, target, at, stride }: ByteRuns): void {
    for (let run = 0; run < count; run++) {
      const [from, to] = [offset + run * step, at + run * stride];
      for (let done = 0; done < length; ) {
        const got = this.#fs.readSync(this.#file, target, to + done, length - done, from + done);
        if (got === 0) throw tooShort(this.#path, length, done);
        done += got;
      }
    }
  }

  async #readLater(offset: number, target: Uint8Array): Promise<void> {
    for (let done = 0; done < target.length; ) {
      const length = Math.min(target.length - done, MOST_AT_ONCE);
      const count = await call<number>((then) =>
        this.#fs.read(this.#file, target, done, length, offset + done, then),
      );
      done += this.#some(count, target, done);
    }
  }

  #some(count: number, target: Uint8Array, done: number): number {
    if (count === 0) throw tooShort(this.#path, target.length, done);
    return count;
  }

  close(): void {
    this.#fs.closeSync(this.#file);
  }
}

/** Memory that is about to be overwritten need not be zeroed first. */
export function allocateBytes(length: number): Uint8Array {
  const { Buffer } = globalThis as { Buffer?: { allocUnsafeSlow(length: number): Uint8Array } };
  const memory = Buffer?.allocUnsafeSlow(length);
  // A plain Uint8Array: a Buffer's `slice` shares memory, which surprises.
  return memory ? new Uint8Array(memory.buffer, memory.byteOffset, length) : new Uint8Array(length);
}
