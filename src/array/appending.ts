// Appending to stored arrays, and making them longer or shorter. In: a lazy array, a stored one and an axis. Out: the part to be
// computed, and where it goes. Must hold: chunks come first and the new length last, so that a reader sees the old extent or
// the new one, and a run that is killed leaves the old one.

import { type AxisName, checkAxis, type Shape, shapeText } from "../core/chunks.ts";
import { ShapeError, ValueError } from "../core/errors.ts";
import { axisNamed, type DimNames, type Labels, nameless } from "../core/labels.ts";
import { asyncCall } from "../lazy/call.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { zarrFormat } from "../runtime/zarr/zarrFormat.ts";
import { folderPlace, type Place } from "../storage/formats/denseFormat.ts";
import type { StoreArgument } from "../storage/location.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import { denseArray } from "../storage/zarr/denseArray.ts";
import { openArray } from "../storage/zarr/group.ts";
import { findNode } from "../storage/zarr/nodes.ts";
import { resize } from "../storage/zarr/resize.ts";
import { partAlong } from "./chunked.ts";
import { engine } from "./defaultEngine.ts";
import { concat } from "./functions/joining.ts";
import { lazyStored, sourceOf } from "./opening.ts";

/** What is computed for an append, from which chunk on it is written, and how long the array is then. */
export interface Appended {
  readonly array: LazyArray;
  readonly start: readonly number[];
  readonly grownTo: Shape;
}

/** Null where no array is there yet: it is made. */
export async function appendTo(
  place: Place,
  x: LazyArray,
  { dims }: Labels,
  append: AxisName,
): Promise<Appended | null> {
  const node = await findNode(place.store, place.path, {});
  if (node === null) {
    axisAt(append, dims ?? nameless(x.ndim), x.ndim);
    return null;
  }
  const zarr = await openArray(place.store, place.path, { known: engine.codecs });
  const axis = axisAt(append, zarr.dimensionNames ?? nameless(zarr.shape.length), zarr.shape.length);
  checkFits(x, dims ?? nameless(x.ndim), zarr, axis);
  const unit = zarr.metadata.unitShape[axis]!;
  const length = zarr.shape[axis]!;
  const from = length - (length % unit);
  const grownTo = zarr.shape.with(axis, length + x.shape[axis]!);
  // The last chunk is written again, with what it has: its elements stay what they are.
  const stored = lazyStored(sourceOf(zarrFormat, place, {}, denseArray(zarr)));
  const array = from === length ? x : concat([partAlong(stored, axis, from, length - from), x], { axis });
  return { array, start: zarr.shape.map((_, a) => (a === axis ? from : 0)), grownTo };
}

const axisAt = (axis: AxisName, dims: DimNames, ndim: number): number =>
  typeof axis === "string" ? axisNamed(dims, axis) : checkAxis(axis, ndim);

function checkFits(
  x: LazyArray,
  dims: DimNames,
  { shape, dtype, dimensionNames }: ZarrArray,
  axis: number,
): void {
  const isSame = x.ndim === shape.length && x.shape.every((n, a) => a === axis || n === shape[a]);
  if (!isSame)
    throw new ShapeError({
      what: `an array of shape ${shapeText(x.shape)} cannot follow one of shape ${shapeText(shape)} along axis ${axis}`,
      cure: "All other lengths must be equal",
    });
  if (x.dtype !== dtype)
    throw new ValueError({
      what: `an array of ${x.dtype} for a stored one of ${dtype}`,
      cure: `Cast it first: x.astype(${JSON.stringify(dtype)})`,
    });
  const other = dims.findIndex((name, a) => {
    const stored = dimensionNames?.[a] ?? null;
    return name !== null && stored !== null && name !== stored;
  });
  if (other >= 0)
    throw new ValueError({
      what: `axis ${other} is called ${JSON.stringify(dims[other])}, and ${JSON.stringify(dimensionNames![other])} in the store`,
      cure: "Bring the axes into the stored order: x.permuteDims([…])",
    });
}

/** Options of `cw.resizeZarr`. */
export interface ResizeOptions {
  /** The array's path in the store; the root unless given. */
  readonly path?: string;
}

/**
 * Makes a stored array longer or shorter, and gives it as `fromZarr` would: `await cw.resizeZarr("x.zarr", [400, 24])`. What
 * comes into sight holds the fill value; a reader sees the old shape or the new one.
 */
export const resizeZarr: (
  store: StoreArgument,
  shape: number | Shape,
  options?: ResizeOptions,
) => Promise<LazyArray> = asyncCall(
  "resizeZarr",
  async (store: StoreArgument, shape: number | Shape, { path = "" }: ResizeOptions = {}) => {
    const place = await folderPlace(store, path);
    const array = await resize(await openArray(place.store, place.path, { known: engine.codecs }), shape);
    return lazyStored(sourceOf(zarrFormat, place, {}, denseArray(array)));
  },
  [2, "path"],
);
