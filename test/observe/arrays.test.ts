// Arrays as HTML and as text: golden, well-formed, small, and nothing is computed for them.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { chunkPicture } from "../../src/observe/arrayPicture.ts";
import { arrayHtml, arrayText } from "../../src/observe/html.ts";
import { elementsOf } from "./xml.ts";

const CASES: { readonly [name: string]: () => cw.LazyArray } = {
  "0 dimensions": () => cw.asarray(2.5),
  "1 dimension": () => cw.arange(0, 1000, 1, { chunks: 300 }),
  "2 dimensions": () => cw.ones([1000, 600], { chunks: [300, 200] }).add(1),
  "3 dimensions": () => cw.zeros([20, 300, 400], { chunks: [10, 100, 200], dtype: "float32" }),
  "5 dimensions": () => cw.zeros([4, 6, 20, 30, 40], { chunks: [2, 3, 10, 10, 40], dtype: "int8" }),
  "many chunks": () => cw.zeros([100_000, 50_000], { chunks: [100, 100] }),
  "long and thin": () => cw.zeros([1_000_000, 3, 7], { chunks: [100_000, 3, 7], dtype: "uint8" }),
  "no elements": () => cw.zeros([0, 5]),
};

describe("text", () => {
  test.each(Object.entries(CASES))("%s", (_, make) => {
    expect(`\n${arrayText(make())}\n`).toMatchSnapshot();
  });
});

describe("HTML", () => {
  test.each(Object.entries(CASES))("%s", async (name, make) => {
    const html = arrayHtml(make());
    const allowed = new Set([
      "div",
      "table",
      "tr",
      "th",
      "td",
      "svg",
      "title",
      "g",
      "path",
      "text",
      "circle",
    ]);
    expect(elementsOf(html).filter((element) => !allowed.has(element))).toEqual([]);
    expect(html).not.toMatch(/NaN|Infinity|undefined/);
    expect(html.length).toBeLessThan(20_000);
    await expect(`${html}\n`).toMatchFileSnapshot(`__snapshots__/array-${name.replaceAll(" ", "-")}.html`);
  });

  test("a chunk is never more than the array", () => {
    expect(arrayText(cw.zeros([3], { chunks: 3 }))).toContain("24 B each");
    expect(arrayText(cw.zeros([0]))).toContain("0 B each");
  });
});

test("an array that cannot be planned is shown all the same", () => {
  const x = cw.ones([4]);
  const broken = Object.create(x, { expr: { get: () => { throw new cw.ShapeError({ what: "<too> large" }); } } }); // biome-ignore format: one line
  const given = { shape: [4], chunks: [2], dtype: "int8", nbytes: 4, numblocks: [2] };
  for (const [key, value] of Object.entries(given)) Object.defineProperty(broken, key, { value });
  expect(arrayText(broken)).toContain("cannot be planned: <too> large");
  expect(arrayHtml(broken)).toContain("cannot be planned: &lt;too&gt; large");
});

test("pictures have as many lines as there are chunks, up to a limit", () => {
  const lines = (svg: string): number => (svg.match(/M/g) ?? []).length;
  expect(lines(chunkPicture([100], [10]))).toBe(1 + 9);
  expect(lines(chunkPicture([100, 100], [50, 25]))).toBe(1 + 1 + 3);
  expect(lines(chunkPicture([1e9, 1e9, 1e9], [1, 1, 1]))).toBeLessThan(150);
  expect(chunkPicture([1e9], [1])).toContain("#a9c8e6");
  elementsOf(chunkPicture(Array(13).fill(7), Array(13).fill(2)));
});
