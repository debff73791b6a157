// Complex bodies against NumPy's values (test/oracle/complex), their symmetries, and their float32 form.

import { describe, expect, test } from "vitest";
import * as arithmetic from "../src/kernel/complex/arithmetic.ts";
import * as exponential from "../src/kernel/complex/exponential.ts";
import * as hyperbolic from "../src/kernel/complex/hyperbolic.ts";
import * as trigonometric from "../src/kernel/complex/trigonometric.ts";
import { type ComplexTerm, register, type Term, zero } from "../src/kernel/scalar.ts";
import * as oracle from "./oracle/complex/harness.ts";
import {
  type Body,
  compiled,
  evaluated,
  failures,
  PAIRS,
  type Parts,
  POINTS,
} from "./oracle/complex/harness.ts";

const SINGLES = POINTS.map((z) => [z] as const);

/** With the largest error over all points, in ulps of |f(z)|; the real functions inside have up to 2 (docs/accuracy.md). */
const UNARY: readonly (readonly [string, number, Body])[] = [
  ["abs", 1, (z) => ({ re: arithmetic.abs(z), im: zero(z.re.type) })],
  ["sign", 1, arithmetic.sign],
  ["square", 0, arithmetic.square],
  ["reciprocal", 1, arithmetic.reciprocal],
  ["exp", 2, exponential.exp],
  ["expm1", 2, exponential.expm1],
  ["log", 1, exponential.log],
  ["log1p", 2, exponential.log1p],
  ["log2", 1, exponential.log2],
  ["log10", 1, exponential.log10],
  ["sqrt", 1, exponential.sqrt],
  ["sin", 2, trigonometric.sin],
  ["cos", 2, trigonometric.cos],
  ["tan", 3, trigonometric.tan],
  ["asin", 2, trigonometric.asin],
  ["acos", 1, trigonometric.acos],
  ["atan", 2, trigonometric.atan],
  ["sinh", 2, hyperbolic.sinh],
  ["cosh", 1, hyperbolic.cosh],
  ["tanh", 2, hyperbolic.tanh],
  ["asinh", 2, hyperbolic.asinh],
  ["acosh", 1, hyperbolic.acosh],
  ["atanh", 2, hyperbolic.atanh],
];
const NAMED = new Map(UNARY.map(([name, , body]) => [name, body]));

describe("against NumPy: specials, and finite values", () => {
  test.each(UNARY)("%s within %d ulp", (name, bound, body) => {
    expect(failures(body, SINGLES, oracle.unaryValues(name), () => bound)).toEqual([]);
  });

  test.each([
    ["multiply", 0, arithmetic.multiply],
    ["divide", 1, arithmetic.divide],
  ] as const)("%s within %d ulp", (name, bound, body) => {
    expect(failures(body, PAIRS, oracle.binaryValues(name), () => bound)).toEqual([]);
  });

  // e^(w·log z) loses |w·log z| ulps, in NumPy as here: 1.25 and 1.29 a unit at these points.
  test("pow within 1.5·(1 + |w·log z|) ulp", () => {
    const zeros = { re: zero("float64"), im: zero("float64") };
    // Signs of zeros are not specified: −0 + 0 = +0.
    const body: Body = (z, w) => arithmetic.add(exponential.pow(z, w), zeros);
    const want = oracle.binaryValues("pow").map(([x, y]): Parts => [x + 0, y + 0]);
    const bound = ([z, w]: readonly [Parts, Parts]): number => powBound(exponentSize(z, w));
    expect(failures(body, PAIRS, want, bound)).toEqual([]);
  });

  test("pow with a real exponent keeps the digits of |z|", () => {
    const f = compiled(exponential.pow);
    // Real powers are within 1 ulp.
    expect(Math.abs(f([1e300, 0], [-1, 0])[0] / 1e-300 - 1)).toBeLessThanOrEqual(2 ** -52);
    expect(Math.abs(f([1e-300, 0], [0.5, 0])[0] / 1e-150 - 1)).toBeLessThanOrEqual(2 ** -52);
    expect(f([0, 2], [4, 0])[0]).toBe(16);
  });
});

/** |w·log z|. */
const exponentSize = ([x, y]: Parts, w: Parts): number =>
  Math.hypot(...w) * Math.hypot(Math.log(Math.hypot(x, y)), Math.atan2(y, x));

