// What an op is: a record whose class says how every later stage treats it. Stages switch on the
// class, never on the name; what a stage needs to know of one op is a field here.
// Must hold: infer() is a pure function of input types and attributes. Ops on dense arrays are given and give dense types.

import type { Attr, Attrs, Block } from "../core/block.ts";
import {
  type Box,
  broadcastShapes,
  type ChunkShape,
  type Shape,
  sameShape,
  shapeText,
} from "../core/chunks.ts";
import type { DType, RealDType } from "../core/dtype.ts";
import { InvariantError, UnknownLengthError } from "../core/errors.ts";
import type { Form } from "../core/form/form.ts";
import { sameForm } from "../core/form/formJson.ts";
import { typeText } from "../core/form/typeText.ts";
import type { Scalar } from "../core/numbers.ts";
import type { Term, Value } from "../kernel/scalar.ts";
import type { Growth, Made, Partition, Piecewise, RaggedInput } from "./partition.ts";
import type { AxisSeams, Piece } from "./pieces.ts";
import type { Differentiable, Pull } from "./pullback.ts";

// The type of an array: what is known of its values before they are there. A dense array has elements of one dtype in a
// shape; a ragged one has nested values of one form, in partitions. Stages switch on `kind`.
// Must hold: a ragged array is cut into single partitions, which is what boxes of it count.

/** The type of an array of elements. */
export interface DenseType {
  /** Elements, not nested values. */
  readonly kind: "dense";
  /** Of the elements. */
  readonly dtype: DType;
  /** How long it is along each axis. */
  readonly shape: Shape;
}

/** Rows of nested data of a form; or one value of that form, which has one partition. */
export interface RaggedType {
  /** Nested values, not elements. */
  readonly kind: "ragged";
  /** What a row is made of. */
  readonly form: Form;
  /** One value, not rows. */
  readonly isItem: boolean;
  /** Into how many parts the rows are cut. */
  readonly partitions: number;
}

/** The type of a node. */
export type ArrayType = DenseType | RaggedType;

/** The type of an array of elements: `denseType("float64", [3, 4])`. */
export const denseType = (dtype: DType, shape: Shape): DenseType => ({ kind: "dense", dtype, shape });

export const raggedType = (form: Form, partitions: number): RaggedType => ({
  kind: "ragged",
  form,
  isItem: false,
  partitions,
});

export const itemType = (form: Form): RaggedType => ({ kind: "ragged", form, isItem: true, partitions: 1 });

/** Along what its boxes go: elements of a dense array, partitions of a ragged one. */
export const extentOf = (type: ArrayType): Shape => (type.kind === "dense" ? type.shape : [type.partitions]);

export const isDense = (type: ArrayType): type is DenseType => type.kind === "dense";

/** For who works on elements: that a ragged array gets there is a mistake of this library. */
export function denseOf<T extends ArrayType>(type: T): Extract<T, { readonly kind: "dense" }> {
  if (type.kind === "dense") return type as Extract<T, { readonly kind: "dense" }>;
  throw new InvariantError({ what: `${arrayTypeText(type)} stands where a dense array belongs` });
}

/** For who works on partitions. */
export function raggedOf<T extends ArrayType>(type: T): Extract<T, { readonly kind: "ragged" }> {
  if (type.kind === "ragged") return type as Extract<T, { readonly kind: "ragged" }>;
  throw new InvariantError({ what: `${arrayTypeText(type)} stands where a ragged array belongs` });
}

function areDense(types: readonly ArrayType[]): types is readonly DenseType[] {
  for (let i = 0; i < types.length; i++) if (types[i]!.kind !== "dense") return false;
  return true;
}

/** Says of all of them what `denseOf` says of one. */
export function assertDense(types: readonly ArrayType[]): asserts types is readonly DenseType[] {
  for (let i = 0; i < types.length; i++) denseOf(types[i]!);
}

export function assertRagged(types: readonly ArrayType[]): asserts types is readonly RaggedType[] {
  for (let i = 0; i < types.length; i++) raggedOf(types[i]!);
}

export function sameType(a: ArrayType, b: ArrayType): boolean {
  if (a.kind === "dense") return b.kind === "dense" && a.dtype === b.dtype && sameShape(a.shape, b.shape);
  if (b.kind === "dense") return false;
  return a.partitions === b.partitions && a.isItem === b.isItem && sameForm(a.form, b.form);
}

