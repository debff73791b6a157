// The whole way once: temperatures of six stations on nine days, and how far each is from its station's mean.
// A reading of -999 means that the thermometer failed. The grid is cut into 3 x 2 chunks.
// Shows the lazy array, the plan before and after optimisation, and the result.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const days = 9;
const stations = 6;
const readings = Float64Array.from({ length: days * stations }, (_, at) => {
  const [day, station] = [Math.floor(at / stations), at % stations];
  const failed = (day + 4 * station) % days === 7;
  return failed ? -999 : 12 + 2.5 * station - 1.5 * Math.abs(day - 5);
});

const celsius = cw.asarray(new cw.NDArray(readings, [days, stations], "float64"), { chunks: [3, 3] });
const valid = cw.expr`${celsius} > -900`;
const mean = cw.expr`sum(where(${valid}, ${celsius}, 0), axis=0) / countNonzero(${valid}, axis=0)`;
const anomaly = cw.expr`where(${valid}, ${celsius} - ${mean}, nan)`;

console.log("The lazy array. Nothing has been computed.\n");
console.log(anomaly);

const before = anomaly.plan({ optimize: false });
const after = anomaly.plan();
console.log("\nThe plan without optimisation: every function stores its result for the next one.\n");
console.log(before);
console.log("\nThe plan that runs: functions that follow each other are fused.\n");
console.log(after);

const result = await anomaly.compute();
console.log("\nDegrees above or below the mean, by day and station.\n");
console.log(result);

console.log(`\nWithout optimisation: ${before.numTasks} tasks, ${before.totalBytes} bytes stored.`);
console.log(`With optimisation:    ${after.numTasks} tasks, ${after.totalBytes} bytes stored.`);

// The same by hand.
for (let station = 0; station < stations; station++) {
  const column = Array.from({ length: days }, (_, day) => readings[day * stations + station]!);
  const good = column.filter((reading) => reading !== -999);
  const average = good.reduce((sum, reading) => sum + reading, 0) / good.length;
  const expected = column.map((reading) => (reading === -999 ? Number.NaN : reading - average));
  const found = column.map((_, day) => result.item(day, station));
  assert.deepEqual(found, expected);
}
assert.ok(after.numTasks < before.numTasks);
assert.ok(after.totalBytes < before.totalBytes);
