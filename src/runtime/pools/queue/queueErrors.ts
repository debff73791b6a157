// Errors of the queue between a run and its workers.

import { ChunkwiseError } from "../../../core/errors.ts";

/** The queue or its Redis is not as it must be: out of reach, without persistence, without workers. */
export class QueueError extends ChunkwiseError {}

/** What an error of a client says, and nothing else of it: its other fields may hold a password. */
export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
