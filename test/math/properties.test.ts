// What holds exactly for every argument: symmetries, ranges, and order where arguments are well apart.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FloatDType } from "../../src/core/dtype.ts";
import type { Prim } from "../../src/kernel/scalar.ts";
import { evaluate, type Floats, floatsOf, TYPES, valueAt } from "./evaluate.ts";

const ODD: readonly Prim[] = ["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh"];
const EVEN: readonly Prim[] = ["cos", "cosh"];
const INCREASING: readonly Prim[] = [
  "exp", "expm1", "log", "log1p", "log2", "log10", "asin", "atan", "sinh", "tanh", "asinh", "acosh", "atanh",
]; // biome-ignore format: a table

/** Many numbers at once, since a program runs over lanes. */
const numbers = (type: FloatDType): fc.Arbitrary<number[]> => {
  const float = type === "float64" ? fc.double() : fc.float();
  return fc.array(fc.oneof(float, fc.double({ min: -10, max: 10 })), { minLength: 1, maxLength: 100 });
};
const negated = (values: ArrayLike<number>): number[] => Array.from(values, (x) => -x);

describe.each(TYPES)("%s", (type) => {
  const holds = (property: (x: Floats) => void): void =>
    fc.assert(
      fc.property(numbers(type), (values) => {
        property(floatsOf(type, values));
      }),
    );

  test.each(ODD)("%s is odd", (name) => {
    holds((x) => expect([...evaluate(name, type, negated(x))]).toEqual(negated(evaluate(name, type, x))));
  });

  test.each(EVEN)("%s is even", (name) => {
    holds((x) => expect([...evaluate(name, type, negated(x))]).toEqual([...evaluate(name, type, x)]));
  });

  test.each(["sin", "cos", "tanh"] as const)("|%s x| ≤ 1", (name) => {
    holds((x) => expect(evaluate(name, type, x).every((y) => !(Math.abs(y) > 1))).toBe(true));
  });

  test.each(INCREASING)("%s grows where arguments are 2⁻²⁰ apart", (name) => {
    holds((x) => {
      const apart = floatsOf(
        type,
        Array.from(x, (value) => value + Math.abs(value) * 2 ** -20),
      );
      const [low, high] = [evaluate(name, type, x), evaluate(name, type, apart)];
      expect(low.every((y, i) => !(y > high[i]!))).toBe(true);
    });
  });

  test("hypot does not mind order and signs, and hypot(x, 0) = |x|", () => {
    holds((x) => {
      const y = floatsOf(type, [...x].reverse());
      const value = [...evaluate("hypot", type, x, y)];
      expect([...evaluate("hypot", type, y, x)]).toEqual(value);
      expect([...evaluate("hypot", type, negated(x), y)]).toEqual(value);
      expect([
        ...evaluate(
          "hypot",
          type,
          x,
          x.map(() => 0),
        ),
      ]).toEqual(Array.from(x, Math.abs));
    });
  });

  test("atan2(−y, x) = −atan2(y, x)", () => {
    holds((y) => {
      const x = floatsOf(type, [...y].reverse());
      expect([...evaluate("atan2", type, negated(y), x)]).toEqual(negated(evaluate("atan2", type, y, x)));
    });
  });

  test("x¹ = x, x⁰ = 1, (−x)³ = −x³, (−x)² = x²", () => {
    holds((x) => {
      const power = (base: ArrayLike<number>, exponent: number): number[] => [
        ...evaluate(
          "pow",
          type,
          base,
          Array.from(base, () => exponent),
        ),
      ];
      expect(power(x, 1)).toEqual([...x]);
      expect(power(x, 0)).toEqual(Array.from(x, () => 1));
      expect(power(negated(x), 3)).toEqual(negated(power(x, 3)));
      expect(power(negated(x), 2)).toEqual(power(x, 2));
    });
  });

  test("a lane does not depend on its neighbours", () => {
    holds((x) => {
      for (const name of ["sin", "exp", "log"] as const) {
        expect([...evaluate(name, type, x)]).toEqual(Array.from(x, (value) => valueAt(name, type, value)));
      }
    });
  });
});
