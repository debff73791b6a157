// Traces of runs. In: events. Out: spans of OpenTelemetry: one for the computation, below it one per operation, below
// these one per attempt at a task, as far as sampling and the limit allow. Retries, twins and spills are events of the
// operation's span. Must hold: every span that is started is ended, at the latest when the computation ends.

import { describe, isLength } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import type {
  ComputeEnd,
  ComputeStart,
  OperationInfo,
  Retry,
  RunEvent,
  Spill,
  TaskEnd,
  Twin,
} from "../runtime/events.ts";
import type { Consumer } from "./consumer.ts";
import {
  contextOf,
  loadApi,
  type OpenTelemetryApi,
  type Span,
  type SpanAttributes,
  type SpanContext,
  type SpanTracer,
  spanTime,
} from "./spans.ts";

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /** Makes the spans; that of the global provider unless given. */
  readonly tracer?: SpanTracer | undefined;
  /** The module @opentelemetry/api, where it cannot be imported by its name. */
  readonly api?: OpenTelemetryApi | undefined;
  /** The part of tasks that get a span, from 0 to 1; 1 unless given. Attempts that fail get one in any case. */
  readonly sample?: number | undefined;
  /** At most so many spans of tasks per computation: 1000. */
  readonly taskLimit?: number | undefined;
}

/**
 * A consumer that makes spans: `x.compute({onEvent: await openTelemetry()})`. Loads @opentelemetry/api unless `api` or
 * `tracer` is given.
 */
export async function openTelemetry(options: OpenTelemetryOptions = {}): Promise<Consumer> {
  checkOptions(options);
  const api = options.api ?? (await (options.tracer === undefined ? loadApi() : loadApi().catch(() => null)));
  const tracer = options.tracer ?? api!.trace.getTracer("chunkwise");
  return new Tracing(tracer, () => api?.context.active(), options).onEvent;
}

function checkOptions({ sample = 1, taskLimit = 0 }: OpenTelemetryOptions): void {
  if (!(sample >= 0 && sample <= 1)) {
    const cure = "It is the part of tasks that get a span, from 0 to 1";
    throw new ValueError({ where: "openTelemetry", what: `sample is ${describe(sample)}`, cure });
  }
  if (isLength(taskLimit) || taskLimit === Number.POSITIVE_INFINITY) return;
  const cure = "It is a whole number of spans, 0 or more, or Infinity";
  throw new ValueError({ where: "openTelemetry", what: `taskLimit is ${describe(taskLimit)}`, cure });
}

/** A span that is open, and the context of its children. */
interface Open {
  readonly span: Span;
  readonly context: SpanContext;
}
/** Kept after its end: an attempt that lost a race, or a spill of its outputs, may come later. */
interface OperationSpan extends Open {
  failures: number;
  isOpen: boolean;
}

const ERROR = 2;

class Tracing {
  readonly #tracer: SpanTracer;
  readonly #activeContext: () => SpanContext | undefined;
  readonly #sample: number;
  readonly #taskLimit: number;
  #compute: Open | null = null;
  readonly #infos = new Map<string, OperationInfo>();
  readonly #operations = new Map<string, OperationSpan>();
  #taskSpans = 0;
  #tasksLeftOut = 0;

  constructor(
    tracer: SpanTracer,
    activeContext: () => SpanContext | undefined,
    { sample = 1, taskLimit = 1000 }: OpenTelemetryOptions,
  ) {
    this.#tracer = tracer;
    this.#activeContext = activeContext;
    this.#sample = sample;
    this.#taskLimit = taskLimit;
  }

  readonly onEvent = (event: RunEvent): void => {
    switch (event.type) {
      case "computeStart":
        return this.#begin(event);
      case "operationStart":
        return void this.#operation(event.operation, event.time);
      case "taskEnd":
        return this.#task(event);
      case "retry":
      case "twin":
      case "spill":
        return this.#happened(event);
      case "operationEnd":
        return this.#endOperation(event.operation, event.time);
      case "computeEnd":
        return this.#end(event);
      case "taskStart":
        return;
      default:
        event satisfies never;
    }
  };

