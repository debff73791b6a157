// Dense arrays of a format: how one is read where it lies, box by box, and how one is written, chunk by chunk. In: a place in
// a store. Out: objects of which little is required; whatever else they have is used, and nobody asks which class they are of.
// Must hold: a box is read the same on every thread; what a task writes is seen by nobody before `finish`, or is whole.

import type { Block, StoredAccess } from "../../core/block.ts";
import { type Box, type ChunkShape, describe, type Shape } from "../../core/chunks.ts";
import type { DType, TypedArray } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import type { Labels } from "../../core/labels.ts";
import type { Scalar } from "../../core/numbers.ts";
import type { Address } from "../../core/platform.ts";
import type { Transfer } from "../../core/transfer.ts";
import { addressText, cloudAddress } from "../cloud/cloudAddress.ts";
import { cloudStoreOf } from "../cloud/openCloud.ts";
import type { KnownCodecs } from "../codecs/table.ts";
import { HttpStore } from "../httpStore.ts";
import { type StoreArgument, storeOf } from "../location.ts";
import type { FileArguments } from "../parquet/places.ts";
import {
  asked,
  isCloudAddress,
  normalPath,
  type PlainData,
  type Store,
  type StoreKey,
  type StoreOptions,
} from "../store.ts";
import { webAddress, withPath } from "../webAddress.ts";

// What a user means by a path, an address or a store, seen by formats. In: what was written. Out: the place as an object among
// others, and a look at it by which a format knows its own.
// Must hold: looking changes nothing, and reads no more than was asked for where the store has ranges.

/** What stands for something that a format opens. */
export type SourceArgument = StoreArgument | FileArguments;

/** Where an array is, or is to be. */
export interface Place {
  /** The store that it is in. */
  readonly store: Store;
  /** "" for the root of the store, else "/a/b". */
  readonly path: string;
}

/** What a format sees of a place before it says whether that is its own. */
export interface Look {
  /** The path, the address or the key, as it was written. */
  readonly name: string;
  /** At most so many of the first bytes; undefined where there is no such object. */
  first(length: number): Promise<Uint8Array | undefined>;
  /** Whether an object lies there as in a folder. */
  has(member: string): Promise<boolean>;
  /** Names of objects in the folder; none where the store cannot tell. */
  members(): Promise<readonly string[]>;
}

function checkedPath(path: unknown): string {
  if (typeof path === "string") return path;
  throw new ValueError({ what: `path is ${describe(path)}`, cure: 'Give a text, as "group/temperature"' });
}

/** Where an array is that is a store of its own, or lies at a path in one. */
export async function folderPlace(argument: StoreArgument, path: string): Promise<Place> {
  return { store: await storeOf(argument), path: normalPath(checkedPath(path)) };
}

