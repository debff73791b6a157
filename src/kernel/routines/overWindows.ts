// windowed: what is found of every window. In: elements, weights of each pass, attrs.kind and attrs.passes (ops/windowed.ts). Out: one
// number for each window.
// Must hold: the same bits whichever part of an array is computed: weighted sums go through a window from its first element to its last,
// long sums are cut where the places in the whole array are multiples of the window's length.

import type { Block } from "../../core/block.ts";
import { type Shape, sizeOf, stridesOf } from "../../core/chunks.ts";
import type { TypedArray } from "../../core/dtype.ts";
import type { Routine } from "../routine.ts";
import { blockAt, booleanAttr, integerAttr } from "./attributes.ts";
import { fromContiguous, toContiguous } from "./stridedWalk.ts";
import { afterPass, tapsOf, type WindowKind } from "./windowKinds.ts";
import { type Lines, linesOf, squaresOfWindows, sumsOfWindows } from "./windowSums.ts";

/** What a pass goes over: elements in row-major order. */
interface Field {
  readonly data: Float64Array | BigInt64Array | BigUint64Array;
  readonly shape: Shape;
}

interface Pass {
  readonly lengths: Shape;
  readonly weights: Float64Array | null;
  readonly rank: number;
  readonly skip: boolean;
  /** Where the field begins in its whole array. */
  readonly start: readonly number[];
}

export const windowed: Routine = ({ inputs, outputs, attrs, starts }) => {
  const [x, output] = [blockAt(inputs, 0), blockAt(outputs, 0)];
  if (sizeOf(output.shape) === 0) return;
  const kind = attrs["kind"] as WindowKind;
  let field: Field = { data: numbersOf(x), shape: x.shape };
  (attrs["passes"] as readonly Shape[]).forEach((lengths, at) => {
    const weights = kind === "weights" ? numbersOf(blockAt(inputs, at + 1)) : null;
    const [rank, skip] = [integerAttr(attrs, "rank"), booleanAttr(attrs, "skip")];
    const pass: Pass = { lengths, weights: weights as Float64Array | null, rank, skip, start: starts[0]! };
    field = { data: PASSES[kind](field, pass), shape: afterPass(field.shape, lengths) };
  });
  const plain = field.data as TypedArray;
  const target = toContiguous(output);
  if (target.constructor === plain.constructor) fromContiguous(plain, output);
  else fromContiguous((target.constructor as Float64ArrayConstructor).from(plain as Float64Array), output);
};

/** Of 64 bits as they are, all others as float64, which holds them exactly. */
function numbersOf(block: Block): Field["data"] {
  const data = toContiguous(block);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array || data instanceof Float64Array)
    return data;
  return Float64Array.from(data as Float32Array);
}

const PASSES: { readonly [K in WindowKind]: (field: Field, pass: Pass) => Field["data"] } = {
  weights: weightedSums,
  sum: (field, pass) => sumsOfWindows(plainLines(field, pass)),
  squares: (field, pass) => squaresOfWindows(plainLines(field, pass), pass.skip),
  min: (field, pass) => bounds(field, pass, -1),
  max: (field, pass) => bounds(field, pass, 1),
  rank: (field, { lengths, rank }) => ranked(field, lengths, rank),
  median: (field, { lengths, skip }) => medians(field, lengths, skip),
};

const plainLines = ({ data, shape }: Field, { lengths, start }: Pass): Lines =>
  linesOf(data as Float64Array, shape, lengths, start);

/** Rows of the result, with where each begins in the field. */
function eachRow(
  { shape }: Field,
  lengths: Shape,
  row: (from: number, to: number, count: number) => void,
): void {
  const out = afterPass(shape, lengths);
  const strides = stridesOf(shape);
  const count = out.at(-1) ?? 1;
  const outer = out.slice(0, -1);
  const own = stridesOf(outer);
  for (let r = 0; r < sizeOf(outer); r++) {
    const from = outer.reduce((sum, n, axis) => sum + (Math.floor(r / own[axis]!) % n) * strides[axis]!, 0);
    row(from, r * count, count);
  }
}

