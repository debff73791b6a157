// Arrays in npy files, in and out: the typed doors of one format. In: a path, a URL, or a store and a path in it. Out: lazy arrays.

import type { ChunksArgument } from "../core/chunks.ts";
import { asyncCall } from "../lazy/call.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { type AsyncComputeOptions, OPTIONS_AT } from "../runtime/spec.ts";
import type { StoreArgument } from "../storage/location.ts";
import { npyFormat } from "../storage/npy/npyFormat.ts";
import { openDense } from "./opening.ts";
import { storeAll } from "./storing.ts";

/** Options of `cw.fromNpy`. */
export interface FromNpyOptions {
  /** The file's path in the store, as "runs/x.npy". */
  readonly path?: string;
  /** How it is cut here; along the slowest axis, into chunks of the usual size, unless given. */
  readonly chunks?: ChunksArgument;
}

/**
 * Opens a file of NumPy's (`np.save`). Reads its header; computing reads the bytes that are needed.
 *
 * @example
 * const x = await cw.fromNpy("temperature.npy");
 * console.log(await x.mean({ axis: 0 }).compute());
 */
export const fromNpy: (place: StoreArgument, options?: FromNpyOptions) => Promise<LazyArray> = asyncCall(
  "fromNpy",
  (place: StoreArgument, { path = "", chunks }: FromNpyOptions = {}) =>
    openDense(npyFormat, place, { path, chunks, options: {} }),
  [1, "path", "chunks"],
);

/** Options of `cw.toNpy` and `x.toNpy`: where, and how it is computed. */
export interface ToNpyOptions extends AsyncComputeOptions {
  /** The file's path in the store. */
  readonly path?: string;
  /** Takes the place of what is there. */
  readonly overwrite?: boolean;
}

/**
 * Computes an array into a file that NumPy reads (`np.load`), rows by rows; it appears when it is whole. The promise gives
 * the stored array, as fromNpy would.
 *
 * @example
 * await cw.toNpy(x.multiply(2), "doubled.npy");
 */
export const toNpy: (x: LazyArray, place: StoreArgument, options?: ToNpyOptions) => Promise<LazyArray> =
  asyncCall(
    "toNpy",
    async (x: LazyArray, place: StoreArgument, { path, overwrite, ...run }: ToNpyOptions = {}) => {
      const at = { store: place, format: npyFormat.name, ...(path === undefined ? {} : { path }) };
      const own = overwrite === undefined ? {} : { overwrite };
      return (await storeAll([x], [{ ...at, ...own }], run, "toNpy"))[0]!;
    },
    [2, "path", "overwrite", ...OPTIONS_AT.run],
  );
