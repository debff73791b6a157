// Arrays in stores and files, opened as lazy arrays, by whichever format they are of. In: a path, a URL or a store. Out: lazy
// arrays, dense or ragged; nothing is read but what says how they lie.

import type { ChunksArgument } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import { makeExpr } from "../expr/expr.ts";
import { asyncCall } from "../lazy/call.ts";
import { LazyArray } from "../lazy/lazyArray.ts";
import { sourceAttrs, stored } from "../lazy/sources.ts";
import type { DenseArray, DenseFormat } from "../storage/formats/denseFormat.ts";
import {
  folderPlace,
  lookAt,
  objectPlace,
  type Place,
  type SourceArgument,
} from "../storage/formats/look.ts";
import { StoredSource } from "../storage/formats/storedSource.ts";
import type { StoreArgument } from "../storage/location.ts";
import { type FileArguments, storeFile } from "../storage/parquet/index.ts";
import type { StoreKey } from "../storage/store.ts";
import { chunksFor } from "./chunked.ts";
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
