// Dtypes: what each function takes (the table of docs/semantics.md), names that are none, values that do not fit.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { expectMistake, mistake, wrong } from "./check.ts";

type Binary = (x: cw.LazyArray, y: cw.LazyArray) => unknown;
const functions = cw as unknown as { readonly [name: string]: Binary };

const SAMPLES: { readonly [kind: string]: cw.LazyArray } = {
  bool: cw.asarray([true, false]),
  int: cw.asarray(new Int32Array([1, 2])),
  float: cw.asarray(new Float64Array([1, 2])),
  complex: cw.asarray([cw.complex(1, 2), cw.complex(3, 4)]),
};
const KINDS = Object.keys(SAMPLES);

const NUMERIC = ["int", "float", "complex"];
const REAL = ["int", "float"];
const ORDERED = ["bool", "int", "float"];
const EVERY = KINDS;

/** The kinds that each function takes; all others are a DTypeError that says so. */
const ACCEPTS: readonly (readonly [kinds: readonly string[], names: readonly string[]])[] = [
  [
    NUMERIC,
    [
      ...["add", "subtract", "multiply", "divide", "pow", "negative", "positive", "abs", "square", "sign"],
      ...[
        "reciprocal",
        "round",
        "exp",
        "expm1",
        "log",
        "log1p",
        "log2",
        "log10",
        "sqrt",
        "sin",
        "cos",
        "tan",
      ],
      ...["asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "real", "imag", "conj"],
      ...["matmul", "vecdot"],
    ],
  ],
  [
    REAL,
    [
      ...["floorDivide", "remainder", "floor", "ceil", "trunc", "clip", "atan2", "copysign", "hypot"],
      ...["logaddexp", "nextafter", "signbit"],
      ...["sigmoid", "softplus", "log1mexp", "softmax", "logSoftmax"],
    ],
  ],
  [EVERY, ["sum", "prod", "mean", "cumulativeSum", "cumulativeProd", "nansum", "nanprod", "nanmean"]],
  [
    ORDERED,
    [
      ...["std", "var", "nanstd", "nanvar", "nanmax", "nanmin", "logsumexp", "digitize"],
      ...[
        "less",
        "lessEqual",
        "greater",
        "greaterEqual",
        "maximum",
        "minimum",
        "max",
        "min",
        "argmax",
        "argmin",
      ],
      "searchsorted",
    ],
  ],
  [["int"], ["bitwiseLeftShift", "bitwiseRightShift"]],
  [
    ["bool", "int"],
    ["bitwiseAnd", "bitwiseOr", "bitwiseXor", "bitwiseInvert"],
  ],
  [
    EVERY,
    [
      ...["logicalAnd", "logicalOr", "logicalXor", "logicalNot", "any", "all", "countNonzero"],
      ...["equal", "notEqual", "isnan", "isfinite", "isinf", "isin", "sort", "argsort"],
    ],
  ],
];
const UNARY =
  /^(negative|positive|abs|square|sign|reciprocal|round|exp|expm1|log\w*|sqrt|a?(sin|cos|tan)h?|real|imag|conj|sum|prod|mean|cumulative\w+|floor|ceil|trunc|std|var|signbit|sigmoid|softplus|softmax|max|min|argm\w+|bitwiseInvert|logicalNot|any|all|countNonzero|is(nan|finite|inf)|nan\w+|sort|argsort)$/;
/** log2, but not logaddexp or logicalAnd. */
const isUnary = (name: string): boolean =>
  UNARY.test(name) && !/^log(addexp|icalAnd|icalOr|icalXor)$/.test(name);

describe("kinds", () => {
  const cases = ACCEPTS.flatMap(([kinds, names]) => names.map((name) => [name, kinds] as const));

  test.each(cases)("%s takes %j and nothing else", (name, kinds) => {
    for (const kind of KINDS) {
      const x = SAMPLES[kind]!;
      const call = (): unknown =>
        isUnary(name) ? (functions[name] as (x: cw.LazyArray) => unknown)(x) : functions[name]!(x, x);
      if (kinds.includes(kind)) expect(call).not.toThrow();
      else expectMistake(call, cw.DTypeError, `${name}: takes`, x.dtype);
    }
  });

  test("clip without bounds is as strict", () => {
    expectMistake(() => cw.clip(SAMPLES["complex"]!), cw.DTypeError, "complex128");
    expectMistake(() => cw.clip(SAMPLES["bool"]!, 0, 1), cw.DTypeError, "bool");
  });

  test("where needs a bool condition", () => {
    for (const kind of NUMERIC)
      expectMistake(() => cw.where(SAMPLES[kind]!, 1, 0), cw.DTypeError, SAMPLES[kind]!.dtype, "not bool");
  });

  test("a complex number never loses its imaginary part silently", () => {
    const z = SAMPLES["complex"]!;
    for (const dtype of ["float32", "float64", "int8", "uint64"] as const) {
      expectMistake(() => z.astype(dtype), cw.DTypeError, "complex128", dtype, "real, imag or abs");
      expectMistake(() => cw.asarray(z, { dtype }), cw.DTypeError, dtype);
      expectMistake(() => cw.asarray([cw.complex(0, 1)], { dtype }), cw.DTypeError, "0+1j", dtype);
      expectMistake(() => cw.full(2, cw.complex(0, 1), { dtype }), cw.DTypeError, "0+1j", dtype);
      expectMistake(() => cw.linspace(0, cw.complex(1, 1), 3, { dtype }), cw.DTypeError, dtype);
      expectMistake(() => z.sum({ dtype }), cw.DTypeError, dtype);
      expectMistake(() => cw.zeros([2], { dtype }).set(":", z), cw.DTypeError, dtype);
      expectMistake(() => cw.add(z, 1, { out: cw.zeros([2], { dtype }) }), cw.DTypeError, dtype);
    }
  });
});

describe("names that are no dtype", () => {
  test.each([
    ["float63", "float64"],
    ["Float64", "float64"],
    ["uint64 ", "uint64"],
    ["complex", "complex128"],
    ["boolean", "bool"],
    ["int", "int64"],
    ["double", "float64"],
    ["i8", "int64"],
  ])("%j suggests %j", (name, suggestion) => {
    expectMistake(
      () => cw.zeros(3).astype(wrong(name)),
      cw.DTypeError,
      `${JSON.stringify(name)} is not a dtype`,
      suggestion,
    );
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "", "object"])(
    "%j has no suggestion, but the list",
    (name) => {
      const error = mistake(() => cw.zeros(3).astype(wrong(name)));
      expect(error).toBeInstanceOf(cw.DTypeError);
      expect(error.cure).toMatch(/^Known are bool, int8/);
    },
  );

  test.each([5, null, undefined, true, {}, Symbol("s"), Float64Array, ["float64"]])(
    "%s is not even a name",
    (value) => {
      expectMistake(() => cw.zeros(3).astype(wrong(value)), cw.DTypeError, "is not a dtype", '"float64"');
      expectMistake(() => cw.isdtype(wrong(value), "bool"), cw.DTypeError, "is not a dtype");
      expectMistake(() => cw.canCast("int8", wrong(value)), cw.DTypeError, "is not a dtype");
    },
  );

  test("a very long name is refused at once, and shortly", () => {
    expectMistake(() => cw.zeros(3).astype(wrong("f".repeat(2_000_000))), cw.DTypeError);
    expectMistake(() => cw.isdtype("int8", "n".repeat(2_000_000)), cw.ValueError);
  });

  test("kinds of dtypes", () => {
    for (const kind of ["numbers", "constructor", "__proto__", "toString", ""])
      expectMistake(() => cw.isdtype("int8", kind), cw.ValueError, JSON.stringify(kind), "kind");
    for (const kind of [undefined, null, 5, {}, Symbol("s"), () => 1, [5], [null], [["bool"]]])
      expectMistake(() => cw.isdtype("int8", wrong(kind)), cw.ValueError, "kind");
    expectMistake(() => cw.arrayNamespaceInfo().dtypes({ kind: wrong(5) }), cw.ValueError, "kind");
    expectMistake(() => cw.arrayNamespaceInfo().dtypes({ kind: "numbers" }), cw.ValueError, '"numbers"');
  });

  test("limits", () => {
    expectMistake(() => cw.finfo("int8"), cw.DTypeError, "int8", "iinfo");
    expectMistake(() => cw.iinfo("float32"), cw.DTypeError, "float32", "finfo");
    expectMistake(() => cw.iinfo("bool"), cw.DTypeError, "bool");
    expectMistake(() => cw.finfo(wrong("float")), cw.DTypeError, '"float"');
    expectMistake(() => cw.finfo(wrong({})), cw.DTypeError);
    expectMistake(() => cw.resultType(wrong("float63")), cw.DTypeError, "float64");
    expectMistake(() => cw.resultType(wrong({})), cw.DTypeError);
    expectMistake(() => cw.canCast(wrong("float63"), "int8"), cw.DTypeError, "float64");
    expectMistake(() => cw.canCast(wrong(undefined), "int8"), cw.DTypeError);
  });
});

describe("values that do not fit", () => {
  test.each([
    ["int8", 128, -129],
    ["uint8", 256, -1],
    ["int16", 32768, -32769],
    ["uint16", 65536, -1],
    ["int32", 2 ** 31, -(2 ** 31) - 1],
    ["uint32", 2 ** 32, -1],
    ["int64", 2n ** 63n, -(2n ** 63n) - 1n],
    ["uint64", 2n ** 64n, -1n],
  ] as const)("%s", (dtype, over, under) => {
    const x = cw.zeros([2], { dtype });
    for (const value of [over, under]) {
      const text = String(value);
      expectMistake(() => x.add(value), cw.DTypeError, "add:", text, dtype);
      expectMistake(() => cw.add(value, x), cw.DTypeError, text, dtype);
      expectMistake(() => cw.full(2, value, { dtype }), cw.DTypeError, text, dtype);
      expectMistake(() => cw.asarray([value], { dtype }), cw.DTypeError, text, dtype);
      expectMistake(() => x.set(0, value), cw.DTypeError, text, dtype);
      expectMistake(() => x.pad(1, { constantValues: value }), cw.DTypeError, text, dtype);
    }
    for (const value of [0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expectMistake(() => cw.full(2, value, { dtype }), cw.DTypeError, String(value), dtype);
      expectMistake(() => cw.asarray([0, value], { dtype }), cw.DTypeError, String(value), dtype);
      expectMistake(() => x.set(0, value), cw.DTypeError, String(value), dtype);
      expectMistake(() => cw.fullLike(x, value), cw.DTypeError, String(value), dtype);
    }
  });

  test("a range that leaves its dtype", () => {
    expectMistake(() => cw.arange(0, 300, 1, { dtype: "int8" }), cw.DTypeError, "int8", /299|300/);
    expectMistake(() => cw.arange(5, -5, -1, { dtype: "uint8" }), cw.DTypeError, "uint8", /-4|-5/);
  });

  test("the cure can be followed: no dtype is wider than 64 bits", () => {
    const error = mistake(() => cw.asarray([1e20]));
    expect(error).toBeInstanceOf(cw.DTypeError);
    expect(error.cure).toMatch("float64");
  });

  test.each([1e308, 2n ** 100_000n])("a number with many digits is written shortly", (value) => {
    expectMistake(() => cw.zeros([2], { dtype: "int8" }).add(value), cw.DTypeError, "int8");
  });

  test("parts of a complex number that are no numbers", () => {
    for (const part of ["a", "1", null, undefined, {}, Symbol("s"), [1], true]) {
      expectMistake(() => cw.complex(wrong(part), 0), cw.ValueError, "complex");
      expectMistake(() => cw.complex(0, wrong(part)), cw.ValueError, "complex");
    }
  });
});
