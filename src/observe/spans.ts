// What is used of @opentelemetry/api, as types of our own, so that those who do not have the package need none of it.
// In: the package, loaded only now, or a tracer. Out: a tracer, and contexts that make one span the child of another.

import { ChunkwiseError } from "../core/errors.ts";

export type AttributeValue = string | number | boolean;
export type SpanAttributes = { [name: string]: AttributeValue };
/** Seconds since 1970, and nanoseconds. Milliseconds would be taken for another clock's when they are small. */
export type SpanTime = [number, number];

/** What is used of a span of @opentelemetry/api. */
export interface Span {
  /** Adds attributes. */
  setAttributes(attributes: SpanAttributes): unknown;
  /** Something that happened in between. */
  addEvent(name: string, attributes: SpanAttributes, time: SpanTime): unknown;
  /** Whether it went well. */
  setStatus(status: { code: number; message?: string }): unknown;
  /** It is over. */
  end(time: SpanTime): void;
}

/** What is used of a context of @opentelemetry/api: which span is the parent. */
export interface SpanContext {
  /** What is under a key. */
  getValue(key: symbol): unknown;
  /** A context with a value more. */
  setValue(key: symbol, value: unknown): SpanContext;
  /** A context without that value. */
  deleteValue(key: symbol): SpanContext;
}

/** A tracer of @opentelemetry/api is one. */
export interface SpanTracer {
  /** Begins a span. */
  startSpan(
    name: string,
    options: { attributes?: SpanAttributes; startTime?: SpanTime },
    context?: SpanContext,
  ): Span;
}

/** The package @opentelemetry/api is one. */
export interface OpenTelemetryApi {
  /** Gives tracers by name. */
  readonly trace: { getTracer(name: string): SpanTracer };
  /** Gives the context that is active. */
  readonly context: { active(): SpanContext };
}

/** Tracing was asked for and cannot be had. */
export class OpenTelemetryError extends ChunkwiseError {}

/** By a name that bundlers do not follow: whoever does not ask for this needs no such package. */
export async function loadApi(name = "@opentelemetry/api"): Promise<OpenTelemetryApi> {
  try {
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as OpenTelemetryApi;
  } catch (cause) {
    throw new OpenTelemetryError(
      {
        where: "openTelemetry",
        what: `the package ${name} is not there`,
        cure: "npm install @opentelemetry/api, or pass a tracer: openTelemetry({ tracer })",
      },
      { cause },
    );
  }
}

/** OpenTelemetry's key of the current span, the same in all versions of the package. */
const SPAN_KEY = Symbol.for("OpenTelemetry Context Key SPAN");

/** A context whose current span is `span`; all else as in `base`. */
export function contextOf(span: Span, base: SpanContext | undefined): SpanContext {
  return new Layer(base, SPAN_KEY, span);
}

class Layer implements SpanContext {
  readonly #base: SpanContext | undefined;
  readonly #key: symbol;
  readonly #value: unknown;

  constructor(base: SpanContext | undefined, key: symbol, value: unknown) {
    this.#base = base;
    this.#key = key;
    this.#value = value;
  }

  getValue(key: symbol): unknown {
    return key === this.#key ? this.#value : this.#base?.getValue(key);
  }

  setValue(key: symbol, value: unknown): SpanContext {
    return new Layer(this, key, value);
  }

  deleteValue(key: symbol): SpanContext {
    return new Layer(this, key, undefined);
  }
}

export function spanTime(ms: number): SpanTime {
  const seconds = Math.floor(ms / 1000);
  const nanoseconds = Math.round((ms - seconds * 1000) * 1e6);
  return nanoseconds >= 1e9 ? [seconds + 1, nanoseconds - 1e9] : [seconds, nanoseconds];
}
