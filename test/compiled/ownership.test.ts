// Whose memory is whose in calls of compiled functions, where arrays are large enough that nothing is copied without need: what was
// handed out is nobody's state, what is read is not written to, and what a call took for nothing it gives back.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";

/** Results of so many elements are blocks of the kernels' memory. */
const n = 40_000;
const long = { dtype: "float64", shape: [n] } as const;
const numbers = (): Float64Array => Float64Array.from({ length: n }, (_, i) => i);

describe("states", () => {
  test("are replaced by what lazy values give, and by what lengths depend on", async () => {
    const w = cw.shared(new Float64Array(n), { name: "w" });
    const f = cw.compile((x) => w.sum().add(x.get(0)), [long], { updates: (x) => [[w, w.add(x)]] });
    expect((await f(cw.ones([n]))).item()).toBe(1);
    expect(f.sync(cw.full([n], 2, { dtype: "float64" }))).toMatchObject({ dtype: "float64" });
    expect((await f(new Float64Array(n))).item()).toBe(3 * n);
    const masked = cw.compile((x) => x.get(x.greater(1)).sum(), [long], { updates: (x) => [[w, x]] });
    expect((await masked(new Float64Array(n).fill(5))).item()).toBe(5 * n);
    expect(w.getValue().item(n - 1)).toBe(5);
  });

  const WAYS: readonly [string, cw.AsyncComputeOptions, number | undefined][] = [
    ["standing", {}, undefined],
    ["on threads", { executor: "threads", threads: 2 }, undefined],
    ["in chunks", {}, 15_000],
  ];
  test.each(WAYS)("are not what was handed out (%s)", async (_, options, chunks) => {
    const w = cw.shared(new Float64Array(n), { chunks });
    const f = cw.compile(() => w.add(1), [], { ...options, updates: [[w, w.add(1)]] });
    for (const step of [1, 2]) {
      const given = await f();
      expect(given.item(0)).toBe(step);
      given.data[0] = 99;
      expect([w.getValue().item(0), w.getValue().item(1)]).toEqual([step, step]);
    }
  });

  test("keep their blocks when calls fail", () => {
    const w = cw.shared(new Int32Array(100_000));
    const f = cw.compile((by) => w.bitwiseLeftShift(by).sum(), ["int32"], { updates: [[w, w.add(1)]] });
    for (const by of [1, 1]) f.sync(by);
    const { places } = cw.engine.backend.statistics();
    for (let call = 0; call < 5; call++) expect(() => f.sync(-1)).toThrow(cw.RunError);
    expect(cw.engine.backend.statistics().places).toBeLessThanOrEqual(places);
    expect(w.getValue().item(0)).toBe(2);
  });
});

describe("arrays that are brought for outputs", () => {
  test("may be parts of one", () => {
    const f = cw.compile((x) => [x.add(1), x.add(1)], [long]);
    const both = new Float64Array(2 * n);
    const out = [new cw.NDArray(both.subarray(0, n)), new cw.NDArray(both.subarray(n))] as never;
    f.sync(numbers(), { out });
    expect([both[0], both[n - 1], both[n], both[2 * n - 1]]).toEqual([1, n, 1, n]);
  });

  test("may be what the function reads by itself", () => {
    const data = numbers();
    const f = cw.compile((x) => x.add(cw.asarray(data).flip()), [long]);
    f.sync(new Float64Array(n), { out: new cw.NDArray(data) as never });
    expect([data[0], data[1], data[n - 1]]).toEqual([n - 1, n - 2, 0]);
  });

  test("are told of before anything is computed, where they are none", async () => {
    let calls = 0;
    const count = (block: cw.NDArray<"float64">): cw.NDArray<"float64"> => {
      calls++;
      return block;
    };
    const f = cw.compile((x) => [cw.mapBlocks(count, x), x.add(1)], [{ dtype: "float64", shape: [2] }]);
    const one = new cw.NDArray(new Float64Array(2));
    const flat = new cw.NDArray(new Float64Array(1), [2], "float64", [0]);
    const bad: readonly [unknown, RegExp][] = [
      [3, /out is 3 where there are 2 outputs/],
      [[one], /where there are 2 outputs/],
      [[one, 3], /out has 3 where float64 \[2\] belongs/],
      [[one, one], /out 1 has elements in the places of others/],
      [[one, flat], /out 1 has elements in the places of others/],
    ];
    calls = 0;
    for (const [out, message] of bad) {
      expect(() => f.sync([1, 2], { out } as never)).toThrow(message);
      await expect(f([1, 2], { out } as never)).rejects.toThrow(message);
    }
    expect(calls).toBe(0);
  });
});

describe("signals", () => {
  test("stop a call that waits for another, which goes on", async () => {
    const w = cw.shared(new Float64Array(2));
    const options = { executor: "threads", threads: 2 } as const;
    const f = cw.compile(() => w, ["float64"], { ...options, updates: (x) => [[w, w.add(x)]] });
    const stop = new AbortController();
    const [first, second, third] = [f(1), f(10, { signal: stop.signal }), f(100)];
    stop.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    await Promise.all([first, third]);
    expect(w.getValue().item(0)).toBe(101);
  });

  test("that are given already stop any call; others are refused", async () => {
    const f = cw.compile((x) => x.add(1), ["float64"]);
    const signal = AbortSignal.abort(new Error("enough"));
    expect(() => f.sync(1, { signal })).toThrow("enough");
    await expect(f(1, { signal })).rejects.toThrow("enough");
    expect(() => f.sync(1, { signal: 3 as never })).toThrow(/signal is 3.*AbortSignal/s);
    await expect(f(1, { signal: 3 as never })).rejects.toThrow(cw.ValueError);
  });
});
