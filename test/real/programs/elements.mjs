// Gathers, masks, complex numbers and integers of several widths.
// In: the library and a source. Out: a lazy array. Each is [name, source, program].

import { whole } from "./whole.mjs";

/** Complex numbers whose parts are whole. */
const wholeParts = (cw, x) => whole(cw.real(x)).add(whole(cw.imag(x)).multiply(new cw.Complex(0, 1)));

const places = (count, step, length) => Int32Array.from({ length: count }, (_, i) => (i * step) % length);

export const gathers = [
  ["take-rows", "plane", (_, x) => x.take(places(500, 317, 800), { axis: 0 })],
  ["take-columns", "plane", (_, x) => x.take(places(300, 41, 760), { axis: 1 }).multiply(2)],
  ["take-from-line", "line", (_, x) => x.take(places(200_000, 7919, 600_000), { axis: 0 })],
  [
    "lazy-places",
    "line",
    (cw, x) =>
      x.take(
        cw
          .arange(0, 100_000, 1, { dtype: "int64", chunks: [4999] })
          .multiply(7919)
          .remainder(600_000),
      ),
  ],
  ["integer-rows", "plane", (_, x) => x.get(places(400, 3, 800), "5:700")],
  ["pairs-of-places", "plane", (_, x) => x.get(places(9000, 317, 800), places(9000, 41, 760))],
  [
    "by-its-own-order",
    "line",
    (_, x) => {
      const part = x.get(":50000");
      return x.take(part.argsort({ axis: 0 }));
    },
  ],
  [
    "along-axis",
    "cube",
    (cw, x) => cw.takeAlongAxis(x, x.argsort({ axis: 2, descending: true }), { axis: 2 }),
  ],
  [
    "climatology-anomaly",
    "plane",
    (cw, x) => {
      const month = cw.arange(0, 800, 1, { dtype: "int64", chunks: [96] }).remainder(12);
      const mean = cw.groupbyReduce(x, month, { axis: 0, reduce: "mean", numLabels: 12 });
      return x.subtract(mean.take(month, { axis: 0 }));
    },
  ],
  [
    "gather-of-a-scan",
    "line",
    (cw, x) => cw.cumulativeSum(x, { axis: 0 }).take(places(60_000, 10_007, 600_000)),
  ],
  [
    "reversed-by-places",
    "plane",
    (_, x) => x.get(Int32Array.from({ length: 800 }, (_, i) => 799 - i)).add(x),
  ],
  [
    "value-at-argmax",
    "plane",
    (cw, x) => cw.takeAlongAxis(x, x.argmax({ axis: 1, keepdims: true }), { axis: 1 }),
  ],
  [
    "anomaly-by-take",
    "cube",
    (_, x) => {
      const means = x.get(":12").add(0.5);
      const places = Array.from({ length: x.shape[0] }, (_, i) => i % 12);
      return x.subtract(means.take(places, { axis: 0 }));
    },
  ],
  [
    "rows-in-order",
    "plane",
    (_, x) =>
      x
        .take(
          Array.from({ length: 300 }, (_, i) => Math.floor(i ** 1.15)),
          { axis: 0 },
        )
        .exp(),
  ],
  ["rows-of-a-few", "plane", (_, x) => x.get([700, 3, 5, -1, 7]).add(x.take([1, 1, 1, 2, 0], { axis: 0 }))],
];

