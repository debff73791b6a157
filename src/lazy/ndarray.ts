// NDArray: a result in memory. Plain typed-array data with shape and strides (in elements), free to hand
// to any other library. Complex elements are interleaved pairs in `data`; bool elements are 0 and 1. Elements of 64-bit
// integers come out as numbers where these are exact, and as bigints beyond; `data` holds bigints always.

import { type Block, elementAt, isContiguous } from "../core/block.ts";
import { describe, type Shape, shapeText, sizeOf, stridesOf } from "../core/chunks.ts";
import {
  allocate,
  type DataOf,
  DTYPES,
  type DType,
  dtypeOfTypedArray,
  infoOf,
  isDType,
  isTime,
  isTypedArray,
  type TypedArray,
} from "../core/dtype.ts";
import { DTypeError, IndexError, ShapeError, ValueError } from "../core/errors.ts";
import { Complex, type ElementOf, exactNumber, type Scalar } from "../core/numbers.ts";
import type { UsedUp } from "../core/platform.ts";
import { closest } from "../core/suggest.ts";
import { timeShown } from "../core/times.ts";
import type { Backend } from "../kernel/backend.ts";
import { copyElements } from "../kernel/routines/stridedWalk.ts";
import { ndarrayText } from "./arrayText.ts";

/** Nested lists of any depth, or one value. */
export type NestedList<T> = T | readonly NestedList<T>[];
/** What `toList()` gives of an array of any dtype: `[[1, 2], [3, 4]]`. */
export type NestedScalars = NestedList<Scalar>;

/**
 * A result in memory: `(await x.compute()).data`; of data, `new cw.NDArray(new Float64Array(4), [2, 2])`. Of a known
 * dtype `data`, `item()` and `toList()` have its types.
 */
export class NDArray<D extends DType = DType> implements Block {
  readonly #data: DataOf<D>;
  #isDisposed = false;
  /** Whose memory the data are in; null for data that are not a result's. */
  #owner: Pick<Backend, "release"> | null = null;
  readonly dtype: D;
  readonly shape: Shape;
  readonly strides: readonly number[];
  readonly offset: number;

  constructor(
    data: DataOf<D>,
    shape: Shape = [data?.length],
    dtype: D = dtypeOfTypedArray(data) as D,
    strides?: readonly number[],
    offset = 0,
  ) {
    checkParts(data, shape, dtype, strides, offset);
    const steps = strides ?? stridesOf(shape);
    checkRoom(data, shape, dtype, steps, offset);
    this.#data = data;
    this.dtype = dtype;
    this.shape = shape;
    this.strides = steps;
    this.offset = offset;
  }

  /** `owner`: the backend that computed it, for results. */
  static fromBlock(
    { data, shape, dtype, strides, offset }: Block,
    owner: Pick<Backend, "release"> | null = null,
  ): NDArray {
    const array = new NDArray(data, shape, dtype, strides, offset);
    array.#owner = owner;
    return array;
  }

  /** The elements as they lie in memory: a `Float32Array` of float32. */
  get data(): DataOf<D> {
    if (!this.#isDisposed) return this.#data;
    throw new ValueError({
      where: "data",
      what: `this array of shape ${shapeText(this.shape)} was disposed of`,
      cure: "Dispose of an array after its last use, or leave that to the garbage collector",
    });
  }

  /**
   * Gives a result's memory back at once. Neither it nor views of its data may be used afterwards. There is no need
   * to: the garbage collector does it sooner or later. Sooner pays where many large results come and go.
   */
  dispose(): void {
    if (!this.#isDisposed) this.#owner?.release(this.#data);
    this.#isDisposed = true;
  }

  get ndim(): number {
    return this.shape.length;
  }
  get size(): number {
    return sizeOf(this.shape);
  }
  get nbytes(): number {
    return this.size * infoOf(this.dtype).bytes;
  }

  /** One element: `x.item(0, -1)`; without indices the only element of a size-1 array. Negative indices count from the end. */
  item(...indices: readonly number[]): ElementOf<D> {
    if (indices.length === 0 && this.size === 1) return this.#element(this.offset);
    if (indices.length !== this.ndim) {
      throw new IndexError({
        where: "item",
        what: `takes ${this.ndim} indices for shape ${shapeText(this.shape)}, not ${indices.length}`,
        cure: "Give one index per axis",
      });
    }
    return this.#element(
      indices.reduce((at, index, axis) => at + this.#place(index, axis) * this.strides[axis]!, this.offset),
    );
  }

  #place(index: number, axis: number): number {
    const length = this.shape[axis]!;
    if (Number.isInteger(index) && index >= -length && index < length)
      return index < 0 ? index + length : index;
    throw new IndexError({
      where: "item",
      what: `index ${describe(index)} is out of range for axis ${axis} of length ${length}`,
      cure: `Use ${-length} to ${length - 1}`,
    });
  }

  #element(at: number): ElementOf<D> {
    return this.#value(at) as ElementOf<D>;
  }

