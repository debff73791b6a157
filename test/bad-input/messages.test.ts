// The messages about dtypes, operands and other values, letter by letter (shapes, axes, selections and chunks:
// ../bad-input.test.ts).

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { wrong } from "./check.ts";

const vector = cw.asarray(new Float64Array([1, 2, 3]));
const bytes = cw.asarray(new Uint8Array([1, 2, 3]));
const truths = cw.asarray([true, false, true]);
const complexes = cw.asarray([cw.complex(1, 2)]);

describe("dtypes", () => {
  test("kinds that a function does not take", () => {
    expect(() => truths.add(truths)).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: add: takes numbers, not bool. Use astype first, or a logical function.]`,
    );
    expect(() => complexes.less(1)).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: less: takes real numbers and bool, not complex128. Take real, imag or abs first.]`,
    );
    expect(() => vector.bitwiseAnd(1)).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: bitwiseAnd: takes integers and bool, not float64. Use astype to an integer dtype first.]`,
    );
    expect(() => complexes.floorDivide(2)).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: floorDivide: takes real numbers, not complex128. Take real, imag or abs first.]`,
    );
    expect(() => cw.where(vector, 1, 0)).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: where: the condition is float64, not bool. Compare first, for example x.greater(0).]`,
    );
    expect(() => truths.ptp()).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: ptp: takes real numbers, not bool. Use astype first, or a logical function.]`,
    );
    expect(() => complexes.astype("float64")).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: astype: complex128 cannot become float64: the imaginary part would be lost. Take real, imag or abs first.]`,
    );
  });

  test("names that are no dtype", () => {
    expect(() => vector.astype(wrong("float63"))).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: astype: "float63" is not a dtype. Did you mean float64?]`,
    );
    expect(() => vector.astype(wrong("__proto__"))).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: astype: "__proto__" is not a dtype. Known are bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, ….]`,
    );
    expect(() => vector.astype(wrong(Float64Array))).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: astype: a function is not a dtype. Dtypes are strings such as "float64".]`,
    );
    expect(() => cw.full(3, 0, { dtype: wrong("int") })).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: full: "int" is not a dtype. What NumPy calls int is int64 here.]`,
    );
    expect(() => cw.finfo("int8")).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: finfo: int8 is not a floating dtype. Use iinfo for integers.]`,
    );
    expect(() => cw.iinfo("float32")).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: iinfo: float32 is not an integer dtype. Use finfo for floats.]`,
    );
    expect(() => cw.isdtype("int8", "numbers")).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: isdtype: "numbers" is not a kind of dtype. Known are bool, signed integer, unsigned integer, integral, real floating, complex floating, numeric.]`,
    );
  });

  test("values that do not fit", () => {
    expect(() => bytes.add(300)).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: add: 300 is out of range for uint8 (0 to 255). Use a wider dtype.]`,
    );
    expect(() => bytes.add(-1)).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: add: -1 is out of range for uint8 (0 to 255). Use a wider dtype.]`,
    );
    expect(() => cw.asarray([1, 1.5], { dtype: "int32" })).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: asarray: 1.5 is not a whole number and int32 holds only those. Use a floating dtype, or round the value first.]`,
    );
    expect(() => cw.full(3, Number.NaN, { dtype: "int8" })).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: full: NaN is not a whole number and int8 holds only those. Use a floating dtype, or round the value first.]`,
    );
    expect(() => bytes.set(0, 0.5)).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: set: 0.5 is not a whole number and uint8 holds only those. Use a floating dtype, or round the value first.]`,
    );
    expect(() => vector.set(0, cw.complex(1, 1))).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: set: the complex number 1+1j does not fit float64. Use a complex dtype, or the number's real part.]`,
    );
  });
});

