// Shared intermediates, several results, functions of the user's, and long mixtures.
// In: the library and a source. Out: a lazy array or several. Each is [name, source, program].

import { whole } from "./whole.mjs";

export const shared = [
  ["diamond", "plane", (_, x) => x.exp().add(1).multiply(x.exp().add(2))],
  [
    "scan-used-twice",
    "line",
    (cw, x) => {
      const total = cw.cumulativeSum(x, { axis: 0 });
      return total.add(total.flip());
    },
  ],
  [
    "sorted-used-thrice",
    "plane",
    (_, x) => {
      const sorted = x.sort({ axis: 0 });
      return sorted.add(sorted.roll(1, { axis: 0 })).subtract(sorted.flip({ axis: 1 }));
    },
  ],
  [
    "mean-used-twice",
    "plane",
    (_, x) => {
      const mean = x.mean({ axis: 0 });
      return x.subtract(mean).divide(mean.abs().add(1));
    },
  ],
  [
    "rechunked-used-twice",
    "plane",
    (_, x) => {
      const rows = x.rechunk([20, 760]).sin();
      return rows.sum({ axis: 1 }).get(":", null).add(rows);
    },
  ],
  [
    "total-of-totals",
    "cube",
    (_, x) => {
      const planes = x.sum({ axis: 0 });
      return x.divide(planes.abs().add(1)).add(planes.sum({ axis: 0 }));
    },
  ],
  [
    "product-used-twice",
    "plane",
    (_, x) => {
      const part = whole(x.get(":", ":150"));
      const gram = part.matrixTranspose().matmul(part);
      return gram.add(gram.matrixTranspose()).divide(gram.abs().max());
    },
  ],
];

/** What cannot be computed again with each reader, read through two windows. */
const scanned = (cw, x, axis = 0) => cw.cumulativeSum(x, { axis });

export const windows = [
  ["roll-of-scan", "line", (cw, x) => scanned(cw, x).roll(17).add(scanned(cw, x))],
  ["flip-of-scan", "plane", (cw, x) => scanned(cw, x).flip({ axis: 0 }).subtract(scanned(cw, x))],
  [
    "scan-plus-transposed",
    "plane",
    (cw, x) => {
      const total = scanned(cw, x.get(":760"));
      return total.add(total.matrixTranspose());
    },
  ],
  ["centred-of-scan", "line", (cw, x) => scanned(cw, x).get("2:").subtract(scanned(cw, x).get(":-2"))],
  ["across-sorted", "plane", (cw, x) => cw.diff(x.sort({ axis: 0 }), { axis: 1 })],
  [
    "laplace-of-scan",
    "plane",
    (cw, x) => {
      const total = scanned(cw, x, 1);
      return total
        .get("2:", "1:-1")
        .add(total.get(":-2", "1:-1"))
        .subtract(total.get("1:-1", "2:"))
        .subtract(total.get("1:-1", ":-2"));
    },
  ],
  [
    "roll-of-rechunked",
    "plane",
    (_, x) => {
      const rows = x.rechunk([40, 760]).exp();
      return rows.roll(33, { axis: 0 }).multiply(rows);
    },
  ],
  [
    "reshape-of-scan",
    "line",
    (cw, x) => {
      const total = scanned(cw, x);
      return total.reshape([1000, 600]).sum({ axis: 0 }).add(total.get(":600"));
    },
  ],
  [
    "flip-of-product",
    "plane",
    (_, x) => {
      const part = whole(x.get(":400"));
      const gram = part.matmul(part.matrixTranspose());
      return gram.subtract(gram.flip({ axis: 0 })).add(gram.matrixTranspose());
    },
  ],
  [
    "concat-of-scan",
    "line",
    (cw, x) => {
      const total = scanned(cw, x);
      return cw.concat([total.get("123457:"), total.get(":123457")], { axis: 0 }).add(total);
    },
  ],
];

