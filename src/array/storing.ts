// Writing arrays to Zarr stores while they are computed, chunk by chunk. In: lazy arrays, and where each goes. Out: the
// stored arrays. A target that a killed run was writing is finished by the same computation; anything else that is
// there already is left alone, unless `overwrite` says otherwise.

import type { ChunkShape } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import { fitScalar, type Scalar } from "../core/numbers.ts";
import { describe, sameShape, shapeText } from "../core/shape.ts";
import type { Transfer } from "../core/transfer.ts";
import { uniformResults, withoutResults } from "../plan/uniform.ts";
import { StoredArray } from "../runtime/arrays.ts";
import { openedRun } from "../runtime/opened.ts";
import { transferTo } from "../runtime/planStorage.ts";
import { isOurs, markBegun, markFinished, removeMark, runKey } from "../runtime/resume.ts";
import { runPlan } from "../runtime/run.ts";
import { defaultSpec } from "../runtime/spec.ts";
import { FileStore } from "../storage/fileStore.ts";
import { type StoreArgument, storeOf } from "../storage/location.ts";
import { normalPath, type Store } from "../storage/store.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import { type CreateArrayOptions, createArray, planArray } from "../storage/zarr/create.ts";
import { openArray } from "../storage/zarr/group.ts";
import type { ArrayMetadata } from "../storage/zarr/metadata.ts";
import { findNode } from "../storage/zarr/nodes.ts";
import { asyncCall } from "./call.ts";
import { LazyArray } from "./lazyArray.ts";
import { prepareCut, requestOf } from "./prepare.ts";
import { regionStart } from "./region.ts";
import { type AsyncComputeOptions, COMPUTE_OPTIONS, checkRun } from "./runOptions.ts";
import { settingsOf, type TargetOptions, writtenTo } from "./target.ts";
import { lazyStored } from "./zarr.ts";

export type { TargetOptions } from "./target.ts";

export interface ToZarrOptions extends AsyncComputeOptions, TargetOptions {}

const TARGET_OPTIONS = [
  ...["path", "region", "chunks", "shards", "codecs", "dtype", "fillValue", "order", "endian", "attributes"],
  ...["dimensionNames", "zarrFormat", "keyEncoding", "indexLocation", "overwrite", "writeEmptyChunks"],
] as const;

/** A store for one of several arrays, with its options. */
export interface Target extends TargetOptions {
  readonly store: StoreArgument;
}

/** Computes an array into a Zarr store; the promise gives the stored array, as fromZarr would. */
export const toZarr: (x: LazyArray, store: StoreArgument, options?: ToZarrOptions) => Promise<LazyArray> =
  asyncCall(
    "toZarr",
    async (x, store, options = {}) => {
      const [run, target] = split(options);
      return (await storeAll([x], [{ ...target, store }], run, "toZarr"))[0]!;
    },
    [2, ...COMPUTE_OPTIONS, ...TARGET_OPTIONS],
  );

/** Computes several arrays into their stores, in one computation that shares their work. */
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
  [2, ...COMPUTE_OPTIONS],
);

/** A target with options has its store in `store`; stores have a method `get`. */
function asTarget(target: StoreArgument | Target): Target {
  const isTarget = typeof target === "object" && target !== null && "store" in target && !("get" in target);
  return isTarget ? (target as Target) : { store: target as StoreArgument };
}

function split(options: ToZarrOptions): [AsyncComputeOptions, TargetOptions] {
  const isRun = ([name]: [string, unknown]): boolean => COMPUTE_OPTIONS.includes(name);
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
  const run = checkRun(options, where);
  const destinations: Destination[] = [];
  for (const [i, array] of arrays.entries()) destinations.push(await destinationOf(array, targets[i]!));
  const prepared = prepareCut(
    arrays,
    destinations.map(({ unit }) => unit),
    destinations.map(({ transfer }) => transfer),
    { ...run, spec: run.spec ?? defaultSpec() },
  );
  const { data, sources } = prepared.plan;
  const key = await runKey(data, sources);
  const uniform = uniformResults(data);
  const filled = destinations.map((destination, i) => filledWith(destination, uniform.get(data.results[i]!)));
  const begun: Begun[] = [];
  for (const destination of filled) begun.push(await begin(destination, key));
  const written = new Map(data.results.map((name, i) => [name, begun[i]!.target]));
  const resumed = new Map([...written].filter((_, i) => begun[i]!.isResumed));
  const left = withoutResults(data, new Set(data.results.filter((_, i) => filled[i]!.isWhole)));
  const setting = await openedRun(left, async () => key, run, resumed);
  await runPlan({ ...requestOf(prepared, run), plan: left, targets: written }, setting);
  for (const { existing, store, path } of destinations)
    if (existing === null) await markFinished(store, path, key);
  return [...written.values()].map(({ array }) => lazyStored(array));
}

