// Source lines: which line of the user's code made a node. The outermost public call captures its
// caller; calls that public functions make among themselves keep that site.
// A capture costs about 3 µs, so within one synchronous run of code the first EXACT calls are exact and
// later ones share a sample ("near"): building a million nodes in a loop stays cheap (docs/adr/0003).

/** A captured caller; the text is made only when somebody asks. */
export interface Site {
  readonly stack?: string;
}

const EXACT = 20_000;
const SAMPLE_EVERY = 64;

let current: Site | null = null;
let depth = 0;
let captured = 0;

export const currentSite = (): Site | null => current;

// biome-ignore lint/suspicious/noConfusingVoidType: a function of any signature
type AnyFunction = (...args: never[]) => unknown;

/** Enters a public function. The site is the line that called `publicFunction`. */
export function enterCall(publicFunction: AnyFunction): void {
  if (depth++ > 0) return;
  if (captured++ === 0) queueMicrotask(forgetCaptures);
  if (captured <= EXACT || captured % SAMPLE_EVERY === 0) current = capture(publicFunction);
}

export function leaveCall(): void {
  if (--depth === 0 && captured < EXACT) current = null;
}

function forgetCaptures(): void {
  captured = 0;
  current = null;
}

function capture(publicFunction: AnyFunction): Site {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  const site: { stack?: string } = {};
  if (Error.captureStackTrace) Error.captureStackTrace(site, publicFunction);
  else site.stack = new Error().stack ?? "";
  Error.stackTraceLimit = limit;
  return site;
}

/** `file:line:column` of a site, without the path's scheme. Undefined where the engine tells nothing. */
export function lineOf(site: Site | null): string | undefined {
  const frames = site?.stack?.split("\n") ?? [];
  const frame = frames.find((line) => /:\d+:\d+\)?$/.test(line.trim()));
  return frame
    ?.trim()
    .replace(/^at\s+/, "")
    .replace(/^.*\((.*)\)$/, "$1")
    .replace(/^async\s+/, "")
    .replace(/^file:\/\//, "");
}
