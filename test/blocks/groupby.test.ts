// groupbyReduce against a naive evaluator: for each label the elements that have it, reduced by the plain reduction.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const REDUCTIONS = ["sum", "mean", "min", "max", "count", "var", "std", "prod", "any", "all"] as const;
type Reduction = (typeof REDUCTIONS)[number];
const PLAIN: {
  readonly [R in Exclude<Reduction, "count">]: (x: cw.Operand, options?: never) => cw.LazyArray;
} = {
  ...{ sum: cw.sum, mean: cw.mean, min: cw.min, max: cw.max, var: cw.var, std: cw.std },
  ...{ prod: cw.prod, any: cw.any, all: cw.all },
};
const DTYPES = ["float64", "float32", "int32", "int64", "uint8", "bool", "complex128"] as const;

/** What there is to compare with: the elements of one label, taken out and reduced; what changes nothing for none. */
function naive(
  x: cw.LazyArray,
  labels: readonly number[],
  label: number,
  options: { readonly axis: number; readonly reduce: Reduction; readonly correction?: number },
): unknown[] {
  const { axis, reduce, correction = 0 } = options;
  const places = labels.flatMap((given, at) => (given === label ? [at] : []));
  const part = cw.take(x, places.length === 0 ? new cw.NDArray(new BigInt64Array(0), [0]) : places, { axis });
  const rest = x.shape.filter((_, at) => at !== axis);
  const size = rest.reduce((a, b) => a * b, 1);
  if (reduce === "count") return new Array(size).fill(places.length);
  if (places.length === 0 && (reduce === "min" || reduce === "max"))
    return new Array(size).fill(none(x.dtype, reduce));
  const more = reduce === "var" || reduce === "std" ? { correction } : {};
  return [...PLAIN[reduce](part, { axis, ...more } as never).computeSync()];
}

function none(dtype: cw.DType, reduce: "min" | "max"): unknown {
  if (dtype === "bool") return reduce === "min";
  if (dtype.startsWith("float")) return reduce === "min" ? Infinity : -Infinity;
  const limit = cw.iinfo(dtype)[reduce === "min" ? "max" : "min"];
  return dtype.endsWith("64") ? BigInt(limit) : Number(limit);
}

const accepts = (dtype: string, reduce: string): boolean => {
  if (dtype === "complex128") return !["min", "max", "var", "std"].includes(reduce);
  return true;
};

const close = (a: unknown, b: unknown, tolerance: number): boolean => {
  if (a instanceof Object && b instanceof Object)
    return ["re", "im"].every((part) => close((a as never)[part], (b as never)[part], tolerance));
  if (typeof a !== "number" || typeof b !== "number") return Object.is(a, b);
  return Object.is(a, b) || Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b));
};

const cases = fc.record({
  shape: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
  chunks: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 3, maxLength: 3 }),
  axis: fc.nat({ max: 2 }),
  length: fc.integer({ min: 0, max: 12 }),
  numLabels: fc.integer({ min: 1, max: 5 }),
  seed: fc.nat({ max: 1000 }),
  dtype: fc.constantFrom(...DTYPES),
  reduce: fc.constantFrom(...REDUCTIONS),
  labelChunks: fc.integer({ min: 1, max: 5 }),
  optimize: fc.boolean(),
});

test("any shape, chunks, labels and dtype ≡ each label by itself", () => {
  fc.assert(
    fc.property(cases, (given) => {
      const { dtype, reduce, numLabels, optimize, seed } = given;
      fc.pre(accepts(dtype, reduce));
      const axis = given.axis % given.shape.length;
      const shape = given.shape.map((n, at) => (at === axis ? given.length : n));
      const size = shape.reduce((a, b) => a * b, 1);
      const values = Float64Array.from(
        { length: size },
        (_, i) => (((i + seed) * 7919) % 9) - (dtype === "uint8" ? 0 : 4),
      );
      const whole = cw.asarray(new cw.NDArray(values, shape)).astype(dtype);
      const x = whole.rechunk(
        given.chunks.slice(0, shape.length).map((n, at) => Math.max(1, Math.min(n, shape[at]!))),
      );
      const labels = Array.from(
        { length: given.length },
        (_, i) => (((i + seed) * 31) % (numLabels + 1)) - 1,
      );
      const lazy = cw.asarray(new cw.NDArray(Int32Array.from(labels), [given.length]), {
        chunks: [Math.max(1, Math.min(given.labelChunks, given.length))],
      });
      const options = { axis, numLabels, reduce, correction: seed % 2 };
      const made = cw.groupbyReduce(x, lazy, options);
      expect(made.shape).toEqual(shape.map((n, at) => (at === axis ? numLabels : n)));
      const result = cw.asarray(made.computeSync({ optimize }));
      for (let label = 0; label < numLabels; label++) {
        const expected = naive(whole, labels, label, options);
        const got = [...cw.take(result, [label], { axis }).computeSync()];
        const isSame = got.every((value, i) => close(value, expected[i], dtype === "float32" ? 1e-5 : 1e-12));
        expect(isSame, `${reduce} of ${label}: ${got} and not ${expected}`).toBe(true);
        expect(got.length).toBe(expected.length);
      }
    }),
    { numRuns: 120 },
  );
});

