// Reductions of every kind, and what is made of them; contractions.
// In: the library and a source. Out: a lazy array. Each is [name, source, program].

import { whole } from "./whole.mjs";

export const reductions = [
  ["sum-of-all", "line", (_, x) => x.sum()],
  ["mean-of-rows", "plane", (_, x) => x.mean({ axis: 1 })],
  ["mean-of-columns", "plane", (_, x) => x.mean({ axis: 0 })],
  ["variance", "plane", (cw, x) => cw.var(x, { axis: 0, correction: 1 })],
  ["std-of-all", "cube", (_, x) => x.std()],
  ["std-two-axes", "cube", (_, x) => x.std({ axis: [0, 2] })],
  ["max-minus-min", "plane", (_, x) => x.max({ axis: 0 }).subtract(x.min({ axis: 0 }))],
  ["argmax-rows", "plane", (_, x) => x.argmax({ axis: 1 })],
  ["argmin-of-all", "line", (_, x) => x.argmin()],
  ["argmax-cube", "cube", (_, x) => x.argmax({ axis: 0 })],
  ["prod-columns", "plane", (_, x) => x.multiply(0.001).add(1).prod({ axis: 0 })],
  [
    "any-and-all",
    "plane",
    (_, x) =>
      x
        .greater(0.9999)
        .any({ axis: 0 })
        .logicalXor(x.less(0.9).all({ axis: 0 })),
  ],
  ["count-nonzero", "plane", (cw, x) => cw.countNonzero(x.floor(), { axis: 0 })],
  ["centred", "plane", (_, x) => x.subtract(x.mean({ axis: 0 }))],
  ["standardised", "plane", (_, x) => x.subtract(x.mean({ axis: 0 })).divide(x.std({ axis: 0 }))],
  ["standardised-by-all", "line", (_, x) => x.subtract(x.mean()).divide(x.std())],
  ["softmax-rows", "plane", (cw, x) => cw.softmax(x, { axis: 1 })],
  ["logsumexp-columns", "plane", (cw, x) => cw.logsumexp(x.multiply(9), { axis: 0 })],
  ["nanmean-of-roots", "plane", (cw, x) => cw.nanmean(x.sqrt(), { axis: 0 })],
  ["nanmax-of-logs", "cube", (cw, x) => cw.nanmax(x.log(), { axis: 1 })],
  [
    "ratio-of-sums",
    "plane",
    (_, x) =>
      x
        .square()
        .sum({ axis: 1 })
        .divide(x.abs().sum({ axis: 1 })),
  ],
  [
    "deviation-from-max",
    "cube",
    (_, x) =>
      x
        .max({ axis: 0, keepdims: true })
        .subtract(x)
        .sum({ axis: [1, 2] }),
  ],
  [
    "groupby-mean",
    "plane",
    (cw, x) =>
      cw.groupbyReduce(x, cw.arange(0, 800, 1, { dtype: "int64" }).remainder(12), {
        ...{ axis: 0, reduce: "mean", numLabels: 12 },
      }),
  ],
  [
    "groupby-max",
    "line",
    (cw, x) =>
      cw.groupbyReduce(x, cw.arange(0, 600_000, 1, { dtype: "int64", chunks: [9973] }).remainder(365), {
        ...{ axis: 0, reduce: "max", numLabels: 365 },
      }),
  ],
  [
    "groupby-months-known",
    "plane",
    (cw, x) => {
      const months = Int32Array.from({ length: x.shape[0] }, (_, i) => Math.floor(i / 30) % 12);
      const { mean, nanmax } = cw.groupbyReduce(x, months, { axis: 0, reduce: ["mean", "nanmax"] });
      return mean.add(nanmax);
    },
  ],
  [
    "groupby-std-and-places",
    "plane",
    (cw, x) => {
      const labels = cw.arange(0, x.shape[0], 1, { dtype: "int64" }).remainder(7);
      const options = { axis: 0, reduce: ["nanstd", "argmax", "first"], numLabels: 7 };
      const { nanstd, argmax, first } = cw.groupbyReduce(x, labels, options);
      return nanstd.add(argmax).add(first);
    },
  ],
  ["nanvar-of-roots", "plane", (cw, x) => cw.nanvar(x.sqrt(), { axis: 0 })],
  ["nanargmin", "cube", (cw, x) => cw.nanargmin(x.abs(), { axis: 1 })],
  ["nancumsum-of-logs", "plane", (cw, x) => cw.nancumsum(x.log(), { axis: 1 })],
  ["histogram", "line", (cw, x) => cw.histogram(x, 100).counts],
  [
    "histogram-weighted",
    "plane",
    (cw, x) => cw.histogram(x, { bins: 50, range: [-1, 1], weights: x.square() }).counts,
  ],
  ["histogram2d", "line", (cw, x) => cw.histogram2d(x, x.square(), { bins: [20, 30] }).counts],
  [
    "counts-of-whole-numbers",
    "line",
    (cw, x) => Object.values(cw.uniqueCounts(x.multiply(500).astype("int32"))),
  ],
  [
    "inverse-of-whole-numbers",
    "plane",
    (cw, x) => cw.uniqueInverse(x.multiply(90).astype("int16")).inverseIndices,
  ],
  ["quantiles-of-all", "plane", (cw, x) => cw.quantile(x, [0.01, 0.5, 0.99])],
  ["quantiles-about", "line", (cw, x) => cw.quantile(x, [0.1, 0.9], { approximate: true })],
  ["median-of-rows", "plane", (cw, x) => cw.median(x, { axis: 1 })],
  ["largest-and-where", "plane", (cw, x) => [cw.topk(x, 7, { axis: 0 }), cw.argtopk(x, 7, { axis: 0 })]],
  ["softmax-of-rows", "plane", (cw, x) => cw.softmax(x, { axis: 1 })],
  ["digitize", "cube", (cw, x) => cw.digitize(x, [-0.5, 0, 0.1, 0.7])],
  ["average-weighted", "cube", (cw, x) => cw.average(x, { axis: [0, 2], weights: x.abs() })],
  ["reduce-then-sort", "plane", (_, x) => x.sum({ axis: 1 }).sort({ axis: 0 })],
  ["reduce-of-a-roll", "plane", (_, x) => x.roll(31, { axis: 1 }).multiply(x).mean({ axis: 1 })],
  [
    "autocorrelation",
    "line",
    (cw, x) =>
      cw.stack(
        [1, 2, 5, 17, 4001].map((lag) =>
          x
            .get(`${lag}:`)
            .multiply(x.get(`:-${lag}`))
            .mean(),
        ),
      ),
  ],
];

