// Every differentiable op against finite differences, in one chunk and in several.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { CASES } from "./cases.ts";
import { apart, byGradient, directional, type Scalarly } from "./finiteDifferences.ts";

/** Numbers from a seed: xorshift. */
function numbers(seed: number): () => number {
  let state = seed * 2654435761 + 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const cutInto = (xs: readonly cw.LazyArray[], chunk: number): cw.LazyArray[] =>
  xs.map((x) => cw.asarray(x.computeSync(), { chunks: x.shape.map((n) => Math.min(n, chunk)) }));

const arrayOf = (shape: readonly number[], next: () => number, low: number, high: number): cw.LazyArray => {
  const size = shape.reduce((product, n) => product * n, 1);
  const data = Float64Array.from({ length: size }, () => low + (high - low) * next());
  return cw.asarray(new cw.NDArray(data, shape));
};

test.each(Object.entries(CASES))("%s", (name, { f, shapes, low = -2, high = 2 }) => {
  const next = numbers(name.length * 7 + name.charCodeAt(0));
  const xs = shapes.map((shape) => arrayOf(shape, next, low, high));
  const vs = shapes.map((shape) => arrayOf(shape, next, -1, 1));
  // Every element counts differently.
  const weighted: Scalarly = (...given) => {
    const y = f(...given);
    return y.multiply(0.3).sin().add(y).sum();
  };
  const expected = directional(weighted, xs, vs);
  const found = byGradient(weighted, cutInto(xs, 2), vs);
  expect(apart(found, expected), `${found} and ${expected}`).toBeLessThan(1e-7);
});
