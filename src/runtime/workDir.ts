// Where a run keeps intermediates that are not in memory: Zarr arrays in a folder of its own. A named folder outlives
// a run that fails or is killed, so that the same computation goes on where it was; any other is removed at the end,
// however the process ends, unless it is killed outright.

import type * as Fs from "node:fs";
import type * as Path from "node:path";
import { type ChunkShape, sameShape } from "../core/chunks.ts";
import type { DensePlanArray, PlanArray } from "../plan/plan.ts";
import { builtinNow } from "../storage/builtin.ts";
import type { KnownCodecs } from "../storage/codecs/table.ts";
import { CorruptDataError, MetadataError, NotFoundError } from "../storage/errors.ts";
import { FileStore } from "../storage/fileStore.ts";
import { keyIn, type StoreKey } from "../storage/store.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import { canBeWhole } from "../storage/zarr/codecPipeline.ts";
import { type CodecArgument, type CreateArrayOptions, createArray } from "../storage/zarr/create.ts";
import { openArray } from "../storage/zarr/group.ts";
import { writeNode } from "../storage/zarr/nodes.ts";
import { type Pipeline, placeFromKey } from "../storage/zarr/place.ts";
import { folderLock } from "./folderLock.ts";
import type { RunKey } from "./runKey.ts";

// How safe what a run wrote is. A system that stops without warning may lose what was written last: files are then shorter
// than they were, or full of zeros. In: how it was written, as a word that lies beside it. Out: how much of it is in doubt.
// A system that has run on since has lost nothing, and what `durable` wrote is on the disk.

/** What was synced before it was told of. */
const DURABLE = "durable";

/** What stands beside what is written from now on; `before` for what was there already, null when there was nothing. */
export const writtenBy = (isDurable: boolean, before: string | null = null): string =>
  isDurable && (before === null || before === DURABLE) ? DURABLE : systemName();

/** Another one each time that the system is started. */
function systemName(): string {
  try {
    const id = builtinNow("node:fs")?.readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
    if (id !== undefined) return id.trim();
  } catch {}
  const uptime = builtinNow("node:os")?.uptime() ?? 0;
  return `minute-${Math.round((Date.now() / 1000 - uptime) / 60)}`;
}

/** Systems write what is changed to the disk within a minute; some wait for ten. */
const SLOWEST_MS = 600_000;
/** A server of files may have been started anew when this system was not. */
const RECENT_MS = 60_000;
const RECENT_CHUNKS = 1000;

/** What is to be looked into: what was written less than so long before the last of it, but no more than so many. */
interface Doubt {
  readonly ms: number;
  readonly most: number;
}

const NONE: Doubt = { ms: 0, most: 0 };

export function doubtOf(written: string | undefined, isFinished: boolean): Doubt {
  if (written === DURABLE) return NONE;
  if (written !== systemName()) return { ms: SLOWEST_MS, most: Number.POSITIVE_INFINITY };
  return isFinished ? NONE : { ms: RECENT_MS, most: RECENT_CHUNKS };
}

// Stored chunks of an earlier run that are not what it wrote: removed before anything is taken for done. In: an array in
// files, and how much of it is in doubt. Out: an array whose chunks are as they were written, as far as that can be known.

interface StoredChunk {
  readonly place: readonly number[];
  readonly size: number;
  readonly time: number;
}

/** `isPacked`: chunks are bytes of any length, as partitions are. */
export async function removeDamaged(array: ZarrArray, doubt: Doubt, isPacked = false): Promise<void> {
  const chunks = (await chunksOf(array)).sort((a, b) => b.time - a.time);
  const newest = chunks[0]?.time ?? 0;
  for (const [i, { place, size, time }] of chunks.entries()) {
    const fits = isPacked ? size > 0 : canBeWhole(size, array.pipeline);
    const isDoubtful = newest - time < doubt.ms && i < doubt.most;
    if (fits && !(isDoubtful && !(await isIntact(array, place, isPacked)))) continue;
    await array.deleteShard(place);
  }
}

