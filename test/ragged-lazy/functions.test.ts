// Functions of users on partitions: traced where they can be, read in full where they cannot, and told of then.

import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../parquet/support.ts";
import { checkAsync } from "../property/settings.ts";
import { needThreads } from "../ways.ts";
import { expectSame } from "./equal.ts";
import { chained, isRounded, programs, workingSteps } from "./programs.ts";
import { RaggedWays } from "./ways.ts";

const inline = { executor: "inline" } as const;
const folder = temporaryFolder();
afterAll(() => folder.remove());
needThreads();
const ways = new RaggedWays();
afterAll(() => ways.agree(), 60_000);
beforeEach(() => {
  vi.restoreAllMocks();
});

const rows = Array.from({ length: 30 }, (_, i) => ({
  met: i * 0.5,
  mu: Array.from({ length: i % 3 }, (_, k) => ({ pt: i + k + 0.25, z: k })),
  jets: Array.from({ length: i % 4 }, (_, k) => ({ pt: i - k + 0.5, eta: k / 8 })),
}));
const path = folder.path("events.parquet");
beforeAll(() => rg.toParquet(rg.lazy(rg.fromIter(rows), { npartitions: 3 }), path, inline));
const open = (): Promise<rg.LazyRagged> => rg.fromParquet(path, { name: "events" });

/** Nobody can trace it: it looks at values. */
const opaque = (mu: rg.RaggedArray): rg.RaggedArray =>
  rg.fromIter(mu.toList().map((list) => (list as { pt: number }[]).reduce((sum, { pt }) => sum + pt, 0)));
const sums = rows.map(({ mu }) => mu.reduce((sum, { pt }) => sum + pt, 0));

describe("a function that can be traced", () => {
  test("needs what it looks at", async () => {
    const ds = await open();
    const seen: string[] = [];
    const x = rg.mapPartitions((part: rg.RaggedArray) => {
      seen.push(part.constructor.name);
      return part.field("mu", "pt").sum({ axis: 1 });
    }, ds);
    expect(x.type).toBe("? * float64");
    expect(rg.necessaryColumns(x, { onFail: "raise" })).toEqual({ events: ["mu.pt"] });
    expect((await x.compute({ ...inline, onFail: "raise" })).toList()).toEqual(sums);
    expect(seen).toEqual(["LazyRagged", "RaggedArray", "RaggedArray", "RaggedArray"]);
  });

  test("sees arrays without the columns that it does not need", async () => {
    const ds = await open();
    const x = rg.mapPartitions((part: rg.RaggedArray) => rg.num(part.field("jets")), ds);
    expect((await x.compute(inline)).toList()).toEqual(rows.map(({ jets }) => jets.length));
    expect(rg.necessaryColumns(x)["events"]).toHaveLength(1);
  });

  test("takes several arrays, cut alike, and the number of the partition", async () => {
    const ds = await open();
    const other = rg.lazy(
      rows.map(({ met }) => met),
      { npartitions: 2 },
    );
    const places: number[] = [];
    const x = rg.mapPartitions(
      (a: rg.RaggedArray, b: rg.RaggedArray, { partition }: rg.PartitionInfo) => {
        places.push(partition);
        return a.field("met").add(b);
      },
      [ds, other],
    );
    expect((await x.compute(inline)).toList()).toEqual(rows.map(({ met }) => 2 * met));
    expect(places.slice(1).sort()).toEqual([0, 1, 2]);
    expect(rg.necessaryColumns(x)["events"]).toEqual(["met"]);
  });

  test("may change how many rows there are", async () => {
    const x = rg.mapPartitions(
      (part: rg.RaggedArray) => part.field("met").get(part.field("met").greater(5)) as rg.RaggedArray,
      await open(),
    );
    expect(x.divisions).toBeNull();
    expect((await x.compute(inline)).toList()).toEqual(rows.map(({ met }) => met).filter((met) => met > 5));
  });
});

describe("a function that is traced runs as it is written", () => {
  const lists = [
    { x: [1, 2], y: [3, 4], z: "a" },
    { x: [5], y: [6], z: "b" },
  ];
  const sum = (part: rg.RaggedArray): rg.RaggedArray => part.field("x").add(part.field("y"));
  const functions: { [name: string]: readonly [(part: rg.RaggedArray) => rg.RaggedArray, string[]] } = {
    // The lists of y are looked at, though nobody wants them.
    "a field of records": [
      (part) => rg.zip({ a: part.field("x"), b: part.field("y") }).field("a"),
      ["x", "y"],
    ],
    "a field that is set and not used": [(part) => rg.withField(part, sum(part), "w").field("x"), ["x", "y"]],
    "fields by number": [(part) => rg.unzip(part)[1]!, ["y"]],
    "fields by their list": [(part) => part.field(part.fields[2]!), ["z"]],
  };

  test.each(Object.keys(functions))("%s", async (name) => {
    const [fn, columns] = functions[name]!;
    const x = rg.mapPartitions(fn, rg.lazy(lists, { npartitions: 2 }));
    expect(rg.necessaryColumns(x, { onFail: "raise" })).toEqual({ memory: columns });
    expect((await x.compute(inline)).toList()).toEqual(fn(rg.fromIter(lists)).toList());
  });

  test("is not read for when nobody wants it", async () => {
    const ds = await open();
    const w = rg.mapPartitions((part: rg.RaggedArray) => part.field("jets", "pt").sum({ axis: 1 }), ds);
    const x = rg.withField(ds, rg.fillNone(w, 0), "w");
    expect(rg.necessaryColumns(rg.zip({ w, met: ds.field("met") }).field("met"))["events"]).toContain("met");
    expect(rg.necessaryColumns(x.field("mu", "pt"))["events"]).not.toContain("jets.pt");
  });

  test("any function of one partition is as in memory", () =>
    checkAsync(80, programs, async (program) => {
      const [a, b] = program.rows.map((own) => rg.fromIter(own)) as [rg.RaggedArray, rg.RaggedArray];
      const steps = workingSteps(program, a, b);
      if (steps.length === 0) return;
      const fn = (x: rg.RaggedArray, y: rg.RaggedArray): rg.RaggedArray =>
        chained(steps, x, y) as rg.RaggedArray;
      const x = rg.mapPartitions(fn, [rg.lazy(a), rg.lazy(b)]);
      const found = await ways.rowsOf(x);
      expectSame(found, fn(a, b).toList(), isRounded(program), steps.map(({ name }) => name).join());
    }));
});

