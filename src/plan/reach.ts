// Reach: which tasks of an operation may read a box of an array. The inverse of demand, step by step forwards.
// Used to know when a chunk has no readers left. It may name too many tasks (the chunk is kept longer) and, where
// a task reads the hull of windows that lie far apart, too few (the chunk is computed again): never a wrong value.

import { type Box, hull, intersect, isEmptyBox, wholeBox } from "../core/box.ts";
import type { Shape } from "../core/shape.ts";
import { freeAxes } from "../expr/chunks.ts";
import type { ArrayType, Piece } from "../expr/op.ts";
import { contractAxes } from "../ops/contraction.ts";
import { inputTypes, isPlacewise, outputAxes, pieceSource, piecesOfStep } from "./demand.ts";
import type { Operation, OpStep, PlanArray, PlanStep, ReduceTreeStep, ScanTreeStep } from "./plan.ts";

/** The box of the operation's grid that holds all tasks which may read `box` of `array`. */
export function readersOf(
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  array: string,
  box: Box,
): Box {
  const { steps, outputs, grid } = operation;
  const reached: (Box | null)[] = steps.map((step) =>
    step.kind === "read" && step.array === array ? box : null,
  );
  steps.forEach((step, at) => {
    step.inputs.forEach(({ step: from }, k) => {
      if (reached[from] === null) return;
      const out = reachOf(steps, step, k, reached[from]!);
      reached[at] = reached[at] === null ? out : hull(reached[at]!, out);
    });
  });
  const places = outputs.flatMap(({ array: name, value }) => {
    const out = reached[value.step];
    return out === null || out === undefined || isEmptyBox(out) ? [] : [placesOf(out, arrays.get(name)!)];
  });
  return places.length === 0 ? { start: grid.map(() => 0), shape: grid.map(() => 0) } : places.reduce(hull);
}

/** The chunks that a box touches. */
function placesOf(box: Box, { chunks }: PlanArray): Box {
  const start = box.start.map((x, axis) => Math.floor(x / chunks[axis]!));
  const shape = start.map(
    (x, axis) => Math.floor((box.start[axis]! + box.shape[axis]! - 1) / chunks[axis]!) - x + 1,
  );
  return { start, shape };
}

/** The box of a step's value that depends on a box of its k-th input. */
function reachOf(steps: readonly PlanStep[], step: PlanStep, k: number, box: Box): Box {
  const { shape } = step.types[0]!;
  switch (step.kind) {
    case "read":
    case "source":
    case "routine":
      return wholeBox(shape);
    case "ragged":
      return isPlacewise(step, inputTypes(steps, step)[k]!) ? box : wholeBox(shape);
    case "elementwise":
      return stretched(box, inputTypes(steps, step)[k]!.shape, shape);
    case "move":
      return moved(step, k, box, inputTypes(steps, step));
    case "contract":
      return contracted(step, k, box, inputTypes(steps, step));
    case "reduce":
      return reduced(step, box);
    case "scan":
      return scanned(step, k, box);
    default:
      step satisfies never;
      throw step;
  }
}

/** A stretched axis goes everywhere. */
function stretched(box: Box, from: Shape, to: Shape): Box {
  const lead = to.length - from.length;
  const isKept = (axis: number): boolean => axis >= lead && (from[axis - lead] !== 1 || to[axis] === 1);
  return {
    start: to.map((_, axis) => (isKept(axis) ? box.start[axis - lead]! : 0)),
    shape: to.map((n, axis) => (isKept(axis) ? box.shape[axis - lead]! : n)),
  };
}

/** More pieces than this take longer to look through than they save. */
const MAX_PIECES = 64;
const pieces = new WeakMap<OpStep, readonly Piece[]>();

/** All of a move's output, once. */
function allPieces(step: OpStep, types: readonly ArrayType[]): readonly Piece[] {
  let all = pieces.get(step);
  if (all === undefined) {
    all = piecesOfStep(step, wholeBox(step.types[0]!.shape), types);
    pieces.set(step, all);
  }
  return all;
}

