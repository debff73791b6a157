// The history: what it keeps, what it sums up, and how both are written.

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { combine } from "../../src/observe/consumer.ts";
import { type History, type HistoryOptions, history } from "../../src/observe/history.ts";
import { memoryWarnings } from "../../src/observe/memoryWarnings.ts";
import { SaveError, save } from "../../src/observe/save.ts";
import { csvText, DurationCounts, exactQuantile } from "../../src/observe/summary.ts";
import type { RunEvent } from "../../src/runtime/events.ts";
import { workOf } from "../work.ts";
import { OPERATIONS, randomOf, runEvents, START } from "./events.ts";

function historyOf(events: readonly RunEvent[], options?: HistoryOptions): History {
  const kept = history(options);
  events.forEach(kept.onEvent);
  return kept;
}

describe("history", () => {
  const events = runEvents({ failures: 0.15, twins: 0.1, spills: 0.2 });
  const full = historyOf(events);
  const ends = events.filter((event) => event.type === "taskEnd");

  test("keeps every attempt", () => {
    expect(full.tasks.length).toBe(ends.length);
    expect(full.tasks[0]).toMatchInlineSnapshot(`
      {
        "attempt": 1,
        "bytesRead": 32000000,
        "bytesWritten": 16000000,
        "computation": 1,
        "computeTime": 1700000000069.4495,
        "endTime": 1700000000086.5618,
        "isTwin": false,
        "measuredMem": 39920765,
        "operation": "op-001",
        "outcome": "done",
        "projectedMem": 64000000,
        "readTime": 1700000000022.3904,
        "startTime": 1700000000001.5,
        "task": 2,
        "worker": 3,
      }
    `);
    expect(full.computations).toMatchInlineSnapshot(`
      [
        {
          "allowedMem": 1000000000,
          "endTime": 1700000001555.4014,
          "error": undefined,
          "outcome": "done",
          "pool": "threads",
          "startTime": 1700000000000,
          "tasks": 44,
          "tasksDone": 0,
          "workers": 4,
        },
      ]
    `);
  });

  test("sums up by operation", () => {
    expect(`\n${full}\n`).toMatchSnapshot();
    const [first] = full.operations;
    const durations = ends
      .filter(({ operation, outcome }) => operation === "op-001" && outcome === "done")
      .map(({ startTime, time }) => time - startTime)
      .sort((a, b) => a - b);
    expect(first).toMatchObject({
      operation: "op-001",
      tasks: 24,
      done: 24,
      minMs: durations[0],
      medianMs: durations[11],
      p95Ms: durations[22],
      maxMs: durations[23],
      quantilesAreExact: true,
      bytesWritten: 24 * 16e6,
    });
    const count = (type: RunEvent["type"]): number =>
      events.filter((event) => event.type === type && "operation" in event && event.operation === "op-001")
        .length;
    expect(first).toMatchObject({ retries: count("retry"), twins: count("twin"), spills: count("spill") });
  });

  test("with a limit it keeps the last tasks and the same sums; quantiles are near", () => {
    const operations = OPERATIONS.map((operation) => ({ ...operation, tasks: 1000 }));
    const many = runEvents({ operations, failures: 0.1 });
    const all = historyOf(many);
    const few = historyOf(many, { limit: 500 });
    expect(few.tasks).toEqual(all.tasks.slice(-500));
    expect(few.tasksDropped).toBe(all.tasks.length - 500);
    few.operations.forEach((summary, i) => {
      const exact = all.operations[i]!;
      expect(summary.quantilesAreExact).toBe(false);
      expect(Math.abs(summary.medianMs! / exact.medianMs! - 1)).toBeLessThan(0.0101);
      expect(Math.abs(summary.p95Ms! / exact.p95Ms! - 1)).toBeLessThan(0.0101);
      const { medianMs, p95Ms, quantilesAreExact } = exact;
      expect({ ...summary, medianMs, p95Ms, quantilesAreExact }).toEqual(exact);
    });
    expect(String(few)).toContain("~");
    expect(historyOf(many, { limit: 0 }).tasks).toEqual([]);
  });

  test("several computations one after another are told apart", () => {
    const both = historyOf([...events, ...runEvents({ startTime: START + 1e5, seed: 5 })], { limit: 60 });
    expect(both.computations.map(({ startTime }) => startTime)).toEqual([START, START + 1e5]);
    expect(both.operations.map(({ computation }) => computation)).toEqual([1, 1, 1, 2, 2, 2]);
    expect(both.operations.slice(3).map(({ done }) => done)).toEqual([24, 16, 4]);
    expect(both.operations.map(({ quantilesAreExact }) => quantilesAreExact).slice(3)).toEqual([
      true,
      true,
      true,
    ]);
    expect(String(both)).toContain("2: op-001");
  });

  test("what ran when it was cancelled is there as unfinished", () => {
    const cut = historyOf(runEvents({ outcome: "cancelled" }));
    const open = cut.tasks.filter(({ outcome }) => outcome === "unfinished");
    expect(open.length).toBeGreaterThan(0);
    expect(cut.computations[0]).toMatchObject({ outcome: "cancelled", error: "aborted" });
  });

  test("times never go back, even when clocks do", () => {
    const wrong = ends.map((event) => ({
      ...event,
      startTime: event.time + 5,
      readTime: 0,
      computeTime: 9e15,
    }));
    for (const task of historyOf([events[0]!, ...wrong]).tasks) {
      const { startTime, readTime, computeTime, endTime } = task;
      expect([startTime, readTime, computeTime, endTime]).toEqual([endTime, endTime, endTime, endTime]);
    }
  });

  test("as JSON it is the same data", () => {
    expect(JSON.parse(JSON.stringify(full))).toEqual(JSON.parse(JSON.stringify(full.toJSON())));
    expect(JSON.parse(JSON.stringify(full)).tasks).toEqual(full.tasks);
  });

  test("as CSV: a header and a line per task", () => {
    const lines = full.toCSV().trimEnd().split("\n");
    expect(lines.slice(0, 3)).toMatchInlineSnapshot(`
      [
        "computation,operation,task,attempt,isTwin,worker,startTime,readTime,computeTime,endTime,bytesRead,bytesWritten,measuredMem,projectedMem,outcome",
        "1,op-001,2,1,false,3,1700000000001.5,1700000000022.3904,1700000000069.4495,1700000000086.5618,32000000,16000000,39920765,64000000,done",
        "1,op-001,1,1,false,2,1700000000001.5,1700000000023.2173,1700000000072.0957,1700000000089.8696,32000000,16000000,63834334,64000000,done",
      ]
    `);
    expect(lines.length).toBe(1 + ends.length);
  });

  test("a limit that is none is refused", () => {
    expect(() => history({ limit: -1 })).toThrowErrorMatchingInlineSnapshot(
      `[ValueError: history: limit is -1. It is a whole number of tasks, 0 or more, or Infinity.]`,
    );
    expect(() => history({ limit: Number.NaN })).toThrow("limit is NaN");
  });

  test("an event costs as much among 50,000 tasks as among 500", () => {
    const costAmong = (tasks: number): number => {
      const events = runEvents({ operations: [{ ...OPERATIONS[0]!, tasks }] });
      expect(historyOf(events).tasks.length).toBe(tasks);
      return workOf(() => historyOf(events)) / events.length;
    };
    expect(costAmong(50_000)).toBeLessThan(1.2 * costAmong(500));
  });
});

