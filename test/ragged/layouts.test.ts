// Ways in and out (buffers, Arrow, dense arrays) and what is refused on the way.

import * as arrow from "apache-arrow";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newBlock } from "../../src/core/block.ts";
import * as rg from "../../src/ragged/index.ts";
import { check } from "../property/settings.ts";
import { anything, nested } from "./arbitrary.ts";
import { run } from "./check.ts";

const { EMPTY, indexedOptionOf, listOf, numpyOf, recordOf, regularOf, stringOf, unionOf } = rg.layouts;
const numbers = numpyOf(Float64Array.of(1, 2, 3));

describe("validate names the node that is wrong", () => {
  test.each<[string, rg.Layout, string]>([
    ["falling offsets", listOf(Int32Array.of(0, 2, 1), numbers), "layout: offset 2 is 1 after 2"],
    [
      "offsets past the end",
      listOf(Int32Array.of(0, 4), numbers),
      "layout: the last offset is 4 and the content has 3 elements",
    ],
    ["a negative offset", listOf(Int32Array.of(-1, 1), numbers), "layout: the first offset is -1"],
    [
      "deep inside",
      listOf(Int32Array.of(0, 1), recordOf(["a", "b"], [numbers, listOf(Int32Array.of(0, 9), numbers)], 1)),
      "layout.content.b: the last offset is 9",
    ],
    ["a short field", recordOf(["a"], [numbers], 4), "layout: field a has 3 elements and the record 4"],
    [
      "names twice",
      recordOf(["a", "a"], [numbers, numbers], 3),
      "layout: 2 field names (1 different) for 2 contents",
    ],
    [
      "an index past the end",
      indexedOptionOf(Int32Array.of(0, 3), numbers),
      "layout: index 1 is 3 and the content has 3 elements",
    ],
    [
      "a tag too high",
      unionOf(Int8Array.of(0, 2), Int32Array.of(0, 0), [numbers, numbers]),
      "layout: tag 1 is 2 and there are 2 contents",
    ],
    [
      "an index of a union",
      unionOf(Int8Array.of(0, 1), Int32Array.of(0, 3), [numbers, numbers]),
      "layout: index 1 is 3 and content 1 has 3 elements",
    ],
    ["a regular node", regularOf(numbers, 2, 2), "layout: the content has 3 elements and 4 are needed"],
    [
      "a mask",
      {
        kind: "byteMasked",
        mask: new Int8Array(1),
        validWhen: true,
        content: numbers,
        length: 3,
        parameters: {},
      },
      "layout: the mask has 1 elements and 3 are needed",
    ],
    [
      "bits",
      {
        kind: "bitMasked",
        mask: new Uint8Array(0),
        validWhen: true,
        lsbOrder: true,
        content: numbers,
        length: 3,
        parameters: {},
      },
      "layout: the mask has 0 elements and 3 are needed",
    ],
    [
      "starts and stops",
      {
        kind: "list",
        starts: Int32Array.of(2),
        stops: Int32Array.of(1),
        content: numbers,
        length: 1,
        parameters: {},
      },
      "layout: list 0 goes from 2 to 1",
    ],
    [
      "a string",
      stringOf(Int32Array.of(0, 5), new Uint8Array(2)),
      "layout: the last offset is 5 and the content has 2 elements",
    ],
    ["rows of nothing", { ...EMPTY, length: 2 }, "layout: an empty layout has length 2"],
  ])("%s", (_, layout, message) => {
    expect(() => rg.validate(layout)).toThrow(message);
    expect(() => rg.validate(layout)).toThrow(rg.LayoutError);
  });
});

