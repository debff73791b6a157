// Inputs of compiled functions: what is said of them, and what a call brings for them. In: specs; then values. Out:
// placeholders; then blocks of exactly the dtype and shape that were said, or an error that names the input.

import { type Block, copyRow, storeElement } from "../../core/block.ts";
import {
  type ChunkShape,
  type ChunksArgument,
  checkChunks,
  checkShape,
  describe,
  type Shape,
  sameShape,
  shapeText,
  singleChunk,
  sizeOf,
  stridesOf,
} from "../../core/chunks.ts";
import { type DType, dtypeOfTypedArray, infoOf, isTypedArray, type TypedArray } from "../../core/dtype.ts";
import { ChunkwiseError, DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import { isScalar, type Scalar } from "../../core/numbers.ts";
import { chunksOf, type Expr } from "../../expr/expr.ts";
import type { Backend } from "../../kernel/backend.ts";
import { copyElements } from "../../kernel/routines/stridedWalk.ts";
import { checkDType } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { type ArrayInput, LazyArray } from "../../lazy/lazyArray.ts";
import { NDArray } from "../../lazy/ndarray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import { InputResource, inputExpr, inputOp } from "../../lazy/placeholders.ts";
import { ownedBlock, SMALL_BYTES } from "../../runtime/standingRun.ts";
import { valueBlock } from "./state.ts";

/** An input as an object: a dtype, and a shape where it is no scalar. */
export interface InputType<D extends DType = DType> {
  /** The dtype that every call brings. */
  readonly dtype: D;
  /** Its length along each axis; a scalar unless given. */
  readonly shape?: Shape | undefined;
  /** Its name in prints and messages. */
  readonly name?: string | undefined;
  /** How it is cut where it is large; one chunk unless given. */
  readonly chunks?: ChunksArgument | undefined;
}

/**
 * What is said of an input of a compiled function: a dtype (of a scalar), `{dtype, shape}`, an input that `cw.input` made, or
 * an array like those that calls will bring.
 */
export type InputSpec = DType | InputType | LazyArray | NDArray | TypedArray;

/** The dtype that a spec says. */
export type SpecDType<S> = S extends DType ? S : S extends InputType<infer D> ? D : ArrayDType<S>;

/** What can be brought for an input: an array of its dtype and shape, its elements in a row, lists, or a number. */
export type InputValue<D extends DType = DType> = LazyArray<D> | ArrayInput | Scalar;

/** Options of `cw.input`. */
export interface InputOptions {
  /** Its name in prints and messages. */
  readonly name?: string | undefined;
  /** How it is cut where it is large; one chunk unless given. */
  readonly chunks?: ChunksArgument | undefined;
}

/**
 * An array that stands for what a compiled function is called with: `const x = cw.input("float64", [3], {name: "x"})`. It can
 * be used like any other and has no elements.
 */
export const input: <const D extends DType>(dtype: D, shape?: Shape, options?: InputOptions) => LazyArray<D> =
  userCall(
    "input",
    (dtype: DType, shape: Shape = [], { name = "x", chunks }: InputOptions = {}) =>
      placeholder({ dtype, shape, name, chunks }) as never,
    [2, "name", "chunks"],
  );

function placeholder({ dtype, shape = [], name = "x", chunks }: InputType): LazyArray {
  const type = { dtype: checkDType(dtype), shape: checkShape(shape) };
  if (typeof name !== "string" || name === "")
    throw new ValueError({ what: `name is ${describe(name)}`, cure: "Give a text" });
  const cut: ChunkShape =
    chunks === undefined
      ? singleChunk(type.shape)
      : checkChunks(chunks, type.shape, infoOf(type.dtype).bytes);
  return new LazyArray(inputExpr({ ...type, chunks: cut }, new InputResource(name)));
}

/** A placeholder for each spec; `names` are those of the function's parameters. */
export function placeholderOf(spec: unknown, name: string): LazyArray {
  if (spec instanceof LazyArray) {
    if (spec.expr.op === inputOp) return spec;
    return placeholder({ dtype: spec.dtype, shape: spec.shape, chunks: chunksOf(spec.expr), name });
  }
  if (typeof spec === "string") return placeholder({ dtype: spec as DType, name });
  if (spec instanceof NDArray) return placeholder({ dtype: spec.dtype, shape: spec.shape, name });
  if (isTypedArray(spec)) return placeholder({ dtype: dtypeOfTypedArray(spec), shape: [spec.length], name });
  if (typeof spec === "object" && spec !== null && "dtype" in spec)
    return placeholder({ name, ...(spec as InputType) });
  throw new ValueError({
    what: `${describe(spec)} is no input of a compiled function`,
    cure: 'Say its dtype and shape, as {dtype: "float64", shape: [3]}, or give an array like those that calls will bring',
  });
}

/** One input, and where its small values are put. */
export class InputSlot {
  readonly expr: Expr;
  readonly resource: InputResource;
  readonly #backend: Backend;
  readonly #dtype: DType;
  readonly #shape: Shape;
  readonly #length: number;
  readonly #ArrayOf: new (
    length: number,
  ) => TypedArray;
  /** Null for large ones, which are worked on where they are. */
  #own: Block | null = null;

  constructor({ expr }: LazyArray, backend: Backend) {
    const { dtype, shape } = expr;
    const { array, slots, bytes } = infoOf(dtype);
    this.expr = expr;
    this.resource = expr.attrs["data"] as InputResource;
    this.#backend = backend;
    this.#dtype = dtype;
    this.#shape = shape;
    this.#length = slots * sizeOf(shape);
    this.#ArrayOf = array;
    if (sizeOf(shape) * bytes <= SMALL_BYTES) this.#own = ownedBlock(backend, dtype, shape);
  }

  get text(): string {
    return `${this.resource.name}: ${this.#dtype} ${shapeText(this.#shape)}`;
  }

  /** The value's block for a run that is over when the call is: small ones are copied to where kernels work. */
  bindNow(value: unknown): Block {
    const own = this.#own;
    if (own === null) return this.bind(value);
    if (value instanceof this.#ArrayOf && value.length === this.#length) copyRow(value, own.data);
    else if (typeof value === "number" && this.#shape.length === 0) this.#store(value, own);
    else copyElements(this.bind(value), own);
    return own;
  }

  /** The value's block where it is, which has to stay as it is until the run is over. */
  bind(value: unknown): Block {
    if (value instanceof NDArray) return this.#checkedArray(value);
    if (isTypedArray(value)) return this.#row(value);
    if (isScalar(value) && this.#shape.length > 0)
      throw this.#shapeError(`a number, ${describe(value)}`, "Give an array of that shape");
    if (!isScalar(value) && !Array.isArray(value))
      throw new ValueError({
        where: WHERE,
        what: `input ${this.text} is given ${describe(value)}`,
        cure: "Give an array, its elements in a row, lists, or a number for a scalar",
      });
    return this.#checked(this.#read(value));
  }

  #read(value: unknown): Block {
    try {
      return valueBlock(value, this.#dtype, WHERE);
    } catch (error) {
      if (!(error instanceof ChunkwiseError)) throw error;
      throw new DTypeError({ where: WHERE, what: `input ${this.text}: ${error.what}`, cure: error.cure });
    }
  }

  #store(value: number, own: Block): void {
    try {
      storeElement(own.data, this.#dtype, 0, value);
    } catch (error) {
      if (!(error instanceof ChunkwiseError)) throw error;
      throw new DTypeError({ where: WHERE, what: `input ${this.text}: ${error.what}`, cure: error.cure });
    }
  }

  #checkedArray(array: NDArray): Block {
    this.#checked(array);
    const { data, shape, strides, offset, dtype } = array;
    const found = this.#backend.find({ data, shape, strides, offset, dtype });
    if (found !== null) return found;
    throw new ValueError({
      where: WHERE,
      what: `the memory of what input ${this.text} is given was given back by dispose()`,
      cure: "Dispose of a result after its last use",
    });
  }

  #row(data: TypedArray): Block {
    if (!(data instanceof this.#ArrayOf))
      throw new DTypeError({
        where: WHERE,
        what: `input ${this.text} is given ${data.constructor.name}`,
        cure: `Give ${this.#ArrayOf.name}, or convert it first`,
      });
    if (data.length !== this.#length)
      throw this.#shapeError(`${(data as TypedArray).length} elements`, `Give ${this.#length} elements`);
    const { offset, strides } = { offset: 0, strides: stridesOf(this.#shape) };
    const block = { dtype: this.#dtype, shape: this.#shape, strides, offset, data };
    return this.#backend.find(block) ?? block;
  }

  /** Lazy arrays too: what has a dtype and a shape. */
  #checked<T extends { readonly dtype: DType; readonly shape: Shape }>(value: T): T {
    if (value.dtype !== this.#dtype)
      throw new DTypeError({
        where: WHERE,
        what: `input ${this.text} is given ${value.dtype}`,
        cure: `Convert it first: astype("${this.#dtype}")`,
      });
    if (!sameShape(value.shape, this.#shape))
      throw this.#shapeError(`shape ${shapeText(value.shape)}`, "Compile another function for another shape");
    return value;
  }

  /** What takes the input's place in an expression. */
  lazily(value: unknown): LazyArray {
    if (value instanceof LazyArray) return this.#checked(value);
    return new LazyArray(NDArray.fromBlock(this.bind(value)));
  }

  #shapeError(what: string, cure: string): ShapeError {
    return new ShapeError({ where: WHERE, what: `input ${this.text} is given ${what}`, cure });
  }
}

const WHERE = "compiled function";
