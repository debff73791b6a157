// Pullbacks: how a change of a result comes back to the inputs. In: a node, and the cotangent of its result. Out: for each input
// its part, of the input's dtype and shape; null where nothing comes back. Two languages: what is computed element by element is
// written in the scalar language (`Pull`), all else in a small one of arrays (`Calculus`), whose words array/gradients/calculus.ts
// makes expressions of. Ops say what they are, and import no other ops for it.
// Must hold: a pullback is linear in the cotangent, and its parts are expressions of ops that have pullbacks themselves.

import type { Attrs } from "../core/block.ts";
import type { Shape } from "../core/chunks.ts";
import type { DType } from "../core/dtype.ts";
import type { Scalar } from "../core/numbers.ts";
import type { Term } from "../kernel/scalar.ts";

/** An array in a pullback: an `Expr`, of which these are known. */
export interface Handle {
  /** Of its elements. */
  readonly dtype: DType;
  /** How long it is along each axis. */
  readonly shape: Shape;
}

/** An array or a number, which takes the dtype of what it meets. */
export type HandleOrNumber = Handle | number;

/** What a pullback is told. */
export interface Pulled {
  /** The node's own result. */
  readonly result: Handle;
  /** Its inputs. */
  readonly inputs: readonly Handle[];
  /** Its attributes. */
  readonly attrs: Attrs;
  /** Of the result: the same dtype and shape. */
  readonly cotangent: Handle;
}

/** The parts of the cotangent that come to the inputs. */
export type Pullback = (at: Pulled, use: Calculus) => readonly (Handle | null)[];

/** What an op says of its gradients. */
export interface Differentiable {
  /** How they come back through it. */
  readonly pullback?: Pullback | undefined;
  /** Why they do not, and what would help, where there is more to say than that there is no pullback. */
  readonly noPullback?: { readonly why: string; readonly cure: string } | undefined;
}

/** One element of the cotangent, of the inputs in their order, and of the result. */
export interface PulledTerms {
  /** Of the cotangent. */
  readonly g: Term;
  /** Of the first input. */
  readonly x: Term;
  /** Of the second, where there is one. */
  readonly y: Term;
  /** Of the third. */
  readonly z: Term;
  /** Of the result. */
  readonly f: Term;
}

/**
 * The same of one element. Complex numbers are terms like others: what is written holds for holomorphic functions as it
 * stands.
 */
export type Pull = (at: PulledTerms) => readonly (Term | null)[];

/** A regular selection, as `slice` and `setSlice` have it. */
export interface Selection {
  readonly start: readonly number[];
  readonly step: readonly number[];
  readonly shape: Shape;
}

/** Of rows along an axis: which, and of each the places from `start` on, with zeros around so that `lead` come first and `width` there are. */
export interface RowPart {
  /** How long a row is. */
  readonly row: number;
  readonly first: number;
  readonly rows: number;
  readonly start: number;
  readonly count: number;
  readonly lead: number;
  readonly width: number;
}

/** Elementwise functions of one operand that pullbacks use, by the names of their ops. */
export type UnaryWord = "negative" | "exp" | "conj" | "real" | "isnan" | "logicalNot";
/** Of two. */
export type BinaryWord =
  | ("add" | "subtract" | "multiply" | "divide" | "floorDivide" | "remainder" | "maximum")
  | ("equal" | "notEqual" | "less" | "lessEqual" | "greaterEqual" | "logicalAnd");

/** The words of pullbacks. */
export interface Calculus extends Record<UnaryWord, (x: Handle) => Handle> {
  /** An elementwise function of two operands. */
  two(name: BinaryWord, x: HandleOrNumber, y: HandleOrNumber): Handle;
  /** x where the condition holds, else y. */
  where(condition: Handle, x: HandleOrNumber, y: HandleOrNumber): Handle;
  cast(x: Handle, dtype: DType): Handle;
  /** The same number everywhere, in the dtype, shape and chunks of an array; zero unless given. */
  filled(like: Handle, value?: number): Handle;
  /** A number without axes. */
  constant(value: Scalar, dtype: DType): Handle;
  /** The coordinate along an axis: int64, of the shape and chunks of an array. */
  places(like: Handle, axis: number): Handle;
  /** Reductions and scans. Sums leave no axis unless told; the truth is counted. */
  sum(x: Handle, axes: readonly number[], keepdims?: boolean): Handle;
  running(name: "cumulativeSum" | "cumulativeProd", x: Handle, axis: number): Handle;
  /** Summed over what was stretched, to a shape that stretches to that of x. */
  sumTo(x: Handle, shape: Shape): Handle;
  /** How many elements a reduction with these attributes takes together. */
  count(x: Handle, attrs: Attrs): HandleOrNumber;
  /** The same, and less attrs.correction: NaN where nothing is left. */
  left(x: Handle, attrs: Attrs): { readonly count: HandleOrNumber; readonly left: HandleOrNumber };
  /** The result of a reduction, stretched over what was reduced. */
  spread(reduced: Handle, over: Handle, attrs: Attrs): Handle;
  reshape(x: Handle, shape: Shape): Handle;
  permute(x: Handle, axes: readonly number[]): Handle;
  expandDims(x: Handle, axes: readonly number[]): Handle;
  squeeze(x: Handle, axes: readonly number[]): Handle;
  flip(x: Handle, axis: number): Handle;
  slice(x: Handle, selection: Selection): Handle;
  /** Zeros like an array, with values in a selection. */
  within(like: Handle, values: Handle, selection: Selection): Handle;
  /** x with a selection replaced by zeros. */
  cleared(x: Handle, selection: Selection): Handle;
  /** Zeros before and behind an array along an axis. */
  padded(x: Handle, axis: number, before: number, after: number): Handle;
  /** An axis as rows of that length, of which some places are left. */
  rowParts(x: Handle, axis: number, part: RowPart): Handle;
  /** The transpose of taking along an axis: elements are added up at places of an axis of that length; below 0 they are dropped. */
  addAlong(x: Handle, axis: number, places: readonly number[], length: number): Handle;
  /** The same at places that are computed: `places` stand for the axes from `axis` on, which become one. */
  addAt(x: Handle, axis: number, places: Handle, length: number): Handle;
  /** Elements of x at places along some axes, whose own axes stand at `at` in the result. */
  gather(x: Handle, axes: readonly number[], at: number, indices: readonly Handle[]): Handle;
  scatter(x: Handle, values: Handle, axes: readonly number[], at: number, indices: readonly Handle[]): Handle;
  takeAlong(x: Handle, places: Handle, axis: number): Handle;
  /** The transpose of that: elements added up at their places along an axis, line by line. */
  addLines(x: Handle, places: Handle, axis: number, length: number): Handle;
  sort(x: Handle, axis: number, descending: boolean): Handle;
  argsort(x: Handle, axis: number, descending: boolean): Handle;
  /** Rows of x where a mask of its first axis is true; and rows of zeros like x, with values there. */
  compact(x: Handle, mask: Handle): Handle;
  place(x: Handle, mask: Handle, values: Handle): Handle;
  /** An op with other attributes or inputs, by its name. */
  node(name: string, inputs: readonly Handle[], attrs: Attrs): Handle;
  contract(a: Handle, b: Handle, axes: Attrs): Handle;
  /** The pullback of another expression of the same inputs, which has the same derivative. */
  through(expression: Handle, inputs: readonly Handle[], cotangent: Handle): readonly (Handle | null)[];
  /** Says why there is no pullback, and what would help. */
  refuse(why: string, cure: string): never;
}
