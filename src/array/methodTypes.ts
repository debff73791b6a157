// The methods of LazyArray, by type: every function whose first argument is an array, without that argument. What a
// function is as a method its own type says (functionTypes.ts); no list of names is kept here.
// methods.ts installs them and cannot leave one out.

import type { DType } from "../core/dtype.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import type { NDArray } from "../lazy/ndarray.ts";
import type * as elementwise from "../ops/elementwise/index.ts";
import type * as exponentialSums from "../ops/exponentialSums.ts";
import type * as reductions from "../ops/reductions.ts";
import type * as scans from "../ops/scans.ts";
import type { Plan } from "../plan/index.ts";
import type { AsyncComputeOptions, ComputeOptions } from "../runtime/options.ts";
import type { StoreArgument } from "../storage/location.ts";
import type { Executed, PlanCallOptions } from "./compute.ts";
import type * as creation from "./functions/creation.ts";
import type * as dtypes from "./functions/dtypes.ts";
import type * as indexing from "./functions/indexing.ts";
import type * as joining from "./functions/joining.ts";
import type * as linear from "./functions/linear.ts";
import type * as manipulation from "./functions/manipulation.ts";
import type * as nan from "./functions/nan.ts";
import type * as repeating from "./functions/repeating.ts";
import type * as statistics from "./functions/searching.ts";
import type { ToNpyOptions } from "./npy.ts";
import type { ToZarrOptions } from "./storing.ts";

/** The functions of a module as methods. */
type Methods<Module> = {
  readonly [K in keyof Module]: Module[K] extends { readonly "~method"?: infer Method }
    ? NonNullable<Method>
    : never;
};

/** Methods that are functions of the namespace too. */
export interface FunctionMethods
  extends Methods<typeof elementwise>,
    Methods<Pick<typeof creation, "fullLike" | "zerosLike" | "onesLike" | "emptyLike" | "tril" | "triu">>,
    Methods<Pick<typeof dtypes, "astype">>,
    Methods<Pick<typeof joining, "unstack">>,
    Methods<typeof manipulation>,
    Methods<typeof repeating>,
    Methods<typeof statistics>,
    Methods<typeof reductions>,
    Methods<typeof scans>,
    Methods<typeof nan>,
    Methods<typeof exponentialSums>,
    Methods<typeof linear>,
    Methods<typeof indexing> {}

/**
 * The methods of lazy arrays: every function whose first argument is an array, as `x.sum({axis: 0})`, and those that
 * compute.
 */
export interface ArrayMethods extends FunctionMethods {
  /** Computes the array: `const result = await x.compute()`. */
  compute<D extends DType>(this: LazyArray<D>, options?: AsyncComputeOptions): Promise<NDArray<D>>;
  /** Computes the array at once; for work in memory: `x.computeSync().item()`. */
  computeSync<D extends DType>(this: LazyArray<D>, options?: ComputeOptions): NDArray<D>;
  /** Computes the array and the outputs marked on the way: `const {scaled, result} = await x.execute()`. */
  execute<Self extends LazyArray>(this: Self, options?: AsyncComputeOptions): Promise<Executed<Self>>;
  /** The same at once: `x.executeSync()`. */
  executeSync<Self extends LazyArray>(this: Self, options?: ComputeOptions): Executed<Self>;
  /** How it would be computed. Computes nothing: `console.log(x.plan())`. */
  plan(options?: PlanCallOptions): Plan;
  /** Computes the array into a Zarr store; the promise gives the stored array, as fromZarr would: `await x.toZarr("x.zarr")`. */
  toZarr<D extends DType>(
    this: LazyArray<D>,
    store: StoreArgument,
    options?: ToZarrOptions,
  ): Promise<LazyArray<D>>;
  /** Computes the array into a file of NumPy's; the promise gives the stored array, as fromNpy would: `await x.toNpy("x.npy")`. */
  toNpy<D extends DType>(
    this: LazyArray<D>,
    place: StoreArgument,
    options?: ToNpyOptions,
  ): Promise<LazyArray<D>>;
}

declare module "../lazy/lazyArray.ts" {
  /** Methods: every function whose first argument is an array (methods.ts installs them). */
  interface LazyArray<D extends DType = DType, O = unknown> extends ArrayMethods {}
}
