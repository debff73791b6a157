// Partitions of ragged arrays while a plan runs. In: a task of an operation on partitions. Out: what it makes, step by
// step, each value let go after its last use. Between tasks partitions rest as bytes, in blocks like any other.

import { type Block, blockBytes } from "../core/block.ts";
import { type Box, placeOf } from "../core/chunks.ts";
import type { Made, Partition, RaggedInput } from "../expr/op.ts";
import { Borrowed } from "../kernel/blockProgram.ts";
import { copyElements } from "../kernel/routines/stridedWalk.ts";
import type { PartitionFormat, PartitionResource } from "../ops/partitions.ts";
import { inputTypes, taskBoxes } from "../plan/demand.ts";
import { chunkOfArray, type Operation, type OpStep, type PlanArray } from "../plan/plan.ts";
import type { PartitionSource, PartitionTarget, Soon, TaskArrays } from "./arrays.ts";
import type { TaskStats } from "./events.ts";
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

/** A value of a step: the partitions of a box, or a block. */
interface Value {
  readonly box: Box;
  readonly made: RaggedInput;
  readonly bytes: number;
  uses: number;
}

export async function runRaggedTask(
  operation: Operation,
  task: number,
  using: TaskArrays,
): Promise<TaskStats> {
  return new RaggedTask(operation, task, using).run();
}

class RaggedTask {
  readonly #operation: Operation;
  readonly #using: TaskArrays;
  readonly #place: readonly number[];
  readonly #boxes: readonly (Box | null)[];
  readonly #uses: readonly number[];
  readonly #values = new Map<number, Value>();
  readonly #read = new Map<string, RaggedInput>();
  readonly #borrowed: Borrowed;
  readonly #task: number;
  #live = 0;
  #most = 0;
  #bytesRead = 0;

  constructor(operation: Operation, task: number, using: TaskArrays) {
    this.#operation = operation;
    this.#using = using;
    this.#borrowed = new Borrowed(using.backend);
    this.#task = task;
    this.#place = placeOf(task, operation.grid);
    const boxes = operation.outputs.map(({ array }) => this.#chunk(array));
    this.#boxes = taskBoxes(operation, boxes);
    this.#uses = usesOf(operation, this.#boxes);
  }

  #chunk(array: string): Box {
    return chunkOfArray(this.#using.arrays.get(array)!, this.#place);
  }

  async run(): Promise<TaskStats> {
    const startTime = now();
    const { steps, outputs } = this.#operation;
    try {
      let readTime = startTime;
      for (const [at, step] of steps.entries()) {
        if (this.#boxes[at] == null) continue;
        const before = now();
        if (step.kind === "read") this.#add(at, await this.#reading(step.array, this.#boxes[at]));
        else this.#add(at, await this.#making(at, step as OpStep<"ragged">));
        if (step.kind === "read") readTime += now() - before;
      }
      const computeTime = now();
      let bytesWritten = 0;
      for (const { array, value } of outputs)
        bytesWritten += await this.#write(array, this.#values.get(value.step)!);
      const bytes = { bytesRead: this.#bytesRead, bytesWritten };
      const measuredMem = this.#most + this.#borrowed.most;
      return { startTime, readTime, computeTime, endTime: now(), ...bytes, measuredMem };
    } finally {
      this.#borrowed.giveBack();
    }
  }

  #add(at: number, made: RaggedInput): void {
    const bytes = isBlock(made)
      ? blockBytes(made.dtype, made.shape)
      : sumBytes(made, this.#using.partitions!);
    this.#values.set(at, { box: this.#boxes[at]!, made, bytes, uses: this.#uses[at]! });
    this.#live += bytes;
    this.#most = Math.max(this.#most, this.#live);
  }

  /** Each window once. */
  async #reading(array: string, box: Box): Promise<RaggedInput> {
    const key = `${array} ${box.start} ${box.shape}`;
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const made = await this.#readFrom(this.#using.arrays.get(array)!, box);
    this.#read.set(key, made);
    this.#bytesRead += isBlock(made)
      ? blockBytes(made.dtype, made.shape)
      : sumBytes(made, this.#using.partitions!);
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

  async #making(at: number, step: OpStep<"ragged">): Promise<RaggedInput> {
    const box = this.#boxes[at]!;
    const { op } = step;
    const inputs = inputTypes(this.#operation.steps, step);
    const type = step.types[0]!;
    const run = async (out: Box): Promise<Made> => {
      const wanted = op.demand(out, inputs, step.attrs, type);
      const given = step.inputs.map(({ step: from }, k) => partOf(this.#values.get(from)!, wanted[k]!));
      try {
        return await op.run(given, step.attrs, { box: out, inputs, type });
      } catch (error) {
        throw withOrigin(error, at);
      }
    };
    const made: Made[] = [];
    if (type.kind === "dense") made.push(await run(box));
    else
      for (let i = 0; i < box.shape[0]!; i++)
        made.push(await run({ start: [box.start[0]! + i], shape: [1] }));
    for (const { step: from } of step.inputs) this.#used(from);
    return type.kind === "dense" ? (made[0] as Block) : (made as Partition[]);
  }

  #used(at: number): void {
    const value = this.#values.get(at)!;
    value.uses--;
    if (value.uses > 0) return;
    this.#live -= value.bytes;
    this.#values.delete(at);
  }

  async #write(array: string, { made, bytes }: Value): Promise<number> {
    if (!isBlock(made)) {
      await this.#using.partitionTarget(array).put(this.#task, made[0]!);
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

/** How often each step's value is used: by steps of this task, and as an output. */
function usesOf({ steps, outputs }: Operation, boxes: readonly (Box | null)[]): number[] {
  const uses = steps.map(() => 0);
  steps.forEach(({ inputs }, user) => {
    if (boxes[user] != null) for (const { step } of inputs) uses[step]!++;
  });
  for (const { value } of outputs) uses[value.step]!++;
  return uses;
}

const isBlock = (made: RaggedInput): made is Block => !Array.isArray(made);

const sumBytes = (parts: readonly Partition[], format: PartitionFormat): number =>
  parts.reduce((sum, part) => sum + format.bytesOf(part), 0);

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

/** Who tells of the error finds the user's line by the number of the step. */
function withOrigin(error: unknown, at: number): unknown {
  if (error instanceof Error && Object.isExtensible(error)) Object.assign(error, { origin: at });
  return error;
}
