// Every public function with arguments that work, and for each kind of argument what must not work.
// A new function is not tested until it has a line here, and a test sees to that.

import * as cw from "chunkwise";
import { endlessList } from "./check.ts";

export type Kind =
  | "operand"
  | "bound"
  | "axis"
  | "soleAxis"
  | "axes"
  | "rollAxes"
  | "axisList"
  | "axisPair"
  | "shape"
  | "dtype"
  | "chunks"
  | "integer"
  | "diagonal"
  | "count"
  | "howMany"
  | "fraction"
  | "flag"
  | "scalar"
  | "real"
  | "stop"
  | "indices"
  | "sorter"
  | "arrays";

/** A positional parameter, or the options with their parameters. */
export interface Parameter {
  readonly kind: Kind;
  readonly good: unknown;
  /** Options may stand in its place: a plain object is taken for them. */
  readonly mayBeOptions?: true;
}
export interface Line {
  readonly args: readonly Parameter[];
  /** Options by name; null when the function takes none. */
  readonly options: { readonly [name: string]: Parameter } | null;
}

const parameter =
  (kind: Kind) =>
  (good: unknown): Parameter => ({ kind, good });
const operand = parameter("operand");
const orOptions = (parameter: Parameter): Parameter => ({ ...parameter, mayBeOptions: true });
const bound = parameter("bound");
const axis = parameter("axis");
const soleAxis = parameter("soleAxis");
const axes = parameter("axes");
/** Shifts along one axis add up, as in NumPy: an axis may come twice. */
const rollAxes = parameter("rollAxes");
const axisList = parameter("axisList");
const axisPair = parameter("axisPair");
const shape = parameter("shape");
const dtype = parameter("dtype")("float32");
const chunks = parameter("chunks")("auto");
const integer = parameter("integer");
/** Any whole number, however far beyond the array. */
const diagonal = parameter("diagonal");
const count = parameter("count");
/** Of the elements along an axis. */
const howMany = parameter("howMany");
/** A quantile, or several. */
const fraction = parameter("fraction");
const flag = parameter("flag")(true);
const scalar = parameter("scalar");
const real = parameter("real");
const stop = parameter("stop");
const indices = parameter("indices");
const sorter = parameter("sorter");
const arrays = parameter("arrays");

export const matrix: cw.LazyArray = cw.reshape(cw.asarray(new Float64Array([1, 2, 3, 4, 5, 6])), [2, 3]);
export const vector: cw.LazyArray = cw.asarray(new Float64Array([1, 2, 3]));
export const integers: cw.LazyArray = cw.asarray(new Int32Array([1, 2, 3]));
export const truths: cw.LazyArray = cw.asarray([true, false, true]);
export const complexes: cw.LazyArray = cw.asarray([cw.complex(1, 2), cw.complex(3, 4), cw.complex(5, 6)]);

const line = (
  args: readonly Parameter[],
  options: { readonly [name: string]: Parameter } | null = null,
): Line => ({ args, options });

/** The elementwise functions of so many operands, as the op table has them. */
const elementwise = (arity: number, isBitwise = false): string[] =>
  Object.entries(cw)
    .filter(([name, value]) => "arity" in Object(value) && name.startsWith("bitwise") === isBitwise)
    .filter(([, value]) => (value as unknown as { arity: number }).arity === arity)
    .map(([name]) => name);
/** The reductions that take no options but where and how: as the op table has them, and those without NaN. */
const REDUCTIONS = [
  ...Object.entries(cw)
    .filter(([, value]) => (Object(value) as { class?: string }).class === "reduce")
    .map(([name]) => name)
    .filter((name) => !/^(nan)?(sum|prod|var|argmax|argmin)$/.test(name)),
];
const CREATION = { dtype, chunks };

const all = (names: readonly string[], one: Line): { [name: string]: Line } =>
  Object.fromEntries(names.map((name) => [name, one]));

const { out } = { out: operand(undefined) };

