// What is measured: the nine expressions, the sizes and dtypes each is measured at, and the bytes it has to move.
// Every contestant implements a case under its id; `shape` is what the operands are given as.

export const SIDE = 4000;
export const MATRIX = 1024;
export const SIZES = [1e4, 1e6, 2e7];

/**
 * @typedef {object} Case
 * @property {string} id
 * @property {string} group E1 to E9, as in --only
 * @property {string} text
 * @property {string[]} dtypes
 * @property {number[] | null} shape the shape of both operands; null: a vector of each of the sizes
 * @property {number} [bytes] bytes per float64 element that must come from or go to memory
 */

const FLOATS = ["float64", "float32"];

/** @type {Case[]} */
export const CASES = [
  { id: "E1", group: "E1", text: "(x*2+y*3)/(1+x*x)", dtypes: FLOATS, shape: null, bytes: 24 },
  { id: "E2", group: "E2", text: "sum(sqrt(x*x+y*y))", dtypes: FLOATS, shape: null, bytes: 16 },
  { id: "E3", group: "E3", text: "exp(-x*x/2)*sin(y)+log1p(abs(x))", dtypes: FLOATS, shape: null, bytes: 24 },
  { id: "E4", group: "E4", text: "sum((x*pi/180)²)", dtypes: FLOATS, shape: null, bytes: 8 },
  { id: "E5", group: "E5", text: "where(x>3, x*2, y-1)", dtypes: ["int32"], shape: null, bytes: 24 },
  { id: "E6", group: "E6", text: "mean of x where x>0.5", dtypes: FLOATS, shape: null, bytes: 8 },
  { id: "E7", group: "E7", text: "x @ y, 1024²", dtypes: FLOATS, shape: [MATRIX, MATRIX] },
  {
    id: "E8.sum0",
    group: "E8",
    text: "sum(x, axis 0), 4000²",
    dtypes: FLOATS,
    shape: [SIDE, SIDE],
    bytes: 8,
  },
  {
    id: "E8.sum1",
    group: "E8",
    text: "sum(x, axis 1), 4000²",
    dtypes: FLOATS,
    shape: [SIDE, SIDE],
    bytes: 8,
  },
  {
    id: "E8.transpose",
    group: "E8",
    text: "copy of xᵀ, 4000²",
    dtypes: FLOATS,
    shape: [SIDE, SIDE],
    bytes: 16,
  },
  { id: "E9.cumsum", group: "E9", text: "cumulative sum, 1e6", dtypes: FLOATS, shape: [1e6], bytes: 16 },
  { id: "E9.sort", group: "E9", text: "sort, 1e6", dtypes: FLOATS, shape: [1e6] },
];

const BYTES_OF = { float64: 8, float32: 4, int32: 4 };

/** Bytes per element in the dtype measured: `bytes` counts float64 operands. */
export const bytesOf = (kase, dtype) =>
  kase.bytes === undefined ? null : (kase.bytes / 8) * BYTES_OF[dtype];

const countOf = (shape) => shape.reduce((product, length) => product * length, 1);

/**
 * The cases grouped by the operands they need, so that these are loaded once.
 * @param {{ only: string[] | null, sizes: number[] }} options
 */
export function loadsOf({ only, sizes }) {
  const loads = new Map();
  for (const dtype of ["float64", "float32", "int32"]) {
    for (const kase of CASES) {
      if (!kase.dtypes.includes(dtype) || (only !== null && !only.includes(kase.group))) continue;
      for (const shape of kase.shape === null ? sizes.map((size) => [size]) : [kase.shape]) {
        const key = `${dtype} ${shape}`;
        if (!loads.has(key)) loads.set(key, { dtype, shape, count: countOf(shape), cases: [] });
        loads.get(key).cases.push(kase);
      }
    }
  }
  return [...loads.values()];
}
