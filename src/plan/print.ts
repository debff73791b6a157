// Plans as text: what is read, computed and written, how many tasks, how much memory. All of it follows from the windows
// of the operations (windows/), so that what is printed is what will be read.

import { attrLabel } from "../core/block.ts";
import { type Box, isEmptyBox, shapeText, sizeOf } from "../core/chunks.ts";
import { bytesText, countText } from "../core/counts.ts";
import { typeText } from "../core/form/typeText.ts";
import { type Scalar, scalarText } from "../core/numbers.ts";
import { type ArrayType, arrayTypeText, extentOf } from "../expr/op.ts";
import { taskBoxes, taskOutputs } from "./demand.ts";
import {
  type DensePlanArray,
  gridOfArray,
  type Operation,
  type PlanArray,
  type PlanData,
  type PlanStep,
  type RaggedPlanArray,
  type ReduceTreeStep,
  type ScanTreeStep,
  type ValueRef,
} from "./plan.ts";
import { arrayBytes, memoryOf, totalMemory } from "./taskMemory.ts";
import { planTraffic, type Traffic, trafficOf } from "./traffic.ts";
import { cellsOf, placeIn } from "./windows/taskKinds.ts";
import type { Run } from "./windows/taskRuns.ts";

// Windows in words. In: an operation. Out: for every step that reads, and every axis of its array, what the window depends
// on: ":" is the whole axis, "i" the chunk with the task's number along the grid's first axis, "~i" another range that
// goes with it, "4:10" one that is the same in all tasks that read it. Found from all cells of the operation's tasks.

type Arrays = ReadonlyMap<string, PlanArray>;

/** What one step reads in a cell: at its first place, and at the next along each axis of the grid. */
interface Reading {
  readonly runs: readonly Run[];
  readonly box: Box;
  readonly next: readonly Box[];
}

