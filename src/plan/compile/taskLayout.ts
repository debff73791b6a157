// Layouts: where the boxes of one task lie, step by step. In: an operation and the boxes that a task writes. Out: the
// box of each step, what it needs of its inputs, and the pieces of its moves. A block program depends on the shapes of
// these boxes and on how they lie to each other; where all of them lie together only `from`s and windows say.
// Must hold: tasks with alike layouts have the same program but for those.

import { type Box, type Shape, sameShape } from "../../core/chunks.ts";
import type { Piece, PieceAxis } from "../../expr/pieces.ts";
import type { Access } from "../../kernel/blockProgram.ts";
import { denseInputs, piecesOfStep, sharedWindows, taskBoxes } from "../demand.ts";
import { chunkOfArray, type Operation, type PlanArray, type PlanStep } from "../plan.ts";

// Accesses: how the places of a value's box lie in a buffer, and how that changes when a consumer sees a
// part of it, stretched, moved or turned. All of it is arithmetic on coordinates; nothing is copied.

/** A computed box of a value and where it is. The access's domain axes are the value's axes. */
export interface Placed {
  readonly box: Box;
  readonly access: Access;
}

/** A buffer that holds exactly the box. */
export const identityAccess = (buffer: number, dims: number): Access => ({
  buffer,
  start: new Array<number>(dims).fill(0),
  axes: Array.from({ length: dims }, (_, axis) => axis),
  steps: new Array<number>(dims).fill(1),
});

/** The access that begins at a coordinate of the value's array. */
export function accessFrom({ box, access }: Placed, at: readonly number[]): Access {
  const start = [...access.start];
  access.axes.forEach((axis, d) => {
    if (axis >= 0) start[axis]! += (at[d]! - box.start[d]!) * access.steps[d]!;
  });
  return { ...access, start };
}

/** As an operand of a domain with `dims` axes: aligned at the ends, axes of length 1 stay where they are. */
export function broadcastAccess(access: Access, shape: Shape, dims: number): Access {
  const lead = dims - shape.length;
  const value = (axis: number): number => axis - lead;
  const axes = Array.from({ length: dims }, (_, d) =>
    d < lead || shape[value(d)] === 1 ? -1 : access.axes[value(d)]!,
  );
  const steps = axes.map((axis, d) => (axis < 0 ? 0 : access.steps[value(d)]!));
  return { ...access, axes, steps };
}

/** The same access without moving along some of its axes. */
export function fixAxes(access: Access, fixed: readonly number[]): Access {
  return {
    ...access,
    axes: access.axes.map((axis, d) => (fixed.includes(d) ? -1 : axis)),
    steps: access.steps.map((step, d) => (fixed.includes(d) ? 0 : step)),
  };
}

/** Walks a piece's own axes through the input it copies from. */
export function sourceOfPiece(piece: Piece, placed: Placed): Access {
  const start = "fill" in piece.from ? placed.box.start : piece.from.start;
  const access = accessFrom(placed, start);
  return {
    ...access,
    axes: piece.axes.map(({ inAxis }) => (inAxis < 0 ? -1 : access.axes[inAxis]!)),
    steps: piece.axes.map(({ inAxis, inStep }) => (inAxis < 0 ? 0 : inStep * access.steps[inAxis]!)),
  };
}

/** Walks a piece's own axes through the output it fills. */
export function targetOfPiece(piece: Piece, placed: Placed): Access {
  const access = accessFrom(placed, piece.start);
  return {
    ...access,
    axes: piece.axes.map(({ outAxis }) => (outAxis < 0 ? -1 : access.axes[outAxis]!)),
    steps: piece.axes.map(({ outAxis, outStep }) => (outAxis < 0 ? 0 : outStep * access.steps[outAxis]!)),
  };
}

/** Which axis of a piece has its places listed; −1 for none. */
export const listedAxis = ({ axes }: Piece): number => axes.findIndex(({ places }) => places !== undefined);

/** A whole box that is one regular walk through one input can be read where it lies. Null: it must be copied. */
export function viewOfPieces(pieces: readonly Piece[], source: Placed | null, box: Box): Access | null {
  const [piece] = pieces;
  if (pieces.length !== 1 || piece === undefined || source === null || listedAxis(piece) >= 0) return null;
  const byAxis = box.shape.map((_, axis) => piece.axes.filter(({ outAxis }) => outAxis === axis));
  const regular = byAxis.every(([first, ...others], axis) =>
    first === undefined ? box.shape[axis] === 1 : others.length === 0 && first.outStep === 1,
  );
  const oneEach = piece.axes.every(({ outAxis, length }) => outAxis >= 0 || length === 1);
  if (!regular || !oneEach) return null;
  const walk = sourceOfPiece(piece, source);
  const at = byAxis.map(([first]) => (first === undefined ? -1 : piece.axes.indexOf(first)));
  return {
    ...walk,
    axes: at.map((k) => (k < 0 ? -1 : walk.axes[k]!)),
    steps: at.map((k) => (k < 0 ? 0 : walk.steps[k]!)),
  };
}

