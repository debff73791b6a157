// What is kept: the types of values across partitions, strings and bytes however they lie in buffers, values of any type
// where a value is taken, rows on the way to dense arrays. Each line here gave something else, or an error, before.

import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { describe, expect, test } from "vitest";

const inline = { executor: "inline" } as const;
type Both = rg.RaggedArray | rg.LazyRagged;

/** In memory, and in one to three partitions. */
async function everyWay(rows: readonly unknown[], make: (x: Both) => unknown): Promise<unknown[]> {
  const eager = make(rg.fromIter(rows)) as rg.RaggedArray;
  const results: unknown[] = [[eager.type, eager.toList()]];
  for (const npartitions of [1, 2, 3]) {
    const lazy = make(rg.lazy(rg.fromIter(rows), { npartitions })) as rg.LazyRagged;
    const found = await lazy.compute(inline);
    expect(found.type.replace(/^\d+ /, ""), "the type that was foretold").toBe(
      lazy.type.replace(/^[\d?]+ /, ""),
    );
    results.push([found.type, found.toList()]);
  }
  return results;
}

async function same(rows: readonly unknown[], make: (x: Both) => unknown, type: string, values: unknown) {
  for (const result of await everyWay(rows, make)) expect(result).toEqual([type, values]);
}

describe("bools and numbers of a union stay apart", () => {
  const mixed = [true, 1, false, 2, null, "x"];

  test("in partitions, cut anew, one after another", async () => {
    await same(mixed, (x) => x.get(":"), "6 * ?union[bool, int64, string]", mixed);
    const lazy = rg.lazy(rg.fromIter(mixed), { npartitions: 3 });
    expect((await rg.repartition(lazy, { npartitions: 2 }).compute(inline)).toList()).toEqual(mixed);
    expect((await (lazy.get("::-1") as rg.LazyRagged).compute(inline)).toList()).toEqual(mixed.toReversed());
    expect((await rg.fromLists([[true], [1], [[false, 2]]]).compute(inline)).toList()).toEqual([
      true,
      1,
      [false, 2],
    ]);
  });

  test("in records and lists", async () => {
    const rows = [[{ a: true }], [{ a: 1 }, { a: false }], []];
    await same(rows, (x) => x.get(":"), "3 * var * {a: union[bool, int64]}", rows);
  });

  test("concatenate with mergeBool: false", async () => {
    const join = (x: Both): unknown =>
      rg.concatenate([x as rg.RaggedArray, rg.fromIter([1, 2])], { mergeBool: false });
    await same([true, false], join, "4 * union[bool, int64]", [true, false, 1, 2]);
  });
});

