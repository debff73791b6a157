// Awkward's documented conventions, as tables: what empty lists, nulls and mixed types give.

import { describe, expect, test } from "vitest";
import * as rg from "../../src/ragged/index.ts";
import { evaluate, run, typeOf } from "./check.ts";

const R = rg.REDUCTIONS;
const EMPTY_LIST = [[1.5, 2.5], [], [4]];

describe("reductions of empty lists", () => {
  test.each<[string, unknown, string]>([
    ["sum", [4, 0, 4], "float64"],
    ["prod", [3.75, 1, 4], "float64"],
    ["min", [1.5, null, 4], "?float64"],
    ["max", [2.5, null, 4], "?float64"],
    ["argmin", [0, null, 0], "?int64"],
    ["argmax", [1, null, 0], "?int64"],
    ["any", [true, false, true], "bool"],
    ["all", [true, true, true], "bool"],
    ["count", [2, 0, 1], "int64"],
    ["countNonzero", [2, 0, 1], "int64"],
    ["mean", [2, Number.NaN, 4], "float64"],
    ["var", [0.25, Number.NaN, 0], "float64"],
    ["std", [0.5, Number.NaN, 0], "float64"],
  ])("%s", (name, expected, type) => {
    expect(evaluate(R[name]!, [EMPTY_LIST], { axis: 1 })).toEqual(expected);
    expect(typeOf(R[name]!, [EMPTY_LIST], { axis: 1 })).toBe(type);
  });

  test("maskIdentity turns nulls on and off", () => {
    expect(evaluate(R["sum"]!, [EMPTY_LIST], { axis: 1, maskIdentity: true })).toEqual([4, null, 4]);
    expect(evaluate(R["mean"]!, [EMPTY_LIST], { axis: 1, maskIdentity: true })).toEqual([2, null, 4]);
    expect(evaluate(R["max"]!, [EMPTY_LIST], { axis: 1, maskIdentity: false })).toEqual([2.5, -Infinity, 4]);
    expect(evaluate(R["min"]!, [[[1], []]], { axis: 1, maskIdentity: false })).toEqual([1, 2n ** 63n - 1n]);
    expect(evaluate(R["argmax"]!, [EMPTY_LIST], { axis: 1, maskIdentity: false })).toEqual([1, -1, 0]);
  });

  test("keepdims leaves an axis of one", () => {
    expect(evaluate(R["argmax"]!, [[[7], []]], { axis: 1, keepdims: true })).toEqual([[0], [null]]);
    expect(typeOf(R["argmax"]!, [[[7], []]], { axis: 1, keepdims: true })).toBe("1 * ?int64");
    expect(evaluate(R["sum"]!, [[[1, 2], []]], { axis: null, keepdims: true })).toEqual([[3]]);
    expect(evaluate(R["sum"]!, [[[1, 2], [3]]], { axis: 0, keepdims: true })).toEqual([[4, 2]]);
  });

  test("of nothing at all", () => {
    expect(evaluate(R["sum"]!, [[]], {})).toBe(0);
    expect(evaluate(R["max"]!, [[]], {})).toBe(null);
    expect(evaluate(R["mean"]!, [[]], {})).toBe(Number.NaN);
    expect(evaluate(R["sum"]!, [[[], []]], { axis: 0 })).toEqual([]);
  });
});

describe("nulls in reductions", () => {
  test("are left out; a null list stays null along the inner axis and is left out along the outer", () => {
    const x = [[1, null, 3], null, [null], [4]];
    expect(evaluate(R["sum"]!, [x], { axis: 1 })).toEqual([4, null, 0, 4]);
    expect(evaluate(R["max"]!, [x], { axis: 1 })).toEqual([3, null, null, 4]);
    expect(evaluate(R["count"]!, [x], { axis: 1 })).toEqual([2, null, 0, 1]);
    expect(evaluate(R["argmax"]!, [x], { axis: 1 })).toEqual([2, null, null, 0]);
    expect(evaluate(R["sum"]!, [x], { axis: 0 })).toEqual([5, 0, 3]);
    expect(evaluate(R["argmax"]!, [x], { axis: 0 })).toEqual([3, null, 0]);
  });

  test("NaN is a value", () => {
    expect(evaluate(R["max"]!, [[[1.5, Number.NaN], [2.5]]], { axis: 1 })).toEqual([Number.NaN, 2.5]);
    expect(evaluate(R["argmax"]!, [[[1.5, Number.NaN, 3]]], { axis: 1 })).toEqual([1]);
    expect(evaluate(R["max"]!, [[[1.5, Number.NaN]].map((v) => v)], { axis: null })).toBe(Number.NaN);
    expect(evaluate(rg.nanToNone, [[[1.5, Number.NaN]]], {})).toEqual([[1.5, null]]);
  });
});

