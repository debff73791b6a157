// The array API standard 2024.12, main namespace and extensions, to the last function. In: its names, written from the standard's API
// specification. Out: each is exported, in camelCase, and what the library says of itself is so.

import * as cw from "chunkwise";
import { expect, test } from "vitest";

const STANDARD: { readonly [chapter: string]: string } = {
  constants: "e inf nan newaxis pi",
  creation:
    "arange asarray empty empty_like eye full full_like linspace meshgrid ones ones_like tril triu zeros zeros_like",
  "data types": "astype can_cast finfo iinfo isdtype result_type",
  elementwise:
    "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or " +
    "bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater " +
    "greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not " +
    "logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder " +
    "round sign signbit sin sinh square sqrt subtract tan tanh trunc",
  indexing: "take take_along_axis",
  "linear algebra": "matmul matrix_transpose tensordot vecdot",
  manipulation:
    "broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile unstack",
  searching: "argmax argmin count_nonzero nonzero searchsorted where",
  sets: "unique_all unique_counts unique_inverse unique_values",
  sorting: "argsort sort",
  statistics: "cumulative_prod cumulative_sum max mean min prod std sum var",
  utilities: "all any diff",
};

const inCamelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

// from_dlpack is missing: there are no DLPack capsules in JavaScript (docs/semantics.md).
test.each(Object.entries(STANDARD))("%s", (_, names) => {
  expect(
    names
      .split(" ")
      .map(inCamelCase)
      .filter((name) => !(name in cw)),
  ).toEqual([]);
});

const EXTENSIONS = {
  linalg:
    "cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose outer pinv " +
    "qr slogdet solve svd svdvals tensordot trace vecdot vector_norm",
  fft: "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift",
} as const;

const { linalg, fft } = cw;
test.each(Object.entries({ linalg, fft }))("the extension %s", (name, functions) => {
  const wanted = EXTENSIONS[name as "fft"].split(" ").map(inCamelCase);
  expect(wanted.filter((each) => !(each in functions))).toEqual([]);
});

const info = cw.arrayNamespaceInfo();

test("boolean indexing, and shapes that depend on data", async () => {
  expect(info.capabilities()).toEqual({
    "boolean indexing": true,
    "data-dependent shapes": true,
    "max dimensions": null,
  });
  const x = cw.arange(6, { chunks: 2 });
  expect((await x.get(x.greater(2)).compute()).toList()).toEqual([3, 4, 5]);
  expect((await cw.uniqueValues(x.remainder(2)).compute()).toList()).toEqual([0, 1]);
  expect(cw.zeros(new Array<number>(20).fill(1)).ndim).toBe(20);
});

test("dtypes and devices", () => {
  const dtypes = info.dtypes();
  for (const dtype of dtypes) expect(cw.zeros([2], { dtype }).computeSync().dtype).toBe(dtype);
  const kinds = ["bool", "signed integer", "unsigned integer", "real floating", "complex floating"];
  expect(info.dtypes({ kind: kinds })).toEqual(dtypes);
  expect(kinds.flatMap((kind) => info.dtypes({ kind })).sort()).toEqual([...dtypes].sort());
  expect(info.devices()).toEqual([info.defaultDevice()]);
});

test("default dtypes", () => {
  expect(info.defaultDtypes()).toEqual({
    "real floating": cw.zeros([1]).dtype,
    "complex floating": cw.asarray([cw.complex(0, 1)]).dtype,
    integral: cw.arange(3).dtype,
    indexing: cw.asarray([1]).argmax().dtype,
  });
});
