// Arrays in stores and files, opened as lazy arrays, by whichever format they are of. In: a path, a URL or a store. Out: lazy
// arrays, dense or ragged; nothing is read but what says how they lie.

import type { ChunksArgument } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import { makeExpr } from "../expr/expr.ts";
import { asyncCall } from "../lazy/call.ts";
import { LazyArray, resourceOf, sourceAttrs, stored } from "../lazy/lazyArray.ts";
import { zarrFormat } from "../runtime/zarr/zarrFormat.ts";
import {
  type DenseArray,
  type DenseFormat,
  folderPlace,
  lookAt,
  objectPlace,
  type Place,
  type SourceArgument,
} from "../storage/formats/denseFormat.ts";
import { StoredSource } from "../storage/formats/table.ts";
import { type StoreArgument, storeOf } from "../storage/location.ts";
import { type FileArguments, storeFile } from "../storage/parquet/index.ts";
import type { StoreKey } from "../storage/store.ts";
import { denseArray } from "../storage/zarr/denseArray.ts";
import {
  type Member,
  type OpenOptions,
  openGroup as openGroupAt,
  setAttributes,
  type ZarrGroup,
} from "../storage/zarr/group.ts";
import type { JsonObject } from "../storage/zarr/zarrJson.ts";
import { chunksFor } from "./chunked.ts";
import { decoded } from "./dataset/decoding.ts";
import { engine } from "./defaultEngine.ts";
import { openRagged } from "./ragged/opening.ts";
import type { LazyRagged } from "./ragged/raggedArrays.ts";

/** How something is opened whose format is found out. */
export interface OpenArrayOptions {
  /** The name of a format; found by the end of the name, or by looking, unless given. */
  readonly format?: string;
  /** Where in the store; the root unless given. */
  readonly path?: string;
  /** How a dense array is cut here; as it is stored unless given. */
  readonly chunks?: ChunksArgument;
  /** What the format is told besides: those that its own function takes, as `filter` of fromParquet. */
  readonly options?: object;
}

/**
 * Opens whatever a format recognises: a dense array (Zarr, npy) as a `LazyArray`, nested data (Parquet, JSON lines) as a
 * `LazyRagged`.
 *
 * @example
 * const x = await cw.open("temperature.npy");
 * const events = await cw.open("events/*.parquet");
 */
export const open: (place: SourceArgument, options?: OpenArrayOptions) => Promise<LazyArray | LazyRagged> =
  asyncCall(
    "open",
    async (
      place: SourceArgument,
      { format: name, path = "", chunks, options = {} }: OpenArrayOptions = {},
    ) => {
      const { formats } = engine;
      const format = await (name === undefined
        ? formats.recognised(await lookAt(place, path))
        : formats.find(name));
      if (format.kind === "dense")
        return openDense(format, place as StoreArgument, { path, chunks, options });
      if (chunks !== undefined)
        throw new ValueError({
          what: "chunks for nested data, which have partitions",
          cure: "Leave them out",
        });
      // Who imports chunkwise/ragged has them already.
      (await import("./ragged/methods.ts")).installRaggedMethods();
      return openRagged(format, await filesAt(place, path), options);
    },
    [1, "format", "path", "chunks", "options"],
  );

/** A path in a store is a file of it. */
async function filesAt(place: SourceArgument, path: string): Promise<FileArguments> {
  if (path === "") return place as FileArguments;
  const { store, path: key } = await objectPlace(place as StoreArgument, path);
  return storeFile(store, key as StoreKey);
}

export interface DenseOptions {
  readonly path: string;
  readonly chunks?: ChunksArgument | undefined;
  readonly options: object;
}

/** The way of all dense arrays in. */
export async function openDense(
  format: DenseFormat,
  argument: StoreArgument,
  { path, chunks, options }: DenseOptions,
): Promise<LazyArray> {
  const place = await (format.isFolder ? folderPlace : objectPlace)(argument, path);
  return lazyStored(sourceOf(format, place, options, await format.open(place, options, engine)), chunks);
}

/** What a format opened, as a source of expressions. */
export const sourceOf = (
  { name }: DenseFormat,
  place: Place,
  options: object,
  array: DenseArray,
): StoredSource =>
  new StoredSource({ format: name, isHereOnly: engine.formats.isHereOnly(name), options }, place, array);

