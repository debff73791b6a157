// When threads are called to help: not before there has been work for them.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { isHelped, runWithoutHelp } from "../../src/kernel/wasm/threads.ts";

const numbers = Float64Array.from({ length: 3_000_000 }, (_, i) => Math.sin(i));
const expression = (x: cw.LazyArray): cw.LazyArray => cw.exp(cw.sin(x).multiply(cw.log1p(cw.abs(x))));

test("little work is done alone, and much gets help on its way; the bits are the same", () => {
  const x = cw.asarray(cw.asarray(numbers).negative().computeSync());
  expect(isHelped(1)).toBe(false);
  x.get(":100000").add(1).computeSync({ threads: 2 });
  expect(isHelped(1)).toBe(false);
  const alone = expression(x).computeSync({ threads: 1 });
  expect(isHelped(1)).toBe(false);
  const helped = expression(x).computeSync({ threads: 2 });
  expect(isHelped(1)).toBe(true);
  expect(Buffer.compare(bytesOf(helped), bytesOf(alone))).toBe(0);
});

const bytesOf = ({ data }: cw.NDArray): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

test("work that was done alone counts, and so does work to come", () => {
  expect(isHelped(1, 1e9)).toBe(true);
  let isRun = false;
  runWithoutHelp(() => {
    isRun = true;
  });
  expect(isRun).toBe(true);
});
