// Targets: how arrays are stored. In: lazy arrays and what the user says of the stored ones. Out: the format that writes each,
// its place, what one task writes of it, and what writing takes. Used by runs that write, and by plans that state what such
// runs will need: both state the same.

import { ValueError } from "../core/errors.ts";
import type { Transfer } from "../core/transfer.ts";
import { chunksOf } from "../expr/chunksOf.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { type ArraySettings, zarrFormat } from "../runtime/zarr/zarrFormat.ts";
import { FileStore } from "../storage/fileStore.ts";
import type { DenseFormat, NewArray, PreparedPlace, WrittenUnit } from "../storage/formats/denseFormat.ts";
import { folderPlace, objectPlace, type Place } from "../storage/formats/look.ts";
import { plainTransfer } from "../storage/formats/storedSource.ts";
import { durableStore, type StoreArgument } from "../storage/location.ts";
import type { Store } from "../storage/store.ts";
import { engine } from "./defaultEngine.ts";
import type { ResultCut } from "./prepare.ts";
import type { SelectionItem } from "./selection.ts";
import { regionStart } from "./storedRegion.ts";

/** How an array is stored. */
export interface TargetOptions extends ArraySettings {
  /** The array's path in the store; the root unless given. */
  readonly path?: string;
  /** Writes into a part of an array that is there: slices that begin and end where its chunks do. */
  readonly region?: readonly SelectionItem[];
}

/** A new array that is only planned: as toZarr would write it, to a folder unless another store is given. */
export interface PlanTarget extends ArraySettings {
  /** A path, a URL or a store. */
  readonly store?: StoreArgument | undefined;
}

/** A store for one of several arrays, with its options. */
export interface Target extends TargetOptions {
  /** A path, a URL or a store. */
  readonly store: StoreArgument;
  /** The name of a format; by the end of the path unless given, and "zarr" where that says nothing. */
  readonly format?: string | undefined;
  /** What that format is told besides. */
  readonly options?: object | undefined;
}

/** An array and where it goes, before anything is written. */
export interface Destination {
  readonly array: LazyArray;
  readonly format: DenseFormat;
  readonly place: Place;
  readonly prepared: PreparedPlace;
}

const newArray = (array: LazyArray): NewArray => ({
  dtype: array.dtype,
  shape: array.shape,
  chunks: chunksOf(array.expr),
});

export async function destinationOf(
  array: LazyArray,
  { store: argument, format: name, path = "", options: own, ...options }: Target,
  isDurable: boolean,
): Promise<Destination> {
  const format = await engine.formats.dense(name ?? formatFor(argument, path));
  const { store, ...at } = await (format.isFolder ? folderPlace : objectPlace)(argument, path);
  const place = { ...at, store: isDurable ? durableStore(store) : store };
  if (format.prepare === undefined)
    throw new ValueError({
      what: `arrays are not written as ${format.name}`,
      cure: 'Write them as "zarr" or "npy"',
    });
  const prepared = await format.prepare(
    place,
    newArray(array),
    { ...resolved(array, options), ...own },
    engine,
  );
  return { array, format, place, prepared };
}

/** By the end of what names it; Zarr where that says nothing. */
function formatFor(argument: StoreArgument, path: string): string {
  const isText = typeof argument === "string" || argument instanceof URL;
  const name = path !== "" || !isText ? path : String(argument);
  return engine.formats.bySuffix(name.replace(/[?#].*$/, "").replace(/\/+$/, "")) ?? zarrFormat.name;
}

/** A region is resolved against what is stored. */
function resolved(array: LazyArray, { region, ...options }: Omit<TargetOptions, "path">): object {
  if (region === undefined) return options;
  return {
    ...options,
    region: (stored: Parameters<typeof regionStart>[1]) => regionStart(region, stored, array.shape),
  };
}

/** What one task writes, and what writing takes. */
export const transferOf = ({ dtype }: LazyArray, { unit, transfer }: WrittenUnit): Transfer =>
  transfer ?? plainTransfer(dtype, unit);

/** The same for a plan: a path or URL is a folder. */
export function plannedTo(array: LazyArray, target: PlanTarget): ResultCut {
  const { store, ...options } = target;
  const isStore = typeof store === "object" && !(store instanceof URL);
  const near = isStore ? (store as Pick<Store, "open">) : FileStore.prototype;
  const written = zarrFormat.unitOf!(newArray(array), options, engine, near);
  return { chunks: written.unit, transfer: transferOf(array, written), isReadable: true };
}
