// Chunkwise through its public interface: the expression is built, computed and awaited in every run.
// "resident" operands came out of a computation of Chunkwise; "outside" ones are plain typed arrays.

import { pathToFileURL } from "node:url";
import { freshKernels, scalarSized } from "./small.mjs";

const DIST = process.env.CHUNKWISE_DIST ?? new URL("../../../dist/", import.meta.url).pathname;
const cw = await import(pathToFileURL(`${DIST}/index.js`));

/** x and y as they are given to asarray, by variant. */
const operands = { resident: null, outside: null };

/** Whether `compute` knows how many threads it may use. */
async function knowsThreads() {
  try {
    await cw.asarray(new Float64Array(4)).add(1).compute({ threads: 1 });
    return true;
  } catch {
    return false;
  }
}

/** Two computations bring the numbers back to themselves, and the result into Chunkwise's own memory. */
async function resident(typed, shape) {
  const negated = await cw.asarray(typed).reshape(shape).negative().compute();
  return cw.asarray(negated).negative().compute();
}

function formsOver(variant, computed) {
  const form = (build) => (threads) => {
    const { x, y } = operands[variant];
    return computed(build(cw.asarray(x), cw.asarray(y)), threads);
  };
  return {
    E1: form((x, y) => x.multiply(2).add(y.multiply(3)).divide(x.multiply(x).add(1))),
    E2: form((x, y) => cw.sum(cw.sqrt(x.multiply(x).add(y.multiply(y))))),
    E3: form((x, y) =>
      cw
        .exp(x.negative().multiply(x).divide(2))
        .multiply(cw.sin(y))
        .add(cw.log1p(cw.abs(x))),
    ),
    E4: form((x) => cw.sum(cw.square(x.multiply(cw.pi).divide(180)))),
    E5: form((x, y) => cw.where(x.greater(3), x.multiply(2), y.subtract(1))),
    E6: form((x) => {
      const mask = x.greater(0.5);
      return cw.where(mask, x, 0).sum().divide(mask.countNonzero());
    }),
    E7: form((x, y) => cw.matmul(x, y)),
    "E8.sum0": form((x) => x.sum({ axis: 0 })),
    "E8.sum1": form((x) => x.sum({ axis: 1 })),
    "E8.transpose": form((x) => x.T),
    "E9.cumsum": form((x) => x.cumulativeSum()),
    "E9.sort": form((x) => x.sort()),
  };
}

function read(result) {
  const { data, offset, shape, strides } = result;
  const length = shape.reduce((product, axis) => product * axis, 1);
  let step = 1;
  for (let axis = shape.length - 1; axis >= 0; step *= shape[axis--]) {
    if (shape[axis] > 1 && strides[axis] !== step) throw new Error("the result is not laid out in order");
  }
  return { length, at: (i) => data[offset + i] };
}

export async function open() {
  const hasThreads = await knowsThreads();
  const computed = hasThreads ? (array, threads) => array.compute({ threads }) : (array) => array.compute();
  return {
    version: hasThreads ? "" : "(compute has no option threads)",
    forms: { resident: formsOver("resident", computed), outside: formsOver("outside", computed) },
    read,
    drop: (result) => result.dispose(),
    async load(dtype, shape, x, y) {
      const plain = (typed) => (shape.length === 1 ? typed : new cw.NDArray(typed, shape, dtype));
      operands.outside = { x: plain(x), y: plain(y) };
      operands.resident = { x: await resident(x, shape), y: await resident(y, shape) };
    },
    unload() {
      operands.outside = null;
      operands.resident = null;
    },
    async small() {
      return { scalar: await scalarSized(cw), fresh: await freshKernels(cw) };
    },
  };
}