/** Where an object is; its store is what is around it, unless a path in the store is given. */
export async function objectPlace(argument: StoreArgument, path: string): Promise<Place> {
  const isText = typeof argument === "string" || argument instanceof URL;
  if (path !== "" || !isText) return { store: await storeOf(argument), path: normalPath(checkedPath(path)) };
  const text = String(argument);
  if (/^https?:\/\//i.test(text)) return webPlace(webAddress(text));
  if (isCloudAddress(text)) return cloudPlace(argument);
  const local = (/^file:/i.test(text) ? decodeURIComponent(new URL(text).pathname) : text).replace(
    /\/+$/,
    "",
  );
  const [folder, name] = cutAtSlash(local);
  if (name === "" || name === "." || name === "..") return { store: await storeOf(argument), path: "" };
  const root = folder === "" ? (local.startsWith("/") ? "/" : ".") : folder;
  // A folder whose name ends in ".zip" is a folder here: the object lies in it.
  return { store: await storeOf(root.endsWith(".zip") ? `${root}/` : root), path: normalPath(name) };
}

function webPlace(url: URL): Place {
  const [folder, name] = cutAtSlash(url.pathname.replace(/\/+$/, ""));
  const store = new HttpStore(withPath(url, folder));
  return { store, path: normalPath(decodeURIComponent(name)) };
}

/** The store is the bucket: what is in it needs no name of a folder. */
function cloudPlace(argument: string | Address): Place {
  const address = cloudAddress(argument);
  const store = cloudStoreOf(addressText({ ...address, path: "" }));
  return { store, path: normalPath(address.path) };
}

function cutAtSlash(path: string): [folder: string, name: string] {
  const slash = path.lastIndexOf("/");
  return [path.slice(0, Math.max(0, slash)), path.slice(slash + 1)];
}

/** The key of an object that must be one. */
export function objectKey({ path }: Place, example: string): StoreKey {
  if (path !== "") return path as StoreKey;
  throw new ValueError({
    what: "a store, and not which object of it",
    cure: `Say it: {path: ${JSON.stringify(example)}}`,
  });
}

/** Several files look as the first of them does. */
export async function lookAt(argument: SourceArgument, path: string): Promise<Look> {
  const one = Array.isArray(argument) ? (argument as readonly unknown[])[0] : argument;
  // An open file of bytes.
  if (typeof one === "object" && one !== null && "tail" in one && "name" in one)
    return { name: String(one.name), ...NOTHING };
  if (one === undefined || one === null)
    throw new ValueError({
      what: `${describe(argument)} is no place`,
      cure: "Give a path, a URL or a store",
    });
  const isText = typeof one === "string" || one instanceof URL;
  const name = isText && path === "" ? nameOf(String(one)) : path;
  // A pattern is no object.
  if (isText && /[*?[{]/.test(name) && !/^https?:/i.test(name)) return { name, ...NOTHING };
  return { name, ...lookIn(await objectPlace(one as StoreArgument, path)) };
}

/** Without what follows the path of an address. */
const nameOf = (text: string): string =>
  /^(https?|file):/i.test(text) && URL.canParse(text)
    ? text.replace(/[?#].*$/, "").replace(/\/\/[^/]*@/, "//")
    : text;

const NOTHING: Omit<Look, "name"> = {
  first: async () => undefined,
  has: async () => false,
  members: async () => [],
};

function lookIn({ store, path }: Place): Omit<Look, "name"> {
  const key = path as StoreKey;
  const within = (member: string): StoreKey => `${path}/${member}` as StoreKey;
  return {
    async first(length) {
      if (path === "") return undefined;
      const part = { offset: 0, length };
      const bytes = await asked(key, {}, () => store.getRange?.(key, part) ?? store.get(key));
      return bytes?.subarray(0, length);
    },
    async has(member) {
      const at = within(member);
      if (store.has !== undefined) return asked(at, {}, () => store.has!(at));
      return (await asked(at, {}, () => store.get(at))) !== undefined;
    },
    members: async () => (await store.listDir?.(path === "" ? "/" : key))?.keys ?? [],
  };
}

export type Answer<T> = T | Promise<T>;

/** What formats may need of the engine. */
export interface Using {
  /** The codecs that there are, users' too. */
  readonly codecs: KnownCodecs;
}

/** An array that lies somewhere. */
export interface DenseArray {
  /** Of its elements. */
  readonly dtype: DType;
  /** Its length along each axis. */
  readonly shape: Shape;
  /** What its axes are called, and what else is said of it. */
  readonly labels?: Labels | null | undefined;
  /** What is read best by itself; rows of the usual size unless given. */
  readonly chunks?: ChunkShape | undefined;
  /** What is stored as one object, where that is more than a chunk. */
  readonly unit?: ChunkShape | undefined;
  /** The elements of a box that is no larger than a chunk, in C order. This, or `readInto`. */
  read?(box: Box): Answer<TypedArray>;
  /** The elements of any box, put where they belong. */
  readInto?(box: Box, into: Block, options: StoreOptions): Answer<unknown>;
  /** What reading takes beside the block; without it, twice a chunk. */
  transfer?(): Transfer;
  /** What can be read by itself at which cost; without it, chunks. */
  access?(): StoredAccess;
  /** Tells it from others of the same place, type and chunks. */
  fingerprint?(): string;
  /** Another text for another state of what `reads` says; null where nobody can tell: nothing is gone on with then. */
  state?(reads: UnitsRead): Answer<string | null>;
  /** Parts of objects are asked for: threads share a store that keeps these. */
  readonly readsParts?: boolean | undefined;
  /** The system reads and writes its elements as they are, with threads of its own. */
  readonly isPlainFiles?: boolean | undefined;
  /** Something that other threads cannot have, for errors: "the codec hex". */
  readonly hereOnly?: string | null | undefined;
}

/** Numbers of the objects of such a shape that a run reads, in the grid of the array; null when they are too many. */
export type UnitsRead = (unit: ChunkShape) => ReadonlySet<number> | null;

/** An array that is to be written. */
export interface NewArray {
  /** Of its elements. */
  readonly dtype: DType;
  /** Its length along each axis. */
  readonly shape: Shape;
  /** Of the lazy array. */
  readonly chunks: ChunkShape;
  /** What its axes are called, and what else is said of it. */
  readonly labels?: Labels | null | undefined;
}

/** What one task writes, and what writing takes beside the block. */
export interface WrittenUnit {
  /** The shape of what one task writes. */
  readonly unit: ChunkShape;
  /** What writing it takes beside the block; without it, twice a unit. */
  readonly transfer?: Transfer | undefined;
}

/** A place for a new array, looked at and not changed yet. */
export interface PreparedPlace extends WrittenUnit {
  /** The same for an array that is one value everywhere; `isWhole` when there is nothing left to write. */
  filledWith?(value: Scalar): PreparedPlace;
  /** There is nothing left to write. */
  readonly isWhole?: boolean | undefined;
  /** Chunks that were written can be read before all are; otherwise the run keeps what it needs of them elsewhere. */
  readonly isReadable?: boolean | undefined;
  /** It is a part of what is there: nothing has to go, and others may be written beside it. */
  readonly isPart?: boolean | undefined;
  /**
   * Whether the computation of this key may write there: true when something that is there has to go first, or an error
   * that says why not. Nothing is changed.
   */
  claim?(key: string): Answer<boolean>;
  /** Makes room: from now on chunks may be written. */
  begin(key: string): Answer<DenseTarget>;
}

/** What tasks write chunks to. */
export interface ChunkWriter {
  /** The elements of a chunk, in C order. This, or `writeBlock`. */
  write?(box: Box, elements: TypedArray): Answer<unknown>;
  /** The same of a block, wherever its elements lie. */
  writeBlock?(box: Box, block: Block, options: StoreOptions): Answer<void>;
  /** What was written before, where other results of the run are computed from it (`isReadable`). */
  readInto?(box: Box, into: Block, options: StoreOptions): Answer<unknown>;
}

/** An array that is being written. */
export interface DenseTarget extends ChunkWriter {
  /** Where another than the prepared place's is written to. */
  readonly store?: Store | undefined;
  /** What `writerAt` makes the same of on another thread; undefined: chunks are written by this one. */
  readonly sent?: PlainData | undefined;
  /** Places of chunks that an earlier run of the same computation has written. */
  written?(): AsyncIterable<readonly number[]>;
  /** All chunks are there: the array may be seen. Gives it, unless it has to be opened. */
  finish(): Answer<DenseArray | undefined>;
  /** The run failed. What could be taken for the array goes; what a later run can go on with may stay. */
  abandon?(): Answer<unknown>;
  /** Parts of objects are asked for: threads share a store that keeps these. */
  readonly readsParts?: boolean | undefined;
  /** The system writes its elements as they are, with threads of its own. */
  readonly isPlainFiles?: boolean | undefined;
  /** Something that other threads cannot have, for errors: "the codec hex". */
  readonly hereOnly?: string | null | undefined;
}

/** A format of dense arrays. */
export interface DenseFormat {
  /** Of arrays, not of nested data. */
  readonly kind: "dense";
  /** By which `format` names it. */
  readonly name: string;
  /** How names of its files or folders end: ".npy". */
  readonly suffixes?: readonly string[] | undefined;
  /** An array is a store of its own, or lies at a path in one; else it is an object (or several) among others of a folder. */
  readonly isFolder?: boolean | undefined;
  /** Asked where the name says nothing. */
  recognises?(look: Look): Answer<boolean>;
  /** Options are what the user gave beside the place; what is plain data of them is handed on to other threads. */
  open(place: Place, options: object, using: Using): Answer<DenseArray>;
  /** What `prepare` would say of an array's place in such a store, for plans. */
  unitOf?(array: NewArray, options: object, using: Using, store: Pick<Store, "open">): WrittenUnit;
  /** Not there: arrays are not written in this format. */
  prepare?(place: Place, array: NewArray, options: object, using: Using): Answer<PreparedPlace>;
  /** On a task thread, of what a target has `sent`. */
  writerAt?(place: Place, sent: PlainData, using: Using): Answer<ChunkWriter>;
}
