// Random programs of three to eight operations. In: a name, random-<seed>-<number>. Out: a program as the named ones are.
// Must hold: the name alone decides what it does; values stay below a few MB, whatever is drawn.

import { numbersFrom } from "./numbers.mjs";
import { whole } from "./programs/whole.mjs";

const SOURCES = ["line", "plane", "cube", "plane", "line", "counts", "plane32"];
const MOST_ELEMENTS = 1_300_000;

const isFloat = ({ dtype }) => dtype.startsWith("float");
const sizeOf = ({ shape }) => shape.reduce((a, b) => a * b, 1);
const axisOf = ({ shape }, pick) => pick(shape.length);
/** A selection that changes one axis. */
const along = (x, axis, item) => x.get(...x.shape.map((_, other) => (other === axis ? item : ":")));
/** Neighbours at a distance, one of another axis left as it is. */
function apart(x, axis, lag) {
  return [along(x, axis, `${lag}:`), along(x, axis, `:-${lag}`)];
}

/** What one operation may be: [may it, how it is made]. */
const STEPS = [
  [isFloat, (_, x, pick) => x[["sin", "tanh", "square", "negative", "abs", "expm1"][pick(6)]]()],
  [() => true, (_, x, pick) => x.multiply(1 + pick(3)).add(pick(5))],
  [() => true, (_, x, pick) => x.roll(1 + pick(sizeOf(x)), pick(2) ? {} : { axis: axisOf(x, pick) }).add(x)],
  [() => true, (_, x, pick) => x.flip({ axis: axisOf(x, pick) }).subtract(x)],
  [() => true, (cw, x, pick) => cw.cumulativeSum(x, { axis: axisOf(x, pick), dtype: x.dtype })],
  [() => true, (_, x, pick) => x.sort({ axis: axisOf(x, pick), descending: pick(2) === 1 })],
  [
    () => true,
    (_, x, pick) => {
      const [after, before] = apart(x, axisOf(x, pick), 1 + pick(5));
      return after.subtract(before);
    },
  ],
  [() => true, (cw, x, pick) => cw.maximum(...apart(x, axisOf(x, pick), 1 + pick(9)))],
  [() => true, (_, x, pick) => x.rechunk(x.shape.map((n) => Math.max(8, Math.ceil(n / (1 + pick(20))))))],
  [({ shape }) => shape.length > 1, (_, x) => x.matrixTranspose()],
  [
    ({ shape }) => shape.length === 2,
    (_, x) => {
      const side = Math.min(...x.shape);
      const square = x.get(`:${side}`, `:${side}`);
      return square.add(square.matrixTranspose());
    },
  ],
  [({ shape }) => shape.length > 1, (_, x) => x.reshape([-1])],
  [
    ({ shape }) => shape.length === 1 && shape[0] > 5000,
    (_, x, pick) => {
      const columns = 100 + pick(900);
      const rows = Math.floor(x.shape[0] / columns);
      return x.get(`:${rows * columns}`).reshape([rows, columns]);
    },
  ],
  [isFloat, (_, x, pick) => x.subtract(x.mean({ axis: axisOf(x, pick), keepdims: true }))],
  [isFloat, (_, x, pick) => x.divide(x.std({ axis: axisOf(x, pick), keepdims: true }).add(1))],
  [() => true, (_, x, pick) => x.subtract(x.min({ axis: axisOf(x, pick), keepdims: true }))],
  [() => true, (cw, x, pick) => cw.where(x.greater(pick(2)), x, x.negative())],
  [() => true, (_, x, pick) => x.set(x.less(0), pick(3))],
  [
    () => true,
    (_, x, pick) => {
      const axis = axisOf(x, pick);
      const width = [1 + pick(4), pick(4)];
      return x.pad(
        x.shape.map((_, other) => (other === axis ? width : [0, 0])),
        { mode: pick(2) ? "edge" : "constant" },
      );
    },
  ],
  [
    (x) => 2 * sizeOf(x) < MOST_ELEMENTS,
    (cw, x, pick) => cw.concat([x, x.flip()], { axis: axisOf(x, pick) }),
  ],
  [
    () => true,
    (cw, x, pick) => {
      const axis = axisOf(x, pick);
      return cw.takeAlongAxis(x, x.argsort({ axis }), { axis });
    },
  ],
  [
    () => true,
    (_, x, pick) => {
      const axis = axisOf(x, pick);
      const length = Math.min(20_000, x.shape[axis]);
      const step = 1 + pick(1000);
      return x.take(
        Int32Array.from({ length }, (_, i) => (i * step) % x.shape[axis]),
        { axis },
      );
    },
  ],
  [
    (x) => isFloat(x) && x.shape.length === 2 && Math.min(...x.shape) > 60,
    (_, x) => whole(x.sin()).matmul(whole(x.sin().get(":50")).matrixTranspose()),
  ],
  [isFloat, (_, x) => x.astype(x.dtype === "float64" ? "float32" : "float64")],
  [({ shape }) => shape.length > 1, (_, x, pick) => x.sum({ axis: axisOf(x, pick) })],
];

/** Two values of one shape, where there are two. */
function joined(values, pick) {
  const last = values.at(-1);
  const others = values.filter((value) => value !== last && String(value.shape) === String(last.shape));
  return others.length === 0 ? last : last.add(others[pick(others.length)]);
}

export function randomProgram(name) {
  const source = SOURCES[numbersFrom(`source of ${name}`)(SOURCES.length)];
  return { name, family: "random", source, make: (cw, x) => randomArrays(cw, x, numbersFrom(name)) };
}

function randomArrays(cw, x, pick) {
  const values = [x];
  const count = 3 + pick(6);
  while (values.length <= count) {
    // The latest value, so that chains arise, or an earlier one, so that values are shared.
    const value = pick(4) > 0 ? joined(values, pick) : values[pick(values.length)];
    const possible = STEPS.filter(([may]) => may(value));
    const next = possible[pick(possible.length)][1](cw, value, pick);
    if (sizeOf(next) > 0 && sizeOf(next) <= MOST_ELEMENTS) values.push(next);
  }
  const isLone = pick(3) > 0;
  return isLone ? [values.at(-1)] : [...new Set([values.at(-1), values.at(-2)])];
}
