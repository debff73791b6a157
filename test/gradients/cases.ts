// Functions of one array or two, each of which uses one op or a few: what their gradients are compared of. In: nothing. Out: by name a
// function and the shapes of its arguments; `low` and `high` bound their elements.

import * as cw from "chunkwise";
import { elementsByDigits } from "../../src/array/byDigits.ts";

export interface Case {
  readonly f: (...xs: cw.LazyArray[]) => cw.LazyArray;
  readonly shapes: readonly (readonly number[])[];
  readonly low?: number;
  readonly high?: number;
}

type X = cw.LazyArray;

const one = (f: (x: X) => X, low = -2, high = 2, shape: readonly number[] = [3, 4]): Case => ({
  f: f as Case["f"],
  shapes: [shape],
  low,
  high,
});
const two = (
  f: (x: X, y: X) => X,
  low = -2,
  high = 2,
  shapes: readonly (readonly number[])[] = [[3, 4], [4]],
): Case => ({ f: f as Case["f"], shapes, low, high });

const index = cw.asarray(new Int32Array([2, 0, 2, 1]));
const labels = [0, 1, 0, 2, 1, 0];
const lazyLabels = cw.remainder(cw.arange(6, { chunks: 4 }), 3);

export const CASES: { readonly [name: string]: Case } = {
  add: two((x, y) => x.add(y)),
  subtract: two((x, y) => x.subtract(y)),
  multiply: two((x, y) => x.multiply(y)),
  divide: two((x, y) => x.divide(y), 0.5, 2),
  remainder: two((x, y) => x.remainder(y), 0.6, 0.95),
  floorDivide: two((x, y) => x.floorDivide(y).add(x), 0.6, 0.95),
  pow: two((x, y) => x.pow(y), 0.5, 2),
  negative: one((x) => x.negative()),
  positive: one((x) => x.positive()),
  square: one((x) => x.square()),
  reciprocal: one((x) => x.reciprocal(), 0.5),
  abs: one((x) => x.abs(), 0.5),
  sign: one((x) => x.sign().multiply(x), 0.5),
  rounding: one((x) => x.floor().add(x.ceil()).add(x.trunc()).add(x.round()).multiply(x), 0.1, 0.4),
  maximum: two((x, y) => x.maximum(y)),
  minimum: two((x, y) => x.minimum(y)),
  copysign: two((x, y) => x.copysign(y), 0.5),
  hypot: two((x, y) => x.hypot(y), 0.5),
  atan2: two((x, y) => x.atan2(y), 0.5),
  logaddexp: two((x, y) => x.logaddexp(y)),
  ...Object.fromEntries(
    (
      [
        ...["exp", "expm1", "sin", "cos", "atan", "sinh", "cosh", "tanh", "asinh", "exp2"],
        ...["sigmoid", "softplus"],
      ] as const
    ).map((name) => [name, one((x) => (x as never as { [n: string]: () => X })[name]!())]),
  ),
  ...Object.fromEntries(
    (["log", "log1p", "log2", "log10", "sqrt"] as const).map((name) => [name, one((x) => x[name](), 0.5, 3)]),
  ),
  ...Object.fromEntries(
    (["asin", "acos", "atanh", "tan"] as const).map((name) => [name, one((x) => x[name](), -0.8, 0.8)]),
  ),
  acosh: one((x) => x.acosh(), 1.5, 3),
  log1mexp: one((x) => x.log1mexp(), -3, -0.2),
  where: two((x, y) => cw.where(x.greater(0.3), x.square(), y)),
  clip: one((x) => x.clip(-1, 1).square()),
  cast: one((x) => x.astype("float64").multiply(x.astype("int32").astype("float64")), 0.1, 0.4),
  stopGradient: one((x) => x.multiply(cw.stopGradient(x.multiply(0).add(2)))),
  complex: one((x) => x.add(cw.complex(0, 1)).square().exp().abs()),
  complexParts: one(
    (x) => {
      const z = x.multiply(cw.complex(1, 2)).sin();
      return z.real().multiply(z.imag()).add(z.conj().multiply(z).real());
    },
    -0.5,
    0.5,
  ),
  sum: one((x) => x.sum({ axis: 0 }).square()),
  mean: one((x) => x.mean({ axis: 1, keepdims: true }).square()),
  prod: one((x) => x.prod({ axis: 1 })),
  var: one((x) => x.var({ axis: 1, correction: 1 })),
  std: one((x) => x.std({ axis: 0 })),
  max: one((x) => x.max({ axis: 0 }).square()),
  min: one((x) => x.min().square()),
  ptp: one((x) => x.ptp({ axis: 1 }).square()),
  logsumexp: one((x) => x.logsumexp({ axis: 1 })),
  softmax: one((x) => x.softmax({ axis: 1 }).square()),
  logSoftmax: one((x) => x.logSoftmax({ axis: 0 }).square()),
  nansum: one((x) => cw.nansum(x, { axis: 0 }).square()),
  nanprod: one((x) => cw.nanprod(x, { axis: 0 })),
  nanmean: one((x) => cw.nanmean(x, { axis: 0 }).square()),
  nanvar: one((x) => cw.nanvar(x, { axis: 0, correction: 1 })),
  nanstd: one((x) => cw.nanstd(x, { axis: 1 })),
  nanmax: one((x) => cw.nanmax(x, { axis: 0 }).square()),
  nanmin: one((x) => cw.nanmin(x).square()),
  cumulativeSum: one((x) => x.cumulativeSum({ axis: 1 }).square()),
  cumulativeProd: one((x) => x.cumulativeProd({ axis: 0 }).square()),
  nancumsum: one((x) => cw.nancumsum(x, { axis: 1, includeInitial: true }).square()),
  permute: two((x, y) => x.permuteDims([1, 0]).multiply(y.expandDims(1))),
  broadcast: one((x) => cw.broadcastTo(x, [2, 3, 4]).multiply(x).square()),
  squeeze: one((x) => x.expandDims([0, 2]).multiply(x.get(0)).squeeze(0)),
  reshape: one((x) => x.reshape([2, 6]).multiply(x.reshape([6, 2]).T)),
  rechunk: one((x) => x.rechunk([3, 1]).square()),
  slice: one((x) => x.get("::-1", "1::2").multiply(x.get(":", ":2"))),
  index: one((x) => x.get(-1).multiply(x.get(":", 0).sum())),
  set: two((x, y) => x.set(["1:", "::2"], y.get(":2")).square()),
  concat: two((x, y) => cw.concat([x, y.expandDims(0), x], { axis: 0 }).square()),
  stack: one((x) => cw.stack([x, x.square()]).multiply(x)),
  repeat: one((x) => cw.repeat(x, 3, { axis: 1 }).square()),
  tile: one((x) => cw.tile(x, [2, 3]).multiply(cw.tile(x.square(), [2, 3]))),
  roll: one((x) => cw.roll(x, 1, { axis: 1 }).multiply(x)),
  flip: one((x) => cw.flip(x).multiply(x)),
  diff: one((x) => cw.diff(x, { axis: 1 }).square()),
  pad: one((x) =>
    cw
      .pad(x, [
        [1, 2],
        [0, 1],
      ])
      .square(),
  ),
  padEdge: one((x) => cw.pad(x, 2, { mode: "edge" }).square()),
  padReflect: one((x) =>
    cw
      .pad(
        x,
        [
          [1, 2],
          [3, 3],
        ],
        { mode: "reflect" },
      )
      .square(),
  ),
  padWrap: one((x) =>
    cw
      .pad(
        x,
        [
          [4, 2],
          [1, 6],
        ],
        { mode: "wrap" },
      )
      .square(),
  ),
  matmul: two((x, y) => x.matmul(y), -2, 2, [
    [3, 4],
    [4, 2],
  ]),
  matmulBatch: two((x, y) => x.matmul(y).square(), -2, 2, [
    [2, 3, 4],
    [4, 2],
  ]),
  tensordot: two(
    (x, y) =>
      cw
        .tensordot(x, y, {
          axes: [
            [0, 2],
            [1, 0],
          ],
        })
        .square(),
    -2,
    2,
    [
      [2, 3, 4],
      [4, 2, 3],
    ],
  ),
  vecdot: two((x, y) => cw.vecdot(x, y).square()),
  take: one((x) => cw.take(x, index, { axis: 0 }).square()),
  takeMany: one((x) => cw.take(x, [3, 0, 3, 3, 1, 0], { axis: 1 }).square()),
  gather: one((x) => x.get(cw.remainder(cw.arange(5), 3), cw.remainder(cw.arange(5), 4)).square()),
  gatherBefore: one((x) => x.get(":", cw.remainder(cw.arange(5), 3)).square(), -2, 2, [3, 4, 2]),
  gatherNegative: one((x) => x.get(cw.remainder(cw.arange(5), 3).subtract(3)).square()),
  scatter: two((x, y) => x.set([cw.remainder(cw.arange(5), 2)], y).square(), -2, 2, [
    [3, 4],
    [5, 4],
  ]),
  takeAlongAxis: one((x) =>
    cw.takeAlongAxis(x, cw.argsort(x, { axis: 1, descending: true }), { axis: 1 }).multiply(x),
  ),
  sort: one((x) => x.sort({ axis: 1 }).multiply(cw.arange(4))),
  sortDescending: one((x) => x.sort({ axis: 0, descending: true }).multiply(x)),
  topk: one((x) => cw.topk(x, 2, { axis: 1 }).square()),
  median: one((x) => cw.median(x, { axis: 1 }).square()),
  quantile: one((x) => cw.quantile(x, [0.1, 0.7], { axis: 0 }).square()),
  average: two((x, y) => cw.average(x, { axis: 1, weights: y }), 0.5, 2),
  cov: one((x) => cw.cov(x)),
  tril: one((x) => cw.tril(x).square()),
  groupSum: one((x) => cw.groupbyReduce(x, labels, { reduce: "sum", axis: 0 }).square(), -2, 2, [6, 3]),
  groupMean: one((x) => cw.groupbyReduce(x, labels, { reduce: "mean", axis: 0 }).square(), -2, 2, [6, 3]),
  groupVar: one((x) => cw.groupbyReduce(x, labels, { reduce: "var", axis: 0 }), -2, 2, [6, 3]),
  groupMax: one((x) => cw.groupbyReduce(x, labels, { reduce: "max", axis: 0 }).square(), -2, 2, [6, 3]),
  groupProd: one((x) => cw.groupbyReduce(x, labels, { reduce: "prod", axis: 0 }).square(), -2, 2, [6, 3]),
  groupProds: one(
    (x) => cw.groupbyReduce(x.maximum(0), lazyLabels, { reduce: "nanprod", axis: 1, numLabels: 3 }).square(),
    ...([-2, 2, [2, 6]] as const),
  ),
  groupFirst: one((x) => cw.groupbyReduce(x, labels, { reduce: "first", axis: 0 }).square(), -2, 2, [6, 3]),
  groupLast: one(
    (x) => cw.groupbyReduce(x, lazyLabels, { reduce: "nanlast", axis: 1, numLabels: 3 }).square(),
    ...([-2, 2, [2, 6]] as const),
  ),
  selected: one((x) => elementsByDigits(x, cw.asarray([0, 7, 11]), false).square()),
  nextafter: two((x, y) => x.nextafter(y).square()),
  groupLazy: one(
    (x) => cw.groupbyReduce(x, lazyLabels, { reduce: "nanmean", axis: 1, numLabels: 3 }).square(),
    -2,
    2,
    [2, 6],
  ),
  groupCounted: one(
    (x) => cw.groupbyReduce(x, lazyLabels, { reduce: "sum", axis: 1 }).square(),
    -2,
    2,
    [2, 6],
  ),
  bincount: one((x) => cw.bincount(labels, { weights: x }).square(), -2, 2, [6]),
  trapezoid: one((x) => x.get("1:").add(x.get(":-1")).multiply(0.5).sum({ axis: 0 })),
  mask: one((x) => x.get(x.greater(0)).square()),
  maskRows: one((x) => x.get(x.get(":", 0).greater(0)).sum({ axis: 0 }).square()),
  setMask: one((x) => x.set(x.less(0), 1).square()),
  ...matrixCases(),
  ...loopCases(),
  fft: one((x) => cw.fft.fft(x).multiply(cw.fft.fft(x.square())).abs()),
  ifft: one((x) => cw.fft.ifft(x, { axis: 0, n: 5 }).abs()),
  rfft: one((x) => cw.fft.rfft(x, { norm: "ortho" }).abs()),
  irfft: one((x) => cw.fft.irfft(x.multiply(cw.complex(1, 0.5)), { n: 5 }).square()),
  fftn: one((x) => cw.fft.irfftn(cw.fft.rfftn(x).multiply(cw.complex(0.5, 1)), { s: [3, 4] }).square()),
  hfft: one((x) => cw.fft.hfft(x.multiply(cw.complex(1, -1))).square()),
  expr: one((x) => cw.expr`sum(${x}**2, axis=1) / (1 + max(${x}, axis=1))`, 0.5),
};

