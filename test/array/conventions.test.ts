// What JavaScript does with arrays: numbers of 64-bit integers, JSON, operators, iteration, and data of other libraries.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

describe("64-bit integers are numbers where these are exact", () => {
  const mixed = new cw.NDArray(BigInt64Array.of(1n, SAFE, SAFE + 1n, -SAFE, -SAFE - 1n), [5], "int64");
  const values = [1, Number(SAFE), SAFE + 1n, -Number(SAFE), -SAFE - 1n];

  test("item, toList, iteration", () => {
    expect(mixed.toList()).toEqual(values);
    expect([...mixed]).toEqual(values);
    expect(values.map((_, i) => mixed.item(i))).toEqual(values);
    expect(new cw.NDArray(BigUint64Array.of(2n ** 64n - 1n, 5n)).toList()).toEqual([2n ** 64n - 1n, 5]);
  });

  test("data stay bigints, and lists go back into the same array", () => {
    expect(mixed.data).toBeInstanceOf(BigInt64Array);
    expect(cw.asarray(mixed.toList() as number[]).computeSync().data).toEqual(mixed.data);
    expect(Math.max(...(cw.arange(4).computeSync().toList() as number[]))).toBe(3);
    expect(Number(cw.arange(4).sum().computeSync().item()) + 1).toBe(7);
  });
});

describe("JSON", () => {
  test.each<[string, cw.LazyArray, string]>([
    [
      "floats",
      cw.asarray([
        [1.5, 2],
        [3, Number.NaN],
      ]),
      "[[1.5,2],[3,null]]",
    ],
    ["integers", cw.arange(3), "[0,1,2]"],
    ["truth values", cw.asarray([true, false]), "[true,false]"],
    ["complex numbers", cw.asarray([cw.complex(1, -2)]), '[{"re":1,"im":-2}]'],
    ["integers beyond", cw.asarray([2n ** 60n, 1n]), '["1152921504606846976",1]'],
    ["one value", cw.asarray(5), "5"],
    ["nothing", cw.zeros([0, 2]), "[]"],
  ])("%s", (_, x, text) => {
    expect(JSON.stringify(x.computeSync())).toBe(text);
    expect(JSON.stringify({ x: x.computeSync() })).toBe(`{"x":${text}}`);
  });
});

describe("operators", () => {
  test("a result of one element is its number", () => {
    expect(+cw.arange(4).sum().computeSync()).toBe(6);
    expect(Number(cw.asarray([[2.5]]).computeSync())).toBe(2.5);
    expect(Number(cw.asarray(true).computeSync())).toBe(1);
    expect((cw.asarray([1.5]).computeSync() as unknown as number) + 1).toBe(2.5);
    expect(`${cw.asarray([1, 2]).computeSync()}`).toBe("[1, 2]\nint64 [2]");
  });

  test.each([
    ["more elements", cw.arange(3).computeSync(), /int64 \[3\] is not a number.*item/s],
    ["none", cw.zeros([0]).computeSync(), /float64 \[0\] is not a number/],
    ["a complex number", cw.asarray(cw.complex(1, 2)).computeSync(), /complex128.*item\(\)\.re/s],
  ])("%s: an error", (_, array, message) => {
    expect(() => +array).toThrow(message);
    expect(() => Number(array)).toThrow(cw.ValueError);
    expect(() => (array as unknown as number) + 1).toThrow(message);
  });
});

describe("a lazy array has no elements yet", () => {
  const lazy = cw.zeros([3]);
  const loose = lazy as unknown as Iterable<number> & ArrayLike<number>;
  test.each<[string, () => unknown]>([
    ["Array.from", () => Array.from(loose)],
    ["spread", () => [...loose]],
    [
      "for of",
      () => {
        for (const value of loose) return value;
        return null;
      },
    ],
    [
      "destructuring",
      () => {
        const [a] = loose;
        return a;
      },
    ],
    ["a typed array", () => new Float64Array(loose)],
    ["from of a typed array", () => Float64Array.from(loose)],
    ["a Set", () => new Set(loose)],
  ])("%s", (_, use) => {
    expect(use).toThrow(cw.ValueError);
    expect(use).toThrow(/await x\.compute\(\)/);
  });

  test("as a number", () => {
    expect(() => +(lazy as unknown as number)).toThrow(/await x\.compute\(\)/);
    expect(() => Number(lazy)).toThrow(cw.ValueError);
  });

  test("awaiting it is harmless, and a list may hold it", async () => {
    expect(await lazy).toBe(lazy);
    expect((await Promise.all([lazy, 1]))[0]).toBe(lazy);
    expect("then" in lazy).toBe(false);
    const given: unknown[] = [];
    expect(given.concat(lazy)).toHaveLength(1);
    expect([lazy].flat()[0]).toBe(lazy);
  });
});

