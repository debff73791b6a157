// mapOverlap against the array padded as NumPy pads it and the function applied to the whole of it.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

type Pair = readonly [number, number];

function placeOf(i: number, shape: readonly number[]): number[] {
  let rest = i;
  const place: number[] = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    place[axis] = rest % shape[axis]!;
    rest = Math.floor(rest / shape[axis]!);
  }
  return place;
}

/** A function of windows that is the same for blocks and for the whole: weighted sums of everything within reach. */
function stencil(before: readonly number[], after: readonly number[]) {
  return (block: cw.NDArray): cw.NDArray => {
    const inner = block.shape.map((n, axis) => n - before[axis]! - after[axis]!);
    const result = new Float64Array(inner.reduce((a, b) => a * b, 1));
    const reach = block.shape.map((_, axis) => before[axis]! + after[axis]! + 1);
    const values = block.toContiguous().data as Float64Array;
    const size = reach.reduce((a, b) => a * b, 1);
    for (let i = 0; i < result.length; i++) {
      const place = placeOf(i, inner);
      for (let k = 0; k < size; k++) {
        const offset = placeOf(k, reach);
        const where = place.reduce((sum, x, axis) => sum * block.shape[axis]! + x + offset[axis]!, 0);
        result[i]! += (k + 1) * values[where]!;
      }
    }
    return new cw.NDArray(result, inner);
  };
}

/** Where np.pad takes the element at a place along an axis of n from; −1: a constant. */
function sourceOf(at: number, n: number, boundary: cw.Boundary): number {
  if (at >= 0 && at < n) return at;
  if (boundary === "edge") return at < 0 ? 0 : n - 1;
  if (boundary === "wrap") return ((at % n) + n) % n;
  if (boundary !== "reflect") return -1;
  if (n === 1) return 0;
  return at < 0 ? sourceOf(-at, n, boundary) : sourceOf(2 * (n - 1) - at, n, boundary);
}

function padAsNumpy(
  values: Float64Array,
  shape: readonly number[],
  depth: readonly Pair[],
  boundary: cw.Boundary,
): cw.NDArray {
  const larger = shape.map((n, axis) => n + depth[axis]![0] + depth[axis]![1]);
  const size = larger.reduce((a, b) => a * b, 1);
  const result = Float64Array.from({ length: size }, (_, i) => {
    const place = placeOf(i, larger).map((x, axis) => sourceOf(x - depth[axis]![0], shape[axis]!, boundary));
    if (place.includes(-1)) return typeof boundary === "number" ? boundary : 0;
    return values[place.reduce((sum, x, axis) => sum * shape[axis]! + x, 0)]!;
  });
  return new cw.NDArray(result, larger);
}

const cases = fc.integer({ min: 1, max: 3 }).chain((ndim) =>
  fc.record({
    shape: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: ndim, maxLength: ndim }),
    chunks: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: ndim, maxLength: ndim }),
    depth: fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 })), {
      minLength: ndim,
      maxLength: ndim,
    }),
    boundary: fc.constantFrom<cw.Boundary>("constant", "edge", "reflect", "wrap", 2.5, -1),
    trim: fc.boolean(),
    optimize: fc.boolean(),
  }),
);

describe("any shape, chunks, depth and boundary", () => {
  test("≡ pad and one call", () => {
    fc.assert(
      fc.property(cases, ({ shape, chunks, depth, boundary, trim, optimize }) => {
        const size = shape.reduce((a, b) => a * b, 1);
        const values = Float64Array.from({ length: size }, (_, i) => ((i * 7919) % 23) - 11);
        const x = cw.asarray(new cw.NDArray(values, shape), {
          chunks: chunks.map((n, axis) => Math.min(n, shape[axis]!)),
        });
        const [before, after] = [depth.map(([d]) => d), depth.map(([, d]) => d)];
        const inner = stencil(before, after);
        // With trim, what is left on around the block is junk.
        const whole = (block: cw.NDArray): cw.NDArray => {
          const result = cw.pad(inner(block), depth as Pair[], { mode: "constant", constantValues: 1e9 });
          return result.computeSync();
        };
        const made = cw.mapOverlap(trim ? whole : inner, x, { depth: depth as Pair[], boundary, trim });
        const padded = padAsNumpy(values, shape, depth, boundary);
        expect(made.shape).toEqual(shape);
        expect(made.chunks).toEqual(x.chunks);
        expect([...made.computeSync({ optimize })]).toEqual([...inner(padded)]);
      }),
      { numRuns: 150 },
    );
  });
});

