// Functions of blocks for tests: a module that threads can import.

import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import process from "node:process";

export const double = (x) => x.data.map((value) => value * 2);

export const rowSums = (x) => {
  const [rows, columns] = x.shape;
  return Float64Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < columns; j++) sum += x.data[x.offset + i * x.strides[0] + j * x.strides[1]];
    return sum;
  });
};

export const fails = () => {
  throw new Error("as it should");
};

let calls = 0;
/** Fails the first time in each thread. */
export const fickle = (x) => {
  if (calls++ === 0) throw new Error("only once");
  return x.data.slice();
};

/** Ends its thread, once: a file remembers it. */
export const dies = (x) => {
  const mark = process.env.CHUNKWISE_TEST_MARK;
  if (!existsSync(mark)) {
    writeFileSync(mark, "");
    process.exit(3);
  }
  return x.data.slice();
};

/** Takes a few milliseconds. */
export const slow = (x) => {
  const end = performance.now() + 4;
  while (performance.now() < end);
  return x.toContiguous().data.map((value) => Math.sqrt(value));
};

/** The first call for one block takes long: a file remembers it. */
export const straggles = (x, { blockId }) => {
  const mark = `${process.env.CHUNKWISE_TEST_MARK}-slow`;
  if (blockId[0] === 7 && !existsSync(mark)) {
    writeFileSync(mark, "");
    const end = performance.now() + 3000;
    while (performance.now() < end);
  }
  return x.data.slice();
};

/** Shows for seconds that its thread is at work: a file grows. */
export const ticks = (x) => {
  const end = performance.now() + 20_000;
  while (performance.now() < end) appendFileSync(`${process.env.CHUNKWISE_TEST_MARK}-ticks`, ".");
  return x.data.slice();
};

/** What the environment says now. */
export const fromEnvironment = (x) => x.data.map(() => Number(process.env.CHUNKWISE_TEST_NUMBER));
