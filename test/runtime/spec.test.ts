// Spec: sizes, precedence of code, environment and configuration, and checks against the machine.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import { afterEach, describe, expect, test, vi } from "vitest";
import { parseBytes } from "../../src/core/counts.ts";

afterEach(() => vi.unstubAllEnvs());

describe("sizes", () => {
  test.each([
    ["2GB", 2e9],
    ["2 gb", 2e9],
    ["1.5MB", 1.5e6],
    ["512KiB", 524_288],
    ["1GiB", 2 ** 30],
    ["100", 100],
    ["7 B", 7],
    [12.7, 12],
    [0, 0],
  ])("%j is %d bytes", (size, bytes) => expect(parseBytes(size)).toBe(bytes));

  test.each([
    ["2XB"],
    ["GB"],
    [""],
    ["-1GB"],
    [-1],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [null],
    ["1e9"],
    ["1GB2"],
  ])("%j is none", (size) => expect(parseBytes(size)).toBeNull());
});

describe("where settings come from", () => {
  test("defaults: most of the machine, threads, a temporary folder", () => {
    const spec = new cw.Spec();
    expect(spec.allowedMem).toBeLessThanOrEqual(totalmem());
    expect(spec.reservedMem).toBe(138e6);
    expect(spec.threadMem).toBe(28e6);
    expect(spec.budget).toBe(spec.allowedMem - 138e6);
    expect([spec.executor, spec.workDir, spec.threads]).toEqual(["threads", null, null]);
  });

  test("the environment", () => {
    vi.stubEnv("CHUNKWISE_ALLOWED_MEM", "500MB");
    vi.stubEnv("CHUNKWISE_RESERVED_MEM", "50MB");
    vi.stubEnv("CHUNKWISE_WORK_DIR", "/somewhere");
    vi.stubEnv("CHUNKWISE_EXECUTOR", "inline");
    vi.stubEnv("CHUNKWISE_THREADS", "3");
    const { allowedMem, reservedMem, workDir, executor, threads } = new cw.Spec();
    expect([allowedMem, reservedMem, workDir, executor, threads]).toEqual([
      5e8,
      5e7,
      "/somewhere",
      "inline",
      3,
    ]);
  });

  test("code goes before the environment, which goes before the configuration", () => {
    const file = join(mkdtempSync(join(tmpdir(), "chunkwise-spec-")), "chunkwise.json");
    writeFileSync(
      file,
      JSON.stringify({ allowedMem: "900MB", reservedMem: "90MB", threads: 5, executor: "inline" }),
    );
    vi.stubEnv("CHUNKWISE_CONFIG", file);
    vi.stubEnv("CHUNKWISE_ALLOWED_MEM", "800MB");
    vi.stubEnv("CHUNKWISE_THREADS", "4");
    const spec = new cw.Spec({ threads: 2 });
    expect([spec.allowedMem, spec.reservedMem, spec.threads, spec.executor]).toEqual([8e8, 9e7, 2, "inline"]);
  });

  test("a configuration that is none", () => {
    const file = join(mkdtempSync(join(tmpdir(), "chunkwise-spec-")), "chunkwise.json");
    vi.stubEnv("CHUNKWISE_CONFIG", file);
    expect(() => new cw.Spec()).toThrow(/cannot be read/);
    writeFileSync(file, '{"allowedMemory": 1}');
    expect(() => new cw.Spec()).toThrow(/no option "allowedMemory"\. Did you mean "?allowedMem/);
    writeFileSync(file, "[1]");
    expect(() => new cw.Spec()).toThrow(cw.ValueError);
  });
});

describe("what cannot be", () => {
  test.each<[string, object, RegExp]>([
    ["an unknown option", { allowedMen: 1 }, /no option "allowedMen"/],
    ["a size that is none", { allowedMem: "lots" }, /allowedMem is "lots"\. It must be a number of bytes/],
    ["more than the machine has", { allowedMem: "900TB" }, /the machine has .*Allow no more than there is/],
    ["nothing left", { allowedMem: "100MB", reservedMem: "100MB" }, /leaves nothing.*measureReservedMemory/],
    ["no executor", { executor: {} }, /executor is .*\. It must be the name of an executor, or an executor/],
    ["half a thread", { threads: 0.5 }, /threads is 0\.5/],
    ["no folder", { workDir: "" }, /workDir is ""/],
  ])("%s", (_, options, message) => {
    expect(() => new cw.Spec(options as cw.SpecOptions)).toThrow(message);
    expect(() => new cw.Spec(options as cw.SpecOptions)).toThrow(cw.ValueError);
  });

  test("an executor that nobody knows is told of when it is to be used", async () => {
    const x = cw.arange(0, 4, 1, { dtype: "float64" });
    const spec = new cw.Spec({ executor: "thread" });
    await expect(x.compute({ spec })).rejects.toThrow(/no executor "thread"\. Did you mean threads\?/);
    await expect(x.compute({ executor: "cluster" })).rejects.toThrow(/Known are threads, inline/);
  });

  test.each<[object, RegExp]>([
    [{ retries: { attemps: 1 } }, /retries: there is no option "attemps"\. Did you mean attempts\?/],
    [{ retries: { attempts: 0 } }, /retries: attempts is 0\. It must be a whole number of 1 or more/],
    [{ retries: { attempts: 2.5 } }, /attempts is 2\.5/],
    [{ retries: { attempts: "3" } }, /attempts is "3"/],
    [{ retries: { delayMs: Number.NaN } }, /delayMs is NaN\. It must be a number of milliseconds/],
    [{ retries: 3 }, /retries is 3\. Give an object: \{attempts, delayMs, maxDelayMs\}/],
    [{ retries: null }, /retries is null/],
    [{ retries: [1] }, /retries is/],
    [{ retries: "often" }, /retries is "often"/],
    [{ twins: "yes" }, /twins is "yes"\. Give true, false or an object: \{minStarted/],
    [{ twins: null }, /twins is null/],
    [{ twins: 1 }, /twins is 1/],
    [{ twins: { slowdown: -1 } }, /twins: slowdown is -1\. It must be a factor of 1 or more/],
    [{ twins: { minDone: 50 } }, /minDone is 50\. It must be a part of all, from 0 to 1/],
    [{ twins: { isOn: true } }, /twins: there is no option "isOn"/],
    [{ twins: { slow: 2 } }, /twins: there is no option "slow"/],
  ])("retries and twins: %j", (options, message) => {
    expect(() => new cw.Spec(options as cw.SpecOptions)).toThrow(message);
    expect(() => new cw.Spec(options as cw.SpecOptions)).toThrow(cw.ValueError);
  });

  test("what is not given is as usual", () => {
    const { retries, twins } = new cw.Spec({ retries: { attempts: undefined }, twins: undefined });
    expect([retries, twins]).toEqual([{ attempts: undefined }, true]);
  });
});

describe("memory", () => {
  test("a task that needs more than is allowed is refused before anything runs, with the cure, which works", async () => {
    const spec = new cw.Spec({ allowedMem: "11MB", reservedMem: "10MB" });
    const make = (chunks: number): cw.LazyArray =>
      cw.arange(0, 4e5, 1, { dtype: "float64", chunks }).add(0.5).sort();
    const x = make(4e5).rechunk(1e5);
    const error = await x.compute({ spec }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(cw.MemoryError);
    const { message, needed, allowed, line } = error as cw.MemoryError;
    expect(message).toMatch(
      /(add|sort) at .*spec\.test\.ts:\d+.*a task needs .* MB and may use 1 MB: .*Allow [\d.]+ MB or more \(allowedMem, with 10 MB reserved\)/,
    );
    expect(needed).toBeGreaterThan(allowed);
    expect(line).toContain("spec.test.ts");
    const enough = new cw.Spec({ allowedMem: 10e6 + needed, reservedMem: "10MB" });
    expect((await x.compute({ spec: enough })).size).toBe(4e5);
  });

  test("what the process needs besides data can be measured, for a number of threads", {
    timeout: 200_000,
  }, async () => {
    const { ensureBuilt } = await import("../built.ts");
    await ensureBuilt();
    const [one, four] = [
      await cw.measureReservedMemory({ threads: 1 }),
      await cw.measureReservedMemory({ threads: 4 }),
    ];
    expect(one).toBeGreaterThan(30e6);
    expect(four).toBeLessThan(1e9);
    // Every thread is an engine of its own, with the library's code in it.
    expect(four - one).toBeGreaterThan(3 * 8e6);
  });
});
