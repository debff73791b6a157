// Writing arrays to Zarr stores while they are computed, chunk by chunk. In: lazy arrays, and where each goes. Out: the
// stored arrays. A target that a killed run was writing is finished by the same computation; anything else that is
// there already is left alone, unless `overwrite` says otherwise.

import type { Resource } from "../core/attrs.ts";
import type { ChunkShape } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import { fitScalar, type Scalar } from "../core/numbers.ts";
import { describe } from "../core/shape.ts";
import type { Transfer } from "../core/transfer.ts";
import { asyncCall, checkNames } from "../lazy/call.ts";
import { LazyArray } from "../lazy/lazyArray.ts";
import { uniformResults, withoutResults } from "../plan/uniform.ts";
import { StoredArray } from "../runtime/arrays.ts";
import { removeDamaged } from "../runtime/damaged.ts";
import { markBegun, markFinished, markOf, removeMark } from "../runtime/mark.ts";
import { type AsyncComputeOptions, checkRun, OPTIONS_AT } from "../runtime/options.ts";
import { transferTo } from "../runtime/planStorage.ts";
import { checkOnce, runPlan } from "../runtime/run.ts";
import { runKey } from "../runtime/runKey.ts";
import { settingFor } from "../runtime/runSetting.ts";
import { doubtOf } from "../runtime/written.ts";
import { durableStore, type StoreArgument, storeOf } from "../storage/location.ts";
import { normalPath, type Store } from "../storage/store.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import { createArray } from "../storage/zarr/create.ts";
import { openArray } from "../storage/zarr/group.ts";
import { clearPlace } from "../storage/zarr/place.ts";
import { type Claim, checkApart, checkWritten, claimOf } from "./claims.ts";
import { engine } from "./engine.ts";
import { prepareCut, requestOf } from "./prepare.ts";
import { regionStart } from "./region.ts";
import { settingsOf, type TargetOptions, writtenTo } from "./target.ts";
import { lazyStored } from "./zarr.ts";

export type { TargetOptions } from "./target.ts";

/** Options of `cw.toZarr` and `x.toZarr`: how the array is stored, and how it is computed. */
export interface ToZarrOptions extends AsyncComputeOptions, TargetOptions {}

const TARGET_OPTIONS = [
  ...["path", "region", "chunks", "shards", "codecs", "dtype", "fillValue", "order", "endian", "attributes"],
  ...["dimensionNames", "zarrFormat", "keyEncoding", "indexLocation", "overwrite", "writeEmptyChunks"],
] as const;

/** A store for one of several arrays, with its options. */
export interface Target extends TargetOptions {
  /** A path, a URL or a store. */
  readonly store: StoreArgument;
}

/**
 * Computes an array into a Zarr store; the promise gives the stored array, as fromZarr would: `await cw.toZarr(x,
 * "x.zarr")`.
 */
export const toZarr: (x: LazyArray, store: StoreArgument, options?: ToZarrOptions) => Promise<LazyArray> =
  asyncCall(
    "toZarr",
    async (x, store, options = {}) => {
      const [run, target] = split(options);
      return (await storeAll([x], [{ ...target, store }], run, "toZarr"))[0]!;
    },
    [2, ...OPTIONS_AT.run, ...TARGET_OPTIONS],
  );

/**
 * Computes several arrays into their stores, in one computation that shares their work: `await cw.store([x, y],
 * ["x.zarr", "y.zarr"])`.
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
  checkNames(target, ["store", ...TARGET_OPTIONS]);
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

/** An array and where it goes, before anything is written. */
interface Destination {
  readonly array: LazyArray;
  readonly store: Store;
  readonly path: string;
  readonly options: TargetOptions;
  /** What one task writes. */
  readonly unit: ChunkShape;
  /** What writing it takes. */
  readonly transfer: Transfer;
  /** The stored array that a region of is written; null for a new one. */
  readonly existing: { readonly zarr: ZarrArray; readonly start: readonly number[] } | null;
  /** Its fill value is all of it: there is nothing to write. */
  readonly isWhole: boolean;
}