export function lazyStored(source: StoredSource, chunks?: ChunksArgument): LazyArray {
  const { array, chunks: asStored } = source;
  const { dtype, shape, unit = asStored } = array;
  const cut = chunks === undefined ? asStored : chunksFor(chunks, shape, dtype, unit);
  return new LazyArray(makeExpr(stored, [], { ...sourceAttrs({ dtype, shape }, cut), data: source }));
}

// Arrays in Zarr stores, opened as lazy arrays. In: a path, a URL or a store. Out: arrays and groups; nothing is read
// but metadata.

/** Options of `cw.fromZarr`, and of a group's `array`. */
export interface FromZarrOptions extends Omit<OpenOptions, "known"> {
  /** The array's path in the store, as "group/temperature"; the root unless given. */
  readonly path?: string;
  /** How it is cut here; as it is stored unless given. Multiples of the stored chunks are read best. */
  readonly chunks?: ChunksArgument;
  /** true: what is missing becomes NaN, packed values and counted times become what they mean (the CF conventions). */
  readonly decode?: boolean;
}

const OPEN_OPTIONS = ["path", "zarrFormat", "consolidated", "maxChunkBytes", "signal"] as const;

/** Opens a Zarr array (v2 or v3): `const x = await cw.fromZarr("data.zarr", {path: "temperature"})`. */
export const fromZarr: (store: StoreArgument, options?: FromZarrOptions) => Promise<LazyArray> = asyncCall(
  "fromZarr",
  async (store, { path = "", chunks, decode = false, ...options } = {}) =>
    meant(await openDense(zarrFormat, store, { path, chunks, options }), decode),
  [1, ...OPEN_OPTIONS, "chunks", "decode"],
);

/** What it means, where that is asked for. */
const meant = (x: LazyArray, decode: boolean): LazyArray =>
  decode ? decoded(x, resourceOf(x.expr.attrs).labels()?.missing ?? null) : x;

/** An array of a group. */
export async function arrayIn(
  group: ZarrGroup,
  path: string,
  { chunks, decode = false, ...options }: Omit<FromZarrOptions, "path">,
): Promise<LazyArray> {
  const array = await group.openArray(path, { ...options, known: engine.codecs });
  return meant(lazyStored(sourceOf(zarrFormat, array, options, denseArray(array)), chunks), decode);
}

/** A group of a store, by whatever names that. */
export const openZarrGroup = async (
  store: StoreArgument,
  path: string,
  options: OpenOptions,
): Promise<ZarrGroup> => openGroupAt(await storeOf(store), path, options);

/**
 * A Zarr group: its attributes, its members, and arrays of it as lazy arrays. `cw.openGroup` gives a `Group`: `await
 * group.array("temperature")`.
 */
export class Group {
  readonly zarr: ZarrGroup;

  constructor(zarr: ZarrGroup) {
    this.zarr = zarr;
  }

  get attributes(): JsonObject {
    return this.zarr.attributes;
  }
  get path(): string {
    return this.zarr.path;
  }

  /** The group with other attributes, written in one step: `group = await group.setAttributes({source: "buoys"})`. */
  async setAttributes(attributes: JsonObject): Promise<Group> {
    return new Group(await setAttributes(this.zarr, attributes));
  }

  /** What is in it, with paths relative to it. */
  members(): Promise<Member[]> {
    return this.zarr.members();
  }

  /** An array of it: `await group.array("temperature", {chunks: [100, 100]})`. */
  async array(path: string, options: Omit<FromZarrOptions, "path"> = {}): Promise<LazyArray> {
    return arrayIn(this.zarr, path, options);
  }

  /** A group in it: `await group.group("2024")`. */
  async group(path: string): Promise<Group> {
    return new Group(await this.zarr.openGroup(path));
  }
}

/** Opens a Zarr group: `const group = await cw.openGroup("data.zarr")`. */
export const openGroup: (
  store: StoreArgument,
  options?: Omit<FromZarrOptions, "chunks" | "decode">,
) => Promise<Group> = asyncCall(
  "openGroup",
  async (store, { path = "", ...options } = {}) => new Group(await openZarrGroup(store, path, options)),
  [1, ...OPEN_OPTIONS],
);
