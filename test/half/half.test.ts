// float16 against NumPy (generate.py): what is rounded once is the same to the bit, elementary functions within one place;
// sums, sorts and products are computed in float32. Then storage: Zarr, Parquet, Arrow keep the bits.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Float16, vectorFromArray } from "apache-arrow";
import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { describe, expect, test } from "vitest";
import { halfOf, numberOfHalf } from "../../src/core/half.ts";

const ORACLE = JSON.parse(readFileSync(join(import.meta.dirname, "halves.json"), "utf8"));

const bytesOf = (text: string): ArrayBuffer => new Uint8Array(Buffer.from(text, "base64")).buffer;
const halvesOf = (text: string): Uint16Array => new Uint16Array(bytesOf(text));
const lazy = (bits: Uint16Array): cw.LazyArray<"float16"> =>
  cw.asarray(new cw.NDArray(bits, [bits.length], "float16", [1], 0), { chunks: [700] });

const x = halvesOf(ORACLE.x);
const y = halvesOf(ORACLE.y);

/** NaN is NaN, whatever its bits. */
const plain = (bits: Uint16Array): number[] =>
  Array.from(bits, (half) => ((half & 0x7fff) > 0x7c00 ? 0x7e00 : half));
/** Places in the order of halves. */
const order = (half: number): number => (half & 0x8000 ? 0x8000 - half : half);

const NAMES: { readonly [name: string]: string } = {
  absolute: "abs",
  rint: "round",
  less_equal: "lessEqual",
  not_equal: "notEqual",
};
const call = (name: string, ...operands: cw.LazyArray[]): cw.LazyArray =>
  (cw as unknown as Record<string, (...operands: cw.LazyArray[]) => cw.LazyArray>)[NAMES[name] ?? name]!(
    ...operands,
  );
const ROUNDED_TWICE = new Set(["exp", "log", "sin", "cos", "tanh", "expm1", "log1p", "hypot"]);

async function sameHalves(name: string, made: cw.LazyArray, wanted: Uint16Array): Promise<void> {
  expect(made.dtype).toBe("float16");
  const found = plain((await made.compute()).data as Uint16Array);
  if (!ROUNDED_TWICE.has(name)) return expect(found).toEqual(plain(wanted));
  const far = plain(wanted).filter((half, i) => Math.abs(order(half) - order(found[i]!)) > 1);
  expect(far).toEqual([]);
}

test("every half is its number, and the number that half", () => {
  const wrong = Array.from({ length: 65536 }, (_, half) => half).filter(
    (half) => (half & 0x7fff) <= 0x7c00 && halfOf(numberOfHalf(half)) !== half,
  );
  expect(wrong).toEqual([]);
});

describe("as NumPy", () => {
  test.each(Object.keys(ORACLE.unary))("%s", (name) =>
    sameHalves(name, call(name, lazy(x)), halvesOf(ORACLE.unary[name])),
  );
  test.each(Object.keys(ORACLE.binary))("%s", (name) =>
    sameHalves(name, call(name, lazy(x), lazy(y)), halvesOf(ORACLE.binary[name])),
  );
  test.each(Object.keys(ORACLE.compare))("%s", async (name) => {
    const { data } = await call(name, lazy(x), lazy(y)).compute();
    expect(data).toEqual(new Uint8Array(bytesOf(ORACLE.compare[name])));
  });
  test.each(["float64", "float32", "int64"] as const)("from %s, rounded once", async (dtype) => {
    const bytes = bytesOf(ORACLE[dtype].values);
    const ArrayOf = { float64: Float64Array, float32: Float32Array, int64: BigInt64Array }[dtype];
    const data = new ArrayOf(bytes);
    const made = await cw
      .asarray(data, { chunks: [300] })
      .astype("float16")
      .compute();
    expect(plain(made.data)).toEqual(plain(halvesOf(ORACLE[dtype].halves)));
  });
  test.each(["float32", "float64", "bool"] as const)("to %s", async (dtype) => {
    const made = await lazy(halvesOf(ORACLE.finite)).astype(dtype).compute();
    expect(new Uint8Array(made.data.buffer, made.data.byteOffset, made.data.byteLength)).toEqual(
      new Uint8Array(bytesOf(ORACLE.casts[dtype])),
    );
  });
  test("sorted, the largest, the place of the smallest", async () => {
    const finite = lazy(halvesOf(ORACLE.finite));
    const [sorted, max, place] = await cw.compute([finite.sort(), finite.max(), finite.argmin()]);
    expect(Array.from(sorted.data as Uint16Array, numberOfHalf)).toEqual(
      Array.from(halvesOf(ORACLE.sorted), numberOfHalf),
    );
    expect([max.item(), place.item()]).toEqual([ORACLE.max, ORACLE.argmin]);
  });
});

