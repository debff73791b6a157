// Scans, and what is made of them; sorts, and differences of what is sorted.
// In: the library and a source. Out: a lazy array. Each is [name, source, program].

export const scans = [
  ["cumulative-sum", "line", (cw, x) => cw.cumulativeSum(x, { axis: 0 })],
  ["cumulative-sum-of-formula", "line", (cw, x) => cw.cumulativeSum(x.sin(), { axis: 0 })],
  ["cumulative-sum-rows", "plane", (cw, x) => cw.cumulativeSum(x, { axis: 1 })],
  ["cumulative-sum-columns", "plane", (cw, x) => cw.cumulativeSum(x.multiply(x), { axis: 0 })],
  ["cumulative-sum-cube", "cube", (cw, x) => cw.cumulativeSum(x, { axis: 1 })],
  ["cumulative-sum-initial", "line", (cw, x) => cw.cumulativeSum(x, { axis: 0, includeInitial: true })],
  ["cumulative-prod", "line", (cw, x) => cw.cumulativeProd(x.multiply(1e-5).add(1), { axis: 0 })],
  ["cumulative-prod-plane", "plane", (cw, x) => cw.cumulativeProd(x.multiply(0.01).add(1), { axis: 0 })],
  ["scan-of-a-scan", "plane", (cw, x) => cw.cumulativeSum(cw.cumulativeSum(x, { axis: 0 }), { axis: 1 })],
  [
    "moving-mean",
    "line",
    (cw, x) => {
      const total = cw.cumulativeSum(x, { axis: 0, includeInitial: true });
      return total.get("100:").subtract(total.get(":-100")).divide(100);
    },
  ],
  [
    "scan-normalised",
    "plane",
    (cw, x) => {
      const total = cw.cumulativeSum(x.abs(), { axis: 0 });
      return total.divide(total.get("-1:"));
    },
  ],
  ["scan-then-reduce", "plane", (cw, x) => cw.cumulativeSum(x, { axis: 0 }).max({ axis: 1 })],
  [
    "drawdown",
    "line",
    (cw, x) => {
      const walk = cw.cumulativeSum(x, { axis: 0 });
      return walk.max().subtract(walk);
    },
  ],
  ["scan-of-mask", "line", (cw, x) => cw.cumulativeSum(x.greater(0).astype("int32"), { axis: 0 })],
  ["scan-of-ints", "counts", (cw, x) => cw.cumulativeSum(x, { axis: 0, dtype: "int32" })],
  ["scan-minus-mean", "line", (cw, x) => cw.cumulativeSum(x.subtract(x.mean()), { axis: 0 })],
  [
    "scan-transposed",
    "plane",
    (cw, x) => cw.cumulativeSum(x.matrixTranspose(), { axis: 0 }).matrixTranspose(),
  ],
  ["backwards-scan", "line", (cw, x) => cw.cumulativeSum(x.flip(), { axis: 0 }).flip()],
  ["scan-plus-roll", "line", (cw, x) => cw.cumulativeSum(x, { axis: 0 }).add(x.roll(1))],
];

export const sorts = [
  ["sort-line", "line", (_, x) => x.sort({ axis: 0 })],
  ["sort-rows", "plane", (_, x) => x.sort({ axis: 1 })],
  ["sort-columns-descending", "plane", (_, x) => x.sort({ axis: 0, descending: true })],
  ["sort-cube", "cube", (_, x) => x.sort({ axis: 1 })],
  ["differences-of-sorted", "line", (cw, x) => cw.diff(x.sort({ axis: 0 }), { axis: 0 })],
  ["differences-of-sorted-rows", "plane", (cw, x) => cw.diff(x.sort({ axis: 1 }), { axis: 1 })],
  ["sort-of-ones", "plane", (_, x) => x.isfinite().astype("float64").sort({ axis: 0 })],
  ["argsort-rows", "plane", (_, x) => x.argsort({ axis: 1 })],
  ["sorted-by-argsort", "plane", (cw, x) => cw.takeAlongAxis(x, x.argsort({ axis: 0 }), { axis: 0 })],
  [
    "median-of-columns",
    "plane",
    (_, x) => {
      const sorted = x.sort({ axis: 0 });
      return sorted.get(399).add(sorted.get(400)).divide(2);
    },
  ],
  [
    "quantile-range",
    "cube",
    (_, x) => {
      const sorted = x.sort({ axis: 2 });
      return sorted.get("...", 80).subtract(sorted.get("...", 20));
    },
  ],
  ["sort-then-scan", "line", (cw, x) => cw.cumulativeSum(x.sort({ axis: 0 }), { axis: 0 })],
  ["sort-ints", "counts", (_, x) => x.sort({ axis: 0 })],
  [
    "distinct-neighbours",
    "shorts",
    (_, x) => {
      const sorted = x.sort({ axis: 0 });
      return sorted.get("1:").notEqual(sorted.get(":-1"));
    },
  ],
  ["searchsorted", "line", (cw, x) => cw.searchsorted(x.get(":5000").sort({ axis: 0 }), x)],
  [
    "winsorised",
    "plane",
    (cw, x) => {
      const sorted = x.sort({ axis: 0 });
      return cw.minimum(cw.maximum(x, sorted.get(40)), sorted.get(760));
    },
  ],
];
