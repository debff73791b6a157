// Methods: puts every function whose first argument is an array on LazyArray's prototype. The package's
// door calls `installMethods` once.

import { userMethod } from "../lazy/call.ts";
import { LazyArray } from "../lazy/lazyArray.ts";
import type { NDArray } from "../lazy/ndarray.ts";
import * as elementwise from "../ops/elementwise/index.ts";
import * as exponentialSums from "../ops/exponentialSums.ts";
import * as reductions from "../ops/reductions.ts";
import * as scans from "../ops/scans.ts";
import type { Plan } from "../plan/index.ts";
import { type AsyncComputeOptions, type ComputeOptions, checkRun } from "../runtime/options.ts";
import type { StoreArgument } from "../storage/location.ts";
import {
  computeArrays,
  computeArraysSync,
  execute,
  executeSync,
  type PlanCallOptions,
  plan,
} from "./compute.ts";
import { engine } from "./defaultEngine.ts";
import * as creation from "./functions/creation.ts";
import * as dtypes from "./functions/dtypes.ts";
import * as indexing from "./functions/indexing.ts";
import { unstack } from "./functions/joining.ts";
import * as linear from "./functions/linear.ts";
import * as manipulation from "./functions/manipulation.ts";
import * as nan from "./functions/nan.ts";
import * as repeating from "./functions/repeating.ts";
import * as statistics from "./functions/searching.ts";
import type { FunctionMethods } from "./methodTypes.ts";
import { type ToNpyOptions, toNpy } from "./npy.ts";
import { type ToZarrOptions, toZarr } from "./storing.ts";

const { fullLike, zerosLike, onesLike, emptyLike, tril, triu } = creation;
const { astype } = dtypes;

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
  ...exponentialSums,
  ...linear,
  ...indexing,
};

type AnyFunction = (first: LazyArray, ...rest: readonly unknown[]) => unknown;

/** Installs the methods; a second call changes nothing. */
export function installMethods(): void {
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(LazyArray.prototype, name, { value, writable: true, configurable: true });
  };
  for (const [name, body] of Object.entries(FUNCTIONS))
    define(name, userMethod(name, body as unknown as AnyFunction));
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
      x.shape.map((_, axis) => x.ndim - 1 - axis),
    ),
  );
  defineGetter("mT", (x) => manipulation.matrixTranspose(x));
}

function defineGetter(name: string, body: (self: LazyArray) => LazyArray): void {
  const get = userMethod(name, body);
  Object.defineProperty(LazyArray.prototype, name, { get, configurable: true });
}
