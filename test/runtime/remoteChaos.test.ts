// Everything that may happen to batches on their way: lost before they are done or after, done twice at once, told of late, in
// part, or in nonsense; workers that die, and that go on when nobody waits for them any more; runs that are stopped and begun
// again. Whatever it is: the same bits, nothing is left, and no more is done again than was disturbed.

import * as cw from "chunkwise";
import { afterAll, beforeAll, expect, test } from "vitest";
import { batchWorker } from "../../src/array/batchWorker.ts";
import { LostWorker } from "../../src/runtime/pools/pool.ts";
import { tasksOf } from "../../src/runtime/pools/remote/batchChecks.ts";
import type { BatchRunner } from "../../src/runtime/pools/remote/batchRunner.ts";
import type { Batch, BatchReport, Carrier } from "../../src/runtime/pools/remote/carrier.ts";
import { remoteExecutor } from "../../src/runtime/pools/remote/remotePool.ts";
import { SEED } from "../property/settings.ts";
import { filesBelow, newFolder, removeFolder } from "./remoteParts.ts";
import { DENSE } from "./remotePrograms.ts";

const RUNS = 220;

/** mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const never = new AbortController().signal;

/** Does to batches whatever chance says. */
class ChaosCarrier implements Carrier {
  readonly name = "chaos";
  readonly #random: () => number;
  readonly #workers: BatchRunner[];
  /** What goes on though nobody waits for it. */
  readonly #zombies: Promise<unknown>[] = [];
  readonly #begun: () => void;
  /** Tasks of batches to which something happened. */
  disturbed = 0;
  #inFlight = 0;
  capacity = 3;

  constructor(random: () => number, workers: BatchRunner[], begun: () => void) {
    this.#random = random;
    this.#workers = workers;
    this.#begun = begun;
  }

  async #done(batch: Batch, signal: AbortSignal): Promise<BatchReport> {
    const at = Math.floor(this.#random() * this.#workers.length);
    if (this.#random() < 0.3) await wait(this.#random() * 8);
    return this.#workers[at]!.run(JSON.parse(JSON.stringify(batch)) as Batch, signal);
  }

  async carry(batch: Batch, signal: AbortSignal): Promise<BatchReport> {
    const tasks = [...tasksOf(batch)].length;
    this.#inFlight += tasks;
    this.#begun();
    try {
      return await this.#carried(batch, signal);
    } finally {
      this.#inFlight -= tasks;
    }
  }

  /** The run is stopped: all that is under way is disturbed. */
  stopped(): void {
    this.disturbed += this.#inFlight;
  }

  async #carried(batch: Batch, signal: AbortSignal): Promise<BatchReport> {
    // Workers come and go.
    this.capacity = 1 + Math.floor(this.#random() * 4);
    const fate = this.#random();
    if (fate > 0.5) return this.#done(batch, signal);
    const zombie = this.#done(batch, never).catch(() => null);
    this.#zombies.push(zombie);
    this.disturbed += [...tasksOf(batch)].length;
    if (fate < 0.1) throw new LostWorker("lost at once, and done later", true);
    if (fate < 0.18) {
      await zombie;
      throw new LostWorker("done, and the answer is lost", true);
    }
    if (fate < 0.28) return this.#done(batch, signal);
    const report = await zombie;
    if (report === null) throw new LostWorker("refused", true);
    if (fate < 0.35) return { ...report, done: report.done.slice(1) };
    if (fate < 0.4) return { nonsense: true } as unknown as BatchReport;
    if (fate < 0.45)
      return { ...report, done: [...report.done, ...report.done, { ...report.done[0]!, task: 1e9 }] };
    await wait(this.#random() * 20);
    return report;
  }

  async close(): Promise<void> {}

  settled(): Promise<unknown> {
    return Promise.all(this.#zombies);
  }
}

const work = newFolder("chaos");
let workers: BatchRunner[];
const expected = new Map<string, readonly cw.NDArray[]>();

beforeAll(async () => {
  const options = { store: work, threads: 0, stores: [], modules: [import.meta.dirname] };
  workers = await Promise.all(
    Array.from({ length: 4 }, (_, i) => batchWorker({ ...options, name: `w${i}` })),
  );
  for (const { name, arrays } of DENSE)
    expected.set(name, await cw.compute(arrays(), { executor: "inline" }));
});
afterAll(async () => {
  for (const worker of workers) await worker.close();
  removeFolder(work);
});

const computed = (): number =>
  workers.reduce((sum, { counts }) => sum + counts.tasksDone - counts.tasksFound, 0);

async function runWith(seed: number): Promise<void> {
  const random = randomOf(seed);
  const { name, arrays } = DENSE[Math.floor(random() * DENSE.length)]!;
  const [lazy, stop] = [arrays(), new AbortController()];
  // Some runs are stopped on the way, and begun again.
  let left = random() < 0.3 ? 1 + Math.floor(random() * 20) : Number.POSITIVE_INFINITY;
  const carrier = new ChaosCarrier(random, workers, () => {
    if (--left !== 0) return;
    carrier.stopped();
    stop.abort(new Error("stopped"));
  });
  const executor = remoteExecutor(() => carrier, { name: "chaos", repairMs: 50, batchMs: 5 });
  const run = { executor, workDir: work, retries: { attempts: 30, delayMs: 1 }, twins: false };
  const before = computed();
  const first = await cw.compute(lazy, { ...run, signal: stop.signal }).catch((error: Error) => {
    if (error.message !== "stopped") throw error;
    return null;
  });
  left = Number.POSITIVE_INFINITY;
  const found = first ?? (await cw.compute(lazy, run));
  await carrier.settled();
  expect(found.map(({ data }) => data)).toEqual(expected.get(name)!.map(({ data }) => data));
  expect(filesBelow(work)).toEqual([]);
  const tasks = cw.plan(lazy).numTasks;
  const [all, most] = [computed() - before, tasks + carrier.disturbed];
  totals.tasks += tasks;
  totals.again += Math.max(0, all - tasks);
  totals.disturbed += carrier.disturbed;
  expect(all).toBeLessThanOrEqual(most);
}

const totals = { tasks: 0, again: 0, disturbed: 0 };

test(`${RUNS} runs, seeds from ${SEED} on`, { timeout: 600_000 }, async () => {
  console.log(`seeds ${SEED} to ${SEED + RUNS - 1}`);
  for (let i = 0; i < RUNS; i++)
    await runWith(SEED + i).catch((error: unknown) => {
      throw new Error(`seed ${SEED + i}: ${(error as Error).stack}`, { cause: error });
    });
  const { tasks, again, disturbed } = totals;
  console.log(`${tasks} tasks, ${disturbed} disturbed, ${again} done again`);
});
