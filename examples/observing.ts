// Observing runs: progress, history, pictures and traces are consumers of one stream of events.
// The events are a recording, so that this program prints the same on every machine.

import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import {
  arrayHtml,
  arrayText,
  combine,
  type HistoryData,
  history,
  initialProgress,
  memorySvg,
  memoryWarnings,
  openTelemetry,
  progressBar,
  progressed,
  progressLines,
  save,
  timelineSvg,
} from "chunkwise/observe";

/** Two operations on three workers; a read fails once, a block is spilled, a task needs more than was stated. */
function recording(): cw.RunEvent[] {
  const start = 1_700_000_000_000;
  const operations = [
    { name: "op-001", label: "multiply, add", tasks: 9, projectedMem: 48e6 },
    { name: "op-002", label: "mean", tasks: 3, projectedMem: 16e6 },
  ];
  const events: cw.RunEvent[] = [];
  const free = [start, start, start];
  const run = (operation: string, task: number, attempt: number, outcome: "done" | "failed"): number => {
    const worker = free.indexOf(Math.min(...free));
    const begin = free[worker]!;
    const time = begin + 400 + 50 * ((task * 7) % 4);
    const { projectedMem } = operations.find(({ name }) => name === operation)!;
    const known = { operation, task, attempt, isTwin: false, worker };
    events.push({ type: "taskStart", time: begin, ...known });
    events.push({
      ...{ type: "taskEnd", ...known, outcome, time, startTime: begin + 1 },
      ...{ readTime: begin + 120, computeTime: time - 80, endTime: time },
      ...{ bytesRead: 32e6, bytesWritten: outcome === "done" ? 8e6 : 0 },
      ...{ projectedMem, measuredMem: projectedMem * (task === 2 ? 1.05 : 0.9) },
    });
    free[worker] = time;
    return time;
  };
  for (const { name, tasks } of operations) {
    events.push({ type: "operationStart", time: Math.min(...free), operation: name, tasks });
    for (let task = 0; task < tasks; task++) {
      if (name === "op-001" && task === 4) {
        const time = run(name, task, 1, "failed");
        events.push({ type: "retry", time, operation: name, task, attempt: 1, error: "EIO", delayMs: 0 });
        run(name, task, 2, "done");
      } else {
        const time = run(name, task, 1, "done");
        if (task === 5) events.push({ type: "spill", time, operation: name, task, bytes: 8e6 });
      }
    }
    events.push({ type: "operationEnd", time: Math.max(...free), operation: name });
  }
  const common = { pool: "threads", workers: 3, allowedMem: 200e6 };
  return [
    { type: "computeStart", time: start, operations, tasks: 12, tasksDone: 0, ...common },
    ...events.sort((a, b) => a.time - b.time),
    { type: "computeEnd", time: Math.max(...free), outcome: "done" },
  ];
}

const events = recording();

// Several consumers at once. A run calls them with every event: x.compute({ onEvent: watch }).
const past = history();
const watch = combine(
  progressBar(),
  past.onEvent,
  memoryWarnings((line) => console.log(line)),
);
events.forEach(watch);

// What every operation took.
console.log("\nA table\n");
console.log(past.toString());
assert.equal(past.tasks.length, 13);

// All attempts, for other programs.
console.log("\nCSV\n");
console.log(past.toCSV().split("\n").slice(0, 3).join("\n"));
const data = JSON.parse(JSON.stringify(past)) as HistoryData;
assert.deepEqual(data.tasks, past.tasks);

// Pictures, written to files.
const folder = await mkdtemp(join(tmpdir(), "chunkwise-observing-"));
await save(join(folder, "timeline.svg"), timelineSvg(past));
await save(join(folder, "memory.svg"), memorySvg(past));
await save(join(folder, "tasks.csv"), past.toCSV());
console.log("\nFiles\n");
console.log((await readdir(folder)).sort().join("\n"));
await rm(folder, { recursive: true });

// The progress bar's text is a function of the state, the width and the time; the state follows from the events.
const now = events[0]!.time + 1300;
const state = events.filter(({ time }) => time <= now).reduce(progressed, initialProgress);
console.log("\nProgress\n");
console.log(progressLines(state, 100, now).join("\n"));

// Traces: spans for a tenth of the tasks and for every attempt that fails, at most 200 of them.
const trace = await openTelemetry({ sample: 0.1, taskLimit: 200 });
events.forEach(trace);

// A run of our own.
const mine = history();
await cw.linspace(0, 1, 1000, { chunks: 100 }).sin().sum().compute({ onEvent: mine.onEvent });
assert.equal(mine.computations[0]!.outcome, "done");
assert.equal(mine.tasks.length, mine.computations[0]!.tasks);

// Arrays, without computing them.
const x = cw.zeros([1000, 600], { chunks: [300, 200] }).add(1);
console.log("\nAn array\n");
console.log(arrayText(x));
assert.match(arrayHtml(x), /<svg .*<\/svg>/s);
