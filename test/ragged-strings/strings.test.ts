// rg.str beside Python's own functions (generate.py), on texts of ASCII and of all planes; nested, null, lazy; DuckDB's for what it
// has besides; what is wrong is told.

import { readFileSync } from "node:fs";
import * as rg from "chunkwise/ragged";
import { describe, expect, test } from "vitest";

type Case = readonly [
  name: string,
  args: readonly unknown[],
  texts: readonly string[],
  wanted: readonly unknown[],
];
const CASES = JSON.parse(readFileSync(new URL("./fixture.json", import.meta.url), "utf8")) as readonly Case[];
const functions = new Map<string, (...args: readonly unknown[]) => rg.Ragged>(Object.entries(rg.str));
const call = (name: string, ...args: readonly unknown[]): rg.RaggedArray =>
  functions.get(name)!(...args) as rg.RaggedArray;

describe("what Python gives", () => {
  test.each(
    CASES.map(
      ([name, args, texts, wanted], at) => [name, JSON.stringify(args), at, args, texts, wanted] as const,
    ),
  )("%s %s (%i)", (name, _, __, args, texts, wanted) => {
    expect(call(name, texts, ...args).toList()).toEqual(wanted);
    // In lists, with nulls, in the middle of other bytes.
    const nested = rg.fromIter([["…"], null, texts, [null, ...texts]]).get("1:");
    expect(call(name, nested, ...args).toList()).toEqual([null, wanted, [null, ...wanted]]);
  });

  test("lazily, in partitions: all functions of one computation", async () => {
    const own = CASES.filter((_, at) => at % 7 === 0);
    const lazy = own.map(([name, args, texts]) => {
      const x = rg.lazy(rg.valuesAstype(texts, "string"), { npartitions: 3 });
      return functions.get(name)!(x, ...args) as rg.LazyRagged;
    });
    const results = await rg.compute(lazy);
    expect(results.map((x) => x.toList())).toEqual(own.map(([, , , wanted]) => wanted));
  });
});

const { str } = rg;
describe("besides", () => {
  test("letters whose capitals are several, bytes, categories", () => {
    expect(str.upper(["straße", "ﬁ"]).toList()).toEqual(["STRAẞE", "ﬁ"]);
    expect(str.isDigit(["12", "²", ""]).toList()).toEqual([true, false, false]);
    const bytes = rg.fromIter([Uint8Array.of(0x61, 0xff), Uint8Array.of(0x20)]);
    expect(str.length(bytes).toList()).toEqual([2, 1]);
    expect(str.upper(bytes).toList()).toEqual([Uint8Array.of(0x41, 0xff), Uint8Array.of(0x20)]);
    expect(str.toCategorical(["a", "b"]).type).toBe("2 * categorical");
    expect(str.length(rg.fromIter([])).toList()).toEqual([]);
  });

  test("joined: lists, rows, by one text or by one for each", () => {
    const lists = rg.fromIter([["a", "b"], [], ["c"], ["d", null], null]);
    expect(str.join(lists, "-").toList()).toEqual(["a-b", "", "c", null, null]);
    expect(
      str
        .join(
          [
            ["a", "b"],
            ["c", "d"],
          ],
          ["+", "é"],
        )
        .toList(),
    ).toEqual(["a+b", "céd"]);
    expect(str.join([[["a", "b"]], [["c"], ["d", "e"]]], ",").toList()).toEqual([["a,b"], ["c", "d,e"]]);
    expect(str.joinElementWise(["a", "b"], ["x", null], "/").toList()).toEqual(["a/x", null]);
    expect(str.joinElementWise("<", [["a"], ["b", "c"]], ["", "|"]).toList()).toEqual([
      ["<a"],
      ["<|b", "<|c"],
    ]);
    expect(str.repeat([["a", "b"], ["c"]], [2, 0]).toList()).toEqual([["aa", "bb"], [""]]);
    expect(() => str.join(["a"], "-")).toThrow(/no lists of texts/);
  });

  test("groups of expressions", () => {
    const found = str.extractRegex(["2024-02", "x", null, "1999-"], "(?<year>[0-9]+)-(?<month>[0-9]+)?");
    expect(found.type).toBe("4 * ?{year: ?string, month: ?string}");
    expect(found.toList()).toEqual([
      { year: "2024", month: "02" },
      null,
      null,
      { year: "1999", month: null },
    ]);
    expect(
      str.replaceSubstringRegex(["ab-ba"], "(?<x>a)|b", "[$<x>]", { maxReplacements: 2 }).toList(),
    ).toEqual(["[a][]-ba"]);
    expect(str.replaceSubstringRegex(["aXbX"], "(?<=a)X|X$", "1", { maxReplacements: 1 }).toList()).toEqual([
      "a1bX",
    ]);
    expect(str.splitPatternRegex(["a1b22c"], "[0-9]+", { maxSplits: 1, reverse: true }).toList()).toEqual([
      ["a1b", "c"],
    ]);
  });

  test("nothing over the ends of texts is found", () => {
    expect(str.matchSubstring(["ab", "c", "abc", "a", "bc"], "bc").toList()).toEqual([
      false,
      false,
      true,
      false,
      true,
    ]);
    expect(str.replaceSubstring(["aa", "a", "aaa"], "aa", "b").toList()).toEqual(["b", "a", "ba"]);
    expect(str.countSubstring(["aa", "a", "aaaa"], "aa").toList()).toEqual([1, 0, 2]);
    expect(str.replaceSubstring(["xa", "ax", "aXa"], "a", "", { maxReplacements: 1 }).toList()).toEqual([
      "x",
      "x",
      "Xa",
    ]);
  });

  test("parts of LIKE in order, none over another", () => {
    const texts = ["aXbYc", "abc", "acb", "a", "aa", "", "abcbc"];
    expect(str.matchLike(texts, "a%b%c").toList()).toEqual([true, true, false, false, false, false, true]);
    expect(str.matchLike(texts, "a%a").toList()).toEqual([false, false, false, false, true, false, false]);
    expect(str.matchLike(texts, "%B%c%", { ignoreCase: true }).toList()).toEqual([
      ...[true, true, false, false, false, false, true],
    ]);
    expect(str.matchLike(["a%c", "abc"], "a\\%c").toList()).toEqual([true, false]);
  });

  test("what is read is the text", () => {
    const x = rg.lazy(rg.fromIter([{ name: "a", other: 1 }]));
    expect(Object.values(str.upper(x.field("name")).necessaryColumns())).toEqual([["name"]]);
    const counts = rg.num(str.splitPattern(x.field("name"), "a"), { axis: 1 });
    expect(Object.values(counts.necessaryColumns())).toEqual([["name"]]);
  });

  test.each([
    ["numbers", () => str.upper([1]), /int64 values among the texts/],
    ["no expression", () => str.matchSubstringRegex(["a"], "("), /no regular expression/],
    ["no pattern", () => str.splitPattern(["a"], ""), /the pattern is empty/],
    ["no text", () => str.startsWith(["a"], 1 as never), /the pattern is 1/],
    ["a wide padding", () => str.lpad(["a"], 3, "ab"), /the padding is "ab"/],
    ["no step", () => str.slice(["a"], 0, 1, 0), /the step is 0/],
    ["no set", () => str.isIn(["a"], [1] as never), /the set is/],
    ["below nothing", () => str.repeat(["a"], -1), /times is -1/],
  ])("%s", (_, wrong, message) => {
    expect(wrong).toThrow(message);
  });
});
