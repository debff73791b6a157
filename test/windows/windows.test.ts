// Windows and grids beside scipy.ndimage, pandas, NumPy and scipy.interpolate (test/windows/generate.py), whole and in small chunks; every way
// of computing; plans of one operation; mistakes.

import { readFileSync } from "node:fs";
import * as cw from "chunkwise";
import fc from "fast-check";
import { expect, test } from "vitest";
import { needThreads, Ways } from "../ways.ts";

needThreads();

type Entry = number | null | "inf" | "-inf";
interface Listed {
  readonly shape: readonly number[];
  readonly data: readonly Entry[];
}
type Argument = number | readonly number[] | Listed;
interface Case {
  readonly name: string;
  readonly array: string;
  readonly args: readonly Argument[];
  readonly options: { readonly [name: string]: unknown };
  readonly expect: Listed;
}
const fixture = JSON.parse(readFileSync(new URL("./fixtures/windows.json", import.meta.url), "utf8")) as {
  readonly arrays: { readonly [name: string]: Listed };
  readonly cases: readonly Case[];
  readonly interps: readonly {
    readonly places: readonly Listed[];
    readonly known: readonly Listed[];
    readonly array: string;
    readonly options: { readonly axis?: number | readonly number[] };
    readonly expect: Listed;
  }[];
};

const numberOf = (x: Entry): number =>
  x === null ? Number.NaN : typeof x === "number" ? x : x === "inf" ? 1 / 0 : -1 / 0;
const arrayOf = ({ shape, data }: Listed, chunk?: number): cw.LazyArray => {
  const array = cw.asarray(Float64Array.from(data, numberOf)).reshape([...shape]);
  return chunk === undefined ? array : array.rechunk(shape.map((n) => Math.max(1, Math.min(n, chunk))));
};
const isListed = (x: unknown): x is Listed => typeof x === "object" && x !== null && "data" in x;

/** Within so many units in the last place of the largest. */
function near(found: cw.NDArray, wanted: Listed, name: string, units = 64): void {
  expect(found.shape, name).toEqual(wanted.shape);
  const values = Array.from(found.data as Float64Array, Number);
  const largest = values.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);
  wanted.data.forEach((entry, i) => {
    const [x, y] = [values[i]!, numberOf(entry)];
    const isSame = Object.is(x, y) || x === y || Math.abs(x - y) <= units * Number.EPSILON * largest;
    if (!isSame) expect({ name, i, x }).toEqual({ name, i, x: y });
  });
}

type Call = (...args: unknown[]) => cw.LazyArray;
function called({ name, array, args, options }: Case, chunk: number | undefined): cw.LazyArray {
  const given = arrayOf(fixture.arrays[array]!, chunk);
  const x = array === "bytes" ? given.astype("uint8") : given;
  const [first, second] = name.split(".") as [string, string | undefined];
  const known = args.map((arg) => (isListed(arg) ? arrayOf(arg) : arg));
  const named = Object.fromEntries(
    Object.entries(options).map(([key, v]) => [key, isListed(v) ? arrayOf(v) : v]),
  );
  const made = (cw as unknown as { readonly [name: string]: Call })[first]!(x, ...known, named);
  return second === undefined ? made : (made as unknown as { readonly [name: string]: Call })[second]!();
}

const numbersOf = (x: cw.NDArray): number[] => Array.from(x.toContiguous().data as Float64Array, Number);
const GROUPS = [...new Set(fixture.cases.map(({ name }) => name))];

test.each(GROUPS)("%s, whole and in chunks", async (group) => {
  const cases = fixture.cases.filter(({ name }) => name === group);
  const [whole, cut] = [undefined, 4].map((chunk) =>
    cw.computeSync(cases.map((each) => called(each, chunk))),
  );
  cases.forEach((each, i) => {
    const name = `${each.name}(${each.array}, ${JSON.stringify(each.args).slice(0, 80)}, ${JSON.stringify(each.options).slice(0, 80)})`;
    near(whole![i]!, each.expect, name);
    expect(numbersOf(cut![i]!), name).toEqual(numbersOf(whole![i]!));
  });
  // One of each kind every way: the rest differs in numbers alone.
  const ways = new Ways();
  ways.compute(cases.filter((_, i) => i % 16 === 0).map((each) => called(each, 4)));
  await ways.agree();
});

