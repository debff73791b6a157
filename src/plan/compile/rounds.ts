// A contraction that is added up in rounds: each reads one block of the contracted axes and adds its product to the
// sum, so that a task has two blocks in memory and no panels, however long the axes are. In: a compiled task. Out: its
// rounds, and what is left of it; null where there is nothing to gain.
// Must hold: only windows that the contraction alone uses are cut. Blocks are those that the step names, and come in the
// order in which the routine itself would add them up (kernel/routines/contract.ts): the same bits, in rounds or not.

import { type Box, placeOf, sameShape, sizeOf } from "../../core/chunks.ts";
import type { Transfer } from "../../core/transfer.ts";
import { type BlockProgram, buffersOf, type RoutineStep } from "../../kernel/blockProgram.ts";
import { contractAxes } from "../../ops/contraction.ts";
import type { DensePlanArray, PlanArray } from "../plan.ts";
import { gcd } from "../windows/taskRuns.ts";
import type { TaskProgram, Window } from "./programWriter.ts";
import { identityAccess } from "./taskLayout.ts";

// Transfers: what storage has in memory while a task's windows are read and its chunks are written. In: boxes, and what
// their arrays state about their storage. Out: bytes. All windows of a task are read at once, and of each window some
// objects. What codecs take for themselves they keep, for one object after another.

/** Partitions are read and written by who knows what they are made of. */
export const statedTransfer = (array: PlanArray): Transfer | undefined =>
  array.kind === "dense" ? array.transfer : undefined;

/** How a window moves along one axis of its array from task to task: so far, and so many times. */
interface Moves {
  readonly slope: number;
  readonly count: number;
}

/**
 * Encoded bytes, and what is decoded aside, while a window is read: the most of any task, where the window is one that
 * moves, axis by axis; of just this one where nothing is said.
 */
export function readTransfer(
  { transfer }: DensePlanArray,
  box: Box,
  moves: readonly (readonly Moves[])[] = box.start.map(() => []),
): { encoded: number; aside: number } {
  if (transfer === undefined || box.shape.includes(0)) return NO_BYTES;
  const objects = transfer.unit.map((unit, axis) =>
    mostAlong(box.start[axis]!, box.shape[axis]!, unit, moves[axis]!),
  );
  const count = Math.min(transfer.atOnce, sizeOf(objects));
  const stays = moves.every((along, axis) => along.every(({ slope }) => slope % transfer.unit[axis]! === 0));
  const aside = stays && isOneObject(box, transfer) ? 0 : count * transfer.aside;
  return { encoded: count * transfer.encoded, aside };
}

/** How many objects a range touches at most: the later in an object it begins, the more. */
function mostAlong(start: number, length: number, unit: number, moves: readonly Moves[]): number {
  const latest = latestBegin(start % unit, unit, moves);
  return Math.floor((latest + length - 1) / unit) + 1;
}

/** The largest of (start + Σ slope · step) modulo the unit. Many steps come to all that their divisor lets them. */
function latestBegin(start: number, unit: number, moves: readonly Moves[]): number {
  const [move, ...others] = moves.filter(({ slope, count }) => count > 1 && slope % unit !== 0);
  if (move === undefined) return start;
  const divisor = gcd(Math.abs(move.slope), unit);
  if (others.length > 0 || move.count >= unit / divisor) {
    const common = others.reduce((known, { slope }) => gcd(Math.abs(slope), known), divisor);
    return unit - common + (start % common);
  }
  let latest = start;
  for (let step = 1, at = start; step < move.count; step++) {
    at = (((at + move.slope) % unit) + unit) % unit;
    latest = Math.max(latest, at);
  }
  return latest;
}

const NO_BYTES = { encoded: 0, aside: 0 };

/** A copy that is filled up, while a chunk is written that reaches beyond the array. */
export function writeTransfer({ transfer }: DensePlanArray, box: Box): number {
  if (transfer === undefined || box.shape.includes(0)) return 0;
  return transfer.unit.every((length, axis) => box.shape[axis] === length) ? 0 : transfer.padded;
}

const isOneObject = ({ start, shape }: Box, { unit }: Transfer): boolean =>
  unit.every((length, axis) => start[axis]! % length === 0 && shape[axis] === length);

/** Its buffers: a block of either operand, and the sum. */
export interface Round {
  readonly reads: readonly [Window, Window];
  readonly program: BlockProgram;
}

export const SUM = 2;
/** Two rounds are in memory at once. */
const WORTH_ROUNDS = 3;

export interface RoundedTask {
  readonly count: number;
  round(number: number): Round;
  /** The buffer of the task that holds the sum. */
  readonly sum: number;
  readonly rest: TaskProgram;
}

