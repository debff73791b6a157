// What the scheduler knows of a computation: operations by number, and for each task, by arithmetic, which tasks it
// needs and which need it. Nothing is kept per task. `planGraph` (../planGraph.ts) makes one of a plan; the
// simulation makes others.

import type { OperationInfo } from "../events.ts";

export interface TaskRef {
  readonly op: number;
  readonly task: number;
}

export interface OperationNode extends OperationInfo {
  /** Somebody asked for its outputs: all of its tasks are done. The tasks of others are done when they are needed. */
  readonly isWanted: boolean;
  /** Bytes of a task's outputs that only other tasks read: they are held until those have run. 0 when there are none. */
  readonly heldBytes: number;
}

/** Tasks of one operation that read a chunk. */
export interface ReaderRange {
  readonly op: number;
  readonly count: number;
  /** The highest of their numbers. */
  readonly last: number;
  tasks(): Iterable<number>;
}

export interface TaskGraph {
  readonly operations: readonly OperationNode[];
  /** The tasks whose outputs a task reads. May name one twice. Numbers come in the order in which they are best run. */
  needs(op: number, task: number): Iterable<TaskRef>;
  /** The tasks that read a task's outputs, and no others. May name one twice. */
  readers(op: number, task: number): readonly ReaderRange[];
}
