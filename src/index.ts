// The one public door. Functions of arrays come by their modules (array/functions/index.ts), all else by name.

import { installMethods } from "./array/methods.ts";

installMethods();

export { type ResizeOptions, resizeZarr } from "./array/appending.ts";
export {
  type CompiledCallOptions,
  type CompiledFunction,
  type CompileOptions,
  type Computed,
  compile,
} from "./array/compiled/compileFunction.ts";
export type { CompilePhase, FunctionProfile } from "./array/compiled/functionProfile.ts";
export {
  type InputOptions,
  type InputSpec,
  type InputType,
  type InputValue,
  input,
  type SpecDType,
} from "./array/compiled/inputs.ts";
export { SharedArray, type SharedOptions, shared } from "./array/compiled/state.ts";
export type { Outputs, Pairs } from "./array/compiled/traced.ts";
export { compute, computeSync, type Executed, type PlanCallOptions, plan, settle } from "./array/compute.ts";
export {
  Dataset,
  type DatasetParts,
  dataset,
  type LabelSelections,
  type PlaceSelections,
  type Variables,
} from "./array/dataset/datasets.ts";
export type { Encoding } from "./array/dataset/encoding.ts";
export type { Label, LabelSelection, SelOptions } from "./array/dataset/labelIndex.ts";
export { type OpenDatasetOptions, openDataset } from "./array/dataset/openDataset.ts";
export type { DatasetToZarrOptions, VariableEncoding } from "./array/dataset/writeDataset.ts";
export { engine } from "./array/defaultEngine.ts";
/** Fourier transforms, the standard's extension: `cw.fft.rfft([1, 2, 3, 4])`. */
export * as fft from "./array/fourier/index.ts";
export * from "./array/functions/index.ts";
export {
  cond,
  type LoopArrays,
  type ScanOptions,
  scan,
  type WhileOptions,
  whileLoop,
} from "./array/functions/loopFunctions.ts";
export { type MapBlocksOptions, mapBlocks } from "./array/functions/mapBlocks.ts";
export {
  type BlockFunction,
  type BlockInfo,
  type BlockResult,
  ModuleFunction,
  moduleFunction,
} from "./array/functions/userFunction.ts";
export { type ArgumentCotangents, customPullback } from "./array/gradients/customPullback.ts";
export {
  type Argnums,
  type Chosen,
  type GradOptions,
  grad,
  type Jvp,
  jvp,
  type ValueAndGrad,
  type Vjp,
  valueAndGrad,
  vjp,
} from "./array/gradients/gradient.ts";
export { hessian, jacobian } from "./array/gradients/jacobians.ts";
export type { ArrayTree } from "./array/gradients/trees.ts";
/** Linear algebra, the standard's extension: `cw.linalg.det([[1, 2], [3, 4]])`. */
export * as linalg from "./array/linalg/index.ts";
export type { ArrayMethods } from "./array/methods.ts";
export { type FromNpyOptions, fromNpy, type ToNpyOptions, toNpy } from "./array/npy.ts";
export type { OmeAxis } from "./array/ome/omeMetadata.ts";
export {
  type OmeImage,
  type OmeLevel,
  type OpenOmeZarrOptions,
  openOmeZarr,
  type ToOmeZarrOptions,
  toOmeZarr,
} from "./array/ome/omeZarr.ts";
export {
  type FromZarrOptions,
  fromZarr,
  Group,
  type OpenArrayOptions,
  open,
  openGroup,
} from "./array/opening.ts";
export { RandomGenerator, random } from "./array/random/generator.ts";
export type {
  BinomialOptions,
  ChoiceOptions,
  ExponentialOptions,
  GammaOptions,
  IntegersOptions,
  NormalOptions,
  PermutationOptions,
  PoissonOptions,
  RandomOptions,
  ShuffleOptions,
  UniformOptions,
} from "./array/random/options.ts";
export { computePlan, type LoadPlanOptions, loadPlan, savePlan } from "./array/savedPlan.ts";
export { type NamedSelection, type SelectionItem, Slice, slice } from "./array/selection.ts";
export type { PlanTarget } from "./array/storing.ts";
export { store, type Target, type TargetOptions, type ToZarrOptions, toZarr } from "./array/storing.ts";
export { ExprSyntaxError } from "./array/template/syntaxError.ts";
export { expr } from "./array/template.ts";
export * from "./array/windows/index.ts";
export type {
  AxisArgument,
  AxisChunks,
  AxisName,
  Box,
  ChunkShape,
  ChunksArgument,
  Shape,
} from "./core/chunks.ts";
export type { DataOf, DType, Result, ResultRule, TypedArray } from "./core/dtype.ts";
export {
  AxisError,
  ChunkError,
  ChunkwiseError,
  DerivativeError,
  DTypeError,
  IndexError,
  InvariantError,
  OutTargetError,
  RunError,
  ShapeError,
  UnknownLengthError,
  ValueError,
} from "./core/errors.ts";
export type { DimNames, Json, JsonObject } from "./core/labels.ts";
export type { Promote } from "./core/numbers.ts";
export { Complex, type ElementOf, type RealScalar, type Scalar } from "./core/numbers.ts";
export type { Backend, BackendStatistics, Kernel, SharedBlock } from "./kernel/backend.ts";
export type { BlockMemory, BlockProgram, Borrowed } from "./kernel/blockProgram.ts";
export { referenceBackend } from "./kernel/interpret/backend.ts";
export type * from "./lazy/functionTypes.ts";
export type { Called, OtherArray } from "./lazy/lazyArray.ts";
export { type ArrayInput, LazyArray, type Operand } from "./lazy/lazyArray.ts";
export { type JSONElement, NDArray, type NestedList, type NestedScalars } from "./lazy/ndarray.ts";
export type { ArrayDType, Joined } from "./lazy/operandTypes.ts";
export { MemoryError } from "./plan/budget.ts";
export { Plan, type PlanOptions } from "./plan/index.ts";
export { PlanError } from "./plan/load.ts";
export type { OperationInfo, RunEvent, TaskStats } from "./runtime/events.ts";
export { type CarriedRun, type Executor, LostWorker, type Pool, type TaskJob } from "./runtime/pools/pool.ts";
export { measureReservedMemory } from "./runtime/reserved.ts";
export type { RetryOptions, TwinOptions } from "./runtime/scheduler/policy.ts";
export type { ExecutorName } from "./runtime/settings.ts";
export type { AsyncComputeOptions, ComputeOptions } from "./runtime/spec.ts";
export { Spec, type SpecOptions } from "./runtime/spec.ts";
export { FunctionMemoryError } from "./runtime/userFunctions.ts";
export {
  type AccessToken,
  type AwsCredentials,
  type AzureLocation,
  AzureStore,
  type AzureStoreOptions,
  type ByteRange,
  type ChunkWriter,
  type CloudStoreOptions,
  type CodecArgument,
  type CodecImplementation,
  CodecTable,
  CorruptDataError,
  type DenseArray,
  type DenseFormat,
  type DenseTarget,
  FileStore,
  type FileStoreOptions,
  type Format,
  FormatTable,
  type GcsLocation,
  GcsStore,
  type GcsStoreOptions,
  HttpStore,
  type HttpStoreOptions,
  type Look,
  LostChunkError,
  MemoryStore,
  MetadataError,
  type ModuleFormat,
  type NewArray,
  NotFoundError,
  NotSupportedError,
  type OwnCodec,
  type OwnFormat,
  type Place,
  type PlainData,
  type PreparedPlace,
  type RaggedFormat,
  type S3Location,
  S3Store,
  type S3StoreOptions,
  type SourceArgument,
  StorageError,
  type Store,
  type StoreArgument,
  type StoreKey,
  StoreKeyError,
  type StoreLocation,
  type StoreOptions,
  StoreRequestError,
  type Table,
  type TokenOption,
  ZipStore,
} from "./storage/index.ts";
