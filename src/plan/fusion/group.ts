// A group: an operation and what has been fused into it so far, as far as costs are concerned. Windows are kept for
// a few probes, so that taking in another operation looks at that operation alone, however large the group is.

import { blockBytes } from "../../core/block.ts";
import { hull } from "../../core/box.ts";
import { type Shape, sameShape, sizeOf } from "../../core/shape.ts";
import type { Operation, PlanArray, PlanStep } from "../plan.ts";
import { mostToRead, mostToWrite } from "../transfer.ts";
import { areAlike, isComparable } from "./alike.ts";
import { isHeavyStep, isLoop, isRecut, workOf } from "./kinds.ts";
import { isConstant } from "./leaves.ts";
import {
  type Arrays,
  type Boxes,
  chunksAt,
  chunksTouched,
  mostOf,
  type Place,
  probePlaces,
  sameBoxes,
  stepBoxes,
} from "./probes.ts";
import { Recent } from "./recent.ts";

/** A window that a group reads, and whether its elements go straight into a loop. */
export interface Read {
  readonly array: PlanArray;
  readonly boxes: Boxes;
  readonly isStreamed: boolean;
}

/** Each window once. They are few: a list is looked through faster than a table is made. */
export type Reads = readonly Read[];

/** What an operation would read and compute for some boxes of its outputs. */
export interface Costs {
  readonly reads: Reads;
  /** Bytes of values that have to lie in memory between steps. */
  readonly temporaries: number;
  /** Elements that steps compute in one task, and those of steps that are more work than a loop. */
  readonly work: number;
  readonly heavy: number;
}

export interface Group {
  /** Numbers of operations, ascending. */
  readonly members: number[];
  readonly grid: Shape;
  readonly places: readonly Place[];
  reads: Reads;
  temporaries: number;
  outputBytes: number;
  steps: number;
  /** Nothing but loops: what is expected of its memory is a bound. */
  isLoop: boolean;
  /** What the largest of its members needs alone. */
  largest: number;
  /** Elements of a task that other groups compute as well. */
  copiedWork: number;
}

export type Alone = Omit<Group, "members">;

/** A group of one operation, whatever its number is. */
export function alone(operation: Operation, arrays: Arrays): Alone {
  const places = probePlaces(operation.grid);
  const { reads, temporaries } = costsOf(operation, ownChunks(operation, arrays, places), [], arrays);
  const written = outputBytes(operation, arrays);
  return {
    grid: operation.grid,
    places,
    reads,
    temporaries,
    outputBytes: written,
    steps: operation.steps.length,
    isLoop: isLoop(operation),
    largest: readBytes(reads) + temporaries + written,
    copiedWork: 0,
  };
}

export const ownChunks = ({ outputs }: Operation, arrays: Arrays, places: readonly Place[]): Boxes[] =>
  outputs.map(({ array }) => chunksAt(arrays.get(array)!, places));

export function outputBytes({ outputs }: Operation, arrays: Arrays): number {
  return outputs.reduce((sum, { array }) => {
    const written = arrays.get(array)!;
    const { dtype, shape, chunks } = written;
    const block = chunks.map((n, axis) => Math.min(n, shape[axis]!));
    return sum + blockBytes(dtype, block) + mostToWrite(written);
  }, 0);
}

/** `wanted` goes with the outputs; `uses` are how the outputs are used where they are not stored. */
export function costsOf(
  operation: Operation,
  wanted: readonly Boxes[],
  uses: readonly Read[],
  arrays: Arrays,
): Costs {
  if (isPlain(operation)) return plainCosts(operation, wanted[0]!, uses, arrays);
  const { windows, temporaries, work, heavy } = formOf(operation, wanted, uses);
  const reads: Read[] = [];
  operation.steps.forEach((step, at) => {
    const window = windows[at];
    const array = step.kind === "read" ? arrays.get(step.array) : undefined;
    if (array !== undefined && window != null)
      addRead(reads, { array, boxes: window.boxes, isStreamed: window.isStreamed });
  });
  return { reads, temporaries, work, heavy };
}

/** Costs of all operations that are alike: what is read, without from which arrays. */
interface CostForm extends Omit<Costs, "reads"> {
  readonly operation: Operation;
  readonly wanted: readonly Boxes[];
  readonly uses: readonly Read[];
  /** For every step that reads, what it does. */
  readonly windows: readonly (Omit<Read, "array"> | null)[];
}

const recentForms = new Recent<CostForm>();

function formOf(operation: Operation, wanted: readonly Boxes[], uses: readonly Read[]): CostForm {
  if (!isComparable(operation)) return newForm(operation, wanted, uses);
  return recentForms.get(
    (known) =>
      known.wanted.length === wanted.length &&
      known.uses.length === uses.length &&
      known.wanted.every((boxes, i) => sameBoxes(boxes, wanted[i]!)) &&
      known.uses.every((use, i) => sameUse(use, uses[i]!)) &&
      areAlike(known.operation, operation),
    () => newForm(operation, wanted, uses),
  );
}

const sameUse = (a: Read, b: Read): boolean => a.isStreamed === b.isStreamed && sameBoxes(a.boxes, b.boxes);

function newForm(operation: Operation, wanted: readonly Boxes[], uses: readonly Read[]): CostForm {
  const boxes = stepBoxes(operation, wanted);
  const streamed = streamedSteps(operation, boxes, wanted, uses);
  const windows = operation.steps.map((step, at) => {
    const own = boxes[at];
    return step.kind === "read" && own != null ? { boxes: own, isStreamed: streamed[at]! } : null;
  });
  const sum = { temporaries: 0, work: 0, heavy: 0 };
  operation.steps.forEach((step, at) => {
    const own = boxes[at];
    if (own == null || step.kind === "source" || step.kind === "read") return;
    const elements = mostOf(own, ({ shape }) => sizeOf(shape));
    sum.work += workOf(step) * elements;
    if (isHeavyStep(step)) sum.heavy += elements;
    if (!streamed[at])
      sum.temporaries += step.types.reduce((bytes, { dtype }) => bytes + blockBytes(dtype, [elements]), 0);
  });
  return { operation, wanted, uses, windows, ...sum };
}

