// Arrays from nested lists: the dtype follows from the kinds of the numbers, not from their order, and a list
// comes back as it was.

import * as cw from "chunkwise";
import fc from "fast-check";
import { expect, test } from "vitest";
import { check } from "./settings.ts";

const numbers = fc.oneof(
  fc.integer({ min: -9, max: 9 }),
  fc.constantFrom(-0, 0.5, NaN, Infinity, true, false, 3n),
);
const lists = fc.array(numbers, { minLength: 1, maxLength: 5 });

test("the dtype of a list is that of its numbers in any order", () =>
  check(500, lists, (list) => {
    const { dtype } = cw.asarray(list);
    expect(cw.asarray(list.toReversed()).dtype).toBe(dtype);
    expect(cw.resultType(...list)).toBe(dtype);
  }));

test("a list of floats comes back with its signs of zero", () =>
  check(500, lists, (list) => {
    if (!list.every((x) => typeof x === "number")) return;
    const array = cw.asarray(list).computeSync();
    if (array.dtype === "float64") expect([...array]).toStrictEqual(list);
    else expect(list.some((x) => Object.is(x, -0) || !Number.isInteger(x))).toBe(false);
  }));
