// What NumPy calls otherwise: its names for functions, options and dtypes, and ours. Names that differ in their case only
// (`expand_dims`, `logical_and`) need no entry. In: a name. Out: ours, where it is one of those that are known.
// Must hold: every name on the right is one of ours (test/bad-input/numpyNames.test.ts).

/** The functions of NumPy, and its methods. */
export const NUMPY_FUNCTIONS: Readonly<Record<string, string>> = {
  absolute: "abs",
  amax: "max",
  amin: "min",
  arccos: "acos",
  arccosh: "acosh",
  arcsin: "asin",
  arcsinh: "asinh",
  arctan: "atan",
  arctan2: "atan2",
  arctanh: "atanh",
  argwhere: "nonzero",
  around: "round",
  array: "asarray",
  concatenate: "concat",
  conjugate: "conj",
  cumprod: "cumulativeProd",
  cumsum: "cumulativeSum",
  dot: "matmul",
  fabs: "abs",
  fix: "trunc",
  flatten: "reshape",
  invert: "bitwiseInvert",
  left_shift: "bitwiseLeftShift",
  mod: "remainder",
  power: "pow",
  product: "prod",
  ravel: "reshape",
  right_shift: "bitwiseRightShift",
  rint: "round",
  swapaxes: "permuteDims",
  transpose: "permuteDims",
  true_divide: "divide",
  unique: "uniqueValues",
};

const OPTIONS: Readonly<Record<string, string>> = { ddof: "correction" };

const DTYPES: Readonly<Record<string, string>> = {
  ...{ b1: "bool", i1: "int8", i2: "int16", i4: "int32", i8: "int64" },
  ...{ u1: "uint8", u2: "uint16", u4: "uint32", u8: "uint64", f2: "float16", f4: "float32", f8: "float64" },
  ...{ c8: "complex64", c16: "complex128", int: "int64", float: "float64", double: "float64" },
  ...{ single: "float32", half: "float16", complex: "complex128", boolean: "bool" },
};

const ALL: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...NUMPY_FUNCTIONS, ...OPTIONS, ...DTYPES }),
);

/** "cumulativeSum" of "cumsum", where that is known. */
export function numpyMeans(name: string, known: readonly string[]): string | undefined {
  const ours = ALL.get(name) ?? name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return ours !== name && known.includes(ours) ? ours : undefined;
}
