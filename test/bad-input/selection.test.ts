// Selections that do not fit: indices, slices, masks, index arrays; and what is slow or wrong about reading them.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { expectMistake, mistake, wrong } from "./check.ts";

const vector = cw.asarray(new Int32Array([10, 20, 30]));
const matrix = cw.reshape(cw.arange(6), [2, 3]);

describe("slices", () => {
  test.each([
    ...[
      "1:2:3:4",
      "a:b",
      "1.5:",
      ":1e3",
      "0x1:",
      "+1:",
      "::-",
      "1 2:",
      ":,",
      "",
      " ",
      "0",
      "-1",
      ":a",
      "1-2",
    ],
    ...[
      "−1:",
      "NaN:",
      "Infinity:",
      "null:",
      "....",
      "..",
      "... ",
      "[0:1]",
      "0:1,",
      "__proto__",
      "constructor",
    ],
  ])("%j is not a slice", (text) => {
    expectMistake(() => vector.get(text), cw.IndexError, JSON.stringify(text), "start:stop:step");
    expectMistake(() => vector.set(text, 0), cw.IndexError, JSON.stringify(text));
  });

  test("bounds that are not whole numbers", () => {
    for (const bound of [0.5, Number.NaN, "1", {}, Symbol("s"), new Date(0), true]) {
      expectMistake(() => cw.slice(wrong(bound)), cw.IndexError, "stop");
      expectMistake(() => cw.slice(wrong(bound), 2), cw.IndexError, "start");
      expectMistake(() => cw.slice(0, wrong(bound)), cw.IndexError, "stop");
      expectMistake(() => cw.slice(0, 2, wrong(bound)), cw.IndexError, "step");
      expectMistake(() => new cw.Slice(wrong(bound), null, null), cw.IndexError, "start");
    }
  });

  test("a step of 0, wherever it is written", () => {
    expectMistake(() => vector.get(cw.slice(0, 2, 0)), cw.IndexError, "step is 0", "axis 0");
    expectMistake(() => matrix.get(":", "::0"), cw.IndexError, "step is 0", "axis 1");
    expectMistake(() => matrix.set(["::0"], 1), cw.IndexError, "step is 0");
    expectMistake(() => cw.expr`${matrix}[::0]`, cw.IndexError, "step is 0");
  });

  test("bounds beyond the ends are cut, as in Python: no mistake", () => {
    expect(vector.get("-100:100").shape).toEqual([3]);
    expect(vector.get("5:").shape).toEqual([0]);
    expect(vector.get(cw.slice(0, Number.POSITIVE_INFINITY)).shape).toEqual([3]);
  });

  test.each([
    ["blanks", " ".repeat(100_000)],
    ["blanks in the middle", `1:${" ".repeat(100_000)}x`],
    ["digits", "9".repeat(100_000)],
  ])("a long malformed slice is refused at once, and shortly: %s", (_, text) => {
    expectMistake(() => vector.get(text), cw.IndexError);
  });
});

describe("indices", () => {
  test.each([3, -4, 99, -99, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 7n, 2n ** 70n])("%s", (index) => {
    const error = mistake(() => vector.get(index));
    expect(error).toBeInstanceOf(cw.IndexError);
    expect(error.what).toMatch("axis 0 of length 3");
    expectMistake(() => vector.set(index, 1), cw.IndexError, "axis 0 of length 3");
  });

  test("an empty axis has no index", () => {
    expectMistake(() => cw.zeros([0]).get(0), cw.IndexError, "index 0", "length 0", "empty");
    expectMistake(() => cw.zeros([0]).get([0]), cw.IndexError, "index 0", "length 0", "empty");
  });

  test("of no names all is selected", () => expect(vector.get({}).shape).toEqual(vector.shape));

  test.each([undefined, () => 1, Symbol("s"), new Date(0), true, false, new Map(), Promise.resolve(0)])(
    "%s cannot select",
    (item) => expectMistake(() => vector.get(wrong(item)), cw.IndexError, "cannot select"),
  );

  test("too many", () => {
    expectMistake(() => matrix.get(0, 0, 0), cw.IndexError, "3 indices", "[2, 3]", "at most 2");
    expectMistake(() => matrix.get("...", 0, 0, 0), cw.IndexError, "3 indices");
    expectMistake(() => matrix.get("...", 0, "..."), cw.IndexError, "2 ellipses");
    expectMistake(() => cw.sum(vector).get(0), cw.IndexError, "1 indices", "[]");
  });

  test("a hole in a list of items selects nothing by accident", () => {
    const holes: cw.SelectionItem[] = new Array(1);
    expectMistake(() => vector.set(holes, 5), cw.ChunkwiseError);
    expectMistake(() => vector.get(...holes), cw.IndexError);
  });

  test("arrays of them", () => {
    expectMistake(() => vector.get([0, 3]), cw.IndexError, "index 3", "axis 0", "length 3", "-3 to 2");
    expectMistake(() => matrix.get(":", [-4]), cw.IndexError, "index -4", "axis 1");
    expectMistake(() => vector.get(new Float64Array([0])), cw.DTypeError, "float64", "integer");
    expectMistake(() => vector.get([[0, 1], [2]]), cw.ShapeError, "ragged", "[1]");
    expectMistake(() => matrix.get([0, 1], [0, 1, 2]), cw.ShapeError, "[2]", "[3]");
    expectMistake(() => vector.take([0, 3]), cw.IndexError, "index 3");
    expectMistake(() => vector.set([[0, 3]], 1), cw.IndexError, "index 3");
    expectMistake(() => vector.take(new BigInt64Array([2n ** 62n])), cw.IndexError, "46116860184273");
  });

  test("indices in memory are checked when takeAlongAxis is defined, as take does", () => {
    expectMistake(() => vector.takeAlongAxis([0, 3]), cw.IndexError, "index 3", "axis 0", "length 3");
  });

  test("a view of index data is judged by what it shows", () => {
    const places = cw.asarray(new Int32Array([0, 1, 99]));
    expect(vector.take(places.get(":2")).computeSync().toList()).toEqual([10, 20]);
    expect(vector.get(places.get(0)).computeSync().toList()).toBe(10);
    expect(vector.take(places.roll(1).get("1:")).computeSync().toList()).toEqual([10, 20]);
  });
});

