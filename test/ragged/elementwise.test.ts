// Elementwise functions through structure: values against plain JavaScript, dtypes against the dense rules.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DTYPES, infoOf, isComplex } from "../../src/core/dtype.ts";
import { promote } from "../../src/core/numbers.ts";
import * as rg from "../../src/ragged/index.ts";
import { check } from "../property/settings.ts";
import { halfNumber, type Nested, nested } from "./arbitrary.ts";
import { evaluate, run, typeOf, unwrapped } from "./check.ts";
import * as naive from "./naive.ts";

const E = rg.ELEMENTWISE;
const { listOf, numpyOf, recordOf, regularOf } = rg.layouts;

describe("values", () => {
  test("one array", () =>
    check(100, nested({ depth: 3, leaf: halfNumber, nullLeaves: true, nullLists: true }), (x) => {
      expect(evaluate(E["negative"]!, [x], {})).toEqual(naive.elementwise((v: number) => -v, x));
      expect(evaluate(E["greater"]!, [x], { operands: [null, 0.5] })).toEqual(
        naive.elementwise((v: number) => v > 0.5, x),
      );
      expect(evaluate(E["subtract"]!, [x], { operands: [1.5, null] })).toEqual(
        naive.elementwise((v: number) => 1.5 - v, x),
      );
    }));

  test("two arrays of different depth", () =>
    check(100, nested({ depth: 3, leaf: halfNumber, nullLeaves: true, nullLists: true }), (x) => {
      const shallow = x.map((row, i) => (row === null ? null : i + 0.5));
      const middle = x.map((row) => (row as Nested[] | null)?.map((_, j) => j + 0.25) ?? null);
      const plus = (a: number, b: number): number => a + b;
      const [deep, top, lists] = [x, shallow, middle].map((rows) => rg.fromIter(rows));
      const add = E["add"]!;
      expect(unwrapped(add, [deep!, top!], {})).toEqual(naive.elementwise(plus, x, shallow));
      expect(unwrapped(add, [top!, deep!], {})).toEqual(naive.elementwise(plus, shallow, x));
      expect(unwrapped(add, [deep!, lists!], {})).toEqual(naive.elementwise(plus, x, middle));
    }));

  test("large arrays go through compiled kernels and are the same", () => {
    const rows = Array.from({ length: 700 }, (_, i) => Array.from({ length: i % 5 }, (_, j) => i + j / 2));
    const expected = rows.map((row) => row.map((v) => Math.sqrt(v) * 2.5));
    const root = run(E["sqrt"]!, [rg.fromIter(rows)], {});
    expect(unwrapped(E["multiply"]!, [root], { operands: [null, 2.5] })).toEqual(expected);
  });

  test("records are gone through field by field, unions type by type", () => {
    expect(evaluate(E["add"]!, [[{ x: 1, y: [1.5] }]], { operands: [null, 1] })).toEqual([
      { x: 2, y: [2.5] },
    ]);
    expect(evaluate(E["add"]!, [[{ x: 1 }], [{ x: 2.5 }]], {})).toEqual([{ x: 3.5 }]);
    expect(evaluate(E["multiply"]!, [[1, [2, 3], null]], { operands: [null, 2] })).toEqual([2, [4, 6], null]);
    expect(() => evaluate(E["add"]!, [[{ x: 1 }], [{ y: 1 }]], {})).toThrow(
      "records of {x} and of {y} do not broadcast",
    );
  });

  test("strings are compared", () => {
    expect(evaluate(E["equal"]!, [[["a", "é"], []]], { operands: [null, "é"] })).toEqual([[false, true], []]);
    expect(
      evaluate(
        E["notEqual"]!,
        [
          ["a", null],
          ["b", "b"],
        ],
        {},
      ),
    ).toEqual([true, null]);
    expect(() => evaluate(E["add"]!, [["a"]], { operands: [null, 1] })).toThrow("add does not take strings");
    expect(() => evaluate(E["equal"]!, [["a"], [1]], {})).toThrow(
      "equal does not take strings and numbers together",
    );
  });
});

describe("dtypes are the dense ones", () => {
  const lists = (dtype: (typeof DTYPES)[number]): rg.Layout =>
    listOf(Int32Array.of(0, 1), numpyOf(new (infoOf(dtype).array)(infoOf(dtype).slots), dtype));

  test("add promotes", () => {
    for (const a of DTYPES.filter((d) => d !== "bool"))
      for (const b of DTYPES.filter((d) => d !== "bool"))
        expect(rg.typeText(rg.formOf(run(E["add"]!, [lists(a), lists(b)], {})))).toBe(
          `var * ${promote(a, b)}`,
        );
  });

  test("scalars are weak", () => {
    const type = (dtype: (typeof DTYPES)[number], scalar: number): string =>
      rg.typeText(rg.formOf(run(E["multiply"]!, [lists(dtype)], { operands: [null, scalar] })));
    expect(type("float32", 2.5)).toBe("var * float32");
    expect(type("int32", 2)).toBe("var * int32");
    expect(type("int32", 2.5)).toBe("var * float64");
    expect(typeOf(E["divide"]!, [[[1, 2]]], { operands: [null, 2] })).toBe("var * float64");
    expect(typeOf(E["greater"]!, [[[1]]], { operands: [null, 2] })).toBe("var * bool");
  });

  test("every function of the table runs on lists of numbers it takes", () => {
    for (const [name, op] of Object.entries(E)) {
      const dtype = name.startsWith("bitwise") ? "int32" : "float64";
      const input = listOf(
        Int32Array.of(0, 2),
        numpyOf(dtype === "int32" ? Int32Array.of(1, 2) : Float64Array.of(0.5, 0.25)),
      );
      const arity = ["add", "subtract", "multiply", "divide"].includes(name) ? 2 : null;
      const inputs = arity === 2 || takesTwo(op, input) ? [input, input] : [input];
      expect(run(op, inputs, {}).length, name).toBe(1);
    }
  });
});