describe("operands", () => {
  test("things that are not arrays", () => {
    expect(() => vector.add(wrong("abc"))).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: add: "abc" is not an array. Pass a LazyArray, an NDArray, a typed array, a nested list or a number.]`,
    );
    expect(() => vector.add(wrong(undefined))).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: add: undefined is not an array. Pass a LazyArray, an NDArray, a typed array, a nested list or a number.]`,
    );
    expect(() => vector.add(wrong(null))).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: add: null is not an array. Pass a LazyArray, an NDArray, a typed array, a nested list or a number.]`,
    );
    expect(() => vector.add(wrong({}))).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: add: an object of class Object is not an array. Pass a LazyArray, an NDArray, a typed array, a nested list or a number.]`,
    );
    expect(() => vector.add(wrong(new Date(0)))).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: add: an object of class Date is not an array. Pass a LazyArray, an NDArray, a typed array, a nested list or a number.]`,
    );
    expect(() => vector.add(wrong(Symbol("s")))).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: add: Symbol(s) is not an array. Pass a LazyArray, an NDArray, a typed array, a nested list or a number.]`,
    );
    expect(() => vector.add(wrong(() => 1))).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: add: a function is not an array. Pass a LazyArray, an NDArray, a typed array, a nested list or a number.]`,
    );
  });

  test("lists", () => {
    expect(() => cw.asarray([[1, 2], [3]])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: asarray: the nested list is ragged: [1] has 1 elements where 2 elements were expected. All lists of one level must be equally long; ragged data belongs in chunkwise/ragged.]`,
    );
    expect(() =>
      cw.asarray([
        [[1], [2]],
        [[3], [4, 5]],
      ]),
    ).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: asarray: the nested list is ragged: [1, 1] has 2 elements where 1 elements were expected. All lists of one level must be equally long; ragged data belongs in chunkwise/ragged.]`,
    );
    expect(() => cw.asarray([[1, 2], 3])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: asarray: the nested list is ragged: [1] is 3 where 2 elements were expected. All lists of one level must be equally long; ragged data belongs in chunkwise/ragged.]`,
    );
    expect(() => cw.asarray([1, [2]])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: asarray: the nested list is ragged: [1] is a list of 1 where a number was expected. All lists of one level must be equally long; ragged data belongs in chunkwise/ragged.]`,
    );
    expect(() => cw.asarray(wrong([1, "2"]))).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: asarray: [1] is "2", not a number, bigint, boolean or complex. Arrays hold numbers.]`,
    );
  });
});

describe("other values", () => {
  test("ranges", () => {
    expect(() => cw.arange(0, 5, 0)).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: arange: the step is 0. Use a step other than 0.]`,
    );
    expect(() => cw.arange(0, Number.POSITIVE_INFINITY)).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: arange: a range from 0 to Infinity by 1 has Infinity elements. Use finite bounds.]`,
    );
    expect(() => cw.arange(0, 1, 0.1, { dtype: "int32" })).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: arange: 0.1 is not a whole number and int32 holds only those. Use a floating dtype, or round the value first.]`,
    );
    expect(() => cw.arange(0, 5, 1, { dtype: "bool" })).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: arange: arange cannot make bool. Use an integer or floating dtype.]`,
    );
  });

  test("words", () => {
    expect(() =>
      cw.searchsorted(vector, vector, { side: wrong("middle") }),
    ).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: searchsorted: side is "middle". Use "left" or "right".]`,
    );
    expect(() => cw.pad(vector, 1, { mode: wrong("reflex") })).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: pad: mode is "reflex". Use one of constant, edge, reflect, symmetric, wrap.]`,
    );
    expect(() => cw.meshgrid(vector, { indexing: wrong("yx") })).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: meshgrid: indexing is "yx". Use "xy" or "ij".]`,
    );
  });

  test("numbers", () => {
    expect(() => cw.diff(vector, { n: -1 })).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: diff: n is -1. It must be 0 or more.]`,
    );
    expect(() => vector.roll(1.5)).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: roll: shift is 1.5. It must be a whole number.]`,
    );
    expect(() => cw.std(vector, { correction: Number.NaN })).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: std: correction is NaN. It must be a number.]`,
    );
    expect(() => cw.asarray([1], { copy: false })).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: asarray: a list of 1 cannot become an array without a copy. Leave copy: false away.]`,
    );
    expect(() => cw.resultType()).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: resultType: no operands to find a result dtype of. Pass at least one array or dtype.]`,
    );
  });

  test("results that are computed from what is not lazy", () => {
    expect(() => cw.computeSync(wrong(vector.computeSync()))).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: computeSync: an object of class NDArray is not a lazy array. Write computeSync(x, y) or computeSync([x, y], options).]`,
    );
  });
});
