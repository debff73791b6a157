// Traces, as the real SDK of OpenTelemetry receives them: who is whose parent, times, attributes, errors, limits.

import { context, type Tracer, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { describe, expect, test } from "vitest";
import {
  contextOf,
  loadApi,
  OpenTelemetryError,
  type SpanTracer,
  spanTime,
} from "../../src/observe/spans.ts";
import { type OpenTelemetryOptions, openTelemetry } from "../../src/observe/telemetry.ts";
import type { RunEvent } from "../../src/runtime/events.ts";
import { OPERATIONS, runEvents, START } from "./events.ts";

function collector(): { tracer: Tracer; spans: () => ReadableSpan[] } {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracer: provider.getTracer("test"), spans: () => exporter.getFinishedSpans() };
}

async function spansOf(
  events: readonly RunEvent[],
  options: OpenTelemetryOptions = {},
): Promise<ReadableSpan[]> {
  const { tracer, spans } = collector();
  events.forEach(await openTelemetry({ tracer, ...options }));
  return spans();
}

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan[] =>
  spans.filter((span) => span.name === `chunkwise.${name}`);
const idOf = (span: ReadableSpan): string => span.spanContext().spanId;
const milliseconds = ([seconds, nanoseconds]: readonly [number, number]): number =>
  seconds * 1000 + nanoseconds / 1e6;

describe("spans", () => {
  const events = runEvents({ failures: 0.1, twins: 0.1, spills: 0.2 });
  const count = (type: RunEvent["type"]): number => events.filter((event) => event.type === type).length;

  test("one for the computation, below it operations, below these tasks", async () => {
    const spans = await spansOf(events);
    const [compute, ...others] = named(spans, "compute");
    expect(others).toEqual([]);
    expect(compute!.parentSpanContext).toBeUndefined();
    const operations = named(spans, "operation");
    expect(operations.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
      OPERATIONS.map(() => idOf(compute!)),
    );
    const tasks = named(spans, "task");
    expect(tasks.length).toBe(count("taskEnd"));
    const byId = new Map(operations.map((span) => [idOf(span), span]));
    for (const task of tasks) {
      const parent = byId.get(task.parentSpanContext!.spanId)!;
      expect(parent.attributes["chunkwise.operation"]).toBe(task.attributes["chunkwise.operation"]);
      expect(task.spanContext().traceId).toBe(compute!.spanContext().traceId);
    }
  });

  test("with the attributes and the times of the events", async () => {
    const spans = await spansOf(events);
    const [compute] = named(spans, "compute");
    expect(compute!.attributes).toMatchInlineSnapshot(`
      {
        "chunkwise.memory.allowed": 1000000000,
        "chunkwise.operations": 3,
        "chunkwise.outcome": "done",
        "chunkwise.pool": "threads",
        "chunkwise.tasks": 44,
        "chunkwise.tasks_done_before": 0,
        "chunkwise.tasks_without_span": 0,
        "chunkwise.workers": 4,
      }
    `);
    expect(milliseconds(compute!.startTime)).toBe(START);
    expect(milliseconds(compute!.endTime)).toBeCloseTo(events.at(-1)!.time, 3);
    const end = events.find((event) => event.type === "taskEnd")!;
    const [task] = named(spans, "task");
    expect(task!.attributes).toMatchInlineSnapshot(`
      {
        "chunkwise.attempt": 1,
        "chunkwise.bytes_read": 32000000,
        "chunkwise.bytes_written": 16000000,
        "chunkwise.is_twin": false,
        "chunkwise.memory.measured": 39920765,
        "chunkwise.memory.projected": 64000000,
        "chunkwise.operation": "op-001",
        "chunkwise.outcome": "done",
        "chunkwise.task": 2,
        "chunkwise.worker": 3,
      }
    `);
    expect(milliseconds(task!.startTime)).toBeCloseTo(end.startTime, 3);
    expect(task!.events.map(({ name, time }) => [name, milliseconds(time)])).toEqual([
      ["chunkwise.inputs_read", expect.closeTo(end.readTime, 3)],
      ["chunkwise.computed", expect.closeTo(end.computeTime, 3)],
    ]);
  });

  test("with retries, twins and spills as events of the operation", async () => {
    const spans = await spansOf(events);
    const told = [...named(spans, "operation"), ...named(spans, "compute")].flatMap((span) => span.events);
    for (const type of ["retry", "twin", "spill"] as const) {
      expect(told.filter(({ name }) => name === `chunkwise.${type}`).length).toBe(count(type));
    }
    expect(told.find(({ name }) => name === "chunkwise.retry")!.attributes).toEqual({
      "chunkwise.operation": "op-001",
      "chunkwise.task": expect.any(Number),
      "chunkwise.attempt": 1,
      "chunkwise.error": "EIO",
      "chunkwise.delay_ms": 50,
    });
  });

  test("what comes after an operation's end starts no second span of it", async () => {
    const late: RunEvent[] = [
      { type: "spill", time: events.at(-1)!.time, operation: "op-001", task: 1, bytes: 5 },
      {
        ...events.find((event) => event.type === "taskEnd")!,
        time: events.at(-1)!.time,
        outcome: "superseded",
      },
    ];
    const spans = await spansOf([...events.slice(0, -1), ...late, events.at(-1)!]);
    expect(named(spans, "operation").length).toBe(3);
    expect(named(spans, "compute")[0]!.events.at(-1)!.attributes).toEqual({
      "chunkwise.operation": "op-001",
      "chunkwise.task": 1,
      "chunkwise.bytes": 5,
    });
    const ids = named(spans, "operation").map(idOf);
    expect(
      named(spans, "task").every(({ parentSpanContext }) => ids.includes(parentSpanContext!.spanId)),
    ).toBe(true);
  });

  test("failed attempts and failed computations have an error status; all spans end", async () => {
    const spans = await spansOf(runEvents({ outcome: "failed", failures: 0.3 }));
    const [compute] = named(spans, "compute");
    expect(compute!.status).toEqual({ code: 2, message: "disk is full" });
    expect(compute!.events[0]).toMatchObject({
      name: "exception",
      attributes: { "exception.message": "disk is full" },
    });
    expect(named(spans, "operation").every(({ ended }) => ended)).toBe(true);
    for (const { status, attributes } of named(spans, "task"))
      expect(status.code).toBe(attributes["chunkwise.outcome"] === "failed" ? 2 : 0);
    const cancelled = named(await spansOf(runEvents({ outcome: "cancelled" })), "compute")[0]!;
    expect(cancelled.status.code).toBe(0);
    expect(cancelled.attributes["chunkwise.outcome"]).toBe("cancelled");
  });

  test("are sampled by task, the same in every run, and failures are always there", async () => {
    const operations = [{ ...OPERATIONS[0]!, tasks: 1000 }];
    const many = runEvents({ operations, failures: 0.05 });
    const failed = many.filter((event) => event.type === "taskEnd" && event.outcome === "failed").length;
    const first = named(await spansOf(many, { sample: 0.1, taskLimit: 10_000 }), "task");
    expect(first.filter(({ status }) => status.code === 2).length).toBe(failed);
    const others = first.filter(({ status }) => status.code !== 2).length;
    expect(others).toBeGreaterThan(70);
    expect(others).toBeLessThan(130);
    const again = named(await spansOf(many, { sample: 0.1, taskLimit: 10_000 }), "task");
    expect(again.map(({ attributes }) => attributes)).toEqual(first.map(({ attributes }) => attributes));
    expect(named(await spansOf(many, { sample: 0 }), "task").length).toBe(failed);
  });

  test("are limited, and the computation says how many are missing", async () => {
    const operations = [{ ...OPERATIONS[0]!, tasks: 1200 }];
    const spans = await spansOf(runEvents({ operations }));
    expect(named(spans, "task").length).toBe(1000);
    expect(named(spans, "compute")[0]!.attributes["chunkwise.tasks_without_span"]).toBe(200);
  });

  test("several computations one after another are several traces", async () => {
    const spans = await spansOf([...events, ...runEvents({ startTime: START + 1e5 })]);
    expect(named(spans, "compute").length).toBe(2);
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(2);
  });

  test("times of a clock that starts at 0 are taken as they are", async () => {
    const [compute] = named(await spansOf(runEvents({ startTime: 0 })), "compute");
    expect(compute!.startTime).toEqual([0, 0]);
  });
});

