// Programs that tasks share. In: an operation and one of its places. Out: what compileTask gives. Most tasks of an
// operation differ only in where they lie: they are compiled once, and each gets its own windows, and its own
// coordinates where they count.
// Must hold: the same program, windows and order as compileTask (test/plan/kinds.test.ts compares them).

import type { KernelStep } from "../../kernel/blockProgram.ts";
import type { Operation, PlanArray } from "../plan.ts";
import { compileLayout } from "./compileTask.ts";
import type { StepOf, TaskKind, TaskProgram } from "./programWriter.ts";
import { isAlike, layoutOf, type Pair, pairsIn, type TaskLayout } from "./taskLayout.ts";

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
