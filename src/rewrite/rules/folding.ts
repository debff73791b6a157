// Folding: what depends on constants alone is computed before anything runs, with the run-time's own kernels, so that
// the bits are the same. Of one-valued arrays, whatever their size, one value is computed; of others only small ones are
// folded. What fails is left for the run to report, and so is a NaN of which `full` would lose the sign or payload.
// Data that a user gave is never folded: plans are shared by computations that differ in their data alone.

import { type Block, elementAt } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import { type DType, infoOf, isComplex, isFloat, isInteger } from "../../core/dtype.ts";
import { ChunkwiseError } from "../../core/errors.ts";
import { Complex, isZero, type Scalar, sameScalar } from "../../core/numbers.ts";
import { chunksOf, type Expr, makeExpr } from "../../expr/expr.ts";
import type { ElementwiseOp, Op } from "../../expr/op.ts";
import { assumeReplaced } from "../../expr/site.ts";
import type { Calculating, Calculation } from "../../kernel/calculate.ts";
import { programOf, type ScalarProgram } from "../../kernel/program.ts";
import { toContiguous } from "../../kernel/routines/stridedWalk.ts";
import { coordinate, DataResource, dataOp, full, sourceAttrs } from "../../lazy/lazyArray.ts";
import { reducedCount } from "../../ops/define.ts";
import { OPS, REDUCE_OPS } from "../../ops/index.ts";
import { overlap } from "../../ops/moves/overlap.ts";
import { pad } from "../../ops/moves/pad.ts";
import * as r from "../../ops/reductions.ts";
import { constantOf, filledLike } from "../make.ts";
import type { NodeOrder } from "../nodeOrder.ts";
import { on, p } from "../pattern.ts";
import { decline, rule } from "../patternRule.ts";
import { functionRule, type OpSet, type Rule } from "../rule.ts";
import { wrapped } from "./reductions.ts";

// Constants that need no kernels to be known: moves and reductions of one repeated value. The rest is folding.ts.

const MOVES: readonly Op[] = [...OPS.values()].filter((op) => op.class === "move");

/** One value everywhere, wherever it is moved. */
function movedFull(node: Expr): Expr | null {
  const value = constantOf(node.inputs[0]!);
  if (value === undefined) return null;
  const isSame = node.inputs.every((input) => {
    const other = constantOf(input);
    return other !== undefined && sameScalar(value, other);
  });
  const isKept = fillsOf(node).every((fill) => sameScalar(value, fill));
  return isSame && isKept ? filledLike(value, node) : null;
}

const NO_FILLS: readonly unknown[] = [];

/** Values that a move puts beside those of its inputs. */
function fillsOf({ op, attrs }: Expr): readonly unknown[] {
  if (op === pad) return attrs["mode"] === "constant" ? [attrs["value"]] : NO_FILLS;
  if (op !== overlap) return NO_FILLS;
  const modes = attrs["modes"] as readonly string[];
  return (attrs["values"] as readonly unknown[]).filter((_, axis) => modes[axis] === "constant");
}

/** The sum of `count` equal values, if it is the same in any order; null otherwise. */
function exactSum(value: Scalar, count: number, node: Expr): Scalar | null {
  const { dtype } = node;
  if (isInteger(dtype)) return wrapped(BigInt(value as bigint) * BigInt(count), dtype);
  if (!isFloat(dtype) || typeof value !== "number") return null;
  if (count === 0) return 0;
  if (value === 0 || !Number.isFinite(value)) return value;
  const isExact = Number.isInteger(value) && Math.abs(value) * count <= 2 ** infoOf(dtype).digits;
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
  rule("reduceOfFull", "max(full(c)) = c", on(REDUCE_OPS)(p.full().as("x")), ({ x }, node) => {
    const axes = node.attrs["axes"] as readonly number[];
    const value = reducedValue(node, constantOf(x)!, reducedCount(x.shape, axes));
    return value === null ? decline("the result depends on the order of rounding") : filledLike(value, node);
  }),
];

// Parts of a graph that are made of one-valued constants alone, each evaluated at once. In: nodes, inputs first. Out: the
// constants that those become which others still need. Nodes in between never become nodes again: a chain of thousands of
// constants is as many runs of small kernels and one new node.
// Must hold: nothing of an array's size is made; a value is what every element would be, bit for bit (calculate.ts).

/** One node over constants. */
function foldedValue(node: Expr, calculating: Calculating): Expr | null {
  const { op, inputs } = node;
  if (op.class !== "elementwise" || inputs.length === 0) return null;
  for (let i = 0; i < inputs.length; i++) if (inputs[i]!.op !== full) return null;
  const value = calculating(inputs.length + 1, (calculation) => {
    const slots = inputs.map((input, slot) => setConstant(calculation, slot, input));
    const isDone = calculation.run(programFor(node), slots, inputs.length, node.dtype);
    return isDone ? calculation.get(inputs.length, node.dtype) : null;
  });
  return value === null ? null : filledLike(value, node);
}

function setConstant(calculation: Calculation, slot: number, node: Expr): number {
  calculation.set(slot, constantOf(node)!, node.dtype);
  return slot;
}

/** What the constant parts of a graph become; null where it has none. */
function foldedParts(order: NodeOrder, calculating: Calculating): ReadonlyMap<Expr, Expr> | null {
  const slots = slotsOf(order);
  if (slots === null) return null;
  return calculating(slots.count, (calculation) => {
    evaluate(order, slots.places, calculation);
    return neededConstants(order, slots.places, calculation);
  });
}

