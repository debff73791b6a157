// Partitions: made, cut anew, counted, put together; dense arrays in and out; plans; errors of runs; cancelling.

import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { afterAll, describe, expect, test } from "vitest";
import { mistake } from "../bad-input/check.ts";
import { workOf } from "../work.ts";
import { RaggedWays } from "./ways.ts";

const inline = { executor: "inline" } as const;
const rows = [[1, 2], [], [3], [4, 5, 6], [7], [8, 9]];

const ways = new RaggedWays();
const list = (x: rg.LazyRagged): Promise<unknown[]> => ways.rowsOf(x);
afterAll(() => ways.agree(), 60_000);

describe("making", () => {
  test("fromLists: a partition for each list, of one type", async () => {
    const x = rg.fromLists([[[1, 2], []], [[3.5]], []]);
    expect(x.npartitions).toBe(3);
    expect(x.divisions).toEqual([0, 2, 3, 3]);
    expect(x.type).toBe("3 * var * float64");
    expect(await list(x)).toEqual([[1, 2], [], [3.5]]);
    const mixed = rg.fromLists([[1], ["a"], [null]]);
    expect(await list(mixed)).toEqual([1, "a", null]);
    const parts = rg.fromLists([rg.fromIter([1]), [2]]);
    expect(await list(parts)).toEqual([1, 2]);
  });

  test("lazy: parts of equal length", async () => {
    const x = rg.lazy(rows, { npartitions: 4 });
    expect(x.divisions).toEqual([0, 1, 3, 4, 6]);
    expect(await list(x)).toEqual(rows);
    expect(rg.lazy(x)).toBe(x);
    expect(await list(rg.lazy(rows, { npartitions: 9 }))).toEqual(rows);
    expect(rg.lazy(new Float32Array([1, 2])).type).toBe("2 * float32");
  });

  test("printing computes nothing", () => {
    const x = rg.lazy(rows, { npartitions: 2 }).sum({ axis: 1 });
    expect(String(x)).toMatchInlineSnapshot(`
      "LazyRagged 6 * int64 in 2 partitions
        %0 = partitioned(…) [2] * var * int64
        %1 = rg.sum(%0, axis: 1) [2] * int64"
    `);
    expect(JSON.stringify({ x })).toContain("LazyRagged");
  });

  test("types that are known from before are those of the same operation in memory", () => {
    const scalars = [1.5, 2.5, 3, 200, 300, -1, 70_000, 1e300, Number.NaN, Infinity, 2n ** 40n, true, "x"];
    const data = [Int8Array, Uint8Array, Int32Array, Float32Array, Float64Array].map((of) => new of([1, 2]));
    const typeOf = (make: () => { type: string }): string => {
      try {
        return make().type;
      } catch (error) {
        return (error as Error).name;
      }
    };
    // Forwards and back: every scalar comes after every other.
    for (const scalar of [...scalars, ...scalars.toReversed()])
      for (const numbers of data) {
        const eager = rg.fromNumpy(new cw.NDArray(numbers, [2]));
        const lazy = rg.lazy(numbers);
        const operand = scalar as number;
        expect(
          typeOf(() => lazy.add(operand)),
          `${numbers.constructor.name} + ${scalar}`,
        ).toBe(typeOf(() => eager.add(operand)));
        expect(typeOf(() => lazy.greater(operand))).toBe(typeOf(() => eager.greater(operand)));
      }
  });

  test("equal operations are one node", () => {
    const x = rg.lazy(rows, { npartitions: 2 });
    expect(x.add(1).expr).toBe(x.add(1).expr);
    expect(x.sum({ axis: 1 }).expr).toBe(rg.sum(x, { axis: 1, keepdims: undefined }).expr);
  });
});

