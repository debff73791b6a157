// Constants: what can be known before anything runs. Moves and reductions of one repeated value need no kernels;
// the rest is folded with the run-time's own, which `foldConstants` is given, so that the bits are the same.
// Data that a user gave is never folded: plans are shared by computations that differ in their data alone.

import type { Block } from "../../core/block.ts";
import { infoOf, isComplex, isFloat, isInteger } from "../../core/dtype.ts";
import { ChunkwiseError } from "../../core/errors.ts";
import { Complex, isZero, type Scalar } from "../../core/numbers.ts";
import { sizeOf } from "../../core/shape.ts";
import { chunksOf } from "../../expr/chunks.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { toContiguous } from "../../kernel/routines/walk.ts";
import { OPS } from "../../ops/index.ts";
import { pad } from "../../ops/moves/pad.ts";
import * as r from "../../ops/reductions.ts";
import { DataResource, data, full, sourceAttrs } from "../../ops/sources.ts";
import { constantOf, filledLike, scalar } from "../make.ts";
import { sameScalar } from "../matchText.ts";
import { on, p } from "../pattern.ts";
import { decline, rule } from "../patternRule.ts";
import { functionRule, type OpSet, type Rule } from "../rule.ts";
import { wrapped } from "./reducedBroadcasts.ts";

const MOVES: readonly Op[] = [...OPS.values()].filter((op) => op.class === "move");

/** One value everywhere, wherever it is moved. */
function movedFull(node: Expr): Expr | null {
  const value = constantOf(node.inputs[0]!);
  if (value === undefined) return null;
  const isSame = node.inputs.every((input) => {
    const other = constantOf(input);
    return other !== undefined && sameScalar(value, other);
  });
  const isPadded = node.op === pad && node.attrs["mode"] === "constant";
  if (!isSame || (isPadded && !sameScalar(value, node.attrs["value"]))) return null;
  return filledLike(value, node);
}

/** Whole numbers up to here add up without rounding. */
const EXACT: { readonly [dtype: string]: number } = { float64: 2 ** 53, float32: 2 ** 24 };

/** The sum of `count` equal values, if it is the same in any order; null otherwise. */
function exactSum(value: Scalar, count: number, node: Expr): Scalar | null {
  const { dtype } = node;
  if (isInteger(dtype)) return wrapped(BigInt(value as bigint) * BigInt(count), dtype);
  if (!isFloat(dtype) || typeof value !== "number") return null;
  if (count === 0) return 0;
  if (value === 0 || !Number.isFinite(value)) return value;
  const isExact = Number.isInteger(value) && Math.abs(value) * count <= EXACT[dtype]!;
  return isExact ? value * count : null;
}

/** What `count` equal values are reduced to; null where that is not known exactly. */
function reducedValue(node: Expr, value: Scalar, count: number): Scalar | null {
  switch (node.op) {
    case r.max:
    case r.min:
      return value;
    case r.any:
      return count > 0 && !isZero(value);
    case r.all:
      return count === 0 || !isZero(value);
    case r.countNonzero:
      return isZero(value) ? 0n : BigInt(count);
    case r.argmax:
    case r.argmin:
      return 0n;
    case r.sum:
      return exactSum(value, count, node);
    case r.mean:
      return count > 0 && isFloat(node.dtype) && exactSum(value, count, node) !== null ? value : null;
    case r.prod:
      return count === 0 || value === 1 || value === 1n ? fittedOne(node) : null;
    default:
      return null;
  }
}

const fittedOne = ({ dtype }: Expr): Scalar => (isComplex(dtype) ? new Complex(1, 0) : 1);

/** Rules that need no evaluation. */
export const CONSTANTS: readonly Rule[] = [
  functionRule("moveOfFull", "permute(full(c)) = full(c)", { tracks: MOVES, apply: movedFull }),
  rule("reduceOfFull", "max(full(c)) = c", on(r.REDUCTIONS)(p.full().as("x")), ({ x }, node) => {
    const axes = node.attrs["axes"] as readonly number[];
    const value = reducedValue(node, constantOf(x)!, r.reducedCount(x.shape, axes));
    return value === null ? decline("the result depends on the order of rounding") : filledLike(value, node);
  }),
];

