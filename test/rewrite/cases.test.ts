// PyTensor's cases as one table (cases.ts): what becomes what, by default and with fastMath, and what stays. Expressions that are
// equal are one node, so that a rewritten formula is compared with the one that is wanted as it is, node by node; both
// are computed by the interpreter too, and agree.

import { describe, expect, test } from "vitest";
import type { Expr } from "../../src/expr/expr.ts";
import { exprText } from "../../src/expr/print.ts";
import * as cw from "../../src/index.ts";
import { optimize } from "../../src/rewrite/pipeline.ts";
import { slotsOf } from "../property/compare.ts";
import { evaluateReference } from "../reference.ts";
import { database } from "./builtIn.ts";
import { BECOMES, BECOMES_FAST, STAYS } from "./cases.ts";

type Nested = readonly (number | boolean | Nested)[];

/** Rows of rows: sources, with no reshape between them and what is asked. */
const nested = (shape: readonly number[], value: (at: number) => number | boolean, from = 0): Nested => {
  const [length, ...rest] = shape as [number, ...number[]];
  const size = rest.reduce((a, b) => a * b, 1);
  return Array.from({ length }, (_, at) =>
    rest.length === 0 ? value(from + at) : nested(rest, value, from + at * size),
  );
};
const floats = (shape: readonly number[], from: number): cw.LazyArray =>
  cw.asarray(nested(shape, (at) => from + 0.37 * at) as number[][]);
const wholes = (from: number, dtype: "int32" | "uint8"): cw.LazyArray =>
  cw.asarray(nested([2, 3], (at) => [0, 3, 1, 4, 1, 5][at]! + from) as number[][], { dtype });
const bools = (bits: number): cw.LazyArray =>
  cw.asarray(nested([2, 3], (at) => ((bits >> at) & 1) === 1) as boolean[][]);

/** What the names in the table stand for. Numbers are positive and below 1 in part, so that logarithms have values. */
const NAMES: { readonly [name: string]: cw.LazyArray } = {
  x: floats([2, 3], 0.2),
  y: floats([2, 3], 0.7),
  z: floats([2, 3], 1.1),
  v: floats([3], 0.4),
  t: floats([2, 3, 4], 0.1),
  M: floats([3, 3], 0.3),
  N: floats([3, 3], 0.9),
  P: floats([3, 3], 1.3),
  i: wholes(0, "int32"),
  j: wholes(2, "int32"),
  z32: wholes(5, "int32"),
  l: cw.asarray(nested([2, 3], (at) => at * at) as number[][], { dtype: "int64" }),
  k: cw.asarray(nested([2, 3, 4], (at) => at) as number[][], { dtype: "int32" }),
  u: wholes(1, "uint8"),
  b: bools(0b101100),
  c: bools(0b110010),
  w: cw.asarray(nested([2, 3], (at) => at / 3) as number[][], { dtype: "complex128" }),
};
const NAME = new RegExp(`\\b(${Object.keys(NAMES).join("|")})\\b(?!=)`);

/** A formula with names, read as a template with holes. */
function read(formula: string): Expr {
  const parts = formula.split(NAME);
  const texts = parts.filter((_, at) => at % 2 === 0);
  const strings = Object.assign(texts, { raw: texts }) as unknown as TemplateStringsArray;
  return cw.expr(strings, ...parts.filter((_, at) => at % 2 === 1).map((name) => NAMES[name]!)).expr;
}

const linesOf = (table: string): readonly string[] => table.trim().split("\n");
const rewritten = (node: Expr, mode: string): Expr => optimize([node], { database, mode }).roots[0]!;

const valuesOf = (node: Expr): readonly (number | bigint)[] => slotsOf(evaluateReference([node]).get(node)!);

/** Sums in another order, and functions in place of formulas, round otherwise. */
const CLOSE = 1e-12;

function expectSameValues(before: Expr, after: Expr): void {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  expect(now.length).toBe(old.length);
  now.forEach((value, at) => {
    const [is, was] = [Number(value), Number(old[at])];
    if (Object.is(is, was) || is === was) return;
    expect(Math.abs(is - was), `${was} and ${is}`).toBeLessThanOrEqual(CLOSE * Math.max(1, Math.abs(was)));
  });
}

function expectBecomes(line: string, mode: string): void {
  const [before, wanted] = line.split(" → ").map(read) as [Expr, Expr];
  const found = rewritten(before, mode);
  expect(before).not.toBe(wanted);
  // One node is one expression; the text says where two differ.
  if (found !== wanted) expect(exprText([found])).toBe(exprText([wanted]));
  expect(found).toBe(wanted);
  expectSameValues(before, found);
}

describe("becomes, by default", () => {
  test.each(linesOf(BECOMES))("%s", (line) => expectBecomes(line, "fastRun"));
});

describe("becomes, with fastMath", () => {
  test.each(linesOf(BECOMES_FAST))("%s", (line) => expectBecomes(line, "fastRun+fastMath"));
});

describe("stays, by default", () => {
  test.each(linesOf(STAYS))("%s", (line) => {
    const node = read(line);
    expect(rewritten(node, "fastRun")).toBe(node);
  });
});

test("the table is as long as it is said to be, and says nothing twice", () => {
  const before = [BECOMES, BECOMES_FAST].flatMap((table) =>
    linesOf(table).map((line) => line.split(" → ")[0]!),
  );
  expect(new Set(before).size).toBe(before.length);
  expect(before.length).toBeGreaterThanOrEqual(200);
  expect(new Set(linesOf(STAYS)).size).toBeGreaterThanOrEqual(40);
});