export const FUNCTIONS: { readonly [name: string]: Line } = {
  ...all(elementwise(1), line([operand(vector)], { out })),
  ...all(elementwise(2), line([operand(vector), operand(vector)], { out })),
  ...all(elementwise(2, true), line([operand(integers), operand(integers)], { out })),
  ...all(elementwise(1, true), line([operand(integers)], { out })),
  where: line([operand(truths), operand(vector), operand(vector)]),
  clip: line([operand(vector), bound(1), orOptions(bound(2))], { out }),
  ...all(REDUCTIONS, line([operand(matrix)], { axis: axes(0), keepdims: flag })),
  ...all(
    ["sum", "prod", "nansum", "nanprod"],
    line([operand(matrix)], { axis: axes(0), keepdims: flag, dtype }),
  ),
  ...all(
    ["std", "var", "nanstd", "nanvar"],
    line([operand(matrix)], { axis: axes(0), keepdims: flag, correction: real(1) }),
  ),
  ...all(["softmax", "logSoftmax"], line([operand(matrix)], { axis: axes(0) })),
  ...all(
    ["argmax", "argmin", "nanargmax", "nanargmin"],
    line([operand(matrix)], { axis: soleAxis(0), keepdims: flag }),
  ),
  ...all(
    ["cumulativeSum", "cumulativeProd", "nancumsum", "nancumprod"],
    line([operand(vector)], { axis: axis(0), dtype, includeInitial: flag }),
  ),
  diff: line([operand(matrix)], {
    axis: axis(0),
    n: count(1),
    prepend: bound(matrix),
    append: bound(matrix),
  }),
  ...all(["sort", "argsort"], line([operand(matrix)], { axis: axis(0), descending: flag, stable: flag })),
  ...all(["topk", "argtopk"], line([operand(matrix), howMany(2)], { axis: axis(0), largest: flag })),
  ...all(["partition", "argpartition"], line([operand(matrix), integer(1)], { axis: axis(0) })),
  ...all(
    ["quantile", "nanquantile", "percentile", "nanpercentile"],
    line([operand(matrix), fraction(0.5)], { axis: axes(0), keepdims: flag, method: scalar("lower") }),
  ),
  ...all(["median", "nanmedian"], line([operand(matrix)], { axis: axes(0), keepdims: flag })),
  ...all(
    ["nonzero", "uniqueAll", "uniqueCounts", "uniqueInverse", "uniqueValues"],
    line([operand(matrix)], null),
  ),
  searchsorted: line([operand(vector), operand(vector)], { side: scalar("left"), sorter: sorter([0, 1, 2]) }),
  isin: line([operand(vector), operand(vector)], { invert: flag }),
  // A plain object selects by names of axes.
  get: line([operand(vector), orOptions(indices([0, 1]))]),
  set: line([operand(vector), orOptions(indices(0)), operand(5)]),
  take: line([operand(vector), indices([0, 1])], { axis: axis(0) }),
  takeAlongAxis: line([operand(vector), indices([0, 1])], { axis: axis(0) }),
  matmul: line([operand(matrix), operand(vector)]),
  tensordot: line([operand(matrix), operand(matrix)], { axes: axisPair([[0], [0]]) }),
  vecdot: line([operand(vector), operand(vector)], { axis: axis(-1) }),
  broadcastTo: line([operand(vector), shape([2, 3])]),
  broadcastArrays: line([operand(vector), operand(matrix)]),
  concat: line([arrays([vector, vector])], { axis: axis(0) }),
  stack: line([arrays([vector, vector])], { axis: axis(0) }),
  unstack: line([operand(matrix)], { axis: axis(0) }),
  expandDims: line([operand(vector), orOptions(axes(0))], null),
  squeeze: line([operand(cw.reshape(vector, [1, 3])), axes(0)]),
  flip: line([operand(matrix)], { axis: axes(0) }),
  permuteDims: line([operand(matrix), axisList([1, 0])]),
  moveaxis: line([operand(matrix), axes(0), axes(1)]),
  matrixTranspose: line([operand(matrix)]),
  reshape: line([operand(vector), shape([3, 1])], { copy: flag }),
  roll: line([operand(matrix), integer(1)], { axis: rollAxes(0) }),
  repeat: line([operand(matrix), count(2)], { axis: axis(0) }),
  tile: line([operand(matrix), count(2)]),
  pad: line([operand(vector), count(1)], { mode: scalar("constant"), constantValues: real(0) }),
  rechunk: line([operand(vector), chunks]),
  meshgrid: line([operand(vector), orOptions(operand(vector))], { indexing: scalar("xy") }),
  asarray: line([operand(vector)], { ...CREATION, copy: flag }),
  ...all(["zeros", "ones", "empty"], line([shape([2, 3])], CREATION)),
  full: line([shape([2, 3]), scalar(1)], CREATION),
  ...all(["zerosLike", "onesLike", "emptyLike"], line([operand(vector)], CREATION)),
  fullLike: line([operand(vector), scalar(1)], CREATION),
  arange: line([real(0), stop(5), orOptions(real(1))], CREATION),
  linspace: line([scalar(0), scalar(1), count(5)], { ...CREATION, endpoint: flag }),
  eye: line([count(3), orOptions(count(3))], { ...CREATION, k: diagonal(0) }),
  ...all(["tril", "triu"], line([operand(matrix)], { k: diagonal(0) })),
  astype: line([operand(vector), dtype], { copy: flag }),
};

