// Source lines: which line of the user's code made a node. The outermost public call captures its
// caller; calls that public functions make among themselves keep that site.
// A capture costs about 2 µs, so within one synchronous run of code the first EXACT calls are exact and
// later ones share a recent sample: building a million nodes in a loop stays cheap (docs/adr/0003).

/** The public function that was called, and from where; the text is made only when somebody asks. */
export interface Site {
  readonly call: string;
  readonly at: { readonly stack?: string };
  /** A sample: the call was near that line. */
  readonly isNear: boolean;
}

const EXACT = 1000;
const SAMPLE_EVERY = 16;

let current: Site | null = null;
let depth = 0;
let captured = 0;

export const currentSite = (): Site | null => current;

/** Does something as if it were called from a site: what a call does after it has waited. */
export function atSite<T>(site: Site | null, action: () => T): T {
  const before = current;
  current = site;
  try {
    return action();
  } finally {
    current = before;
  }
}

/** What a site needs to know of a node. */
interface Placed {
  readonly op: object;
  readonly site: Site | null;
  readonly inputs: readonly Placed[];
}

let replaced: Placed | null = null;

/**
 * Nodes made from now on replace this one and keep its line; those of an op that one of its inputs has keep that
 * input's, for it is the one that moved. Null ends it. Returns what was there before.
 */
export function assumeReplaced(node: Placed | null): Placed | null {
  const before = replaced;
  replaced = node;
  return before;
}

/** The site of a new node of an op. */
export function siteFor(op: object): Site | null {
  if (replaced === null) return current;
  for (const input of replaced.inputs) if (input.op === op) return input.site;
  return replaced.site;
}

/** Enters a public function and tells whether it is the outermost one. The site is the line that called the function that calls this. */
export function enterCall(call: string): boolean {
  if (depth++ > 0) return false;
  if (captured++ === 0) queueMicrotask(forgetCaptures);
  if (captured > EXACT && captured % SAMPLE_EVERY !== 0 && current !== null) {
    current = nearSite(call, current);
    return true;
  }
  // Three frames: this function, the public one, and the user's.
  const limit = Error.stackTraceLimit;
  limitStack(3);
  current = { call, at: new Error(), isNear: captured > EXACT };
  nearSites.clear();
  limitStack(limit);
  return true;
}

/** The calls between two samples share one site per function. */
const nearSites = new Map<string, Site>();

function nearSite(call: string, { at }: Site): Site {
  const known = nearSites.get(call);
  if (known !== undefined) return known;
  const site = { call, at, isNear: true };
  nearSites.set(call, site);
  return site;
}

/** Where intrinsics are frozen, lines cost more or are lost, but nothing breaks. */
function limitStack(frames: number): void {
  try {
    Error.stackTraceLimit = frames;
  } catch {}
}

export function leaveCall(): void {
  if (--depth === 0 && captured < EXACT) current = null;
}

function forgetCaptures(): void {
  captured = 0;
  current = null;
  nearSites.clear();
}

/** `file:line:column` of a site, without the path's scheme. Undefined where the engine tells nothing. */
export function lineOf(site: Site | null): string | undefined {
  const frames = (site?.at.stack?.split("\n") ?? []).filter((line) => /:\d+:\d+\)?$/.test(line.trim()));
  const text = frames[2]
    ?.trim()
    .replace(/^at\s+/, "")
    .replace(/^.*\((.*)\)$/, "$1");
  const line = text?.replace(/^async\s+/, "").replace(/^file:\/\//, "");
  return line !== undefined && site?.isNear === true ? `near ${line}` : line;
}
