// Rows of partitions a few at a time. In: the steps of a task from one on, and the values that there are. Out: the same values
// as all rows at once would give, made run by run of rows, so that what lies in between takes no more than there is room for.
// Runs are as long as fits: what steps take is counted before they are done, and a run that would need more is cut in halves.
// Equation: f(a ++ b) = f(a) ++ f(b) for steps that are done row by row, state(a ++ b) = join(state(a), state(b)) for states.

import type { Box } from "../core/chunks.ts";
import { bytesText } from "../core/counts.ts";
import type { TypedArray } from "../core/dtype.ts";
import { InvariantError } from "../core/errors.ts";
import type { ArrayType, Partition, Piecewise, RaggedPlace } from "../expr/op.ts";
import type { PartitionFormat } from "../ops/partitions.ts";
import { MemoryError } from "../plan/budget.ts";
import { inputTypes } from "../plan/demand.ts";
import type { Operation, OpStep, PlanStep } from "../plan/plan.ts";
import { isBlock, PartitionValues } from "./partitionValues.ts";

/** What a task has done so far. */
export interface TaskState {
  readonly operation: Operation;
  readonly boxes: readonly (Box | null)[];
  readonly values: PartitionValues;
  readonly format: PartitionFormat;
  /** Bytes for what lies between steps, of a run of rows. */
  readonly room: number;
  /** Bytes that the task may have in all. */
  readonly most: number;
}

/** Steps that can be done together with a few rows at a time. */
interface TileGroup {
  /** How many rows there are in all. */
  readonly rows: number;
  readonly ways: ReadonlyMap<number, Piecewise>;
}

type RaggedStep = OpStep<"ragged">;

const placeOf = (step: RaggedStep, inputs: readonly ArrayType[], box: Box): RaggedPlace => ({
  box,
  inputs,
  type: step.types[0]!,
});

/** All steps from one on that follow row by row from values that there are; null where that one does not. */
export function tileGroup(first: number, { operation, boxes, values }: TaskState): TileGroup | null {
  const { steps } = operation;
  const ways = new Map<number, Piecewise>();
  let rows: number | null = null;
  for (let at = first; at < steps.length; at++) {
    const [step, box] = [steps[at]!, boxes[at]];
    if (box == null || step.kind !== "ragged" || box.shape.length !== 1 || box.shape[0] !== 1) continue;
    const types = inputTypes(steps, step);
    const way = step.op.piecewise?.(types, step.attrs) ?? null;
    const given = way === null ? null : rowsGiven(step, types, values, ways);
    if (way === null || given === null) continue;
    if (at === first) rows = given;
    if (given !== TILED && given !== rows) continue;
    ways.set(at, way);
  }
  return rows === null || rows === TILED || rows < 2 || !ways.has(first) ? null : { rows, ways };
}

/** Of a step whose rows are those of steps before it. */
const TILED = -1;

/** How many rows a step's inputs have that are there; null where they cannot be cut together. */
function rowsGiven(
  { inputs }: PlanStep,
  types: readonly ArrayType[],
  values: PartitionValues,
  ways: ReadonlyMap<number, Piecewise>,
): number | null {
  let rows: number | null = null;
  for (const [k, { step: from }] of inputs.entries()) {
    if (ways.get(from) === "rows") {
      rows ??= TILED;
      continue;
    }
    const made = ways.has(from) ? undefined : values.get(from)?.made;
    if (made === undefined || isBlock(made) || made.length !== 1) return null;
    const { length } = made[0]!;
    const type = types[k]!;
    // One row, or one value, goes with all of them.
    if (length === 1 || (type.kind === "ragged" && type.isItem)) continue;
    if (rows !== null && rows !== TILED && rows !== length) return null;
    rows = length;
  }
  return rows;
}

/** Runs of rows are no shorter than this part of what fits, where rows are alike. */
const PART_USED = 1 / 4;