test("interp beside NumPy's and SciPy's", async () => {
  const ways = new Ways();
  for (const { places, known, array, options, expect: wanted } of fixture.interps) {
    const isGrid = Array.isArray(options.axis);
    const [x, xp] = [places, known].map((list) => list.map((each) => arrayOf(each)));
    const call = (chunk?: number): cw.LazyArray =>
      cw.interp(
        isGrid ? x! : x![0]!,
        isGrid ? xp! : xp![0]!,
        arrayOf(fixture.arrays[array]!, chunk),
        options,
      );
    const [whole, cut] = ways.compute([call(), call(4)]);
    for (const found of [whole!, cut!]) near(found, wanted, JSON.stringify(options), 4096);
  }
  await ways.agree();
});

test("places and samples that are computed", () => {
  const xp = cw.random(1).uniform(9).cumulativeSum();
  const fp = cw.random(2).uniform(9, { chunks: 4 });
  const x = cw.random(3).uniform(20, { high: 5, chunks: 6 });
  const found = cw.interp(x, xp, fp).computeSync();
  const known = cw.interp(x.computeSync(), xp.computeSync(), fp.computeSync()).computeSync();
  expect(found.toList()).toEqual(known.toList());
});

const shapes = fc.array(fc.integer({ min: 1, max: 13 }), { minLength: 1, maxLength: 2 });
const MODES = ["reflect", "constant", "nearest", "mirror", "wrap"] as const;

test("any chunking is one chunk, to the bit, for floats of both widths", () => {
  const programs = fc.record({
    shape: shapes,
    chunk: fc.integer({ min: 3, max: 6 }),
    mode: fc.constantFrom(...MODES),
    size: fc.integer({ min: 1, max: 30 }),
    dtype: fc.constantFrom("float64" as const, "float32" as const),
    seed: fc.integer({ min: 0, max: 99 }),
  });
  fc.assert(
    fc.property(programs, ({ shape, chunk, mode, size, dtype, seed }) => {
      const x = cw.random(seed).normal(shape, { dtype, chunks: -1 as never });
      const whole = cw.asarray(x.computeSync());
      const made = (y: cw.LazyArray): cw.LazyArray[] => [
        cw.gaussianFilter(y, 0.3 * size, { mode }),
        cw.uniformFilter(y, size, { mode }),
        cw.maximumFilter(y, size, { mode }),
        cw.rolling(y, size, { minPeriods: 1 }).min(),
        cw.medianFilter(y, Math.min(size, 3), { mode }),
        cw.rolling(y, size, { axis: 0 }).mean(),
        cw.rolling(y, size, { axis: -1, minPeriods: Math.min(1, size) }).std(),
      ];
      const [one, many] = [made(whole), made(whole.rechunk(chunk))].map((list) => cw.computeSync(list));
      one!.forEach((each, i) => expect([...many![i]!.data], `${i}`).toEqual([...each.data]));
      const interpreted = cw.computeSync(made(whole), { backend: cw.referenceBackend });
      one!.forEach((each, i) => expect([...interpreted[i]!.data], `${i}`).toEqual([...each.data]));
    }),
    { numRuns: 12 },
  );
});

/** As images are read. */
const values = cw.zeros([300, 200], { dtype: "float32" }).computeSync();
const image = (): cw.LazyArray => cw.asarray(values, { chunks: 100 });

test("each is one operation", () => {
  const one: { readonly [name: string]: cw.LazyArray } = {
    gaussian: cw.gaussianFilter(image(), 2),
    "long uniform": cw.uniformFilter(image(), [51, 1]),
    median: cw.medianFilter(image(), 5),
    maximum: cw.maximumFilter(image(), 3, { mode: "wrap" }),
    convolution: cw.convolve(image(), cw.ones([3, 3]), { boundary: "constant" }),
    "rolling mean": cw.rolling(image(), 24, { axis: 0 }).mean(),
    "rolling spread with gaps": cw.rolling(image(), 24, { axis: 0, minPeriods: 3 }).std(),
    gradient: cw.gradient(image(), { axis: 0 }),
    coarsening: cw.coarsen(image(), { 0: 2, 1: 2 }, cw.mean),
    windows: cw.slidingWindowView(image(), [3, 3]).max({ axis: [2, 3] }),
    "half size": cw.pyramid(image(), { levels: 2 })[1]!,
    turned: cw.rot90(image()),
    close: cw.allclose(cw.asarray([1, 2]), [1, 2]),
  };
  for (const [name, array] of Object.entries(one))
    expect(`${name}: ${array.plan().numOperations}`).toBe(`${name}: 1`);
});

