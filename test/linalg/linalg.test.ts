// cw.linalg beside NumPy's LAPACK (test/linalg/generate.py): backward errors in units of ε·n, and what has one right answer. Tall matrices
// block by block, every way of computing, mistakes.

import { readFileSync } from "node:fs";
import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { needThreads, Ways } from "../ways.ts";

needThreads();

interface Listed {
  readonly shape: readonly number[];
  readonly data: readonly number[];
}
interface Entry {
  readonly [name: string]: Listed;
}
type Group = { readonly [name: string]: Entry & { readonly a: Listed } };
const fixture = JSON.parse(readFileSync(new URL("./fixtures/linalg.json", import.meta.url), "utf8")) as {
  readonly square: Group;
  readonly other: Group;
  readonly symmetric: Group;
  readonly einsum: readonly {
    readonly subscripts: string;
    readonly arrays: readonly Listed[];
    readonly expect: Listed;
  }[];
  readonly made: { readonly [name: string]: Listed & { readonly [k: string]: Listed } };
};

const arrayOf = ({ shape, data }: Listed, dtype: cw.DType = "float64"): cw.LazyArray =>
  cw
    .asarray(Float64Array.from(data))
    .reshape([...shape])
    .astype(dtype);
const value = (x: cw.LazyArray): number => Number(x.computeSync().item());
const size = (x: cw.LazyArray): number => value(cw.sqrt(cw.sum(cw.square(x))));
const same = (x: cw.LazyArray, wanted: Listed): void => {
  const found = x.computeSync();
  expect(found.shape).toEqual(wanted.shape);
  expect(Array.from(found.data, Number)).toEqual(wanted.data.map((each) => each + 0));
};
/** Within so many units of the last place of the largest. */
const near = (x: cw.LazyArray, wanted: Listed, units: number, of: Listed = wanted): void => {
  const found = x.computeSync();
  expect(found.shape).toEqual(wanted.shape);
  const largest = of.data.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
  Array.from(found.data, Number).forEach((each, i) => {
    expect(Math.abs(each - wanted.data[i]!)).toBeLessThanOrEqual(units * Number.EPSILON * largest);
  });
};

/** ‖x − y‖ / ‖x‖ in units of ε·n. */
function error(x: cw.LazyArray, y: cw.LazyArray): number {
  const whole = value(cw.max(cw.abs(x)));
  if (whole === 0) return value(cw.max(cw.abs(y)));
  const n = Math.max(...x.shape.slice(-2));
  return size(x.divide(whole).subtract(y.divide(whole))) / size(x.divide(whole)) / (n * Number.EPSILON);
}
/** ‖QᵀQ − 1‖ in units of ε·n. */
function unorthogonal(q: cw.LazyArray): number {
  const k = q.shape.at(-1)!;
  const batch = q.shape.slice(0, -2);
  const rest = size(cw.matmul(q.mT, q).subtract(cw.eye(k)));
  return (
    rest / (Math.max(...q.shape.slice(-2)) * Number.EPSILON * Math.sqrt(k * batch.reduce((a, b) => a * b, 1)))
  );
}
const BOUND = 10;
const { linalg } = cw;
/** Of these all norms are compared. */
const NORMED = new Set(["of 12", "batched", "wide, of low rank", "zeros"]);

const ALL: Group = { ...fixture.square, ...fixture.other };

test("LAPACK is within the same bound", () => {
  const errors = Object.values({ ...ALL, ...fixture.symmetric }).flatMap(({ lapack }) =>
    Object.values(lapack!),
  );
  for (const each of errors) expect(Number(each)).toBeLessThan(BOUND);
});

describe.each(Object.keys(ALL))("matrices, %s", (name) => {
  const entry = ALL[name]!;
  const a = arrayOf(entry.a);

  test("QR", () => {
    for (const mode of ["reduced", "complete"] as const) {
      const { Q, R } = linalg.qr(a, { mode });
      expect(error(a, cw.matmul(Q, R))).toBeLessThan(BOUND);
      expect(unorthogonal(Q)).toBeLessThan(BOUND);
      expect(value(cw.max(cw.abs(cw.tril(R, { k: -1 }))))).toBe(0);
    }
  });

  test("SVD, and what follows from it", () => {
    for (const fullMatrices of [false, true]) {
      const { U, S, Vh } = linalg.svd(a, { fullMatrices });
      const k = S.shape.at(-1)!;
      const product = cw.matmul(
        U.get("...", `:${k}`).multiply(cw.expandDims(S, -2)),
        Vh.get("...", `:${k}`, ":"),
      );
      expect(error(a, product)).toBeLessThan(BOUND);
      expect(unorthogonal(U)).toBeLessThan(BOUND);
      expect(unorthogonal(Vh.mT)).toBeLessThan(BOUND);
    }
    const n = Math.max(...a.shape.slice(-2));
    near(linalg.svdvals(a), entry["svdvals"]!, BOUND * n);
    same(linalg.matrixRank(a), entry["rank"]!);
    const norms = entry["norms"] as unknown as Entry;
    for (const [ord, wanted] of NORMED.has(name) ? Object.entries(norms) : []) {
      const order = ord === "fro" || ord === "nuc" ? ord : Number(ord.replace("inf", "Infinity"));
      near(
        linalg.matrixNorm(a, { ord: order }),
        wanted,
        BOUND * n,
        ord === "-2" ? entry["svdvals"]! : wanted,
      );
    }
  });
});

