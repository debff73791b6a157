// Factors and solutions tile by tile, and singular values by samples: backward errors in units of ε·n, in tasks that hold no whole matrix.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { tiledCholesky, tiledSolve, tileOf } from "../../src/array/linalg/tiled.ts";

const held = (x: cw.LazyArray, chunks: number): cw.LazyArray => cw.asarray(x.computeSync(), { chunks });
const matrix = (m: number, n: number, seed = 1): cw.LazyArray => held(cw.random(seed).normal([m, n]), 50);
const size = (x: cw.LazyArray): number => Number(cw.linalg.vectorNorm(x).computeSync().item());
const matrices = (x: cw.LazyArray) => ({ x, batch: [], m: x.shape[0]!, n: x.shape[1]!, dtype: x.dtype });

/** ‖x − y‖ / size in units of ε·n. */
const error = (x: cw.LazyArray, y: cw.LazyArray, of: number): number =>
  size(x.subtract(y)) / of / (Number.EPSILON * Math.max(...x.shape));

test.each([30, 64, 100])("tiles of %i", (tile) => {
  const n = 170;
  const a = matrix(n, n);
  const b = matrix(n, 40, 2);
  const x = held(tiledSolve(matrices(a), b, tile), 50);
  expect(error(a.matmul(x), b, size(a) * size(x))).toBeLessThan(10);
  const positive = held(a.matmul(a.T).add(cw.eye(n)), 50);
  const l = held(tiledCholesky(matrices(positive), tile), 50);
  expect(error(l.matmul(l.T), positive, size(positive))).toBeLessThan(10);
  expect(size(cw.triu(l, { k: 1 }))).toBe(0);
});

test("pivots come from all rows below", () => {
  // 0 on the diagonal, and the largest element of each column in the last tile.
  const n = 24;
  const a = held(
    cw
      .eye(n)
      .add(cw.eye(n, null, { k: -16 }).multiply(100))
      .subtract(cw.eye(n)),
    8,
  ).add(held(cw.eye(n, null, { k: 8 }), 8));
  const b = cw.arange(n, { dtype: "float64" }).reshape([n, 1]);
  const x = held(tiledSolve(matrices(a), b, 8), 8);
  expect(size(a.matmul(x).subtract(b))).toBeLessThan(1e-12);
  const flat = cw.zeros([20, 20]);
  expect(() => tiledSolve(matrices(flat), cw.ones([20, 1]), 10).computeSync()).toThrow(/singular/);
  expect(() => tiledCholesky(matrices(flat), 10).computeSync()).toThrow(/not positive definite/);
});

test("8,000² in chunks of 1,000²: a plan of tiles, in less than the matrix", () => {
  const [n, chunks] = [8000, 1000];
  const a = cw.random(1).normal([n, n], { chunks });
  expect(tileOf(matrices(a))).toBe(1000);
  expect(tileOf(matrices(cw.zeros([1024, 1024])))).toBeNull();
  const spec = new cw.Spec({ allowedMem: 400e6, reservedMem: 1 });
  const positive = a.add(a.T).add(cw.eye(n).multiply(1000));
  const [factor, solution] = [cw.linalg.cholesky(positive), cw.linalg.solve(a, cw.ones([n]))];
  for (const array of [factor, solution]) {
    const plan = array.plan({ spec });
    expect(plan.maxProjectedMem).toBeLessThan(8 * n * n);
    expect(plan.numTasks).toBeGreaterThan(100);
  }
});

test("the largest singular values, of a matrix of low rank to the last digits", () => {
  const low = held(matrix(300, 7, 3).matmul(matrix(7, 90, 4)), 64);
  const { U, S, Vh } = cw.linalg.randomizedSvd(low, 7);
  const [u, s, vh] = [U, S, Vh].map((part) => held(part, 64)) as [cw.LazyArray, cw.LazyArray, cw.LazyArray];
  expect(error(u.multiply(s).matmul(vh), low, size(low))).toBeLessThan(10);
  expect(error(u.T.matmul(u), cw.eye(7), 1)).toBeLessThan(10);
  const whole = cw.linalg.svdvals(low).get("0:7");
  expect(size(s.subtract(whole)) / size(whole)).toBeLessThan(1e-13);
  // Values that fall slowly: few digits are right, more with more iterations.
  const slow = held(cw.random(5).normal([200, 60]), 50);
  const largest = Number(cw.linalg.svdvals(slow).get(0).computeSync().item());
  const found = (iterations: number): number =>
    Number(cw.linalg.randomizedSvd(slow, 3, { iterations }).S.get(0).computeSync().item());
  expect(Math.abs(found(6) - largest)).toBeLessThan(0.01 * largest);
  expect(Math.abs(found(6) - largest)).toBeLessThanOrEqual(Math.abs(found(0) - largest));
});

test("mistakes say what they are", () => {
  expect(() => cw.linalg.randomizedSvd([[1]], 2)).toThrow(/randomizedSvd: k is 2 and the matrix 1 × 1/);
  expect(() => cw.linalg.randomizedSvd([[[1]]], 1)).toThrow(/is a batch/);
  expect(() => cw.linalg.randomizedSvd([[1]], 1, { iterations: -1 })).toThrow(/iterations is -1/);
});