/**
 * An array that is one value everywhere is stored as its fill value, without a chunk: so `zeros(shape).toZarr(path)`
 * makes an array to write regions of, however large. Not where another fill value is asked for, or chunks are.
 */
function filledWith(destination: Destination, value: Scalar | undefined): Destination {
  const { array, options, existing } = destination;
  const isAsked = options.fillValue !== undefined || options.writeEmptyChunks === true;
  if (value === undefined || existing !== null || isAsked) return destination;
  // As its elements are: what is stored in fewer bits is rounded from there.
  const fillValue = fitScalar(value, array.dtype);
  return { ...destination, options: { ...options, fillValue }, isWhole: true };
}

async function destinationOf(
  array: LazyArray,
  { store: argument, ...options }: Target,
): Promise<Destination> {
  if (!(array instanceof LazyArray))
    throw new ValueError({ what: `${describe(array)} is not a lazy array`, cure: "Wrap it: asarray(x)" });
  const store = await storeOf(argument);
  const path = normalPath(options.path ?? "");
  const common = { array, store, path, options, isWhole: false };
  if (options.region === undefined) {
    return { ...common, ...writtenTo(array, options, store), existing: null };
  }
  const zarr = await openArray(store, path);
  const start = regionStart(options.region, zarr, array.shape);
  checkType(array, zarr);
  const transfer = transferTo(zarr.metadata, store);
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

async function begin({ array, store, path, options, existing }: Destination, key: string): Promise<Begun> {
  if (existing !== null) {
    await removeMark(store, path);
    return { target: new StoredArray(existing.zarr, existing.start), isResumed: false };
  }
  const settings = settingsOf(array, options);
  if (await isOurs(store, path, key)) {
    const zarr = await resumable(array, store, path, settings);
    if (zarr !== null) {
      // What the run before was writing when it was killed.
      if (store instanceof FileStore)
        await store.sweepStrays({ below: path === "" ? "/" : (path as `/${string}`) });
      return { target: new StoredArray(zarr), isResumed: true };
    }
  }
  // The mark is there before the array is: whenever the run is killed, the next one knows its work.
  if ((await findNode(store, path, {}).catch(() => "damaged")) === null) await markBegun(store, path, key);
  const zarr = await createArray(store, path, settings);
  await markBegun(store, path, key);
  return { target: new StoredArray(zarr), isResumed: false };
}

/** What the same computation has stored so far, if it is stored in the way that is asked for now. */
async function resumable(
  array: LazyArray,
  store: Store,
  path: string,
  settings: CreateArrayOptions,
): Promise<ZarrArray | null> {
  const wanted = planArray(settings, path);
  const node = await findNode(store, path, {});
  if (node?.kind !== "array" || !sameShape(node.shape, array.shape)) return null;
  const wayOf = ({ codecs, unitShape, fill }: ArrayMetadata): string =>
    JSON.stringify([codecs, unitShape, [...fill.element]]);
  const isSame = wayOf(node) === wayOf(wanted);
  if (!isSame && settings.overwrite === true) return null;
  if (!isSame)
    throw new ValueError({
      what: `the same computation is stored there with other chunks (${shapeText(node.unitShape)}), codecs or fill value`,
      cure: "Use another path, or overwrite: true",
    });
  return openArray(store, path, { writeEmptyChunks: settings.writeEmptyChunks ?? true });
}
