// LazyArray: an expression in the user's hands. Every operation gives a new one and computes nothing.
// It remembers the arrays it was made from, because `output` marks a stage of exactly this computation:
// the interned expression behind it may be shared with others that marked nothing.

import { type Attrs, type Block, Resource } from "../core/block.ts";
import {
  type ChunkShape,
  type ChunksArgument,
  checkChunks,
  describe,
  gridOf,
  type Shape,
  shapeText,
  singleChunk,
  sizeOf,
  stridesOf,
} from "../core/chunks.ts";
import { countText } from "../core/counts.ts";
import { type DType, dtypeOfTypedArray, infoOf, isTypedArray, type TypedArray } from "../core/dtype.ts";
import { ChunkwiseError, DTypeError, ValueError } from "../core/errors.ts";
import { type DimNames, type JsonObject, namedShapeText } from "../core/labels.ts";
import { Complex, fitScalar, isScalar, type Scalar } from "../core/numbers.ts";
import { hasUnknown, knownLengths } from "../core/unknown.ts";
import { attributesOf, dimsOf } from "../expr/axisNames.ts";
import { chunksOf, Expr, fingerprintBytes, makeExpr } from "../expr/expr.ts";
import { type DenseType, denseType, type SourceOp } from "../expr/op.ts";
import { exprText } from "../expr/print.ts";
import { callNumber, currentSite, type Site } from "../expr/site.ts";
import * as s from "../kernel/scalar.ts";
import { castValue } from "./cast.ts";
import { NDArray, type NestedScalars } from "./ndarray.ts";
import { blockOfNested } from "./nested.ts";

// Sources: arrays that are computed from coordinates, and arrays that lie in memory.
// Every source has attrs.dtype, attrs.shape and attrs.chunks; the rest is its own.

function source(name: string, body: SourceOp["body"]): SourceOp {
  return {
    name,
    class: "source",
    body,
    infer: (_, attrs) => denseType(attrs["dtype"] as DType, attrs["shape"] as Shape),
    chunks: (attrs) => attrs["chunks"] as ChunkShape,
  };
}

/** A constant of any dtype as a value of the scalar language. */
export function constantValue(value: Scalar, dtype: DType): s.Value {
  const { part } = infoOf(dtype);
  const fitted = fitScalar(value, dtype);
  if (fitted instanceof Complex) return { re: s.constant(part, fitted.re), im: s.constant(part, fitted.im) };
  return s.constant(part, typeof fitted === "boolean" ? Number(fitted) : fitted);
}

/** attrs.value everywhere. */
export const full: SourceOp = source("full", (attrs, { dtype }) =>
  constantValue(attrs["value"] as Scalar, dtype),
);

/** The coordinate along attrs.axis, as int64. */
export const coordinate: SourceOp = source("coordinate", (attrs, { dtype }, index) =>
  castValue(index(attrs["axis"] as number), dtype),
);

/** attrs.start + i · attrs.step, computed in the result's dtype. */
export const arange: SourceOp = source("arange", (attrs, { dtype }, index) => {
  const i = castValue(index(0), dtype) as s.Term;
  const start = constantValue(attrs["start"] as Scalar, dtype) as s.Term;
  const step = constantValue(attrs["step"] as Scalar, dtype) as s.Term;
  return s.add(start, s.mul(i, step));
});

/** Evenly spaced from attrs.start by attrs.step; the last is exactly attrs.last when that is not null. */
export const linspace: SourceOp = source("linspace", (attrs, type, index) => {
  const { part } = infoOf(type.dtype);
  const i = s.convert(index(0), "float64");
  const line = (from: number, by: number): s.Term =>
    s.convert(s.add(s.mul(i, s.constant("float64", by)), s.constant("float64", from)), part);
  const start = complexOf(attrs["start"] as Scalar);
  const step = complexOf(attrs["step"] as Scalar);
  const last = attrs["last"] as Scalar | null;
  const isLast = s.eq(index(0), s.constant("int64", sizeOf(type.shape) - 1));
  const ended = (value: s.Term, end: number): s.Term =>
    last === null ? value : s.select(isLast, s.constant(part, end), value);
  const end = complexOf(last ?? 0);
  const re = ended(line(start.re, step.re), end.re);
  return infoOf(type.dtype).slots === 1 ? re : { re, im: ended(line(start.im, step.im), end.im) };
});

