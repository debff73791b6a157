// Other chunks, other shapes: rechunks, reshapes, transpositions, joins, repetitions.
// In: the library and a source. Out: a lazy array. Each is [name, source, program].

export const rechunks = [
  ["rechunk-line", "line", (_, x) => x.rechunk([23_456])],
  ["rows-to-columns", "plane", (_, x) => x.rechunk([800, 10]).multiply(2)],
  ["rechunk-then-mean", "plane", (_, x) => x.rechunk([50, x.shape[1]]).mean({ axis: 1 })],
  ["rechunk-then-sum", "cube", (_, x) => x.rechunk([60, 10, 104]).sum({ axis: 0 })],
  ["rechunk-there-and-back", "plane", (_, x) => x.rechunk([7, 760]).exp().rechunk([96, 84]).add(x)],
  ["rechunk-of-a-scan", "plane", (cw, x) => cw.cumulativeSum(x, { axis: 0 }).rechunk([40, 200])],
  ["rechunk-then-scan", "plane", (cw, x) => cw.cumulativeSum(x.rechunk([37, 190]), { axis: 1 })],
  ["rechunk-then-sort", "plane", (_, x) => x.rechunk([800, 33]).sort({ axis: 0 })],
  ["rechunk-of-transposed", "plane", (_, x) => x.matrixTranspose().rechunk([100, 100]).add(1)],
  ["rechunk-tiny", "counts", (_, x) => x.get(":300", ":300").rechunk([17, 19]).multiply(3)],
  ["rechunk-then-std", "line", (_, x) => x.rechunk([31_337]).std()],
];

export const reshapes = [
  ["line-to-plane", "line", (_, x) => x.reshape([600, 1000])],
  ["line-to-plane-mean", "line", (_, x) => x.reshape([1200, 500]).mean({ axis: 1 })],
  ["plane-to-line", "plane", (_, x) => x.reshape([-1]).exp()],
  ["plane-to-line-scan", "plane", (cw, x) => cw.cumulativeSum(x.reshape([-1]), { axis: 0 })],
  ["cube-to-plane", "cube", (_, x) => x.reshape([6000, 104]).add(1)],
  ["split-reshape", "line", (_, x) => x.reshape([300, 40, 50]).sum({ axis: 1 })],
  ["split-columns", "plane", (_, x) => x.reshape([800, 19, 40]).max({ axis: 2 })],
  ["reshape-roll-reshape", "plane", (_, x) => x.reshape([-1]).roll(37).reshape([800, 760]).add(x)],
  ["transpose", "plane", (_, x) => x.matrixTranspose()],
  [
    "self-plus-transposed",
    "plane",
    (_, x) => {
      const square = squareOf(x);
      return square.add(square.matrixTranspose());
    },
  ],
  [
    "symmetric-product",
    "plane",
    (_, x) => {
      const square = squareOf(x).sin();
      return square.multiply(square.matrixTranspose()).subtract(square);
    },
  ],
  ["cube-axes-permuted", "cube", (_, x) => x.permuteDims([2, 0, 1]).multiply(2)],
  ["cube-axis-moved-sum", "cube", (cw, x) => cw.moveaxis(x, 0, 2).sum({ axis: 1 })],
  ["flip-all", "cube", (_, x) => x.flip().add(x)],
  ["new-axes", "line", (_, x) => x.get(":700").get(":", null).add(x.get("700:1500"))],
  ["squeezed", "cube", (_, x) => x.get(":", "50:51").squeeze(1).subtract(x.get(":", 3))],
];

export const joins = [
  ["concat-halves", "line", (cw, x) => cw.concat([x.get("300001:"), x.get(":300001")], { axis: 0 })],
  ["concat-columns", "plane", (cw, x) => cw.concat([x, x.multiply(2), x.get(":", ":13")], { axis: 1 })],
  ["stack-of-three", "plane", (cw, x) => cw.stack([x, x.exp(), x.flip({ axis: 0 })])],
  [
    "stack-then-mean",
    "plane",
    (cw, x) => cw.stack([x, x.roll(1, { axis: 0 }), x.square()]).mean({ axis: 0 }),
  ],
  [
    "stack-last-then-max",
    "line",
    (cw, x) => cw.stack([x, x.negative(), x.sin()], { axis: -1 }).max({ axis: 1 }),
  ],
  [
    "concat-then-scan",
    "line",
    (cw, x) => cw.cumulativeSum(cw.concat([x, x.flip()], { axis: 0 }), { axis: 0 }),
  ],
  ["interleaved", "line", (cw, x) => cw.stack([x.get("::2"), x.get("1::2")], { axis: 1 }).reshape([-1])],
  [
    "unstack-and-add",
    "cube",
    (cw, x) => {
      const [first, second, third] = cw.unstack(x.get(":", ":3"), { axis: 1 });
      return first.add(second).multiply(third);
    },
  ],
  ["repeat-rows", "plane", (_, x) => x.get(":200").repeat(3, { axis: 0 })],
  ["tile-both", "plane", (_, x) => x.get(":300", ":280").tile([3, 2]).add(0.5)],
  ["outer-sum", "line", (_, x) => x.get(":900").get(":", null).multiply(x.get("1000:1800"))],
  ["broadcast-row", "plane", (cw, x) => cw.broadcastTo(x.get(17), [500, 760]).add(x.get(":500"))],
  [
    "meshgrid",
    "line",
    (cw, x) => {
      const [a, b] = cw.meshgrid(x.get(":600"), x.get("600:1300"), { indexing: "ij" });
      return a.atan2(b);
    },
  ],
  ["checkerboard-set", "plane", (_, x) => x.set(["::2", "1::2"], 0).set(["1::2", "::2"], 1)],
  ["block-set", "plane", (_, x) => x.set(["100:305", "77:500"], x.get("300:505", "200:623"))],
];

/** As many rows as there are columns. */
function squareOf(x) {
  return x.get(`:${x.shape[1]}`);
}