describe("dtypes of reductions", () => {
  const { listOf, numpyOf } = rg.layouts;
  const type = (
    name: string,
    data: Parameters<typeof numpyOf>[0],
    dtype?: Parameters<typeof numpyOf>[1],
  ): string => {
    const layout = listOf(
      Int32Array.of(0, data.length),
      dtype === undefined ? numpyOf(data) : numpyOf(data, dtype),
    );
    return rg.typeText(rg.formOf(run(R[name]!, [layout], { axis: 1 })));
  };
  test.each<[string, string, string]>([
    ["sum of bool", type("sum", Uint8Array.of(1), "bool"), "int64"],
    ["sum of int8", type("sum", Int8Array.of(1)), "int64"],
    ["sum of uint16", type("sum", Uint16Array.of(1)), "uint64"],
    ["sum of float32", type("sum", Float32Array.of(1)), "float32"],
    ["mean of int32", type("mean", Int32Array.of(1)), "float64"],
    ["mean of float32", type("mean", Float32Array.of(1)), "float32"],
    ["max of int16", type("max", Int16Array.of(1)), "?int16"],
    ["max of bool", type("max", Uint8Array.of(1), "bool"), "?bool"],
    ["sum of complex64", type("sum", Float32Array.of(1, 2), "complex64"), "complex64"],
  ])("%s", (_, found, expected) => expect(found).toBe(expected));

  test("integers wrap in 64 bits and are exact below", () => {
    const big = [2n ** 62n, 2n ** 62n];
    expect(evaluate(R["sum"]!, [[big]], { axis: 1 })).toEqual([-(2n ** 63n)]);
    const many = listOf(Int32Array.of(0, 3_000_000), numpyOf(new Int32Array(3_000_000).fill(2 ** 31 - 1)));
    expect(rg.toList(R["sum"]!.run([many], { axis: 1 }))).toEqual([3_000_000 * (2 ** 31 - 1)]);
    const minus = listOf(Int32Array.of(0, 2), numpyOf(Int32Array.of(-(2 ** 31), -1)));
    expect(rg.toList(R["sum"]!.run([minus], { axis: 1 }))).toEqual([-(2 ** 31) - 1]);
  });
});

describe("joining", () => {
  test("mixed types are a union, nulls an option", () => {
    expect(typeOf(rg.concatenate, [[1, 2], ["a"]], {})).toBe("union[int64, string]");
    expect(typeOf(rg.concatenate, [[1], [2.5]], {})).toBe("float64");
    expect(typeOf(rg.concatenate, [[1], [null]], {})).toBe("?int64");
    expect(typeOf(rg.concatenate, [[1], [true]], {})).toBe("int64");
    expect(typeOf(rg.concatenate, [[1], [true]], { mergeBool: false })).toBe("union[int64, bool]");
    expect(typeOf(rg.concatenate, [[[1]], [["a"]]], {})).toBe("union[var * int64, var * string]");
    expect(typeOf(rg.concatenate, [[{ x: 1 }], [{ x: 2.5 }]], {})).toBe("{x: float64}");
    expect(typeOf(rg.concatenate, [[{ x: 1 }], [{ y: 1 }]], {})).toBe("union[{x: int64}, {y: int64}]");
    expect(typeOf(rg.concatenate, [[1, null], ["a"]], {})).toBe("?union[int64, string]");
    expect(typeOf(rg.concatenate, [[[1]], [["a"]]], { axis: 1 })).toBe("var * union[int64, string]");
  });

  test("a null list is empty where lists are joined", () => {
    expect(
      evaluate(
        rg.concatenate,
        [
          [[1], null],
          [[2], [3]],
        ],
        { axis: 1 },
      ),
    ).toEqual([[1, 2], [3]]);
    expect(evaluate(rg.flatten, [[[1], null, [2]]], {})).toEqual([1, 2]);
  });

  test("where with scalars", () => {
    expect(
      evaluate(
        rg.where,
        [
          [[true, false], []],
          [[1, 2], []],
        ],
        { operands: [null, 0] },
      ),
    ).toEqual([[1, 0], []]);
    expect(evaluate(rg.where, [[true, null]], { operands: [1, 2.5] })).toEqual([1, null]);
    expect(typeOf(rg.where, [[true], [1]], { operands: [null, "a"] })).toBe("union[int64, string]");
    expect(
      evaluate(
        rg.where,
        [
          [true, false],
          [[1], [2]],
          [[3], [4, 5]],
        ],
        {},
      ),
    ).toEqual([[1], [4, 5]]);
  });
});

