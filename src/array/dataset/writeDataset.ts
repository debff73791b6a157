// Datasets into Zarr groups that xarray opens as they were: names, coordinates, times, missing values. In: variables and
// coordinates, and how each is packed. Out: arrays in a group, in one computation. Must hold: consolidated metadata come last,
// so that who reads those sees the group as it was or as it is.

import { countedTime } from "../../core/cfTimes.ts";
import { describe } from "../../core/chunks.ts";
import { type DType, isFloat, isTime, type NumberDType } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/labels.ts";
import type { LazyArray } from "../../lazy/lazyArray.ts";
import { type AsyncComputeOptions, OPTIONS_AT } from "../../runtime/spec.ts";
import { folderPlace, type Place } from "../../storage/formats/denseFormat.ts";
import type { StoreArgument } from "../../storage/location.ts";
import { consolidate } from "../../storage/zarr/consolidate.ts";
import { createGroup, openGroup, setAttributes } from "../../storage/zarr/group.ts";
import type { ZarrFormat } from "../../storage/zarr/metadata.ts";
import { findNode } from "../../storage/zarr/nodes.ts";
import { withAttributes } from "../functions/naming.ts";
import { storeAll, type Target } from "../storing.ts";
import { type Encoding, encoded, metadataFor } from "./encoding.ts";

/** How a variable of a dataset is stored: its packing, and what `toZarr` takes of an array. */
export interface VariableEncoding extends Encoding {
  /** The unit of reading: lengths per axis. */
  readonly chunks?: Target["chunks"];
  /** The unit of writing, where it is not the chunk. */
  readonly shards?: Target["shards"];
  /** Compressors and checksums. */
  readonly codecs?: Target["codecs"];
}

/** Options of `ds.toZarr`. */
export interface DatasetToZarrOptions extends AsyncComputeOptions {
  /** The group's path in the store; the root unless given. */
  readonly path?: string | undefined;
  /** 3 unless given. */
  readonly zarrFormat?: ZarrFormat | undefined;
  /** A dimension along which the group that is there goes on; what does not have it stays as it is. */
  readonly append?: string | undefined;
  /** Takes the place of arrays of the same names. */
  readonly overwrite?: boolean | undefined;
  /** How variables and coordinates are packed, by name: `{t2m: {dtype: "int16", scaleFactor: 0.01, fillValue: -32768}}`. */
  readonly encoding?: { readonly [name: string]: VariableEncoding } | undefined;
}

/** Arrays by name. */
interface Variables {
  readonly [name: string]: LazyArray;
}

/** What is written. */
interface Written {
  readonly variables: Variables;
  readonly coords: Variables;
  readonly attributes: JsonObject;
}

export const DATASET_OPTIONS = ["path", "zarrFormat", "append", "overwrite", "encoding"] as const;

export async function writeDataset(
  ds: Written,
  store: StoreArgument,
  { path = "", zarrFormat = 3, append, overwrite = false, encoding = {}, ...run }: DatasetToZarrOptions,
): Promise<void> {
  checkEncoding(ds, encoding);
  const place = await folderPlace(store, path);
  const isThere = (await findNode(place.store, place.path, {})) !== null;
  const jobs =
    append !== undefined && isThere
      ? await appendJobs(ds, place, append)
      : newJobs(ds, place, { zarrFormat, overwrite, encoding });
  if (jobs.length > 0)
    await storeAll(
      jobs.map(({ array }) => array),
      jobs.map(({ target }) => target),
      onlyRun(run),
      "toZarr",
    );
  await finishGroup(ds, place, zarrFormat, append !== undefined && isThere);
}

const onlyRun = (options: object): AsyncComputeOptions =>
  Object.fromEntries(Object.entries(options).filter(([name]) => OPTIONS_AT.run.includes(name)));

/** An array, as it is stored, and where. */
interface Job {
  readonly array: LazyArray;
  readonly target: Target;
}

function checkEncoding({ variables, coords }: Written, encoding: object): void {
  const wrong = Object.keys(encoding).find((name) => !(name in variables) && !(name in coords));
  if (wrong !== undefined)
    throw new ValueError({
      what: `encoding of ${describe(wrong)}, which is not there`,
      cure: "Name a variable",
    });
}

const leaves = { options: { leavesConsolidated: true } };