describe.each(Object.keys(fixture.square))("square matrices, %s", (name) => {
  const entry = fixture.square[name]!;
  const a = arrayOf(entry.a);
  const n = a.shape.at(-1)!;

  test("solve, inv, det", () => {
    const b = arrayOf(entry["b"]!);
    const x = linalg.solve(a, b);
    const scale = value(cw.max(cw.abs(a)));
    const [small, large] = [a.divide(scale), x.multiply(scale)];
    const residual = size(cw.matmul(small, large).subtract(b));
    const unit = (size(small) * size(large) + size(b)) * n * Number.EPSILON;
    expect(residual / unit).toBeLessThan(BOUND);
    near(linalg.slogdet(a).sign, entry["sign"]!, 0);
    // Cramer's rule: an error of ε in the matrix is one of ε·cond in the determinant.
    const singular = entry["svdvals"]!.data;
    const condition = Math.max(...singular) / Math.min(...singular);
    near(linalg.det(a), entry["det"]!, BOUND * n * condition);
    near(linalg.slogdet(a).logabsdet, entry["logabsdet"]!, BOUND * n * condition);
    near(linalg.pinv(a), entry["pinv"]!, BOUND * n * n * condition);
  });
});

describe.each(Object.keys(fixture.symmetric))("symmetric matrices, %s", (name) => {
  const entry = fixture.symmetric[name]!;
  const a = arrayOf(entry.a);

  test("eigh, cholesky", () => {
    const { eigenvalues, eigenvectors } = linalg.eigh(a);
    near(eigenvalues, entry["eigvalsh"]!, BOUND * a.shape.at(-1)!);
    expect(unorthogonal(eigenvectors)).toBeLessThan(BOUND);
    const product = cw.matmul(eigenvectors.multiply(cw.expandDims(eigenvalues, -2)), eigenvectors.mT);
    expect(error(a, product)).toBeLessThan(BOUND);
    const lower = linalg.cholesky(a);
    expect(error(a, cw.matmul(lower, lower.mT))).toBeLessThan(BOUND);
    expect(value(cw.max(cw.abs(cw.triu(lower, { k: 1 }))))).toBe(0);
    expect(linalg.cholesky(a, { upper: true }).computeSync().toList()).toEqual(
      lower.mT.computeSync().toList(),
    );
  });
});

test.each(fixture.einsum)("einsum $subscripts", ({ subscripts, arrays, expect: wanted }) => {
  same(cw.einsum(subscripts, ...arrays.map((each) => arrayOf(each, "int64"))), wanted);
  same(cw.einsum(subscripts, ...arrays.map((each) => arrayOf(each).rechunk(2))), wanted);
});

test("einsum multiplies in an order of little work", () => {
  const [a, b, c] = [cw.ones([1000, 2]), cw.ones([2, 1000]), cw.ones([1000, 3])];
  const text = String(cw.einsum("ij,jk,kl->il", a, b, c));
  expect(text).toContain("[2, 3]");
  expect(text).not.toContain("[1000, 1000]");
  const many = Array.from({ length: 12 }, () => cw.ones([2, 2]));
  const names = Array.from({ length: 12 }, (_, i) => String.fromCharCode(97 + i, 98 + i)).join();
  expect(value(cw.sum(cw.einsum(`${names}->am`, ...many)))).toBe(2 ** 13);
});

test("moves, products and norms", () => {
  const made = fixture.made;
  const [x, v, w] = ["x", "v", "w"].map((name) => arrayOf(made[name]!, "int64")) as [
    cw.LazyArray,
    cw.LazyArray,
    cw.LazyArray,
  ];
  for (let k = -5; k < 7; k++) {
    same(linalg.diagonal(x, { offset: k }), made["diagonal"]![k]!);
    same(cw.trace(x, { offset: k }), made["trace"]![k]!);
  }
  for (let k = -2; k < 3; k++) same(cw.diag(v, { k }), made["diag"]![k]!);
  same(cw.diag(x.get(0)), {
    shape: [4],
    data: Array.from(linalg.diagonal(x.get(0)).computeSync().data, Number),
  });
  same(cw.kron(x.get(0), x.get(1)), made["kron"]!);
  same(cw.kron(v, x.get(0)), made["kron of a vector"]!);
  same(cw.outer(v, w), made["outer"]!);
  same(linalg.cross(cw.stack([w, w.add(1)]), x.get(":", ":2", 0).T), made["cross"]!);
  same(cw.block([[x.get(0), cw.ones([4, 1])], [cw.zeros([1, 6])]]), made["block"]!);
  for (const [ord, wanted] of Object.entries(made["vector norms"]!))
    near(linalg.vectorNorm(x, { axis: 1, ord: Number(ord.replace("inf", "Infinity")) }), wanted as Listed, 8);
  for (let n = 0; n < 6; n++) same(linalg.matrixPower(x.get(":", ":4", ":4"), n), made["powers"]![n]!);
  near(
    linalg.matrixPower(
      [
        [2, 0],
        [0, 4],
      ],
      -2,
    ),
    { shape: [2, 2], data: [0.25, 0, 0, 0.0625] },
    1,
  );
});

