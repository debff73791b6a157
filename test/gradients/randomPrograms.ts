// Random differentiable programs of two arrays: chains of steps that keep values near 1, with every kind of op among them. In: a seed. Out:
// a function that gives a number, its arguments, cut in some way, and the names of its steps.

import * as cw from "chunkwise";
import type { Scalarly } from "./finiteDifferences.ts";

type X = cw.LazyArray;
type Random = () => number;

/** Mulberry32. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const below = (next: Random, n: number): number => Math.floor(next() * n);
const pick = <T>(next: Random, list: readonly T[]): T => list[below(next, list.length)]!;

/** Of a matrix, and of one of the same shape; `n` are random numbers of the step. */
type Step = (x: X, y: X, n: readonly number[]) => X;

const axisOf = (n: readonly number[]): number => Math.floor(n[0]! * 2);
const places = (length: number, n: readonly number[]): number[] =>
  n.slice(0, 3).map((r) => Math.floor(r * length));

const STEPS: { readonly [name: string]: Step } = {
  sin: (x) => x.sin(),
  tanh: (x) => x.tanh(),
  sigmoid: (x) => x.sigmoid(),
  softplus: (x) => x.softplus(),
  expOfTanh: (x) => x.tanh().exp(),
  log: (x) => x.square().log1p(),
  sqrt: (x) => x.square().add(1).sqrt(),
  atan: (x) => x.atan().subtract(x.asinh()),
  abs: (x) => x.abs(),
  reciprocal: (x) => x.square().add(1).reciprocal(),
  clip: (x) => x.clip(-0.7, 0.9),
  add: (x, y) => x.add(y),
  multiply: (x, y) => x.tanh().multiply(y),
  divide: (x, y) => x.divide(y.square().add(1)),
  maximum: (x, y) => x.maximum(y),
  minimum: (x, y) => x.minimum(y.multiply(0.5)),
  hypot: (x, y) => x.hypot(y.square().add(0.5)),
  atan2: (x, y) => x.atan2(y.square().add(1)),
  logaddexp: (x, y) => x.logaddexp(y),
  pow: (x, y) => x.square().add(1).pow(y.tanh()),
  where: (x, y) => cw.where(x.greater(0.1), x.sin(), y),
  complex: (x) => x.multiply(cw.complex(0.3, 1)).sin().abs().tanh(),
  stretchedMean: (x, _, n) => x.subtract(x.mean({ axis: axisOf(n), keepdims: true })),
  stretchedMax: (x, _, n) => x.subtract(x.max({ axis: axisOf(n), keepdims: true })).tanh(),
  variance: (x, _, n) => x.divide(x.var({ axis: axisOf(n), keepdims: true }).add(1)),
  prod: (x, _, n) => x.add(x.tanh().prod({ axis: axisOf(n), keepdims: true })),
  sumSquares: (x, _, n) =>
    x.divide(
      x
        .square()
        .sum({ axis: axisOf(n), keepdims: true })
        .add(1),
    ),
  logsumexp: (x, _, n) => x.subtract(x.logsumexp({ axis: axisOf(n), keepdims: true })),
  softmax: (x, _, n) => x.softmax({ axis: axisOf(n) }),
  runningSum: (x, _, n) => x.cumulativeSum({ axis: axisOf(n) }).tanh(),
  runningProduct: (x, _, n) => x.tanh().cumulativeProd({ axis: axisOf(n) }),
  sort: (x, _, n) => x.sort({ axis: axisOf(n), descending: n[1]! < 0.5 }),
  takeAlong: (x, y, n) => cw.takeAlongAxis(x, y.argsort({ axis: axisOf(n) }), { axis: axisOf(n) }),
  median: (x, _, n) => x.subtract(cw.median(x, { axis: axisOf(n), keepdims: true })),
  topk: (x, _, n) => cw.topk(x, Math.ceil(x.shape[axisOf(n)]! / 2), { axis: axisOf(n) }),
  transpose: (x) => x.T,
  flip: (x, _, n) => cw.flip(x, { axis: axisOf(n) }),
  roll: (x, _, n) => cw.roll(x, 1, { axis: axisOf(n) }),
  rechunk: (x, _, n) => x.rechunk(x.shape.map((length) => Math.max(1, Math.floor(length * n[0]!)))),
  slice: (x, _, n) => (n[0]! < 0.5 ? x.get("::-1") : x.get(":", "::2")),
  set: (x, y) => x.set([0], y.get(-1)),
  setPlaces: (x, y, n) => x.set([cw.asarray(places(x.shape[0]!, n))], y.get([0, 0, 0])),
  take: (x, _, n) => x.get(places(x.shape[0]!, n)),
  gather: (x, _, n) => x.get(":", cw.remainder(cw.arange(3).add(Math.floor(n[0]! * 9)), x.shape[1]!)),
  concat: (x, y, n) => cw.concat([x, y], { axis: axisOf(n) }),
  repeat: (x, _, n) => cw.repeat(x, 2, { axis: axisOf(n) }).multiply(0.5),
  tile: (x) => cw.tile(x, [1, 2]).tanh(),
  pad: (x, _, n) => cw.pad(x, 1, { mode: pick(() => n[0]!, ["constant", "edge", "wrap"] as const) }),
  reshape: (x) => x.reshape([x.shape[1]!, x.shape[0]!]),
  broadcast: (x) => cw.broadcastTo(x, [2, ...x.shape]).mean({ axis: 0 }),
  matmul: (x, y) => x.matmul(y.T).tanh(),
  group: (x, _, n) =>
    cw
      .groupbyReduce(
        x,
        Array.from({ length: x.shape[0]! }, (_, i) => (i + Math.floor(n[0]! * 3)) % 2),
        {
          reduce: pick(() => n[1]!, ["sum", "mean", "max"] as const),
          axis: 0,
          numLabels: 2,
          fillValue: 0,
        },
      )
      .tanh(),
  mask: (x) => x.subtract(x.get(x.greater(0.2)).sum().tanh()),
  maskedRows: (x) => cw.where(x.greater(0), x.square(), x.sin()),
};