function moved(step: OpStep, k: number, box: Box, types: readonly ArrayType[]): Box {
  const all = allPieces(step, types);
  const whole = wholeBox(step.types[0]!.shape);
  if (all.length > MAX_PIECES) return whole;
  let out: Box = { start: whole.start, shape: whole.shape.map(() => 0) };
  for (const piece of all) {
    if ("fill" in piece.from || piece.from.input !== k) continue;
    const shared = intersect(box, pieceSource(piece, types[k]!.shape.length));
    if (!isEmptyBox(shared)) out = hull(out, targetOf(piece, piece.from.start, shared));
  }
  return out;
}

/** Where a piece puts a part of what it copies. */
function targetOf(piece: Piece, from: readonly number[], part: Box): Box {
  const start = [...piece.start];
  const end = start.map((x) => x + 1);
  for (const { length, outAxis, outStep, inAxis, inStep } of piece.axes) {
    if (outAxis < 0) continue;
    let [first, last] = [0, length - 1];
    if (inAxis >= 0 && inStep !== 0) {
      const low = (part.start[inAxis]! - from[inAxis]!) / inStep;
      const high = (part.start[inAxis]! + part.shape[inAxis]! - 1 - from[inAxis]!) / inStep;
      first = Math.max(first, Math.floor(Math.min(low, high)));
      last = Math.min(last, Math.ceil(Math.max(low, high)));
    }
    const [a, b] = [first * outStep, last * outStep];
    end[outAxis]! += Math.max(a, b);
    start[outAxis]! += Math.min(a, b);
  }
  return { start, shape: start.map((x, axis) => Math.max(0, end[axis]! - x)) };
}

function contracted(step: OpStep, k: number, box: Box, types: readonly ArrayType[]): Box {
  const axes = contractAxes(step.attrs);
  const batch = k === 0 ? axes.batchA : axes.batchB;
  const summed = k === 0 ? axes.contractA : axes.contractB;
  const free = freeAxes(types[k]!.shape.length, batch, summed);
  const freeOfFirst = types[0]!.shape.length - axes.batchA.length - axes.contractA.length;
  const offset = axes.batchA.length + (k === 0 ? 0 : freeOfFirst);
  const out = wholeBox(step.types[0]!.shape);
  const [start, shape] = [[...out.start], [...out.shape]];
  const take = (from: number, to: number): void => {
    start[to] = box.start[from]!;
    shape[to] = box.shape[from]!;
  };
  batch.forEach((axis, i) => take(axis, i));
  free.forEach((axis, i) => take(axis, offset + i));
  return { start, shape };
}

function reduced({ axes, group, types }: ReduceTreeStep, box: Box): Box {
  const kept = outputAxes(axes, box.shape.length, types[0]!.shape.length);
  const start: number[] = [];
  const shape: number[] = [];
  kept.forEach((to, axis) => {
    if (to < 0) return;
    const k = axes.indexOf(axis);
    const size = k < 0 ? 1 : group[k]!;
    start[to] = Math.floor(box.start[axis]! / size);
    shape[to] = Math.floor((box.start[axis]! + box.shape[axis]! - 1) / size) - start[to]! + 1;
  });
  return { start, shape };
}

/** From the box to the end of its group; what came before a group goes to all of it. */
function scanned({ axis, group, types }: ScanTreeStep, k: number, box: Box): Box {
  const length = types[0]!.shape[axis]!;
  const first = k === 0 ? box.start[axis]! : box.start[axis]! * group;
  const last =
    k === 0 ? box.start[axis]! + box.shape[axis]! - 1 : (box.start[axis]! + box.shape[axis]!) * group - 1;
  const end = Math.min(length, (Math.floor(last / group) + 1) * group);
  return {
    start: box.start.map((x, a) => (a === axis ? first : x)),
    shape: box.shape.map((n, a) => (a === axis ? Math.max(0, end - first) : n)),
  };
}
