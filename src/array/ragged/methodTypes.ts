// Methods of ragged arrays, by type: every function whose first argument is an array, without that argument.
// `Self` is the kind of array, `Value` what one value is: itself in memory, something lazy otherwise.

import type { DType } from "../../core/dtype.ts";
import type { Scalar } from "../../core/numbers.ts";
import type { Plan } from "../../plan/index.ts";
import type { AsyncComputeOptions, PlanOnlyOptions } from "../../runtime/options.ts";
import type { LazyRagged } from "./arrays.ts";
import type { ColumnReport, NecessaryColumns, ProjectOptions } from "./columns.ts";
import type { Computed } from "./compute.ts";
import type { RaggedItem } from "./get.ts";
import type * as lists from "./lists.ts";
import type { RaggedInput, RaggedOperand } from "./operands.ts";
import type { CombinationOptions } from "./records.ts";
import type { ReduceOptions, VarianceOptions } from "./reductions.ts";

type UnaryName =
  | "abs" | "acos" | "acosh" | "asin" | "asinh" | "atan" | "atanh" | "bitwiseInvert" | "ceil" | "conj" | "cos"
  | "cosh" | "exp" | "expm1" | "floor" | "imag" | "isfinite" | "isinf" | "isnan" | "log" | "log10" | "log1mexp"
  | "log1p" | "log2" | "logicalNot" | "negative" | "positive" | "real" | "reciprocal" | "round" | "sigmoid" | "sign"
  | "signbit" | "sin" | "sinh" | "softplus" | "sqrt" | "square" | "tan" | "tanh" | "trunc"; // biome-ignore format: a list of names

type BinaryName =
  | "add" | "atan2" | "bitwiseAnd" | "bitwiseLeftShift" | "bitwiseOr" | "bitwiseRightShift" | "bitwiseXor"
  | "copysign" | "divide" | "equal" | "floorDivide" | "greater" | "greaterEqual" | "hypot" | "less" | "lessEqual"
  | "logaddexp" | "logicalAnd" | "logicalOr" | "logicalXor" | "maximum" | "minimum" | "multiply" | "nextafter"
  | "notEqual" | "pow" | "remainder" | "subtract"; // biome-ignore format: a list of names

type UnaryMethods<Self> = { [K in UnaryName]: () => Self };
type BinaryMethods<Self> = { [K in BinaryName]: (other: RaggedOperand) => Self };

type ReduceName =
  | "sum"
  | "prod"
  | "min"
  | "max"
  | "any"
  | "all"
  | "count"
  | "countNonzero"
  | "argmin"
  | "argmax"
  | "mean";
/** One value, unless an axis is left. */
interface ReduceMethod<Self, Value, Options> {
  (options: Options & ({ readonly axis: number } | { readonly keepdims: true })): Self;
  (options?: Options): Value;
}
type ReduceMethods<Self, Value> = {
  [K in ReduceName]: ReduceMethod<Self, Value, ReduceOptions>;
} & { [K in "std" | "var"]: ReduceMethod<Self, Value, VarianceOptions> };

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
  fillNone(value: Scalar | string, options?: lists.AnyAxisOptions): Self;
  dropNone(options?: lists.AnyAxisOptions): Self;
  isNone(options?: lists.AxisOptions): Self;
  mask(mask: RaggedInput, options?: { readonly validWhen?: boolean | undefined }): Self;
  nanToNone(): Self;
  toPacked(): Self;
  runLengths(): Self;
  valuesAstype(dtype: DType): Self;
  isclose(other: RaggedOperand, options?: lists.CloseOptions): Self;
}

interface RecordMethods<Self, Value> {
  /** A place in every axis gives one value. */
  get(...items: readonly RaggedItem[]): Self | Value;
  field(...path: readonly string[]): Self;
  withField(value: RaggedInput | Scalar | string, name: string | readonly string[]): Self;
  withoutField(name: string | readonly string[]): Self;
  unzip(): Self[];
  combinations(n: number, options?: CombinationOptions): Self;
  argcombinations(n: number, options?: CombinationOptions): Self;
}

export type RaggedMethods<Self, Value> = UnaryMethods<Self> &
  BinaryMethods<Self> &
  ReduceMethods<Self, Value> &
  ListMethods<Self> &
  RecordMethods<Self, Value>;

/** Of lazy arrays alone. */
export interface LazyMethods {
  compute<X extends LazyRagged>(this: X, options?: AsyncComputeOptions): Promise<Computed<X>>;
  plan(options?: PlanOnlyOptions): Plan;
  necessaryColumns(options?: ProjectOptions): NecessaryColumns;
  explainColumns(options?: ProjectOptions): ColumnReport;
}