async function chunksOf({ store, path, metadata, shardGrid }: ZarrArray): Promise<StoredChunk[]> {
  const chunks: StoredChunk[] = [];
  for await (const objects of store.listSizes?.((path === "" ? "/" : path) as StoreKey) ?? [])
    for (const { key, size, modified } of objects) {
      const place = placeFromKey(metadata.keyEncoding, key.slice(path.length + 1), shardGrid);
      // What other stores have is whole: they set objects in one step.
      if (place !== null && modified !== undefined) chunks.push({ place, size, time: modified });
    }
  return chunks;
}

/** By its sum where there is one. What a system lost reads as zeros: chunks that really have some are made again. */
async function isIntact(array: ZarrArray, place: readonly number[], isPacked: boolean): Promise<boolean> {
  try {
    const bytes = await array.getRaw(place);
    if (bytes === undefined) return false;
    if (isPacked || !hasSum(array.pipeline)) return !hasEmptyPage(bytes);
    await array.decodeShard(bytes);
    return true;
  } catch (cause) {
    if (cause instanceof CorruptDataError) return false;
    throw cause;
  }
}

const hasSum = ({ bytesCodecs, serial }: Pipeline): boolean =>
  bytesCodecs.some(({ sum }) => sum !== undefined) || (serial.kind === "shard" && hasSum(serial.inner));

const PAGE = 4096;

function hasEmptyPage(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += PAGE)
    if (bytes.subarray(at, at + PAGE).every((byte) => byte === 0)) return true;
  return false;
}

/** How intermediates are stored unless a spec says otherwise. */
export const INTERMEDIATE_CODECS: readonly CodecArgument[] = ["crc32c"];

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

export class IntermediateStore {
  /** True when it is to be found again by a later run. */
  readonly isNamed: boolean;
  readonly #makeFolder: () => string;
  readonly #storing: Storing;
  readonly #isDurable: boolean;
  /** How an earlier run wrote what is here; null where there was none. */
  readonly #before: string | null = null;
  readonly #arrays = new Map<string, Promise<ZarrArray>>();
  readonly #pending = new Set<Promise<unknown>>();
  #folder: string | null = null;
  #store: FileStore | null = null;

  constructor(makeFolder: () => string, isNamed: boolean, storing: Storing, isDurable = false) {
    this.#makeFolder = makeFolder;
    this.#isDurable = isDurable;
    this.isNamed = isNamed;
    this.#storing = storing;
    // It is there, and locked, whether or not anything is put into it.
    if (!isNamed) return;
    this.#folder = makeFolder();
    this.#before = wordIn(this.#folder);
  }

  /** Made when it is first needed. */
  get store(): FileStore {
    if (this.#store === null) {
      this.#folder ??= this.#makeFolder();
      if (!this.isNamed) host?.on?.("exit", this.removeNow);
      this.#store = new FileStore(this.#folder, { durable: this.#isDurable });
    }
    return this.#store;
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
    const { name } = array;
    try {
      const found = await openArray(this.store, name, { ...ALL_STORED, known: this.#storing.known });
      await removeDamaged(found, doubtOf(this.#before ?? undefined, false), array.kind === "ragged");
      return found;
    } catch (error) {
      // Metadata that a power cut spoiled are as good as none, and so are the chunks.
      if (!(error instanceof NotFoundError || error instanceof MetadataError)) throw error;
      if (error instanceof MetadataError) await this.store.delete("/zarr.json");
    }
    const { codecs, known } = this.#storing;
    const options = { codecs: codecs ?? INTERMEDIATE_CODECS, known, overwrite: true };
    return createArray(this.store, name, { ...options, ...ALL_STORED, ...storedAs(array) });
  }

  /** All that an earlier run left has been looked at: what is here is as safe as it is written now. */
  settle(): void {
    if (this.#folder === null) return;
    const written = writtenBy(this.#isDurable, this.#before);
    builtinNow("node:fs")?.writeFileSync(`${this.#folder}/${WRITTEN}`, written);
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

  /** The run is over. What a later run could use stays. */
  async close(isDone: boolean): Promise<void> {
    await Promise.all(this.#pending);
    if (this.#folder === null) return;
    if (isDone || !this.isNamed) this.removeNow();
    else folderLock(this.#folder).release();
    host?.off?.("exit", this.removeNow);
  }

  /** At once: also when the process is about to end. */
  readonly removeNow = (): void => {
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
  return new IntermediateStore(make, false, storing);
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
  return new IntermediateStore(() => folder, true, storing, isDurable);
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
