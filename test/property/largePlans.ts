// Random plans whose tasks are many: moves with large offsets, steps, pads, rolls and reshapes, one after another and
// beside each other, with sums, scans and sorts between them. Nothing is computed: only their tasks are looked at.

import * as cw from "chunkwise";
import fc from "fast-check";
import { Choices } from "./choices.ts";

type Lazy = cw.LazyArray;
type Make = (x: Lazy, choices: Choices) => Lazy;

/** Rarely cut evenly, often by chunks that have nothing in common with their lengths. */
const MOST_CHUNKS = 60;

function source(choices: Choices): Lazy {
  const ndim = choices.pick([1, 1, 2, 2, 3]);
  const longest = ndim === 1 ? 5000 : ndim === 2 ? 200 : 30;
  const shape = Array.from({ length: ndim }, () => choices.between(1, longest));
  const data = new Float64Array(shape.reduce((size, n) => size * n, 1));
  return cw.asarray(new cw.NDArray(data, shape, "float64"), { chunks: cutOf(shape, choices) });
}

const cutOf = (shape: readonly number[], choices: Choices): number[] =>
  shape.map((n) => {
    const least = Math.max(1, Math.ceil(n / (shape.length === 1 ? 20 * MOST_CHUNKS : MOST_CHUNKS)));
    return choices.between(Math.min(n, least), Math.min(n, 8 * least));
  });

const along = (x: Lazy, choices: Choices): number => choices.below(x.ndim);

/** A slice of one axis with any begin, end and step. */
function sliceText(n: number, choices: Choices): string {
  const [a, b] = [choices.below(n), choices.below(n)];
  const step = choices.pick([1, 1, 1, 2, 3, 7]);
  const [from, to] = [Math.min(a, b), Math.max(a, b) + 1];
  return choices.flip() ? `${from}:${to}:${step}` : `${to - 1}:${from === 0 ? "" : from - 1}:${-step}`;
}

const onAxis = (x: Lazy, axis: number, text: string): (string | number)[] =>
  x.shape.map((_, other) => (other === axis ? text : ":"));

const slice: Make = (x, choices) => x.get(...x.shape.map((n) => sliceText(n, choices)));

const roll: Make = (x, choices) => {
  const axis = along(x, choices);
  return cw.roll(x, choices.below(x.shape[axis]! + 1), { axis });
};

const pad: Make = (x, choices) => {
  const mode = choices.pick(["constant", "edge", "reflect", "wrap"] as const);
  const most = (n: number): number => (mode === "constant" || mode === "edge" ? n : Math.max(0, n - 1));
  return cw.pad(
    x,
    x.shape.map((n) => [choices.below(most(n) + 1), choices.below(most(n) + 1)] as [number, number]),
    { mode },
  );
};

/** The two halves the other way round, with something between them perhaps. */
const exchanged: Make = (x, choices) => {
  const axis = along(x, choices);
  const at = choices.below(x.shape[axis]! + 1);
  const parts = [x.get(...onAxis(x, axis, `${at}:`)), x.get(...onAxis(x, axis, `:${at}`))];
  if (choices.flip()) parts.splice(1, 0, slice(x.get(...onAxis(x, axis, ":")), choices));
  const fitting = parts.filter((part) => part.shape.every((n, a) => a === axis || n === x.shape[a]));
  return cw.concat(fitting, { axis });
};

function factorsOf(size: number): number[] {
  const factors: number[] = [];
  for (let rest = size, factor = 2; rest > 1; factor++)
    for (; rest % factor === 0; rest /= factor) factors.push(factor);
  return factors;
}

const reshape: Make = (x, choices) => {
  const shape: number[] = [];
  for (const factor of choices.shuffled(factorsOf(x.size))) {
    if (shape.length > 0 && (shape.length > 2 || choices.flip()))
      shape[choices.below(shape.length)]! *= factor;
    else shape.push(factor);
  }
  return x.reshape(shape);
};

const repeat: Make = (x, choices) => cw.repeat(x, choices.between(1, 5), { axis: along(x, choices) });
const tile: Make = (x, choices) =>
  cw.tile(
    x,
    x.shape.map(() => choices.between(1, 3)),
  );
const rechunk: Make = (x, choices) => x.rechunk(cutOf(x.shape, choices));
const transposed: Make = (x, choices) => cw.permuteDims(x, choices.shuffled(x.shape.map((_, axis) => axis)));

const replaced: Make = (x, choices) => {
  const selection = x.shape.map((n) => sliceText(n, choices));
  return x.set(selection, x.get(...selection).multiply(2));
};

const sum: Make = (x, choices) => cw.sum(x, { axis: along(x, choices), keepdims: choices.flip() });
const scan: Make = (x, choices) => cw.cumulativeSum(x, { axis: along(x, choices) });
const sort: Make = (x, choices) => cw.sort(x, { axis: along(x, choices) });
const square: Make = (x) => x.multiply(x);

const MOVES: readonly Make[] = [
  slice,
  roll,
  pad,
  exchanged,
  reshape,
  repeat,
  tile,
  rechunk,
  transposed,
  replaced,
];
const OTHERS: readonly Make[] = [sum, scan, sort, square];

/** Together with itself, turned, shifted or cut otherwise: several windows of one array in one task. */
const withItself: Make = (x, choices) => {
  const other = choices.pick<Make>([transposed, roll, exchanged, rechunk, (y) => cw.flip(y)])(x, choices);
  return other.shape.every((n, axis) => n === x.shape[axis]) ? x.add(other) : other;
};

const isUsable = (x: Lazy): boolean =>
  x.ndim > 0 && x.ndim < 5 && x.size > 0 && x.size < 200_000 && countChunks(x) <= MOST_TASKS;

/** Of one array. */
const MOST_TASKS = 3000;

const countChunks = ({ shape, chunks }: Lazy): number =>
  shape.reduce((count, n, axis) => count * Math.ceil(n / chunks[axis]!), 1);

export interface LargeProgram {
  /** All that was made, the last of which is asked for. */
  readonly values: readonly Lazy[];
  readonly arrays: readonly Lazy[];
}

function program(choices: Choices): LargeProgram {
  const values = [source(choices)];
  for (let step = choices.between(1, 6); step > 0; step--) {
    const make = choices.pick<Make>([...MOVES, ...MOVES, ...OTHERS, withItself, withItself, withItself]);
    const next = make(choices.pick([values.at(-1)!, values.at(-1)!, ...values]), choices);
    if (isUsable(next)) values.push(next);
  }
  return { values, arrays: [values.at(-1)!] };
}

export const largePrograms: fc.Arbitrary<LargeProgram> = fc
  .array(fc.nat({ max: 0xffff_ffff }), { minLength: 8, maxLength: 200, size: "max" })
  .map((numbers) => program(new Choices(numbers)));
