// Demand: which box of each input a step needs for a box of its output. Everything a task reads follows
// from the chunk it writes by these rules, step by step backwards; nothing is listed per task.

import { type Box, isEmptyBox, type Shape, sizeOf } from "../core/chunks.ts";
import { type ArrayType, assertDense, type DenseType, denseOf } from "../expr/op.ts";
import type { Piece } from "../expr/pieces.ts";
import { contractAxes, contractDemand } from "../ops/contraction.ts";
import {
  chunkOfArray,
  type Operation,
  type OpStep,
  type PlanArray,
  type PlanStep,
  type ReadStep,
  type ReduceTreeStep,
  type ScanTreeStep,
} from "./plan.ts";

export const inputTypes = (steps: readonly PlanStep[], step: PlanStep): ArrayType[] =>
  step.inputs.map(({ step: at, component }) => steps[at]!.types[component]!);

/** Of a step on elements. */
export const denseInputs = (steps: readonly PlanStep[], step: PlanStep): DenseType[] =>
  step.inputs.map(({ step: at, component }) => denseOf(steps[at]!.types[component]!));

/** The box that has to be computed to have `box`: some steps only work on whole axes or groups. */
export function computedBox(step: PlanStep, box: Box): Box {
  if (step.kind === "scan") return groupedBox(step, box);
  if (step.kind !== "routine") return box;
  return step.op.computes(box, step.types[0]!, step.attrs);
}

/** A scan starts where its group starts. */
function groupedBox({ axis, group }: ScanTreeStep, box: Box): Box {
  const first = Math.floor(box.start[axis]! / group) * group;
  return {
    start: box.start.map((x, a) => (a === axis ? first : x)),
    shape: box.shape.map((n, a) => (a === axis ? box.start[axis]! + n - first : n)),
  };
}

/** Boxes of the inputs, in their order, for a computed box of the output. */
export function demandOf(step: PlanStep, out: Box, inputs: readonly ArrayType[]): readonly Box[] {
  if (step.kind === "ragged") return step.op.demand(out, inputs, step.attrs, step.types[0]!);
  assertDense(inputs);
  switch (step.kind) {
    case "read":
    case "source":
      return [];
    case "elementwise":
      return inputs.map(({ shape }) => projectBox(out, shape));
    case "move":
      return moveDemand(step, out, inputs);
    case "contract":
      return contractDemand(out, inputs, contractAxes(step.attrs));
    case "routine":
      return step.op.demand(out, inputs, step.attrs);
    case "reduce":
      return inputs.map(({ shape }) => reduceDemand(step, out, shape));
    case "scan":
      return scanDemand(step, out);
    default:
      step satisfies never;
      throw step;
  }
}

/** True when a partition of the output needs the one with the same number of this input, and no other does. */
export function isPlacewise({ op, types }: OpStep<"ragged">, input: ArrayType): boolean {
  const [out] = types;
  if (input.kind === "dense" || out!.kind === "dense") return false;
  return input.partitions === out!.partitions && (op.isPlacewise || input.partitions === 1);
}

/** The part of a broadcast input that a box of the result sees. */
function projectBox(out: Box, shape: Shape): Box {
  const lead = out.shape.length - shape.length;
  if (lead === 0 && !shape.includes(1)) return out;
  const stretched = (axis: number): boolean => shape[axis] === 1;
  return {
    start: shape.map((_, axis) => (stretched(axis) ? 0 : out.start[axis + lead]!)),
    // An empty box stays empty along a stretched axis too: nothing is needed then.
    shape: shape.map((_, axis) =>
      stretched(axis) ? Math.min(1, out.shape[axis + lead]!) : out.shape[axis + lead]!,
    ),
  };
}

export const piecesOfStep = (
  step: OpStep<"move">,
  out: Box,
  inputs: readonly DenseType[],
): readonly Piece[] => step.op.pieces(out, inputs, step.attrs, step.types[0]!);

function moveDemand(step: OpStep<"move">, out: Box, inputs: readonly DenseType[]): Box[] {
  const boxes = inputs.map(({ shape }): Box => ({ start: shape.map(() => 0), shape: shape.map(() => 0) }));
  const pieces = piecesOfStep(step, out, inputs);
  sourcesOf(pieces, inputs).forEach((source, i) => {
    const { from } = pieces[i]!;
    if (source !== null && "input" in from) boxes[from.input] = hull(boxes[from.input]!, source);
  });
  return boxes;
}

/** Some moves have the same list of very many pieces at hand whenever they are asked. */
const MANY_PIECES = 8;
const knownSources = new WeakMap<readonly Piece[], readonly (Box | null)[]>();

