// The arrays of a plan while it runs. In: a plan, what its sources are, and where its results go. Out: for every array
// where it is read and written, and what can be said of the run before it begins.

import { type Block, blockBytes, type Resource } from "../core/block.ts";
import { shapeText, sizeOf } from "../core/chunks.ts";
import { bytesText } from "../core/counts.ts";
import { InvariantError, RunError } from "../core/errors.ts";
import type { Backend } from "../kernel/backend.ts";
import { resultBlock } from "../kernel/blockProgram.ts";
import { DataResource } from "../lazy/lazyArray.ts";
import { InputResource } from "../lazy/placeholders.ts";
import { OPS } from "../ops/index.ts";
import { type PartitionFormat, PartitionResource } from "../ops/partitions.ts";
import {
  type DensePlanArray,
  gridOfArray,
  isRagged,
  type Operation,
  type PlanArray,
  type PlanData,
  type PlanStep,
} from "../plan/plan.ts";
import { arrayBytes } from "../plan/taskMemory.ts";
import type { CodecTable } from "../storage/codecs/table.ts";
import type { DenseTarget } from "../storage/formats/denseFormat.ts";
import { type FormatTable, hereOnly, StoredSource } from "../storage/formats/table.ts";
import type { Store } from "../storage/store.ts";
import {
  type BlockSource,
  type BlockTarget,
  type HeldArray,
  HeldBlocks,
  HeldPartitions,
  MemoryArray,
  type PartitionSource,
  type PartitionTarget,
  type RunProgram,
  type TaskArrays,
} from "./arrays.ts";
import type { RunEvent } from "./events.ts";
import { ReadPartitions, TakenPartitions, type TakePartition } from "./partitionTasks.ts";
import { PlanGraph } from "./planGraph.ts";
import type { TaskRef } from "./scheduler/taskGraph.ts";
import { SourceArray, storeOfTarget, TargetArray, type Written } from "./storedArrays.ts";
import { functionsOf, type MemoryWatch } from "./userFunctions.ts";

export interface RunRequest {
  readonly plan: PlanData;
  readonly sources: ReadonlyMap<string, Resource>;
  /** Results that go to a store, by their names in the plan. The others stay in memory. */
  readonly targets?: ReadonlyMap<string, Written> | undefined;
  /** Who takes the partitions of ragged results, by their names in the plan. */
  readonly takers?: ReadonlyMap<string, TakePartition> | undefined;
  /** The same plan with the lines of the user's code: asked for when something fails. */
  readonly withLines?: (() => PlanData) | undefined;
  readonly emit?: ((event: RunEvent) => void) | null | undefined;
  /** What computes, and has the memory of blocks. */
  readonly backend: Backend;
  /** For each kernel; as many as the machine has when not said. */
  readonly threads?: number | undefined;
  /** The codecs that arrays may name: threads have the same. */
  readonly codecs?: CodecTable | undefined;
  /** The formats of sources and targets: threads have the same. */
  readonly formats?: FormatTable | undefined;
  /** What partitions of ragged arrays are made of. */
  readonly partitions?: PartitionFormat | null | undefined;
}

/** The arrays of a plan while it runs. */
export class RunArrays implements TaskArrays {
  readonly request: RunRequest;
  readonly graph: PlanGraph;
  readonly run: RunProgram;
  readonly held: Map<string, HeldArray> = new Map();
  /** Sources in stores, and results that go there. */
  readonly sources: Map<string, StoredSource> = new Map();
  readonly written: Map<string, Written> = new Map();
  readonly #stored = new Map<string, SourceArray | TargetArray>();
  readonly memory: Map<string, MemoryArray> = new Map();
  /** Ragged sources, and ragged results. */
  readonly partitioned: Map<string, ReadPartitions> = new Map();
  readonly taken: Map<string, TakenPartitions> = new Map();
  readonly #isTight: boolean;
  readonly #budget: number;
  /** Of plans with users' functions. */
  readonly watch: MemoryWatch | null;

  constructor(
    request: RunRequest,
    budget: number = Number.POSITIVE_INFINITY,
    watch: MemoryWatch | null = null,
  ) {
    this.request = request;
    this.watch = watch;
    this.graph = graphOf(request.plan);
    this.#budget = budget;
    this.#isTight = this.graph.operations.some(({ projectedMem }) => budget < FEW_TASKS * projectedMem);
    this.run = watched(runningOn(request), watch);
    for (const array of request.plan.arrays) this.#place(array);
  }

  get arrays(): ReadonlyMap<string, PlanArray> {
    return this.graph.arrays;
  }

