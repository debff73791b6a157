// One suite for every pool: what is computed, stored, resumed, retried, refused and cleaned up.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { machineName } from "../../src/storage/strays.ts";
import { ensureBuilt } from "../built.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-pools-"));
process.env["CHUNKWISE_TEST_MARK"] = join(root, "mark");
beforeAll(ensureBuilt, 120_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const folder = (): string => join(root, `f${folders++}`);

const blocks = (name: string): cw.ModuleFunction =>
  cw.moduleFunction(new URL("./blocks.js", import.meta.url), name);

interface Log {
  readonly events: cw.RunEvent[];
  readonly onEvent: (event: cw.RunEvent) => void;
  of<T extends cw.RunEvent["type"]>(type: T): Extract<cw.RunEvent, { type: T }>[];
}

function log(): Log {
  const events: cw.RunEvent[] = [];
  return {
    events,
    onEvent: (event) => void events.push(event),
    of: (type) => events.filter((event) => event.type === type) as never,
  };
}

/** A store in memory whose requests fail now and then. */
class FlakyStore implements cw.Store {
  readonly inner = new cw.MemoryStore();
  readonly #fails: (method: string, key: string, count: number) => Error | undefined;
  readonly #counts = new Map<string, number>();

  constructor(fails: (method: string, key: string, count: number) => Error | undefined) {
    this.#fails = fails;
  }

  #check(method: string, key: string): void {
    const count = (this.#counts.get(`${method} ${key}`) ?? 0) + 1;
    this.#counts.set(`${method} ${key}`, count);
    const error = this.#fails(method, key, count);
    if (error !== undefined) throw error;
  }

  async get(key: cw.StoreKey): Promise<Uint8Array | undefined> {
    this.#check("get", key);
    return this.inner.get(key);
  }
  async set(key: cw.StoreKey, value: Uint8Array): Promise<void> {
    this.#check("set", key);
    await this.inner.set(key, value);
  }
  async delete(key: cw.StoreKey): Promise<void> {
    await this.inner.delete(key);
  }
  list(prefix: cw.StoreKey): Iterable<cw.StoreKey> {
    return this.inner.list(prefix);
  }
}

const busy = (key: string): Error =>
  new cw.StoreRequestError({ what: "the store is busy", where: key, retryable: true });

const grid = (): cw.LazyArray =>
  cw
    .arange(0, 48 * 36, 1, { dtype: "float64" })
    .reshape([48, 36])
    .rechunk([10, 12]);

/** A pool of a user's: three tasks at a time on this thread, each a moment later. */
const own: cw.Executor = {
  name: "own",
  pool(run) {
    const here = run.here(3);
    return {
      ...{ name: "own", workers: 3, ahead: 1, canEnd: false, hasOwnMemory: false },
      run: async (job) => {
        await new Promise((resolve) => setTimeout(resolve));
        return here.run(job);
      },
      close: (running) => here.close(running),
    };
  },
};
cw.engine.executors.add(own);

describe("what is no pool, and what pools must not say", () => {
  const x = cw.arange(0, 40, 1, { dtype: "float64", chunks: 10 }).add(1);
  const given = (changes: object): cw.Executor => ({
    name: "other",
    pool: (run) => {
      const { name, workers, ahead, canEnd, hasOwnMemory } = run.here();
      const close = async (): Promise<void> => {};
      return { name, workers, ahead, canEnd, hasOwnMemory, close, ...changes } as unknown as cw.Pool;
    },
  });

  test.each<[object, RegExp]>([
    [{ workers: 0, run: () => undefined }, /the executor "other" gave .*which is no pool/],
    [{ ahead: Number.NaN, run: () => undefined }, /no pool/],
    [{ run: undefined }, /no pool/],
    [{ run: () => undefined }, /the pool inline says undefined of a task/],
    [{ run: async () => ({}) }, /the pool inline says .* of a task.*what run\.here\(\)/],
  ])("%j", async (changes, message) => {
    const spec = new cw.Spec({ retries: { attempts: 1 } });
    await expect(x.compute({ executor: given(changes), spec })).rejects.toThrow(message);
  });

  test("names are given once", () => {
    expect(() => cw.engine.executors.add(own)).toThrow(/there is an executor "own" already/);
    expect(() => cw.engine.executors.add({ name: "x" } as cw.Executor)).toThrow(/is none/);
  });
});

describe.each(["inline", "threads", "own"] as const)("%s", (executor) => {
  test("what is stored and read back is what is computed in memory", async () => {
    const x = grid();
    const dir = folder();
    const stored = await x.toZarr(join(dir, "x.zarr"), { executor });
    const make = (a: cw.LazyArray): cw.LazyArray[] => [
      a.multiply(2).add(1),
      a.sum({ axis: 0 }),
      a.subtract(a.mean()).std(),
      a.T.cumulativeSum({ axis: 1 }),
      a.get("::-2", "3:30:4"),
      a.sort({ axis: 0, descending: true }).get("0:5"),
      a.matmul(a.T),
      a.roll(7, { axis: 0 }).rechunk([7, 9]),
      cw.concat([a, a.negative()], { axis: 1 }).greater(5),
    ];
    const expected = cw.computeSync(make(x));
    const results = await cw.compute(make(stored), { executor });
    results.forEach((result, i) => expect(result.toList()).toEqual(expected[i]!.toList()));
    const paths = expected.map((_, i) => join(dir, `${i}.zarr`));
    const again = await cw.store(make(stored), paths, { executor });
    for (const [i, array] of again.entries())
      expect((await array.compute({ executor })).toList()).toEqual(expected[i]!.toList());
  });

  test("arrays in memory and in stores together, and stores that only this thread can reach", async () => {
    const x = await grid().toZarr(new cw.MemoryStore(), { executor });
    const weights = Float64Array.from({ length: 36 }, (_, i) => i / 7);
    const large = cw.asarray(new Float64Array(48 * 36).fill(3)).reshape([48, 36]);
    const sum = x.multiply(weights).add(large).sum({ axis: 1 });
    const expected = grid().multiply(weights).add(large).sum({ axis: 1 }).computeSync();
    const target = new cw.MemoryStore();
    expect((await sum.compute({ executor })).toList()).toEqual(expected.toList());
    expect((await (await sum.toZarr(target, { executor })).compute()).toList()).toEqual(expected.toList());
  });

  test("chunks of other shapes, shards, a region, a group", async () => {
    const path = folder();
    const x = grid();
    const sharded = await x.toZarr(path, {
      executor,
      path: "a/b",
      shards: [20, 24],
      chunks: [5, 6],
      codecs: ["zstd"],
    });
    expect(sharded.chunks).toEqual([5, 6]);
    const patch = cw.full([20, 12], -1, { dtype: "float64" });
    await patch.toZarr(path, { executor, path: "a/b", region: ["20:40", "24:36"] });
    const group = await cw.openGroup(path);
    const found = await (await group.array("a/b")).compute({ executor });
    expect(found.toList()).toEqual(x.set(["20:40", "24:36"], -1).computeSync().toList());
    await expect(patch.toZarr(path, { executor, path: "a/b", region: ["10:30", "24:36"] })).rejects.toThrow(
      /10:30 of axis 0 \(length 48\) does not begin and end at chunks of 20/,
    );
  });

  test("what is set in the environment is seen, also by threads that have begun before", async () => {
    for (const number of [7, 11]) {
      process.env["CHUNKWISE_TEST_NUMBER"] = String(number);
      const x = cw.mapBlocks(blocks("fromEnvironment"), cw.zeros([4], { chunks: 2 }));
      expect((await x.compute({ executor })).toList()).toEqual([number, number, number, number]);
    }
  });

  test("every dtype goes to a store and back", async () => {
    for (const dtype of [
      "bool",
      "int8",
      "uint16",
      "int64",
      "uint64",
      "float32",
      "complex64",
      "complex128",
    ] as const) {
      const x = cw
        .arange(0, 30, 1, { dtype: "float64", chunks: 7 })
        .astype(dtype === "bool" ? "int32" : "float64");
      const cast = x.astype(dtype);
      const stored = await cast.toZarr(new cw.MemoryStore(), { executor });
      expect((await stored.compute({ executor })).toList()).toEqual(cast.computeSync().toList());
    }
  });

  test("little memory: intermediates go to files and come back, and nothing is left", async () => {
    const before = readdirSync(tmpdir()).filter((name) => /^chunkwise-[A-Za-z0-9]{6}$/.test(name));
    const x = await cw
      .arange(0, 800 * 400, 1, { dtype: "float64" })
      .reshape([800, 400])
      .rechunk([50, 400])
      .toZarr(folder(), { executor });
    const spec = new cw.Spec({ allowedMem: "11.2MB", reservedMem: "10MB" });
    const { onEvent, of } = log();
    // The first half of the tasks reads what the second half reads again.
    const y = x.remainder(97).sort({ axis: 1 });
    const result = y.subtract(y.get("::-1")).sum({ axis: 0 });
    const expected = (await result.compute({ executor: "inline" })).toList();
    expect((await result.compute({ executor, spec, onEvent })).toList()).toEqual(expected);
    expect(of("spill").length).toBeGreaterThan(0);
    for (const { projectedMem, measuredMem } of of("taskEnd"))
      expect(measuredMem ?? 0).toBeLessThanOrEqual(projectedMem);
    const after = readdirSync(tmpdir()).filter((name) => /^chunkwise-[A-Za-z0-9]{6}$/.test(name));
    expect(after.filter((name) => !before.includes(name))).toEqual([]);
  });

  test("requests that fail now and then are tried again", async () => {
    const store = new FlakyStore((_, key, count) =>
      key.includes("/c/") && count < 3 ? busy(key) : undefined,
    );
    const { onEvent, of } = log();
    // A twin of a slow task would be one of the attempts that fail.
    const spec = new cw.Spec({ retries: { delayMs: 1 }, twins: false });
    const stored = await grid().add(1).toZarr(store, { executor, spec, onEvent });
    expect(of("retry").length).toBe(2 * 15);
    expect(of("retry")[0]).toMatchObject({ attempt: 1, error: expect.stringContaining("busy"), delayMs: 1 });
    expect((await stored.compute({ executor, spec })).toList()).toEqual(grid().add(1).computeSync().toList());
  });

  test("a task that fails each time names what, where, and every attempt", async () => {
    const store = new FlakyStore((method, key) =>
      method === "set" && key.endsWith("/c/2/1") ? busy(key) : undefined,
    );
    const { onEvent, of } = log();
    const spec = new cw.Spec({ retries: { delayMs: 1 } });
    const error = await grid()
      .add(1)
      .toZarr(store, { executor, spec, onEvent })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(cw.RunError);
    const { message, chunk, operation } = error as cw.RunError;
    expect(message).toMatch(/add at .*pools\.test\.ts:\d+:\d+, chunk \[2, 1\] of op-\d+/);
    expect(message).toMatch(/3 attempts failed: 1\) .*busy.* 2\) .*busy.* 3\)/);
    expect([chunk, operation]).toEqual([[2, 1], "add"]);
    expect(of("computeEnd")).toMatchObject([{ outcome: "failed", error: message }]);
  });

  test("what our own checks refuse is not tried again; a user's error is, once", async () => {
    const { onEvent, of } = log();
    const x = await grid().astype("int64").toZarr(new cw.MemoryStore(), { executor });
    const zero = x.floorDivide(x.subtract(40));
    await expect(zero.toZarr(new cw.MemoryStore(), { executor, onEvent })).rejects.toThrow(/by zero/);
    expect(of("retry")).toEqual([]);
    const spec = new cw.Spec({ retries: { delayMs: 1, attempts: 5 } });
    const failing = cw.mapBlocks(blocks("fails"), grid());
    const error = await failing
      .toZarr(new cw.MemoryStore(), { executor, spec })
      .catch((reason: unknown) => reason);
    expect((error as Error).message).toMatch(
      /as it should; 2 attempts failed: 1\) as it should 2\) as it should/,
    );
  });

  test("corrupt data is told of with its key", async () => {
    const path = folder();
    await grid().toZarr(path, { executor });
    const file = join(path, "c", "1", "2");
    const bytes = readFileSync(file);
    bytes[20] = bytes[20]! ^ 1;
    writeFileSync(file, bytes);
    const x = await cw.fromZarr(path);
    await expect(x.sum().compute({ executor })).rejects.toThrow(/c\/1\/2/);
    expect((await x.get("0:10", "0:12").sum().compute({ executor })).size).toBe(1);
  });

  test("what a killed run was writing is swept when its work is gone on with", async () => {
    const path = folder();
    await grid().add(1).toZarr(path, { executor });
    const stray = join(path, "c", "0", `.chunkwise-${machineName()}-99999999-abc-0-1.partial`);
    writeFileSync(stray, "half a chunk");
    await grid().add(1).toZarr(path, { executor });
    expect(existsSync(stray)).toBe(false);
  });

  test("the same computation again does nothing; another one is refused, or overwrites", async () => {
    const path = folder();
    const y = grid().add(1);
    await y.toZarr(path, { executor });
    const { onEvent, of } = log();
    await y.toZarr(path, { executor, onEvent });
    expect(of("computeStart")).toMatchObject([{ tasks: 15, tasksDone: 15 }]);
    expect(of("taskStart")).toEqual([]);
    await expect(grid().add(2).toZarr(path, { executor })).rejects.toThrow(
      /something already.*overwrite: true/,
    );
    const other = await grid().add(2).toZarr(path, { executor, overwrite: true });
    expect((await other.get(0, 0).compute()).item()).toBe(2);
    // Somebody else wrote into it: it is not ours any more.
    const file = join(path, "c", "0", "0");
    writeFileSync(file, readFileSync(join(path, "c", "0", "1")));
    await expect(grid().add(2).toZarr(path, { executor })).rejects.toThrow(/something already/);
  });

  test("the same computation in another form is refused, or overwrites", async () => {
    const path = folder();
    await grid()
      .add(1)
      .toZarr(path, { executor, codecs: ["gzip"] });
    const again = grid().add(1).toZarr(path, { executor, codecs: [] });
    await expect(again).rejects.toThrow(/the same computation is stored there.*overwrite: true/);
    const other = await grid().add(1).toZarr(path, { executor, codecs: [], overwrite: true });
    expect((await other.get(0, 0).compute()).item()).toBe(1);
    expect(JSON.stringify(JSON.parse(readFileSync(join(path, "zarr.json"), "utf8")).codecs)).not.toContain(
      "gzip",
    );
  });

  test("a store that keeps what it is given has data of its own", async () => {
    const kept = new Map<string, Uint8Array>() as unknown as cw.Store;
    const x = cw.arange(0, 100_000, 1, { dtype: "float64" }).rechunk([20_000]);
    await x.add(1).toZarr(kept, { executor, codecs: [] });
    // Others use the memory in which the chunks were made.
    await x.multiply(7).toZarr(new cw.MemoryStore(), { executor, codecs: [] });
    const { data } = await (await cw.fromZarr(kept)).compute();
    expect(data.findIndex((value, i) => value !== i + 1)).toBe(-1);
  });

  test("what a failed run has stored is used by the next: chunks of the target and intermediates", async () => {
    const [path, workDir] = [folder(), folder()];
    let fails = true;
    const store = new FlakyStore((method, key) =>
      fails && method === "set" && key === "/c/3/2" ? new Error("disk full") : undefined,
    );
    const source = await grid().toZarr(path, { executor });
    const spec = new cw.Spec({ workDir, retries: { delayMs: 1 } });
    const y = source.subtract(source.mean({ axis: 0 })).rechunk([12, 12]);
    await expect(y.toZarr(store, { executor, spec })).rejects.toThrow(/disk full/);
    expect(readdirSync(workDir).length).toBe(1);
    fails = false;
    const { onEvent, of } = log();
    const stored = await y.toZarr(store, { executor, spec, onEvent });
    const { tasks, tasksDone } = of("computeStart")[0]!;
    expect(tasksDone).toBeGreaterThan(5);
    expect(of("taskStart").length).toBeLessThanOrEqual(tasks - tasksDone);
    expect(readdirSync(workDir)).toEqual([]);
    const x = grid();
    expect((await stored.compute()).toList()).toEqual(
      x
        .subtract(x.mean({ axis: 0 }))
        .computeSync()
        .toList(),
    );
  });

  test("a source that was written anew since is another computation", async () => {
    const [path, target] = [folder(), folder()];
    await grid().toZarr(path, { executor });
    await (await cw.fromZarr(path)).add(1).toZarr(target, { executor });
    await grid().multiply(2).toZarr(path, { executor, overwrite: true });
    const again = (await cw.fromZarr(path)).add(1);
    await expect(again.toZarr(target, { executor })).rejects.toThrow(/something already/);
  });

  test("aborted: no further task begins, nothing is left", async () => {
    const path = folder();
    const controller = new AbortController();
    const { onEvent, of } = log();
    const slow = cw.mapBlocks(blocks("slow"), cw.ones([200, 10], { chunks: [1, 10] }));
    const run = slow.toZarr(path, {
      executor,
      signal: controller.signal,
      onEvent(event) {
        onEvent(event);
        if (of("taskEnd").length === 5) controller.abort(new Error("enough"));
      },
    });
    await expect(run).rejects.toThrow("enough");
    expect(of("taskStart").length).toBeLessThan(150);
    expect(of("computeEnd")).toMatchObject([{ outcome: "cancelled" }]);
    const files = readdirSync(path, { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => file.endsWith(".partial"))).toEqual([]);
    const { onEvent: onNext, of: next } = log();
    await slow.toZarr(path, { executor, onEvent: onNext });
    expect(next("computeStart")[0]!.tasksDone).toBeGreaterThanOrEqual(5);
  });
});

