// Makers of moves: the same elements in another order, shape or company. One array in, one out.

import type * as cw from "chunkwise";
import { cutOf } from "../arrays.ts";
import type { Choices } from "../choices.ts";
import type { Arg } from "../program.ts";
import type { Maker } from "../writer.ts";
import { axisOf } from "./reductions.ts";

type Move = (x: cw.LazyArray, choices: Choices) => readonly Arg[] | null;

/** A call whose further arguments follow from the array; null where the array does not allow it. */
const move =
  (name: string, args: Move, fits: (x: cw.LazyArray) => boolean = () => true): Maker =>
  (writer, choices) => {
    const x = writer.any(choices, fits);
    const rest = x === null ? null : args(writer.of(x), choices);
    return rest === null ? null : writer.call(name, x!, ...rest);
  };

const atLeast =
  (ndim: number) =>
  (x: cw.LazyArray): boolean =>
    x.ndim >= ndim;
const axesOf = (x: cw.LazyArray): number[] => x.shape.map((_, axis) => axis);

const broadcastTo: Move = ({ shape }, choices) => {
  const lead = Array.from({ length: choices.below(3) }, () => choices.between(1, 3));
  return [[...lead, ...shape.map((n) => (n === 1 ? choices.pick([1, 3, 2, 0]) : n))]];
};

const expandDims: Move = ({ ndim }, choices) => {
  const count = choices.between(1, 2);
  const places = choices.shuffled(Array.from({ length: ndim + count }, (_, place) => place)).slice(0, count);
  return [{ axis: count === 1 && choices.flip() ? places[0]! - ndim - 1 : places }];
};

const squeeze: Move = (x, choices) => {
  const ones = axesOf(x).filter((axis) => x.shape[axis] === 1);
  if (ones.length === 0) return null;
  return choices.flip() ? [choices.pick(ones) - x.ndim] : [choices.some(ones)];
};

const flip: Move = (x, choices) => [{ axis: choices.pick<Arg>([null, choices.some(axesOf(x))]) }];

const moveaxis: Move = (x, choices) => {
  const count = choices.between(1, x.ndim);
  const list = (): number[] => choices.shuffled(axesOf(x)).slice(0, count);
  return [list(), list()];
};

/** Any shape of the same size: prime factors in another order, gathered into axes, with ones between. */
const reshape: Move = (x, choices) => {
  if (x.size === 0) return [choices.shuffled(x.shape)];
  const shape: number[] = [];
  for (const factor of choices.shuffled(factorsOf(x.size))) {
    if (shape.length > 0 && choices.flip()) shape[shape.length - 1]! *= factor;
    else shape.push(factor);
    if (choices.below(5) === 4) shape.push(1);
  }
  if (shape.length > 0 && choices.flip()) shape[choices.below(shape.length)] = -1;
  return [shape];
};

function factorsOf(size: number): number[] {
  const factors: number[] = [];
  for (let rest = size, factor = 2; rest > 1; factor++) {
    for (; rest % factor === 0; rest /= factor) factors.push(factor);
  }
  return factors;
}

const roll: Move = (x, choices) => {
  const shift = choices.between(-3, 5);
  return x.ndim === 0 || choices.flip() ? [shift] : [shift, { axis: axisOf(x.ndim, choices) }];
};

const repeat: Move = (x, choices) => {
  if (x.ndim === 0 || choices.below(3) === 2) return [choices.pick([2, 1, 3, 0])];
  const axis = axisOf(x.ndim, choices);
  const each = (): number => choices.pick([1, 2, 0, 3]);
  const counts = choices.flip() ? Array.from({ length: x.shape.at(axis)! }, each) : each();
  return [counts, { axis }];
};

const tile: Move = (x, choices) => {
  const count = choices.between(1, x.ndim + 1);
  return [Array.from({ length: count }, () => choices.pick([1, 2, 3, 0]))];
};

/** An empty axis can only be padded with a constant. */
const pad: Move = (x, choices) => {
  const mode = choices.pick(["constant", "edge", "reflect", "wrap"]);
  const width = (n: number): number => (mode !== "constant" && n === 0 ? 0 : choices.pick([0, 1, 2, 5]));
  return [x.shape.map((n) => [width(n), width(n)]), { mode, constantValues: choices.pick([0, 1]) }];
};

const rechunk: Move = (x, choices) => [
  cutOf(
    x.shape,
    x.shape.map(() => choices.below(9)),
  ),
];

const triangle: Move = (_, choices) => [{ k: choices.between(-2, 2) }];

export const MOVES: ReadonlyMap<string, Maker> = new Map(
  Object.entries({
    broadcastTo: move("broadcastTo", broadcastTo),
    expandDims: move("expandDims", expandDims),
    squeeze: move("squeeze", squeeze, ({ shape }) => shape.includes(1)),
    flip: move("flip", flip),
    permuteDims: move("permuteDims", (x, choices) => [choices.shuffled(axesOf(x))]),
    moveaxis: move("moveaxis", moveaxis, atLeast(1)),
    matrixTranspose: move("matrixTranspose", () => [], atLeast(2)),
    reshape: move("reshape", reshape),
    roll: move("roll", roll),
    repeat: move("repeat", repeat),
    tile: move("tile", tile),
    pad: move("pad", pad),
    rechunk: move("rechunk", rechunk),
    tril: move("tril", triangle, atLeast(2)),
    triu: move("triu", triangle, atLeast(2)),
  }),
);
