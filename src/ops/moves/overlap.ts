// overlap: the blocks of an array, each with what lies around it, side by side. Block q of attrs.chunks has attrs.before
// places before it and attrs.after behind it, along each axis; at the ends of the array they hold what attrs.modes[axis]
// says, as in pad (attrs.values[axis] is what constant padding holds). A block with its overlap is a window of the array,
// so that a task reads what it needs and nothing is stored twice.

import type { Attrs } from "../../core/block.ts";
import { type Box, type ChunkShape, isEmptyBox } from "../../core/chunks.ts";
import type { Scalar } from "../../core/numbers.ts";
import { type DenseType, denseType, type MoveOp } from "../../expr/op.ts";
import { type AxisSeams, type Piece, SEAMLESS } from "../../expr/pieces.ts";
import type { Calculus, Handle } from "../../expr/pullback.ts";
import { checkCounts, checkList, wrongAttr } from "../attrChecks.ts";
import { type Fragment, run, separable } from "./fragments.ts";
import { filled, folded, PAD_MODES, type PadMode, RUNS } from "./pad.ts";

interface OverlapAttrs {
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly chunks: ChunkShape;
  readonly modes: readonly PadMode[];
  readonly values: readonly Scalar[];
}

const overlapAttrs = (attrs: Attrs): OverlapAttrs => attrs as unknown as OverlapAttrs;

function checkAttrs({ before, after, chunks, modes, values }: OverlapAttrs, ndim: number): void {
  for (const [name, list] of Object.entries({ before, after })) checkCounts("overlap", name, list, ndim);
  checkCounts("overlap", "chunks", chunks, ndim, 1);
  checkList("overlap", "modes", modes, ndim);
  checkList("overlap", "values", values, ndim);
  const unknown = modes.find((mode) => !PAD_MODES.includes(mode));
  if (unknown !== undefined) throw wrongAttr("overlap", "modes", unknown);
}

const aroundAt = ({ before, after }: OverlapAttrs, axis: number): number => before[axis]! + after[axis]!;

export const overlap: MoveOp = {
  name: "overlap",
  class: "move",
  pullback: ({ inputs: [x], attrs, cotangent }, use) => {
    let part = cotangent;
    x!.shape.forEach((n, axis) => {
      part = unwindowed(part, overlapAttrs(attrs), axis, n, use);
    });
    return [part];
  },
  injective: false,
  seams: ([input], attrs) => input!.shape.map((n, axis) => blockSeams(overlapAttrs(attrs), axis, n)),
  infer([input], given) {
    const attrs = overlapAttrs(given);
    checkAttrs(attrs, input!.shape.length);
    const shape = input!.shape.map(
      (n, axis) => n + Math.ceil(n / attrs.chunks[axis]!) * aroundAt(attrs, axis),
    );
    return denseType(input!.dtype, shape);
  },
  chunks: (_, __, attrs) =>
    overlapAttrs(attrs).chunks.map((n, axis) => n + aroundAt(overlapAttrs(attrs), axis)),
  pieces(out, [input], given) {
    if (isEmptyBox(out)) return [];
    const attrs = overlapAttrs(given);
    const inside = separable(out, 0, input!.shape.length, (axis, at, length) =>
      spansOf(attrs, axis, at, length).flatMap((span) => runsOf(attrs, axis, span, input!.shape[axis]!)),
    );
    return [...fills(out, input!, attrs), ...inside];
  },
};

/** Where blocks meet. Those that reach beyond the array are each made in a way of their own. */
function blockSeams(attrs: OverlapAttrs, axis: number, n: number): AxisSeams {
  const chunk = attrs.chunks[axis]!;
  const length = chunk + aroundAt(attrs, axis);
  if (length === chunk) return SEAMLESS;
  const firstInside = Math.ceil(attrs.before[axis]! / chunk);
  const inside = Math.max(firstInside, Math.floor((n - attrs.after[axis]!) / chunk));
  return {
    zones: [
      [0, firstInside * length],
      [inside * length, Number.POSITIVE_INFINITY],
    ],
    periods: [{ every: length, at: [0] }],
  };
}