function takesTwo(op: rg.RaggedOp<rg.OperandAttrs>, input: rg.Layout): boolean {
  try {
    op.form([rg.formOf(input)], {});
    op.run([input], {});
    return false;
  } catch {
    return true;
  }
}

describe("regular lists", () => {
  const matrix = regularOf(numpyOf(Float64Array.of(1, 2, 3, 4, 5, 6)), 3, 2);

  test("are matched at their ends, as NumPy does", () => {
    const weights = numpyOf(Float64Array.of(10, 100, 1000));
    expect(unwrapped(E["multiply"]!, [matrix, weights], {})).toEqual([
      [10, 200, 3000],
      [40, 500, 6000],
    ]);
    expect(unwrapped(E["multiply"]!, [weights, matrix], {})).toEqual([
      [10, 200, 3000],
      [40, 500, 6000],
    ]);
    expect(rg.typeText(rg.formOf(run(E["add"]!, [matrix, weights], {})))).toBe("3 * float64");
    expect(() => run(E["add"]!, [matrix, numpyOf(Float64Array.of(1, 2))], {})).toThrow(
      "an array of 2 rows does not broadcast against lists of 3",
    );
  });

  test("of one element stretch", () => {
    const column = regularOf(numpyOf(Float64Array.of(10, 20)), 1, 2);
    expect(unwrapped(E["add"]!, [matrix, column], {})).toEqual([
      [11, 12, 13],
      [24, 25, 26],
    ]);
    const ragged = listOf(Int32Array.of(0, 1, 3), numpyOf(Float64Array.of(1, 2, 3)));
    expect(unwrapped(E["add"]!, [ragged, column], {})).toEqual([[11], [22, 23]]);
  });

  test("what does not fit is named", () => {
    const ragged = listOf(Int32Array.of(0, 1, 3), numpyOf(Float64Array.of(1, 2, 3)));
    expect(() => run(E["add"]!, [ragged, matrix], {})).toThrow(
      "add: at axis 1, list 0 has 1 elements in one array and 3 in another. Lists that are combined must be equally long.",
    );
    expect(() =>
      evaluate(
        E["add"]!,
        [
          [1, 2],
          [1, 2, 3],
        ],
        {},
      ),
    ).toThrow("arrays of 2 and 3 rows do not broadcast");
    expect(() => evaluate(E["floorDivide"]!, [[1, 2]], { operands: [null, 0] })).toThrow(
      "integer division by zero",
    );
  });

  test("records stay records around them", () => {
    const record = recordOf(["m"], [matrix], 2);
    expect(unwrapped(E["add"]!, [record], { operands: [null, 1] })).toEqual([
      { m: [2, 3, 4] },
      { m: [5, 6, 7] },
    ]);
  });

  test("complex numbers too", () => {
    const z = listOf(Int32Array.of(0, 1, 2), numpyOf(Float64Array.of(1, 2, 3, 4), "complex128"));
    const product = rg.toList(run(E["multiply"]!, [z, z], {})) as { re: number; im: number }[][];
    expect(product.map(([v]) => [v!.re, v!.im])).toEqual([
      [-3, 4],
      [-7, 24],
    ]);
    expect(isComplex("complex128")).toBe(true);
    const sums = rg.toList(run(rg.REDUCTIONS["sum"]!, [z], { axis: 0 })) as { re: number; im: number }[];
    expect([sums[0]!.re, sums[0]!.im]).toEqual([4, 6]);
  });
});

test("isclose", () => {
  const cases: [number, number, boolean][] = [
    [1, 1 + 1e-9, true],
    [1, 1.1, false],
    [Infinity, Infinity, true],
    [Infinity, 1, false],
    [Number.NaN, Number.NaN, false],
  ];
  const [x, y] = [cases.map(([a]) => a), cases.map(([, b]) => b)];
  expect(evaluate(rg.isclose, [x, y], {})).toEqual(cases.map(([, , is]) => is));
  expect(evaluate(rg.isclose, [x, y], { equalNan: true })).toEqual([true, false, true, false, true]);
  expect(evaluate(rg.isclose, [[[1.5], []]], { operands: [null, 2], atol: 1 })).toEqual([[true], []]);
  check(20, fc.array(halfNumber), (values) => {
    expect(evaluate(rg.isclose, [values, values], {})).toEqual(values.map(() => true));
  });
});
