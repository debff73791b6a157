// The Store interface: byte objects under keys. Shaped like zarrita's, so that its stores plug in here and
// ours plug in there. A key begins with "/" and is relative to the root of the store. A missing object is
// `undefined`, never an error. Only `get` is required; what a store cannot do, it does not have, and nobody asks which class
// it is of: a store of a user's that has a member is treated as ours are.

import type { StopSignal } from "../core/platform.ts";
import type { ScratchMemory } from "./codecs/codec.ts";
import { asStoreError, CorruptDataError, NotSupportedError, StoreKeyError } from "./errors.ts";

/** The name of an object in a store: "/grid/zarr.json". It begins with "/". */
export type StoreKey = `/${string}`;
/** A part of an object: so many bytes from `offset` on, or its last ones. */
export type ByteRange = { offset: number; length: number } | { suffixLength: number };

/** Options of every request to a store. */
export interface StoreOptions {
  /** Ends the request: the signal of an AbortController. */
  signal?: StopSignal | undefined;
  /** Where memory for bytes on their way comes from. */
  scratch?: ScratchMemory | undefined;
  /** More parts of the same object will be asked for: a store for which requests are dear may keep so many bytes of such objects. */
  mayKeep?: number | undefined;
}

/** Options of a store's `set`. */
export interface SetOptions extends StoreOptions {
  /** An object that this one is a part of: where it is gone, nothing is put into its place, as far as the store notices. */
  partOf?: StoreKey | undefined;
}

/** Options of a store's `get`. */
export interface GetOptions extends StoreOptions {
  /** A longer object is refused, before memory is made for it where the store can tell. */
  maxBytes?: number | undefined;
  /**
   * Memory for an object that is just as long: a store that can puts the bytes there, and gives that memory back. Nobody
   * looks at it before, and the store does not look at it afterwards. Stores may pass this over.
   */
  into?: Uint8Array | undefined;
}

/** An object open for reading: it stays as it was when it was opened, whatever its key stands for later. */
export interface OpenObject {
  /** How many bytes it has. */
  readonly size: number;
  /** Fills `target` from `offset` on: at once (undefined), or soon. An error when the object ends before. */
  readInto(offset: number, target: Uint8Array): Promise<void> | undefined;
  /** Many short runs at once, where that costs less than one by one. */
  readRuns?(runs: ByteRuns): void;
  /** It is not needed any more. */
  close(): void;
}

/** Runs of bytes at equal distances in an object, and their places at equal distances in memory. */
export interface ByteRuns {
  readonly count: number;
  readonly length: number;
  readonly offset: number;
  readonly step: number;
  readonly target: Uint8Array;
  readonly at: number;
  readonly stride: number;
}

/** An object that a store lists, with its length. */
export interface ListedObject {
  /** Its name. */
  readonly key: StoreKey;
  /** How many bytes it has. */
  readonly size: number;
  /** When it was changed last, in ms: what tells one state of an object from another. */
  readonly modified?: number;
  /** What `version` would say of it, where a listing says so. */
  readonly version?: string;
}

/** What JSON can hold, and messages carry. */
export type PlainData =
  | (null | boolean | number | string)
  | readonly PlainData[]
  | { readonly [name: string]: PlainData };

/** A place in S3 or what speaks like it. Who opens it uses credentials of its own environment. */
export interface S3Location {
  /** What kind of place it is. */
  readonly kind: "s3";
  /** The bucket. */
  readonly bucket: string;
  /** "" or "a/b". */
  readonly path: string;
  /** Not there: AWS. */
  readonly endpoint?: string;
  /** Not there: as the profile says, or us-east-1. */
  readonly region?: string;
  /** Not there: with an endpoint only. */
  readonly pathStyle?: boolean;
  /** Not there: requests are signed. */
  readonly anonymous?: true;
  /** The name of a profile of whoever opens it. */
  readonly profile?: string;
}

/** A place in Google Cloud Storage. */
export interface GcsLocation {
  /** What kind of place it is. */
  readonly kind: "gs";
  /** The bucket. */
  readonly bucket: string;
  /** "" or "a/b". */
  readonly path: string;
  /** Not there: Google's. */
  readonly endpoint?: string;
  /** Not there: with a token. */
  readonly anonymous?: true;
}

/** A place in Azure's blob storage. */
export interface AzureLocation {
  /** What kind of place it is. */
  readonly kind: "az";
  /** The account. */
  readonly account: string;
  /** The container. */
  readonly container: string;
  /** "" or "a/b". */
  readonly path: string;
  /** Not there: Azure's. */
  readonly endpoint?: string;
  /** Not there: with a token or a SAS. */
  readonly anonymous?: true;
}