/** Does the steps of a group, and puts what others need of them among the task's values. */
export function runTiles(first: number, { rows, ways }: TileGroup, task: TaskState): void {
  const run = new TiledRun(ways, task);
  let size = run.firstSize(first, rows);
  for (let start = 0; start < rows; ) {
    const stop = Math.min(rows, start + size);
    const most = run.tile(start, stop, rows);
    if (most === null) {
      size = Math.max(1, (stop - start) >> 1);
      continue;
    }
    start = stop;
    if (most < task.room * PART_USED) size *= 2;
  }
  run.finish();
}

class TiledRun {
  readonly #task: TaskState;
  readonly #ways: ReadonlyMap<number, Piecewise>;
  /** How often steps of the group use each other. */
  readonly #uses: ReadonlyMap<number, number>;
  /** What others than steps of the group need. */
  readonly #pieces = new Map<number, Partition[]>();
  #kept = 0;

  constructor(ways: ReadonlyMap<number, Piecewise>, task: TaskState) {
    this.#task = task;
    this.#ways = ways;
    const { steps, outputs } = task.operation;
    const uses = new Map<number, number>();
    const others = new Set(outputs.map(({ value }) => value.step));
    steps.forEach(({ inputs }, at) => {
      if (task.boxes[at] == null) return;
      for (const { step } of inputs)
        if (ways.has(at)) uses.set(step, (uses.get(step) ?? 0) + 1);
        else others.add(step);
    });
    for (const [at, way] of ways) if (way === "states" || others.has(at)) this.#pieces.set(at, []);
    this.#uses = uses;
  }