describe("lists", () => {
  test("unflatten gives empty lists at a boundary to the list before it", () => {
    const x = [[1, 2], [3], []];
    expect(evaluate(rg.unflatten, [x, [2, 0, 1, 0]], { axis: 1 })).toEqual([[[1, 2], []], [[3], []], []]);
    expect(evaluate(rg.unflatten, [x, [0, 1, 1, 1]], { axis: 1 })).toEqual([[[], [1], [2]], [[3]], []]);
    expect(
      evaluate(
        rg.unflatten,
        [
          [1, 2, 3],
          [2, null, 1],
        ],
        {},
      ),
    ).toEqual([[1, 2], null, [3]]);
  });

  test("grouping by a field: argsort, runLengths, unflatten", () => {
    const rows = rg.fromIter([[3, 1, 3], [2, 2], []].map((row) => row.map((k, i) => ({ k, i }))));
    const order = run(rg.argsort, [rg.field.run([rows], { path: ["k"] })], {});
    const sorted = run(rg.get, [rows, order], { items: [["array", 0]] });
    const lengths = run(rg.runLengths, [rg.field.run([sorted], { path: ["k"] })], {});
    const counts = run(rg.flatten, [lengths], { axis: null });
    const grouped = run(rg.unflatten, [sorted, counts], { axis: -1 });
    expect(rg.toList(rg.field.run([grouped], { path: ["i"] }))).toEqual([[[1], [0, 2]], [[0, 1]], []]);
  });

  test("padNone is regular when it clips, and only then", () => {
    expect(typeOf(rg.padNone, [[[1], [2, 3]]], { target: 2 })).toBe("var * ?int64");
    expect(typeOf(rg.padNone, [[[1], [2, 3]]], { target: 2, clip: true })).toBe("2 * ?int64");
    const regular = rg.toRegular.run(
      [
        rg.fromIter([
          [1, 2],
          [3, 4],
        ]),
      ],
      {},
    );
    expect(rg.typeText(rg.formOf(run(rg.padNone, [regular], { target: 3 })))).toBe("var * ?int64");
  });

  test("isNone looks into records that are not null", () => {
    expect(
      evaluate(
        rg.isNone,
        [
          [
            { x: 1, y: null },
            { x: 2, y: [3] },
          ],
        ],
        {},
      ),
    ).toEqual([
      { x: false, y: true },
      { x: false, y: false },
    ]);
    expect(evaluate(rg.isNone, [[{ x: 1 }, null]], {})).toEqual([false, true]);
    expect(evaluate(rg.isNone, [[1, "a", null]], {})).toEqual([false, false, true]);
  });

  test("zeros have signs", () => {
    const zeros = [[0, -0], [-0, 0], [-0], [-0, -1.5]];
    expect(evaluate(R["max"]!, [zeros], { axis: 1 })).toEqual([0, 0, -0, -0]);
    expect(evaluate(R["min"]!, [zeros], { axis: 1 })).toEqual([-0, -0, -0, -1.5]);
  });
});