/** Where a store is, as plain data: what another thread or process opens the same one from. */
export type StoreLocation =
  | { readonly kind: "file"; readonly root: string; readonly durable?: true }
  | { readonly kind: "http"; readonly url: string }
  | S3Location
  | GcsLocation
  | AzureLocation
  /** What a function that the module exports under this name makes of the argument. */
  | { readonly kind: "module"; readonly module: string; readonly name: string; readonly argument: PlainData };

/** Options of a FileStore's `sweepStrays`. */
export interface SweepOptions {
  /** Only below this path. */
  readonly below?: StoreKey;
  /** Threads of this process that were ended while they may have been writing. */
  readonly endedThreads?: ReadonlySet<number>;
  /** Of other machines, what is so old is taken for left behind. */
  readonly olderThanMs?: number;
}

type Answer<T> = T | Promise<T>;

/**
 * Byte objects under keys. `get` is enough to read from: `{get: (key) => objects.get(key)}`; what a store cannot do, it
 * does not have.
 */
export interface Store {
  /** The bytes of an object; undefined when there is no such object. */
  get(key: StoreKey, options?: GetOptions): Answer<Uint8Array | undefined>;
  /** A part of them. */
  getRange?(key: StoreKey, range: ByteRange, options?: StoreOptions): Answer<Uint8Array | undefined>;
  /** For stores from which bytes can be had without a copy, and where many small reads cost little. */
  open?(key: StoreKey, options?: StoreOptions): Answer<OpenObject | undefined>;
  /** Is there such an object? */
  has?(key: StoreKey, options?: StoreOptions): Answer<boolean>;
  /** Another text for another state of an object; null when it cannot be told, undefined when there is no such object. */
  version?(key: StoreKey, options?: StoreOptions): Answer<string | null | undefined>;
  /** Atomic: a reader sees the old object or the new one, never a mixture. The bytes are not kept. */
  set?(key: StoreKey, value: Uint8Array, options?: SetOptions): Answer<unknown>;
  /** The same for an object in parts, which follow each other. */
  setParts?(key: StoreKey, parts: Iterable<Uint8Array>, options?: SetOptions): Answer<unknown>;
  /**
   * Only where no object is there: true when this call made it, false when there was one, which stays as it is. Of all who
   * try at once, wherever they are, just one is told true: what locks and names that are taken once stand on. A store that
   * cannot promise it does not have the method, or says so in an error.
   */
  setNew?(key: StoreKey, value: Uint8Array, options?: SetOptions): Answer<boolean>;
  /** Room for an object that is written in parts, in any order, by any thread: the key of what nobody sees before `publish`. */
  reserve?(key: StoreKey, length: number): Answer<StoreKey>;
  /** Bytes of what was reserved, at a place in it. */
  setRange?(reserved: StoreKey, offset: number, bytes: Uint8Array): Answer<unknown>;
  /** What was reserved becomes the object, in one step. */
  publish?(reserved: StoreKey, key: StoreKey): Answer<unknown>;
  /**
   * A small object that is just as long as `target`, without waiting; false: ask otherwise. For stores in which a task of
   * microseconds would wait for nothing but promises.
   */
  readNow?(key: StoreKey, target: Uint8Array): boolean;
  /** The same for writing. False: nothing has changed. */
  writeNow?(key: StoreKey, bytes: Uint8Array): boolean;
  /** Removes an object; none there is no error. */
  delete?(key: StoreKey, options?: StoreOptions): Answer<unknown>;
  /** All objects whose keys begin with `prefix` + "/" (or all), and whatever held them. */
  deleteBelow?(prefix: StoreKey, options?: StoreOptions): Answer<unknown>;
  /** All keys that begin with `prefix` + "/" (or all), in no order. */
  list?(prefix: StoreKey, options?: StoreOptions): AsyncIterable<StoreKey> | Iterable<StoreKey>;
  /** The same with their lengths and times, many at a time: so that runs can be gone on with. */
  listSizes?(prefix: StoreKey, options?: StoreOptions): AsyncIterable<readonly ListedObject[]>;
  /** Names directly below `prefix`: objects, and folders (names that have something below them). */
  listDir?(prefix: StoreKey, options?: StoreOptions): Answer<{ keys: string[]; folders: string[] }>;
  /** Null, or not there: threads ask this one for every object. */
  location?(): StoreLocation | null;
  /** Its root under its one true name: what lies in two stores is the same where their addresses, and what follows, are. */
  address?(): Answer<string>;
  /** Objects are in this process's memory, or in files that the system reads with threads of its own; else far away. */
  readonly near?: "memory" | "files";
  /** It keeps objects that parts are asked of (`mayKeep`): threads had better share this one than open it themselves. */
  readonly keepsObjects?: boolean;
  /** What is set is on the disk when it has been waited for. */
  readonly isDurable?: boolean;
  /** The same store, so that it is. */
  asDurable?(): Store;
  /** Removes what writers left that were killed; how many objects that were. */
  sweepStrays?(options?: SweepOptions): Answer<number>;
}