/** The boxes that pieces copy from; null for a fill. */
function sourcesOf(pieces: readonly Piece[], inputs: readonly DenseType[]): readonly (Box | null)[] {
  const isMany = pieces.length >= MANY_PIECES;
  const known = isMany ? knownSources.get(pieces) : undefined;
  if (known !== undefined) return known;
  const sources = pieces.map((piece) =>
    "fill" in piece.from ? null : pieceSource(piece, inputs[piece.from.input]!.shape.length),
  );
  if (isMany) knownSources.set(pieces, sources);
  return sources;
}

/** The box of the input that a piece copies from. */
export function pieceSource(piece: Piece, dims: number): Box {
  const start = "fill" in piece.from ? new Array<number>(dims).fill(0) : [...piece.from.start];
  const end = start.map((x) => x + 1);
  for (const { length, inAxis, inStep, places } of piece.axes) {
    if (inAxis < 0) continue;
    const reach = places === undefined ? (length - 1) * inStep : spanOf(places.in) - 1;
    if (reach < 0) start[inAxis]! += reach;
    else end[inAxis]! += reach;
  }
  return { start, shape: start.map((x, axis) => end[axis]! - x) };
}

/** From the first of some places to behind the last. */
export const spanOf = (places: readonly number[]): number => places.reduce((a, b) => Math.max(a, b), 0) + 1;

/** The places along a reduced axis that one output place is made of. */
function reduceDemand({ axes, group, types }: ReduceTreeStep, out: Box, shape: Shape): Box {
  const kept = outputAxes(axes, shape.length, types[0]!.shape.length);
  const start = shape.map((_, axis) => {
    const k = axes.indexOf(axis);
    return k < 0 ? out.start[kept[axis]!]! : (out.start[kept[axis]!] ?? 0) * group[k]!;
  });
  const lengths = shape.map((n, axis) => {
    const k = axes.indexOf(axis);
    if (k < 0) return out.shape[kept[axis]!]!;
    return Math.min((out.shape[kept[axis]!] ?? 1) * group[k]!, n - start[axis]!);
  });
  return isEmptyBox(out) ? { start, shape: shape.map(() => 0) } : { start, shape: lengths };
}

/** Which output axis an input axis of a reduction becomes; −1 for one that is dropped. */
export function outputAxes(axes: readonly number[], inDims: number, outDims: number): number[] {
  let next = 0;
  const dropped = inDims !== outDims;
  return Array.from({ length: inDims }, (_, axis) => (dropped && axes.includes(axis) ? -1 : next++));
}

function scanDemand({ axis, group, inputs }: ScanTreeStep, out: Box): Box[] {
  if (inputs.length === 1) return [out];
  const first = Math.floor(out.start[axis]! / group);
  const last = Math.ceil((out.start[axis]! + out.shape[axis]!) / group);
  const before = {
    start: out.start.map((x, a) => (a === axis ? first : x)),
    shape: out.shape.map((n, a) => (a === axis ? last - first : n)),
  };
  return [out, before];
}

/**
 * For every step of a task the box it has to compute, from the boxes that the task writes; and what it needs, and the
 * boxes that are asked of it, where these are asked for.
 */
export function taskBoxes(
  operation: Operation,
  outputs: readonly Box[],
  demands?: (readonly Box[])[],
  asked?: readonly Box[][],
): (Box | null)[] {
  const { steps } = operation;
  const boxes: (Box | null)[] = steps.map(() => null);
  const ask = (at: number, box: Box): void => {
    boxes[at] = boxes[at] === null ? box : hull(boxes[at]!, box);
    asked?.[at]?.push(box);
  };
  operation.outputs.forEach(({ value }, i) => ask(value.step, outputs[i]!));
  for (let at = steps.length - 1; at >= 0; at--) {
    const step = steps[at]!;
    if (boxes[at] === null) continue;
    boxes[at] = computedBox(step, boxes[at]!);
    const demanded = demandOf(step, boxes[at]!, inputTypes(steps, step));
    if (demands !== undefined) demands[at] = demanded;
    step.inputs.forEach((input, k) => ask(input.step, demanded[k]!));
  }
  return boxes;
}

// What one task reads: the windows of stored arrays, without compiling the task. In: an operation and one of its
// places. Out: boxes of arrays, the same that the compiled task reads (test/property/windows.test.ts compares them).

type Arrays = ReadonlyMap<string, PlanArray>;

export interface ArrayWindow {
  readonly array: string;
  readonly box: Box;
  /** The step that reads it. */
  readonly step: number;
}

/** The chunks that a task writes, in the order of the operation's outputs. */
export const taskOutputs = (operation: Operation, arrays: Arrays, place: readonly number[]): Box[] =>
  operation.outputs.map(({ array }) => chunkOfArray(arrays.get(array)!, place));

/** May name a window twice. */
export function taskWindows(operation: Operation, arrays: Arrays, place: readonly number[]): ArrayWindow[] {
  return windowsOf(operation, taskBoxes(operation, taskOutputs(operation, arrays, place)));
}

