// A pool of your own: it carries the tasks of a run to where they are done. The scheduler decides which task is next, tries
// again what failed, keeps to the memory that is allowed, and goes on without a worker that is lost.

import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import * as cw from "chunkwise";

// An executor gives each run a pool. This one does tasks on this thread, two at a time, and lets others go first.
const lost = new Set<number>();
const polite: cw.Executor = {
  name: "polite",
  pool(run) {
    const here = run.here(2);
    return {
      name: "polite",
      workers: 2,
      ahead: 0, // tasks that a worker may have besides the one it does
      canEnd: false, // workers cannot be stopped in the midst of a task
      hasOwnMemory: false, // tasks and what is kept between them share one memory
      async run(job) {
        await setTimeout(1);
        // A worker that is gone is nobody's mistake: the task is begun again, on another one.
        if (lost.size < 2 && !lost.has(job.ref.task)) {
          lost.add(job.ref.task);
          throw new cw.LostWorker("somebody needed the machine", true);
        }
        return here.run(job);
      },
      close: (running) => here.close(running),
    };
  },
};

const x = cw.arange(0, 1000, 1, { dtype: "float64", chunks: 100 });
const events: string[] = [];
const onEvent = ({ type }: cw.RunEvent): void => void events.push(type);

// For one computation.
console.log((await x.add(1).sum().compute({ executor: polite, onEvent })).item());
console.log("workers lost:", lost.size, "- done all the same:", events.includes("computeEnd"));

// Or by its name, wherever one can be said: at calls, in a Spec, in CHUNKWISE_EXECUTOR.
cw.engine.executors.add(polite);
const spec = new cw.Spec({ executor: "polite" });
console.log(await x.max().compute({ spec }));

try {
  await x.compute({ executor: "politely" });
} catch (error) {
  assert.ok(error instanceof cw.ValueError);
  console.log(error.message);
}
