// Ragged arrays: what `chunkwise/ragged` gives. Every function works on arrays in memory at once, and on lazy ones later.

import { installRaggedMethods } from "./methods.ts";

installRaggedMethods();

export type { Form, Parameters } from "../../core/form/form.ts";
export { formOfJson, jsonOfForm } from "../../core/form/formJson.ts";
export { type ParsedType, parseType } from "../../core/form/parseType.ts";
export { typeText } from "../../core/form/typeText.ts";
export type { NestedReduceOptions as ReduceOptions } from "../../lazy/functionTypes.ts";
export * from "../../ops/elementwise/arithmetic.ts";
export * from "../../ops/elementwise/exponential.ts";
export * from "../../ops/elementwise/logic.ts";
export * from "../../ops/elementwise/special.ts";
export * from "../../ops/elementwise/stopGradient.ts";
export {
  nanargmax,
  nanargmin,
  nanmax,
  nanmean,
  nanmin,
  nanprod,
  nanstd,
  nansum,
  nanvar,
} from "../../ops/nanReductions.ts";
export type { NestedVarianceOptions as VarianceOptions } from "../../ops/reductions.ts";
export * from "../../ops/reductions.ts";
export { type BehaviorClass, BehaviorTable } from "../../ragged/behaviors.ts";
export {
  ArrowMissingError,
  type ArrowModule,
  type ArrowTable,
  type ArrowVector,
  type Buffers,
  type Container,
  LayoutError,
} from "../../ragged/index.ts";
export { ProjectionError } from "../../ragged/lazy/project.ts";
export {
  type Condition,
  type FilterArgument,
  JsonLineError,
  type JsonLinesOptions,
  type ParquetSourceOptions,
} from "../../ragged/sources/index.ts";
export type { OnFail } from "../../runtime/settings.ts";
export type { AsyncComputeOptions } from "../../runtime/spec.ts";
export type { WrittenPart } from "../../storage/formats/raggedFormat.ts";
export {
  type ByteFile,
  type FileArguments,
  httpFile,
  localFile,
  memoryFile,
  ParquetDataError,
  SchemaMismatchError,
  storeFile,
  type WriteOptions,
  type WriteTarget,
} from "../../storage/parquet/index.ts";
export { Behavior, type Behaviors, type Named, withName } from "./behaviors/behavior.ts";
export { Vector2D, Vector3D, Vector4D } from "./behaviors/vectors.ts";
export {
  type ColumnReason,
  type ColumnReport,
  explainColumns,
  type NecessaryColumns,
  necessaryColumns,
  type ProjectOptions,
} from "./columns.ts";
export { type Computed, compute, plan } from "./compute.ts";
export {
  corr,
  covar,
  linearFit,
  moment,
  type SoftmaxOptions,
  type StatisticOptions,
  softmax,
} from "./correlations.ts";
export {
  fromJsonLines,
  fromParquet,
  type ToFilesOptions,
  type ToJsonLinesOptions,
  type ToParquetOptions,
  toFiles,
  toJsonLines,
  toParquet,
} from "./files.ts";
export { get, type RaggedItem } from "./get.ts";
export type { FillArguments, FillNames } from "./hist/filling.ts";
export {
  type Filled,
  type FlowOptions,
  Hist,
  hist,
  LazyHist,
} from "./hist/hist.ts";
export {
  type Axes,
  type AxisNames,
  axis,
  type CalendarUnit,
  type CategoryOptions,
  type EdgedOptions,
  HistAxis,
  type Instant,
  type RegularOptions,
} from "./hist/histAxis.ts";
export { type HistItem, type Loc, loc, type Rebin, rebin } from "./hist/histParts.ts";
export type { HistPictureOptions } from "./hist/picture.ts";
export type { PlotModule, PlotRow } from "./hist/plotData.ts";
export {
  type AnyAxisOptions, type AxisOptions, 
  argsort, type CloseOptions, count, dropNone, type FillValue, fillNone, firsts, flatten, fromRegular, fullLike, isclose, isNone, localIndex, mask, nanToNone, num,
  onesLike, type PadOptions, padNone, ravel, runLengths, type SortOptions,singletons, sort, toPacked, toRegular, unflatten, type ValueType, valuesAstype, where, zerosLike,
} from "./listFunctions.ts"; // biome-ignore format: a list of names
export {
  type FormJson,
  fromArrow,
  fromBuffers,
  fromIter,
  fromLists,
  fromNumpy,
  lazy,
  toArrow,
  toBuffers,
  toList,
  toNumpy,
} from "./making.ts";
export type { LazyMethods, RaggedMethods } from "./methodTypes.ts";
export {
  type MapPartitionsOptions,
  mapPartitions,
  type PartitionFunction,
  type PartitionInfo,
  type RepartitionOptions,
  repartition,
} from "./partitionFunctions.ts";
export type { RaggedInput, RaggedOperand } from "./raggedArrays.ts";
export { LazyItem, LazyRagged, type Ragged, RaggedArray, type RaggedValue } from "./raggedArrays.ts";
export {
  argcartesian, argcombinations, broadcastArrays, 
  type CartesianOptions, type CombinationOptions, cartesian, combinations, concatenate, field, fields, type NamedArrays,type NamedOperands,unzip, withField,
  withoutField, zip,
} from "./recordFunctions.ts"; // biome-ignore format: a list of names
export {
  type MatchOptions,
  type ReplaceOptions,
  type SplitOptions,
  type StringFunctions,
  str,
} from "./stringFunctions.ts";
export {
  type AlmostEqualOptions,
  almostEqual,
  enforceType,
  type FrameColumn,
  type FromJsonOptions,
  fromFeather,
  fromJson,
  isValid,
  type JsonSource,
  type ToJsonOptions,
  toColumns,
  toFeather,
  toJson,
} from "./tools.ts";
