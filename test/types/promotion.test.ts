// The compiler's tables are those of the run: for all pairs of dtypes, for all weak scalars, for all rules. The tables
// themselves are held against the rules of docs/semantics.md in test/property/promotion.test.ts.

import type * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import {
  DTYPES,
  type DType,
  infoOf,
  isInteger,
  type NumberDType,
  type RESULTS,
  type Result,
  type ResultRule,
  resultOf,
} from "../../src/core/dtype.ts";
import {
  PROMOTED,
  type Promote,
  type PromoteScalar,
  promote,
  promoteWithScalar,
  type ScalarKind,
  WITH_SCALAR,
} from "../../src/core/numbers.ts";
import type { Meet } from "../../src/lazy/operandTypes.ts";
import type { Equal, Expect } from "./equal.ts";

/** `true` where it is true of all pairs, and a list of the others where not. */
type All<Table> = Table[keyof Table];
type Pairs = {
  [A in NumberDType]: All<{ [B in NumberDType]: Equal<Promote<A, B>, (typeof PROMOTED)[A][B]> }>;
};
type Mirrored = { [A in NumberDType]: All<{ [B in NumberDType]: Equal<Promote<A, B>, Promote<B, A>> }> };
type Own = { [A in NumberDType]: Equal<Promote<A, A>, A> };
type Weak = {
  [A in NumberDType]: All<{ [K in ScalarKind]: Equal<PromoteScalar<A, K>, (typeof WITH_SCALAR)[A][K]> }>;
};
type Rules = { [A in NumberDType]: All<{ [R in ResultRule]: Equal<Result<A, R>, (typeof RESULTS)[A][R]> }> };
type Operands = {
  [A in NumberDType]: All<{
    [B in NumberDType]: Equal<Meet<cw.LazyArray<A>, cw.NDArray<B>>, (typeof PROMOTED)[A][B]>;
  }>;
};

/** Not used: that it compiles is the test. */
type Proofs = [
  Expect<All<Pairs>>,
  Expect<All<Mirrored>>,
  Expect<All<Own>>,
  Expect<All<Weak>>,
  Expect<All<Rules>>,
  Expect<All<Operands>>,
  Expect<Equal<Promote<DType, "float32">, DType>>,
  Expect<Equal<Promote<"float32", DType>, DType>>,
  Expect<Equal<Promote<"int8" | "int16", "uint8">, "int16">>,
  Expect<Equal<Promote<"float32" | "float64", "float32">, "float32" | "float64">>,
  Expect<Equal<Result<DType, "total">, DType>>,
  Expect<Equal<Result<DType, "bool">, "bool">>,
];

describe("the tables hold every dtype, and functions read them", () => {
  test.each(DTYPES)("%s", (a) => {
    expect(Object.keys(PROMOTED[a])).toEqual([...DTYPES]);
    for (const b of DTYPES) expect(promote(a, b)).toBe(PROMOTED[a][b]);
    for (const kind of ["bool", "int", "float", "complex"] as const)
      expect(promoteWithScalar(a, kind)).toBe(WITH_SCALAR[a][kind]);
  });

  test("and the compiler's are the same", () => {
    const proofs: Proofs = [true, true, true, true, true, true, true, true, true, true, true, true];
    expect(proofs).not.toContain(false);
  });

  test.each(DTYPES)("the rules of results for %s", (dtype) => {
    expect(resultOf(dtype, "same")).toBe(dtype);
    expect(resultOf(dtype, "bool")).toBe("bool");
    expect(resultOf(dtype, "index")).toBe("int64");
    expect(resultOf(dtype, "real")).toBe(infoOf(dtype).part);
    expect(resultOf(dtype, "floating")).toBe(isInteger(dtype) || dtype === "bool" ? "float64" : dtype);
    const total = dtype.startsWith("u") ? "uint64" : "int64";
    expect(resultOf(dtype, "total")).toBe(isInteger(dtype) || dtype === "bool" ? total : dtype);
  });
});
