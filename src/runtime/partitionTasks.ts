// Partitions of ragged arrays while a plan runs. In: a task of an operation on partitions. Out: what it makes, step by
// step, each value let go after its last use, and where they would take more than there is room for, a few rows at a time
// (partitionTiles.ts). Between tasks partitions rest as bytes, in blocks like any other.

import type { Block } from "../core/block.ts";
import { type Box, placeOf } from "../core/chunks.ts";
import type { TypedArray } from "../core/dtype.ts";
import type { ArrayType, Growth, Made, Partition, RaggedInput } from "../expr/op.ts";
import { Borrowed } from "../kernel/blockProgram.ts";
import { copyElements } from "../kernel/routines/stridedWalk.ts";
import type { PartitionResource } from "../ops/partitions.ts";
import { inputTypes, taskBoxes } from "../plan/demand.ts";
import { chunkOfArray, type Operation, type OpStep, type PlanArray } from "../plan/plan.ts";
import { roomOf } from "../plan/taskMemory.ts";
import type { PartitionSource, PartitionTarget, Soon, TaskArrays } from "./arrays.ts";
import type { TaskStats } from "./events.ts";
import { originOf, runTiles, type TaskState, tileGroup, tooLarge } from "./partitionTiles.ts";
import { bytesMade, isBlock, PartitionValues, type Value } from "./partitionValues.ts";
import { now } from "./scheduler/policy.ts";

/** A source: its partitions are read from where they lie. */
export class ReadPartitions implements PartitionSource {
  readonly resource: PartitionResource;

  constructor(resource: PartitionResource) {
    this.resource = resource;
  }

  partition(at: number): Soon<Partition> {
    return this.resource.readPartition(at);
  }
}

/** Gets a partition of a result as soon as it is there. */
export type TakePartition = (at: number, partition: Partition) => Soon<void>;

/** A result: its partitions go to whoever takes them. */
export class TakenPartitions implements PartitionTarget {
  readonly put: TakePartition;

  constructor(take: TakePartition) {
    this.put = take;
  }
}

export async function runRaggedTask(
  operation: Operation,
  task: number,
  using: TaskArrays,
): Promise<TaskStats> {
  return new RaggedTask(operation, task, using).run();
}

/** Of the room between steps, what all rows at once may take. The rest is for runs of rows, where that is not enough. */
const WHOLE_PART = 3 / 4;

class RaggedTask {
  readonly #operation: Operation;
  readonly #using: TaskArrays;
  readonly #place: readonly number[];
  readonly #boxes: readonly (Box | null)[];
  readonly #uses: readonly number[];
  readonly #values: PartitionValues;
  readonly #read = new Map<string, RaggedInput>();
  readonly #borrowed: Borrowed;
  readonly #task: number;
  readonly #room: number;
  /** Bytes of what was read, which is counted by itself. */
  #base = 0;
  #bytesRead = 0;

