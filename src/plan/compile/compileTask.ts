// Compiling a task: an operation and one of its places → a block program, what it reads and what it
// writes. Neighbouring elementwise steps become one loop; moves become views where one regular walk does;
// a loop that only feeds a reduction becomes part of it.

import { type Box, boxText, sameBox, sameShape } from "../../core/chunks.ts";
import type { KernelStep } from "../../kernel/blockProgram.ts";
import type { Operation, PlanArray, PlanStep } from "../plan.ts";
import {
  emitLoops,
  emitSource,
  type StepOf,
  type TaskKind,
  type TaskProgram,
  TaskWriter,
} from "./programWriter.ts";
import { emitStep } from "./steps.ts";
import { isAlike, layoutOf, type Pair, pairsIn, type TaskLayout } from "./taskLayout.ts";

// Units: what is compiled together. Elementwise steps on the same box that need nothing else in between
// are one loop. Every step has a level, one more than what it waits for; steps of a loop share a level, so
// what a loop needs is on lower levels and no loop waits for itself.

type Unit =
  | { readonly kind: "loop"; readonly steps: readonly number[] }
  | { readonly kind: "step"; readonly step: number };

/** Units in an order in which each comes after what it needs. Sources are part of whoever needs them. */
function unitsOf(operation: Operation, boxes: readonly (Box | null)[]): Unit[] {
  const { steps } = operation;
  const levels = levelsOf(steps, boxes);
  sink(operation, boxes, levels);
  const loops = new Map<string, number[]>();
  const placed: { level: number; unit: Unit }[] = [];
  steps.forEach((step, at) => {
    if (boxes[at] === null || step.kind === "source") return;
    if (step.kind !== "elementwise")
      return void placed.push({ level: levels[at]!, unit: { kind: "step", step: at } });
    const key = `${levels[at]} ${boxText(boxes[at]!)}`;
    const members = loops.get(key);
    if (members !== undefined) return void members.push(at);
    const started = [at];
    loops.set(key, started);
    placed.push({ level: levels[at]!, unit: { kind: "loop", steps: started } });
  });
  return placed.sort((a, b) => a.level - b.level).map(({ unit }) => unit);
}

function levelsOf(steps: readonly PlanStep[], boxes: readonly (Box | null)[]): number[] {
  const levels: number[] = [];
  steps.forEach((step, at) => {
    let level = 0;
    if (boxes[at] !== null) {
      for (const { step: input } of step.inputs) {
        const joined = joins(steps, boxes, input, at);
        level = Math.max(level, levels[input]! + (joined ? 0 : 1));
      }
    }
    levels.push(level);
  });
  return levels;
}

/**
 * An elementwise step that only loops over the same box use goes into the first of them: its value then needs no
 * memory, as that of 2·C in 2·C + A·B, which would wait for the product.
 */
function sink({ steps, outputs }: Operation, boxes: readonly (Box | null)[], levels: number[]): void {
  const lowest = steps.map(() => Number.POSITIVE_INFINITY);
  for (const { value } of outputs) lowest[value.step] = -1;
  for (let at = steps.length - 1; at >= 0; at--) {
    if (boxes[at] === null) continue;
    if (Number.isFinite(lowest[at]!)) levels[at] = Math.max(levels[at]!, lowest[at]!);
    for (const { step: input } of steps[at]!.inputs) {
      const isJoined = joins(steps, boxes, input, at);
      lowest[input] = isJoined ? Math.min(lowest[input]!, levels[at]!) : -1;
    }
  }
}

/** Both can be in one loop: elementwise, on the same box, nothing stretched between them. */
function joins(
  steps: readonly PlanStep[],
  boxes: readonly (Box | null)[],
  input: number,
  at: number,
): boolean {
  if (steps[input]!.kind !== "elementwise" || steps[at]!.kind !== "elementwise") return false;
  return (
    sameBox(boxes[input]!, boxes[at]!) && sameShape(steps[input]!.types[0]!.shape, steps[at]!.types[0]!.shape)
  );
}

export const compileTask = (
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  place: readonly number[],
): TaskProgram => compileLayout(operation, layoutOf(operation, arrays, place)).task;

export function compileLayout(operation: Operation, layout: TaskLayout): TaskKind {
  const task = new TaskWriter(operation, layout, emitSource);
  for (const unit of unitsOf(operation, task.boxes)) {
    if (unit.kind === "loop") emitLoops(task, unit.steps);
    else emitStep(task, unit.step);
  }
  task.copyOutputs();
  return task.finish();
}

// Programs that tasks share. In: an operation and one of its places. Out: what compileTask gives. Most tasks of an
// operation differ only in where they lie: they are compiled once, and each gets its own windows, and its own
// coordinates where they count.
// Must hold: the same program, windows and order as compileTask (test/plan/kinds.test.ts compares them).

interface KnownKind extends TaskKind {
  readonly layout: TaskLayout;
  readonly pairs: readonly Pair[];
}

/** Inside and at the edges of a grid, in a few dimensions. */
const MOST_KINDS = 16;
/** Without a task like another among so many, there will be few. */
const MOST_UNLIKE = 64;

export class TaskKinds {
  readonly #operation: Operation;
  readonly #arrays: ReadonlyMap<string, PlanArray>;
  /** The one that was used last comes first. */
  readonly #known: KnownKind[] = [];
  #unlike = 0;

  constructor(operation: Operation, arrays: ReadonlyMap<string, PlanArray>) {
    this.#operation = operation;
    this.#arrays = arrays;
  }

  compile(place: readonly number[]): TaskProgram {
    const layout = layoutOf(this.#operation, this.#arrays, place);
    if (this.#unlike > MOST_UNLIKE) return compileLayout(this.#operation, layout).task;
    const found = this.#known.findIndex((kind) => isAlike(this.#operation, kind.layout, layout, kind.pairs));
    if (found < 0) return this.#add(layout);
    this.#unlike = Number.NEGATIVE_INFINITY;
    const kind = this.#known[found]!;
    if (found > 0) this.#known.unshift(...this.#known.splice(found, 1));
    return taskAt(kind, layout);
  }

  #add(layout: TaskLayout): TaskProgram {
    const kind = compileLayout(this.#operation, layout);
    this.#unlike++;
    this.#known.unshift({ ...kind, layout, pairs: pairsIn(this.#operation, layout) });
    if (this.#known.length > MOST_KINDS) this.#known.pop();
    return kind.task;
  }
}

function taskAt({ task, readBoxes, placedSteps }: TaskKind, layout: TaskLayout): TaskProgram {
  return {
    program: placedSteps.every((placed) => placed === null)
      ? task.program
      : { ...task.program, steps: stepsAt(task.program.steps, placedSteps, layout) },
    reads: task.reads.map(({ array, buffer }, i) => ({ array, box: readBoxes[i]!(layout), buffer })),
    writes: task.writes.map(({ array, buffer }, i) => ({ array, box: layout.outputs[i]!, buffer })),
  };
}

const stepsAt = (
  steps: readonly KernelStep[],
  placed: readonly (StepOf | null)[],
  layout: TaskLayout,
): KernelStep[] => steps.map((step, at) => placed[at]?.(step, layout) ?? step);
