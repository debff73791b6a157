// What programs that people write read, store and write, as text: none reads a whole axis in a task that need not, or
// keeps what it can compute.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { zeros } from "./plans.ts";

const cube = zeros([1200, 10, 20], [100, 10, 20]);
const field = zeros([400, 400], [50, 50]);
const rows = zeros([20_000, 10], [2000, 10]);
const vector = cw.asarray(new Float64Array(20_000));
const months = BigInt64Array.from({ length: 1200 }, (_, i) => BigInt(i % 12));
const seasons = zeros([12, 10, 20], [12, 10, 20]);

const shifted = (x: cw.LazyArray): cw.LazyArray[] => [
  x.get(":-2", "1:-1"),
  x.get("2:", "1:-1"),
  x.get("1:-1", ":-2"),
  x.get("1:-1", "2:"),
];
const sumOf = (list: readonly cw.LazyArray[]): cw.LazyArray => list.reduce((a, b) => a.add(b));

/** The array, moved by one place and back to its length by what is at its ends. */
function joined(x: cw.LazyArray, axis: number): cw.LazyArray[] {
  const part = (range: string): cw.LazyArray => (axis === 0 ? x.get(range) : x.get(":", range));
  return [cw.concat([part("1:"), part("-1:")], { axis }), cw.concat([part(":1"), part(":-1")], { axis })];
}

const PROGRAMS: { readonly [name: string]: () => cw.LazyArray } = {
  "anomaly of a monthly climatology": () => cube.subtract(seasons.take(months, { axis: 0 })),
  "every second row": () =>
    cube.take(
      BigInt64Array.from({ length: 600 }, (_, i) => BigInt(2 * i)),
      { axis: 0 },
    ),
  "a few rows": () => cube.get([3, 5, 1100, 7]),
  "differences by slices": () => field.get("2:").subtract(field.get(":-2")),
  "laplacian by slices": () => sumOf([...shifted(field), field.get("1:-1", "1:-1").multiply(-4)]),
  "laplacian by pad": () => sumOf(shifted(cw.pad(field, 1))),
  "laplacian by roll": () =>
    sumOf([0, 1].flatMap((axis) => [1, -1].map((by) => cw.roll(field, by, { axis })))),
  "laplacian by concat": () => sumOf([...joined(field, 0), ...joined(field, 1)]),
  "mean of a stack": () => cw.stack([field, field.sin(), field.square()]).mean({ axis: 0 }),
  "mean of a stack of six": () =>
    cw.stack(Array.from({ length: 6 }, (_, k) => zeros([400, 400], [50, 50]).add(k))).mean({ axis: 0 }),
  covariance: () => {
    const centred = rows.subtract(rows.mean({ axis: 0 }));
    return centred.T.matmul(centred);
  },
  "outer product": () => vector.expandDims({ axis: 1 }).multiply(vector),
  "batched product": () => zeros([64, 8, 8], [8, 8, 8]).matmul(zeros([64, 8, 8], [8, 8, 8])),
};

test("work counts", () => {
  const lines = Object.entries(PROGRAMS).map(([name, make]) => {
    const plan = make().plan();
    const result = plan.data.arrays.find((array) => array.name === plan.data.results[0])!;
    const stored = plan.data.arrays.filter(({ role }) => role === "intermediate").length;
    return (
      `${name}: ${plan.numOperations} operations, ${plan.numTasks} tasks, ${stored} intermediates; ` +
      `reads ${plan.bytesRead} B, writes ${plan.bytesWritten} B, memory ${plan.maxProjectedMem} B, chunks [${result.chunks}]`
    );
  });
  expect(lines.join("\n")).toMatchInlineSnapshot(`
    "anomaly of a monthly climatology: 1 operations, 12 tasks, 0 intermediates; reads 2150400 B, writes 1920000 B, memory 500000 B, chunks [100,10,20]
    every second row: 1 operations, 12 tasks, 0 intermediates; reads 1900800 B, writes 960000 B, memory 238400 B, chunks [50,10,20]
    a few rows: 1 operations, 1 tasks, 0 intermediates; reads 9600 B, writes 6400 B, memory 16024 B, chunks [4,10,20]
    differences by slices: 1 operations, 64 tasks, 0 intermediates; reads 1324800 B, writes 1273600 B, memory 40800 B, chunks [50,50]
    laplacian by slices: 1 operations, 64 tasks, 0 intermediates; reads 1371168 B, writes 1267232 B, memory 41632 B, chunks [50,50]
    laplacian by pad: 1 operations, 64 tasks, 0 intermediates; reads 1371168 B, writes 1280000 B, memory 121632 B, chunks [50,50]
    laplacian by roll: 1 operations, 64 tasks, 0 intermediates; reads 1383968 B, writes 1280000 B, memory 81608 B, chunks [50,50]
    laplacian by concat: 1 operations, 64 tasks, 0 intermediates; reads 1371168 B, writes 1280000 B, memory 80808 B, chunks [50,50]
    mean of a stack: 1 operations, 64 tasks, 0 intermediates; reads 1280000 B, writes 1280000 B, memory 140000 B, chunks [50,50]
    mean of a stack of six: 1 operations, 64 tasks, 0 intermediates; reads 7680000 B, writes 1280000 B, memory 380000 B, chunks [50,50]
    covariance: 6 operations, 26 tasks, 5 intermediates; reads 3211360 B, writes 11440 B, memory 640880 B, chunks [10,10]
    outer product: 1 operations, 64 tasks, 0 intermediates; reads 2400000 B, writes 3200000000 B, memory 50040000 B, chunks [2500,2500]
    batched product: 1 operations, 8 tasks, 0 intermediates; reads 65536 B, writes 32768 B, memory 20480 B, chunks [8,8,8]"
  `);
});
