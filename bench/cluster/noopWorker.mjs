// A worker that does nothing: ours at its queue, or one of BullMQ alone with the same settings. Argument: which, and where. Says
// "ready" when it is there. Ours says of each task that it took `taskMs`, so that the run makes batches of so many tasks.

import { resolve } from "node:path";
import { Worker } from "bullmq";
import { Redis } from "ioredis";
import { importTypeScript } from "../../scripts/typescript.mjs";

const { kind, host, port, queue, name, slots, taskMs } = JSON.parse(process.argv[2]);
const SRC = resolve(import.meta.dirname, "..", "..", "src");

async function ours() {
  const { joinQueue } = await importTypeScript(resolve(SRC, "runtime", "pools", "queue", "queueWorker.ts"));
  const names = { queue, prefix: "bull" };
  const address = { host, port };
  const log = (line) => process.stderr.write(`${line}\n`);
  const work = { run: async (batch) => reportOf(batch), close: async () => {} };
  await joinQueue({ names, address, name, slots, work, about: {}, connectWithinMs: 10_000, log });
}

let batches = 0;
process.on("message", () => {
  process.send(batches);
  batches = 0;
});

function reportOf({ v, tasks }) {
  batches++;
  const done = [];
  let at = Date.now();
  for (const [lo, hi] of tasks)
    for (let task = lo; task < hi; task++) {
      const [startTime, endTime] = [at, at + taskMs];
      const times = { startTime, readTime: startTime, computeTime: endTime, endTime };
      done.push({ task, stats: { ...times, bytesRead: 0, bytesWritten: 0, measuredMem: null } });
      at = endTime;
    }
  return { v, worker: name, atOnce: 1, done, failed: [] };
}

async function bare() {
  const connection = new Redis({ host, port, maxRetriesPerRequest: null });
  const worker = new Worker(queue, async () => "done", { connection, concurrency: slots, name });
  await worker.waitUntilReady();
}

await (kind === "ours" ? ours() : bare());
process.send("ready");
