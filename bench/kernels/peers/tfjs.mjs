// TensorFlow.js on its WASM backend: eager, float32 and int32 only, one thread (it has no threads in Node).
// It has no sort; its transpose is a copy.

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const tf = require("@tensorflow/tfjs-core");
require("@tensorflow/tfjs-backend-wasm");

let x = null;
let y = null;

const tidied = (body) => () => tf.tidy(body);

const plain = {
  E1: tidied(() => tf.div(tf.add(tf.mul(x, 2), tf.mul(y, 3)), tf.add(1, tf.mul(x, x)))),
  E2: tidied(() => tf.sum(tf.sqrt(tf.add(tf.mul(x, x), tf.mul(y, y))))),
  E3: tidied(() => tf.add(tf.mul(tf.exp(tf.div(tf.mul(tf.neg(x), x), 2)), tf.sin(y)), tf.log1p(tf.abs(x)))),
  E4: tidied(() => tf.sum(tf.square(tf.div(tf.mul(x, Math.PI), 180)))),
  E5: tidied(() => {
    const two = tf.scalar(2, "int32");
    const one = tf.scalar(1, "int32");
    return tf.where(tf.greater(x, tf.scalar(3, "int32")), tf.mul(x, two), tf.sub(y, one));
  }),
  E6: tidied(() => {
    const mask = tf.cast(tf.greater(x, 0.5), "float32");
    return tf.div(tf.sum(tf.mul(x, mask)), tf.sum(mask));
  }),
  E7: tidied(() => tf.matMul(x, y)),
  "E8.sum0": tidied(() => tf.sum(x, 0)),
  "E8.sum1": tidied(() => tf.sum(x, 1)),
  "E8.transpose": tidied(() => tf.transpose(x)),
  "E9.cumsum": tidied(() => tf.cumsum(x)),
};

function read(result) {
  const data = result.dataSync();
  return { length: data.length, at: (i) => data[i] };
}

export async function open() {
  await tf.setBackend("wasm");
  await tf.ready();
  return {
    version: tf.version_core,
    forms: { plain },
    read,
    drop: (result) => result.dispose(),
    load(dtype, shape, xs, ys) {
      if (dtype === "float64") throw new Error("no float64");
      x = tf.tensor(xs, shape, dtype);
      y = tf.tensor(ys, shape, dtype);
    },
    unload() {
      x?.dispose();
      y?.dispose();
      x = null;
      y = null;
    },
  };
}
