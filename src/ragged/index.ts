// Ragged arrays in memory: forms, layouts, ways in and out, and operations as records. What the rest of the house
// imports; the lazy arrays are built on it.

export {
  type BitMaskedForm,
  type ByteMaskedForm,
  childrenOf,
  type EmptyForm,
  type Encoding,
  emptyForm,
  type Form,
  type FormKind,
  type IndexedForm,
  type IndexedOptionForm,
  type IndexType,
  type Json,
  type ListForm,
  type ListOffsetForm,
  listForm,
  NO_PARAMETERS,
  type NumpyForm,
  numpyForm,
  optionForm,
  type Parameters,
  type RecordForm,
  type RegularForm,
  recordForm,
  regularForm,
  type StringForm,
  stringForm,
  type UnionForm,
  type UnmaskedForm,
  unionForm,
  withChildren,
  withKeys,
} from "../core/form/form.ts";
export { formOfJson, formText, jsonOfForm, sameForm } from "../core/form/formJson.ts";
export { type ParsedType, parseElementType, parseType } from "../core/form/parseType.ts";
export { typeText } from "../core/form/typeText.ts";
export type { ArrowTable, ArrowVector } from "./io/arrowParts.ts";
export { type BufferSource, type Buffers, type Container, fromBuffers, toBuffers } from "./io/buffers.ts";
export { fromNumpy, toNumpy } from "./io/dense.ts";
export { fromArrow } from "./io/fromArrow.ts";
export { fromIter, toList } from "./io/nestedLists.ts";
export { ArrowMissingError, type ArrowModule, arrowVector, loadArrow, toArrow } from "./io/toArrow.ts";
export * as layouts from "./layout/layout.ts";
export { depthsOf, formOf, type Layout, type Leaf, type Plain } from "./layout/layout.ts";
export { mergeRows } from "./layout/mergedLayouts.ts";
export { packed } from "./layout/pack.ts";
export { plain } from "./layout/plainLayout.ts";
export { plainForm, plainProbe, probeOf } from "./layout/probe.ts";
export { sliceRows, take } from "./layout/rows.ts";
export { LayoutError, validate } from "./layout/validate.ts";
export { type AstypeAttrs, targetOf, valuesAstype } from "./ops/astype.ts";
export type { Rowwise } from "./ops/broadcast.ts";
export { argcartesian, type CartesianAttrs, cartesian } from "./ops/cartesian.ts";
export { type ConcatenateAttrs, concatenate, constantRows, frontOf, where } from "./ops/choose.ts";
export { argcombinations, type CombinationAttrs, combinations } from "./ops/combinations.ts";
export { ELEMENTWISE, type OperandAttrs } from "./ops/elementwise.ts";
export { type EnforceAttrs, enforceType } from "./ops/enforceType.ts";
export {
  type AxisAttrs,
  type FlattenAttrs,
  flatten,
  localIndex,
  num,
  ravel,
  type UnflattenAttrs,
  unflatten,
} from "./ops/flatten.ts";
export { type GetAttrs, get } from "./ops/get/get.ts";
export { ALL, range, type SelectionItem } from "./ops/get/items.ts";
export {
  type DropAttrs,
  dropNone,
  type FillAttrs,
  fillNone,
  firsts,
  isNone,
  type MaskAttrs,
  mask,
  nanToNone,
  type PadAttrs,
  padNone,
  singletons,
} from "./ops/nulls.ts";
export { Item, type Kernel, type RaggedOp, raggedOp } from "./ops/op.ts";
export {
  type PartialAttrs,
  type ReduceFinishAttrs,
  reduceCombine,
  reduceFinish,
  reducePartial,
} from "./ops/partial.ts";
export {
  type BroadcastAttrs,
  broadcastArrays,
  type FieldAttrs,
  type FieldsAttrs,
  field,
  fields,
  fieldsOf,
  unzip,
  type WithFieldAttrs,
  withField,
  withName,
  withoutField,
  type ZipAttrs,
  zip,
} from "./ops/records.ts";
export type { ReduceAttrs } from "./ops/reduce.ts";
export { REDUCTIONS } from "./ops/reduce.ts";
export { type FromRegularAttrs, fromRegular, type ToRegularAttrs, toRegular } from "./ops/regular.ts";
export { argsort, type SortAttrs, sort } from "./ops/sort.ts";
export { RAGGED_OPS, raggedOpNamed } from "./ops/table.ts";
export {
  type CloseAttrs,
  type FullLikeAttrs,
  fullLike,
  isclose,
  onesLike,
  runLengths,
  toPacked,
  zerosLike,
} from "./ops/values.ts";
