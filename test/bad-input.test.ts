// The messages that people meet most, letter by letter: which function, what is wrong with which numbers, and
// the cure. The battery over all functions and the rarer cases are in bad-input/.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { wrong } from "./bad-input/check.ts";

const matrix = cw.reshape(cw.asarray(new Float64Array([1, 2, 3, 4, 5, 6])), [2, 3]);
const vector = cw.asarray(new Float64Array([1, 2, 3]));
const truths = cw.asarray([true, false, true]);

describe("shapes", () => {
  test("operands that do not broadcast", () => {
    expect(() => matrix.add(cw.zeros([4]))).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: add: shapes [2, 3] and [4] do not broadcast: at axis 1 they are 3 and 4 long. Lengths must be equal, or one of them 1; reshape or expandDims one operand.]`,
    );
    expect(() => cw.where(truths, cw.zeros([2, 2]), 0)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: where: shapes [3] and [2, 2] do not broadcast: at axis 1 they are 3 and 2 long. Lengths must be equal, or one of them 1; reshape or expandDims one operand.]`,
    );
    expect(() => cw.broadcastTo(matrix, [3, 3])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: broadcastTo: shape [2, 3] does not broadcast to [3, 3]. Only axes of length 1 stretch, and new axes come in front.]`,
    );
    expect(() => cw.broadcastArrays(vector, cw.zeros([4]))).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: broadcastArrays: shapes [3] and [4] do not broadcast: at axis 0 they are 3 and 4 long. Lengths must be equal, or one of them 1; reshape or expandDims one operand.]`,
    );
  });

  test("reshape", () => {
    expect(() => matrix.reshape([4, 2])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: reshape: 6 elements of shape [2, 3] do not fit shape [4, 2]. The product of the lengths must stay the same.]`,
    );
    expect(() => matrix.reshape([-1, 4])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: reshape: 6 elements of shape [2, 3] do not fit shape [-1, 4]. The product of the lengths must stay the same.]`,
    );
    expect(() => matrix.reshape([-1, -1])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: reshape: shape [-1, -1] has 2 unknown lengths. Only one may be -1.]`,
    );
    expect(() => matrix.reshape([-2, 3])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: reshape: axis 0 of the shape [-2, 3] is -2. Every length must be a whole number, 0 or more.]`,
    );
    expect(() => matrix.reshape([0, -1])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: reshape: 6 elements of shape [2, 3] do not fit shape [0, -1]. The product of the lengths must stay the same.]`,
    );
  });

  test("concat and stack", () => {
    expect(() => cw.concat([])).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: concat: there are no arrays to concatenate. Pass at least one.]`,
    );
    expect(() => cw.concat([matrix, cw.zeros([3, 4])])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: concat: array 1 is float64 [3, 4] and array 0 is float64 [2, 3]. Shapes may differ only along axis 0.]`,
    );
    expect(() => cw.concat([matrix, vector])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: concat: array 1 is float64 [3] and array 0 is float64 [2, 3]. Shapes may differ only along axis 0.]`,
    );
    expect(() => cw.concat([1, 2])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: concat: a 0-d array cannot be concatenated. Use stack, or expandDims first.]`,
    );
    expect(() => cw.concat(wrong(vector))).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: concat: takes a list of arrays, not an object of class LazyArray. Write [x, y].]`,
    );
    expect(() => cw.stack([])).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: stack: there are no arrays to stack. Pass at least one.]`,
    );
    expect(() => cw.stack([matrix, vector])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: stack: shapes [2, 3] and [3] differ. Stacked arrays have one shape.]`,
    );
  });

  test("products", () => {
    expect(() => matrix.matmul(matrix)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: matmul: shapes [2, 3] and [2, 3] do not fit: 3 columns and 2 rows. The columns of the first must be the rows of the second; transpose one of them.]`,
    );
    expect(() => matrix.matmul(2)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: matmul: shapes [2, 3] and []: a 0-d array has no matrix product. Use multiply.]`,
    );
    expect(() => cw.vecdot(vector, cw.zeros([4]))).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: vecdot: the vectors have 3 and 4 elements. They must be equally long.]`,
    );
    expect(() => cw.tensordot(matrix, matrix, { axes: 3 })).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: tensordot: axes is 3 for arrays of 2 and 2 dimensions. Use no more axes than there are.]`,
    );
    expect(() => cw.tensordot(matrix, matrix, { axes: [[0], [1]] })).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: tensordot: shapes [2, 3] and [2, 3] do not fit: axis 0 of the first is 2 long and axis 1 of the second 3. Axes that are summed together must be equally long; transpose or reshape one operand.]`,
    );
    expect(() => cw.tensordot(matrix, matrix, { axes: [[0, 1], [0]] })).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: tensordot: 2 axes of the first meet 1 of the second. Name as many of both.]`,
    );
  });

  test("too few or too many dimensions", () => {
    expect(() => cw.meshgrid(matrix, vector)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: meshgrid: an array has 2 dimensions. meshgrid takes 1-d arrays.]`,
    );
    expect(() => cw.searchsorted(matrix, vector)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: searchsorted: the sorted array has 2 dimensions. Search in a 1-d array.]`,
    );
    expect(() => cw.matrixTranspose(vector)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: matrixTranspose: needs at least 2 dimensions, not 1. Use expandDims or reshape first.]`,
    );
    expect(() => cw.tril(vector)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: tril: needs at least 2 dimensions, not 1. Use expandDims or reshape first.]`,
    );
    expect(() => cw.take(matrix, [0])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: take: the array has 2 dimensions and no axis is named. Say which axis: {axis: 0}.]`,
    );
    expect(() => cw.takeAlongAxis(matrix, [0])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: takeAlongAxis: the indices have 1 dimensions and the array 2. They must have the same number.]`,
    );
    expect(() => cw.cumulativeSum(matrix)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: cumulativeSum: the array has 2 dimensions and no axis is named. Say which axis: {axis: 0}.]`,
    );
    expect(() => matrix.squeeze(0)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: squeeze: axis 0 is 2 long, not 1. Only axes of length 1 can be squeezed; select an element of the axis instead.]`,
    );
  });

  test("the extremes of nothing", () => {
    expect(() => cw.min(cw.zeros([0]))).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: min: the min of no elements is not defined (shape [0], axes [0]). Reduce over axes that have elements.]`,
    );
    expect(() => cw.max(cw.zeros([0, 3]), { axis: 0 })).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: max: the max of no elements is not defined (shape [0, 3], axes [0]). Reduce over axes that have elements.]`,
    );
    expect(() => cw.argmax(cw.zeros([0]))).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: argmax: the argmax of no elements is not defined (shape [0], axes [0]). Reduce over axes that have elements.]`,
    );
    expect(() => cw.argmin(cw.zeros([2, 0, 3]), { axis: 1 })).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: argmin: the argmin of no elements is not defined (shape [2, 0, 3], axes [1]). Reduce over axes that have elements.]`,
    );
  });

  test("sizes", () => {
    expect(() => cw.full([2, -1], 0)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: full: axis 1 of the shape [2, -1] is -1. Every length must be a whole number, 0 or more.]`,
    );
    expect(() => cw.full(1.5, 0)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: full: axis 0 of the shape [1.5] is 1.5. Every length must be a whole number, 0 or more.]`,
    );
    expect(() => cw.full(wrong("3"), 0)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: full: a shape is a list of whole numbers, not "3". Write [rows, columns].]`,
    );
    expect(() => cw.full([Number.NaN], 0)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: full: axis 0 of the shape [NaN] is NaN. Every length must be a whole number, 0 or more.]`,
    );
    expect(() => cw.full([2 ** 30, 2 ** 30], 0)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: full: the shape [1073741824, 1073741824] has more than 2^53 elements. Use a smaller shape.]`,
    );
    expect(() => vector.repeat(-1)).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: repeat: repeats are -1. Use whole numbers, 0 or more.]`,
    );
    expect(() => vector.repeat([1, 2])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: repeat: 2 counts for 3 elements along axis 0. Give one count per element, or one for all.]`,
    );
    expect(() => vector.tile(-1)).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: tile: repetitions are -1. Use whole numbers, 0 or more.]`,
    );
    expect(() => cw.linspace(0, 1, 1.5)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: linspace: num is 1.5. It must be a whole number, 0 or more.]`,
    );
    expect(() => cw.eye(-1)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: eye: axis 0 of the shape [-1, -1] is -1. Every length must be a whole number, 0 or more.]`,
    );
  });
});