/** A loop over arrays of its own shape: every step has the box that is wanted. */
function isPlain({ steps, outputs }: Operation): boolean {
  if (outputs.length !== 1) return false;
  const { shape } = steps[outputs[0]!.value.step]!.types[0]!;
  return steps.every(
    ({ kind, types }) =>
      kind === "source" || ((kind === "read" || kind === "elementwise") && sameShape(types[0]!.shape, shape)),
  );
}

function plainCosts(
  { steps, outputs }: Operation,
  boxes: Boxes,
  uses: readonly Read[],
  arrays: Arrays,
): Costs {
  const elements = mostOf(boxes, ({ shape }) => sizeOf(shape));
  const isStreamed = uses.every((use) => use.isStreamed && sameBoxes(use.boxes, boxes));
  const reads: Read[] = [];
  let loops = 0;
  for (const step of steps) {
    if (step.kind === "read") addRead(reads, { array: arrays.get(step.array)!, boxes, isStreamed: true });
    else if (step.kind === "elementwise") loops += workOf(step);
  }
  const { dtype } = steps[outputs[0]!.value.step]!.types[0]!;
  const temporaries = isStreamed ? 0 : blockBytes(dtype, [elements]);
  return { reads, temporaries, work: loops * elements, heavy: 0 };
}

/** Equal windows are read once; one that is streamed anywhere only is so when all uses of it are. */
export function addRead(reads: Read[], read: Read): void {
  for (let i = 0; i < reads.length; i++) {
    const known = reads[i]!;
    if (known.array !== read.array || !sameBoxes(known.boxes, read.boxes)) continue;
    if (known.isStreamed && !read.isStreamed) reads[i] = read;
    return;
  }
  reads.push(read);
}

/** Steps whose elements are used one by one, in loops over the same box or by reductions: they need no memory. */
function streamedSteps(
  { steps, outputs }: Operation,
  boxes: readonly (Boxes | null)[],
  wanted: readonly Boxes[],
  uses: readonly Read[],
): boolean[] {
  const isElementwise = (step: PlanStep): boolean => step.kind === "elementwise" || isRecut(step);
  const streamed = steps.map((step) => step.kind === "read" || isElementwise(step));
  outputs.forEach(({ value }, i) => {
    // An output that is stored has its memory there; where it is used by others, they decide.
    const box = boxes[value.step];
    const isWhole = box != null && sameBoxes(box, wanted[i]!);
    if (uses.length === 0) streamed[value.step] = isWhole;
    else if (!isWhole || !uses.every((use) => use.isStreamed && sameBoxes(use.boxes, wanted[i]!)))
      streamed[value.step] = false;
  });
  for (let at = steps.length - 1; at >= 0; at--) {
    const step = steps[at]!;
    if (boxes[at] === null) continue;
    const isLifted = step.kind === "reduce" && step.lifts;
    for (const { step: input } of step.inputs) {
      const isSame = isLifted || (isElementwise(step) && sameBoxes(boxes[input]!, boxes[at]!));
      if (!isSame || (isRecut(step) && !streamed[at])) streamed[input] = false;
    }
  }
  return streamed;
}

/** The boxes of an output that a group's reads want together. */
export function wantedBoxes(windows: readonly Boxes[]): Boxes {
  let wanted = windows[0]!;
  for (let at = 1; at < windows.length; at++) {
    const other = windows[at]!;
    if (other !== wanted) wanted = wanted.map((box, probe) => hull(box, other[probe]!));
  }
  return wanted;
}

/** Bytes of the windows that one task reads. */
export function readBytes(reads: Reads): number {
  let bytes = 0;
  for (const { array, boxes } of reads) bytes += windowBytes(array, boxes);
  return bytes;
}

export const windowBytes = ({ dtype }: PlanArray, boxes: Boxes): number =>
  blockBytes(dtype, [mostOf(boxes, ({ shape }) => sizeOf(shape))]);

/** Chunks that one task reads. */
export function blockCount(reads: Reads): number {
  let count = 0;
  for (const { array, boxes } of reads)
    if (!isConstant(array)) count += mostOf(boxes, (box) => chunksTouched(array, box));
  return count;
}

/** True when a group is sure to fit; where not, `exact` has to say. */
export const fits = (group: Group, allowed: number, exact: () => number): boolean =>
  allowed === Number.POSITIVE_INFINITY ||
  (group.isLoop && groupBytes(group) + readTransfers(group.reads) <= allowed) ||
  exact() <= allowed;

/** True where no closer look is needed. */
export function surelyFits(operation: Operation, allowed: number, arrays: Arrays): boolean {
  if (!isLoop(operation)) return false;
  const group = alone(operation, arrays);
  return groupBytes(group) + readTransfers(group.reads) <= allowed;
}

/** What storage needs to read the windows: every task of a loop reads like the probes or less. */
function readTransfers(reads: Reads): number {
  let bytes = 0;
  for (const { array, boxes } of reads) if (array.transfer !== undefined) bytes += mostToRead(array, boxes);
  return bytes;
}

/** What a group is expected to need, without looking at when temporaries die. */
export const groupBytes = ({ reads, temporaries, outputBytes }: Alone): number =>
  readBytes(reads) + temporaries + outputBytes;