/** Public functions whose arguments are of another kind; run.test.ts and dtypes.test.ts have them. */
export const OTHERS: readonly string[] = [
  ...["arrayNamespaceInfo", "canCast", "complex", "compute", "computeSync", "expr", "finfo", "iinfo"],
  ...["isdtype", "plan", "resultType", "slice"],
  ...["open", "fromNpy", "toNpy", "fromZarr", "openGroup", "toZarr", "store", "mapBlocks", "moduleFunction"],
  ...["mapOverlap", "applyGufunc", "groupbyReduce"],
  ...["average", "cov", "corrcoef", "histogram", "histogram2d", "histogramdd", "histogramBinEdges"],
  ...["bincount", "digitize"],
  ...["savePlan", "loadPlan", "computePlan", "measureReservedMemory", "settle"],
  // test/gradients/forms.test.ts and test/compiled have their mistakes.
  ...["grad", "valueAndGrad", "vjp", "jvp", "jacobian", "hessian", "customPullback"],
  // test/random/random.test.ts has its mistakes.
  "random",
  // test/linalg/linalg.test.ts has these, with their mistakes and every way of computing.
  ...["block", "diag", "einsum", "kron", "outer", "trace"],
  ...["compile", "input", "shared", "scan", "whileLoop", "cond"],
  // test/windows/windows.test.ts has the mistakes of these, test/dataset, test/labels and test/storage/append those of the others.
  ...[
    "allclose",
    "arrayEqual",
    "coarsen",
    "convolve",
    "correlate",
    "gaussianFilter",
    "gradient",
    "interp",
    "isclose",
  ],
  ...[
    "maximumFilter",
    "medianFilter",
    "minimumFilter",
    "nanToNum",
    "pyramid",
    "rankFilter",
    "rolling",
    "rot90",
  ],
  ...["slidingWindowView", "uniformFilter", "unwrap"],
  ...["dataset", "openDataset", "openOmeZarr", "toOmeZarr", "resizeZarr", "withAttributes", "withDims"],
];

export interface Junk {
  readonly [name: string]: unknown;
}

const NEVER: Junk = {
  "a string": "abc",
  'the string "3"': "3",
  "an object": {},
  "a function": () => 1,
  "a symbol": Symbol("s"),
  "a Date": new Date(0),
  "a Map": new Map(),
  "a RegExp": /x/,
  "a Promise": Promise.resolve(1),
  "a boxed number": Object(3),
  "an object without prototype": Object.create(null),
  "a DataView": new DataView(new ArrayBuffer(8)),
  "an ArrayBuffer": new ArrayBuffer(8),
};
const MISSING: Junk = { undefined: undefined, null: null };
const BAD_LISTS: Junk = {
  "a list of strings": ["1", "2", "3"],
  "a ragged list": [[1, 2], [3]],
  "a list that contains itself": endlessList(),
  "a list with null": [1, null, 3],
};
const NOT_WHOLE: Junk = { NaN: Number.NaN, "1.5": 1.5, Infinity: Number.POSITIVE_INFINITY, "1e308": 1e308 };
const BAD_AXIS: Junk = { ...NEVER, ...NOT_WHOLE, "99": 99, "-99": -99, "0n": 0n, true: true };
const BAD_LENGTH: Junk = { ...NEVER, ...NOT_WHOLE, "-2": -2, true: true };

const BAD_AXES: Junk = { ...BAD_AXIS, "a list with NaN": [Number.NaN], "a list with a hole": new Array(1) };
const BAD_INDICES: Junk = {
  ...NEVER,
  NaN: Number.NaN,
  "1.5": 1.5,
  Infinity: Number.POSITIVE_INFINITY,
  "out of range": 99,
  true: true,
  "fractions in a list": [0.5],
  "out of range in a list": [0, 99],
  "a ragged list": [[0, 1], [0]],
  "a list with a hole": new Array(2),
  "a list of strings": ["0"],
};
const OPERAND: Junk = { ...NEVER, ...MISSING, ...BAD_LISTS };
const BAD_REAL: Junk = { ...NEVER, "a list": [1], "a complex number": cw.complex(1, 1) };

