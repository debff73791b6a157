// What the memory battery computes: for every op of the table an expression that has it, and random expressions. In: the
// library, two float64 arrays x and y and an int32 array i, all [n, n], out of Zarr files. Out: lazy arrays.
// Must hold: the same calls for every n, so that a small run warms up the code of a large one.

const UNARY = [
  ...["negative", "positive", "square", "reciprocal", "abs", "sign", "floor", "ceil", "trunc", "round"],
  ...["exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan"],
  ...["sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "isnan", "isinf", "isfinite", "signbit"],
  ...["sigmoid", "softplus", "log1mexp"],
];
const BINARY = [
  ...["add", "subtract", "multiply", "divide", "floorDivide", "remainder", "pow", "maximum", "minimum"],
  ...["copysign", "nextafter", "hypot", "atan2", "logaddexp", "equal", "notEqual", "less", "lessEqual"],
  ...["greater", "greaterEqual"],
];
const LOGICAL = ["logicalAnd", "logicalOr", "logicalXor"];
const BITWISE = [...["bitwiseAnd", "bitwiseOr", "bitwiseXor", "bitwiseLeftShift", "bitwiseRightShift"]];
const REDUCTIONS = [
  ...["sum", "prod", "mean", "var", "std", "max", "min", "any", "all", "countNonzero", "argmax", "argmin"],
  ...["logsumexp", "nansum", "nanmax", "nanmean", "nanvar", "nanargmin", "median"],
];

const named = (names, make) => names.map((name) => [name, (given) => make(given, name)]);

/** Whole numbers below n in no order, as a list. */
const scattered = (cw, n) => cw.arange(0, n, 1, { dtype: "int64" }).multiply(7).remainder(n).computeSync();

/** A function of the user's. */
const own = (cw, name) => cw.moduleFunction(new URL("./functions.mjs", import.meta.url), name);

const CASES = [
  ...named(UNARY, ({ cw, x }, name) => cw[name](x)),
  ...named(BINARY, ({ cw, x, y }, name) => cw[name](x, y)),
  ...named(LOGICAL, ({ cw, x, y }, name) => cw[name](x.greater(0.5), y.less(0.5))),
  ...named(BITWISE, ({ cw, i }, name) => cw[name](i, i.remainder(7))),
  ...named(REDUCTIONS, ({ cw, x }, name) => cw[name](x, { axis: 0 })),
  ...named(REDUCTIONS, ({ cw, x }, name) => cw[name](x)).map(([name, make]) => [`${name} of all`, make]),
  ["logicalNot", ({ x }) => x.greater(0.5).logicalNot()],
  ["bitwiseInvert", ({ i }) => i.bitwiseInvert()],
  ["cast", ({ x }) => x.astype("float32")],
  ["where", ({ cw, x, y }) => cw.where(x.less(y), x, y)],
  ["clip", ({ x }) => x.clip(0.2, 0.8)],
  ["complex", ({ x }) => x.astype("complex128").conj().multiply(2)],
  ["real", ({ cw, x, y }) => cw.real(x.astype("complex128").multiply(y))],
  ["imag", ({ cw, x }) => cw.imag(x.multiply(new cw.Complex(0, 1)))],
  ["full", ({ cw, n }) => cw.full([n, n], 3, { chunks: [n / 4, n / 2] })],
  ["arange", ({ cw, n }) => cw.arange(0, n * n, 1, { dtype: "float64", chunks: (n * n) / 8 })],
  ["linspace", ({ cw, n }) => cw.linspace(0, 1, n * n, { chunks: (n * n) / 8 })],
  ["eye", ({ cw, n }) => cw.eye(n, n, { chunks: [n / 4, n / 2] })],
  ["tril", ({ x }) => x.tril()],
  ["cumulativeSum", ({ x }) => x.cumulativeSum({ axis: 0 })],
  ["cumulativeSum along rows", ({ x }) => x.cumulativeSum({ axis: 1 })],
  ["cumulativeProd", ({ x }) => x.cumulativeProd({ axis: 1 })],
  ["permute", ({ x }) => x.permuteDims([1, 0])],
  ["x + its transpose", ({ x }) => x.add(x.matrixTranspose())],
  ["broadcast", ({ cw, x, n }) => cw.broadcastTo(x.get(0), [n, n]).rechunk([n / 4, n / 2])],
  ["expandDims", ({ x }) => x.expandDims({ axis: 0 }).exp()],
  ["squeeze", ({ x }) => x.get("0:1").squeeze(0)],
  ["rechunk", ({ x, n }) => x.rechunk([n / 8, n])],
  ["rechunk across", ({ x, n }) => x.rechunk([n, n / 8])],
  ["rechunk, coprime", ({ x, n }) => x.rechunk([Math.ceil(n / 5), Math.ceil(n / 3)])],
  ["rechunk, larger", ({ x, n }) => x.rechunk([n / 2, n])],
  ["reshape", ({ x, n }) => x.reshape([n / 2, 2 * n])],
  ["reshape, flat", ({ x }) => x.reshape([-1])],
  ["slice", ({ x, n }) => x.get(`${n / 8}:`, `1:${n - 3}`)],
  ["slice with steps", ({ x }) => x.get("::2", "::-3")],
  ["setSlice", ({ x, y, n }) => x.set([`${n / 4 + 1}:${n / 2 + 9}`], y.get(`0:${n / 4 + 8}`))],
  ["concat", ({ cw, x, y }) => cw.concat([x, y])],
  ["stack", ({ cw, x, y }) => cw.stack([x, y], { axis: 2 })],
  ["flip", ({ x }) => x.flip()],
  ["roll", ({ x }) => x.roll(5, { axis: 0 })],
  ["roll of all", ({ x }) => x.roll(5)],
  ["repeat", ({ x }) => x.repeat(2, { axis: 0 })],
  ["tile", ({ x }) => x.get("::2").tile([2, 1])],
  ["pad", ({ x }) => x.pad(4, { mode: "reflect" })],
  ["pad, wrapped", ({ x }) => x.pad([[0, 9]], { mode: "wrap" })],
  ["matmul", ({ x, y, n }) => x.get(`0:${n / 2}`).matmul(y.get(":", `0:${n / 2}`))],
  [
    "tensordot",
    ({ cw, x, y }) =>
      cw.tensordot(x, y, {
        axes: [
          [0, 1],
          [0, 1],
        ],
      }),
  ],
  ["vecdot", ({ cw, x, y }) => cw.vecdot(x, y)],
  ["gather", ({ cw, x, n }) => x.take(cw.arange(n - 1, -1, -1, { dtype: "int64" }).multiply(1), { axis: 0 })],
  ["scatter", ({ cw, x }) => x.set([cw.asarray([3, 1, 2], { dtype: "int64" })], 7)],
  [
    "gradient of takeAlongAxis",
    ({ cw, x, n }) => {
      const places = x.multiply(n).astype("int64");
      return cw.grad((y) => cw.takeAlongAxis(y, places, { axis: 1 }).multiply(x).sum())(x);
    },
  ],
  ["gradient of a softmax", ({ cw, x, y }) => cw.grad((z) => z.softmax({ axis: 1 }).multiply(y).sum())(x)],
  [
    "pullback of its own",
    ({ cw, x }) =>
      cw.customPullback(
        (y) => y.sin(),
        (cotangent) => cotangent,
      )(x),
  ],
  [
    "takeAlongAxis",
    ({ cw, x, n }) => cw.takeAlongAxis(x, x.get(`0:${n}`).multiply(n).astype("int64"), { axis: 1 }),
  ],
  ["searchsorted", ({ cw, x, n }) => cw.searchsorted(cw.linspace(0, 1, n), x)],
  ["isin", ({ cw, i }) => cw.isin(i, cw.asarray([1, 2, 3], { dtype: "int32" }))],
  ["spectra of lines", ({ cw, x }) => cw.fft.rfft(x, { axis: 1 })],
  ["a tall matrix", ({ cw, x }) => Object.values(cw.linalg.svd(x.get(":", ":32"), { fullMatrices: false }))],
  ["small matrices", ({ cw, x, n }) => cw.linalg.pinv(x.reshape([n * 8, n / 16, 2]))],
  ["counts of events", ({ cw, x }) => cw.random(1).poisson(x.shape, { mean: x, chunks: x.chunks })],
  ["places in no order", ({ cw, n }) => cw.random(1).permutation(n * n)],
  ["sort", ({ cw, x }) => cw.sort(x, { axis: 1 })],
  ["sort of columns", ({ cw, x }) => cw.sort(x, { axis: 0 })],
  ["argsort", ({ cw, x }) => cw.argsort(x, { axis: 1 })],
  ["sort of all", ({ cw, x }) => cw.sort(x.reshape([-1]))],
  ["argsort of all", ({ cw, x }) => cw.argsort(x.reshape([-1]))],
  ["topk", ({ cw, x }) => cw.topk(x, 9, { axis: 1 })],
  ["argtopk", ({ cw, x }) => cw.argtopk(x, 9, { axis: 0 })],
  ["quantiles of lines", ({ cw, x }) => cw.quantile(x, [0.1, 0.5], { axis: 0 })],
  ["quantiles of all, about", ({ cw, x }) => cw.quantile(x, [0.1, 0.5], { approximate: true })],
  ["quantiles of all", ({ cw, x }) => cw.quantile(x, [0.1, 0.5])],
  [
    "many quantiles of lines",
    ({ cw, x }) =>
      cw.quantile(
        x,
        Array.from({ length: 40 }, (_, k) => k / 39),
        { axis: 1 },
      ),
  ],
  ["nanquantile of lines", ({ cw, x }) => cw.nanquantile(x, 0.25, { axis: 1 })],
  ["take by a list", ({ cw, x, n }) => x.take(scattered(cw, n), { axis: 0 })],
  ["take from a long line", ({ cw, x, n }) => x.reshape([-1]).take(cw.asarray(scattered(cw, n)).multiply(n))],
  [
    "searchsorted in a long list",
    ({ cw, x, n }) => cw.searchsorted(cw.linspace(0, 1, n * n, { chunks: (n * n) / 16 }), x),
  ],
  ["mask", ({ x }) => x.get(x.greater(0.5))],
  ["mask of rows", ({ x }) => x.get(x.mean({ axis: 1 }).greater(0.5))],
  ["mask of few", ({ x }) => x.get(x.less(0.01))],
  ["values back", ({ x }) => x.set(x.greater(0.5), x.get(x.greater(0.5)).negative())],
  ["lazy counts", ({ cw, x, i }) => cw.repeat(x, i.get(":", 0).remainder(3), { axis: 0 })],
  ["uniqueCounts", ({ cw, i }) => Object.values(cw.uniqueCounts(i))],
  ["nonzero", ({ cw, x }) => cw.nonzero(x.greater(0.9))],
  ["diff", ({ cw, x }) => cw.diff(x, { axis: 0 })],
  ["softmax", ({ cw, x }) => cw.softmax(x, { axis: 1 })],
  ["logSoftmax", ({ cw, x }) => cw.logSoftmax(x, { axis: 0 })],
  [
    "whileLoop",
    ({ cw, x }) =>
      cw.whileLoop(
        (s) => s.sum().less(1e9),
        (s) => s.multiply(3).add(1),
        x.sum({ axis: 0 }),
      ),
  ],
  [
    "whileLoopAll",
    ({ cw, x }) =>
      cw.whileLoop(
        ([i]) => i.less(9),
        ([i, s]) => [i.add(1), s.sqrt()],
        [cw.asarray(0), x.sum({ axis: 1 })],
      ),
  ],
  ["scan", ({ cw, x }) => cw.scan((s, v) => [s.add(v), null], x.get(0), x.get("0:8"))[0]],
  ["scanAll", ({ cw, x }) => cw.scan((s, v) => [s.add(v), s.sum()], x.get(0), x.get("0:8")).flat()],
  [
    "cond",
    ({ cw, x }) =>
      cw.cond(
        x.sum().greater(0),
        (s) => s.add(1),
        (s) => s,
        x.sum({ axis: 0 }),
      ),
  ],
  [
    "condAll",
    ({ cw, x }) =>
      cw.cond(
        x.sum().greater(0),
        (s) => [s, s.sum()],
        (s) => [s, s.max()],
        x.sum({ axis: 0 }),
      ),
  ],
  ["mapBlocks", ({ cw, x }) => cw.mapBlocks(own(cw, "doubled"), x)],
  ["mapOverlap", ({ cw, x }) => cw.mapOverlap(own(cw, "doubled"), x, { depth: 2, boundary: "reflect" })],
  [
    "applyGufunc",
    ({ cw, x }) =>
      cw.applyGufunc(own(cw, "around"), "(i)->(i),(i)", x, { outputDtypes: ["float64", "float64"] }),
  ],
  [
    "groupby",
    ({ cw, x, n }) =>
      cw.groupbyReduce(x, cw.arange(0, n, 1, { dtype: "int64" }).remainder(16), {
        axis: 0,
        reduce: "mean",
        numLabels: 16,
      }),
  ],
  ["means of products", ({ x, y }) => [x.mean(), y.mean(), x.multiply(y).mean()]],
  ["centred", ({ x }) => x.subtract(x.mean({ axis: 0 }))],
  ["standardised", ({ x }) => x.subtract(x.mean()).divide(x.std())],
  ["diamond", ({ x }) => x.exp().add(1).multiply(x.exp().add(2))],
  [
    "vorticity",
    ({ x, y, n, cw }) =>
      x.multiply(cw.linspace(0, 1, n)).subtract(y.multiply(cw.linspace(1, 2, n).get(":", null))),
  ],
];

/** Programs that bring much together, or hold much at once. */
const COMBINED = [
  [
    "rechunk rows to columns",
    ({ x, n }) =>
      x
        .rechunk([n / 16, n])
        .exp()
        .rechunk([n, n / 16]),
  ],
  ["transpose and rechunk", ({ x, n }) => x.matrixTranspose().rechunk([n / 2, n / 8])],
  ["rechunk, then mean", ({ x, n }) => x.rechunk([n, n / 8]).mean({ axis: 0 })],
  [
    "rechunk of a sum",
    ({ x, y, n }) =>
      x
        .add(y)
        .rechunk([n, n / 8])
        .sqrt(),
  ],
  ["stack of six", ({ cw, x, y }) => cw.stack([x, y, x.exp(), y.sqrt(), x.add(y), x.multiply(y)])],
  ["concat of four", ({ cw, x, y }) => cw.concat([x, y.exp(), x.add(1), y], { axis: 1 })],
  ["matmul of transposes", ({ x, y, n }) => x.matrixTranspose().matmul(y.get(":", `0:${n / 4}`))],
  [
    "gram matrix",
    ({ x, n }) =>
      x
        .get(":", `0:${n / 4}`)
        .matrixTranspose()
        .matmul(x.get(":", `0:${n / 4}`)),
  ],
  ["sort, then differences", ({ cw, x }) => cw.diff(cw.sort(x, { axis: 1 }), { axis: 1 })],
  ["scan, then use", ({ x, y }) => x.cumulativeSum({ axis: 0 }).multiply(y)],
  ["two scans", ({ x }) => x.cumulativeSum({ axis: 0 }).cumulativeSum({ axis: 1 })],
  ["stencil by slices", ({ x }) => x.get("2:").add(x.get(":-2")).subtract(x.get("1:-1").multiply(2))],
  [
    "stencil by roll",
    ({ x }) =>
      x
        .roll(1, { axis: 0 })
        .add(x.roll(-1, { axis: 1 }))
        .subtract(x),
  ],
  [
    "stencil by pad",
    ({ x, n }) =>
      x
        .pad(1, { mode: "edge" })
        .get(`0:${n}`, `2:${n + 2}`)
        .subtract(x),
  ],
  ["histogram", ({ cw, x }) => cw.histogram(x, 64).counts],
  ["histogram with weights", ({ cw, x, y }) => cw.histogram(x, { bins: 64, weights: y }).counts],
  ["digitize", ({ cw, x }) => cw.digitize(x, [0.1, 0.5, 0.7])],
  [
    "groupby of many",
    ({ cw, x, n }) =>
      cw.groupbyReduce(x, cw.arange(0, n, 1, { dtype: "int64" }).remainder(256), {
        axis: 0,
        reduce: "sum",
        numLabels: 256,
      }),
  ],
  [
    "groupby along rows",
    ({ cw, x, n }) =>
      cw.groupbyReduce(x, cw.arange(0, n, 1, { dtype: "int64" }).remainder(64), {
        axis: 1,
        reduce: "max",
        numLabels: 64,
      }),
  ],
  ["three results", ({ x, y }) => [x.add(y), x.multiply(y), x.subtract(y).sqrt()]],
  ["results of two shapes", ({ x, y }) => [x.add(y), x.add(y).sum({ axis: 0 }), y.matrixTranspose()]],
  ["shared intermediate", ({ x, n }) => [x.exp().rechunk([n, n / 8]), x.exp().rechunk([n / 8, n])]],
  ["standardised columns", ({ x }) => x.subtract(x.mean({ axis: 0 })).divide(x.std({ axis: 0 }))],
  ["integers", ({ i }) => i.multiply(3).remainder(1000).astype("int16")],
  ["integers, rechunked", ({ i, n }) => i.rechunk([n, n / 8]).add(1)],
  ["single precision", ({ x, y }) => x.astype("float32").multiply(y.astype("float32"))],
  ["complex product", ({ x, y }) => x.astype("complex128").multiply(y).abs()],
  ["narrow columns", ({ x, n }) => x.get(":", `${n / 2 - 3}:${n / 2 + 5}`).add(1)],
  ["long chain", ({ x, y }) => x.add(y).exp().log1p().sqrt().multiply(y).subtract(x).tanh().abs().add(1)],
  ["cut in odd pieces", ({ x, n }) => x.rechunk([Math.ceil(n / 7), Math.ceil(n / 7)]).add(1)],
  ["reshape and back", ({ x, n }) => x.reshape([-1]).add(1).reshape([n, n])],
  ["gaussian filter", ({ cw, x }) => cw.gaussianFilter(x, 3)],
  ["rolling median", ({ cw, x }) => cw.rolling(x, 5).median()],
  ["windows as axes", ({ cw, x }) => cw.slidingWindowView(x, 3, { axis: 1 }).mean({ axis: 2 })],
  [
    "dates",
    ({ i }) => {
      const [hours, days] = [daysOf(i).astype("datetime64[h]"), daysOf(i.add(1))];
      return hours.subtract(days).less(days.subtract(hours));
    },
  ],
  ["copy", ({ x }) => x],
];

const daysOf = (numbers) => numbers.astype("int64").astype("datetime64[D]");

export const OPERATIONS = new Map([...CASES, ...COMBINED]);

/** What the battery measures: of elementwise functions, which are all one kernel, only a few. */
const ALIKE = new Set([...UNARY.slice(4), ...BINARY.slice(3), ...LOGICAL.slice(1), ...BITWISE.slice(1)]);
const RANDOM = 16;
export const PROGRAMS = [
  ...[...OPERATIONS.keys()].filter((name) => !ALIKE.has(name)),
  ...Array.from({ length: RANDOM }, (_, seed) => `random ${seed}`),
];

/** Of these also with huge chunks: reading, writing, bringing together, and what takes much beside its blocks. */
export const HUGE_PROGRAMS = [
  ...["copy", "rechunk rows to columns", "transpose and rechunk"],
  ...["sum of all", "sort", "cumulativeSum", "add"],
];

/** Numbers that follow from a seed: mulberry32. */
function numbersFrom(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** From an [n, n] array to another, as code; `v` is the operand and `w` another one. */
const STEPS = [
  ...["exp", "sqrt", "negative", "square", "tanh", "floor", "abs"].map((name) => () => `cw.${name}(v)`),
  ...["add", "multiply", "subtract", "maximum", "divide"].map((name) => () => `cw.${name}(v, w)`),
  ...["add", "multiply", "subtract", "maximum", "divide"].map((name) => () => `cw.${name}(v, w)`),
  ...["sum", "mean", "max", "std"].map(
    (name) => (pick) => `v.subtract(cw.${name}(v, { axis: ${pick(2)}, keepdims: true }))`,
  ),
  () => "v.subtract(v.mean())",
  () => "v.matrixTranspose()",
  (pick) => `v.flip({ axis: ${pick(2)} })`,
  (pick) => `v.roll(${1 + pick(9)}, { axis: ${pick(2)} })`,
  (pick) => `v.rechunk([Math.ceil(n / ${1 + pick(8)}), Math.ceil(n / ${2 + pick(7)})])`,
  (pick) =>
    `v.get("${1 + pick(4)}:", ":").pad([[${1 + pick(4)}, 0], [0, 0]]).get(\`0:\${n}\`).pad([[0, 4], [0, 0]], { mode: "edge" }).get(\`0:\${n}\`)`,
  () => 'cw.concat([v.get("::2"), w.get("1::2")], { axis: 0 })',
  (pick) => `v.cumulativeSum({ axis: ${pick(2)} })`,
  (pick) => `cw.sort(v, { axis: ${pick(2)} })`,
  (pick) => `cw.where(v.less(w), v, ${pick(3)})`,
  () => 'v.astype("float32").astype("float64")',
  (pick) => `v.set([":${2 + pick(30)}"], 0)`,
  (pick) => `cw.takeAlongAxis(v, cw.argsort(w, { axis: ${pick(2)} }), { axis: ${pick(1)} })`,
  () => "v.matmul(w.get(cw.slice(n), cw.slice(n / 8))).tile([1, 8])",
];

/** What may end an expression: results of other shapes. */
const ENDS = [
  ...["sum", "mean", "var", "argmax"].map((name) => (pick) => `cw.${name}(v, { axis: ${pick(2)} })`),
  () => "v.sum()",
  () => 'v.get("::3", 5)',
  () => "cw.stack([v, w])",
  () => "v.reshape([n / 4, 4 * n])",
  (pick) => `v.repeat(2, { axis: ${pick(2)} })`,
];

/** The code of a random expression: lines, the last of which is a list of results. */
export function randomCode(seed) {
  const pick = numbersFrom(seed);
  for (let i = 0; i < 4; i++) pick(2);
  const names = ["x", "y"];
  const lines = [];
  const line = (makers) => {
    // The latest value, so that chains arise, or any.
    const v = pick(3) > 0 ? names.at(-1) : names[pick(names.length)];
    const w = names[pick(names.length)];
    const code = makers[pick(makers.length)](pick).replace(/\bv\b/g, v).replace(/\bw\b/g, w);
    const name = `v${lines.length}`;
    lines.push(`const ${name} = ${code};`);
    return name;
  };
  const steps = 1 + pick(6);
  for (let i = 0; i < steps; i++) names.push(line(STEPS));
  const results = [names.at(-1)];
  if (pick(2) === 1) results.push(line(ENDS));
  return `${lines.join("\n")}\nreturn [${[...new Set(results)].join(", ")}];`;
}

export function arraysOf(name, given) {
  const seed = /^random (\d+)$/.exec(name)?.[1];
  const made =
    seed === undefined
      ? OPERATIONS.get(name)(given)
      : new Function("cw", "x", "y", "i", "n", randomCode(Number(seed)))(
          given.cw,
          given.x,
          given.y,
          given.i,
          given.n,
        );
  return Array.isArray(made) ? made : [made];
}
