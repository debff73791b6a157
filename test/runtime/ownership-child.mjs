// A program of several operations, computed on threads while memory grows in small steps, or has hardly any room, and while
// a thread of the application grows a shared memory of its own. Prints a digest of every result.

import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";

const [door, executor, beside] = process.argv.slice(2);
const cw = await import(door);

/** A shared memory that this thread sees and another grows. */
function growBeside() {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 10_000, shared: true });
  const code =
    "const { workerData } = require('node:worker_threads'); setInterval(() => { try { workerData.grow(1); } catch {} }, 2);";
  const worker = new Worker(code, { eval: true, workerData: memory });
  worker.unref();
  return memory;
}

const held = beside === "growth" ? growBeside() : null;
const waves = cw.arange(0, 600_000, 1, { dtype: "float64", chunks: [9_973] }).sin();
const sums = cw.cumulativeSum(waves, { axis: 0 });
const grid = waves.reshape([1000, 600]).rechunk([130, 170]);
const sorted = cw.sort(grid, { axis: 0 });
const programs = [
  sums,
  cw.roll(sums, 17).add(sums),
  sums.get("100:").subtract(sums.get(":-100")),
  sorted.get("1:").subtract(sorted.get(":-1")),
  grid
    .subtract(grid.mean({ axis: 0 }))
    .multiply(grid)
    .sum({ axis: 1 }),
];
const results = await cw.compute(programs, executor === "inline" ? { executor } : { executor, threads: 4 });
for (const { data } of results) {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  console.log(createHash("sha256").update(bytes.slice()).digest("hex"));
}
if (held !== null && held.buffer.byteLength <= 65_536) throw new Error("nothing has grown beside it");
process.exit();
