// The state of progress follows from the events; its lines are golden and never too wide; the bar draws them.

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { progressBar } from "../../src/observe/progressBar.ts";
import { etaOf, plainLine, progressLines, ratesOf, summaryLine } from "../../src/observe/progressLines.ts";
import { initialProgress, type ProgressState, progressed } from "../../src/observe/progressState.ts";
import { cutText, displayWidth, durationText, perSecond } from "../../src/observe/shortTexts.ts";
import type { ProgressStream } from "../../src/observe/terminal.ts";
import { itemsOf } from "../../src/observe/vector.ts";
import type { OperationInfo, RunEvent } from "../../src/runtime/events.ts";
import { workOf } from "../work.ts";
import { OPERATIONS, runEvents, START } from "./events.ts";

const stateAfter = (events: readonly RunEvent[]): ProgressState => events.reduce(progressed, initialProgress);
const until = (events: readonly RunEvent[], time: number): RunEvent[] =>
  events.filter((event) => event.time <= time);

describe("the state", () => {
  const events = runEvents({ failures: 0.2, twins: 0.1, spills: 0.2 });
  const count = (type: RunEvent["type"]): number => events.filter((event) => event.type === type).length;

  test("counts what happened", () => {
    const { all, status } = stateAfter(events);
    expect(status).toBe("done");
    expect(all).toMatchObject({ tasks: 44, done: 44, retries: count("retry"), twins: count("twin") });
    expect(all.failed).toBe(count("retry"));
    expect(all.bytesSpilled).toBe(count("spill") * 1_000_000);
    expect(count("retry")).toBeGreaterThan(0);
    expect(count("twin")).toBeGreaterThan(0);
  });

  test("knows at every moment which memory is stated to be in use", () => {
    const running = new Map<string, number>();
    let state = initialProgress;
    for (const event of events) {
      state = progressed(state, event);
      if (event.type === "taskStart" || event.type === "taskEnd") {
        const key = `${event.operation} ${event.task} ${event.attempt} ${event.isTwin}`;
        const { projectedMem } = OPERATIONS.find(({ name }) => name === event.operation)!;
        if (event.type === "taskStart") running.set(key, projectedMem);
        else running.delete(key);
      }
      expect(state.all.runningMem).toBe([...running.values()].reduce((sum, bytes) => sum + bytes, 0));
    }
  });

  test("is a value: an event leaves the state before it as it was", () => {
    let state = initialProgress;
    for (const event of events) {
      const before = structuredClone({ ...state, operations: [...itemsOf(state.operations)] });
      const next = progressed(state, event);
      expect({ ...state, operations: [...itemsOf(state.operations)] }).toEqual(before);
      state = next;
    }
  });

  test("begins anew with every computation", () => {
    const second = runEvents({ startTime: START + 1e6, seed: 2 });
    expect(stateAfter([...events, ...second])).toEqual(stateAfter(second));
  });

  test("what an earlier run has done counts, but not for the rate", () => {
    const resumed = runEvents({ tasksDone: 10, operations: OPERATIONS.slice(0, 1) });
    const state = stateAfter(resumed.slice(0, 1));
    expect(state.all.done).toBe(10);
    expect(ratesOf(state, START + 1000)!.tasksPerSecond).toBe(0);
  });

  test("an operation that was not announced is shown all the same", () => {
    const unknown: RunEvent = { type: "operationStart", time: START + 1, operation: "extra", tasks: 3 };
    const state = stateAfter([...runEvents().slice(0, 1), unknown]);
    expect(progressLines(state, 100, START + 2).join("\n")).toContain("extra");
  });

  test("the estimate of what is left is about right", () => {
    const operations = OPERATIONS.map((operation) => ({ ...operation, tasks: 200 }));
    const steady = runEvents({ operations });
    const end = steady.at(-1)!.time;
    for (const part of [0.2, 0.5, 0.8]) {
      const now = START + (end - START) * part;
      const eta = etaOf(stateAfter(until(steady, now)), now)!;
      expect(eta / (end - now)).toBeGreaterThan(0.85);
      expect(eta / (end - now)).toBeLessThan(1.15);
    }
  });

  test("an event costs about the same for 3 operations and for 30,000", () => {
    const many: OperationInfo[] = Array.from({ length: 30_000 }, (_, i) => ({
      name: `op-${i}`,
      label: "",
      tasks: 1,
      projectedMem: 1,
    }));
    const few = runEvents({ operations: OPERATIONS.map((operation) => ({ ...operation, tasks: 3000 })) });
    const lots = runEvents({ operations: many, workers: 2 });
    const cost = (list: readonly RunEvent[]): number => workOf(() => stateAfter(list)) / list.length;
    expect(cost(lots)).toBeLessThan(1.5 * cost(few));
  });
});

