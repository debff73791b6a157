// A block: elements in memory and how to walk them. Strides and offset count elements, not bytes;
// a complex element takes two slots of `data`. A stride may be 0 (broadcast) or negative (flipped).

import { describe, type Shape, sizeOf, stridesOf } from "./chunks.ts";
import { allocate, type DType, infoOf, isWide, type RealDType, type TypedArray } from "./dtype.ts";
import { InvariantError } from "./errors.ts";
import { halfOf, numberOfHalf } from "./half.ts";
import type { Labels } from "./labels.ts";
import { Complex, fitScalar, numberText, type Scalar } from "./numbers.ts";
import type { Transfer } from "./transfer.ts";

// Attributes: what an op needs beside its inputs. Plain data, so that they can be compared, printed,
// hashed and stored as JSON. The one exception is a Resource: something in memory that has an identity
// here and a fingerprint everywhere.

// A constant that is made when it is first asked for. In: a function without arguments that always makes the same. Out: that.
// Must hold: whoever asks twice cannot tell whether it was made once or twice, but by the time it took. What changes
// results, or grows, belongs to a value that somebody owns instead.

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The value of an attribute: plain data, or a resource such as an array in memory. */
export type Attr = null | boolean | number | bigint | string | Complex | Resource | readonly Attr[];
/** The attributes of a node, by name: {axes: [0], keepdims: false}. */
export type Attrs = { readonly [name: string]: Attr };

export const NO_ATTRS: Attrs = Object.freeze({});

/** A thing in memory (an array's data, a user's function). Two resources are equal when they are the same object. */
export abstract class Resource {
  static #count = 0;
  readonly id: number = ++Resource.#count;
  /** The same in every process for the same contents. */
  abstract fingerprint(): string;
  /** What reading it takes, for arrays in stores. */
  transfer(): Transfer | null {
    return null;
  }
  /** What can be read of it by itself, for arrays in stores. */
  access(): StoredAccess | null {
    return null;
  }
  /** What its axes are called and what is said of it, where something is. */
  labels(): Labels | null {
    return null;
  }
}

export interface StoredAccess {
  /** Such chunks. */
  readonly chunks: readonly number[];
  /** And any part of a chunk, at the cost of a call for every run of its elements. */
  readonly hasRuns: boolean;
}

/** One text per value: different values have different texts (−0 and 0, 1 and 1n and "1" too). */
export function attrsText(attrs: Attrs, resourceText: (resource: Resource) => string): string {
  if (attrs === NO_ATTRS) return "";
  let text = "";
  for (const name in attrs) text += `${name}=${attrText(attrs[name]!, resourceText)};`;
  return text;
}

function attrText(value: Attr, resourceText: (resource: Resource) => string): string {
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "boolean" || value === null) return String(value);
  if (value instanceof Complex) return value.toString();
  if (value instanceof Resource) return resourceText(value);
  if (Array.isArray(value)) return `[${value.map((item) => attrText(item, resourceText)).join(",")}]`;
  throw new InvariantError({ what: `${describe(value)} cannot be an attribute` });
}

/** Longer lists are not written out for people. */
const MOST_WRITTEN = 16;

/** `axes: [0, 1]`, for people. */
export function attrLabel(name: string, value: Attr): string {
  const isLong = Array.isArray(value) && value.length > MOST_WRITTEN;
  if (isLong) return `${name}: [${value.slice(0, 3).join(", ")}, … ${value.length} in all]`;
  return `${name}: ${attrText(value, (resource) => `#${resource.id}`)
    .replaceAll(",", ", ")
    .replace(/^(-?\d+)n$/, "$1")}`;
}

// Elements from one typed array into another of the same kind. In: a run of them, and where it goes. Out: the copy.
// Engines keep writes into shared memory atomic, word by word, at two thirds of the speed of a plain copy. Node's
// `Buffer.fill` with as many bytes as there is room for is a plain copy; elsewhere `set` has to do.
// Must hold: the places do not overlap.

type Words = Uint8Array | Uint16Array | Uint32Array;

interface FillablePlace {
  fill(value: Uint8Array): unknown;
}

const { Buffer: NodeBuffer } = globalThis as unknown as {
  Buffer?: {
    from(buffer: ArrayBufferLike, at: number, length: number): FillablePlace;
    allocUnsafeSlow(bytes: number): Uint8Array;
  };
};

/** Below, two more views cost more than they save. */
const LONG_BYTES = 8192;

const isShared = ({ buffer }: Words): boolean =>
  typeof SharedArrayBuffer === "function" && buffer instanceof SharedArrayBuffer;

/** All of a typed array to another of its kind and length. */
export function copyRow(from: TypedArray, to: TypedArray): void {
  const { byteLength } = from;
  if (NodeBuffer === undefined || byteLength < LONG_BYTES || byteLength !== to.byteLength)
    (to as Float64Array).set(from as Float64Array);
  else
    NodeBuffer.from(to.buffer, to.byteOffset, byteLength).fill(
      new Uint8Array(from.buffer, from.byteOffset, byteLength),
    );
}

/** A block's elements in a row, in ordinary memory: no zeros are written where they go. */
export function copyOfRow({ dtype, shape, data: from }: Block): Block {
  const { byteLength } = from;
  if (NodeBuffer === undefined || byteLength < LONG_BYTES) {
    const copy = newBlock(dtype, shape);
    copyRow(from, copy.data);
    return copy;
  }
  const { array: ArrayOf } = infoOf(dtype);
  const data = new ArrayOf(NodeBuffer.allocUnsafeSlow(byteLength).buffer as ArrayBuffer) as TypedArray;
  copyRow(from, data);
  return { dtype, shape, strides: stridesOf(shape), offset: 0, data };
}

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

/** All of its data, one element after another. */
export const isRow = (block: Block): boolean =>
  block.offset === 0 &&
  block.data.length === sizeOf(block.shape) * infoOf(block.dtype).slots &&
  isContiguous(block);

/** True when the elements lie one after another in row-major order. */
export function isContiguous(block: Block): boolean {
  let expected = 1;
  for (let axis = block.shape.length - 1; axis >= 0; axis--) {
    if (block.shape[axis] !== 1 && block.strides[axis] !== expected) return false;
    expected *= block.shape[axis]!;
  }
  return true;
}
