// Gradients through decompositions: what ops.test.ts does not show of them. Tall matrices block by block beside closed forms; equal
// singular values and eigenvalues; vectors that a matrix does not determine; twice; chunked batches.

import * as cw from "chunkwise";
import { expect, test } from "vitest";

type X = cw.LazyArray;
const { linalg } = cw;
const value = (x: X): number => x.computeSync().item() as number;
const largest = (x: X): number => value(x.abs().max());

test("of a tall matrix in blocks: log |det R| has the gradient of the pseudoinverse, and Q·R that of the matrix", () => {
  const rows = 360_000;
  const at = cw.arange(3 * rows, { dtype: "float64", chunks: 300_000 });
  const a = at.multiply(1.7).sin().add(at.remainder(7).multiply(0.3)).reshape([rows, 3]);
  const size = (x: X): X => linalg.qr(x).R.multiply(cw.eye(3)).sum({ axis: 0 }).abs().log().sum();
  const found = cw.grad(size)(a);
  const wanted = a.matmul(linalg.inv(a.mT.matmul(a)));
  expect(largest(found.subtract(wanted)) / largest(wanted)).toBeLessThan(1e-9);
  const weights = cw.cos(cw.arange(rows, { dtype: "float64" })).expandDims(1);
  const product = (x: X): X => {
    const { Q, R } = linalg.qr(x);
    return Q.matmul(R).multiply(weights).sum();
  };
  expect(largest(cw.grad(product)(a).subtract(weights))).toBeLessThan(1e-9);
}, 30_000);

test("values that are equal: sums of them have gradients, what depends on their vectors has none", () => {
  const twice = cw.eye(3).multiply(2);
  expect(
    cw
      .grad((x: X) => linalg.svdvals(x).sum())(twice)
      .computeSync()
      .toList(),
  ).toEqual([
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]);
  expect(
    largest(
      cw
        .grad((x: X) => linalg.eigvalsh(x).square().sum())(twice)
        .subtract(cw.eye(3).multiply(4)),
    ),
  ).toBe(0);
  const vectors = cw.grad((x: X) => linalg.eigh(x).eigenvectors.get(0, 1).multiply(2))(twice);
  expect(Number.isFinite(value(vectors.sum()))).toBe(false);
  // The pseudoinverse does not care: d tr(X⁻¹) = −X⁻².
  const inverse = cw.grad((x: X) => cw.trace(linalg.pinv(x)))(twice);
  expect(largest(inverse.add(cw.eye(3).multiply(0.25)))).toBeLessThan(1e-15);
});

test("of a matrix that is rank-deficient, singular values and its pseudoinverse", () => {
  const a = cw.asarray(
    [
      [1, 2],
      [2, 4],
      [0, 0],
    ],
    { dtype: "float64" },
  );
  const u = cw.asarray([1, 2, 0], { dtype: "float64" }).divide(Math.sqrt(5));
  const wanted = cw.outer(u, u.get(":2"));
  expect(
    largest(
      cw
        .grad((x: X) => linalg.svdvals(x).get(0))(a)
        .subtract(wanted),
    ),
  ).toBeLessThan(1e-14);
});

test("vectors that the matrix does not determine are refused, with what helps", () => {
  const tall = cw.asarray([[1], [2]], { dtype: "float64" });
  expect(() => cw.grad((x: X) => linalg.svd(x).S.sum())(tall)).toThrow(/fullMatrices: false/);
  expect(() => cw.grad((x: X) => linalg.qr(x, { mode: "complete" }).R.sum())(tall)).toThrow(
    cw.DerivativeError,
  );
});

test("second derivatives: of log det it is −A⁻¹ dA A⁻¹", () => {
  const a = cw.asarray(
    [
      [2, 0.5],
      [0.25, 1],
    ],
    { dtype: "float64" },
  );
  const v = cw.asarray(
    [
      [0.3, -1],
      [0.7, 0.2],
    ],
    { dtype: "float64" },
  );
  const slope = cw.grad((x: X) => linalg.slogdet(x).logabsdet);
  const { tangent } = cw.jvp(slope, [a], [v]);
  const inverse = linalg.inv(a);
  const wanted = inverse.matmul(v).matmul(inverse).mT.negative();
  expect(largest(tangent.subtract(wanted))).toBeLessThan(1e-14);
});

test("a factor that is made tile by tile: d log det A = tr(A⁻¹·dA)", async () => {
  const n = 1030;
  const known = async (x: cw.LazyArray): Promise<cw.LazyArray> => cw.asarray(await x.compute());
  const r = await known(cw.random(1).normal([n, n]).multiply(0.1));
  const a = await known(r.matmul(r.T).add(cw.eye(n).multiply(3)));
  const logDet = (x: cw.LazyArray): cw.LazyArray =>
    cw.sum(cw.log(cw.linalg.diagonal(cw.linalg.cholesky(x)))).multiply(2);
  const gradient = await known(cw.grad(logDet)(a) as cw.LazyArray);
  const even = gradient.add(gradient.T).divide(2);
  const off = await even.subtract(cw.linalg.inv(a)).abs().max().compute();
  expect(off.item()).toBeLessThan(1e-13);
});
