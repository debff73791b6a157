// Targets: how an array is stored. In: a lazy array and what the user says of the stored one. Out: the stored array's
// metadata, what one task writes of it, and what writing takes. Used by runs that write, and by plans that state what
// such runs will need: both state the same.

import type { ChunkShape } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import { describe } from "../core/shape.ts";
import type { Transfer } from "../core/transfer.ts";
import { chunksOf } from "../expr/chunks.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { transferTo } from "../runtime/planStorage.ts";
import { FileStore } from "../storage/fileStore.ts";
import type { StoreArgument } from "../storage/location.ts";
import type { Store } from "../storage/store.ts";
import { type CreateArrayOptions, planArray } from "../storage/zarr/create.ts";
import type { ArrayMetadata } from "../storage/zarr/metadata.ts";
import { engine } from "./engine.ts";
import type { SelectionItem } from "./selection.ts";

type ArraySettings = Partial<Omit<CreateArrayOptions, "shape" | "signal" | "known">>;

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

/** New arrays have the chunks of the lazy array, unless others are asked for. */
export const settingsOf = (
  array: LazyArray,
  { path: _, region: __, ...options }: TargetOptions,
): CreateArrayOptions => ({
  dtype: array.dtype,
  chunks: chunksOf(array.expr),
  writeEmptyChunks: true,
  known: engine.codecs,
  ...options,
  shape: array.shape,
});

function metadataOf(array: LazyArray, options: TargetOptions): ArrayMetadata {
  const metadata = planArray(settingsOf(array, options), "/");
  if (metadata.type.dtype === array.dtype) return metadata;
  throw new ValueError({
    what: `an array of ${array.dtype} cannot be stored as ${describe(options.dtype)}`,
    cure: "Cast it first: x.astype(dtype)",
  });
}

const unitOf = (array: LazyArray, { unitShape }: ArrayMetadata): ChunkShape =>
  unitShape.map((length, axis) => Math.max(1, Math.min(length, array.shape[axis]!)));

/** What one task writes of a new array, and what writing it takes. */
export function writtenTo(
  array: LazyArray,
  options: TargetOptions,
  store: Pick<Store, "open">,
): { readonly unit: ChunkShape; readonly transfer: Transfer } {
  const metadata = metadataOf(array, options);
  return { unit: unitOf(array, metadata), transfer: transferTo(metadata, store, engine.codecs) };
}

/** The same for a plan: a path or URL is a folder. */
export function plannedTo(array: LazyArray, target: PlanTarget): ReturnType<typeof writtenTo> {
  const { store, ...options } = target;
  const isStore = typeof store === "object" && !(store instanceof URL);
  return writtenTo(array, options, isStore ? (store as Pick<Store, "open">) : FileStore.prototype);
}