describe("settings", () => {
  const x = cw.arange(0, 20, 1, { dtype: "float64" }).reshape([4, 5]).rechunk([2, 2]);
  const shapes = (options: Omit<cw.MapOverlapOptions, "trim">): string[] => {
    const seen: string[] = [];
    cw.mapOverlap(
      (block) => {
        seen.push(block.shape.join("×"));
        return block;
      },
      x,
      options,
    ).computeSync();
    return [...new Set(seen)];
  };

  test("depth for all axes, per axis, on one side, by number", () => {
    expect(shapes({ depth: 1 })).toEqual(["4×4", "4×3"]);
    expect(shapes({ depth: [1, 2] })).toEqual(["4×6", "4×5"]);
    expect(shapes({ depth: [[1, 0], 0] })).toEqual(["3×2", "3×1"]);
    expect(shapes({ depth: { "-1": [0, 3] } as never })).toEqual(["2×5", "2×4"]);
    expect(shapes({ depth: 0 })).toEqual(["2×2", "2×1"]);
  });

  test("a boundary per axis; in corners the last axis says, as in NumPy", () => {
    const corner: number[][] = [];
    const look = (block: cw.NDArray, { blockId }: cw.BlockInfo): cw.NDArray => {
      if (blockId.every((at) => at === 0)) corner.push(...(block.toList() as number[][]));
      return block;
    };
    cw.mapOverlap(look, x, { depth: 1, boundary: [7, 9] }).computeSync();
    expect(corner).toEqual([
      [9, 7, 7, 7],
      [9, 0, 1, 2],
      [9, 5, 6, 7],
      [9, 10, 11, 12],
    ]);
    corner.length = 0;
    cw.mapOverlap(look, x, { depth: 1, boundary: { 0: "wrap", 1: Number.NaN } }).computeSync();
    expect(corner[0]).toEqual([Number.NaN, 15, 16, 17]);
  });

  test("several arrays, stretched ones, several outputs", async () => {
    const row = cw.asarray([1, 10, 100, 1000, 10_000]);
    const column = cw.ones([4, 1]);
    const seen = new Set<string>();
    const [sum, product] = cw.mapOverlap(
      (a, b, c) => {
        seen.add([a, b, c].map(({ shape }) => shape.join("×")).join(" "));
        const columns = b.shape[0]!;
        return [
          (a.data as Float64Array).map((value, i) => value + Number(b.data[i % columns])),
          (a.data as Float64Array).map((value, i) => value * Number(b.data[i % columns])),
        ];
      },
      [x, row, column],
      { depth: [0, 1], boundary: "edge", outputs: ["float64", "float64"] },
    );
    expect([...seen]).toEqual([]);
    const [sums, products] = await cw.compute(sum!, product!);
    expect(sums!.toList()).toEqual(x.add(row).computeSync().toList());
    expect(products!.toList()).toEqual(x.multiply(row).computeSync().toList());
    expect([...seen]).toEqual(["2×4 4 2×1", "2×3 3 2×1"]);
  });

  test("an axis that the function does away with is whole, with its overlap", () => {
    const lengths = cw.mapOverlap(
      (block) => Float64Array.from({ length: block.shape[0]! }, () => block.shape[1]!),
      x,
      { depth: [0, [2, 1]], dropAxis: 1, trim: false },
    );
    expect(lengths.computeSync().toList()).toEqual([8, 8, 8, 8]);
  });

  test("arrays of nothing", () => {
    const none = cw.zeros([0, 3]);
    expect(cw.mapOverlap((block) => block, none, { depth: 2 }).computeSync().shape).toEqual([0, 3]);
    expect(() => cw.mapOverlap((block) => block, none, { depth: 2, boundary: "wrap" })).toThrow(
      cw.ShapeError,
    );
  });
});

