// A plan that is run again and again with other blocks. In: a plan of few small operations of one task each, and what of its
// sources changes from run to run. Out: a run whose kernels, windows and blocks are found once, so that a run costs little more
// than its kernels: nothing is scheduled, looked up or allocated. Null where a plan is not of that kind.
// Must hold: blocks between operations are the standing run's own (docs/adr/0025); what is handed out of it lies elsewhere. It
// is not entered twice at a time: it computes at once.

import { type Block, blockBytes, newBlock, type Resource, subBlock } from "../core/block.ts";
import { type Box, placeOf, type Shape, sameShape, sizeOf, stridesOf } from "../core/chunks.ts";
import { allocate, type DType } from "../core/dtype.ts";
import type { Backend, Kernel } from "../kernel/backend.ts";
import { Borrowed, KEPT_BYTES } from "../kernel/blockProgram.ts";
import { copyElements } from "../kernel/routines/stridedWalk.ts";
import { DataResource } from "../lazy/lazyArray.ts";
import { compileTask } from "../plan/compile/compileTask.ts";
import type { TaskProgram } from "../plan/compile/programWriter.ts";
import { roundsOf } from "../plan/compile/rounds.ts";
import {
  type DensePlanArray,
  isRagged,
  type Operation,
  type PlanArray,
  type PlanData,
} from "../plan/plan.ts";
import { memoryOf, totalMemory } from "../plan/taskMemory.ts";
import { presentBlock } from "./runArrays.ts";
import { failedTask } from "./taskError.ts";
import { functionsOf } from "./userFunctions.ts";

/** Smaller blocks are kept in the kernels' memory: copying them there costs less than working on them where they are. */
export const SMALL_BYTES: number = KEPT_BYTES;
/** Plans of more operations, or with more between them, are run like any other: then this is little of their time. */
const MOST_OPERATIONS = 256;
const MOST_BYTES = 64 << 20;

export interface StandingParts {
  readonly plan: PlanData;
  readonly sources: ReadonlyMap<string, Resource>;
  /** What every run brings a block for. */
  readonly inputs: readonly Resource[];
  readonly backend: Backend;
  /** Bytes that may be kept between runs. */
  readonly limit: number;
  /** Nobody else looks after the memory of users' functions: plans with them are not run so. False: somebody does. */
  readonly isWatched?: boolean;
  /** Where what a run makes lies unless a block is brought for it; in memory of its own unless given. */
  readonly place?: PlaceOf;
}

/** A block for an array, which nobody gives back. */
export type PlaceOf = (dtype: DType, shape: Shape) => Block;

/** A block that is another in every run, and where a task's program has it. */
interface Patch {
  readonly buffer: number;
  readonly array: number;
  /** Null for all of it. */
  readonly box: Box | null;
}

interface StandingTask {
  readonly kernel: Kernel;
  /** What it may borrow is what was stated for it. */
  readonly room: Borrowed;
  readonly bound: Block[];
  readonly patches: readonly Patch[];
}

export class StandingRun {
  readonly #plan: PlanData;
  readonly #tasks: readonly StandingTask[];
  /** By array: its block in this run. */
  readonly #blocks: Block[];
  /** Arrays that an input is bound to; none where the plan does not need it. */
  readonly #inputs: readonly (readonly number[])[];
  readonly #results: readonly number[];
  /** Blocks of results that nobody brought one for, by array. */
  readonly #own: Block[] = [];
  readonly #placeOf: PlaceOf;