/** What a task reads whose steps have these boxes. */
export function windowsOf(operation: Operation, boxes: readonly (Box | null)[]): ArrayWindow[] {
  return operation.steps.flatMap((step, at) => {
    const asked = boxes[at] ?? null;
    if (step.kind !== "read" || asked === null) return [];
    const windows = windowsOfRead(operation, boxes, at) ?? [asked];
    return windows.filter((box) => !isEmptyBox(box)).map((box) => ({ array: step.array, box, step: at }));
  });
}

/**
 * A move that alone uses a stored array reads it piece by piece: the pieces may lie far apart. What several steps use is
 * read once where it lies together. Null: all that is asked, in one window.
 */
function windowsOfRead(operation: Operation, boxes: readonly (Box | null)[], at: number): Box[] | null {
  const uses = usesOfRead(operation, boxes, at);
  if (uses === null) return null;
  return uses.isShared ? closeBoxes(uses.boxes) : uses.boxes;
}

export const isSharedRead = (step: PlanStep): boolean => step.kind === "read" && step.isShared === true;

export interface Uses {
  readonly boxes: Box[];
  /** By several steps, and the read is one that is shared. */
  readonly isShared: boolean;
}

/** The boxes of a stored array that steps use, where that is not just one. */
export function usesOfRead(
  { steps, outputs }: Operation,
  boxes: readonly (Box | null)[],
  at: number,
): Uses | null {
  if (outputs.some(({ value }) => value.step === at)) return null;
  const users = usersOf(steps, boxes, at);
  const { isShared = false } = steps[at] as ReadStep;
  if (!isShared && (users.length !== 1 || steps[users[0]!]!.kind !== "move")) return null;
  return { boxes: users.flatMap((user) => usesOf(steps, user, boxes[user]!, at)), isShared };
}

function usesOf(steps: readonly PlanStep[], user: number, box: Box, at: number): readonly Box[] {
  const step = steps[user]!;
  if (step.kind === "move") return windowsOfMove(steps, step, box, at);
  const demanded = demandOf(step, box, inputTypes(steps, step));
  return demanded.filter((_, k) => step.inputs[k]!.step === at);
}

/** Boxes taken together where their hull is no larger than they are: a chunk and its neighbours' edges, but no two far apart. */
function closeBoxes(boxes: readonly Box[]): Box[] {
  const apart: Box[] = [];
  for (const box of boxes) {
    let grown = box;
    for (let i = 0; i < apart.length; ) {
      const both = hull(apart[i]!, grown);
      if (sizeOf(both.shape) > sizeOf(apart[i]!.shape) + sizeOf(grown.shape)) i++;
      else {
        grown = both;
        apart.splice(i, 1);
        i = 0;
      }
    }
    if (!isEmptyBox(grown)) apart.push(grown);
  }
  return apart;
}

const usersOf = (steps: readonly PlanStep[], boxes: readonly (Box | null)[], at: number): number[] =>
  usersIn(steps)[at]!.filter((user) => boxes[user] !== null);

const knownUsers = new WeakMap<readonly PlanStep[], readonly (readonly number[])[]>();

/** For each step those that use it, each once, ascending. */
export function usersIn(steps: readonly PlanStep[]): readonly (readonly number[])[] {
  let users = knownUsers.get(steps);
  if (users === undefined) {
    const found = steps.map((): number[] => []);
    steps.forEach(({ inputs }, at) => {
      for (const { step } of inputs) if (found[step]!.at(-1) !== at) found[step]!.push(at);
    });
    users = found;
    knownUsers.set(steps, users);
  }
  return users;
}

function windowsOfMove(steps: readonly PlanStep[], move: OpStep<"move">, box: Box, at: number): Box[] {
  const types = denseInputs(steps, move);
  const pieces = piecesOfStep(move, box, types);
  return sourcesOf(pieces, types).flatMap((source, i) => {
    const { from } = pieces[i]!;
    return source === null || "fill" in from || move.inputs[from.input]!.step !== at ? [] : [source];
  });
}

/** The windows of reads that are shared, by step. */
export function sharedWindows(
  operation: Operation,
  boxes: readonly (Box | null)[],
): Map<number, readonly Box[]> {
  const windows = new Map<number, readonly Box[]>();
  operation.steps.forEach((step, at) => {
    const uses = isSharedRead(step) && boxes[at] !== null ? usesOfRead(operation, boxes, at) : null;
    if (uses?.isShared === true) windows.set(at, closeBoxes(uses.boxes));
  });
  return windows;
}

/** The smallest box around both. Empty boxes count for nothing. */
export function hull(a: Box, b: Box): Box {
  if (isEmptyBox(a)) return b;
  if (isEmptyBox(b)) return a;
  const start = a.start.map((x, axis) => Math.min(x, b.start[axis]!));
  const shape = start.map(
    (x, axis) => Math.max(a.start[axis]! + a.shape[axis]!, b.start[axis]! + b.shape[axis]!) - x,
  );
  return { start, shape };
}