  constructor(operation: Operation, task: number, using: TaskArrays) {
    this.#operation = operation;
    this.#using = using;
    this.#borrowed = new Borrowed(using.backend);
    this.#task = task;
    this.#place = placeOf(task, operation.grid);
    this.#values = new PartitionValues(using.partitions!);
    this.#room = roomOf(operation, using.arrays);
    const boxes = operation.outputs.map(({ array }) => this.#chunk(array));
    this.#boxes = taskBoxes(operation, boxes);
    this.#uses = usesOf(operation, this.#boxes);
  }

  #chunk(array: string): Box {
    return chunkOfArray(this.#using.arrays.get(array)!, this.#place);
  }

  async run(): Promise<TaskStats> {
    const startTime = now();
    try {
      await this.#readAll();
      const readTime = now();
      await this.#makeAll();
      const computeTime = now();
      let bytesWritten = 0;
      for (const { array, value } of this.#operation.outputs)
        bytesWritten += await this.#write(array, this.#values.get(value.step)!);
      const bytes = { bytesRead: this.#bytesRead, bytesWritten };
      const measuredMem = this.#values.most + this.#borrowed.most;
      return { startTime, readTime, computeTime, endTime: now(), ...bytes, measuredMem };
    } finally {
      this.#values.end();
      this.#borrowed.giveBack();
    }
  }

  async #readAll(): Promise<void> {
    for (const [at, step] of this.#operation.steps.entries())
      if (step.kind === "read" && this.#boxes[at] != null)
        this.#add(at, await this.#reading(step.array, this.#boxes[at]));
    this.#base = this.#values.live;
  }

  async #makeAll(): Promise<void> {
    for (const [at, step] of this.#operation.steps.entries()) {
      if (step.kind === "read" || this.#boxes[at] == null || this.#isTiled(at)) continue;
      if (!this.#inTiles(at, step as RaggedStep)) await this.#making(at, step as RaggedStep);
    }
  }

  readonly #tiled = new Set<number>();
  #isTiled(at: number): boolean {
    return this.#tiled.has(at);
  }

  #add(at: number, made: RaggedInput, taken: readonly TypedArray[] = []): void {
    this.#values.add(at, { box: this.#boxes[at]!, made, uses: this.#uses[at]! }, taken);
  }

  /** Each window once. */
  async #reading(array: string, box: Box): Promise<RaggedInput> {
    const key = `${array} ${box.start} ${box.shape}`;
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const made = await this.#readFrom(this.#using.arrays.get(array)!, box);
    this.#read.set(key, made);
    this.#bytesRead += bytesMade(made, this.#using.partitions!);
    return made;
  }

  #readFrom({ kind, name }: PlanArray, box: Box): Soon<RaggedInput> {
    switch (kind) {
      case "dense":
        return this.#using.source(name).window(box, this.#borrowed);
      case "ragged":
        return partsOf(this.#using.partitionSource(name), box);
      default:
        throw kind satisfies never;
    }
  }

  /** False where all rows fit, or have to be there at once. */
  #inTiles(at: number, step: RaggedStep): boolean {
    const growth = this.#growth(at, step);
    const needed = this.#values.live - this.#base + growth.bytes;
    if (needed <= this.#room * WHOLE_PART) return false;
    const most = this.#most;
    const task: TaskState = {
      ...{ operation: this.#operation, boxes: this.#boxes, values: this.#values },
      ...{ format: this.#using.partitions!, room: this.#room * (1 - WHOLE_PART), most },
    };
    const group = tileGroup(at, task);
    if (group === null) {
      if (growth.isCounted && this.#base + needed > most)
        throw tooLarge(this.#operation, at, { needed, allowed: most, rows: null });
      return false;
    }
    for (const tiled of group.ways.keys()) this.#tiled.add(tiled);
    runTiles(at, group, task);
    return true;
  }

  /** Bytes that it may have, however little was stated. */
  get #most(): number {
    const { taskMem = Number.POSITIVE_INFINITY } = this.#using;
    return Math.max(taskMem, this.#using.limitOf?.(this.#operation) ?? 0);
  }

  #growth(at: number, step: RaggedStep): Growth {
    const { op, attrs } = step;
    const box = this.#boxes[at]!;
    const type = step.types[0]!;
    if (op.growth === undefined || type.kind === "dense" || box.shape[0] !== 1) return NOTHING;
    const inputs = inputTypes(this.#operation.steps, step);
    return op.growth(this.#given(step, box, inputs), attrs, { box, inputs, type });
  }

  #given(step: RaggedStep, out: Box, inputs: readonly ArrayType[]): RaggedInput[] {
    const wanted = step.op.demand(out, inputs, step.attrs, step.types[0]!);
    return step.inputs.map(({ step: from }, k) => partOf(this.#values.get(from)!, wanted[k]!));
  }

  async #making(at: number, step: RaggedStep): Promise<void> {
    const box = this.#boxes[at]!;
    const type = step.types[0]!;
    const taken: TypedArray[] = [];
    const made: Made[] = [];
    if (type.kind === "dense") made.push(await this.#run(at, step, box, taken));
    else
      for (let i = 0; i < box.shape[0]!; i++)
        made.push(await this.#run(at, step, { start: [box.start[0]! + i], shape: [1] }, taken));
    this.#add(at, type.kind === "dense" ? (made[0] as Block) : (made as Partition[]), taken);
    for (const { step: from } of step.inputs) this.#values.used(from);
  }

  /** What waits, or is somebody else's code, may hold what it took for longer: that is left to the collector. */
  async #run(at: number, step: RaggedStep, out: Box, taken: TypedArray[]): Promise<Made> {
    const { op, attrs } = step;
    const inputs = inputTypes(this.#operation.steps, step);
    const place = { box: out, inputs, type: step.types[0]! };
    const given = this.#given(step, out, inputs);
    const own: TypedArray[] = [];
    try {
      const made = this.#using.partitions!.watch(() => op.run(given, attrs, place), own);
      const isOurs = op.isOpaque !== true && place.type.kind === "ragged" && !(made instanceof Promise);
      if (isOurs) taken.push(...own);
      return await made;
    } catch (error) {
      throw originOf(error, at);
    }
  }

  async #write(array: string, { made }: Value): Promise<number> {
    const bytes = bytesMade(made, this.#using.partitions!);
    if (!isBlock(made)) {
      const target = this.#using.partitionTarget(array);
      // Who takes partitions as they are has them from now on.
      if (target instanceof TakenPartitions) this.#values.giveAway(made);
      await target.put(this.#task, made[0]!);
      return bytes;
    }
    const target = this.#using.target(array);
    const box = this.#chunk(array);
    const block = target.block(box, this.#borrowed);
    copyElements(made, block);
    await target.store(box, block, this.#borrowed);
    return bytes;
  }
}

type RaggedStep = OpStep<"ragged">;

const NOTHING: Growth = { bytes: 0, isCounted: false };

/** How often each step's value is used: by steps of this task, and as an output. */
function usesOf({ steps, outputs }: Operation, boxes: readonly (Box | null)[]): number[] {
  const uses = steps.map(() => 0);
  steps.forEach(({ inputs }, user) => {
    if (boxes[user] != null) for (const { step } of inputs) uses[step]!++;
  });
  for (const { value } of outputs) uses[value.step]!++;
  return uses;
}

async function partsOf(source: PartitionSource, box: Box): Promise<Partition[]> {
  const parts: Partition[] = [];
  for (let i = 0; i < box.shape[0]!; i++) parts.push(await source.partition(box.start[0]! + i));
  return parts;
}

/** What one output place needs of a value that others may need more of. */
function partOf({ box, made }: Value, wanted: Box): RaggedInput {
  if (isBlock(made)) return made;
  const first = wanted.start[0]! - box.start[0]!;
  return first === 0 && wanted.shape[0] === made.length ? made : made.slice(first, first + wanted.shape[0]!);
}
