// applyGufunc: signatures, loop dimensions that broadcast, several outputs from one call, one call per element.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const numbers = (shape: readonly number[], chunks?: readonly number[]): cw.LazyArray => {
  const size = shape.reduce((a, b) => a * b, 1);
  const values = Float64Array.from({ length: size }, (_, i) => ((i * 37) % 19) - 7);
  const array = new cw.NDArray(values, shape);
  return chunks === undefined ? cw.asarray(array) : cw.asarray(array, { chunks });
};

const sum = (values: Iterable<unknown>): number => [...values].reduce<number>((a, b) => a + Number(b), 0);

/** A dot product of core dimensions: of elements, for vectorize. */
const dot = (a: cw.NDArray, b: cw.NDArray): number =>
  sum([...a].map((x, i) => Number(x) * Number(b.data[i])));

describe("one call per element", () => {
  test("loop dimensions broadcast, in any chunks", () => {
    const lengths = fc.constantFrom(1, 2, 3, 5);
    fc.assert(
      fc.property(lengths, lengths, lengths, lengths, lengths, (n, m, k, cutN, cutM) => {
        const a = numbers([n, m, k], [Math.min(n, cutN), Math.min(m, cutM), Math.max(1, k - 1)]);
        const b = numbers([m, k], [Math.min(m, cutN), 1]);
        const made = cw.applyGufunc(dot, "(i),(i)->()", [a, b], { vectorize: true });
        expect(made.shape).toEqual([n, m]);
        expect(made.computeSync().toList()).toEqual(cw.vecdot(a, b).computeSync().toList());
      }),
      { numRuns: 40 },
    );
  });

  test("several outputs with core dimensions of their own; one call for all of them", async () => {
    let calls = 0;
    const [low, scaled, count] = cw.applyGufunc(
      (row) => {
        calls++;
        const values = row.data as Float64Array;
        return [
          Math.min(...values),
          [values, values.map((x) => -x)].flatMap((v) => [...v]).length,
          values.length,
        ].map((x, k) =>
          k === 1 ? Float64Array.from([...values, ...values], (v, i) => (i < values.length ? v : -v)) : x,
        ) as cw.BlockResult[];
      },
      "(i)->(),(2,i),()",
      [numbers([4, 3, 5], [2, 3, 2])],
      { vectorize: true, outputDtypes: ["float64", "float64", "int64"] },
    );
    expect([low, scaled, count].map((x) => x!.shape)).toEqual([
      [4, 3],
      [4, 3, 2, 5],
      [4, 3],
    ]);
    const x = numbers([4, 3, 5]);
    const [lows, both, counts] = await cw.compute(low!, scaled!, count!);
    expect(calls).toBe(12);
    expect(lows!.toList()).toEqual(x.min({ axis: -1 }).computeSync().toList());
    expect(both!.toList()).toEqual(cw.stack([x, x.negative()], { axis: 2 }).computeSync().toList());
    expect(new Set(counts!)).toEqual(new Set([5]));
  });
});

