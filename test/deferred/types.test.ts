// execute() is typed by the names of the outputs. What does not compile here is part of the contract: tsc checks this
// file, and the names that must not compile are marked.

import * as cw from "chunkwise";
import { describe, expect, expectTypeOf, test } from "vitest";
import { isExactly } from "../types/equal.ts";

const x = new cw.LazyArray(new Float64Array([1, 2, 3]));

describe("what execute() returns, by type", () => {
  test("without outputs: the array", async () => {
    const r = await x.square().sum().execute();
    isExactly<cw.NDArray>()(r);
    expect(r.item()).toBe(14);
  });

  test("with outputs: by name, and the result", async () => {
    const r = await x.multiply(2).output("scaled").square().sum().execute();
    isExactly<cw.NDArray>()(r.scaled);
    isExactly<cw.NDArray>()(r.result);
    // @ts-expect-error: no output has this name.
    expect(r.other).toBeUndefined();
    expect(r.scaled.toList()).toEqual([2, 4, 6]);
    expect(r.result.item()).toBe(56);
  });

  test("the record is read-only", async () => {
    const r = await x.add(1).output("a").execute();
    // @ts-expect-error: results are not assigned to.
    const assign = (): unknown => (r.a = r.result);
    expectTypeOf(assign).toBeFunction();
  });

  test("several outputs", async () => {
    const r = await x.add(1).output("one").add(1).output("two").sum().execute();
    expectTypeOf(r).toHaveProperty("one");
    expectTypeOf(r).toHaveProperty("two");
    expectTypeOf(r).toHaveProperty("result");
    expect(Object.keys(r)).toEqual(["one", "two", "result"]);
  });

  test("outputs of both operands, through functions, methods and options", () => {
    const left = x.add(1).output("left");
    const right = x.add(2).output("right");
    for (const both of [
      left.add(right),
      cw.multiply(left, right),
      left.matmul(right),
      cw.where(left.greater(0), left, right),
      cw.vecdot(left, right),
    ]) {
      const r = both.executeSync();
      isExactly<cw.NDArray>()(r.left);
      isExactly<cw.NDArray>()(r.right);
      expect(Object.keys(r)).toEqual(["left", "right", "result"]);
    }
  });

  test("a default name is output_ and a number", async () => {
    const r = await x.add(1).output().add(1).execute();
    isExactly<cw.NDArray>()(r.result);
    isExactly<cw.NDArray | undefined>()(r.output_0);
    // @ts-expect-error: that is no default name.
    expect(r.output0).toBeUndefined();
    expect(r.output_0!.toList()).toEqual([2, 3, 4]);
  });

  test("executeSync and the options change nothing about it", () => {
    const r = x
      .add(1)
      .output("a")
      .executeSync({ onEvent: () => {} });
    isExactly<cw.NDArray>()(r.a);
    expect(r.a.toList()).toEqual([2, 3, 4]);
  });

  test("compute is an array, compute(a, b) as many", async () => {
    isExactly<cw.NDArray>()(await x.compute());
    const [a, b] = await cw.compute(x, x.add(1));
    isExactly<cw.NDArray>()(a);
    // @ts-expect-error: two went in, two come out.
    const [, , c] = await cw.compute(x, x.add(1));
    expect(c).toBeUndefined();
    expect(b.toList()).toEqual([2, 3, 4]);
  });
});

describe("what does not compile", () => {
  test("plain arrays as out, wrong dtypes, misspelled options", () => {
    const never = (): void => {
      // @ts-expect-error: nothing is written in place.
      cw.add(x, 1, { out: new Float64Array(3) });
      // @ts-expect-error: no such dtype.
      x.astype("float63");
      // @ts-expect-error: the option is called axis.
      x.sum({ axes: 0 });
      // @ts-expect-error: axis is an option.
      x.sum(0);
      // @ts-expect-error: JavaScript's operators do not work on arrays.
      void (x * 2);
    };
    expectTypeOf(never).toBeFunction();
  });
});
