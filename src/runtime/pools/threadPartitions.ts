// Partitions on a task thread: read from where they lie, from bytes in the shared memory, or from the run's store; and
// sent back as bytes when they are made.

import type { Block } from "../../core/block.ts";
import { InvariantError } from "../../core/errors.ts";
import type { Partition } from "../../expr/op.ts";
import type { PartitionFormat } from "../../ops/partitions.ts";
import type { RaggedPlanArray } from "../../plan/plan.ts";
import type { ZarrArray } from "../../storage/zarr/array.ts";
import type { PartitionSource, PartitionTarget, StoredArray } from "../arrays.ts";
import type { ReadPartitions } from "../partitionTasks.ts";
import type { SentPart } from "./messages.ts";

export class ThreadPartitions implements PartitionSource {
  readonly #array: RaggedPlanArray;
  /** By number. */
  readonly #parts: ReadonlyMap<number, Block>;
  readonly #store: StoredArray | null;
  readonly #source: ReadPartitions | null;
  readonly #format: PartitionFormat;

  constructor(
    array: RaggedPlanArray,
    parts: ReadonlyMap<number, Block>,
    store: StoredArray | null,
    source: ReadPartitions | null,
    format: PartitionFormat,
  ) {
    this.#format = format;
    this.#array = array;
    this.#parts = parts;
    this.#store = store;
    this.#source = source;
  }

  async partition(at: number): Promise<Partition> {
    if (this.#source !== null) return this.#source.partition(at);
    const bytes = this.#parts.get(at)?.data ?? (await this.#store?.array.getRaw([at]));
    if (bytes === undefined)
      throw new InvariantError({ what: `partition ${at} of ${this.#array.name} is not there` });
    // A copy: shared memory can be somebody else's before the thread is done with it, and not everything takes it.
    return this.#format.unpack((bytes as Uint8Array).slice(), this.#array.form);
  }
}

/** What a task makes goes to the main thread; where the run stores all, it is stored first. */
export class SentPartitions implements PartitionTarget {
  readonly #id: number;
  readonly #array: string;
  readonly #store: StoredArray | null;
  readonly #send: (part: SentPart) => void;
  readonly #format: PartitionFormat;

  constructor(
    id: number,
    array: string,
    store: StoredArray | null,
    format: PartitionFormat,
    send: (part: SentPart) => void,
  ) {
    this.#format = format;
    this.#id = id;
    this.#array = array;
    this.#store = store;
    this.#send = send;
  }

  async put(at: number, partition: Partition): Promise<void> {
    const bytes = this.#format.pack(partition);
    await this.#store?.array.setRaw([at], bytes);
    this.#send({ id: this.#id, array: this.#array, bytes });
  }
}

/** What a task makes is stored, and nobody is sent it. */
export class StoredPartitions implements PartitionTarget {
  readonly #array: ZarrArray;
  readonly #format: PartitionFormat;

  constructor(array: ZarrArray, format: PartitionFormat) {
    this.#array = array;
    this.#format = format;
  }

  put(at: number, partition: Partition): Promise<void> {
    return this.#array.setRaw([at], this.#format.pack(partition));
  }
}
