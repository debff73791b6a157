// What lies beyond the ends of an array, by the names that scipy.ndimage has. In: an array, how far windows reach, a mode. Out: the array
// with that around it; it is part of the windows that read it, and never stored.

import { describe, isLength } from "../../core/chunks.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { fitScalar, type RealScalar } from "../../core/numbers.ts";
import { node } from "../../lazy/build.ts";
import type { LazyArray } from "../../lazy/lazyArray.ts";
import { type PadMode, pad } from "../../ops/moves/pad.ts";

/** What lies beyond the ends of `a b c d`, as scipy.ndimage has it. */
export type BorderMode =
  | "reflect"
  | "grid-mirror"
  | "constant"
  | "grid-constant"
  | "nearest"
  | "mirror"
  | "wrap"
  | "grid-wrap";

/** NumPy's names of the same. */
const PADS: { readonly [M in BorderMode]: PadMode } = {
  reflect: "symmetric",
  "grid-mirror": "symmetric",
  constant: "constant",
  "grid-constant": "constant",
  nearest: "edge",
  mirror: "reflect",
  wrap: "wrap",
  "grid-wrap": "wrap",
};

/** Options of what lies beyond the ends. */
export interface BorderOptions {
  /** What lies beyond the ends; for all axes or for each. "reflect" unless given: `d c b a | a b c d | d c b a`. */
  readonly mode?: BorderMode | readonly BorderMode[] | undefined;
  /** Of the mode "constant": the value; 0 unless given. */
  readonly cval?: RealScalar | undefined;
}

/** One for each axis. */
export function perAxis<T>(given: T | readonly T[], ndim: number, name: string): readonly T[] {
  if (!Array.isArray(given)) return new Array<T>(ndim).fill(given as T);
  if (given.length === ndim) return given as readonly T[];
  throw new ValueError({
    what: `${name} has ${given.length} entries and the array ${ndim} axes`,
    cure: "Give one for all axes, or one for each",
  });
}

export function checkModes(mode: BorderOptions["mode"], ndim: number): readonly PadMode[] {
  return perAxis(mode ?? "reflect", ndim, "mode").map((each) => {
    if (Object.hasOwn(PADS, each)) return PADS[each];
    throw new ValueError({
      what: `mode is ${describe(each)}`,
      cure: `Use one of ${Object.keys(PADS).join(", ")}`,
    });
  });
}

/** Lengths of windows, for all axes or for each. */
export function checkSizes(size: unknown, ndim: number): readonly number[] {
  return perAxis(size, ndim, "size").map((each) => {
    if (isLength(each) && each > 0) return each;
    throw new ValueError({ what: `size is ${describe(each)}`, cure: "Use whole numbers from 1 on" });
  });
}

/** How far a window of a length reaches before its place and behind it, when it is moved by an origin. */
export function reachOf(length: number, origin: number): readonly [before: number, after: number] {
  const before = Math.floor(length / 2) + origin;
  if (Number.isSafeInteger(origin) && before >= 0 && before < length) return [before, length - 1 - before];
  throw new ValueError({
    what: `origin is ${describe(origin)} and the window ${length} long`,
    cure: "The window must hold the place that it is for",
  });
}

/** How far beyond the ends, and what is there. */
export interface Border {
  readonly reach: readonly (readonly [before: number, after: number])[];
  readonly modes: readonly PadMode[];
  readonly cval: RealScalar;
}

/** Axes of one mode together: a mode says what is there along its own axes. */
export function bordered(x: LazyArray, { reach, modes, cval }: Border): LazyArray {
  const empty = x.shape.findIndex((n, axis) => n === 0 && reach[axis]!.some((width) => width > 0));
  if (empty >= 0 && modes[empty] !== "constant")
    throw new ShapeError({ what: `axis ${empty} has no elements`, cure: 'Use the mode "constant"' });
  const padded = (array: LazyArray, mode: PadMode): LazyArray => {
    const side = (at: 0 | 1): number[] =>
      reach.map((widths, axis) => (modes[axis] === mode ? widths[at] : 0));
    const [before, after] = [side(0), side(1)];
    if ([...before, ...after].every((width) => width === 0)) return array;
    return node(pad, [array], { before, after, mode, value: fitScalar(cval, array.dtype) });
  };
  return [...new Set(modes)].reduce(padded, x);
}
