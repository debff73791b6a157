// Parts of a graph that are made of one-valued constants alone, each evaluated at once. In: nodes, inputs first. Out: the
// constants that those become which others still need. Nodes in between never become nodes again: a chain of thousands of
// constants is as many runs of small kernels and one new node.
// Must hold: nothing of an array's size is made; a value is what every element would be, bit for bit (calculate.ts).

import type { DType } from "../../core/dtype.ts";
import type { Expr } from "../../expr/expr.ts";
import type { ElementwiseOp } from "../../expr/op.ts";
import { assumeReplaced } from "../../expr/site.ts";
import type { Calculating, Calculation } from "../../kernel/calculate.ts";
import { programOf, type ScalarProgram } from "../../kernel/program.ts";
import { full } from "../../lazy/sources.ts";
import { constantOf, filledLike } from "../make.ts";
import type { NodeOrder } from "../order.ts";
import { fillsOf } from "./constants.ts";

/** One node over constants. */
export function foldedValue(node: Expr, calculating: Calculating): Expr | null {
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
export function foldedParts(order: NodeOrder, calculating: Calculating): ReadonlyMap<Expr, Expr> | null {
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
