// Reads and writes of single files, in two manners: through Node's thread pool (other work goes on
// meanwhile), or blocking (no hops between threads: right for worker threads, which have nothing else to do).
// In: paths that have been checked. Out: bytes; file-system errors as Node throws them.

import type * as Fs from "node:fs";
import type * as Path from "node:path";
import { type ByteRange, tooShort } from "./store.ts";
import { machineName, strayName } from "./strays.ts";

export interface FileOptions {
  /** Waits until written data are on the disk before they get their name. */
  fsync?: boolean;
  /** Calls that block the thread: faster, and right in a worker thread. */
  blocking?: boolean;
}

type Callback<T> = (error: NodeJS.ErrnoException | null, value: T) => void;

/** One call of Node's callback interface as a promise; lighter than node:fs/promises. */
const call = <T>(start: (done: Callback<T>) => void): Promise<T> =>
  new Promise((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value))));

/** Up to this many bytes a thread-pool hop costs more than the reading or writing. */
const SMALL = 64 * 1024;

export class FileIo {
  readonly fs: typeof Fs;
  readonly path: typeof Path;
  readonly root: string;
  readonly #options: FileOptions;
  readonly #openFlags: number;
  readonly #follow: boolean;

  constructor(fs: typeof Fs, path: typeof Path, root: string, options: FileOptions, follow = false) {
    this.fs = fs;
    this.path = path;
    this.root = root;
    this.#options = options;
    this.#follow = follow;
    // O_NOFOLLOW does not exist on Windows. O_NONBLOCK: opening a pipe must not hang.
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
    this.#openFlags = O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
  }

  /** The same, for a path whose last part may be a symbolic link. */
  following(): FileIo {
    return new FileIo(this.fs, this.path, this.root, this.#options, true);
  }

  read(path: string): Promise<Uint8Array | undefined> {
    return this.#withFile(path, (file, size) => this.#readAt(file, path, 0, allocateBytes(size)));
  }

  readRange(path: string, range: ByteRange): Promise<Uint8Array | undefined> {
    return this.#withFile(path, (file, size) => {
      const offset = "suffixLength" in range ? Math.max(0, size - range.suffixLength) : range.offset;
      const length = "suffixLength" in range ? range.suffixLength : range.length;
      const there = Math.max(0, Math.min(length, size - offset));
      return this.#readAt(file, path, offset, allocateBytes(there));
    });
  }

  readInto(path: string, offset: number, target: Uint8Array): Promise<number | undefined> {
    return this.#withFile(path, async (file, size) => {
      const there = Math.max(0, Math.min(target.length, size - offset));
      await this.#readAt(file, path, offset, target.subarray(0, there));
      return there;
    });
  }

  async #withFile<T>(
    path: string,
    action: (file: number, size: number) => Promise<T>,
  ): Promise<T | undefined> {
    // Opening and asking the size take microseconds; a hop to another thread takes more.
    const file = this.fs.openSync(path, this.#openFlags);
    try {
      const stat = this.fs.fstatSync(file);
      return stat.isFile() ? await action(file, stat.size) : undefined;
    } finally {
      this.fs.closeSync(file);
    }
  }

  async #readAt(file: number, path: string, offset: number, target: Uint8Array): Promise<Uint8Array> {
    const blocking = this.#options.blocking === true || target.length <= SMALL;
    let done = 0;
    while (done < target.length) {
      const length = Math.min(target.length - done, MOST_AT_ONCE);
      const count = blocking
        ? this.fs.readSync(file, target, done, length, offset + done)
        : await call<number>((then) => this.fs.read(file, target, done, length, offset + done, then));
      if (count === 0) throw tooShort(path, target.length, done);
      done += count;
    }
    return target;
  }

  async write(path: string, value: Uint8Array): Promise<void> {
    const temporary = this.path.join(this.path.dirname(path), strayName(machineName()));
    try {
      await this.#fill(temporary, value);
      this.fs.renameSync(temporary, path);
    } catch (cause) {
      this.fs.rmSync(temporary, { force: true });
      throw cause;
    }
    if (this.#options.fsync === true) this.#syncFolder(this.path.dirname(path));
  }

  async #fill(path: string, value: Uint8Array): Promise<void> {
    const file = this.fs.openSync(path, "wx");
    const blocking = this.#options.blocking === true || value.length <= SMALL;
    try {
      for (let done = 0; done < value.length; ) {
        const length = Math.min(value.length - done, MOST_AT_ONCE);
        done += blocking
          ? this.fs.writeSync(file, value, done, length)
          : await call<number>((then) => this.fs.write(file, value, done, length, null, then));
      }
      if (this.#options.fsync === true) await call<void>((then) => this.fs.fsync(file, (e) => then(e)));
    } finally {
      this.fs.closeSync(file);
    }
  }

  /** A rename is on the disk when its folder is. Some systems cannot do this; then there is no more to do. */
  #syncFolder(folder: string): void {
    try {
      const file = this.fs.openSync(folder, "r");
      try {
        this.fs.fsyncSync(file);
      } finally {
        this.fs.closeSync(file);
      }
    } catch {}
  }

  async isFile(path: string): Promise<boolean> {
    const stat = this.#follow ? this.fs.statSync(path) : this.fs.lstatSync(path);
    if (stat.isSymbolicLink()) throw Object.assign(new Error("a symbolic link"), { code: "ELOOP" });
    return stat.isFile();
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

/** One call of the system reads less than 2 GiB. */
const MOST_AT_ONCE = 2 ** 30;

/** Memory that is about to be overwritten need not be zeroed first. */
function allocateBytes(length: number): Uint8Array {
  const { Buffer } = globalThis as { Buffer?: { allocUnsafeSlow(length: number): Uint8Array } };
  const memory = Buffer?.allocUnsafeSlow(length);
  // A plain Uint8Array: a Buffer's `slice` shares memory, which surprises.
  return memory ? new Uint8Array(memory.buffer, memory.byteOffset, length) : new Uint8Array(length);
}