export interface TaskLayout {
  /** What the task writes, in the order of the operation's outputs. */
  readonly outputs: readonly Box[];
  /** By step; null for those that the task does not need. */
  readonly boxes: readonly (Box | null)[];
  /** By step, for each of its inputs. */
  readonly demands: readonly (readonly Box[])[];
  /** Of moves, by step. */
  readonly pieces: ReadonlyMap<number, readonly Piece[]>;
  /** Of reads that several steps use, by step. */
  readonly windows: ReadonlyMap<number, readonly Box[]>;
}

export function layoutOf(
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  place: readonly number[],
): TaskLayout {
  const outputs = operation.outputs.map(({ array }) => chunkOfArray(arrays.get(array)!, place));
  const demands = operation.steps.map((): readonly Box[] => NO_BOXES);
  const boxes = taskBoxes(operation, outputs, demands);
  const windows = sharedWindows(operation, boxes);
  return { outputs, boxes, demands, pieces: piecesIn(operation, boxes), windows };
}

const NO_BOXES: readonly Box[] = [];
const NO_PIECES: ReadonlyMap<number, readonly Piece[]> = new Map();

function piecesIn({ steps }: Operation, boxes: readonly (Box | null)[]): TaskLayout["pieces"] {
  if (steps.every(({ kind }) => kind !== "move")) return NO_PIECES;
  const pieces = new Map<number, readonly Piece[]>();
  steps.forEach((step, at) => {
    if (step.kind === "move" && boxes[at] !== null)
      pieces.set(at, piecesOfStep(step, boxes[at]!, denseInputs(steps, step)));
  });
  return pieces;
}

/** True when a program for one layout is, but for where it lies, one for the other. */
export function isAlike(
  operation: Operation,
  a: TaskLayout,
  b: TaskLayout,
  pairs: readonly Pair[] = pairsIn(operation, a),
): boolean {
  const { steps, outputs } = operation;
  return (
    steps.every((step, at) => isAlikeAt(step, at, a, b)) &&
    outputs.every(({ value: { step } }, i) =>
      liesAlike(a.outputs[i]!, a.boxes[step]!, b.outputs[i]!, b.boxes[step]!),
    ) &&
    lieTogether(pairs, a, b)
  );
}

function isAlikeAt(step: PlanStep, at: number, a: TaskLayout, b: TaskLayout): boolean {
  const [boxA, boxB] = [a.boxes[at]!, b.boxes[at]!];
  if (boxA === null || boxB === null) return boxA === boxB;
  return (
    sameShape(boxA.shape, boxB.shape) &&
    step.inputs.every(({ step: input }, k) =>
      liesAlike(a.demands[at]![k]!, a.boxes[input]!, b.demands[at]![k]!, b.boxes[input]!),
    ) &&
    (step.kind !== "move" || movesAlike(step, at, a, b))
  );
}

/** The boxes have the same shapes in both tasks, and are as far from each other. */
function liesAlike(a: Box, besideA: Box, b: Box, besideB: Box): boolean {
  if (a === besideA && b === besideB) return true;
  return (
    sameShape(a.shape, b.shape) &&
    a.start.every((x, axis) => x - besideA.start[axis]! === b.start[axis]! - besideB.start[axis]!)
  );
}

function movesAlike(step: PlanStep, at: number, a: TaskLayout, b: TaskLayout): boolean {
  const [ofA, ofB] = [a.pieces.get(at)!, b.pieces.get(at)!];
  const isSame = (p: Piece, q: Piece): boolean =>
    sameWalk(p, q) &&
    isAsFar(p.start, a.boxes[at]!, q.start, b.boxes[at]!) &&
    sameOrigin(step, p.from, q.from, a, b);
  return ofA.length === ofB.length && ofA.every((piece, i) => isSame(piece, ofB[i]!));
}

const isAsFar = (x: readonly number[], a: Box, y: readonly number[], b: Box): boolean =>
  x.every((at, axis) => at - a.start[axis]! === y[axis]! - b.start[axis]!);

function sameOrigin(
  step: PlanStep,
  p: Piece["from"],
  q: Piece["from"],
  a: TaskLayout,
  b: TaskLayout,
): boolean {
  if ("fill" in p || "fill" in q) return "fill" in p && "fill" in q && Object.is(p.fill, q.fill);
  const { step: input } = step.inputs[p.input]!;
  return p.input === q.input && isAsFar(p.start, a.boxes[input]!, q.start, b.boxes[input]!);
}