/** `float64 [3, 4]`, `[2] * var * int64`, or the type of one value. */
export function arrayTypeText(type: ArrayType): string {
  switch (type.kind) {
    case "dense":
      return `${type.dtype} ${shapeText(type.shape)}`;
    case "ragged":
      return type.isItem ? typeText(type.form) : `[${type.partitions}] * ${typeText(type.form)}`;
    default:
      throw type satisfies never;
  }
}

// The type of what is computed element by element. In: the inputs' types and the result's dtype. Out: that dtype in the shape
// to which the inputs broadcast.

/** An input's own object where it is the type already, which keeps long chains small. */
export function broadcastType(inputs: readonly DenseType[], dtype: DType): DenseType {
  const first = inputs[0]!;
  const shape = inputs.length === 1 ? first.shape : broadcastShapes(inputs.map((input) => input.shape));
  for (const input of inputs) if (input.dtype === dtype && sameShape(input.shape, shape)) return input;
  return denseType(dtype, shape);
}

export type { Growth, Made, Partition, Piecewise, RaggedInput } from "./partition.ts";

interface OpBase<Input extends ArrayType, Output extends ArrayType> {
  readonly name: string;
  /** The type of the result; throws a typed error when the inputs do not fit. */
  infer(inputs: readonly Input[], attrs: Attrs): Output;
}

/**
 * For each axis of the output the axis of the first input that it is, or null; "same": all of them, one by one. Names of axes
 * go that way (expr/axisNames.ts).
 */
export type Carries =
  | "same"
  | ((inputs: readonly DenseType[], attrs: Attrs, type: DenseType) => readonly (number | null)[]);

interface DenseOp extends OpBase<DenseType, DenseType>, Differentiable {
  /** The same quantities as the first input's: what is said of that is said of the output. Moves always give such. */
  readonly keepsMeaning?: boolean | undefined;
}

/** Where arrays come from: computed from coordinates (`body`), or stored somewhere (no body). */
export interface SourceOp extends OpBase<DenseType, ArrayType> {
  readonly class: "source";
  /** What is computed is dense. */
  readonly body: ((attrs: Attrs, type: DenseType, index: (axis: number) => Term) => Value) | null;
  chunks(attrs: Attrs, type: ArrayType): ChunkShape;
}

/** One lane out for one lane in of every input; inputs broadcast. */
export interface ElementwiseOp extends DenseOp {
  /** Tells it from other ops. */
  readonly class: "elementwise";
  /** How many operands it has; not said where `infer` sees to it. */
  readonly arity?: number | undefined;
  /** How many additions it is worth, about; 1 when not said. */
  readonly work?: number | undefined;
  /** Two inputs that may be swapped: the same bits. */
  readonly commutative?: boolean | undefined;
  /** f(f(x, y), z) = f(x, f(y, z)), for floats up to rounding. */
  readonly associative?: boolean | undefined;
  /** The input itself, with a sign on it: computations have the same names with and without. */
  readonly isMark?: boolean | undefined;
  /** The same of one lane. Where `pullback` is said too, that is for complex inputs. */
  readonly pull?: Pull | undefined;
  /** What is computed of one lane of each input, in the language `s`. */
  body(inputs: readonly Value[], attrs: Attrs): Value;
}

/** What a reduction's end knows beside its state. */
export interface ReduceEnd {
  /** How many elements went into one result, as a number of a type. */
  count(type: RealDType): Term;
  readonly attrs: Attrs;
  readonly dtype: DType;
}

/**
 * A reduction over attrs.axes: finish(combine(lift(x₀), lift(x₁), …)). combine is associative and
 * commutative up to rounding, with identity() as its neutral element, so any tree may be used.
 */
export interface ReduceOp extends DenseOp {
  readonly class: "reduce";
  /** Dtypes of the state's components. */
  state(input: DType, attrs: Attrs): readonly DType[];
  /** `position` is the element's row-major number within the reduced axes, an int64. */
  lift(x: Value, position: () => Term, attrs: Attrs): readonly Value[];
  combine(a: readonly Value[], b: readonly Value[]): readonly Value[];
  /** The state of no elements. */
  identity(input: DType, attrs: Attrs): readonly Scalar[];
  /** A state (one bool) that nothing changes any more, if there is one: the rest need not be read. */
  readonly absorbing?: Scalar | undefined;
  finish(state: readonly Value[], end: ReduceEnd): Value;
  /** Which component of the state is a position, if there is one: one of a later part is moved on by what comes before. */
  readonly place?: number | undefined;
  /** What one element alone gives: itself, whether it is not zero, or its place; not said where that must be computed. */
  readonly alone?: "element" | "truth" | "place" | undefined;
}