describe("buffers", () => {
  const json = {
    class: "ListOffsetArray",
    offsets: "i64",
    content: { class: "NumpyArray", primitive: "float32", form_key: "node1" },
    form_key: "node0",
  };
  const offsets = BigInt64Array.of(0n, 2n, 2n, 3n);
  const data = Float32Array.of(1, 2, 3);

  test("64-bit offsets become 32-bit ones, data is not copied", () => {
    const layout = rg.fromBuffers(rg.formOfJson(json), 3, { "node0-offsets": offsets, "node1-data": data });
    expect(rg.toList(layout)).toEqual([[1, 2], [], [3]]);
    const { container } = rg.toBuffers(layout);
    expect(container["node1-data"]!.buffer).toBe(data.buffer);
    expect(container["node0-offsets"]).toEqual(Int32Array.of(0, 2, 2, 3));
  });

  test("bytes that are not aligned are copied", () => {
    const bytes = new Uint8Array(17).subarray(1);
    bytes.set(new Uint8Array(data.buffer));
    const layout = rg.fromBuffers(rg.formOfJson(json), 3, {
      "node0-offsets": offsets.buffer,
      "node1-data": bytes,
    });
    expect(rg.toList(layout)).toEqual([[1, 2], [], [3]]);
  });

  test.each<[string, number, rg.Container, string]>([
    ["a missing buffer", 3, { "node0-offsets": offsets }, "node1-data: there is no such buffer"],
    [
      "short offsets",
      4,
      { "node0-offsets": offsets, "node1-data": data },
      "node0-offsets: the buffer has 32 bytes and 5 elements of int64 need 40",
    ],
    [
      "short data",
      3,
      { "node0-offsets": offsets, "node1-data": data.subarray(1) },
      "node1-data: the buffer has 8 bytes and 3 elements of float32 need 12",
    ],
    [
      "falling offsets",
      2,
      { "node0-offsets": BigInt64Array.of(0n, 3n, 1n), "node1-data": data },
      "layout: offset 2 is 1 after 3",
    ],
    [
      "absurd offsets",
      1,
      { "node0-offsets": BigInt64Array.of(0n, 2n ** 40n), "node1-data": data },
      "node0-offsets: node0-offsets have a number that is not between",
    ],
    [
      "negative offsets",
      1,
      { "node0-offsets": BigInt64Array.of(0n, -5n), "node1-data": data },
      "layout: offset 1 is -5 after 0",
    ],
    ["a negative length", -1, {}, "the length is -1"],
    ["an absurd length", 2 ** 50, { "node0-offsets": offsets }, "node0-offsets: the buffer has 32 bytes"],
  ])("%s", (_, length, container, message) =>
    expect(() => rg.fromBuffers(rg.formOfJson(json), length, container)).toThrow(message),
  );

  test("any bytes are a layout or a LayoutError", () =>
    check(300, fc.tuple(anything, fc.infiniteStream(fc.nat())), ([x, stream]) => {
      const { form, length, container } = rg.toBuffers(rg.plain(rg.fromIter(x)));
      // Records without fields have no buffers: any number of them is valid, and too many for JavaScript values.
      if (rg.typeText(form).includes("{}")) return;
      const draw = (): number => stream.next().value as number;
      const damaged = Object.fromEntries(
        Object.entries(container).map(([name, array]) => {
          const bytes = new Uint8Array(array.slice().buffer);
          if (bytes.length > 0) bytes[draw() % bytes.length] = draw() & 255;
          return [name, draw() % 5 === 0 ? bytes.subarray(0, draw() % (bytes.length + 1)) : bytes];
        }),
      );
      try {
        rg.toList(rg.fromBuffers(form, length, damaged));
      } catch (error) {
        expect(error).toBeInstanceOf(rg.LayoutError);
      }
    }));
});

