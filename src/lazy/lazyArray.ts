// LazyArray: an expression in the user's hands. Every operation gives a new one and computes nothing.
// It remembers the arrays it was made from, because `output` marks a stage of exactly this computation:
// the interned expression behind it may be shared with others that marked nothing.

import type { Block } from "../core/block.ts";
import { type ChunkShape, type ChunksArgument, checkChunks, gridOf, singleChunk } from "../core/chunks.ts";
import { countText } from "../core/counts.ts";
import { type DType, dtypeOfTypedArray, infoOf, isTypedArray, type TypedArray } from "../core/dtype.ts";
import { ChunkwiseError, DTypeError, ValueError } from "../core/errors.ts";
import { isScalar, type Scalar } from "../core/numbers.ts";
import { describe, type Shape, shapeText, sizeOf, stridesOf } from "../core/shape.ts";
import { chunksOf } from "../expr/chunksOf.ts";
import { Expr, makeExpr } from "../expr/expr.ts";
import { exprText } from "../expr/print.ts";
import { callNumber, currentSite, type Site } from "../expr/site.ts";
import { NDArray, type NestedScalars } from "./ndarray.ts";
import { blockOfNested } from "./nested.ts";
import { DataResource, data as dataOp, sourceAttrs } from "./sources.ts";

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
  get shape(): Shape {
    return this.expr.shape;
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
  /** The length of a chunk along each axis; the last chunk may be shorter. */
  get chunks(): ChunkShape {
    return chunksOf(this.expr);
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
    const chunks = `${countText(sizeOf(this.numblocks), "chunk")} of ${shapeText(this.chunks)}`;
    const head = `LazyArray ${this.dtype} ${shapeText(this.shape)} in ${chunks}`;
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
      what: `a lazy array of shape ${shapeText(this.shape)} has no elements before it is computed`,
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