test("a separable filter's plan: a chunk and what lies around it, all passes in a task", () => {
  expect(String(cw.gaussianFilter(image(), 2).plan())).toMatchInlineSnapshot(`
    "plan: 1 operation, 6 tasks, 0 intermediate arrays (0 B); reads 325 kB, writes 240 kB
    before optimisation: 4 operations, 20 tasks, 3 intermediate arrays (273 kB); reads 581 kB, writes 513 kB
      a0: source float32 [300, 200] in 6 chunks of [100, 100]
      a2: source float64 [17] in 1 chunk of [17]
      a4: source float64 [17] in 1 chunk of [17]
      a6: result float32 [300, 200] in 6 chunks of [100, 100]
    op-004: 6 tasks [i, j] in [3, 2]
      %0 = a0[~i, ~j]
      %1 = pad(%0, before: [8, 8], after: [8, 8], mode: "symmetric", value: 0) float32 [316, 216]
      %2 = a2[:]
      %3 = expandDims(%2, axes: [1]) float64 [17, 1]
      %4 = a4[:]
      %5 = expandDims(%4, axes: [0]) float64 [1, 17]
      %6 = windowed(%1, %3, %5, kind: "weights", passes: [[17, 1], [1, 17]], rank: 0, skip: false) float32 [300, 200]
      a6[i, j] ← %6
      reads 325 kB, writes 240 kB
      memory 350 kB = read a0 53.8 kB + read a2 136 B + read a4 136 B + temporaries 53.8 kB + windows 202 kB + write a6 40 kB"
  `);
});

test("long windows add nothing that they take away again", () => {
  const huge = cw.asarray([1e16, ...new Array<number>(99).fill(1)]);
  const sums = cw.rolling(huge, 40).sum().computeSync().data;
  expect(sums[99]).toBe(40);
  const spread = cw
    .rolling(cw.arange(1000, { dtype: "float64" }).add(1e9), 50)
    .var()
    .computeSync().data;
  for (const x of spread.subarray(49)) expect(x).toBe(212.5);
});

test("whole numbers of 64 bits stay what they are", () => {
  const big = cw.asarray([9007199254740993n, 1n, 9007199254740992n, 5n], { dtype: "int64" });
  expect(cw.maximumFilter(big, 3).computeSync().data).toEqual(
    BigInt64Array.of(9007199254740993n, 9007199254740993n, 9007199254740992n, 9007199254740992n),
  );
  expect(cw.medianFilter(big, 3).computeSync().dtype).toBe("int64");
});

test("complex weights", () => {
  const i = cw.complex(0, 1);
  const [found] = cw.computeSync([cw.convolve(cw.asarray([1, i, 2]), cw.asarray([i, 1]))]);
  // (1, i, 2) ∗ (i, 1) = (i, 1 − 1, i + 2i, 2)
  expect([...found.data]).toEqual([0, 1, 0, 0, 0, 3, 2, 0]);
});

