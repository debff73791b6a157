// @jax-js/jax: `jit` on its wasm backend. A call is handed arrays that are there, and its result is there when it is over.

globalThis.Float16Array ??= class Float16Array extends Uint16Array {};
const jax = await import("@jax-js/jax");
const { jit, numpy: np } = jax;

import { NETWORK, networkData, numbers, SIZES, timed } from "../shared.mjs";

await jax.init("wasm");
jax.defaultDevice("wasm");
const figures = {};
for (const count of SIZES) {
  const [x, y] = [1, 2].map((seed) => np.array(numbers(count, seed), { dtype: np.float64 }));
  const f = jit((x, y) => x.ref.mul(2).add(y.mul(3)).div(x.ref.mul(x).add(1)));
  const total = jit((x) => x.sum());
  const call = () => jax.blockUntilReady(f(x.ref, y.ref)).then((result) => result.dispose());
  figures[count] = {
    jit: await timed(call),
    "sum, jit": await timed(() => jax.blockUntilReady(total(x.ref)).then((result) => result.dispose())),
    check: (await f(x.ref, y.ref).data())[7],
  };
}

async function training() {
  const { batch, inputs, hidden, outputs, rate } = NETWORK;
  const data = networkData();
  const array = (values, shape) => np.array(values, { dtype: np.float32 }).reshape(shape);
  const [x, y] = [array(data.x, [batch, inputs]), array(data.y, [batch, outputs])];
  let weights = [
    array(data.w1, [inputs, hidden]),
    array(data.b1, [hidden]),
    array(data.w2, [hidden, outputs]),
    array(data.b2, [outputs]),
  ];
  const lossOf = (w1, b1, w2, b2, x, y) => {
    const h = np.tanh(np.matmul(x, w1).add(b1));
    return np.square(np.matmul(h, w2).add(b2).sub(y)).mean();
  };
  const both = jit((w1, b1, w2, b2, x, y) => {
    const all = [w1, b1, w2, b2];
    const [loss, gradients] = jax.valueAndGrad(lossOf, { argnums: [0, 1, 2, 3] })(
      ...all.map((w) => w.ref),
      x,
      y,
    );
    return [loss, ...all.map((w, i) => w.sub(gradients[i].mul(rate)))];
  });
  return async () => {
    const [loss, ...next] = both(...weights, x.ref, y.ref);
    weights = next;
    return (await loss.data())[0];
  };
}

try {
  const train = await training();
  const losses = [];
  for (let i = 0; i < 20; i++) losses.push(await train());
  figures.training = { step: await timed(train), losses };
} catch (error) {
  figures.training = { why: String(error) };
}
console.log(JSON.stringify(figures));
process.exit(0);