/** Computes a small expression at once. */
export type Evaluate = (expr: Expr) => Block;

/** The most elements of a folded array, and of what it is folded from. */
const MOST_ELEMENTS = 64;
const MOST_OPERAND_ELEMENTS = 4096;

const FULL: OpSet = { has: (op) => op === full };
const SOURCES: OpSet = { has: (op) => op.class === "source" };

/** Rules that compute what depends on constants alone. What traps is left for the run to report. */
export function foldConstants(evaluate: Evaluate): readonly Rule[] {
  const fold = new Folding(evaluate);
  return [
    functionRule("foldElementwise", "f(c, d) = e", {
      inputs: [FULL, FULL],
      apply: (node) => fold.elementwise(node),
    }),
    functionRule("foldSmall", "f([c, …]) = [d, …]", {
      inputs: [SOURCES, SOURCES],
      apply: (node) => fold.small(node),
    }),
  ];
}

class Folding {
  readonly #evaluate: Evaluate;
  /** What was folded before, so that it is the same node again. */
  readonly #done = new WeakMap<Expr, Expr | null>();
  /** The arrays that folding made. */
  readonly #arrays = new WeakSet<Expr>();

  constructor(evaluate: Evaluate) {
    this.#evaluate = evaluate;
  }

  /** Of any shape: one value is computed. */
  elementwise(node: Expr): Expr | null {
    const { op, inputs, attrs } = node;
    if (op.class !== "elementwise" || !inputs.every((input) => input.op === full)) return null;
    const one = makeExpr(
      op,
      inputs.map((input) => scalar(constantOf(input)!, input.dtype)),
      attrs,
    );
    const value = this.#value(one);
    return value === null ? null : filledLike(constantOf(value)!, node);
  }

  small(node: Expr): Expr | null {
    for (let i = 0; i < node.inputs.length; i++) if (!this.#isKnown(node.inputs[i]!)) return null;
    const isOpaque = node.op.class === "routine" && node.op.isOpaque === true;
    const isLarge = sizeOf(node.shape) > MOST_ELEMENTS;
    return isOpaque || isLarge || node.inputs.length === 0 ? null : this.#value(node);
  }

  #isKnown(node: Expr): boolean {
    const { op } = node;
    if (op.class !== "source" || (op.body === null && !this.#arrays.has(node))) return false;
    return sizeOf(node.shape) <= MOST_OPERAND_ELEMENTS;
  }

  #value(node: Expr): Expr | null {
    const known = this.#done.get(node);
    if (known !== undefined) return known;
    const block = this.#evaluated(node);
    const result = block === null ? null : constantNode(block, node);
    if (result !== null && result.op === data) this.#arrays.add(result);
    this.#done.set(node, result);
    return result;
  }

  #evaluated(node: Expr): Block | null {
    try {
      return this.#evaluate(node);
    } catch (error) {
      if (error instanceof ChunkwiseError) return null;
      throw error;
    }
  }
}

/** A block as a node of another's type: `full` where all elements are one. */
function constantNode(block: Block, node: Expr): Expr {
  const slots = toContiguous(block);
  const count = sizeOf(block.shape);
  const first = count === 0 ? false : scalarAt(block, slots, 0);
  const isOne = (at: number): boolean => sameScalar(first, scalarAt(block, slots, at));
  if (Array.from({ length: count }, (_, at) => at).every(isOne)) return filledLike(first, node);
  return makeExpr(data, [], { ...sourceAttrs(node.type, chunksOf(node)), data: new DataResource(block) });
}

function scalarAt({ dtype }: Block, slots: ReturnType<typeof toContiguous>, at: number): Scalar {
  if (infoOf(dtype).slots === 2) return new Complex(Number(slots[2 * at]), Number(slots[2 * at + 1]));
  return dtype === "bool" ? slots[at] !== 0 : slots[at]!;
}