describe("masks", () => {
  test("of another length than the axis", () => {
    expectMistake(() => vector.get([true, false]), cw.IndexError, /\b2\b/, /\b3\b/);
    expectMistake(() => vector.get([true, false, false, false]), cw.IndexError, /\b4\b/, /\b3\b/);
    expectMistake(() => matrix.get([[true, false]]), cw.IndexError, /\b1\b/, /\b2\b/);
    expectMistake(() => matrix.get(0, [true, false]), cw.IndexError, /\b2\b/, /\b3\b/);
    expectMistake(() => vector.get(cw.asarray([[true, false, true]])), cw.IndexError, /\b3\b/);
  });

  test("of another length, in an assignment", () => {
    expectMistake(() => vector.set(cw.asarray([true, false]), 1), cw.IndexError, /\b2\b/, /\b3\b/);
    expectMistake(() => vector.set(cw.asarray([true, false]), vector), cw.IndexError, /\b2\b/, /\b3\b/);
  });

  test("that are lazy, where the shape would depend on them", () => {
    const mask = vector.greater(15);
    expect(() => vector.get(mask).shape).toThrow(
      "the shape of an array of shape [?] depends on its data. Settle it first: x = await x.settle()",
    );
    expectMistake(() => vector.get(mask, null, 0), cw.IndexError);
    expectMistake(() => vector.get(mask).add(vector), cw.UnknownLengthError, "[?]");
    expectMistake(() => vector.set(mask, vector).computeSync(), cw.ShapeError, "3 values", "2 places");
    expect(vector.set(mask, 0).computeSync().toList()).toEqual([10, 0, 0]);
  });
});

describe("assignment", () => {
  test("values that do not fit the selection", () => {
    expectMistake(() => matrix.set("0:1", cw.zeros([4])), cw.ShapeError, "[4]", "[1, 3]");
    expectMistake(() => matrix.set([0], cw.zeros([2, 2])), cw.ShapeError, "[2, 2]", "[3]");
    expectMistake(() => matrix.set([0], cw.zeros([2, 3])), cw.ShapeError, "[2, 3]", "[3]");
    expectMistake(() => vector.set([[0, 1]], [1, 2, 3]), cw.ShapeError, "[3]", "[2]");
  });

  test("values that are none", () => {
    expectMistake(() => vector.set(0, wrong(undefined)), cw.DTypeError, "undefined");
    expectMistake(() => vector.set(0, wrong("7")), cw.DTypeError, '"7"');
    expectMistake(() => vector.set(0, 2 ** 31), cw.DTypeError, "2147483648", "int32");
    expectMistake(() => vector.set(0, 0.5), cw.DTypeError, "0.5", "int32");
    expectMistake(() => vector.set(wrong(undefined), 1), cw.IndexError, "undefined");
  });

  test("the array itself never changes", () => {
    const data = new Int32Array([1, 2, 3]);
    const changed = cw.asarray(data).set(0, 9);
    expect(changed.computeSync().toList()).toEqual([9, 2, 3]);
    expect([...data]).toEqual([1, 2, 3]);
  });
});
