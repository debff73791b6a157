// Timeline and memory plots: golden pictures, well-formed whatever the names, small whatever the number of tasks.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { history } from "../../src/observe/history.ts";
import { memorySvg } from "../../src/observe/memoryPlot.ts";
import { byteTicks, timeTicks } from "../../src/observe/ticks.ts";
import { timelineRows, timelineSvg } from "../../src/observe/timeline.ts";
import { workOf } from "../work.ts";
import { type Made, OPERATIONS, runEvents } from "./events.ts";
import { elementsOf } from "./xml.ts";

function historyOf(made: Made, limit?: number): ReturnType<typeof history> {
  const kept = history({ limit });
  runEvents(made).forEach(kept.onEvent);
  return kept;
}

const FORBIDDEN = /<script|<foreignObject|\son\w+=|href|javascript:|NaN|Infinity|undefined/i;

describe("timeline", () => {
  const some = historyOf({ failures: 0.15, twins: 0.1 });

  test("is the picture that was looked at", async () => {
    const svg = timelineSvg(some);
    elementsOf(svg);
    await expect(svg).toMatchFileSnapshot("__snapshots__/timeline.svg");
  });

  test("has a bar for every phase of every task", () => {
    const names = elementsOf(timelineSvg(some));
    expect(names.filter((name) => name === "g").length).toBe(some.tasks.length);
  });

  test("in bins it is the picture that was looked at", async () => {
    const svg = timelineSvg(some, { detailLimit: 0, width: 600 });
    elementsOf(svg);
    await expect(svg).toMatchFileSnapshot("__snapshots__/timeline-bins.svg");
  });

  test("of 100,000 tasks is small, and costs as much a task as one of 10,000", () => {
    const operations = OPERATIONS.map((operation) => ({ ...operation, tasks: 33_334 }));
    const many = historyOf({ operations, workers: 16, failures: 0.01 });
    expect(many.tasks.length).toBeGreaterThanOrEqual(100_000);
    const svg = timelineSvg(many);
    expect(svg.length).toBeLessThan(1_000_000);
    elementsOf(svg);
    const fewer = historyOf({
      operations: OPERATIONS.map((each) => ({ ...each, tasks: 3334 })),
      workers: 16,
    });
    const costOf = (run: typeof many): number => workOf(() => timelineSvg(run)) / run.tasks.length;
    expect(costOf(many)).toBeLessThan(1.2 * costOf(fewer));
  });

  test("of many workers and many operations stays within bounds", () => {
    const operations = Array.from({ length: 500 }, (_, i) => ({
      ...OPERATIONS[0]!,
      name: `op-${i}`,
      tasks: 10,
    }));
    const svg = timelineSvg(historyOf({ operations, workers: 1000 }), { detailLimit: 100_000 });
    expect(svg).toContain("more rows of workers not shown");
    expect(svg).toContain("other operations");
    expect(Number(/height="(\d+)/.exec(svg)![1])).toBeLessThan(1500);
  });

  test("of nothing is still a picture", () => {
    elementsOf(timelineSvg(history()));
    expect(timelineSvg(history())).not.toMatch(FORBIDDEN);
  });

  test("of data read from JSON is the same", () => {
    expect(timelineSvg(JSON.parse(JSON.stringify(some)))).toBe(timelineSvg(some));
  });

  test("says what was not kept", () => {
    expect(timelineSvg(historyOf({}, 10))).toContain("34 earlier tasks not kept");
  });

  test("workers that have names have rows by them", () => {
    const [task] = some.tasks;
    const named = ["node-b", "node-a", undefined].map((by, i) => ({ ...task!, worker: i, by }));
    const rows = timelineRows(named).map(({ worker }) => worker);
    expect(rows).toEqual(["node-a", "node-b", 2]);
    const { computations, operations, tasksDropped } = some;
    const svg = timelineSvg({ computations, operations, tasksDropped, tasks: named });
    elementsOf(svg);
    expect(svg).toMatch(/>node-a<[\s\S]*>node-b<[\s\S]*>worker 2</);
  });

  test("tasks of a worker that overlap have rows of their own", () => {
    const [task] = some.tasks;
    const at = (startTime: number, endTime: number) => ({ ...task!, worker: 0, startTime, endTime });
    const rows = timelineRows([at(0, 10), at(5, 15), at(10, 20), at(0, 20)]);
    expect(rows.map(({ tasks }) => tasks.map(({ startTime, endTime }) => [startTime, endTime]))).toEqual([
      [[0, 10], [10, 20]],
      [[0, 20]],
      [[5, 15]],
    ]); // biome-ignore format: rows
    expect(timelineRows(Array.from({ length: 20 }, () => at(0, 9))).length).toBe(4);
  });
});

describe("memory", () => {
  const operations = [
    ...OPERATIONS,
    { name: "op-004", label: "matmul", tasks: 4, projectedMem: 1.4e8 },
    { name: "op-005", label: "sort", tasks: 4, projectedMem: 5e7 },
  ];
  const measured = (random: number): number => 0.5 + random * 0.7;

  test("is the picture that was looked at", async () => {
    const svg = memorySvg(historyOf({ operations, measured, allowedMem: 1.5e8, seed: 3 }));
    elementsOf(svg);
    await expect(svg).toMatchFileSnapshot("__snapshots__/memory.svg");
  });

  test("over the budget is red, and a far budget is told in words", () => {
    const over = memorySvg(historyOf({ allowedMem: 1e8 }));
    expect(over).toMatch(/<rect [^>]*stroke="#d62728"/);
    const legendAndLine = memorySvg(historyOf({ allowedMem: 2e8 })).match(/#d62728/g)!.length;
    expect(legendAndLine).toBe(3);
    expect(memorySvg(historyOf({ allowedMem: 1e12 }))).toContain("budget 1 TB, beyond the axis");
    expect(memorySvg(historyOf({ allowedMem: null }))).not.toContain("budget ");
  });

  test("without measurements it has outlines only", () => {
    expect(memorySvg(historyOf({ measured: () => null }))).toContain("not measured of 64 MB");
  });

  test("many operations: those that need most", () => {
    const many = Array.from({ length: 500 }, (_, i) => ({
      name: `op-${i}`,
      label: "",
      tasks: 1,
      projectedMem: 1000 * (i + 1),
    }));
    const svg = memorySvg(historyOf({ operations: many }));
    expect(svg).toContain("440 operations with less memory not shown");
    expect(svg).toContain(">op-499<");
    expect(svg.length).toBeLessThan(100_000);
    elementsOf(memorySvg(history()));
  });
});

test("no name can break out of a picture", () => {
  const nasty = fc.constantFrom(
    '"/><script>alert(1)</script>',
    "a & b < c > 'd'",
    "]]>",
    "<!--",
    "\u0000\u001b[2J\ud800",
  );
  const names = fc.oneof(nasty, fc.string({ unit: "binary", maxLength: 30 }));
  fc.assert(
    fc.property(names, names, fc.integer({ min: -10, max: 3000 }), (name, label, width) => {
      const operations = [{ name, label, tasks: 3, projectedMem: 100 }];
      const made = historyOf({ operations });
      const pictures = [
        timelineSvg(made, { width, title: label }),
        timelineSvg(made, { width, title: name, detailLimit: 0 }),
        memorySvg(made, { width, title: label }),
      ];
      for (const svg of pictures) {
        const allowed = new Set(["svg", "title", "rect", "path", "text", "g"]);
        expect(elementsOf(svg).filter((element) => !allowed.has(element))).toEqual([]);
      }
    }),
    { seed: 11, numRuns: 100 },
  );
});

describe("ticks", () => {
  const texts = (list: readonly { text: string }[]): string[] => list.map(({ text }) => text);
  test.each([
    [0, ["0 ms"]],
    [0.7, ["0 ms", "0.2 ms", "0.4 ms", "0.6 ms"]],
    [950, ["0 ms", "200 ms", "400 ms", "600 ms", "800 ms"]],
    [7300, ["0 s", "2 s", "4 s", "6 s"]],
    [130_000, ["0 s", "30 s", "60 s", "90 s", "120 s"]],
    [3_000_000, ["0 min", "10 min", "20 min", "30 min", "40 min", "50 min"]],
    [90_000_000, ["0 h", "6 h", "12 h", "18 h", "24 h"]],
    [1e10, ["0 d", "50 d", "100 d"]],
  ])("of %d ms", (most, expected) => expect(texts(timeTicks(most, 5))).toEqual(expected));

  test("of bytes", () => {
    expect(texts(byteTicks(131e6, 5))).toEqual(["0 B", "50 MB", "100 MB"]);
    expect(texts(byteTicks(3, 10))).toEqual(["0 B", "1 B", "2 B", "3 B"]);
    expect(texts(byteTicks(0, 5))).toEqual(["0 B"]);
  });

  test("are never many", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 1e15, noNaN: true }),
        fc.integer({ min: 2, max: 30 }),
        (most, wanted) => {
          expect(timeTicks(most, wanted).length).toBeLessThanOrEqual(wanted + 1);
          expect(byteTicks(most, wanted).length).toBeLessThanOrEqual(wanted + 1);
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });
});
