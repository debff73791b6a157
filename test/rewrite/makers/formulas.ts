// Makers of the formulas that rules stabilize, and of products of matrices with what is around them.

import type { Choices } from "../../property/choices.ts";
import { axesOf } from "../../property/makers/reductions.ts";
import type { Arg, Ref } from "../../property/program.ts";
import type { Maker, ProgramWriter } from "../../property/writer.ts";
import { sliced } from "./layout.ts";
import { another, constantFor, floating, matrix } from "./values.ts";

/** Formulas that lose digits or overflow as they are written. */
const FORMULAS: readonly ((writer: ProgramWriter, x: Ref, y: Ref, choices: Choices) => Ref)[] = [
  (w, x) => w.call("log", w.call("add", 1, x)),
  (w, x) => w.call("log", w.call("subtract", 1, x)),
  (w, x) => w.call("subtract", w.call("exp", x), 1),
  (w, x) => w.call("divide", 1, w.call("add", 1, w.call("exp", w.call("negative", x)))),
  (w, x) => w.call("reciprocal", w.call("add", w.call("exp", w.call("negative", x)), 1)),
  (w, x) => w.call("divide", w.call("exp", x), w.call("add", 1, w.call("exp", x))),
  (w, x) => w.call("log", w.call("add", 1, w.call("exp", x))),
  (w, x) => w.call("log1p", w.call("exp", x)),
  (w, x) => w.call("log", w.call("subtract", 1, w.call("exp", x))),
  (w, x) => w.call("log", w.call("negative", w.call("expm1", x))),
  (w, x, y) => w.call("log", w.call("add", w.call("exp", x), w.call("exp", y))),
  (w, x, _, c) => w.call("log", w.call("sum", w.call("exp", x), overAxes(w, x, c, c.flip()))),
  (w, x, _, c) =>
    w.call("divide", w.call("exp", x), w.call("sum", w.call("exp", x), overAxes(w, x, c, true))),
  (w, x, _, c) => softmaxOf(w, x, c),
  (w, x, _, c) => w.call("log", softmaxOf(w, x, c)),
  (w, x, _, c) =>
    w.call("subtract", x, w.call("log", w.call("sum", w.call("exp", x), overAxes(w, x, c, true)))),
  (w, x, y) => w.call("log", w.call("multiply", w.call("exp", x), y)),
  (w, x, y) => w.call("sqrt", w.call("add", w.call("square", x), w.call("square", y))),
];

const overAxes = (w: ProgramWriter, x: Ref, choices: Choices, keepdims: boolean): Arg => ({
  axis: axesOf(w.of(x).ndim, choices),
  keepdims,
});

/** exp(x) / Σ exp(x), also where the sum is laid along another axis than it was taken over. */
function softmaxOf(w: ProgramWriter, x: Ref, choices: Choices): Ref {
  const e = w.call("exp", choices.flip() ? w.call("subtract", x, w.call("max", x)) : x);
  const total = w.call("sum", e, {
    axis: choices.below(Math.max(1, w.of(x).ndim)),
    keepdims: choices.flip(),
  });
  return w.call("divide", e, total);
}

export const formula: Maker = (writer, choices) => {
  const x = writer.any(choices, floating);
  if (x === null) return null;
  return choices.pick(FORMULAS)(writer, x, another(writer, x, choices), choices);
};

/** α·A·B + β·C, transposes of products and products of transposes. */
export const product: Maker = (writer, choices) => {
  const x = writer.any(choices, matrix);
  if (x === null) return null;
  const turned = writer.call("matrixTranspose", x);
  const ab = choices.flip() ? writer.call("matmul", x, turned) : writer.call("matmul", turned, x);
  const way = choices.below(4);
  if (way === 0) return writer.call("matrixTranspose", ab);
  if (way === 1) return sliced(writer, ab, choices);
  const scaled = writer.call("multiply", constantFor(writer.of(ab).dtype, choices), ab);
  return way === 2 ? scaled : writer.call("add", scaled, another(writer, ab, choices));
};