describe("strings and bytes", () => {
  const chars = {
    class: "NumpyArray",
    primitive: "uint8",
    parameters: { __array__: "char" },
    form_key: "chars",
  };
  const text = { parameters: { __array__: "string" }, form_key: "texts" };
  const utf8 = (value: string): Uint8Array => new TextEncoder().encode(value);

  test("in lists of starts and stops, and in regular ones", () => {
    const buffers = {
      "texts-starts": Int32Array.of(3, 0, 9),
      "texts-stops": Int32Array.of(6, 2, 9),
      "chars-data": utf8("hi xyz"),
    };
    const x = rg.fromBuffers(
      { class: "ListArray", starts: "i32", stops: "i32", content: chars, ...text },
      3,
      buffers,
    );
    expect([x.type, x.toList()]).toEqual(["3 * string", ["xyz", "hi", ""]]);
    const regular = { class: "RegularArray", size: 3, content: chars, ...text };
    expect(rg.fromBuffers(JSON.stringify(regular), 2, buffers).toList()).toEqual(["hi ", "xyz"]);
    const form = rg.formOfJson(regular);
    expect(rg.typeText(form)).toBe("string");
    const bytes = { ...regular, parameters: { __array__: "bytestring" } };
    expect(rg.fromBuffers(bytes, 1, buffers).toList()).toEqual([utf8("hi ")]);
  });

  test("empty lists may begin beyond the content", () => {
    const form = {
      class: "ListArray",
      starts: "i64",
      stops: "i64",
      content: { ...chars, parameters: {} },
      form_key: "texts",
    };
    const x = rg.fromBuffers(form, 3, {
      "texts-starts": BigInt64Array.of(99n, 0n, 7n),
      "texts-stops": BigInt64Array.of(99n, 2n, 7n),
      "chars-data": Uint8Array.of(1, 2),
    });
    expect(x.toList()).toEqual([[], [1, 2], []]);
  });

  test("a Uint8Array is a value of bytes, and comes back as one", async () => {
    const rows = [Uint8Array.of(1, 255), null, new Uint8Array(0)];
    await same(rows, (x) => x.get(":"), "3 * ?bytes", rows);
    expect(rg.fromIter([[Uint8Array.of(1)], ["a"]]).type).toBe("2 * var * union[bytes, string]");
    expect(rg.onesLike(rg.fromIter([Uint8Array.of(7, 8)])).toList()).toEqual([utf8("1")]);
    expect(rg.zerosLike(rg.fromIter([Uint8Array.of(7)])).type).toBe("1 * bytes");
    expect(rg.fullLike(rg.fromIter([["a"], []]), "zz").toList()).toEqual([["zz"], []]);
    expect(rg.fullLike(rg.fromIter([1, 2]), "b").toList()).toEqual(["b", "b"]);
    expect(() => rg.fullLike(rg.fromIter([1]), "b", { dtype: "int8" })).toThrow(/no number/);
  });

  test("a form is taken as Awkward's JSON; other things are refused", () => {
    const x = rg.toBuffers(rg.fromIter([{ a: [1, 2] }, { a: [] }]));
    for (const form of [rg.jsonOfForm(x.form) as never, JSON.stringify(rg.jsonOfForm(x.form)), x.form])
      expect(rg.fromBuffers(form, x.length, x.container).toList()).toEqual([{ a: [1, 2] }, { a: [] }]);
    for (const form of ["{", "3 * int64", "null", 5, null, { class: "Numpy" }])
      expect(() => rg.fromBuffers(form as never, 1, {})).toThrow(cw.ValueError);
  });
});

describe("values where arrays are", () => {
  test("concatenate: a row, or an element of every list", async () => {
    const join =
      (axis: number, ...values: (number | string | boolean)[]) =>
      (x: Both): unknown =>
        rg.concatenate([values[0]!, x as rg.RaggedArray, ...values.slice(1)], { axis });
    await same([[1, 2], [3]], join(1, 8, 9), "2 * var * int64", [
      [8, 1, 2, 9],
      [8, 3, 9],
    ]);
    await same([["a"], []], join(-1, "q"), "2 * var * string", [["q", "a"], ["q"]]);
    await same([1, 2, 3], join(0, 0.5, 9), "5 * float64", [0.5, 1, 2, 3, 9]);
    const halves = rg.concatenate([new Float32Array([1, 2]), 3]);
    expect([halves.type, halves.toList()]).toEqual(["3 * float32", [1, 2, 3]]);
    expect(() => rg.concatenate([1, 2])).toThrow(/no array/);
  });

  test("zip: a field of one value in every record", async () => {
    const zipped = (x: Both): unknown => rg.zip({ k: 7, x: x as rg.RaggedArray, name: "q" });
    const rows = [
      [
        { k: 7, x: 1, name: "q" },
        { k: 7, x: 2, name: "q" },
      ],
      [],
    ];
    await same([[1, 2], []], zipped, "2 * var * {k: int64, x: int64, name: string}", rows);
  });

  test("fillNone: lists, records, bytes, texts, arrays", async () => {
    const fill =
      (value: unknown, axis: number | null) =>
      (x: Both): unknown =>
        rg.fillNone(x as rg.RaggedArray, value as never, { axis });
    await same([[1], null, [2, 3]], fill([], 0), "3 * var * int64", [[1], [], [2, 3]]);
    await same([[1], null, [2, 3]], fill([5, 6], 0), "3 * var * int64", [[1], [5, 6], [2, 3]]);
    await same([null, { a: 1 }], fill({ a: 7 }, 0), "2 * {a: int64}", [{ a: 7 }, { a: 1 }]);
    await same([[1, null], []], fill({ a: 7 }, -1), "2 * var * union[int64, {a: int64}]", [
      [1, { a: 7 }],
      [],
    ]);
    await same(["x", null], fill(Uint8Array.of(1), 0), "2 * union[string, bytes]", ["x", Uint8Array.of(1)]);
    expect(rg.fillNone([[1], null], rg.fromIter([4, 5]), { axis: 0 }).toList()).toEqual([[1], [4, 5]]);
    expect(() => rg.fillNone([1, null], null as never)).toThrow(cw.ValueError);
  });

  test("toRegular looks at the data that is there", () => {
    const x = rg.fromIter([
      [
        [1, 2],
        [3, 4],
      ],
      [
        [5, 6],
        [7, 8],
      ],
    ]);
    expect(rg.toRegular(x).type).toBe("2 * 2 * var * int64");
    expect(rg.toRegular(x, { axis: null }).type).toBe("2 * 2 * 2 * int64");
    expect(rg.toRegular(x, { axis: -1 }).type).toBe("2 * var * 2 * int64");
    expect(rg.toNumpy(rg.toRegular(x, { axis: null })).shape).toEqual([2, 2, 2]);
    expect(() => rg.toRegular([[1], []])).toThrow(/equally long/);
    expect(() => rg.toRegular(rg.lazy(x))).toThrow(/Give the size/);
  });
});

