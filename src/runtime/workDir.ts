// Where a run keeps intermediates that are not in memory: Zarr arrays in a folder of its own (in a store that several processes
// share: sharedDir.ts). A named folder outlives a run that fails or is killed, so that the same computation goes on where it
// was; any other is removed at the end, however the process ends, unless it is killed outright.

import type * as Fs from "node:fs";
import type * as Path from "node:path";
import { type ChunkShape, sameShape } from "../core/chunks.ts";
import type { StopSignal } from "../core/platform.ts";
import type { Transfer } from "../core/transfer.ts";
import type { DensePlanArray, PlanArray } from "../plan/plan.ts";
import { builtinNow } from "../storage/builtin.ts";
import type { KnownCodecs } from "../storage/codecs/table.ts";
import { MetadataError, NotFoundError } from "../storage/errors.ts";
import { FileStore } from "../storage/fileStore.ts";
import { Turnstile } from "../storage/retry.ts";
import { keyIn, type Store, type StoreKey } from "../storage/store.ts";
import { ZarrArray } from "../storage/zarr/array.ts";
import {
  type CodecArgument,
  type CreateArrayOptions,
  createArray,
  planArray,
} from "../storage/zarr/create.ts";
import { openArray } from "../storage/zarr/group.ts";
import { writeNode } from "../storage/zarr/nodes.ts";
import type { HeldArray } from "./arrays.ts";
import { removeDamaged } from "./damaged.ts";
import { folderLock } from "./folderLock.ts";
import type { RunKey } from "./runKey.ts";
import { type Doubt, doubtOf, writtenBy } from "./runKey.ts";
import { INTERMEDIATE_CODECS, storedTransfer } from "./storedArrays.ts";

/** How arrays are stored: with which codecs, of which. */
export interface Storing {
  readonly codecs: readonly CodecArgument[] | null;
  readonly known: KnownCodecs;
}

const { process: host } = globalThis as {
  process?: {
    on?(event: "exit", listener: () => void): void;
    off?(event: "exit", listener: () => void): void;
  };
};

/** Chunks of fill value are stored like others: one that is not there is lost. */
const ALL_STORED = { writeEmptyChunks: true, missing: "error" } as const;

/** A folder that a run has, wherever that is. */
export interface RunHome {
  /** Made when it is first needed. */
  readonly store: Store;
  /** Of the folder, in the store; "" where the store is the folder. */
  readonly path: string;
  /** There is something to clean up. */
  readonly isMade: boolean;
  /** How an earlier run wrote what is here; null where there was none. */
  readonly before: string | null;
  /** False when the folder may be another's by now. */
  readonly mayRemove: boolean;
  /** Aborted when another process has taken the folder over. */
  readonly lost?: StopSignal | undefined;
  /** What is here is written like this from now on. */
  settle(written: string): void | Promise<void>;
  /** The run is over: the folder goes, or is left for a later run. */
  close(isDone: boolean): void | Promise<void>;
}

export class IntermediateStore {
  /** True when it is to be found again by a later run, and everything is stored. */
  readonly isNamed: boolean;
  readonly #home: RunHome;
  readonly #storing: Storing;
  readonly #isDurable: boolean;
  readonly #arrays = new Map<string, Promise<ZarrArray>>();
  readonly #pending = new Set<Promise<unknown>>();
  #removals: Turnstile | null = null;

  constructor(home: RunHome, isNamed: boolean, storing: Storing, isDurable = false) {
    this.#home = home;
    this.#isDurable = isDurable;
    this.isNamed = isNamed;
    this.#storing = storing;
  }

  get store(): Store {
    return this.#home.store;
  }

  /** Of the run's folder, in the store. */
  get path(): string {
    return this.#home.path;
  }

  /** It is in a store that other processes have, too. */
  get isShared(): boolean {
    return this.path !== "";
  }

  /** Nothing of an earlier run is here. */
  get isNew(): boolean {
    return this.path !== "" && this.#home.before === null;
  }

  /** Aborted when another process has taken the folder over. */
  get lost(): StopSignal | undefined {
    return this.#home.lost;
  }

  /** The array for an intermediate; made when it is first asked for, found when an earlier run made it. */
  arrayFor(array: PlanArray): Promise<ZarrArray> {
    let known = this.#arrays.get(array.name);
    if (known === undefined) {
      known = this.#open(array);
      this.#arrays.set(array.name, known);
    }
    return known;
  }

