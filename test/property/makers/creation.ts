// Makers of new arrays from nothing but numbers, and of contractions.

import * as cw from "chunkwise";
import { type DType, isComplex, isFloat, isInteger } from "../../../src/core/dtype.ts";
import { cutOf } from "../arrays.ts";
import type { Choices } from "../choices.ts";
import type { Arg, Cut, Ref } from "../program.ts";
import { type Maker, NUMERIC, type ProgramWriter } from "../writer.ts";

const cutFor = (shape: readonly number[], choices: Choices): Cut =>
  cutOf(
    shape,
    shape.map(() => choices.below(9)),
  );

/** The shape of a value at hand, so that the new one goes with it. */
const shapeOf = (writer: ProgramWriter, choices: Choices): readonly number[] =>
  writer.of(writer.any(choices)!).shape;

const arange: Maker = (writer, choices) => {
  const dtype = choices.pick(writer.options.dtypes.filter((name) => isInteger(name) || isFloat(name)));
  const count = choices.between(0, 9);
  const step = dtype.startsWith("u") ? 1 : choices.pick([1, -2, 3]);
  const start = dtype.startsWith("u") ? 2 : choices.between(-4, 4);
  return writer.call("arange", start, start + count * step, step, {
    dtype,
    chunks: cutFor([count], choices),
  });
};

const linspace: Maker = (writer, choices) => {
  const dtype = choices.pick(writer.options.dtypes.filter((name) => isFloat(name) || isComplex(name)));
  const num = choices.between(0, 9);
  const stop = isComplex(dtype) ? cw.complex(choices.between(-3, 3), 2) : choices.between(-3, 3);
  const options = { dtype, endpoint: choices.flip(), chunks: cutFor([num], choices) };
  return writer.call("linspace", choices.pick([0, -1.5]), stop, num, options);
};

const eye: Maker = (writer, choices) => {
  const [rows, columns] = [choices.between(0, 5), choices.between(0, 5)];
  const chunks = cutFor([rows, columns], choices);
  return writer.call("eye", rows, columns, {
    k: choices.between(-2, 2),
    dtype: choices.pick(writer.options.dtypes),
    chunks,
  });
};

const valueFor = (dtype: DType, choices: Choices): Arg => {
  if (isComplex(dtype)) return cw.complex(choices.between(-2, 2), 0.5);
  if (isFloat(dtype)) return choices.pick([1, 0, -0, 0.5, NaN, Infinity, -2.5]);
  return choices.pick([1, 0, 7]);
};

const full: Maker = (writer, choices) => {
  const dtype = choices.pick(writer.options.dtypes);
  const shape = shapeOf(writer, choices);
  return writer.call("full", shape, valueFor(dtype, choices), { dtype, chunks: cutFor(shape, choices) });
};

const fullLike: Maker = (writer, choices) => {
  const x = writer.any(choices)!;
  return writer.call("fullLike", x, valueFor(writer.of(x).dtype, choices));
};

/** zeros, ones and empty, of the shape of a value at hand. */
const uniform =
  (name: string): Maker =>
  (writer, choices) => {
    const shape = shapeOf(writer, choices);
    return writer.call(name, shape, {
      dtype: choices.pick(writer.options.dtypes),
      chunks: cutFor(shape, choices),
    });
  };
const like =
  (name: string): Maker =>
  (writer, choices) =>
    writer.call(name, writer.any(choices)!);

/** A second operand whose first contracted axis is as long as the first's last: a transpose of what is there. */
function matching(
  writer: ProgramWriter,
  length: number,
  axis: (x: cw.LazyArray) => number,
  choices: Choices,
): Ref | null {
  return writer.any(choices, (x) => x.ndim > 0 && x.shape.at(axis(x)) === length);
}

const operand = (writer: ProgramWriter, ref: Ref, choices: Choices): Ref =>
  writer.summable(writer.coerced(ref, NUMERIC, choices));

/** Two of one dtype: int64 with uint64 would be floats, too large to be added up exactly. */
function operands(writer: ProgramWriter, x: Ref, y: Ref, choices: Choices): [Ref, Ref] {
  const first = operand(writer, x, choices);
  return [first, writer.summable(writer.coerced(y, [writer.of(first).dtype], choices))];
}

const matmul: Maker = (writer, choices) => {
  const x = writer.any(choices, ({ ndim }) => ndim > 0);
  if (x === null) return null;
  const { shape } = writer.of(x);
  const direct = matching(writer, shape.at(-1)!, ({ ndim }) => (ndim === 1 ? 0 : -2), choices);
  const y = direct ?? (shape.length > 1 ? writer.call("matrixTranspose", x) : x);
  const batches = [shape.slice(0, -2), writer.of(y).shape.slice(0, -2)];
  const isPlain = batches.some((batch) => batch.length === 0) || String(batches[0]) === String(batches[1]);
  return isPlain ? writer.call("matmul", ...operands(writer, x, y, choices)) : null;
};

/** An array with itself, over some of its axes. */
const tensordot: Maker = (writer, choices) => {
  const x = writer.any(choices)!;
  const axes = choices.shuffled(writer.of(x).shape.map((_, axis) => axis)).slice(0, choices.between(0, 2));
  const a = operand(writer, x, choices);
  const b = choices.flip() ? a : operand(writer, writer.call("flip", x), choices);
  return writer.call("tensordot", a, b, { axes: [axes, axes] });
};

const vecdot: Maker = (writer, choices) => {
  const x = writer.any(choices, ({ ndim }) => ndim > 0);
  if (x === null) return null;
  const y = writer.any(
    choices,
    (other) => other.ndim > 0 && String(other.shape) === String(writer.of(x).shape),
  )!;
  const axis = choices.between(-writer.of(x).ndim, -1);
  return writer.call("vecdot", ...operands(writer, x, y, choices), { axis });
};

export const CREATION: ReadonlyMap<string, Maker> = new Map(
  Object.entries({
    ...{ full, arange, linspace, eye, fullLike },
    ...{ zeros: uniform("zeros"), ones: uniform("ones"), empty: uniform("empty") },
    ...{ zerosLike: like("zerosLike"), onesLike: like("onesLike"), emptyLike: like("emptyLike") },
  }),
);
export const CONTRACTIONS: ReadonlyMap<string, Maker> = new Map(
  Object.entries({ matmul, tensordot, vecdot }),
);
