// An array in a store as a source of expressions. Its fingerprint says where it is and what its metadata says; what
// its chunks hold can change, so runs that resume look at their state besides (resume.ts).

import { Resource, type StoredAccess } from "../core/attrs.ts";
import type { Transfer } from "../core/transfer.ts";
import type { StoreLocation } from "../storage/store.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import { transferOf } from "../storage/zarr/transfer.ts";

/** Where an array is, as data. */
export interface ArrayLocation {
  readonly store: StoreLocation;
  readonly path: string;
}

export class ZarrResource extends Resource {
  readonly array: ZarrArray;
  #transfer: Transfer | null = null;

  constructor(array: ZarrArray) {
    super();
    this.array = array;
  }

  /** null for a store that only this process can reach. */
  location(): ArrayLocation | null {
    const store = this.array.store.location?.() ?? null;
    if (store === null) return null;
    // A source is only read: how its store writes is not part of where it is.
    const place: StoreLocation = store.kind === "file" ? { kind: "file", root: store.root } : store;
    return { store: place, path: this.array.path };
  }

  override transfer(): Transfer {
    this.#transfer ??= transferOf(this.array.pipeline, this.array.store);
    return this.#transfer;
  }

  override access(): StoredAccess {
    return { chunks: this.array.chunks, hasRuns: isPlainFiles(this.array) };
  }

  fingerprint(): string {
    const { shape, chunks, storedDType, metadata } = this.array;
    const where = JSON.stringify(this.location() ?? { here: this.id, path: this.array.path });
    const how = JSON.stringify([metadata.codecs, metadata.keyEncoding, [...metadata.fill.element]]);
    return `zarr ${where} ${storedDType}[${shape}](${chunks}) ${how}`;
  }
}

/** True when chunks are files of elements as they are: the system reads and writes them, with threads of its own. */
export function isPlainFiles({ store, pipeline }: ZarrArray): boolean {
  return store.near === "files" && pipeline.serial.kind === "bytes" && pipeline.bytesCodecs.length === 0;
}