export const several = [
  ["mean-and-std", "plane", (_, x) => [x.mean({ axis: 0 }), x.std({ axis: 0 })]],
  [
    "scan-and-differences",
    "line",
    (cw, x) => {
      const total = cw.cumulativeSum(x, { axis: 0 });
      return [total, total.get("1:").subtract(total.get(":-1")), total.max()];
    },
  ],
  ["sorted-and-places", "plane", (_, x) => [x.sort({ axis: 1 }), x.argsort({ axis: 1 })]],
  ["moments", "line", (_, x) => [x.mean(), x.square().mean(), x.multiply(x.abs()).mean()]],
  ["three-layouts", "plane", (_, x) => [x.rechunk([800, 20]), x.matrixTranspose(), x.reshape([-1])]],
  ["roll-and-flip", "plane", (_, x) => [x.roll(3, { axis: 0 }).add(x), x.flip({ axis: 1 }).subtract(x)]],
  [
    "result-and-its-use",
    "plane",
    (_, x) => {
      const sorted = x.sort({ axis: 0 });
      return [sorted, sorted.mean({ axis: 1 }), x.subtract(sorted)];
    },
  ],
  [
    "ints-and-floats",
    "counts",
    (cw, x) => [x.astype("float32").divide(7), cw.cumulativeSum(x, { axis: 1 }), x.argmax({ axis: 0 })],
  ],
  [
    "mask-and-masked",
    "plane",
    (cw, x) => {
      const isHigh = x.greater(x.mean());
      return [isHigh, cw.where(isHigh, x, 0), cw.countNonzero(isHigh, { axis: 0 })];
    },
  ],
];

const functionOf = (cw, name) => cw.moduleFunction(new URL("./blocks.mjs", import.meta.url), name);

export const functions = [
  ["map-blocks", "plane", (cw, x) => cw.mapBlocks(functionOf(cw, "doubled"), x)],
  [
    "map-blocks-of-scan",
    "line",
    (cw, x) => cw.mapBlocks(functionOf(cw, "doubled"), cw.cumulativeSum(x, { axis: 0 })).add(x),
  ],
  [
    "map-overlap",
    "line",
    (cw, x) => cw.mapOverlap(functionOf(cw, "neighbours"), x, { depth: 1, boundary: "edge" }),
  ],
];

export const mixtures = [
  [
    "sort-diff-scan",
    "plane",
    (cw, x) => cw.cumulativeSum(cw.diff(x.sort({ axis: 0 }), { axis: 0 }), { axis: 1 }),
  ],
  ["roll-sort-roll", "line", (_, x) => x.roll(3).add(x).sort({ axis: 0 }).roll(-3)],
  [
    "scan-rechunk-mean",
    "plane",
    (cw, x) => cw.cumulativeSum(x, { axis: 0 }).rechunk([800, 50]).mean({ axis: 0 }),
  ],
  [
    "mean-pad-scan",
    "cube",
    (cw, x) =>
      cw.cumulativeSum(
        x.mean({ axis: 1 }).pad(
          [
            [1, 1],
            [2, 2],
          ],
          { mode: "edge" },
        ),
        { axis: 0 },
      ),
  ],
  [
    "transposed-scan-stencil",
    "plane",
    (cw, x) => {
      const total = cw.cumulativeSum(x.matrixTranspose(), { axis: 1 });
      return total.get("1:", "7:").subtract(total.get(":-1", ":-7"));
    },
  ],
  [
    "softmax-argmax-gather",
    "plane",
    (cw, x) =>
      cw.takeAlongAxis(cw.softmax(x, { axis: 1 }), x.argmax({ axis: 1, keepdims: true }), { axis: 1 }),
  ],
  [
    "product-scan-sort",
    "plane",
    (cw, x) =>
      cw
        .cumulativeSum(whole(x.get(":300")).matmul(whole(x.get(":760", ":120"))), { axis: 0 })
        .sort({ axis: 1 }),
  ],
  [
    "concat-roll-reduce",
    "plane",
    (cw, x) => cw.concat([x.roll(1, { axis: 0 }), x], { axis: 0 }).sum({ axis: 0 }),
  ],
  [
    "reshape-sort-reshape",
    "plane",
    (_, x) => x.reshape([-1]).sort({ axis: 0 }).reshape([760, 800]).matrixTranspose().add(x),
  ],
  [
    "detrended",
    "line",
    (cw, x) => {
      const walk = cw.cumulativeSum(x, { axis: 0 });
      const time = cw.arange(0, 600_000, 1, { dtype: "float64", chunks: [9973] }).subtract(299_999.5);
      const slope = walk.multiply(time).sum().divide(time.square().sum());
      return walk.subtract(walk.mean()).subtract(time.multiply(slope));
    },
  ],
  [
    "diffusion-steps",
    "line",
    (_, x) => {
      let state = x;
      for (let step = 0; step < 4; step++)
        state = state.add(state.roll(1).add(state.roll(-1)).subtract(state.multiply(2)).multiply(0.2));
      return state;
    },
  ],
  [
    "ema-like",
    "plane",
    (cw, x) =>
      cw.cumulativeSum(x.multiply(cw.pow(1.001, cw.arange(0, 760, 1, { dtype: "float64", chunks: [84] }))), {
        axis: 1,
      }),
  ],
];
