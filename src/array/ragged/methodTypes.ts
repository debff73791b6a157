// Methods of ragged arrays, by type: every function whose first argument is an array, without that argument.
// `Self` is the kind of array, `Value` what one value is: itself in memory, something lazy otherwise.

import type { Scalar } from "../../core/numbers.ts";
import type { NestedReduceOptions } from "../../lazy/functionTypes.ts";
import type * as arithmetic from "../../ops/elementwise/arithmetic.ts";
import type * as exponential from "../../ops/elementwise/exponential.ts";
import type * as logic from "../../ops/elementwise/logic.ts";
import type * as special from "../../ops/elementwise/special.ts";
import type * as unchanged from "../../ops/elementwise/stopGradient.ts";
import type * as nanReductions from "../../ops/nanReductions.ts";
import type * as reductions from "../../ops/reductions.ts";
import type { Plan } from "../../plan/index.ts";
import type { AsyncComputeOptions, PlanOnlyOptions } from "../../runtime/spec.ts";
import type { Behaviors, Named } from "./behaviors/behavior.ts";
import type { ColumnReport, NecessaryColumns, ProjectOptions } from "./columns.ts";
import type { Computed } from "./compute.ts";
import type { RaggedItem } from "./get.ts";
import type * as lists from "./listFunctions.ts";
import type { LazyRagged, RaggedInput, RaggedOperand } from "./raggedArrays.ts";
import type { CombinationOptions } from "./recordFunctions.ts";

type Elementwise = typeof arithmetic & typeof exponential & typeof logic & typeof special & typeof unchanged;
type UnaryMethods<Self> = {
  [K in keyof Elementwise as Elementwise[K] extends { readonly arity: 1 } ? K : never]: () => Self;
};
type BinaryMethods<Self> = {
  [K in keyof Elementwise as Elementwise[K] extends { readonly arity: 2 } ? K : never]: (
    other: RaggedOperand,
  ) => Self;
};

/** One value, unless an axis is left. */
interface ReduceMethod<Self, Value, Options> {
  (options: Options & ({ readonly axis: number } | { readonly keepdims: true })): Self;
  (options?: Options): Value;
}
type Spread = "std" | "var" | "nanstd" | "nanvar";
type Scans = "nancumsum" | "nancumprod";
type ReduceNames = keyof typeof reductions | keyof typeof nanReductions | "count";
type ReduceMethods<Self, Value> = {
  [K in Exclude<ReduceNames, Spread | Scans>]: ReduceMethod<Self, Value, NestedReduceOptions>;
} & { [K in Spread]: ReduceMethod<Self, Value, reductions.NestedVarianceOptions> };

interface ListMethods<Self> {
  num(options?: lists.AxisOptions): Self;
  localIndex(options?: lists.AxisOptions): Self;
  flatten(options?: lists.AnyAxisOptions): Self;
  ravel(): Self;
  unflatten(counts: RaggedInput | number, options?: lists.AxisOptions): Self;
  sort(options?: lists.SortOptions): Self;
  argsort(options?: lists.SortOptions): Self;
  firsts(options?: lists.AxisOptions): Self;
  singletons(options?: lists.AxisOptions): Self;
  padNone(target: number, options?: lists.PadOptions): Self;
  fillNone(value: lists.FillValue, options?: lists.AnyAxisOptions): Self;
  dropNone(options?: lists.AnyAxisOptions): Self;
  isNone(options?: lists.AxisOptions): Self;
  mask(mask: RaggedInput, options?: { readonly validWhen?: boolean | undefined }): Self;
  nanToNone(): Self;
  toPacked(): Self;
  runLengths(): Self;
  valuesAstype(dtype: lists.ValueType): Self;
  isclose(other: RaggedOperand, options?: lists.CloseOptions): Self;
}

interface RecordMethods<Self, Value> {
  /** A place in every axis gives one value. */
  get(...items: readonly RaggedItem[]): Self | Value;
  field(...path: readonly string[]): Self;
  withName<N extends keyof Behaviors>(name: N): Named<Self, Behaviors[N]>;
  withName<B extends object>(behavior: new () => B): Named<Self, B>;
  withName(name: string | null): Self;
  withField(value: RaggedInput | Scalar | string, name: string | readonly string[]): Self;
  withoutField(name: string | readonly string[]): Self;
  unzip(): Self[];
  combinations(n: number, options?: CombinationOptions): Self;
  argcombinations(n: number, options?: CombinationOptions): Self;
}

/**
 * The methods of ragged arrays: functions without their first argument, as `x.num({axis: 1})` and `x.field("jets",
 * "pt")`.
 */
export type RaggedMethods<Self, Value> = UnaryMethods<Self> &
  BinaryMethods<Self> &
  ReduceMethods<Self, Value> &
  ListMethods<Self> &
  RecordMethods<Self, Value>;

/** Of lazy arrays alone. */
export interface LazyMethods {
  /** Computes the array: `const rows = await x.compute()`. */
  compute<X extends LazyRagged>(this: X, options?: AsyncComputeOptions): Promise<Computed<X>>;
  /** How it would be computed. Computes nothing: `console.log(x.plan())`. */
  plan(options?: PlanOnlyOptions): Plan;
  /** Which columns are read of each source: `x.necessaryColumns()`. */
  necessaryColumns(options?: ProjectOptions): NecessaryColumns;
  /** The same with reasons, lines and bytes: `console.log(String(x.explainColumns()))`. */
  explainColumns(options?: ProjectOptions): ColumnReport;
}

declare module "./raggedArrays.ts" {
  interface RaggedArray extends RaggedMethods<RaggedArray, RaggedValue> {}
  interface LazyRagged extends RaggedMethods<LazyRagged, LazyItem>, LazyMethods {}
}
