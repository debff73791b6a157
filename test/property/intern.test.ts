// Interning and content keys: the same expression is the same object, has the same key in every process (the keys
// below are fixed), and different expressions have different keys. Every random expression verifies.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Attr, attrsText } from "../../src/core/block.ts";
import { contentKey, type Expr, makeExpr, postOrder } from "../../src/expr/expr.ts";
import { verifyExpr } from "../../src/expr/verify.ts";
import { DataResource, full } from "../../src/lazy/lazyArray.ts";
import { ALL_FAMILIES, programs } from "./arbitrary.ts";
import { ORDER } from "./makers/order.ts";
import { check } from "./settings.ts";

const anyPrograms = programs({ exact: false, families: ALL_FAMILIES, maxSteps: 8 });
const exprsOf = (arrays: readonly cw.LazyArray[]): Expr[] => arrays.map(({ expr }) => expr);

describe("random programs", () => {
  // Quantiles bring lists of ranks, which are data of their own each time.
  const withoutRanks = ALL_FAMILIES.filter((family) => family !== ORDER);

  test("built twice are the same objects", () =>
    check(300, programs({ exact: false, families: withoutRanks, maxSteps: 8 }), (program) => {
      const sources = program.sourceArrays("cut");
      const [first, second] = [program.values("cut", sources), program.values("cut", sources)];
      first.forEach((value, i) => expect(value.expr).toBe(second[i]!.expr));
    }));

  test("have keys that say what the data is, not where", () =>
    check(300, anyPrograms, (program) => {
      const [first, second] = [program.build("cut"), program.build("cut")];
      expect(exprsOf(first).map(contentKey)).toEqual(exprsOf(second).map(contentKey));
    }));

  test("have one key per meaning and one meaning per key", () => {
    const names = new Names();
    check(300, anyPrograms, (program) => {
      for (const node of postOrder(exprsOf(program.build("cut")))) names.expectKeyOf(node);
    });
  });

  test("verify", () => check(500, anyPrograms, (program) => verifyExpr(exprsOf(program.values("cut")))));
});

/** What nodes mean, spelled out: op, attributes with all data, and the numbers of the inputs' meanings. */
class Names {
  readonly #numbers = new Map<string, number>();
  readonly #keys = new Map<number, string>();
  readonly #meanings = new Map<string, number>();
  readonly #known = new Map<Expr, number>();

  /** Inputs come before what uses them, so theirs are known. */
  #numberOf(node: Expr): number {
    const attrs = Object.entries(node.attrs).map(([name, value]) =>
      value instanceof DataResource ? [name, { ...value.block, data: [...value.block.data] }] : [name, value],
    );
    const text = fc.stringify([node.op.name, attrs, node.inputs.map((input) => this.#known.get(input))]);
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    this.#known.set(node, number);
    return number;
  }

  expectKeyOf(node: Expr): void {
    const number = this.#numberOf(node);
    const key = contentKey(node);
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(this.#keys.get(number) ?? key, `keys of ${node.op.name}`).toBe(key);
    expect(this.#meanings.get(key) ?? number, `meanings of ${node.op.name}`).toBe(number);
    this.#keys.set(number, key);
    this.#meanings.set(key, number);
  }
}

/** Values that some comparison or some text takes for the same. */
const LOOKALIKES: readonly Attr[] = [
  ...[0, -0, NaN, 1, -1, Infinity, 1.5, 2 ** 53],
  ...[0n, 1n, -1n, 2n ** 53n, 2n ** 64n],
  ...[true, false, null, "", "0", "1", "1n", "true", "null", "NaN", "[1]", '"1"'],
  ...[
    new cw.Complex(0, 0),
    new cw.Complex(0, -0),
    new cw.Complex(-0, 0),
    new cw.Complex(1, 0),
    new cw.Complex(0, 1),
  ],
  ...[new cw.Complex(NaN, 0), new cw.Complex(0, NaN), new cw.Complex(1, -1)],
  ...[[], [[]], [1], [1, 1], [[1], 1], [1, [1]], ["1"], ["1,1"], [1n], [true], [null]],
];

describe("attributes", () => {
  const node = (value: Attr): Expr =>
    makeExpr(full, [], { dtype: "float64", shape: [2], chunks: [2], value });

  test("have different texts", () => {
    const texts = LOOKALIKES.map((value) => attrsText({ value }, () => "#"));
    expect(new Set(texts).size).toBe(LOOKALIKES.length);
  });

  test("make different nodes with different keys", () => {
    const nodes = LOOKALIKES.map(node);
    expect(new Set(nodes).size).toBe(LOOKALIKES.length);
    expect(new Set(nodes.map(contentKey)).size).toBe(LOOKALIKES.length);
    expect(LOOKALIKES.map(node)).toEqual(nodes);
  });
});

describe("content keys", () => {
  const x = cw.asarray(new cw.NDArray(Float64Array.from([1, 2, 3, 4, 5, 6]), [2, 3], "float64"), {
    chunks: [1, 2],
  });
  const FIXED: readonly (readonly [string, cw.LazyArray])[] = [
    ["28f0644f87aeb8d66fcc73453496276d", x],
    ["6637df5e8f8a377f9a35b457ab4245c0", cw.arange(10, null, 1, { chunks: 4 })],
    ["a74764ec300989730d35f456bb9b62a6", x.add(1).multiply(x)],
    ["731ae52b4169bbc291085975d097551b", x.sum({ axis: 0, keepdims: true })],
    ["2d64ff339b7915737ba92d4755a05bd0", x.get("::-1", 1)],
    ["29bfd48b918ba7c8aa5a1207151590df", cw.matmul(x, x.T).astype("complex64")],
  ];

  test("are the same in every process", () => {
    expect(FIXED.map(([, array]) => contentKey(array.expr))).toEqual(FIXED.map(([key]) => key));
  });

  test("tell data, dtype, shape, chunks and layout apart", () => {
    const data = Float64Array.from([1, 2, 3, 4, 5, 6]);
    const of = (array: cw.NDArray, chunks: cw.ChunksArgument = "all"): string =>
      contentKey(cw.asarray(array, { chunks }).expr);
    const keys = [
      of(new cw.NDArray(data, [2, 3], "float64")),
      of(new cw.NDArray(data, [3, 2], "float64")),
      of(new cw.NDArray(data, [2, 3], "float64"), [1, 3]),
      of(new cw.NDArray(data, [2, 3], "float64", [1, 2])),
      of(new cw.NDArray(data, [2, 3], "float64", [-3, -1], 5)),
      of(new cw.NDArray(data, [1, 3], "complex128")),
      of(
        new cw.NDArray(
          data.map((v) => -v),
          [2, 3],
          "float64",
        ),
      ),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
