// Where an operation says that it works row by row, it does: parts of an array give parts of the result.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as rg from "../../src/ragged/index.ts";
import { check } from "../property/settings.ts";
import { BY_NAME, inputs } from "./cases.ts";

describe("any partitioning is one partition", () => {
  test.each([...BY_NAME])("%s", (_, cases) =>
    check(
      Math.max(25, 3 * cases.length),
      fc.tuple(inputs, fc.nat(cases.length - 1), fc.nat(4)),
      ([layouts, number, cut]) => {
        const [op, count, attrs] = cases[number]!;
        const given = layouts.slice(0, count).map(rg.plain);
        const whole = resultOf(op, given, attrs);
        if (whole === null || !op.isRowwise(given.map(rg.formOf), attrs)) return;
        expect(op.isItem(given.map(rg.formOf), attrs)).toBe(false);
        const at = Math.min(cut, given[0]!.length);
        const parts = [
          given.map((layout) => rg.sliceRows(layout, 0, at)),
          given.map((layout) => rg.sliceRows(layout, at, layout.length)),
        ].map((part) => op.run(part, attrs));
        expect(rg.toList(rg.mergeRows(parts))).toEqual(rg.toList(whole));
      },
    ),
  );

  test("what looks at several rows says so", () => {
    const form = (type: string): rg.Form => rg.parseElementType(type);
    const lists = form("var * int64");
    const isRowwise = (name: string, attrs: object, ...forms: rg.Form[]): boolean =>
      rg.raggedOpNamed(name).isRowwise(forms.length === 0 ? [lists] : forms, attrs);
    const rows: [string, object, ...rg.Form[]][] = [
      ["sum", { axis: 0 }],
      ["sum", {}],
      ["sum", { axis: -2 }],
      ["num", { axis: 0 }],
      ["localIndex", { axis: 0 }],
      ["sort", { axis: 0 }],
      ["sort", { axis: -1 }, form("{a: int64, b: var * int64}")],
      ["flatten", { axis: null }, form("{a: int64, b: int64}")],
      ["unflatten", {}, form("int64"), form("int64")],
      ["padNone", { axis: 0, target: 3 }],
      ["combinations", { axis: 0, n: 2 }],
      ["concatenate", {}, lists, lists],
      ["runLengths", {}, form("int64")],
      ["add", {}, form("3 * int64"), form("int64")],
      ["get", { items: [0] }],
      ["get", { items: [rg.range(1)] }],
      ["get", { items: [null] }],
      ["get", { items: [["places", 0]] }],
      ["get", { items: [["array", 0]] }, lists, form("int64")],
      ["get", { items: [rg.ALL, ["array", 0]] }, lists, form("int64")],
      ["get", { items: ["...", 0] }, form("int64")],
    ];
    for (const [name, attrs, ...forms] of rows)
      expect(isRowwise(name, attrs, ...forms), `${name} ${JSON.stringify(attrs)}`).toBe(false);
    const within: [string, object, ...rg.Form[]][] = [
      ["sum", { axis: 1 }],
      ["sum", { axis: -1 }],
      ["flatten", {}],
      ["flatten", { axis: null }],
      ["add", {}, lists, form("int64")],
      ["cartesian", {}, lists, lists],
      ["concatenate", { axis: 1 }, lists, lists],
      ["get", { items: [rg.ALL, 0] }],
      ["get", { items: ["...", 0] }],
      ["get", { items: [["array", 0]] }, lists, form("bool")],
      ["get", { items: [["array", 0], 0] }, lists, form("bool")],
      ["get", { items: [["array", 0]] }, lists, form("var * bool")],
      ["get", { items: [rg.ALL, ["places", 0, 1]] }],
    ];
    for (const [name, attrs, ...forms] of within)
      expect(isRowwise(name, attrs, ...forms), `${name} ${JSON.stringify(attrs)}`).toBe(true);
  });
});

/** Null where the operation refuses the data. */
function resultOf(op: rg.RaggedOp<object>, given: readonly rg.Plain[], attrs: object): rg.Plain | null {
  try {
    return op.run(given, attrs);
  } catch {
    return null;
  }
}
