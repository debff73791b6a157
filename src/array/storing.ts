// Writing arrays to stores while they are computed, chunk by chunk, in whatever format. In: lazy arrays, and where each goes.
// Out: the stored arrays. Must hold: all places are looked at before any is changed; of a run that fails, nothing is left that
// could be taken for a result.

import type { Resource } from "../core/block.ts";
import { type AxisName, describe } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import type { Labels } from "../core/labels.ts";
import type { Scalar } from "../core/numbers.ts";
import type { Transfer } from "../core/transfer.ts";
import { chunksOf } from "../expr/expr.ts";
import { castTo, checkDType } from "../lazy/build.ts";
import { asyncCall, checkNames } from "../lazy/call.ts";
import { LazyArray } from "../lazy/lazyArray.ts";
import { uniformResults, withoutResults } from "../plan/writer.ts";
import { checkOnce, runPlan } from "../runtime/run.ts";
import { runKey } from "../runtime/runKey.ts";
import {
  type AsyncComputeOptions,
  type CheckedRun,
  checkRun,
  OPTIONS_AT,
  settingFor,
} from "../runtime/spec.ts";
import type { Written } from "../runtime/storedArrays.ts";
import { type ArraySettings, zarrFormat } from "../runtime/zarr/zarrFormat.ts";
import { FileStore } from "../storage/fileStore.ts";
import {
  type DenseFormat,
  type DenseTarget,
  folderPlace,
  type NewArray,
  objectPlace,
  type Place,
  type PreparedPlace,
  type WrittenUnit,
} from "../storage/formats/denseFormat.ts";
import { plainTransfer } from "../storage/formats/table.ts";
import { durableStore, type StoreArgument } from "../storage/location.ts";
import type { Store } from "../storage/store.ts";
import { isCloudAddress } from "../storage/store.ts";
import { type Appended, appendTo } from "./appending.ts";
import { type Encoding, packedFor } from "./dataset/encoding.ts";
import { engine } from "./defaultEngine.ts";
import { lazyStored, sourceOf } from "./opening.ts";
import { prepareCut, type ResultCut, requestOf } from "./prepare.ts";
import { regionStart, type SelectionItem } from "./selection.ts";
import { withStages } from "./settling.ts";
import { checkApart, type TakenPlace } from "./takenPlaces.ts";

// Targets: how arrays are stored. In: lazy arrays and what the user says of the stored ones. Out: the format that writes each,
// its place, what one task writes of it, and what writing takes. Used by runs that write, and by plans that state what such
// runs will need: both state the same.

