// When threads are called to help: not before work has waited for them. The clock is the test's: it moves on by a
// millisecond whenever somebody looks at it.

import * as cw from "chunkwise";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { wasmBackend } from "../../src/kernel/wasm/backend.ts";
import { Helpers } from "../../src/kernel/wasm/machine.ts";
import { KernelMemory } from "../../src/kernel/wasm/memory.ts";

let isRunning = false;

beforeEach(() => {
  let now = 0;
  isRunning = false;
  vi.spyOn(performance, "now").mockImplementation(() => (isRunning ? now++ : now));
});
afterEach(() => vi.restoreAllMocks());

const bytesOf = ({ data }: cw.NDArray): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

test("little work is done alone, and much gets help on its way; the bits are the same", () => {
  const backend = wasmBackend();
  const helpers = (): number => backend.statistics().helpers;
  const numbers = Float64Array.from({ length: 3_000_000 }, (_, i) => Math.sin(i));
  const x = cw.asarray(cw.asarray(numbers).negative().computeSync({ backend }));
  const expression = cw.exp(cw.sin(x).multiply(cw.log1p(cw.abs(x))));
  isRunning = true;
  x.get(":1000000").add(1).computeSync({ threads: 2, backend });
  expect(helpers()).toBe(0);
  const alone = expression.computeSync({ threads: 1, backend });
  expect(helpers()).toBe(0);
  // More than 60 parts of 32,768 elements.
  const helped = expression.computeSync({ threads: 2, backend });
  expect(helpers()).toBe(1);
  expect(Buffer.compare(bytesOf(helped), bytesOf(alone))).toBe(0);
});

test("work that was done alone counts", () => {
  const helpers = new Helpers(new KernelMemory());
  isRunning = true;
  for (let ms = 1; ms < 60; ms++) helpers.without(() => {});
  expect(helpers.areThere(1)).toBe(false);
  helpers.without(() => {});
  expect(helpers.areThere(1)).toBe(true);
});

test("so does work to come", () => {
  const helpers = new Helpers(new KernelMemory());
  expect(helpers.areThere(1, 59)).toBe(false);
  expect(helpers.areThere(1, 60)).toBe(true);
});
