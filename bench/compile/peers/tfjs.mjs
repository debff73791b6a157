// TensorFlow.js on its WASM backend: eager, float32. A call's result is read, as the others' is there.

import { createRequire } from "node:module";
import { NETWORK, networkData, numbers, SIZES, timed } from "../shared.mjs";

const require = createRequire(import.meta.url);
const tf = require("@tensorflow/tfjs-core");
require("@tensorflow/tfjs-backend-wasm");
await tf.setBackend("wasm");
await tf.ready();
const figures = {};
for (const count of SIZES) {
  const [x, y] = [1, 2].map((seed) => tf.tensor1d(numbers(count, seed, Float32Array)));
  const f = () => tf.div(tf.add(tf.mul(x, 2), tf.mul(y, 3)), tf.add(1, tf.mul(x, x)));
  figures[count] = {
    "eager, float32": await timed(() => tf.tidy(() => void f())),
    check: tf.tidy(() => f().dataSync()[7]),
  };
}

function training() {
  const { batch, inputs, hidden, outputs, rate } = NETWORK;
  const data = networkData();
  const [x, y] = [tf.tensor2d(data.x, [batch, inputs]), tf.tensor2d(data.y, [batch, outputs])];
  let weights = [
    tf.tensor2d(data.w1, [inputs, hidden]),
    tf.tensor1d(data.b1),
    tf.tensor2d(data.w2, [hidden, outputs]),
    tf.tensor1d(data.b2),
  ];
  return () => {
    const [loss, ...next] = tf.tidy(() => {
      const [w1, b1, w2, b2] = weights;
      const h = tf.tanh(tf.add(tf.matMul(x, w1), b1));
      const d = tf.sub(tf.add(tf.matMul(h, w2), b2), y);
      const loss = tf.mean(tf.square(d));
      const dp = tf.mul(d, 2 / (batch * outputs));
      const dh = tf.mul(tf.matMul(dp, w2, false, true), tf.sub(1, tf.square(h)));
      const gradients = [
        tf.matMul(x, dh, true, false),
        tf.sum(dh, 0),
        tf.matMul(h, dp, true, false),
        tf.sum(dp, 0),
      ];
      return [loss, ...weights.map((w, i) => tf.sub(w, tf.mul(gradients[i], rate)))];
    });
    for (const w of weights) w.dispose();
    weights = next;
    const value = loss.dataSync()[0];
    loss.dispose();
    return value;
  };
}

const train = training();
const losses = Array.from({ length: 20 }, train);
figures.training = { step: await timed(train), losses };
console.log(JSON.stringify(figures));
