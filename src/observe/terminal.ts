// A block of lines at the bottom of a terminal that is drawn over and over. In: a stream and lines. Out: the escape
// sequences that replace the old block with the new one. Must hold: the cursor is hidden only between the first draw
// and `close`, and is shown again when the process leaves by exit or by a signal.

import { displayWidth } from "./shortTexts.ts";

/** What is used of a stream: `process.stderr` fits, and so does a test's list. */
export interface ProgressStream {
  /** Prints a text. */
  write(text: string): unknown;
  /** true: it is a terminal. */
  readonly isTTY?: boolean | undefined;
  /** How wide it is, */
  readonly columns?: number | undefined;
  /** and how high. */
  readonly rows?: number | undefined;
}

/** A terminal that does not know its size says 0, or nothing. */
export const sizeOf = ({ columns, rows }: ProgressStream): { columns: number; rows: number } => ({
  columns: columns || 80,
  rows: rows || 24,
});

const HIDE = "\u001b[?25l";
const SHOW = "\u001b[?25h";
const CLEAR_LINE = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";

export class LineBlock {
  readonly #stream: ProgressStream;
  #lines: readonly string[] = [];
  #stopWatching: (() => void) | null = null;

  constructor(stream: ProgressStream) {
    this.#stream = stream;
  }

  draw(lines: readonly string[]): void {
    const hide = this.#stopWatching === null ? HIDE : "";
    this.#stopWatching ??= onLeave(() => this.#stream.write(`${SHOW}\n`));
    const body = lines.map((line) => line + CLEAR_LINE).join("\n");
    this.#stream.write(hide + this.#toTop() + body + CLEAR_BELOW);
    this.#lines = lines;
  }

  /** Takes the block away, leaves one line in its place and gives the cursor back. */
  close(lastLine: string): void {
    const show = this.#stopWatching === null ? "" : SHOW;
    this.#stopWatching?.();
    this.#stopWatching = null;
    this.#stream.write(`${this.#toTop()}${CLEAR_BELOW}${lastLine}\n${show}`);
    this.#lines = [];
  }

  /** Lines that were drawn on a wider terminal may have been wrapped by it since. */
  #toTop(): string {
    const { columns } = sizeOf(this.#stream);
    const rows = this.#lines.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)),
      0,
    );
    return rows > 1 ? `\r\u001b[${rows - 1}A` : "\r";
  }
}

type Listener = (signal?: string) => void;

interface Host {
  readonly pid?: number;
  on?(event: string, listener: Listener): unknown;
  removeListener?(event: string, listener: Listener): unknown;
  listeners?(event: string): readonly Listener[];
  kill?(pid: number, signal: string): unknown;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const host = (globalThis as { process?: Host }).process;
/** Which listeners are from here: one for each that is to be restored. */
const ours = new WeakSet<Listener>();

/** Runs `restore` when the process goes; the function it returns takes that back. */
function onLeave(restore: () => void): () => void {
  const stop = (): void => {
    host?.removeListener?.("exit", leave);
    for (const signal of SIGNALS) host?.removeListener?.(signal, leaveBySignal);
  };
  const leave: Listener = () => {
    stop();
    restore();
  };
  // A listener keeps a signal from ending the process: if nobody else listens, it is sent again without ours.
  const leaveBySignal: Listener = (signal) => {
    const others = host?.listeners?.(signal!) ?? [];
    if (!others.every((listener) => ours.has(listener))) return;
    leave();
    if (others.length === 1) host?.kill?.(host.pid!, signal!);
  };
  ours.add(leaveBySignal);
  host?.on?.("exit", leave);
  for (const signal of SIGNALS) host?.on?.(signal, leaveBySignal);
  return stop;
}
