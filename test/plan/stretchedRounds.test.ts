// Products whose operands are added up block by block: one that is stretched within the task is no window that can be read so.

import * as cw from "chunkwise";
import { expect, test } from "vitest";

const a = cw.asarray(
  [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9],
  ],
  { dtype: "float64", chunks: [3, 1] },
);
const column = cw.asarray([[1], [10], [100]], { dtype: "float64", chunks: [1, 1] });

test.each([
  ["broadcast", cw.broadcastTo(column, [3, 2])],
  ["repeated", cw.repeat(column, 2, { axis: 1 })],
  ["concatenated", cw.concat([column, column], { axis: 1 })],
])("the second operand is %s", (_, b) => {
  expect(cw.matmul(a, b).computeSync().toList()).toEqual([
    [321, 321],
    [654, 654],
    [987, 987],
  ]);
});

test("the first operand is broadcast", () => {
  const row = cw.broadcastTo(cw.asarray([[1, 10, 100]], { dtype: "float64", chunks: [1, 1] }), [3, 3]);
  expect(
    cw
      .matmul(row, a.rechunk([1, 3]))
      .computeSync()
      .toList(),
  ).toEqual(Array.from({ length: 3 }, () => [741, 852, 963]));
});
