// Arguments of public functions: options stand wherever the arguments stop, and parameters left out may stand in them.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";

const list = (x: cw.LazyArray): unknown => x.computeSync().toList();
const vector = cw.asarray(new Float64Array([1, 5, 9]));

describe("options stand where the arguments stop", () => {
  test("arange", () => {
    expect(cw.arange(10, { chunks: 5 }).chunks).toEqual([5]);
    expect(list(cw.arange(2, { dtype: "float32" }))).toEqual([0, 1]);
    expect(list(cw.arange(2, 5, { dtype: "float32" }))).toEqual([2, 3, 4]);
    expect(list(cw.arange(0, { stop: 1, step: 0.5 }))).toEqual([0, 0.5]);
    expect(list(cw.arange(0, 1, { step: 0.5 }))).toEqual([0, 0.5]);
    expect(list(cw.arange(0, 1, 0.5, { chunks: 1 }))).toEqual([0, 0.5]);
    expect(cw.arange(10, undefined, undefined, { chunks: 5 }).expr).toBe(cw.arange(10, { chunks: 5 }).expr);
  });

  test("eye, linspace, clip, expandDims", () => {
    expect(cw.eye(3, { k: 1 }).expr).toBe(cw.eye(3, null, { k: 1 }).expr);
    expect(cw.eye(2, { nCols: 3 }).shape).toEqual([2, 3]);
    expect(cw.linspace(0, 1, { num: 5 }).expr).toBe(cw.linspace(0, 1, 5).expr);
    expect(list(cw.linspace(0, 1, { num: 2, endpoint: false }))).toEqual([0, 0.5]);
    expect(list(vector.clip({ min: 2 }))).toEqual([2, 5, 9]);
    expect(list(vector.clip(2, { max: 6 }))).toEqual([2, 5, 6]);
    const small = cw.zeros([3], { dtype: "int8" });
    expect(cw.clip(vector, 2, { out: small }).dtype).toBe("int8");
    expect(cw.expandDims(vector, 0).shape).toEqual([1, 3]);
    expect(cw.expandDims(vector, -1).shape).toEqual([3, 1]);
    expect(vector.expandDims([0, 2]).shape).toEqual([1, 3, 1]);
    expect(vector.expandDims({ axis: 1 }).shape).toEqual([3, 1]);
    expect(vector.expandDims().shape).toEqual([1, 3]);
  });

  test("keywords of expressions go the same way", () => {
    expect(list(cw.expr`arange(0, stop=2, step=0.5)`)).toEqual([0, 0.5, 1, 1.5]);
    expect(list(cw.expr`linspace(0, 1, num=3)`)).toEqual([0, 0.5, 1]);
    expect(cw.expr`expandDims(${vector}, axis=1)`.shape).toEqual([3, 1]);
    expect(cw.expr`softmax(${vector}, axis=0) + logSoftmax(${vector}) + logsumexp(${vector})`.shape).toEqual([
      3,
    ]);
  });
});

describe("what is refused", () => {
  const loose = cw as unknown as { readonly [name: string]: (...args: unknown[]) => unknown };
  const refused: readonly (readonly [string, readonly unknown[], RegExp])[] = [
    ["arange", [0, 10, { stop: 5 }], /no option "stop"/],
    ["arange", [10, { chunk: 5 }], /no option "chunk".*chunks/s],
    ["arange", [10, { steps: 5 }], /no option "steps".*step/s],
    ["arange", [0, 10, 1, {}, {}], /5 arguments where 4 are taken/],
    ["arange", [{ stop: 5 }], /start is/],
    ["linspace", [0, 1, {}], /num is undefined/],
    ["expandDims", [vector, { axes: 0 }], /no option "axes".*axis/s],
    ["expandDims", [vector, 0, 1], /the options are 1/],
    ["eye", [3, "float32"], /./],
  ];
  test.each(refused)("%s(%j)", (name, args, message) => {
    expect(() => loose[name]!(...args)).toThrow(message);
    expect(() => loose[name]!(...args)).toThrow(cw.ChunkwiseError);
  });

  test("a parameter given by its place and by its name", () => {
    expect(() => cw.expr`arange(0, 5, stop=3)`).toThrow(/stop is given twice/);
  });
});