/** By step; empty for those that read nothing. */
function windowTexts(operation: Operation, arrays: Arrays, letters: readonly string[]): string[] {
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

const MAX_OPERATIONS = 100;
const MAX_SUMMED = 1000;

/** `before` is the plan as it was before it was optimised, where it was. */
export function planText(plan: PlanData, before: PlanData | null = null): string {
  const arrays: Arrays = new Map(plan.arrays.map((array) => [array.name, array]));
  const shown = plan.operations.slice(0, MAX_OPERATIONS);
  const rest = plan.operations.length - shown.length;
  const [now, earlier] = [figuresText(plan), before === null ? null : figuresText(before)];
  return [
    `plan: ${now}`,
    ...(earlier === null || earlier === now ? [] : [`before optimisation: ${earlier}`]),
    ...plan.arrays.slice(0, 2 * MAX_OPERATIONS).map((array) => `  ${arrayText(array)}`),
    ...shown.map((operation) => operationText(operation, arrays)),
    ...(rest > 0 ? [`… ${rest} more operations`] : []),
  ].join("\n");
}

/** `2 operations, 8 tasks, 1 intermediate array (72 B); reads 144 B, writes 108 B` */
function figuresText(plan: PlanData): string {
  const tasks = plan.operations.reduce((sum, { grid }) => sum + sizeOf(grid), 0);
  const stored = plan.arrays.filter(({ role }) => role === "intermediate");
  const bytes = stored.reduce((sum, array) => sum + arrayBytes(array), 0);
  const between = `${countText(stored.length, "intermediate array")} (${bytesText(bytes)})`;
  const counts = `${countText(plan.operations.length, "operation")}, ${countText(tasks, "task")}, ${between}`;
  // Of very many operations the sum takes longer than it is worth.
  return plan.operations.length > MAX_SUMMED ? counts : `${counts}; ${trafficText(planTraffic(plan))}`;
}

const trafficText = ({ read, written }: Traffic): string =>
  `reads ${bytesText(read)}, writes ${bytesText(written)}`;

function arrayText(array: PlanArray): string {
  const begin = `${array.name}: ${array.role}`;
  switch (array.kind) {
    case "dense":
      return `${begin} ${denseText(array)}`;
    case "ragged":
      return `${begin} ${raggedText(array)}`;
    default:
      throw array satisfies never;
  }
}

function denseText(array: DensePlanArray): string {
  const { chunks, inner } = array;
  const cut = `${countText(sizeOf(gridOfArray(array)), "chunk")} of ${shapeText(chunks)}`;
  const parts = inner === undefined ? "" : `, read in parts of ${shapeText(inner)}`;
  return `${arrayTypeText(array)} in ${cut}${parts}`;
}

function raggedText({ form, isItem, partitions, partitionBytes }: RaggedPlanArray): string {
  if (isItem) return `one ${typeText(form)}`;
  return `${typeText(form)} in ${countText(partitions, "partition")} of about ${bytesText(partitionBytes)}`;
}

function operationText(operation: Operation, arrays: Arrays): string {
  const terms = memoryOf(operation, arrays);
  const windows = windowTexts(operation, arrays, GRID_LETTERS);
  const names = nameValues(operation);
  const lines = operation.steps.flatMap((step, at) => {
    const name = names.get(at);
    return name === undefined || !name.startsWith("%")
      ? []
      : [`  ${name} = ${stepText(step, windows[at]!, names)}`];
  });
  const letters = GRID_LETTERS.slice(0, operation.grid.length).join(", ");
  const outputs = operation.outputs.map(
    ({ array, value }) => `  ${array}[${letters}] ← ${valueText(value, names)}`,
  );
  const memory = terms.map(({ reason, bytes }) => `${reason} ${bytesText(bytes)}`).join(" + ");
  const tasks = sizeOf(operation.grid);
  return [
    `${operation.name}: ${countText(tasks, "task")}${operation.grid.length === 0 ? "" : ` [${letters}] in ${shapeText(operation.grid)}`}`,
    ...lines,
    ...outputs,
    `  ${trafficText(trafficOf(operation, arrays))}`,
    `  memory ${bytesText(totalMemory(terms))}${memory === "" ? "" : ` = ${memory}`}`,
  ].join("\n");
}

const GRID_LETTERS = ["i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"];

/** Scalars are written where they are used; everything else gets a number. */
function nameValues({ steps }: Operation): Map<number, string> {
  const names = new Map<number, string>();
  let next = 0;
  steps.forEach((step, at) => {
    const isScalar = step.kind === "source" && step.types[0]!.shape.length === 0 && "value" in step.attrs;
    names.set(at, isScalar ? scalarText(step.attrs["value"] as Scalar) : `%${next++}`);
  });
  return names;
}

function valueText({ step, component }: ValueRef, names: ReadonlyMap<number, string>): string {
  return `${names.get(step)}${component === 0 ? "" : `.${component}`}`;
}

function stepText(step: PlanStep, window: string, names: ReadonlyMap<number, string>): string {
  if (step.kind === "read") return `${step.array}[${window}]`;
  const type = step.types
    .map((own: ArrayType) => (own.kind === "dense" ? arrayTypeText(own) : typeText(own.form)))
    .join(", ");
  const phase = step.kind === "reduce" ? reduceText(step) : step.kind === "scan" ? scanText(step) : "";
  const inputs = step.inputs.map((input) => valueText(input, names));
  return `${step.op.name}(${[...inputs, ...attrTexts(step)].join(", ")})${phase} ${type}`;
}

/** ` along axes [0], 8 places to one, elements to states`: one level of a reduction's tree. */
function reduceText({ axes, group, lifts, finishes }: ReduceTreeStep): string {
  const level = `${lifts ? "elements" : "states"} to ${finishes ? "results" : "states"}`;
  return ` along axes ${shapeText(axes)}, ${group.join("×")} to one, ${level}:`;
}

const scanText = ({ group, exclusive }: ScanTreeStep): string =>
  ` anew every ${countText(group, "place")}${exclusive ? ", exclusive" : ""}:`;

const SAID_ELSEWHERE: ReadonlySet<string> = new Set(["shape", "chunks", "axes", "keepdims"]);

function attrTexts(step: Exclude<PlanStep, { kind: "read" }>): string[] {
  const hidden =
    step.kind === "source"
      ? new Set([...SAID_ELSEWHERE, "dtype"])
      : step.kind === "reduce"
        ? SAID_ELSEWHERE
        : new Set(["shape"]);
  const own = Object.entries(step.attrs).filter(([name]) => !hidden.has(name));
  return own.map(([name, value]) => attrLabel(name, value));
}
