// Failed attempts: which are worth another try. In: what was thrown. Out: whether, and why not.
// I/O may succeed later; a thread may die of something else than the task. What our own checks refuse is refused
// again. A user's function may fail by accident once; the same message twice is no accident.

import { ChunkwiseError } from "../../core/errors.ts";
import { LaneFailure } from "../../kernel/interpret/index.ts";
import type { TaskRef } from "./taskGraph.ts";

export interface Failure {
  readonly error: unknown;
  /** The worker is gone, or was not heard of any more: nothing is known of the task. */
  readonly isLost: boolean;
  /** False for a task that had not begun when its worker was lost: it counts as no attempt. */
  readonly wasBegun?: boolean | undefined;
  /** It could not read these tasks' outputs, which were stored and are gone. */
  readonly lost?: readonly TaskRef[] | undefined;
}

export function mayRetry(failure: Failure, earlier: readonly Failure[]): boolean {
  if (failure.isLost) return true;
  const { error } = failure;
  if (isRetryable(error)) return true;
  if (error instanceof ChunkwiseError || error instanceof LaneFailure) return false;
  const message = messageOf(error);
  return !earlier.some((other) => !other.isLost && messageOf(other.error) === message);
}

/** Codes of system calls that may succeed later. */
const PASSING: ReadonlySet<unknown> = new Set([
  ...["EAGAIN", "EBUSY", "EIO", "EMFILE", "ENFILE", "ENOBUFS", "ESTALE", "ETIMEDOUT"],
  ...["ECONNRESET", "ECONNREFUSED", "EPIPE", "ENETDOWN", "ENETUNREACH", "EHOSTUNREACH"],
]);

function isRetryable(error: unknown): boolean {
  const { retryable, code } = (error ?? {}) as { retryable?: unknown; code?: unknown };
  return retryable === true || PASSING.has(code);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