  get backend(): Backend {
    return this.request.backend;
  }

  get partitions(): PartitionFormat | null {
    return this.request.partitions ?? null;
  }

  #place(array: PlanArray): void {
    const { name, role } = array;
    const target = this.request.targets?.get(name);
    if (role === "source") this.#bind(name, this.request.sources.get(name)!);
    else if (target !== undefined) this.#write(name, target);
    else if (role === "intermediate") this.held.set(name, this.#heldFor(array));
    else if (array.kind === "ragged") this.taken.set(name, this.#takenBy(array));
    else this.memory.set(name, new MemoryArray(resultOf(this.backend, array)));
  }

  #heldFor(array: PlanArray): HeldArray {
    switch (array.kind) {
      case "dense":
        return new HeldBlocks(array, this.backend, this.#isTight);
      case "ragged":
        return new HeldPartitions(array, this.backend, this.#isTight, this.partitions!);
      default:
        throw array satisfies never;
    }
  }

  #takenBy({ name }: PlanArray): TakenPartitions {
    const take = this.request.takers?.get(name);
    if (take === undefined) throw new InvariantError({ what: `nobody takes the partitions of ${name}` });
    return new TakenPartitions(take);
  }

  #bind(name: string, resource: Resource): void {
    if (resource instanceof StoredSource) this.#read(name, resource);
    else if (resource instanceof DataResource)
      this.memory.set(name, new MemoryArray(presentBlock(this.backend, name, resource)));
    else if (resource instanceof PartitionResource) this.partitioned.set(name, new ReadPartitions(resource));
    else if (resource instanceof InputResource) throw resource.missing();
    else throw new InvariantError({ what: `source ${name} is bound to nothing that can be read` });
  }