export function roundsOf(task: TaskProgram): RoundedTask | null {
  const at = task.program.steps.findIndex(
    (step) => step.kind === "routine" && step.routine === "contract" && step.attrs["blocks"] !== undefined,
  );
  if (at < 0) return null;
  const step = task.program.steps[at] as RoutineStep;
  const operands = step.inputs.map((view) => ownWindow(task, view, at));
  const [a, b] = operands;
  if (a == null || b == null || a === b || !isWhole(task, step.outputs[0]!)) return null;
  const blocks = blocksOf(step, a);
  const count = sizeOf(blocks.counts);
  if (count < WORTH_ROUNDS) return null;
  return {
    count,
    round: (number) => roundOf(task, step, [a, b], blocks, number),
    sum: step.outputs[0]!.access.buffer,
    rest: restOf(task, at, [a, b]),
  };
}

type View = RoutineStep["outputs"][number];
/** The window that a view walks through as it lies; null where it is none, or another step uses it too. */
function ownWindow(task: TaskProgram, view: View, at: number): Window | null {
  const { buffer: own } = view.access;
  const window = task.reads.find(({ buffer }) => buffer === own);
  const isShared = task.program.steps.some((step, other) => other !== at && buffersOf(step).includes(own));
  return window === undefined || isShared || !isWhole(task, view) ? null : window;
}

function isWhole({ program }: TaskProgram, { shape: seen, access }: View): boolean {
  const { buffer, start, axes, steps } = access;
  const { shape } = program.buffers[buffer]!;
  return (
    sameShape(seen, shape) &&
    axes.length === shape.length &&
    start.every((x) => x === 0) &&
    axes.every((axis, d) => (axis === d && steps[d] === 1) || shape[d] === 1)
  );
}

interface Blocks {
  /** Along each pair of contracted axes. */
  readonly lengths: readonly number[];
  readonly counts: readonly number[];
}

function blocksOf({ attrs }: RoutineStep, { box }: Window): Blocks {
  const lengths = attrs["blocks"] as readonly number[];
  return {
    lengths,
    counts: contractAxes(attrs).contractA.map((axis, i) => Math.ceil(box.shape[axis]! / lengths[i]!)),
  };
}

function roundOf(
  task: TaskProgram,
  step: RoutineStep,
  [a, b]: readonly [Window, Window],
  { lengths, counts }: Blocks,
  number: number,
): Round {
  const { contractA, contractB } = contractAxes(step.attrs);
  const { blocks: _, ...attrs } = step.attrs;
  const first = placeOf(number, counts).map((place, i) => place * lengths[i]!);
  const boxes = [cutBox(a.box, contractA, first, lengths), cutBox(b.box, contractB, first, lengths)] as const;
  const [output] = step.outputs;
  const bufferOf = (window: Window) => task.program.buffers[window.buffer]!;
  const sum = task.program.buffers[output!.access.buffer]!;
  const program: BlockProgram = {
    buffers: [
      { role: "input", dtype: bufferOf(a).dtype, shape: boxes[0].shape },
      { role: "input", dtype: bufferOf(b).dtype, shape: boxes[1].shape },
      { role: "output", dtype: sum.dtype, shape: sum.shape },
    ],
    steps: [
      {
        ...step,
        attrs: number === 0 ? attrs : { ...attrs, isSum: true },
        inputs: boxes.map(({ start, shape }, i) => ({
          access: identityAccess(i, shape.length),
          shape,
          from: start,
        })),
        outputs: [{ ...output!, access: { ...output!.access, buffer: SUM } }],
      },
    ],
  };
  const reads = [
    { array: a.array, box: boxes[0], buffer: 0 },
    { array: b.array, box: boxes[1], buffer: 1 },
  ] as const;
  return { reads, program };
}

/** The box along some axes from `first` on, no longer than `lengths`. */
function cutBox(
  box: Box,
  axes: readonly number[],
  first: readonly number[],
  lengths: readonly number[],
): Box {
  const [start, shape] = [[...box.start], [...box.shape]];
  axes.forEach((axis, i) => {
    start[axis] = box.start[axis]! + first[i]!;
    shape[axis] = Math.min(lengths[i]!, box.shape[axis]! - first[i]!);
  });
  return { start, shape };
}

/** Without the contraction, whose result is given. Buffers keep their numbers; those that are gone are empty. */
function restOf({ program, reads, writes }: TaskProgram, at: number, cut: readonly Window[]): TaskProgram {
  const sum = (program.steps[at] as RoutineStep).outputs[0]!.access.buffer;
  const isGone = (buffer: number): boolean => cut.some((window) => window.buffer === buffer);
  const buffers = program.buffers.map((buffer, number) => {
    if (isGone(number)) return { ...buffer, role: "temporary" as const, shape: [0] };
    return number === sum && buffer.role === "temporary" ? { ...buffer, role: "input" as const } : buffer;
  });
  const steps = program.steps.filter((_, other) => other !== at);
  return { program: { buffers, steps }, reads: reads.filter(({ buffer }) => !isGone(buffer)), writes };
}
