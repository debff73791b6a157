// Cancellation, turns of the event loop, and computeSync, which is compute without them.

import * as cw from "chunkwise";
import { describe, expect, test, vi } from "vitest";
import { log, watched } from "./watch.ts";

/** As many tasks as this has elements. */
const manyTasks = (tasks: number): cw.LazyArray => cw.asarray(new Float64Array(tasks), { chunks: 1 }).sin();

describe("AbortSignal", () => {
  test("that is aborted already: nothing is read, and the reason comes back", async () => {
    const { array, touches } = watched([1, 2, 3]);
    const x = new cw.LazyArray(array).add(1);
    const reason = new Error("no longer needed");
    for (const run of [
      () => x.compute({ signal: AbortSignal.abort(reason) }),
      () => x.execute({ signal: AbortSignal.abort(reason) }),
      () => cw.compute([x], { signal: AbortSignal.abort(reason) }),
    ])
      await expect(run()).rejects.toBe(reason);
    expect(touches()).toBe(0);
  });

  test("without a reason of its own: an AbortError", async () => {
    const aborted = manyTasks(2).compute({ signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
  });

  test("whose reason is no Error", async () => {
    await expect(manyTasks(2).compute({ signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
    await expect(manyTasks(2).compute({ signal: AbortSignal.abort(0) })).rejects.toBe(0);
  });

  test("aborted midway: no further task runs", async () => {
    const controller = new AbortController();
    const reason = new Error("after ten");
    const { onEvent, count, events } = log();
    const run = manyTasks(1000).compute({
      signal: controller.signal,
      onEvent(event) {
        onEvent(event);
        if (count("taskEnd") === 10) controller.abort(reason);
      },
    });
    await expect(run).rejects.toBe(reason);
    expect(count("taskEnd")).toBe(10);
    expect(events.at(-1)).toMatchObject({ type: "computeEnd", outcome: "cancelled", error: "after ten" });
  });

  test("aborted from outside, while it computes", async () => {
    const controller = new AbortController();
    const { onEvent, count } = log();
    const run = manyTasks(200_000).compute({ signal: controller.signal, onEvent });
    setTimeout(() => controller.abort("time is up"), 30);
    await expect(run).rejects.toBe("time is up");
    expect(count("taskEnd")).toBeGreaterThan(0);
    expect(count("taskEnd")).toBeLessThan(200_000);
  });

  test("by AbortSignal.timeout", async () => {
    const run = manyTasks(200_000).compute({ signal: AbortSignal.timeout(30) });
    await expect(run).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("aborted after the end: the result stays", async () => {
    const controller = new AbortController();
    const result = await manyTasks(2).compute({ signal: controller.signal });
    controller.abort();
    expect(result.toList()).toEqual([0, 0]);
  });

  test("one computation of several: the others go on", async () => {
    const x = manyTasks(100);
    const controller = new AbortController();
    const [stopped, done] = [x.compute({ signal: controller.signal }), x.compute()];
    controller.abort("only this");
    const results = await Promise.allSettled([stopped, done]);
    expect(results.map(({ status }) => status)).toContain("fulfilled");
    expect((results[1] as PromiseFulfilledResult<cw.NDArray>).value.size).toBe(100);
  });
});

describe("the event loop", () => {
  test("has its turns during a long computation", async () => {
    let isDone = false;
    let ticksBefore = 0;
    const timer = setInterval(() => {
      if (!isDone) ticksBefore++;
    }, 1);
    await manyTasks(20_000)
      .compute()
      .then(() => {
        isDone = true;
      });
    clearInterval(timer);
    expect(ticksBefore).toBeGreaterThan(2);
  });

  test("two computations at once do not get into each other's way", async () => {
    const [a, b] = await Promise.all([manyTasks(2000).add(1).compute(), manyTasks(2000).add(2).compute()]);
    expect([a.item(0), b.item(1999)]).toEqual([1, 2]);
  });

  test("compute never throws, it rejects", async () => {
    const failing = cw.asarray(new Int32Array([1])).floorDivide(0);
    const promise = failing.compute();
    expect(promise).toBeInstanceOf(Promise);
    await expect(promise).rejects.toBeInstanceOf(cw.RunError);
  });

  test("who looks on does not break it: a consumer that throws is told of once, and sees no more", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    let calls = 0;
    const raise = (): never => {
      calls++;
      throw new Error("from onEvent");
    };
    expect((await manyTasks(2).compute({ onEvent: raise })).toList()).toEqual([0, 0]);
    expect(calls).toBe(1);
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining("onEvent threw at computeStart"), expect.any(Error)],
    ]);
    warn.mockRestore();
  });
});

describe("computeSync equals compute", () => {
  const x = cw.asarray(new Float64Array([3, 1, 4, 1, 5, 9, 2, 6]), { chunks: 3 });
  const i = cw.asarray(new Int16Array([3, 1, 4, 1, 5, 9, 2, 6]), { chunks: 5 });

  test.each<[string, cw.LazyArray]>([
    ["elementwise", cw.expr`sqrt(${x}) * 2 - ${i} / 3`],
    ["a reduction", x.std({ correction: 1 })],
    ["a scan", i.cumulativeSum()],
    ["a sort", x.sort({ descending: true })],
    ["moves", x.reshape([2, 4]).T.flip().pad(1)],
    ["a product", x.reshape([2, 4]).matmul(i.reshape([4, 2]))],
    ["indices", x.get([0, -1, 3])],
    ["complex numbers", x.multiply(cw.complex(0, 1)).exp()],
    ["truth", x.greater(i.subtract(1))],
    ["64-bit integers", cw.arange(5)],
    ["nothing", x.get("3:3")],
    ["one number", cw.asarray(5)],
  ])("%s", async (_, array) => {
    const [sync, async, several] = [array.computeSync(), await array.compute(), cw.computeSync(array, x)[0]];
    expect(sync.dtype).toBe(array.dtype);
    expect(sync.shape).toEqual(array.shape);
    for (const other of [async, several]) {
      expect(other.toList()).toEqual(sync.toList());
      expect(other.dtype).toBe(sync.dtype);
      expect(other.shape).toEqual(sync.shape);
    }
    expect(array.computeSync({ optimize: false }).toList()).toEqual(sync.toList());
  });

  test("the events are the same, too", async () => {
    const [sync, async] = [log(), log()];
    const array = x.add(1).sum();
    array.computeSync({ onEvent: sync.onEvent });
    await array.compute({ onEvent: async.onEvent });
    const untimed = ({ type, ...event }: cw.RunEvent): object => ({
      type,
      ...Object.fromEntries(Object.entries(event).filter(([name]) => !/time$|^allowedMem$/i.test(name))),
    });
    expect(async.events.map(untimed)).toEqual(sync.events.map(untimed));
    expect(sync.count("taskEnd")).toBe(array.plan().numTasks);
  });
});