/** Specials are exact; an angle beyond 2⁵³ has no digits left to compare. */
function powBound(size: number): number {
  if (!Number.isFinite(size)) return 0;
  return size > 2 ** 53 ? Infinity : 1.5 * (1 + size);
}

const conj = ([x, y]: Parts): Parts => [x, -y];
const negative = ([x, y]: Parts): Parts => [-x, -y];

/** Where f(g(z)) is not g(f(z)), up to signs of zeros. */
function asymmetries(body: Body, g: (z: Parts) => Parts): string[] {
  const values = (points: readonly Parts[]): Parts[] =>
    evaluated(
      body,
      points.map((z) => [z]),
    ).map(([x, y]) => [x!, y!]);
  const [lefts, rights] = [values(POINTS.map(g)), values(POINTS).map(g)];
  return POINTS.filter((_, i) => {
    const [left, right] = [lefts[i]!, rights[i]!];
    return !left.every((part, i) => part === right[i] || (Number.isNaN(part) && Number.isNaN(right[i]!)));
  }).map((z) => oracle.text([z]));
}

describe("symmetries", () => {
  // The one exception: the sign of an infinity that NaN beside it leaves open.
  const open = (z: string): boolean => z.includes("NaN");

  test.each(UNARY.filter(([name]) => name !== "abs"))("f(conj z) = conj f(z) for %s", (_, _bound, body) => {
    expect(asymmetries(body, conj).filter((z) => !open(z))).toEqual([]);
  });

  test.each(["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh"])(
    "f(-z) = -f(z) for %s",
    (name) => {
      expect(asymmetries(NAMED.get(name)!, negative).filter((z) => !open(z))).toEqual([]);
    },
  );
});

describe("float32", () => {
  const single = ([x, y]: Parts): Parts => [Math.fround(x), Math.fround(y)];
  const rounded = POINTS.map(single);

  test.each(UNARY.slice(4))("%s is the float64 body, rounded", (_, _bound, body) => {
    const points = rounded.map((z) => [z]);
    const wanted = evaluated(body, points).map(([x, y]) => single([x!, y!]));
    expect(evaluated(body, points, "float32")).toEqual(wanted);
  });

  test("every body keeps the type of the parts", () => {
    const z = { re: register("float32", 0), im: register("float32", 1) };
    const bodies = [...NAMED.values(), arithmetic.add, arithmetic.subtract, arithmetic.multiply];
    for (const body of [...bodies, arithmetic.divide, exponential.pow, arithmetic.round]) {
      const { re, im } = body(z, z);
      expect([re.type, im.type]).toEqual(["float32", "float32"]);
    }
  });
});

describe("parts by themselves", () => {
  test("add, subtract, negative, conj, round", () => {
    const [z, w]: [Parts, Parts] = [
      [-0, 2.5],
      [-0, -2.5],
    ];
    expect(compiled(arithmetic.add)(z, w)).toEqual([-0, 0]);
    expect(compiled(arithmetic.subtract)(z, w)).toEqual([0, 5]);
    expect(compiled(arithmetic.negative)(z)).toEqual([0, -2.5]);
    expect(compiled(arithmetic.conj)(z)).toEqual([-0, -2.5]);
    expect(compiled(arithmetic.round)(z)).toEqual([-0, 2]);
    expect(compiled(arithmetic.round)([-0.5, 3.5])).toEqual([-0, 4]);
  });

  const truths = (body: (z: ComplexTerm) => Term): boolean[] => {
    return evaluated(body, SINGLES).map(([value]) => value === 1);
  };

  test("isnan, isinf, isfinite, nonZero", () => {
    expect(truths(arithmetic.isnan)).toEqual(POINTS.map((z) => z.some(Number.isNaN)));
    expect(truths(arithmetic.isinf)).toEqual(POINTS.map((z) => z.some((x) => Math.abs(x) === Infinity)));
    expect(truths(arithmetic.isfinite)).toEqual(POINTS.map((z) => z.every(Number.isFinite)));
    expect(truths(arithmetic.nonZero)).toEqual(POINTS.map((z) => z.some((x) => x !== 0)));
  });

  test("equal, notEqual", () => {
    const same = PAIRS.map(([[x, y], [u, v]]) => (x === u && y === v ? 1 : 0));
    expect(evaluated(arithmetic.equal, PAIRS).flat()).toEqual(same);
    expect(evaluated(arithmetic.notEqual, PAIRS).flat()).toEqual(same.map((truth) => 1 - truth));
  });
});