/** What must not pass for each kind of argument, and what it must become. */
export const JUNK: { readonly [K in Kind]: Junk } = {
  operand: OPERAND,
  bound: { ...NEVER, ...BAD_LISTS },
  axis: { ...BAD_AXIS, "a list": [0, 1] },
  soleAxis: { ...BAD_AXIS },
  axes: { ...BAD_AXES, "an axis twice": [0, 0] },
  rollAxes: BAD_AXES,
  axisList: { ...NEVER, null: null, "an axis twice": [0, 0], "a list with NaN": [Number.NaN, 0] },
  axisPair: {
    ...NEVER,
    null: null,
    "one list": [[0]],
    "lists of other lengths": [[0], [0, 1]],
    NaN: Number.NaN,
    "3": 3,
  },
  shape: {
    ...BAD_LENGTH,
    ...MISSING,
    "3n": 3n,
    "a list with -2": [-2, 3],
    "a list with 1.5": [1.5, 3],
    'a list with "3"': ["3", 1],
    "a list with true": [3, true],
    "a list with null": [3, null],
    "a list with a symbol": [3, Symbol("s")],
    "a list with a bigint": [3, 1n],
    "a nested list": [[3], 1],
    "a list with a hole": new Array(2),
  },
  dtype: {
    ...NEVER,
    float63: "float63",
    empty: "",
    __proto__key: "__proto__",
    constructor_key: "constructor",
    toString_key: "toString",
    "a typed array's class": Float64Array,
    "5": 5,
    true: true,
  },
  chunks: {
    ...BAD_LENGTH,
    "0": 0,
    "a chunk of 0": [0, 0],
    "too many axes": [1, 1, 1, 1],
    "a symbol in a list": [[Symbol("s")]],
  },
  integer: { ...NEVER, ...NOT_WHOLE, null: null, true: true },
  diagonal: {
    ...NEVER,
    NaN: Number.NaN,
    "1.5": 1.5,
    Infinity: Number.POSITIVE_INFINITY,
    null: null,
    true: true,
  },
  count: { ...BAD_LENGTH, "a list with NaN": [Number.NaN], "a list with a hole": new Array(3) },
  howMany: { ...BAD_LENGTH, ...MISSING, "a list": [1] },
  fraction: { ...NEVER, ...MISSING, ...BAD_LISTS, NaN: Number.NaN, "-1": -1, "101": 101 },
  flag: { "a string": "yes", "1": 1, "an object": {}, "a symbol": Symbol("s") },
  scalar: { ...NEVER, null: null, "a list": [1] },
  real: { ...BAD_REAL, null: null },
  stop: BAD_REAL,
  indices: { ...BAD_INDICES, undefined: undefined },
  sorter: BAD_INDICES,
  arrays: {
    ...NEVER,
    ...MISSING,
    nothing: [],
    "a lazy array": vector,
    "a list of strings": ["a"],
    "a list with a hole": new Array(2),
  },
};

/** The classes that a wrong argument of a kind may be reported as. */
export const CLASSES: { readonly [K in Kind]: readonly (new (...args: never[]) => cw.ChunkwiseError)[] } = {
  operand: [cw.DTypeError, cw.ShapeError],
  bound: [cw.DTypeError, cw.ShapeError],
  axis: [cw.AxisError],
  soleAxis: [cw.AxisError],
  axes: [cw.AxisError],
  rollAxes: [cw.AxisError],
  axisList: [cw.AxisError],
  axisPair: [cw.AxisError, cw.ValueError],
  shape: [cw.ShapeError],
  dtype: [cw.DTypeError],
  chunks: [cw.ChunkError],
  integer: [cw.ValueError],
  diagonal: [cw.ValueError],
  count: [cw.ValueError, cw.ShapeError],
  howMany: [cw.ValueError, cw.ShapeError],
  fraction: [cw.ValueError, cw.DTypeError, cw.ShapeError],
  flag: [cw.ValueError],
  scalar: [cw.DTypeError, cw.ValueError],
  real: [cw.DTypeError, cw.ValueError],
  stop: [cw.DTypeError, cw.ValueError],
  indices: [cw.IndexError, cw.DTypeError, cw.ShapeError],
  sorter: [cw.IndexError, cw.DTypeError, cw.ShapeError],
  arrays: [cw.ValueError, cw.DTypeError],
};
