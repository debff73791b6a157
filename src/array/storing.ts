// Writing arrays to stores while they are computed, chunk by chunk, in whatever format. In: lazy arrays, and where each goes.
// Out: the stored arrays. Must hold: all places are looked at before any is changed; of a run that fails, nothing is left that
// could be taken for a result.

import type { Resource } from "../core/attrs.ts";
import { ValueError } from "../core/errors.ts";
import type { Scalar } from "../core/numbers.ts";
import { describe } from "../core/shape.ts";
import { castTo, checkDType } from "../lazy/build.ts";
import { asyncCall, checkNames } from "../lazy/call.ts";
import { LazyArray } from "../lazy/lazyArray.ts";
import { uniformResults, withoutResults } from "../plan/uniform.ts";
import { type AsyncComputeOptions, checkRun, OPTIONS_AT } from "../runtime/options.ts";
import { checkOnce, runPlan } from "../runtime/run.ts";
import { runKey } from "../runtime/runKey.ts";
import { settingFor } from "../runtime/runSetting.ts";
import type { Written } from "../runtime/storedArrays.ts";
import { zarrFormat } from "../runtime/zarr/zarrFormat.ts";
import type { DenseTarget } from "../storage/formats/denseFormat.ts";
import type { StoreArgument } from "../storage/location.ts";
import { checkApart, type TakenPlace } from "./apart.ts";
import {
  type Destination,
  destinationOf,
  type Target,
  type TargetOptions,
  transferOf,
} from "./arrayTargets.ts";
import { engine } from "./defaultEngine.ts";
import { lazyStored, sourceOf } from "./opening.ts";
import { prepareCut, requestOf } from "./prepare.ts";

export type { Target, TargetOptions } from "./arrayTargets.ts";

/** Options of `cw.toZarr` and `x.toZarr`: how the array is stored, and how it is computed. */
export interface ToZarrOptions extends AsyncComputeOptions, TargetOptions {}

const TARGET_OPTIONS = [
  ...["path", "region", "chunks", "shards", "codecs", "dtype", "fillValue", "order", "endian", "attributes"],
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
  const { spec } = run;
  const arrays = given.map((array, i) => castFor(array, targets[i]!));
  const destinations: Destination[] = [];
  for (const [i, array] of arrays.entries())
    destinations.push(await destinationOf(array, targets[i]!, run.durable ?? spec.durable));
  const cuts = destinations.map(({ array, prepared }) => ({
    chunks: prepared.unit,
    transfer: transferOf(array, prepared),
    isReadable: prepared.isReadable === true,
  }));
  const prepared = prepareCut(arrays, cuts, run);
  const { data, sources } = prepared.plan;
  const known = await runKey(data, sources);
  const uniform = uniformResults(data);
  const filled = destinations.map((destination, i) => filledWith(destination, uniform.get(data.results[i]!)));
  const left = withoutResults(
    data,
    new Set(data.results.filter((_, i) => filled[i]!.prepared.isWhole === true)),
  );
  await claimAll(filled, known.text, sources.values());
  checkOnce(left, spec.budget);
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