/**
 * The transpose along an axis. Places of the array, and of a margin of whole blocks around it, have parts in their own block and in
 * those near it: each is a part of the windows, as rows. What the margins come to is added where their elements came from.
 */
function unwindowed(g: Handle, attrs: OverlapAttrs, axis: number, n: number, use: Calculus): Handle {
  const [chunk, before, after] = [attrs.chunks[axis]!, attrs.before[axis]!, attrs.after[axis]!];
  const row = chunk + before + after;
  if (row === chunk || n === 0) return g;
  const [far, near] = [Math.ceil(before / chunk), Math.ceil(after / chunk)];
  const margin = Math.max(far, near) + 1;
  const blocks = Math.ceil(n / chunk);
  // The last window is as much shorter as the last block is.
  const around = use.padded(g, axis, 2 * margin * row, blocks * chunk - n + 2 * margin * row);
  const parts: Handle[] = [];
  for (let apart = -near; apart <= far; apart++) {
    const [from, lead] = [before - apart * chunk, Math.max(0, apart * chunk - before)];
    const count = Math.min(chunk, row - from) - lead;
    const rows = { row, first: margin + apart, rows: blocks + 2 * margin };
    parts.push(use.rowParts(around, axis, { ...rows, start: from + lead, count, lead, width: chunk }));
  }
  const whole = parts.reduce((sum, part) => use.two("add", sum, part));
  return folded(
    whole,
    { axis, first: margin * chunk, n, depth: [before, after], mode: attrs.modes[axis]! },
    use,
  );
}

/** A range of one block with its overlap; `phase` is where it begins in the array: negative before it. */
interface Span {
  readonly at: number;
  readonly length: number;
  readonly phase: number;
}

/** A range, cut where blocks meet. Without overlap they lie as in the array. */
function spansOf(attrs: OverlapAttrs, axis: number, at: number, length: number): Span[] {
  const around = aroundAt(attrs, axis);
  if (around === 0) return [{ at, length, phase: at }];
  const chunk = attrs.chunks[axis]!;
  const spans: Span[] = [];
  for (let from = at; from < at + length; ) {
    const block = Math.floor(from / (chunk + around));
    const begin = block * (chunk + around);
    const end = Math.min(begin + chunk + around, at + length);
    const phase = block * chunk - attrs.before[axis]! + (from - begin);
    spans.push({ at: from, length: end - from, phase });
    from = end;
  }
  return spans;
}

function runsOf({ modes }: OverlapAttrs, axis: number, { at, length, phase }: Span, n: number): Fragment[] {
  const mode = modes[axis]!;
  if (mode !== "constant") return RUNS[mode](axis, at, length, phase, n);
  const from = Math.max(0, phase);
  const inside = Math.min(n, phase + length) - from;
  return inside > 0 ? [run(axis, at + from - phase, inside, axis, from, 1)] : [];
}

/** Where axes with constant ends reach beyond the array. In a corner the last axis says what is there, as in NumPy. */
function fills(out: Box, { shape }: DenseType, attrs: OverlapAttrs): Piece[] {
  return shape.flatMap((n, axis) => {
    if (attrs.modes[axis] !== "constant") return [];
    const spans = spansOf(attrs, axis, out.start[axis]!, out.shape[axis]!);
    return spans
      .flatMap((span) => outside(span, n))
      .map(([at, length]) => {
        const start = out.start.map((x, a) => (a === axis ? at : x));
        const lengths = out.shape.map((x, a) => (a === axis ? length : x));
        return filled(start, lengths, attrs.values[axis]!);
      });
  });
}

/** The parts of a span that lie before the array and behind it. */
function outside({ at, length, phase }: Span, n: number): (readonly [at: number, length: number])[] {
  const before = Math.min(length, Math.max(0, -phase));
  const after = Math.min(length, Math.max(0, phase + length - n));
  const parts = [[at, before] as const, [at + length - after, after] as const];
  return parts.filter(([, count]) => count > 0);
}
