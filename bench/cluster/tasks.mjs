// What a task costs on its way to a worker and back: 20,000 tasks that do nothing, 16 a batch, through the pool and its queue;
// then as a whole run, with the scheduler and the events; beside it BullMQ alone with as many jobs with the same data. Three
// worker processes each, one Redis.

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { bullmq, cw } from "./ours.mjs";

const TASKS = 20_000;
const A_BATCH = 16;
const BATCH_MS = 400;
const WORKERS = 3;
const SLOTS = 2;
const WARM = 2;

export async function measureTasks({ redis, rounds, progress }) {
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-bench-cluster-"));
  const children = [];
  try {
    for (const kind of ["ours", "bare"])
      for (let i = 0; i < WORKERS; i++)
        children.push(started({ ...redis, kind, queue: kind, name: `${kind}${i}` }));
    await Promise.all(children.map((child) => once(child, "message")));
    const times = { pool: [], run: [], bare: [] };
    // The first rounds are for warming up; turns are in a row, so that all have the same machine.
    for (let round = -WARM; round < rounds; round++) {
      const pool = await throughPool(redis, folder);
      const jobs = await batchesOf(children.slice(0, WORKERS));
      const bare = await alone(redis, jobs);
      const run = await wholeRun(redis, folder);
      await batchesOf(children.slice(0, WORKERS));
      const ms = { pool, bare, run };
      progress(`${jobs} jobs: ${Object.entries(ms).map(([name, one]) => `${name} ${one.toFixed(0)} ms`)}`);
      if (round >= 0) for (const [name, one] of Object.entries(ms)) times[name].push(one);
    }
    return rowsOf(times);
  } finally {
    for (const child of children) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

const started = (settings) =>
  fork(join(import.meta.dirname, "noopWorker.mjs"), [
    JSON.stringify({ ...settings, slots: SLOTS, taskMs: BATCH_MS / A_BATCH }),
  ]);

const carrying = ({ host, port }) => bullmq({ connection: { host, port }, queue: "ours", batchMs: BATCH_MS });
const manyTasks = () => cw.arange(0, TASKS, 1, { chunks: 1, dtype: "float64" });

/** The pool of a run, given all tasks at once, as BullMQ is given its jobs. */
async function throughPool(redis, folder) {
  let ms = 0;
  const executor = carrying(redis);
  const pool = async (run) => {
    const given = await executor.pool(run);
    const begun = performance.now();
    const jobs = Array.from({ length: TASKS }, (_, task) => ({
      ref: { op: 0, task },
      attempt: { number: 1 },
    }));
    await Promise.all(jobs.map((job) => given.run(job)));
    ms = performance.now() - begun;
    await given.close([]);
    throw new Error("that was all");
  };
  const target = join(folder, `${crypto.randomUUID()}.zarr`);
  const options = { executor: { ...executor, pool }, workDir: join(folder, "work") };
  await manyTasks()
    .toZarr(target, options)
    .catch((error) => {
      if (!/that was all/.test(error.message)) throw error;
    });
  return ms;
}

/** Scheduler, pool and queue, as `compute` uses them, from the first task to the last. */
async function wholeRun(redis, folder) {
  const target = join(folder, `${crypto.randomUUID()}.zarr`);
  let [first, last, done] = [0, 0, 0];
  const onEvent = ({ type }) => {
    if (type === "taskStart" && first === 0) first = performance.now();
    if (type === "taskEnd") {
      done++;
      last = performance.now();
    }
  };
  // That nothing was written is found out, in the end.
  await manyTasks()
    .toZarr(target, { executor: carrying(redis), onEvent, workDir: join(folder, "work") })
    .catch((error) => {
      if (!/chunks are not there/.test(error.message)) throw error;
    });
  rmSync(target, { recursive: true, force: true });
  if (done !== TASKS) throw new Error(`${done} tasks were done`);
  return last - first;
}

/** How many batches workers have done since they were last asked. */
async function batchesOf(children) {
  const counts = children.map(async (child) => {
    child.send("count");
    return (await once(child, "message"))[0];
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** As many jobs as the pool had, with the same data; done when none is left. */
async function alone({ host, port }, jobs) {
  const redis = new Redis({ host, port, maxRetriesPerRequest: null });
  const queue = new Queue("bare", { connection: redis });
  const data = (i) => ({
    ...{ v: 1, run: crypto.randomUUID(), plan: "0".repeat(64), op: 0, attempt: 0 },
    tasks: [[i * A_BATCH, (i + 1) * A_BATCH]],
  });
  const all = Array.from({ length: jobs }, (_, i) => ({
    ...{ name: "op-0", data: data(i) },
    opts: { attempts: 1, removeOnComplete: true, jobId: `run-${crypto.randomUUID()}` },
  }));
  const begun = performance.now();
  for (let at = 0; at < all.length; at += AT_ONCE) await queue.addBulk(all.slice(at, at + AT_ONCE));
  for (;;) {
    const { waiting, active } = await queue.getJobCounts("waiting", "active");
    if (waiting + active === 0) break;
    await sleep(1);
  }
  const ms = performance.now() - begun;
  await queue.close();
  redis.disconnect();
  return ms;
}
const AT_ONCE = 500;

const best = (times) => Math.min(...times);
const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];
const perSecond = (times) => (1000 * TASKS) / best(times);

function rowsOf({ pool, run, bare }) {
  const row = (name, ours, goal) => ({
    ...{ name: `${name}, ${TASKS} tasks, ${A_BATCH} a batch`, unit: "tasks a second" },
    ...{ ours: perSecond(ours), peer: perSecond(bare), peerName: "BullMQ alone" },
    ...{ ratio: best(bare) / best(ours), medianRatio: median(bare) / median(ours), goal },
  });
  const overhead = {
    name: "whole run, overhead",
    unit: "ms a task",
    ours: best(run) / TASKS,
    goal: 0.3,
    atMost: true,
  };
  return [row("pool", pool, 0.8), row("whole run", run, null), overhead];
}