describe("Arrow", () => {
  const back = (layout: rg.Layout): unknown =>
    rg.toList(rg.fromArrow(rg.arrowVector(layout, arrow as never)));

  test("there and back", () =>
    check(150, anything, (x) => {
      const layout = rg.fromIter(x);
      if (hasNothing(rg.typeText(rg.formOf(layout)))) return;
      expect(back(layout)).toEqual(rg.toList(layout));
    }));

  test("Arrow reads what we write", async () => {
    const vector = (await rg.toArrow(rg.fromIter([[1.5, null], [], null]))) as unknown as arrow.Vector;
    expect(String(vector.type)).toBe("List<Float64>");
    expect(JSON.stringify(vector)).toBe("[[1.5,null],[],null]");
    const records = rg.arrowVector(
      rg.fromIter([
        { s: "a", n: 1, b: true },
        { s: null, n: 2, b: false },
      ]),
      arrow as never,
    );
    expect(JSON.stringify(records, (_, v) => (typeof v === "bigint" ? Number(v) : v))).toBe(
      '[{"s":"a","n":1,"b":true},{"s":null,"n":2,"b":false}]',
    );
  });

  test("we read what Arrow writes, over its own memory", () => {
    const values = Float64Array.of(1, 2, 3);
    const vector = arrow.makeVector(values);
    const layout = rg.fromArrow(vector as never) as rg.layouts.NumpyLayout;
    expect(layout.data.buffer).toBe(vector.data[0]!.values.buffer);
    const table = arrow.tableFromJSON([
      { a: 1, b: "x" },
      { a: 2, b: null },
      { a: 3, b: "x" },
    ]);
    expect(rg.toList(rg.fromArrow(table as never))).toEqual([
      { a: 1, b: "x" },
      { a: 2, b: null },
      { a: 3, b: "x" },
    ]);
    const parts = vector.slice(1).concat(vector.slice(0, 1));
    expect(rg.toList(rg.fromArrow(parts as never))).toEqual([2, 3, 1]);
    const bools = arrow.vectorFromArray([true, false, null, true], new arrow.Bool()).slice(1);
    expect(rg.toList(rg.fromArrow(bools as never))).toEqual([false, null, true]);
  });

  test("what has no place is refused", async () => {
    const type = { typeId: 22, toString: () => "RunEndEncoded" };
    const runs = { data: [{ type, length: 0, offset: 0, nullCount: 0, children: [] }] };
    expect(() => rg.fromArrow(runs as never)).toThrow(
      "Arrow's type RunEndEncoded has no place in a ragged array",
    );
    expect(() => rg.fromArrow(3 as never)).toThrow("3 is no Arrow vector or table");
    expect(() => rg.arrowVector(numpyOf(new Float64Array(2), "complex128"), arrow as never)).toThrow(
      "Arrow has no complex numbers",
    );
    await expect(rg.loadArrow("no-such-package")).rejects.toThrow("npm install apache-arrow");
  });
});

/** Arrow has no records without fields, and a column of nothing has no type to come back with. */
const hasNothing = (type: string): boolean => /unknown|\{\}/.test(type);

describe("dense", () => {
  test("there and back", () => {
    const block = newBlock("int32", [2, 3, 2]);
    (block.data as Int32Array).forEach((_, i) => {
      block.data[i] = i;
    });
    const layout = rg.fromNumpy(block);
    expect(rg.typeText(rg.formOf(layout), layout.length)).toBe("2 * 3 * 2 * int32");
    expect(rg.toNumpy(layout)).toEqual(block);
    const turned = rg.fromNumpy({ ...block, shape: [3, 2, 2], strides: [2, 6, 1] });
    expect(rg.toList(turned)).toEqual([
      [
        [0, 1],
        [6, 7],
      ],
      [
        [2, 3],
        [8, 9],
      ],
      [
        [4, 5],
        [10, 11],
      ],
    ]);
    const regular = run(rg.fromRegular, [layout], { axis: null });
    expect(rg.typeText(rg.formOf(regular))).toBe("var * var * int32");
    expect(rg.toNumpy(regular)).toEqual(block);
    expect(rg.typeText(rg.formOf(rg.toRegular.run([regular], {})))).toBe("3 * var * int32");
    expect(rg.typeText(rg.formOf(run(rg.toRegular, [regular], { axis: 2, size: 2 })))).toBe(
      "var * 2 * int32",
    );
  });

  test("what is not dense is refused", () => {
    expect(() => rg.toNumpy(rg.fromIter([[1], [1, 2]]))).toThrow(
      "lists of axis 0 are not equally long: list 0 has 1 elements and list 1 has 2",
    );
    expect(() => rg.toNumpy(rg.fromIter([1, null]))).toThrow("row 1 of axis 0 is null");
    expect(() => rg.toNumpy(rg.fromIter([{ a: 1 }]))).toThrow("there are records");
    expect(() => rg.toNumpy(rg.fromIter(["a"]))).toThrow("there are strings");
    expect(() => rg.toNumpy(rg.fromIter([1, "a"]))).toThrow("several types");
    expect(() => rg.toRegular.form([rg.parseElementType("var * int64")], {})).toThrow("Give the size");
  });
});