export const contractions = [
  ["gram-rows", "plane", (_, x) => whole(x.get(":300")).matmul(whole(x.get(":300")).matrixTranspose())],
  [
    "gram-columns",
    "plane",
    (_, x) =>
      whole(x.get(":", ":200"))
        .matrixTranspose()
        .matmul(whole(x.get(":", "200:420"))),
  ],
  [
    "covariance",
    "plane",
    (_, x) => {
      const part = x.get(":", ":180");
      const centred = whole(part.subtract(part.mean({ axis: 0 })));
      return centred
        .matrixTranspose()
        .matmul(centred)
        .divide(x.shape[0] - 1);
    },
  ],
  ["matrix-vector", "plane", (_, x) => whole(x).matmul(whole(x.get(0)))],
  [
    "power-step",
    "plane",
    (_, x) => {
      const square = whole(x.get(":760"));
      const once = square.matmul(square.get(3));
      return square.matmul(whole(once.divide(once.abs().max())));
    },
  ],
  [
    "tensordot-two-axes",
    "cube",
    (cw, x) => {
      const [a, b] = [whole(x.get(":", ":", ":40")), whole(x.get(":", ":", "40:70"))];
      return cw.tensordot(a, b, {
        axes: [
          [0, 1],
          [0, 1],
        ],
      });
    },
  ],
  [
    "tensordot-chain",
    "cube",
    (cw, x) => cw.tensordot(whole(x.get(":20")), whole(x.get(3, ":", ":30")), { axes: [[1], [0]] }),
  ],
  ["vecdot-rows", "plane", (cw, x) => cw.vecdot(whole(x), whole(x).flip({ axis: 0 }), { axis: 1 })],
  ["vecdot-columns", "plane", (cw, x) => cw.vecdot(whole(x.get("1:")), whole(x.get(":-1")), { axis: 0 })],
  [
    "batched-matmul",
    "cube",
    (_, x) => whole(x.get(":", ":40")).matmul(whole(x.get(":", "40:80")).matrixTranspose()),
  ],
  [
    "product-of-sorted",
    "plane",
    (_, x) => whole(x.get(":200").sort({ axis: 1 })).matmul(whole(x.get(":760", ":50"))),
  ],
  ["product-of-ints", "counts", (_, x) => x.get(":200", ":500").matmul(x.get(":500", "500:650"))],
];
