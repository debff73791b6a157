// Sums of windows along an axis, and sums of squared distances from their means, at the same cost for windows of any length. In: lines.
// Out: one number for each window.
// The places of the whole array that are multiples of the window's length cut every window into a tail of what is before and a head
// of what is behind: sums that end there, from the right to the left, and such that begin there, from the left to the right, are
// made once for all windows (van Herk's way for minima). Nothing is taken away again, so nothing is cancelled.
// Must hold: a sum depends on its window alone, and on where that lies in the whole array.

import { type Shape, sizeOf } from "../../core/chunks.ts";

/** Lines along an axis: element i of line (o, k) is at (o·n + i)·inner + k. */
export interface Lines {
  readonly data: Float64Array;
  readonly outer: number;
  readonly inner: number;
  readonly n: number;
  /** Of windows. */
  readonly length: number;
  /** The first place's number in the whole array. */
  readonly start: number;
}

/** Windows of sums are longer than 1 along one axis, or along none. */
export function linesOf(data: Float64Array, shape: Shape, lengths: Shape, start: readonly number[]): Lines {
  const axis = Math.max(
    0,
    lengths.findIndex((length) => length > 1),
  );
  const [outer, inner] = [sizeOf(shape.slice(0, axis)), sizeOf(shape.slice(axis + 1))];
  return { data, outer, inner, n: shape[axis] ?? 1, length: lengths[axis] ?? 1, start: start[axis] ?? 0 };
}

/** For the windows that begin at `from` up to `to`: `cut` is in all of them, a multiple of the length in the whole array. */
type Group = (from: number, to: number, cut: number) => void;

export function eachGroup({ n, length, start }: Lines, group: Group): void {
  const last = n - length;
  for (let from = 0; from <= last; ) {
    const cut = Math.ceil((start + from) / length) * length - start;
    const to = Math.min(cut, last);
    group(from, to, cut);
    from = to + 1;
  }
}

export function sumsOfWindows(lines: Lines): Float64Array {
  const { data, outer, inner, n, length } = lines;
  const count = n - length + 1;
  const result = new Float64Array(outer * count * inner);
  for (let o = 0; o < outer; o++)
    for (let k = 0; k < inner; k++) {
      const [x, y] = [o * n * inner + k, o * count * inner + k];
      eachGroup(lines, (from, to, cut) => {
        let tail = 0;
        for (let i = cut - 1; i >= from; i--) {
          tail = data[x + i * inner]! + tail;
          if (i <= to) result[y + i * inner] = tail;
        }
        let head = 0;
        for (let j = cut; j < from + length; j++) head += data[x + j * inner]!;
        for (let i = from; i <= to; i++) {
          if (i > from) head += data[x + (i + length - 1) * inner]!;
          result[y + i * inner] = i === cut ? head : result[y + i * inner]! + head;
        }
      });
    }
  return result;
}

/** How many, their mean, and the sum of their squared distances from it. */
interface Spread {
  count: number;
  mean: number;
  squares: number;
}

/** Welford's: one more, if it is a number. */
function include(state: Spread, x: number): void {
  if (Number.isNaN(x)) return;
  state.count++;
  const apart = x - state.mean;
  state.mean += apart / state.count;
  state.squares += apart * (x - state.mean);
}

/** Chan's: of two parts together. */
function together(count: number, mean: number, squares: number, head: Spread): number {
  if (count === 0 || head.count === 0) return squares + head.squares;
  const apart = head.mean - mean;
  return squares + head.squares + apart * apart * ((count * head.count) / (count + head.count));
}

export function squaresOfWindows(lines: Lines, skip: boolean): Float64Array {
  const { outer, inner, n, length } = lines;
  const result = new Float64Array(outer * (n - length + 1) * inner);
  const line = skip ? squaresWithGaps(lines, result) : squaresOfLine(lines, result);
  for (let o = 0; o < outer; o++)
    for (let k = 0; k < inner; k++) line(o * n * inner + k, o * (n - length + 1) * inner + k);
  return result;
}

/** Of the line that begins at x, into the one that begins at y. */
type LineSquares = (x: number, y: number) => void;

/**
 * The same where all elements count: Σ(x − m)² = Σd² − (Σd)²/n with d = x − c, c the element at the cut, which is in all windows of the
 * group. One of n numbers is no further from their mean than √(n − 1) standard deviations, so that no more than n·ε is lost.
 */
function squaresOfLine(lines: Lines, result: Float64Array): LineSquares {
  const { data, inner, length } = lines;
  const sums = new Float64Array(length);
  return (x, y) =>
    eachGroup(lines, (from, to, cut) => {
      const centre = data[x + cut * inner]!;
      let [sum, squares] = [0, 0];
      for (let i = cut - 1; i >= from; i--) {
        const apart = data[x + i * inner]! - centre;
        sum += apart;
        squares += apart * apart;
        if (i > to) continue;
        result[y + i * inner] = squares;
        sums[cut - 1 - i] = sum;
      }
      sum = 0;
      squares = 0;
      for (let j = cut, i = cut + 1 - length; i <= to; j++, i++) {
        const apart = data[x + j * inner]! - centre;
        sum += apart;
        squares += apart * apart;
        if (i < from) continue;
        const at = y + i * inner;
        const all = i === cut ? sum : sum + sums[cut - 1 - i]!;
        const found = (i === cut ? squares : squares + result[at]!) - (all * all) / length;
        result[at] = found < 0 ? 0 : found;
      }
    });
}

function squaresWithGaps(lines: Lines, result: Float64Array): LineSquares {
  const { data, inner, length } = lines;
  const [means, counts] = [new Float64Array(length), new Float64Array(length)];
  return (x, y) =>
    eachGroup(lines, (from, to, cut) => {
      const tail: Spread = { count: 0, mean: 0, squares: 0 };
      for (let i = cut - 1; i >= from; i--) {
        include(tail, data[x + i * inner]!);
        if (i > to) continue;
        result[y + i * inner] = tail.squares;
        means[cut - 1 - i] = tail.mean;
        counts[cut - 1 - i] = tail.count;
      }
      const head: Spread = { count: 0, mean: 0, squares: 0 };
      for (let j = cut; j < from + length - 1; j++) include(head, data[x + j * inner]!);
      for (let i = from; i <= to; i++) {
        include(head, data[x + (i + length - 1) * inner]!);
        const [at, own] = [y + i * inner, cut - 1 - i];
        result[at] = i === cut ? head.squares : together(counts[own]!, means[own]!, result[at]!, head);
      }
    });
}