describe("whole numbers of any kind", () => {
  const x = cw.asarray(new Float64Array([1, 2, 3]));
  const list = (array: cw.LazyArray): unknown => array.computeSync().toList();

  test("repeat", () => {
    const expected = [1, 2, 2, 3, 3, 3];
    for (const counts of [[1, 2, 3], Int32Array.of(1, 2, 3), BigInt64Array.of(1n, 2n, 3n), [1n, 2n, 3n]])
      expect(list(x.repeat(counts))).toEqual(expected);
    expect(list(x.repeat(cw.asarray([1, 2, 3]).computeSync()))).toEqual(expected);
    expect(list(x.repeat(2n))).toEqual([1, 1, 2, 2, 3, 3]);
    expect(() => x.repeat([1, -2, 3])).toThrow(cw.ValueError);
    expect(() => x.repeat(Float64Array.of(0.5, 1, 1))).toThrow(cw.ValueError);
    expect(() => x.repeat(2n ** 60n)).toThrow(cw.ValueError);
  });

  test("slice", () => {
    expect(list(x.get(cw.slice(0, 2n)))).toEqual([1, 2]);
    expect(list(x.get(cw.slice(2n)))).toEqual([1, 2]);
    expect(list(x.get(cw.slice(-1n, null, -1n)))).toEqual([3, 2, 1]);
    expect(list(x.get(cw.slice(1, 2n ** 70n)))).toEqual([2, 3]);
    expect(list(x.get(cw.slice(-(2n ** 70n), 1)))).toEqual([1]);
  });

  test("diagonals", () => {
    for (const k of [2 ** 53, 1e300, 2n ** 80n]) {
      expect(list(cw.eye(2, null, { k }))).toEqual([
        [0, 0],
        [0, 0],
      ]);
      expect(list(cw.tril(cw.ones([2, 2]), { k }))).toEqual([
        [1, 1],
        [1, 1],
      ]);
      expect(list(cw.triu(cw.ones([2, 2]), { k }))).toEqual([
        [0, 0],
        [0, 0],
      ]);
      expect(list(cw.tril(cw.ones([2, 2]), { k: typeof k === "bigint" ? -k : -k }))).toEqual([
        [0, 0],
        [0, 0],
      ]);
    }
    expect(list(cw.eye(2, { k: 1n }))).toEqual([
      [0, 1],
      [0, 0],
    ]);
    for (const k of [0.5, Infinity, Number.NaN]) expect(() => cw.eye(2, { k })).toThrow(cw.ChunkwiseError);
  });
});

describe("masks that have no axes, or none of length", () => {
  const x = cw.reshape(cw.arange(6), [2, 3]);
  const yes = cw.asarray(true);
  const no = cw.asarray(false);

  test("a 0-d mask adds an axis, one or none long", () => {
    expect(x.get(yes).computeSync().toList()).toEqual([
      [
        [0, 1, 2],
        [3, 4, 5],
      ],
    ]);
    expect(x.get(no).shape).toEqual([0, 2, 3]);
    expect(x.get(yes.computeSync()).shape).toEqual([1, 2, 3]);
    expect(x.get(":", yes).shape).toEqual([2, 1, 3]);
    expect(x.get(yes, 0).computeSync().toList()).toEqual([[0, 1, 2]]);
    expect(x.get(yes, [0, 1]).computeSync().toList()).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    expect(x.get(no, [0]).shape).toEqual([0, 3]);
    expect(x.get("...", yes).shape).toEqual([2, 3, 1]);
    expect(cw.asarray(7).get(yes).computeSync().toList()).toEqual([7]);
    expect(x.get(yes.logicalNot()).computeSync().shape).toEqual([0, 2, 3]);
  });

  test("and replaces all or nothing", () => {
    expect(x.set(yes, 9).computeSync().toList()).toEqual([
      [9, 9, 9],
      [9, 9, 9],
    ]);
    expect(x.set(no, 9).computeSync().toList()).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    expect(x.set([yes, 0], [7, 8, 9]).computeSync().toList()).toEqual([
      [7, 8, 9],
      [3, 4, 5],
    ]);
  });

  test("a mask with a side of length 0", () => {
    const none = new cw.NDArray(new Uint8Array(0), [0, 3], "bool");
    expect(cw.zeros([0, 3]).get(none).shape).toEqual([0]);
    expect(cw.zeros([3, 0, 2]).get(new cw.NDArray(new Uint8Array(0), [3, 0], "bool")).shape).toEqual([0, 2]);
    expect(cw.zeros([0, 3]).set(none, 1).shape).toEqual([0, 3]);
    expect(
      cw
        .zeros([0])
        .get(new cw.NDArray(new Uint8Array(0), [0], "bool"))
        .computeSync()
        .toList(),
    ).toEqual([]);
    expect(() => x.get(none)).toThrow(cw.IndexError);
  });
});