  #begin({ time, operations, tasks, tasksDone, pool, workers, allowedMem }: ComputeStart): void {
    this.#compute = this.#start("chunkwise.compute", time, this.#activeContext(), {
      "chunkwise.operations": operations.length,
      "chunkwise.tasks": tasks,
      "chunkwise.tasks_done_before": tasksDone,
      "chunkwise.pool": pool,
      "chunkwise.workers": workers,
      ...(allowedMem === null ? {} : { "chunkwise.memory.allowed": allowedMem }),
    });
    this.#operations.clear();
    this.#infos.clear();
    for (const info of operations) this.#infos.set(info.name, info);
    this.#taskSpans = 0;
    this.#tasksLeftOut = 0;
  }

  #start(name: string, time: number, parent: SpanContext | undefined, attributes: SpanAttributes): Open {
    const span = this.#tracer.startSpan(name, { attributes, startTime: spanTime(time) }, parent);
    return { span, context: contextOf(span, parent) };
  }

  /** An event of the operation's span; of the computation's, when that one has ended. */
  #happened({ type, time, ...details }: Retry | Twin | Spill): void {
    const { span, isOpen } = this.#operation(details.operation, time);
    const target = isOpen ? span : this.#compute?.span;
    target?.addEvent(`chunkwise.${type}`, attributesOf(details), spanTime(time));
  }

  /** The operation's span, started now if it has not been. */
  #operation(name: string, time: number): OperationSpan {
    const known = this.#operations.get(name);
    if (known !== undefined) return known;
    const info = this.#infos.get(name);
    const started = this.#start("chunkwise.operation", time, this.#compute?.context, {
      "chunkwise.operation": name,
      ...(info === undefined
        ? {}
        : {
            "chunkwise.label": info.label,
            "chunkwise.tasks": info.tasks,
            "chunkwise.memory.projected": info.projectedMem,
          }),
    });
    const operation = { ...started, failures: 0, isOpen: true };
    this.#operations.set(name, operation);
    return operation;
  }

  #task(event: TaskEnd): void {
    const operation = this.#operation(event.operation, event.startTime);
    const isFailed = event.outcome === "failed";
    if (isFailed) operation.failures++;
    const isWanted = isFailed || isSampled(event, this.#sample);
    if (!isWanted || this.#taskSpans >= this.#taskLimit) {
      this.#tasksLeftOut++;
      return;
    }
    this.#taskSpans++;
    const start = Math.min(event.startTime, event.time);
    const { span } = this.#start("chunkwise.task", start, operation.context, taskAttributes(event));
    span.addEvent("chunkwise.inputs_read", {}, spanTime(event.readTime));
    span.addEvent("chunkwise.computed", {}, spanTime(event.computeTime));
    if (isFailed) span.setStatus({ code: ERROR, message: "the attempt failed" });
    span.end(spanTime(event.time));
  }

  #endOperation(name: string, time: number): void {
    const operation = this.#operations.get(name);
    if (operation === undefined || !operation.isOpen) return;
    operation.isOpen = false;
    operation.span.end(spanTime(time));
  }

  #end({ time, outcome, error = "the computation failed" }: ComputeEnd): void {
    for (const { span, failures, isOpen } of this.#operations.values()) {
      if (!isOpen) continue;
      if (outcome === "failed" && failures > 0) span.setStatus({ code: ERROR, message: error });
      span.end(spanTime(time));
    }
    this.#operations.clear();
    const span = this.#compute?.span;
    this.#compute = null;
    span?.setAttributes({ "chunkwise.outcome": outcome, "chunkwise.tasks_without_span": this.#tasksLeftOut });
    if (outcome === "failed") {
      span?.addEvent("exception", { "exception.message": error }, spanTime(time));
      span?.setStatus({ code: ERROR, message: error });
    }
    span?.end(spanTime(time));
  }
}

function taskAttributes(event: TaskEnd): SpanAttributes {
  return {
    "chunkwise.operation": event.operation,
    "chunkwise.task": event.task,
    "chunkwise.attempt": event.attempt,
    "chunkwise.is_twin": event.isTwin,
    "chunkwise.worker": event.worker,
    ...(event.by === undefined ? {} : { "chunkwise.worker_name": event.by }),
    "chunkwise.outcome": event.outcome,
    "chunkwise.bytes_read": event.bytesRead,
    "chunkwise.bytes_written": event.bytesWritten,
    "chunkwise.memory.projected": event.projectedMem,
    ...(event.measuredMem === null ? {} : { "chunkwise.memory.measured": event.measuredMem }),
  };
}

/** `delayMs` becomes `chunkwise.delay_ms`. */
function attributesOf(details: { readonly [name: string]: string | number }): SpanAttributes {
  const entries = Object.entries(details).map(([name, value]) => [
    `chunkwise.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    value,
  ]);
  return Object.fromEntries(entries) as SpanAttributes;
}

/** By a hash of its name: all attempts of a task or none, and the same in every run. */
function isSampled({ operation, task }: TaskEnd, part: number): boolean {
  if (part >= 1) return true;
  let hash = 0x811c9dc5;
  for (const character of `${operation} ${task}`)
    hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  // FNV's low bits are better mixed than its high ones for short names: fold them.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32 < part;
}
