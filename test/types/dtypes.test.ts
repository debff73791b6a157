// What the compiler knows of dtypes is what the run gives: each line asserts the type and then the value.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { isExactly } from "./equal.ts";

const single = cw.zeros([3], { dtype: "float32" });
const whole = cw.arange(3);
const bytes = cw.asarray(new Uint8Array([1, 2, 3]));
const unknown: cw.LazyArray = single;
const some: number = 2;

/** Asserts that an array has this dtype, by its type and in fact. */
const has =
  <D extends cw.DType>(dtype: D) =>
  <A extends cw.DType>(
    array: cw.LazyArray<A>,
    ..._differs: [A] extends [D] ? ([D] extends [A] ? [] : [never]) : [never]
  ): void =>
    expect(array.dtype).toBe(dtype);

describe("creation", () => {
  test("defaults are known, and a dtype that is named", () => {
    has("float64")(cw.zeros([3]));
    has("float64")(cw.ones(3, { chunks: 1 }));
    has("int8")(cw.empty([3], { dtype: "int8" }));
    has("int64")(cw.full([2], 7));
    has("float64")(cw.full([2], 7.5));
    has("bool")(cw.full([2], true));
    has("complex128")(cw.full([2], cw.complex(1, 2)));
    has("float32")(cw.full([2], 7, { dtype: "float32" }));
    has("float64")(cw.eye(3));
    has("int16")(cw.eye(3, { dtype: "int16" }));
    has("float32")(cw.zerosLike(single));
    has("int8")(cw.fullLike(single, 1, { dtype: "int8" }));
    has("float32")(single.onesLike());
  });

  test("ranges", () => {
    has("int64")(cw.arange(10));
    has("int64")(cw.arange(0, 10n));
    has("float64")(cw.arange(0, 1, 0.25));
    has("float64")(cw.arange(2.5));
    has("float64")(cw.arange(10, { step: 0.5 }));
    has("float32")(cw.arange(10, { dtype: "float32" }));
    has("float64")(cw.linspace(0, 1, 5));
    has("complex128")(cw.linspace(0, cw.complex(1, 1), 5));
    isExactly<cw.LazyArray<"int64" | "float64">>()(cw.arange(some));
  });

  test("data", () => {
    has("float32")(cw.asarray(new Float32Array(2)));
    has("int64")(cw.asarray([1, 2, 3]));
    has("float64")(
      cw.asarray([
        [1, 2.5],
        [3, 4],
      ]),
    );
    has("bool")(cw.asarray([true, false]));
    has("complex128")(cw.asarray([1, cw.complex(1, 2)]));
    has("float64")(cw.asarray([]));
    has("int64")(cw.asarray([1e21 / 1e21, 2n].slice(1) as [bigint]));
    has("int16")(cw.asarray([1, 2], { dtype: "int16" }));
    has("float32")(cw.asarray(single.computeSync()));
    isExactly<cw.LazyArray<"int64" | "float64">>()(cw.asarray([some]));
    isExactly<cw.LazyArray<"int64" | "float64">>()(cw.asarray([1, 2] as number[]));
    isExactly<cw.LazyArray<"bool" | "float64">>()(cw.asarray([] as boolean[]));
    isExactly<cw.LazyArray<"bool" | "int64" | "float64" | "complex128">>()(
      cw.asarray(unknown.computeSync().toList() as cw.NestedScalars[]),
    );
  });
});

describe("elementwise functions and methods", () => {
  test("arrays meet by the table", () => {
    has("float64")(single.add(whole));
    has("float32")(cw.add(single, bytes));
    has("int64")(bytes.multiply(whole));
    has("float32")(cw.add([1.5], single).astype("float32"));
    has("float64")(single.add(new Float64Array(3)));
  });

  test("scalars are weak", () => {
    has("float32")(single.add(1));
    has("float32")(single.add(0.5));
    has("float32")(cw.subtract(1, single));
    has("uint8")(bytes.add(1));
    has("uint8")(bytes.add(1n));
    has("float64")(bytes.add(0.5));
    has("float64")(bytes.add(1e-7));
    has("complex64")(single.add(cw.complex(0, 1)));
    has("complex128")(whole.add(cw.complex(0, 1)));
    has("float32")(single.multiply(some));
    isExactly<cw.LazyArray<"uint8" | "float64">>()(bytes.multiply(some));
  });

  test("rules of results", () => {
    has("bool")(single.greater(0));
    has("bool")(cw.isnan(whole));
    has("float64")(whole.divide(2));
    has("float64")(bytes.sin());
    has("float32")(single.exp());
    has("float32")(single.add(cw.complex(0, 1)).abs());
    has("float64")(cw.imag([cw.complex(0, 1)]));
    has("int64")(whole.floorDivide(2));
    has("float32")(cw.where(whole.greater(1), single, 0));
    has("uint8")(bytes.clip(0, 2));
    const small = cw.zeros([3], { dtype: "int16" });
    has("int16")(cw.add(single, whole, { out: small }));
  });

  test("of unknown dtypes nothing is claimed", () => {
    isExactly<cw.LazyArray>()(unknown.add(1));
    isExactly<cw.LazyArray>()(unknown.add(single));
    isExactly<cw.LazyArray>()(single.add(unknown));
    isExactly<cw.LazyArray>()(unknown.sum());
    isExactly<cw.LazyArray<"bool">>()(unknown.greater(0));
    isExactly<cw.LazyArray<"float32">>()(unknown.astype("float32"));
  });
});

