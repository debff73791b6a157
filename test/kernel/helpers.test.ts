// When threads are called to help: not before work has waited for them. The clock is the test's: it moves on by a
// millisecond whenever somebody looks at it.

import * as cw from "chunkwise";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

type Threads = typeof import("../../src/kernel/wasm/threads.ts");

let isRunning = false;

beforeEach(() => {
  let now = 0;
  isRunning = false;
  vi.spyOn(performance, "now").mockImplementation(() => (isRunning ? now++ : now));
});
afterEach(() => vi.restoreAllMocks());

const bytesOf = ({ data }: cw.NDArray): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

test("little work is done alone, and much gets help on its way; the bits are the same", async () => {
  const { isHelped } = await import("../../src/kernel/wasm/threads.ts");
  const numbers = Float64Array.from({ length: 3_000_000 }, (_, i) => Math.sin(i));
  const x = cw.asarray(cw.asarray(numbers).negative().computeSync());
  const expression = cw.exp(cw.sin(x).multiply(cw.log1p(cw.abs(x))));
  isRunning = true;
  x.get(":1000000").add(1).computeSync({ threads: 2 });
  expect(isHelped(1)).toBe(false);
  const alone = expression.computeSync({ threads: 1 });
  expect(isHelped(1)).toBe(false);
  // More than 60 parts of 32,768 elements.
  const helped = expression.computeSync({ threads: 2 });
  expect(isHelped(1)).toBe(true);
  expect(Buffer.compare(bytesOf(helped), bytesOf(alone))).toBe(0);
});

async function freshThreads(): Promise<Threads> {
  vi.resetModules();
  return import("../../src/kernel/wasm/threads.ts");
}

test("work that was done alone counts", async () => {
  const { isHelped, runWithoutHelp } = await freshThreads();
  isRunning = true;
  for (let ms = 1; ms < 60; ms++) runWithoutHelp(() => {});
  expect(isHelped(1)).toBe(false);
  runWithoutHelp(() => {});
  expect(isHelped(1)).toBe(true);
});

test("so does work to come", async () => {
  const { isHelped } = await freshThreads();
  expect(isHelped(1, 59)).toBe(false);
  expect(isHelped(1, 60)).toBe(true);
});
