// Special values as in C99, annex F: infinities, NaNs, zeros with their signs, poles, domains, and exact cases.
// A table a function: arguments, value. Both widths must agree with it to the bit (NaN is any NaN).

import { describe, expect, test } from "vitest";
import type { Prim } from "../../src/kernel/scalar.ts";
import { evaluate, NAMES, TYPES, valueAt } from "./evaluate.ts";

const INF = Infinity;
const NAN = Number.NaN;

/** [x, f(x)] or [x, y, f(x, y)]. */
const SPECIALS: { readonly [P in Prim]?: readonly (readonly number[])[] } = {
  exp: [[0, 1], [-0, 1], [INF, INF], [-INF, 0], [1e4, INF], [-1e4, 0], [1e30, INF], [-1e30, 0]],
  expm1: [[0, 0], [-0, -0], [INF, INF], [-INF, -1], [1e30, INF], [-1e30, -1], [-100, -1]],
  log: [[0, -INF], [-0, -INF], [1, 0], [INF, INF], [-1, NAN], [-INF, NAN], [-1e-30, NAN]],
  log1p: [[0, 0], [-0, -0], [-1, -INF], [INF, INF], [-1.5, NAN], [-INF, NAN]],
  log2: [[0, -INF], [-0, -INF], [1, 0], [8, 3], [0.125, -3], [INF, INF], [-1, NAN], [-INF, NAN]],
  log10: [[0, -INF], [-0, -INF], [1, 0], [1000, 3], [INF, INF], [-1, NAN], [-INF, NAN]],
  sin: [[0, 0], [-0, -0], [INF, NAN], [-INF, NAN]],
  cos: [[0, 1], [-0, 1], [INF, NAN], [-INF, NAN]],
  tan: [[0, 0], [-0, -0], [INF, NAN], [-INF, NAN]],
  asin: [[0, 0], [-0, -0], [1, Math.PI / 2], [-1, -Math.PI / 2], [1.5, NAN], [-INF, NAN]],
  acos: [[1, 0], [-1, Math.PI], [0, Math.PI / 2], [-0, Math.PI / 2], [1.5, NAN], [-1.5, NAN], [INF, NAN]],
  atan: [[0, 0], [-0, -0], [INF, Math.PI / 2], [-INF, -Math.PI / 2], [1, Math.PI / 4]],
  sinh: [[0, 0], [-0, -0], [INF, INF], [-INF, -INF], [1e4, INF], [-1e4, -INF]],
  cosh: [[0, 1], [-0, 1], [INF, INF], [-INF, INF], [1e4, INF]],
  tanh: [[0, 0], [-0, -0], [INF, 1], [-INF, -1], [1e30, 1], [-30, -1]],
  asinh: [[0, 0], [-0, -0], [INF, INF], [-INF, -INF]],
  acosh: [[1, 0], [INF, INF], [0.5, NAN], [0, NAN], [-1, NAN], [-5, NAN], [-1e30, NAN], [-INF, NAN]],
  atanh: [[0, 0], [-0, -0], [1, INF], [-1, -INF], [1.5, NAN], [-2, NAN], [1e30, NAN], [INF, NAN]],
  hypot: [
    [0, 0, 0], [-0, 0, 0], [-3, 4, 5], [INF, NAN, INF], [NAN, -INF, INF], [-INF, 1, INF], [1, INF, INF],
    [INF, INF, INF], [NAN, 1, NAN], [0, NAN, NAN], [-2, 0, 2], [0, -2, 2],
  ],
  atan2: [
    [0, 0, 0], [-0, 0, -0], [0, -0, Math.PI], [-0, -0, -Math.PI], [0, 1, 0], [-0, 1, -0],
    [0, -1, Math.PI], [-0, -1, -Math.PI], [1, 0, Math.PI / 2], [-1, -0, -Math.PI / 2],
    [1, INF, 0], [-1, INF, -0], [1, -INF, Math.PI], [-1, -INF, -Math.PI],
    [INF, 1, Math.PI / 2], [-INF, -1, -Math.PI / 2], [INF, INF, Math.PI / 4], [-INF, INF, -Math.PI / 4],
    [INF, -INF, (3 * Math.PI) / 4], [-INF, -INF, (-3 * Math.PI) / 4], [NAN, 1, NAN], [1, NAN, NAN],
    [0, NAN, NAN], [INF, NAN, NAN],
  ],
  pow: [
    [NAN, 0, 1], [NAN, -0, 1], [1, NAN, 1], [1, INF, 1], [1, -INF, 1], [-1, INF, 1], [-1, -INF, 1],
    [0, 0, 1], [INF, 0, 1], [-5, 0, 1], [NAN, 1, NAN], [2, NAN, NAN], [0, NAN, NAN], [NAN, INF, NAN],
    [0, 3, 0], [-0, 3, -0], [-0, 2, 0], [0, 0.5, 0], [-0, 0.5, 0], [0, -3, INF], [-0, -3, -INF],
    [-0, -2, INF], [0, -0.5, INF], [-0, -0.5, INF], [0, INF, 0], [-0, INF, 0], [0, -INF, INF], [-0, -INF, INF],
    [0.5, INF, 0], [0.5, -INF, INF], [-0.5, INF, 0], [2, INF, INF], [2, -INF, 0], [-2, INF, INF], [-2, -INF, 0],
    [INF, 2, INF], [INF, -2, 0], [INF, INF, INF], [INF, -INF, 0], [-INF, 3, -INF], [-INF, 2, INF],
    [-INF, 0.5, INF], [-INF, -3, -0], [-INF, -2, 0], [-INF, -0.5, 0], [-INF, INF, INF], [-INF, -INF, 0],
    [-8, 1 / 3, NAN], [-2, 0.5, NAN], [-2, 3, -8], [-2, -1, -0.5], [-2, 2, 4], [2, 10, 1024], [9, 0.5, 3],
    [-1, 3, -1], [-1, 2, 1], [10, 10, 1e10], [2, 5000, INF], [2, -5000, 0], [-2, 5001, -INF], [-2, -5001, -0],
    [-2, 1e30, INF], [7, 1, 7], [-7, 1, -7],
  ],
}; // biome-ignore format: a table