/** Running totals along attrs.axis. */
export interface ScanOp extends DenseOp {
  readonly class: "scan";
  combine(a: Value, b: Value): Value;
  identity: Scalar;
}

/** Elements go elsewhere and stay what they are: the output is a few strided copies of the inputs. */
export interface MoveOp extends DenseOp {
  readonly class: "move";
  /** For each axis of the output. */
  seams(inputs: readonly DenseType[], attrs: Attrs, type: DenseType): readonly AxisSeams[];
  /** The pieces that fill a box of the output, in order: a later piece overwrites an earlier one. */
  pieces(out: Box, inputs: readonly DenseType[], attrs: Attrs, type: DenseType): readonly Piece[];
  chunks(
    inputs: readonly ChunkShape[],
    types: readonly DenseType[],
    attrs: Attrs,
    type: DenseType,
  ): ChunkShape;
  /** False when one input element can go to several output elements. */
  readonly injective: boolean;
  /** "same" where it is not said. */
  readonly carries?: Carries | undefined;
  /** No number is made of lengths but by `lengthTogether`: they need not be known (core/unknown.ts). */
  readonly takesUnknown?: boolean | undefined;
}

/** Sums of products over attrs.contractA / contractB, for each of batchA / batchB (XLA's dot_general). */
export interface ContractOp extends DenseOp {
  readonly class: "contract";
  readonly routine: string;
}

/** A block computation with a routine of its own. */
export interface RoutineOp extends DenseOp {
  readonly class: "routine";
  readonly routine: string;
  /** Not said: axes of the same length, where there are as many. */
  readonly carries?: Carries | undefined;
  /** Somebody else's code: it runs when the computation does, and not before. */
  readonly isOpaque?: boolean | undefined;
  /** No number is made of lengths: they need not be known. */
  readonly takesUnknown?: boolean | undefined;
  /** It is one of several results that its input has packed together: which, by a number of its own. */
  readonly partOf?: ((attrs: Attrs) => number) | undefined;
  /** The box that has to be computed to have a box of the output: larger where the routine works on whole axes. */
  computes(out: Box, type: DenseType, attrs: Attrs): Box;
  /** The box of every input that a computed box of the output needs. */
  demand(out: Box, inputs: readonly DenseType[], attrs: Attrs): readonly Box[];
  /** For each axis of the output: what `computes` and `demand` do. Not said: in one way all along. */
  seams?(inputs: readonly DenseType[], attrs: Attrs, type: DenseType): readonly AxisSeams[];
  chunks(
    inputs: readonly ChunkShape[],
    types: readonly DenseType[],
    attrs: Attrs,
    type: DenseType,
  ): ChunkShape;
}

/** A node, as far as ops are concerned: `Expr`. */
interface OpNode {
  readonly op: Op;
  readonly inputs: readonly OpNode[];
  readonly attrs: Attrs;
  readonly type: ArrayType;
}

/** What a stage has to compute before a node can be lowered. */
export interface Questions {
  /** A few values each: they are read when the stage has ended. */
  readonly asks: readonly OpNode[];
  /** What had to be made for them, is as large as it may be, and is read again: it is kept where there is room, not made twice. */
  readonly keeps?: readonly OpNode[] | undefined;
  /** The same, where it is cheap to make again: it is kept where memory has room, and not put into files. */
  readonly helps?: readonly OpNode[] | undefined;
  /** Small parts of what is kept are read by themselves: it is stored as it is in memory, for a checksum would need whole chunks. */
  readonly inParts?: boolean | undefined;
}

/**
 * Something of its inputs' values has to be known before it can be lowered: a stage computes that, and then an equal expression
 * takes its place, of other ops, which may be staged in turn. attrs.length: along the first axis, where it is not known.
 */