describe("reductions, moves, selections, products", () => {
  test("reductions and scans", () => {
    has("uint64")(bytes.sum());
    has("float32")(cw.prod(single));
    has("float64")(bytes.sum({ dtype: "float64" }));
    has("float64")(bytes.mean());
    has("float32")(single.std({ correction: 1 }));
    has("uint8")(bytes.max());
    has("bool")(bytes.any());
    has("int64")(single.argmax());
    has("int64")(single.countNonzero());
    has("uint64")(bytes.cumulativeSum());
    has("float32")(single.cumulativeSum({ axis: 0, dtype: "float32" }));
    has("float32")(single.sort());
    has("int64")(single.argsort());
    has("float32")(cw.nansum(single));
    has("float64")(cw.softmax(whole));
    has("uint8")(bytes.diff());
    has("int64")(cw.searchsorted(whole, single));
    has("bool")(cw.isin(single, [1, 2]));
    has("int64")(cw.groupbyReduce(single, [0, 1, 0], { reduce: "count" }));
    has("float32")(cw.groupbyReduce(single, [0, 1, 0], { reduce: "mean" }));
  });

  test("moves keep it", () => {
    has("float32")(single.reshape([3, 1]).T.mT.squeeze(1));
    has("float32")(cw.expandDims(single, 0));
    has("float32")(single.roll(1).repeat(2).tile(2).pad(1).flip().rechunk(2));
    has("float32")(single.get("1:").get(0));
    has("float32")(single.set(0, 3));
    has("float32")(single.take([0, 1]));
    has("float32")(cw.unstack(single)[0]!);
    has("float64")(cw.concat([single, whole]));
    has("float64")(cw.stack([single, single.astype("float64")]));
    has("float32")(cw.concat([single, single] as cw.LazyArray<"float32">[]));
    isExactly<cw.LazyArray>()(cw.concat([single, whole] as cw.LazyArray<"float32" | "int64">[]));
  });

  test("products", () => {
    has("float64")(single.matmul(whole));
    has("float32")(cw.vecdot(single, bytes));
    has("int64")(cw.tensordot(whole, bytes, { axes: 1 }));
  });

  test("functions of blocks", () => {
    has("float32")(cw.mapBlocks((block) => block.data, single));
    has("int8")(cw.mapBlocks((block) => Int8Array.from(block.data), single, { dtype: "int8" }));
    const [a, b] = cw.mapBlocks((block) => [block.data, Int8Array.from(block.data)], single, {
      outputs: ["float32", "int8"],
    });
    has("float32")(a);
    has("int8")(b);
  });
});

describe("results", () => {
  test("data, item, toList and iteration have the dtype's types", async () => {
    const result = await single.compute();
    isExactly<cw.NDArray<"float32">>()(result);
    isExactly<Float32Array>()(result.data);
    isExactly<number>()(result.item(0));
    isExactly<number[]>()([...result]);
    isExactly<cw.NestedList<number>>()(result.toList());
    isExactly<boolean>()(single.greater(0).computeSync().item(0));
    isExactly<number | bigint>()(whole.computeSync().item(0));
    isExactly<BigInt64Array>()(whole.computeSync().data);
    isExactly<cw.Complex>()(single.add(cw.complex(0, 1)).computeSync().item(0));
    // Dates and times are shown as text.
    isExactly<cw.Scalar | string>()(unknown.computeSync().item(0));
    isExactly<cw.TypedArray>()(unknown.computeSync().data);
    expect(result.data).toBeInstanceOf(Float32Array);
  });

  test("several at once, and outputs by name", async () => {
    const [a, b] = await cw.compute([single, whole.greater(1)]);
    isExactly<cw.NDArray<"float32">>()(a);
    isExactly<cw.NDArray<"bool">>()(b);
    const r = await whole.output("counts").divide(2).execute();
    isExactly<cw.NDArray<"int64">>()(r.counts);
    isExactly<cw.NDArray<"float64">>()(r.result);
    expect([a.dtype, b.dtype, r.counts.dtype, r.result.dtype]).toEqual([
      "float32",
      "bool",
      "int64",
      "float64",
    ]);
  });

  test("arrays of a known dtype are arrays", () => {
    const takes = (x: cw.LazyArray, y: cw.NDArray): string => x.dtype + y.dtype;
    expect(takes(single, single.computeSync())).toBe("float32float32");
    const never = (): void => {
      // @ts-expect-error: another dtype.
      const other: cw.LazyArray<"float64"> = single;
      // @ts-expect-error: the data of float32 are no Float64Array.
      const data: Float64Array = single.computeSync().data;
      // @ts-expect-error: nobody knows the dtype.
      const known: cw.LazyArray<"float32"> = unknown;
      // @ts-expect-error: a typed array that does not hold the dtype.
      new cw.NDArray(new Float32Array(2), [2], "float64");
      // @ts-expect-error: the option is called chunks.
      cw.arange(10, { chunk: 5 });
      // @ts-expect-error: there is no such option beside a good one.
      single.sum({ axis: 0, keepdim: true });
      void [other, data, known];
    };
    expect(never).toBeTypeOf("function");
  });
});