/** Well away from singular matrices, and symmetric ones with values that lie apart. */
function matrixCases(): { readonly [name: string]: Case } {
  const { linalg } = cw;
  const square = (f: (x: X) => X, shape = [3, 3]): Case =>
    one((x) => f(x.multiply(0.3).add(cw.eye(3).multiply(2))), -1, 1, shape);
  const graded = cw.diag(cw.asarray([1, 3, 6], { dtype: "float64" }));
  const symmetric = (f: (x: X) => X, shape = [3, 3]): Case =>
    one((x) => f(x.multiply(0.3).add(graded)), -1, 1, shape);
  const tall = (f: (x: X) => X): Case => one(f, -1, 1, [4, 3]);
  const wide = (f: (x: X) => X): Case => one(f, -1, 1, [2, 4]);
  const all = (parts: { readonly [name: string]: X }): X =>
    Object.values(parts)
      .map((part) =>
        part
          .square()
          .multiply(cw.arange(part.shape.at(-1)!).add(1))
          .sum(),
      )
      .reduce((a, b) => a.add(b));
  return {
    cholesky: symmetric((x) => linalg.cholesky(x).square()),
    choleskyUpper: symmetric((x) => linalg.cholesky(x, { upper: true }).square(), [2, 3, 3]),
    inv: square((x) => linalg.inv(x)),
    invs: square((x) => linalg.inv(x).square(), [2, 3, 3]),
    det: square((x) => linalg.det(x)),
    slogdet: square((x) => linalg.slogdet(x).logabsdet, [2, 3, 3]),
    solve: two((x, y) => linalg.solve(x.add(cw.eye(3).multiply(4)), y), -1, 1, [
      [3, 3],
      [3, 2],
    ]),
    solveVector: two((x, y) => linalg.solve(x.add(cw.eye(3).multiply(4)), y), -1, 1, [[2, 3, 3], [3]]),
    eigh: symmetric((x) => all(linalg.eigh(x)), [2, 3, 3]),
    eigvalsh: symmetric((x) => linalg.eigvalsh(x)),
    svd: tall((x) => all({ ...linalg.svd(x, { fullMatrices: false }) })),
    svdWide: wide((x) => all({ ...linalg.svd(x, { fullMatrices: false }) })),
    svdSquare: square((x) => all({ ...linalg.svd(x) })),
    svdvals: wide((x) => linalg.svdvals(x)),
    nuclear: tall((x) => linalg.matrixNorm(x, { ord: "nuc" })),
    spectral: tall((x) => linalg.matrixNorm(x, { ord: 2 })),
    qr: tall((x) => all(linalg.qr(x))),
    qrWide: wide((x) => all(linalg.qr(x))),
    qrComplete: square((x) => all(linalg.qr(x, { mode: "complete" })), [2, 3, 3]),
    pinv: tall((x) => linalg.pinv(x)),
    pinvWide: wide((x) => linalg.pinv(x).square()),
    lstsq: two((x, y) => linalg.lstsq(x, y), -1, 1, [[4, 3], [4]]),
    matrixPower: square((x) => linalg.matrixPower(x, -3)),
  };
}