describe("on the way to dense arrays", () => {
  const rows = [[1, 2], [], [3, 40], [50]];
  const lazy = rg.lazy(rg.fromIter(rows), { npartitions: 3 });

  test("rows that nobody has counted are counted by a stage", async () => {
    const flat = rg.toNumpy(rg.flatten(lazy) as rg.LazyRagged);
    expect(() => flat.shape).toThrow(cw.UnknownLengthError);
    expect((await flat.compute(inline)).toList()).toEqual([1, 2, 3, 40, 50]);
    expect((await flat.multiply(2).sum().compute(inline)).item()).toBe(192);
    expect((await cw.settle(flat, inline)).shape).toEqual([5]);
    const pairs = rg.toRegular(lazy.get(rg.num(lazy).equal(2)) as rg.LazyRagged, { size: 2 });
    expect(
      (
        await rg
          .toNumpy(pairs as rg.LazyRagged)
          .sum({ axis: 0 })
          .compute(inline)
      ).toList(),
    ).toEqual([4, 42]);
    const none = rg.toNumpy(rg.flatten(lazy.get(rg.num(lazy).greater(9))) as rg.LazyRagged);
    expect((await none.compute(inline)).toList()).toEqual([]);
  });

  test("sums of rows in the order of dense arrays, bit by bit", async () => {
    const values = Array.from({ length: 3001 }, (_, i) => Math.sin(i) * 10 ** (i % 7));
    const dense = (await cw.asarray(values).sum().compute(inline)).item();
    expect(rg.sum(rg.fromIter(values))).toBe(dense);
    expect(rg.sum(rg.fromIter([values, values]), { axis: 1 }).toList()).toEqual([dense, dense]);
    expect(await rg.sum(rg.lazy(rg.fromIter(values))).compute(inline)).toBe(dense);
    // Cut alike they are added up alike.
    const parts = rg.lazy(rg.fromIter(values.slice(0, 2997)), { npartitions: 9 });
    const chunks = cw.asarray(values.slice(0, 2997)).rechunk([333]);
    expect(await rg.sum(parts).compute(inline)).toBe((await chunks.sum().compute(inline)).item());
    expect(await rg.var(parts).compute(inline)).toBe((await chunks.var().compute(inline)).item());
  });
});

test("what cannot be traced is told as a setting says, wherever it is set", async () => {
  const opaque = rg.mapPartitions((part: rg.RaggedArray) => rg.fromIter(part.toList()), rg.lazy([1, 2, 3]), {
    type: "int64",
  });
  const spec = new cw.Spec({ onFail: "raise" });
  await expect(opaque.compute({ ...inline, spec })).rejects.toThrow(rg.ProjectionError);
  expect((await opaque.compute({ ...inline, spec, onFail: "pass" })).toList()).toEqual([1, 2, 3]);
});
