// A run on functions in a process of its own, from the built package, to be killed on the way. Argument: JSON with the doors, the
// function's address and token, and the work folder. It prints how many tasks it found done, and the result.

import process from "node:process";

const { index, door, url, token, workDir } = JSON.parse(process.argv[2]);
const cw = await import(index);
const { functions } = await import(door);
const data = Float64Array.from({ length: 900 }, (_, i) => Math.sin(i));
const x = cw.asarray(data).reshape([30, 30]).rechunk([3, 30]);
const y = x.cumulativeSum({ axis: 0 }).rechunk([30, 3]).cumulativeSum({ axis: 1 });
let found = 0;
const result = await y.compute({
  executor: functions({ url, token, concurrency: 2 }),
  workDir,
  onEvent: (event) => {
    if (event.type === "computeStart") found = event.tasksDone;
  },
});
console.log(JSON.stringify({ found, data: [...result.data] }));
