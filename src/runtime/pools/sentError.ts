// Errors between threads: as data, and as errors again.

import { ChunkwiseError, RunError } from "../../core/errors.ts";
import { LaneFailure } from "../../kernel/interpret/index.ts";
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
    origin: isLane ? error.origin : undefined,
  };
}

/** The same, as far as retries and messages go. */
export function receiveError(sent: SentError): Error {
  const { what, where, cure, retryable, code, origin } = sent;
  const error = what === undefined ? new Error(sent.message) : new RunError({ what, where, cure });
  error.name = sent.name;
  if (sent.stack !== undefined) error.stack = sent.stack;
  return Object.assign(error, { retryable, code, origin });
}