describe("threads", () => {
  test("one that dies is replaced, and its task is done by another", async () => {
    const { onEvent, of } = log();
    const x = cw.mapBlocks(blocks("dies"), grid());
    const stored = await x.toZarr(new cw.MemoryStore(), { executor: "threads", onEvent });
    expect(of("retry")[0]!.error).toMatch(/task thread \d+ died: it ended with code 3/);
    expect((await stored.compute()).toList()).toEqual(grid().computeSync().toList());
  });

  test("a closure runs inline, unless threads are asked for: then the error says what to do", async () => {
    const { onEvent, of } = log();
    const closure = cw.mapBlocks((block) => block, grid());
    await closure.toZarr(new cw.MemoryStore(), { onEvent });
    expect(of("computeStart")).toMatchObject([{ pool: "inline" }]);
    await expect(closure.toZarr(new cw.MemoryStore(), { executor: "threads" })).rejects.toThrow(
      /a closure cannot be saved, or run by another thread.*moduleFunction/,
    );
  });

  test("a straggler gets a twin, and the first of the two counts", async () => {
    const { onEvent, of } = log();
    const spec = new cw.Spec({ twins: { minMs: 50, everyMs: 10, minStarted: 5 } });
    const x = cw.mapBlocks(blocks("straggles"), cw.ones([40], { chunks: 1 }));
    const stored = await x.toZarr(new cw.MemoryStore(), { executor: "threads", spec, onEvent });
    expect(of("twin").length).toBeGreaterThan(0);
    expect((await stored.sum().compute()).item()).toBe(40);
    expect(of("taskEnd").filter(({ outcome }) => outcome === "done").length).toBe(40);
  });
});

test("threads that the budget has no room for end, with what they kept of earlier runs", async () => {
  const x = await cw.linspace(0, 1, 400_000, { chunks: 50_000 }).toZarr(join(folder(), "x.zarr"));
  const threads = (): number => (process.report!.getReport() as { workers: unknown[] }).workers.length;
  const run = async (spec: cw.Spec): Promise<void> =>
    void (await x.add(1).toZarr(folder(), { executor: "threads", spec, overwrite: true }));
  await run(new cw.Spec({ threads: 4 }));
  const before = threads();
  expect(before).toBeGreaterThanOrEqual(4);
  const { allowedMem, budget } = new cw.Spec({ threads: 4, allowedMem: "1GB" });
  // One task needs 4.03 MB of it.
  await run(new cw.Spec({ threads: 4, allowedMem: allowedMem - budget + 5e6 }));
  // One of the four goes on; others of this process had small tasks, and keep nothing.
  expect(threads()).toBe(before - 3);
});