  async #open(array: PlanArray): Promise<ZarrArray> {
    const path = `${this.path}/${array.name}`;
    const { before } = this.#home;
    if (before === null && this.path !== "") return this.#make(array, path);
    try {
      const found = await openArray(this.store, path, { ...ALL_STORED, known: this.#storing.known });
      await removeDamaged(found, this.#doubt(), array.kind === "ragged");
      return found;
    } catch (error) {
      // Metadata that a power cut spoiled are as good as none, and so are the chunks.
      if (!(error instanceof NotFoundError || error instanceof MetadataError)) throw error;
      if (error instanceof MetadataError) await this.store.delete?.(keyIn(this.path, "zarr.json"));
    }
    if (this.path !== "") await this.store.deleteBelow?.(path as StoreKey);
    return this.#make(array, path);
  }

  /** Stores other than files have objects whole, or not at all. */
  #doubt(): Doubt {
    const isFiles = this.store.near === "files";
    return isFiles ? doubtOf(this.#home.before ?? undefined, false) : { ms: 0, most: 0 };
  }

  async #make(array: PlanArray, path: string): Promise<ZarrArray> {
    const { codecs, known } = this.#storing;
    const options = { codecs: codecs ?? INTERMEDIATE_CODECS, known, overwrite: true };
    const all = { ...options, ...ALL_STORED, ...storedAs(array) };
    if (this.path === "") return createArray(this.store, path, all);
    // Nothing is looked at in a folder that is the run's own, nor written above it.
    const metadata = planArray(all, path);
    await writeNode(this.store, path, metadata, {});
    return new ZarrArray(this.store, path, metadata, all);
  }

  /** What storing an array takes, for what tasks state. */
  transferOf({ dtype, chunks }: DensePlanArray): Transfer {
    const { codecs, known } = this.#storing;
    return storedTransfer(codecs ?? INTERMEDIATE_CODECS, known, dtype, chunks, this.store);
  }

  /** All that an earlier run left has been looked at: what is here is as safe as it is written now. */
  async settle(): Promise<void> {
    if (this.#home.isMade) await this.#home.settle(writtenBy(this.#isDurable, this.#home.before));
  }

  /** Metadata that somebody removed are written again: threads read them. */
  async mend(): Promise<void> {
    for (const array of await Promise.all(this.#arrays.values()))
      if ((await this.store.get(keyIn(array.path, "zarr.json"))) === undefined)
        await writeNode(this.store, array.path, array.metadata, {});
  }

  /** Work that nobody waits for before the end. */
  later(work: Promise<unknown>): void {
    // What cannot be removed now is removed with the folder.
    const settled = work.catch(() => {}).finally(() => this.#pending.delete(settled));
    this.#pending.add(settled);
  }

  /** Removes a chunk that nobody reads any more, in its turn; unless the folder may be another's. */
  remove(held: HeldArray, chunk: number): void {
    if (!this.#home.mayRemove) return held.drop(chunk);
    this.#removals ??= new Turnstile(REMOVED_AT_ONCE);
    const turns = this.#removals;
    this.later(held.delete(chunk, (removal) => turns.pass(undefined, removal)));
  }

  /** The run is over. What a later run could use stays. */
  async close(isDone: boolean): Promise<void> {
    await Promise.all(this.#pending);
    if (this.#home.isMade) await this.#home.close(isDone);
  }
}

/** Objects that are removed at once. */
const REMOVED_AT_ONCE = 16;

/** A folder of this machine's: a temporary one, or one that the user named and this process has locked. */
class LocalHome implements RunHome {
  readonly path = "";
  readonly before: string | null;
  readonly mayRemove = true;
  readonly #make: () => string;
  readonly #isNamed: boolean;
  readonly #isDurable: boolean;
  #folder: string | null = null;
  #store: FileStore | null = null;

  constructor(make: () => string, isNamed: boolean, isDurable: boolean) {
    this.#make = make;
    this.#isNamed = isNamed;
    this.#isDurable = isDurable;
    // It is there, and locked, whether or not anything is put into it.
    if (isNamed) this.#folder = make();
    this.before = this.#folder === null ? null : wordIn(this.#folder);
  }

  get isMade(): boolean {
    return this.#folder !== null;
  }

  get store(): FileStore {
    if (this.#store === null) {
      this.#folder ??= this.#make();
      if (!this.#isNamed) host?.on?.("exit", this.#removeNow);
      this.#store = new FileStore(this.#folder, { durable: this.#isDurable });
    }
    return this.#store;
  }

  settle(written: string): void {
    builtinNow("node:fs")?.writeFileSync(`${this.#folder}/${WRITTEN}`, written);
  }

  close(isDone: boolean): void {
    if (isDone || !this.#isNamed) this.#removeNow();
    else folderLock(this.#folder!).release();
    host?.off?.("exit", this.#removeNow);
  }

  /** At once: also when the process is about to end. */
  readonly #removeNow = (): void => {
    if (this.#folder !== null) builtinNow("node:fs")?.rmSync(this.#folder, { recursive: true, force: true });
  };
}

/** The file in a named folder that says how what is there was written. */
const WRITTEN = "written";

/** What it says; nothing in a folder that is new. */
function wordIn(folder: string): string | null {
  const fs = builtinNow("node:fs");
  try {
    return fs?.readFileSync(`${folder}/${WRITTEN}`, "utf8") ?? null;
  } catch {
    return fs?.readdirSync(folder).some((name) => name !== "lock") === true ? "unknown" : null;
  }
}

/** A partition is stored as bytes, in a chunk of its own that holds as many as there are (`setRaw`). */
function storedAs(array: PlanArray): Pick<CreateArrayOptions, "shape" | "dtype" | "chunks" | "shards"> {
  switch (array.kind) {
    case "dense":
      return { shape: array.shape, dtype: array.dtype, ...cutOf(array) };
    case "ragged":
      return { shape: [array.partitions], dtype: "uint8", chunks: array.chunks };
    default:
      throw array satisfies never;
  }
}

/** Chunks are shards where parts of them are to be read: of parts that fill them, or that reach beyond the end. */
function cutOf({ shape, chunks, inner }: DensePlanArray): { chunks: ChunkShape; shards?: ChunkShape } {
  if (inner === undefined || sameShape(inner, chunks)) return { chunks };
  const shards = chunks.map((n, axis) => (n < shape[axis]! ? n : Math.ceil(n / inner[axis]!) * inner[axis]!));
  const fills = shards.every((n, axis) => n % inner[axis]! === 0);
  return fills ? { chunks: inner, shards } : { chunks };
}

interface NodeModules {
  readonly fs: typeof Fs;
  readonly path: typeof Path;
}

function nodeModules(): NodeModules | null {
  const [fs, path] = [builtinNow("node:fs"), builtinNow("node:path")];
  return fs === undefined || path === undefined ? null : { fs, path };
}

/** For intermediates that memory has no room for; null where there are no files. */
export function temporaryStore(storing: Storing): IntermediateStore | null {
  const node = nodeModules();
  const os = builtinNow("node:os");
  if (node === null || os === undefined) return null;
  const make = (): string => node.fs.mkdtempSync(node.path.join(os.tmpdir(), "chunkwise-"));
  return new IntermediateStore(new LocalHome(make, false, false), false, storing);
}

/** In the user's folder, by the key of the computation; null when another process works on the same one. */
export function namedStore(
  workDir: string,
  { text, isKnown }: RunKey,
  storing: Storing,
  isDurable: boolean,
): IntermediateStore | null {
  const node = nodeModules();
  if (node === null) return null;
  const parent = node.path.resolve(workDir);
  const folder = node.path.join(parent, `chunkwise-${isKnown ? "" : ONCE}${text}`);
  node.fs.mkdirSync(folder, { recursive: true });
  removeDead(node, parent);
  if (!folderLock(folder).take()) return null;
  return new IntermediateStore(new LocalHome(() => folder, true, isDurable), true, storing, isDurable);
}

/** Folders of runs that cannot be gone on with. */
const ONCE = "once-";

/** Those whose process was killed are of no use to anybody. */
function removeDead({ fs, path }: NodeModules, parent: string): void {
  for (const name of fs.readdirSync(parent)) {
    const folder = path.join(parent, name);
    if (name.startsWith(`chunkwise-${ONCE}`) && folderLock(folder).isDead())
      fs.rmSync(folder, { recursive: true, force: true });
  }
}
