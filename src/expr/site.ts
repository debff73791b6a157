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

/** The calls of one synchronous run of code. */
class Calls {
  site: Site | null = null;
  depth = 0;
  captured = 0;
  /** The calls between two samples share one site per function. */
  near: Map<string, Site> | null = null;
  /** The node that a rule is about to replace. */
  replaced: Placed | null = null;
}

/** What runs: a user's call hands nothing on to the nodes that it makes, so that they have to ask. */
let underWay: Calls | null = null;
/** How many calls there were whose order matters. */
let ordered = 0;

function calls(): Calls {
  if (underWay === null) {
    underWay = new Calls();
    queueMicrotask(forgetCalls);
  }
  return underWay;
}

function forgetCalls(): void {
  underWay = null;
}

export const currentSite = (): Site | null => underWay?.site ?? null;

/** A number that is larger for a later call. */
export const callNumber = (): number => ordered++;

/** Does something as if it were called from a site: what a call does after it has waited. */
export function atSite<T>(site: Site | null, action: () => T): T {
  const here = calls();
  const before = here.site;
  here.site = site;
  try {
    return action();
  } finally {
    here.site = before;
  }
}

/** What a site needs to know of a node. */
interface Placed {
  readonly op: object;
  readonly site: Site | null;
  readonly inputs: readonly Placed[];
}

/**
 * Nodes made from now on replace this one and keep its line; those of an op that one of its inputs has keep that
 * input's, for it is the one that moved. Null ends it. Returns what was there before.
 */
export function assumeReplaced(node: Placed | null): Placed | null {
  const here = calls();
  const before = here.replaced;
  here.replaced = node;
  return before;
}

/** The site of a new node of an op. */
export function siteFor(op: object): Site | null {
  if (underWay === null) return null;
  const { replaced, site } = underWay;
  if (replaced === null) return site;
  for (const input of replaced.inputs) if (input.op === op) return input.site;
  return replaced.site;
}

/** Enters a public function and tells whether it is the outermost one. The site is the line that called the function that calls this. */
export function enterCall(call: string): boolean {
  const here = calls();
  if (here.depth++ > 0) return false;
  here.captured++;
  if (here.captured > EXACT && here.captured % SAMPLE_EVERY !== 0 && here.site !== null) {
    here.site = nearSite(here, call, here.site);
    return true;
  }
  // Three frames: this function, the public one, and the user's.
  const limit = Error.stackTraceLimit;
  limitStack(3);
  here.site = { call, at: new Error(), isNear: here.captured > EXACT };
  here.near = null;
  limitStack(limit);
  return true;
}

function nearSite(here: Calls, call: string, { at }: Site): Site {
  here.near ??= new Map();
  const known = here.near.get(call);
  if (known !== undefined) return known;
  const site = { call, at, isNear: true };
  here.near.set(call, site);
  return site;
}

/** Where intrinsics are frozen, lines cost more or are lost, but nothing breaks. */
function limitStack(frames: number): void {
  try {
    Error.stackTraceLimit = frames;
  } catch {}
}

export function leaveCall(): void {
  const here = underWay!;
  if (--here.depth === 0 && here.captured < EXACT) here.site = null;
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
