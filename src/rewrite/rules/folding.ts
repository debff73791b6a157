// Folding: what depends on constants alone is computed before anything runs, with the run-time's own kernels, so that
// the bits are the same. Of one-valued arrays, whatever their size, one value is computed; of others only small ones are
// folded. What fails is left for the run to report, and so is a NaN of which `full` would lose the sign or payload.
// Data that a user gave is never folded: plans are shared by computations that differ in their data alone.

import type { Block } from "../../core/block.ts";
import { elementAt } from "../../core/elements.ts";
import { ChunkwiseError } from "../../core/errors.ts";
import { Complex, type Scalar } from "../../core/numbers.ts";
import { sizeOf } from "../../core/shape.ts";
import { chunksOf } from "../../expr/chunksOf.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Calculating } from "../../kernel/calculate.ts";
import { toContiguous } from "../../kernel/routines/stridedWalk.ts";
import { DataResource, data, full, sourceAttrs } from "../../lazy/sources.ts";
import { filledLike } from "../make.ts";
import { sameScalar } from "../matchText.ts";
import { functionRule, type OpSet, type Rule } from "../rule.ts";
import { foldedParts, foldedValue } from "./foldedParts.ts";

/** How constants are computed, handed in by who puts the engine together. */
export interface ConstantsBy {
  /** Computes a small expression at once. */
  readonly evaluate: (expr: Expr) => Block;
  /** Computes single values. */
  readonly calculating: Calculating;
}

/** The most elements of a folded array, and of what it is folded from. */
const MOST_ELEMENTS = 64;
const MOST_OPERAND_ELEMENTS = 4096;

const FULL: OpSet = { has: (op) => op === full };
const SOURCES: OpSet = { has: (op) => op.class === "source" };

export function foldConstants({ evaluate, calculating }: ConstantsBy): readonly Rule[] {
  const fold = new SmallFolding(evaluate);
  return [
    functionRule("foldElementwise", "f(c, d) = e", {
      inputs: [FULL, FULL],
      apply: (node) => foldedValue(node, calculating),
      parts: (order) => foldedParts(order, calculating),
    }),
    functionRule("foldSmall", "f([c, …]) = [d, …]", {
      inputs: [SOURCES, SOURCES],
      apply: (node) => fold.apply(node),
    }),
  ];
}

class SmallFolding {
  readonly #evaluate: ConstantsBy["evaluate"];
  /** What was folded before, so that it is the same node again. */
  readonly #done = new WeakMap<Expr, Expr | null>();
  /** The arrays that folding made. */
  readonly #arrays = new WeakSet<Expr>();

  constructor(evaluate: ConstantsBy["evaluate"]) {
    this.#evaluate = evaluate;
  }

  apply(node: Expr): Expr | null {
    // Rows are made when the computation runs.
    if (node.op.class === "ragged") return null;
    let isOneValued = node.op.class === "elementwise";
    for (let i = 0; i < node.inputs.length; i++) {
      if (!this.#isKnown(node.inputs[i]!)) return null;
      isOneValued &&= node.inputs[i]!.op === full;
    }
    const isOpaque = node.op.class === "routine" && node.op.isOpaque === true;
    const isLarge = sizeOf(node.shape) > MOST_ELEMENTS;
    // What is one value is foldElementwise's, which knows which it can say.
    return isOpaque || isLarge || isOneValued || node.inputs.length === 0 ? null : this.#value(node);
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

/** A block as a node of another's type: `full` where all elements are one number, the data where not. */
function constantNode(block: Block, node: Expr): Expr {
  const slots = toContiguous(block);
  const count = sizeOf(block.shape);
  const first = count === 0 ? false : elementAt(slots, block.dtype, 0);
  const isOne = (at: number): boolean => sameScalar(first, elementAt(slots, block.dtype, at));
  // Which NaN it is, a number does not tell.
  const isOneNumber = !hasNaN(first) && Array.from({ length: count }, (_, at) => at).every(isOne);
  if (isOneNumber) return filledLike(first, node);
  return makeExpr(data, [], { ...sourceAttrs(node, chunksOf(node)), data: new DataResource(block) });
}

const hasNaN = (value: Scalar): boolean =>
  value instanceof Complex ? Number.isNaN(value.re) || Number.isNaN(value.im) : Number.isNaN(value);
