// The one public door: every name is listed here.

import { installMethods } from "./array/methods.ts";

installMethods();

export { compute, computeSync, type Executed, type PlanCallOptions, plan } from "./array/compute.ts";
export {type AsarrayOptions, 
  asarray, type CreationOptions, type EyeOptions, empty, emptyLike, eye, full, fullLike,
  ones, onesLike, tril, triu, zeros, zerosLike,
} from "./array/functions/creation.ts"; // biome-ignore format: a list of names
export {
  arrayNamespaceInfo,
  astype,
  canCast,
  complex,
  e,
  type FloatInfo,
  finfo,
  type IntegerInfo,
  iinfo,
  inf,
  isdtype,
  type NamespaceInfo,
  nan,
  newaxis,
  pi,
  resultType,
} from "./array/functions/dtypes.ts";
export {
  abs,
  acos,
  acosh,
  add,
  asin,
  asinh,
  atan,
  atan2,
  atanh,
  bitwiseAnd,
  bitwiseInvert,
  bitwiseLeftShift,
  bitwiseOr,
  bitwiseRightShift,
  bitwiseXor,
  ceil,
  clip,
  conj,
  copysign,
  cos,
  cosh,
  divide,
  equal,
  exp,
  expm1,
  floor,
  floorDivide,
  greater,
  greaterEqual,
  hypot,
  imag,
  isfinite,
  isinf,
  isnan,
  less,
  lessEqual,
  log,
  log1mexp,
  log1p,
  log2,
  log10,
  logaddexp,
  logicalAnd,
  logicalNot,
  logicalOr,
  logicalXor,
  maximum,
  minimum,
  multiply,
  negative,
  nextafter,
  notEqual,
  positive,
  pow,
  real,
  reciprocal,
  remainder,
  round,
  sigmoid,
  sign,
  signbit,
  sin,
  sinh,
  softplus,
  sqrt,
  square,
  subtract,
  tan,
  tanh,
  trunc,
  where,
} from "./array/functions/elementwise.ts";
export {
  logSoftmax,
  logsumexp,
  type SoftmaxOptions,
  softmax,
} from "./array/functions/exponentialSums.ts";
export { type GroupbyOptions, type GroupReduction, groupbyReduce } from "./array/functions/groupby.ts";
export { applyGufunc, type GufuncOptions } from "./array/functions/gufunc.ts";
export { get, set, take, takeAlongAxis } from "./array/functions/indexing.ts";
export {
  type AxisOption,
  broadcastArrays,
  concat,
  type MeshgridOptions,
  meshgrid,
  stack,
  unstack,
} from "./array/functions/joining.ts";
export {
  matmul,
  type TensordotOptions,
  tensordot,
  type VecdotOptions,
  vecdot,
} from "./array/functions/linear.ts";
export {
  broadcastTo,
  expandDims,
  flip,
  matrixTranspose,
  moveaxis,
  permuteDims,
  rechunk,
  reshape,
  squeeze,
} from "./array/functions/manipulation.ts";
export { type MapBlocksOptions, mapBlocks } from "./array/functions/mapBlocks.ts";
export {
  type Boundary,
  type Depth,
  type MapOverlapOptions,
  mapOverlap,
  type PerAxis,
} from "./array/functions/mapOverlap.ts";
export { nanmax, nanmean, nanmin, nanprod, nansum } from "./array/functions/nan.ts";
export { arange, type LinspaceOptions, linspace } from "./array/functions/ranges.ts";
export {
  type PadOptions,
  pad,
  type RepeatOptions,
  type RollOptions,
  repeat,
  roll,
  tile,
} from "./array/functions/repeating.ts";
export {
  type ArgOptions,
  all,
  any,
  argmax,
  argmin,
  argsort,
  type CumulativeOptions,
  countNonzero,
  cumulativeProd,
  cumulativeSum,
  type DiffOptions,
  diff,
  type IsinOptions,
  isin,
  max,
  mean,
  min,
  prod,
  type ReduceOptions,
  type SearchsortedOptions,
  type SortOptions,
  type SumOptions,
  searchsorted,
  sort,
  std,
  sum,
  type VarianceOptions,
  var,
} from "./array/functions/statistics.ts";
export {
  type BlockFunction,
  type BlockInfo,
  type BlockResult,
  ModuleFunction,
  moduleFunction,
} from "./array/functions/userFunction.ts";
export type {
  ArrayFunction,
  BinaryFunction,
  DTypeOption,
  GuidedFunction,
  OutOption,
  PairFunction,
  TotalFunction,
  UnaryFunction,
} from "./array/functionTypes.ts";
export { type ArrayInput, LazyArray, type Operand } from "./array/lazyArray.ts";
export { type JSONElement, NDArray, type NestedList, type NestedScalars } from "./array/ndarray.ts";
export type { ArrayDType, Joined } from "./array/operandTypes.ts";
export { computePlan, type LoadPlanOptions, loadPlan, savePlan } from "./array/savedPlan.ts";
export { type SelectionItem, Slice, slice } from "./array/selection.ts";
export { store, type Target, type TargetOptions, type ToZarrOptions, toZarr } from "./array/storing.ts";
export type { PlanTarget } from "./array/target.ts";
export { ExprSyntaxError } from "./array/template/syntaxError.ts";
export { expr } from "./array/template.ts";
export { type FromZarrOptions, fromZarr, Group, openGroup } from "./array/zarr.ts";
export type { AxisChunks, ChunkShape, ChunksArgument } from "./core/chunks.ts";
export type { DataOf, DType, TypedArray } from "./core/dtype.ts";
export {
  AxisError,
  ChunkError,
  ChunkwiseError,
  DTypeError,
  IndexError,
  InvariantError,
  OutTargetError,
  RunError,
  ShapeError,
  ValueError,
} from "./core/errors.ts";
export { Complex, type ElementOf, type RealScalar, type Scalar } from "./core/numbers.ts";
export type { Promote } from "./core/promotion.ts";
export type { Result, ResultRule } from "./core/results.ts";
export type { AxisArgument, Shape } from "./core/shape.ts";
export { MemoryError } from "./plan/budget.ts";
export { Plan, type PlanOptions } from "./plan/index.ts";
export { PlanError } from "./plan/load.ts";
export type { OperationInfo, RunEvent } from "./runtime/events.ts";
export { FunctionMemoryError } from "./runtime/functionMemory.ts";
export type { AsyncComputeOptions, ComputeOptions } from "./runtime/options.ts";
export { measureReservedMemory } from "./runtime/reserved.ts";
export type { RetryOptions, TwinOptions } from "./runtime/scheduler/policy.ts";
export type { ExecutorName } from "./runtime/settings.ts";
export { Spec, type SpecOptions } from "./runtime/spec.ts";
export {
  type ByteRange,
  type CodecArgument,
  CorruptDataError,
  FileStore,
  type FileStoreOptions,
  HttpStore,
  type HttpStoreOptions,
  LostChunkError,
  MemoryStore,
  MetadataError,
  NotFoundError,
  NotSupportedError,
  StorageError,
  type Store,
  type StoreArgument,
  type StoreKey,
  StoreKeyError,
  type StoreOptions,
  StoreRequestError,
  ZipStore,
} from "./storage/index.ts";
