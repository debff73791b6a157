// Plans as text: what is read, computed and written, how many tasks, how much memory. Windows are found by
// asking the demand rules for a few tasks, so that what is printed is what will be read.

import { attrLabel } from "../core/attrs.ts";
import type { Box } from "../core/box.ts";
import { bytesText, countText } from "../core/bytes.ts";
import { chunkBox, gridOf } from "../core/chunks.ts";
import { typeText } from "../core/form/typeText.ts";
import { type Scalar, scalarText } from "../core/numbers.ts";
import { type Shape, shapeText, sizeOf } from "../core/shape.ts";
import { taskBoxes } from "./demand.ts";
import { memoryOf, totalMemory } from "./memory.ts";
import type {
  Operation,
  PlanArray,
  PlanData,
  PlanStep,
  ReduceTreeStep,
  ScanTreeStep,
  ValueRef,
} from "./plan.ts";
import { arrayBytes } from "./ragged.ts";
import { planTraffic, type Traffic, trafficOf } from "./traffic.ts";

type Arrays = ReadonlyMap<string, PlanArray>;

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
  const { name, role, dtype, shape, chunks, inner, ragged } = array;
  if (ragged !== undefined) return `${name}: ${role} ${raggedText(array)}`;
  const cut = `${countText(sizeOf(gridOf(shape, chunks)), "chunk")} of ${shapeText(chunks)}`;
  const parts = inner === undefined ? "" : `, read in parts of ${shapeText(inner)}`;
  return `${name}: ${role} ${dtype} ${shapeText(shape)} in ${cut}${parts}`;
}

function raggedText({ shape, ragged, partitionBytes = 0 }: PlanArray): string {
  const { form, isItem } = ragged!;
  if (isItem) return `one ${typeText(form)}`;
  return `${typeText(form)} in ${countText(sizeOf(shape), "partition")} of about ${bytesText(partitionBytes)}`;
}

function operationText(operation: Operation, arrays: Arrays): string {
  const terms = memoryOf(operation, arrays);
  const windows = windowTexts(operation, arrays);
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
    .map(({ dtype, shape, ragged }) =>
      ragged === undefined ? `${dtype} ${shapeText(shape)}` : typeText(ragged.form),
    )
    .join(", ");
  const phase = step.kind === "reduce" ? reduceText(step) : step.kind === "scan" ? scanText(step) : "";
  const inputs = step.inputs.map((input) => valueText(input, names));
  return `${step.op}(${[...inputs, ...attrTexts(step)].join(", ")})${phase} ${type}`;
}

/** ` along axes [0], 8 places to one, elements to states`: one level of a reduction's tree. */
function reduceText({ axes, group, lifts, finishes }: ReduceTreeStep): string {
  const level = `${lifts ? "elements" : "states"} to ${finishes ? "results" : "states"}`;
  return ` along axes ${shapeText(axes)}, ${group.join("×")} to one, ${level}:`;
}

const scanText = ({ group, exclusive }: ScanTreeStep): string =>
  ` anew every ${countText(group, "place")}${exclusive ? ", exclusive" : ""}:`;

const SAID_ELSEWHERE = new Set(["shape", "chunks", "axes", "keepdims"]);

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

/**
 * Per step and axis what a read window depends on: ":" is the whole axis, "i" the chunk with the task's
 * number along the grid's first axis, "~i" another range that moves with it, a range one that never moves.
 */
function windowTexts(operation: Operation, arrays: Arrays): string[] {
  const { grid, steps } = operation;
  if (sizeOf(grid) === 0) return steps.map(() => "");
  const boxesAt = (place: readonly number[]): (Box | null)[] =>
    taskBoxes(
      operation,
      operation.outputs.map(({ array }) =>
        chunkBox(arrays.get(array)!.shape, arrays.get(array)!.chunks, place),
      ),
    );
  const origin = boxesAt(grid.map(() => 0));
  const last = boxesAt(grid.map((n) => n - 1));
  const moved = grid.map((n, g) => (n > 1 ? boxesAt(grid.map((_, k) => (k === g ? 1 : 0))) : null));
  return steps.map((step, at) => {
    if (step.kind !== "read" || origin[at] === null) return "";
    const array = arrays.get(step.array)!;
    const probes = {
      origin: origin[at]!,
      moved: moved.map((boxes) => boxes?.[at] ?? null),
      last: last[at] ?? null,
      grid,
    };
    return array.shape.map((_, axis) => axisWindow(array, axis, probes)).join(", ");
  });
}

/** What a step needs in the first task, the next one along each grid axis, and the last. */
interface Probes {
  readonly origin: Box;
  readonly moved: readonly (Box | null)[];
  readonly last: Box | null;
  readonly grid: Shape;
}

function axisWindow(
  { shape, chunks }: PlanArray,
  axis: number,
  { origin, moved, last, grid }: Probes,
): string {
  const start = origin.start[axis]!;
  const length = origin.shape[axis]!;
  const differs = (box: Box | null): boolean =>
    box !== null && (box.start[axis] !== start || box.shape[axis] !== length);
  const letters = moved.flatMap((box, g) => (differs(box) ? [g] : []));
  if (letters.length === 0) return start === 0 && length === shape[axis] ? ":" : `${start}:${start + length}`;
  const [g] = letters;
  const chunk = chunks[axis]!;
  const isChunk =
    letters.length === 1 &&
    start === 0 &&
    length === chunk &&
    moved[g!]!.start[axis] === chunk &&
    last?.start[axis] === (grid[g!]! - 1) * chunk;
  return `${isChunk ? "" : "~"}${letters.map((letter) => GRID_LETTERS[letter] ?? `g${letter}`).join("")}`;
}
