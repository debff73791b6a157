// Chunkwise: compiled functions, at once and awaited, with results of their own and into one that is brought; computeSync of an
// expression that is there; and training with shared state.

import * as cw from "../../../dist/index.js";
import { NETWORK, networkData, numbers, SIZES, SMALL, timed } from "../shared.mjs";

const formula = (x, y) => x.multiply(2).add(y.multiply(3)).divide(x.multiply(x).add(1));
const figures = {};
for (const count of SIZES) {
  const spec = { dtype: "float64", shape: [count] };
  const [x, y] = [numbers(count, 1), numbers(count, 2)];
  const f = cw.compile(formula, [spec, spec]);
  const out = f.sync(x, y);
  const held = formula(cw.asarray(x), cw.asarray(y));
  const total = cw.compile((a) => a.sum(), [spec]);
  figures[count] = {
    "compiled, sync": await timed(() => f.sync(x, y)),
    "compiled, awaited": await timed(() => f(x, y)),
    "compiled, sync, out": await timed(() => f.sync(x, y, { out })),
    computeSync: await timed(() => held.computeSync()),
    "sum, compiled, sync": await timed(() => total.sync(x)),
    check: out.data[7],
  };
}

/** The expressions that kernels are measured by, of small arrays: what is around the kernels shows. */
async function small() {
  const [x, y] = [numbers(SMALL, 1), numbers(SMALL, 2)];
  const [k, n] = [x, y].map((values) => Int32Array.from(values, (value) => value * 20));
  const masked = (a) => cw.where(a.greater(0), a, 0).sum().divide(a.greater(0).sum());
  const expressions = {
    E1: [formula, x, y],
    E2: [(a, b) => a.multiply(a).add(b.multiply(b)).sqrt().sum(), x, y],
    E3: [(a, b) => a.square().divide(-2).exp().multiply(b.sin()).add(a.abs().log1p()), x, y],
    E4: [
      (a) =>
        a
          .multiply(Math.PI / 180)
          .square()
          .sum(),
      x,
    ],
    E5: [(a, b) => cw.where(a.greater(3), a.multiply(2), b.subtract(1)), k, n],
    E6: [masked, x],
    sum: [(a) => a.sum(), x],
    "x + 1": [(a) => a.add(1), x],
  };
  const found = {};
  for (const [name, [f, ...data]] of Object.entries(expressions)) {
    const compiled = cw.compile(f, data);
    const held = f(...data.map((values) => cw.asarray(values)));
    found[name] = {
      compiled: await timed(() => compiled.sync(...data)),
      computeSync: await timed(() => held.computeSync()),
      "written anew": await timed(() => f(...data.map((values) => cw.asarray(values))).computeSync()),
    };
  }
  return found;
}

figures.small = await small();

function training() {
  const { batch, inputs, hidden, outputs, rate } = NETWORK;
  const data = networkData();
  const matrix = (values, shape) => new cw.NDArray(values, shape);
  const [w1, b1, w2, b2] = [
    cw.shared(matrix(data.w1, [inputs, hidden]), { name: "w1" }),
    cw.shared(data.b1, { name: "b1" }),
    cw.shared(matrix(data.w2, [hidden, outputs]), { name: "w2" }),
    cw.shared(data.b2, { name: "b2" }),
  ];
  const x = cw.input("float32", [batch, inputs], { name: "x" });
  const y = cw.input("float32", [batch, outputs], { name: "y" });
  const h = x.matmul(w1).add(b1).tanh();
  const d = h.matmul(w2).add(b2).subtract(y);
  const loss = d.multiply(d).mean();
  const dp = d.multiply(2 / (batch * outputs));
  const dh = dp.matmul(w2.T).multiply(cw.subtract(1, h.multiply(h)));
  const step = (w, gradient) => [w, w.subtract(gradient.multiply(rate))];
  const train = cw.compile(() => loss, [x, y], {
    updates: [
      step(w1, x.T.matmul(dh)),
      step(b1, dh.sum({ axis: 0 })),
      step(w2, h.T.matmul(dp)),
      step(b2, dp.sum({ axis: 0 })),
    ],
  });
  return { train: () => train.sync(data.x, data.y).item() };
}

const { train } = training();
const losses = Array.from({ length: 20 }, train);
figures.training = { step: await timed(train), losses };
console.log(JSON.stringify(figures));