/** out[i] = (…(0 + w[0]·x[i]) + w[1]·x[i + 1]) + … */
function weightedSums(field: Field, { lengths, weights }: Pass): Float64Array {
  const data = field.data as Float64Array;
  const taps = tapsOf(lengths, stridesOf(field.shape));
  const result = new Float64Array(sizeOf(afterPass(field.shape, lengths)));
  eachRow(field, lengths, (from, to, count) => {
    for (let t = 0; t < taps.length; t++) {
      const [weight, at] = [weights![t]!, from + taps[t]!];
      for (let i = 0; i < count; i++) result[to + i]! += weight * data[at + i]!;
    }
  });
  return result;
}

/** The least of each window (sign −1), or the largest; NaN where there is one. */
function bounds(field: Field, { lengths }: Pass, sign: -1 | 1): Field["data"] {
  const { data, shape } = field;
  const taps = tapsOf(lengths, stridesOf(shape));
  const result = newLike(data, sizeOf(afterPass(shape, lengths)));
  const better = sign > 0 ? isMore : isLess;
  eachRow(field, lengths, (from, to, count) => {
    for (let i = 0; i < count; i++) {
      let best = data[from + i]!;
      for (let t = 1; t < taps.length; t++) {
        const next = data[from + i + taps[t]!]!;
        if (better(next, best)) best = next;
      }
      result[to + i] = best;
    }
  });
  return result;
}

type Element = number | bigint;

const isNaNAt = (x: Element): boolean => typeof x === "number" && Number.isNaN(x);
/** −0 is less than 0, and NaN goes before all others. */
const isLess = (a: Element, b: Element): boolean =>
  a < b || (isNaNAt(a) && !isNaNAt(b)) || (a === 0 && Object.is(a, -0) && Object.is(b, 0));
const isMore = (a: Element, b: Element): boolean =>
  a > b || (isNaNAt(a) && !isNaNAt(b)) || (a === 0 && Object.is(b, -0) && Object.is(a, 0));

const newLike = (data: Field["data"], length: number): Field["data"] =>
  new (data.constructor as Float64ArrayConstructor)(length) as Field["data"];

/** The element of a rank in each window: NaN where there is one, and 0 for a zero of either sign. */
function ranked(field: Field, lengths: Shape, rank: number): Field["data"] {
  return ofSorted(field, lengths, (window, isAny) => {
    if (isAny) return Number.NaN;
    const found = window[rank]!;
    return found === 0 ? 0 : found;
  });
}

/** The one in the middle, or the mean of two; with `skip` of those that are not NaN. */
function medians(field: Field, lengths: Shape, skip: boolean): Field["data"] {
  return ofSorted(field, lengths, (window, isAny) => {
    if (isAny && !skip) return Number.NaN;
    let n = window.length;
    while (n > 0 && isNaNAt(window[n - 1]!)) n--;
    const [low, high] = [Number(window[(n - 1) >> 1] ?? Number.NaN), Number(window[n >> 1] ?? Number.NaN)];
    return n === 0 ? Number.NaN : (low === high ? low : (low + high) / 2) + 0;
  });
}

/** `find` is given a window's elements in order, NaN at the end, and whether there is any. */
function ofSorted(
  field: Field,
  lengths: Shape,
  find: (window: Field["data"], isAny: boolean) => Element,
): Field["data"] {
  const { data, shape } = field;
  const taps = tapsOf(lengths, stridesOf(shape));
  const result = newLike(data, sizeOf(afterPass(shape, lengths)));
  const window = newLike(data, taps.length);
  eachRow(field, lengths, (from, to, count) => {
    for (let i = 0; i < count; i++) {
      for (let t = 0; t < taps.length; t++) window[t] = data[from + i + taps[t]!]!;
      window.sort();
      result[to + i] = find(window, isNaNAt(window[window.length - 1]!));
    }
  });
  return result;
}
