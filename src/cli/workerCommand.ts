// `chunkwise worker`: a process that does tasks of runs elsewhere. In: settings. Out: it joins, and runs until it is told to go.
// Must hold: the first SIGTERM finishes what it can within the grace and hands back the rest, the second ends at once; what it
// writes about itself has no secrets.

import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { batchWorker } from "../array/batchWorker.ts";
import { bytesText } from "../core/counts.ts";
import { machineThreads } from "../core/threads.ts";
import { AWAY_MS } from "../runtime/pools/queue/presence.ts";
import { joinQueue, type QueueWorker } from "../runtime/pools/queue/queueWorker.ts";
import { addressText } from "../runtime/pools/queue/redisAddress.ts";
import type { BatchWork } from "../runtime/pools/remote/carrier.ts";
import { type Health, metricsText, serveHealth } from "./health.ts";
import { workerMetrics } from "./workerMetrics.ts";
import type { WorkerSettings } from "./workerOptions.ts";

/** How long threads may take to end. */
const END_MS = 3_000;

const log = (line: string): void => void process.stderr.write(`chunkwise worker: ${line}\n`);

export async function runWorker(settings: WorkerSettings): Promise<void> {
  const { address, names, name, batches, connectWithinMs, threads = machineThreads, allowedMem } = settings;
  const { store, modules, stores } = settings;
  const work = await batchWorker({ store, modules, stores, threads, allowedMem, name });
  const about = {
    pid: process.pid,
    threads,
    roomBytes: work.roomBytes,
    ...(allowedMem === undefined ? {} : { allowedMem }),
  };
  const queue = { address, names, name, slots: batches, about, connectWithinMs, log };
  let worker: QueueWorker;
  try {
    worker = await joinQueue({ ...queue, work });
  } catch (error) {
    await work.close();
    throw error;
  }
  const server = await healthServer(settings, worker);
  const memory = allowedMem === undefined ? "" : `, ${bytesText(allowedMem)}`;
  log(`${name} is at ${addressText(address)}, queue ${names.queue}: ${threads} threads${memory}`);
  await told();
  log(`leaving: ${worker.active} batches are under way, ${settings.graceMs / 1000} s to finish them`);
  await leave(worker, work, settings.graceMs);
  server?.close();
  log("left");
}

async function healthServer(settings: WorkerSettings, worker: QueueWorker): Promise<Server | null> {
  const { healthPort, healthHost, name, batches, allowedMem } = settings;
  if (healthPort === undefined) return null;
  const health: Health = {
    trouble: () =>
      worker.silentMs > AWAY_MS ? `Redis has not answered for ${Math.round(worker.silentMs / 1000)} s` : null,
    metrics: () =>
      metricsText(
        workerMetrics({
          ...{ name, figures: worker.figures, active: worker.active, slots: batches, allowedMem },
          residentBytes: process.memoryUsage.rss(),
        }),
      ),
  };
  const server = await serveHealth(health, healthHost, healthPort);
  const { port } = server.address() as { readonly port: number };
  log(`health at http://${healthHost}:${port}/healthz, metrics at /metrics`);
  return server;
}

/** npx hands on a signal that this process has got already: one that comes so soon is the same. */
const SAME_MS = 1_000;

/** Until somebody says that it is time to go; who says it twice means now. */
function told(): Promise<void> {
  return new Promise((resolve) => {
    let first = 0;
    const go = (): void => {
      if (first > 0 && Date.now() - first > SAME_MS) process.exit(1);
      if (first === 0) first = Date.now();
      resolve();
    };
    process.on("SIGTERM", go);
    process.on("SIGINT", go);
  });
}

async function leave(worker: QueueWorker, work: BatchWork, graceMs: number): Promise<void> {
  await worker.leave(graceMs);
  await Promise.race([work.close(), sleep(END_MS, undefined, { ref: false })]);
}
