// Windows in words. In: an operation. Out: for every step that reads, and every axis of its array, what the window depends
// on: ":" is the whole axis, "i" the chunk with the task's number along the grid's first axis, "~i" another range that
// goes with it, "4:10" one that is the same in all tasks that read it. Found from all cells of the operation's tasks.

import { type Box, isEmptyBox } from "../../core/chunks.ts";
import { extentOf } from "../../expr/op.ts";
import { taskBoxes, taskOutputs } from "../demand.ts";
import type { Operation, PlanArray } from "../plan.ts";
import { cellsOf, placeIn } from "./taskKinds.ts";

import type { Run } from "./taskRuns.ts";

type Arrays = ReadonlyMap<string, PlanArray>;

/** What one step reads in a cell: at its first place, and at the next along each axis of the grid. */
interface Reading {
  readonly runs: readonly Run[];
  readonly box: Box;
  readonly next: readonly Box[];
}

/** By step; empty for those that read nothing. */
export function windowTexts(operation: Operation, arrays: Arrays, letters: readonly string[]): string[] {
  const readings = readingsOf(operation, arrays);
  return operation.steps.map((step, at) => {
    if (step.kind !== "read") return "";
    const array = arrays.get(step.array)!;
    return extentOf(array)
      .map((_, axis) => axisText(array, axis, readings[at]!, letters))
      .join(", ");
  });
}

function readingsOf(operation: Operation, arrays: Arrays): Reading[][] {
  const readings = operation.steps.map((): Reading[] => []);
  for (const { runs } of cellsOf(operation, arrays)) {
    const boxesAt = (axis: number) => {
      const steps = runs.map((_, other) => (other === axis ? 1 : 0));
      return taskBoxes(operation, taskOutputs(operation, arrays, placeIn(runs, steps)));
    };
    const first = boxesAt(-1);
    const next = runs.map(({ count }, axis) => (count === 1 ? first : boxesAt(axis)));
    operation.steps.forEach(({ kind }, at) => {
      const box = first[at];
      if (kind !== "read" || box == null || isEmptyBox(box)) return;
      readings[at]!.push({ runs, box, next: next.map((boxes) => boxes[at]!) });
    });
  }
  return readings;
}

function axisText(
  array: PlanArray,
  axis: number,
  readings: readonly Reading[],
  letters: readonly string[],
): string {
  const [first] = readings;
  if (first === undefined) return "0:0";
  const moving = movingAxes(readings, axis);
  const [start, length] = [first.box.start[axis]!, first.box.shape[axis]!];
  if (moving.length === 0)
    return start === 0 && length === extentOf(array)[axis] ? ":" : `${start}:${start + length}`;
  const isChunk =
    moving.length === 1 && readings.every((reading) => isChunkAt(array, axis, moving[0]!, reading));
  return `${isChunk ? "" : "~"}${moving.map((g) => letters[g] ?? `g${g}`).join("")}`;
}

/** The axes of the grid with which a window goes: within a cell, or from one cell to another beside it. */
function movingAxes(readings: readonly Reading[], axis: number): number[] {
  const [first] = readings;
  const isMoving = first!.runs.map((_, g) => isMovingAlong(readings, axis, g));
  const found = isMoving.flatMap((isOne, g) => (isOne ? [g] : []));
  const texts = new Set(readings.map(({ box }) => rangeText(box, axis)));
  if (found.length > 0 || texts.size === 1) return found;
  return first!.runs.flatMap((_, g) =>
    new Set(readings.map(({ runs }) => runs[g]!.first)).size > 1 ? [g] : [],
  );
}

const rangeText = ({ start, shape }: Box, axis: number): string => `${start[axis]}:${shape[axis]}`;

function isMovingAlong(readings: readonly Reading[], axis: number, g: number): boolean {
  const known = new Map<string, string>();
  return readings.some(({ runs, box, next }) => {
    if (next[g]!.start[axis] !== box.start[axis]) return true;
    const others = runs
      .flatMap(({ first, step, count }, other) => (other === g ? [] : [first, step, count]))
      .join();
    const text = rangeText(box, axis);
    const before = known.get(others) ?? text;
    known.set(others, text);
    return before !== text;
  });
}

/** The window is the chunk of the array whose number is the task's along an axis of the grid. */
function isChunkAt(array: PlanArray, axis: number, g: number, { runs, box, next }: Reading): boolean {
  const { first, step, count } = runs[g]!;
  const [chunk, length] = [array.chunks[axis]!, extentOf(array)[axis]!];
  return (
    box.start[axis] === first * chunk &&
    box.shape[axis] === Math.min(chunk, length - first * chunk) &&
    (count === 1 || next[g]!.start[axis] === (first + step) * chunk)
  );
}
