// A group: an operation and what has been fused into it so far, as far as costs are concerned. Windows are kept for
// a few probes, so that taking in another operation looks at that operation alone, however large the group is.

import { blockBytes } from "../../core/block.ts";
import { hull } from "../../core/box.ts";
import { type Shape, sameShape, sizeOf } from "../../core/shape.ts";
import type { Operation, PlanStep } from "../plan.ts";
import { isHeavyStep, isLoop, isRecut, workOf } from "./kinds.ts";
import { countSources, type Leaves } from "./leaves.ts";

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

/** A window that a group reads, and whether its elements go straight into a loop. */
export interface Read {
  readonly boxes: Boxes;
  readonly isStreamed: boolean;
}

/** What an operation would read and compute for some boxes of its outputs. */
export interface Costs {
  readonly reads: ReadonlyMap<string, readonly Read[]>;
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
  reads: ReadonlyMap<string, readonly Read[]>;
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
    ...{ grid: operation.grid, places, temporaries, outputBytes: written },
    ...{ reads, steps: operation.steps.length, copiedWork: 0, isLoop: isLoop(operation) },
    largest: readBytes(reads, arrays) + temporaries + written,
  };
}

export const ownChunks = ({ outputs }: Operation, arrays: Arrays, places: readonly Place[]): Boxes[] =>
  outputs.map(({ array }) => chunksAt(arrays.get(array)!, places));

export function outputBytes({ outputs }: Operation, arrays: Arrays): number {
  return outputs.reduce((sum, { array }) => {
    const { dtype, shape, chunks } = arrays.get(array)!;
    return (
      sum +
      blockBytes(
        dtype,
        chunks.map((n, axis) => Math.min(n, shape[axis]!)),
      )
    );
  }, 0);
}

/** `wanted` goes with the outputs; `uses` are how the outputs are used where they are not stored. */
export function costsOf(
  operation: Operation,
  wanted: readonly Boxes[],
  uses: readonly Read[],
  arrays: Arrays,
): Costs {
  if (isPlain(operation)) return plainCosts(operation, wanted[0]!, uses);
  const boxes = stepBoxes(operation, wanted);
  const streamed = streamedSteps(operation, boxes, wanted, uses);
  const reads = new Map<string, readonly Read[]>();
  const sum = { temporaries: 0, work: 0, heavy: 0 };
  operation.steps.forEach((step, at) => {
    const own = boxes[at];
    if (own == null || step.kind === "source") return;
    if (step.kind === "read") {
      if (arrays.has(step.array)) addRead(reads, step.array, { boxes: own, isStreamed: streamed[at]! });
      return;
    }
    const elements = mostOf(own, ({ shape }) => sizeOf(shape));
    sum.work += workOf(step) * elements;
    if (isHeavyStep(step)) sum.heavy += elements;
    if (!streamed[at])
      sum.temporaries += step.types.reduce((bytes, { dtype }) => bytes + blockBytes(dtype, [elements]), 0);
  });
  return { reads, ...sum };
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

function plainCosts({ steps, outputs }: Operation, boxes: Boxes, uses: readonly Read[]): Costs {
  const elements = mostOf(boxes, ({ shape }) => sizeOf(shape));
  const isStreamed = uses.every((use) => use.isStreamed && sameBoxes(use.boxes, boxes));
  const reads = new Map<string, readonly Read[]>();
  const read = [{ boxes, isStreamed: true }];
  let loops = 0;
  for (const step of steps) {
    if (step.kind === "read") reads.set(step.array, read);
    else if (step.kind === "elementwise") loops += workOf(step);
  }
  const { dtype } = steps[outputs[0]!.value.step]!.types[0]!;
  const temporaries = isStreamed ? 0 : blockBytes(dtype, [elements]);
  return { reads, temporaries, work: loops * elements, heavy: 0 };
}

/** Equal windows are read once; one that is streamed anywhere only is so when all uses of it are. */
export function addRead(reads: Map<string, readonly Read[]>, array: string, read: Read): void {
  const known = reads.get(array);
  if (known === undefined) return void reads.set(array, [read]);
  const same = known.findIndex(({ boxes }) => sameBoxes(boxes, read.boxes));
  if (same < 0) return void reads.set(array, [...known, read]);
  if (known[same]!.isStreamed && !read.isStreamed)
    reads.set(
      array,
      known.map((other, i) => (i === same ? read : other)),
    );
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
export function wantedBoxes(reads: readonly Read[]): Boxes {
  const [first, ...others] = reads;
  return others.reduce<Boxes>(
    (boxes, read) => boxes.map((box, i) => hull(box, read.boxes[i]!)),
    first!.boxes,
  );
}

/** Bytes of the windows that one task reads. */
export function readBytes(reads: ReadonlyMap<string, readonly Read[]>, arrays: Arrays): number {
  let bytes = 0;
  for (const [array, list] of reads) {
    const { dtype } = arrays.get(array)!;
    for (const { boxes } of list) bytes += mostOf(boxes, ({ shape }) => blockBytes(dtype, shape));
  }
  return bytes;
}

/** Arrays that count as sources: one element is a constant. */
export const sourceCount = (
  reads: ReadonlyMap<string, unknown>,
  arrays: Arrays,
  leaves: Leaves = NO_LEAVES,
): number => countSources(reads.keys(), leaves, (array) => !isConstant(array, arrays));

const NO_LEAVES: Leaves = new Map();

export const isConstant = (array: string, arrays: Arrays): boolean => sizeOf(arrays.get(array)!.shape) <= 1;

/** Chunks that one task reads. */
export function blockCount(reads: ReadonlyMap<string, readonly Read[]>, arrays: Arrays): number {
  let count = 0;
  for (const [array, list] of reads) {
    if (isConstant(array, arrays)) continue;
    for (const { boxes } of list) count += mostOf(boxes, (box) => chunksTouched(arrays.get(array)!, box));
  }
  return count;
}

/** True when a group is sure to fit; where not, `exact` has to say. */
export const fits = (group: Group, allowed: number, arrays: Arrays, exact: () => number): boolean =>
  allowed === Number.POSITIVE_INFINITY ||
  (group.isLoop && groupBytes(group, arrays) <= allowed) ||
  exact() <= allowed;

/** True where no closer look is needed. */
export const surelyFits = (operation: Operation, allowed: number, arrays: Arrays): boolean =>
  isLoop(operation) && groupBytes({ ...alone(operation, arrays), members: [] }, arrays) <= allowed;

/** What a group is expected to need, without looking at when temporaries die. */
export const groupBytes = (group: Group, arrays: Arrays): number =>
  readBytes(group.reads, arrays) + group.temporaries + group.outputBytes;
