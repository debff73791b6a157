// Reads of one array that lie together in every task become one step, so that a chunk and its neighbours' edges are read
// once, however many slices of them a stencil has. In: an operation. Out: the same with fewer reads.
// Must hold: what shared steps use moves together, task by task, so that windows stay as even as they were.

import { isEmptyBox } from "../../core/chunks.ts";
import { usersIn } from "../demand.ts";
import type { Operation, PlanStep } from "../plan.ts";
import { type EvenCell, evenCells, lawIn } from "../windows/even.ts";
import { chunkLaw, chunkPartition, type Law } from "../windows/taskRuns.ts";
import { type Arrays, MOST_CELLS } from "./costs.ts";

export function withSharedReads(operation: Operation, arrays: Arrays): Operation {
  const candidates = readsTwice(operation);
  if (candidates.length === 0) return operation;
  const written = operation.outputs.map(({ array }) => arrays.get(array)!);
  const parts = chunkPartition(operation.grid, written).map((runs, from) => ({
    runs,
    from,
    wanted: written.map((array) => chunkLaw(array, runs)),
  }));
  const cells = evenCells(operation, parts, MOST_CELLS);
  if (cells === null) return operation;
  const moved = new Map<number, number>();
  for (const reads of candidates)
    for (const group of groupsOf(reads, cells)) for (const at of group.slice(1)) moved.set(at, group[0]!);
  return moved.size === 0 ? operation : joined(operation, moved);
}

/** The steps that read an array, for each array that several read, each for one step. What a product adds up block by block is read so. */
function readsTwice({ steps, outputs }: Operation): number[][] {
  const reads = new Map<string, number[]>();
  const users = usersIn(steps);
  steps.forEach((step, at) => {
    if (step.kind !== "read" || outputs.some(({ value }) => value.step === at)) return;
    const [first, ...others] = users[at]!;
    const user = first === undefined ? undefined : steps[first]!;
    if (others.length > 0 || user?.kind === "contract" || user?.kind === "ragged") return;
    const known = reads.get(step.array);
    if (known === undefined) reads.set(step.array, [at]);
    else known.push(at);
  });
  return [...reads.values()].filter(({ length }) => length > 1);
}

/** Where a step's windows lie, cell by cell. */
const lawsOf = (at: number, cells: readonly EvenCell[]): Law[][] =>
  cells.map((cell) =>
    cell.first.windows.flatMap(({ step }, i) =>
      step === at ? [lawIn(cell, ({ windows }) => windows[i]!.box)] : [],
    ),
  );

/** Those that move together in all cells, and lie together in one. */
function groupsOf(reads: readonly number[], cells: readonly EvenCell[]): number[][] {
  const groups: { readonly members: number[]; readonly laws: Law[][][] }[] = [];
  for (const at of reads) {
    const laws = lawsOf(at, cells);
    const group = groups.find(
      (known) =>
        known.laws.every((other) => moveTogether(other, laws)) &&
        known.laws.some((other) => areClose(other, laws)),
    );
    if (group === undefined) groups.push({ members: [at], laws: [laws] });
    else {
      group.members.push(at);
      group.laws.push(laws);
    }
  }
  return groups.map(({ members }) => members).filter(({ length }) => length > 1);
}

const everyPair = (a: Law[][], b: Law[][], test: (one: Law, other: Law) => boolean): boolean =>
  a.every((laws, cell) => laws.every((one) => b[cell]!.every((other) => test(one, other))));

const moveTogether = (a: Law[][], b: Law[][]): boolean =>
  everyPair(a, b, (one, other) => isEmptyBox(one) || isEmptyBox(other) || sameSlopes(one, other));

const sameSlopes = ({ slopes }: Law, other: Law): boolean =>
  slopes.every((along, g) => along.every((slope, axis) => slope === other.slopes[g]![axis]));

/** In some cell two windows touch each other, or more. */
const areClose = (a: Law[][], b: Law[][]): boolean => !everyPair(a, b, (one, other) => !touch(one, other));

const touch = (one: Law, other: Law): boolean =>
  one.start.every((x, axis) => {
    const y = other.start[axis]!;
    return x <= y + other.shape[axis]! && y <= x + one.shape[axis]!;
  });

function joined(operation: Operation, moved: ReadonlyMap<number, number>): Operation {
  const shared = new Set(moved.values());
  const steps: PlanStep[] = [];
  const places: number[] = [];
  operation.steps.forEach((step, at) => {
    const first = moved.get(at);
    if (first !== undefined) return void places.push(places[first]!);
    const inputs = step.inputs.map((input) => ({ ...input, step: places[input.step]! }));
    const isShared = step.kind === "read" && shared.has(at) && hasParts(step);
    places.push(steps.push(isShared ? { ...step, isShared: true } : { ...step, inputs }) - 1);
  });
  const outputs = operation.outputs.map(({ array, value }) => ({
    array,
    value: { ...value, step: places[value.step]! },
  }));
  return { ...operation, steps, outputs };
}

/** One element has none: a task that asks for it has it, whether it is used or not. */
const hasParts = ({ types: [type] }: PlanStep): boolean => type!.kind === "dense" && type!.shape.length > 0;
