// What is measured. A case: its name, the data it reads (data.mjs), what we do with them, what the peer does (Python, with
// np, sp, da, xr and pd at hand and the arrays under their names), and how many times as fast we want to be. To add a line is to add a case.

/** `ours` is given the library and the arrays by name; `peer` is an expression. */
export const CASES = [
  {
    name: "sort, 2·10⁷",
    data: { x: { kind: "uniform", shape: [20_000_000] } },
    ours: (_, { x }) => x.sort(),
    peer: "np.sort(x)",
    wanted: 3,
  },
  {
    name: "argsort, 2·10⁷",
    data: { x: { kind: "uniform", shape: [20_000_000] } },
    ours: (_, { x }) => x.argsort(),
    peer: "np.argsort(x)",
    wanted: 2,
  },
  {
    name: "median of all, 2·10⁷",
    data: { x: { kind: "uniform", shape: [20_000_000] } },
    ours: (_, { x }) => x.median(),
    peer: "np.median(x)",
  },
  {
    name: "quantile along the first axis",
    data: { x: { kind: "normal", shape: [2000, 10_000] } },
    ours: (_, { x }) => x.quantile([0.1, 0.5, 0.9], { axis: 0 }),
    peer: "np.quantile(x, [0.1, 0.5, 0.9], axis=0)",
    wanted: 2,
  },
  {
    name: "quantile along the last axis",
    data: { x: { kind: "normal", shape: [2000, 10_000] } },
    ours: (_, { x }) => x.quantile([0.1, 0.5, 0.9], { axis: 1 }),
    peer: "np.quantile(x, [0.1, 0.5, 0.9], axis=1)",
    wanted: 2,
  },
  {
    name: "median along the last axis",
    data: { x: { kind: "normal", shape: [2000, 10_000] } },
    ours: (_, { x }) => x.median({ axis: 1 }),
    peer: "np.median(x, axis=1)",
  },
];