describe("records", () => {
  test("unzip takes them apart", () => {
    const parts = rg.unzip(rg.fromIter([[{ a: 1, b: "x" }], null]));
    expect(parts.map(rg.toList)).toEqual([
      [[1], null],
      [["x"], null],
    ]);
    expect(rg.unzip(rg.fromIter([1]))).toEqual([]);
  });

  const jets = [
    [{ pt: 1.5, q: 1 }],
    [],
    [
      { pt: 2.5, q: -1 },
      { pt: 3.5, q: 1 },
    ],
  ];

  test("zip matches as deep as it can, or to a limit", () => {
    expect(
      typeOf(
        rg.zip,
        [
          [[1], [2, 3]],
          ["a", "b"],
        ],
        { fields: ["x", "y"] },
      ),
    ).toBe("var * {x: int64, y: string}");
    expect(
      typeOf(
        rg.zip,
        [
          [[1], [2, 3]],
          ["a", "b"],
        ],
        { fields: null, depthLimit: 1 },
      ),
    ).toBe("(var * int64, string)");
    expect(
      evaluate(
        rg.zip,
        [
          [[1, null], []],
          [2, 3],
        ],
        { fields: ["x", "y"] },
      ),
    ).toEqual([
      [
        { x: 1, y: 2 },
        { x: null, y: 2 },
      ],
      [],
    ]);
    expect(() => evaluate(rg.zip, [[[1]], [[1, 2]]], { fields: null })).toThrow(
      "at axis 1, list 0 has 1 elements in one array and 2 in another",
    );
  });

  test("withField spreads what it adds", () => {
    expect(evaluate(rg.withField, [jets, [10, 20, 30]], { path: ["w"] })).toEqual([
      [{ pt: 1.5, q: 1, w: 10 }],
      [],
      [
        { pt: 2.5, q: -1, w: 30 },
        { pt: 3.5, q: 1, w: 30 },
      ],
    ]);
    expect(evaluate(rg.withField, [[{ a: { b: 1 } }]], { path: ["a", "c"], value: 2 })).toEqual([
      { a: { b: 1, c: 2 } },
    ]);
    expect(evaluate(rg.withField, [[{ a: 1 }], [[1, 2]]], { path: ["l"] })).toEqual([{ a: 1, l: [1, 2] }]);
    expect(evaluate(rg.withoutField, [jets], { path: ["q"] })).toEqual([
      [{ pt: 1.5 }],
      [],
      [{ pt: 2.5 }, { pt: 3.5 }],
    ]);
    expect(() => evaluate(rg.withField, [[1], [2]], { path: ["a"] })).toThrow(
      "there are no records to add a field to",
    );
  });

  test("broadcastArrays", () => {
    expect(
      evaluate(
        rg.broadcastArrays,
        [
          [[1, 2], [], [3]],
          [5, 6, 7],
        ],
        { which: 1 },
      ),
    ).toEqual([[5, 5], [], [7]]);
    expect(
      evaluate(
        rg.broadcastArrays,
        [
          [[1, 2], []],
          [5, 6],
        ],
        { which: 0, depthLimit: 1 },
      ),
    ).toEqual([[1, 2], []]);
  });

  test("like arrays and casts", () => {
    expect(evaluate(rg.zerosLike, [jets], {})).toEqual([
      [{ pt: 0, q: 0 }],
      [],
      [
        { pt: 0, q: 0 },
        { pt: 0, q: 0 },
      ],
    ]);
    expect(evaluate(rg.onesLike, [[[1.5], ["a"]]], {})).toEqual([[1], ["1"]]);
    expect(typeOf(rg.fullLike, [[[1, 2]]], { value: 7, dtype: "float32" })).toBe("var * float32");
    expect(typeOf(rg.valuesAstype, [jets], { dtype: "float32" })).toBe("var * {pt: float32, q: float32}");
  });

  test("an analysis: the mass of opposite pairs", () => {
    const events = rg.fromIter([
      [
        { pt: 3, q: 1 },
        { pt: 4, q: -1 },
        { pt: 5, q: 1 },
      ],
      [{ pt: 9, q: 1 }],
      [],
    ]);
    const pairs = run(rg.combinations, [events], { n: 2, fields: ["a", "b"] });
    const of = (which: string, name: string): rg.Plain => rg.field.run([pairs], { path: [which, name] });
    const charge = run(rg.ELEMENTWISE["add"]!, [of("a", "q"), of("b", "q")], {});
    const opposite = run(rg.ELEMENTWISE["equal"]!, [charge], { operands: [null, 0] });
    const product = run(rg.ELEMENTWISE["multiply"]!, [of("a", "pt"), of("b", "pt")], {});
    expect(rg.toList(run(rg.get, [product, opposite], { items: [["array", 0]] }))).toEqual([
      [12, 20],
      [],
      [],
    ]);
  });
});
