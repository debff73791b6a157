// Partitions of ragged arrays, as plans and runs see them: things with rows that can be read from somewhere, and that
// rest and travel as bytes. What they are made of is known to the ragged room alone, whose format runs are given.

import { Resource } from "../core/block.ts";
import type { TypedArray } from "../core/dtype.ts";
import type { Form, Need } from "../core/form/form.ts";
import { type Partition, raggedType, type SourceOp } from "../expr/op.ts";

/** Data only, for messages to threads and for saved plans. */
export type PartitionLocation = { readonly [name: string]: unknown };

/** Where partitions are read from. */
export abstract class PartitionResource extends Resource {
  abstract readonly form: Form;
  abstract readonly partitions: number;
  abstract readPartition(at: number): Partition | Promise<Partition>;
  /** About what a partition takes in memory when it is read. */
  abstract bytesOf(at: number): number;
  /** The same object for all that is read of one source, however little. */
  abstract readonly origin: object;
  /** What is read of it. */
  abstract readonly need: Need;
  /** So much of the same source. */
  abstract withNeed(need: Need): PartitionResource;
  /** null for what only this thread has. */
  abstract location(): PartitionLocation | null;
  /** They are in memory: reading one is not waited for. */
  abstract readonly isInMemory: boolean;

  /** They come over a network: tasks that wait for them share a thread. */
  abstract readonly isFar: boolean;

  largest(): number {
    let most = 0;
    for (let at = 0; at < this.partitions; at++) most = Math.max(most, this.bytesOf(at));
    return most;
  }
}

/** The formats of files with nested data; what they are made of is known to the ragged room. */
export interface NamedFormats {
  ragged(name: string): Promise<object>;
}

export interface PartitionFormat {
  /** In one piece; `unpack` shares its memory. */
  pack(partition: Partition): Uint8Array;
  unpack(bytes: Uint8Array, form: Form): Partition;
  /** Of all its buffers. */
  bytesOf(partition: Partition): number;
  /** What it is made of; views may share their memory. */
  buffersOf(partition: Partition): TypedArray[];
  /** Rows from `start` to before `stop`, sharing memory. */
  slice(partition: Partition, start: number, stop: number): Partition;
  /** Rows one after another; of one part, that part. */
  join(parts: readonly Partition[]): Partition;
  /** Does something at once; memory that is taken meanwhile for partitions is named in `taken`. */
  watch<T>(action: () => T, taken: TypedArray[]): T;
  /** Of memory that was taken: nobody may look at it any more. */
  giveBack(data: TypedArray): void;
  open(location: PartitionLocation, formats: NamedFormats): Promise<PartitionResource>;
}

/** Partitions that lie somewhere: attrs.data. */
export const partitioned: SourceOp = {
  name: "partitioned",
  class: "source",
  body: null,
  infer(_, attrs) {
    const { form, partitions } = attrs["data"] as PartitionResource;
    return raggedType(form, partitions);
  },
  chunks: () => [1],
};