  #read(name: string, source: StoredSource): void {
    this.sources.set(name, source);
    this.#stored.set(name, new SourceArray(source));
  }

  #write(name: string, written: Written): void {
    this.written.set(name, written);
    this.#stored.set(name, new TargetArray(written.target, written.dtype));
  }

  source(name: string): BlockSource {
    const held = this.held.get(name);
    if (held?.kind === "dense") return held;
    return this.memory.get(name) ?? this.#stored.get(name) ?? noSuch("dense", name);
  }

  target(name: string): BlockTarget {
    return (
      this.memory.get(name) ?? (this.#stored.get(name) as TargetArray | undefined) ?? noSuch("dense", name)
    );
  }

  partitionSource(name: string): PartitionSource {
    const held = this.held.get(name);
    return held?.kind === "ragged" ? held : (this.partitioned.get(name) ?? noSuch("ragged", name));
  }

  partitionTarget(name: string): PartitionTarget {
    return this.taken.get(name) ?? noSuch("ragged", name);
  }

  limitOf(operation: Operation): number {
    return this.graph.statedOf(operation);
  }

  /** Half is for what is held between tasks. */
  get taskMem(): number {
    return this.taskMemAmong(1);
  }
  taskMemAmong(workers: number): number {
    return this.#budget / 2 / workers;
  }

  /** True when every array is in memory: nothing has to be waited for. */
  get isInMemory(): boolean {
    return this.#stored.size === 0 && !this.request.plan.operations.some(isRagged);
  }

  /** How many tasks one thread may have under way: those that wait for a network share it. */
  get lanes(): number {
    const isFar = [...this.partitioned.values()].some(({ resource }) => resource.isFar);
    return !isFar && this.stores.every(({ near }) => near !== undefined) ? 1 : REMOTE_LANES;
  }

  /** Those that tasks read and write. */
  get stores(): Store[] {
    const sources = [...this.sources.values()].map(({ place }) => place.store);
    return [...sources, ...[...this.written.values()].map(storeOfTarget)];
  }

  /**
   * True when beside kernels there is nothing to do but to have the system read and write large files. It has threads
   * of its own for that, and kernels have helpers: other threads for whole tasks would gain nothing.
   */
  get isPlain(): boolean {
    const { operations } = this.request.plan;
    const isKernel = operations.every(({ steps }) => steps.every(({ kind }) => KERNEL_KINDS.has(kind)));
    const stored = [...[...this.sources.values()].map(({ array }) => array), ...this.#targets];
    if (!isKernel || !stored.every(({ isPlainFiles }) => isPlainFiles === true)) return false;
    const chunks = [...this.#stored.keys()].map((name) => this.arrays.get(name)!);
    const count = chunks.reduce((sum, array) => sum + sizeOf(gridOfArray(array)), 0);
    return this.storedBytes >= count * LARGE_CHUNK;
  }

  get storedBytes(): number {
    return [...this.#stored.keys(), ...this.partitioned.keys()].reduce(
      (sum, name) => sum + arrayBytes(this.arrays.get(name)!),
      0,
    );
  }

  /** True when every step can be done by another thread. */
  get isPortable(): boolean {
    const isSeen = ({ resource }: ReadPartitions): boolean =>
      resource.isInMemory || resource.location() !== null;
    return (
      this.hereOnly === null &&
      this.#targets.every(({ sent }) => sent !== undefined) &&
      functionsOf(this.request.plan).every(({ isPortable }) => isPortable) &&
      this.request.plan.operations.every(({ steps }) => steps.every(isBuiltIn)) &&
      [...this.partitioned.values()].every(isSeen)
    );
  }

  /** A codec or a format that stored arrays need and other threads cannot have. */
  get hereOnly(): { readonly what: string; readonly cure: string } | null {
    for (const source of this.sources.values()) if (source.hereOnly !== null) return source.hereOnly;
    for (const written of this.written.values()) {
      const only = hereOnly(written, written.target);
      if (only !== null) return only;
    }
    return null;
  }

  get #targets(): DenseTarget[] {
    return [...this.written.values()].map(({ target }) => target);
  }

  heldBy({ op }: TaskRef): HeldArray[] {
    return this.request.plan.operations[op]!.outputs.flatMap(({ array }) => this.held.get(array) ?? []);
  }

  results(): Block[] {
    return this.request.plan.results.flatMap((name) => this.memory.get(name)?.whole ?? []);
  }

  freeAll(): void {
    for (const held of this.held.values()) held.dropAll();
  }
}

function noSuch(kind: PlanArray["kind"], name: string): never {
  throw new InvariantError({ what: `${name} is no ${kind} array of the run` });
}

/** An op of the user's is a function, which no message carries. */
const isBuiltIn = (step: PlanStep): boolean =>
  step.kind === "read" || step.op.class === "ragged" || OPS.get(step.op.name) === step.op;

const runningOn =
  ({ backend, threads }: RunRequest): RunProgram =>
  (program, bound, room) =>
    backend.compile(program).run(bound, room, threads);

/** Looks at the process after each program that may have called a function of the user's. */
function watched(run: RunProgram, watch: MemoryWatch | null): RunProgram {
  if (watch === null) return run;
  return (program, bound, room) => {
    const running = run(program, bound, room);
    return running instanceof Promise ? running.then(() => watch.check()) : watch.check();
  };
}

/** Memory is scarce when there is not enough for so many tasks at once. */
const FEW_TASKS = 4;
const REMOTE_LANES = 4;
const LARGE_CHUNK = 1 << 18;
const KERNEL_KINDS: ReadonlySet<PlanStep["kind"]> = new Set([
  ...(["read", "source", "elementwise", "move"] as const),
  ...(["contract", "reduce", "scan"] as const),
]);

const graphs = new WeakMap<PlanData, PlanGraph>();

/** Plans are run again: what is known of one is kept with it. */
function graphOf(plan: PlanData): PlanGraph {
  let graph = graphs.get(plan);
  if (graph === undefined) {
    graph = new PlanGraph(plan);
    graphs.set(plan, graph);
  }
  return graph;
}

/** A transferred or shrunk buffer would silently read as NaN. */
export function presentBlock(backend: Backend, name: string, { block, length }: DataResource): Block {
  const found = backend.find(block);
  if (found === null)
    throw new RunError({
      where: "data",
      what: `the memory of source ${name} was given back by dispose()`,
      cure: "Dispose of a result after the last computation that reads it",
    });
  if (block.data.length >= length) return found;
  throw new RunError({
    where: "data",
    what: `source ${name} had ${length} elements when it was wrapped and has ${block.data.length} now`,
    cure: "Do not transfer or shrink a buffer before computing, or wrap a copy: asarray(data, {copy: true})",
  });
}

function resultOf(backend: Backend, { dtype, shape }: DensePlanArray): Block {
  try {
    return resultBlock(backend, dtype, shape);
  } catch (error) {
    // Only the engine knows how much it can give.
    if (!(error instanceof RangeError)) throw error;
    const bytes = bytesText(blockBytes(dtype, shape));
    throw new RunError(
      {
        where: "compute",
        what: `a result of shape ${shapeText(shape)} needs ${bytes}, more than can be had in one piece`,
        cure: "Reduce it, select a part of it first, or write it to a store with toZarr",
      },
      { cause: error },
    );
  }
}