describe("floorDivide with infinities is NumPy's", () => {
  test.each([
    [Infinity, 2, Number.NaN],
    [-Infinity, 2, Number.NaN],
    [Infinity, Infinity, Number.NaN],
    [1, Infinity, 0],
    [-1, Infinity, -1],
    [1, -Infinity, -1],
    [-1, -Infinity, 0],
    [0, Infinity, 0],
    [Infinity, 0, Infinity],
    [1, 0, Infinity],
    [-1, 0, -Infinity],
    [0, 0, Number.NaN],
    [-7, 2, -4],
  ])("%d // %d = %d", (x, y, expected) => {
    for (const dtype of ["float32", "float64"] as const)
      expect(
        cw
          .asarray([x], { dtype })
          .floorDivide(cw.asarray([y], { dtype }))
          .computeSync()
          .item(0),
      ).toBe(expected);
    expect(cw.asarray(Float64Array.of(x)).floorDivide(y).computeSync().item(0)).toBe(expected);
  });
});

describe("arrays of other libraries", () => {
  test("what zarrita's get gives", () => {
    const chunk = { data: Float32Array.of(1, 2, 3, 4, 5, 6), shape: [2, 3], stride: [3, 1] };
    expect(cw.asarray(chunk).dtype).toBe("float32");
    expect(cw.asarray(chunk).computeSync().toList()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const columns = { data: Int32Array.of(1, 2, 3, 4, 5, 6), shape: [2, 3], stride: [1, 2] };
    expect(cw.asarray(columns, { dtype: "float64" }).computeSync().toList()).toEqual([
      [1, 3, 5],
      [2, 4, 6],
    ]);
    const texts = { data: ["a"], shape: [1], stride: [1] };
    expect(() => cw.asarray(texts as never)).toThrow(cw.DTypeError);
    expect(() => cw.asarray({ ...chunk, shape: [9, 9] })).toThrow(cw.ShapeError);
  });

  test("an array in a store is named a way to be opened", () => {
    const stored = { dtype: "float32", shape: [2], chunks: [1], getChunk: (): void => {} };
    expect(() => cw.asarray(stored as never)).toThrow(/cw\.fromZarr/);
  });

  test("Arrow vectors", () => {
    const vector = { type: "Float64", nullCount: 0, toArray: () => Float64Array.of(1, 2) };
    expect(cw.asarray(vector).computeSync().toList()).toEqual([1, 2]);
    const flags = { type: "Bool", toArray: () => [true, false] };
    expect(cw.asarray(flags).dtype).toBe("bool");
    expect(() => cw.asarray({ ...vector, nullCount: 1 })).toThrow(/1 nulls/);
    expect(() => cw.asarray({ type: "Utf8", toArray: () => ["a"] })).toThrow(cw.DTypeError);
  });
});

describe("options of plans", () => {
  const x = cw.asarray(new Float64Array(64), { chunks: 16 }).sin().sum();

  test("names of operations that there are not", () => {
    for (const name of ["neverFuse", "alwaysFuse"] as const) {
      expect(() => x.plan({ [name]: ["add"] })).toThrow(new RegExp(`${name} names "add".*op-00`, "s"));
      expect(() => x.computeSync({ [name]: ["op-999"] })).toThrow(cw.ValueError);
    }
    expect(
      x.plan({ neverFuse: [x.plan({ optimizeFunction: (plan) => plan }).data.operations.at(-1)!.name] })
        .numOperations,
    ).toBeGreaterThan(0);
  });

  test("allowedMem is what the process may use, with what is reserved", () => {
    const { maxProjectedMem } = x.plan();
    const reservedMem = 1e6;
    const planned = (budget: number): cw.Plan => x.plan({ reservedMem, allowedMem: reservedMem + budget });
    expect(planned(maxProjectedMem).maxProjectedMem).toBeLessThanOrEqual(maxProjectedMem);
    expect(x.plan({ allowedMem: "200MB" }).maxProjectedMem).toBe(maxProjectedMem);
    expect(() => planned(10)).toThrow(cw.MemoryError);
    expect(() => x.plan({ reservedMem, allowedMem: reservedMem + 10, target: {} })).toThrow(cw.MemoryError);
    expect(() => x.plan({ allowedMem: "much" })).toThrow(cw.ValueError);
  });
});