/** How long these are depends on the data. */
export const selections = [
  ["select-positive", "line", (_, x) => x.get(x.greater(0)).multiply(2)],
  ["select-rare", "line", (_, x) => x.get(x.greater(0.9999))],
  ["select-above-mean", "line", (_, x) => x.get(x.greater(x.mean()))],
  ["select-rows", "plane", (_, x) => x.get(x.get(":", 0).greater(0.2)).sqrt()],
  ["select-columns-of-a-range", "plane", (_, x) => x.get("10:-10", x.get(0).less(0.5))],
  ["select-by-a-mask-of-both-axes", "plane", (_, x) => x.get(x.abs().less(0.25))],
  ["select-twice", "line", (_, x) => x.get(x.greater(-0.5)).get("100:-100")],
  [
    "select-of-two-by-one-mask",
    "line",
    (_, x) => {
      const mask = x.sin().greater(0.1);
      return x.get(mask).subtract(x.multiply(x).get(mask));
    },
  ],
  ["repeat-by-later-counts", "line", (_, x) => x.repeat(x.abs().multiply(4).astype("int64").remainder(3))],
  [
    "gradient-of-a-loss",
    "plane",
    (cw, x) => cw.grad((w) => x.multiply(w).sin().square().mean())(x.get(0).multiply(0.5)),
  ],
  [
    "gradient-of-a-running-sum",
    "line",
    (cw, x) => cw.grad((v) => cw.cumulativeSum(v, { axis: 0 }).square().sum())(x),
  ],
  ["places-of-large-ones", "plane", (cw, x) => cw.nonzero(x.greater(0.8))],
  ["set-places-in-order", "line", (_, x) => x.set(x.greater(0.5), x.get(x.greater(0.5)).negative())],
];

export const masks = [
  ["where-positive", "plane", (cw, x) => cw.where(x.greater(0), x.sqrt(), x.negative())],
  ["where-above-mean", "plane", (cw, x) => cw.where(x.greater(x.mean({ axis: 0 })), x, 0)],
  ["set-by-mask", "plane", (_, x) => x.set(x.less(-0.5), -0.5)],
  ["set-by-mask-twice", "line", (_, x) => x.set(x.greater(0.7), 0.7).set(x.less(0), 0)],
  ["set-mask-of-scan", "line", (cw, x) => x.set(cw.cumulativeSum(x, { axis: 0 }).greater(0), 0)],
  [
    "masked-mean",
    "plane",
    (cw, x) => {
      const isHigh = x.greater(0.3);
      return cw
        .where(isHigh, x, 0)
        .sum({ axis: 0 })
        .divide(isHigh.astype("float64").sum({ axis: 0 }));
    },
  ],
  ["mask-in-memory", "plane", (_, x) => x.get(Array.from({ length: 800 }, (_, i) => i % 7 < 3)).multiply(2)],
  ["triangle", "plane", (cw, x) => cw.tril(x, { k: 20 }).add(cw.triu(x, { k: -5 }))],
  ["clip-and-count", "plane", (cw, x) => cw.countNonzero(x.clip(-0.5, 0.5).equal(0.5), { axis: 1 })],
  ["isin", "bytes", (cw, x) => cw.isin(x, new Uint8Array([3, 77, 100, 199]))],
  ["crossings", "line", (cw, x) => cw.signbit(x.get("1:")).logicalXor(cw.signbit(x.get(":-1")))],
  [
    "replace-nan",
    "plane",
    (cw, x) => {
      const roots = x.sqrt();
      return cw.where(roots.isnan(), roots.isnan().astype("float64").mean({ axis: 0 }), roots);
    },
  ],
  [
    "local-maxima",
    "line",
    (_, x) =>
      x
        .get("1:-1")
        .greater(x.get("2:"))
        .logicalAnd(x.get("1:-1").greater(x.get(":-2"))),
  ],
];

