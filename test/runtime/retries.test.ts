// How often a task is tried: what a store throws is tried three times, whatever it is and whether or not it repeats itself;
// what a user's function throws twice in the same words is not tried again. Inline and on threads alike.

import * as cw from "chunkwise";
import { beforeAll, describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/runtime/events.ts";
import { ensureBuilt } from "../built.ts";

beforeAll(ensureBuilt, 300_000);

const quick = new cw.Spec({ retries: { delayMs: 1 }, threads: 2 });
const EXECUTORS = ["inline", "threads"] as const;

/** A store whose chunks cannot be had, or not be kept, so many times. */
function failing(what: { reads?: number; writes?: number; error: () => unknown }): cw.Store {
  const objects = new Map<string, Uint8Array>();
  let [reads, writes] = [what.reads ?? 0, what.writes ?? 0];
  return {
    get(key) {
      if (key === "/c/1" && reads-- > 0) throw what.error();
      return objects.get(key);
    },
    set(key, value) {
      if (key === "/c/1" && writes-- > 0) throw what.error();
      objects.set(key, value.slice());
    },
    delete: (key) => objects.delete(key),
    list: () => [...objects.keys()] as `/${string}`[],
  };
}

const ramp = (): cw.LazyArray => cw.arange(0, 12, 1, { dtype: "float64", chunks: 4 });

async function failedAttempts(
  run: (options: cw.AsyncComputeOptions) => Promise<unknown>,
  executor: (typeof EXECUTORS)[number],
): Promise<{ retries: number; message: string | null }> {
  let retries = 0;
  const onEvent = ({ type }: RunEvent): void => {
    if (type === "retry") retries++;
  };
  try {
    await run({ spec: quick, executor, onEvent });
    return { retries, message: null };
  } catch (error) {
    expect(error).toBeInstanceOf(cw.RunError);
    return { retries, message: (error as Error).message };
  }
}

const THREE = /gone fishing.*; 3 attempts failed: 1\) gone fishing.* 2\) gone fishing.* 3\) gone fishing/;

describe.each(EXECUTORS)("%s", (executor) => {
  test("a store that reads badly, in the same words every time", async () => {
    const store = failing({ reads: 99, error: () => new Error("gone fishing") });
    await ramp().toZarr(store, { executor: "inline" });
    const x = (await cw.fromZarr(store)).add(1);
    const { retries, message } = await failedAttempts((options) => x.compute(options), executor);
    expect(retries).toBe(2);
    expect(message).toMatch(THREE);
    expect(message).toContain("/c/1");
  });

  test("a store that writes badly", async () => {
    const store = failing({ writes: 99, error: () => new Error("gone fishing") });
    const { retries, message } = await failedAttempts((options) => ramp().toZarr(store, options), executor);
    expect(retries).toBe(2);
    expect(message).toMatch(THREE);
    expect(message).toContain("/c/1");
  });

  test("the third time it comes", async () => {
    const store = failing({ reads: 2, error: () => new TypeError("gone fishing") });
    await ramp().toZarr(store, { executor: "inline" });
    const x = (await cw.fromZarr(store)).add(1);
    expect(await failedAttempts((options) => x.compute(options), executor)).toEqual({
      retries: 2,
      message: null,
    });
  });

  test("what lasts is not tried again: a file that may not be read", async () => {
    const store = failing({
      reads: 99,
      error: () => Object.assign(new Error("EACCES: denied"), { code: "EACCES" }),
    });
    await ramp().toZarr(store, { executor: "inline" });
    const x = (await cw.fromZarr(store)).add(1);
    const { retries, message } = await failedAttempts((options) => x.compute(options), executor);
    expect(retries).toBe(0);
    expect(message).toMatch(/EACCES: denied/);
    expect(message).not.toMatch(/attempts/);
  });

  test("a function that throws the same twice is not called a third time", async () => {
    const fails = cw.moduleFunction(new URL("./blocks.js", import.meta.url), "fails");
    const x = cw.mapBlocks(fails, ramp().rechunk(12));
    const { retries, message } = await failedAttempts((options) => x.compute(options), executor);
    expect(retries).toBe(1);
    expect(message).toMatch(/2 attempts failed: 1\) as it should 2\) as it should/);
  });
});