test("tall matrices are cut into blocks, and decomposed as well as whole ones", () => {
  const [m, n] = [60_000, 20];
  const x = cw.random(22).normal([m, n], { chunks: [10_000, n] });
  const { Q, R } = linalg.qr(x);
  expect(String(Q.plan())).toMatch(/matrixRows/);
  expect(Q.plan().maxProjectedMem).toBeLessThan(5 * 8 * m * n);
  expect(error(x, cw.matmul(Q, R))).toBeLessThan(BOUND);
  expect(unorthogonal(Q)).toBeLessThan(BOUND);
  const { U, S, Vh } = linalg.svd(x, { fullMatrices: false });
  expect(error(x, cw.matmul(U.multiply(S), Vh))).toBeLessThan(BOUND);
  const right = cw.arange(n, { dtype: "float64" });
  const found = linalg.lstsq(x, cw.matmul(x, right));
  expect(value(cw.max(cw.abs(found.subtract(right))))).toBeLessThan(1e-12);
});

test("every way of computing, and dtypes", async () => {
  const ways = new Ways();
  const batch = cw.random(1).normal([6, 4, 4], { chunks: [2, 3, 4] });
  const symmetric = batch.add(batch.mT).add(cw.eye(4).multiply(9));
  const short = batch.astype("float32");
  const parts = [
    ...Object.values(linalg.svd(batch, { fullMatrices: true })),
    ...Object.values(linalg.qr(batch)),
    ...Object.values(linalg.eigh(symmetric)),
    ...Object.values(linalg.slogdet(batch)),
    ...[linalg.cholesky(symmetric), linalg.inv(batch), linalg.solve(batch, batch.get(":", ":", ":2"))],
    ...[linalg.diagonal(batch), cw.trace(batch), linalg.svdvals(short), linalg.matrixRank(batch)],
  ];
  ways.compute(parts);
  await ways.agree();
  expect(linalg.svdvals(short).dtype).toBe("float32");
  expect(
    linalg.inv([
      [1, 2],
      [3, 4],
    ]).dtype,
  ).toBe("float64");
});

test("mistakes say what they are", () => {
  const wrong = (given: unknown): never => given as never;
  const m = cw.ones([2, 3]);
  const mistakes: readonly [() => unknown, RegExp][] = [
    [() => linalg.det(m), /det: matrices of 2 × 3 are not square/],
    [() => linalg.inv([1, 2]), /inv: .*no matrices/],
    [() => linalg.solve(cw.eye(2), [1, 2, 3]), /solve: .*2 rows/],
    [() => linalg.solve(cw.eye(2), 1), /solve: /],
    [() => linalg.svd(cw.asarray([[cw.complex(1, 1)]])), /svd: .*complex128/],
    [() => linalg.qr(m, { mode: wrong("r") }), /qr: mode is "r"/],
    [() => linalg.qr(m, wrong({ modes: 1 })), /qr: there is no option/],
    [() => linalg.eigh(wrong("a")), /eigh: /],
    [() => linalg.matrixNorm([1]), /matrixNorm: /],
    [() => linalg.matrixNorm(m, { ord: wrong("x") }), /matrixNorm: ord is "x"/],
    [() => linalg.vectorNorm(m, { ord: wrong("x") }), /vectorNorm: ord is "x"/],
    [() => linalg.matrixPower(m, 2), /matrixPower: /],
    [() => linalg.matrixPower(cw.eye(2), 0.5), /matrixPower: /],
    [() => linalg.cross([1, 2], [1, 2]), /cross: /],
    [() => linalg.lstsq(m, [1, 2]), /lstsq: 2 equations/],
    [() => cw.outer(m, [1]), /outer: /],
    [() => cw.diag(cw.ones([1, 1, 1])), /diag: /],
    [() => cw.trace([1]), /trace: /],
    [() => cw.block([[m], m]), /block: /],
    [() => cw.einsum("ij,jk", m), /einsum: /],
    [() => cw.einsum("ij->ik", m), /einsum: /],
    [() => cw.einsum("i", m), /einsum: /],
    [() => cw.einsum("ii", m), /einsum: /],
    [() => cw.einsum(wrong(3), m), /einsum: /],
    [
      () =>
        linalg
          .cholesky([
            [1, 2],
            [2, 1],
          ])
          .computeSync(),
      /not positive definite/,
    ],
    [
      () =>
        linalg
          .inv([
            [1, 2],
            [2, 4],
          ])
          .computeSync(),
      /singular/,
    ],
    [() => linalg.svd([[Number.NaN]]).S.computeSync(), /does not converge/],
    [
      () =>
        linalg
          .eigh([
            [Number.NaN, 1],
            [1, 2],
          ])
          .eigenvalues.computeSync(),
      /does not converge/,
    ],
  ];
  for (const [call, message] of mistakes) expect(call).toThrow(message);
});
