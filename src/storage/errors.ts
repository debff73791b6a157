// What can go wrong with stored data, as typed errors. `where` is the key of the object in its store.
// `retryable` says whether the same request may succeed later: what a scheduler needs to know.

import { ChunkwiseError, type ErrorParts } from "../core/errors.ts";

export class StorageError extends ChunkwiseError {
  /** Trying again may help: the network failed, the server was busy. */
  readonly retryable: boolean = false;
}

/** Metadata that is not valid Zarr, or that no array can have. */
export class MetadataError extends StorageError {}
/** Stored bytes that cannot be what was written: torn, truncated, flipped, or another array's. */
export class CorruptDataError extends StorageError {}
/** Valid, but not something this library reads or writes. */
export class NotSupportedError extends StorageError {}
/** No array or group at this path. */
export class NotFoundError extends StorageError {}
/** A key that would leave the store, or that no store can hold. */
export class StoreKeyError extends StorageError {}

/** A store could not do what was asked: the network, the server, the disk. */
export class StoreRequestError extends StorageError {
  override readonly retryable: boolean;
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;

  constructor(
    parts: ErrorParts & { retryable: boolean; status?: number | undefined },
    options?: ErrorOptions,
  ) {
    super(parts, options);
    this.retryable = parts.retryable;
    this.status = parts.status;
  }
}

/** What a caught value says, for the message of the error that wraps it. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
