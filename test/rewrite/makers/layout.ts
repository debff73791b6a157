// Makers of reductions of reductions, selections of selections, transposes of transposes, parts that are joined again.

import { isComplex } from "../../../src/core/dtype.ts";
import type { Choices } from "../../property/choices.ts";
import { axesOf } from "../../property/makers/reductions.ts";
import { sliceText } from "../../property/makers/selections.ts";
import type { Ref } from "../../property/program.ts";
import type { Maker, ProgramWriter } from "../../property/writer.ts";
import { numeric, WHOLE } from "./values.ts";

const REDUCERS = ["sum", "max", "min", "prod", "mean"];
const reduceOnce = (writer: ProgramWriter, x: Ref, name: string, choices: Choices): Ref =>
  writer.call(name, x, { axis: axesOf(writer.of(x).ndim, choices), keepdims: choices.flip() });

/** A reduction, of a reduction, of a scaled, negated, transposed or broadcast array. */
export const reduce: Maker = (writer, choices) => {
  const x = writer.any(choices, (one) => numeric(one) && !isComplex(one.dtype) && one.size > 0);
  if (x === null) return null;
  const name = choices.pick(REDUCERS);
  const way = choices.below(6);
  if (way === 0) return reduceOnce(writer, x, name, choices);
  if (way === 1) return reduceOnce(writer, reduceOnce(writer, x, name, choices), name, choices);
  if (way === 2) return reduceOnce(writer, writer.call("negative", x), name, choices);
  if (way === 3) return reduceOnce(writer, writer.call("multiply", x, choices.pick(WHOLE)), name, choices);
  if (way === 4)
    return reduceOnce(writer, writer.call("permuteDims", x, shuffledAxes(writer, x, choices)), name, choices);
  return reduceOnce(writer, writer.call("broadcastTo", x, [2, ...writer.of(x).shape]), name, choices);
};

export const reduceTruth: Maker = (writer, choices) =>
  reduceOnce(writer, writer.any(choices)!, choices.pick(["any", "all"]), choices);

export const shuffledAxes = (writer: ProgramWriter, x: Ref, choices: Choices): number[] =>
  choices.shuffled(writer.of(x).shape.map((_, axis) => axis));

export const transposeTwice: Maker = (writer, choices) => {
  const x = writer.any(choices, ({ ndim }) => ndim >= 2);
  if (x === null) return null;
  const once = writer.call("permuteDims", x, shuffledAxes(writer, x, choices));
  const middle = choices.flip() && numeric(writer.of(x)) ? writer.call("negative", once) : once;
  return writer.call("permuteDims", middle, shuffledAxes(writer, x, choices));
};

export const sliced = (writer: ProgramWriter, x: Ref, choices: Choices): Ref =>
  writer.call("get", x, ...writer.of(x).shape.map((n) => sliceText(n, choices)));

/** A part of a part, or of something that is made of whole arrays. */
export const sliceOf: Maker = (writer, choices) => {
  const x = writer.any(choices, ({ ndim }) => ndim > 0);
  if (x === null) return null;
  const way = choices.below(6);
  if (way === 0) return sliced(writer, sliced(writer, x, choices), choices);
  if (way === 1)
    return sliced(writer, writer.call("permuteDims", x, shuffledAxes(writer, x, choices)), choices);
  if (way === 2) return sliced(writer, writer.call("concat", [x, x], { axis: 0 }), choices);
  if (way === 3) return sliced(writer, writer.call("broadcastTo", x, [3, ...writer.of(x).shape]), choices);
  if (way === 4) return sliced(writer, writer.call("expandDims", x, { axis: 0 }), choices);
  return sliced(writer, x, choices);
};

export const joinParts: Maker = (writer, choices) => {
  const x = writer.any(choices, ({ ndim, shape }) => ndim > 0 && shape[0]! > 1);
  if (x === null) return null;
  const at = choices.between(0, writer.of(x).shape[0]!);
  return writer.call("concat", [writer.call("get", x, `:${at}`), writer.call("get", x, `${at}:`)], {
    axis: 0,
  });
};