const complexOf = (value: Scalar): Complex =>
  value instanceof Complex ? value : new Complex(Number(value), 0);

/** Elements in memory. They are read when a computation runs, so they must not be changed before. */
export class DataResource extends Resource {
  readonly #block: Block;
  /** How much data there was: a buffer can be transferred away before it is read. */
  readonly length: number;
  #fingerprint: string | null = null;

  constructor(block: Block) {
    super();
    this.#block = block;
    this.length = block.data.length;
  }

  get block(): Block {
    return this.#block;
  }

  fingerprint(): string {
    if (this.#fingerprint === null) {
      const { data, dtype, shape, strides, offset } = this.#block;
      const bytes = fingerprintBytes(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      this.#fingerprint = `${dtype}[${shape}](${strides})+${offset}:${bytes}`;
    }
    return this.#fingerprint;
  }
}

/** attrs.data: a DataResource. */
export const dataOp: SourceOp = source("data", null);

export const dataOf = (attrs: Attrs): DataResource => attrs["data"] as DataResource;

/** attrs.data: something that the runtime can read by boxes, as an array in a store. */
export const stored: SourceOp = source("stored", null);

/** What a source without a body is bound to. */
export const resourceOf = (attrs: Attrs): Resource => attrs["data"] as Resource;

export function sourceAttrs(
  type: Pick<DenseType, "dtype" | "shape">,
  chunks: ChunkShape,
): { dtype: DType; shape: Shape; chunks: ChunkShape } {
  return { dtype: type.dtype, shape: type.shape, chunks };
}

export const SOURCES: readonly SourceOp[] = [full, coordinate, arange, linspace, dataOp, stored];

// Arrays of another kind than dense ones: nested rows, in memory or lazy. A function of the op table that is given one hands
// it the whole call, as NumPy's functions do (NEP 18). In: arguments. Out: the array that takes the call, or null.

/** The method that takes a call over: by the function's name and its arguments. */
export const CALLED: unique symbol = Symbol("called");

/**
 * What functions give when such an array is among their arguments. `"~called"`, for types only: of arrays in memory alone,
 * and with anything lazy.
 */
export interface OtherArray {
  [CALLED](name: string, args: readonly unknown[]): unknown;
  readonly "~called"?: Kinds;
}

interface Kinds {
  readonly array: unknown;
  readonly value: unknown;
  /** The same of lazy arrays. */
  readonly lazy: { readonly array: unknown; readonly value: unknown };
}

/** What an argument has that is computed later: arrays of both kinds have it. */
export interface Later {
  readonly expr: object;
}

type KindsOf<X> = X extends { readonly "~called"?: infer K } ? NonNullable<K> : never;

/** Of the union of all arguments' types: an array, or with "value" the one value that is left. */
export type Called<Arguments, What extends "array" | "value" = "array"> = [
  Extract<Arguments, Later>,
] extends [never]
  ? InMemory<KindsOf<Extract<Arguments, OtherArray>>, What>
  : LazyOf<KindsOf<Extract<Arguments, OtherArray>>, What>;

type InMemory<K, What extends "array" | "value"> = K extends Kinds ? K[What] : never;
type LazyOf<K, What extends "array" | "value"> = K extends Kinds ? K["lazy"][What] : never;

/** The array among the arguments that takes the call, if there is one. */
export const otherAmong = (args: readonly unknown[]): OtherArray | null =>
  args.find((arg): arg is OtherArray => typeof arg === "object" && arg !== null && CALLED in arg) ?? null;

/** What can be wrapped: data in memory. */
export type ArrayInput = NDArray | TypedArray | readonly NestedScalars[];
/** What can stand where an array is expected: `cw.add(x, 1)`, `cw.add(x, [1, 2, 3])`. */
export type Operand = LazyArray | ArrayInput | Scalar;

interface OutputMark {
  readonly name: string | undefined;
  /** By it marks can be put in the order of the calls of output(). */
  readonly order: number;
}

const NO_PARENTS: readonly LazyArray[] = Object.freeze([]);
const NO_MARKS: readonly OutputMark[] = Object.freeze([]);

/**
 * An array that is computed later: `cw.zeros([3]).add(1)`, or `new cw.LazyArray([1, 2])`. `D` is its dtype, or the
 * union of those it may have; `O` are the outputs marked on the way.
 */
export class LazyArray<D extends DType = DType, O = unknown> {
  /** For types only: the outputs marked on the way, by name. */
  declare readonly "~outputs"?: O;
  readonly expr: Expr;
  /** The arrays it was made from. */
  readonly parents: readonly LazyArray[];
  /** The user's call that made it. */
  readonly site: Site | null;
  #marks: readonly OutputMark[] = NO_MARKS;