/** No value, or none that is known before the run. */
const UNKNOWN = -1;

interface Slots {
  readonly places: Int32Array;
  readonly count: number;
}

/** By place, where the value of each constant node goes; null where there is nothing to compute. */
function slotsOf(order: NodeOrder): Slots | null {
  const { nodes, count } = order;
  let first = 0;
  while (first < count && !isComputed(nodes[first]!)) first++;
  if (first === count) return null;
  const places = new Int32Array(count).fill(UNKNOWN);
  let slots = 0;
  for (let at = 0; at < count; at++) {
    const node = nodes[at]!;
    if (node.op === full) places[at] = slots++;
    else if (isMoved(node)) places[at] = places[order.placeOf(node.inputs[0]!)]!;
    else if (node.op.class === "elementwise" && areKnown(node, order, places)) places[at] = slots++;
  }
  return { places, count: slots };
}

/** The lowest of what is folded: its inputs are constants. */
function isComputed({ op, inputs }: Expr): boolean {
  if (op.class !== "elementwise" || inputs.length === 0) return false;
  for (let i = 0; i < inputs.length; i++) if (inputs[i]!.op !== full && !isMoved(inputs[i]!)) return false;
  return true;
}

/** One value stays one wherever it is moved, unless others come in. */
const isMoved = (node: Expr): boolean =>
  node.op.class === "move" && node.inputs.length === 1 && fillsOf(node).length === 0;

function areKnown({ inputs }: Expr, order: NodeOrder, places: Int32Array): boolean {
  for (let i = 0; i < inputs.length; i++) if (places[order.placeOf(inputs[i]!)] === UNKNOWN) return false;
  return inputs.length > 0;
}

/** Fills the slots. What fails is not known any more, nor is what is made of it. */
function evaluate(order: NodeOrder, places: Int32Array, calculation: Calculation): void {
  let hasFailed = false;
  for (let at = 0; at < order.count; at++) {
    const slot = places[at]!;
    if (slot === UNKNOWN) continue;
    const node = order.nodes[at]!;
    if (node.op === full) setConstant(calculation, slot, node);
    else if (hasFailed && !areKnown(node, order, places)) places[at] = UNKNOWN;
    else if (node.op.class === "elementwise" && !hasRun(node, slot, order, places, calculation)) {
      places[at] = UNKNOWN;
      hasFailed = true;
    }
  }
}

function hasRun(
  node: Expr,
  slot: number,
  order: NodeOrder,
  places: Int32Array,
  calculation: Calculation,
): boolean {
  const inputs: number[] = [];
  for (let i = 0; i < node.inputs.length; i++) inputs.push(places[order.placeOf(node.inputs[i]!)]!);
  // What no constant can say stays a node, and so does what is made of it: as it is where rules go node by node.
  return calculation.run(programFor(node), inputs, slot, node.dtype) && calculation.canSay(slot, node.dtype);
}

/** Of the constants those that results or other nodes need; those below them are needed no more. */
function neededConstants(order: NodeOrder, places: Int32Array, calculation: Calculation): Map<Expr, Expr> {
  const constants = new Map<Expr, Expr>();
  const isNeeded = new Uint8Array(order.count);
  for (const root of order.roots) isNeeded[order.placeOf(root)] = 1;
  for (let at = order.count - 1; at >= 0; at--) {
    const node = order.nodes[at]!;
    if (isNeeded[at] === 0 || node.op === full) continue;
    const value = places[at] === UNKNOWN ? null : calculation.get(places[at]!, node.dtype);
    if (value === null) for (const input of node.inputs) isNeeded[order.placeOf(input)] = 1;
    else {
      assumeReplaced(node);
      constants.set(node, filledLike(value, node));
    }
  }
  return constants;
}

/** Attributes can be numbers, of which there are many. */
const MOST_PROGRAMS = 256;
const programs = new WeakMap<ElementwiseOp, Map<string, ScalarProgram>>();

/** An op on values of these dtypes. */
function programFor(node: Expr): ScalarProgram {
  const op = node.op as ElementwiseOp;
  const known = programs.get(op) ?? new Map<string, ScalarProgram>();
  programs.set(op, known);
  const key = node.attrsText + dtypesText(node.inputs);
  let program = known.get(key);
  if (program === undefined) {
    const dtypes = node.inputs.map(({ dtype }): DType => dtype);
    if (known.size >= MOST_PROGRAMS) known.clear();
    program = programOf(dtypes, (...values) => [op.body(values, node.attrs)]);
    known.set(key, program);
  }
  return program;
}

function dtypesText(inputs: readonly Expr[]): string {
  let text = "";
  for (let i = 0; i < inputs.length; i++) text += ` ${inputs[i]!.dtype}`;
  return text;
}

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
    // Coordinates are made where they are used; and by them rules know the identity and the triangles.
    if (op === coordinate) return false;
    return sizeOf(node.shape) <= MOST_OPERAND_ELEMENTS;
  }

  #value(node: Expr): Expr | null {
    const known = this.#done.get(node);
    if (known !== undefined) return known;
    const block = this.#evaluated(node);
    const result = block === null ? null : constantNode(block, node);
    if (result !== null && result.op === dataOp) this.#arrays.add(result);
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
  return makeExpr(dataOp, [], { ...sourceAttrs(node, chunksOf(node)), data: new DataResource(block) });
}

const hasNaN = (value: Scalar): boolean =>
  value instanceof Complex ? Number.isNaN(value.re) || Number.isNaN(value.im) : Number.isNaN(value);