/** How an array is stored. */
export interface TargetOptions extends ArraySettings {
  /** The array's path in the store; the root unless given. */
  readonly path?: string;
  /** Writes into a part of an array that is there: slices that begin and end where its chunks do. */
  readonly region?: readonly SelectionItem[];
  /** Goes on with an array that is there, along an axis or its name; readers see the old length until all is written. */
  readonly append?: AxisName;
  /** Packs values and counts times as the CF conventions have it, with attributes that say so; `true` for times alone. */
  readonly encode?: Encoding | boolean;
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
interface Destination {
  readonly array: LazyArray;
  readonly format: DenseFormat;
  readonly place: Place;
  readonly prepared: PreparedPlace;
}

const newArray = (array: LazyArray, labels: Labels | null = null): NewArray => ({
  dtype: array.dtype,
  shape: array.shape,
  chunks: chunksOf(array.expr),
  labels,
});

/** What is known of them before stages take their places. */
const labelsOf = ({ dims, attributes }: LazyArray): Labels => ({ dims, attributes });

async function destinationOf(
  given: LazyArray,
  { store: argument, format: name, path = "", options: own, append, ...options }: Target,
  labels: Labels,
  isDurable: boolean,
): Promise<Destination> {
  const format = await engine.formats.dense(name ?? formatFor(argument, path));
  const { store, ...at } = await (format.isFolder ? folderPlace : objectPlace)(argument, path);
  const place = { ...at, store: isDurable ? durableStore(store) : store };
  const appended = append === undefined ? null : await appendTo(place, given, labels, append);
  const array = appended?.array ?? given;
  if (format.prepare === undefined)
    throw new ValueError({
      what: `arrays are not written as ${format.name}`,
      cure: 'Write them as "zarr" or "npy"',
    });
  const prepared = await format.prepare(
    place,
    newArray(array, labels),
    { ...(appended === null ? resolved(array, options) : partOf(appended)), ...own },
    engine,
  );
  return { array, format, place, prepared };
}

const partOf = ({ start, grownTo }: Appended): object => ({ region: () => start, grownTo });

/** By the end of what names it; Zarr where that says nothing. */
function formatFor(argument: StoreArgument, path: string): string {
  const isText = typeof argument === "string" || argument instanceof URL;
  const name = path !== "" || !isText ? path : String(argument);
  return engine.formats.bySuffix(name.replace(/[?#].*$/, "").replace(/\/+$/, "")) ?? zarrFormat.name;
}

/** A region is resolved against what is stored. */
function resolved(array: LazyArray, { region, encode: _, ...options }: Partial<Target>): object {
  if (region === undefined) return options;
  return {
    ...options,
    region: (stored: Parameters<typeof regionStart>[1]) => regionStart(region, stored, array.shape),
  };
}

/** What one task writes, and what writing takes. */
const transferOf = ({ dtype }: LazyArray, { unit, transfer }: WrittenUnit): Transfer =>
  transfer ?? plainTransfer(dtype, unit);

/** The same for a plan: a path is a folder. */
export function plannedTo(array: LazyArray, target: PlanTarget): ResultCut {
  const { store, ...options } = target;
  const isStore = typeof store === "object" && !(store instanceof URL);
  const folder = isCloudAddress(String(store)) ? {} : FileStore.prototype;
  const near = isStore ? (store as Pick<Store, "open">) : folder;
  const written = zarrFormat.unitOf!(newArray(array), options, engine, near);
  return { chunks: written.unit, transfer: transferOf(array, written), isReadable: true };
}

/** Options of `cw.toZarr` and `x.toZarr`: how the array is stored, and how it is computed. */
export interface ToZarrOptions extends AsyncComputeOptions, TargetOptions {}

const TARGET_OPTIONS = [
  ...[
    "path",
    "region",
    "append",
    "encode",
    "chunks",
    "shards",
    "codecs",
    "dtype",
    "fillValue",
    "order",
    "endian",
    "attributes",
  ],
  ...["dimensionNames", "zarrFormat", "keyEncoding", "indexLocation", "overwrite", "writeEmptyChunks"],
] as const;

/**
 * Computes an array into a Zarr store; the promise gives the stored array, as fromZarr would: `await cw.toZarr(x,
 * "x.zarr")`.
 */
export const toZarr: (x: LazyArray, store: StoreArgument, options?: ToZarrOptions) => Promise<LazyArray> =
  asyncCall(
    "toZarr",
    async (x, store, options = {}) => {
      const [run, target] = split(options);
      return (await storeAll([x], [{ ...target, store, format: zarrFormat.name }], run, "toZarr"))[0]!;
    },
    [2, ...OPTIONS_AT.run, ...TARGET_OPTIONS],
  );

/**
 * Computes several arrays into their stores, in one computation that shares their work; as Zarr, unless a name or `format`
 * says otherwise: `await cw.store([x, y], ["x.zarr", "y.zarr"])`.
 */
export const store: (
  arrays: readonly LazyArray[],
  targets: readonly (StoreArgument | Target)[],
  options?: AsyncComputeOptions,
) => Promise<LazyArray[]> = asyncCall(
  "store",
  async (arrays, targets, options = {}) => {
    if (!Array.isArray(arrays) || !Array.isArray(targets) || arrays.length !== targets.length)
      throw new ValueError({
        what: `${describe(arrays)} and ${describe(targets)} are not as many arrays as targets`,
        cure: "Write store([a, b], [pathOfA, pathOfB])",
      });
    return storeAll(arrays, targets.map(asTarget), options, "store");
  },
  [2, ...OPTIONS_AT.run],
);

/** A target with options has its store in `store`; stores have a method `get`. */
function asTarget(target: StoreArgument | Target): Target {
  const isTarget = typeof target === "object" && target !== null && "store" in target && !("get" in target);
  if (!isTarget) return { store: target as StoreArgument };
  checkNames(target, ["store", "format", "options", ...TARGET_OPTIONS]);
  return target as Target;
}

function split(options: ToZarrOptions): [AsyncComputeOptions, TargetOptions] {
  const isRun = ([name]: [string, unknown]): boolean => OPTIONS_AT.run.includes(name);
  const entries = Object.entries(options);
  return [
    Object.fromEntries(entries.filter(isRun)),
    Object.fromEntries(entries.filter((entry) => !isRun(entry))),
  ] as [AsyncComputeOptions, TargetOptions];
}

/** As a target's dtype says it: half the bytes, for those who want no more. */
function castFor(array: LazyArray, { dtype }: Target): LazyArray {
  return dtype === undefined ? lazyOnly(array) : castTo(lazyOnly(array), checkDType(dtype));
}

/** The way of all dense arrays out. */
export async function storeAll(
  given: readonly LazyArray[],
  targets: readonly Target[],
  options: AsyncComputeOptions,
  where: string,
): Promise<LazyArray[]> {
  const run = checkRun(options, where, "run", engine.spec);
  const jobs = given.map((array, i) => packedFor(castFor(array, targets[i]!), targets[i]!));
  const arrays = jobs.map(({ array }) => array);
  const packed = jobs.map(({ target }) => target);
  const labels = arrays.map(labelsOf);
  return withStages(arrays, run, storeSettled, (settled, given) =>
    storeSettled(settled, packed, given, labels),
  );
}

/** Of arrays that wait for no stage. */
export async function storeSettled(
  arrays: readonly LazyArray[],
  targets: readonly Target[],
  run: CheckedRun,
  labels: readonly Labels[] = arrays.map(labelsOf),
): Promise<LazyArray[]> {
  const isDurable = run.durable ?? run.spec.durable;
  const destinations: Destination[] = [];
  for (const [i, array] of arrays.entries())
    destinations.push(await destinationOf(array, targets[i]!, labels[i]!, isDurable));
  const cuts = destinations.map(({ array, prepared }) => ({
    chunks: prepared.unit,
    transfer: transferOf(array, prepared),
    isReadable: prepared.isReadable === true,
  }));
  const prepared = prepareCut(
    destinations.map(({ array }) => array),
    cuts,
    run,
  );
  const { data, sources } = prepared.plan;
  const known = await runKey(data, sources);
  const uniform = uniformResults(data);
  const filled = destinations.map((destination, i) => filledWith(destination, uniform.get(data.results[i]!)));
  const left = withoutResults(
    data,
    new Set(data.results.filter((_, i) => filled[i]!.prepared.isWhole === true)),
  );
  await claimAll(filled, known.text, sources.values());
  checkOnce(left, run.spec.budget);
  const begun: Written[] = [];
  try {
    for (const destination of filled) begun.push(await beginAt(destination, known.text));
    const written = new Map(data.results.map((name, i) => [name, begun[i]!]));
    const resumed = new Map<string, DenseTarget>();
    for (const [name, { target }] of written) if (target.written !== undefined) resumed.set(name, target);
    const setting = await settingFor(left, async () => known, run, engine, resumed);
    await runPlan({ ...requestOf(prepared, run), plan: left, targets: written }, setting);
    const stored: LazyArray[] = [];
    for (const [i, destination] of filled.entries()) stored.push(await finished(destination, begun[i]!));
    return stored;
  } catch (error) {
    await Promise.allSettled(begun.map(async ({ target }) => target.abandon?.()));
    throw error;
  }
}

function lazyOnly(array: LazyArray): LazyArray {
  if (array instanceof LazyArray) return array;
  throw new ValueError({ what: `${describe(array)} is not a lazy array`, cure: "Wrap it: asarray(x)" });
}

/** The places of new arrays, all of them before any is taken. */
async function claimAll(
  destinations: readonly Destination[],
  key: string,
  sources: Iterable<Resource>,
): Promise<void> {
  const taken: TakenPlace[] = [];
  for (const { place, prepared } of destinations)
    if (prepared.isPart !== true) taken.push({ ...place, clears: (await prepared.claim?.(key)) === true });
  await checkApart(taken, sources);
}

/** What is one value everywhere need not be computed, where the format can say so. */
function filledWith(destination: Destination, value: Scalar | undefined): Destination {
  const prepared = value === undefined ? undefined : destination.prepared.filledWith?.(value);
  return prepared === undefined ? destination : { ...destination, prepared };
}

async function beginAt({ array, format, place, prepared }: Destination, key: string): Promise<Written> {
  const isHereOnly = engine.formats.isHereOnly(format.name);
  const target = await prepared.begin(key);
  return { format: format.name, isHereOnly, place, dtype: array.dtype, target };
}

/** The array that was written, as a source. */
async function finished({ format, place }: Destination, { target }: Written): Promise<LazyArray> {
  const array = (await target.finish()) ?? (await format.open(place, {}, engine));
  return lazyStored(sourceOf(format, place, {}, array));
}
