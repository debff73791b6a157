// Stopping a computation: an AbortSignal is looked at between tasks; the promise rejects with its reason.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const x = cw.arange(10_000, null, 1, { chunks: 100 });
const total = x.square().sum();

const controller = new AbortController();
let done = 0;
const run = total.compute({
  signal: controller.signal,
  onEvent(event) {
    if (event.type === "taskEnd" && ++done === 3) controller.abort(new Error("enough"));
  },
});

await assert.rejects(run, (reason: unknown) => {
  assert.equal(reason, controller.signal.reason);
  console.log(String(reason));
  return true;
});
console.log(`${done} of ${total.plan().numTasks} tasks ran`);
assert.equal(done, 3);

// The array is as good as before: nothing of the stopped run is left in it.
console.log((await total.compute()).item());
assert.equal(total.computeSync().item(), 333283335000);

// Any signal will do, for example AbortSignal.timeout(5000), or one that is aborted already.
await assert.rejects(total.compute({ signal: AbortSignal.abort() }), { name: "AbortError" });
