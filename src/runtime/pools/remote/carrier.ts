// What travels between a run and workers elsewhere, and what carries it. A batch names tasks of a plan that lies in the shared
// store under its content key; a report says how each of them went. In: batches. Out: reports, or a LostWorker.
// Must hold: a batch is plain data of under 1 KB: no code, no elements, no addresses, no secrets. What counts as done is what
// is published in stores; batches and reports may come twice, late, or never.

import type { StopSignal } from "../../../core/platform.ts";
import type { TaskStats } from "../../events.ts";
import type { SentError } from "../messages.ts";

/** Which wording of batches and reports this is: a worker refuses those of another. */
export const BATCH_VERSION = 1;

/** Tasks from `lo` up to and without `hi`. */
export type TaskRange = readonly [lo: number, hi: number];

/** Tasks of one operation, as they travel. */
export interface Batch {
  readonly v: typeof BATCH_VERSION;
  /** The run that asks: letters, digits and dashes. */
  readonly run: string;
  /** SHA-256 of the text of the run's plan, in hex; the text lies in the shared store below `plans/`. */
  readonly plan: string;
  /** Which operation of the plan. */
  readonly op: number;
  readonly tasks: readonly TaskRange[];
  /** How often this was tried before; twins have a number of their own. */
  readonly attempt: number;
}

/** How the tasks of a batch went, each of them once. */
export interface BatchReport {
  readonly v: typeof BATCH_VERSION;
  /** Who did it, for events and messages. */
  readonly worker: string;
  /** How many tasks it does at once, with its threads: batches have no fewer, where there are so many. 1 unless given. */
  readonly atOnce?: number | undefined;
  readonly done: readonly { readonly task: number; readonly stats: TaskStats }[];
  readonly failed: readonly { readonly task: number; readonly error: SentError }[];
}

/** Brings batches to workers and their reports back: a queue, a function service. It decides nothing. */
export interface Carrier {
  /** For events and messages. */
  readonly name: string;
  /** How many batches are done at once: as many as workers can take now. At least 1. */
  readonly capacity: number;
  /** Of these, so many that are done at once or wait for their turn; the others are in reserve. All, unless said. */
  readonly slots?: number;
  /** What the largest of the workers that are there has for tasks, in bytes; null where that is not known. */
  readonly roomBytes?: number | null | undefined;
  /**
   * Its report; a `LostWorker` when nobody will tell of it; any other error is that of every task of the batch. `signal` is
   * aborted when nobody wants it any more.
   */
  carry(batch: Batch, signal: StopSignal): Promise<BatchReport>;
  /** The run is over. */
  close(): Promise<void>;
}

/** Does batches where a worker is: `BatchRunner` (batchRunner.ts) is the one there is. */
export interface BatchWork {
  run(batch: Batch, signal: StopSignal): Promise<BatchReport>;
  /** No further batches; those under way are ended. */
  close(): Promise<void>;
}