test("sums, means and totals add up in float32 and are rounded at the end", async () => {
  const small = lazy(halvesOf(ORACLE.small));
  const [sum, mean] = await cw.compute([small.sum(), small.mean()]);
  expect([sum.dtype, mean.dtype]).toEqual(["float16", "float16"]);
  expect(sum.item()).toBeCloseTo(ORACLE.sum32, 0);
  expect(mean.item()).toBeCloseTo(ORACLE.mean32, 2);
  const ones = cw.ones([5000], { dtype: "float16", chunks: [700] });
  expect((await ones.sum().compute()).item()).toBe(numberOfHalf(halfOf(5000)));
  expect((await cw.cumulativeSum(ones).get(-1).compute()).item()).toBe(numberOfHalf(halfOf(5000)));
  expect((await cw.matmul(ones.reshape([1, -1]), ones.reshape([-1, 1])).compute()).toList()).toEqual([
    [5000],
  ]);
});

test("scalars are weak, dtypes meet as NumPy's do", () => {
  const half = cw.ones([2], { dtype: "float16" });
  expect(half.add(0.1).dtype).toBe("float16");
  expect(half.add(cw.ones([2], { dtype: "int8" })).dtype).toBe("float16");
  expect(half.add(cw.ones([2], { dtype: "int16" })).dtype).toBe("float32");
  expect(half.add(cw.ones([2], { dtype: "float32" })).dtype).toBe("float32");
  expect(half.add(cw.ones([2], { dtype: "complex64" })).dtype).toBe("complex64");
  expect(cw.finfo("float16")).toMatchObject({
    bits: 16,
    eps: 2 ** -10,
    max: 65504,
    smallestNormal: 2 ** -14,
  });
});

test("lists in, lists out", async () => {
  const made = cw.asarray([0.1, -2, 1e9, Number.NaN], { dtype: "float16" });
  expect((await made.compute()).toList()).toEqual([numberOfHalf(halfOf(0.1)), -2, Infinity, Number.NaN]);
  expect((await cw.full([2], 0.1, { dtype: "float16" }).compute()).item(1)).toBe(numberOfHalf(halfOf(0.1)));
});

describe("stored", () => {
  test.each([2, 3] as const)("in Zarr %i the bits are kept", async (zarrFormat) => {
    const store = new cw.MemoryStore();
    await lazy(x).toZarr(store, { zarrFormat });
    const again = await cw.fromZarr(store);
    expect(again.dtype).toBe("float16");
    expect((await again.compute()).data).toEqual(x);
  });
  test("in lists, Parquet and Arrow", async () => {
    const lists = rg.lazy(rg.fromIter([[1.5, 2], [], [65504]]), { npartitions: 1 });
    const halves = await rg.valuesAstype(lists, "float16").compute();
    expect(String(halves.type)).toBe("3 * var * float16");
    expect(rg.toList(rg.sum(halves, { axis: 1 }))).toEqual([3.5, 0, 65504]);
    expect(rg.toList(rg.sort(halves, { axis: 1, ascending: false }))).toEqual([[2, 1.5], [], [65504]]);
    const many = rg.valuesAstype(rg.fromIter([Array.from({ length: 5000 }, () => 1)]), "float16");
    expect(rg.toList(rg.sum(many, { axis: 1 }))).toEqual([5000]);
    const folder = mkdtempSync(join(tmpdir(), "chunkwise-halves-"));
    try {
      await rg.toParquet(rg.zip({ h: halves }, { depthLimit: 1 }), join(folder, "x.parquet"));
      const again = await (await rg.fromParquet(join(folder, "x.parquet"))).field("h").compute();
      expect([again.type, rg.toList(again)]).toEqual([halves.type, rg.toList(halves)]);
    } finally {
      rmSync(folder, { recursive: true });
    }
    const arrow = rg.fromArrow(vectorFromArray([1.5, -2], new Float16()) as never);
    expect([arrow.type, rg.toList(arrow)]).toEqual(["2 * float16", [1.5, -2]]);
  });
});

test("on threads and by the reference the bits are those of one thread", async () => {
  const made = (): cw.LazyArray => lazy(x).multiply(lazy(y)).add(0.5).sqrt();
  const [inline, threads] = [
    await made().compute({ executor: "inline" }),
    await made().compute({ executor: "threads" }),
  ];
  expect(threads.data).toEqual(inline.data);
});