  /** Wraps an array in memory. Expressions (with the arrays they were made from) come from this library only. */
  constructor(input: ArrayInput | Expr, parents: readonly LazyArray[] = NO_PARENTS) {
    this.expr = input instanceof Expr ? input : wrapped(input);
    this.parents = parents;
    this.site = currentSite();
  }

  get dtype(): D {
    return this.expr.dtype as D;
  }
  /** An error where a length depends on data and is not known yet: `await x.settle()` finds it out. */
  get shape(): Shape {
    return knownLengths(this.expr.shape, "the shape");
  }
  get ndim(): number {
    return this.expr.shape.length;
  }
  get size(): number {
    return sizeOf(this.shape);
  }
  get nbytes(): number {
    return this.size * infoOf(this.dtype).bytes;
  }
  /** The length of a chunk along each axis; the last chunk may be shorter. */
  get chunks(): ChunkShape {
    return chunksOf(this.expr);
  }
  /** What its axes are called, null where nothing says it: `["time", "lat"]`. */
  get dims(): DimNames {
    return dimsOf(this.expr);
  }
  /** What a store or `withAttributes` says of it, for as long as it is the same quantity: `{units: "K"}`. */
  get attributes(): JsonObject {
    return attributesOf(this.expr);
  }
  /** How many chunks there are along each axis. */
  get numblocks(): Shape {
    return gridOf(this.shape, this.chunks);
  }

  /** Marks this stage: execute() of anything made from it also returns it, by this name or as output_0, output_1, … */
  output<Name extends string = `output_${number}`>(
    name?: Name,
  ): LazyArray<D, O & { readonly [K in Name]: NDArray<D> }> {
    checkOutputName(name);
    const isNew = !this.#marks.some((mark) => mark.name === name);
    if (isNew) this.#marks = [...this.#marks, { name, order: callNumber() }];
    return this as LazyArray as LazyArray<D, O & { readonly [K in Name]: NDArray<D> }>;
  }

  /** The marked stages that this array is made from, in the order they were marked, with their names. */
  get outputs(): ReadonlyMap<string, LazyArray> {
    const marked = this.#lineage().flatMap((array) => array.#marks.map((mark) => ({ array, mark })));
    marked.sort((a, b) => a.mark.order - b.mark.order);
    const named = new Map<string, LazyArray>();
    marked.forEach(({ array, mark }, index) => {
      const name = mark.name ?? `output_${index}`;
      const other = named.get(name);
      if (other !== undefined && other.expr !== array.expr) {
        throw new ValueError({
          where: "execute",
          what: `two outputs are named ${describe(name)}`,
          cure: "Give every output its own name",
        });
      }
      named.set(name, array);
    });
    return named;
  }

  /** This array and all it was made from; a loop, because a chain may be a million long. */
  #lineage(): LazyArray[] {
    const seen = new Set<LazyArray>([this]);
    for (const array of seen) for (const parent of array.parents) seen.add(parent);
    return [...seen];
  }

  /** The axes reversed: `x.T`. */
  declare readonly T: LazyArray<D, O>;
  /** The last two axes swapped: `x.mT`. */
  declare readonly mT: LazyArray<D, O>;

  /** As text, for logs: the graph itself is no JSON. */
  toJSON(): string {
    return this.toString();
  }

