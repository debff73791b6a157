// What routines take for themselves is what was stated for them (plan/compile/scratch.ts), whatever the dtype and however their inputs
// lie: of blocks large enough that it is kept account of (kernel/routines/room.ts), a task that asks for more fails.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";

const ROWS = 200;
const COLUMNS = 150;
const SIZE = ROWS * COLUMNS;

const noise = (i: number): number => ((i + 1) * 0.7548776662466927) % 1;
const elements = Float64Array.from({ length: 2 * SIZE }, (_, i) => noise(i) * 120);
const places = cw
  .asarray(Int32Array.from({ length: SIZE }, (_, i) => (i * 7919) % COLUMNS))
  .reshape([ROWS, COLUMNS]);
const labels = cw.asarray(Int32Array.from({ length: COLUMNS }, (_, i) => (i * 7919) % 17));
const later = labels.add(0);

const LAYOUTS: { readonly [name: string]: (dtype: cw.DType) => cw.LazyArray } = {
  "as it is": (dtype) =>
    cw.asarray(elements.slice(0, SIZE), { chunks: "all" }).astype(dtype).reshape([ROWS, COLUMNS]),
  "every second": (dtype) =>
    cw
      .asarray(
        cw
          .asarray(elements, { chunks: "all" })
          .astype(dtype)
          .reshape([ROWS, 2 * COLUMNS])
          .computeSync(),
      )
      .get(":", "::2"),
};

type Call = (x: cw.LazyArray) => cw.LazyArray | readonly cw.LazyArray[];
const flat = (x: cw.LazyArray): cw.LazyArray => x.reshape([-1]);

const CALLS: { readonly [name: string]: Call } = {
  sort: (x) => [x.sort({ axis: 0 }), flat(x).sort()],
  argsort: (x) => [x.argsort({ axis: 1 }), flat(x).argsort()],
  "topk, argtopk": (x) => [x.topk(5, { axis: 0 }), flat(x).argtopk(40)],
  quantile: (x) => [x.quantile([0.1, 0.5], { axis: 1 }), x.quantile(0.3), x.median({ axis: 0 })],
  "many quantiles": (x) =>
    x.quantile(
      Array.from({ length: 40 }, (_, i) => i / 39),
      { axis: 0 },
    ),
  nanquantile: (x) => [cw.nanquantile(x, 0.2), cw.nanquantile(x, 0.2, { axis: 0 })],
  "quantile, about": (x) => cw.quantile(x, 0.6, { approximate: true }),
  searchsorted: (x) => [cw.searchsorted(flat(x).sort(), x), cw.searchsorted(x.get(0).sort(), x)],
  isin: (x) => cw.isin(x, x.get(":9")),
  take: (x) => [
    x.take(labels, { axis: 1 }),
    x.take(later, { axis: 1 }),
    x.get(places.get(0).add(0), later.get(0)),
  ],
  takeAlongAxis: (x) => cw.takeAlongAxis(x, places, { axis: 1 }),
  set: (x) => x.set([later], 1),
  mask: (x) => [x.get(x.greater(60)), x.set(x.greater(60), x.get(x.greater(60)))],
  "masks of rows and columns": (x) => [
    x.get(x.get(":", 0).greater(60)),
    x.get("10:-10", x.get(0).less(60)),
    x.T.get(x.get(0).less(60)),
    x.set([":", x.get(0).less(60)], 0),
  ],
  repeat: (x) => x.repeat(cw.arange(ROWS, { dtype: "int64" }).remainder(3), { axis: 0 }),
  nonzero: (x) => cw.nonzero(x),
  unique: (x) => [...Object.values(cw.uniqueAll(x)), ...Object.values(cw.uniqueCounts(x))],
  histogram: (x) => [
    cw.histogram(x, 50).counts,
    cw.histogram(x, { bins: [0, 1, 5, 50, 100] }).counts,
    cw.histogram(x, { bins: 30, weights: x }).counts,
    cw.histogram2d(flat(x), flat(x), { bins: [5, 6] }).counts,
  ],
  digitize: (x) => cw.digitize(x, [1, 5, 9]),
  groups: (x) => Object.values(cw.groupbyReduce(x, labels, { axis: 1, reduce: ["mean", "max", "first"] })),
  "groups of lazy labels": (x) => cw.groupbyReduce(x, later, { axis: 1, reduce: "sum" }),
  "medians of groups": (x) => cw.groupbyReduce(x, labels, { axis: 1, reduce: "median" }),
  "softmax, logSoftmax": (x) => [cw.softmax(x, { axis: 0 }), cw.logSoftmax(x, { axis: 1 })],
};

describe.each(Object.keys(LAYOUTS))("%s", (layout) => {
  test.each(Object.keys(CALLS))("%s", (name) => {
    for (const dtype of ["int32", "int64", "float16", "float32"] as const) {
      const made = CALLS[name]!(LAYOUTS[layout]!(dtype));
      const found = cw.computeSync(made instanceof cw.LazyArray ? [made] : [...made]);
      for (const { size } of found) expect(size).toBeGreaterThan(0);
    }
  });
});