describe("repartition", () => {
  const x = rg.lazy(rows, { npartitions: 3 });

  test("into so many, of so many rows, at these rows", async () => {
    const ways = [
      { npartitions: 4 },
      { rows: 5 },
      { divisions: [0, 0, 4, 6] },
      { npartitions: 1 },
      { rows: 100 },
    ];
    const cuts = ways.map((way) => rg.repartition(x, way as rg.RepartitionOptions));
    expect(cuts.map(({ divisions }) => divisions)).toEqual([
      [0, 1, 3, 4, 6],
      [0, 5, 6],
      [0, 0, 4, 6],
      [0, 6],
      [0, 6],
    ]);
    for (const cut of cuts) expect(await list(cut)).toEqual(rows);
    expect(rg.repartition(x, { npartitions: 3 })).toBe(x);
  });

  test("says what is wrong", () => {
    const wrong: unknown[] = [
      {},
      { npartitions: 0 },
      { npartitions: 1.5 },
      { rows: -1 },
      { rows: "2" },
      { divisions: [0, 5] },
      { divisions: [1, 6] },
      { divisions: [0, 4, 2, 6] },
      { divisions: [6] },
      { divisions: "0,6" },
      { npartitions: 2, rows: 2 },
      { partitions: 2 },
    ];
    for (const options of wrong) mistake(() => rg.repartition(x, options as rg.RepartitionOptions));
    const filtered = x.get(rg.num(x).greater(0)) as rg.LazyRagged;
    expect(mistake(() => rg.repartition(filtered, { rows: 2 })).message).toMatch(/nobody knows/);
  });

  test("arrays that meet are cut alike", async () => {
    const other = rg.lazy([1, 2, 3, 4, 5, 6], { npartitions: 4 });
    expect(await list(x.add(other))).toEqual(rows.map((row, i) => row.map((n) => n + i + 1)));
    expect(mistake(() => x.add(rg.lazy([1, 2], { npartitions: 2 }))).message).toMatch(
      /arrays of 6 and 2 rows meet/,
    );
  });

  test("arrays whose rows nobody counted must have as many in every partition", async () => {
    const [a, b] = [
      [true, false, false, true, true, true],
      [true, true, true, true, false, false],
    ].map((mask) => rg.lazy([1, 2, 3, 4, 5, 6], { npartitions: 2 }).get(rg.fromIter(mask)) as rg.LazyRagged);
    // As many in all, and one row is not to go with three.
    await expect(a!.add(b!).compute(inline)).rejects.toThrow(/partitions of 1 and 3 rows meet/);
    const filter = rg.num(x).greater(0);
    expect(
      await list(rg.num(x.get(filter) as rg.LazyRagged).add(rg.num(x.get(filter) as rg.LazyRagged))),
    ).toEqual(rows.filter((row) => row.length > 0).map((row) => 2 * row.length));
    expect(mistake(() => rg.add(x.get(filter), rg.lazy(rows))).message).toMatch(/nobody knows/);
  });
});

