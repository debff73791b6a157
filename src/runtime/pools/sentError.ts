// Errors between threads: as data, and as errors again.

import { ChunkwiseError, type ErrorParts, RunError } from "../../core/errors.ts";
import { LaneFailure } from "../../kernel/interpret/index.ts";
import {
  CorruptDataError,
  LostChunkError,
  MetadataError,
  NotFoundError,
  NotSupportedError,
  StoreKeyError,
} from "../../storage/errors.ts";
import type { SentError } from "./messages.ts";

export function sendError(error: unknown): SentError {
  const isOurs = error instanceof ChunkwiseError;
  const isLane = error instanceof LaneFailure;
  const { retryable, code } = (error ?? {}) as { retryable?: unknown; code?: unknown };
  return {
    name: error instanceof Error ? error.name : "Error",
    message: error instanceof Error ? error.message : String(error),
    stack: error instanceof Error ? error.stack : undefined,
    what: isLane ? error.trap.message : isOurs ? error.what : undefined,
    where: isOurs ? error.where : undefined,
    cure: isLane ? error.trap.cure : isOurs ? error.cure : undefined,
    retryable: retryable === true,
    code: typeof code === "string" ? code : undefined,
    lost: error instanceof LostChunkError ? { path: error.path, place: error.place } : undefined,
    origin: isLane ? error.origin : undefined,
  };
}

const CLASSES: { readonly [name: string]: new (parts: ErrorParts) => Error } = {
  CorruptDataError,
  MetadataError,
  NotFoundError,
  NotSupportedError,
  StoreKeyError,
};

/** The same class where others may ask for it, and the same for retries and messages in any case. */
export function receiveError(sent: SentError): Error {
  const { what, where, cure, retryable, code, origin } = sent;
  const error = sent.lost
    ? new LostChunkError({ what: what ?? sent.message, where, cure, ...sent.lost })
    : what === undefined
      ? new Error(sent.message)
      : new (CLASSES[sent.name] ?? RunError)({ what, where, cure });
  error.name = sent.name;
  if (sent.stack !== undefined) error.stack = sent.stack;
  return Object.assign(error, { code, origin }, retryable ? { retryable } : {});
}
