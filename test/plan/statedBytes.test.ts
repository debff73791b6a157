// Operations that are alike are looked at once, and state what each would have stated by itself.

import { describe, expect, test, vi } from "vitest";
import * as cw from "../../src/index.ts";
import { statedBytes } from "../../src/plan/statedBytes.ts";
import * as memory from "../../src/plan/taskMemory.ts";

const PROGRAMS: { readonly [name: string]: () => readonly cw.LazyArray[] } = {
  "loops and reductions of many shapes": () =>
    Array.from({ length: 40 }, (_, i) => {
      const x = cw.asarray(new Float64Array(60 + (i % 7) * 12)).rechunk(6 * (1 + (i % 3)));
      return i % 2 === 0 ? x.multiply(2).sum() : cw.concat([x, x.exp()]).cumulativeSum();
    }),
  "the same array twice, and two arrays": () => {
    const [x, y] = [0, 1].map(() => cw.asarray(new Float64Array(64), { chunks: 8 }));
    return [x!.sort().add(x!.flip()), x!.sort().add(y!.flip()), x!.roll(3).add(x!), x!.roll(3).add(y!)];
  },
};

describe("stated bytes", () => {
  test.each(Object.entries(PROGRAMS))("%s: what memory.ts states", (_, make) => {
    for (const optimize of [true, false]) {
      const { data } = cw.plan(make(), { optimize });
      const arrays = new Map(data.arrays.map((array) => [array.name, array]));
      for (const operation of data.operations)
        expect(statedBytes(operation, arrays)).toBe(memory.totalMemory(memory.memoryOf(operation, arrays)));
    }
  });

  test.each([100, 1000])("%i operations of one kind are looked at once", (count) => {
    const make = (i: number): cw.LazyArray =>
      cw
        .asarray(new Float64Array(8 + count))
        .rechunk(4)
        .multiply(i)
        .sort();
    const { data } = cw.plan(
      Array.from({ length: count }, (_, i) => make(i)),
      { optimize: false },
    );
    const arrays = new Map(data.arrays.map((array) => [array.name, array]));
    const looks = vi.spyOn(arrays, "get");
    for (const operation of data.operations) statedBytes(operation, arrays);
    // Each asks which arrays an operation touches; a closer look asks again for every window.
    expect(looks.mock.calls.length).toBeLessThan(4 * data.operations.length);
  });
});
