// What happens while a plan runs, as one typed stream. Progress, history, plots and tracing are consumers of it.
// Times are milliseconds since 1970, with fractions. Must hold: every taskStart is followed by one taskEnd of the
// same attempt, unless the run ends before; tasks come after their operation's start, and before its end all that
// count: an attempt that another was faster than may be heard of later, or never.

/** What is known of an operation before it runs. */
export interface OperationInfo {
  /** As the plan prints it: "op-001". */
  readonly name: string;
  /** What it does, for people: the ops it is made of. */
  readonly label: string;
  /** How many tasks it has. */
  readonly tasks: number;
  /** The most memory that one of its tasks is stated to need, in bytes. */
  readonly projectedMem: number;
}

interface At {
  readonly time: number;
}

/** One attempt at a task. */
interface Attempt extends At {
  readonly operation: string;
  readonly task: number;
  /** 1 for the first. */
  readonly attempt: number;
  /** True for the second of two attempts that run at once. */
  readonly isTwin: boolean;
  /** Which of the pool's workers has it. */
  readonly worker: number;
}

export interface ComputeStart extends At {
  readonly type: "computeStart";
  readonly operations: readonly OperationInfo[];
  readonly tasks: number;
  /** Tasks whose chunks an earlier run has stored. */
  readonly tasksDone: number;
  readonly pool: string;
  readonly workers: number;
  /** What tasks and intermediates may use together, in bytes; null when there is no limit. */
  readonly allowedMem: number | null;
}

export interface OperationStart extends At {
  readonly type: "operationStart";
  readonly operation: string;
  readonly tasks: number;
}

export interface TaskStart extends Attempt {
  readonly type: "taskStart";
}

/** What a worker tells of a task that it has done. */
export interface TaskStats {
  /** When it began, had its inputs, had its outputs, and had stored them. */
  readonly startTime: number;
  /** When it had its inputs. */
  readonly readTime: number;
  /** When it had its outputs. */
  readonly computeTime: number;
  /** When it had stored them. */
  readonly endTime: number;
  /** Bytes that it read. */
  readonly bytesRead: number;
  /** Bytes that it wrote. */
  readonly bytesWritten: number;
  /** Who did it, where workers have names. */
  readonly by?: string | undefined;
  /** The most bytes of blocks that the task had at once; null where it is not measured. */
  readonly measuredMem: number | null;
}

/** `time` is when it was heard of. */
export interface TaskEnd extends Attempt, TaskStats {
  readonly type: "taskEnd";
  /** `superseded`: another attempt was first. */
  readonly outcome: "done" | "failed" | "superseded";
  readonly projectedMem: number;
}

export interface Retry extends At {
  readonly type: "retry";
  readonly operation: string;
  readonly task: number;
  /** The attempt that failed. */
  readonly attempt: number;
  readonly error: string;
  /** How long until the next attempt. */
  readonly delayMs: number;
}

export interface Twin extends At {
  readonly type: "twin";
  readonly operation: string;
  readonly task: number;
  readonly elapsedMs: number;
  readonly medianMs: number;
}

export interface Spill extends At {
  readonly type: "spill";
  readonly operation: string;
  readonly task: number;
  readonly bytes: number;
}

export interface OperationEnd extends At {
  readonly type: "operationEnd";
  readonly operation: string;
}

export interface ComputeEnd extends At {
  readonly type: "computeEnd";
  readonly outcome: "done" | "failed" | "cancelled";
  /** Why, when it is not done. */
  readonly error?: string | undefined;
}

/**
 * What happens while a plan runs, told apart by `type`: `x.compute({onEvent: (event) => console.log(event.type)})`.
 */
export type RunEvent =
  | ComputeStart
  | OperationStart
  | TaskStart
  | TaskEnd
  | Retry
  | Twin
  | Spill
  | OperationEnd
  | ComputeEnd;