export const complexes = [
  ["complex-square", "waves", (_, x) => x.multiply(x).add(1)],
  ["complex-modulus", "waves", (_, x) => x.abs()],
  ["complex-scan", "waves", (cw, x) => cw.cumulativeSum(x, { axis: 0 })],
  ["complex-roll", "waves", (cw, x) => x.roll(1).multiply(cw.conj(x))],
  ["complex-mean", "field", (_, x) => x.mean({ axis: 0 })],
  ["complex-transposed", "field", (cw, x) => cw.conj(x.get(":740")).matrixTranspose().add(x.get(":740"))],
  [
    "complex-product",
    "field",
    (cw, x) => wholeParts(cw, x.get(":150", ":300")).matmul(wholeParts(cw, x.get(":300", "300:420"))),
  ],
  ["complex-parts", "waves", (cw, x) => cw.real(x).subtract(cw.imag(x)).cumulativeSum({ axis: 0 })],
  ["complex-exp", "field", (_, x) => x.get(":300").exp()],
  [
    "complex-prod-scan",
    "waves",
    (cw, x) => cw.cumulativeProd(x.get(":150000").multiply(1e-3).add(1), { axis: 0 }),
  ],
];

export const integers = [
  ["int32-arithmetic", "counts", (_, x) => x.multiply(x).subtract(x.floorDivide(7)).bitwiseXor(x)],
  ["int32-sum", "counts", (_, x) => x.sum({ axis: 0 })],
  ["int32-roll", "counts", (_, x) => x.roll(3, { axis: 0 }).add(x)],
  [
    "int32-to-int8",
    "counts",
    (_, x) => x.remainder(100).astype("int8").cumulativeSum({ axis: 1, dtype: "int8" }),
  ],
  ["uint8-difference", "bytes", (_, x) => x.get("1:").subtract(x.get(":-1"))],
  [
    "uint8-histogram",
    "bytes",
    (cw, x) =>
      cw.groupbyReduce(x.get(":300").reshape([-1]), x.get(":300").reshape([-1]).astype("int64"), {
        axis: 0,
        reduce: "count",
        numLabels: 256,
      }),
  ],
  ["uint8-mean", "bytes", (_, x) => x.astype("float32").mean({ axis: 1 })],
  ["uint8-sort", "bytes", (_, x) => x.sort({ axis: 1 })],
  ["int16-scan", "shorts", (cw, x) => cw.cumulativeSum(x, { axis: 0, dtype: "int16" })],
  [
    "int16-shifts",
    "shorts",
    (_, x) => x.bitwiseAnd(255).bitwiseLeftShift(3).bitwiseOr(x.bitwiseRightShift(2)),
  ],
  ["int16-flip", "shorts", (_, x) => x.flip().add(x)],
  ["int64-sum", "longs", (_, x) => x.multiply(1_000_003).sum({ axis: 1 })],
  ["int64-scan", "longs", (cw, x) => cw.cumulativeSum(x.multiply(1_000_003), { axis: 0 })],
  ["int64-transposed", "longs", (_, x) => x.get(":", ":700").matrixTranspose().add(x.get(":", ":700"))],
  ["int64-argmax", "longs", (_, x) => x.argmax({ axis: 0 })],
  ["uint16-wrap", "counts", (_, x) => x.astype("uint16").multiply(257).add(x.astype("uint16"))],
  [
    "uint32-prod",
    "counts",
    (cw, x) => cw.prod(x.astype("uint32").bitwiseOr(1), { axis: 0, dtype: "uint32" }),
  ],
];

export const singles = [
  ["float32-stencil", "line32", (_, x) => x.get("1:").subtract(x.get(":-1"))],
  ["float32-scan", "line32", (cw, x) => cw.cumulativeSum(x, { axis: 0 })],
  ["float32-softmax", "plane32", (cw, x) => cw.softmax(x.get(":400"), { axis: 0 })],
  ["float32-mean", "plane32", (_, x) => x.mean({ axis: 0 })],
  ["float32-sort", "plane32", (_, x) => x.sort({ axis: 0 })],
  [
    "float32-product",
    "plane32",
    (_, x) => whole(x.get(":150", ":400")).matmul(whole(x.get(":400", "400:600"))),
  ],
  ["float32-roll", "line32", (_, x) => x.roll(99_991).multiply(x)],
  ["float32-to-float64", "plane32", (_, x) => x.get(":500").astype("float64").exp().std({ axis: 1 })],
];
