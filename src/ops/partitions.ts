// Partitions of ragged arrays, as plans and runs see them: things with rows that can be read from somewhere, and that
// rest and travel as bytes. What they are made of is known to the ragged room alone, whose format runs are given.

import { Resource } from "../core/block.ts";
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
