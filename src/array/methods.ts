// Methods: puts every function whose first argument is an array on LazyArray's prototype. The package's
// door calls `installMethods` once.

import type { DType } from "../core/dtype.ts";
import { ValueError } from "../core/errors.ts";
import { NUMPY_FUNCTIONS } from "../core/numpyNames.ts";
import { userMethod } from "../lazy/call.ts";
import { LazyArray } from "../lazy/lazyArray.ts";
import type { NDArray } from "../lazy/ndarray.ts";
import * as elementwise from "../ops/elementwise/index.ts";
import * as exponentialSums from "../ops/exponentialSums.ts";
import * as nan from "../ops/nanReductions.ts";
import * as reductions from "../ops/reductions.ts";
import * as scans from "../ops/scans.ts";
import type { Plan } from "../plan/index.ts";
import { type AsyncComputeOptions, type ComputeOptions, checkRun } from "../runtime/spec.ts";
import type { StoreArgument } from "../storage/location.ts";
import {
  computeArrays,
  computeArraysSync,
  type Executed,
  execute,
  executeSync,
  type PlanCallOptions,
  plan,
  settle,
} from "./compute.ts";
import { engine } from "./defaultEngine.ts";
import * as weighing from "./functions/averages.ts";
import * as counting from "./functions/counting.ts";
import * as creation from "./functions/creation.ts";
import * as dtypes from "./functions/dtypes.ts";
import * as histograms from "./functions/histograms.ts";
import * as indexing from "./functions/indexing.ts";
import type * as joining from "./functions/joining.ts";
import { unstack } from "./functions/joining.ts";

import * as linear from "./functions/linear.ts";
import * as manipulation from "./functions/manipulation.ts";
import * as naming from "./functions/naming.ts";
import * as quantiles from "./functions/quantiles.ts";
import * as repeating from "./functions/repeating.ts";
import * as statistics from "./functions/searching.ts";
import * as sets from "./functions/sets.ts";
import { take, takeAlongAxis } from "./functions/taking.ts";
import { type ToNpyOptions, toNpy } from "./npy.ts";
import { type ToZarrOptions, toZarr } from "./storing.ts";

// The methods of LazyArray, by type: every function whose first argument is an array, without that argument. What a
// function is as a method its own type says (functionTypes.ts); no list of names is kept here.
// methods.ts installs them and cannot leave one out.

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
    Methods<typeof quantiles>,
    Methods<typeof exponentialSums>,
    Methods<typeof naming>,
    Methods<typeof linear>,
    Methods<typeof sets>,
    Methods<typeof weighing>,
    Methods<typeof counting>,
    Methods<Pick<typeof histograms, "histogram">>,
    Methods<typeof indexing>,
    Methods<{ readonly take: typeof take; readonly takeAlongAxis: typeof takeAlongAxis }> {}

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
  /** Finds out the lengths that depend on data: `const y = await x.get(x.greater(0)).settle()` has a shape. */
  settle<Self extends LazyArray>(this: Self, options?: AsyncComputeOptions): Promise<Self>;
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

const { fullLike, zerosLike, onesLike, emptyLike, tril, triu } = creation;
const { astype } = dtypes;
const { histogram } = histograms;

/** Total: a method that the type promises and this table lacks does not compile. */
const FUNCTIONS: { readonly [K in keyof FunctionMethods]: unknown } = {
  ...elementwise,
  ...{ fullLike, zerosLike, onesLike, emptyLike, tril, triu, astype },
  ...manipulation,
  ...repeating,
  unstack,
  ...statistics,
  ...reductions,
  ...scans,
  ...nan,
  ...quantiles,
  ...exponentialSums,
  ...naming,
  ...linear,
  ...sets,
  ...weighing,
  ...counting,
  histogram,
  ...indexing,
  ...{ take, takeAlongAxis },
};

type AnyFunction = (first: LazyArray, ...rest: readonly unknown[]) => unknown;

/** Installs the methods; a second call changes nothing. */
export function installMethods(): void {
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(LazyArray.prototype, name, { value, writable: true, configurable: true });
  };
  for (const [name, body] of Object.entries(FUNCTIONS))
    define(name, userMethod(name, body as unknown as AnyFunction));
  for (const [theirs, ours] of Object.entries(NUMPY_FUNCTIONS))
    if (!(theirs in LazyArray.prototype))
      define(
        theirs,
        userMethod(theirs, () => notOurs(theirs, ours)),
      );
  define("compute", async function (this: LazyArray, options?: AsyncComputeOptions): Promise<NDArray> {
    return (await computeArrays([this], checkRun(options, "compute", "run", engine.spec)))[0]!;
  });
  define("computeSync", function (this: LazyArray, options?: ComputeOptions): NDArray {
    return computeArraysSync([this], checkRun(options, "computeSync", "sync", engine.spec))[0]!;
  });
  define("execute", async function (this: LazyArray, options?: AsyncComputeOptions) {
    return execute(this, checkRun(options, "execute", "run", engine.spec));
  });
  define("executeSync", function (this: LazyArray, options?: ComputeOptions) {
    return executeSync(this, checkRun(options, "executeSync", "sync", engine.spec));
  });
  define("settle", function (this: LazyArray, options?: AsyncComputeOptions): Promise<LazyArray> {
    return settle(this, options);
  });
  define("plan", function (this: LazyArray, options?: PlanCallOptions): Plan {
    return plan(this, options);
  });
  define(
    "toZarr",
    function (this: LazyArray, store: StoreArgument, options?: ToZarrOptions): Promise<LazyArray> {
      return options === undefined ? toZarr(this, store) : toZarr(this, store, options);
    },
  );
  define(
    "toNpy",
    function (this: LazyArray, place: StoreArgument, options?: ToNpyOptions): Promise<LazyArray> {
      return options === undefined ? toNpy(this, place) : toNpy(this, place, options);
    },
  );
  defineGetter("T", (x) =>
    manipulation.permuteDims(
      x,
      x.expr.shape.map((_, axis) => x.ndim - 1 - axis),
    ),
  );
  defineGetter("mT", (x) => manipulation.matrixTranspose(x));
}

/** Of a method that NumPy has by another name; not in the types, where the compiler says that there is none. */
function notOurs(theirs: string, ours: string): never {
  const call = ours in LazyArray.prototype ? `x.${ours}(…)` : `cw.${ours}(…)`;
  throw new ValueError({
    what: `there is no such method`,
    cure: `What NumPy calls ${theirs} is ${call} here`,
  });
}

function defineGetter(name: string, body: (self: LazyArray) => LazyArray): void {
  const get = userMethod(name, body);
  Object.defineProperty(LazyArray.prototype, name, { get, configurable: true });
}
