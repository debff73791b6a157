// Images as OME-Zarr: the same image in several resolutions, for microscopes and those who look through them. In: a lazy array. Out: a
// Zarr group of its levels, or such a group opened. Must hold: all levels are made in one computation, each from the one before.

import { checkInteger, type Shape } from "../../core/chunks.ts";
import { infoOf, isFloat, isTime } from "../../core/dtype.ts";
import { DTypeError, ValueError } from "../../core/errors.ts";
import { castTo } from "../../lazy/build.ts";
import { asyncCall } from "../../lazy/call.ts";
import { LazyArray } from "../../lazy/lazyArray.ts";
import { round } from "../../ops/elementwise/index.ts";
import { mean } from "../../ops/reductions.ts";
import { type AsyncComputeOptions, OPTIONS_AT } from "../../runtime/spec.ts";
import { folderPlace } from "../../storage/formats/denseFormat.ts";
import type { StoreArgument } from "../../storage/location.ts";
import { openGroup, setAttributes } from "../../storage/zarr/group.ts";
import { reshape } from "../functions/manipulation.ts";
import { withAttributes, withDims } from "../functions/naming.ts";
import { pad } from "../functions/repeating.ts";
import { arrayIn, openZarrGroup } from "../opening.ts";
import { storeAll, type Target } from "../storing.ts";
import { axesOf, type OmeAxis, type OmeLevelMetadata, omeAttributes, omeMetadata } from "./omeMetadata.ts";

/** A level of an image. */
export interface OmeLevel extends OmeLevelMetadata {
  /** Its pixels, with the names of the image's axes. */
  readonly array: LazyArray;
}

/** An image in several resolutions, the finest first. */
export interface OmeImage {
  /** Of OME-NGFF: "0.4". */
  readonly version: string;
  /** What it is called, if anything. */
  readonly name: string | null;
  /** What its axes are called, and along what they are. */
  readonly axes: readonly OmeAxis[];
  /** The finest first. */
  readonly levels: readonly OmeLevel[];
}

/** Options of `cw.toOmeZarr`. */
export interface ToOmeZarrOptions
  extends AsyncComputeOptions,
    Pick<Target, "chunks" | "shards" | "codecs" | "overwrite"> {
  /** The group's path in the store; the root unless given. */
  readonly path?: string | undefined;
  /** What the image is called. */
  readonly name?: string | undefined;
  /** "0.5", which is Zarr v3, unless given; "0.4" is Zarr v2. */
  readonly version?: "0.4" | "0.5" | undefined;
  /** How many resolutions; until the image is no larger than 256 along y and x unless given. */
  readonly levels?: number | undefined;
  /** How far pixels lie apart along each axis, by name: `{x: 0.65, y: 0.65}`; 1 unless given. */
  readonly scale?: { readonly [axis: string]: number } | undefined;
  /** In which unit: `{x: "micrometer"}`. */
  readonly units?: { readonly [axis: string]: string } | undefined;
}

/** No smaller levels are made of an image this small. */
const SMALL = 256;

const OWN = [
  "path",
  "name",
  "version",
  "levels",
  "scale",
  "units",
  "chunks",
  "shards",
  "codecs",
  "overwrite",
] as const;

/**
 * Computes an image into OME-Zarr, with levels of half the resolution each, by means of 2 × 2 pixels: `await cw.toOmeZarr(x,
 * "image.zarr", {scale: {y: 0.65, x: 0.65}, units: {y: "micrometer", x: "micrometer"}})`.
 */
export const toOmeZarr: (
  x: LazyArray,
  store: StoreArgument,
  options?: ToOmeZarrOptions,
) => Promise<OmeImage> = asyncCall(
  "toOmeZarr",
  async (x: LazyArray, store: StoreArgument, options: ToOmeZarrOptions = {}) => {
    const {
      path = "",
      name,
      version = "0.5",
      scale = {},
      units = {},
      chunks,
      shards,
      codecs,
      overwrite,
    } = options;
    checkImage(x, version);
    const axes = axesOf(x.dims, units);
    const arrays = pyramid(named(x, axes), levelsOf(x.shape, options.levels));
    const place = await folderPlace(store, path);
    const layout = Object.entries({ chunks, shards, codecs, overwrite }).filter(
      ([, value]) => value !== undefined,
    );
    const targets = arrays.map((_, level) => ({
      store: place.store,
      path: `${place.path}/${level}`,
      ...formatOf(version),
      ...Object.fromEntries(layout),
    }));
    const run = Object.entries(options).filter(([option]) => OPTIONS_AT.run.includes(option));
    await storeAll(arrays, targets, Object.fromEntries(run) as AsyncComputeOptions, "toOmeZarr");
    const levels = arrays.map((_, level) => levelOf(axes, scale, level));
    const attributes = omeAttributes({ version, name: name ?? null, axes, levels });
    const group = await openGroup(place.store, place.path, { consolidated: false });
    await setAttributes(group, { ...group.attributes, ...attributes });
    return openImage(store, path);
  },
  [2, ...OPTIONS_AT.run, ...OWN],
);