describe("over all rows", () => {
  const x = rg.lazy(rows, { npartitions: 3 });

  test("arrays one after another have the partitions of both, of whatever length", async () => {
    const y = rg.fromLists([[[0]], [[], [1]]]);
    const joined = rg.concatenate([x, y]);
    expect(joined.npartitions).toBe(5);
    expect(joined.divisions).toEqual([0, 2, 4, 6, 7, 9]);
    expect(await list(joined)).toEqual([...rows, [0], [], [1]]);
    expect(await list(rg.localIndex(joined, { axis: 0 }))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test("reductions of many partitions go up a tree", async () => {
    const many = rg.lazy(
      Array.from({ length: 200 }, (_, i) => [i, 0.5]),
      { npartitions: 100 },
    );
    const [sum, mean, max, least, first] = await ways.compute([
      ...[many.sum(), many.mean(), many.max()],
      ...[many.argmin({ axis: 0 }), rg.firsts(many).std()],
    ]);
    expect([sum, mean, max]).toEqual([20_000, 50, 199]);
    expect((least as rg.RaggedArray).toList()).toEqual([0, 0]);
    expect(first).toBeCloseTo(Math.sqrt((200 ** 2 - 1) / 12), 10);
    expect(many.sum().plan().numTasks).toBeGreaterThan(100);
  });

  test("one value goes with all partitions", async () => {
    const centred = x.subtract(x.mean());
    expect(await list(centred)).toEqual(rows.map((row) => row.map((n) => n - 5)));
    expect(
      await x
        .max()
        .subtract(x.min() as never)
        .compute(inline),
    ).toBe(8);
  });

  test("rows by place, range, backwards, by lists of places and by masks", async () => {
    const get = (...items: readonly rg.RaggedItem[]): rg.LazyRagged => x.get(...items) as rg.LazyRagged;
    expect(await list(get(3))).toEqual([4, 5, 6]);
    expect(await get(-1, 1).compute(inline)).toBe(9);
    expect(await list(get("1:5"))).toEqual(rows.slice(1, 5));
    expect(await list(get("::-1"))).toEqual([...rows].reverse());
    expect(await list(get([0, 2]))).toEqual([rows[0], rows[2]]);
    expect(await list(get([4, null, -1]))).toEqual([[7], null, [8, 9]]);
  });
});

describe("dense arrays", () => {
  test("in and out, lazily", async () => {
    const dense = cw.arange(0, 24, 1, { chunks: 8 }).reshape([12, 2]).rechunk([5, 2]);
    const x = rg.fromNumpy(dense);
    expect(x.type).toBe("12 * 2 * int64");
    expect(x.divisions).toEqual([0, 5, 10, 12]);
    const back = rg.toNumpy(x.multiply(2));
    expect(back).toBeInstanceOf(cw.LazyArray);
    expect([back.shape, back.dtype]).toEqual([[12, 2], "int64"]);
    const sum = await back.add(dense).sum({ axis: 0 }).compute(inline);
    expect(sum.toList()).toEqual([396, 432]);
  });

  test("lists that are equally long, and nulls that are filled", async () => {
    const x = rg.lazy(rows, { npartitions: 2 });
    const padded = rg.fillNone(rg.toRegular(rg.padNone(x, 2, { clip: true }), { size: 2 }), 0);
    const dense = rg.toNumpy(padded);
    expect(dense.shape).toEqual([6, 2]);
    expect(Array.from((await dense.compute(inline)).data as ArrayLike<number | bigint>, Number)).toEqual([
      1, 2, 0, 0, 3, 0, 4, 5, 7, 0, 8, 9,
    ]);
    expect(mistake(() => rg.toNumpy(x)).message).toMatch(/lists of any length/);
    expect(mistake(() => rg.toNumpy(rg.firsts(x))).message).toMatch(/fillNone/);
    const some = rg.num(x).get(rg.num(x).greater(0)) as rg.LazyRagged;
    expect(() => rg.toNumpy(some).shape).toThrow(/depends on its data/);
  });

  test("in memory", () => {
    const x = rg.fromIter([
      [1, 2],
      [3, 4],
    ]);
    expect(rg.toNumpy(x).shape).toEqual([2, 2]);
    expect(rg.fromNumpy(rg.toNumpy(x)).toList()).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test("dense arrays are operands", async () => {
    const x = rg.lazy(rows, { npartitions: 2 });
    const dense = cw.arange(0, 6, 1, { dtype: "float64", chunks: 2 });
    expect(await list(x.add(dense))).toEqual(rows.map((row, i) => row.map((n) => n + i)));
  });
});

test("the plan of a small analysis", () => {
  const x = rg.lazy(rows, { npartitions: 3 });
  const events = rg.zip({ n: rg.num(x), x }, { depthLimit: 1 });
  const some = events.get(events.field("n").greater(1)) as rg.LazyRagged;
  expect(String(rg.plan([some.field("x").sum({ axis: 1 }), some.field("x").mean()]))).toMatchSnapshot();
});

describe("runs", () => {
  test("partitions that do not fit go to files", async () => {
    const wide = Array.from({ length: 400 }, (_, i) => Array.from({ length: 40 }, (_, k) => (i * k) % 97));
    const x = rg.lazy(wide, { npartitions: 40 }).multiply(2);
    // Every other partition begins where none began: all of x is there before the sums are.
    const total = x.max();
    const y = rg.repartition(x, { rows: 13 }).subtract(total);
    const { maxProjectedMem } = y.plan();
    const spec = new cw.Spec({ reservedMem: 1, allowedMem: maxProjectedMem + 2, executor: "inline" });
    let spilled = 0;
    const onEvent = (event: cw.RunEvent): void => void (event.type === "spill" && spilled++);
    const found = await y.compute({ spec, onEvent });
    expect(spilled).toBeGreaterThan(0);
    expect(found.toList()).toEqual(wide.map((row) => row.map((n) => 2 * n - 2 * 96)));
  });

  test("an error names the operation, the partition and the user's line", async () => {
    const x = rg.lazy(rows, { npartitions: 3 });
    const second = x.get(":", 1) as rg.LazyRagged; // the line
    const line = Number(/partitions\.test\.ts:(\d+)/.exec(new Error().stack!)![1]) - 1;
    const error: unknown = await second.compute(inline).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(cw.RunError);
    const { message, chunk } = error as cw.RunError;
    expect(message).toMatch(/rg\.get/);
    expect(message).toContain(`partitions.test.ts:${line}`);
    expect(chunk).toEqual([0]);
  });

  test("what fails in passing is tried again", async () => {
    let attempts = 0;
    const x = rg.mapPartitions(
      ((part: rg.RaggedArray, { partition }: rg.PartitionInfo) => {
        if (partition === 1 && attempts++ < 2) throw Object.assign(new Error("in passing"), { code: "EIO" });
        return part;
      }) as never,
      rg.lazy([1, 2, 3, 4], { npartitions: 2 }),
      { type: "int64" },
    );
    const spec = new cw.Spec({ executor: "inline", retries: { attempts: 5, delayMs: 1 } });
    const retries: cw.RunEvent[] = [];
    const onEvent = (event: cw.RunEvent): void => void (event.type === "retry" && retries.push(event));
    expect((await x.compute({ spec, onFail: "pass", onEvent })).toList()).toEqual([1, 2, 3, 4]);
    expect(retries.length).toBe(2);
  });

  test("a signal stops them", async () => {
    const stop = new AbortController();
    const x = rg.mapPartitions(
      ((part: rg.RaggedArray, { partition }: rg.PartitionInfo) => {
        if (partition === 1) stop.abort(new Error("enough"));
        return part;
      }) as never,
      rg.lazy(
        Array.from({ length: 50 }, (_, i) => i),
        { npartitions: 50 },
      ),
      { type: "int64" },
    );
    await expect(x.compute({ ...inline, onFail: "pass", signal: stop.signal })).rejects.toThrow("enough");
    await expect(x.compute({ ...inline, signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow(
      "before",
    );
  });
});

test("tracing costs as much an operation among 1,000 as among 100", () => {
  const costAmong = (operations: number): number => {
    const x = rg.lazy(
      Array.from({ length: 8 }, (_, i) => ({ a: [i, 1], b: [2, i], c: i })),
      { npartitions: 4 },
    );
    let y = x.field("a");
    for (let i = 0; i < operations / 2; i++) y = y.add(x.field("b")).multiply(i % 7);
    const trace = (): void => expect(rg.necessaryColumns(y)).toEqual({ memory: ["a", "b"] });
    return workOf(trace) / operations;
  };
  expect(costAmong(1000)).toBeLessThan(1.5 * costAmong(100));
});
