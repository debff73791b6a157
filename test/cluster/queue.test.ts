// The queue alone, over a real Redis: batches in, reports out; who is there; who shares; what is refused. No task is computed
// here: workers do batches that only take time.

import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { LostWorker } from "../../src/runtime/pools/pool.ts";
import { openQueueCarrier, type QueueCarrier } from "../../src/runtime/pools/queue/queueCarrier.ts";
import { queueNames } from "../../src/runtime/pools/queue/queueNames.ts";
import { joinQueue, type QueueWorker } from "../../src/runtime/pools/queue/queueWorker.ts";
import type { Batch } from "../../src/runtime/pools/remote/carrier.ts";
import { batchFor, FakeWork, tasksOf } from "./fakeWork.ts";
import { hasRedis, needsRedis, RedisServer } from "./redisServer.ts";

/** Nobody aborts. */
const never = (): AbortSignal => new AbortController().signal;

describe.skipIf(!hasRedis)(`the queue${needsRedis}`, () => {
  let server: RedisServer;
  const closers: (() => Promise<unknown>)[] = [];
  let serial = 0;
  let names = queueNames();

  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterEach(async () => {
    await Promise.all(closers.splice(0).map((close) => close()));
    names = queueNames(`q${++serial}`);
  });
  afterAll(() => server.stop());

  async function carrierOf(run: string, more: object = {}): Promise<QueueCarrier> {
    const patience = { connectWithinMs: 5_000, redisWithinMs: 60_000, workersWithinMs: 60_000 };
    const carrier = await openQueueCarrier(run, { names, address: server.address, ...patience, ...more });
    closers.push(() => carrier.close());
    return carrier;
  }

  async function workerWith(work: FakeWork, name: string, slots = 1): Promise<QueueWorker> {
    const own = { work, name, slots, about: {}, connectWithinMs: 5_000, log: () => undefined };
    const worker = await joinQueue({ names, address: server.address, ...own });
    closers.push(() => worker.leave(0));
    return worker;
  }

  /** Sends batches, never more at once than the carrier has room for. */
  async function sendAll(
    carrier: QueueCarrier,
    batches: readonly Batch[],
    log: string[] = [],
  ): Promise<number[]> {
    const done: number[] = [];
    const waiting = [...batches];
    const underWay = new Set<Promise<void>>();
    while (waiting.length > 0 || underWay.size > 0) {
      while (waiting.length > 0 && underWay.size < carrier.capacity) {
        const batch = waiting.shift()!;
        const sent = carrier.carry(batch, never()).then(({ done: tasks }) => {
          done.push(...tasks.map(({ task }) => task));
          log.push(batch.run);
        });
        const watched = sent.finally(() => underWay.delete(watched));
        underWay.add(watched);
      }
      await Promise.race(underWay);
    }
    return done.sort((a, b) => a - b);
  }

  const keysLeft = async (): Promise<string[]> => {
    const redis = server.client();
    const keys = await redis.keys(`bull:${names.queue}:*`);
    redis.disconnect();
    // BullMQ's own: settings of the queue, its events, the mark of its check, its markers.
    return keys.filter((key) => !/:(meta|events|stalled-check|marker|stalled|id)$/.test(key)).sort();
  };

  test("batches come back as reports, with the name of the worker, and nothing is left", async () => {
    const work = new FakeWork();
    const worker = await workerWith(work, "ada", 2);
    const carrier = await carrierOf("run-a");
    expect(carrier.capacity).toBe(8);
    const report = await carrier.carry(batchFor("run-a", 8), never());
    expect(report.worker).toBe("ada");
    expect(report.done.map(({ task }) => task)).toEqual([8, 9, 10, 11]);
    expect(report.done[0]!.stats).toMatchObject({
      bytesRead: 8,
      bytesWritten: 16,
      measuredMem: null,
    });
    const batches = Array.from({ length: 50 }, (_, i) => batchFor("run-a", 4 * i));
    expect(await sendAll(carrier, batches)).toEqual(batches.flatMap(tasksOf));
    expect(worker.figures).toMatchObject({
      batches: { done: 51, refused: 0 },
      tasksDone: 204,
      bytesRead: 8 * 204,
    });
    await carrier.close();
    await worker.leave(1_000);
    expect(await keysLeft()).toEqual([]);
  });

  test("capacity follows workers that come and go", async () => {
    const carrier = await carrierOf("run-b");
    expect(carrier.capacity).toBe(4);
    const one = await workerWith(new FakeWork(), "one", 3);
    await workerWith(new FakeWork(), "two", 5);
    await expect.poll(() => carrier.capacity, { timeout: 5_000 }).toBe(20);
    await one.leave(0);
    await expect.poll(() => carrier.capacity, { timeout: 5_000 }).toBe(14);
  });

  test("two runs share the workers; what one does not use the other has", async () => {
    await workerWith(new FakeWork(() => 25), "one", 4);
    const [first, second] = [await carrierOf("run-c"), await carrierOf("run-d")];
    const log: string[] = [];
    const of = (run: string, count: number): Batch[] =>
      Array.from({ length: count }, (_, i) => batchFor(run, 4 * i));
    const [long, short] = [sendAll(first, of("run-c", 400), log), sendAll(second, of("run-d", 120), log)];
    await short;
    // While both have work, each has about half of what is done.
    const ofShort = log.filter((run) => run === "run-d").length;
    expect(ofShort).toBe(120);
    expect(log.length).toBeGreaterThan(190);
    expect(log.length).toBeLessThan(360);
    // All of it, and what waits since batches are short.
    await expect.poll(() => first.capacity, { timeout: 5_000 }).toBeGreaterThanOrEqual(12);
    expect((await long).length).toBe(1600);
  });

  test("what nobody wants leaves the queue, and its worker stops", async () => {
    const work = new FakeWork(() => 60_000);
    const worker = await workerWith(work, "slow", 1);
    const carrier = await carrierOf("run-e");
    const [begun, waiting] = [new AbortController(), new AbortController()];
    const first = carrier.carry(batchFor("run-e", 0), begun.signal).catch((error: unknown) => error);
    await expect.poll(() => work.begun.length, { timeout: 5_000 }).toBe(1);
    const second = carrier.carry(batchFor("run-e", 4), waiting.signal).catch((error: unknown) => error);
    await sleep(100);
    waiting.abort(new Error("not that"));
    begun.abort(new Error("nor that"));
    expect([await first, await second]).toEqual([new Error("nor that"), new Error("not that")]);
    await expect.poll(() => work.aborted.length, { timeout: 5_000 }).toBe(1);
    expect([work.begun.length, worker.active]).toEqual([1, 0]);
  });

  test("a run that ends stops its workers", async () => {
    const work = new FakeWork(() => 60_000);
    await workerWith(work, "slow", 1);
    const carrier = await carrierOf("run-f");
    const lost = carrier.carry(batchFor("run-f", 0), never()).catch((error: unknown) => error);
    await expect.poll(() => work.begun.length, { timeout: 5_000 }).toBe(1);
    await carrier.close();
    expect(await lost).toBeInstanceOf(LostWorker);
    await expect.poll(() => work.aborted.length, { timeout: 5_000 }).toBe(1);
    await expect
      .poll(keysLeft, { timeout: 5_000 })
      .toEqual(["about", "slots", "workers"].map((key) => `bull:${names.queue}:cluster:${key}`));
  });

  test("who leaves finishes what it can, and hands back the rest: another does it at once", async () => {
    const [short, long] = [new FakeWork(() => 300), new FakeWork(() => 60_000)];
    const patient = await workerWith(short, "patient");
    const carrier = await carrierOf("run-g");
    const finished = carrier.carry(batchFor("run-g", 0), never());
    await expect.poll(() => short.begun.length, { timeout: 5_000 }).toBe(1);
    await patient.leave(10_000);
    expect((await finished).worker).toBe("patient");

    const busy = await workerWith(long, "busy");
    const handed = carrier.carry(batchFor("run-g", 4), never());
    await expect.poll(() => long.begun.length, { timeout: 5_000 }).toBe(1);
    const left = busy.leave(50);
    await workerWith(new FakeWork(), "other");
    await left;
    expect((await handed).worker).toBe("other");
    expect(busy.figures.batches).toMatchObject({ handedBack: 1, done: 0 });
  });

  test("a batch that a worker refuses is refused, not tried again by the queue", async () => {
    const work = new FakeWork();
    work.run = async () => {
      throw Object.assign(new Error("not below the roots"), { name: "ValueError" });
    };
    await workerWith(work, "strict");
    const carrier = await carrierOf("run-h");
    await expect(carrier.carry(batchFor("run-h", 0), never())).rejects.toThrow("not below the roots");
  });

  test.each([
    ["altogether", true],
    ["from its lists alone", false],
  ])("a job that Redis has lost is found out: %s", async (_, isWhole) => {
    const run = isWhole ? "run-i" : "run-il";
    const carrier = await carrierOf(run);
    const lost = carrier.carry(batchFor(run, 0), never()).catch((error: unknown) => error);
    const redis = server.client();
    await expect.poll(async () => (await redis.keys(`bull:${names.queue}:${run}-*`)).length).toBe(1);
    const keys = isWhole ? await redis.keys(`bull:${names.queue}:${run}-*`) : [];
    await redis.del(...keys, `bull:${names.queue}:wait`);
    redis.disconnect();
    const error = await lost;
    expect(error).toBeInstanceOf(LostWorker);
    expect((error as LostWorker).wasBegun).toBe(false);
  });

  test("without workers a run ends after a while, with the cure", async () => {
    const carrier = await carrierOf("run-j", { workersWithinMs: 1_500 });
    const error = await carrier.carry(batchFor("run-j", 0), never()).catch((cause: unknown) => cause);
    expect(String(error)).toMatch(
      /no worker has been at the queue q\d+ for \d s\. Start some: npx chunkwise worker/,
    );
    expect(String(error)).not.toContain(server.password);
  });

  describe("hostile jobs", () => {
    const good = batchFor("run-k", 0);
    const HOSTILE: readonly [string, unknown][] = [
      ["no object", "rm -rf"],
      ["null", null],
      ["another version", { ...good, v: 2 }],
      ["code in a field", { ...good, code: "process.exit(1)" }],
      ["a run with a colon", { ...good, run: "a:b" }],
      ["a plan that is a path", { ...good, plan: "../../etc/passwd" }],
      ["ranges that are none", { ...good, tasks: [[0]] }],
      ["10⁹ tasks", { ...good, tasks: [[0, 1e9]] }],
      ["many ranges", { ...good, tasks: Array.from({ length: 5000 }, (_, i) => [2 * i, 2 * i + 1]) }],
      ["an operation that is text", { ...good, op: "__proto__" }],
      ["a prototype", JSON.parse('{"__proto__": {"v": 1}, "v": 1}')],
    ];

    test("are refused, and the worker goes on", async () => {
      const work = new FakeWork();
      const worker = await workerWith(work, "careful");
      const carrier = await carrierOf("run-k");
      const redis = server.client();
      const queue = new Queue(names.queue, { connection: redis });
      await queue.addBulk(HOSTILE.map(([name, data]) => ({ name, data })));
      await queue.add("a number as its name", good);
      // Of a run that nobody knows.
      await queue.add("x", batchFor("nobody", 0), { jobId: "nobody-0-0-0-b1" });
      // What is not even JSON.
      await redis.hset(`bull:${names.queue}:garbage`, {
        name: "x",
        data: "{",
        opts: "{}",
        timestamp: "1",
        stc: "0",
      });
      await redis.lpush(`bull:${names.queue}:wait`, "garbage");
      await redis.zadd(`bull:${names.queue}:marker`, 0, "0");
      expect((await carrier.carry(good, never())).done.length).toBe(4);
      await expect
        .poll(() => worker.figures.batches)
        .toMatchObject({ refused: HOSTILE.length + 1, unwanted: 1 });
      expect(work.begun).toEqual([good]);
      await queue.close();
      redis.disconnect();
    });

    test("that are too long end the connection, not the memory", async () => {
      const worker = await workerWith(new FakeWork(), "careful");
      const carrier = await carrierOf("run-l");
      const redis = server.client();
      const before = process.memoryUsage().rss;
      const data = JSON.stringify("x".repeat(2 ** 20));
      const fields = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, data]));
      await redis.hset(`bull:${names.queue}:huge`, {
        name: "x",
        data: "{}",
        opts: "{}",
        timestamp: "1",
        ...fields,
      });
      await redis.lpush(`bull:${names.queue}:wait`, "huge");
      await redis.zadd(`bull:${names.queue}:marker`, 0, "0");
      await expect.poll(() => worker.figures.errors, { timeout: 10_000 }).toBeGreaterThan(0);
      await redis.del(`bull:${names.queue}:huge`);
      expect((await carrier.carry(batchFor("run-l", 0), never())).done.length).toBe(4);
      expect(process.memoryUsage().rss - before).toBeLessThan(600e6);
      redis.disconnect();
    });
  });
});
