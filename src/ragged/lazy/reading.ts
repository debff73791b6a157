// A source as plans read it: with what is needed of it. In: a source and levels. Out: a resource whose partitions have
// the narrowed form. Equal needs of one source are one resource, so that expressions over them are the same.

import type { Form } from "../../core/form/form.ts";
import { everything, type Need, narrowed } from "../../core/form/need.ts";
import type { Partition } from "../../expr/op.ts";
import { type PartitionFormat, type PartitionLocation, PartitionResource } from "../../ops/partitions.ts";
import type { TableLocation } from "../../storage/formats/raggedFormat.ts";
import type { KnownFormats } from "../../storage/formats/table.ts";
import { bytesOfLayout, packLayout, unpackLayout } from "../layout/bytes.ts";
import type { Layout } from "../layout/layout.ts";
import { MemorySource } from "../sources/memorySource.ts";
import { openSource } from "../sources/open.ts";
import type { RaggedSource } from "../sources/source.ts";

export class Reading extends PartitionResource {
  readonly source: RaggedSource;
  readonly need: Need;
  readonly form: Form;

  private constructor(source: RaggedSource, need: Need) {
    super();
    this.source = source;
    this.need = need;
    this.form = narrowed(source.form, need);
  }

  static readonly #known = new WeakMap<RaggedSource, Map<string, Reading>>();

  static of(source: RaggedSource, need: Need = everything(source.form)): Reading {
    const own = Reading.#known.get(source) ?? new Map<string, Reading>();
    Reading.#known.set(source, own);
    const key = need.join("");
    const reading = own.get(key) ?? new Reading(source, need);
    own.set(key, reading);
    return reading;
  }

  get origin(): RaggedSource {
    return this.source;
  }

  withNeed(need: Need): Reading {
    return Reading.of(this.source, need);
  }

  get partitions(): number {
    return this.source.rows.length;
  }

  readPartition(at: number): Partition | Promise<Partition> {
    return this.source.read(at, this.need);
  }

  get isInMemory(): boolean {
    return this.source instanceof MemorySource;
  }

  bytesOf(at: number): number {
    return this.source.bytesOf(at, this.need);
  }

  location(): PartitionLocation | null {
    const location = this.source.location();
    return location === null ? null : { source: location, need: [...this.need] };
  }

  fingerprint(): string {
    return `${this.source.fingerprint()} ${this.need.join("")}`;
  }
}

/** Partitions as runs see them. */
export const PARTITIONS: PartitionFormat = {
  pack: (partition) => packLayout(partition as Layout),
  unpack: unpackLayout,
  bytesOf: (partition) => bytesOfLayout(partition as Layout),
  open: async ({ source, need }, formats) =>
    Reading.of(await openSource(source as TableLocation, formats as KnownFormats), need as Need),
};
