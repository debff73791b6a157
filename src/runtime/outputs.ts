// The outputs of one attempt at a task that other tasks will read. They belong to the attempt until it counts; then
// to the intermediates. In: chunks' boxes. Out: blocks in the backend's memory, where other threads can see them.

import { type Block, blockBytes } from "../core/block.ts";
import type { Box } from "../core/chunks.ts";
import { type BlockMemory, takenBlock } from "../kernel/blocks.ts";
import {
  type BlockTarget,
  chunkNumber,
  type HeldArray,
  type HeldBlocks,
  type HeldPartitions,
  type PartitionTarget,
} from "./arrays.ts";

export class AttemptOutputs {
  readonly #memory: BlockMemory;
  readonly #held: ReadonlyMap<string, HeldArray>;
  /** They are stored as soon as they are there. */
  readonly storesAll: boolean;
  readonly #blocks = new Map<string, Block>();
  bytes = 0;

  constructor(memory: BlockMemory, held: ReadonlyMap<string, HeldArray>, storesAll: boolean) {
    this.#memory = memory;
    this.#held = held;
    this.storesAll = storesAll;
  }

  /** Where the chunk of a dense intermediate goes; undefined for other arrays. */
  target(array: string): BlockTarget | undefined {
    const held = this.#held.get(array);
    if (held?.kind !== "dense") return undefined;
    return {
      block: (box) => this.block(held, box),
      store: (box, block) =>
        this.storesAll ? held.store!.setShard(held.placeOf(chunkNumber(box, held.plan)), block) : undefined,
    };
  }

  /** And the partition of a ragged one. */
  partitionTarget(array: string): PartitionTarget | undefined {
    const held = this.#held.get(array);
    if (held?.kind !== "ragged") return undefined;
    return { put: (at, partition) => this.#putBytes(held, at, held.format.pack(partition)) };
  }

  block({ plan }: HeldBlocks, box: Box): Block {
    const block = takenBlock(this.#memory, plan.dtype, box.shape);
    this.#blocks.set(plan.name, block);
    this.bytes += blockBytes(plan.dtype, box.shape);
    return block;
  }

  /** A partition, packed. */
  #putBytes(held: HeldPartitions, at: number, bytes: Uint8Array): Promise<void> | undefined {
    const block = this.hold(held, bytes);
    return this.storesAll ? held.saveBlock(at, block) : undefined;
  }

  /** The same where it is stored already, or need not be. */
  hold({ plan }: HeldPartitions, bytes: Uint8Array): Block {
    const block = takenBlock(this.#memory, "uint8", [bytes.length]);
    (block.data as Uint8Array).set(bytes);
    this.#blocks.set(plan.name, block);
    this.bytes += bytes.length;
    return block;
  }

  /** The attempt counts: its outputs are the intermediates' chunks. */
  keep(chunk: number): void {
    for (const [array, block] of this.#blocks) this.#held.get(array)!.put(chunk, block);
    this.#blocks.clear();
  }

  giveBack(): void {
    for (const block of this.#blocks.values()) this.#memory.free(block);
    this.#blocks.clear();
  }
}
