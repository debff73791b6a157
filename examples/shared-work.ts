// Shared work: several arrays in one computation, equal expressions computed once, and the events of a run.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const x = cw.asarray(new Float64Array([3, 1, 4, 1, 5, 9, 2, 6]), { chunks: 4 });
const squares = x.square();

// Equal expressions are one node, wherever they were written.
assert.equal(squares.expr, x.square().expr);

const [sum, max, all] = await cw.compute(squares.sum(), squares.max(), squares);
console.log(sum.item(), max.item());
console.log(all);
assert.equal(sum.item(), 173);
assert.equal(max.item(), 81);

// Together they are one plan, in which the squares are computed once.
const together = cw.plan([squares.sum(), squares.max(), squares], { optimize: false });
const apart = [squares.sum(), squares.max(), squares].map((array) => array.plan({ optimize: false }));
const tasks = apart.reduce((total, plan) => total + plan.numTasks, 0);
console.log(`${together.numTasks} tasks together, ${tasks} apart`);
assert.ok(together.numTasks < tasks);

// With options the arrays go into a list. Every event of the run is seen, in order.
const events: cw.RunEvent[] = [];
await cw.compute([squares.sum(), squares.max()], { onEvent: (event) => events.push(event) });
console.log(events.map(({ type }) => type).join(" "));
assert.equal(events[0]!.type, "computeStart");
assert.equal(events.at(-1)!.type, "computeEnd");

// Progress is a count of the tasks that ended.
let done = 0;
await squares.sum().compute({
  onEvent(event) {
    if (event.type === "computeStart") console.log(`${event.tasks} tasks`);
    if (event.type === "taskEnd") console.log(`${++done} done: ${event.operation}`);
  },
});
assert.equal(done, squares.sum().plan().numTasks);