describe("axes", () => {
  test("out of range, repeated, fractional, NaN", () => {
    expect(() => matrix.sum({ axis: 2 })).toThrowErrorMatchingInlineSnapshot(
      `[AxisError: sum: axis 2 is out of range for an array of 2 dimensions. Use -2 to 1.]`,
    );
    expect(() => matrix.sum({ axis: -3 })).toThrowErrorMatchingInlineSnapshot(
      `[AxisError: sum: axis -3 is out of range for an array of 2 dimensions. Use -2 to 1.]`,
    );
    expect(() => matrix.sum({ axis: [0, 0] })).toThrowErrorMatchingInlineSnapshot(
      `[AxisError: sum: axis 0 is named twice. Name every axis once.]`,
    );
    expect(() => matrix.sum({ axis: [1, -1] })).toThrowErrorMatchingInlineSnapshot(
      `[AxisError: sum: axis 1 is named twice. Name every axis once.]`,
    );
    expect(() => matrix.sum({ axis: 0.5 })).toThrowErrorMatchingInlineSnapshot(
      `[AxisError: sum: 0.5 is not an axis. An axis is a whole number.]`,
    );
    expect(() => matrix.sum({ axis: Number.NaN })).toThrowErrorMatchingInlineSnapshot(
      `[AxisError: sum: NaN is not an axis. An axis is a whole number.]`,
    );
    expect(() => cw.sum(1, { axis: 0 })).toThrowErrorMatchingInlineSnapshot(
      `[AxisError: sum: axis 0 is out of range for an array of 0 dimensions. A 0-d array has no axes.]`,
    );
  });

  test("permutations", () => {
    expect(() => matrix.permuteDims([0])).toThrowErrorMatchingInlineSnapshot(
      `[AxisError: permuteDims: 1 axes are named and the array has 2. Name every axis once.]`,
    );
    expect(() => matrix.permuteDims([0, 0])).toThrowErrorMatchingInlineSnapshot(
      `[AxisError: permuteDims: axis 0 is named twice. Name every axis once.]`,
    );
    expect(() => matrix.moveaxis([0, 1], [0])).toThrowErrorMatchingInlineSnapshot(
      `[AxisError: moveaxis: 2 axes move to 1 places. Name as many places as axes.]`,
    );
    expect(() => matrix.squeeze(wrong(undefined))).toThrowErrorMatchingInlineSnapshot(
      `[AxisError: squeeze: no axis is named. Say which axes of length 1 to drop.]`,
    );
    expect(() => matrix.roll([1, 2], { axis: [0] })).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: roll: 2 shifts for 1 axes. Give one shift per axis, or one for all.]`,
    );
  });
});

describe("selections", () => {
  test("indices", () => {
    expect(() => vector.get(5)).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: index 5 is out of range for axis 0 of length 3. Use -3 to 2.]`,
    );
    expect(() => matrix.get(0, -4)).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: index -4 is out of range for axis 1 of length 3. Use -3 to 2.]`,
    );
    expect(() => vector.get(1.5)).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: index 1.5 is out of range for axis 0 of length 3. An index is a whole number.]`,
    );
    expect(() => vector.get(0, 0)).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: 2 indices for an array of shape [3]. Use at most 1.]`,
    );
    expect(() => vector.get("...", "...")).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: the selection has 2 ellipses. Use "..." once.]`,
    );
    expect(() => vector.get([0, 7])).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: index 7 is out of range for axis 0 of length 3. Use -3 to 2.]`,
    );
    expect(() => vector.get([0.5])).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: get: indices are float64, not integers. Use astype to an integer dtype first.]`,
    );
    expect(() => vector.get(cw.zeros([2]).greater(1))).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: the mask is 2 long where axis 0 is 3 long. A mask has the lengths of the axes it stands for.]`,
    );
    expect(() => vector.get(vector.greater(1), [0])).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: 2 indices for an array of shape [3]. Use at most 1.]`,
    );
    expect(() => vector.get(vector.greater(1)).shape).toThrowErrorMatchingInlineSnapshot(
      `[UnknownLengthError: the shape of an array of shape [?] depends on its data. Settle it first: x = await x.settle().]`,
    );
    expect(() => vector.get(wrong(undefined))).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: undefined cannot select. Use whole numbers, slices such as "0:10:2", "...", null, or integer arrays.]`,
    );
  });

  test("slices", () => {
    expect(() => vector.get("::0")).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: the slice's step is 0 at axis 0. Use a step other than 0.]`,
    );
    expect(() => vector.get("1:2:3:4")).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: "1:2:3:4" is not a slice. Write "start:stop:step", for example "0:10:2", or "...".]`,
    );
    expect(() => vector.get("a:b")).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: "a:b" is not a slice. Write "start:stop:step", for example "0:10:2", or "...".]`,
    );
    expect(() => vector.get("1.5:")).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: "1.5:" is not a slice. Write "start:stop:step", for example "0:10:2", or "...".]`,
    );
    expect(() => vector.get("0")).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: "0" is not a slice. Write "start:stop:step", for example "0:10:2", or "...".]`,
    );
  });

  test("assignment", () => {
    expect(() => matrix.set("0:1", cw.zeros([4]))).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: set: shape [4] does not broadcast to [1, 3]. Only axes of length 1 stretch, and new axes come in front.]`,
    );
    expect(() => vector.set(9, 1)).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: set: index 9 is out of range for axis 0 of length 3. Use -3 to 2.]`,
    );
    expect(() => vector.set(cw.asarray([true, false]), 1)).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: set: the mask has shape [2] and the array [3]. A mask covers the first axes wholly.]`,
    );
  });
});

describe("chunks", () => {
  test("lengths that are none, wrong ranks, irregular lists", () => {
    expect(() => matrix.rechunk(0)).toThrowErrorMatchingInlineSnapshot(
      `[ChunkError: rechunk: the chunk length 0 of axis 0 is not one. Use a whole number of 1 or more, -1 or "all" for the whole axis, or "auto".]`,
    );
    expect(() => matrix.rechunk(-2)).toThrowErrorMatchingInlineSnapshot(
      `[ChunkError: rechunk: the chunk length -2 of axis 0 is not one. Use a whole number of 1 or more, -1 or "all" for the whole axis, or "auto".]`,
    );
    expect(() => matrix.rechunk(Number.NaN)).toThrowErrorMatchingInlineSnapshot(
      `[ChunkError: rechunk: the chunk length NaN of axis 0 is not one. Use a whole number of 1 or more, -1 or "all" for the whole axis, or "auto".]`,
    );
    expect(() => matrix.rechunk([1])).toThrowErrorMatchingInlineSnapshot(
      `[ChunkError: rechunk: chunks names 1 axes and the array has 2. Give one entry per axis, or one number for all.]`,
    );
    expect(() => vector.rechunk([[1, 2]])).toThrowErrorMatchingInlineSnapshot(
      `[ChunkError: rechunk: the chunk lengths [1, 2] of axis 0 (length 3) are not a regular grid. All chunks but the last must be equally long, and together as long as the axis.]`,
    );
    expect(() => vector.rechunk([[2, 2]])).toThrowErrorMatchingInlineSnapshot(
      `[ChunkError: rechunk: the chunk lengths [2, 2] of axis 0 (length 3) are not a regular grid. All chunks but the last must be equally long, and together as long as the axis.]`,
    );
  });
});
