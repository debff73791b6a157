// numpy-ts: eager, one WASM SIMD kernel per operation, one thread. Intermediate arrays are let go of at once, as its
// documentation advises for loops; the memory is as large as its signed addresses allow, so that nothing falls back.

import { readFileSync } from "node:fs";
import * as np from "numpy-ts";

np.configureWasm({ maxMemory: 2 ** 31 - 65536 });
const { version } = JSON.parse(
  readFileSync(new URL("../node_modules/numpy-ts/package.json", import.meta.url), "utf8"),
);

let x = null;
let y = null;

/** Runs `body` with a function that marks arrays to be freed when it is done. */
function scoped(body) {
  return () => {
    const marked = [];
    const temporary = (array) => {
      marked.push(array);
      return array;
    };
    const result = body(temporary);
    for (const array of marked) array.dispose();
    return result;
  };
}

const plain = {
  E1: scoped((t) => {
    const top = t(t(x.multiply(2)).add(t(y.multiply(3))));
    return top.divide(t(t(x.multiply(x)).add(1)));
  }),
  E2: scoped((t) => np.sum(t(np.sqrt(t(t(x.multiply(x)).add(t(y.multiply(y)))))))),
  E3: scoped((t) => {
    const bell = t(np.exp(t(t(t(np.negative(x)).multiply(x)).divide(2))));
    return t(bell.multiply(t(np.sin(y)))).add(t(np.log1p(t(np.abs(x)))));
  }),
  E4: scoped((t) => np.sum(t(np.square(t(t(x.multiply(Math.PI)).divide(180)))))),
  E5: scoped((t) => np.where(t(np.greater(x, 3)), t(x.multiply(2)), t(y.subtract(1)))),
  E6: scoped((t) => {
    const mask = t(np.greater(x, 0.5));
    return np.sum(t(x.multiply(mask))) / np.count_nonzero(mask);
  }),
  E7: () => x.matmul(y),
  "E8.sum0": () => x.sum(0),
  "E8.sum1": () => x.sum(1),
  "E8.transpose": () => np.ascontiguousarray(x.T),
  "E9.cumsum": () => np.cumsum(x),
  "E9.sort": () => np.sort(x),
};

function read(result) {
  if (typeof result === "number") return { length: 1, at: () => result };
  const { data } = result;
  return { length: data.length, at: (i) => data[i] };
}

function place(typed, dtype, shape) {
  const flat = np.array(typed, dtype);
  return shape.length === 1 ? flat : flat.reshape(shape);
}

export function open() {
  return {
    version,
    forms: { plain },
    read,
    drop: (result) => result.dispose?.(),
    load(dtype, shape, xs, ys) {
      x = place(xs, dtype, shape);
      y = place(ys, dtype, shape);
    },
    unload() {
      x?.dispose();
      y?.dispose();
      x = null;
      y = null;
    },
  };
}
