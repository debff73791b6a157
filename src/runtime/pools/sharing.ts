// What a task reads and writes in memory, as another thread is told of it. In: a task, and the arrays of its run. Out: the
// places of every chunk and window that it touches, each once; null where the memory that threads share has no room for what
// they could not see otherwise. Until the task's end is heard, all of it stays: what was borrowed is given back then, and the
// scheduler keeps the chunks (docs/adr/0014).

import { type Block, subBlock } from "../../core/block.ts";
import { type Box, placeOf } from "../../core/chunks.ts";
import type { Partition } from "../../expr/op.ts";
import type { SharedBlock } from "../../kernel/backend.ts";
import { Borrowed } from "../../kernel/blockProgram.ts";
import { copyElements } from "../../kernel/routines/stridedWalk.ts";
import type { PartitionResource } from "../../ops/partitions.ts";
import { taskWindows } from "../../plan/demand.ts";
import { chunkOfArray, type Operation } from "../../plan/plan.ts";
import type { HeldArray } from "../arrays.ts";
import { chunksOfBox } from "../planGraph.ts";
import type { RunArrays } from "../runArrays.ts";
import type { SharedPart } from "./messages.ts";
import type { TaskJob } from "./pool.ts";

export interface Shared {
  readonly reads: readonly SharedPart[];
  readonly writes: readonly SharedPart[];
  /** What was borrowed for it. */
  readonly borrowed: Borrowed;
  /** What is copied when the task is done. */
  readonly copies: readonly { readonly from: Block; readonly to: Block }[];
}

export function shareTask(execution: RunArrays, { ref, outputs }: TaskJob): Shared | null {
  const sharing = new Sharing(execution, outputs);
  const operation = execution.graph.plan.operations[ref.op]!;
  try {
    return sharing.of(operation, placeOf(ref.task, operation.grid));
  } catch (error) {
    sharing.giveBack();
    if (error instanceof NoRoom) return null;
    throw error;
  }
}

/** The shared memory is full. */
class NoRoom extends Error {}

class Sharing {
  readonly #execution: RunArrays;
  readonly #outputs: TaskJob["outputs"];
  readonly #borrowed: Borrowed;
  readonly #copies: { from: Block; to: Block }[] = [];
  readonly #named = new Set<string>();

  constructor(execution: RunArrays, outputs: TaskJob["outputs"]) {
    this.#execution = execution;
    this.#borrowed = new Borrowed(execution.backend);
    this.#outputs = outputs;
  }

  of(operation: Operation, place: readonly number[]): Shared {
    const reads = this.#readsOf(operation, place);
    const writes = operation.outputs.flatMap(({ array }) => this.#write(array, place));
    return { reads, writes, borrowed: this.#borrowed, copies: this.#copies };
  }

  giveBack(): void {
    this.#borrowed.giveBack();
    this.#outputs.giveBack();
  }

  #readsOf(operation: Operation, place: readonly number[]): SharedPart[] {
    const { memory, held, arrays, partitioned } = this.#execution;
    if (memory.size === 0 && held.size === 0 && partitioned.size === 0) return [];
    return taskWindows(operation, arrays, place).flatMap(({ array, box }) => {
      const source = partitioned.get(array)?.resource;
      if (source !== undefined) return source.location() === null ? this.#packed(array, box, source) : [];
      const whole = memory.get(array)?.whole;
      if (whole !== undefined) return this.#window(array, box, whole);
      const chunked = held.get(array);
      return chunked === undefined ? [] : this.#chunksOf(chunked, box);
    });
  }

  /** True the first time. */
  #isNew(name: string): boolean {
    return this.#named.size !== this.#named.add(name).size;
  }

  #window(array: string, box: Box, whole: Block): SharedPart[] {
    if (!this.#isNew(`${array} ${box.start} ${box.shape}`)) return [];
    return [{ array, box, block: this.#shown(subBlock(whole, box.start, box.shape)) }];
  }

  /** Partitions that only this thread has, as bytes that others can see. */
  #packed(array: string, box: Box, source: PartitionResource): SharedPart[] {
    const numbers = Array.from({ length: box.shape[0]! }, (_, i) => box.start[0]! + i);
    return numbers.flatMap((chunk) => {
      if (!this.#isNew(`${array} ${chunk}`)) return [];
      // They are in memory: nothing is waited for (RunArrays.isPortable).
      const bytes = this.#execution.partitions!.pack(source.readPartition(chunk) as Partition);
      const [visible, block] = this.#visible({ dtype: "uint8", shape: [bytes.length] });
      (visible.data as Uint8Array).set(bytes);
      return [{ array, chunk, block }];
    });
  }

  /** Chunks that are in memory; the others must be in a store. */
  #chunksOf(held: HeldArray, box: Box): SharedPart[] {
    const array = held.plan.name;
    return [...chunksOfBox(box, held.plan)].flatMap((chunk) => {
      if (!this.#isNew(`${array} ${chunk}`)) return [];
      const block = held.inMemory(chunk);
      if (block !== undefined) return [{ array, chunk, block: this.#shown(block) }];
      held.stored(chunk);
      return [];
    });
  }

  /** The block itself where threads can see it, else a copy that they can. */
  #shown(block: Block): SharedBlock {
    const shown = this.#execution.backend.show(block);
    if (shown !== null) return shown;
    // A partition has as many bytes as it has.
    const [visible, seen] = this.#visible(block);
    copyElements(block, visible);
    return seen;
  }

  /** Where an output goes: the block itself, or one that is copied into it at the end. */
  #write(array: string, place: readonly number[]): SharedPart[] {
    const plan = this.#execution.arrays.get(array)!;
    // A partition comes back when it is known how long it is.
    if (plan.kind === "ragged") return [];
    const box = chunkOfArray(plan, place);
    const held = this.#execution.held.get(array);
    const whole = this.#execution.memory.get(array)?.whole;
    const block =
      held?.kind === "dense"
        ? this.#outputs.block(held, box)
        : whole && subBlock(whole, box.start, box.shape);
    if (block === undefined) return [];
    const seen = this.#execution.backend.show(block) ?? this.#copiedTo(block);
    return [{ array, box, block: seen }];
  }

  #copiedTo(block: Block): SharedBlock {
    const [visible, seen] = this.#visible(block);
    this.#copies.push({ from: visible, to: block });
    return seen;
  }

  #visible({ dtype, shape }: Pick<Block, "dtype" | "shape">): [Block, SharedBlock] {
    const visible = this.#borrowed.block(dtype, shape);
    const seen = this.#execution.backend.show(visible);
    if (seen === null) throw new NoRoom();
    return [visible, seen];
  }
}
