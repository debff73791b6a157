// The arbitraries are what they promise: random programs reach every op of the table, every dtype, shapes of 0 to
// 4 dimensions with empty and size-1 axes, several chunks, shared parts; and the special values occur.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { DTYPES } from "../../src/core/dtype.ts";
import { type Expr, postOrder } from "../../src/expr/expr.ts";
import { OPS } from "../../src/ops/index.ts";
import { ALL_FAMILIES, programs } from "./arbitrary.ts";
import { STAGED } from "./makers/staged.ts";
import type { Program } from "./program.ts";
import { sample } from "./settings.ts";

const FAMILIES = [...ALL_FAMILIES, STAGED];
const all: readonly Program[] = sample(1500, programs({ exact: false, families: FAMILIES, maxSteps: 10 }));
const graphs: readonly (readonly Expr[])[] = all.map((program) =>
  postOrder(program.build("cut").map(({ expr }) => expr)),
);
const nodes = graphs.flat();

/** Ops of functions over blocks have tests of their own (test/blocks). */
const BLOCK_OPS = [
  ...["mapBlocks", "mapBlocksAll", "blockOutput", "overlap", "groupby", "binPlaces", "binEdges", "binCounts"],
  // Loops: test/compiled.
  ...["whileLoop", "whileLoopAll", "scan", "scanAll", "cond", "condAll"],
];

/** What generators make (test/random), decompositions (test/linalg), transforms (test/fourier): every way there. */
const RANDOM_OPS = [
  ...["randomBits", "randomIntegers", "uniformOf", "normalOf", "exponentialOf", "drawn", "permuted"],
];

/** What gradients alone are made of (test/gradients). */
const GRADIENT_OPS = ["addAlongAxis", "mark"];

/** What stages put in place of ops that wait for them (test/stages), and lines that no task can hold (test/order). */
const LATER_OPS = [
  ...["compacted", "compactedRows", "joinedRows", "countTrue", "placed", "repeated"],
  ...["sortRuns", "argsortRuns", "runRows", "mergeRuns", "mergePlaces", "longSort", "longArgsort"],
  ...["gatherIn", "searchsortedIn", "digitCounts", "digitStep", "keyElements"],
  ...["blockSample", "sampledElements", "labelCounts"],
];

test("every op of the table occurs, but for those that need a store or a function", () => {
  const seen = new Set([
    ...nodes.map(({ op }) => op.name),
    "stored",
    "partitioned",
    ...BLOCK_OPS,
    ...LATER_OPS,
    ...GRADIENT_OPS,
    ...RANDOM_OPS,
    ...["matrixRows", "fourier"],
    // test/windows has these, in any chunks.
    ...["windowed", "slidingWindow"],
    // Dates and times: test/times.
    ...["compareTimes", "addTimes", "convertTimes"],
    // Rules alone make it.
    "logMeanExp",
  ]);
  expect([...OPS.keys()].filter((name) => !seen.has(name))).toEqual([]);
});

/** Functions that make no array, or make it of something else than arrays and numbers. */
const OTHERS = new Set([
  ...["compute", "computeSync", "plan", "asarray", "expr", "slice", "complex"],
  ...["arrayNamespaceInfo", "canCast", "finfo", "iinfo", "isdtype", "resultType"],
  // test/windows has these, whole and in chunks.
  ...["allclose", "arrayEqual", "coarsen", "convolve", "correlate", "gaussianFilter", "gradient", "interp"],
  ...[
    "isclose",
    "maximumFilter",
    "medianFilter",
    "minimumFilter",
    "nanToNum",
    "pyramid",
    "rankFilter",
    "rolling",
  ],
  ...["rot90", "slidingWindowView", "uniformFilter", "unwrap"],
  // test/dataset and test/labels have these.
  ...["resizeZarr", "withDims", "withAttributes", "openDataset", "dataset", "toOmeZarr", "openOmeZarr"],
  ...["fromZarr", "openGroup", "toZarr", "store", "fromNpy", "toNpy", "open", "mapBlocks", "moduleFunction"],
  ...["mapOverlap", "applyGufunc", "groupbyReduce"],
  // test/blocks/statistics.test.ts has these, and the oracle.
  ...["average", "cov", "corrcoef", "histogram", "histogram2d", "histogramdd", "histogramBinEdges"],
  ...["bincount", "digitize"],
  ...["grad", "valueAndGrad", "vjp", "jvp", "jacobian", "hessian", "customPullback"],
  ...["savePlan", "loadPlan", "computePlan", "measureReservedMemory", "settle"],
  // test/compiled has these.
  // test/random/random.test.ts makes its arrays every way.
  "random",
  // test/linalg/linalg.test.ts has these, with their mistakes and every way of computing.
  ...["block", "diag", "einsum", "kron", "outer", "trace"],
  ...["compile", "input", "shared", "scan", "whileLoop", "cond"],
]);

test("every public function has a maker", () => {
  const isFunction = ([name, value]: readonly [string, unknown]): boolean =>
    typeof value === "function" && /^[a-z]/.test(name) && !OTHERS.has(name);
  const names = Object.entries(cw)
    .filter(isFunction)
    .map(([name]) => name);
  expect(names.filter((name) => !FAMILIES.some((family) => family.has(name)))).toEqual([]);
});

test("every dtype and every number of dimensions occurs", () => {
  expect(new Set(nodes.map(({ dtype }) => dtype))).toEqual(new Set(DTYPES));
  const dimensions = new Set(nodes.map(({ shape }) => shape.length));
  expect([0, 1, 2, 3, 4].filter((ndim) => !dimensions.has(ndim))).toEqual([]);
  expect(nodes.some(({ shape }) => shape.includes(0))).toBe(true);
  expect(nodes.some(({ shape }) => shape.includes(1))).toBe(true);
});

test("most programs have a source in several chunks", () => {
  const isCut = ({ sources }: Program): boolean =>
    sources.some(({ array, cut }) => array.shape.some((n, axis) => n > cut.chunks[axis]!));
  expect(all.filter(isCut).length).toBeGreaterThan(all.length / 2);
});

test("many graphs share parts and have several roots", () => {
  const shares = (graph: readonly Expr[]): boolean => {
    const inputs = graph.flatMap((node) => [...new Set(node.inputs)]).filter(({ shape }) => shape.length > 0);
    return new Set(inputs).size < inputs.length;
  };
  expect(graphs.filter(shares).length).toBeGreaterThan(all.length / 4);
  expect(all.filter(({ roots }) => roots.length > 1).length).toBeGreaterThan(all.length / 4);
});

test("special values occur in every layout", () => {
  const floats = all.flatMap(({ sources }) => sources.filter(({ array }) => array.dtype === "float64"));
  const values = floats.flatMap(({ array }) => [...array.data]);
  for (const value of [NaN, Infinity, -Infinity, 0, -0, 5e-324, Number.MAX_VALUE]) {
    expect(values.some((x) => Object.is(x, value))).toBe(true);
  }
  expect(floats.some(({ array }) => array.strides.some((stride) => stride < 0))).toBe(true);
});
