// Forms as JSON and as text, in both directions; what is no form is refused with the place.

import { describe, expect, test } from "vitest";
import * as rg from "../../src/ragged/index.ts";

describe("type texts", () => {
  test.each([
    "3 * var * {pt: float32, q: ?int64}",
    "0 * unknown",
    "5 * option[var * ?string]",
    "2 * 3 * 4 * float64",
    '1 * {"a field": bool, _x1: bytes}',
    "4 * (int64, (float32, string))",
    "2 * union[int64, var * complex128, {x: uint8}]",
    "2 * ?union[int64, string]",
    "7 * var * Jet[pt: float32, eta: float32]",
    "7 * Pair[int64, string]",
    "1 * {}",
    "1 * option[3 * int8]",
  ])("%s", (text) => {
    const { length, form } = rg.parseType(text);
    expect(rg.typeText(form, length!)).toBe(text);
  });

  test("elements alone", () => {
    expect(rg.parseType("var * int64").length).toBe(null);
    expect(rg.typeText(rg.parseElementType("3 * int64"))).toBe("3 * int64");
  });

  test.each([
    ["3 * floot64", 'at 4: "floot64" where a type was expected. Did you mean float64?'],
    ["var int64", 'at 4: "int64" where "*" was expected'],
    ["{a: int64, a: int8}", "where another name than before was expected"],
    ["{a int64}", 'at 3: "int64" where ":" was expected'],
    ["option[int64", 'the end where "]" was expected'],
    ["int64 int64", 'at 6: "int64" where the end was expected'],
    ["3 * §", 'at 3: " §" is no part of a type'],
    ["", "the end where a type was expected"],
    [`${"?".repeat(200)}int64`, "the type is nested deeper than 100"],
  ])("refuses %s", (text, message) => expect(() => rg.parseType(text)).toThrow(message));
});

describe("JSON", () => {
  test("is Awkward's", () => {
    const form = rg.withKeys(rg.parseElementType("var * {pt: float32, name: ?string}"));
    expect(rg.jsonOfForm(form)).toMatchInlineSnapshot(`
      {
        "class": "ListOffsetArray",
        "content": {
          "class": "RecordArray",
          "contents": [
            {
              "class": "NumpyArray",
              "form_key": "node2",
              "inner_shape": [],
              "parameters": {},
              "primitive": "float32",
            },
            {
              "class": "IndexedOptionArray",
              "content": {
                "class": "ListOffsetArray",
                "content": {
                  "class": "NumpyArray",
                  "form_key": "node5",
                  "inner_shape": [],
                  "parameters": {
                    "__array__": "char",
                  },
                  "primitive": "uint8",
                },
                "form_key": "node4",
                "offsets": "i32",
                "parameters": {
                  "__array__": "string",
                },
              },
              "form_key": "node3",
              "index": "i32",
              "parameters": {},
            },
          ],
          "fields": [
            "pt",
            "name",
          ],
          "form_key": "node1",
          "parameters": {},
        },
        "form_key": "node0",
        "offsets": "i32",
        "parameters": {},
      }
    `);
  });

  test("every class is read", () => {
    const content = { class: "NumpyArray", primitive: "int64", inner_shape: [2] };
    const classes = [
      { class: "EmptyArray" },
      content,
      { class: "RegularArray", size: 3, content },
      { class: "ListOffsetArray", offsets: "i64", content: "float32" },
      { class: "ListArray", starts: "i64", stops: "i64", content },
      { class: "RecordArray", fields: null, contents: [content] },
      { class: "IndexedArray", index: "i64", content },
      { class: "IndexedOptionArray", index: "i64", content },
      { class: "ByteMaskedArray", mask: "i8", valid_when: true, content },
      { class: "BitMaskedArray", mask: "u8", valid_when: true, lsb_order: false, content },
      { class: "UnmaskedArray", content },
      { class: "UnionArray", tags: "i8", index: "i64", contents: [content, content] },
    ];
    for (const json of classes) {
      const form = rg.formOfJson(json);
      expect(rg.formText(rg.formOfJson(rg.jsonOfForm(form)))).toBe(rg.formText(form));
      rg.validate(rg.probeOf(form));
      expect(rg.plainForm(form)).toBeDefined();
    }
  });

  test.each<[unknown, string]>([
    [null, "form is null. It must be an object with a class"],
    [{ class: "ListOffsetAray" }, 'form.class is "ListOffsetAray". Did you mean ListOffsetArray?'],
    [{ class: "ListOffsetArray", offsets: "i16", content: "int8" }, 'form.offsets is "i16"'],
    [
      { class: "ListOffsetArray", offsets: "i32", content: "datetime64" },
      'form.content.primitive is "datetime64"',
    ],
    [{ class: "RegularArray", size: -1, content: "int8" }, "form.size is -1"],
    [{ class: "RecordArray", fields: ["a"], contents: [] }, "form.fields does not name every content once"],
    [{ class: "RecordArray", fields: null, contents: 3 }, "form.contents is 3"],
    [
      { class: "UnionArray", tags: "i8", index: "i64", contents: [{}] },
      "form.contents[0].class is undefined",
    ],
    [{ class: "ByteMaskedArray", mask: "i8", content: "int8" }, "form.valid_when is undefined"],
    [{ class: "EmptyArray", form_key: 3 }, "form.form_key is 3"],
    [{ class: "EmptyArray", parameters: 3 }, "form.parameters is 3"],
  ])("refuses %j", (json, message) => expect(() => rg.formOfJson(json)).toThrow(message));

  test("refuses what has no end", () => {
    let json: object = { class: "EmptyArray" };
    for (let i = 0; i < 500; i++) json = { class: "UnmaskedArray", content: json };
    expect(() => rg.formOfJson(json)).toThrow("is nested deeper than 100");
  });
});