describe("what does not fit", () => {
  const x = cw.ones([4, 3], { chunks: [2, 2] });
  const call = (options: unknown, fn: unknown = (block: cw.NDArray) => block): (() => unknown) => {
    return () => cw.mapOverlap(fn as cw.BlockFunction, x, options as cw.MapOverlapOptions);
  };
  test.each<[string, () => unknown, RegExp]>([
    ["no options", call(undefined), /mapOverlap: depth is undefined/],
    ["no depth", call({}), /depth is undefined/],
    ["a negative depth", call({ depth: -1 }), /depth is -1/],
    ["half a depth", call({ depth: [0.5, 1] }), /depth is 0\.5/],
    ["depths of other axes", call({ depth: [1, 1, 1] }), /depth has 3 entries and the arrays have 2 axes/],
    ["a pair for all axes", call({ depth: [[1, 2]] }), /depth has 1 entries/],
    ["a triple", call({ depth: [[1, 2, 3], 0] }), /depth is .*\[before, after\]/],
    ["an axis that is not there", call({ depth: { 2: 1 } }), /axis 2/],
    ["an axis that is none", call({ depth: { x: 1 } }), /axis/],
    [
      "another boundary",
      call({ depth: 1, boundary: "periodic" }),
      /boundary is "periodic".*wrap, or a number/,
    ],
    ["boundaries of other axes", call({ depth: 1, boundary: ["wrap"] }), /boundary has 1 entries/],
    ["a complex boundary", call({ depth: 1, boundary: cw.complex(1, 1) }), /does not fit float64/],
    ["a trim of junk", call({ depth: 1, trim: "yes" }), /trim is "yes"/],
    ["another option", call({ depth: 1, bondary: 1 }), /no option "bondary".*boundary/],
    ["no function", call({ depth: 1 }, 5), /5 is not a function/],
    ["no outputs", call({ depth: 1, outputs: [] }), /outputs is/],
    ["a shape of junk", call({ depth: 1, shape: "ab" }), /shape is "ab"/],
  ])("%s", (_, run, message) => {
    expect(run).toThrow(message);
    expect(run).toThrow(cw.ChunkwiseError);
  });

  test("a function that gives the block where its overlap belongs too, and the other way round", () => {
    const inner = cw.mapOverlap(() => new cw.NDArray(new Float64Array(4), [2, 2]), x, { depth: 1 });
    expect(() => inner.computeSync()).toThrow(/shape \[2, 2\] where \[4, 4\] belongs.*trim/);
    const outer = cw.mapOverlap((block) => block, x, { depth: 1, trim: false });
    expect(() => outer.computeSync()).toThrow(/shape \[4, 4\] where \[2, 2\] belongs/);
  });
});

describe("windows", () => {
  test("a task reads its window and no more, and nothing is stored", async () => {
    const source = await cw.ones([100, 100], { chunks: [10, 10] }).toZarr(new cw.MemoryStore());
    const plan = cw.plan(cw.mapOverlap((block) => block, source, { depth: 1, boundary: "wrap" }));
    expect(plan.numOperations).toBe(1);
    expect(plan.numTasks).toBe(100);
    expect(plan.data.arrays.map(({ role }) => role)).toEqual(["source", "result"]);
    expect(plan.bytesRead).toBeLessThanOrEqual(100 * 12 * 12 * 8);
  });

  test("in three dimensions too", () => {
    const x = cw.asarray(new cw.NDArray(new Float64Array(1000), [10, 10, 10]), { chunks: [3, 3, 3] });
    const plan = cw.plan(cw.mapOverlap((block) => block, x, { depth: 1, boundary: "reflect" }));
    expect(plan.numOperations).toBe(1);
  });
});