  private constructor(parts: StandingParts, tasks: readonly TaskProgram[]) {
    const { plan, inputs, sources, backend } = parts;
    const { place = (dtype, shape) => ownedBlock(backend, dtype, shape) } = parts;
    const numbers = new Map(plan.arrays.map(({ name }, number) => [name, number]));
    this.#plan = plan;
    this.#placeOf = place;
    const changes = (name: string): boolean => inputs.includes(sources.get(name)!);
    this.#blocks = plan.arrays.map((array) =>
      array.role === "result" || changes(array.name)
        ? unboundBlock(array as DensePlanArray)
        : fixedBlock(array as DensePlanArray, sources.get(array.name), backend, place),
    );
    this.#inputs = inputs.map((input) =>
      [...sources].filter(([, resource]) => resource === input).map(([name]) => numbers.get(name)!),
    );
    this.#results = plan.results.map((name) => numbers.get(name)!);
    const changing = new Set([...this.#inputs.flat(), ...this.#results]);
    const arrays = new Map(plan.arrays.map((array) => [array.name, array]));
    this.#tasks = tasks.map((task, at) => ({
      ...this.#standing(task, numbers, changing),
      kernel: backend.compile(task.program),
      room: new Borrowed(backend, limitOf(task, plan.operations[at]!, arrays)),
    }));
  }

  static of(parts: StandingParts): StandingRun | null {
    return isStanding(parts) ? new StandingRun(parts, tasksOf(parts.plan)) : null;
  }

  #standing(
    { reads, writes }: TaskProgram,
    numbers: ReadonlyMap<string, number>,
    changing: ReadonlySet<number>,
  ): Pick<StandingTask, "bound" | "patches"> {
    const bound: Block[] = [];
    const patches: Patch[] = [];
    for (const { array, box, buffer } of [...writes, ...reads]) {
      const number = numbers.get(array)!;
      const block = this.#blocks[number]!;
      const isWhole = sameShape(box.shape, block.shape);
      bound[buffer] = isWhole ? block : subBlock(block, box.start, box.shape);
      if (changing.has(number)) patches.push({ buffer, array: number, box: isWhole ? null : box });
    }
    return { bound, patches };
  }

  /**
   * The results' blocks: those that were brought for them, or its own, which the next run overwrites. A block is brought for
   * one result. `withLines`: the plan for who is told of an error.
   */
  run(
    inputs: readonly Block[],
    results: readonly (Block | undefined)[],
    threads?: number,
    withLines?: () => PlanData,
  ): Block[] {
    const blocks = this.#blocks;
    for (let i = 0; i < inputs.length; i++) for (const array of this.#inputs[i]!) blocks[array] = inputs[i]!;
    for (let i = 0; i < this.#results.length; i++) {
      const array = this.#results[i]!;
      blocks[array] = results[i] ?? this.#ownBlock(array);
    }
    try {
      for (let at = 0; at < this.#tasks.length; at++) this.#runTask(at, threads, withLines);
      return this.#results.map((array) => blocks[array]!);
    } finally {
      this.#letGo();
    }
  }

  /** What was brought is its owners' alone: it lives no longer for having been in a run. */
  #letGo(): void {
    for (const arrays of this.#inputs) for (const array of arrays) this.#blocks[array] = NOTHING;
    for (const array of this.#results) this.#blocks[array] = NOTHING;
    for (const { bound, patches } of this.#tasks) for (const { buffer } of patches) bound[buffer] = NOTHING;
  }

  #ownBlock(array: number): Block {
    const known = this.#own[array];
    if (known !== undefined) return known;
    const { dtype, shape } = this.#plan.arrays[array] as DensePlanArray;
    const block = this.#placeOf(dtype, shape);
    this.#own[array] = block;
    return block;
  }

  #runTask(at: number, threads: number | undefined, withLines: (() => PlanData) | undefined): void {
    const { kernel, bound, patches, room } = this.#tasks[at]!;
    for (const { buffer, array, box } of patches) {
      const block = this.#blocks[array]!;
      bound[buffer] = box === null ? block : subBlock(block, box.start, box.shape);
    }
    try {
      void kernel.run(bound, room, threads);
    } catch (error) {
      throw failedTask(withLines?.() ?? this.#plan, at, error);
    } finally {
      room.giveBack();
    }
  }
}

function isStanding({ plan, sources, inputs, backend, limit, isWatched }: StandingParts): boolean {
  const { operations, arrays } = plan;
  if (backend.isAsync === true || operations.length > MOST_OPERATIONS) return false;
  if (operations.some((operation) => sizeOf(operation.grid) !== 1 || isRagged(operation))) return false;
  if (isWatched !== false && functionsOf(plan).length > 0) return false;
  for (const resource of sources.values())
    if (!inputs.includes(resource) && !(resource instanceof DataResource)) return false;
  const between = arrays.reduce(
    (sum, array) => sum + (array.role === "intermediate" ? bytesOf(array as DensePlanArray) : 0),
    0,
  );
  return between <= Math.min(MOST_BYTES, limit);
}

/** What was stated for a product in rounds is for the rounds: here its operands are whole. */
const limitOf = (task: TaskProgram, operation: Operation, arrays: ReadonlyMap<string, PlanArray>): number =>
  roundsOf(task) === null ? totalMemory(memoryOf(operation, arrays)) : Number.POSITIVE_INFINITY;

function tasksOf(plan: PlanData): TaskProgram[] {
  const arrays = new Map(plan.arrays.map((array) => [array.name, array]));
  return plan.operations.map((operation) => compileTask(operation, arrays, placeOf(0, operation.grid)));
}

/** In the kernels' memory where there is room; it is given back when nobody holds it any more. */
export const ownedBlock = (backend: Backend, dtype: DType, shape: Shape): Block =>
  backend.keep(dtype, shape) ?? newBlock(dtype, shape);

const NOTHING: Block = { dtype: "uint8", shape: [], strides: [], offset: 0, data: allocate("uint8", 0) };

/** What is bound before it is used: only how long it is counts. */
const unboundBlock = ({ dtype, shape }: DensePlanArray): Block => ({
  ...{ dtype, shape, strides: stridesOf(shape), offset: 0, data: allocate(dtype, 0) },
});

/** Data that are the same in every run, small ones at hand for kernels; or what lies between operations. */
function fixedBlock(
  { dtype, shape }: DensePlanArray,
  data: Resource | undefined,
  backend: Backend,
  placeOf: PlaceOf,
): Block {
  if (!(data instanceof DataResource)) return placeOf(dtype, shape);
  const block = presentBlock(backend, "data", data);
  if (block.place !== undefined || blockBytes(dtype, shape) > SMALL_BYTES) return block;
  const own = placeOf(dtype, shape);
  copyElements(block, own);
  return own;
}

const bytesOf = ({ dtype, shape }: DensePlanArray): number => blockBytes(dtype, shape);
