// Elements of lines that no task can hold, at places that are computed: block by block, and as if at once.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";

const LENGTH = 2_300_000;
const COUNT = 5000;
/** Some from the end, as negative places. */
const places = BigInt64Array.from({ length: COUNT }, (_, i) =>
  BigInt(((i * 7_919_317) % LENGTH) - (i % 3 === 0 ? LENGTH : 0)),
);
const lazyPlaces = (): cw.LazyArray =>
  cw
    .asarray(new cw.NDArray(places, [COUNT]))
    .rechunk([1700])
    .add(0n);
const placeOf = (i: number, length = LENGTH): number => Number(places[i]!) + (places[i]! < 0n ? length : 0);

describe("taking from a line of 18 MB", () => {
  test("of float64, with NaN and −0", () => {
    const line = cw.arange(0, LENGTH, 1, { dtype: "float64", chunks: [100_000] });
    const x = cw.where(cw.equal(cw.remainder(line, 7), 0), Number.NaN, cw.multiply(line, -1));
    const found = x.take(lazyPlaces()).computeSync();
    const expected = Array.from({ length: COUNT }, (_, i) =>
      placeOf(i) % 7 === 0 ? Number.NaN : -placeOf(i),
    );
    expect([...found]).toEqual(expected);
  });

  test("plans keep it within a bound that the line exceeds", async () => {
    const x = cw.arange(0, 4 * LENGTH, 1, { dtype: "float64", chunks: [100_000] });
    const computed = x.take(lazyPlaces());
    let stated = 0;
    const found = await computed.compute({
      onEvent(event) {
        if (event.type === "computeStart")
          stated = Math.max(...event.operations.map(({ projectedMem }) => projectedMem));
      },
    });
    expect(stated).toBeGreaterThan(0);
    expect(stated).toBeLessThan(LENGTH * 4 * 8);
    expect([...found]).toEqual(Array.from({ length: COUNT }, (_, i) => placeOf(i, 4 * LENGTH)));
  });

  test.each(["int32", "uint8", "bool", "int64"] as const)("of %s, along the middle axis", (dtype) => {
    const long = (20 << 20) / { int32: 4, uint8: 1, bool: 1, int64: 8 }[dtype];
    const line = cw.remainder(cw.arange(0, long, 1, { dtype: "int64", chunks: [1 << 20] }), 101n);
    const x = cw.stack([line, cw.add(line, 1n)], { axis: 1 }).astype(dtype);
    const index = cw
      .asarray([0, 5, -1, long - 3, 7])
      .astype("int64")
      .rechunk([2]);
    const found = cw.take(x, cw.add(index, 0n), { axis: 0 }).computeSync();
    const at = [0, 5, long - 1, long - 3, 7].map((place) => place % 101);
    const expected = cw
      .asarray(at.flatMap((value) => [value, value + 1]))
      .astype("float64")
      .astype(dtype);
    expect([...found]).toEqual([...expected.computeSync()]);
  });

  test("a place that is not there is told", () => {
    const x = cw.arange(0, LENGTH, 1, { dtype: "float64", chunks: [100_000] });
    const index = cw.add(cw.asarray([3, LENGTH]).astype("int64"), 0n);
    expect(() => x.take(index).computeSync()).toThrow(cw.RunError);
    expect(() => x.take(index).computeSync()).toThrow(
      `index ${LENGTH} is out of range for axis 0 of length ${LENGTH}`,
    );
  });
});