async function storeAll(
  arrays: readonly LazyArray[],
  targets: readonly Target[],
  options: AsyncComputeOptions,
  where: string,
): Promise<LazyArray[]> {
  const run = checkRun(options, where, "run", engine.spec);
  const { spec } = run;
  const destinations: Destination[] = [];
  for (const [i, array] of arrays.entries())
    destinations.push(await destinationOf(array, targets[i]!, run.durable ?? spec.durable));
  const prepared = prepareCut(
    arrays,
    destinations.map(({ unit }) => unit),
    destinations.map(({ transfer }) => transfer),
    run,
  );
  const { data, sources } = prepared.plan;
  const known = await runKey(data, sources);
  const key = known.text;
  const uniform = uniformResults(data);
  const filled = destinations.map((destination, i) => filledWith(destination, uniform.get(data.results[i]!)));
  const left = withoutResults(data, new Set(data.results.filter((_, i) => filled[i]!.isWhole)));
  const claims = await allowed(filled, key, sources.values());
  checkOnce(left, spec.budget);
  const begun: Begun[] = [];
  for (const destination of filled)
    begun.push(await begin(destination, claims.get(destination) ?? null, key));
  const written = new Map(data.results.map((name, i) => [name, begun[i]!.target]));
  const resumed = new Map([...written].filter((_, i) => begun[i]!.isResumed));
  const setting = await settingFor(left, async () => known, run, engine, resumed);
  await runPlan({ ...requestOf(prepared, run), plan: left, targets: written }, setting);
  for (const [i, { existing, store, path }] of filled.entries()) {
    await checkWritten(begun[i]!.target.array, existing === null && !filled[i]!.isWhole);
    if (existing === null) await markFinished(store, path, key);
  }
  return [...written.values()].map(({ array }) => lazyStored(array));
}

/** The places of new arrays, all of them before any is taken. */
async function allowed(
  destinations: readonly Destination[],
  key: string,
  sources: Iterable<Resource>,
): Promise<Map<Destination, Claim>> {
  const claims = new Map<Destination, Claim>();
  for (const destination of destinations) {
    const { array, options, existing } = destination;
    if (existing === null)
      claims.set(destination, await claimOf(destination, settingsOf(array, options), key));
  }
  await checkApart(
    [...claims].map(([{ store, path }, claim]) => ({ store, path, claim })),
    sources,
  );
  return claims;
}

/**
 * An array that is one value everywhere is stored as its fill value, without a chunk: so `zeros(shape).toZarr(path)`
 * makes an array to write regions of, however large. Not where another fill value is asked for, or chunks are, or v2.
 */
function filledWith(destination: Destination, value: Scalar | undefined): Destination {
  const { array, options, existing } = destination;
  const isAsked = options.fillValue !== undefined || options.writeEmptyChunks === true;
  // Readers of v2 take its fill value for what is missing.
  const isV2 = options.zarrFormat === 2;
  if (value === undefined || existing !== null || isAsked || isV2) return destination;
  // As its elements are: what is stored in fewer bits is rounded from there.
  const fillValue = fitScalar(value, array.dtype);
  return { ...destination, options: { ...options, fillValue }, isWhole: true };
}

async function destinationOf(
  array: LazyArray,
  { store: argument, ...options }: Target,
  isDurable: boolean,
): Promise<Destination> {
  if (!(array instanceof LazyArray))
    throw new ValueError({ what: `${describe(array)} is not a lazy array`, cure: "Wrap it: asarray(x)" });
  const store = isDurable ? durableStore(await storeOf(argument)) : await storeOf(argument);
  const path = normalPath(options.path ?? "");
  const common = { array, store, path, options, isWhole: false };
  if (options.region === undefined) {
    return { ...common, ...writtenTo(array, options, store), existing: null };
  }
  const zarr = await openArray(store, path, { known: engine.codecs });
  const start = regionStart(options.region, zarr, array.shape);
  checkType(array, zarr);
  const transfer = transferTo(zarr.metadata, store, engine.codecs);
  return { ...common, unit: zarr.metadata.unitShape, transfer, existing: { zarr, start } };
}

function checkType(array: LazyArray, zarr: ZarrArray): void {
  if (array.dtype === zarr.dtype) return;
  throw new ValueError({
    what: `an array of ${array.dtype} for a stored one of ${zarr.dtype}`,
    cure: `Cast it first: x.astype(${JSON.stringify(zarr.dtype)})`,
  });
}

interface Begun {
  readonly target: StoredArray;
  readonly isResumed: boolean;
}

async function begin(
  { array, store, path, options, existing }: Destination,
  claim: Claim | null,
  key: string,
): Promise<Begun> {
  if (existing !== null) {
    await removeMark(store, path);
    return { target: new StoredArray(existing.zarr, existing.start), isResumed: false };
  }
  if (claim?.kind === "resume") {
    // What the run before was writing when it was killed.
    await store.sweepStrays?.({ below: path === "" ? "/" : (path as `/${string}`) });
    const mark = await markOf(store, path);
    await removeDamaged(claim.zarr, doubtOf(mark?.written, mark?.state !== undefined));
    await markBegun(store, path, key, mark);
    return { target: new StoredArray(claim.zarr), isResumed: true };
  }
  if (claim?.inTheWay) await clearPlace(store, path, claim.inTheWay, {});
  // The mark is there before the array is: whenever the run is killed, the next one knows its work.
  await markBegun(store, path, key);
  return {
    target: new StoredArray(await createArray(store, path, settingsOf(array, options))),
    isResumed: false,
  };
}