test("gradients, beside differences", () => {
  const x = cw.asarray(cw.random(8).normal([7, 6]).computeSync(), { chunks: 4 });
  const k = cw.asarray(cw.random(9).normal([3, 2]).computeSync());
  const loss: { readonly [name: string]: (y: cw.LazyArray) => cw.LazyArray } = {
    gaussian: (y) => cw.gaussianFilter(y, 0.8).square().sum(),
    "long uniform": (y) => cw.uniformFilter(y, [31, 1], { mode: "wrap" }).square().sum(),
    convolution: (y) => cw.convolve(y, k).sin().sum(),
    weights: (y) => cw.convolve(k, y).sin().sum(),
    "rolling spread": (y) => cw.rolling(y, 3, { axis: 0 }).var().get("2:").sin().sum(),
    "largest of windows": (y) =>
      cw
        .slidingWindowView(y, [2, 3])
        .max({ axis: [2, 3] })
        .square()
        .sum(),
    gradient: (y) => cw.gradient(y, { axis: 1 }).square().sum(),
    coarsening: (y) => cw.coarsen(y, { 0: 2, 1: 2 }, cw.mean, { boundary: "trim" }).square().sum(),
  };
  const h = 1e-6;
  for (const [name, f] of Object.entries(loss)) {
    const found = cw.grad(f)(x).computeSync();
    for (const at of [0, 13, 41]) {
      const step = cw
        .asarray(Float64Array.from({ length: 42 }, (_, i) => (i === at ? h : 0)))
        .reshape([7, 6]);
      const [more, less] = cw.computeSync([f(x.add(step)), f(x.subtract(step))]);
      const slope = (Number(more!.item()) - Number(less!.item())) / (2 * h);
      expect(Math.abs(Number(found.data[at]) - slope), name).toBeLessThan(1e-6 * (1 + Math.abs(slope)));
    }
  }
  expect(() => cw.grad((y: cw.LazyArray) => cw.medianFilter(y, 3).sum())(x)).toThrow(
    /rank of windows has no derivative/,
  );
});

test("where of one argument says where", () => {
  const [rows, columns] = cw.computeSync([
    ...cw.where(
      cw.asarray([
        [0, 3],
        [4, 0],
      ]),
    ),
  ]);
  expect([rows!.toList(), columns!.toList()]).toEqual([
    [0, 1],
    [1, 0],
  ]);
});

test("mistakes say what they are", () => {
  const wrong = (given: unknown): never => given as never;
  const mistakes: readonly [() => unknown, RegExp][] = [
    [() => cw.gaussianFilter([1], -1), /gaussianFilter: sigma is -1/],
    [() => cw.gaussianFilter([[1]], [1, 2, 3]), /gaussianFilter: sigma has 3 entries and the array 2 axes/],
    [() => cw.gaussianFilter([1], 1, { mode: wrong("edge") }), /mode is "edge"/],
    [() => cw.gaussianFilter([1], 1, { order: -1 }), /order is -1/],
    [() => cw.gaussianFilter([cw.complex(1, 1)], 1), /complex128/],
    [() => cw.gaussianFilter([], 1), /axis 0 has no elements/],
    [() => cw.uniformFilter([1], 0), /size is 0/],
    [() => cw.medianFilter([1], 3, { origin: 2 }), /origin is 2 and the window 3 long/],
    [() => cw.rankFilter([1], 3, 3), /rank is 3/],
    [() => cw.convolve([1], [[1]]), /convolve: an array of shape \[1\] and weights of shape \[1, 1\]/],
    [() => cw.convolve([1], [1], { mode: wrong("all") }), /mode is "all"/],
    [() => cw.convolve([1], [1], { mode: "same", boundary: "wrap" }), /both mode and boundary/],
    [() => cw.correlate([[1]], [[1, 2]]), /weights of 2 do not fit along axis 1/],
    [() => cw.rolling([1], 0), /rolling: the window is 0/],
    [() => cw.rolling([1], 2, { minPeriods: 3 }), /minPeriods is 3/],
    [() => cw.slidingWindowView([1, 2], 3), /windows of 3 do not fit/],
    [() => cw.coarsen([1, 2, 3], { 0: 2 }, cw.mean), /3 places along axis 0 are not whole blocks of 2/],
    [() => cw.coarsen([1, 2], { 0: 2 }, (x) => x), /does not reduce/],
    [() => cw.pyramid([[1, 2]], { levels: 3 }), /levels is 3/],
    [() => cw.gradient([1]), /axis 0 has 1 samples/],
    [() => cw.gradient([1, 2], { axis: 0, spacing: cw.asarray([1, 2, 3]) }), /coordinates of shape \[3\]/],
    [() => cw.interp([1], [1, 2], [1]), /places of samples of shape \[2\]/],
    [() => cw.interp([1], [1, 2, 3], [1, 2, 3], { method: "cubic" }), /there are 3 samples/],
    [() => cw.rot90([1]), /rot90: /],
    [() => cw.unwrap([1, 2], { period: 0 }), /period is 0/],
  ];
  for (const [call, message] of mistakes) expect(call, String(message)).toThrow(message);
});