  #step(at: number): RaggedStep {
    return this.#task.operation.steps[at] as RaggedStep;
  }

  firstSize(first: number, rows: number): number {
    const { room, values } = this.#task;
    const bytes = this.#growth(first, this.#given(first, values, 0, rows));
    return Math.max(1, Math.min(rows, Math.floor((rows * room * PART_USED) / Math.max(1, bytes))));
  }

  /** Rows of an input, of the run or of what there was before. */
  #given(at: number, tile: PartitionValues, start: number, stop: number): (readonly Partition[])[] {
    const { values, format } = this.#task;
    const types = inputTypes(this.#task.operation.steps, this.#step(at));
    return this.#step(at).inputs.map(({ step: from }, k) => {
      const made = (this.#ways.has(from) ? tile.get(from) : values.get(from))?.made;
      if (made === undefined || isBlock(made))
        throw new InvariantError({ what: `step ${from} is done in pieces, and is not there` });
      const type = types[k]!;
      const isWhole = made[0]!.length === 1 || (type.kind === "ragged" && type.isItem);
      return this.#ways.has(from) || isWhole ? made : [format.slice(made[0]!, start, stop)];
    });
  }

  #place(at: number): RaggedPlace {
    const step = this.#step(at);
    return placeOf(step, inputTypes(this.#task.operation.steps, step), this.#task.boxes[at]!);
  }

  #growth(at: number, given: readonly (readonly Partition[])[]): number {
    const { op, attrs } = this.#step(at);
    return op.growth?.(given, attrs, this.#place(at)).bytes ?? 0;
  }

  /** The most bytes that the run needed; null where it needs more than there is room for. */
  tile(start: number, stop: number, rows: number): number | null {
    const { format, room, values } = this.#task;
    const tile = new PartitionValues(format, values);
    try {
      for (const at of this.#ways.keys()) {
        const given = this.#given(at, tile, start, stop);
        const needed = tile.live + this.#growth(at, given);
        if (needed > room && stop - start > 1) return null;
        this.#check(at, needed, stop - start, 1);
        this.#make(at, given, tile);
      }
      this.#keep(tile);
      this.#check([...this.#pieces.keys()].at(-1)!, MOST_COPIES * this.#kept, rows, rows / stop);
      return tile.most;
    } finally {
      tile.end();
    }
  }

  #make(at: number, given: readonly (readonly Partition[])[], tile: PartitionValues): void {
    const { op, attrs, inputs } = this.#step(at);
    const taken: TypedArray[] = [];
    const made = withOrigin(at, () =>
      this.#task.format.watch(() => op.run(given, attrs, this.#place(at)) as Partition, taken),
    );
    const uses = (this.#uses.get(at) ?? 0) + (this.#pieces.has(at) ? 1 : 0);
    tile.add(at, { box: this.#task.boxes[at]!, made: [made], uses }, taken);
    if (uses === 0) tile.used(at);
    for (const { step: from } of inputs) if (this.#ways.has(from)) tile.used(from);
  }

  #keep(tile: PartitionValues): void {
    const { values } = this.#task;
    const before = values.live;
    for (const [at, pieces] of this.#pieces) {
      const { made } = tile.get(at)!;
      values.adopt(made as Partition[], tile);
      pieces.push((made as Partition[])[0]!);
    }
    this.#kept += values.live - before;
  }

  /** `times`: so many times as much will be needed in the end. */
  #check(at: number, bytes: number, rows: number, times: number): void {
    const { most, operation, values } = this.#task;
    const needed = values.live - this.#kept + bytes * times;
    if (values.live - this.#kept + bytes > most)
      throw tooLarge(operation, at, { needed, allowed: most, rows });
  }

  /** What others need: rows one after another, states joined. */
  finish(): void {
    const { values, format, boxes } = this.#task;
    for (const [at, pieces] of this.#pieces) {
      const taken: TypedArray[] = [];
      const { op, attrs } = this.#step(at);
      const made = withOrigin(at, () =>
        format.watch(
          () =>
            this.#ways.get(at) === "states" ? op.join!(pieces, attrs, this.#place(at)) : format.join(pieces),
          taken,
        ),
      );
      values.add(at, { box: boxes[at]!, made: [made], uses: this.#usesOutside(at) }, taken);
      for (const piece of pieces) values.letGo([piece]);
    }
    for (const [at, times] of this.#uses) if (!this.#ways.has(at)) values.used(at, times);
  }

  #usesOutside(at: number): number {
    const { operation, boxes } = this.#task;
    const users = operation.steps.flatMap(({ inputs }, user) =>
      boxes[user] == null || this.#ways.has(user) ? [] : inputs.filter(({ step }) => step === at),
    );
    return users.length + operation.outputs.filter(({ value }) => value.step === at).length;
  }
}

/** A result in pieces, put together, and as one piece of bytes. */
const MOST_COPIES = 3;

/** Who tells of the error finds the user's line by the number of the step. */
export function withOrigin<T>(at: number, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw originOf(error, at);
  }
}

export function originOf(error: unknown, at: number): unknown {
  if (error instanceof Error && Object.isExtensible(error)) Object.assign(error, { origin: at });
  return error;
}

/** What is needed of rows that were not looked at is guessed by those that were. */
const SURELY = 0.75;

/** What does not fit, and cannot be cut further; of several rows, how many a partition may have. */
export function tooLarge(
  { name, steps }: Operation,
  at: number,
  {
    needed,
    allowed,
    rows,
  }: { readonly needed: number; readonly allowed: number; readonly rows: number | null },
): MemoryError {
  const { line } = steps[at] as RaggedStep;
  const fewer = rows === null ? 0 : Math.max(1, Math.floor((rows * allowed * SURELY) / needed));
  const cut =
    rows !== null && rows > 1
      ? `, or cut its input into smaller partitions: rg.repartition(x, {rows: ${fewer}})`
      : "";
  const what =
    rows === null
      ? "all rows together"
      : rows === 1
        ? "one row of a partition"
        : `${rows} rows of a partition`;
  return originOf(
    new MemoryError({
      what: `${what} need about ${bytesText(needed)}, and a task may have ${bytesText(allowed)}`,
      cure: `Allow more memory${cut}`,
      ...{ operation: name, line, terms: [], needed, allowed, reserved: 0, chunks: null, smaller: null },
    }),
    at,
  ) as MemoryError;
}
