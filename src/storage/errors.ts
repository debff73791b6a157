// What can go wrong with stored data, as typed errors. `where` is the key of the object in its store.
// `retryable` says whether the same request may succeed later: what a scheduler needs to know.

import { ChunkwiseError, type ErrorParts } from "../core/errors.ts";

/** A store failed, or what it holds cannot be used: the errors of storage are of this class. */
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

/** A chunk that a run stored and needs again is gone, or is not what was stored. */
export class LostChunkError extends StorageError {
  /** The array's path in its store. */
  readonly path: string;
  /** The chunk's place in the grid; null when the array itself is gone. */
  readonly place: readonly number[] | null;

  constructor(parts: ErrorParts & { path: string; place: readonly number[] | null }, options?: ErrorOptions) {
    super(parts, options);
    this.path = parts.path;
    this.place = parts.place;
  }
}

/** What a caught value says, for the message of the error that wraps it. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** Codes of system calls that fail again. */
const LASTING: ReadonlySet<unknown> = new Set([
  ...[
    "EACCES",
    "EPERM",
    "EROFS",
    "ENOENT",
    "ENOTDIR",
    "EISDIR",
    "ENAMETOOLONG",
    "EINVAL",
    "ENOSPC",
    "EDQUOT",
  ],
]);

/**
 * What a store threw, as one of our errors. A store fails as its medium does: unless it says otherwise, another try may
 * help, even if it failed in the same words before.
 */
export function asStoreError(cause: unknown, key: string): unknown {
  const { name, code } = (cause ?? {}) as { name?: unknown; code?: unknown };
  if (cause instanceof ChunkwiseError || name === "AbortError") return cause;
  const retryable = !LASTING.has(code);
  return new StoreRequestError({ what: messageOf(cause), where: key, retryable }, { cause });
}
