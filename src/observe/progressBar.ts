// The progress bar. In: events, and a stream (the terminal's error output unless told otherwise). Out: a block of lines
// that is redrawn at most ten times a second and ends as one summary line. On a stream that is no terminal it is
// silent, or prints a plain line now and then when asked to.

import type { RunEvent } from "../runtime/events.ts";
import type { Consumer } from "./consumer.ts";
import { plainLine, progressLines, summaryLine } from "./progressLines.ts";
import { initialProgress, type ProgressState, progressed } from "./progressState.ts";
import { LineBlock, type ProgressStream, sizeOf } from "./terminal.ts";

/** Options of `progressBar`. */
export interface ProgressBarOptions {
  /** Where to draw: `process.stderr`. */
  readonly stream?: ProgressStream | undefined;
  /** Prints plain lines when the stream is no terminal. */
  readonly always?: boolean | undefined;
  /** At most so many lines for operations: 8, fewer on a low terminal. */
  readonly operations?: number | undefined;
  /** Bars of # and - for terminals without block characters. */
  readonly ascii?: boolean | undefined;
  /** The least time between two drawings. */
  readonly everyMs?: number | undefined;
  /** The least time between two plain lines. */
  readonly plainEveryMs?: number | undefined;
}

/** A bar that nothing happens to is drawn again after this time: its rates and its ETA change. */
const IDLE_MS = 1000;

/** A consumer that draws how far a run is, in the terminal: `x.compute({onEvent: progressBar()})`. */
export function progressBar(options: ProgressBarOptions = {}): Consumer {
  const stream = options.stream ?? standardError();
  if (stream === undefined) return () => {};
  if (stream.isTTY === true) return new TerminalBar(stream, options).onEvent;
  return options.always === true ? plainBar(stream, options.plainEveryMs ?? 10_000) : () => {};
}

const standardError = (): ProgressStream | undefined =>
  (globalThis as { process?: { stderr?: ProgressStream } }).process?.stderr;

function plainBar(stream: ProgressStream, everyMs: number): Consumer {
  let state = initialProgress;
  let printed = 0;
  return (event) => {
    state = progressed(state, event);
    if (event.type === "computeStart") printed = event.time;
    if (event.type === "computeEnd") stream.write(`${summaryLine(state)}\n`);
    else if (event.time - printed >= everyMs) {
      stream.write(`${plainLine(state, event.time)}\n`);
      printed = event.time;
    }
  };
}

class TerminalBar {
  readonly #stream: ProgressStream;
  readonly #options: ProgressBarOptions;
  readonly #block: LineBlock;
  readonly #everyMs: number;
  #state: ProgressState = initialProgress;
  #drawnAt = 0;
  #drawnState: ProgressState = initialProgress;
  #drawnColumns: number | undefined;
  /** Event times may come from another clock: the state's time is the last event's, and runs on from there. */
  #eventTime = 0;
  #eventAt = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(stream: ProgressStream, options: ProgressBarOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#block = new LineBlock(stream);
    this.#everyMs = options.everyMs ?? 100;
  }

  readonly onEvent = (event: RunEvent): void => {
    this.#state = progressed(this.#state, event);
    this.#eventTime = event.time;
    this.#eventAt = performance.now();
    if (event.type === "computeStart") this.#begin();
    else if (event.type === "computeEnd") this.#end();
    // Not by the timer alone: tasks may keep this thread busy.
    else if (this.#eventAt - this.#drawnAt >= this.#everyMs) this.#draw();
  };

  #begin(): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#tick(), this.#everyMs);
    // A bar alone must not keep a process alive. Browsers have numbers for timers.
    (this.#timer as { unref?(): void }).unref?.();
    this.#draw();
  }

  #tick(): void {
    const waited = performance.now() - this.#drawnAt;
    const isNew = this.#state !== this.#drawnState || this.#stream.columns !== this.#drawnColumns;
    if (waited >= (isNew ? this.#everyMs : IDLE_MS)) this.#draw();
  }

  #draw(): void {
    const { columns, rows } = sizeOf(this.#stream);
    const at = performance.now();
    const now = this.#eventTime + (at - this.#eventAt);
    // Two lines are for the rest and for all; the last column is left free, where some terminals wrap at once.
    const operations = Math.max(0, Math.min(this.#options.operations ?? 8, rows - 3));
    const { ascii } = this.#options;
    this.#block.draw(progressLines(this.#state, Math.max(1, columns - 1), now, { operations, ascii }));
    this.#drawnAt = at;
    this.#drawnState = this.#state;
    this.#drawnColumns = this.#stream.columns;
  }

  #end(): void {
    clearInterval(this.#timer);
    this.#block.close(summaryLine(this.#state));
  }
}