describe("the package", () => {
  test("a tracer of OpenTelemetry is one for us, and its keys of contexts are ours", () => {
    const { tracer } = collector();
    const ours: SpanTracer = tracer;
    const span = tracer.startSpan("parent");
    expect(ours).toBe(tracer);
    const layer = contextOf(span, context.active());
    expect(trace.getSpan(layer)).toBe(span);
    expect(trace.getSpan(trace.deleteSpan(layer))).toBeUndefined();
    const key = Symbol("other");
    expect(layer.setValue(key, 1).getValue(key)).toBe(1);
    span.end();
  });

  test("the computation is a child of the span that is active", async () => {
    const { tracer, spans } = collector();
    const outer = tracer.startSpan("outer");
    const api = { trace, context: { active: () => trace.setSpan(context.active(), outer) } };
    runEvents().forEach(await openTelemetry({ api, tracer }));
    outer.end();
    expect(named(spans(), "compute")[0]!.parentSpanContext!.spanId).toBe(outer.spanContext().spanId);
  });

  test("without a tracer, that of the global provider is used", async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    trace.setGlobalTracerProvider(provider);
    try {
      runEvents().forEach(await openTelemetry());
      expect(exporter.getFinishedSpans().length).toBe(1 + 3 + 44);
    } finally {
      trace.disable();
    }
  });

  test("when it is missing, the error says what to do", async () => {
    await expect(loadApi("@opentelemetry/not-there")).rejects.toThrow(OpenTelemetryError);
    await expect(loadApi("@opentelemetry/not-there")).rejects.toThrowErrorMatchingInlineSnapshot(
      `[OpenTelemetryError: openTelemetry: the package @opentelemetry/not-there is not there. npm install @opentelemetry/api, or pass a tracer: openTelemetry({ tracer }).]`,
    );
  });

  test("options that cannot be are refused", async () => {
    await expect(openTelemetry({ sample: 2 })).rejects.toThrow("openTelemetry: sample is 2");
    await expect(openTelemetry({ taskLimit: -1 })).rejects.toThrow("openTelemetry: taskLimit is -1");
  });
});

test("times as seconds and nanoseconds", () => {
  expect(spanTime(1234.5678)).toEqual([1, 234_567_800]);
  expect(spanTime(1999.9999999)).toEqual([2, 0]);
  expect(spanTime(-0.5)).toEqual([-1, 999_500_000]);
});
