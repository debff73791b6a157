// Lazy arrays among plain ones, and `out`.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { wrong } from "../bad-input/check.ts";

describe("“If any input or output argument is of type DeferredExecution, the result is”", () => {
  const lazy = new cw.LazyArray(new Float64Array([1, 2]));
  const plain: readonly cw.Operand[] = [
    ...[3, 3n, true, cw.complex(0, 1), [3, 4], new Float64Array([3, 4]), new Int8Array([3, 4])],
    new cw.NDArray(new Float32Array([3, 4]), [2], "float32"),
  ];

  test.each(plain.map((other) => [other]))("beside %s, on either side", (other) => {
    for (const mixed of [
      lazy.add(other),
      cw.add(lazy, other),
      cw.add(other, lazy),
      cw.expr`${other} + ${lazy}`,
    ])
      expect(mixed).toBeInstanceOf(cw.LazyArray);
    expect(cw.add(other, lazy).computeSync().toList()).toEqual(cw.add(lazy, other).computeSync().toList());
  });

  test("selection and assignment", () => {
    expect(cw.get(new Float64Array([1, 2]), 0)).toBeInstanceOf(cw.LazyArray);
    expect(lazy.get([1])).toBeInstanceOf(cw.LazyArray);
    expect(lazy.set(0, 7)).toBeInstanceOf(cw.LazyArray);
    expect(lazy.set(0, 7).computeSync().toList()).toEqual([7, 2]);
    expect(lazy.computeSync().toList()).toEqual([1, 2]);
  });

  test("a lazy out is allowed: the result has its dtype, and nothing is written into it", () => {
    const out = cw.zeros([2], { dtype: "float32" });
    const sum = cw.add([1, 2], [3, 4], { out });
    expect(sum).toBeInstanceOf(cw.LazyArray);
    expect(sum.dtype).toBe("float32");
    expect(sum.computeSync().toList()).toEqual([4, 6]);
    expect(out.computeSync().toList()).toEqual([0, 0]);
  });
});

describe("“Passing a regular ndarray as out … is a TypeError”", () => {
  const x = new cw.LazyArray(new Float64Array([1, 2]));

  test("the messages", () => {
    expect(() => cw.add(x, 1, { out: wrong(new Float64Array(2)) })).toThrowErrorMatchingInlineSnapshot(
      `[OutTargetError: add: out is a Float64Array: a lazy operation cannot write into a plain array. Leave out away and use the array that is returned.]`,
    );
    expect(() => x.sqrt({ out: wrong(x.computeSync()) })).toThrowErrorMatchingInlineSnapshot(
      `[OutTargetError: sqrt: out is an object of class NDArray: a lazy operation cannot write into a plain array. Leave out away and use the array that is returned.]`,
    );
  });

  test.each([new Float64Array(2), x.computeSync(), [0, 0], 5, "out", {}, () => 1])("%s", (out) => {
    for (const call of [
      () => cw.add(x, 1, { out: wrong(out) }),
      () => x.add(1, { out: wrong(out) }),
      () => cw.sqrt(x, { out: wrong(out) }),
      () => x.clip(0, 1, { out: wrong(out) }),
    ]) {
      expect(call).toThrow(TypeError);
      expect(call).toThrow(cw.OutTargetError);
    }
  });

  test("it says what, where and the cure, as every error does", () => {
    const caught = ((): unknown => {
      try {
        return cw.multiply(x, 2, { out: wrong(new Float64Array(2)) });
      } catch (error) {
        return error;
      }
    })();
    expect(caught).toMatchObject({
      name: "OutTargetError",
      what: "out is a Float64Array: a lazy operation cannot write into a plain array",
      where: "multiply",
      cure: "Leave out away and use the array that is returned",
    });
  });

  test("a lazy out of another shape is a ShapeError", () => {
    expect(() => cw.add(x, 1, { out: cw.zeros([3]) })).toThrow(cw.ShapeError);
    expect(() => cw.add(x, 1, { out: cw.zeros([3]) })).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: add: out has shape [3] and the result [2]. Use an out of the result's shape, or none.]`,
    );
  });

  test("undefined and null are no out", () => {
    expect(cw.add(x, 1, { out: undefined }).dtype).toBe("float64");
    expect(cw.add(x, 1, { out: wrong(null) }).dtype).toBe("float64");
  });
});
