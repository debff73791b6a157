// Users' functions and memory (A12): one that allocates without bound is stopped, one that says what it takes is counted.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as cw from "chunkwise";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../built.ts";

interface Outcome {
  readonly failed: {
    readonly type: string;
    readonly message: string;
    readonly cause: string;
    readonly resident: number;
    readonly allowed: number;
  } | null;
  readonly peak: number;
}

async function outcomeOf(name: string, kind: "module" | "closure", allowedMem: string): Promise<Outcome> {
  const child = new URL("hoard-child.mjs", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [child, name, kind, allowedMem]);
  return JSON.parse(stdout) as Outcome;
}

describe("functions that allocate without bound", () => {
  beforeAll(ensureBuilt);

  test.each([
    ["in the midst of a call, on a thread", "hoard", "module"],
    ["between calls, on a thread", "leak", "module"],
    ["between calls, on the thread of the run", "leak", "closure"],
  ] as const)("are stopped %s", async (_, name, kind) => {
    const { failed, peak } = await outcomeOf(name, kind, "500MB");
    expect(failed).toMatchObject({ type: "RunError", cause: "FunctionMemoryError" });
    expect(failed?.message).toMatch(new RegExp(`MB are allowed: it was stopped in ${name}`));
    expect(failed?.message).toMatch(/memory: "200MB".*allowedMem/);
    expect(failed?.resident).toBeGreaterThan(failed?.allowed ?? Number.POSITIVE_INFINITY);
    // They would have taken 3 GB and more.
    expect(peak).toBeLessThan(1.5e9);
  });

  test.each(["module", "closure"] as const)("others are not (%s)", async (kind) => {
    expect((await outcomeOf("frugal", kind, "500MB")).failed).toBeNull();
  });
});

describe("what a function says that it takes", () => {
  const same = (block: cw.NDArray): cw.NDArray => block;
  const x = cw.ones([1000], { chunks: 100 });
  const stated = (memory?: number | string): number =>
    cw.mapBlocks(same, x, { memory }).plan().maxProjectedMem;

  test("is part of the task's memory, in place of a guess", () => {
    expect(stated("2MB") - stated(0)).toBe(2e6);
    expect(stated()).toBeGreaterThan(stated(0));
  });

  test("is stated by all functions that take functions", () => {
    const overlapped = cw.mapOverlap(same, x, { depth: 1, memory: "2MB" });
    const applied = cw.applyGufunc(same, "(i)->(i)", x, { memory: "2MB" });
    for (const { plan } of [overlapped, applied].map((array) => ({ plan: array.plan() })))
      expect(plan.maxProjectedMem).toBeGreaterThan(2e6);
  });

  test("is refused while planning where it is more than is allowed", () => {
    const spec = new cw.Spec({ allowedMem: "101MB", reservedMem: "100MB" });
    const asked = cw.mapBlocks(same, x, { memory: "2MB" });
    expect(() => cw.plan([asked], { spec })).toThrow(/needs 2 MB.*blocks of the function 2 MB/);
  });

  test("must be a size", () => {
    expect(() => cw.mapBlocks(same, x, { memory: "much" })).toThrow(/memory is "much".*"200MB"/);
  });
});