describe("joining rows", () => {
  test("any number of layouts, of several types", () => {
    const parts = Array.from({ length: 300 }, (_, i) =>
      rg.plain(rg.fromIter(i % 2 === 0 ? [i, "a"] : [i + 0.5, null])),
    );
    const all = rg.mergeRows(parts);
    rg.validate(all);
    expect(rg.typeText(rg.formOf(all))).toBe("?union[float64, string]");
    expect(rg.toList(all)).toEqual(parts.flatMap(rg.toList));
  });

  test("more types than tags are refused", () => {
    const parts = Array.from({ length: 200 }, (_, i) => rg.plain(rg.fromIter([{ [`f${i}`]: 1 }])));
    expect(() => rg.mergeRows(parts)).toThrow("a union would have 200 types, and at most 127 are possible");
  });

  test("what a selection leaves out of sight is not worked on", () => {
    const lists = rg.plain(
      rg.fromIter(Array.from({ length: 100 }, (_, i) => (i === 50 ? null : Array(i).fill(i)))),
    );
    const few = rg.take(lists, Int32Array.of(2, 50, 2));
    expect(rg.toList(run(rg.toRegular, [few], { size: 2 }))).toEqual([[2, 2], null, [2, 2]]);
    expect(rg.toList(run(rg.unflatten, [few, rg.fromIter([1, 1, 2])], { axis: 1 }))).toEqual([
      [[2], [2]],
      null,
      [[2, 2]],
    ]);
    expect(rg.plain(run(rg.num, [few], {}))).toMatchObject({ content: { length: 2 } });
  });
});

describe("fromIter", () => {
  test.each<[string, unknown[]]>([
    ["int64", [1, 2]],
    ["float64", [1, 2.5]],
    ["int64", [1, 2n ** 60n]],
    ["float64", [-0]],
    ["float64", [2 ** 60]],
    ["?bool", [true, null]],
    ["?unknown", [null, null]],
    ["unknown", []],
    ["var * unknown", [[], []]],
    ["?union[float64, string, var * int64, bool]", [1, "a", [1], 2.5, null, true]],
    ["{a: ?int64, b: ?string}", [{ a: 1 }, { b: "x" }]],
    ["var * int64", [Float32Array.of(1, 2), [3]]],
    ["var * union[string, int64]", [["a"], [1]]],
  ])("%s", (type, x) => expect(rg.typeText(rg.formOf(rg.fromIter(x)))).toBe(type));

  test("64-bit integers are exact", () => {
    const values = [2n ** 62n, -(2n ** 63n), 2 ** 40, -(2 ** 40) - 1, -1];
    expect(rg.toList(rg.fromIter(values))).toEqual(values);
    expect(() => rg.fromIter([2n ** 63n])).toThrow("out of range for int64");
  });

  test("what cannot be part of an array is refused", () => {
    const loop: unknown[] = [];
    loop.push(loop);
    expect(() => rg.fromIter(loop)).toThrow("data is nested deeper than 64");
    expect(() => rg.fromIter([new Date(Number.NaN)])).toThrow(
      "an object of class Date cannot be part of an array",
    );
    expect(() => rg.fromIter([() => 1])).toThrow("a function cannot be part of an array");
    expect(() => rg.fromIter([Symbol("x")])).toThrow("cannot be part of an array");
    expect(() => rg.fromIter(3 as never)).toThrow("3 is no list");
    expect(() => rg.fromIter("ab")).toThrow('"ab" is no list');
  });

  test("a field may be called anything", () => {
    const row = JSON.parse('{"__proto__": 1, "constructor": 2, "": 3}') as object;
    expect(JSON.stringify(rg.toList(rg.fromIter([row])))).toBe(JSON.stringify([row]));
  });

  test("packing leaves out what cannot be seen", () =>
    check(60, nested({ depth: 3, nullLists: true, nullLeaves: true }), (x) => {
      const layout = rg.plain(rg.fromIter(x));
      const part = rg.sliceRows(layout, 0, Math.floor(x.length / 2));
      const bytes = (of: rg.Layout): number =>
        Object.values(rg.toBuffers(of).container).reduce((n, b) => n + b.byteLength, 0);
      expect(bytes(run(rg.toPacked, [part], {}))).toBeLessThanOrEqual(bytes(layout));
    }));
});