const formatOf = (version: "0.4" | "0.5"): Partial<Target> =>
  version === "0.4"
    ? { zarrFormat: 2, keyEncoding: { name: "v2", separator: "/" }, fillValue: 0 }
    : { zarrFormat: 3 };

function checkImage(x: LazyArray, version: string): void {
  if (!(x instanceof LazyArray))
    throw new ValueError({ what: "the image is no lazy array", cure: "Wrap it: asarray(x)" });
  if (version !== "0.4" && version !== "0.5")
    throw new ValueError({
      what: `the version ${JSON.stringify(version)} of OME-Zarr`,
      cure: 'Use "0.4" or "0.5"',
    });
  if (x.dtype === "bool" || infoOf(x.dtype).kind === "complex" || isTime(x.dtype))
    throw new DTypeError({
      what: `an image of ${x.dtype}`,
      cure: "Images are whole or real numbers: use astype",
    });
}

/** Without attributes of its own: what is said of an image stands with its group. */
const named = (x: LazyArray, axes: readonly OmeAxis[]): LazyArray =>
  withAttributes(
    withDims(
      x,
      axes.map(({ name }) => name),
    ),
    {},
  );

function levelsOf(shape: Shape, given: number | undefined): number {
  if (given === undefined) {
    const longest = Math.max(...shape.slice(-2));
    return 1 + Math.max(0, Math.ceil(Math.log2(longest / SMALL)));
  }
  if (checkInteger(given, "levels") >= 1) return given;
  throw new ValueError({ what: `levels is ${given}`, cure: "It must be 1 or more" });
}

function pyramid(x: LazyArray, count: number): LazyArray[] {
  const levels = [x];
  while (levels.length < count) {
    const finer = levels.at(-1)!;
    if (Math.max(...finer.shape.slice(-2)) <= 1) break;
    levels.push(halved(finer));
  }
  return levels;
}

/** Means of 2 × 2 pixels; at an end with one row the means of that. Whole numbers are the nearest. */
function halved(x: LazyArray): LazyArray {
  const { shape, dtype, ndim, dims } = x;
  const even = pad(
    x,
    shape.map((n, axis) => [0, axis >= ndim - 2 ? n % 2 : 0] as [number, number]),
    { mode: "edge" },
  );
  const [h, w] = shape.slice(-2).map((n) => Math.ceil(n / 2)) as [number, number];
  const blocks = reshape(even, [...shape.slice(0, -2), h, 2, w, 2]);
  const means = mean(blocks, { axis: [ndim - 1, ndim + 1] });
  const same = isFloat(dtype) ? castTo(means, dtype) : castTo(round(means), dtype);
  return withDims(same, dims);
}

function levelOf(
  axes: readonly OmeAxis[],
  scale: { readonly [axis: string]: number },
  level: number,
): OmeLevelMetadata {
  const by = axes.map((_, axis) => (axis >= axes.length - 2 ? 2 ** level : 1));
  const finest = axes.map(({ name }) => scale[name] ?? 1);
  return {
    path: String(level),
    scale: finest.map((size, axis) => size * by[axis]!),
    // The middle of the first pixels that went into it.
    translation: finest.map((size, axis) => (size * (by[axis]! - 1)) / 2),
  };
}

/** Options of `cw.openOmeZarr`. */
export interface OpenOmeZarrOptions {
  /** The image's path in the store; the root unless given. */
  readonly path?: string | undefined;
}

/**
 * Opens an image of OME-Zarr (versions 0.1 to 0.5), lazily: `const {levels} = await cw.openOmeZarr("image.zarr")`, and
 * `levels.at(-1).array` is its smallest picture.
 */
export const openOmeZarr: (store: StoreArgument, options?: OpenOmeZarrOptions) => Promise<OmeImage> =
  asyncCall(
    "openOmeZarr",
    async (store: StoreArgument, { path = "" }: OpenOmeZarrOptions = {}) => openImage(store, path),
    [1, "path"],
  );

async function openImage(store: StoreArgument, path: string): Promise<OmeImage> {
  const group = await openZarrGroup(store, path, {});
  const { levels, ...image } = omeMetadata(group.attributes, group.path === "" ? "/" : group.path);
  const arrays = await Promise.all(levels.map((level) => arrayIn(group, level.path, {})));
  return {
    ...image,
    levels: levels.map((level, i) => {
      const array = arrays[i]!;
      const dims = image.axes.slice(image.axes.length - array.ndim).map(({ name }) => name);
      return { ...level, array: dims.length === array.ndim ? withDims(array, dims) : array };
    }),
  };
}