  #value(at: number): Scalar | string {
    const value = elementAt(this.data, this.dtype, at);
    if (typeof value !== "bigint") return value;
    return isTime(this.dtype) ? timeShown(this.dtype, value) : exactNumber(value);
  }

  /** Nested lists of JavaScript values, `[[1, 2], [3, 4]]`; a 0-d array gives the value itself. */
  toList(): NestedList<ElementOf<D>> {
    return this.#nested(0, this.offset);
  }

  #nested(axis: number, at: number): NestedList<ElementOf<D>> {
    if (axis === this.ndim) return this.#element(at);
    return Array.from({ length: this.shape[axis]! }, (_, i) =>
      this.#nested(axis + 1, at + i * this.strides[axis]!),
    );
  }

  /** As JSON.stringify writes it: nested lists, complex numbers as {re, im}, integers beyond 2^53 − 1 as decimal strings. */
  toJSON(): NestedList<JSONElement> {
    return jsonOf(this.toList() as NestedList<Scalar | string>);
  }

  /** The same elements in row-major order without gaps: itself where they lie so already. */
  toContiguous(): NDArray<D> {
    if (isContiguous(this) && this.offset === 0 && this.data.length === this.size * infoOf(this.dtype).slots)
      return this;
    const copy = new NDArray(allocate(this.dtype, this.size) as DataOf<D>, this.shape, this.dtype);
    copyElements(this, copy);
    return copy;
  }

  /** Elements in row-major order: `for (const value of result)`. */
  *[Symbol.iterator](): Generator<ElementOf<D>> {
    const flat = this.toContiguous();
    for (let i = 0; i < flat.size; i++) yield flat.#element(i);
  }

  toString(): string {
    return ndarrayText(this);
  }
}

export interface NDArray extends UsedUp {}

// `using result = await x.compute()` disposes of it at the end of the block, where the engine has the symbol.
if (typeof Symbol.dispose === "symbol")
  Object.defineProperty(NDArray.prototype, Symbol.dispose, { value: NDArray.prototype.dispose });

// `+result` and Number(result) are the only element's number. `result + 1` of more elements would silently make text.
Object.defineProperty(NDArray.prototype, Symbol.toPrimitive, {
  value(this: NDArray, hint: "string" | "number" | "default"): string | number {
    return hint === "string" ? this.toString() : onlyNumber(this);
  },
});

function onlyNumber(array: NDArray): number {
  const value = array.size === 1 ? array.item() : undefined;
  if (value !== undefined && typeof value !== "string" && !(value instanceof Complex)) return Number(value);
  throw new ValueError({
    where: "NDArray",
    what: `${array.dtype} ${shapeText(array.shape)} is not a number: JavaScript's operators cannot compute with it`,
    cure:
      value === undefined
        ? "Only an array of one element is one: take item(...), data or toList()"
        : typeof value === "string"
          ? "A date or time is none: take item() or data"
          : "Take item().re or item().im",
  });
}

/** What an element is in JSON. */
export type JSONElement = boolean | number | string | { readonly re: number; readonly im: number };

function jsonOf(list: NestedList<Scalar | string>): NestedList<JSONElement> {
  if (list instanceof Complex) return { re: list.re, im: list.im };
  if (typeof list === "bigint") return String(list);
  return typeof list === "object" ? list.map(jsonOf) : list;
}

// console.log in Node shows the elements, not the object's fields.
Object.defineProperty(NDArray.prototype, Symbol.for("nodejs.util.inspect.custom"), {
  value(this: NDArray): string {
    return this.toString();
  },
});

function checkParts(data: unknown, shape: unknown, dtype: unknown, strides: unknown, offset: unknown): void {
  const isIntegers = (list: unknown): list is number[] =>
    Array.isArray(list) && Array.from(list).every(Number.isSafeInteger);
  const found = !isTypedArray(data)
    ? `the data is ${describe(data)}, not a typed array`
    : !isDType(dtype)
      ? `${describe(dtype)} is not a dtype`
      : !isIntegers(shape) || shape.some((n) => n < 0)
        ? `the shape is ${Array.isArray(shape) ? `[${shape.map(describe).join(", ").slice(0, 100)}]` : describe(shape)}`
        : strides !== undefined && (!isIntegers(strides) || strides.length !== shape.length)
          ? `the strides are ${Array.isArray(strides) ? `[${strides.map(describe).join(", ").slice(0, 100)}]` : describe(strides)}`
          : !Number.isSafeInteger(offset) || (offset as number) < 0
            ? `the offset is ${describe(offset)}`
            : null;
  if (found === null) return;
  if (!isDType(dtype))
    throw new DTypeError({ where: "NDArray", what: found, cure: closest(String(dtype), DTYPES) });
  throw new ShapeError({ where: "NDArray", what: found, cure: "Shape, dtype and data must belong together" });
}

/** Every element that shape and strides can reach must be in the data. */
function checkRoom(
  data: TypedArray,
  shape: Shape,
  dtype: DType,
  strides: readonly number[],
  offset: number,
): void {
  const reach = (sign: 1 | -1): number =>
    shape.reduce((sum, n, axis) => sum + Math.max(0, sign * strides[axis]! * (n - 1)), 0);
  const isEmpty = sizeOf(shape) === 0;
  const needed = isEmpty ? 0 : (offset + reach(1) + 1) * infoOf(dtype).slots;
  const isInside = isEmpty || (needed <= data.length && offset - reach(-1) >= 0);
  if (data instanceof infoOf(dtype).array && isInside) return;
  throw new ShapeError({
    where: "NDArray",
    what: `${data.constructor.name} of ${data.length} does not hold ${dtype} ${shapeText(shape)}, which needs ${needed}`,
    cure: "Shape, dtype and data must belong together",
  });
}