describe("whole blocks", () => {
  test("loop dimensions come first, core dimensions last and whole", () => {
    const seen = new Set<string>();
    const made = cw.applyGufunc(
      (a, b) => {
        seen.add(`${a.shape.join("×")} ${b.shape.join("×")}`);
        return cw.matmul(a, b).computeSync();
      },
      "(i,j),(j)->(i)",
      [numbers([5, 3, 4], [2, 2, 2]), numbers([4], [1])],
    );
    expect(made.chunks).toEqual([2, 3]);
    const expected = cw.matmul(numbers([5, 3, 4]), numbers([4]));
    expect(made.computeSync().toList()).toEqual(expected.computeSync().toList());
    expect([...seen]).toEqual(["2×3×4 4", "1×3×4 4"]);
  });

  test("several outputs, planned as one call for each block", async () => {
    let calls = 0;
    const outputs = cw.applyGufunc(
      (block) => {
        calls++;
        return [cw.mean(block, { axis: -1 }).computeSync(), cw.std(block, { axis: -1 }).computeSync()];
      },
      "(i)->(),()",
      [numbers([6, 8], [2, 4])],
    );
    for (const optimize of [true, false]) {
      calls = 0;
      const [mean, std] = await cw.compute(outputs, { optimize });
      expect(calls).toBe(3);
      const x = numbers([6, 8]);
      expect(mean!.toList()).toEqual(x.mean({ axis: 1 }).computeSync().toList());
      expect(std!.toList()).toEqual(x.std({ axis: 1 }).computeSync().toList());
    }
  });

  test("sizes of new core dimensions, axes in other places", () => {
    const histogram = (row: cw.NDArray): Float64Array => {
      const counts = new Float64Array(3);
      for (const x of row) counts[Math.min(2, Math.max(0, Math.floor((Number(x) + 7) / 7)))]! += 1;
      return counts;
    };
    const x = numbers([4, 6], [4, 2]);
    const made = cw.applyGufunc(histogram, "(i)->(bins)", x, { vectorize: true, outputSizes: { bins: 3 } });
    expect(made.shape).toEqual([4, 3]);
    const moved = cw.applyGufunc(histogram, "(i)->(bins)", x.matrixTranspose(), {
      vectorize: true,
      outputSizes: { bins: 3 },
      axes: [0, [0]],
    });
    expect(moved.shape).toEqual([3, 4]);
    expect(moved.computeSync().toList()).toEqual(made.matrixTranspose().computeSync().toList());
    expect(sum(made.computeSync())).toBe(24);
  });

  test("no loop dimensions, no elements", () => {
    expect(
      cw
        .applyGufunc(
          dot,
          "(i),(i)->()",
          [
            [1, 2],
            [3, 4],
          ],
          { vectorize: true },
        )
        .computeSync()
        .item(),
    ).toBe(11);
    const none = cw.applyGufunc(dot, "(i),(i)->()", [numbers([0, 3]), numbers([3])], { vectorize: true });
    expect(none.computeSync().shape).toEqual([0]);
    const empty = cw.applyGufunc(dot, "(i),(i)->()", [numbers([2, 0]), numbers([0])], { vectorize: true });
    expect(empty.computeSync().toList()).toEqual([0, 0]);
  });
});

describe("what does not fit", () => {
  const x = numbers([4, 3]);
  const call = (signature: unknown, arrays: unknown = x, options: unknown = {}): (() => unknown) => {
    return () => cw.applyGufunc((a) => a, signature as "(i)->(i)", arrays as cw.LazyArray, options as never);
  };
  test.each<[string, () => unknown, RegExp]>([
    ["no signature", call(5), /5 is not a signature.*"\(i,j\),\(j\)->\(i\)"/],
    ["no arrow", call("(i),(j)"), /is not a signature/],
    ["optional dimensions", call("(i?)->(i)"), /is not a signature/],
    ["an open bracket", call("(i->(i)"), /is not a signature/],
    ["a long one", call(`${"(i),".repeat(10_000)}(i)->()`), /is not a signature/],
    ["too few arrays", call("(i),(i)->()", [x]), /2 inputs and 1 arrays are given/],
    ["too few axes", call("(i,j,k)->()"), /array 0 of shape \[4, 3\] has fewer axes/],
    ["other lengths", call("(i),(i)->()", [x, numbers([4])]), /dimension i has length 4 in array 1 and 3/],
    ["another fixed length", call("(4)->()"), /dimension 4 has length 3 in array 0 and 4/],
    ["an unknown size", call("(i)->(k)"), /size of the core dimension k is not known.*outputSizes: \{k: …\}/],
    ["a size of junk", call("(i)->(k)", x, { outputSizes: { k: -1 } }), /outputSizes says that "k" is -1/],
    ["a size of nothing", call("(i)->(i)", x, { outputSizes: { k: 2 } }), /outputSizes says that "k" is 2/],
    ["another size", call("(i)->(i)", x, { outputSizes: { i: 2 } }), /outputSizes says that "i" is 2/],
    ["sizes of junk", call("(i)->(i)", x, { outputSizes: 3 }), /outputSizes is 3/],
    ["too few dtypes", call("(i)->(i),()", x, { outputDtypes: ["float64"] }), /2 outputs and 1 dtypes/],
    ["no dtype", call("(i)->(i)", x, { outputDtypes: "float" }), /float/],
    ["axes of junk", call("(i)->(i)", x, { axes: 0 }), /axes is 0/],
    ["too many axes", call("(i)->(i)", x, { axes: [[0, 1], [0]] }), /there are 1 core dimensions/],
    ["an axis that is not there", call("(i)->(i)", x, { axes: [[0], [2]] }), /axis 2/],
    ["a flag of junk", call("(i)->(i)", x, { vectorize: 1 }), /vectorize/],
    ["another option", call("(i)->(i)", x, { vectorise: true }), /no option "vectorise"/],
    ["loops that do not broadcast", call("(i),(i)->()", [x, numbers([5, 3])]), /broadcast/],
  ])("%s", (_, run, message) => {
    expect(run).toThrow(message);
    expect(run).toThrow(cw.ChunkwiseError);
  });
});
