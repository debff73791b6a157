// Compiling a task: an operation and one of its places → a block program, what it reads and what it
// writes. Neighbouring elementwise steps become one loop; moves become views where one regular walk does;
// a loop that only feeds a reduction becomes part of it.

import type { Attrs } from "../../core/block.ts";
import { type Box, boxText, sameBox, sameShape } from "../../core/chunks.ts";
import { denseOf, type Op } from "../../expr/op.ts";
import type { KernelStep } from "../../kernel/blockProgram.ts";
import { expanded, programOf } from "../../kernel/program.ts";
import type { Operation, OpStep, PlanArray, PlanStep } from "../plan.ts";
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
// what a loop needs is on lower levels and no loop waits for itself. A loop that is long enough goes on in another one,
// on the next level: engines refuse functions of some length, take ever longer to make them, and the loops of a long
// chain of the same steps are one kernel.

type Unit =
  | { readonly kind: "loop"; readonly steps: readonly number[] }
  | { readonly kind: "step"; readonly step: number };

/** Units in an order in which each comes after what it needs. Sources are part of whoever needs them. */
function unitsOf(operation: Operation, boxes: readonly (Box | null)[]): Unit[] {
  const { steps } = operation;
  const rooms = new LoopRooms(steps, boxes);
  const levels = levelsOf(steps, boxes, rooms);
  sink(operation, boxes, levels, rooms);
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

/** Instructions of one loop. */
const MOST_INSTRUCTIONS = 10_000;
/** So few steps have fewer: the longest, a power of complex numbers, is a thousand. */
const FEW_STEPS = 4;

/** How long the loops of each level are, by the box they go over. */
class LoopRooms {
  readonly #steps: readonly PlanStep[];
  readonly #boxes: readonly (Box | null)[];
  readonly #isShort: boolean;
  readonly #lengths = new Map<string, number[]>();

  constructor(steps: readonly PlanStep[], boxes: readonly (Box | null)[]) {
    this.#steps = steps;
    this.#boxes = boxes;
    this.#isShort = steps.length <= FEW_STEPS;
  }

  /** The first level from `level` on whose loop has room for a step; it is taken. */
  enter(at: number, level: number): number {
    const step = this.#steps[at]!;
    if (this.#isShort || step.kind !== "elementwise") return level;
    const [lengths, length] = [this.#lengthsFor(at), instructionsOf(step, this.#steps)];
    let found = level;
    while (!hasRoom(lengths[found], length)) found++;
    lengths[found] = (lengths[found] ?? 0) + length;
    return found;
  }

  /** From one level to another, if there is room. */
  move(at: number, from: number, to: number): boolean {
    const step = this.#steps[at]!;
    if (this.#isShort || step.kind !== "elementwise") return true;
    const [lengths, length] = [this.#lengthsFor(at), instructionsOf(step, this.#steps)];
    if (!hasRoom(lengths[to], length)) return false;
    lengths[from]! -= length;
    lengths[to] = (lengths[to] ?? 0) + length;
    return true;
  }

  #lengthsFor(at: number): number[] {
    const key = boxText(this.#boxes[at]!);
    const known = this.#lengths.get(key);
    if (known !== undefined) return known;
    const fresh: number[] = [];
    this.#lengths.set(key, fresh);
    return fresh;
  }
}

const hasRoom = (taken: number | undefined, length: number): boolean =>
  taken === undefined || taken === 0 || taken + length <= MOST_INSTRUCTIONS;

/** By op and attributes, for the operands' dtypes. */
const lengthsOf = new WeakMap<Op, WeakMap<Attrs, Map<string, number>>>();

/** How many instructions a step is, with its functions written out. */
function instructionsOf({ op, attrs, inputs }: OpStep<"elementwise">, steps: readonly PlanStep[]): number {
  const dtypes = inputs.map(({ step, component }) => denseOf(steps[step]!.types[component]!).dtype);
  const known = memoOf(
    memoOf(lengthsOf, op, () => new WeakMap()),
    attrs,
    () => new Map<string, number>(),
  );
  const key = dtypes.join();
  let length = known.get(key);
  if (length === undefined) {
    const program = programOf(dtypes, (...values) => [op.body(values, attrs)]);
    length = expanded(program).program.instructions.length;
    known.set(key, length);
  }
  return length;
}

function memoOf<K extends object, V>(memo: WeakMap<K, V>, key: K, make: () => V): V {
  const found = memo.get(key) ?? make();
  memo.set(key, found);
  return found;
}

function levelsOf(steps: readonly PlanStep[], boxes: readonly (Box | null)[], rooms: LoopRooms): number[] {
  const levels: number[] = [];
  steps.forEach((step, at) => {
    let level = 0;
    if (boxes[at] !== null) {
      for (const { step: input } of step.inputs) {
        const joined = joins(steps, boxes, input, at);
        level = Math.max(level, levels[input]! + (joined ? 0 : 1));
      }
      level = rooms.enter(at, level);
    }
    levels.push(level);
  });
  return levels;
}

/**
 * An elementwise step that only loops over the same box use goes into the first of them: its value then needs no
 * memory, as that of 2·C in 2·C + A·B, which would wait for the product.
 */
function sink(
  { steps, outputs }: Operation,
  boxes: readonly (Box | null)[],
  levels: number[],
  rooms: LoopRooms,
): void {
  const lowest = steps.map(() => Number.POSITIVE_INFINITY);
  for (const { value } of outputs) lowest[value.step] = -1;
  for (let at = steps.length - 1; at >= 0; at--) {
    if (boxes[at] === null) continue;
    const [level, deeper] = [levels[at]!, lowest[at]!];
    if (Number.isFinite(deeper) && deeper > level && rooms.move(at, level, deeper)) levels[at] = deeper;
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