describe.each(TYPES)("%s", (type) => {
  test.each(NAMES)("%s", (name) => {
    for (const row of SPECIALS[name]!) {
      const expected = type === "float32" ? Math.fround(row.at(-1)!) : row.at(-1)!;
      const args = row.slice(0, -1);
      expect(valueAt(name, type, ...args), `${name}(${args})`).toBe(expected);
    }
  });

  test.each(NAMES.filter((name) => !["atan2", "hypot", "pow"].includes(name)))("%s of NaN", (name) => {
    expect(valueAt(name, type, NAN)).toBeNaN();
  });
});

describe("exact cases", () => {
  const whole = (low: number, high: number): number[] =>
    Array.from({ length: high - low + 1 }, (_, i) => low + i);
  const tens = (count: number): number[] => whole(0, count).map((k) => Number(`1e${k}`));

  test("log2 of powers of 2, subnormal ones too", () => {
    for (const [type, ks] of [
      ["float64", whole(-1074, 1023)],
      ["float32", whole(-149, 127)],
    ] as const) {
      expect([
        ...evaluate(
          "log2",
          type,
          ks.map((k) => 2 ** k),
        ),
      ]).toEqual(ks);
    }
  });

  test("log10 of powers of 10", () => {
    expect([...evaluate("log10", "float64", tens(22))]).toEqual(whole(0, 22));
    expect([...evaluate("log10", "float32", tens(10))]).toEqual(whole(0, 10));
  });

  test("powers of 2 and 10", () => {
    const twos = whole(-1074, 1023);
    expect([
      ...evaluate(
        "pow",
        "float64",
        twos.map(() => 2),
        twos,
      ),
    ]).toEqual(twos.map((k) => 2 ** k));
    expect([
      ...evaluate(
        "pow",
        "float64",
        whole(0, 22).map(() => 10),
        whole(0, 22),
      ),
    ]).toEqual(tens(22));
  });

  test("powers of whole numbers, as far as they are whole numbers of 53 bits", () => {
    for (const base of whole(-40, 40).filter((n) => Math.abs(n) > 2)) {
      const exact = [base];
      while (Math.abs(exact.at(-1)! * base) <= 2 ** 53) exact.push(exact.at(-1)! * base);
      const powers = evaluate(
        "pow",
        "float64",
        exact.map(() => base),
        whole(1, exact.length),
      );
      expect([...powers]).toEqual(exact);
    }
  });
});

describe("thresholds", () => {
  test.each([
    ["exp", 709.782712893384, 709.7827128933841],
    ["expm1", 709.782712893384, 709.7827128933841],
    ["sinh", 710.4758600739439, 710.475860073944],
    ["cosh", 710.4758600739439, 710.475860073944],
  ] as const)("%s is finite up to %d and infinite from %d", (name, last, first) => {
    expect(valueAt(name, "float64", last)).toBeLessThan(Infinity);
    expect(valueAt(name, "float64", first)).toBe(Infinity);
  });
  test("exp underflows at the last moment", () => {
    expect(valueAt("exp", "float64", -745.1332191019411)).toBe(5e-324);
    expect(valueAt("exp", "float64", -745.1332191019412)).toBe(0);
    expect(valueAt("exp", "float32", -103.97207641601562)).toBe(2 ** -149);
    expect(valueAt("exp", "float32", -103.9720840454101)).toBe(0);
  });
});