function newJobs(
  { variables, coords }: Written,
  { store, path }: Place,
  {
    zarrFormat,
    overwrite,
    encoding,
  }: Required<Pick<DatasetToZarrOptions, "zarrFormat" | "overwrite" | "encoding">>,
): Job[] {
  return Object.entries({ ...coords, ...variables }).map(([name, x]) => {
    const { chunks, shards, codecs, ...packing } = encoding?.[name] ?? {};
    const { array, attributes, fillValue } = encoded(x, packing);
    const more = name in variables ? coordinatesOf(x, coords) : {};
    const layout = Object.fromEntries(
      Object.entries({ chunks, shards, codecs }).filter(([, v]) => v !== undefined),
    );
    return {
      array: withAttributes(array, { ...metadataFor(attributes, zarrFormat!), ...more }),
      target: {
        store,
        path: `${path}/${name}`,
        zarrFormat: zarrFormat!,
        overwrite: overwrite === true,
        // xarray wants to be told of an array without axes, too.
        dimensionNames: x.dims,
        // All chunks are stored: what a reader makes of missing ones is not for a fill value to say.
        writeEmptyChunks: true,
        ...fillOf(array.dtype, fillValue, zarrFormat!),
        ...layout,
        ...leaves,
      },
    };
  });
}

function fillOf(
  dtype: DType,
  said: number | bigint | null,
  zarrFormat: ZarrFormat,
): Pick<Target, "fillValue"> {
  if (said !== null) return { fillValue: said };
  if (isFloat(dtype)) return { fillValue: Number.NaN };
  return zarrFormat === 2 ? { fillValue: null } : {};
}

/** Coordinates that no dimension says: those that lie over axes of the variable. */
function coordinatesOf(x: LazyArray, coords: Variables): JsonObject {
  const names = Object.entries(coords).flatMap(([name, { dims }]) =>
    !(dims.length === 1 && dims[0] === name) && dims.every((dim) => x.dims.includes(dim)) ? [name] : [],
  );
  return names.length === 0 ? {} : { coordinates: names.join(" ") };
}

/** What has the dimension, packed as what is there is. */
async function appendJobs(ds: Written, { store, path }: Place, append: string): Promise<Job[]> {
  const group = await openGroup(store, path, { consolidated: false });
  const jobs: Job[] = [];
  for (const [name, x] of Object.entries({ ...ds.coords, ...ds.variables })) {
    if (!x.dims.includes(append)) continue;
    const stored = await group.openArray(name);
    const { array } = encoded(x, storedEncoding(stored.dtype, stored.attributes, stored.fillValue, x));
    jobs.push({ array, target: { store, path: `${path}/${name}`, append, ...leaves } });
  }
  if (jobs.length > 0) return jobs;
  throw new ValueError({
    what: `nothing of the dataset has the dimension ${JSON.stringify(append)}`,
    cure: "Append along a dimension that is there",
  });
}

function storedEncoding(dtype: DType, attributes: JsonObject, fill: unknown, x: LazyArray): Encoding {
  const { units, calendar, scale_factor: scale, add_offset: offset, _FillValue } = attributes;
  const isCounted = isTime(x.dtype) && typeof units === "string" && countedTime(units) !== null;
  const said = _FillValue ?? (isFloat(dtype) || scale === undefined ? undefined : fill);
  return {
    dtype: dtype as NumberDType,
    ...(isCounted ? { units } : {}),
    ...(isCounted && typeof calendar === "string" ? { calendar } : {}),
    ...(typeof scale === "number" ? { scaleFactor: scale } : {}),
    ...(typeof offset === "number" ? { addOffset: offset } : {}),
    ...(typeof said === "number" || typeof said === "bigint" ? { fillValue: said } : {}),
  };
}

/** The group's own attributes, and what is known of all that is in it. */
async function finishGroup(
  ds: Written,
  place: Place,
  zarrFormat: ZarrFormat,
  isAppended: boolean,
): Promise<void> {
  const { store, path } = place;
  const attributes = { ...ds.attributes, ...otherCoordinates(ds) };
  if ((await findNode(store, path, {})) === null) await createGroup(store, path, { zarrFormat, attributes });
  else if (!isAppended)
    await setAttributes(await openGroup(store, path, { consolidated: false }), attributes);
  if (store.list !== undefined) await consolidate(store, path);
}

/** Coordinates that no variable names. */
function otherCoordinates({ variables, coords }: Written): JsonObject {
  const named = new Set(
    Object.values(variables).flatMap((x) => String(coordinatesOf(x, coords)["coordinates"] ?? "").split(" ")),
  );
  const left = Object.entries(coords).flatMap(([name, { dims }]) =>
    (dims.length === 1 && dims[0] === name) || named.has(name) ? [] : [name],
  );
  return left.length === 0 ? {} : { coordinates: left.join(" ") };
}