/** True for a name of digits, small letters and dots, as chunks have: no system takes it for anything else. */
export function isPlainName(key: string, from: number): boolean {
  for (let at = from; at < key.length; at++) {
    const code = key.charCodeAt(at);
    const isDot = code === 46 && at > from;
    if (!isDot && !(code >= 48 && code <= 57) && !(code >= 97 && code <= 122)) return false;
  }
  return key.length > from;
}

/** The parts of a key, or an error for keys that could mean something outside the store. */
export function keySegments(key: string): string[] {
  if (!key.startsWith("/")) throw badKey(key, 'does not begin with "/"');
  if (key === "/") return [];
  const segments = key.slice(1).split("/");
  for (const segment of segments) {
    if (segment === "") throw badKey(key, "has an empty part");
    if (segment === "." || segment === "..") throw badKey(key, `has the part ${segment}`);
    // A backslash, a colon with a drive letter and NUL mean something to some file systems.
    if (segment.includes("\\") || segment.includes("\0") || /^[A-Za-z]:/.test(segment))
      throw badKey(key, "has a part that some systems take as a path");
  }
  return segments;
}

function badKey(key: string, why: string): StoreKeyError {
  return new StoreKeyError({
    what: `the key ${JSON.stringify(key.slice(0, 80))} ${why}`,
    cure: 'Keys are names joined by single "/" below the root of the store',
  });
}

/** A node's path as users write it ("a/b", "/a/b", "", "/"), as a key prefix: "" or "/a/b". */
export function normalPath(path: string): string {
  const trimmed = path.replace(/^\//, "").replace(/\/$/, "");
  if (trimmed === "") return "";
  keySegments(`/${trimmed}`);
  return `/${trimmed}`;
}

export const keyIn = (path: string, name: string): StoreKey => `${path}/${name}` as StoreKey;

/** Asks a store, of whoever's making, for an object; what it throws is typed. */
export async function asked<T>(
  key: StoreKey,
  { signal }: StoreOptions,
  ask: () => T | Promise<T>,
): Promise<Awaited<T>> {
  try {
    return await ask();
  } catch (cause) {
    signal?.throwIfAborted();
    throw asStoreError(cause, key);
  }
}

/** Part of an object. Undefined when there is no object; an error when the object is too short. */
export async function readRange(
  store: Store,
  key: StoreKey,
  range: ByteRange,
  options: StoreOptions,
): Promise<Uint8Array | undefined> {
  if (store.getRange === undefined) {
    const all = await asked(key, options, () => store.get(key, options));
    return all === undefined ? undefined : checkRange(cut(all, range), key, range);
  }
  const part = await asked(key, options, () => store.getRange!(key, range, options));
  return part === undefined ? undefined : checkRange(part, key, range);
}

export function cut(bytes: Uint8Array, range: ByteRange): Uint8Array {
  if ("suffixLength" in range) return bytes.subarray(Math.max(0, bytes.length - range.suffixLength));
  return bytes.subarray(range.offset, range.offset + range.length);
}

function checkRange(part: Uint8Array, key: string, range: ByteRange): Uint8Array {
  const asked = "suffixLength" in range ? range.suffixLength : range.length;
  if (part.length === asked) return part;
  if (part.length > asked) {
    throw new NotSupportedError({
      what: `the store answered a request for ${asked} bytes with ${part.length}`,
      where: key,
      cure: "The store must support ranges; use one that does",
    });
  }
  throw tooShort(key, asked, part.length);
}

export function tooShort(key: string, asked: number, found: number): CorruptDataError {
  return new CorruptDataError({
    what: `${asked} bytes should be there and ${found} are`,
    where: key,
    cure: "The object was cut short; write it again",
  });
}

export function tooLong(key: string, most: number, found: number): CorruptDataError {
  return new CorruptDataError({
    what: `an object of ${found} bytes, where at most ${most} belong`,
    where: key,
    cure: "It is not what was written; write it again",
  });
}

/** The store's method, or an error that says what is missing. */
export function requireSet(store: Store): NonNullable<Store["set"]> {
  if (store.set !== undefined) return store.set.bind(store);
  throw new NotSupportedError({ what: "the store is read-only", cure: "Use a store that has `set`" });
}

export function requireList(store: Store): NonNullable<Store["list"]> {
  if (store.list !== undefined) return store.list.bind(store);
  throw new NotSupportedError({
    what: "the store cannot list its keys",
    cure: "Use a store that has `list`, or consolidated metadata",
  });
}

/** How addresses of object stores begin (cloud/). */
export const CLOUD_SCHEME: RegExp = /^(s3|gs|az):\/\//i;

/** True for text that is the address of an object store. */
export const isCloudAddress = (text: string): boolean => CLOUD_SCHEME.test(text);