function loopCases(): { readonly [name: string]: Case } {
  const last = (made: readonly [X | X[], X | X[]]): X => made[0] as X;
  const collected = (made: readonly [X | X[], X | X[]]): X => made[1] as X;
  return {
    scan: two(
      (x, y) => collected(cw.scan((s: X, row: X) => [s.multiply(row).sin(), s.add(row).square()], y, x)),
      ...([-1, 1, [[3, 4], [4]]] as const),
    ),
    scanCaptured: two((x, y) =>
      last(cw.scan((s: X, row: X) => [s.add(row.multiply(y.exp())).tanh(), null], y.square(), x)),
    ),
    scanOfMany: two((x, y) => {
      const step = ([s, n]: readonly [X, X], [row, k]: readonly [X, X]): readonly [X[], X[]] => [
        [s.multiply(y).add(row).sin(), n.add(1)],
        [s.multiply(n.add(k)), row.multiply(s)],
      ];
      const [[end], [a, b]] = cw.scan(step, [y, cw.asarray(0)], [x, cw.arange(3)]) as unknown as [X[], X[]];
      return a!.add(b!).sum({ axis: 0 }).add(end!);
    }),
    scanInScan: two((x, y) => {
      const inner = (s: X, row: X): X =>
        last(cw.scan((t: X, v: X) => [t.multiply(v).add(s.multiply(y)).sin(), null], s, row));
      return last(cw.scan((s: X, row: X) => [inner(s, row), null], y, x));
    }),
    scanLength: one((x) => last(cw.scan((s: X) => [s.sin().add(x), null], x, null, { length: 4 }))),
    cond: two((x, y) => {
      const by = (flag: X): X =>
        cw.cond(
          flag,
          (a, b) => a.multiply(b).multiply(y),
          (a) => a.exp().add(x.sum()),
          x,
          y.square(),
        ) as X;
      return by(cw.asarray(true)).add(by(x.sum().greater(100)).multiply(2));
    }),
    condInScan: two((x, y) =>
      last(
        cw.scan(
          (s: X, row: X) => [
            cw.cond(
              row.sum().greater(0.1),
              (t) => t.multiply(row),
              (t) => t.add(y).sin(),
              s,
            ) as X,
            null,
          ],
          y,
          x,
        ),
      ),
    ),
  };
}