  /** dtype, shape, chunks and the operations. Computes nothing. */
  toString(): string {
    const { shape } = this.expr;
    const count = hasUnknown(shape) ? "chunks" : countText(sizeOf(this.numblocks), "chunk");
    const head = `LazyArray ${this.dtype} ${namedShapeText(shape, this.dims)} in ${count} of ${shapeText(this.chunks)}`;
    return `${head}\n${exprText([this.expr], { indent: "  " })}`;
  }
}

// `x + 1` would silently make text of the array.
Object.defineProperty(LazyArray.prototype, Symbol.toPrimitive, {
  value(this: LazyArray, hint: "string" | "number" | "default"): string {
    if (hint === "string") return this.toString();
    throw new ValueError({
      what: "a lazy array is not a number: JavaScript's operators cannot compute with it",
      cure: "Write x.add(1), cw.add(x, 1) or an expression with cw.expr; for its number +(await x.compute())",
    });
  },
});

// Without it Array.from(x), and new Float64Array(x), would silently be empty. Not in the types: there x is no iterable.
Object.defineProperty(LazyArray.prototype, Symbol.iterator, {
  value(this: LazyArray): never {
    throw new ValueError({
      what: `a lazy array of shape ${shapeText(this.expr.shape)} has no elements before it is computed`,
      cure: "Write await x.compute() and go over the result; x.get(i) and x.unstack() give lazy parts",
    });
  },
});

Object.defineProperty(LazyArray.prototype, Symbol.for("nodejs.util.inspect.custom"), {
  value(this: LazyArray): string {
    return this.toString();
  },
});

/** Only data can be wrapped: what is lazy already, or a number, has a better way. */
function wrapped(input: ArrayInput): Expr {
  if (isScalar(input) || (input as unknown) instanceof LazyArray) {
    throw new DTypeError({
      where: "LazyArray",
      what: `${describe(input)} is not data in memory`,
      cure: isScalar(input) ? "Use asarray" : "It is lazy already: use it as it is",
    });
  }
  try {
    return exprOfData(input);
  } catch (error) {
    throw error instanceof ChunkwiseError ? error.at("LazyArray") : error;
  }
}

function checkOutputName(name: unknown): void {
  if (name === undefined) return;
  const isPlain = typeof name === "string" && /^[A-Za-z_$][\w$]*$/.test(name);
  const isReserved = ["result", "__proto__", "constructor", "prototype", "then"].includes(name as string);
  if (isPlain && !isReserved) return;
  throw new ValueError({
    where: "output",
    what: `${describe(name)} cannot name an output${isReserved ? ": it is reserved" : ""}`,
    cure: 'Use a plain identifier such as "scaled"',
  });
}

/** Data in memory as an expression; it is not copied. */
export function exprOfData(input: ArrayInput, dtype?: DType, chunks?: ChunksArgument): Expr {
  return exprOfBlock(blockOf(input, dtype), chunks);
}

export function exprOfBlock(block: Block, chunks?: ChunksArgument): Expr {
  const { shape, dtype } = block;
  const cut = chunks === undefined ? singleChunk(shape) : checkChunks(chunks, shape, infoOf(dtype).bytes);
  const { strides, offset, data } = block;
  const plain = { dtype, shape, strides, offset, data };
  return makeExpr(dataOp, [], { ...sourceAttrs(block, cut), data: new DataResource(plain) });
}

function blockOf(input: ArrayInput, dtype: DType | undefined): Block {
  if (input instanceof NDArray) return input;
  if (isTypedArray(input)) {
    return {
      dtype: dtypeOfTypedArray(input),
      shape: [input.length],
      strides: stridesOf([input.length]),
      offset: 0,
      data: input,
    };
  }
  if (Array.isArray(input)) return blockOfNested(input, dtype);
  throw new DTypeError({
    what: `${describe(input)} is not an array`,
    cure: "Pass a LazyArray, an NDArray, a typed array, a nested list or a number",
  });
}

/** An operand that is not a scalar, as a LazyArray. */
export function asLazy(operand: Operand): LazyArray {
  if (operand instanceof LazyArray) return operand;
  if (isScalar(operand)) return new LazyArray(exprOfBlock(blockOfNested(operand, undefined)));
  return new LazyArray(exprOfData(operand));
}