describe("what it gives", () => {
  const x = cw.asarray([1, 2, Number.NaN, 4, 5, 6], { dtype: "float64" }).rechunk([2]);
  const labels = [0, 1, 1, 0, -1, 3];

  test("NaN goes where plain reductions put it; labels below 0 are left out; nothing has its own value", () => {
    const of = (reduce: cw.GroupReduction): unknown =>
      cw.groupbyReduce(x, labels, { reduce }).computeSync().toList();
    expect(of("sum")).toEqual([5, Number.NaN, 0, 6]);
    expect(of("mean")).toEqual([2.5, Number.NaN, Number.NaN, 6]);
    expect(of("max")).toEqual([4, Number.NaN, -Infinity, 6]);
    expect(of("count")).toEqual([2, 2, 0, 1]);
    expect(of("any")).toEqual([true, true, false, true]);
  });

  test("fillValue is for labels without elements", () => {
    const made = cw.groupbyReduce(x, labels, { reduce: "min", fillValue: -9 });
    expect(made.computeSync().toList()).toEqual([1, Number.NaN, -9, 6]);
    const bytes = cw.asarray(Uint8Array.of(3, 4));
    const sums = cw.groupbyReduce(bytes, [1, 1], { reduce: "max", fillValue: 7 });
    expect(sums.dtype).toBe("uint8");
    expect(sums.computeSync().toList()).toEqual([7, 4]);
  });

  test("variances of data far from zero keep their digits", () => {
    const near = Float64Array.from({ length: 400 }, (_, i) => 1e9 + (i % 7));
    const group = Int32Array.from({ length: 400 }, (_, i) => i % 3);
    const made = cw.groupbyReduce(cw.asarray(near, { chunks: [37] }), group, { reduce: "var" });
    [...made.computeSync()].forEach((value, label) => {
      const own = near.filter((_, i) => i % 3 === label);
      expect(value).toBeCloseTo(Number(cw.var(cw.asarray(own)).computeSync().item()), 6);
    });
  });

  test("dtypes are those of the plain reductions", () => {
    const bytes = cw.asarray(Int8Array.of(100, 100, 100));
    const dtypeOf = (reduce: cw.GroupReduction): string =>
      cw.groupbyReduce(bytes, [0, 0, 0], { reduce }).dtype;
    expect(REDUCTIONS.map(dtypeOf)).toEqual(
      REDUCTIONS.map((name) => (name === "count" ? "int64" : PLAIN[name](bytes).dtype)),
    );
    expect(cw.groupbyReduce(bytes, [0, 0, 0], { reduce: "sum" }).computeSync().toList()).toEqual([300]);
  });
});

describe("plans", () => {
  test("a tree over blocks; a task holds one value for each label", () => {
    const x = cw.ones([1_000_000], { chunks: [1000] });
    const labels = cw.arange(0, 1_000_000, 1, { chunks: [1000] }).remainder(10);
    const plan = cw.plan(cw.groupbyReduce(x, labels, { reduce: "mean", numLabels: 10 }));
    expect(plan.maxProjectedMem).toBeLessThan(200_000);
    const sums = cw.groupbyReduce(x, labels, { reduce: "sum", numLabels: 10 });
    expect(sums.computeSync().toList()).toEqual(new Array(10).fill(100_000));
  });
});

describe("what does not fit", () => {
  const x = cw.ones([4, 3]);
  const call = (labels: unknown, options: unknown): (() => unknown) => {
    return () => cw.groupbyReduce(x, labels as number[], options as cw.GroupbyOptions);
  };
  test.each<[string, () => unknown, RegExp]>([
    ["no options", call([0, 1, 2], undefined), /reduce is undefined/],
    ["another reduction", call([0, 1, 2], { reduce: "summ", axis: 1 }), /reduce is "summ".*sum/],
    ["no axis", call([0, 1, 2], { reduce: "sum" }), /2 axes.*Pass axis/],
    ["an axis that is not there", call([0, 1, 2], { reduce: "sum", axis: 2 }), /axis 2/],
    ["too few labels", call([0, 1], { reduce: "sum", axis: 1 }), /shape \[2\] and axis 1 of the array has 3/],
    ["labels that are none", call([0.5, 1, 2], { reduce: "sum", axis: 1 }), /labels are float64/],
    ["truth values", call([true, false, true], { reduce: "sum", axis: 1 }), /labels are bool/],
    ["a number that is none", call([0, 1, 2], { reduce: "sum", axis: 1, numLabels: -1 }), /numLabels is -1/],
    ["no number", call([0, 1, 2], { reduce: "sum", axis: 1, numLabels: "3" }), /numLabels is "3"/],
    [
      "a correction of junk",
      call([0, 1, 2], { reduce: "var", axis: 1, correction: "1" }),
      /correction is "1"/,
    ],
    ["a fill of junk", call([0, 1, 2], { reduce: "sum", axis: 1, fillValue: {} }), /fillValue/],
  ])("%s", (_, run, message) => {
    expect(run).toThrow(message);
    expect(run).toThrow(cw.ChunkwiseError);
  });

  test("a label that is too large is told of, with its place", () => {
    const made = cw.groupbyReduce(x, [0, 1, 7], { reduce: "sum", axis: 1, numLabels: 3 });
    expect(() => made.computeSync()).toThrow(/the label 7 at place 2 is not below numLabels, which is 3/);
  });

  test("what has no order has no minimum", () => {
    const complex = cw.astype(x, "complex128");
    expect(() => cw.groupbyReduce(complex, [0, 1, 2], { reduce: "min", axis: 1 })).toThrow(cw.DTypeError);
    expect(() => cw.groupbyReduce(complex, [0, 1, 2], { reduce: "nanvar", axis: 1 })).toThrow(cw.DTypeError);
  });
});
