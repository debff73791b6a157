// Matrices of ones on a diagonal that are no identity: not square, or of another shape than what they meet. Rules for the
// identity pass them by: the product is the one without rewriting, and no rule is at fault.

import * as cw from "chunkwise";
import { expect, test } from "vitest";

const whole = (rows: number, columns: number): cw.LazyArray =>
  cw.arange(1, rows * columns + 1, 1, { dtype: "int64" }).reshape([rows, columns]);
const eye = (rows: number, columns = rows): cw.LazyArray => cw.eye(rows, columns, { dtype: "int64" });

test.each<[string, () => cw.LazyArray]>([
  ["wide, from the left", () => eye(2, 3).matmul(whole(3, 4))],
  ["wide, from the right", () => whole(4, 2).matmul(eye(2, 3))],
  ["long", () => eye(3, 2).matmul(whole(2, 3))],
  ["without a row", () => eye(1, 0).matmul(eye(0, 1))],
  [
    "one element, made longer by what it is multiplied with",
    () => eye(1).multiply(whole(1, 3)).matmul(whole(3, 2)),
  ],
  ["one element beside a product", () => whole(3, 3).matmul(whole(3, 3)).multiply(eye(1)).sum()],
  [
    "the identity",
    () =>
      eye(3)
        .matmul(whole(3, 3))
        .add(whole(3, 3).matmul(eye(3))),
  ],
  ["a diagonal", () => eye(3).multiply(whole(1, 3)).matmul(whole(3, 2))],
  ["a trace", () => whole(3, 4).matmul(whole(4, 3)).multiply(eye(3)).sum()],
])("%s", (_, make) => {
  for (const mode of ["fastRun", "fastRun+fastMath"] as const)
    expect(make().computeSync({ mode }).toList()).toEqual(make().computeSync({ optimize: false }).toList());
});