export interface Program {
  readonly f: Scalarly;
  readonly xs: X[];
  readonly vs: X[];
  readonly steps: readonly string[];
}

/** `attempt` gives the same program other data. */
export function programOf(seed: number, attempt = 0): Program {
  const next = random(seed);
  const shape = [1 + below(next, 4), 1 + below(next, 4)];
  const second = next() < 0.5 ? shape : [shape[1]!];
  const chunks = shape.map((n) => 1 + below(next, n));
  const names = Array.from({ length: 2 + below(next, 5) }, () => pick(next, Object.keys(STEPS)));
  const given = names.map(() => [next(), next(), next()]);
  const data = random(seed + 1 + 7919 * (attempt + 1));
  const arrayOf = (of: readonly number[], size: number): X =>
    cw.asarray(
      new cw.NDArray(
        Float64Array.from({ length: of.reduce((a, b) => a * b, 1) }, () => size * (2 * data() - 1)),
        of,
      ),
      { chunks: of.map((n, i) => Math.min(n, chunks[of.length === 1 ? 1 : i]!)) },
    );
  const f: Scalarly = (x, w) => {
    let y = x!.multiply(w!).add(x!);
    names.forEach((name, i) => {
      y = STEPS[name]!(y, y.multiply(0.7).cos(), given[i]!);
    });
    const weights = cw.arange(y.shape[0]!).expandDims(1).multiply(0.37).cos();
    return y.multiply(weights).sum();
  };
  const [xs, vs] = [1.5, 1].map((size) => [arrayOf(shape, size), arrayOf(second, size)]) as [X[], X[]];
  return { f, xs, vs, steps: names };
}
