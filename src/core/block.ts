// A block: elements in memory and how to walk them. Strides and offset count elements, not bytes;
// a complex element takes two slots of `data`. A stride may be 0 (broadcast) or negative (flipped).

import { type Shape, sizeOf, stridesOf } from "./chunks.ts";
import { allocate, type DType, infoOf, isWide, type RealDType, type TypedArray } from "./dtype.ts";
import { halfOf, numberOfHalf } from "./half.ts";
import { Complex, fitScalar, type Scalar } from "./numbers.ts";

// Elements from one typed array into another of the same kind. In: a run of them, and where it goes. Out: the copy.
// Engines keep writes into shared memory atomic, word by word, at two thirds of the speed of a plain copy. Node's
// `Buffer.fill` with as many bytes as there is room for is a plain copy; elsewhere `set` has to do.
// Must hold: the places do not overlap.

type Words = Uint8Array | Uint16Array | Uint32Array;

interface FillablePlace {
  fill(value: Uint8Array): unknown;
}

const { Buffer: NodeBuffer } = globalThis as unknown as {
  Buffer?: { from(buffer: ArrayBufferLike, at: number, length: number): FillablePlace };
};

/** Below, two more views cost more than they save. */
const LONG_BYTES = 8192;

const isShared = ({ buffer }: Words): boolean =>
  typeof SharedArrayBuffer === "function" && buffer instanceof SharedArrayBuffer;

/** target[at + i] = run[i]. */
export function copyInto<W extends Words>(target: W, run: W, at = 0): void {
  const { byteLength, BYTES_PER_ELEMENT: size } = run;
  const isPlain = NodeBuffer === undefined || byteLength < LONG_BYTES || !(isShared(target) || isShared(run));
  if (isPlain || at * size + byteLength > target.byteLength) target.set(run, at);
  else {
    const bytes = new Uint8Array(run.buffer, run.byteOffset, byteLength);
    NodeBuffer.from(target.buffer, target.byteOffset + at * size, byteLength).fill(bytes);
  }
}

// Elements of typed arrays as numbers: what lies in a slot, and what it stands for. In: typed arrays and the dtype of their
// slots. Out: numbers and bigints. Whoever looks at single elements comes through here; kernels have their own loads.

/** The number in a slot: a bigint of a 64-bit integer. */
export function slotAt(data: TypedArray, part: RealDType, at: number): number | bigint {
  return part === "float16" ? numberOfHalf(data[at] as number) : data[at]!;
}

/** What a slot holds for a number that fits. */
export function slotOf(value: number | bigint | boolean, part: RealDType): number | bigint {
  if (part === "float16") return halfOf(Number(value));
  return isWide(part) ? BigInt(value) : Number(value);
}

/** An element of elements that follow each other. */
export function elementAt(data: TypedArray, dtype: DType, at: number): Scalar {
  const { part, slots } = infoOf(dtype);
  if (slots === 2) return new Complex(Number(data[2 * at]), Number(data[2 * at + 1]));
  return dtype === "bool" ? data[at] !== 0 : slotAt(data, part, at);
}

/** Stores one value as the dtype holds it; an error where it does not fit. */
export function storeElement(data: TypedArray, dtype: DType, at: number, value: Scalar): void {
  const fitted = fitScalar(value, dtype);
  if (fitted instanceof Complex) {
    data[2 * at] = fitted.re;
    data[2 * at + 1] = fitted.im;
  } else data[at] = slotOf(fitted, infoOf(dtype).part);
}

/** Stores one value everywhere. */
export function fillElements(data: TypedArray, dtype: DType, value: Scalar): void {
  const fitted = fitScalar(value, dtype);
  if (fitted instanceof Complex)
    for (let at = 0; at < data.length / 2; at++) storeElement(data, dtype, at, fitted);
  else (data as Float64Array).fill(slotOf(fitted, infoOf(dtype).part) as number);
}

/**
 * Where bytes lie in the kernels' memory: known from their birth, never inferred from a view. No two places that were
 * ever handed out have one generation, so that a place which was given back is told from the one that lies there now.
 */
export interface Place {
  readonly address: number;
  readonly bytes: number;
  readonly generation: number;
}

/**
 * Elements in memory and how to walk them: element [i, j] is `data[offset + i * strides[0] + j * strides[1]]`; a
 * complex one takes two slots.
 */
export interface Block {
  /** Of the elements. */
  readonly dtype: DType;
  /** How long it is along each axis. */
  readonly shape: Shape;
  /** How far elements lie apart along each axis, in elements; 0 or negative ones are allowed. */
  readonly strides: readonly number[];
  /** Where the first element is, in elements. */
  readonly offset: number;
  /** The elements as they lie in memory. */
  readonly data: TypedArray;
  /** The place in the kernels' memory that `data` is a view of; none for elements that lie elsewhere. */
  readonly place?: Place | undefined;
}

/** A block of zeros: `const block = newBlock("int32", [40, 100])`. */
export function newBlock(dtype: DType, shape: Shape): Block {
  return { dtype, shape, strides: stridesOf(shape), offset: 0, data: allocate(dtype, sizeOf(shape)) };
}

/** A part of a block, sharing its memory. */
export function subBlock(block: Block, start: readonly number[], shape: Shape): Block {
  const offset = start.reduce((at, x, axis) => at + x * block.strides[axis]!, block.offset);
  return { ...block, shape, offset };
}

export const blockBytes = (dtype: DType, shape: Shape): number => infoOf(dtype).bytes * sizeOf(shape);

/** True when the elements lie one after another in row-major order. */
export function isContiguous(block: Block): boolean {
  let expected = 1;
  for (let axis = block.shape.length - 1; axis >= 0; axis--) {
    if (block.shape[axis] !== 1 && block.strides[axis] !== expected) return false;
    expected *= block.shape[axis]!;
  }
  return true;
}
