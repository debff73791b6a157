// What is begun and not waited for (docs/adr/0014): threads in the midst of a task when their run ends, attempts that do
// not count, reads that go on when their task has failed. Whatever they have is given back, and not while they use it.

import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import * as cw from "chunkwise";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Block } from "../../src/core/block.ts";
import { denseType } from "../../src/expr/op.ts";
import type { DensePlanArray } from "../../src/plan/plan.ts";
import { HeldBlocks, type TaskArrays } from "../../src/runtime/arrays.ts";
import { type Driven, drive } from "../../src/runtime/drive.ts";
import type { TaskStats } from "../../src/runtime/events.ts";
import type { Action, Scheduler } from "../../src/runtime/scheduler/scheduler.ts";
import { AttemptOutputs, runTask } from "../../src/runtime/task.ts";
import { ensureBuilt } from "../built.ts";

const { backend } = cw.engine;
const takenPlaces = (): number => backend.statistics().places;

const root = mkdtempSync(join(tmpdir(), "chunkwise-abandoned-"));
process.env["CHUNKWISE_TEST_MARK"] = join(root, "mark");
afterAll(() => rmSync(root, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
});

describe("threads in the midst of a task", () => {
  beforeAll(ensureBuilt, 120_000);

  test("have ended when the run has", async () => {
    const { terminate } = Worker.prototype;
    let [told, ended] = [0, 0];
    vi.spyOn(Worker.prototype, "terminate").mockImplementation(async function (this: Worker) {
      told++;
      // Far longer than it takes as a rule.
      await setTimeout(400);
      const code = await terminate.call(this);
      ended++;
      return code;
    });
    const ticks = cw.moduleFunction(new URL("./blocks.js", import.meta.url), "ticks");
    const file = join(root, "mark-ticks");
    const stop = new AbortController();
    const x = cw.mapBlocks(ticks, cw.ones([4], { chunks: 1 }));
    const run = x.toZarr(new cw.MemoryStore(), { executor: "threads", threads: 2, signal: stop.signal });
    while (!existsSync(file)) await setTimeout(5);
    stop.abort(new Error("enough"));
    await expect(run).rejects.toThrow("enough");
    expect([told > 0, ended]).toEqual([true, told]);
    const { size } = statSync(file);
    await setTimeout(100);
    expect(statSync(file).size).toBe(size);
  });
});

const STATS: TaskStats = {
  ...{ startTime: 0, readTime: 0, computeTime: 0, endTime: 0 },
  ...{ bytesRead: 0, bytesWritten: 0, measuredMem: null },
};
const PLAN: DensePlanArray = {
  ...{ name: "a1", role: "intermediate", chunks: [10] },
  ...denseType("float64", [100]),
};
const START = {
  ...{ kind: "start", ref: { op: 0, task: 3 } },
  attempt: { id: 1, number: 1, isTwin: false, worker: 0, startTime: 0 },
} as Action;

/** One attempt, which takes a block for its output and goes as `run` does. */
async function driveOne(run: () => TaskStats | Promise<TaskStats>, counts: boolean): Promise<HeldBlocks> {
  const held = new HeldBlocks(PLAN, backend);
  const actions: Action[] = [START];
  const scheduler = {
    ...{ isEnding: false, cancel() {}, failed() {}, done: () => counts },
    next: (): Action => actions.shift() ?? { kind: "end" },
  };
  const driven = {
    scheduler: scheduler as unknown as Scheduler,
    pool: {
      ...{ name: "", workers: 1, ahead: 0, canEnd: true, hasOwnMemory: false, close: async () => {} },
      run({ outputs }) {
        outputs.block(held, { start: [30], shape: [10] });
        return run();
      },
    },
    outputs: () => new AttemptOutputs(backend, new Map([["a1", held]]), false),
    ...{ isOver: false, underWay: new Set(), checks: null, lostBy: () => null },
    ...{ save: async () => {}, drop() {} },
  } satisfies Driven;
  await drive(driven, undefined);
  return held;
}

describe("what an attempt made", () => {
  const fails = (): never => {
    throw new Error("it broke");
  };

  test("is the run's when it counts", async () => {
    const before = takenPlaces();
    const held = await driveOne(() => STATS, true);
    expect([held.chunksInMemory, takenPlaces()]).toEqual([1, before + 1]);
    held.dropAll();
    expect(takenPlaces()).toBe(before);
  });

  test("is given back when another was first", async () => {
    const before = takenPlaces();
    expect((await driveOne(() => STATS, false)).chunksInMemory).toBe(0);
    expect(takenPlaces()).toBe(before);
  });

  test("is given back when it fails", async () => {
    const before = takenPlaces();
    await driveOne(fails, true);
    expect(takenPlaces()).toBe(before);
  });

  test.each([
    ["is done", () => STATS],
    ["fails", fails],
  ])("is given back when it %s after the run, and not before", async (_, end) => {
    const before = takenPlaces();
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const held = await driveOne(async () => {
      await gate;
      return end();
    }, true);
    expect(takenPlaces()).toBe(before + 1);
    open();
    await setTimeout(1);
    expect([held.chunksInMemory, takenPlaces()]).toEqual([0, before]);
  });
});

test("blocks that a read still fills are a failed task's until it has ended", async () => {
  const [a, b] = [cw.ones([8], { chunks: 4 }), cw.zeros([8], { chunks: 4 })];
  const store = new cw.MemoryStore();
  const [x, y] = await cw.store([a, b], [
    { store, path: "/a" },
    { store, path: "/b" },
  ] as never);
  const { data } = cw.plan([(x as cw.LazyArray).add(y as cw.LazyArray)]);
  const events: string[] = [];
  const before = takenPlaces();
  const late = async (block: Block): Promise<Block> => {
    await setTimeout(20);
    // In checked mode, an error for a block that was given back.
    events.push(`filled at ${typeof backend.show(block)?.at}`);
    return block;
  };
  let reads = 0;
  const using: TaskArrays = {
    partitions: null,
    arrays: new Map(data.arrays.map((array) => [array.name, array])),
    source: () => ({
      window: (box, borrowed) => {
        if (reads++ > 0) throw new Error("the second cannot be read");
        return late(borrowed.block("float64", box.shape));
      },
    }),
    target: () => ({ block: (box, borrowed) => borrowed.block("float64", box.shape), store() {} }),
    partitionSource: () => expect.fail("there are no partitions"),
    partitionTarget: () => expect.fail("there are no partitions"),
    run() {},
    backend,
  };
  const attempt = async (): Promise<TaskStats> => runTask(data.operations[0]!, 0, using);
  await expect(attempt().finally(() => events.push("failed"))).rejects.toThrow("the second cannot be read");
  expect(events).toEqual(["filled at number", "failed"]);
  expect(takenPlaces()).toBe(before);
});
