// Your own function over blocks: mapBlocks.

import * as cw from "chunkwise";

const x = cw.arange(0, 12, 1, { dtype: "float64" }).reshape([3, 4]).rechunk([2, 2]);

// A block comes as an NDArray whose data are its elements in a row; `blockId` is its place in the grid.
const numbered = cw.mapBlocks((block, { blockId }) => {
  const [i = 0, j = 0] = blockId;
  return (block.data as Float64Array).map((value) => value + 100 * i + 10 * j);
}, x);
console.log(await numbered.compute());

// An axis that the function does away with is given whole.
const ranges = cw.mapBlocks(
  (block) => {
    const [rows = 0, columns = 0] = block.shape;
    const row = (i: number): Float64Array =>
      (block.data as Float64Array).subarray(i * columns, (i + 1) * columns);
    return Float64Array.from({ length: rows }, (_, i) => Math.max(...row(i)) - Math.min(...row(i)));
  },
  x,
  { dropAxis: 1 },
);
console.log(await ranges.compute());

// Several arrays in, several out.
const [smaller, isFirst] = cw.mapBlocks(
  (a, b) => [
    (a.data as Float64Array).map((value, i) => Math.min(value, Number(b.data[i]))),
    Uint8Array.from(a.data as Float64Array, (value, i) => Number(value < Number(b.data[i]))),
  ],
  [x, cw.full([3, 4], 5, { dtype: "float64", chunks: [2, 2] })],
  { outputs: ["float64", "uint8"] },
);
console.log(await cw.compute(smaller!, isFirst!));

// A closure stays in this thread. A function that a module exports can run on every thread:
const smooth = cw.moduleFunction(new URL("./blocks.js", import.meta.url), "smooth");
console.log(cw.mapBlocks(smooth, x).shape);
try {
  await numbered.compute({ executor: "threads" });
} catch (error) {
  console.log(String(error));
}