describe("a function that cannot be traced", () => {
  test("reads all of its own arguments, and no more", async () => {
    const ds = await open();
    const x = rg.mapPartitions(opaque as never, ds.field("mu"), { type: "float64" });
    expect(rg.necessaryColumns(x, { onFail: "pass" })).toEqual({ events: ["mu.pt", "mu.z"] });
    const both = rg.zip({ x, met: ds.field("met") });
    expect(rg.necessaryColumns(both, { onFail: "pass" })).toEqual({ events: ["met", "mu.pt", "mu.z"] });
    expect((await x.compute({ ...inline, onFail: "pass" })).toList()).toEqual(sums);
  });

  test("warns unless told otherwise, with its line and the reason", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const ds = await open();
    const x = rg.mapPartitions(opaque as never, ds.field("mu"), { type: "float64" });
    await x.compute(inline);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]![0]).toMatch(
      /^chunkwise: rg\.mapPartitions at .*functions\.test\.ts:\d+.*nobody can say which columns it needs: .*all columns of its arguments are read$/,
    );
    warn.mockClear();
    await x.compute({ ...inline, onFail: "pass" });
    expect(warn).not.toHaveBeenCalled();
  });

  test("fails where that is asked for", async () => {
    const x = rg.mapPartitions(opaque as never, (await open()).field("mu"), { type: "float64" });
    await expect(x.compute({ ...inline, onFail: "raise" })).rejects.toThrow(rg.ProjectionError);
    expect(() => rg.necessaryColumns(x, { onFail: "raise" })).toThrow(/mapPartitions.*functions\.test\.ts/);
    expect(() => x.plan({ onFail: "raise" })).toThrow(rg.ProjectionError);
    const { failures } = rg.explainColumns(x, { onFail: "pass" });
    expect(failures).toMatchObject([{ op: "rg.mapPartitions" }]);
    expect(failures[0]!.reason).not.toBe("");
    // The next computation is not changed by it.
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    await x.compute(inline);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test("gives what it said that it gives", async () => {
    const ds = await open();
    const x = rg.mapPartitions((() => ["text"]) as never, ds.field("met"), { type: "float64" });
    await expect(x.compute({ ...inline, onFail: "pass" })).rejects.toThrow(
      /string where float64 was foretold/,
    );
    expect(() => rg.mapPartitions((() => 7) as never, ds)).toThrow(/nobody can foretell.*Say it/s);
  });

  test("without a type it is called with no rows", async () => {
    const x = rg.mapPartitions(
      ((part: rg.RaggedArray) => rg.fromIter(part.toList()).multiply(2)) as never,
      (await open()).field("met"),
    );
    expect((await x.compute({ ...inline, onFail: "pass" })).toList()).toEqual(rows.map(({ met }) => 2 * met));
  });
});

describe("functions of modules", () => {
  const module = new URL("./modules/partitions.js", import.meta.url);

  test("are imported where they run", async () => {
    const ds = await open();
    const x = rg.mapPartitions(cw.moduleFunction(module, "doubled"), ds, { type: "float64" });
    expect(await ways.rowsOf(x)).toEqual(rows.map(({ met }) => 2 * met));
    const texts = rg.mapPartitions(cw.moduleFunction(module, "texts"), ds, { type: "string" });
    expect(await ways.rowsOf(texts)).toEqual(rows.map(({ met }) => `${met}`));
  });

  test("need a type", async () => {
    const ds = await open();
    expect(() => rg.mapPartitions(cw.moduleFunction(module, "doubled"), ds)).toThrow(
      /type: "var \* float64"/,
    );
  });
});

test("an error in a function names it, the partition and the user's line", async () => {
  const ds = await open();
  const x = rg.mapPartitions(
    ((part: rg.RaggedArray, { partition }: rg.PartitionInfo) => {
      if (partition === 2) throw new Error("it broke");
      return part;
    }) as never,
    ds.field("met"),
    { type: "float64" },
  );
  const error: unknown = await x.compute({ ...inline, onFail: "pass" }).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(cw.RunError);
  expect((error as cw.RunError).message).toMatch(
    /rg\.mapPartitions.*functions\.test\.ts:\d+.*chunk \[2\].*it broke/s,
  );
  expect((error as cw.RunError).chunk).toEqual([2]);
});
