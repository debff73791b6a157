// What an application has and does beside a run. `results`: it holds an earlier result, so that the kernels' memory is
// almost full when the run begins and grows while it goes on. `growth`: a worker of its own grows a memory that it shares
// with the main thread, page by page, at which the engine replaces the buffer objects of all memories that the main
// thread shares with anyone.
// In: the library and a run. Out: how to end it.

import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { numbersFrom } from "./numbers.mjs";

export const BESIDE = ["nothing", "results", "growth"];

/** Bytes of the result that is held: the kernels' memory begins with 16 MiB. */
const LEAST_HELD = 12e6;
const MOST_HELD = 16.7e6;
const EVERY_MS = 2;
const MOST_PAGES = 16_384;

export async function begin(cw, { beside, program }) {
  if (beside === "results") {
    const bytes = LEAST_HELD + numbersFrom(`held beside ${program}`)(MOST_HELD - LEAST_HELD);
    const held = await cw
      .arange(0, Math.floor(bytes / 8), 1, { dtype: "float64" })
      .compute({ executor: "inline" });
    return () => held.data.length;
  }
  if (beside === "growth") {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: MOST_PAGES, shared: true });
    const worker = new Worker(new URL(import.meta.url), { workerData: memory });
    await new Promise((resolve) => worker.once("message", resolve));
    return () => worker.terminate();
  }
  return () => {};
}

function grow(memory) {
  const timer = setInterval(() => {
    memory.grow(1);
    if (memory.buffer.byteLength >= MOST_PAGES * 65536) clearInterval(timer);
  }, EVERY_MS);
  parentPort.postMessage("growing");
}

if (!isMainThread) grow(workerData);