const sameWalk = (p: Piece, q: Piece): boolean =>
  p.axes.length === q.axes.length &&
  p.axes.every((axis, k) => {
    const other = q.axes[k]!;
    return (
      axis.length === other.length &&
      axis.outAxis === other.outAxis &&
      axis.outStep === other.outStep &&
      axis.inAxis === other.inAxis &&
      axis.inStep === other.inStep &&
      samePlaces(axis.places, other.places)
    );
  });

const samePlaces = (a: PieceAxis["places"], b: PieceAxis["places"]): boolean =>
  a === b || (a !== undefined && b !== undefined && sameShape(a.in, b.in) && sameShape(a.out, b.out));

// Work: what a task has in memory beside its windows. In: two layouts of an operation. Out: whether the same program, but for the pieces
// that moves copy from windows of stored arrays: where these lie, how many there are and how long they are.

/** Must hold: such tasks have the same temporaries and kernels on blocks of the same shapes, and write chunks of the same shapes. */
export function isSameWork(
  operation: Operation,
  a: TaskLayout,
  b: TaskLayout,
  pairs: readonly Pair[],
): boolean {
  const { steps, outputs } = operation;
  const inPieces = steps.map((_, at) => isReadInPieces(operation, at, a) && isReadInPieces(operation, at, b));
  return (
    steps.every((step, at) => isSameWorkAt(step, at, a, b, inPieces)) &&
    outputs.every(({ value: { step } }, i) =>
      liesAlike(a.outputs[i]!, a.boxes[step]!, b.outputs[i]!, b.boxes[step]!),
    ) &&
    lieTogether(
      pairs.filter((pair) => pair.every(({ step }) => !inPieces[step])),
      a,
      b,
    )
  );
}

/** One move alone uses it, and copies several pieces: it is no view of one window. */
function isReadInPieces({ steps, outputs }: Operation, at: number, { boxes, pieces }: TaskLayout): boolean {
  const step = steps[at]!;
  if (step.kind !== "read" || step.isShared === true || boxes[at] === null) return false;
  if (outputs.some(({ value }) => value.step === at)) return false;
  const users = steps.flatMap(({ inputs }, user) =>
    boxes[user] !== null && inputs.some((input) => input.step === at) ? [user] : [],
  );
  const [user, ...others] = users;
  const own = pieces.get(user ?? -1) ?? [];
  return others.length === 0 && own.length > 1 && own.every((piece) => listedAxis(piece) < 0);
}

function isSameWorkAt(
  step: PlanStep,
  at: number,
  a: TaskLayout,
  b: TaskLayout,
  inPieces: readonly boolean[],
): boolean {
  const isFree = step.inputs.length === 1 && inPieces[step.inputs[0]!.step]!;
  if (inPieces[at]) return true;
  if (!isFree) return isAlikeAt(step, at, a, b);
  return sameShape(a.boxes[at]!.shape, b.boxes[at]!.shape);
}

/** Two boxes of a layout. */
export type Pair = readonly [BoxAt, BoxAt];

/** The box of a step, or the one that a reduction runs over. */
interface BoxAt {
  readonly step: number;
  readonly isDemand: boolean;
}

const boxAt = ({ boxes, demands }: TaskLayout, { step, isDemand }: BoxAt): Box =>
  isDemand ? demands[step]![0]! : boxes[step]!;

/**
 * Steps on equal boxes share loops, reads of equal boxes share windows, reductions of equal boxes share passes. So boxes
 * that could be equal, having one shape or being of one array, must lie to each other as they did: these pairs.
 */
export function pairsIn({ steps }: Operation, layout: TaskLayout): Pair[] {
  const pairs: Pair[] = [];
  const firsts: BoxAt[] = [];
  for (const one of comparable(steps, layout)) {
    const { shape } = boxAt(layout, one);
    const isSame = (other: BoxAt): boolean => sameShape(boxAt(layout, other).shape, shape);
    for (const other of firsts) if (isSame(other) || sameArray(steps, one, other)) pairs.push([one, other]);
    if (!firsts.some(isSame)) firsts.push(one);
  }
  return pairs;
}

function sameArray(steps: readonly PlanStep[], a: BoxAt, b: BoxAt): boolean {
  const [one, other] = [steps[a.step]!, steps[b.step]!];
  return one.kind === "read" && other.kind === "read" && one.array === other.array;
}

function comparable(steps: readonly PlanStep[], { boxes }: TaskLayout): BoxAt[] {
  return steps.flatMap(({ kind }, step): BoxAt[] => {
    if (boxes[step] === null) return [];
    const own = { step, isDemand: false };
    return kind === "reduce" ? [own, { step, isDemand: true }] : [own];
  });
}

const lieTogether = (pairs: readonly Pair[], a: TaskLayout, b: TaskLayout): boolean =>
  pairs.every(([one, other]) => liesAlike(boxAt(a, one), boxAt(a, other), boxAt(b, one), boxAt(b, other)));
