// “Error checking that does not require the operation to be performed should be done when that operation is defined.”
// The messages of the most common mistakes; the battery of all of them is in ../bad-input.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { wrong } from "../bad-input/check.ts";
import { lineHere, watched } from "./watch.ts";

const matrix = new cw.LazyArray([
  [1, 2, 3],
  [4, 5, 6],
]);

describe("“A common example would be checking for compatible shapes”", () => {
  test("the message says where, what with the numbers, and the cure", () => {
    expect(() => matrix.add(new Float64Array(4))).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: add: shapes [2, 3] and [4] do not broadcast: at axis 1 they are 3 and 4 long. Lengths must be equal, or one of them 1; reshape or expandDims one operand.]`,
    );
    expect(() => cw.matmul(matrix, matrix)).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: matmul: shapes [2, 3] and [2, 3] do not fit: 3 columns and 2 rows. The columns of the first must be the rows of the second; transpose one of them.]`,
    );
    expect(() => matrix.reshape([4])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: reshape: 6 elements of shape [2, 3] do not fit shape [4]. The product of the lengths must stay the same.]`,
    );
    expect(() => matrix.get(2)).toThrowErrorMatchingInlineSnapshot(
      `[IndexError: get: index 2 is out of range for axis 0 of length 2. Use -2 to 1.]`,
    );
    expect(() => matrix.sum({ axis: 2 })).toThrowErrorMatchingInlineSnapshot(
      `[AxisError: sum: axis 2 is out of range for an array of 2 dimensions. Use -2 to 1.]`,
    );
  });
});

describe("dtypes are checked there, too", () => {
  test("the messages", () => {
    expect(() => matrix.greater(1).add(1)).not.toThrow();
    expect(() => matrix.greater(1).add(true)).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: add: takes numbers, not bool. Use astype first, or a logical function.]`,
    );
    expect(() => matrix.divide(2).bitwiseOr(1)).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: bitwiseOr: takes integers and bool, not float64. Use astype to an integer dtype first.]`,
    );
    expect(() => matrix.astype("uint8").add(256)).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: add: 256 is out of range for uint8 (0 to 255). Use a wider dtype.]`,
    );
    expect(() => matrix.multiply(cw.complex(0, 1)).max()).toThrowErrorMatchingInlineSnapshot(
      `[DTypeError: max: takes real numbers and bool, not complex128. Take real, imag or abs first.]`,
    );
  });
});

describe("an error at definition", () => {
  test("is thrown on the line that defines, and its stack begins there", () => {
    const caught = ((): [unknown, string] => {
      try {
        return [matrix.add(new Float64Array(4)), ""];
      } catch (error) {
        return [error, lineHere()];
      }
    })();
    const [error, after] = caught as [Error, string];
    // Two lines above the one that asks.
    const line = after.replace(/\d+$/, (digits) => String(Number(digits) - 2));
    expect(error.stack!.split("\n")[1]).toMatch(line);
  });

  test("reads no data, in a method, a function or a template", () => {
    const { array, touches } = watched([1, 2, 3]);
    const x = new cw.LazyArray(array);
    for (const define of [
      () => x.add([1, 2]),
      () => cw.add(x, [1, 2]),
      () => cw.expr`${x} + ${[1, 2]}`,
      () => x.astype(wrong("float63")),
      () => x.get(5),
      () => x.set(5, 1),
    ])
      expect(define).toThrow(cw.ChunkwiseError);
    expect(touches()).toBe(0);
  });

  test("leaves the arrays as they were", () => {
    const x = new cw.LazyArray(new Float64Array([1, 2]));
    expect(() => x.add([1, 2, 3])).toThrow(cw.ShapeError);
    expect(() => x.output("result")).toThrow(cw.ValueError);
    expect([...x.outputs.keys()]).toEqual([]);
    expect(x.add(1).computeSync().toList()).toEqual([2, 3]);
  });

  test("does not mix up the lines of what comes after it", () => {
    const x = new cw.LazyArray(new Int32Array([1, 2]));
    expect(() => x.add([1, 2, 3])).toThrow(cw.ShapeError);
    const [failing, at] = [x.floorDivide(new Int32Array([1, 0])), lineHere()];
    expect(() => failing.computeSync()).toThrow(`at ${at}:`);
  });
});