export interface StagedOp extends DenseOp {
  readonly class: "staged";
  /** Not said: axes of the same length, where there are as many. */
  readonly carries?: Carries | undefined;
  /** Some of its inputs are ragged: `infer` is given their types as they are, and `chunks` no inputs. */
  readonly takesRagged?: boolean | undefined;
  /** Of inputs that are settled. */
  questions(inputs: readonly OpNode[], attrs: Attrs): Questions;
  /** With what a stage found: the answers as contiguous blocks, and what was kept as sources of the same types and chunks. */
  settle(inputs: readonly OpNode[], attrs: Attrs, answers: readonly Block[], kept: readonly OpNode[]): OpNode;
  chunks(
    inputs: readonly ChunkShape[],
    types: readonly DenseType[],
    attrs: Attrs,
    type: DenseType,
  ): ChunkShape;
}

/** Which partition is to be made, and of what. */
export interface RaggedPlace {
  readonly box: Box;
  readonly inputs: readonly ArrayType[];
  readonly type: ArrayType;
}

/** Nested data: one partition of the output at a time, of whole partitions of the inputs. */
export interface RaggedOp extends OpBase<ArrayType, ArrayType> {
  readonly class: "ragged";
  /** Somebody else's code: it runs when the computation does, and not before. */
  readonly isOpaque?: boolean | undefined;
  /** True when it gives a few values however many rows there are; what it gives is as large as its inputs otherwise. */
  isSmall?(attrs: Attrs): boolean;
  /** A partition needs the one with the same number of every input that has as many, and of others the first. */
  readonly isPlacewise: boolean;
  /** The box of every input that a box of the output needs. */
  demand(out: Box, inputs: readonly ArrayType[], attrs: Attrs, type: ArrayType): readonly Box[];
  run(inputs: readonly RaggedInput[], attrs: Attrs, at: RaggedPlace): Made | Promise<Made>;
  /** How it can be made of a few rows at a time; not said, or null: it looks at all of them at once. */
  piecewise?(inputs: readonly ArrayType[], attrs: Attrs): Piecewise | null;
  /** What the states of a few rows each are together, in their order: where it is made of states. */
  join?(states: readonly Partition[], attrs: Attrs, at: RaggedPlace): Partition;
  /** How many bytes it takes to make it of these inputs, counted or about; not said where nobody knows. */
  growth?(inputs: readonly RaggedInput[], attrs: Attrs, at: RaggedPlace): Growth;
  chunks(type: ArrayType, attrs: Attrs): ChunkShape;
}

/** What a node does, as one record that every stage reads: `class` says of which kind it is. */
export type Op =
  | RaggedOp
  | SourceOp
  | ElementwiseOp
  | ReduceOp
  | ScanOp
  | MoveOp
  | ContractOp
  | RoutineOp
  | StagedOp;
export type OpClass = Op["class"];

/** What an op gives for inputs of these types. Dense ones, which most are, are looked at first: any op takes them. */
export function inferType(op: Op, inputs: readonly ArrayType[], attrs: Attrs): ArrayType {
  if (areDense(inputs)) return op.infer(inputs, attrs);
  if (op.class === "ragged" || (op.class === "staged" && op.takesRagged === true))
    return op.infer(inputs as readonly DenseType[], attrs);
  assertDense(inputs);
  return op.infer(inputs, attrs);
}

/** For nodes with lengths that are not known yet: the op may have them, and made no number of them. */
export function checkUnknown(op: Op, inputs: readonly ArrayType[], attrs: Attrs, type: ArrayType): void {
  const known = new Set([...inputs, type].flatMap((of) => (of.kind === "dense" ? of.shape : [])));
  const isTaken =
    op.class === "move" || op.class === "routine" ? op.takesUnknown === true : op.class !== "ragged";
  const lengths = [...extentOf(type), ...Object.values(attrs).flatMap((attr) => numbersIn(attr))];
  if (isTaken && lengths.every((length) => Math.abs(length) <= Number.MAX_SAFE_INTEGER || known.has(length)))
    return;
  throw new UnknownLengthError({
    what: `${op.name} needs to know how long ${inputs.map(arrayTypeText).join(", ")} is, which depends on data`,
    cure: "Settle the array first: x = await x.settle()",
  });
}

/** Of lists: a number by itself may be any. */
const numbersIn = (attr: Attr): number[] =>
  Array.isArray(attr) ? attr.filter((item): item is number => Number.isInteger(item)) : [];