describe("lines", () => {
  const events = runEvents({ failures: 0.2, spills: 0.3 });
  const now = START + 700;
  const half = stateAfter(until(events, now));

  test.each([120, 100, 80, 60, 40, 20])("at width %i", (width) => {
    expect(`\n${progressLines(half, width, now).join("\n")}\n`).toMatchSnapshot();
  });

  test("with # and -", () => {
    expect(progressLines(half, 60, now, { ascii: true }).join("\n")).toMatch(/[#-]+/);
    expect(progressLines(half, 60, now, { ascii: true }).join("\n")).not.toMatch(/[█░]/);
  });

  test("operations beyond the limit are summed up", () => {
    const operations = Array.from({ length: 12 }, (_, i) => ({
      ...OPERATIONS[0]!,
      name: `op-${i}`,
      tasks: 10,
    }));
    const starts = operations.map(
      ({ name, tasks }): RunEvent => ({ type: "operationStart", time: START + 1, operation: name, tasks }),
    );
    const state = stateAfter([...runEvents({ operations }).slice(0, 1), ...starts]);
    const lines = progressLines(state, 80, START + 1000, { operations: 3 });
    expect(`\n${lines.join("\n")}\n`).toMatchSnapshot();
    expect(progressLines(state, 80, START + 1000, { operations: 0 }).length).toBe(2);
  });

  test("before the start there are none, and after the end there is one", () => {
    expect(progressLines(initialProgress, 80, START)).toEqual([]);
    expect(progressLines(stateAfter(events), 200, START)).toMatchSnapshot();
  });

  test.each(["failed", "cancelled"] as const)("%s", (outcome) => {
    expect(summaryLine(stateAfter(runEvents({ outcome })))).toMatchSnapshot();
  });

  test("no line is wider than asked, whatever the names and the moment", () => {
    const names = fc.oneof(fc.string({ unit: "binary", maxLength: 60 }), fc.constant("矩陣乘法 👩‍🔬 é"));
    const cases = fc.record({
      labels: fc.array(names, { minLength: 1, maxLength: 5 }),
      width: fc.integer({ min: 1, max: 200 }),
      part: fc.double({ min: 0, max: 1.2, noNaN: true }),
      seed: fc.nat(),
      allowedMem: fc.constantFrom(null, 1, 1e15),
    });
    fc.assert(
      fc.property(cases, ({ labels, width, part, seed, allowedMem }) => {
        const operations = labels.map((label, i) => ({
          name: `op-${i}`,
          label,
          tasks: i * 3,
          projectedMem: 5e8,
        }));
        const run = runEvents({ operations, seed, allowedMem, failures: 0.3, spills: 0.5 });
        const at = START + (run.at(-1)!.time - START) * part;
        for (const line of progressLines(stateAfter(until(run, at)), width, at)) {
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
        }
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

describe("texts", () => {
  test.each([
    [0, "0 ms"],
    [0.0321, "0.0321 ms"],
    [850, "850 ms"],
    [999.6, "1.0 s"],
    [12_340, "12.3 s"],
    [59_960, "1m 00s"],
    [245_000, "4m 05s"],
    [7_380_000, "2h 03m"],
    [273_600_000, "3d 04h"],
    [Number.POSITIVE_INFINITY, "?"],
  ])("%d ms", (ms, text) => expect(durationText(ms)).toBe(text));

  test("rates", () =>
    expect([0.4242, 8.13, 153.2, 15_300].map(perSecond)).toEqual(["0.42/s", "8.1/s", "153/s", "15300/s"]));

  test("cut by columns, not by code units", () => {
    expect(cutText("矩陣乘法", 5)).toBe("矩陣…");
    expect(cutText("abc", 3)).toBe("abc");
    expect(cutText("abcd", 0)).toBe("");
  });
});

/** A terminal that keeps what is on it: text, line breaks, and the sequences that the bar uses. */
class Screen implements ProgressStream {
  readonly isTTY = true;
  columns: number;
  rows = 24;
  lines: string[] = [""];
  cursorShown = true;
  writes = 0;
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.columns = columns;
  }

  write(text: string): void {
    this.writes++;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences
    for (const [token] of text.matchAll(/\u001b\[[?\d]*[A-Za-z]|[\s\S]/gu)) this.#token(token);
  }

  #token(token: string): void {
    if (token === "\u001b[?25l") this.cursorShown = false;
    else if (token === "\u001b[?25h") this.cursorShown = true;
    else if (token === "\u001b[K") this.lines[this.#row] = this.lines[this.#row]!.slice(0, this.#column);
    else if (token === "\u001b[J") {
      this.lines.length = this.#row + 1;
      this.lines[this.#row] = this.lines[this.#row]!.slice(0, this.#column);
    } else if (token.endsWith("A") && token.length > 1) {
      this.#row -= Number(token.slice(2, -1));
      expect(this.#row).toBeGreaterThanOrEqual(0);
    } else if (token === "\r") this.#column = 0;
    else if (token === "\n") {
      this.#row++;
      this.#column = 0;
      this.lines[this.#row] ??= "";
    } else {
      expect(token).not.toContain("\u001b");
      const line = this.lines[this.#row]!;
      this.lines[this.#row] = line.slice(0, this.#column) + token + line.slice(this.#column + 1);
      this.#column++;
    }
  }

  /** As terminals do that reflow: what is too long goes on in the next row. */
  resize(columns: number): void {
    this.columns = columns;
    const wrap = (line: string): string[] => line.match(new RegExp(`.{1,${columns}}`, "gu")) ?? [""];
    this.lines = this.lines.flatMap(wrap);
    this.#row = this.lines.length - 1;
    this.#column = this.lines[this.#row]!.length;
  }
}

describe("the bar", () => {
  const events = runEvents({ failures: 0.1 });

  test("ends as one line, with the cursor back and nothing listening", () => {
    const screen = new Screen(100);
    const listeners = process.listenerCount("SIGINT");
    const bar = progressBar({ stream: screen, everyMs: 0 });
    events.forEach((event, i) => {
      bar(event);
      if (i === 10) {
        expect(screen.cursorShown).toBe(false);
        expect(screen.lines.length).toBeGreaterThan(1);
        expect(process.listenerCount("SIGINT")).toBe(listeners + 1);
      }
    });
    expect(screen.lines).toEqual([summaryLine(stateAfter(events)), ""]);
    expect(screen.cursorShown).toBe(true);
    expect(process.listenerCount("SIGINT")).toBe(listeners);
  });

  test("a signal shows the cursor, and ends the process unless somebody else listens", () => {
    const screen = new Screen(100);
    const before = new Set(process.listeners("SIGTERM"));
    const bar = progressBar({ stream: screen });
    bar(events[0]!);
    const ours = process.listeners("SIGTERM").find((listener) => !before.has(listener))!;
    const kill = vi.spyOn(process, "kill").mockReturnValue(true);
    const somebodyElse = (): void => {};
    const listening = vi.spyOn(process, "listeners").mockReturnValue([ours, somebodyElse] as never);
    try {
      ours("SIGTERM");
      expect(screen.cursorShown).toBe(false);
      listening.mockReturnValue([ours] as never);
      ours("SIGTERM");
      listening.mockRestore();
      expect(screen.cursorShown).toBe(true);
      expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, "SIGTERM");
      expect(process.listeners("SIGTERM")).not.toContain(ours);
    } finally {
      vi.restoreAllMocks();
    }
    bar(events.at(-1)!);
  });

  test("a signal that two bars hear shows both cursors, and ends the process once", () => {
    const screens = [new Screen(100), new Screen(100)];
    const before = new Set(process.listeners("SIGHUP"));
    const bars = screens.map((screen) => progressBar({ stream: screen }));
    for (const bar of bars) bar(events[0]!);
    const ours = process.listeners("SIGHUP").filter((listener) => !before.has(listener));
    const kill = vi.spyOn(process, "kill").mockReturnValue(true);
    for (const listener of before) process.removeListener("SIGHUP", listener);
    try {
      for (const listener of ours) listener("SIGHUP");
      expect(screens.map(({ cursorShown }) => cursorShown)).toEqual([true, true]);
      expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, "SIGHUP");
    } finally {
      vi.restoreAllMocks();
      for (const listener of before) process.on("SIGHUP", listener);
    }
    for (const bar of bars) bar(events.at(-1)!);
  });

  test("survives a terminal that becomes narrower and wider", () => {
    const screen = new Screen(120);
    const bar = progressBar({ stream: screen, everyMs: 0 });
    events.forEach((event, i) => {
      if (i % 9 === 4) screen.resize([30, 77, 120, 12][i % 4]!);
      bar(event);
    });
    expect(screen.lines).toEqual([summaryLine(stateAfter(events)), ""]);
  });

  test("a terminal of unknown size has 80 columns", () => {
    const screen = new Screen(0);
    screen.rows = 0;
    const bar = progressBar({ stream: screen, everyMs: 0 });
    for (const event of events.slice(0, 20)) bar(event);
    const widths = screen.lines.map(displayWidth);
    expect(Math.max(...widths)).toBeGreaterThan(60);
    expect(Math.max(...widths)).toBeLessThan(80);
    bar(events.at(-1)!);
  });

  test("a low terminal shows fewer operations", () => {
    const screen = new Screen(80);
    screen.rows = 4;
    const bar = progressBar({ stream: screen, everyMs: 0 });
    for (const event of events.slice(0, -1)) {
      bar(event);
      expect(screen.lines.length).toBeLessThanOrEqual(3);
    }
    bar(events.at(-1)!);
  });

  test("draws at most ten times a second, and by itself when nothing comes", () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance", "Date"] });
    try {
      const screen = new Screen(80);
      const bar = progressBar({ stream: screen });
      for (const event of events.slice(0, 50)) bar(event);
      expect(screen.writes).toBe(1);
      vi.advanceTimersByTime(100);
      expect(screen.writes).toBe(2);
      vi.advanceTimersByTime(3050);
      expect(screen.writes).toBe(5);
      const before = screen.lines.join("\n");
      screen.resize(60);
      vi.advanceTimersByTime(200);
      expect(screen.lines.join("\n")).not.toBe(before);
      bar(events.at(-1)!);
      const { writes } = screen;
      vi.advanceTimersByTime(5000);
      expect(screen.writes).toBe(writes);
    } finally {
      vi.useRealTimers();
    }
  });

  test("is silent where there is no terminal, unless asked", () => {
    const written: string[] = [];
    const stream = { write: (text: string) => written.push(text) };
    for (const event of events) progressBar({ stream })(event);
    expect(written).toEqual([]);
    const bar = progressBar({ stream, always: true, plainEveryMs: 400 });
    events.forEach(bar);
    expect(written.join("")).toMatchSnapshot();
  });

  test("a plain line before anything is known", () => {
    expect(plainLine(stateAfter(events.slice(0, 1)), START)).toBe("0/44 tasks (0%), memory 0 B of 1 GB");
  });
});