/** A reader of CSV, by the book. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const field = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\n|$)/y;
  while (field.lastIndex < text.length) {
    const [, value, end] = field.exec(text)!;
    rows.at(-1)!.push(value!.startsWith('"') ? value!.slice(1, -1).replaceAll('""', '"') : value!);
    if (end === "\n") rows.push([]);
  }
  rows.pop();
  return rows;
}

test("CSV can be read back, whatever is in it", () => {
  const texts = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r", " ", "a") }));
  const table = fc.array(fc.tuple(texts, texts, texts), { minLength: 1 });
  fc.assert(
    fc.property(table, (rows) => {
      const [header, ...rest] = rows;
      expect(readCsv(csvText(header!, rest))).toEqual(rows);
    }),
    { seed: 3, numRuns: 300 },
  );
});

test("quantiles from classes are within 1 % of exact ones", () => {
  const random = randomOf(9);
  const counts = new DurationCounts();
  const values = Array.from({ length: 5000 }, () => 10 ** (random() * 8 - 3));
  values.forEach((value) => counts.add(value));
  values.sort((a, b) => a - b);
  for (const q of [0, 0.01, 0.5, 0.95, 1])
    expect(Math.abs(counts.quantile(q) / exactQuantile(values, q) - 1)).toBeLessThan(0.0101);
});

describe("combine", () => {
  test("all see every event, also when some throw", () => {
    const seen: string[] = [];
    const fails = (): void => {
      throw new Error("broken");
    };
    const event = runEvents()[0]!;
    combine(
      ({ type }) => seen.push(type),
      ({ type }) => seen.push(type),
    )(event);
    expect(seen).toEqual(["computeStart", "computeStart"]);
    expect(() => combine(fails, ({ type }) => seen.push(type))(event)).toThrow("broken");
    expect(seen.length).toBe(3);
    expect(() => combine(fails, fails)(event)).toThrow("2 consumers of events failed");
  });
});

describe("memoryWarnings", () => {
  test("tells of tasks that needed more than stated, without drowning anybody", () => {
    const lines: string[] = [];
    const events = runEvents({ measured: (random) => 0.7 + random });
    events.forEach(memoryWarnings((line) => lines.push(line)));
    expect(lines).toMatchSnapshot();
    expect(lines.length).toBeLessThan(20);
  });

  test("is silent when all is well or nothing is measured", () => {
    const lines: string[] = [];
    const warn = memoryWarnings((line) => lines.push(line));
    runEvents().forEach(warn);
    runEvents({ measured: () => null }).forEach(warn);
    expect(lines).toEqual([]);
  });
});

describe("save", () => {
  const inFolder = async (use: (folder: string) => Promise<void>): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), "chunkwise-save-"));
    try {
      await use(folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  };

  test("writes and replaces, and leaves nothing else", () =>
    inFolder(async (folder) => {
      const path = join(folder, "picture.svg");
      await writeFile(path, "old");
      await Promise.all([save(path, "<svg/>"), save(path, "<svg/>")]);
      expect(await readFile(path, "utf8")).toBe("<svg/>");
      expect(await readdir(folder)).toEqual(["picture.svg"]);
      await save(new URL(`file://${folder}/other.csv`), "a,b\n");
      expect(await readFile(join(folder, "other.csv"), "utf8")).toBe("a,b\n");
    }));

  test("says what is wrong, and leaves no strays", () =>
    inFolder(async (folder) => {
      await expect(save(join(folder, "missing", "x.svg"), "x")).rejects.toThrow(SaveError);
      await expect(save(folder, "x")).rejects.toThrow("cannot be written");
      await expect(save("x.svg", 3 as unknown as string)).rejects.toThrow("save: the text is 3");
      expect(await readdir(folder)).toEqual([]);
    }));
});
