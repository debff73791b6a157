// A worker, put together: what does batches of runs elsewhere, with all that tasks may need. In: what the worker was started
// with. Out: what a queue's worker or a function's handler hands batches to.

import { BatchRunner, type WorkerOptions } from "../runtime/pools/remote/batchRunner.ts";
import { engine } from "./defaultEngine.ts";
import { installRaggedMethods } from "./ragged/methods.ts";

/** Opens a worker: `const worker = await batchWorker({store: "/shared/work", threads: 2})`, then `worker.run(batch)`. */
export function batchWorker(options: WorkerOptions): Promise<BatchRunner> {
  installRaggedMethods();
  return BatchRunner.open(options, engine.tasks, engine.backend);
}
