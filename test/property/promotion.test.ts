// Promotion: the algebra of the table, and what docs/semantics.md says of arrays and weak scalars.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DTYPES, type DType, infoOf, isComplex, isFloat, isInteger, kindOf } from "../../src/core/dtype.ts";
import { promote } from "../../src/core/numbers.ts";
import { dtypes } from "./arrays.ts";
import { check } from "./settings.ts";

const pairs = fc.tuple(dtypes, dtypes);
const isSigned = (dtype: DType): boolean => kindOf(dtype) === "int";

describe("promote", () => {
  test("is commutative", () => check(600, pairs, ([a, b]) => expect(promote(a, b)).toBe(promote(b, a))));

  test("is idempotent, and a result promotes to itself", () =>
    check(600, pairs, ([a, b]) => {
      expect(promote(a, a)).toBe(a);
      expect(promote(promote(a, b), a)).toBe(promote(a, b));
    }));

  test("is associative where uint64 does not meet signed integers", () =>
    check(1500, fc.tuple(dtypes, dtypes, dtypes), ([a, b, c]) => {
      const list = [a, b, c];
      if (list.includes("uint64") && list.some(isSigned)) return;
      // The meeting place of a signed and an unsigned integer is wider than both: a float32 may fit the parts only.
      if (list.some(isSigned) && list.some((x) => kindOf(x) === "uint") && list.some((x) => !isInteger(x)))
        return;
      expect(promote(promote(a, b), c)).toBe(promote(a, promote(b, c)));
    }));

  test("never loses a kind", () =>
    check(600, pairs, ([a, b]) => {
      const result = promote(a, b);
      expect(isComplex(result)).toBe(isComplex(a) || isComplex(b));
      if ([a, b].some(isFloat)) expect(isFloat(result) || isComplex(result)).toBe(true);
      if (result === "bool") expect([a, b]).toEqual(["bool", "bool"]);
    }));
});

/** The page's rules, said anew. */
function expected(a: DType, b: DType): DType {
  if (a === "bool") return b;
  if (b === "bool") return a;
  if (kindOf(a) === kindOf(b)) return infoOf(a).bytes >= infoOf(b).bytes ? a : b;
  if (isInteger(a) && isInteger(b)) return signedAndUnsigned(isSigned(a) ? a : b, isSigned(a) ? b : a);
  const isDouble = (x: DType): boolean => (isInteger(x) ? infoOf(x).bytes > 2 : infoOf(x).part === "float64");
  const double = isDouble(a) || isDouble(b);
  const isShort = (x: DType): boolean => x === "float16" || (isInteger(x) && infoOf(x).bytes === 1);
  if (isShort(a) && isShort(b)) return "float16";
  if (isComplex(a) || isComplex(b)) return double ? "complex128" : "complex64";
  return double ? "float64" : "float32";
}

/** The next wider signed type; there is none beyond int64. */
function signedAndUnsigned(signed: DType, unsigned: DType): DType {
  const bits = Math.max(infoOf(signed).bytes * 8, infoOf(unsigned).bytes * 16);
  return bits > 64 ? "float64" : (`int${bits}` as DType);
}

test("all pairs as the page says", () => {
  for (const a of DTYPES)
    for (const b of DTYPES) expect([a, b, cw.resultType(a, b)]).toEqual([a, b, expected(a, b)]);
});

test("the standard's examples", () => {
  expect(cw.resultType("int8", "uint8")).toBe("int16");
  expect(cw.resultType("int64", "uint64")).toBe("float64");
  expect(cw.resultType("int32", "float32")).toBe("float64");
  expect(cw.resultType("int16", "complex64")).toBe("complex64");
  expect(cw.resultType("float64", "complex64")).toBe("complex128");
});

type ScalarCase = { readonly value: cw.Scalar; readonly kind: "bool" | "int" | "float" | "complex" };
const scalars: fc.Arbitrary<ScalarCase> = fc.oneof(
  fc.boolean().map((value): ScalarCase => ({ value, kind: "bool" })),
  fc.integer({ min: 0, max: 127 }).map((value): ScalarCase => ({ value, kind: "int" })),
  fc.bigInt({ min: 0n, max: 127n }).map((value): ScalarCase => ({ value, kind: "int" })),
  fc
    .constantFrom(0.5, NaN, Infinity, -Infinity, 1e-300, -0)
    .map((value): ScalarCase => ({ value, kind: "float" })),
  fc.constant(cw.complex(1, 2)).map((value): ScalarCase => ({ value, kind: "complex" })),
);

function weakly(dtype: DType, kind: ScalarCase["kind"]): DType {
  const ranks = { bool: 0, int: 1, uint: 1, float: 2, complex: 3 };
  if (ranks[kind] <= ranks[kindOf(dtype) as keyof typeof ranks]) return dtype;
  if (kind === "complex") return infoOf(dtype).digits > 0 && dtype !== "float64" ? "complex64" : "complex128";
  return kind === "int" ? "int64" : "float64";
}

describe("weak scalars", () => {
  test("take the array's dtype unless their kind is higher", () =>
    check(800, fc.tuple(dtypes, scalars), ([dtype, { value, kind }]) => {
      expect(cw.resultType(dtype, value)).toBe(weakly(dtype, kind));
      expect(cw.resultType(value, dtype)).toBe(weakly(dtype, kind));
    }));

  test("do so in every function, from both sides", () =>
    check(400, fc.tuple(dtypes, scalars), ([dtype, { value, kind }]) => {
      const x = cw.zeros([2], { dtype });
      expect(cw.where([true, false], x, value).dtype).toBe(weakly(dtype, kind));
      if (weakly(dtype, kind) === "bool") return;
      expect(cw.add(x, value).dtype).toBe(weakly(dtype, kind));
      expect(cw.add(value, x).dtype).toBe(weakly(dtype, kind));
    }));

  test("that do not fit the integer dtype are errors", () =>
    check(300, fc.constantFrom(...DTYPES.filter(isInteger)), (dtype) => {
      const { min, max } = cw.iinfo(dtype);
      const x = cw.zeros([1], { dtype });
      expect(() => cw.add(x, BigInt(max) + 1n)).toThrow(cw.DTypeError);
      expect(() => cw.add(x, BigInt(min) - 1n)).toThrow(cw.DTypeError);
      expect(cw.add(x, max).dtype).toBe(dtype);
      expect(cw.add(x, min).dtype).toBe(dtype);
    }));
});
